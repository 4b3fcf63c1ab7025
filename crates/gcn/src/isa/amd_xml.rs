//! `gcn isa --format amd-xml`: the tables in the schema of AMD's machine-readable ISA specification.
//!
//! AMD publishes RDNA and CDNA specifications in this schema (version 1.0.0), but none of GCN. Encodings and conditions
//! have the names that AMD's decoder, `isa_spec_manager`, recognizes. The architecture ID is that of CDNA 1, which has the
//! same conditions for literals, SDWA and DPP. An XML comment lists the limits of the schema and the decoder.

mod encodings;
mod operands;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use gcn_isa::uses::Unit;
use gcn_isa::{
    Does, Encoding, Field, Form, Inst, Isa, Kind, OperandAccess, PlacedOperand, Row, Target, Ty,
    rows,
};
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

use encodings::{LITERAL, XmlEncoding, field_name};
use operands::OperandType;

/// Version of the schema.
const SCHEMA: &str = "1.0.0";
/// Architecture ID of CDNA 1, which selects the decoder's encoding conditions.
const ARCHITECTURE: &str = "0";
const INDENT: usize = 2;
/// Radix in which identifiers are written.
const RADIX: &str = "2";

/// Writes the document of a target's instruction set.
///
/// # Errors
/// Fails if the document cannot be written.
pub(super) fn write(target: &Target, out: &mut dyn Write) -> io::Result<()> {
    let specification = Specification::of(target.isa);
    let mut writer = Writer::new_with_indent(out, b' ', INDENT);
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    for reason in Reason::ALL {
        let names: Vec<&str> = specification
            .left_out
            .iter()
            .filter(|(left_out, _)| *left_out == reason)
            .map(|(_, name)| name.as_str())
            .collect();
        if !names.is_empty() {
            let text = format!(" Not expressed: {}: {} ", reason.text(), names.join(", "));
            writer.write_event(Event::Comment(BytesText::from_escaped(text)))?;
        }
    }
    element(&mut writer, "Spec", |writer| {
        element(writer, "Document", |writer| {
            text(writer, "Copyright", "MIT OR Apache-2.0")?;
            text(writer, "Sensitivity", "Public")?;
            text(
                writer,
                "ReleaseDate",
                concat!("gcn ", env!("CARGO_PKG_VERSION")),
            )?;
            text(writer, "SchemaVersion", SCHEMA)
        })?;
        element(writer, "ISA", |writer| {
            element(writer, "Architecture", |writer| {
                let name = format!("AMD {} ({})", target.isa.version(), target.name);
                text(writer, "ArchitectureName", &name)?;
                text(writer, "ArchitectureId", ARCHITECTURE)
            })?;
            specification.write(writer)
        })
    })?;
    writeln!(writer.into_inner())
}

/// Reason why the document omits or simplifies an instruction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Reason {
    /// Another instruction has the same identifying bits.
    SameIdentifier,
    /// The decoder has no condition for the literal.
    ScalarLiteral,
    /// A bit selects between VGPRs and SGPRs.
    ScalarInSdwa,
    /// Other fields determine the number of registers.
    NumberOfRegisters,
    /// TFE adds a register to the result.
    StatusRegister,
    /// COMPR packs two values into a register.
    CompressedExport,
}

impl Reason {
    const ALL: [Reason; 6] = [
        Reason::SameIdentifier,
        Reason::ScalarLiteral,
        Reason::ScalarInSdwa,
        Reason::NumberOfRegisters,
        Reason::StatusRegister,
        Reason::CompressedExport,
    ];

    fn text(self) -> &'static str {
        match self {
            Reason::SameIdentifier => "instructions whose encoding and opcode another one has",
            Reason::ScalarLiteral => {
                "a literal as the offset, which OFFSET = 255 without IMM announces, of"
            }
            Reason::ScalarInSdwa => {
                "SDWA sources that are SGPRs or constants (S0, S1), which are named as VGPRs, of"
            }
            Reason::NumberOfRegisters => {
                "the number of address or data registers, which other fields decide, so that only the first is named, in"
            }
            Reason::StatusRegister => "the register that TFE adds to the result of",
            Reason::CompressedExport => "the registers of compressed values (COMPR) of",
        }
    }
}

