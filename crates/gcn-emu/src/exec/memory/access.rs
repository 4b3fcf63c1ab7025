//! First step of a memory instruction: computation of the addresses of each lane, without side effects.

use gcn_isa::effect::CacheOp;
use gcn_isa::{Does, Isa};

use crate::device::Device;
use crate::fault::Intent;
use crate::lanes::{LANES, Lanes, active};
use crate::lds::direct_place;
use crate::step::{Arg, Executor, Step};
use crate::wave::Wave;

use super::buffer::Descriptor;
use super::wide;
use crate::step::ElementFormat;
use crate::step::{Family, MemoryPlan};

/// Address spaces, addresses and sizes of an access. Addresses of lanes in none of the masks are unspecified.
#[derive(Clone, Debug)]
pub struct Access {
    /// Intent; `None` if no memory is accessed.
    pub intent: Option<Intent>,
    /// Bytes per element. Loads and stores of more than a dword access consecutive dwords.
    pub bytes: u8,
    /// Elements per lane: 1, or 2 for instructions with two addresses.
    pub elements: u8,
    /// True for a single access by the whole wave, represented as an access by lane 0.
    pub scalar: bool,
    /// Lanes that access global memory.
    pub global: u64,
    /// Lanes that access LDS. Their addresses are offsets in the workgroup's allocation; an address that the hardware
    /// treats as out of range exceeds 32 bits (errata E039).
    pub lds: u64,
    /// Lanes that access GDS. Their addresses are offsets from the base in M0.
    pub gds: u64,
    /// Lanes that access scratch. Their addresses are offsets in the lane's own scratch. See [`Access::place`].
    pub scratch: u64,
    /// Lanes that access memory through a descriptor, unless the access is plain global memory. Their addresses are
    /// offsets in a record. See [`Access::place`].
    pub buffer: u64,
    /// Address of each lane's first element.
    pub address: [u64; LANES],
    /// Address of each lane's second element; for a buffer, each lane's index.
    pub second: [u64; LANES],
    /// Address of scratch offset 0 of lane 0.
    pub scratch_base: u64,
    /// Bytes of scratch per lane.
    pub scratch_bytes: u32,
    /// Descriptor of a buffer access.
    pub descriptor: Descriptor,
    /// Element format of a typed buffer.
    pub format: ElementFormat,
    /// Number of dwords of a scalar access within the descriptor's bounds; the others are not accessed (errata E119).
    pub dwords_in_bounds: u8,
    /// LDS offset of lane 0's dword, for loads into LDS and stores from LDS. The other lanes' dwords follow.
    pub to_lds: Option<u32>,
}

impl Default for Access {
    fn default() -> Access {
        Access {
            intent: None,
            bytes: 0,
            elements: 1,
            scalar: false,
            global: 0,
            lds: 0,
            gds: 0,
            scratch: 0,
            buffer: 0,
            address: [0; LANES],
            second: [0; LANES],
            scratch_base: 0,
            scratch_bytes: 0,
            descriptor: Descriptor::default(),
            format: ElementFormat::default(),
            dwords_in_bounds: 0,
            to_lds: None,
        }
    }
}

/// Address space that a lane accesses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum LaneSpace {
    Global,
    Lds,
    Gds,
    Scratch,
    Buffer,
}

/// Bytes of a scratch row, which holds one dword of every lane (errata E087).
pub const SCRATCH_ROW: u64 = 4 * LANES as u64;
/// FLAT_SCRATCH register on GCN 1.1, and on 1.2 and later (checklist 3.11).
const FLAT_SCRATCH_CI: u8 = 104;
const FLAT_SCRATCH: u8 = 102;
/// Unit of FLAT_SCRATCH_HI on GCN 1.1 and 1.2, in bytes.
const FLAT_SCRATCH_UNIT: u64 = 256;
/// Line size of the scalar cache.
const CACHE_LINE: u64 = 64;
/// Bit that moves an LDS address beyond every allocation.
const OUT_OF_RANGE: u64 = 1 << 32;

