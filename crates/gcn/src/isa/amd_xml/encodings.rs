//! Encodings of the document: names, fields and identifiers.

use std::collections::BTreeSet;

use gcn_isa::{Encoding, Field, Form, Isa, Kind};

/// Encoding in the document.
///
/// AMD's decoder selects an encoding by the bits of the fields ENCODING, OP and SEG in the first dword. Conditions
/// distinguish between encodings of an instruction that have the same bits.
#[derive(Clone, Debug)]
pub(super) struct XmlEncoding {
    /// Name. AMD's decoder recognizes conditions and modifiers by the names of encodings.
    pub(super) name: &'static str,
    /// Corresponding encoding in the tables.
    pub(super) source: Encoding,
    /// Fields sorted by lowest bit, except that a field whose name contains another field's name comes last.
    pub(super) fields: Vec<XmlField>,
    /// Values of the identifying bits, one for each opcode.
    pub(super) identifiers: BTreeSet<u32>,
}

/// Field of an encoding.
#[derive(Clone, Debug)]
pub(super) struct XmlField {
    pub(super) name: String,
    pub(super) low: u8,
    pub(super) width: u8,
    /// Number of low bits of the register number that the field omits, since alignment makes them zero.
    pub(super) padding: u8,
}

/// Names of the fields that identify an instruction.
const ENCODING: &str = "ENCODING";
const OPCODE: &str = "OP";
const SEGMENT: &str = "SEG";
/// Name of the field for the SRC0 value that selects SDWA or DPP.
const SELECTOR: &str = "SRC0_SELECT";
/// Name of the field of the literal constant.
pub(super) const LITERAL: &str = "SIMM32";

impl XmlEncoding {
    /// Creates the encoding `source` of an instruction set, without identifiers; `None` if `isa` does not have it.
    pub(super) fn new(isa: Isa, source: Encoding, has_literal: bool) -> Option<XmlEncoding> {
        Some(XmlEncoding {
            name: name(isa, source, has_literal)?,
            source,
            fields: fields(isa, source, has_literal)?,
            identifiers: BTreeSet::new(),
        })
    }

    /// Length in bits.
    pub(super) fn bits(&self) -> u32 {
        let end = self
            .fields
            .iter()
            .map(|field| u32::from(field.low + field.width));
        end.max().unwrap_or_default().next_multiple_of(u32::BITS)
    }

    /// Mask of the bits that identify an instruction.
    pub(super) fn identifying(&self) -> u32 {
        let names = [ENCODING, OPCODE, SEGMENT];
        let fields = self
            .fields
            .iter()
            .filter(|it| names.contains(&it.name.as_str()));
        fields.fold(0, |mask, field| mask | mask_of(field.low, field.width))
    }

    /// Identifying bits of a form.
    pub(super) fn identifier(&self, form: &Form) -> u32 {
        let op = form.layout.bits(Field::Op);
        let bits = op.put(form.layout.constant.into(), form.opcode());
        bits as u32 & self.identifying()
    }

    /// Condition under which AMD's decoder selects a form in this encoding, given the indices of its literal sources.
    pub(super) fn condition(&self, literals: &[usize]) -> String {
        match self.source {
            Encoding::Vop1Sdwa | Encoding::Vop2Sdwa | Encoding::VopcSdwa => "has_sdwa".to_owned(),
            Encoding::Vop1Dpp | Encoding::Vop2Dpp => "has_dpp".to_owned(),
            Encoding::Vop1 | Encoding::Vop2 | Encoding::Vopc if !literals.is_empty() => {
                "has_lit".to_owned()
            }
            _ if literals.is_empty() => "default".to_owned(),
            _ => {
                let each = literals.iter().map(|source| format!("has_lit_{source}"));
                each.collect::<Vec<_>>().join("_")
            }
        }
    }
}

fn mask_of(low: u8, width: u8) -> u32 {
    (u32::MAX >> (u32::BITS - u32::from(width))) << low
}

