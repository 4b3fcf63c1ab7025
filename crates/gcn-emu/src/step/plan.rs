//! Plans of memory instructions. They contain everything known at decode time, so that execution needs no lookups.

use gcn_isa::effect::{AtomicOp, LaneMove};
use gcn_isa::uses::{Counters, Intent};
use gcn_isa::{Does, Ty};

use super::arg::Arg;
use super::format::ElementFormat;
use super::image::ImagePlan;
use crate::lanes::{Elements, Gather};

/// Number of dwords of the largest scalar load.
pub(crate) const MAX_SCALAR_DWORDS: usize = 16;

/// Resolved memory instruction.
#[derive(Clone, Copy, Debug)]
pub struct MemoryPlan {
    /// Instruction family, which determines the address computation.
    pub family: Family,
    /// Effect of the instruction.
    pub does: Does,
    /// Type of an element in memory.
    pub ty: Ty,
    /// First vector register of the address, if there is one.
    pub vaddr: Option<u8>,
    /// First vector register of the data. For a buffer or image load, it is the destination.
    pub vdata: u8,
    /// First vector register of the second data operand of DS.
    pub vdata1: u8,
    /// First vector register that is written.
    pub vdst: u8,
    /// First scalar register of the data.
    pub sdata: u8,
    /// First scalar register of the base or the descriptor.
    pub sbase: u8,
    /// Scalar address or offset of GLOBAL and SCRATCH.
    pub saddr: Option<u8>,
    /// Offset register of a scalar memory instruction, if there is one.
    pub sreg: Option<u8>,
    /// SOFFSET of MUBUF and MTBUF.
    pub soffset: Arg,
    /// Constant offset in bytes.
    pub offset: i64,
    /// Distance in bytes from the first to the second element of a two-address instruction.
    pub distance: i64,
    /// Mask applied to LDS addresses.
    pub mask: u32,
    /// True if the instruction accesses GDS instead of LDS.
    pub gds: bool,
    /// True if an atomic returns the old value.
    pub returns: bool,
    /// True if loaded data goes to LDS instead of registers.
    pub to_lds: bool,
    /// True if a load of half a register preserves the other half instead of clearing it (errata E263).
    pub keeps_half: bool,
    /// True if one more register receives a status (TFE).
    pub tfe: bool,
    /// True if a register holds an index (MUBUF and MTBUF).
    pub idxen: bool,
    /// True if a register holds an offset (MUBUF and MTBUF).
    pub offen: bool,
    /// True if registers hold a 64-bit address (MUBUF and MTBUF).
    pub addr64: bool,
    /// Format in an MTBUF instruction. For formatted MUBUF instructions it is in the descriptor.
    pub format: Option<ElementFormat>,
    /// Fields of an image instruction.
    pub image: Option<ImagePlan>,
    /// Number of vector registers of the data.
    pub data_dwords: u8,
    /// Counters that the instruction increments.
    pub counters: Option<Counters>,
    /// True if the instruction loads values that other compute units have stored (GLC). The load is ordered after all
    /// earlier accesses of the wave.
    pub loads_coherently: bool,
    /// Number that selects a stride predictor entry, different from the numbers of nearby memory instructions.
    pub number: u8,
    /// Fast path that the access may take.
    pub fast_path: FastPath,
    /// True if all active lanes access memory, so that the set of lanes is known without the addresses.
    pub is_by_lane: bool,
    /// True if the addresses can also be computed after the instruction, because it does not write the registers that
    /// they depend on.
    pub keeps_addresses: bool,
    /// LDS elements of a DS load, store or atomic, if their addresses can have the same order as the bases.
    pub(crate) share: Option<ShareElements>,
    /// Elements of a load from or store to LDS.
    pub(crate) elements: Elements,
    /// Function that loads these elements.
    pub(crate) gather: Gather,
}