impl Access {
    /// Describes the access by LDS_DIRECT: one LDS access for the wave, at an address in M0 (errata E246).
    fn direct(&mut self, m0: u32) {
        let (place, ty) = direct_place(m0);
        (self.intent, self.scalar, self.elements) = (Some(Intent::Load), true, 1);
        (self.global, self.lds, self.gds) = (0, 1, 0);
        (self.scratch, self.buffer) = (0, 0);
        self.to_lds = None;
        self.address[0] = place as u64;
        self.bytes = ty.bytes();
    }

    /// Returns the lanes that access memory.
    pub fn lanes(&self) -> u64 {
        self.global | self.lds | self.gds | self.scratch | self.buffer
    }

    /// True if the descriptor interleaves records in units smaller than a dword.
    pub fn splits_dwords(&self) -> bool {
        self.buffer != 0 && self.descriptor.splits_dwords()
    }

    /// Address space that a lane accesses, if any.
    #[inline]
    pub fn space(&self, lane: usize) -> Option<LaneSpace> {
        let bit = 1 << lane;
        if self.global & bit != 0 {
            Some(LaneSpace::Global)
        } else if self.lds & bit != 0 {
            Some(LaneSpace::Lds)
        } else if self.gds & bit != 0 {
            Some(LaneSpace::Gds)
        } else if self.scratch & bit != 0 {
            Some(LaneSpace::Scratch)
        } else if self.buffer & bit != 0 {
            Some(LaneSpace::Buffer)
        } else {
            None
        }
    }

    /// Returns the global address of byte number `byte` of a lane's element in global memory, scratch or a buffer.
    /// `None` for LDS, GDS, out-of-bounds bytes and lanes without an access.
    #[inline]
    pub fn place(&self, lane: usize, byte: u64) -> Option<u64> {
        match self.space(lane)? {
            LaneSpace::Global => Some(self.address[lane].wrapping_add(byte)),
            LaneSpace::Scratch => self.scratch_place(lane, self.address[lane].checked_add(byte)?),
            LaneSpace::Buffer => {
                let (index, offset) = (self.second[lane] as u32, self.address[lane]);
                self.descriptor.place(index, offset, byte, self.bytes)
            }
            LaneSpace::Lds | LaneSpace::Gds => None,
        }
    }

    /// Returns the LDS offset of the dword that a lane copies to or from LDS: a 32-bit sum (errata E309).
    pub fn place_in_lds(&self, lane: usize) -> u64 {
        let base = self.to_lds.unwrap_or(0);
        u64::from(base.wrapping_add(4 * lane as u32))
    }

    /// Converts a scratch offset to a global address. Lanes are interleaved (errata E087). The bound is rounded up to a
    /// dword.
    fn scratch_place(&self, lane: usize, offset: u64) -> Option<u64> {
        if offset >= u64::from(self.scratch_bytes).next_multiple_of(4) {
            return None;
        }
        let inside = (offset >> 2) * SCRATCH_ROW + lane as u64 * 4 + (offset & 3);
        Some(self.scratch_base.wrapping_add(inside))
    }
}

/// Performs the first step: computes the addresses that an instruction is about to access, without side effects.
/// `access` is overwritten; the caller provides it to avoid allocation and clearing.
pub fn addresses(wave: &Wave, step: &Step, device: &Device, access: &mut Access) {
    access.intent = None;
    access.scalar = false;
    (access.global, access.lds, access.gds) = (0, 0, 0);
    (access.scratch, access.buffer) = (0, 0);
    access.to_lds = None;
    let Some(plan) = &step.memory else {
        if matches!(step.run, Executor::VectorFromLds) {
            access.direct(wave.m0());
        }
        return;
    };
    access.bytes = plan.ty.bytes();
    access.elements = plan.elements_per_lane();
    access.intent = intent(plan.does);
    match plan.family {
        Family::Share => share(wave, plan, device, access),
        Family::Flat => flat(wave, plan, device, access),
        Family::Global => global(wave, plan, access),
        Family::Scratch => scratch(wave, plan, access),
        Family::Buffer => buffer(wave, plan, access),
        // `image` computes the texels.
        Family::Image => {}
        Family::Scalar | Family::ScalarScratch | Family::ScalarBuffer => {
            scalar(wave, plan, access);
        }
    }
    let moves_lds = plan.to_lds && matches!(plan.does, Does::Load(_) | Does::LoadFormat(..));
    if moves_lds || plan.does == Does::StoreFromLds {
        let base = u32::from(wave.m0() as u16);
        access.to_lds = Some(base.wrapping_add(plan.offset as u32));
    }
}