/// Instruction in an encoding of the document.
struct XmlForm {
    encoding: &'static str,
    condition: String,
    form: &'static Form,
}

/// Contents of a document.
struct Specification {
    isa: Isa,
    /// Encodings in the order in which the decoder tries them.
    encodings: Vec<XmlEncoding>,
    instructions: Vec<(&'static Row, Vec<XmlForm>)>,
    left_out: BTreeSet<(Reason, String)>,
}

impl Specification {
    fn of(isa: Isa) -> Specification {
        let mut specification = Specification {
            isa,
            encodings: Vec::new(),
            instructions: Vec::new(),
            left_out: BTreeSet::new(),
        };
        // Encodings with a condition follow those with the same identifying bits.
        let plain = Encoding::ALL.into_iter().map(|encoding| (encoding, false));
        let literal = Encoding::ALL.into_iter().map(|encoding| (encoding, true));
        let encodings = plain.chain(literal);
        for encoding in encodings.filter_map(|(it, literal)| XmlEncoding::new(isa, it, literal)) {
            let mut known = specification.encodings.iter();
            if !known.any(|other| other.name == encoding.name) {
                specification.encodings.push(encoding);
            }
        }
        specification
            .encodings
            .sort_by_key(|it| it.source.is_extended());
        let mut identified = BTreeMap::new();
        for row in rows() {
            let mut forms = Vec::new();
            for form in isa.tables().forms(row.op()) {
                specification.add(form, &mut identified, &mut forms);
            }
            if !forms.is_empty() {
                specification.instructions.push((row, forms));
            }
        }
        specification
            .encodings
            .retain(|it| !it.identifiers.is_empty());
        specification
    }

    /// Adds a form to each encoding of the document that has it.
    fn add(
        &mut self,
        form: &'static Form,
        identified: &mut BTreeMap<u32, &'static Row>,
        forms: &mut Vec<XmlForm>,
    ) {
        let title = name_of(form.row, self.isa);
        let literals = literal_sources(form);
        // All subsets of the sources that may be literals, including the empty set.
        let subsets = (0..1_usize << literals.len()).map(|subset| -> Vec<usize> {
            let is_in = |place: &usize| subset >> place & 1 != 0;
            let places = (0..literals.len()).filter(is_in);
            places.map(|place| literals[place]).collect()
        });
        for sources in subsets {
            let has_literal = form.has_literal || !sources.is_empty();
            let Some(name) =
                XmlEncoding::new(self.isa, form.encoding, has_literal).map(|it| it.name)
            else {
                continue;
            };
            let Some(encoding) = self.encodings.iter_mut().find(|it| it.name == name) else {
                continue;
            };
            let identifier = encoding.identifier(form);
            let owner = *identified.entry(identifier).or_insert(form.row);
            if owner.op() != form.op {
                self.left_out
                    .insert((Reason::SameIdentifier, title.clone()));
                continue;
            }
            encoding.identifiers.insert(identifier);
            forms.push(XmlForm {
                encoding: encoding.name,
                condition: encoding.condition(&sources),
                form,
            });
        }
        let is_first =
            |it: &PlacedOperand| OperandType::of(form.encoding, it) == Some(OperandType::FirstVgpr);
        let is_literal_offset = form.encoding == Encoding::Smrd && self.isa == Isa::Ci;
        let limits = [
            (
                Reason::ScalarLiteral,
                is_literal_offset && form.scalar_offset.is_some(),
            ),
            (Reason::ScalarInSdwa, form.layout.has(Field::Src0Scalar)),
            (
                Reason::NumberOfRegisters,
                form.operands.iter().any(is_first),
            ),
            (Reason::StatusRegister, form.modifier(Field::Tfe).is_some()),
            (
                Reason::CompressedExport,
                form.modifier(Field::Compr).is_some(),
            ),
        ];
        for (reason, _) in limits.into_iter().filter(|(_, is_limited)| *is_limited) {
            self.left_out.insert((reason, title.clone()));
        }
    }

