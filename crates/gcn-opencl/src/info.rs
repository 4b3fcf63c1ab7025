//! Attribute values that applications query.

use crate::handle::Handle;

/// Attribute value, encoded as the type that the headers define for the query.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Info(pub(crate) Vec<u8>);

impl Info {
    /// Encodes a `cl_bool`.
    pub(crate) fn bool(value: bool) -> Info {
        Info::from(u32::from(value))
    }

    /// Encodes a null-terminated string.
    pub(crate) fn text(text: &str) -> Info {
        let mut bytes = text.as_bytes().to_vec();
        bytes.push(0);
        Info(bytes)
    }

    /// Encodes an array.
    pub(crate) fn array<T: Copy>(values: impl IntoIterator<Item = T>) -> Info
    where
        Info: From<T>,
    {
        Info(
            values
                .into_iter()
                .flat_map(|value| Info::from(value).0)
                .collect(),
        )
    }

    /// Returns an empty array.
    pub(crate) fn nothing() -> Info {
        Info::default()
    }

    /// Encodes an array of `cl_name_version` from version numbers and names.
    pub(crate) fn versions<'a>(all: impl IntoIterator<Item = (u32, &'a str)>) -> Info {
        /// Size of a name in bytes, including the terminator.
        const NAME: usize = 64;
        let mut bytes = Vec::new();
        for (version, name) in all {
            bytes.extend(version.to_ne_bytes());
            let mut name = name.as_bytes().to_vec();
            name.truncate(NAME - 1);
            name.resize(NAME, 0);
            bytes.extend(name);
        }
        Info(bytes)
    }
}

macro_rules! from {
    ($($Type:ty)*) => {$(
        impl From<$Type> for Info {
            fn from(value: $Type) -> Info {
                Info(value.to_ne_bytes().to_vec())
            }
        }
    )*};
}

// `usize` represents both `size_t` and handles.
from! { u8 u32 i32 u64 isize usize }

impl From<Option<Handle>> for Info {
    fn from(handle: Option<Handle>) -> Info {
        Info::from(handle.unwrap_or(0))
    }
}

/// Packs a version number in the `cl_version` format.
pub(crate) const fn version(major: u32, minor: u32, patch: u32) -> u32 {
    major << 22 | minor << 12 | patch
}
