//! Types of source variables.

use gimli::{AttributeValue, DebugInfoOffset, DebuggingInformationEntry, Reader as _, UnitRef};

use super::embedded::DwarfReader;
use super::location::SourceSpace;
use super::{LinesError, SourceLines};

type Entry = DebuggingInformationEntry<DwarfReader>;
type Unit<'a> = UnitRef<'a, DwarfReader>;

/// Maximum number of pointers, typedefs, qualifiers and arrays in one type.
const MAX_DEPTH: usize = 64;

/// Reference to a type in the debug information. Read it with [`SourceLines::source_type`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TypeRef(DebugInfoOffset);

/// A type in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceType {
    /// Name as declared, such as `float`, `const int *` or `int[64]`.
    pub name: String,
    /// Size in bytes; 0 if unknown.
    pub bytes: u64,
    /// Kind of the type, without typedefs and qualifiers.
    pub kind: SourceTypeKind,
}

/// Kind of a [`SourceType`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SourceTypeKind {
    /// Integer or character.
    Integer {
        /// True for a signed type.
        signed: bool,
    },
    /// Boolean.
    Bool,
    /// Floating-point number.
    Float,
    /// Pointer or reference.
    Pointer {
        /// Type that it points to; `None` for `void`.
        to: Option<TypeRef>,
        /// Address space.
        space: SourceSpace,
        /// True for a reference.
        is_reference: bool,
    },
    /// Array or vector.
    Array {
        /// Type of the elements.
        element: TypeRef,
        /// Length of each dimension; 0 if unknown.
        lengths: Vec<u64>,
    },
    /// Structure, class or union.
    Structure {
        /// Fields, in order.
        fields: Vec<SourceField>,
    },
    /// Enumeration.
    Enumeration {
        /// Names and values.
        values: Vec<(String, i128)>,
    },
    /// Another type. Its values are not shown.
    Other,
}

/// A field of a structure or union.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceField {
    /// Name; `None` for base classes and unnamed members, whose fields belong to the structure.
    pub name: Option<String>,
    /// Type.
    pub ty: TypeRef,
    /// Offset in bytes.
    pub offset: u64,
    /// For a bit field, its first bit, counted from `offset`, and its size in bits.
    pub bits: Option<(u64, u64)>,
}

impl SourceType {
    /// Creates an array type. Its elements have the type `of`, to which `element` refers.
    pub fn array(of: &SourceType, element: TypeRef, lengths: Vec<u64>) -> SourceType {
        SourceType {
            name: format!("{}{}", of.name, dimensions(&lengths)),
            bytes: lengths.iter().copied().fold(of.bytes, u64::saturating_mul),
            kind: SourceTypeKind::Array { element, lengths },
        }
    }
}

