//! Access to files named by arguments.

use std::path::Path;

use gcn_runtime::data::{Data, DataError};

/// Maximum size in bytes of an input of unknown length, such as a pipe, which is read into memory.
pub const MAX_STREAM_BYTES: u64 = 1 << 30;

/// Function that opens a file named by an argument: [`Data::open`], or a front end's own function, which may accept
/// additional names, such as `-`. The `u64` is the maximum size in bytes of an input of unknown length.
///
/// # Examples
/// ```
/// use std::path::Path;
/// use gcn_args::open::Open;
/// use gcn_runtime::data::{Data, DataError};
/// use gcn_args::expect::Expected;
/// use gcn_args::compare::Tolerance;
/// use gcn_args::value::Type;
/// let known = |path: &Path, most: u64| match path.to_str() {
///     Some("ones") => Ok(Data::from(vec![1; 8])),
///     _ => Data::open(path, most),
/// };
/// let open: Open<'_> = &known;
/// assert_eq!(Expected::parse("@ones", Type::U16, Tolerance::EQUAL, open)?.count(), 4);
/// # Ok::<(), gcn_args::expect::ExpectError>(())
/// ```
pub type Open<'a> = &'a dyn Fn(&Path, u64) -> Result<Data, DataError>;
