//! Shadow of a wave's registers.

use gcn_emu::run::Initial;
use gcn_emu::wave::LANES;
use gcn_isa::regs;
use gcn_isa::uses::{RegisterSet, RegisterUse, Registers, UnnumberedState};

use super::origin::UndefinedOrigin;
use crate::filter::lanes;
use crate::registers::lanes_of;

/// Bit of SCC in bitmaps of scalar registers. No scalar register has this number.
pub(super) const SCC: u8 = 125;

/// Bits of a vector register in each lane.
pub(super) type LaneBits = [u32; LANES];

/// Number of scalar registers, including special ones.
const SCALARS: usize = 128;
/// Number of vector registers.
const VECTORS: usize = 256;
/// Number of registers per word of a bitmap.
const WORD: usize = u64::BITS as usize;

/// Shadow of a wave's registers: undefined bits and their origins.
pub(super) struct UndefinedRegisters {
    /// Undefined bits of each vector register, valid only in the lanes in `lanes`.
    bits: Vec<LaneBits>,
    /// Lanes of each vector register that have undefined bits.
    lanes: [u64; VECTORS],
    /// Vector registers with undefined bits.
    vectors: RegisterSet,
    /// Vector registers beyond the wave's allocation. Reads return v0.
    outside: RegisterSet,
    scalars: [u32; SCALARS],
    /// Bitmap of the scalar registers with undefined bits.
    pub(super) undefined: u128,
    /// Origin of the latest undefined bits of each register.
    vector_origins: [UndefinedOrigin; VECTORS],
    scalar_origins: [UndefinedOrigin; SCALARS],
    start: Start,
    /// Bitmaps of the registers to reset for the next wave: those whose bits or origins have changed.
    changed_vectors: [u64; VECTORS / WORD],
    changed_scalars: u128,
}

/// Registers that are undefined when a wave of the dispatch starts.
#[derive(Default)]
struct Start {
    vectors: RegisterSet,
    /// First undefined vector register. All later ones are also undefined.
    first_vector: usize,
    scalars: u128,
}

impl Start {
    /// Returns the origin of a vector register that is undefined at the start.
    fn of_vector(first: u8) -> UndefinedOrigin {
        UndefinedOrigin::Start(Registers::Vector { first, count: 1 })
    }

    /// Returns the origin of a scalar register, or SCC, that is undefined at the start.
    fn of_scalar(register: u8) -> UndefinedOrigin {
        UndefinedOrigin::Start(match register {
            SCC => Registers::State(UnnumberedState::Scc),
            first => Registers::Scalar { first, count: 1 },
        })
    }
}

impl UndefinedRegisters {
    /// Creates the shadow at the start of a wave, when only the registers that the hardware initializes are defined.
    /// Work-item IDs count as defined even in lanes without a work-item.
    pub(super) fn new(vgprs: usize, initial: &Initial) -> Box<UndefinedRegisters> {
        let vgprs = vgprs.min(VECTORS);
        let mut start = Start {
            first_vector: usize::from(initial.work_item_ids).min(vgprs),
            ..Start::default()
        };
        for register in start.first_vector..vgprs {
            start.vectors.set_vector(register as u8, true);
        }
        let mut outside = RegisterSet::default();
        for register in vgprs..VECTORS {
            outside.set_vector(register as u8, true);
        }
        let is_set = |register: u8| {
            usize::from(register) < initial.sgprs.len()
                || matches!(register, regs::EXEC_LO | regs::EXEC_HI)
                || (FIRST_TRAP_REGISTER..=LAST_TRAP_REGISTER).contains(&register)
        };
        for register in (0..SCALARS as u8).filter(|register| !is_set(*register)) {
            start.scalars |= 1 << register;
        }
        let mut shadow = Box::new(UndefinedRegisters {
            bits: vec![[u32::MAX; LANES]; vgprs],
            lanes: [0; VECTORS],
            vectors: RegisterSet::default(),
            outside,
            scalars: [u32::MAX; SCALARS],
            undefined: 0,
            vector_origins: std::array::from_fn(|number| Start::of_vector(number as u8)),
            scalar_origins: std::array::from_fn(|number| Start::of_scalar(number as u8)),
            start,
            changed_vectors: [0; VECTORS / WORD],
            changed_scalars: 0,
        });
        shadow.begin();
        shadow
    }

    /// Resets the shadow for the start of another wave of the dispatch.
    pub(super) fn begin(&mut self) {
        let words = std::mem::take(&mut self.changed_vectors);
        for (first, word) in (0..).step_by(WORD).zip(words) {
            for number in lanes(word).map(|bit| first + bit) {
                self.bits[number] = [u32::MAX; LANES];
                self.vector_origins[number] = Start::of_vector(number as u8);
            }
        }
        let (defined, undefined) =
            self.lanes[..self.bits.len()].split_at_mut(self.start.first_vector);
        defined.fill(0);
        undefined.fill(u64::MAX);
        self.vectors = self.start.vectors;
        while self.changed_scalars != 0 {
            let number = self.changed_scalars.trailing_zeros() as usize;
            self.scalars[number] = u32::MAX;
            self.scalar_origins[number] = Start::of_scalar(number as u8);
            self.changed_scalars &= self.changed_scalars - 1;
        }
        self.undefined = self.start.scalars;
    }

    /// Returns the vector register that a register number accesses: v0 if it is out of range (checklist 1.6).
    #[inline]
    fn vector_number(&self, register: u8) -> usize {
        let number = usize::from(register);
        if number < self.bits.len() { number } else { 0 }
    }

