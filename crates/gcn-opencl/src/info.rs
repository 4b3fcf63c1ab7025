//! Values that programs query.

use crate::handle::Handle;

/// A value as bytes in the host's order, in the type that the headers say for the query.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Info(pub(crate) Vec<u8>);

impl Info {
    /// A `cl_bool`.
    pub(crate) fn bool(value: bool) -> Info {
        Info::from(u32::from(value))
    }

    /// Text with its terminator.
    pub(crate) fn text(text: &str) -> Info {
        let mut bytes = text.as_bytes().to_vec();
        bytes.push(0);
        Info(bytes)
    }

    /// An array.
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

    /// An array without elements.
    pub(crate) fn nothing() -> Info {
        Info::default()
    }

    /// Versions of `cl_name_version`: each number with its name.
    pub(crate) fn versions<'a>(all: impl IntoIterator<Item = (u32, &'a str)>) -> Info {
        /// Bytes of a name, the terminator included.
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

// `usize` is `size_t`, and a handle.
from! { u8 u32 i32 u64 isize usize }

impl From<Option<Handle>> for Info {
    fn from(handle: Option<Handle>) -> Info {
        Info::from(handle.unwrap_or(0))
    }
}

/// A version as `cl_version` has it.
pub(crate) const fn version(major: u32, minor: u32, patch: u32) -> u32 {
    major << 22 | minor << 12 | patch
}
