//! Shared test code: sampled instructions, and LLVM's assembler.

#![allow(dead_code)] // Each test uses a part.

use std::io::Write;
use std::process::{Command, Stdio};

use gcn_asm::{Options, Severity, Source, assemble};
use gcn_isa::{
    Does, Encoding, Field, Inst, Isa, Kind, ModifierValue, Op, Operand, Presence, Row, Slot,
    Target, regs,
};

/// Targets used by the tests, by their names in LLVM's assembler.
pub const CHIPS: [&str; 5] = ["tahiti", "bonaire", "fiji", "gfx900", "gfx906"];

/// Target by name, which must exist.
pub fn target(name: &str) -> &'static Target {
    Target::named(name).unwrap_or_else(|| panic!("{name} is no target"))
}

/// Words of a text that assembles without errors, or its errors.
pub fn words(target: &'static Target, text: &str) -> Result<Vec<u32>, String> {
    let source = Source {
        name: "test.s",
        text,
    };
    let assembly = assemble(&source, &Options::new(target));
    let errors: Vec<String> = assembly
        .diagnostics
        .iter()
        .filter(|d| d.severity == Severity::Error)
        .map(|d| format!("`{}`: {}", &text[d.span.clone()], d.message))
        .collect();
    if !errors.is_empty() {
        return Err(errors.join("\n"));
    }
    let bytes = assembly.program.to_raw();
    Ok(bytes
        .chunks_exact(4)
        .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
        .collect())
}

/// The words of an instruction.
pub fn inst_words(inst: &Inst) -> Vec<u32> {
    inst.words()[..inst.dwords()].to_vec()
}

