//! The registers that an instruction reads and writes, those that no operand names included.

use crate::simm::{HWREG_MODE, HWREG_TRAPSTS};

/// Registers side by side, or state that has no number among them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Registers {
    /// VGPRs.
    Vector {
        /// The first.
        first: u8,
        /// Number of registers.
        count: u8,
    },
    /// Scalar registers by the numbers of [`regs`](crate::regs), below 128: SGPRs, FLAT_SCRATCH, XNACK_MASK, VCC, trap registers, M0,
    /// EXEC.
    Scalar {
        /// The first.
        first: u8,
        /// Number of registers.
        count: u8,
    },
    /// State without a number among the scalar registers.
    State(UnnumberedState),
}

/// State of a wave that is no register of an operand.
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
    /// The program counter, beyond its step to the next instruction.
    Pc,
    /// The windows of FLAT addresses.
    Apertures,
    /// A hardware register by its number in S_GETREG: MODE is 1, TRAPSTS 3.
    Hardware(u8),
}

impl UnnumberedState {
    /// MODE.
    pub const MODE: UnnumberedState = UnnumberedState::Hardware(HWREG_MODE);
    /// TRAPSTS.
    pub const TRAPSTS: UnnumberedState = UnnumberedState::Hardware(HWREG_TRAPSTS);
}

/// The lanes of a VGPR that count.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UsedLanes {
    /// None: the register is scalar.
    Scalar,
    /// The lanes of EXEC.
    Active,
    /// The first of EXEC, or lane 0.
    First,
    /// The one that an operand selects, whatever EXEC is.
    Selected,
    /// Any: a lane may read other lanes.
    Crossing,
}

/// Origin of a register's use.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UseOrigin {
    /// An operand by its place in the row.
    Operand(u8),
    /// Not named by an operand.
    Implicit,
    /// EXEC, as the set of active lanes.
    LaneMask,
}

/// A use of registers.
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
    /// The registers.
    pub registers: Registers,
    /// Bits of each dword that are read; 0 if none.
    pub read: u32,
    /// Bits of each dword that may be written; 0 if none. The others keep their value.
    pub written: u32,
    /// Lanes that count.
    pub lanes: UsedLanes,
    /// Origin of their use.
    pub source: UseOrigin,
    /// The registers lie further by an index that the wave holds (M0, or the depth of the stack of forks), so that others
    /// than these are used.
    pub indexed: bool,
}

pub(super) const ALL: u32 = u32::MAX;
pub(super) const LOW: u32 = 0xffff;
pub(super) const HIGH: u32 = 0xffff_0000;
/// Most uses of one instruction: two of each operand and what is implicit.
pub(super) const MOST: usize = 24;

impl RegisterUse {
    /// The operand's place in the row, if one names the registers.
    pub fn operand(&self) -> Option<usize> {
        match self.source {
            UseOrigin::Operand(place) => Some(place.into()),
            UseOrigin::Implicit | UseOrigin::LaneMask => None,
        }
    }

    /// True if both uses have a register in common.
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

/// A list of uses, without an allocation.
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