/// Returns the intent of an instruction's access. `None` for global wave sync (GWS), whose resources have no addresses.
fn intent(does: Does) -> Option<Intent> {
    let intent = does.intent();
    intent.filter(|_| !matches!(does, Does::Gws(_)))
}

/// Computes the addresses of DS instructions (checklist 2.2–2.4, 2.10, 2.11, 2.25–2.27).
fn share(wave: &Wave, plan: &MemoryPlan, device: &Device, access: &mut Access) {
    let mut lanes = wave.exec();
    let m0 = wave.m0();
    let v = |register: Option<u8>| wave.vgpr(register.unwrap_or(0));
    match plan.does {
        Does::LoadByLane | Does::StoreByLane => {
            let base = u32::from(m0 as u16).wrapping_add(plan.offset as u32);
            for (lane, address) in access.address.iter_mut().enumerate() {
                *address = u64::from(base.wrapping_add(4 * lane as u32));
            }
        }
        Does::Count(_) => {
            let base = if !plan.gds && device.config.append_adds_m0 {
                u64::from(m0 as u16)
            } else {
                0
            };
            access.scalar = true;
            access.address[0] = base + (plan.offset as u64 & !3);
            lanes = u64::from(lanes != 0);
        }
        Does::AtomicFromLds(..) => {
            pairs(v(plan.vaddr), plan, access);
        }
        // The base in M0 is added as for every GDS access (errata E049).
        Does::OrderedCount => {
            access.scalar = true;
            access.address[0] = u64::from(plan.offset as u32 & ORDERED_INDEX);
            access.gds = 1;
            return;
        }
        Does::Lanes(_) | Does::LdsNop | Does::Gws(_) => lanes = 0,
        // No DS instruction has these effects.
        Does::LoadFormat(..)
        | Does::StoreFormat(..)
        | Does::LoadFormatHigh
        | Does::StoreFormatHigh
        | Does::StoreFromLds
        | Does::Time(_)
        | Does::Cache(_)
        | Does::Probe
        | Does::Image(_)
        | Does::Export
        | Does::Alu(_)
        | Does::Compare(..)
        | Does::Branch(_)
        | Does::Jump
        | Does::ReturnFromTrap
        | Does::Fork
        | Does::Control(_) => lanes = 0,
        Does::Load(_)
        | Does::LoadHalf(..)
        | Does::LoadTwo(..)
        | Does::Store(_)
        | Does::StoreHigh(_)
        | Does::StoreTwo(..)
        | Does::Atomic(..)
        | Does::Return(..)
        | Does::ExchangeTwo(..)
        | Does::ExchangeConditionally(_) => {
            let from = v(plan.vaddr);
            let offset = plan.offset as u32;
            wide::masked(from, offset, plan.mask, &mut access.address);
            if access.elements == 2 {
                let distance = plan.distance as u32;
                wide::behind(&access.address, distance, &mut access.second);
            }
            if wave.isa == Isa::Si && device.config.si_checks_lds_base {
                for (lane, &base) in from.0.iter().enumerate() {
                    if (base as i32) < 0 {
                        access.address[lane] |= OUT_OF_RANGE;
                        access.second[lane] |= OUT_OF_RANGE;
                    }
                }
            }
        }
    }
    if plan.gds {
        access.gds = lanes;
    } else {
        access.lds = lanes;
    }
}

/// Counter index in DS_ORDERED_COUNT's OFFSET, in bytes (errata E049).
pub const ORDERED_INDEX: u32 = 0xfc;

/// OFFSET bit 15: the distance is packed into the address (errata E054).
const SRC2_PACKED: u16 = 1 << 15;
/// Address bits of a packed address.
const SRC2_ADDRESS: u32 = 0x1_ffff;