/// Computation of a lane's element addresses from its base.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShareElements {
    /// Constant offset in bytes.
    pub offset: u32,
    /// Mask applied to the address.
    pub mask: u32,
    /// Distance in bytes from a lane's first element to its second, if the instruction has two.
    pub distance: Option<u32>,
    /// Size of an element in bytes.
    pub bytes: u8,
    /// Largest base up to which addresses have the same order as bases: they do not overflow, and the mask clears only
    /// low bits.
    pub(crate) greatest_base: u32,
}

/// Returns the largest number up to which a mask clears only low bits and therefore preserves the order of numbers.
/// `None` if the mask clears bits between set ones.
pub fn ordered_up_to(mask: u32) -> Option<u32> {
    let all = u32::MAX.checked_shr(mask.leading_zeros()).unwrap_or(0);
    let low = !(u32::MAX << mask.trailing_zeros().min(31));
    (mask | low == all).then_some(all)
}

impl ShareElements {
    /// Returns the address of the first element of a lane whose base is `base`.
    #[inline]
    pub fn first(self, base: u32) -> u64 {
        u64::from(base.wrapping_add(self.offset) & self.mask)
    }

    /// Returns the distances in bytes from a lane's first element to each of its elements.
    #[inline]
    pub fn distances(self) -> impl Iterator<Item = u64> {
        let all = [Some(0), self.distance].into_iter().flatten();
        all.map(u64::from)
    }

    /// Returns the element addresses of a lane whose base is `base`.
    #[inline]
    pub fn addresses(self, base: u32) -> impl Iterator<Item = u64> {
        let first = self.first(base);
        self.distances().map(move |distance| first + distance)
    }
}

/// Instruction family, which determines the memory and the address computation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Family {
    /// DS: the local or the global data share.
    Share,
    /// FLAT: the apertures select the memory.
    Flat,
    /// GLOBAL: global memory.
    Global,
    /// SCRATCH: scratch memory.
    Scratch,
    /// MUBUF and MTBUF: global memory or scratch through a descriptor.
    Buffer,
    /// MIMG: an image through its descriptor.
    Image,
    /// Scalar memory at an address.
    Scalar,
    /// Scalar memory with a register offset in units of 64 bytes.
    ScalarScratch,
    /// Scalar memory through a descriptor.
    ScalarBuffer,
}

impl Family {
    /// True if the instruction is executed once for the wave.
    pub const fn is_scalar(self) -> bool {
        matches!(
            self,
            Family::Scalar | Family::ScalarScratch | Family::ScalarBuffer
        )
    }
}

impl MemoryPlan {
    /// Returns the operation and type, if the instruction updates memory elements using its operands.
    #[inline]
    pub fn atomic(&self) -> Option<(AtomicOp, Ty)> {
        match self.does {
            Does::Atomic(op, ty) | Does::Return(op, ty) => Some((op, ty)),
            _ => None,
        }
    }

    /// True for stores and atomics, except in LDS.
    #[inline]
    pub(crate) fn stores_outside_lds(&self) -> bool {
        matches!(self.does.intent(), Some(Intent::Store | Intent::Atomic))
            && (self.gds || !matches!(self.family, Family::Share))
    }

    /// Returns the number of elements that a lane accesses.
    pub(crate) fn elements_per_lane(&self) -> u8 {
        let has_two = matches!(
            self.does,
            Does::LoadTwo(..)
                | Does::StoreTwo(..)
                | Does::ExchangeTwo(..)
                | Does::AtomicFromLds(..)
        );
        if has_two { 2 } else { 1 }
    }

    /// Returns the number of vector registers, starting at `vaddr`, that hold addresses or parts of them.
    fn address_registers(&self) -> u8 {
        match self.family {
            Family::Share | Family::Scratch => 1,
            Family::Flat => 2,
            Family::Global if self.saddr.is_some() => 1,
            Family::Global => 2,
            Family::Buffer if self.addr64 => 2,
            Family::Buffer => u8::from(self.idxen) + u8::from(self.offen),
            // For an image, the number depends on the descriptor.
            Family::Image | Family::Scalar | Family::ScalarScratch | Family::ScalarBuffer => 0,
        }
    }

