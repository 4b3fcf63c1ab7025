//! Errors as the caller gets them.

use std::ffi::CString;

use gcn_isa::DecodeError;
use gcn_object::{NameError, ReadError};

use crate::error_names::{
    INDEX_RANGE, INVALID_CHOICE, NULL_POINTER, TRUNCATED_INSTRUCTION, UNKNOWN_INSTRUCTION,
};
use crate::runtime::Error;

/// Text for C: a NUL inside is replaced, since C's text would end there.
pub(crate) fn c_text(text: impl Into<String>) -> CString {
    let text = text.into();
    CString::new(text)
        .or_else(|error| {
            let bytes = error.into_vec();
            CString::new(String::from_utf8_lossy(&bytes).replace('\0', "\u{fffd}"))
        })
        .unwrap_or_default()
}

/// Place in a source.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// File.
    pub(crate) file: CString,
    /// Line, from 1; 0 if it is not known.
    pub(crate) line: u32,
    /// Column, from 1; 0 if it is not known.
    pub(crate) column: u32,
}

/// Error of a function: the object behind `gcn_error`.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    /// Stable name, which `gcn explain` expands.
    pub(crate) name: CString,
    /// Message.
    pub(crate) message: CString,
    /// Lines of help; may be empty.
    pub(crate) help: CString,
    /// Place, where it is known.
    pub(crate) place: Option<Place>,
}

impl Failure {
    /// Error without a place.
    #[cold]
    pub(crate) fn new(name: &str, message: impl Into<String>) -> Failure {
        Failure {
            name: c_text(name),
            message: c_text(message),
            help: CString::default(),
            place: None,
        }
    }

    /// Adds a place.
    pub(crate) fn at(mut self, place: Option<Place>) -> Failure {
        self.place = place;
        self
    }

    /// Adds help.
    pub(crate) fn helped(mut self, help: &str) -> Failure {
        self.help = c_text(help);
        self
    }

    /// Null pointer of a parameter.
    #[cold]
    pub(crate) fn null(parameter: &str) -> Failure {
        Failure::new(NULL_POINTER, format!("`{parameter}` is a null pointer"))
    }

    /// Index beyond the last element.
    #[cold]
    pub(crate) fn index(index: usize, count: usize, elements: &str) -> Failure {
        Failure::new(
            INDEX_RANGE,
            format!("index {index} is out of range: there are {count} {elements}"),
        )
    }

    /// Value that stands for no choice.
    #[cold]
    pub(crate) fn choice(message: impl Into<String>) -> Failure {
        Failure::new(INVALID_CHOICE, message)
    }
}

impl From<Error> for Failure {
    #[cold]
    fn from(error: Error) -> Failure {
        Failure::new(error.name(), error.to_string())
    }
}

impl From<ReadError> for Failure {
    #[cold]
    fn from(error: ReadError) -> Failure {
        Failure::new(error.name(), error.to_string())
    }
}

impl From<NameError> for Failure {
    #[cold]
    fn from(error: NameError) -> Failure {
        Failure::new(error.name(), error.to_string())
    }
}

impl From<DecodeError> for Failure {
    #[cold]
    fn from(error: DecodeError) -> Failure {
        let name = match error {
            DecodeError::Truncated(_) | DecodeError::Empty => TRUNCATED_INSTRUCTION,
            _ => UNKNOWN_INSTRUCTION,
        };
        Failure::new(name, error.to_string())
    }
}