/// Name of an encoding; `None` if the encoding does not exist, or has no form with the requested literal.
fn name(isa: Isa, encoding: Encoding, has_literal: bool) -> Option<&'static str> {
    if has_literal {
        return Some(match encoding {
            Encoding::Sop1 => "SOP1_INST_LITERAL",
            Encoding::Sop2 => "SOP2_INST_LITERAL",
            Encoding::Sopc => "SOPC_INST_LITERAL",
            Encoding::Sopk => "SOPK_INST_LITERAL",
            Encoding::Vop1 => "VOP1_INST_LITERAL",
            Encoding::Vop2 => "VOP2_INST_LITERAL",
            Encoding::Vopc => "VOPC_INST_LITERAL",
            _ => return None,
        });
    }
    Some(match encoding {
        Encoding::Sop1 => "ENC_SOP1",
        Encoding::Sop2 => "ENC_SOP2",
        Encoding::Sopk => "ENC_SOPK",
        Encoding::Sopc => "ENC_SOPC",
        Encoding::Sopp => "ENC_SOPP",
        Encoding::Smrd => "ENC_SMRD",
        Encoding::Smem => "ENC_SMEM",
        Encoding::Vop1 => "ENC_VOP1",
        Encoding::Vop2 => "ENC_VOP2",
        Encoding::Vopc => "ENC_VOPC",
        Encoding::Vop3 | Encoding::Vop3c => "ENC_VOP3",
        Encoding::Vop3b => "VOP3_SDST_ENC",
        Encoding::Vop3p => "ENC_VOP3P",
        Encoding::Vop3Interp => "VOP3_INTERP",
        Encoding::Vop1Sdwa => "VOP1_VOP_SDWA",
        Encoding::Vop2Sdwa => "VOP2_VOP_SDWA",
        Encoding::VopcSdwa => "VOPC_VOP_SDWA_SDST_ENC",
        Encoding::Vop1Dpp => "VOP1_VOP_DPP",
        Encoding::Vop2Dpp => "VOP2_VOP_DPP",
        Encoding::Vintrp => "ENC_VINTRP",
        Encoding::Ds => "ENC_DS",
        // AMD's decoder expects an offset in ENC_FLAT.
        Encoding::Flat => match isa.tables().layout(encoding)?.has(Field::Offset12) {
            true => "ENC_FLAT",
            false => "FLAT_NO_OFFSET",
        },
        Encoding::Global => "ENC_FLAT_GLBL",
        Encoding::Scratch => "ENC_FLAT_SCRATCH",
        Encoding::Mubuf => "ENC_MUBUF",
        Encoding::Mtbuf => "ENC_MTBUF",
        Encoding::Mimg => "ENC_MIMG",
        Encoding::Exp => "ENC_EXP",
    })
}

/// Name of a field in an encoding.
pub(super) fn field_name(encoding: Encoding, field: Field) -> String {
    match (encoding, field) {
        // Comparisons share ENC_VOP3 with instructions that write a VGPR.
        (Encoding::Vop3c, Field::Sdst) => "VDST".to_owned(),
        (_, Field::Offset12) => "OFFSET".to_owned(),
        (_, Field::Literal) => LITERAL.to_owned(),
        _ => format!("{field:?}").to_ascii_uppercase(),
    }
}

/// Fields of an encoding. A field that other fields subdivide is omitted.
fn fields(isa: Isa, encoding: Encoding, has_literal: bool) -> Option<Vec<XmlField>> {
    let layout = isa.tables().layout(match encoding {
        Encoding::Vop3c => Encoding::Vop3,
        other => other,
    })?;
    let end = u32::from(layout.dwords) * u32::BITS;
    let present: Vec<Field> = Field::ALL
        .into_iter()
        .filter(|&field| layout.has(field) && u32::from(layout.bits(field).low) < end)
        .collect();
    let is_divided = |field: Field| {
        let mask = layout.bits(field).mask();
        let mut others = present.iter().map(|&other| layout.bits(other).mask());
        others.any(|other| other != mask && other & mask == other)
    };
    let mut fields: Vec<XmlField> = present
        .iter()
        .filter(|&&field| !is_divided(field) && field != Field::SdwaSdst)
        .map(|&field| {
            let bits = layout.bits(field);
            // Include the bit above SDST, which is clear for VCC, so that all values of the field have names.
            let above = match field {
                Field::Sdst => layout.bits(Field::SdwaSdst).width,
                _ => 0,
            };
            XmlField {
                name: field_name(encoding, field),
                low: bits.low,
                width: bits.width + above,
                padding: padding(isa, encoding, field),
            }
        })
        .collect();
    let mut rest = layout.constant_mask;
    let lower = if is_flat(encoding) { SEGMENT } else { SELECTOR };
    let mut names = [ENCODING, lower].into_iter();
    while rest != 0 {
        let high = u32::BITS - 1 - rest.leading_zeros();
        let width = (rest << rest.leading_zeros()).leading_ones();
        let low = high + 1 - width;
        fields.push(XmlField {
            name: names.next()?.to_owned(),
            low: low as u8,
            width: width as u8,
            padding: 0,
        });
        rest &= !mask_of(low as u8, width as u8);
    }
    if has_literal {
        fields.push(XmlField {
            name: LITERAL.to_owned(),
            low: u32::BITS as u8,
            width: u32::BITS as u8,
            padding: 0,
        });
    }
    // AMD's decoder uses the first field whose name contains the requested name: NEG must precede NEGHI.
    let names: Vec<String> = fields.iter().map(|field| field.name.clone()).collect();
    let contains_other = |name: &str| {
        names
            .iter()
            .any(|it| it != name && name.contains(it.as_str()))
    };
    fields.sort_by_key(|field| (contains_other(&field.name), field.low));
    Some(fields)
}

fn is_flat(encoding: Encoding) -> bool {
    matches!(
        encoding,
        Encoding::Flat | Encoding::Global | Encoding::Scratch
    )
}

/// Number of low bits that a field of aligned register numbers omits.
fn padding(isa: Isa, encoding: Encoding, field: Field) -> u8 {
    let forms = gcn_isa::rows().flat_map(|row| isa.tables().forms(row.op()));
    let mut slots = forms
        .filter(|form| form.encoding == encoding)
        .flat_map(|form| &form.operands)
        .filter(|operand| operand.slot.field == field);
    slots
        .find_map(|operand| match operand.slot.kind {
            Kind::Aligned(bits) => Some(bits),
            _ => None,
        })
        .unwrap_or_default()
}
