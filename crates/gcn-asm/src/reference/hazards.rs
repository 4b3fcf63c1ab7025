//! Hazards in which an instruction can take part.

use gcn_isa::uses::Hazard;
use gcn_isa::{Form, Inst, Isa, Operand, Row, regs, simm};

use super::instruction::{IsaText, group_texts};
use super::sets::exists;

/// Operand codes of scalars involved in hazards.
const CODES: [u8; 6] = [
    0,
    regs::VCC_LO,
    regs::EXEC_LO,
    regs::M0,
    regs::VCCZ,
    regs::EXECZ,
];
/// Hardware registers involved in hazards.
const HARDWARE: [u8; 2] = [simm::HWREG_MODE, simm::HWREG_TRAPSTS];

/// Hazards that an instruction can begin or end in any encoding, on the given instruction sets.
///
/// # Examples
/// ```
/// use gcn_asm::reference::hazards;
/// use gcn_isa::{Isa, Op, vop::Vop2};
/// let row = Op::Vop2(Vop2::V_READLANE_B32).row();
/// let found = hazards(&[Isa::Si], row);
/// let select = "4 wait states after the vector ALU writes the SGPR that selects the lane";
/// assert!(found.iter().any(|it| it.text == select), "{found:?}");
/// ```
pub fn hazards(isas: &[Isa], row: &'static Row) -> Vec<IsaText> {
    let here: Vec<Isa> = isas
        .iter()
        .copied()
        .filter(|&isa| exists(row, isa))
        .collect();
    let mut texts = Vec::new();
    for &isa in &here {
        let forms = isa.tables().forms(row.op()).iter();
        let variants: Vec<Inst> = forms.flat_map(variants).collect();
        for hazard in Hazard::ALL.into_iter().filter(|it| it.on().has(isa)) {
            let (before, after) = phrases(hazard);
            let states = match hazard.wait_states(isa) {
                1 => "1 wait state".to_owned(),
                states => format!("{states} wait states"),
            };
            if variants.iter().any(|inst| hazard.begins(&inst.uses())) {
                texts.push((format!("{states} before {before}"), isa));
            }
            if variants.iter().any(|inst| hazard.ends(&inst.uses())) {
                texts.push((format!("{states} after {after}"), isa));
            }
        }
    }
    group_texts(texts.into_iter(), &here)
}

/// An example instruction, and copies of it that each have one operand or modifier on which hazards depend.
fn variants(form: &'static Form) -> Vec<Inst> {
    let example = form.example();
    let mut all = vec![example];
    let mut add = |change: &dyn Fn(&mut Inst) -> bool| {
        let mut inst = example;
        if change(&mut inst) && inst.broken_rule().is_none() {
            all.push(inst);
        }
    };
    for slot in form.row.slots() {
        let scalars = CODES.map(|code| Operand::Scalar {
            code,
            count: slot.ty.dwords(),
        });
        let whole = |id| {
            let register = simm::Hwreg {
                id,
                offset: 0,
                width: u32::BITS as u8,
            };
            Operand::Imm(register.pack().into())
        };
        for operand in scalars.into_iter().chain(HARDWARE.map(whole)) {
            add(&|inst| inst.set_operand(slot, operand).is_ok());
        }
    }
    for placed in &form.modifiers {
        add(&|inst| inst.set(placed.modifier.field, 1).is_ok());
    }
    all
}

/// Text for an instruction that begins the hazard ("before …"), and for one that ends it ("after …").
const fn phrases(hazard: Hazard) -> (&'static str, &'static str) {
    match hazard {
        Hazard::VectorMemoryReadsSgpr => (
            "vector memory reads an SGPR that it writes",
            "the vector ALU writes an SGPR that it reads",
        ),
        Hazard::ScalarMemoryReadsSgpr => (
            "scalar memory reads an SGPR that it writes",
            "the vector ALU writes an SGPR that it reads",
        ),
        Hazard::ScalarBufferReadsSgpr => (
            "a scalar buffer load reads a descriptor that it writes",
            "the scalar ALU writes its descriptor",
        ),
        Hazard::DppReadsVgpr => (
            "DPP reads a VGPR that it writes",
            "a VGPR is written that it reads by DPP",
        ),
        Hazard::DppAfterExec => (
            "an instruction with DPP, if it writes EXEC",
            "the vector ALU writes EXEC, with DPP",
        ),
        Hazard::DivFmasReadsVcc => ("v_div_fmas, if it writes VCC", "the vector ALU writes VCC"),
        Hazard::ReadsZeroFlag => (
            "the vector ALU reads VCCZ or EXECZ, if it writes VCC or EXEC",
            "the vector ALU writes VCC or EXEC, if it reads VCCZ or EXECZ",
        ),
        Hazard::LaneSelect => (
            "an SGPR that it writes selects the lane of v_readlane or v_writelane",
            "the vector ALU writes the SGPR that selects the lane",
        ),
        Hazard::GetRegister => (
            "s_getreg of the register that it sets",
            "the register is set",
        ),
        Hazard::SetRegister => (
            "s_setreg of the same register",
            "s_setreg of the same register",
        ),
        Hazard::ReturnFromTrap => ("s_rfe, if it sets TRAPSTS", "s_setreg of TRAPSTS"),
        Hazard::ReadsM0 => (
            "M0 is read by a message, GDS, a relative register number or an LDS address, if it writes M0",
            "the scalar ALU writes M0, if it reads M0",
        ),
        Hazard::StoreData => (
            "the vector ALU or interpolation overwrites its data, if these are more than 64 bits",
            "a store of more than 64 bits whose data it overwrites",
        ),
        Hazard::SkipsVector => (
            "a vector instruction, if it sets MODE.VSKIP",
            "s_setreg of MODE.VSKIP",
        ),
        Hazard::ReadsInterpolated => (
            "v_readlane or v_readfirstlane reads a VGPR that it writes",
            "interpolation writes the VGPR that it reads",
        ),
    }
}
