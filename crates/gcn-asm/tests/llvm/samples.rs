//! Samples of every row: texts in which each operand, modifier, or pair of modifiers takes each of its valid and
//! plausible forms, and words in which every bit is flipped.

mod modifiers;
mod operands;

use std::collections::HashSet;

use gcn_isa::{Encoding, Field, Inst, Isa, Kind, Modifier, Operand, Presence, Row, Slot, rows};

use modifiers::{is_permutation, modifier_forms, written_modifiers};
use operands::operand_forms;

/// Every row of `isa` in every encoding that it has there.
pub fn instructions(isa: Isa) -> impl Iterator<Item = (&'static Row, Inst)> {
    rows().flat_map(move |row| {
        row.encodings()
            .filter_map(move |encoding| Some((row, Inst::new(isa, row.op(), encoding)?)))
    })
}

/// Instructions whose modifiers change the number of registers of their operands.
fn bases(inst: &Inst) -> Vec<Inst> {
    let mut bases = vec![*inst];
    let with = |fields: &[(Field, i64)]| {
        let mut other = *inst;
        let all = fields
            .iter()
            .all(|&(field, value)| other.set(field, value).is_ok());
        all.then_some(other)
    };
    let options: &[&[(Field, i64)]] = match inst.encoding {
        Encoding::Mubuf | Encoding::Mtbuf => &[
            &[(Field::Offen, 1)],
            &[(Field::Idxen, 1)],
            &[(Field::Offen, 1), (Field::Idxen, 1)],
            &[(Field::Addr64, 1)],
            &[(Field::Tfe, 1)],
            &[(Field::Lds, 1)],
        ],
        Encoding::Mimg => &[
            &[(Field::Dmask, 1)],
            &[(Field::Dmask, 3)],
            &[(Field::Dmask, 7)],
            &[(Field::Dmask, 15)],
            &[(Field::Dmask, 1), (Field::Tfe, 1)],
            &[(Field::Dmask, 3), (Field::D16, 1)],
            &[(Field::Dmask, 1), (Field::D16, 1)],
        ],
        Encoding::Global | Encoding::Scratch => {
            &[&[(Field::Saddr, 4)], &[(Field::Glc, 1)], &[(Field::Lds, 1)]]
        }
        Encoding::Flat => &[&[(Field::Glc, 1)]],
        Encoding::Ds => &[&[(Field::Gds, 1)]],
        _ => &[],
    };
    bases.extend(options.iter().filter_map(|fields| with(fields)));
    bases
}

/// Names and modifiers that cannot be derived from the rows: other names, and modifiers without bits.
const OTHERS: &[&str] = &[
    "v_cmp_t_f32 vcc, v1, v2",
    "v_cmpx_t_f64 vcc, v[0:1], v[2:3]",
    "v_cmp_t_f16 vcc, v1, v2",
    "v_cmp_tru_f32 vcc, v1, v2",
    "v_add_co_u32 v1, vcc, v2, v3",
    "v_sub_co_u32 v1, s[4:5], v2, v3",
    "v_subrev_co_u32 v1, vcc, v2, v3",
    "v_addc_co_u32 v1, vcc, v2, v3, vcc",
    "v_div_scale_f32 v1, vcc, v2, v3, v4 clamp",
    "v_div_scale_f64 v[0:1], vcc, v[2:3], v[4:5], v[6:7] clamp",
];