/// Computes the two addresses of SRC2 instructions (errata E054). OFFSET is a signed distance in dwords, not part of
/// the address.
fn pairs(from: &Lanes, plan: &MemoryPlan, access: &mut Access) {
    let offset = plan.offset as u16;
    // Sign-extended from 15 bits.
    let common = ((offset << 1) as i16 >> 1) as i32;
    for (lane, &register) in from.0.iter().enumerate() {
        let (first, distance) = if offset & SRC2_PACKED != 0 {
            // Bits 31:17 of the register, sign-extended by an arithmetic shift.
            (register & SRC2_ADDRESS, (register as i32) >> 17)
        } else {
            (register, common)
        };
        let first = first & plan.mask;
        let second = first.wrapping_add_signed(distance * 4) & plan.mask;
        access.address[lane] = u64::from(first);
        access.second[lane] = u64::from(second);
    }
}

/// Computes FLAT addresses; the upper half selects an aperture (checklist 3.1, 3.2, 3.7–3.9; errata E088).
fn flat(wave: &Wave, plan: &MemoryPlan, device: &Device, access: &mut Access) {
    add_pair(wave, plan, access);
    let exec = wave.exec();
    let apertures = device.config.apertures;
    let (mut shared, mut private) = (0, 0);
    // Usually no lane is in an aperture. A combined test of all lanes detects this.
    let in_aperture = |address: &u64| {
        let high = (address >> 32) as u32;
        (high == apertures.shared) | (high == apertures.private)
    };
    if access
        .address
        .iter()
        .fold(false, |any, a| any | in_aperture(a))
    {
        for (lane, address) in access.address.iter().enumerate() {
            let high = (address >> 32) as u32;
            shared |= u64::from(high == apertures.shared) << lane;
            private |= u64::from(high == apertures.private) << lane;
        }
    }
    access.lds = exec & shared;
    access.scratch = exec & private;
    access.global = exec & !(shared | private);
    let aside = access.lds | access.scratch;
    if aside != 0 {
        for lane in active(aside) {
            access.address[lane] &= u64::from(u32::MAX);
        }
        set_scratch(wave, access);
    }
    let is_load_or_store = matches!(access.intent, Some(Intent::Load | Intent::Store));
    if device.config.dword_alignment && is_load_or_store && access.bytes >= 4 {
        for address in &mut access.address {
            *address &= !3;
        }
    }
}

/// Computes addresses from a pair of vector registers and the constant offset.
#[inline]
fn add_pair(wave: &Wave, plan: &MemoryPlan, access: &mut Access) {
    let first = plan.vaddr.unwrap_or(0);
    let (low, high) = (wave.vgpr(first), wave.vgpr(first.wrapping_add(1)));
    let offset = plan.offset as u64;
    wide::pairs(low, high, offset, &mut access.address);
}

/// Computes the addresses of GLOBAL instructions (checklist 3.3, 3.4; errata E086).
fn global(wave: &Wave, plan: &MemoryPlan, access: &mut Access) {
    match plan.saddr {
        None => add_pair(wave, plan, access),
        Some(base) => {
            let base = wave.scalar64(base).wrapping_add_signed(plan.offset);
            let offsets = wave.vgpr(plan.vaddr.unwrap_or(0));
            wide::offsets(base, offsets, &mut access.address);
        }
    }
    access.global = wave.exec();
}

/// Computes the addresses of SCRATCH instructions (checklist 3.5; errata E087). Negative sums are out of bounds.
fn scratch(wave: &Wave, plan: &MemoryPlan, access: &mut Access) {
    let offset = plan.offset as u64;
    match (plan.saddr, plan.vaddr) {
        (None, Some(register)) => {
            let from = wave.vgpr(register);
            for (address, &base) in access.address.iter_mut().zip(&from.0) {
                *address = u64::from(base).wrapping_add(offset);
            }
        }
        (saddr, _) => {
            let base = saddr.map_or(0, |code| wave.scalar(code));
            access.address.fill(u64::from(base).wrapping_add(offset));
        }
    }
    access.scratch = wave.exec();
    set_scratch(wave, access);
}

