//! Samples of every row: texts in which one operand after the other, and one modifier or pair of modifiers after the
//! other, takes each of the forms that it has or might be thought to have; and words in which every bit is flipped.

use std::collections::HashSet;

use gcn_isa::{
    Access, Encoding, Field, Inst, Isa, Kind, Modifier, Operand, Row, Slot, Value, When, mtbuf,
    rows, simm, vintrp,
};

/// Every row that `isa` has in every encoding that it has it in.
pub fn instructions(isa: Isa) -> impl Iterator<Item = (&'static Row, Inst)> {
    rows().flat_map(move |row| {
        row.encodings()
            .filter_map(move |encoding| Some((row, Inst::new(isa, row.op(), encoding)?)))
    })
}

/// Constants as text: the ends of the inline integers, inline floats as floats and as bits, literals of each width.
const CONSTANTS: &[&str] = &[
    "0",
    "1",
    "64",
    "65",
    "-1",
    "-16",
    "-17",
    "0.5",
    "-4.0",
    "1.0",
    "1.5",
    "0.15915494",
    "0x3800",
    "0x3c00",
    "0x3118",
    "0x3f000000",
    "0x3e22f983",
    "0x3fe00000",
    "0x8000",
    "0xffff",
    "0xfff0",
    "0x10000",
    "0x7fffffff",
    "0xfffffff0",
    "0xffffffff",
    "0x100000000",
    "0x3ff0000000000000",
    "1e-10",
    "1e10",
    "lit(1.5)",
];

/// Constants within modifiers of sources.
const MODIFIED: &[&str] = &[
    "neg(1)",
    "-1.0",
    "|1.5|",
    "abs(-1.0)",
    "-|0.5|",
    "neg(0x3f800000)",
    "sext(1)",
    "neg(lit(1.5))",
];

/// Numbers for fields: around every width that one has.
const NUMBERS: &[&str] = &[
    "0", "1", "2", "15", "16", "127", "128", "255", "256", "4095", "4096", "0x7fff", "0x8000",
    "65535", "65536", "-1", "-4096", "-32768",
];

fn group(letter: &str, first: u32, count: u32) -> String {
    if count == 1 {
        format!("{letter}{first}")
    } else {
        format!("{letter}[{first}:{}]", first + count - 1)
    }
}

/// VGPRs: a base, both ends, one too many.
fn vgprs(index: u32, count: u32) -> Vec<String> {
    vec![
        group("v", 1 + 8 * index, count),
        group("v", 0, count),
        group("v", 256 - count, count),
        group("v", 4, count + 1),
    ]
}

/// Scalar registers of every kind, a base first.
fn scalars(isa: Isa, index: u32, count: u32) -> Vec<String> {
    let last = u32::from(isa.sgprs()) - count;
    let aligned = if count > 2 {
        last / 4 * 4
    } else {
        last / 2 * 2
    };
    let mut all = vec![
        group("s", 8 + 16 * index, count),
        group("s", 0, count),
        group("s", aligned, count),
        group("s", 1, count),
        group("s", 4, count + 1),
        group("ttmp", 0, count),
        group("ttmp", 8, count),
    ];
    let halves = ["vcc", "exec", "flat_scratch", "xnack_mask", "tba", "tma"];
    for name in halves {
        all.push(if count == 1 {
            format!("{name}_lo")
        } else {
            name.to_owned()
        });
    }
    all.extend(["vcc_hi", "exec_hi", "m0"].map(str::to_owned));
    all
}

/// Named values that are no registers.
const VALUES: &[&str] = &[
    "src_vccz",
    "src_execz",
    "src_scc",
    "src_shared_base",
    "src_shared_limit",
    "src_private_base",
    "src_private_limit",
    "src_pops_exiting_wave_id",
    "src_lds_direct",
];

