//! Stable names of errors, for programs and for `gcn explain`. Messages may change; names do not.
//!
//! ```
//! let error = gcn_object::read(b"text".as_slice()).expect_err("text is not a code object");
//! assert_eq!(error.name(), gcn_object::error_names::NOT_A_CODE_OBJECT);
//! assert_eq!(error.name(), "not-a-code-object");
//! ```

use crate::bundle::BundleError;
use crate::driver::DriverError;
use crate::error::ReadError;
use crate::image::{ImageError, RelocationError};
use crate::lines::LinesError;
use crate::names::NameError;

/// The file has another format, or contains no GPU code.
pub const NOT_A_CODE_OBJECT: &str = "not-a-code-object";
/// The version or variant of the format is not supported.
pub const UNSUPPORTED_FORMAT: &str = "unsupported-format";
/// The file is truncated.
pub const TRUNCATED_FILE: &str = "truncated-file";
/// A table, section or stream violates the format.
pub const MALFORMED_FILE: &str = "malformed-file";
/// The file needs more memory than the limit allows.
pub const FILE_TOO_LARGE: &str = "file-too-large";
/// The code object must be linked before it can be loaded.
pub const NOT_LINKED: &str = "not-linked";
/// The name matches no kernel.
pub const UNKNOWN_KERNEL: &str = "unknown-kernel";
/// The name matches several kernels, or is missing although there are several kernels.
pub const AMBIGUOUS_KERNEL: &str = "ambiguous-kernel";

/// All error names.
pub const ALL: &[&str] = &[
    NOT_A_CODE_OBJECT,
    UNSUPPORTED_FORMAT,
    TRUNCATED_FILE,
    MALFORMED_FILE,
    FILE_TOO_LARGE,
    NOT_LINKED,
    UNKNOWN_KERNEL,
    AMBIGUOUS_KERNEL,
];

impl ReadError {
    /// Returns the stable name of the error, one of [`error_names`](self).
    ///
    /// # Examples
    /// ```
    /// let error = gcn_object::read(&b"text"[..]).unwrap_err();
    /// assert_eq!(error.name(), gcn_object::error_names::NOT_A_CODE_OBJECT);
    /// ```
    pub fn name(&self) -> &'static str {
        match self {
            ReadError::NotElf | ReadError::Class | ReadError::Machine { .. } => NOT_A_CODE_OBJECT,
            ReadError::OsAbi { .. }
            | ReadError::AbiVersion { .. }
            | ReadError::Type { .. }
            | ReadError::RelocationsWithoutAddend => UNSUPPORTED_FORMAT,
            ReadError::SectionOutside { .. }
            | ReadError::SegmentOutside { .. }
            | ReadError::Cut { .. } => TRUNCATED_FILE,
            ReadError::Malformed { .. }
            | ReadError::Align { .. }
            | ReadError::Layout
            | ReadError::RelocationSymbol { .. }
            | ReadError::Overlap { .. } => MALFORMED_FILE,
        }
    }
}

impl BundleError {
    /// Returns the stable name of the error, one of [`error_names`](self).
    ///
    /// # Examples
    /// ```
    /// let error = gcn_object::bundle_entries(&b"__CLANG_OFFLOAD_BUNDLE__"[..]).unwrap_err();
    /// assert_eq!(error.name(), gcn_object::error_names::TRUNCATED_FILE);
    /// ```
    pub fn name(&self) -> &'static str {
        match self {
            BundleError::NotABundle | BundleError::NoFatBinary { .. } => NOT_A_CODE_OBJECT,
            BundleError::CodeObject(error) => error.name(),
            BundleError::CompressedVersion { .. } | BundleError::CompressionMethod { .. } => {
                UNSUPPORTED_FORMAT
            }
            BundleError::Truncated | BundleError::Outside { .. } => TRUNCATED_FILE,
            BundleError::Decompression { .. } | BundleError::BrokenHost { .. } => MALFORMED_FILE,
            BundleError::Window { .. } | BundleError::TooLarge { .. } => FILE_TOO_LARGE,
        }
    }
}

impl DriverError {
    /// Returns the stable name of the error, one of [`error_names`](self).
    ///
    /// # Examples
    /// ```
    /// let error = gcn_object::read_driver_program(&b"text"[..]).unwrap_err();
    /// assert_eq!(error.name(), gcn_object::error_names::NOT_A_CODE_OBJECT);
    /// ```
    pub fn name(&self) -> &'static str {
        match self {
            DriverError::Unknown | DriverError::Cpu | DriverError::NoCode => NOT_A_CODE_OBJECT,
            DriverError::Malformed { .. } | DriverError::Overlap { .. } => MALFORMED_FILE,
            DriverError::Outside { .. } => TRUNCATED_FILE,
        }
    }
}

impl ImageError {
    /// Returns the stable name of the error, one of [`error_names`](self).
    ///
    /// # Examples
    /// ```
    /// let object = gcn_object::read(std::fs::read("tests/fixtures/scale-gfx803-v3.co")?)?;
    /// let error = object.image_within(16).unwrap_err();
    /// assert_eq!(error.name(), gcn_object::error_names::FILE_TOO_LARGE);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn name(&self) -> &'static str {
        match self {
            ImageError::TooLarge { .. } => FILE_TOO_LARGE,
            ImageError::Overlap { .. } => MALFORMED_FILE,
        }
    }
}

impl RelocationError {
    /// Returns the stable name of the error, one of [`error_names`](self).
    ///
    /// # Examples
    /// ```
    /// use gcn_object::{RelocationError, RelocationKind, error_names};
    /// let error = RelocationError::NeedsLinker { address: 0x1000, kind: RelocationKind::GotPcRel };
    /// assert_eq!(error.name(), error_names::NOT_LINKED);
    /// ```
    pub fn name(&self) -> &'static str {
        match self {
            RelocationError::Unknown { .. } => UNSUPPORTED_FORMAT,
            RelocationError::NeedsLinker { .. } | RelocationError::Undefined { .. } => NOT_LINKED,
            RelocationError::Outside { .. } | RelocationError::Overflow { .. } => MALFORMED_FILE,
        }
    }
}

impl LinesError {
    /// Returns the stable name of the error, one of [`error_names`](self).
    ///
    /// # Examples
    /// ```
    /// use gcn_object::{LinesError, error_names};
    /// assert_eq!(LinesError::NotLinked.name(), error_names::NOT_LINKED);
    /// ```
    pub fn name(&self) -> &'static str {
        match self {
            LinesError::NotLinked => NOT_LINKED,
            LinesError::Compressed { .. } | LinesError::Dwarf(_) => MALFORMED_FILE,
        }
    }
}

impl NameError {
    /// Returns the stable name of the error, one of [`error_names`](self).
    ///
    /// # Examples
    /// ```
    /// use gcn_object::{error_names, find_name};
    /// let kernels = ["_Z3addIfEvPT_", "_Z3addIdEvPT_"];
    /// let name_of = |name| find_name(kernels, name).unwrap_err().name();
    /// assert_eq!(name_of("add"), error_names::AMBIGUOUS_KERNEL);
    /// assert_eq!(name_of("fill"), error_names::UNKNOWN_KERNEL);
    /// ```
    pub fn name(&self) -> &'static str {
        match self {
            NameError::Ambiguous { .. } => AMBIGUOUS_KERNEL,
            NameError::Missing { .. } | NameError::NoKernels { .. } => UNKNOWN_KERNEL,
        }
    }
}
