//! Hazards: pairs of instructions that software must separate, because the hardware has no interlock for them.
//!
//! Each instruction issued in between is a wait state; S_NOP n counts as n + 1. Sources: AMD's manuals, "Manually
//! Inserted Wait States"; errata E252 for hazards that the manuals omit.

use crate::effect::{Control, Does, Implicit};
use crate::field::{Encoding, Field};
use crate::inst::Operand;
use crate::operand::{Kind, OperandAccess};
use crate::regs;
use crate::simm::MODE_VSKIP;
use crate::target::{Isa, IsaSet, on};

use super::memory::{M0, Space};
use super::registers::{RegisterUse, Registers, UnnumberedState, UseOrigin, UsedLanes};
use super::{Unit, Uses};

/// A hazard between an instruction and a later one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Hazard {
    /// Vector ALU writes a scalar register, then vector memory reads it (including EXEC as the lane mask).
    VectorMemoryReadsSgpr,
    /// Vector ALU writes a scalar register, then scalar memory reads it (GCN 1.0).
    ScalarMemoryReadsSgpr,
    /// Scalar ALU writes a register, then a scalar buffer load reads it as descriptor or offset (GCN 1.0).
    ScalarBufferReadsSgpr,
    /// An instruction writes a VGPR, then an instruction with DPP reads it.
    DppReadsVgpr,
    /// Vector ALU writes EXEC, then an instruction with DPP follows.
    DppAfterExec,
    /// Vector ALU writes VCC, then V_DIV_FMAS reads it.
    DivFmasReadsVcc,
    /// Vector ALU writes VCC or EXEC, then vector ALU reads VCCZ or EXECZ as a value.
    ReadsZeroFlag,
    /// Vector ALU writes a scalar register, then V_READLANE or V_WRITELANE uses it as the lane select.
    LaneSelect,
    /// S_SETREG, then S_GETREG of the same register. S_SETVSKIP counts as S_SETREG of MODE.
    GetRegister,
    /// S_SETREG, then another S_SETREG of the same register.
    SetRegister,
    /// S_SETREG of TRAPSTS, then S_RFE.
    ReturnFromTrap,
    /// Scalar ALU writes M0, then an instruction needs it for a message, GDS, GWS or trace data, and on GCN 1.4 for
    /// register indexing, interpolation or an LDS address.
    ReadsM0,
    /// Store or atomic with more than 64 bits of data, then vector ALU or interpolation overwrites the data.
    StoreData,
    /// S_SETREG of MODE.VSKIP, then any instruction except scalar ALU and scalar memory.
    SkipsVector,
    /// Interpolation writes a VGPR, then V_READLANE or V_READFIRSTLANE reads it (GCN 1.0).
    ReadsInterpolated,
}

impl Hazard {
    /// Every hazard.
    pub const ALL: [Hazard; 15] = [
        Hazard::VectorMemoryReadsSgpr,
        Hazard::ScalarMemoryReadsSgpr,
        Hazard::ScalarBufferReadsSgpr,
        Hazard::DppReadsVgpr,
        Hazard::DppAfterExec,
        Hazard::DivFmasReadsVcc,
        Hazard::ReadsZeroFlag,
        Hazard::LaneSelect,
        Hazard::GetRegister,
        Hazard::SetRegister,
        Hazard::ReturnFromTrap,
        Hazard::ReadsM0,
        Hazard::StoreData,
        Hazard::SkipsVector,
        Hazard::ReadsInterpolated,
    ];

    /// Instruction sets that have the hazard.
    pub const fn on(self) -> IsaSet {
        match self {
            Hazard::ScalarMemoryReadsSgpr
            | Hazard::ScalarBufferReadsSgpr
            | Hazard::ReadsInterpolated => on::SI_ONLY,
            Hazard::DppReadsVgpr
            | Hazard::DppAfterExec
            | Hazard::ReturnFromTrap
            | Hazard::ReadsM0 => on::VI,
            Hazard::StoreData => on::CI,
            Hazard::VectorMemoryReadsSgpr
            | Hazard::DivFmasReadsVcc
            | Hazard::ReadsZeroFlag
            | Hazard::LaneSelect
            | Hazard::GetRegister
            | Hazard::SetRegister
            | Hazard::SkipsVector => on::SI,
        }
    }

