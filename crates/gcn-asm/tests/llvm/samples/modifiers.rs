//! Forms of modifiers.

use gcn_isa::{Encoding, Field, Inst, Modifier, ModifierValue, mtbuf};

use super::operands::NUMBERS;

/// Forms of a modifier, beginning with a valid one.
pub(super) fn modifier_forms(inst: &Inst, modifier: &Modifier) -> Vec<String> {
    let name = modifier.names[0];
    match modifier.value {
        // LLVM 19 crashes on `nocompr`.
        ModifierValue::Flag if inst.encoding == Encoding::Exp => vec![name.to_owned()],
        ModifierValue::Flag => vec![name.to_owned(), format!("no{name}")],
        ModifierValue::Unsigned if modifier.field == Field::BoundCtrl => {
            vec!["bound_ctrl:0".to_owned(), "bound_ctrl:1".to_owned()]
        }
        ModifierValue::Unsigned | ModifierValue::Signed => {
            let mut forms: Vec<String> = NUMBERS.iter().map(|n| format!("{name}:{n}")).collect();
            forms.swap(0, 2);
            forms
        }
        ModifierValue::Swizzle => [
            "0x8055",
            "0",
            "65535",
            "65536",
            "swizzle(QUAD_PERM,1,1,1,1)",
            "swizzle(SWAP,16)",
            "swizzle(REVERSE,8)",
            "swizzle(BROADCAST,2,0)",
            "swizzle(BITMASK_PERM,\"01pip\")",
            "swizzle(SWAP,3)",
            "swizzle(QUAD_PERM,0,1,2,4)",
            "swizzle(BITMASK_PERM,\"01pi\")",
        ]
        .iter()
        .map(|value| format!("{name}:{value}"))
        .collect(),
        ModifierValue::Omod => [
            "mul:2", "mul:4", "div:2", "mul:1", "div:1", "mul:3", "div:4",
        ]
        .map(str::to_owned)
        .into(),
        ModifierValue::BitList => {
            let length = inst.list_bits(modifier).iter().count();
            let list = |bit: usize| -> String {
                let bits: Vec<&str> = (0..length)
                    .map(|i| if i == bit { "1" } else { "0" })
                    .collect();
                format!("{name}:[{}]", bits.join(","))
            };
            let mut forms: Vec<String> = (0..=length).map(list).collect();
            forms.push(format!("{name}:[{}]", vec!["1"; length].join(",")));
            forms.push(format!("{name}:[2]"));
            forms
        }
        ModifierValue::Named(names) => names
            .iter()
            .map(|value| format!("{name}:{value}"))
            .collect(),
        ModifierValue::Hex => ["0x5", "0", "0xf", "16", "-1"]
            .iter()
            .map(|value| format!("{name}:{value}"))
            .collect(),
        ModifierValue::Mask => ["0x1", "0x3", "0x7", "0xf", "0", "16"]
            .iter()
            .map(|value| format!("{name}:{value}"))
            .collect(),
        ModifierValue::BufferFormat => {
            let numbers = mtbuf::number_formats(inst.isa);
            let names = mtbuf::DATA_FORMATS
                .iter()
                .chain(&numbers)
                .filter(|name| !name.is_empty());
            let mut forms: Vec<String> = names.map(|value| format!("{name}:[{value}]")).collect();
            forms.extend(
                [
                    "0",
                    "127",
                    "128",
                    "[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT]",
                ]
                .map(|value| format!("{name}:{value}")),
            );
            forms
        }
        ModifierValue::Part => ["1", "7", "15", "16"]
            .iter()
            .map(|value| format!("{name}:{value}"))
            .collect(),
        ModifierValue::LanePermutation => [
            "quad_perm:[0,1,2,3]",
            "quad_perm:[3,2,1,0]",
            "quad_perm:[0,1,2,4]",
            "row_shl:1",
            "row_shl:15",
            "row_shl:0",
            "row_shl:16",
            "row_shr:3",
            "row_ror:7",
            "wave_shl:1",
            "wave_rol:1",
            "wave_shr:1",
            "wave_ror:1",
            "wave_shl:2",
            "row_mirror",
            "row_half_mirror",
            "row_bcast:15",
            "row_bcast:31",
            "row_bcast:16",
        ]
        .map(str::to_owned)
        .into(),
    }
}

/// True for DPP permutations.
pub(super) fn is_permutation(text: &str) -> bool {
    let is_mask = text.starts_with("row_mask");
    !is_mask
        && ["quad_perm", "row_", "wave_"]
            .iter()
            .any(|name| text.starts_with(name))
}

/// Modifiers that an instruction has set, as printed.
pub(super) fn written_modifiers(inst: &Inst) -> Vec<String> {
    let mut texts = Vec::new();
    for modifier in inst.modifiers() {
        let value = inst.get(modifier.field);
        match modifier.value {
            ModifierValue::Flag if value != 0 => texts.push(modifier.names[0].to_owned()),
            ModifierValue::Mask if value != 0 => {
                texts.push(format!("{}:{value:#x}", modifier.names[0]))
            }
            _ => {}
        }
    }
    texts
}
