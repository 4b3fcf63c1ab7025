//! Blocks on hosts for which there is no compiler: none has host code.

use gcn_isa::Isa;

use crate::step::Step;
use crate::wave::Wave;

/// A block's segments, which no block has.
#[derive(Debug)]
pub(crate) enum NativeBlock {}

/// Instructions with host code, which there are none of.
#[derive(Debug)]
pub(crate) enum Segment {}

impl NativeBlock {
    pub(crate) fn compile(_: &[Step], _: Isa, _: u32, _: usize) -> Option<NativeBlock> {
        None
    }

    pub(crate) fn instructions(&self) -> usize {
        match *self {}
    }

    pub(crate) fn segments(&self, _: u32) -> &[Segment] {
        match *self {}
    }
}

impl Segment {
    pub(crate) fn from(&self) -> usize {
        match *self {}
    }

    pub(crate) fn count(&self) -> usize {
        match *self {}
    }

    pub(crate) fn run(&self, _: &mut Wave, _: &[Step]) {
        match *self {}
    }
}
