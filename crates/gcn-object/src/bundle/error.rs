//! Errors of files that hold code objects.

use object::elf;
use thiserror::Error;

/// Largest size of a bundle after decompression, in bytes: the largest of real libraries have some hundred MiB.
pub(crate) const MAX_UNCOMPRESSED: u64 = 1 << 30;
/// Largest distance that a stream of zstd may refer back, in bytes, all of which the decoder keeps. Clang's streams stay
/// within it, and so do those of the program `zstd` by default.
pub(crate) const MAX_WINDOW: u64 = 128 << 20;

/// Reason why a file yields no code objects.
///
/// # Examples
/// ```
/// use gcn_object::{BundleError, code_objects};
/// let host = std::fs::read(std::env::current_exe()?)?;
/// let error = code_objects(&host).expect_err("it has no kernels");
/// assert!(matches!(error, BundleError::NoFatBinary { .. }));
/// assert!(error.to_string().contains("without GPU code"), "{error}");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BundleError {
    /// The magic text is missing.
    #[error("not an offload bundle")]
    NotABundle,
    /// A version of the compressed form that does not exist yet.
    #[error("unsupported version {version} of compressed offload bundles: 1 to 3 are supported")]
    CompressedVersion {
        /// The version in the header.
        version: u16,
    },
    /// A method of compression that does not exist yet.
    #[error(
        "unsupported compression method {method} of an offload bundle: zlib (0) and zstd (1) are supported"
    )]
    CompressionMethod {
        /// The method in the header.
        method: u16,
    },
    /// The compressed stream is broken.
    #[error("the offload bundle cannot be decompressed: {reason}")]
    Decompression {
        /// Message of the decoder.
        reason: String,
    },
    /// The stream refers back too far.
    #[error(
        "the offload bundle's zstd stream has a window of {window} bytes; the limit is {MAX_WINDOW}"
    )]
    Window {
        /// The distance in the stream's header, in bytes.
        window: u64,
    },
    /// The decompressed bundle, or those of a file together, would exceed the limit.
    #[error("an offload bundle decompresses to {size} bytes; the limit is {limit}")]
    TooLarge {
        /// The size in the header, in bytes.
        size: u64,
        /// Bytes left: 1 GiB for a bundle, and 8 GiB for all of a file.
        limit: u64,
    },
    /// The bundle ends within its table.
    #[error("the offload bundle is truncated in its table of entries")]
    Truncated,
    /// An entry reaches beyond the end of the file.
    #[error("entry {id} extends past the end of the offload bundle")]
    Outside {
        /// Name of the entry.
        id: String,
    },
    /// A program for another machine, without code for GPUs.
    #[error(
        "a program for {} without GPU code: it has neither a section .hip_fatbin nor code of AMD's OpenCL compiler",
        machine_name(*machine)
    )]
    NoFatBinary {
        /// `e_machine`.
        machine: u16,
    },
    /// A program for another machine whose sections cannot be found.
    #[error("a program for {} whose section headers cannot be read: {reason}", machine_name(*machine))]
    BrokenHost {
        /// `e_machine`.
        machine: u16,
        /// Message of the ELF reader.
        reason: String,
    },
}

/// The usual name of a machine of an ELF file.
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
