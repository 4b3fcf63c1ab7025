//! Expected buffer contents, and comparison with the actual contents.
//!
//! ```
//! use gcn_runtime::data::Data;
//! use gcn_args::expect::Expected;
//! use gcn_args::value::{Type, Value};
//!
//! let (text, tolerance) = Expected::split("f32*4:iota~1e-3")?;
//! let expected = Expected::parse(text, Type::F32, tolerance, &Data::open)?;
//! assert_eq!(expected.count(), 4);
//! let is = [0.0005f32, 1.0, 2.0, 3.5].map(Value::from);
//! let comparison = expected.compare(0, is.into_iter());
//! assert_eq!(comparison.first[0].index, 3);
//! # Ok::<(), gcn_args::expect::ExpectError>(())
//! ```

use gcn_runtime::data::DataError;

use crate::compare::{Comparison, Tolerance};
use crate::fill::Fill;
use crate::open::{MAX_STREAM_BYTES, Open};
use crate::spec::Spec;
use crate::value::{Type, Value, ValueError};

/// Expected elements of a buffer.
///
/// # Examples
/// ```
/// use gcn_runtime::data::Data;
/// use gcn_args::expect::Expected;
/// use gcn_args::value::{Type, Value};
/// let device = gcn_runtime::Device::new("gfx900")?;
/// let is: Vec<u8> = device.buffer("xs", &[0u32, 1, 2, 3])?.read()?;
/// let (text, tolerance) = Expected::split("u32*4:iota").expect("a value");
/// let expected = Expected::parse(text, Type::U32, tolerance, &Data::open).expect("elements");
/// assert!(expected.compare(0, Value::all(Type::U32, &is)).holds());
/// # Ok::<(), gcn_runtime::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Expected {
    ty: Type,
    elements: ExpectedElements,
    count: u64,
    tolerance: Tolerance,
}

#[derive(Clone, PartialEq, Debug)]
enum ExpectedElements {
    Listed(Vec<u8>),
    Filled(Fill),
}

/// Error from parsing expected elements.
///
/// # Examples
/// ```
/// use gcn_args::compare::Tolerance;
/// use gcn_runtime::data::Data;
/// use gcn_args::expect::{ExpectError, Expected};
/// use gcn_args::value::Type;
/// let error = Expected::parse("local:64", Type::F32, Tolerance::EQUAL, &Data::open).unwrap_err();
/// assert!(matches!(&error, ExpectError::NoElements(_)));
/// assert_eq!(error.to_string(), "`local:64` cannot be compared with a buffer");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExpectError {
    /// The text is not a value.
    #[error(transparent)]
    Value(#[from] ValueError),
    /// A file cannot be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The size of a file is not a multiple of the element size.
    #[error("{name} has {bytes} bytes, not a multiple of the size of {ty}")]
    Partial {
        /// Name of the file.
        name: String,
        /// Size of the file in bytes.
        bytes: u64,
        /// Element type.
        ty: Type,
    },
    /// The type in the text differs from the element type.
    #[error("expected elements of {wanted}, found {given}")]
    Type {
        /// Type of the elements to compare.
        wanted: Type,
        /// Type in the text.
        given: Type,
    },
    /// The value cannot be compared with a buffer.
    #[error("`{0}` cannot be compared with a buffer")]
    NoElements(String),
    /// The text after `~` is not a tolerance.
    #[error(
        "`{tolerance}` after `{value}~` is not a tolerance: write a number such as 1e-6, `4 ulp`, `exact` or `any`, which `ftz` \
         may follow"
    )]
    Tolerance {
        /// Text before `~`.
        value: String,
        /// Text after `~`.
        tolerance: String,
    },
}

