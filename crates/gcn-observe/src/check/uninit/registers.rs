//! Undefined bits of a wave's registers.

use gcn_emu::run::Initial;
use gcn_emu::wave::LANES;
use gcn_isa::regs;
use gcn_isa::uses::{RegisterSet, RegisterUse, Registers, UnnumberedState};

use super::origin::UndefinedOrigin;
use crate::filter::lanes;
use crate::registers::lanes_of;

/// Bit of SCC in bitmaps of scalar registers. No register has this number.
pub(super) const SCC: u8 = 125;

/// Bits of a vector register by lane.
pub(super) type LaneBits = [u32; LANES];

/// Number of scalar registers.
const SCALARS: usize = 128;
/// Number of vector registers.
const VECTORS: usize = 256;
/// Number of bits in a word of a register set.
const WORD: usize = u64::BITS as usize;

/// Undefined bits of a wave's registers, and their origins.
pub(super) struct UndefinedRegisters {
    /// Undefined bits, which are valid only in the lanes in `lanes`.
    bits: Vec<LaneBits>,
    /// Lanes with undefined bits, for each vector register.
    lanes: [u64; VECTORS],
    /// Vector registers with undefined bits.
    vectors: RegisterSet,
    /// Vector registers outside the wave's allocation, which are read as v0.
    outside: RegisterSet,
    scalars: [u32; SCALARS],
    /// Bitmap of the scalar registers with undefined bits.
    pub(super) undefined: u128,
    /// Origins of the undefined bits in each register.
    vector_origins: [UndefinedOrigin; VECTORS],
    scalar_origins: [UndefinedOrigin; SCALARS],
    start: Start,
    /// Bitmaps of the registers changed since the start of the wave, which are reset for the next wave.
    changed_vectors: [u64; VECTORS / WORD],
    changed_scalars: u128,
}

/// Registers that are undefined when waves of a dispatch start.
#[derive(Default)]
struct Start {
    vectors: RegisterSet,
    /// First undefined vector register. All later ones are also undefined.
    first_vector: usize,
    scalars: u128,
}

impl Start {
    /// Returns the origin of a vector register's bits at the start.
    fn of_vector(first: u8) -> UndefinedOrigin {
        UndefinedOrigin::Start(Registers::Vector { first, count: 1 })
    }

    /// Returns the origin of the bits of a scalar register or SCC at the start.
    fn of_scalar(register: u8) -> UndefinedOrigin {
        UndefinedOrigin::Start(match register {
            SCC => Registers::State(UnnumberedState::Scc),
            first => Registers::Scalar { first, count: 1 },
        })
    }
}

impl UndefinedRegisters {
    /// Creates the state at the start of a wave, in which only registers initialized by hardware are defined. Work-item
    /// IDs count as defined even in lanes without a work-item, since these are never read.
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

    /// Resets the state to the start of another wave of the dispatch.
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

    /// Returns the number of a vector register. Out-of-range registers are v0 (checklist 1.6).
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

    /// Returns the lanes of a vector register that have undefined bits.
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

    /// Sets the undefined bits within `mask` of a vector register in a lane.
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

    /// Marks some lanes of a vector register as defined.
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

    /// Marks a scalar register as defined.
    pub(super) fn define_scalar(&mut self, register: u8) {
        self.set_scalar(register, 0, UndefinedOrigin::Unknown);
    }

    /// Returns the registers that have undefined bits.
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

    /// Finds an address register with undefined bits. Returns the first lane with such bits, and their origin.
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

    /// Marks registers as defined, vector registers only in the lanes in `exec`.
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

/// First and last register of the trap handler, and also of the debugger on GCN 1.4.
const FIRST_TRAP_REGISTER: u8 = 108;
const LAST_TRAP_REGISTER: u8 = 123;