    /// Required number of wait states, 1..=5.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::{Isa, uses::Hazard};
    /// assert_eq!(Hazard::LaneSelect.wait_states(Isa::Gfx9), 4);
    /// assert!(!Hazard::DppReadsVgpr.on().has(Isa::Ci), "GCN 1.1 has no DPP");
    /// ```
    pub const fn wait_states(self, isa: Isa) -> u8 {
        match self {
            Hazard::VectorMemoryReadsSgpr | Hazard::DppAfterExec | Hazard::ReadsZeroFlag => 5,
            Hazard::ScalarMemoryReadsSgpr
            | Hazard::ScalarBufferReadsSgpr
            | Hazard::DivFmasReadsVcc
            | Hazard::LaneSelect => 4,
            Hazard::DppReadsVgpr | Hazard::GetRegister | Hazard::SkipsVector => 2,
            Hazard::SetRegister if on::VI.has(isa) => 2,
            Hazard::SetRegister
            | Hazard::ReturnFromTrap
            | Hazard::ReadsM0
            | Hazard::StoreData
            | Hazard::ReadsInterpolated => 1,
        }
    }

    /// True if an instruction with the uses `before` can begin the hazard.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::{Isa, decode, uses::Hazard};
    /// let sets = decode(Isa::Gfx9, &[0x7e08_0500])?; // v_readfirstlane_b32 s4, v0
    /// let lane = decode(Isa::Gfx9, &[0xd289_0000, 0x901])?; // v_readlane_b32 s0, v1, s4
    /// assert!(Hazard::LaneSelect.begins(&sets.uses()) && !Hazard::LaneSelect.ends(&sets.uses()));
    /// assert!(Hazard::LaneSelect.ends(&lane.uses()));
    /// # Ok::<(), gcn_isa::DecodeError>(())
    /// ```
    pub fn begins(self, before: &Uses<'_>) -> bool {
        before.begins(self).next().is_some()
    }

    /// True if an instruction with the uses `after` can end the hazard.
    pub fn ends(self, after: &Uses<'_>) -> bool {
        after.ends(self).next().is_some()
    }
}

const VCC: Registers = Registers::Scalar {
    first: regs::VCC_LO,
    count: 2,
};
const EXEC: Registers = Registers::Scalar {
    first: regs::EXEC_LO,
    count: 2,
};
const M0_REGISTER: Registers = Registers::Scalar {
    first: regs::M0,
    count: 1,
};

