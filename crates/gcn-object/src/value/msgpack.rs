//! Reads and writes documents as MessagePack, using serde.

use std::fmt;

use serde::Serialize;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};

use super::{DocumentValue, MAX_DEPTH, MetadataError, check_size};

impl DocumentValue {
    /// Reads a MessagePack document; trailing bytes are ignored.
    ///
    /// # Errors
    /// [`MetadataError`]: the bytes are not MessagePack, or exceed 64 MiB.
    ///
    /// # Examples
    /// ```
    /// use gcn_object::DocumentValue;
    /// assert_eq!(DocumentValue::from_msgpack(&[0x92, 1, 0xc3])?.elements().len(), 2);
    /// assert!(DocumentValue::from_msgpack(&[0x92, 1]).is_err(), "an element is missing");
    /// # Ok::<(), gcn_object::MetadataError>(())
    /// ```
    pub fn from_msgpack(bytes: &[u8]) -> Result<Self, MetadataError> {
        check_size(bytes.len())?;
        let mut deserializer = rmp_serde::Deserializer::from_read_ref(bytes);
        deserializer.set_max_depth(MAX_DEPTH);
        NodeReader
            .deserialize(&mut deserializer)
            .map_err(|error| MetadataError::MessagePack(error.to_string()))
    }

    /// Writes the document as MessagePack, with map entries in document order and integers in their shortest form.
    ///
    /// # Errors
    /// [`MetadataError::MessagePack`] if the writer fails.
    ///
    /// # Examples
    /// ```
    /// use gcn_object::DocumentValue;
    /// let list = DocumentValue::Array(vec![DocumentValue::Uint(1), DocumentValue::Bool(true)]);
    /// assert_eq!(list.to_msgpack()?, [0x92, 1, 0xc3]);
    /// # Ok::<(), gcn_object::MetadataError>(())
    /// ```
    pub fn to_msgpack(&self) -> Result<Vec<u8>, MetadataError> {
        rmp_serde::to_vec(self).map_err(|error| MetadataError::MessagePack(error.to_string()))
    }
}

impl Serialize for DocumentValue {
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

/// Deserializer for nodes. Each node takes at least one byte, so the document's size limits the tree.
#[derive(Clone, Copy)]
struct NodeReader;

impl<'de> DeserializeSeed<'de> for NodeReader {
    type Value = DocumentValue;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<DocumentValue, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for NodeReader {
    type Value = DocumentValue;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value of metadata")
    }

    fn visit_unit<E>(self) -> Result<DocumentValue, E> {
        Ok(DocumentValue::Nil)
    }

    fn visit_none<E>(self) -> Result<DocumentValue, E> {
        Ok(DocumentValue::Nil)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<DocumentValue, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_bool<E>(self, truth: bool) -> Result<DocumentValue, E> {
        Ok(DocumentValue::Bool(truth))
    }

    fn visit_i64<E>(self, number: i64) -> Result<DocumentValue, E> {
        Ok(u64::try_from(number).map_or(DocumentValue::Int(number), DocumentValue::Uint))
    }

    fn visit_u64<E>(self, number: u64) -> Result<DocumentValue, E> {
        Ok(DocumentValue::Uint(number))
    }

    fn visit_f64<E>(self, number: f64) -> Result<DocumentValue, E> {
        Ok(DocumentValue::Float(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<DocumentValue, E> {
        Ok(DocumentValue::Text(text.to_owned()))
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<DocumentValue, E> {
        Ok(DocumentValue::Bytes(bytes.to_vec()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<DocumentValue, A::Error> {
        // The stated length may be wrong, so the vector grows only as elements are read.
        let mut elements = Vec::new();
        while let Some(element) = access.next_element_seed(self)? {
            elements.push(element);
        }
        Ok(DocumentValue::Array(elements))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<DocumentValue, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = access.next_entry_seed(self, self)? {
            entries.push(entry);
        }
        Ok(DocumentValue::Map(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn announced_lengths_are_not_believed() {
        // An array of 2^32 − 1 elements, and a string of as many bytes.
        for bytes in [
            [0xdd, 0xff, 0xff, 0xff, 0xff],
            [0xdb, 0xff, 0xff, 0xff, 0xff],
        ] {
            assert!(matches!(
                DocumentValue::from_msgpack(&bytes),
                Err(MetadataError::MessagePack(_))
            ));
        }
    }

    #[test]
    fn deep_nesting_is_refused() {
        let deep = vec![0x91; 100_000];
        assert!(matches!(
            DocumentValue::from_msgpack(&deep),
            Err(MetadataError::MessagePack(_))
        ));
    }
}
