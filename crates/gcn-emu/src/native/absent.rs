//! Stub for hosts that the block compiler does not support: no block has host code.

use std::marker::PhantomData;

use gcn_isa::Isa;
use gcn_isa::uses::RegisterSet;

use super::engine::Policy;
use super::interface::{Candidate, Fallback, NativeExit};
use crate::wave::Wave;

/// Uninhabited stand-in for the host code of a block.
#[derive(Clone, Debug)]
pub(crate) enum NativeBlock {}

impl NativeBlock {
    pub(crate) fn compile<'a>(
        _: Candidate<'a>,
        _: impl Fn(usize) -> Option<Candidate<'a>>,
        _: (Isa, u32),
        _: Policy,
    ) -> Vec<(usize, NativeBlock)> {
        Vec::new()
    }

    pub(crate) fn instructions(&self) -> usize {
        match *self {}
    }

    pub(crate) fn function(&self) -> (&[u8], u64) {
        match *self {}
    }

    pub(crate) fn entry(&self) -> usize {
        match *self {}
    }

    pub(crate) fn is_abandoned(&self) -> bool {
        match *self {}
    }

    pub(crate) fn registers(&self) -> &RegisterSet {
        match *self {}
    }

    pub(crate) fn is_for(&self, _: &Wave) -> bool {
        match *self {}
    }

    pub(crate) fn runner<'a, F: Fallback>(
        &'a self,
        _: &'a mut F,
        _: &'a mut FrameSlot,
    ) -> Runner<'a, F> {
        match *self {}
    }
}

/// Empty stand-in for the storage of a call frame, which only host code needs.
pub(crate) struct FrameSlot;

impl FrameSlot {
    pub(crate) fn new() -> FrameSlot {
        FrameSlot
    }
}

/// Uninhabited stand-in for the runner of host code.
pub(crate) struct Runner<'a, F> {
    native: &'a NativeBlock,
    fallback: PhantomData<F>,
}

impl<'a, F: Fallback> Runner<'a, F> {
    pub(crate) fn moves_to(&mut self, native: &'a NativeBlock) -> bool {
        match *native {}
    }

    pub(crate) fn run(&mut self, _: &mut Wave, _: u64) -> NativeExit {
        match *self.native {}
    }
}
