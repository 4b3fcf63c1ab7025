//! A document of any shape, read from MessagePack or YAML and written as either.
//!
//! Metadata is not trusted, so it is read into this tree first, and the tree is examined leniently; it is never
//! larger than a small multiple of its text.

use std::cell::Cell;
use std::fmt;

use serde::Serialize;
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, Error as _, MapAccess, SeqAccess,
    VariantAccess, Visitor,
};
use serde::ser::{SerializeMap, Serializer};

use thiserror::Error;

/// Reason why metadata cannot be read or written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MetadataError {
    /// Not MessagePack.
    #[error("the metadata is not valid MessagePack: {0}")]
    MessagePack(String),
    /// Not YAML.
    #[error("the metadata is not valid YAML: {message}")]
    Yaml {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// Message of the YAML reader.
        message: String,
    },
    /// The YAML note is not text.
    #[error("the metadata is not UTF-8")]
    NotText,
    /// Valid, but not a map of keys.
    #[error("the metadata is not a map")]
    NotAMap,
    /// The document exceeds the limit of the reader.
    #[error("the metadata has {bytes} bytes, more than the limit of {MAX_SOURCE_BYTES}")]
    TooLarge {
        /// Size of the document.
        bytes: usize,
    },
}

/// A node of a document.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nothing.
    Nil,
    /// True or false.
    Bool(bool),
    /// A number below zero.
    Int(i64),
    /// A number from zero.
    Uint(u64),
    /// A number with a fraction.
    Float(f64),
    /// Text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// Values one after another.
    Array(Vec<Self>),
    /// Values with keys, as many and as often as the source has them.
    Map(Vec<(Self, Self)>),
}

/// Deepest nesting; metadata nests five deep.
const MAX_DEPTH: usize = 64;
/// LLVM's tag of a text that reads like another scalar, as in `.name: !str n`.
const TEXT_TAG: &str = "str";
/// Tags of the other scalars, which add nothing to the scalar itself.
const SCALAR_TAGS: [&str; 4] = ["nil", "bool", "int", "float"];
/// Largest document in bytes; the largest libraries have a few MiB of metadata.
const MAX_SOURCE_BYTES: usize = 64 << 20;

impl Value {
    /// Reads one MessagePack document; bytes after it are ignored.
    pub fn from_msgpack(bytes: &[u8]) -> Result<Self, MetadataError> {
        check_size(bytes.len())?;
        let mut deserializer = rmp_serde::Deserializer::from_read_ref(bytes);
        deserializer.set_max_depth(MAX_DEPTH);
        let budget = Cell::new(bytes.len());
        Node(&budget)
            .deserialize(&mut deserializer)
            .map_err(|error| MetadataError::MessagePack(error.to_string()))
    }

    /// Reads one YAML document. Anchors and aliases are resolved unless they multiply the document.
    pub fn from_yaml(text: &str) -> Result<Self, MetadataError> {
        check_size(text.len())?;
        // An empty document has no bytes but is one node.
        let budget = Cell::new(text.len() + 1);
        Node(&budget)
            .deserialize(serde_yaml_ng::Deserializer::from_str(text))
            .map_err(|error| yaml_error(&error))
    }

    /// The document as MessagePack: maps in the order of their keys, numbers in their shortest form.
    pub fn to_msgpack(&self) -> Result<Vec<u8>, MetadataError> {
        rmp_serde::to_vec(self).map_err(|error| MetadataError::MessagePack(error.to_string()))
    }

    /// The document as YAML that LLVM reads too: it ignores quotes, so text that looks like a number or a truth
    /// value carries a tag.
    ///
    /// # Errors
    /// [`MetadataError::Yaml`] for bytes, which YAML does not have.
    pub fn to_yaml(&self) -> Result<String, MetadataError> {
        serde_yaml_ng::to_string(&Tagged(self)).map_err(|error| yaml_error(&error))
    }

    /// Value of a text key in a map; `None` for other nodes.
    pub fn get(&self, key: &str) -> Option<&Self> {
        let Self::Map(entries) = self else {
            return None;
        };
        entries
            .iter()
            .find(|(name, _)| matches!(name, Self::Text(text) if text == key))
            .map(|(_, value)| value)
    }

