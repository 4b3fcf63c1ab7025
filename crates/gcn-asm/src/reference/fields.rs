//! Fields of an encoded instruction, and their values.

use gcn_isa::describe::{BitContents, BitRun};
use gcn_isa::{Field, Inst, Isa, Operand, regs};
use serde::Serialize;

use super::instruction::{contents, places};

/// A field of an encoded instruction, and its value.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FieldValue {
    /// Bit range, for example `31:26`.
    pub bits: String,
    /// Field name in upper case, `literal` or `reserved`.
    pub field: String,
    /// Field value.
    pub value: u64,
}

/// Field values of an instruction, including nonzero reserved bits, which the instruction's text does not show.
///
/// # Examples
/// ```
/// use gcn_asm::reference::field_values;
/// use gcn_isa::{Isa, decode};
/// let inst = decode(Isa::Gfx9, &[0xbf80_0003])?;
/// let fields = field_values(&inst);
/// assert!(fields.iter().any(|it| it.field == "SIMM16" && it.bits == "15:0" && it.value == 3));
/// # Ok::<(), gcn_isa::DecodeError>(())
/// ```
pub fn field_values(inst: &Inst) -> Vec<FieldValue> {
    let runs = inst.form().picture().into_iter();
    let mut fields: Vec<FieldValue> = runs
        .filter_map(|run| {
            let width = u32::from(run.high - run.low) + 1;
            let value = inst.bits() >> run.low & (u64::MAX >> (u64::BITS - width));
            let field = match run.holds {
                BitContents::Constant => return None,
                BitContents::Field(_) => contents(inst.form(), run),
                BitContents::Nothing if value != 0 => "reserved".to_owned(),
                BitContents::Nothing => return None,
            };
            Some(FieldValue {
                bits: places(run),
                field,
                value,
            })
        })
        .collect();
    fields.extend(inst.literal().map(|literal| FieldValue {
        bits: "63:32".to_owned(),
        field: "literal".to_owned(),
        value: literal.into(),
    }));
    fields
}

/// Role of a bit field in an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum BitRole {
    /// Constant bits that select the encoding.
    Encoding,
    /// Opcode bits.
    Opcode,
    /// Operand field.
    Operand,
    /// Modifier, or a field that the instruction does not use.
    Modifier,
    /// Literal constant.
    Literal,
    /// Bits that belong to no field.
    Reserved,
}

/// A bit field of an instruction: its role, value and meaning.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct BitField {
    /// Highest bit number.
    pub high: u8,
    /// Lowest bit number.
    pub low: u8,
    /// Field name in upper case, constant bits, or `-`.
    pub name: String,
    /// Role of the bits.
    pub role: BitRole,
    /// Value of the bits.
    pub value: u64,
    /// Instruction name for an opcode, operand text for an operand; otherwise empty.
    pub meaning: String,
}

/// Bit fields of each dword of an instruction, highest bit first, including any literal.
///
/// # Examples
/// ```
/// use gcn_asm::reference::{BitRole, bit_fields};
/// use gcn_isa::{Isa, decode};
/// let dwords = bit_fields(&decode(Isa::Gfx9, &[0x7e06_02ff, 0x1234])?);
/// let fields: Vec<_> = dwords[0].iter().map(|it| (it.high, it.low, it.name.as_str(), it.meaning.as_str())).collect();
/// assert_eq!(fields, [
///     (31, 25, "0111111", ""),
///     (24, 17, "VDST", "v3"),
///     (16, 9, "OP", "v_mov_b32"),
///     (8, 0, "SRC0", "0x1234"),
/// ]);
/// assert_eq!((dwords[1][0].role, dwords[1][0].value), (BitRole::Literal, 0x1234));
/// # Ok::<(), gcn_isa::DecodeError>(())
/// ```
pub fn bit_fields(inst: &Inst) -> Vec<Vec<BitField>> {
    const DWORD: u8 = u32::BITS as u8;
    let mut dwords = vec![Vec::new(); inst.form().layout.dwords.into()];
    for run in inst.form().picture() {
        if let Some(dword) = dwords.get_mut(usize::from(run.low / DWORD)) {
            dword.push(bit_field(inst, run));
        }
    }
    dwords.extend(inst.literal().map(|literal| {
        vec![BitField {
            high: 2 * DWORD - 1,
            low: DWORD,
            name: "LITERAL".to_owned(),
            role: BitRole::Literal,
            value: literal.into(),
            meaning: String::new(),
        }]
    }));
    dwords
}

fn bit_field(inst: &Inst, run: BitRun) -> BitField {
    let width = u32::from(run.high - run.low) + 1;
    let operands = || inst.form().operands.iter().map(|operand| &operand.slot);
    let (role, meaning) = match run.holds {
        BitContents::Constant => (BitRole::Encoding, String::new()),
        BitContents::Nothing => (BitRole::Reserved, String::new()),
        BitContents::Field(Field::Op) => (BitRole::Opcode, inst.name().to_owned()),
        BitContents::Field(field) => match operands().find(|slot| slot.field == field) {
            Some(slot) if inst.shows(slot) => {
                (BitRole::Operand, operand_text(inst.isa, inst.operand(slot)))
            }
            Some(_) => (BitRole::Operand, String::new()),
            None => (BitRole::Modifier, String::new()),
        },
    };
    BitField {
        high: run.high,
        low: run.low,
        name: contents(inst.form(), run),
        role,
        value: inst.bits() >> run.low & (u64::MAX >> (u64::BITS - width)),
        meaning,
    }
}

/// Text of an operand: registers, a constant, a number or `off`.
///
/// # Examples
/// ```
/// use gcn_asm::reference::operand_text;
/// use gcn_isa::{Isa, Operand};
/// let text = |operand| operand_text(Isa::Gfx9, operand);
/// assert_eq!(text(Operand::Vgprs { first: 3, count: 2 }), "v[3:4]");
/// assert_eq!(text(Operand::Scalar { code: 106, count: 2 }), "vcc");
/// assert_eq!(text(Operand::Scalar { code: 242, count: 1 }), "1.0");
/// assert_eq!(text(Operand::ScalarOffset { imm: Some(8), reg: Some(4), literal: false }), "s4 offset:0x8");
/// ```
pub fn operand_text(isa: Isa, operand: Operand) -> String {
    match operand {
        Operand::Vgprs { first, count } => match count {
            0 | 1 => format!("v{first}"),
            _ => format!("v[{first}:{}]", u16::from(first) + u16::from(count) - 1),
        },
        Operand::Scalar { code, count } => match regs::inline(isa, code) {
            Some(regs::Inline::Int(value)) => value.to_string(),
            Some(regs::Inline::Float(value)) => format!("{value:?}"),
            None => scalars_text(isa, code, count),
        },
        Operand::Literal(value) => format!("{value:#x}"),
        Operand::Off => "off".to_owned(),
        Operand::Imm(value) => value.to_string(),
        Operand::ScalarOffset { imm, reg, .. } => {
            let imm = imm.map(|imm| format!("{imm:#x}"));
            let reg = reg.map(|reg| scalars_text(isa, reg, 1));
            let parts: Vec<String> = reg.into_iter().chain(imm).collect();
            parts.join(" offset:")
        }
    }
}

/// Text of `count` scalar registers starting at `first`; `s[FIRST:LAST]` if the group has no name.
fn scalars_text(isa: Isa, first: u8, count: u8) -> String {
    let count = count.max(1);
    let last = u16::from(first) + u16::from(count) - 1;
    regs::scalar_name(isa, first, count).unwrap_or_else(|| format!("s[{first}:{last}]"))
}