    /// Computes [`MemoryPlan::is_by_lane`] from the fast path.
    pub(super) fn has_a_lane_each(&self) -> bool {
        match self.fast_path {
            FastPath::LoadShare
            | FastPath::LoadSharePart
            | FastPath::StoreShare
            | FastPath::Load
            | FastPath::Store
            | FastPath::LoadScratch
            | FastPath::StoreScratch
            | FastPath::LoadBuffer
            | FastPath::StoreBuffer
            | FastPath::Atomic
            | FastPath::AtomicShare
            | FastPath::LoadFormat
            | FastPath::StoreFormat => true,
            FastPath::None | FastPath::LoadScalar | FastPath::Moves(_) | FastPath::Nothing => false,
        }
    }

    /// Computes [`MemoryPlan::keeps_addresses`] from the other fields.
    pub(super) fn finds_addresses_again(&self) -> bool {
        let writes = match self.does.intent() {
            Some(Intent::Load) => true,
            Some(Intent::Atomic) => self.returns || matches!(self.does, Does::Return(..)),
            Some(Intent::Store) | None => false,
        };
        let written = self
            .data_dwords
            .max(self.elements_per_lane() * self.ty.dwords());
        let is_apart = self.vaddr.is_none_or(|first| {
            let end = first.saturating_add(self.address_registers());
            self.vdst >= end || self.vdst.saturating_add(written) <= first
        });
        self.is_by_lane && (!writes || is_apart)
    }

    /// Returns the LDS elements of a DS instruction that loads, stores or updates them by lane, if their addresses can
    /// have the same order as the bases.
    pub(super) fn share_elements(&self) -> Option<ShareElements> {
        let has_two = matches!(self.does, Does::LoadTwo(..) | Does::StoreTwo(..));
        let has_one = matches!(
            self.does,
            Does::Load(_)
                | Does::LoadHalf(..)
                | Does::Store(_)
                | Does::StoreHigh(_)
                | Does::Atomic(..)
                | Does::Return(..)
        );
        let is_in_lds = self.family == Family::Share && !self.gds;
        if !is_in_lds || !(has_one || has_two) {
            return None;
        }
        let offset = self.offset as u32;
        Some(ShareElements {
            offset,
            mask: self.mask,
            distance: has_two.then_some(self.distance as u32),
            bytes: self.ty.bytes(),
            greatest_base: ordered_up_to(self.mask)?.checked_sub(offset)?,
        })
    }
}

/// Fast path of a memory instruction, selected at decode time.
// The discriminant is a separate byte, so that the step loop dispatches on it in fewer instructions.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FastPath {
    /// No fast path.
    None,
    /// Load of one or two elements of whole dwords from LDS.
    LoadShare,
    /// Load of an element smaller than a dword from LDS.
    LoadSharePart,
    /// Store of one or two elements to LDS.
    StoreShare,
    /// Load from global memory.
    Load,
    /// Store to global memory.
    Store,
    /// Load from scratch.
    LoadScratch,
    /// Store to scratch.
    StoreScratch,
    /// Load through a descriptor, from global memory or scratch.
    LoadBuffer,
    /// Store through a descriptor, to global memory or scratch.
    StoreBuffer,
    /// Load of scalar registers from an address.
    LoadScalar,
    /// Atomic on global memory or, with FLAT, on LDS.
    Atomic,
    /// Atomic on LDS.
    AtomicShare,
    /// Converting load through a descriptor.
    LoadFormat,
    /// Converting store through a descriptor.
    StoreFormat,
    /// Exchange of values between lanes.
    Moves(LaneMove),
    /// No effect.
    Nothing,
}