/// The forms of an operand, one that is possible first.
fn operand_forms(inst: &Inst, slot: &Slot, index: u32) -> Vec<String> {
    let isa = inst.isa;
    let count = u32::from(slot.ty.dwords());
    let of = |texts: &[&str]| {
        texts
            .iter()
            .map(|&text| text.to_owned())
            .collect::<Vec<_>>()
    };
    let is_nine_bits = inst.layout().bits(slot.field).width == 9;
    match slot.kind {
        Kind::Vgpr => {
            let mut forms = vgprs(index, count);
            forms.extend(of(&["s1", "0", "off"]));
            if is_nine_bits {
                forms.extend(of(&["src_lds_direct", "m0", "-v1"]));
            }
            forms
        }
        Kind::GlobalAddress | Kind::ScratchAddress | Kind::BufferAddress => {
            match inst.operand(slot) {
                Operand::Vgprs { count, .. } => {
                    let mut forms = vgprs(index, count.into());
                    forms.push("off".to_owned());
                    forms
                }
                _ => of(&["off", "v1"]),
            }
        }
        Kind::ImageData { .. } | Kind::ImageAddress { .. } => match inst.operand(slot) {
            Operand::Vgprs { count, .. } => {
                let mut forms = vgprs(index, count.into());
                forms.push(group("v", 8, 4));
                forms
            }
            _ => of(&["off"]),
        },
        Kind::ExportTarget => of(&[
            "mrt0", "mrt7", "mrtz", "null", "pos0", "pos3", "param0", "param31", "mrt8", "pos4",
        ]),
        Kind::ExportSource(_) => {
            let mut forms = vgprs(index, 1);
            forms.extend(of(&["off", "s0"]));
            forms
        }
        Kind::Attribute => {
            let last = format!("attr{}.w", vintrp::MAX_ATTRIBUTE);
            let mut forms = of(&[
                "attr0.x", "attr1.y", "attr31.z", "attr33.x", "attr64.x", "attr0.q",
            ]);
            forms.push(last);
            forms
        }
        Kind::VertexParameter => of(&["p10", "p20", "p0", "p1"]),
        Kind::Saddr => {
            let mut forms = of(&["off"]);
            if !inst.saddr_is_off() {
                forms = scalars(isa, index, count);
                forms.push("off".to_owned());
            }
            forms
        }
        Kind::Src => {
            let mut forms = vgprs(index, count);
            forms.extend(scalars(isa, 0, count));
            forms.extend(of(VALUES));
            forms.extend(of(CONSTANTS));
            forms.extend(of(MODIFIED));
            let register = group("v", 1, count);
            for (before, after) in [
                ("-", ""),
                ("|", "|"),
                ("-|", "|"),
                ("neg(", ")"),
                ("abs(", ")"),
                ("sext(", ")"),
            ] {
                forms.push(format!("{before}{register}{after}"));
            }
            forms.push(format!("-{}", group("s", 2, count)));
            forms
        }
        Kind::Ssrc => {
            let mut forms = scalars(isa, index, count);
            forms.extend(of(VALUES));
            forms.extend(of(CONSTANTS));
            forms.push("v1".to_owned());
            forms
        }
        Kind::Sdst => {
            let mut forms = scalars(isa, index, count);
            if inst.layout().bits(slot.field).width == 0 {
                forms.insert(0, if count == 1 { "vcc_lo" } else { "vcc" }.to_owned());
            }
            if slot.access == Access::Read {
                forms.extend(of(&["src_scc", "src_vccz"]));
            }
            forms.extend(of(&["v1", "0"]));
            forms
        }
        Kind::Aligned(_) => {
            let mut forms = scalars(isa, index, count);
            forms.push("v1".to_owned());
            forms
        }
        Kind::ScalarOffset { .. } => of(&[
            "0x10",
            "0",
            "0xff",
            "0x100",
            "0xfffff",
            "0x100000",
            "-1",
            "-0x100000",
            "0xffffffff",
            "s4",
            "s101",
            "m0",
            "vcc_lo",
            "exec_lo",
            "v1",
            "s4 offset:0x10",
            "s4 offset:0xfffff",
        ]),
        Kind::Unsigned | Kind::Signed | Kind::Simm16 => of(NUMBERS),
        // A number is a distance; LLVM writes it without sign.
        Kind::Branch => of(&["0", "1", "0x7fff", "65535", "65536"]),
        Kind::Waitcnt => of(&[
            "vmcnt(0)",
            "vmcnt(15)",
            "vmcnt(63)",
            "vmcnt(64)",
            "vmcnt(64)",
            "expcnt(0)",
            "expcnt(7)",
            "expcnt(8)",
            "lgkmcnt(0)",
            "lgkmcnt(15)",
            "lgkmcnt(16)",
            "lgkmcnt_sat(16)",
            "vmcnt_sat(100)",
            "vmcnt(1) & expcnt(2)",
            "vmcnt(1), lgkmcnt(2)",
            "vmcnt(0) expcnt(0) lgkmcnt(0)",
            "0",
            "0xffff",
            "65536",
            "-1",
            "vmcnt(0) vscnt(0)",
        ]),
        Kind::Hwreg => {
            let names = simm::HWREGS
                .iter()
                .map(|(name, ..)| format!("hwreg({name})"));
            let mut forms = of(&[
                "hwreg(1)",
                "hwreg(0)",
                "hwreg(63)",
                "hwreg(64)",
                "hwreg(2, 0, 1)",
                "hwreg(2, 31, 32)",
                "hwreg(2, 32, 1)",
                "hwreg(2, 0, 0)",
                "hwreg(2, 0, 33)",
                "hwreg(2, 5)",
                "hwreg(HW_REG_MODE, 4, 2)",
                "hwreg(HW_REG_NONE)",
                "0",
                "0xffff",
                "65536",
                "-1",
                "{id: 1}",
                "{id: 2, offset: 3, size: 4}",
                "{size: 1}",
                "{id: 64}",
            ]);
            forms.extend(names);
            forms
        }
        Kind::SendMsg => {
            let mut forms = of(&[
                "sendmsg(MSG_INTERRUPT)",
                "sendmsg(2, 1, 0)",
                "sendmsg(2, 1, 3)",
                "sendmsg(2, 1, 4)",
                "sendmsg(15, 7, 3)",
                "sendmsg(16)",
                "sendmsg(1, 8)",
                "sendmsg(MSG_NONE)",
                "0",
                "0xffff",
                "65536",
                "-1",
            ]);
            for (name, id, _) in simm::MESSAGES {
                forms.push(format!("sendmsg({name})"));
                for (op, ..) in simm::message_ops(*id) {
                    forms.push(format!("sendmsg({name}, {op})"));
                    forms.push(format!("sendmsg({name}, {op}, 1)"));
                }
            }
            forms
        }
        Kind::GprIndex => of(&[
            "gpr_idx(SRC0)",
            "gpr_idx()",
            "gpr_idx(SRC0,SRC1,SRC2,DST)",
            "gpr_idx(DST,DST)",
            "0",
            "15",
            "16",
            "-1",
        ]),
        Kind::Literal => {
            let mut forms = of(CONSTANTS);
            forms.insert(0, "0x12345".to_owned());
            if slot.ty.bytes() == 2 {
                forms.insert(0, "0x1234".to_owned());
            }
            forms
        }
    }
}