    fn write(&self, writer: &mut XmlWriter<'_>) -> io::Result<()> {
        let mut types = BTreeMap::from([(OperandType::Number.name(), OperandType::Number)]);
        let mut formats = BTreeMap::new();
        element(writer, "Instructions", |writer| {
            self.instructions.iter().try_for_each(|(row, forms)| {
                instruction(writer, self.isa, row, forms, &mut types, &mut formats)
            })
        })?;
        element(writer, "Encodings", |writer| {
            let encodings = (1..).zip(&self.encodings);
            encodings
                .into_iter()
                .try_for_each(|(order, it)| encoding(writer, order, it))
        })?;
        element(writer, "DataFormats", |writer| {
            formats.values().try_for_each(|&ty| data_format(writer, ty))
        })?;
        element(writer, "OperandTypes", |writer| {
            types
                .values()
                .try_for_each(|&it| operand_type(writer, self.isa, it))
        })?;
        element(writer, "FunctionalGroups", |writer| {
            GROUPS.into_iter().try_for_each(|(name, description)| {
                element(writer, "FunctionalGroup", |writer| {
                    text(writer, "Name", name)?;
                    text(writer, "Description", description)
                })
            })
        })
    }
}

/// Indices, in the decoder's numbering, of a form's sources that may be literals.
fn literal_sources(form: &Form) -> Vec<usize> {
    let fields = match form.encoding {
        Encoding::Sop1 | Encoding::Sop2 | Encoding::Sopc => {
            [Some(Field::Ssrc0), Some(Field::Ssrc1)]
        }
        Encoding::Vop1 | Encoding::Vop2 | Encoding::Vopc => [Some(Field::Src0), None],
        _ => [None, None],
    };
    let can_be = |field: Field| {
        let mut operands = form.operands.iter();
        operands.any(|it| it.slot.field == field && matches!(it.slot.kind, Kind::Src | Kind::Ssrc))
    };
    let fields = fields.into_iter().flatten().enumerate();
    let sources = fields.filter(|(_, field)| !form.has_literal && can_be(*field));
    sources.map(|(place, _)| place).collect()
}

/// Name of an instruction in the document: in upper case, without an encoding suffix.
fn name_of(row: &Row, isa: Isa) -> String {
    row.name_on(isa).to_ascii_uppercase()
}

type XmlWriter<'a> = Writer<&'a mut dyn Write>;

/// Writes an element that contains other elements.
fn element<W: Write>(
    writer: &mut Writer<W>,
    name: &str,
    inside: impl FnOnce(&mut Writer<W>) -> io::Result<()>,
) -> io::Result<()> {
    writer.create_element(name).write_inner_content(inside)?;
    Ok(())
}

/// Writes an element that contains text.
fn text<W: Write>(writer: &mut Writer<W>, name: &str, text: &str) -> io::Result<()> {
    let element = writer.create_element(name);
    element.write_text_content(BytesText::new(text))?;
    Ok(())
}

fn flag<W: Write>(writer: &mut Writer<W>, name: &str, is_set: bool) -> io::Result<()> {
    text(writer, name, if is_set { "TRUE" } else { "FALSE" })
}

fn instruction(
    writer: &mut XmlWriter<'_>,
    isa: Isa,
    row: &'static Row,
    forms: &[XmlForm],
    types: &mut BTreeMap<String, OperandType>,
    formats: &mut BTreeMap<String, Ty>,
) -> io::Result<()> {
    let Some(first) = forms.first() else {
        return Ok(());
    };
    let example = first.form.example();
    element(writer, "Instruction", |writer| {
        element(writer, "InstructionFlags", |writer| flags(writer, &example))?;
        text(writer, "InstructionName", &name_of(row, isa))?;
        text(writer, "Description", &first.form.pseudo_code())?;
        element(writer, "InstructionEncodings", |writer| {
            forms.iter().try_for_each(|it| {
                element(writer, "InstructionEncoding", |writer| {
                    text(writer, "EncodingName", it.encoding)?;
                    text(writer, "EncodingCondition", &it.condition)?;
                    writer
                        .create_element("Opcode")
                        .with_attribute(("Radix", "10"))
                        .write_text_content(BytesText::new(&it.form.opcode().to_string()))?;
                    element(writer, "Operands", |writer| {
                        let operands = (1..).zip(&it.form.operands);
                        operands.into_iter().try_for_each(|(order, placed)| {
                            let Some(ty) = OperandType::of(it.form.encoding, placed) else {
                                return Ok(());
                            };
                            types.insert(ty.name(), ty);
                            formats.insert(format_name(placed.slot.ty), placed.slot.ty);
                            operand(writer, it.form.encoding, order, placed, ty)
                        })
                    })
                })
            })
        })?;
        element(writer, "FunctionalGroup", |writer| {
            text(writer, "Name", group(&example))
        })
    })
}

fn flags(writer: &mut XmlWriter<'_>, example: &Inst) -> io::Result<()> {
    let does = example.does();
    let is_indirect = example.uses().calls();
    let is_branch = matches!(does, Does::Branch(_) | Does::Jump | Does::Fork);
    let is_conditional =
        matches!(does, Does::Branch(_)) && example.uses().registers().any(|it| it.read != 0);
    let ends = matches!(does, Does::Control(gcn_isa::effect::Control::End));
    let at_once = matches!(does, Does::Control(_));
    flag(writer, "IsBranch", is_branch)?;
    flag(writer, "IsConditionalBranch", is_conditional)?;
    flag(writer, "IsIndirectBranch", is_indirect)?;
    flag(writer, "IsProgramTerminator", ends)?;
    flag(writer, "IsImmediatelyExecuted", at_once)
}

/// Functional groups of the document.
const GROUPS: [(&str, &str); 5] = [
    ("SALU", "Scalar ALU and program control"),
    ("SMEM", "Scalar memory"),
    ("VALU", "Vector ALU"),
    ("VMEM", "Vector memory, LDS and GDS"),
    ("EXPORT", "Exports"),
];

/// Functional group of an instruction.
fn group(inst: &Inst) -> &'static str {
    match inst.uses().unit() {
        Unit::Scalar => "SALU",
        Unit::ScalarMemory => "SMEM",
        Unit::Vector | Unit::Interpolation => "VALU",
        Unit::VectorMemory | Unit::Flat | Unit::DataShare => "VMEM",
        Unit::Export => "EXPORT",
    }
}