/// Texts of every instruction of `isa`, without duplicates.
pub fn texts(isa: Isa) -> Vec<String> {
    let mut seen = HashSet::new();
    let mut lines = Vec::new();
    let mut add = |line: String| {
        if seen.insert(line.clone()) {
            lines.push(line);
        }
    };
    OTHERS.iter().for_each(|line| add((*line).to_owned()));
    for (row, first) in instructions(isa) {
        for (base, inst) in bases(&first).into_iter().enumerate() {
            let text = inst.text();
            let mnemonic = text.split_whitespace().next().unwrap_or("");
            let shown = |slot: &&Slot| match slot.when {
                Presence::Returned => inst.flag(Field::Glc),
                Presence::NotLds => !inst.flag(Field::Lds),
                _ => true,
            };
            let slots: Vec<&Slot> = row.slots().filter(shown).collect();
            let forms: Vec<Vec<String>> = (0..)
                .zip(&slots)
                .map(|(index, slot)| operand_forms(&inst, slot, index))
                .collect();
            let mut own = written_modifiers(&inst);
            // LLVM requires an explicit permutation.
            if inst.layout().has(Field::DppCtrl) {
                own.push("quad_perm:[0,1,2,3]".to_owned());
            }
            let line = |mnemonic: &str, changed: Option<(usize, &str)>, modifiers: &[&str]| {
                let mut line = mnemonic.to_owned();
                for (index, forms) in forms.iter().enumerate() {
                    // LLVM separates the export target from the values by a blank.
                    let is_first = index == 0 || slots[index - 1].kind == Kind::ExportTarget;
                    line.push_str(if is_first { " " } else { ", " });
                    line.push_str(match changed {
                        Some((which, text)) if which == index => text,
                        _ => &forms[0],
                    });
                }
                let is_permuted = modifiers.iter().any(|text| is_permutation(text));
                let own = own
                    .iter()
                    .map(String::as_str)
                    .filter(|text| !is_permuted || !is_permutation(text));
                for modifier in own.chain(modifiers.iter().copied()) {
                    line.push(' ');
                    line.push_str(modifier);
                }
                line
            };
            let (stem, suffix) = ["_e32", "_e64", "_sdwa", "_dpp"]
                .iter()
                .find_map(|suffix| Some((mnemonic.strip_suffix(suffix)?, *suffix)))
                .unwrap_or((mnemonic, ""));
            add(line(mnemonic, None, &[]));
            // An atomic with a destination, but without `glc`.
            if slots.iter().any(|slot| slot.when == Presence::Returned) {
                add(line(mnemonic, None, &[]).replace(" glc", ""));
            }
            for other in ["", "_e32", "_e64", "_sdwa", "_dpp"] {
                add(line(&format!("{stem}{other}"), None, &[]));
            }
            for (index, forms) in forms.iter().enumerate() {
                for form in forms {
                    add(line(mnemonic, Some((index, form)), &[]));
                    // Without a suffix the assembler chooses.
                    if matches!(suffix, "_e32" | "_e64") {
                        add(line(stem, Some((index, form)), &[]));
                    }
                }
            }
            if base > 0 {
                continue;
            }
            let modifiers: Vec<&Modifier> = inst.modifiers().collect();
            let all: Vec<Vec<String>> =
                modifiers.iter().map(|m| modifier_forms(&inst, m)).collect();
            for (index, forms) in all.iter().enumerate() {
                for form in forms {
                    add(line(mnemonic, None, &[form]));
                }
                if suffix == "_e64" {
                    add(line(stem, None, &[&forms[0]]));
                }
                for others in all.iter().skip(index + 1) {
                    // LLVM requires this order.
                    add(line(mnemonic, None, &[&forms[0], &others[0]]));
                }
            }
        }
    }
    lines
}

/// Source numbers of 1/(2π), 0.5, −1 and 64.
const CONSTANTS: [u8; 4] = [248, 240, 193, 192];
/// Literals equal to an inline constant: 64-bit, 32-bit and 16-bit floats, and integers.
const LITERALS: [u32; 8] = [
    0x3ff0_0000,
    0xc010_0000,
    0x3fc4_5f30,
    0x3f80_0000,
    0x3e22_f983,
    0x3c00,
    0x3118,
    u32::MAX,
];

/// An instruction with each constant in each of its sources that can hold one.
fn with_constants(inst: &Inst) -> impl Iterator<Item = Inst> {
    let slots = inst.row().slots();
    let sources = slots.filter(|slot| matches!(slot.kind, Kind::Src | Kind::Ssrc));
    sources.flat_map(move |slot| {
        let count = slot.ty.dwords();
        let inline = CONSTANTS.map(|code| Operand::Scalar { code, count });
        let constants = inline.into_iter().chain(LITERALS.map(Operand::Literal));
        constants.filter_map(move |constant| {
            let mut other = *inst;
            other.set_operand(slot, constant).is_ok().then_some(other)
        })
    })
}

/// Words of every instruction of `isa`: plain, with constants, and each with every bit flipped.
pub fn words(isa: Isa) -> Vec<Vec<u32>> {
    let mut seen = HashSet::new();
    let mut code = Vec::new();
    let mut add = |words: Vec<u32>| {
        if seen.insert(words.clone()) {
            code.push(words);
        }
    };
    for (_, first) in instructions(isa) {
        for inst in bases(&first) {
            let mut plain = inst;
            for slot in inst.row().slots() {
                let _ = plain
                    .set_operand(
                        slot,
                        Operand::Vgprs {
                            first: 5,
                            count: slot.ty.dwords(),
                        },
                    )
                    .or_else(|_| {
                        plain.set_operand(
                            slot,
                            Operand::Scalar {
                                code: 8,
                                count: slot.ty.dwords(),
                            },
                        )
                    });
            }
            for constant in with_constants(&plain) {
                add(constant.words()[..constant.dwords()].to_vec());
            }
            let bits = 32 * inst.dwords() as u32;
            let [low, high] = plain.words();
            let whole = u64::from(low) | u64::from(high) << 32;
            for flip in
                (0..=bits).map(|bit| 1u64.checked_shl(bit).filter(|_| bit < bits).unwrap_or(0))
            {
                let word = whole ^ flip;
                // A literal may follow.
                let words = vec![
                    word as u32,
                    (word >> 32) as u32 | if bits == 32 { 0x1234_5678 } else { 0 },
                ];
                let Ok(decoded) = gcn_isa::decode(isa, &words) else {
                    continue;
                };
                add(words[..decoded.dwords()].to_vec());
            }
        }
    }
    code
}
