//! Sets of registers.

use super::{Registers, UnnumberedState, Uses};

/// Bit set of vector registers, scalar registers and SCC. Other state is not represented.
///
/// The set fits in one cache line, so that testing for common registers takes only a few instructions.
///
/// ```
/// use gcn_isa::uses::{RegisterSet, Registers};
/// let mut set = RegisterSet::default();
/// set.add(Registers::Vector { first: 2, count: 3 });
/// let mut other = RegisterSet::default();
/// other.add(Registers::Vector { first: 4, count: 1 });
/// assert!(set.meets(&other));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(align(64))]
pub struct RegisterSet {
    words: [u64; WORDS],
}

/// Number of 64-bit words: four for vector registers, two for scalar registers, one for SCC.
const WORDS: usize = 7;
const SCALAR_WORD: usize = 4;
const STATE_WORD: usize = 6;

impl RegisterSet {
    /// All registers.
    pub const ALL: RegisterSet = RegisterSet {
        words: [u64::MAX; WORDS],
    };

    /// Adds registers.
    pub fn add(&mut self, registers: Registers) {
        match registers {
            Registers::Vector { first, count } => {
                let last = first.saturating_add(count.saturating_sub(1));
                (first..=last).for_each(|it| self.set_vector(it, true));
            }
            Registers::Scalar { first, count } => {
                let end = first.saturating_add(count).min(128);
                (first..end).for_each(|it| {
                    self.words[SCALAR_WORD + usize::from(it) / 64] |= 1 << (it % 64)
                });
            }
            Registers::State(UnnumberedState::Scc) => self.add_scc(),
            Registers::State(_) => {}
        }
    }

    /// Adds or removes a vector register.
    #[inline]
    pub fn set_vector(&mut self, register: u8, is_in: bool) {
        let word = &mut self.words[usize::from(register) / 64];
        let bit = register % 64;
        *word = *word & !(1 << bit) | u64::from(is_in) << bit;
    }

    /// Adds scalar registers, given as a bit mask.
    #[inline]
    pub fn add_scalars(&mut self, registers: u128) {
        self.words[SCALAR_WORD] |= registers as u64;
        self.words[SCALAR_WORD + 1] |= (registers >> u64::BITS) as u64;
    }

    /// Adds SCC.
    #[inline]
    pub fn add_scc(&mut self) {
        self.words[STATE_WORD] |= 1;
    }

    /// Adds the registers of another set.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::uses::{RegisterSet, Registers};
    /// let (mut live, mut pair) = (RegisterSet::default(), RegisterSet::default());
    /// pair.add_scalars(0b11 << 4); // s[4:5]
    /// live.add_all(&pair);
    /// live.add_scc();
    /// let mut high = RegisterSet::default();
    /// high.add(Registers::Scalar { first: 5, count: 1 });
    /// assert!(live.meets(&high));
    /// ```
    #[inline]
    pub fn add_all(&mut self, other: &RegisterSet) {
        for (word, more) in self.words.iter_mut().zip(other.words) {
            *word |= more;
        }
    }

    /// True if the sets have a register in common.
    #[inline]
    pub fn meets(&self, other: &RegisterSet) -> bool {
        let both = self.words.iter().zip(other.words);
        both.fold(0, |met, (a, b)| met | (a & b)) != 0
    }
}

impl Uses<'_> {
    /// Registers that the instruction reads or writes, including [`Uses::address_beyond`]; indexing is ignored.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::{Isa, decode};
    /// let set_of = |words: &[u32]| decode(Isa::Gfx9, words).map(|inst| inst.uses().register_set());
    /// let sum = set_of(&[0x8004_0302])?; // s_add_u32 s4, s2, s3
    /// let mov = set_of(&[0x7e06_0204])?; // v_mov_b32_e32 v3, s4
    /// let lds = set_of(&[0xd800_0010, 0x100])?; // ds_add_u32 v0, v1 offset:16
    /// assert!(sum.meets(&mov) && !sum.meets(&lds));
    /// assert!(mov.meets(&lds), "EXEC is in both");
    /// # Ok::<(), gcn_isa::DecodeError>(())
    /// ```
    pub fn register_set(&self) -> RegisterSet {
        let mut set = RegisterSet::default();
        let beyond = self.address_beyond();
        self.registers()
            .chain(beyond)
            .for_each(|it| set.add(it.registers));
        set
    }
}
