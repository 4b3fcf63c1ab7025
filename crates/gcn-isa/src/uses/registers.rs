//! Types that describe the registers used by an instruction, including implicit ones.

use crate::simm::{HWREG_MODE, HWREG_TRAPSTS};

/// Consecutive registers, or state without a register number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Registers {
    /// VGPRs.
    Vector {
        /// First register.
        first: u8,
        /// Number of registers.
        count: u8,
    },
    /// Scalar registers, numbered below 128 as in [`regs`](crate::regs): SGPRs, FLAT_SCRATCH, XNACK_MASK, VCC, trap
    /// registers, M0, EXEC.
    Scalar {
        /// First register.
        first: u8,
        /// Number of registers.
        count: u8,
    },
    /// State without a number among the scalar registers.
    State(UnnumberedState),
}

/// Wave state outside the numbered registers.
///
/// # Examples
/// ```
/// use gcn_isa::uses::{Registers, UnnumberedState};
/// use gcn_isa::{Isa, decode};
/// let compare = decode(Isa::Gfx9, &[0xbf00_0504])?; // s_cmp_eq_i32 s4, s5
/// let scc = Registers::State(UnnumberedState::Scc);
/// assert!(compare.uses().registers().any(|it| it.registers == scc && it.written != 0));
/// assert_eq!(UnnumberedState::TRAPSTS.to_string(), "trapsts");
/// # Ok::<(), gcn_isa::DecodeError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnnumberedState {
    /// The scalar condition code.
    Scc,
    /// Program counter, except for its advance to the next instruction.
    Pc,
    /// Apertures of FLAT addresses.
    Apertures,
    /// Hardware register by its number in S_GETREG: MODE is 1, TRAPSTS 3.
    Hardware(u8),
}

impl UnnumberedState {
    /// MODE register.
    pub const MODE: UnnumberedState = UnnumberedState::Hardware(HWREG_MODE);
    /// TRAPSTS register.
    pub const TRAPSTS: UnnumberedState = UnnumberedState::Hardware(HWREG_TRAPSTS);
}

/// Lanes of a VGPR that an instruction uses.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UsedLanes {
    /// None, for scalar registers.
    Scalar,
    /// Active lanes (EXEC).
    Active,
    /// First active lane, or lane 0 if none is active.
    First,
    /// Lane selected by an operand, regardless of EXEC.
    Selected,
    /// Any lane: lanes may read other lanes.
    Crossing,
}

/// Origin of a register use.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UseOrigin {
    /// Operand, by its index in the row.
    Operand(u8),
    /// Implicit use.
    Implicit,
    /// EXEC as the mask of active lanes.
    LaneMask,
}

/// Use of consecutive registers, or of state without a register number.
///
/// # Examples
/// ```
/// use gcn_isa::uses::{Registers, UsedLanes};
/// use gcn_isa::{Isa, decode};
/// let read = decode(Isa::Gfx9, &[0xd8b6_0000, 0x0100_0002])?;
/// assert_eq!(read.text(), "ds_read_u16_d16_hi v1, v2");
/// let it = read.uses().registers().next().expect("v1");
/// assert_eq!((it.registers, it.operand()), (Registers::Vector { first: 1, count: 1 }, Some(0)));
/// assert_eq!((it.read, it.written, it.lanes), (0, 0xffff_0000, UsedLanes::Active));
/// # Ok::<(), gcn_isa::DecodeError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct RegisterUse {
    /// Registers that are used.
    pub registers: Registers,
    /// Bits of each dword that are read; 0 if none.
    pub read: u32,
    /// Bits of each dword that may be written; 0 if none. The others are preserved.
    pub written: u32,
    /// Lanes that are used.
    pub lanes: UsedLanes,
    /// Origin of the use.
    pub source: UseOrigin,
    /// True if an index (M0, or the depth of the fork stack) is added to the register number, so that other registers
    /// may be used.
    pub indexed: bool,
}

pub(super) const ALL: u32 = u32::MAX;
pub(super) const LOW: u32 = 0xffff;
pub(super) const HIGH: u32 = 0xffff_0000;
/// Maximum number of uses of an instruction: two per operand plus the implicit uses.
pub(super) const MOST: usize = 24;

impl RegisterUse {
    /// Index of the operand in the row, if the use is explicit.
    pub fn operand(&self) -> Option<usize> {
        match self.source {
            UseOrigin::Operand(place) => Some(place.into()),
            UseOrigin::Implicit | UseOrigin::LaneMask => None,
        }
    }

    /// True if the uses have a register in common, regardless of bits and lanes.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::{Isa, decode};
    /// let (sets, lane) = (decode(Isa::Gfx9, &[0x7e08_0500])?, decode(Isa::Gfx9, &[0xd289_0000, 0x901])?);
    /// let written = sets.uses().registers().find(|it| it.written != 0).expect("s4");
    /// assert!(lane.uses().registers().any(|it| it.read != 0 && it.overlaps(&written)));
    /// # Ok::<(), gcn_isa::DecodeError>(())
    /// ```
    pub fn overlaps(&self, other: &RegisterUse) -> bool {
        match (self.registers, other.registers) {
            (Registers::Vector { first, count }, Registers::Vector { first: f, count: c })
            | (Registers::Scalar { first, count }, Registers::Scalar { first: f, count: c }) => {
                u16::from(first) < u16::from(f) + u16::from(c)
                    && u16::from(f) < u16::from(first) + u16::from(count)
            }
            (Registers::State(a), Registers::State(b)) => a == b,
            _ => false,
        }
    }

    pub(super) fn new(
        registers: Registers,
        read: u32,
        written: u32,
        lanes: UsedLanes,
        source: UseOrigin,
    ) -> Self {
        RegisterUse {
            registers,
            read,
            written,
            lanes,
            source,
            indexed: false,
        }
    }

    pub(super) fn implicit(registers: Registers, reads: bool, writes: bool) -> Self {
        let bits = |is: bool| if is { ALL } else { 0 };
        RegisterUse::new(
            registers,
            bits(reads),
            bits(writes),
            UsedLanes::Scalar,
            UseOrigin::Implicit,
        )
    }
}

/// List of uses with a fixed capacity, which avoids allocation.
pub(super) struct RegisterUses {
    uses: [Option<RegisterUse>; MOST],
    len: usize,
}

impl RegisterUses {
    pub(super) fn new() -> RegisterUses {
        RegisterUses {
            uses: [None; MOST],
            len: 0,
        }
    }

    pub(super) fn into_uses(self) -> impl Iterator<Item = RegisterUse> {
        self.uses.into_iter().flatten()
    }

    pub(super) fn push(&mut self, it: RegisterUse) {
        if (it.read | it.written) != 0
            && let Some(place) = self.uses.get_mut(self.len)
        {
            *place = Some(it);
            self.len += 1;
        }
    }

    pub(super) fn scalar(&mut self, first: u8, count: u8, reads: bool, writes: bool) {
        self.push(RegisterUse::implicit(
            Registers::Scalar { first, count },
            reads,
            writes,
        ));
    }

    pub(super) fn bits(&mut self, state: UnnumberedState, read: u32, written: u32) {
        let registers = Registers::State(state);
        self.push(RegisterUse::new(
            registers,
            read,
            written,
            UsedLanes::Scalar,
            UseOrigin::Implicit,
        ));
    }

    pub(super) fn state(&mut self, state: UnnumberedState, reads: bool, writes: bool) {
        self.push(RegisterUse::implicit(
            Registers::State(state),
            reads,
            writes,
        ));
    }
}