fn operand(
    writer: &mut XmlWriter<'_>,
    encoding: Encoding,
    order: usize,
    placed: &PlacedOperand,
    ty: OperandType,
) -> io::Result<()> {
    let access = placed.slot.access;
    let is = |condition: bool| if condition { "TRUE" } else { "FALSE" };
    let is_implied = ty == OperandType::ImpliedVcc;
    // No field is named VCC, but AMD's decoder would treat an operand without a field name as the literal.
    let field = match placed.slot.kind {
        _ if is_implied => "VCC".to_owned(),
        Kind::Literal => LITERAL.to_owned(),
        _ => field_name(encoding, placed.slot.field),
    };
    let order = order.to_string();
    let operand = writer.create_element("Operand").with_attributes([
        ("Input", is(access != OperandAccess::Write)),
        ("Output", is(access != OperandAccess::Read)),
        ("IsImplicit", "FALSE"),
        ("IsBinaryMicrocodeRequired", is(!is_implied)),
        ("Order", &order),
    ]);
    operand.write_inner_content(|writer| {
        text(writer, "FieldName", &field)?;
        text(writer, "DataFormatName", &format_name(placed.slot.ty))?;
        text(writer, "OperandType", &ty.name())?;
        // AMD's decoder uses the size to expand a register name to a range.
        let bytes = match ty {
            OperandType::FirstVgpr => Ty::B32.bytes(),
            _ => placed.slot.ty.bytes(),
        };
        text(
            writer,
            "OperandSize",
            &(u32::from(bytes) * u8::BITS).to_string(),
        )
    })?;
    Ok(())
}