fn set_scratch(wave: &Wave, access: &mut Access) {
    access.scratch_bytes = scratch_bytes(wave);
    access.scratch_base = scratch_base(wave);
}

/// Returns the scratch bytes per lane: from FLAT_SCRATCH_LO on GCN 1.1 and 1.2, otherwise from the dispatch, because
/// the register is absent or contains no size (errata E088).
#[inline]
pub fn scratch_bytes(wave: &Wave) -> u32 {
    match wave.isa {
        Isa::Ci => wave.scalar(FLAT_SCRATCH_CI),
        Isa::Vi | Isa::Stoney => wave.scalar(FLAT_SCRATCH),
        Isa::Si | Isa::Gfx9 | Isa::Vega12 | Isa::Vega20 => wave.scratch.bytes_per_lane,
    }
}

/// Returns the address of the wave's scratch. On GCN 1.0, it comes from the dispatch. On 1.1 and 1.2, the high half of
/// FLAT_SCRATCH is its offset from the hidden base of private memory, in units of 256 bytes. On 1.4, FLAT_SCRATCH holds
/// the address (errata E088).
pub fn scratch_base(wave: &Wave) -> u64 {
    let in_region = |high: u8| {
        let offset = u64::from(wave.scalar(high)) * FLAT_SCRATCH_UNIT;
        wave.scratch.region.wrapping_add(offset)
    };
    match wave.isa {
        Isa::Si => wave.scratch.base,
        Isa::Ci => in_region(FLAT_SCRATCH_CI + 1),
        Isa::Vi | Isa::Stoney => in_region(FLAT_SCRATCH + 1),
        Isa::Gfx9 | Isa::Vega12 | Isa::Vega20 => wave.scalar64(FLAT_SCRATCH),
    }
}

/// True for accesses that convert between memory formats and registers.
fn is_formatted(does: Does) -> bool {
    matches!(
        does,
        Does::LoadFormat(..) | Does::StoreFormat(..) | Does::LoadFormatHigh | Does::StoreFormatHigh
    )
}

/// Returns the descriptor of a buffer instruction, including its scalar offset.
#[inline]
pub fn descriptor(wave: &Wave, plan: &MemoryPlan) -> Descriptor {
    let soffset = match plan.soffset {
        Arg::Scalar(code) => wave.scalar(code),
        Arg::Special(code) => wave.special(code) as u32,
        Arg::Const(value) => value as u32,
        Arg::None | Arg::Vgpr(_) | Arg::Imm(_) => 0,
    };
    let words = wave.scalars_from(plan.sbase);
    let is_formatted = is_formatted(plan.does);
    let descriptor = match plan.format {
        None => Descriptor::unformatted,
        Some(_) => Descriptor::new,
    };
    descriptor(wave.isa, words, soffset, plan.idxen, is_formatted)
}

/// Returns the mask of low address bits that a buffer load or store ignores: GCN 1.0 has no unaligned mode (errata
/// E104).
pub fn ignored(isa: Isa, plan: &MemoryPlan, bytes: u8) -> u64 {
    if isa != Isa::Si || plan.atomic().is_some() {
        return 0;
    }
    match bytes {
        0 | 1 => 0,
        2 => 1,
        _ => 3,
    }
}

