//! Forms of operands.

use gcn_isa::{Inst, Isa, Kind, Operand, OperandAccess, Slot, simm, vintrp};

/// Constants as text: boundaries of the inline integers, inline floats as floats and as bits, literals of each width.
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

/// Constants with source modifiers.
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

/// Field values at the boundaries of all field widths.
pub(super) const NUMBERS: &[&str] = &[
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

/// Named values that are not registers.
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

/// Forms of an operand, beginning with a valid one.
pub(super) fn operand_forms(inst: &Inst, slot: &Slot, index: u32) -> Vec<String> {
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
            if slot.access == OperandAccess::Read {
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
        // A number is a distance; LLVM prints it unsigned.
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
