//! A document of any shape, read from MessagePack or YAML and written as either.
//!
//! Metadata comes from strangers, so it is read into this tree first and looked through leniently after; the
//! tree is never larger than a small multiple of the text it came from.

use std::cell::Cell;
use std::fmt;

use serde::Serialize;
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, Error as _, MapAccess, SeqAccess,
    VariantAccess, Visitor,
};
use serde::ser::{SerializeMap, Serializer};

use crate::metadata::MetadataError;

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

/// Nesting beyond this is refused; metadata nests five deep.
const MAX_DEPTH: usize = 64;
/// The tag by which LLVM says that a scalar is text although it reads like something else, as in `.name: !str n`.
const TEXT_TAG: &str = "str";
/// The tags of the other scalars, which say no more than the scalar itself.
const SCALAR_TAGS: [&str; 4] = ["nil", "bool", "int", "float"];
/// Keeps a hostile document from costing much; the largest libraries have a few MiB of metadata.
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

    /// Reads one YAML document. Anchors and aliases are understood as long as they do not blow the document up.
    pub fn from_yaml(text: &str) -> Result<Self, MetadataError> {
        check_size(text.len())?;
        // An empty document has no bytes but is one node.
        let budget = Cell::new(text.len() + 1);
        Node(&budget)
            .deserialize(serde_yaml_ng::Deserializer::from_str(text))
            .map_err(|error| yaml_error(&error))
    }

    /// The document as MessagePack: maps in the order of their keys, numbers as short as they go.
    pub fn to_msgpack(&self) -> Result<Vec<u8>, MetadataError> {
        rmp_serde::to_vec(self).map_err(|error| MetadataError::MessagePack(error.to_string()))
    }

    /// The document as YAML that LLVM reads too: it ignores quotes, so text that looks like a number or a truth
    /// value carries a tag.
    ///
    /// # Errors
    /// [`MetadataError::Yaml`] for bytes, which have no place in it.
    pub fn to_yaml(&self) -> Result<String, MetadataError> {
        serde_yaml_ng::to_string(&Tagged(self)).map_err(|error| yaml_error(&error))
    }

    /// What a map holds under a text key; `None` for anything but a map.
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

    /// Truth; numbers count as C has it, since producers write both.
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

/// A value whose texts are tagged where LLVM would take them for something else.
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

/// Whether LLVM might read a text as a number (everything that `strtod` takes counts), a truth value or nothing. A
/// tag too many is harmless.
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

/// Reads one node and pays for it: in a document that says what it means each node takes a byte at least, so
/// running out means that aliases multiply it.
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
    /// Text costs its length too, since an alias can repeat it.
    fn pay<E: serde::de::Error>(self, bytes: usize) -> Result<(), E> {
        // A document's own text was paid for by the bytes it takes, less the node itself.
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
    /// Reads any document that serde can describe; for MessagePack and YAML from strangers use the functions
    /// of this type, which bound the result.
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
