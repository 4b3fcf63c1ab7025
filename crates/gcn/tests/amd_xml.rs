//! Tests of `gcn isa --format amd-xml`. AMD's decoder reads the document, and must decode every form, with many
//! combinations of operands, as the instruction tables do. `GCN_ISA_SPEC_MANAGER` names a checkout of AMD's
//! `isa_spec_manager`, which the test compiles; if it is not set, only the document is tested.

#![expect(
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "a test that is skipped says so; figures"
)]

use std::collections::BTreeSet;
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use gcn_isa::{Field, Inst, Isa, Kind, Operand, Slot, Target, regs, rows};

/// Environment variable that names the directory of AMD's sources.
const SOURCES: &str = "GCN_ISA_SPEC_MANAGER";
/// One target of each instruction set.
const TARGETS: [&str; 7] = [
    "gfx600", "gfx700", "gfx803", "gfx810", "gfx900", "gfx904", "gfx906",
];
/// Source files of AMD's decoder.
const FILES: [&str; 6] = [
    "isa_decoder/isa_decoder.cpp",
    "common/isa_xml_reader.cpp",
    "common/amdisa_structures.cpp",
    "common/amdisa_utility.cpp",
    "common/logger.cpp",
    "third_party/tinyxml2/tinyxml2.cpp",
];

fn scratch() -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("amd-xml");
    fs::create_dir_all(&directory).expect("a directory");
    directory
}

/// Writes the XML document of a target, and returns its path.
fn document(target: &str) -> PathBuf {
    let file = scratch().join(format!("{target}.xml"));
    let written = Command::new(env!("CARGO_BIN_EXE_gcn"))
        .args(["isa", "--format", "amd-xml", "--target", target, "--output"])
        .arg(&file)
        .output()
        .expect("gcn runs");
    assert!(written.status.success(), "{written:?}");
    file
}

/// Compiles the program that calls AMD's decoder. Returns `None` if its sources are not available.
fn decoder() -> Option<PathBuf> {
    let Some(sources) = env::var_os(SOURCES).map(PathBuf::from) else {
        eprintln!("skipped: {SOURCES} does not name a checkout of AMD's isa_spec_manager");
        return None;
    };
    let program = scratch().join("decode");
    let source = sources.join("source");
    let mut command = Command::new("c++");
    command.args(["-std=c++17", "-O1", "-DNDEBUG", "-I"]);
    command.arg(sources.join("include"));
    for directory in ["common", "third_party", "third_party/tinyxml2"] {
        command.arg("-I").arg(source.join(directory));
    }
    command.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/amd-xml/decode.cpp"));
    command.args(FILES.map(|file| source.join(file)));
    let built = command.arg("-o").arg(&program).output().expect("c++ runs");
    assert!(
        built.status.success(),
        "{}",
        String::from_utf8_lossy(&built.stderr)
    );
    Some(program)
}

/// Instructions of every form of an instruction set: with default fields, with example operands, and with one operand
/// or modifier changed at a time.
fn instructions(isa: Isa) -> Vec<Inst> {
    const CODES: [u8; 12] = [0, 4, 100, 106, 124, 126, 128, 193, 208, 240, 242, 248];
    const VGPRS: [u8; 4] = [0, 1, 127, 252];
    const LITERAL: u32 = 0x1234_5678;
    let mut all: Vec<Inst> = Vec::new();
    for form in rows().flat_map(|row| isa.tables().forms(row.op())) {
        let example = form.example();
        all.extend([Inst::with_defaults(form), example]);
        for slot in form.row.slots() {
            let count = slot.ty.dwords();
            let scalars = CODES.map(|code| Operand::Scalar { code, count });
            let vgprs = VGPRS.map(|first| Operand::Vgprs { first, count });
            let others = [Operand::Literal(LITERAL), Operand::Imm(0), Operand::Imm(5)];
            for operand in scalars.into_iter().chain(vgprs).chain(others) {
                let mut inst = example;
                if inst.set_operand(slot, operand).is_ok() {
                    all.push(inst);
                }
            }
        }
        for placed in &form.modifiers {
            let mut inst = example;
            if inst.set(placed.modifier.field, 1).is_ok() {
                all.push(inst);
            }
        }
    }
    all.retain(|inst| inst.broken_rule().is_none());
    all
}

/// True unless the document says that it cannot express the instruction.
fn is_expressed(inst: &Inst) -> bool {
    let limited = [
        Field::Src0Scalar,
        Field::Src1Scalar,
        Field::Tfe,
        Field::Compr,
    ];
    let is_literal_offset =
        inst.isa == Isa::Ci && inst.literal().is_some() && inst.form().scalar_offset.is_some();
    !(limited.into_iter().any(|field| inst.flag(field)) || is_literal_offset)
}

/// True if the decoder names only the first register of an operand.
fn is_first(slot: &Slot) -> bool {
    matches!(
        slot.kind,
        Kind::GlobalAddress
            | Kind::ScratchAddress
            | Kind::BufferAddress
            | Kind::ImageData { .. }
            | Kind::ImageAddress { .. }
    )
}

