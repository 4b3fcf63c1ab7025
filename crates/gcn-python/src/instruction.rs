//! Decodes instructions and queries the instruction tables.

use gcn_asm::reference::operand_text;
use gcn_asm::usage;
use gcn_isa::describe::BitContents;
use gcn_isa::uses::{RegisterUse, Registers};
use gcn_isa::{Form, Inst, Isa, Operand, PlacedOperand, TARGETS, regs};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{DecodeError, target};

/// Size of a dword in bytes.
const DWORD: usize = 4;

/// Native part of `amdgcn.Instruction`: code words, and the instruction they decode to, if any.
#[pyclass(frozen, module = "amdgcn._amdgcn")]
pub(crate) struct Instruction {
    address: u64,
    words: [u32; 2],
    /// Size in bytes of the instruction, or of trailing bytes shorter than a dword.
    size: usize,
    inst: Option<Inst>,
    /// Branch offset in dwords, relative to the next instruction.
    branch: Option<i64>,
}

fn lower(value: impl std::fmt::Debug) -> String {
    format!("{value:?}").to_ascii_lowercase()
}

/// Returns the name of a register or register group, such as `v[2:3]` or `vcc`.
fn register_name(isa: Isa, registers: Registers) -> String {
    match registers {
        Registers::Vector { first, count } => operand_text(isa, Operand::Vgprs { first, count }),
        Registers::Scalar { first: code, count } => {
            operand_text(isa, Operand::Scalar { code, count })
        }
        Registers::State(state) => state.to_string(),
    }
}

impl Instruction {
    fn registers(&self, bits: fn(&RegisterUse) -> u32) -> Vec<String> {
        let Some(inst) = &self.inst else {
            return Vec::new();
        };
        let mut names: Vec<String> = Vec::new();
        for it in inst.uses().registers().filter(|it| bits(it) != 0) {
            let name = register_name(inst.isa, it.registers);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// Returns the fields of `amdgcn.Operand`.
    fn operand<'py>(
        py: Python<'py>,
        inst: &Inst,
        place: usize,
        operand: &PlacedOperand,
    ) -> PyResult<Bound<'py, PyDict>> {
        let value = inst.operand(&operand.slot);
        let (mut reads, mut writes) = (false, false);
        for it in inst
            .uses()
            .registers()
            .filter(|it| it.operand() == Some(place))
        {
            reads |= it.read != 0;
            writes |= it.written != 0;
        }
        let number = match value {
            Operand::Imm(value) => Some(value),
            Operand::Literal(value) => Some(i64::from(value)),
            Operand::Scalar { code, .. } => match regs::inline(inst.isa, code) {
                Some(regs::Inline::Int(value)) => Some(i64::from(value)),
                _ => None,
            },
            _ => None,
        };
        let kind = match value {
            Operand::Vgprs { .. } => "vgpr",
            Operand::Scalar { code, .. } if regs::inline(inst.isa, code).is_some() => "constant",
            Operand::Scalar { .. } => "scalar",
            Operand::Literal(_) => "literal",
            Operand::Off => "off",
            Operand::Imm(_) => "immediate",
            Operand::ScalarOffset { .. } => "offset",
        };
        let fields = PyDict::new(py);
        fields.set_item("field", lower(operand.slot.field))?;
        fields.set_item("type", lower(operand.slot.ty))?;
        fields.set_item("kind", kind)?;
        fields.set_item("text", operand_text(inst.isa, value))?;
        fields.set_item("value", number)?;
        fields.set_item("reads", reads)?;
        fields.set_item("writes", writes)?;
        fields.set_item("negate", inst.bits() & operand.negate != 0)?;
        fields.set_item("absolute", inst.bits() & operand.absolute != 0)?;
        Ok(fields)
    }
}

#[pymethods]
impl Instruction {
    #[getter]
    fn address(&self) -> u64 {
        self.address
    }

    /// Size in bytes.
    #[getter]
    fn size(&self) -> usize {
        self.size
    }

    #[getter]
    fn words(&self) -> Vec<u32> {
        self.words[..self.size.div_ceil(DWORD)].to_vec()
    }

    #[getter]
    fn is_valid(&self) -> bool {
        self.inst.is_some()
    }