impl Expected {
    /// Splits `VALUE~TOLERANCE`. The default tolerance is [`Tolerance::EQUAL`].
    ///
    /// # Errors
    /// Returns [`ExpectError::Tolerance`] if the text after `~` is not a tolerance, unless the `~` is in a file name.
    ///
    /// # Examples
    /// ```
    /// use gcn_args::compare::Tolerance;
    /// use gcn_args::expect::Expected;
    /// assert_eq!(Expected::split("@a~b.bin")?, ("@a~b.bin", Tolerance::EQUAL));
    /// assert!(Expected::split("f32:1~4 ulps").is_err());
    /// # Ok::<(), gcn_args::expect::ExpectError>(())
    /// ```
    pub fn split(text: &str) -> Result<(&str, Tolerance), ExpectError> {
        let Some((value, tolerance)) = text.rsplit_once('~') else {
            return Ok((text, Tolerance::EQUAL));
        };
        match Tolerance::parse(tolerance) {
            Some(tolerance) => Ok((value, tolerance)),
            // A file name may contain `~`.
            None if value.contains('@') => Ok((text, Tolerance::EQUAL)),
            None => Err(ExpectError::Tolerance {
                value: value.to_owned(),
                tolerance: tolerance.to_owned(),
            }),
        }
    }

    /// Parses elements of type `ty`, in the syntax of [`Spec::parse`]. A type in the text must be `ty`.
    ///
    /// # Errors
    /// Returns any [`ExpectError`] except [`ExpectError::Tolerance`].
    ///
    /// # Examples
    /// ```
    /// use gcn_args::compare::Tolerance;
    /// use gcn_runtime::data::Data;
    /// use gcn_args::expect::Expected;
    /// use gcn_args::value::{Type, Value};
    /// let expected = Expected::parse("1,2,3", Type::U8, Tolerance::EQUAL, &Data::open)?;
    /// assert!(expected.compare(0, Value::all(Type::U8, &[1, 2, 3])).holds());
    /// assert!(Expected::parse("1,256", Type::U8, Tolerance::EQUAL, &Data::open).is_err());
    /// assert!(Expected::parse("f32*4:iota", Type::U8, Tolerance::EQUAL, &Data::open).is_err());
    /// # Ok::<(), gcn_args::expect::ExpectError>(())
    /// ```
    pub fn parse(
        text: &str,
        ty: Type,
        tolerance: Tolerance,
        open: Open<'_>,
    ) -> Result<Expected, ExpectError> {
        Expected::new(&Spec::parse(text)?, text, ty, tolerance, open)
    }

    /// Creates expected elements of type `ty` from a parsed value. An explicit type in the value must be `ty`. Error
    /// messages quote `text`.
    ///
    /// # Errors
    /// Returns any [`ExpectError`] except [`ExpectError::Tolerance`].
    ///
    /// # Examples
    /// ```
    /// use gcn_args::compare::Tolerance;
    /// use gcn_runtime::data::Data;
    /// use gcn_args::expect::Expected;
    /// use gcn_args::fill::Fill;
    /// use gcn_args::spec::Spec;
    /// use gcn_args::value::Type;
    /// let zeros = Spec::Filled { ty: Type::U32, count: 4, fill: Fill::Zero };
    /// let expected = Expected::new(&zeros, "zeros", Type::U32, Tolerance::EQUAL, &Data::open)?;
    /// assert_eq!(expected.count(), 4);
    /// # Ok::<(), gcn_args::expect::ExpectError>(())
    /// ```
    pub fn new(
        spec: &Spec,
        text: &str,
        ty: Type,
        tolerance: Tolerance,
        open: Open<'_>,
    ) -> Result<Expected, ExpectError> {
        if let Some(given) = spec.ty().filter(|given| *given != ty) {
            return Err(ExpectError::Type { wanted: ty, given });
        }
        let (elements, count) = match spec {
            Spec::Numbers { texts, .. } => {
                let mut bytes = Vec::new();
                for text in texts {
                    bytes.extend(ty.parse(text)?.to_bytes());
                }
                (ExpectedElements::Listed(bytes), texts.len() as u64)
            }
            Spec::File { path, .. } => {
                let data = open(path, MAX_STREAM_BYTES)?;
                let (name, bytes) = (data.name().to_owned(), data.len());
                let size = ty.size() as u64;
                if !bytes.is_multiple_of(size) {
                    return Err(ExpectError::Partial { name, bytes, ty });
                }
                (
                    ExpectedElements::Listed(data.into_bytes(MAX_STREAM_BYTES)?),
                    bytes / size,
                )
            }
            Spec::Filled {
                fill: Fill::Undefined,
                ..
            }
            | Spec::Local(_)
            | Spec::Null
            | Spec::Same { .. }
            | Spec::Struct(_)
            | Spec::Bytes(_) => {
                return Err(ExpectError::NoElements(text.to_owned()));
            }
            Spec::Filled { count, fill, .. } => (ExpectedElements::Filled(fill.clone()), *count),
        };
        Ok(Expected {
            ty,
            elements,
            count,
            tolerance,
        })
    }

