//! Plans of memory instructions: all that is known when they are decoded, so that running them looks nothing up.

use gcn_isa::effect::{AtomicOp, LaneMove};
use gcn_isa::uses::{Counters, Intent};
use gcn_isa::{Does, Ty};

use super::arg::Arg;
use super::format::ElementFormat;
use super::image::ImagePlan;
use crate::lanes::{Elements, Gather};

/// Dwords of the largest scalar load.
pub(crate) const MAX_SCALAR_DWORDS: usize = 16;

/// A memory instruction, resolved.
#[derive(Clone, Copy, Debug)]
pub struct MemoryPlan {
    /// Source of its addresses.
    pub family: Family,
    /// Effect.
    pub does: Does,
    /// The type of an element in memory.
    pub ty: Ty,
    /// The vector register with the address, where there is one.
    pub vaddr: Option<u8>,
    /// The vector registers of data; of an MUBUF load the destination.
    pub vdata: u8,
    /// The second data of DS.
    pub vdata1: u8,
    /// The first vector register written.
    pub vdst: u8,
    /// The scalar registers of data.
    pub sdata: u8,
    /// The scalar registers of the base or the descriptor.
    pub sbase: u8,
    /// The scalar address or offset of GLOBAL and SCRATCH.
    pub saddr: Option<u8>,
    /// The register in a scalar memory instruction's offset.
    pub sreg: Option<u8>,
    /// SOFFSET of MUBUF.
    pub soffset: Arg,
    /// Constant offset in bytes.
    pub offset: i64,
    /// From the first element of a two-address form to the second, in bytes.
    pub distance: i64,
    /// Bits that an address of LDS keeps.
    pub mask: u32,
    /// GDS in place of LDS.
    pub gds: bool,
    /// An atomic returns the old value.
    pub returns: bool,
    /// Loads go to LDS.
    pub to_lds: bool,
    /// A load of half a register keeps the other half, rather than clear it (errata E263).
    pub keeps_half: bool,
    /// One more register is written.
    pub tfe: bool,
    /// MUBUF, MTBUF: a register holds an index, an offset, a 64-bit address.
    pub idxen: bool,
    /// See `idxen`.
    pub offen: bool,
    /// See `idxen`.
    pub addr64: bool,
    /// The format that the instruction gives (MTBUF); of formatted MUBUF the descriptor has it.
    pub format: Option<ElementFormat>,
    /// Fields of an image instruction.
    pub image: Option<ImagePlan>,
    /// Vector registers of data.
    pub data_dwords: u8,
    /// The counters that it adds to.
    pub counters: Option<Counters>,
    /// The instruction loads what other compute units have stored (GLC), behind all that the wave has done before.
    pub loads_coherently: bool,
    /// A number that other memory instructions near it do not have.
    pub number: u8,
    /// Shapes that its access may have.
    pub fast_path: FastPath,
    /// All active lanes access something: nobody needs the addresses to know that.
    pub is_by_lane: bool,
    /// The addresses can be worked out after the instruction as well as before: it writes none of the registers that they depend on.
    pub keeps_addresses: bool,
    /// Places that a load, a store or an atomic of DS accesses in LDS, if they can be in the order of the bases.
    pub(crate) share: Option<ShareElements>,
    /// Elements that it loads from LDS or stores there.
    pub(crate) elements: Elements,
    /// Function that loads them.
    pub(crate) gather: Gather,
}

/// The way from the base of a lane to the elements that it accesses. None of the sums overflows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShareElements {
    /// Constant offset in bytes.
    pub offset: u32,
    /// Bits that an address keeps.
    pub mask: u32,
    /// Bytes from a lane's first element to its second, of an instruction with two.
    pub distance: Option<u32>,
    /// Bytes of an element.
    pub bytes: u8,
    /// The greatest base up to which addresses are in the order of their bases: they do not overflow, and lose no more than low bits by
    /// the mask.
    pub(crate) greatest_base: u32,
}