    /// Text in LLVM's syntax; a data directive if the words do not decode.
    #[getter]
    fn text(&self) -> String {
        match &self.inst {
            Some(inst) => inst.text(),
            None if self.size < DWORD => {
                let bytes = self.words[0].to_le_bytes();
                let bytes: Vec<String> = bytes[..self.size]
                    .iter()
                    .map(|byte| format!("{byte:#04x}"))
                    .collect();
                format!(".byte {}", bytes.join(", "))
            }
            None => format!(".long {:#010x}", self.words[0]),
        }
    }

    /// Mnemonic without an encoding suffix; `None` if the words do not decode.
    #[getter]
    fn mnemonic(&self) -> Option<&'static str> {
        Some(self.inst.as_ref()?.name())
    }

    #[getter]
    fn encoding(&self) -> Option<String> {
        Some(lower(self.inst.as_ref()?.encoding))
    }

    #[getter]
    fn operands<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let Some(inst) = &self.inst else {
            return Ok(Vec::new());
        };
        let operands = inst.form().operands.iter().enumerate();
        let shown = operands.filter(|(_, operand)| inst.shows(&operand.slot));
        shown
            .map(|(place, operand)| Instruction::operand(py, inst, place, operand))
            .collect()
    }

    /// Names and field values of the modifiers that differ from their defaults.
    #[getter]
    fn modifiers(&self) -> Vec<(&'static str, u64)> {
        let Some(inst) = &self.inst else {
            return Vec::new();
        };
        let written = inst.modifiers().filter_map(|modifier| {
            let value = inst.get(modifier.field);
            let is_default = value == u64::from(modifier.default);
            (!is_default).then(|| Some((*modifier.names.first()?, value)))?
        });
        written.collect()
    }

    #[getter]
    fn reads(&self) -> Vec<String> {
        self.registers(|it| it.read)
    }

    #[getter]
    fn writes(&self) -> Vec<String> {
        self.registers(|it| it.written)
    }

    /// One-line summary of the registers and state that the instruction uses.
    #[getter]
    fn uses(&self) -> String {
        let inst = self.inst.as_ref();
        inst.map_or_else(String::new, |inst| inst.uses().to_string())
    }

    /// Effect as one line of pseudo-code.
    #[getter]
    fn effect(&self) -> Option<String> {
        Some(self.inst.as_ref()?.form().pseudo_code())
    }

    /// Memory access of the instruction.
    #[getter]
    fn memory(&self) -> Option<String> {
        Some(self.inst.as_ref()?.uses().memory()?.to_string())
    }

    /// Wait counters that the instruction increments.
    #[getter]
    fn counters(&self) -> Vec<String> {
        let counters = self.inst.as_ref().and_then(|inst| inst.uses().counters());
        let held = counters.iter().flat_map(|counters| counters.held());
        held.map(|counter| counter.to_string()).collect()
    }

    /// Encoding fields and their values.
    #[getter]
    fn fields(&self) -> Vec<(String, u64)> {
        let Some(inst) = &self.inst else {
            return Vec::new();
        };
        let runs = inst.form().picture().into_iter().rev();
        let mut fields: Vec<(String, u64)> = Vec::new();
        for run in runs {
            let BitContents::Field(field) = run.holds else {
                continue;
            };
            let name = lower(field);
            if !fields.iter().any(|(known, _)| *known == name) {
                fields.push((name, inst.get(field)));
            }
        }
        fields
    }

    /// Target address of a branch.
    #[getter]
    fn branch_target(&self) -> Option<u64> {
        let next = self.address.wrapping_add(self.size as u64);
        Some(next.wrapping_add_signed(self.branch? * DWORD as i64))
    }
}

/// Disassembles code at `address`. Words that do not decode produce an invalid `Instruction`, or an error if `strict`
/// is set.
///
/// # Errors
/// `DecodeError`: words do not decode; `TargetError`: the target is unknown.
#[pyfunction]
pub(crate) fn disassemble(
    py: Python<'_>,
    code: Vec<u8>,
    target: &str,
    address: u64,
    strict: bool,
) -> PyResult<Vec<Instruction>> {
    let isa = self::target(target)?.isa;
    py.detach(|| {
        let (whole, rest) = code.as_chunks::<DWORD>();
        let words: Vec<u32> = whole.iter().map(|word| u32::from_le_bytes(*word)).collect();
        let (mut at, mut instructions) = (0, Vec::new());
        while let Some(&first) = words.get(at) {
            let here = address.wrapping_add((at * DWORD) as u64);
            let instruction = match isa.decoder().decode(&words[at..]) {
                Ok((inst, skimmed)) => Instruction {
                    address: here,
                    words: inst.words(),
                    size: inst.dwords() * DWORD,
                    inst: Some(inst),
                    branch: skimmed.branch,
                },
                Err(error) if strict => {
                    return Err(DecodeError::new_err(format!("at {here:#x}: {error}")));
                }
                Err(_) => Instruction {
                    address: here,
                    words: [first, 0],
                    size: DWORD,
                    inst: None,
                    branch: None,
                },
            };
            at += instruction.size / DWORD;
            instructions.push(instruction);
        }
        if !rest.is_empty() {
            let here = address.wrapping_add((at * DWORD) as u64);
            if strict {
                let message = format!("at {here:#x}: {} bytes are not a dword", rest.len());
                return Err(DecodeError::new_err(message));
            }
            let mut last = [0; DWORD];
            last[..rest.len()].copy_from_slice(rest);
            instructions.push(Instruction {
                address: here,
                words: [u32::from_le_bytes(last), 0],
                size: rest.len(),
                inst: None,
                branch: None,
            });
        }
        Ok(instructions)
    })
}