impl SourceLines {
    /// Reads a type.
    ///
    /// # Errors
    /// Fails if the debug information of the type is not valid DWARF.
    ///
    /// # Examples
    /// ```
    /// let object = gcn_object::read(std::fs::read("tests/fixtures/lines-gfx906.co")?)?;
    /// let lines = object.source_lines()?.expect("compiled with -g");
    /// let variables = lines.variables(0x1868)?;
    /// let n = variables.iter().find(|it| it.name == "n").expect("a parameter");
    /// let ty = lines.source_type(n.ty.expect("a type"))?;
    /// assert_eq!((ty.name.as_str(), ty.bytes), ("int", 4));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn source_type(&self, ty: TypeRef) -> Result<SourceType, LinesError> {
        self.type_at(ty, 0)
    }

    /// Reads a type at nesting depth `depth`.
    fn type_at(&self, ty: TypeRef, depth: usize) -> Result<SourceType, LinesError> {
        let name = self.type_name(ty, depth)?;
        let mut at = ty;
        for _ in depth..MAX_DEPTH {
            let (unit, entry) = self.entry_at(at.0)?;
            let is_alias = matches!(
                entry.tag(),
                gimli::DW_TAG_typedef
                    | gimli::DW_TAG_const_type
                    | gimli::DW_TAG_volatile_type
                    | gimli::DW_TAG_restrict_type
                    | gimli::DW_TAG_atomic_type
            );
            if !is_alias {
                let (bytes, kind) = self.kind(unit, &entry, depth)?;
                return Ok(SourceType { name, bytes, kind });
            }
            match type_ref(unit, &entry) {
                Some(to) => at = to,
                None => {
                    let (bytes, kind) = (0, SourceTypeKind::Other);
                    return Ok(SourceType { name, bytes, kind });
                }
            }
        }
        Err(nested_too_deep())
    }

    /// Returns the size in bytes and the kind of a type without typedefs and qualifiers.
    fn kind(
        &self,
        unit: Unit<'_>,
        entry: &Entry,
        depth: usize,
    ) -> Result<(u64, SourceTypeKind), LinesError> {
        let stated = number(entry, gimli::DW_AT_byte_size);
        let kind = match entry.tag() {
            gimli::DW_TAG_base_type => base_kind(entry, &name(unit, entry)?.unwrap_or_default()),
            gimli::DW_TAG_pointer_type
            | gimli::DW_TAG_reference_type
            | gimli::DW_TAG_rvalue_reference_type => {
                let space = number(entry, gimli::DW_AT_address_class).unwrap_or(0);
                let space = SourceSpace::of_dwarf(space).unwrap_or(SourceSpace::Generic);
                let bytes = match space {
                    SourceSpace::Generic => 8,
                    SourceSpace::Local | SourceSpace::Private => 4,
                };
                let kind = SourceTypeKind::Pointer {
                    to: type_ref(unit, entry),
                    space,
                    is_reference: entry.tag() != gimli::DW_TAG_pointer_type,
                };
                return Ok((stated.unwrap_or(bytes), kind));
            }
            gimli::DW_TAG_array_type => {
                let no_element = || LinesError::Dwarf("an array has no element type".to_owned());
                let element = type_ref(unit, entry).ok_or_else(no_element)?;
                let of = self.type_at(element, depth + 1)?;
                let array = SourceType::array(&of, element, lengths(unit, entry)?);
                return Ok((stated.unwrap_or(array.bytes), array.kind));
            }
            gimli::DW_TAG_structure_type | gimli::DW_TAG_class_type | gimli::DW_TAG_union_type => {
                SourceTypeKind::Structure {
                    fields: fields(unit, entry)?,
                }
            }
            gimli::DW_TAG_enumeration_type => SourceTypeKind::Enumeration {
                values: enumerators(unit, entry)?,
            },
            _ => SourceTypeKind::Other,
        };
        Ok((stated.unwrap_or(0), kind))
    }

    /// Returns the name of a type at nesting depth `depth`.
    fn type_name(&self, ty: TypeRef, depth: usize) -> Result<String, LinesError> {
        if depth >= MAX_DEPTH {
            return Err(nested_too_deep());
        }
        let (unit, entry) = self.entry_at(ty.0)?;
        let inner = || match type_ref(unit, &entry) {
            Some(to) => self.type_name(to, depth + 1),
            None => Ok("void".to_owned()),
        };
        let is_declarator = |name: &str| name.ends_with(['*', '&']);
        let pointer = |symbol: &str| {
            let inner = inner()?;
            Ok(match is_declarator(&inner) {
                true => inner + symbol,
                false => format!("{inner} {symbol}"),
            })
        };
        let qualified = |qualifier: &str| {
            let inner = inner()?;
            Ok(match is_declarator(&inner) {
                true => format!("{inner} {qualifier}"),
                false => format!("{qualifier} {inner}"),
            })
        };
        match entry.tag() {
            gimli::DW_TAG_pointer_type => pointer("*"),
            gimli::DW_TAG_reference_type => pointer("&"),
            gimli::DW_TAG_rvalue_reference_type => pointer("&&"),
            gimli::DW_TAG_const_type => qualified("const"),
            gimli::DW_TAG_volatile_type => qualified("volatile"),
            gimli::DW_TAG_restrict_type | gimli::DW_TAG_atomic_type => inner(),
            gimli::DW_TAG_subroutine_type => Ok("function".to_owned()),
            gimli::DW_TAG_array_type => {
                let dimensions = dimensions(&lengths(unit, &entry)?);
                Ok(inner()? + &dimensions)
            }
            _ => Ok(name(unit, &entry)?.unwrap_or_else(|| "(unnamed)".to_owned())),
        }
    }
}

fn nested_too_deep() -> LinesError {
    LinesError::Dwarf(format!("a type is nested more than {MAX_DEPTH} deep"))
}

/// Returns the name of an entry.
pub(super) fn name(unit: Unit<'_>, entry: &Entry) -> Result<Option<String>, gimli::Error> {
    let name = entry.attr_value(gimli::DW_AT_name);
    let text = |name| Ok(unit.attr_string(name)?.to_string_lossy()?.into_owned());
    name.map(text).transpose()
}

/// Returns the value of a numeric attribute.
fn number(entry: &Entry, attribute: gimli::DwAt) -> Option<u64> {
    match entry.attr_value(attribute)? {
        AttributeValue::AddressClass(class) => Some(class.0),
        value => value.udata_value(),
    }
}

/// Returns the type that an entry refers to.
pub(super) fn type_ref(unit: Unit<'_>, entry: &Entry) -> Option<TypeRef> {
    reference(unit, entry, gimli::DW_AT_type).map(TypeRef)
}

