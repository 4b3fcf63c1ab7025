//! Metadata text in assembler directives.

use crate::value::{DocumentValue, MetadataError};

/// Converts the text between `.amdgpu_metadata` and `.end_amdgpu_metadata` to the note's MessagePack. Unknown keys
/// are preserved. Line numbers in errors count from the first line of `text`.
///
/// # Errors
/// [`MetadataError`]: the text is not YAML, not a map, or too large.
///
/// # Examples
/// ```
/// use gcn_object::{MetadataError, metadata_from_yaml};
/// assert!(metadata_from_yaml("amdhsa.version: [1, 2]").is_ok());
/// assert_eq!(metadata_from_yaml("[1, 2]"), Err(MetadataError::NotAMap));
/// assert!(matches!(metadata_from_yaml("a: [1"), Err(MetadataError::Yaml { .. })));
/// ```
pub fn metadata_from_yaml(text: &str) -> Result<Vec<u8>, MetadataError> {
    let mut value = DocumentValue::from_yaml(text)?;
    if !matches!(value, DocumentValue::Map(_)) {
        return Err(MetadataError::NotAMap);
    }
    value.sort_keys();
    value.to_msgpack()
}

/// Converts the text between `.amdgpu_pal_metadata` and `.end_amdgpu_pal_metadata` to the note's MessagePack. AMD's
/// Platform Abstraction Library (PAL) uses this metadata. A register number may be followed by the register's name, as
/// in `0x2c0a (SPI_SHADER_PGM_RSRC1_PS)`.
///
/// # Errors
/// The errors of [`metadata_from_yaml`].
///
/// # Examples
/// ```
/// use gcn_object::{DocumentValue, pal_metadata_from_yaml};
/// let note = pal_metadata_from_yaml(".registers:\n  '0x2c0a (SPI_SHADER_PGM_RSRC1_PS)': 1\n")?;
/// let DocumentValue::Map(entries) = DocumentValue::from_msgpack(&note)? else { panic!("a map") };
/// let DocumentValue::Map(registers) = &entries[0].1 else { panic!("a map") };
/// assert_eq!(registers[0].0, DocumentValue::Uint(0x2c0a));
/// # Ok::<(), gcn_object::MetadataError>(())
/// ```
pub fn pal_metadata_from_yaml(text: &str) -> Result<Vec<u8>, MetadataError> {
    let mut value = DocumentValue::from_yaml(text)?;
    if !matches!(value, DocumentValue::Map(_)) {
        return Err(MetadataError::NotAMap);
    }
    number_registers(&mut value, false);
    value.sort_keys();
    value.to_msgpack()
}

/// Converts the keys of maps named `.registers` to numbers. `are_registers` is true if `value` is one of these maps.
fn number_registers(value: &mut DocumentValue, are_registers: bool) {
    match value {
        DocumentValue::Array(values) => {
            for value in values {
                number_registers(value, false);
            }
        }
        DocumentValue::Map(entries) => {
            for (key, value) in entries {
                number_registers(value, key.as_text() == Some(".registers"));
                let number = key.as_text().filter(|_| are_registers);
                if let Some(number) = number.and_then(register_number) {
                    *key = DocumentValue::Uint(number);
                }
            }
        }
        _ => {}
    }
}

/// Parses the number in text such as `0x2c0a (SPI_SHADER_PGM_RSRC1_PS)`.
fn register_number(text: &str) -> Option<u64> {
    let number = text.split_whitespace().next()?;
    match number.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => number.parse().ok(),
    }
}