/// Looks up an instruction in a target's tables. Returns the fields of `amdgcn.isa.Entry`, or `None` if the name is
/// unknown.
///
/// # Errors
/// `TargetError`: the target is unknown.
#[pyfunction]
pub(crate) fn lookup<'py>(
    py: Python<'py>,
    name: &str,
    target: &str,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    let known = self::target(target)?;
    let tables = known.isa.tables();
    let Some((op, _)) = tables.mnemonic(name.to_ascii_lowercase().as_bytes()) else {
        return Ok(None);
    };
    let forms = tables.forms(op);
    let Some(first) = forms.first() else {
        return Ok(None);
    };
    let example = first.example();
    let counters = first.counters().into_iter();
    let counters: Vec<String> = counters.map(|(counter, _)| counter.to_string()).collect();
    let operands: PyResult<Vec<_>> = first
        .operands
        .iter()
        .enumerate()
        .map(|(place, operand)| {
            let fields = PyDict::new(py);
            fields.set_item("field", lower(operand.slot.field))?;
            fields.set_item("type", lower(operand.slot.ty))?;
            fields.set_item("uses", example.uses().operand_phrases(place))?;
            Ok(fields)
        })
        .collect();
    let encodings: PyResult<Vec<_>> = forms.iter().map(|form| encoding(py, form)).collect();
    let fields = PyDict::new(py);
    fields.set_item("name", first.name)?;
    fields.set_item("target", known.name)?;
    fields.set_item("family", lower(op.family_encoding()))?;
    fields.set_item("syntax", usage(known.isa, op))?;
    fields.set_item("effect", first.pseudo_code())?;
    fields.set_item("corners", first.corners())?;
    fields.set_item(
        "memory",
        example.uses().memory().map(|memory| memory.to_string()),
    )?;
    fields.set_item("counters", counters)?;
    fields.set_item("operands", operands?)?;
    fields.set_item("implicit", example.uses().implicit_phrases())?;
    fields.set_item("encodings", encodings?)?;
    Ok(Some(fields))
}

/// Returns the fields of `amdgcn.isa.Encoding`.
fn encoding<'py>(py: Python<'py>, form: &Form) -> PyResult<Bound<'py, PyDict>> {
    let runs = form
        .picture()
        .into_iter()
        .filter_map(|run| match run.holds {
            BitContents::Field(field) => Some((lower(field), run.low, run.high)),
            BitContents::Constant | BitContents::Nothing => None,
        });
    let runs: Vec<(String, u8, u8)> = runs.collect();
    let fields = PyDict::new(py);
    fields.set_item("name", lower(form.encoding))?;
    fields.set_item("opcode", form.opcode())?;
    fields.set_item("dwords", form.layout.dwords)?;
    fields.set_item("fields", runs)?;
    Ok(fields)
}

/// Returns the names of all instructions of a target.
///
/// # Errors
/// `TargetError`: the target is unknown.
#[pyfunction]
pub(crate) fn mnemonics(target: &str) -> PyResult<Vec<&'static str>> {
    let mut names: Vec<&'static str> = self::target(target)?.isa.tables().names().collect();
    names.sort_unstable();
    names.dedup();
    Ok(names)
}

/// Returns the names of all targets, with their instruction set versions and chip names.
#[pyfunction]
pub(crate) fn targets() -> Vec<(&'static str, &'static str, Vec<&'static str>)> {
    let targets = TARGETS.iter();
    targets
        .map(|target| (target.name, target.isa.version(), target.chips.to_vec()))
        .collect()
}