/// The forms of a modifier, one that is possible first.
fn modifier_forms(inst: &Inst, modifier: &Modifier) -> Vec<String> {
    let name = modifier.names[0];
    match modifier.value {
        // LLVM 19 does not survive `nocompr`.
        Value::Flag if inst.encoding == Encoding::Exp => vec![name.to_owned()],
        Value::Flag => vec![name.to_owned(), format!("no{name}")],
        Value::Unsigned if modifier.field == Field::BoundCtrl => {
            vec!["bound_ctrl:0".to_owned(), "bound_ctrl:1".to_owned()]
        }
        Value::Unsigned | Value::Signed => {
            let mut forms: Vec<String> = NUMBERS.iter().map(|n| format!("{name}:{n}")).collect();
            forms.swap(0, 2);
            forms
        }
        Value::Swizzle => [
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
        Value::Omod => [
            "mul:2", "mul:4", "div:2", "mul:1", "div:1", "mul:3", "div:4",
        ]
        .map(str::to_owned)
        .into(),
        Value::BitList => {
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
        Value::Named(names) => names
            .iter()
            .map(|value| format!("{name}:{value}"))
            .collect(),
        Value::Hex => ["0x5", "0", "0xf", "16", "-1"]
            .iter()
            .map(|value| format!("{name}:{value}"))
            .collect(),
        Value::Mask => ["0x1", "0x3", "0x7", "0xf", "0", "16"]
            .iter()
            .map(|value| format!("{name}:{value}"))
            .collect(),
        Value::BufferFormat => {
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
        Value::Part => ["1", "7", "15", "16"]
            .iter()
            .map(|value| format!("{name}:{value}"))
            .collect(),
        Value::LanePermutation => [
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

/// Instructions whose modifiers change how many registers their operands have.
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

/// True if a modifier selects the lane that each lane reads.
fn is_permutation(text: &str) -> bool {
    let is_mask = text.starts_with("row_mask");
    !is_mask
        && ["quad_perm", "row_", "wave_"]
            .iter()
            .any(|name| text.starts_with(name))
}

/// The modifiers that an instruction has set, as it prints them.
fn written_modifiers(inst: &Inst) -> Vec<String> {
    let mut texts = Vec::new();
    for modifier in inst.modifiers() {
        let value = inst.get(modifier.field);
        match modifier.value {
            Value::Flag if value != 0 => texts.push(modifier.names[0].to_owned()),
            Value::Mask if value != 0 => texts.push(format!("{}:{value:#x}", modifier.names[0])),
            _ => {}
        }
    }
    texts
}

/// Texts of every instruction of `isa`, each once.
pub fn texts(isa: Isa) -> Vec<String> {
    let mut seen = HashSet::new();
    let mut lines = Vec::new();
    let mut add = |line: String| {
        if seen.insert(line.clone()) {
            lines.push(line);
        }
    };
    for (row, first) in instructions(isa) {
        for (base, inst) in bases(&first).into_iter().enumerate() {
            let text = inst.text();
            let mnemonic = text.split_whitespace().next().unwrap_or("");
            let shown = |slot: &&Slot| match slot.when {
                When::Returned => inst.flag(Field::Glc),
                When::NotLds => !inst.flag(Field::Lds),
                _ => true,
            };
            let slots: Vec<&Slot> = row.slots().filter(shown).collect();
            let forms: Vec<Vec<String>> = (0..)
                .zip(&slots)
                .map(|(index, slot)| operand_forms(&inst, slot, index))
                .collect();
            let mut own = written_modifiers(&inst);
            // LLVM wants a permutation to be written.
            if inst.layout().has(Field::DppCtrl) {
                own.push("quad_perm:[0,1,2,3]".to_owned());
            }
            let line = |mnemonic: &str, changed: Option<(usize, &str)>, modifiers: &[&str]| {
                let mut line = mnemonic.to_owned();
                for (index, forms) in forms.iter().enumerate() {
                    // LLVM separates the target of an export from the values by a blank.
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
                    // LLVM wants them in this order.
                    add(line(mnemonic, None, &[&forms[0], &others[0]]));
                }
            }
        }
    }
    lines
}

/// Words of every instruction of `isa`: plain ones, and each with every bit flipped.
pub fn words(isa: Isa) -> Vec<Vec<u32>> {
    let mut seen = HashSet::new();
    let mut code = Vec::new();
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
                let words = words[..decoded.dwords()].to_vec();
                if seen.insert(words.clone()) {
                    code.push(words);
                }
            }
        }
    }
    code
}
