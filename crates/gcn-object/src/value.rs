//! A generic document tree with readers and writers for MessagePack and YAML.
//!
//! Metadata is untrusted, so it is parsed into this tree and then interpreted leniently. The tree's size is bounded by
//! a small multiple of the document size.

mod msgpack;
mod yaml;

use thiserror::Error;

/// Reason why metadata cannot be read or written.
///
/// # Examples
/// ```
/// use gcn_object::{DocumentValue, Metadata, MetadataError};
/// let error = DocumentValue::from_yaml("amdhsa.version: [1, 2]\namdhsa.kernels: [\n").unwrap_err();
/// assert!(matches!(error, MetadataError::Yaml { line: 3, .. }), "{error}");
/// assert_eq!(Metadata::from_yaml_v2(b"\xff"), Err(MetadataError::NotText));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MetadataError {
    /// The bytes are not valid MessagePack.
    #[error("the metadata is not valid MessagePack: {0}")]
    MessagePack(String),
    /// The text is not valid YAML.
    #[error("the metadata is not valid YAML: {message} at line {line} column {column}")]
    Yaml {
        /// Line number, from 1.
        line: usize,
        /// Column number, from 1.
        column: usize,
        /// YAML parser's message.
        message: String,
    },
    /// The YAML note is not text.
    #[error("the metadata is not UTF-8")]
    NotText,
    /// The document is valid, but its top level is not a map.
    #[error("the metadata is not a map")]
    NotAMap,
    /// The document exceeds the size limit.
    #[error("the metadata has {bytes} bytes, more than the limit of {MAX_SOURCE_BYTES}")]
    TooLarge {
        /// Size of the document in bytes.
        bytes: usize,
    },
}

/// A node in a document tree.
///
/// # Examples
/// ```
/// use gcn_object::DocumentValue;
/// let mut document = DocumentValue::from_yaml("b: [1, -2]\na: text\n")?;
/// document.sort_keys();
/// assert_eq!(document.get("a").and_then(DocumentValue::as_text), Some("text"));
/// let numbers = document.get("b").expect("a list").elements();
/// assert_eq!(numbers, [DocumentValue::Uint(1), DocumentValue::Int(-2)]);
/// # Ok::<(), gcn_object::MetadataError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum DocumentValue {
    /// No value.
    Nil,
    /// True or false.
    Bool(bool),
    /// A negative integer.
    Int(i64),
    /// A nonnegative integer.
    Uint(u64),
    /// A floating-point number.
    Float(f64),
    /// Text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// An array of values.
    Array(Vec<Self>),
    /// Key-value pairs in document order, including duplicates.
    Map(Vec<(Self, Self)>),
}

/// Maximum nesting depth. Real metadata has five levels.
const MAX_DEPTH: usize = 64;
/// Maximum document size in bytes. The largest libraries contain a few MiB of metadata.
const MAX_SOURCE_BYTES: usize = 64 << 20;

impl DocumentValue {
    /// Returns the value of a text key in a map; `None` for other nodes.
    pub fn get(&self, key: &str) -> Option<&Self> {
        let Self::Map(entries) = self else {
            return None;
        };
        entries
            .iter()
            .find(|(name, _)| matches!(name, Self::Text(text) if text == key))
            .map(|(_, value)| value)
    }

    /// Returns the text of a text node.
    pub fn as_text(&self) -> Option<&str> {
        if let Self::Text(text) = self {
            Some(text)
        } else {
            None
        }
    }

    /// Returns the value of a nonnegative integer node.
    pub fn as_u64(&self) -> Option<u64> {
        match self {
            Self::Uint(number) => Some(*number),
            _ => None,
        }
    }

    /// Returns the node as a boolean. Some producers write nonnegative integers, which are true unless they are 0.
    ///
    /// # Examples
    /// ```
    /// use gcn_object::DocumentValue;
    /// assert_eq!(DocumentValue::Bool(true).as_bool(), Some(true));
    /// assert_eq!(DocumentValue::Uint(0).as_bool(), Some(false));
    /// assert_eq!(DocumentValue::Text("true".to_owned()).as_bool(), None);
    /// ```
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(truth) => Some(*truth),
            Self::Uint(number) => Some(*number != 0),
            _ => None,
        }
    }

    /// Returns the elements of an array; empty for other nodes.
    pub fn elements(&self) -> &[Self] {
        if let Self::Array(elements) = self {
            elements
        } else {
            &[]
        }
    }

    /// Sorts the keys of every map as LLVM does, numbers before text.
    ///
    /// # Examples
    /// ```
    /// use gcn_object::DocumentValue;
    /// let mut document = DocumentValue::from_yaml("b: 1\na: 2\n7: 3\n")?;
    /// document.sort_keys();
    /// let DocumentValue::Map(entries) = document else { panic!("a map") };
    /// let values: Vec<Option<u64>> = entries.iter().map(|(_, value)| value.as_u64()).collect();
    /// assert_eq!(values, [Some(3), Some(2), Some(1)], "the keys are 7, a and b");
    /// # Ok::<(), gcn_object::MetadataError>(())
    /// ```
    pub fn sort_keys(&mut self) {
        match self {
            Self::Array(elements) => elements.iter_mut().for_each(Self::sort_keys),
            Self::Map(entries) => {
                entries.sort_by(|(a, _), (b, _)| {
                    (a.as_text(), a.as_u64()).cmp(&(b.as_text(), b.as_u64()))
                });
                entries.iter_mut().for_each(|(_, value)| value.sort_keys());
            }
            _ => {}
        }
    }
}

fn check_size(bytes: usize) -> Result<(), MetadataError> {
    if bytes > MAX_SOURCE_BYTES {
        Err(MetadataError::TooLarge { bytes })
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yaml_becomes_the_same_tree_as_its_messagepack() {
        let value = DocumentValue::from_yaml("a: [1, -2, 1.5, true, ~, text]\nb: {c: 'x y'}\n")
            .expect("the YAML is valid");
        let packed = value.to_msgpack().expect("every value can be packed");
        assert_eq!(DocumentValue::from_msgpack(&packed), Ok(value));
    }
}