    /// The text, if it is text.
    pub fn as_text(&self) -> Option<&str> {
        if let Self::Text(text) = self {
            Some(text)
        } else {
            None
        }
    }

    /// The number, if it is a whole one from zero.
    pub fn as_u64(&self) -> Option<u64> {
        match self {
            Self::Uint(number) => Some(*number),
            _ => None,
        }
    }

    /// Truth value; numbers count as in C, since producers write both.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(truth) => Some(*truth),
            Self::Uint(number) => Some(*number != 0),
            _ => None,
        }
    }

    /// The elements; none for anything but an array.
    pub fn elements(&self) -> &[Self] {
        if let Self::Array(elements) = self {
            elements
        } else {
            &[]
        }
    }

    /// Puts every map into the order of its keys, numbers before text, as LLVM writes them.
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

fn yaml_error(error: &serde_yaml_ng::Error) -> MetadataError {
    let location = error.location();
    MetadataError::Yaml {
        line: location.as_ref().map_or(1, |at| at.line()),
        column: location.as_ref().map_or(1, |at| at.column()),
        message: error.to_string(),
    }
}

/// A value whose texts are tagged where LLVM would read them as other scalars.
struct Tagged<'a>(&'a Value);

impl Serialize for Tagged<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Text(text) if reads_as_another_scalar(text) => {
                serializer.serialize_newtype_variant("Value", 0, TEXT_TAG, text)
            }
            Value::Array(elements) => serializer.collect_seq(elements.iter().map(Tagged)),
            Value::Map(entries) => {
                serializer.collect_map(entries.iter().map(|(key, value)| (key, Tagged(value))))
            }
            scalar => scalar.serialize(serializer),
        }
    }
}

/// Tells if LLVM might read a text as a number (everything that `strtod` takes counts), a truth value or nothing. A
/// superfluous tag is harmless.
fn reads_as_another_scalar(text: &str) -> bool {
    const WORDS: [&str; 10] = [
        "y", "n", "yes", "no", "on", "off", "true", "false", "null", "~",
    ];
    const NUMBERS: [&str; 2] = ["inf", "nan"];
    let lower = text.to_ascii_lowercase();
    lower.is_empty()
        || WORDS.contains(&lower.as_str())
        || NUMBERS.iter().any(|number| lower.starts_with(number))
        || lower.starts_with(|first: char| first.is_ascii_digit() || "+-.".contains(first))
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Nil => serializer.serialize_unit(),
            Self::Bool(truth) => serializer.serialize_bool(*truth),
            Self::Int(number) => serializer.serialize_i64(*number),
            Self::Uint(number) => serializer.serialize_u64(*number),
            Self::Float(number) => serializer.serialize_f64(*number),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Bytes(bytes) => serializer.serialize_bytes(bytes),
            Self::Array(elements) => serializer.collect_seq(elements),
            Self::Map(entries) => {
                let mut map = serializer.serialize_map(Some(entries.len()))?;
                for (key, value) in entries {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }
    }
}

/// Reader of one node within a budget: without aliases each node takes a byte at least, so running out means that
/// aliases multiply the document.
#[derive(Clone, Copy)]
struct Node<'a>(&'a Cell<usize>);

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        let left = self
            .0
            .get()
            .checked_sub(1)
            .ok_or_else(|| D::Error::custom("aliases multiply the document"))?;
        self.0.set(left);
        deserializer.deserialize_any(self)
    }
}

