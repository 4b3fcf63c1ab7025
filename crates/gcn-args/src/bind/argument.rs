//! Arguments as given by the caller, and bound arguments.

use super::values::Bound;
use crate::spec::Spec;
use crate::value::ValueError;

/// Argument or shared buffer, as given by the caller.
///
/// # Examples
/// ```
/// use gcn_args::bind::GivenArgument;
/// use gcn_args::spec::Spec;
/// assert_eq!(GivenArgument::parse("y", "null").spec, Ok(Spec::Null));
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct GivenArgument {
    /// Name or index of the parameter, or name of the shared buffer.
    pub name: String,
    /// Value as written, for messages.
    pub text: String,
    /// Parsed value, or the parse error, which binding reports together with other errors.
    pub spec: Result<Spec, ValueError>,
}

impl GivenArgument {
    /// Parses an argument.
    ///
    /// # Examples
    /// ```
    /// use gcn_args::bind::GivenArgument;
    /// use gcn_args::spec::Spec;
    /// use gcn_args::value::ValueError;
    /// assert_eq!(GivenArgument::parse("lds", "local:256").spec, Ok(Spec::Local(256)));
    /// let wrong = GivenArgument::parse("x", "u8:256");
    /// assert!(matches!(wrong.spec, Err(ValueError::Range { .. })), "binding reports the error");
    /// ```
    pub fn parse(name: &str, text: &str) -> GivenArgument {
        GivenArgument {
            name: name.to_owned(),
            text: text.to_owned(),
            spec: Spec::parse(text),
        }
    }
}

/// Argument or shared buffer with its bound value.
///
/// # Examples
/// ```
/// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
/// # let (device, kernel) = example::scale_kernel();
/// use gcn_args::bind::{self, GivenArgument};
/// use gcn_runtime::data::Data;
/// let given = [("factor", "3"), ("xs", "u32*16")].map(|(name, text)| GivenArgument::parse(name, text));
/// let arguments = bind::arguments(kernel.description(), &given, &[], &Data::open).arguments;
/// let places = arguments.iter().map(|argument| (argument.name.as_str(), argument.index, argument.offset));
/// assert!(places.eq([("xs", Some(0), 0), ("factor", Some(1), 8)]), "in parameter order");
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct BoundArgument {
    /// Name for messages and for references from other arguments.
    pub name: String,
    /// Index of the parameter; `None` for a shared buffer or a whole segment.
    pub index: Option<usize>,
    /// Offset from the start of the argument segment, in bytes.
    pub offset: u64,
    /// Value to store at the offset.
    pub bound: Bound,
}

impl BoundArgument {
    /// Returns the size in bytes of the buffer that the argument allocates, if any.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
    /// # let (device, kernel) = example::scale_kernel();
    /// use gcn_args::bind::{self, GivenArgument};
    /// use gcn_runtime::data::Data;
    /// let given = [("xs", "u32*16"), ("factor", "3")].map(|(name, text)| GivenArgument::parse(name, text));
    /// let bytes = bind::arguments(kernel.description(), &given, &[], &Data::open).arguments;
    /// let bytes: Vec<Option<u64>> = bytes.iter().map(|argument| argument.buffer_bytes()).collect();
    /// assert_eq!(bytes, [Some(64), None]);
    /// ```
    pub fn buffer_bytes(&self) -> Option<u64> {
        match &self.bound {
            Bound::Buffer { bytes, .. } => Some(*bytes),
            Bound::Bytes(_) | Bound::Null | Bound::Local { .. } | Bound::Alias { .. } => None,
        }
    }
}