/// Computes the addresses of MUBUF and MTBUF instructions. An access with all lanes in bounds and without swizzling is
/// plain global memory.
fn buffer(wave: &Wave, plan: &MemoryPlan, access: &mut Access) {
    if access.intent.is_none() {
        return;
    }
    let mut descriptor = descriptor(wave, plan);
    let is_atomic = plan.atomic().is_some();
    descriptor.is_whole = is_atomic || is_formatted(plan.does);
    if is_formatted(plan.does) {
        let last = wave.scalar(plan.sbase.wrapping_add(3));
        access.format = plan
            .format
            .unwrap_or_else(|| ElementFormat::of_descriptor(wave.isa, last));
        access.bytes = access.format.bytes();
    }
    descriptor.ignored = ignored(wave.isa, plan, access.bytes);
    let first = plan.vaddr.unwrap_or(0);
    if plan.addr64 {
        let (low, high) = (wave.vgpr(first), wave.vgpr(first.wrapping_add(1)));
        let base = descriptor.linear(0, plan.offset as u64);
        wide::pairs(low, high, base, &mut access.address);
        for address in &mut access.address {
            *address &= !descriptor.ignored;
        }
        access.global = wave.exec();
        return;
    }
    let index = plan.idxen.then(|| wave.vgpr(first));
    let offset = plan
        .offen
        .then(|| wave.vgpr(first.wrapping_add(u8::from(plan.idxen))));
    let tid = u32::from(descriptor.add_tid);
    let exec = wave.exec();
    let mut is_linear = true;
    for lane in 0..LANES {
        let index = index
            .map_or(0, |v| v.0[lane])
            .wrapping_add(tid * lane as u32);
        // StoreFromLds uses OFFSET twice: for LDS and for memory.
        let mut offset = u64::from(offset.map_or(0, |v| v.0[lane])) + plan.offset as u64;
        if wave.isa >= Isa::Gfx9 {
            // Before GCN 1.4, a sum above 32 bits is out of range (errata E308).
            offset &= u64::from(u32::MAX);
        }
        access.second[lane] = u64::from(index);
        access.address[lane] = offset;
        let active = exec >> lane & 1 != 0;
        is_linear &= !active || descriptor.is_linear(index, offset, access.bytes);
    }
    access.descriptor = descriptor;
    if is_linear {
        for lane in 0..LANES {
            let address = descriptor.linear(access.second[lane] as u32, access.address[lane]);
            access.address[lane] = address & !descriptor.ignored;
        }
        access.global = exec;
    } else {
        access.buffer = exec;
    }
}

/// Computes the address of scalar memory (checklist 4.1–4.6; errata E113, E119, E121, E123).
fn scalar(wave: &Wave, plan: &MemoryPlan, access: &mut Access) {
    access.scalar = true;
    access.dwords_in_bounds = plan.ty.dwords();
    let register = plan.sreg.map_or(0, |code| wave.scalar(code));
    if matches!(
        plan.does,
        Does::Time(_) | Does::Cache(CacheOp::Invalidate | CacheOp::WriteBack)
    ) {
        return;
    }
    let address = match plan.family {
        Family::ScalarBuffer => {
            let words = std::array::from_fn(|i| wave.scalar(plan.sbase.wrapping_add(i as u8)));
            let offset = plan.offset as u64 + u64::from(register & !3);
            access.descriptor = Descriptor::new(wave.isa, words, 0, false, false);
            let rest = access.descriptor.scalar_bytes().saturating_sub(offset) / 4;
            access.dwords_in_bounds = rest.min(u64::from(plan.ty.dwords())) as u8;
            (access.descriptor.base & !3).wrapping_add(offset)
        }
        Family::ScalarScratch => (wave.scalar64(plan.sbase) & !3)
            .wrapping_add_signed(plan.offset)
            .wrapping_add(u64::from(register) * CACHE_LINE),
        Family::Scalar => scalar_address(wave, plan),
        // These access memory per lane.
        Family::Share
        | Family::Flat
        | Family::Global
        | Family::Scratch
        | Family::Buffer
        | Family::Image => return,
    };
    access.address[0] = address;
    if let Does::Cache(CacheOp::Discard(lines)) = plan.does {
        // Address of the first cache line; no data is transferred.
        access.address[0] = address & !(CACHE_LINE - 1);
        access.bytes = lines.saturating_mul(CACHE_LINE as u8);
    } else if access.intent.is_some() {
        access.global = 1;
    }
}

/// Returns the address of a scalar memory access without a descriptor.
#[inline]
pub fn scalar_address(wave: &Wave, plan: &MemoryPlan) -> u64 {
    let register = plan.sreg.map_or(0, |code| wave.scalar(code));
    (wave.scalar64(plan.sbase) & !3)
        .wrapping_add_signed(plan.offset)
        .wrapping_add(u64::from(register & !3))
}