/// Runs a tool of Debian's LLVM packages; if it is missing, the test fails and names the package.
pub fn tool(name: &str, package: &str, arguments: &[&str], input: &str) -> (String, String) {
    let child = Command::new(name)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child =
        child.unwrap_or_else(|error| panic!("{name}: {error}; install the package {package}"));
    let mut stdin = child.stdin.take().expect("standard input is piped");
    let text = input.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let output = child.wait_with_output().expect("the tool ends");
    let _ = writer.join().expect("the writer ends");
    (
        String::from_utf8_lossy(&output.stdout).into_owned(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

/// Words of each line from LLVM's assembler, which must accept all of them.
pub fn llvm_words(cpu: &str, lines: &[String]) -> Vec<Vec<u32>> {
    let mcpu = format!("-mcpu={cpu}");
    let (out, err) = tool(
        "llvm-mc-19",
        "llvm-19",
        &["-arch=amdgcn", &mcpu, "-show-encoding"],
        &lines.join("\n"),
    );
    let shown: String = err.lines().take(30).collect::<Vec<_>>().join("\n");
    assert!(
        err.is_empty(),
        "llvm-mc-19 -mcpu={cpu} rejects lines:\n{shown}"
    );
    let encodings: Vec<Vec<u32>> = out
        .lines()
        .filter_map(|line| line.split("; encoding: [").nth(1))
        .map(|list| {
            let bytes: Vec<u8> = list
                .trim_end_matches(']')
                .split(',')
                .map(|byte| u8::from_str_radix(byte.trim_start_matches("0x"), 16).expect("a byte"))
                .collect();
            bytes
                .chunks_exact(4)
                .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
                .collect()
        })
        .collect();
    assert_eq!(encodings.len(), lines.len(), "one encoding a line on {cpu}");
    encodings
}

/// Deterministic pseudorandom numbers.
pub struct Random(u64);

impl Random {
    /// Creates a distinct sequence for every pair of numbers.
    pub fn new(a: u64, b: u64) -> Random {
        // The golden ratio's bits mix similar seeds.
        let mut random = Random((a << 32 | b).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        for _ in 0..4 {
            random.below(1);
        }
        random
    }

    /// Below `bound`.
    pub fn below(&mut self, bound: u64) -> u64 {
        // Knuth's MMIX generator; its high bits are the random ones.
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound.max(1)
    }

    /// True with probability 1/`n`.
    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}

/// A valid instruction of the row with random operands and modifiers, which an assembler must accept.
pub fn sample(isa: Isa, op: Op, encoding: Encoding, random: &mut Random) -> Option<Inst> {
    let mut inst = Inst::new(isa, op, encoding)?;
    let row = inst.row();
    let scalar_address = random.one_in(2);
    // Only one operand of a vector instruction may be scalar.
    let mut bus_is_free = !row.slots().any(|slot| {
        slot.kind == Kind::Sdst && slot.access == gcn_isa::OperandAccess::Read
            || slot.kind == Kind::Literal
    });
    bus_is_free &= !row.implicit().has(gcn_isa::effect::Implicit::READS_VCC);
    for modifier in inst.modifiers() {
        let width = inst.layout().bits(modifier.field).width;
        let flag = modifier.value == ModifierValue::Flag;
        let written = modifier.required || random.one_in(if flag { 4 } else { 2 });
        if !written || modifier.value == ModifierValue::BitList {
            continue;
        }
        let value = match modifier.value {
            ModifierValue::Signed => random.below(1 << width) as i64 - (1 << (width - 1)),
            ModifierValue::Named(names) => random.below(names.len() as u64) as i64,
            // The quad permutations.
            ModifierValue::LanePermutation => random.below(256) as i64,
            // Masks whose text is exact: bits of OR and XOR only where AND is clear and set, respectively.
            ModifierValue::Swizzle => {
                let (and, or, xor) = (random.below(32), random.below(32), random.below(32));
                let mask =
                    gcn_isa::swizzle::bitmask(and as u8, (or & !and) as u8, (xor & and) as u8);
                let quad = gcn_isa::swizzle::QUAD_PERM | random.below(256) as u16;
                i64::from(if random.one_in(2) { mask } else { quad })
            }
            _ => random.below(1 << width) as i64,
        };
        let placed = match modifier.value {
            ModifierValue::Signed => inst.set_signed(modifier.field, value),
            _ => inst.set(modifier.field, if flag { 1 } else { value }),
        };
        placed.expect("a value within the field");
    }
    for slot in row.slots() {
        let operand = operand(&inst, slot, scalar_address, &mut bus_is_free, random);
        if let Some(operand) = operand {
            inst.set_operand(slot, operand)
                .unwrap_or_else(|error| panic!("{} {slot:?} {operand:?}: {error}", row.name));
        }
    }
    Some(inst)
}

fn scalar(isa: Isa, count: u8, random: &mut Random) -> u8 {
    let step = match count {
        1 => 1,
        2 => 2,
        _ => 4,
    };
    let places = (isa.sgprs() - count) / step + 1;
    random.below(u64::from(places)) as u8 * step
}

fn operand(
    inst: &Inst,
    slot: &Slot,
    scalar_address: bool,
    bus_is_free: &mut bool,
    random: &mut Random,
) -> Option<Operand> {
    let isa = inst.isa;
    let count = slot.ty.dwords();
    let bits = inst.layout().bits(slot.field);
    let tfe = u8::from(inst.flag(Field::Tfe));
    let vgprs = |random: &mut Random, count: u8| Operand::Vgprs {
        first: random.below(257 - u64::from(count) - u64::from(tfe)) as u8,
        count,
    };
    match slot.when {
        Presence::Returned if !inst.flag(Field::Glc) => return None,
        Presence::NotLds if inst.flag(Field::Lds) && random.one_in(2) => return None,
        Presence::Optional if random.one_in(2) => return None,
        _ => {}
    }
    Some(match slot.kind {
        Kind::Vgpr => vgprs(random, count),
        Kind::ImageData { .. } => match inst.operand(slot) {
            Operand::Vgprs { count, .. } => Operand::Vgprs {
                first: random.below(257 - u64::from(count)) as u8,
                count,
            },
            other => panic!("{slot:?} is {other:?}"),
        },
        Kind::ImageAddress { least, .. } => vgprs(random, least),
        Kind::ExportSource(_) if random.one_in(3) => Operand::Off,
        Kind::ExportSource(_) => vgprs(random, 1),
        Kind::ExportTarget => Operand::Imm(32 + random.below(32) as i64),
        Kind::Attribute => Operand::Imm(random.below(33 * 4) as i64),
        Kind::VertexParameter => Operand::Imm(random.below(3) as i64),
        Kind::GlobalAddress => vgprs(random, 2),
        Kind::ScratchAddress if scalar_address => Operand::Off,
        Kind::ScratchAddress => vgprs(random, 1),
        Kind::BufferAddress => match u8::from(inst.flag(Field::Addr64)) * 2
            + u8::from(inst.flag(Field::Idxen))
            + u8::from(inst.flag(Field::Offen))
        {
            0 => Operand::Off,
            n => vgprs(random, n.min(2)),
        },
        Kind::Saddr if !scalar_address => Operand::Off,
        Kind::Sdst if bits.width == 0 => return None,
        Kind::Saddr | Kind::Sdst | Kind::Aligned(_) => Operand::Scalar {
            code: scalar(isa, count, random),
            count,
        },
        Kind::Src if bits.width == 8 || !*bus_is_free || random.one_in(2) => vgprs(random, count),
        Kind::Ssrc if inst.encoding.is_vector_alu() && !*bus_is_free => Operand::Scalar {
            code: regs::ZERO + random.below(65) as u8,
            count,
        },
        Kind::Src | Kind::Ssrc => {
            *bus_is_free = false;
            match random.below(4) {
                0 => Operand::Scalar {
                    code: regs::ZERO + random.below(65) as u8,
                    count,
                },
                1 if inst.layout().dwords == 1 && inst.literal().is_none() && count == 1 => {
                    Operand::Literal(0x1234 + random.below(0x1000) as u32)
                }
                _ => Operand::Scalar {
                    code: scalar(isa, count, random),
                    count,
                },
            }
        }
        Kind::ScalarOffset { signed } => scalar_offset(inst, signed, random),
        Kind::Unsigned | Kind::Hwreg | Kind::GprIndex => {
            Operand::Imm(random.below(bits.max() + 1) as i64)
        }
        Kind::Signed | Kind::Simm16 | Kind::Branch => {
            Operand::Imm(i64::from(random.below(1 << 16) as u16 as i16))
        }
        Kind::Waitcnt | Kind::SendMsg => Operand::Imm(random.below(0x80) as i64),
        Kind::Literal => Operand::Literal(0x1234 + random.below(0x1000) as u32),
    })
}

fn scalar_offset(inst: &Inst, signed: bool, random: &mut Random) -> Operand {
    let isa = inst.isa;
    let stores = matches!(inst.does(), Does::Store(_) | Does::Atomic(..));
    // On GCN 1.2 a store's register must be M0 (errata E026).
    let reg = if stores || random.one_in(8) {
        regs::M0
    } else {
        scalar(isa, 1, random)
    };
    let width = inst.layout().bits(Field::Offset).width;
    let imm = match width {
        21 if signed => random.below(1 << 21) as i32 - (1 << 20),
        width => random.below(1 << width.min(20)) as i32,
    };
    let both = inst.layout().has(Field::Soe);
    match random.below(4) {
        0 => Operand::ScalarOffset {
            imm: None,
            reg: Some(reg),
            literal: false,
        },
        1 if both => Operand::ScalarOffset {
            imm: Some(imm),
            reg: Some(reg),
            literal: false,
        },
        2 if inst.encoding == Encoding::Smrd && isa == Isa::Ci => Operand::ScalarOffset {
            imm: Some(256 + random.below(1 << 20) as i32),
            reg: None,
            literal: true,
        },
        _ => Operand::ScalarOffset {
            imm: Some(imm),
            reg: None,
            literal: false,
        },
    }
}

/// True for the documented memory rows: DS, FLAT, GLOBAL, SCRATCH, SMEM and SMRD.
pub fn is_memory(row: &Row) -> bool {
    matches!(
        row.op(),
        Op::Ds(_) | Op::Flat(_) | Op::Global(_) | Op::Scratch(_) | Op::Smem(_) | Op::Smrd(_)
    )
}