impl<'a> Uses<'a> {
    /// Hazards between this instruction and a later one, each with the required number of wait states.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::uses::Hazard;
    /// use gcn_isa::{Isa, decode};
    /// let sets = decode(Isa::Gfx9, &[0x7e08_0500])?;
    /// let lane = decode(Isa::Gfx9, &[0xd289_0000, 0x0000_0901])?;
    /// assert_eq!((sets.text(), lane.text()), ("v_readfirstlane_b32 s4, v0".into(), "v_readlane_b32 s0, v1, s4".into()));
    /// assert!(sets.uses().hazards_before(&lane.uses()).eq([(Hazard::LaneSelect, 4)]));
    /// # Ok::<(), gcn_isa::DecodeError>(())
    /// ```
    pub fn hazards_before<'b>(
        &self,
        after: &'b Uses<'b>,
    ) -> impl Iterator<Item = (Hazard, u8)> + use<'a, 'b> {
        let before = *self;
        let isa = self.inst.isa;
        Hazard::ALL.into_iter().filter_map(move |hazard| {
            before
                .ended_by(hazard, after)
                .map(|_| (hazard, hazard.wait_states(isa)))
        })
    }

    /// Register use by which a later instruction completes a hazard begun by this instruction; `None` without a hazard.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::uses::{Hazard, Registers};
    /// use gcn_isa::{Isa, decode};
    /// let sets = decode(Isa::Gfx9, &[0x7e08_0500])?; // v_readfirstlane_b32 s4, v0
    /// let lane = decode(Isa::Gfx9, &[0xd289_0000, 0x901])?; // v_readlane_b32 s0, v1, s4
    /// let selector = sets.uses().ended_by(Hazard::LaneSelect, &lane.uses()).expect("a hazard");
    /// assert_eq!(selector.registers, Registers::Scalar { first: 4, count: 1 });
    /// # Ok::<(), gcn_isa::DecodeError>(())
    /// ```
    pub fn ended_by(&self, hazard: Hazard, after: &Uses<'_>) -> Option<RegisterUse> {
        let ends = |second: &RegisterUse| self.begins(hazard).any(|first| first.overlaps(second));
        let is_here = hazard.on().has(self.inst.isa);
        after.ends(hazard).find(|it| is_here && ends(it))
    }

    /// True for two scalar or two vector memory instructions that must be separated if XNACK may replay them (GCN 1.2
    /// and later). The first writes registers, and either the second writes memory or one of the two writes a register
    /// that one of them reads.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::{Isa, decode};
    /// let first = decode(Isa::Gfx9, &[0xdc50_8000, 0x0102_0000])?; // global_load_dword v1, v0, s[2:3]
    /// let other = decode(Isa::Gfx9, &[0xdc50_8000, 0x0202_0000])?; // global_load_dword v2, v0, s[2:3]
    /// let behind = decode(Isa::Gfx9, &[0xdc50_8000, 0x0202_0001])?; // global_load_dword v2, v1, s[2:3]
    /// assert!(!first.uses().replays_unsafely(&other.uses()));
    /// assert!(first.uses().replays_unsafely(&behind.uses()), "its address is loaded by the first one");
    /// # Ok::<(), gcn_isa::DecodeError>(())
    /// ```
    pub fn replays_unsafely(&self, after: &Uses<'_>) -> bool {
        let kind = |uses: &Uses<'_>| match uses.unit() {
            Unit::ScalarMemory => Some(Unit::ScalarMemory),
            Unit::VectorMemory | Unit::Flat => Some(Unit::VectorMemory),
            Unit::Scalar | Unit::Vector | Unit::DataShare | Unit::Export | Unit::Interpolation => {
                None
            }
        };
        let is_clause = kind(self).is_some() && kind(self) == kind(after);
        let written_by = |uses: &Uses<'_>| {
            let all = uses.registers();
            all.filter(|it| it.written != 0 && it.operand().is_some())
                .collect::<Vec<_>>()
        };
        let mut written = written_by(self);
        if !on::VI.has(self.inst.isa) || !is_clause || written.is_empty() {
            return false;
        }
        if after
            .memory()
            .is_some_and(|memory| !memory.written.is_empty())
        {
            return true;
        }
        written.extend(written_by(after));
        let read = self
            .registers()
            .chain(after.registers())
            .filter(|it| it.read != 0);
        read.into_iter()
            .any(|it| written.iter().any(|other| other.overlaps(&it)))
    }

    /// Hazards that the instruction can begin or end.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::{Isa, decode, uses::Hazard};
    /// let lane = decode(Isa::Gfx9, &[0xd289_0000, 0x901])?; // v_readlane_b32 s0, v1, s4
    /// let hazards: Vec<Hazard> = lane.uses().hazards().collect();
    /// assert!(hazards.starts_with(&[Hazard::VectorMemoryReadsSgpr, Hazard::LaneSelect]), "{hazards:?}");
    /// let nop = decode(Isa::Gfx9, &[0xbf80_0000])?;
    /// assert_eq!(nop.uses().hazards().next(), None);
    /// # Ok::<(), gcn_isa::DecodeError>(())
    /// ```
    pub fn hazards(&self) -> impl Iterator<Item = Hazard> + use<'a> {
        let uses = *self;
        Hazard::ALL.into_iter().filter(move |hazard| {
            hazard.on().has(uses.inst.isa) && (hazard.begins(&uses) || hazard.ends(&uses))
        })
    }

    /// Register uses that begin a hazard.
    fn begins(&self, hazard: Hazard) -> impl Iterator<Item = RegisterUse> + use<> {
        let unit = self.unit();
        let begins: Option<fn(&RegisterUse) -> bool> = 'begins: {
            Some(match (hazard, unit) {
                (
                    Hazard::VectorMemoryReadsSgpr
                    | Hazard::ScalarMemoryReadsSgpr
                    | Hazard::LaneSelect,
                    Unit::Vector,
                ) => |it| matches!(it.registers, Registers::Scalar { .. }),
                (Hazard::ScalarBufferReadsSgpr, Unit::Scalar) => {
                    |it| matches!(it.registers, Registers::Scalar { .. })
                }
                (Hazard::DppReadsVgpr, _) => |it| matches!(it.registers, Registers::Vector { .. }),
                (Hazard::DppAfterExec, Unit::Vector) => |it| is_in(it, EXEC),
                (Hazard::DivFmasReadsVcc, Unit::Vector) => |it| is_in(it, VCC),
                (Hazard::ReadsZeroFlag, Unit::Vector) => |it| is_in(it, VCC) || is_in(it, EXEC),
                (Hazard::GetRegister | Hazard::SetRegister, Unit::Scalar) if self.is_setreg() => {
                    |it| matches!(it.registers, Registers::State(UnnumberedState::Hardware(_)))
                }
                (Hazard::GetRegister, Unit::Scalar)
                    if self.inst.row().implicit().has(Implicit::WRITES_VSKIP) =>
                {
                    |it| it.registers == Registers::State(UnnumberedState::MODE)
                }
                (Hazard::SkipsVector, Unit::Scalar) if self.is_setreg() => {
                    |it| it.overlaps(&skipping()) && it.written & MODE_VSKIP != 0
                }
                (Hazard::ReadsInterpolated, Unit::Interpolation) => {
                    |it| matches!(it.registers, Registers::Vector { .. })
                }
                (Hazard::ReturnFromTrap, Unit::Scalar) if self.is_setreg() => {
                    |it| it.registers == Registers::State(UnnumberedState::TRAPSTS)
                }
                (Hazard::ReadsM0, Unit::Scalar) => |it| is_in(it, M0_REGISTER),
                (
                    Hazard::VectorMemoryReadsSgpr
                    | Hazard::ScalarMemoryReadsSgpr
                    | Hazard::ScalarBufferReadsSgpr
                    | Hazard::DppAfterExec
                    | Hazard::DivFmasReadsVcc
                    | Hazard::ReadsZeroFlag
                    | Hazard::LaneSelect
                    | Hazard::GetRegister
                    | Hazard::SetRegister
                    | Hazard::ReturnFromTrap
                    | Hazard::ReadsM0
                    | Hazard::StoreData
                    | Hazard::SkipsVector
                    | Hazard::ReadsInterpolated,
                    _,
                ) => break 'begins None,
            })
        };
        let stored = (hazard == Hazard::StoreData)
            .then(|| self.long_data())
            .flatten();
        // Most instructions can begin only a few hazards; registers are examined only for those.
        let written = begins.map(|begins| {
            let registers = self.registers();
            registers.filter(move |it| it.written != 0 && begins(it))
        });
        written.into_iter().flatten().chain(stored)
    }

    /// Register uses that end a hazard.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "a hazard ends with instructions of few units"
    )]
    fn ends(&self, hazard: Hazard) -> impl Iterator<Item = RegisterUse> + use<> {
        let unit = self.unit();
        let does = self.inst.does();
        let ends: Option<fn(&RegisterUse) -> bool> = 'ends: {
            Some(match (hazard, unit) {
                (Hazard::VectorMemoryReadsSgpr, Unit::VectorMemory | Unit::Flat) => {
                    |it| it.read != 0 && matches!(it.registers, Registers::Scalar { .. })
                }
                (Hazard::ScalarMemoryReadsSgpr, Unit::ScalarMemory) => {
                    |it| it.read != 0 && matches!(it.registers, Registers::Scalar { .. })
                }
                (Hazard::ScalarBufferReadsSgpr, Unit::ScalarMemory)
                    if self.has_scalar_descriptor() =>
                {
                    |it| it.read != 0 && matches!(it.registers, Registers::Scalar { .. })
                }
                (Hazard::DppReadsVgpr, Unit::Vector) if self.inst.encoding.is_dpp() => {
                    |it| it.read != 0 && matches!(it.registers, Registers::Vector { .. })
                }
                (Hazard::DppAfterExec, Unit::Vector) if self.inst.encoding.is_dpp() => {
                    |it| it.source == UseOrigin::LaneMask
                }
                (Hazard::DivFmasReadsVcc, Unit::Vector)
                    if self.inst.row().implicit().has(Implicit::READS_VCC) =>
                {
                    |it| it.source == UseOrigin::Implicit && it.read != 0 && is_in(it, VCC)
                }
                (Hazard::ReadsZeroFlag, Unit::Vector) if self.reads_zero_flag() => {
                    |it| it.source == UseOrigin::Implicit && it.read != 0
                }
                (Hazard::GetRegister, Unit::Scalar) if self.is_getreg() => |it| {
                    it.read != 0
                        && matches!(it.registers, Registers::State(UnnumberedState::Hardware(_)))
                },
                (Hazard::SetRegister, Unit::Scalar) if self.is_setreg() => |it| {
                    it.written != 0
                        && matches!(it.registers, Registers::State(UnnumberedState::Hardware(_)))
                },
                (Hazard::ReadsM0, _) if self.goes_by_m0() => {
                    |it| it.read != 0 && is_in(it, M0_REGISTER)
                }
                (Hazard::StoreData, Unit::Vector | Unit::Interpolation) => {
                    |it| it.written != 0 && matches!(it.registers, Registers::Vector { .. })
                }
                (Hazard::ReadsInterpolated, Unit::Vector) => |it| {
                    it.read != 0
                        && matches!(it.registers, Registers::Vector { .. })
                        && matches!(it.lanes, UsedLanes::First | UsedLanes::Selected)
                },
                (
                    Hazard::VectorMemoryReadsSgpr
                    | Hazard::ScalarMemoryReadsSgpr
                    | Hazard::ScalarBufferReadsSgpr
                    | Hazard::DppReadsVgpr
                    | Hazard::DppAfterExec
                    | Hazard::DivFmasReadsVcc
                    | Hazard::ReadsZeroFlag
                    | Hazard::LaneSelect
                    | Hazard::GetRegister
                    | Hazard::SetRegister
                    | Hazard::ReturnFromTrap
                    | Hazard::ReadsM0
                    | Hazard::StoreData
                    | Hazard::SkipsVector
                    | Hazard::ReadsInterpolated,
                    _,
                ) => break 'ends None,
            })
        };
        let lane = match hazard {
            Hazard::LaneSelect => self.lane_select(),
            _ => None,
        };
        // `registers` does not list these uses.
        let state = match hazard {
            Hazard::ReturnFromTrap if does == Does::ReturnFromTrap => Some(trap_status()),
            Hazard::SkipsVector if !self.inst.encoding.is_scalar() => Some(skipping()),
            _ => None,
        };
        let is_possible = ends.is_some() || lane.is_some();
        let ends = move |it: &RegisterUse| {
            ends.is_some_and(|ends| ends(it)) || lane.is_some() && it.operand() == lane
        };
        let registers = is_possible.then(|| self.registers().filter(ends));
        registers.into_iter().flatten().chain(state)
    }

    fn is_setreg(&self) -> bool {
        let mut slots = self.inst.row().slots();
        let is_one = slots.any(|slot| slot.kind == Kind::Hwreg);
        is_one
            && self
                .inst
                .row()
                .slots()
                .all(|slot| slot.access == OperandAccess::Read)
    }

    fn is_getreg(&self) -> bool {
        let mut slots = self.inst.row().slots();
        slots.any(|slot| slot.kind == Kind::Hwreg) && !self.is_setreg()
    }

    fn has_scalar_descriptor(&self) -> bool {
        let mut slots = self.inst.row().slots();
        slots.any(|slot| slot.field == Field::Sbase && slot.ty.dwords() > 2)
    }

    fn reads_zero_flag(&self) -> bool {
        let inst = self.inst;
        let mut slots = inst.row().slots();
        slots.any(|slot| {
            let operand = inst.operand(slot);
            matches!(
                operand,
                Operand::Scalar {
                    code: regs::VCCZ | regs::EXECZ,
                    ..
                }
            )
        })
    }

    /// True if the instruction requires a wait state after a write of M0 ([`Hazard::ReadsM0`]).
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the memory decides for all others"
    )]
    fn goes_by_m0(&self) -> bool {
        let inst = self.inst;
        let from_gfx9 = on::GFX9.has(inst.isa);
        let implicit = inst.row().implicit();
        let indexes =
            implicit.has(Implicit::INDEXES_SOURCE) || implicit.has(Implicit::INDEXES_DESTINATION);
        match inst.does() {
            Does::Control(Control::SendMsg { .. } | Control::TraceData) => true,
            _ if indexes || matches!(inst.encoding, Encoding::Vintrp | Encoding::Vop3Interp) => {
                from_gfx9
            }
            _ => self.memory().is_some_and(|memory| {
                let spaces = memory.spaces();
                let is_global = spaces.has(Space::Gds) || spaces.has(Space::Gws);
                let counts = matches!(inst.does(), Does::Count(_));
                is_global || from_gfx9 && memory.m0 == M0::Addresses && !counts
            }),
        }
    }

    /// Store or atomic data of more than 64 bits. Buffers count only if the scalar offset is not a register, and images
    /// only if the descriptor has four dwords.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "buffers, images and FLAT alone store more than 64 bits"
    )]
    fn long_data(&self) -> Option<RegisterUse> {
        const SHORT: u8 = 2;
        let inst = self.inst;
        let can = match self.unit() {
            Unit::Flat => true,
            Unit::VectorMemory if inst.encoding == Encoding::Mimg => inst.flag(Field::R128),
            Unit::VectorMemory => !inst.has_offset_register(),
            _ => false,
        };
        self.registers().find(|it| {
            can && it.read != 0
                && it
                    .operand()
                    .and_then(|place| inst.row().slots().nth(place))
                    .is_some_and(|slot| slot.field == Field::Vdata)
                && matches!(it.registers, Registers::Vector { count, .. } if count > SHORT)
        })
    }
}

fn is_in(it: &RegisterUse, registers: Registers) -> bool {
    it.overlaps(&RegisterUse { registers, ..*it })
}

/// Use of TRAPSTS by S_RFE.
fn trap_status() -> RegisterUse {
    let registers = Registers::State(UnnumberedState::TRAPSTS);
    RegisterUse::implicit(registers, true, false)
}

/// Use of MODE by instructions that VSKIP disables.
fn skipping() -> RegisterUse {
    let registers = Registers::State(UnnumberedState::MODE);
    RegisterUse::implicit(registers, true, false)
}