impl Node<'_> {
    /// Takes the length of a text off the budget, since an alias can repeat it.
    fn pay<E: serde::de::Error>(self, bytes: usize) -> Result<(), E> {
        // The node itself has taken one byte already.
        let left = self.0.get().checked_sub(bytes.saturating_sub(1));
        self.0
            .set(left.ok_or_else(|| E::custom("aliases multiply the document"))?);
        Ok(())
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value of metadata")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Nil)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Nil)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_bool<E>(self, truth: bool) -> Result<Value, E> {
        Ok(Value::Bool(truth))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(u64::try_from(number).map_or(Value::Int(number), Value::Uint))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(Value::Uint(number))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(Value::Float(number))
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Value, E> {
        self.pay(text.len())?;
        Ok(Value::Text(text.to_owned()))
    }

    fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<Value, E> {
        self.pay(bytes.len())?;
        Ok(Value::Bytes(bytes.to_vec()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        // The announced length may be a lie, so the vector grows with what is there.
        let mut elements = Vec::new();
        while let Some(element) = access.next_element_seed(self)? {
            elements.push(element);
        }
        Ok(Value::Array(elements))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = access.next_entry_seed(self, self)? {
            entries.push(entry);
        }
        Ok(Value::Map(entries))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<Value, A::Error> {
        let (tag, content) = access.variant::<String>()?;
        if tag == TEXT_TAG {
            let text = content.newtype_variant::<String>()?;
            self.visit_str(&text)
        } else if SCALAR_TAGS.contains(&tag.as_str()) {
            content.newtype_variant_seed(self)
        } else {
            Err(A::Error::custom(format!("there is no tag `!{tag}`")))
        }
    }
}

impl<'de> Deserialize<'de> for Value {
    /// Reads any document that serde can describe; for untrusted MessagePack and YAML use the functions of this type,
    /// which bound the result.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Node(&Cell::new(MAX_SOURCE_BYTES)).deserialize(deserializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yaml_becomes_the_same_tree_as_its_messagepack() {
        let value = Value::from_yaml("a: [1, -2, 1.5, true, ~, text]\nb: {c: 'x y'}\n")
            .expect("the YAML is valid");
        let packed = value.to_msgpack().expect("every value can be packed");
        assert_eq!(Value::from_msgpack(&packed), Ok(value));
    }

    #[test]
    fn text_that_reads_as_another_scalar_is_tagged_as_llvm_does() {
        let source =
            "a: !str n\nb: !str 1\nc: !str inf\nd: !str ''\ne: float*\nf: !int 5\ng: [!str on]\n";
        let value = Value::from_yaml(source).expect("the tags are LLVM's");
        let text = |key| value.get(key).and_then(Value::as_text);
        assert_eq!(
            ["a", "b", "c", "d", "e"].map(text),
            ["n", "1", "inf", "", "float*"].map(Some)
        );
        assert_eq!(value.get("f").and_then(Value::as_u64), Some(5));

        let written = value.to_yaml().expect("there are no bytes in it");
        assert!(written.starts_with("a: !str n\n"), "{written}");
        assert!(written.contains("\ne: float*\nf: 5\n"), "{written}");
        assert_eq!(Value::from_yaml(&written), Ok(value));

        let error = Value::from_yaml("a: !foo 1\n").expect_err("no such tag");
        assert!(error.to_string().contains("!foo"), "{error}");
    }

    #[test]
    fn aliases_that_multiply_are_refused() {
        let mut text = "a0: &a0 [x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..9 {
            let alias = format!("*a{}", level - 1);
            text += &format!("a{level}: &a{level} [{}]\n", [alias.as_str(); 8].join(", "));
        }
        let error = Value::from_yaml(&text).expect_err("nine levels of eight");
        assert!(matches!(error, MetadataError::Yaml { .. }), "{error}");
    }

    #[test]
    fn announced_lengths_are_not_believed() {
        // An array of 2^32 − 1 elements, and a string of as many bytes.
        for bytes in [
            [0xdd, 0xff, 0xff, 0xff, 0xff],
            [0xdb, 0xff, 0xff, 0xff, 0xff],
        ] {
            assert!(matches!(
                Value::from_msgpack(&bytes),
                Err(MetadataError::MessagePack(_))
            ));
        }
    }

    #[test]
    fn deep_nesting_is_refused() {
        let deep = vec![0x91; 100_000];
        assert!(matches!(
            Value::from_msgpack(&deep),
            Err(MetadataError::MessagePack(_))
        ));
        assert!(matches!(
            Value::from_yaml(&"[".repeat(100_000)),
            Err(MetadataError::Yaml { .. })
        ));
    }
}
