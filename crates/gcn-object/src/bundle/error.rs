//! Errors from reading files that contain code objects.

use object::elf;
use thiserror::Error;

use crate::error::ReadError;

/// Maximum size of a decompressed bundle, in bytes. The largest real libraries have several hundred MiB.
pub(crate) const MAX_UNCOMPRESSED: u64 = 1 << 30;
/// Maximum window size of a zstd stream in bytes, which the decoder must buffer. Clang stays within this limit, and so
/// does the `zstd` program by default.
pub(crate) const MAX_WINDOW: u64 = 128 << 20;

/// Reason why a file yields no code objects.
///
/// # Examples
/// ```
/// use gcn_object::{BundleError, code_objects};
/// let host = std::fs::read(std::env::current_exe()?)?;
/// let error = code_objects(&host).expect_err("the program has no kernels");
/// assert!(matches!(error, BundleError::NoFatBinary { .. }));
/// assert!(error.to_string().contains("without GPU code"), "{error}");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BundleError {
    /// The file is neither a bundle nor another file with code objects.
    #[error("not an offload bundle")]
    NotABundle,
    /// The file is a code object for AMDGPU that cannot be read.
    #[error(transparent)]
    CodeObject(ReadError),
    /// Unknown version of the compressed format.
    #[error("unsupported version {version} of compressed offload bundles: 1 to 3 are supported")]
    CompressedVersion {
        /// Version in the header.
        version: u16,
    },
    /// Unknown compression method.
    #[error(
        "unsupported compression method {method} of an offload bundle: zlib (0) and zstd (1) are supported"
    )]
    CompressionMethod {
        /// Method in the header.
        method: u16,
    },
    /// The compressed stream is malformed.
    #[error("the offload bundle cannot be decompressed: {reason}")]
    Decompression {
        /// Decoder's message.
        reason: String,
    },
    /// The stream's window is too large.
    #[error(
        "the offload bundle's zstd stream has a window of {window} bytes; the limit is {MAX_WINDOW}"
    )]
    Window {
        /// Window size in bytes according to the stream's header.
        window: u64,
    },
    /// The decompressed bundle, or the total for the file, would exceed the limit.
    #[error("an offload bundle decompresses to {size} bytes; the limit is {limit}")]
    TooLarge {
        /// Size in bytes according to the header.
        size: u64,
        /// Limit in bytes: 1 GiB, or the rest of the 8 GiB allowed for all bundles of a file if that is less.
        limit: u64,
    },
    /// The bundle ends inside its header, table or compressed stream.
    #[error("the offload bundle is truncated")]
    Truncated,
    /// An entry extends past the end of the bundle.
    #[error("entry {id} extends past the end of the offload bundle")]
    Outside {
        /// Entry ID.
        id: String,
    },
    /// The file is a program for another machine and contains no GPU code.
    #[error(
        "a program for {} without GPU code: it has neither a section .hip_fatbin nor code from AMD's OpenCL compiler",
        machine_name(*machine)
    )]
    NoFatBinary {
        /// Machine type in the file (`e_machine`).
        machine: u16,
    },
    /// The file is a program for another machine, and its sections cannot be read.
    #[error("a program for {} whose section headers cannot be read: {reason}", machine_name(*machine))]
    BrokenHost {
        /// Machine type in the file (`e_machine`).
        machine: u16,
        /// ELF parser's message.
        reason: String,
    },
}

/// Returns the common name of an ELF machine type.
fn machine_name(machine: u16) -> String {
    let name = match elf::Machine(machine) {
        elf::EM_X86_64 => "x86-64",
        elf::EM_AARCH64 => "AArch64",
        elf::EM_PPC64 => "PowerPC",
        elf::EM_RISCV => "RISC-V",
        _ => return format!("machine {machine}"),
    };
    name.to_owned()
}
