//! Registers and state that an instruction uses implicitly.

use crate::effect::{AluOp, Condition, Control, Does, Implicit};
use crate::field::{Encoding, Field};
use crate::inst::Operand;
use crate::operand::{Kind, OperandAccess, Slot};
use crate::regs;
use crate::simm::{HWREG_SH_MEM_BASES, HWREG_STATUS, Hwreg, MODE_VSKIP};

use super::memory::M0;
use super::operands::is_source;
use super::registers::{
    ALL, RegisterUse, RegisterUses, Registers, UnnumberedState, UseOrigin, UsedLanes,
};
use super::{Unit, Uses};

/// Bit of TRAPSTS that records a memory violation.
const TRAPSTS_MEM_VIOL: u32 = 1 << 8;
/// Bits of STATUS that S_SETPRIO sets.
const STATUS_PRIORITY: u32 = 3 << 3;

impl Uses<'_> {
    /// True if EXEC selects the participating lanes.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::{Isa, decode};
    /// let has = |words: &[u32]| decode(Isa::Gfx9, words).map(|inst| inst.uses().has_lane_mask());
    /// assert_eq!(has(&[0x7e06_0204]), Ok(true), "v_mov_b32_e32 v3, s4");
    /// assert_eq!(has(&[0xd289_0000, 0x901]), Ok(false), "v_readlane_b32 s0, v1, s4");
    /// assert_eq!(has(&[0xbf81_0000]), Ok(false), "s_endpgm");
    /// ```
    pub fn has_lane_mask(&self) -> bool {
        match self.unit() {
            Unit::Scalar | Unit::ScalarMemory => false,
            Unit::Vector => self.inst.row().slots().next().is_some() && !self.selects_lane(),
            Unit::Interpolation | Unit::Export => true,
            Unit::VectorMemory | Unit::Flat | Unit::DataShare => {
                !matches!(self.inst.does(), Does::Cache(_) | Does::LdsNop)
            }
        }
    }

    /// True for floating-point instructions, whose rounding, denormals, clamping and NaN handling depend on MODE.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "all others move bits or count"
    )]
    fn goes_by_mode(&self) -> bool {
        let row = self.inst.row();
        let has_float = || row.slots().any(|slot| slot.ty.is_float());
        // Selection by a mask only moves bits, although its sources may be negated.
        let chooses = || {
            let has_mask = |slot: &Slot| slot.kind == Kind::Sdst && slot.field == Field::Src2;
            row.slots().any(has_mask)
                && row
                    .slots()
                    .all(|slot| !slot.ty.is_float() || is_source(slot))
        };
        match self.inst.does() {
            Does::Alu(_) => self.unit() != Unit::Scalar && has_float() && !chooses(),
            Does::Compare(..) => has_float(),
            // MODE controls denormals in LDS and GDS atomics.
            Does::Atomic(_, ty) | Does::Return(_, ty) | Does::AtomicFromLds(_, ty) => {
                ty.is_float() && self.memory().is_some_and(|m| m.atomic_in_share())
            }
            _ => false,
        }
    }

    pub(super) fn implicit(&self, found: &mut RegisterUses) {
        let inst = self.inst;
        let implicit = inst.row().implicit();
        let has = |it| implicit.has(it);
        if self.has_lane_mask() {
            let exec = Registers::Scalar {
                first: regs::EXEC_LO,
                count: 2,
            };
            found.push(RegisterUse::new(
                exec,
                ALL,
                0,
                UsedLanes::Scalar,
                UseOrigin::LaneMask,
            ));
        }
        found.state(
            UnnumberedState::Scc,
            has(Implicit::READS_SCC),
            has(Implicit::WRITES_SCC),
        );
        found.scalar(
            regs::VCC_LO,
            2,
            has(Implicit::READS_VCC),
            has(Implicit::WRITES_VCC),
        );
        found.scalar(
            regs::EXEC_LO,
            2,
            has(Implicit::READS_EXEC),
            has(Implicit::WRITES_EXEC),
        );
        let memory = self.memory();
        let m0 = memory.map_or(M0::Unused, |memory| memory.m0);
        found.scalar(
            regs::M0,
            1,
            has(Implicit::READS_M0) || m0 != M0::Unused,
            has(Implicit::WRITES_M0),
        );
        if matches!(inst.encoding, Encoding::Flat | Encoding::Scratch)
            && let Some(first) = regs::flat_scratch(inst.isa)
        {
            found.scalar(first, 2, true, false);
        }
        found.state(
            UnnumberedState::Apertures,
            inst.encoding == Encoding::Flat,
            false,
        );
        found.state(
            UnnumberedState::MODE,
            has(Implicit::READS_MODE) || self.goes_by_mode(),
            has(Implicit::WRITES_MODE),
        );
        if has(Implicit::WRITES_VSKIP) {
            found.bits(UnnumberedState::MODE, 0, MODE_VSKIP);
        }
        if memory.is_some_and(|memory| memory.may_violate()) {
            found.bits(UnnumberedState::TRAPSTS, 0, TRAPSTS_MEM_VIOL);
        }
        if matches!(inst.does(), Does::Control(Control::SetPrio)) {
            found.bits(UnnumberedState::Hardware(HWREG_STATUS), 0, STATUS_PRIORITY);
        }
        self.hardware_register(found);
        self.control(found);
        for slot in inst.row().slots() {
            if let Operand::Scalar { code, .. } = inst.operand(slot) {
                value(code, found);
            }
        }
    }

    /// Adds the register of S_GETREG or S_SETREG, and other state that a read of SH_MEM_BASES or STATUS includes.
    fn hardware_register(&self, found: &mut RegisterUses) {
        let inst = self.inst;
        let Some(slot) = inst.row().slots().find(|slot| slot.kind == Kind::Hwreg) else {
            return;
        };
        let register = Hwreg::unpack(inst.get(slot.field) as u16);
        let mask = (((1u64 << register.width) - 1) << register.offset) as u32;
        let reads = inst
            .row()
            .slots()
            .any(|slot| slot.access == OperandAccess::Write);
        let bits = |is: bool| if is { mask } else { 0 };
        found.bits(
            UnnumberedState::Hardware(register.id),
            bits(reads),
            bits(!reads),
        );
        if reads && register.id == HWREG_SH_MEM_BASES {
            found.state(UnnumberedState::Apertures, true, false);
        }
        if reads && register.id == HWREG_STATUS {
            found.state(UnnumberedState::Scc, true, false);
            found.scalar(regs::VCC_LO, 2, true, false);
            found.scalar(regs::EXEC_LO, 2, true, false);
        }
    }

    /// Adds the program counter and, for forks, the stack: MODE holds its depth, and SGPRs hold masks and addresses.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "all others go on at the next instruction"
    )]
    fn control(&self, found: &mut RegisterUses) {
        /// Number of SGPRs in a stack entry.
        const ENTRY: u8 = 4;
        let inst = self.inst;
        let saves = || {
            inst.row()
                .slots()
                .any(|slot| slot.access == OperandAccess::Write)
        };
        match inst.does() {
            Does::Branch(condition) => {
                let is_taken = condition != Condition::Debugger;
                found.state(UnnumberedState::Pc, true, is_taken);
            }
            Does::Jump => found.state(UnnumberedState::Pc, saves(), true),
            Does::ReturnFromTrap => found.state(UnnumberedState::Pc, false, true),
            Does::Fork => {
                let joins = inst.row().slots().count() == 1;
                found.state(UnnumberedState::Pc, !joins, true);
                found.state(UnnumberedState::MODE, true, true);
                found.scalar(regs::EXEC_LO, 2, !joins, true);
                let stack = Registers::Scalar {
                    first: 0,
                    count: ENTRY,
                };
                found.push(RegisterUse {
                    indexed: true,
                    ..RegisterUse::implicit(stack, joins, !joins)
                });
            }
            Does::Alu(AluOp::GetPc) => found.state(UnnumberedState::Pc, true, false),
            _ => {}
        }
    }
}

/// Adds the state denoted by an operand's code: VCCZ, EXECZ, SCC, apertures.
fn value(code: u8, found: &mut RegisterUses) {
    match code {
        regs::VCCZ => found.scalar(regs::VCC_LO, 2, true, false),
        regs::EXECZ => found.scalar(regs::EXEC_LO, 2, true, false),
        regs::SCC => found.state(UnnumberedState::Scc, true, false),
        regs::SHARED_BASE..=regs::PRIVATE_LIMIT => {
            found.state(UnnumberedState::Apertures, true, false)
        }
        _ => {}
    }
}