/// The greatest number up to which numbers lose no more than low bits by a mask, so that their order stays. `None` where the mask
/// takes bits between others.
pub fn ordered_up_to(mask: u32) -> Option<u32> {
    let all = u32::MAX.checked_shr(mask.leading_zeros()).unwrap_or(0);
    let low = !(u32::MAX << mask.trailing_zeros().min(31));
    (mask | low == all).then_some(all)
}

impl ShareElements {
    /// The address of the first element of a lane with this base.
    #[inline]
    pub fn first(self, base: u32) -> u64 {
        u64::from(base.wrapping_add(self.offset) & self.mask)
    }

    /// The bytes from a lane's first element to each of its elements.
    #[inline]
    pub fn distances(self) -> impl Iterator<Item = u64> {
        let all = [Some(0), self.distance].into_iter().flatten();
        all.map(u64::from)
    }

    /// The addresses of the elements of a lane with this base.
    #[inline]
    pub fn addresses(self, base: u32) -> impl Iterator<Item = u64> {
        let first = self.first(base);
        self.distances().map(move |distance| first + distance)
    }
}

/// Source of addresses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Family {
    /// DS: the local or the global data share.
    Share,
    /// FLAT: apertures decide.
    Flat,
    /// GLOBAL.
    Global,
    /// SCRATCH.
    Scratch,
    /// MUBUF and MTBUF: a descriptor decides.
    Buffer,
    /// MIMG: the descriptor of an image decides.
    Image,
    /// Scalar memory at an address.
    Scalar,
    /// Scalar memory whose register offset counts 64 bytes.
    ScalarScratch,
    /// Scalar memory through a descriptor.
    ScalarBuffer,
}

impl Family {
    /// True if it is executed once for the wave.
    pub const fn is_scalar(self) -> bool {
        matches!(
            self,
            Family::Scalar | Family::ScalarScratch | Family::ScalarBuffer
        )
    }
}

impl MemoryPlan {
    /// Operation and type, if it changes elements of memory by operands.
    #[inline]
    pub fn atomic(&self) -> Option<(AtomicOp, Ty)> {
        match self.does {
            Does::Atomic(op, ty) | Does::Return(op, ty) => Some((op, ty)),
            _ => None,
        }
    }

    /// Elements that a lane accesses.
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

    /// Vector registers from `vaddr` on with addresses, or parts of them.
    fn address_registers(&self) -> u8 {
        match self.family {
            Family::Share | Family::Scratch => 1,
            Family::Flat => 2,
            Family::Global if self.saddr.is_some() => 1,
            Family::Global => 2,
            Family::Buffer if self.addr64 => 2,
            Family::Buffer => u8::from(self.idxen) + u8::from(self.offen),
            // Of an image the descriptor says it.
            Family::Image | Family::Scalar | Family::ScalarScratch | Family::ScalarBuffer => 0,
        }
    }

    /// [`MemoryPlan::is_by_lane`] of an instruction whose fast path is known.
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

    /// [`MemoryPlan::keeps_addresses`] of an instruction whose other fields are known.
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

    /// The places in LDS of an instruction of DS that loads, stores or changes elements there by lanes, if they can be in the order of
    /// the bases.
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

/// Fast path of a memory instruction, by the shapes that its access may have.
// A byte of its own says which one it is: the step loop finds the code for it in fewer instructions.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FastPath {
    /// No fast path.
    None,
    /// A load of one or two elements of whole dwords from LDS.
    LoadShare,
    /// A load of a part of a dword from there.
    LoadSharePart,
    /// A store of one or two elements to LDS.
    StoreShare,
    /// A load from global memory.
    Load,
    /// A store there.
    Store,
    /// A load from scratch.
    LoadScratch,
    /// A store there.
    StoreScratch,
    /// A load through a descriptor, of global memory or of scratch.
    LoadBuffer,
    /// A store there.
    StoreBuffer,
    /// A load of scalar registers from an address.
    LoadScalar,
    /// An atomic on global memory, by FLAT also on LDS.
    Atomic,
    /// An atomic on LDS.
    AtomicShare,
    /// A load through a descriptor that is converted.
    LoadFormat,
    /// A store there.
    StoreFormat,
    /// Lanes exchange values.
    Moves(LaneMove),
    /// No work.
    Nothing,
}
