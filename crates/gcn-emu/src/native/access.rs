//! Accesses to memory.
//!
//! A part executes its loads slice by slice, so that a lane may load before another lane's earlier load. Only plain loads are reordered: a
//! load that must see other threads' stores in program order has GLC, and is interpreted.

use std::ops::Range;

use gcn_isa::regs;

use super::graph::Id;
use crate::step::{Arg, FastPath, MemoryPlan};
use crate::wave::SCALARS;

/// Access of lanes to a dword of their elements, or to elements of fewer bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Access {
    pub(super) space: Space,
    /// Constant offset of the instruction in bytes.
    pub(super) offset: i64,
    /// Bytes of an element.
    pub(super) bytes: u32,
    /// Number of the dword in its element. Accesses to dwords of one element follow each other, and the first checks all addresses.
    pub(super) dword: u8,
    /// Number of the wave's entry for the addresses of a load.
    pub(super) visit: Option<u8>,
}

/// Addresses of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Space {
    /// Addresses of 64 bits in global memory.
    Global,
    /// Offsets from the address in a pair of scalar registers.
    GlobalFrom(u8),
    /// Offsets in a buffer.
    Buffer(BufferAccess),
    /// Offsets in LDS; the sum with the constant offset keeps the bits of a mask.
    Share(u32),
}

/// Buffer of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BufferAccess {
    /// First register of the descriptor.
    pub(super) descriptor: u8,
    /// Offset that all lanes have.
    pub(super) soffset: ScalarSource,
    /// True if each lane has an offset of its own. Else the element is one for all lanes or, with the descriptor of scratch, in a row.
    pub(super) has_offsets: bool,
}

/// Scalar source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScalarSource {
    /// Register with a number.
    Register(u8),
    /// Constant.
    Constant(u32),
}

impl ScalarSource {
    /// The source that an operand is; `None` of others.
    pub(super) fn new(arg: Arg) -> Option<ScalarSource> {
        match arg {
            Arg::Scalar(register) => Some(ScalarSource::Register(register % SCALARS as u8)),
            Arg::Const(value) => Some(ScalarSource::Constant(value as u32)),
            Arg::None | Arg::Vgpr(_) | Arg::Special(_) | Arg::Imm(_) => None,
        }
    }
}

/// Store of one or two elements.
#[derive(Clone, Debug)]
pub(super) struct Store {
    /// Number of its access in the part. That of a second element is next.
    pub(super) access: u8,
    pub(super) elements: StoredElements,
    /// Low and high dwords of the addresses.
    pub(super) address: [Id; 2],
    /// Dwords of the first element, then those of the second.
    pub(super) values: Vec<Id>,
}

/// Shape of what a lane stores: elements at constant offsets of their own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct StoredElements {
    /// One or two.
    pub(super) count: usize,
    /// Bytes of one element.
    pub(super) bytes: u32,
}

impl StoredElements {
    /// Number of registers with an element.
    pub(super) fn dwords(self) -> usize {
        dwords(self.bytes).into()
    }
}

/// Number of dwords that have this many bytes.
fn dwords(bytes: u32) -> u8 {
    bytes.div_ceil(4) as u8
}

/// Accesses of a part. Slices are computed one after the other, so a part has no store together with other accesses to the same memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Accesses {
    pub(super) all: Vec<Access>,
    /// Values that are loaded.
    pub(super) loads: Vec<Id>,
    pub(super) stores: Vec<Store>,
    /// Memories that are loaded from and stored to.
    loaded: Memories,
    stored: Memories,
}

/// A set of memories, a bit each.
pub(super) type Memories = u8;
pub(super) const GLOBAL: Memories = 1;
pub(super) const SHARE: Memories = 2;

impl Accesses {
    /// Adds accesses of an instruction. Returns their numbers; `None` if they need another part.
    pub(super) fn add(
        &mut self,
        accesses: impl Iterator<Item = Access>,
        memories: Memories,
        is_store: bool,
    ) -> Option<Range<u8>> {
        let conflicting = self.stored | if is_store { self.loaded } else { 0 };
        if conflicting & memories != 0 {
            return None;
        }
        let first = u8::try_from(self.all.len()).ok()?;
        self.all.extend(accesses);
        let end = u8::try_from(self.all.len()).ok()?;
        if is_store {
            self.stored |= memories;
        } else {
            self.loaded |= memories;
        }
        Some(first..end)
    }
}

impl Access {
    /// Accesses to all dwords of the element.
    pub(super) fn dwords(self) -> impl Iterator<Item = Access> {
        (0..self.count()).map(move |dword| Access { dword, ..self })
    }

    /// Number of dwords, and of accesses, of the element.
    pub(super) fn count(self) -> u8 {
        dwords(self.bytes)
    }

    /// The buffer, if all lanes have the same offset in it.
    pub(super) fn row(self) -> Option<BufferAccess> {
        match self.space {
            Space::Buffer(buffer) if !buffer.has_offsets => Some(buffer),
            _ => None,
        }
    }

    /// True of an element of less than a dword.
    pub(super) fn is_part(self) -> bool {
        self.bytes < 4
    }
}

/// Load of scalar registers from a constant offset from a base.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScalarLoad {
    /// First register of the base.
    pub(super) base: u8,
    /// First register of the destination.
    pub(super) to: u8,
    /// Number of registers of the destination.
    pub(super) dwords: u8,
    /// Offset in bytes.
    pub(super) offset: i32,
}

/// A set of scalar registers, a bit each.
pub(super) type ScalarSet = u128;
const _: () = assert!(ScalarSet::BITS as usize == SCALARS);

/// The set of a pair of scalar registers.
pub(super) fn pair(first: u8) -> ScalarSet {
    0b11 << first
}

impl ScalarLoad {
    /// The load of an instruction; `None` if it is no load of this form.
    pub(super) fn new(plan: &MemoryPlan) -> Option<ScalarLoad> {
        let dwords = plan.ty.dwords();
        let is_inside = |first: u8, count: u8| first + count <= regs::M0;
        let is_load = plan.fast_path == FastPath::LoadScalar
            && plan.sreg.is_none()
            && is_inside(plan.sbase, 2)
            && is_inside(plan.sdata, dwords);
        Some(ScalarLoad {
            base: is_load.then_some(plan.sbase)?,
            to: plan.sdata,
            dwords,
            offset: i32::try_from(plan.offset).ok()?,
        })
    }

    /// Registers that it reads.
    pub(super) fn read(self) -> ScalarSet {
        pair(self.base)
    }

    /// Registers that it writes.
    pub(super) fn written(self) -> ScalarSet {
        ((1 << self.dwords) - 1) << self.to
    }

    /// Its access.
    pub(super) fn access(self) -> Access {
        Access {
            space: Space::Global,
            offset: 0,
            bytes: 4 * u32::from(self.dwords),
            dword: 0,
            visit: None,
        }
    }
}
