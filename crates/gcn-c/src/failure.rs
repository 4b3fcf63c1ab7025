//! Errors reported to the caller.

use std::ffi::CString;

use gcn_isa::DecodeError;
use gcn_object::{NameError, ReadError};

use crate::error_names::{
    INDEX_RANGE, INVALID_CHOICE, NULL_POINTER, TRUNCATED_INSTRUCTION, UNKNOWN_INSTRUCTION,
};
use crate::runtime::Error;

/// Converts a string to a C string. NUL characters are replaced, since they would end the string.
pub(crate) fn c_text(text: impl Into<String>) -> CString {
    let text = text.into();
    CString::new(text)
        .or_else(|error| {
            let bytes = error.into_vec();
            CString::new(String::from_utf8_lossy(&bytes).replace('\0', "\u{fffd}"))
        })
        .unwrap_or_default()
}

/// Source location.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) file: CString,
    /// Line number, starting at 1; 0 if unknown.
    pub(crate) line: u32,
    /// Column number, starting at 1; 0 if unknown.
    pub(crate) column: u32,
}

/// Error reported by a function: the object that a `gcn_error` handle refers to.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    /// Stable name, explained by `gcn explain`.
    pub(crate) name: CString,
    pub(crate) message: CString,
    /// Help text; may be empty.
    pub(crate) help: CString,
    /// Source location, if known.
    pub(crate) place: Option<Place>,
}

impl Failure {
    /// Creates an error without a source location.
    #[cold]
    pub(crate) fn new(name: &str, message: impl Into<String>) -> Failure {
        Failure {
            name: c_text(name),
            message: c_text(message),
            help: CString::default(),
            place: None,
        }
    }

    /// Adds a source location.
    pub(crate) fn at(mut self, place: Option<Place>) -> Failure {
        self.place = place;
        self
    }

    /// Adds help text.
    pub(crate) fn with_help(mut self, help: &str) -> Failure {
        self.help = c_text(help);
        self
    }

    /// Creates the error for a null pointer.
    #[cold]
    pub(crate) fn null(parameter: &str) -> Failure {
        Failure::new(NULL_POINTER, format!("`{parameter}` is a null pointer"))
    }

    /// Creates the error for an index out of range.
    #[cold]
    pub(crate) fn index(index: usize, count: usize, elements: &str) -> Failure {
        Failure::new(
            INDEX_RANGE,
            format!("index {index} is out of range: there are {count} {elements}"),
        )
    }

    /// Creates the error for an unknown number or name.
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