fn encoding(writer: &mut XmlWriter<'_>, order: u32, it: &XmlEncoding) -> io::Result<()> {
    let order = order.to_string();
    let width = u32::BITS as usize;
    let element_of = writer
        .create_element("Encoding")
        .with_attribute(("Order", order.as_str()));
    element_of.write_inner_content(|writer| {
        text(writer, "EncodingName", it.name)?;
        text(writer, "BitCount", &it.bits().to_string())?;
        let binary = |writer: &mut Writer<_>, name: &str, bits: u32| {
            let element = writer.create_element(name).with_attribute(("Radix", RADIX));
            element.write_text_content(BytesText::new(&format!("{bits:0width$b}")))?;
            io::Result::Ok(())
        };
        binary(writer, "EncodingIdentifierMask", it.identifying())?;
        element(writer, "EncodingIdentifiers", |writer| {
            let mut identifiers = it.identifiers.iter();
            identifiers.try_for_each(|&bits| binary(writer, "EncodingIdentifier", bits))
        })?;
        element(writer, "EncodingConditions", |_| Ok(()))?;
        text(writer, "Description", &format!("{:?}", it.source))?;
        element(writer, "MicrocodeFormat", |writer| {
            element(writer, "BitMap", |writer| {
                it.fields.iter().try_for_each(|field| {
                    let element_of = writer
                        .create_element("Field")
                        .with_attribute(("IsConditional", "false"));
                    element_of.write_inner_content(|writer| {
                        text(writer, "FieldName", &field.name)?;
                        text(writer, "Description", &field.name)?;
                        bit_layout(writer, field.low.into(), field.width.into(), field.padding)
                    })?;
                    Ok(())
                })
            })
        })
    })?;
    Ok(())
}

/// Writes the bits of a field as a single range.
fn bit_layout<W: Write>(
    writer: &mut Writer<W>,
    low: u32,
    width: u32,
    padding: u8,
) -> io::Result<()> {
    let layout = writer
        .create_element("BitLayout")
        .with_attribute(("RangeCount", "1"));
    layout.write_inner_content(|writer| {
        let range = writer
            .create_element("Range")
            .with_attribute(("Order", "0"));
        range.write_inner_content(|writer| {
            text(writer, "BitCount", &width.to_string())?;
            text(writer, "BitOffset", &low.to_string())?;
            if padding > 0 {
                element(writer, "Padding", |writer| {
                    text(writer, "BitCount", &padding.to_string())?;
                    text(writer, "Value", "0")
                })?;
            }
            Ok(())
        })?;
        Ok(())
    })?;
    Ok(())
}

fn format_name(ty: Ty) -> String {
    format!("FMT_NUM_{ty:?}").to_ascii_uppercase()
}

fn data_format(writer: &mut XmlWriter<'_>, ty: Ty) -> io::Result<()> {
    let name = format!("{ty:?}");
    let (kind, signedness) = match name.as_bytes().first() {
        Some(b'F') => ("float", "Signed"),
        Some(b'I') => ("integer", "Signed"),
        Some(b'U') => ("integer", "Unsigned"),
        _ => ("bits", "DoesNotApply"),
    };
    let count = if name.ends_with("x2") { 2 } else { 1 };
    let bits = u32::from(ty.bytes()) * u8::BITS / count;
    element(writer, "DataFormat", |writer| {
        text(writer, "DataFormatName", &format_name(ty))?;
        text(writer, "Description", &name)?;
        text(writer, "DataType", kind)?;
        text(writer, "BitCount", &(bits * count).to_string())?;
        text(writer, "ComponentCount", &count.to_string())?;
        element(writer, "DataAttributes", |writer| {
            (0..count).try_for_each(|index| {
                let order = index.to_string();
                let map = writer
                    .create_element("BitMap")
                    .with_attribute(("Order", order.as_str()));
                map.write_inner_content(|writer| {
                    let field = writer
                        .create_element("Field")
                        .with_attribute(("Signedness", signedness));
                    field.write_inner_content(|writer| {
                        text(writer, "FieldName", "Value")?;
                        bit_layout(writer, index * bits, bits, 0)
                    })?;
                    Ok(())
                })?;
                Ok(())
            })
        })
    })
}

fn operand_type(writer: &mut XmlWriter<'_>, isa: Isa, ty: OperandType) -> io::Result<()> {
    let values = ty.values(isa);
    let element_of = writer
        .create_element("OperandType")
        .with_attribute(("IsPartitioned", "false"));
    element_of.write_inner_content(|writer| {
        text(writer, "OperandTypeName", &ty.name())?;
        text(writer, "Description", &ty.name())?;
        if values.is_empty() {
            return Ok(());
        }
        element(writer, "OperandPredefinedValues", |writer| {
            values.iter().try_for_each(|(value, name)| {
                element(writer, "PredefinedValue", |writer| {
                    text(writer, "Name", name)?;
                    text(writer, "Description", name)?;
                    text(writer, "Value", &value.to_string())
                })
            })
        })
    })?;
    Ok(())
}