/// Text that the decoder should print for an operand; `None` for numbers and `off`.
fn expected(inst: &Inst, slot: &Slot) -> Option<String> {
    match inst.operand(slot) {
        Operand::Vgprs { first, count } if count == 1 || is_first(slot) => {
            Some(format!("v{first}"))
        }
        Operand::Vgprs { first, count } => {
            let last = u16::from(first) + u16::from(count) - 1;
            Some(format!("v[{first}:{last}]"))
        }
        Operand::Scalar { code, count } => regs::scalar_name(inst.isa, code, count).or_else(|| {
            let text = match regs::inline(inst.isa, code)? {
                regs::Inline::Int(value) => value.to_string(),
                regs::Inline::Float(value) if code == regs::INV_2PI => format!("{value:.8}"),
                regs::Inline::Float(value) => format!("{value:?}"),
            };
            Some(text)
        }),
        Operand::Literal(value) => Some(format!("lit(0x{value:x})")),
        Operand::Off | Operand::Imm(_) | Operand::ScalarOffset { .. } => None,
    }
}

/// Describes the first difference between an instruction and the decoder's output, if any.
fn difference(inst: &Inst, line: &str) -> Option<String> {
    let mut parts = line.split('\t');
    let name = parts.next().unwrap_or_default();
    let encoding = parts.next().unwrap_or_default();
    if name != inst.name().to_ascii_uppercase() {
        return Some("the name".to_owned());
    }
    let is_like = |word: &str, has: bool| encoding.contains(word) == has;
    let is_literal = !encoding.contains("LITERAL") || inst.literal().is_some();
    if !(is_like("SDWA", inst.encoding.is_sdwa())
        && is_like("DPP", inst.encoding.is_dpp())
        && is_literal)
    {
        return Some("the encoding".to_owned());
    }
    let operands: Vec<&str> = parts.collect();
    let slots = inst.form().operands.iter().filter(|operand| {
        operand.bits.width != 0 || matches!(operand.slot.kind, Kind::Sdst | Kind::Ssrc)
    });
    let slots: Vec<&Slot> = slots.map(|operand| &operand.slot).collect();
    if slots.len() != operands.len() {
        return Some(format!("{} operands", slots.len()));
    }
    for (slot, found) in slots.into_iter().zip(operands) {
        let bare = found.split(" offset:").next().unwrap_or_default();
        let bare = bare
            .strip_prefix("abs(")
            .and_then(|it| it.strip_suffix(')'))
            .unwrap_or(bare);
        let wanted = expected(inst, slot).filter(|_| inst.shows(slot));
        let is_negated = |wanted: &str| bare.strip_prefix('-') == Some(wanted);
        if let Some(wanted) = wanted
            && bare != wanted
            && !is_negated(&wanted)
        {
            return Some(format!("{wanted}, not {found}"));
        }
    }
    None
}

#[test]
fn amds_decoder_reads_every_form_as_the_tables_do() {
    let Some(program) = decoder() else { return };
    let mut wrong = String::new();
    for name in TARGETS {
        let target = Target::named(name).expect("a target");
        let instructions = instructions(target.isa);
        let expressed: Vec<&Inst> = instructions
            .iter()
            .filter(|inst| is_expressed(inst))
            .collect();
        let words: String = expressed
            .iter()
            .map(|inst| {
                let words = &inst.words()[..inst.dwords()];
                let words: Vec<String> = words.iter().map(|word| format!("{word:x}")).collect();
                words.join(" ") + "\n"
            })
            .collect();
        let input = scratch().join(format!("{name}.words"));
        fs::write(&input, words).expect("words");
        let ran = Command::new(&program)
            .arg(document(name))
            .stdin(Stdio::from(fs::File::open(&input).expect("words")))
            .output()
            .expect("the decoder runs");
        let messages = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success(), "{name}: {messages}");
        let lines = String::from_utf8(ran.stdout).expect("text");
        assert_eq!(lines.lines().count(), expressed.len(), "{name}: {messages}");
        let forms: BTreeSet<_> = expressed
            .iter()
            .map(|inst| (inst.name(), inst.encoding as u8))
            .collect();
        println!(
            "{name}: {} instructions of {} forms",
            expressed.len(),
            forms.len()
        );
        for (inst, line) in expressed.iter().zip(lines.lines()) {
            if let Some(difference) = difference(inst, line) {
                let _ = writeln!(
                    wrong,
                    "{name}: {} ({:?}): {line:?}: {difference}",
                    inst.text(),
                    inst.encoding
                );
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} differences:\n{wrong}",
        wrong.lines().count()
    );
}

#[test]
fn the_document_has_every_instruction_or_lists_it() {
    for name in TARGETS {
        let isa = Target::named(name).expect("a target").isa;
        let text = fs::read_to_string(document(name)).expect("a document");
        let (comments, body) = text.split_once("<Spec>").expect("a specification");
        let named: BTreeSet<&str> = body
            .split("<InstructionName>")
            .skip(1)
            .filter_map(|rest| rest.split('<').next())
            .collect();
        for instruction in isa.tables().names() {
            let instruction = instruction.to_ascii_uppercase();
            let is_listed = comments.split([' ', ',']).any(|word| word == instruction);
            assert!(
                named.contains(instruction.as_str()) || is_listed,
                "{name}: {instruction}"
            );
        }
    }
}