    /// Returns the number of elements.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Compares elements with the expected ones, up to the end of the shorter sequence. The first element has index `begin`.
    ///
    /// # Examples
    /// ```
    /// use gcn_args::compare::Tolerance;
    /// use gcn_runtime::data::Data;
    /// use gcn_args::expect::Expected;
    /// use gcn_args::value::{Type, Value};
    /// let expected = Expected::parse("u32*4:iota", Type::U32, Tolerance::EQUAL, &Data::open)?;
    /// let comparison = expected.compare(8, [0u32, 1, 5].into_iter().map(Value::from));
    /// assert_eq!(comparison.compared, 3, "the fourth element is not compared");
    /// assert_eq!((comparison.different, comparison.first[0].index), (1, 10));
    /// # Ok::<(), gcn_args::expect::ExpectError>(())
    /// ```
    pub fn compare(&self, begin: u64, elements: impl Iterator<Item = Value>) -> Comparison {
        match &self.elements {
            ExpectedElements::Listed(bytes) => {
                let expected = Value::all(self.ty, bytes);
                Comparison::new(begin, elements.zip(expected), self.tolerance)
            }
            ExpectedElements::Filled(fill) => {
                let expected = fill.elements(self.ty, self.count);
                Comparison::new(begin, elements.zip(expected), self.tolerance)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use gcn_runtime::data::Data;

    use super::*;

    #[test]
    fn a_type_in_the_text_is_that_of_the_elements() {
        let expected = |text: &str| {
            let read = |_: &Path, _: u64| Ok::<_, DataError>(Data::from(vec![0; 8]));
            Expected::parse(text, Type::U32, Tolerance::EQUAL, &read).map(|it| it.count())
        };
        for text in ["1,2", "u32:1,2", "u32*2:fill(1)", "@file", "u32@file"] {
            assert_eq!(expected(text).expect(text), 2);
        }
        for text in ["f32:1,2", "f32*2:fill(1)", "f32@file"] {
            let error = expected(text).expect_err(text).to_string();
            assert_eq!(error, "expected elements of u32, found f32");
        }
    }

    #[test]
    fn a_tolerance_follows_the_value() {
        let within = |text: &str| Tolerance::parse(text).expect("a tolerance");
        for (text, value, tolerance) in [
            ("f32:1,2", "f32:1,2", Tolerance::EQUAL),
            ("f32:1~1e-3", "f32:1", within("1e-3")),
            ("f32:1~ 4 ulp", "f32:1", within("4 ulp")),
            ("@a~b.bin", "@a~b.bin", Tolerance::EQUAL),
            ("@a~b.bin~2ulp ftz", "@a~b.bin", within("2 ulp ftz")),
        ] {
            let read = Expected::split(text).expect("a value");
            assert_eq!(read, (value, tolerance), "{text}");
        }
        assert!(Expected::split("f32:1~-1").is_err());
        assert!(Expected::split("f32:1~4 ulps").is_err());
    }
}
