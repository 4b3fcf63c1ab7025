//! Wait states that hazards require between two instructions, and findings about missing ones.

use gcn_isa::effect::{Control, Does};
use gcn_isa::uses::Hazard;
use gcn_isa::{Inst, Isa, Operand};

use crate::finding::{Finding, FindingPlace, Kind, Side};
use crate::quantity::quantity;
use crate::registers::name;
use crate::vccz::VcczPart;

/// Maximum number of wait states that any hazard requires.
pub(crate) const MOST: u8 = 5;

/// A set of hazards, with a bit for each in the order of [`Hazard::ALL`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct HazardSet(pub(crate) u16);

impl HazardSet {
    fn of(mut is_in: impl FnMut(Hazard) -> bool) -> HazardSet {
        let all = Hazard::ALL.into_iter().enumerate();
        let bits = all.filter(|(_, hazard)| is_in(*hazard));
        HazardSet(bits.fold(0, |set, (bit, _)| set | 1 << bit))
    }

    /// Returns the intersection of two sets.
    pub(crate) fn and(self, other: HazardSet) -> HazardSet {
        HazardSet(self.0 & other.0)
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = Hazard> {
        let all = Hazard::ALL.into_iter().enumerate();
        all.filter(move |(bit, _)| self.0 >> bit & 1 != 0)
            .map(|(_, hazard)| hazard)
    }
}

/// Role of an instruction in hazards.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HazardPart {
    /// Hazards that the instruction may begin.
    pub(crate) begins: HazardSet,
    /// Hazards that the instruction may end.
    pub(crate) ends: HazardSet,
    /// Number of wait states that the instruction itself provides.
    pub(crate) states: u8,
    /// Effect on VCCZ.
    pub(crate) vccz: VcczPart,
}

impl HazardPart {
    /// Determines the role of an instruction in hazards.
    pub(crate) fn of(inst: &Inst) -> HazardPart {
        let uses = inst.uses();
        let here = |hazard: Hazard| hazard.on().has(inst.isa) && is_kept(hazard, inst.isa);
        HazardPart {
            begins: HazardSet::of(|it| here(it) && it.begins(&uses)),
            ends: HazardSet::of(|it| here(it) && it.ends(&uses)),
            states: states(inst),
            vccz: VcczPart::of(inst),
        }
    }
}

/// True if a hazard is checked. Before GCN 1.2, LLVM does not insert the wait states that the manuals require between a
/// vector ALU write of an SGPR and its use by vector memory (errata E252), so compiled code would be reported.
fn is_kept(hazard: Hazard, isa: Isa) -> bool {
    hazard != Hazard::VectorMemoryReadsSgpr || isa >= Isa::Vi
}

/// Returns the number of wait states that an instruction provides: 1, or n + 1 for S_NOP n.
fn states(inst: &Inst) -> u8 {
    if inst.does() != Does::Control(Control::Nop) {
        return 1;
    }
    match inst.row().slots().next().map(|slot| inst.operand(slot)) {
        Some(Operand::Imm(number)) => 1 + (number & nop_mask(inst.isa)) as u8,
        _ => 1,
    }
}

/// Significant bits of the operand of S_NOP: three, or four since GCN 1.2.
const fn nop_mask(isa: Isa) -> i64 {
    match isa {
        Isa::Si | Isa::Ci => 0x7,
        _ => 0xf,
    }
}

/// A pair of instructions with too few wait states between them.
pub(crate) struct MissingWaitStates<'a> {
    pub(crate) hazard: Hazard,
    /// Later instruction.
    pub(crate) inst: &'a Inst,
    /// Earlier instruction.
    pub(crate) before: &'a Inst,
    /// Number of wait states between the instructions.
    pub(crate) states: u8,
}

impl MissingWaitStates<'_> {
    /// Returns the hazards in `set` that `inst` violates, if `before` began them `states` wait states earlier.
    pub(crate) fn all<'a>(
        set: HazardSet,
        before: &'a Inst,
        inst: &'a Inst,
        states: u8,
    ) -> impl Iterator<Item = MissingWaitStates<'a>> {
        let is_there = move |hazard: &Hazard| {
            let ended = before.uses().ended_by(*hazard, &inst.uses());
            hazard.wait_states(inst.isa) > states && ended.is_some()
        };
        set.iter()
            .filter(is_there)
            .map(move |hazard| MissingWaitStates {
                hazard,
                inst,
                before,
                states,
            })
    }

    /// Creates the finding at the later instruction. `before` is the location of the earlier one.
    pub(crate) fn finding(&self, place: FindingPlace, before: FindingPlace) -> Finding {
        let isa = self.inst.isa;
        let its = self.before.uses().ended_by(self.hazard, &self.inst.uses());
        let register = its.map_or_else(String::new, |it| name(isa, it.registers));
        let needed = self.hazard.wait_states(isa);
        let mut finding = Finding::at(
            Kind::MissingWaitStates,
            place,
            broken_rule(self.hazard, &register),
        );
        finding.label = format!(
            "needs {} before it, has {}",
            quantity(needed.into(), "wait state"),
            self.states
        );
        finding.sides.push(Side {
            label: "counted from this instruction".to_owned(),
            place: Some(before),
        });
        let missing = needed - self.states;
        let help = format!("`s_nop {}` before the instruction", missing - 1);
        finding.help = Some(help.into());
        finding
    }
}

/// Describes the violated rule.
fn broken_rule(hazard: Hazard, register: &str) -> String {
    match hazard {
        Hazard::VectorMemoryReadsSgpr => {
            format!("vector memory reads {register} too soon after the vector ALU has written it")
        }
        Hazard::ScalarMemoryReadsSgpr => {
            format!("scalar memory reads {register} too soon after the vector ALU has written it")
        }
        Hazard::ScalarBufferReadsSgpr => format!(
            "a scalar buffer load reads {register} too soon after the scalar ALU has written it"
        ),
        Hazard::DppReadsVgpr => {
            format!("DPP reads {register} of other lanes too soon after it has been written")
        }
        Hazard::DppAfterExec => {
            "DPP follows too soon after the vector ALU has written exec".to_owned()
        }
        Hazard::DivFmasReadsVcc => {
            "V_DIV_FMAS reads vcc too soon after the vector ALU has written it".to_owned()
        }
        Hazard::ReadsZeroFlag => format!(
            "a test of {register} for zero is read too soon after the vector ALU has written the register"
        ),
        Hazard::LaneSelect => {
            format!("{register} selects a lane too soon after the vector ALU has written it")
        }
        Hazard::GetRegister => {
            "a hardware register is read too soon after it has been written".to_owned()
        }
        Hazard::SetRegister => {
            "a hardware register is written too soon after S_SETREG has written it".to_owned()
        }
        Hazard::ReturnFromTrap => {
            "a trap handler is left too soon after S_SETREG has written TRAPSTS".to_owned()
        }
        Hazard::ReadsM0 => "m0 is used too soon after the scalar ALU has written it".to_owned(),
        Hazard::StoreData => {
            format!("{register} is overwritten too soon after the store that has it as data")
        }
        Hazard::SkipsVector => {
            "a vector instruction follows too soon after S_SETREG has written MODE.VSKIP".to_owned()
        }
        Hazard::ReadsInterpolated => {
            format!("a lane of {register} is read too soon after an interpolation has written it")
        }
    }
}
