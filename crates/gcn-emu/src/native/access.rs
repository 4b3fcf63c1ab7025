//! Memory accesses of host code.
//!
//! A part executes its loads slice by slice, so one lane's load may execute before another lane's earlier load. Only
//! plain loads are reordered: a load that must see other threads' stores in program order has GLC set and is
//! interpreted.

use std::ops::Range;

use gcn_isa::regs;

use super::graph::Id;
use crate::step::{Arg, FastPath, MemoryPlan};
use crate::wave::SCALARS;

/// Memory access of host code. A vector load has one access per dword of its element, any other instruction one per
/// element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Access {
    pub(super) space: Space,
    /// Constant offset of the instruction, in bytes.
    pub(super) offset: i64,
    /// Size of an element in bytes.
    pub(super) bytes: u32,
    /// Index of a vector load's dword in its element. Accesses to the dwords of one element are consecutive, and the
    /// first checks the addresses for all.
    pub(super) dword: u8,
    /// Index of the load's entry in the wave's table of load addresses.
    pub(super) visit: Option<u8>,
}

/// Address space and form of an access's addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Space {
    /// 64-bit addresses in global memory.
    Global,
    /// Offsets from a global address in a pair of scalar registers.
    GlobalFrom(u8),
    /// Offsets in a buffer.
    Buffer(BufferAccess),
    /// Offsets in LDS. The mask is applied to the sum of address and constant offset.
    Share(u32),
}

/// Buffer that an access uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BufferAccess {
    /// First register of the descriptor.
    pub(super) descriptor: u8,
    /// Scalar offset, common to all lanes.
    pub(super) soffset: ScalarSource,
    /// True if each lane has its own offset. Otherwise all lanes access the same element or, with a scratch
    /// descriptor, consecutive elements of a row.
    pub(super) has_offsets: bool,
}

/// Scalar source operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScalarSource {
    /// Scalar register with this number.
    Register(u8),
    Constant(u32),
}

impl ScalarSource {
    /// Converts an operand; `None` if it is neither a scalar register nor a constant.
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
    /// Index of the store's access in the part. The access of a second element follows it.
    pub(super) access: u8,
    pub(super) elements: StoredElements,
    /// Low and high dwords of the addresses.
    pub(super) address: [Id; 2],
    /// Dwords of the first element, then those of the second.
    pub(super) values: Vec<Id>,
}

/// Shape of a lane's store: elements at separate constant offsets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct StoredElements {
    /// Number of elements, one or two.
    pub(super) count: usize,
    /// Size of one element in bytes.
    pub(super) bytes: u32,
}

impl StoredElements {
    /// Number of registers that hold an element.
    pub(super) fn dwords(self) -> usize {
        dwords(self.bytes).into()
    }
}

/// Number of dwords that hold `bytes` bytes.
fn dwords(bytes: u32) -> u8 {
    bytes.div_ceil(4) as u8
}

/// Accesses of a part. Slices execute one after another, so a part that stores to an address space may contain no other
/// access to that space.
#[derive(Clone, Debug, Default)]
pub(super) struct Accesses {
    pub(super) all: Vec<Access>,
    /// Loaded values.
    pub(super) loads: Vec<Id>,
    pub(super) stores: Vec<Store>,
    /// Address spaces that the part loads from and stores to.
    loaded: Memories,
    stored: Memories,
}

/// Bit set of address spaces.
pub(super) type Memories = u8;
pub(super) const GLOBAL: Memories = 1;
pub(super) const SHARE: Memories = 2;

impl Accesses {
    /// Adds the accesses of an instruction. Returns their indexes, or `None` if they belong in another part.
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

    /// Number of dwords in the element. A vector load has the same number of accesses.
    pub(super) fn count(self) -> u8 {
        dwords(self.bytes)
    }

    /// Buffer of an access without per-lane offsets.
    pub(super) fn row(self) -> Option<BufferAccess> {
        match self.space {
            Space::Buffer(buffer) if !buffer.has_offsets => Some(buffer),
            _ => None,
        }
    }

    /// True if the element is smaller than a dword.
    pub(super) fn is_part(self) -> bool {
        self.bytes < 4
    }
}

/// Load of scalar registers from a base address plus a constant offset.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScalarLoad {
    /// First register of the base address.
    pub(super) base: u8,
    /// First destination register.
    pub(super) to: u8,
    /// Number of destination registers.
    pub(super) dwords: u8,
    /// Offset in bytes.
    pub(super) offset: i32,
}

/// Bit set of scalar registers.
pub(super) type ScalarSet = u128;
const _: () = assert!(ScalarSet::BITS as usize == SCALARS);

/// Set that contains a pair of scalar registers.
pub(super) fn pair(first: u8) -> ScalarSet {
    0b11 << first
}

impl ScalarLoad {
    /// Converts an instruction; `None` if it is not a load of this form.
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

    /// Registers that the load reads.
    pub(super) fn read(self) -> ScalarSet {
        pair(self.base)
    }

    /// Registers that the load writes.
    pub(super) fn written(self) -> ScalarSet {
        ((1 << self.dwords) - 1) << self.to
    }

    /// Memory access of the load. The address that host code checks includes the load's offset.
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