    #[inline]
    fn set_lanes(&mut self, number: usize, lanes: u64) {
        self.lanes[number] = lanes;
        self.vectors.set_vector(number as u8, lanes != 0);
    }

    #[inline]
    pub(super) fn lanes(&self, register: u8) -> u64 {
        self.lanes[self.vector_number(register)]
    }

    /// Returns the undefined bits of a vector register in a lane.
    #[inline]
    pub(super) fn vector(&self, register: u8, lane: usize) -> u32 {
        let number = self.vector_number(register);
        if self.lanes[number] >> lane & 1 == 0 {
            return 0;
        }
        self.bits.get(number).map_or(0, |bits| bits[lane])
    }

    /// Returns the lanes of a vector register in which a bit of `mask` is undefined.
    pub(super) fn lanes_with(&self, register: u8, mask: u32) -> u64 {
        let number = self.vector_number(register);
        let candidates = self.lanes[number];
        if candidates == 0 || mask == u32::MAX {
            return candidates;
        }
        let Some(bits) = self.bits.get(number) else {
            return 0;
        };
        let with = bits.iter().enumerate().fold(0, |all, (lane, bits)| {
            all | u64::from(bits & mask != 0) << lane
        });
        with & candidates
    }

    /// Sets the undefined bits of a vector register in a lane, within `mask`.
    #[inline]
    pub(super) fn set_vector(
        &mut self,
        register: u8,
        lane: usize,
        mask: u32,
        bits: u32,
        origin: UndefinedOrigin,
    ) {
        let number = self.vector_number(register);
        let Some(all) = self.bits.get_mut(number) else {
            return;
        };
        let old = if self.lanes[number] >> lane & 1 == 0 {
            0
        } else {
            all[lane]
        };
        let new = old & !mask | bits & mask;
        if new == 0 {
            self.set_lanes(number, self.lanes[number] & !(1 << lane));
        } else {
            all[lane] = new;
            self.changed_vectors[number / WORD] |= 1 << (number % WORD);
            self.set_lanes(number, self.lanes[number] | 1 << lane);
            if bits & mask != 0 {
                self.vector_origins[number] = origin;
            }
        }
    }

    /// Marks a vector register as defined in `lanes`.
    #[inline]
    pub(super) fn define_vector(&mut self, register: u8, lanes: u64) {
        let number = self.vector_number(register);
        self.set_lanes(number, self.lanes[number] & !lanes);
    }

    /// Returns the undefined bits of a scalar register.
    #[inline]
    pub(super) fn scalar(&self, register: u8) -> u32 {
        let number = usize::from(register) % SCALARS;
        if self.undefined >> number & 1 == 0 {
            return 0;
        }
        self.scalars[number]
    }

    /// Sets the undefined bits of a scalar register.
    #[inline]
    pub(super) fn set_scalar(&mut self, register: u8, bits: u32, origin: UndefinedOrigin) {
        let number = usize::from(register) % SCALARS;
        if bits == 0 {
            self.undefined &= !(1 << number);
        } else {
            self.scalars[number] = bits;
            self.changed_scalars |= 1 << number;
            self.undefined |= 1 << number;
            self.scalar_origins[number] = origin;
        }
    }

    pub(super) fn define_scalar(&mut self, register: u8) {
        self.set_scalar(register, 0, UndefinedOrigin::Unknown);
    }

    pub(super) fn with_undefined_bits(&self) -> RegisterSet {
        let mut set = self.vectors;
        if self.lanes[0] != 0 {
            set.add_all(&self.outside);
        }
        set.add_scalars(self.undefined);
        if self.undefined >> SCC & 1 != 0 {
            set.add_scc();
        }
        set
    }

    /// Returns the origin of a vector register's undefined bits.
    pub(super) fn vector_origin(&self, register: u8) -> UndefinedOrigin {
        self.vector_origins[self.vector_number(register)]
    }

    /// Returns the origin of a scalar register's undefined bits.
    pub(super) fn scalar_origin(&self, register: u8) -> UndefinedOrigin {
        self.scalar_origins[usize::from(register) % SCALARS]
    }

    /// Finds undefined bits in the registers of a use. Returns the first active lane, if vector, and the origin.
    pub(super) fn first_undefined(
        &self,
        it: &RegisterUse,
        exec: u64,
    ) -> Option<(Option<usize>, UndefinedOrigin)> {
        match it.registers {
            Registers::Vector { first, count } => (0..count).find_map(|number| {
                let register = first.wrapping_add(number);
                let lanes = self.lanes_with(register, it.read) & lanes_of(it.lanes, exec) & exec;
                let lane = lanes.trailing_zeros() as usize;
                (lanes != 0).then(|| (Some(lane), self.vector_origin(register)))
            }),
            Registers::Scalar { first, count } => (first..first.saturating_add(count))
                .find(|register| self.scalar(*register) & it.read != 0)
                .map(|register| (None, self.scalar_origin(register))),
            Registers::State(_) => None,
        }
    }

    /// Marks the registers of a use as defined, vector registers only in the lanes in `exec`.
    pub(super) fn define(&mut self, it: &RegisterUse, exec: u64) {
        match it.registers {
            Registers::Vector { first, count } => {
                for number in 0..count {
                    self.define_vector(first.wrapping_add(number), exec);
                }
            }
            Registers::Scalar { first, count } => {
                for register in first..first.saturating_add(count) {
                    self.define_scalar(register);
                }
            }
            Registers::State(_) => {}
        }
    }
}

/// First and last register of the trap handler (TBA, TMA and TTMP).
const FIRST_TRAP_REGISTER: u8 = 108;
const LAST_TRAP_REGISTER: u8 = 123;