/// Returns the offset of the entry to which an attribute refers, in any compilation unit.
pub(super) fn reference(
    unit: Unit<'_>,
    entry: &Entry,
    attribute: gimli::DwAt,
) -> Option<DebugInfoOffset> {
    match entry.attr_value(attribute)? {
        AttributeValue::UnitRef(offset) => offset.to_debug_info_offset(&unit.header),
        AttributeValue::DebugInfoRef(offset) => Some(offset),
        _ => None,
    }
}

fn base_kind(entry: &Entry, name: &str) -> SourceTypeKind {
    let encoding = match entry.attr_value(gimli::DW_AT_encoding) {
        Some(AttributeValue::Encoding(encoding)) => encoding,
        _ => return SourceTypeKind::Other,
    };
    match encoding {
        gimli::DW_ATE_boolean => SourceTypeKind::Bool,
        // DWARF has no encoding for bfloat16.
        gimli::DW_ATE_float if name.contains("bf16") => SourceTypeKind::Other,
        gimli::DW_ATE_float => SourceTypeKind::Float,
        gimli::DW_ATE_signed | gimli::DW_ATE_signed_char => {
            SourceTypeKind::Integer { signed: true }
        }
        gimli::DW_ATE_unsigned
        | gimli::DW_ATE_unsigned_char
        | gimli::DW_ATE_UTF
        | gimli::DW_ATE_address => SourceTypeKind::Integer { signed: false },
        _ => SourceTypeKind::Other,
    }
}

/// Calls `each` for the children of an entry.
fn children(
    unit: Unit<'_>,
    entry: &Entry,
    mut each: impl FnMut(&Entry) -> Result<(), gimli::Error>,
) -> Result<(), gimli::Error> {
    let mut tree = unit.entries_tree(Some(entry.offset()))?;
    let mut children = tree.root()?.children();
    while let Some(child) = children.next()? {
        each(child.entry())?;
    }
    Ok(())
}

/// Returns the lengths of an array's dimensions; 0 if unknown.
fn lengths(unit: Unit<'_>, array: &Entry) -> Result<Vec<u64>, gimli::Error> {
    let mut lengths = Vec::new();
    children(unit, array, |child| {
        if child.tag() == gimli::DW_TAG_subrange_type {
            let last = || number(child, gimli::DW_AT_upper_bound).map(|it| it.wrapping_add(1));
            let count = number(child, gimli::DW_AT_count).or_else(last);
            lengths.push(count.unwrap_or(0));
        }
        Ok(())
    })?;
    Ok(lengths)
}

/// Formats an array's dimensions, such as `[4][2]`.
fn dimensions(lengths: &[u64]) -> String {
    lengths.iter().map(|it| format!("[{it}]")).collect()
}

fn fields(unit: Unit<'_>, structure: &Entry) -> Result<Vec<SourceField>, LinesError> {
    let mut fields = Vec::new();
    let mut is_computed = false;
    children(unit, structure, |child| {
        let is_base = child.tag() == gimli::DW_TAG_inheritance;
        let is_static = child.attr_value(gimli::DW_AT_external).is_some();
        if is_static || !is_base && child.tag() != gimli::DW_TAG_member {
            return Ok(());
        }
        let Some(ty) = type_ref(unit, child) else {
            return Ok(());
        };
        // Not supported: virtual bases, whose offsets are computed, and DWARF 3 bit fields, which count from the other end.
        let location = child.attr_value(gimli::DW_AT_data_member_location);
        let constant = location.as_ref().map(|it| it.udata_value());
        let old_bits = child.attr_value(gimli::DW_AT_bit_offset).is_some();
        is_computed |= constant == Some(None) || old_bits;
        let mut offset = constant.flatten().unwrap_or(0);
        let first = number(child, gimli::DW_AT_data_bit_offset);
        let bits = number(child, gimli::DW_AT_bit_size);
        let bits = bits.map(|bits| (first.unwrap_or(0), bits));
        let bits = bits.map(|(first, bits)| {
            offset = offset.wrapping_add(first / 8);
            (first % 8, bits)
        });
        let name = if is_base { None } else { name(unit, child)? };
        fields.push(SourceField {
            name,
            ty,
            offset,
            bits,
        });
        Ok(())
    })?;
    if is_computed {
        let message = "the place of a field is not a constant";
        return Err(LinesError::Dwarf(message.to_owned()));
    }
    Ok(fields)
}

fn enumerators(unit: Unit<'_>, of: &Entry) -> Result<Vec<(String, i128)>, gimli::Error> {
    let mut values = Vec::new();
    children(unit, of, |child| {
        let value = child.attr_value(gimli::DW_AT_const_value);
        let value = value.and_then(|value| match value {
            AttributeValue::Sdata(value) => Some(i128::from(value)),
            value => value.udata_value().map(i128::from),
        });
        if let (Some(name), Some(value)) = (name(unit, child)?, value) {
            values.push((name, value));
        }
        Ok(())
    })?;
    Ok(values)
}
