//! Representation of a parsed driver program.

use std::fmt;
use std::ops::Range;

use thiserror::Error;

use super::chip::DriverChip;
use crate::bytes::Bytes;
use crate::descriptor::{KernelDescriptor, Rsrc1, Rsrc2, UserSgpr};
use crate::names::{NameError, find_name};
use crate::target::processor_mach;

/// Format of a driver program.
///
/// # Examples
/// ```
/// # mod programs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/programs.rs")); }
/// use gcn_object::{DriverFormat, read_driver_program};
/// let format = |file: Vec<u8>| read_driver_program(file).map(|program| program.format);
/// assert_eq!(format(programs::catalyst(64))?, DriverFormat::Catalyst);
/// assert_eq!(format(programs::gallium(64, true))?, DriverFormat::Gallium);
/// assert_eq!(DriverFormat::Gallium.to_string(), "Gallium compute program");
/// # Ok::<(), gcn_object::DriverError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DriverFormat {
    /// Catalyst OpenCL 1.2: an ELF file that contains an ELF file for each kernel.
    Catalyst,
    /// Catalyst OpenCL 2.0 before driver 1912.05: `amd_kernel_code_t` and code for each kernel. Later drivers' programs
    /// contain a code object, which [`code_objects`](crate::code_objects) yields.
    CatalystOpenCl2,
    /// Mesa's Gallium compute: a table of kernels, then an ELF file with their code.
    Gallium,
}

impl fmt::Display for DriverFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Catalyst => "Catalyst OpenCL 1.2 program",
            Self::CatalystOpenCl2 => "Catalyst OpenCL 2.0 program (before driver 1912.05)",
            Self::Gallium => "Gallium compute program",
        })
    }
}

/// A program for a driver with its own ABI. It keeps the bytes of its file, either borrowed or shared.
///
/// # Examples
/// ```
/// # mod programs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/programs.rs")); }
/// let file = programs::catalyst(64);
/// let program = gcn_object::read_driver_program(&file)?;
/// assert_eq!(program.chip.map(|chip| (chip.name, chip.processor)), Some(("Pitcairn", "gfx601")));
/// let kernel = program.find_kernel("scale")?;
/// assert_eq!(program.code(kernel), &file[kernel.file.clone()]);
/// assert!(program.warnings.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct DriverProgram<'a> {
    /// File format of the program.
    pub format: DriverFormat,
    /// Word size of the ELF file, 32 or 64. In Catalyst's programs, pointers have this size too.
    pub bits: u8,
    /// Chip for which Catalyst compiled the program.
    pub chip: Option<&'static DriverChip>,
    /// LLVM's name of the processor, if the file states one.
    pub processor: Option<String>,
    /// Compiler options.
    pub compile_options: Option<String>,
    /// Driver or compiler that produced the program.
    pub producer: Option<String>,
    /// Size of the constant data shared by all kernels, in bytes.
    pub constant_bytes: usize,
    /// Kernels in file order.
    pub kernels: Vec<DriverKernel>,
    /// Defects that affect individual kernels.
    pub warnings: Vec<DriverWarning>,
    pub(super) data: Bytes<'a>,
}

/// A kernel in a driver program. Properties that the format does not state are `None`.
///
/// # Examples
/// ```
/// # mod programs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/programs.rs")); }
/// # let file = programs::catalyst(64);
/// let program = gcn_object::read_driver_program(&file)?;
/// let kernel = program.find_kernel("scale")?;
/// assert_eq!((kernel.sgprs, kernel.vgprs, kernel.lds_bytes), (Some(20), Some(10), Some(512)));
/// assert_eq!(kernel.required_workgroup, Some([64, 2, 1]));
/// assert_eq!(kernel.descriptor, None, "only programs for OpenCL 2.0 have a descriptor");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct DriverKernel {
    /// Name in the source.
    pub name: String,
    /// Offset of the first instruction in its code section.
    pub address: u64,
    /// Range of its code in the file.
    pub file: Range<usize>,
    /// Number of SGPRs: used excluding VCC (Catalyst OpenCL 1.2), stated in `amd_kernel_code_t`, or else allocated.
    pub sgprs: Option<u32>,
    /// Number of VGPRs: used (Catalyst OpenCL 1.2), stated in `amd_kernel_code_t`, or else allocated.
    pub vgprs: Option<u32>,
    /// Static LDS size in bytes, excluding LDS arguments.
    pub lds_bytes: Option<u64>,
    /// Scratch size per lane in bytes.
    pub scratch_bytes_per_lane: Option<u64>,
    /// Required workgroup size.
    pub required_workgroup: Option<[u32; 3]>,
    /// `COMPUTE_PGM_RSRC1`.
    pub rsrc1: Option<Rsrc1>,
    /// `COMPUTE_PGM_RSRC2`.
    pub rsrc2: Option<Rsrc2>,
    /// Initial contents of user SGPRs.
    pub user_data: Vec<UserData>,
    /// Kernel arguments.
    pub arguments: Vec<DriverArgument>,
    /// `amd_kernel_code_t` that precedes the code, if any.
    pub descriptor: Option<KernelDescriptor>,
}

/// SGPRs that hold one kind of data when the kernel starts.
///
/// # Examples
/// ```
/// # mod programs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/programs.rs")); }
/// # let file = programs::catalyst(64);
/// let program = gcn_object::read_driver_program(&file)?;
/// let data = program.kernels[0].user_data.iter();
/// let texts: Vec<String> = data.map(|data| format!("s{}, {} of {}", data.first, data.count, data.class)).collect();
/// assert_eq!(texts, ["s2, 2 of PTR_UAV_TABLE 0", "s8, 4 of IMM_CONST_BUFFER 1"]);
/// # Ok::<(), gcn_object::DriverError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UserData {
    /// Kind of data.
    pub class: UserDataClass,
    /// First register.
    pub first: u32,
    /// Number of registers.
    pub count: u32,
}

/// Kind of data in user SGPRs.
///
/// # Examples
/// ```
/// use gcn_object::{UserDataClass, UserSgpr};
/// assert_eq!(UserDataClass::Catalyst { class: 23, slot: 0 }.to_string(), "PTR_UAV_TABLE 0");
/// assert_eq!(UserDataClass::Hsa(UserSgpr::DispatchPtr).to_string(), "DispatchPtr");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserDataClass {
    /// Catalyst data class, and the number of the buffer, image or sampler.
    Catalyst {
        /// Data class number.
        class: u32,
        /// Number of the buffer, image or sampler.
        slot: u32,
    },
    /// Gallium: address of the grid sizes, which precede the arguments.
    GridAndArguments,
    /// Gallium: scratch address.
    Scratch,
    /// Data that HSA defines, as in a code object.
    Hsa(UserSgpr),
}

/// Names of Catalyst's data classes, indexed by number.
const CLASSES: [&str; 33] = [
    "IMM_RESOURCE",
    "IMM_SAMPLER",
    "IMM_CONST_BUFFER",
    "IMM_VERTEX_BUFFER",
    "IMM_UAV",
    "IMM_ALU_FLOAT_CONST",
    "IMM_ALU_BOOL32_CONST",
    "IMM_GDS_COUNTER_RANGE",
    "IMM_GDS_MEMORY_RANGE",
    "IMM_GWS_BASE",
    "IMM_WORK_ITEM_RANGE",
    "IMM_WORK_GROUP_RANGE",
    "IMM_DISPATCH_ID",
    "IMM_SCRATCH_BUFFER",
    "IMM_HEAP_BUFFER",
    "IMM_KERNEL_ARG",
    "SUB_PTR_FETCH_SHADER",
    "PTR_RESOURCE_TABLE",
    "PTR_INTERNAL_RESOURCE_TABLE",
    "PTR_SAMPLER_TABLE",
    "PTR_CONST_BUFFER_TABLE",
    "PTR_VERTEX_BUFFER_TABLE",
    "PTR_SO_BUFFER_TABLE",
    "PTR_UAV_TABLE",
    "PTR_INTERNAL_GLOBAL_TABLE",
    "PTR_EXTENDED_USER_DATA",
    "PTR_INDIRECT_RESOURCE",
    "PTR_INDIRECT_INTERNAL_RESOURCE",
    "PTR_INDIRECT_UAV",
    "IMM_CONTEXT_BASE",
    "IMM_LDS_ESGS_SIZE",
    "IMM_GLOBAL_OFFSET",
    "IMM_GENERIC_USER_DATA",
];

impl fmt::Display for UserDataClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Catalyst { class, slot } => match CLASSES.get(*class as usize) {
                Some(name) => write!(f, "{name} {slot}"),
                None => write!(f, "data class {class}, slot {slot}"),
            },
            Self::GridAndArguments => f.write_str("address of grid sizes and arguments"),
            Self::Scratch => f.write_str("address of scratch"),
            Self::Hsa(user) => write!(f, "{user:?}"),
        }
    }
}

/// A kernel argument.
///
/// # Examples
/// ```
/// # mod programs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/programs.rs")); }
/// # let file = programs::catalyst(64);
/// let program = gcn_object::read_driver_program(&file)?;
/// let mut arguments = program.kernels[0].arguments.iter();
/// let input = arguments.find(|argument| argument.name.as_deref() == Some("in")).expect("the argument exists");
/// assert_eq!((input.offset, input.size, input.type_name.as_deref()), (Some(64), Some(8), Some("float*")));
/// assert_eq!(input.kind.to_string(), "global 12 const");
/// # Ok::<(), gcn_object::DriverError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DriverArgument {
    /// Name in the source; `None` for Gallium.
    pub name: Option<String>,
    /// Type in the source if known, otherwise the type in the metadata.
    pub type_name: Option<String>,
    /// Kind of argument.
    pub kind: DriverArgumentKind,
    /// Offset in the argument segment, in bytes.
    pub offset: Option<u32>,
    /// Size in bytes.
    pub size: Option<u32>,
}

/// Kind of an argument.
///
/// # Examples
/// ```
/// use gcn_object::{DriverArgumentKind, PointerSpace};
/// let space = PointerSpace::Global;
/// assert_eq!(DriverArgumentKind::Pointer { space, slot: Some(12), is_const: true }.to_string(), "global 12 const");
/// let image = DriverArgumentKind::Image { slot: Some(1), read: false, write: true };
/// assert_eq!(image.to_string(), "write-only image 1");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DriverArgumentKind {
    /// A value that is passed directly.
    Value,
    /// A pointer.
    Pointer {
        /// Memory that the pointer refers to.
        space: PointerSpace,
        /// Buffer number in Catalyst's tables.
        slot: Option<u32>,
        /// True if the kernel does not write through the pointer.
        is_const: bool,
    },
    /// An image.
    Image {
        /// Image number in Catalyst's tables.
        slot: Option<u32>,
        /// True if the kernel reads the image.
        read: bool,
        /// True if the kernel writes the image.
        write: bool,
    },
    /// A sampler.
    Sampler,
    /// A GDS counter with the given number.
    Counter(u32),
    /// Number of grid dimensions, filled in by the driver.
    GridDimension,
    /// Grid offsets, filled in by the driver.
    GridOffset,
    /// Image size, filled in by the driver.
    ImageSize,
    /// Image format, filled in by the driver.
    ImageFormat,
    /// A pipe.
    Pipe,
    /// A device queue.
    Queue,
    /// Another kind, by its number in the Gallium container.
    Other(u32),
}

/// Memory to which a pointer refers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointerSpace {
    /// Global memory.
    Global,
    /// Constant memory: in global memory or in a hardware constant buffer.
    Constant,
    /// Local memory (LDS).
    Local,
}

impl fmt::Display for PointerSpace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Global => "global",
            Self::Constant => "constant",
            Self::Local => "local",
        })
    }
}

impl fmt::Display for DriverArgumentKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slot = |f: &mut fmt::Formatter<'_>, slot: &Option<u32>| match slot {
            Some(slot) => write!(f, " {slot}"),
            None => Ok(()),
        };
        match self {
            Self::Value => f.write_str("value"),
            Self::Pointer {
                space,
                slot: number,
                is_const,
            } => {
                write!(f, "{space}")?;
                slot(f, number)?;
                f.write_str(if *is_const { " const" } else { "" })
            }
            Self::Image {
                slot: number,
                read,
                write,
            } => {
                f.write_str(match (read, write) {
                    (true, false) => "read-only image",
                    (false, true) => "write-only image",
                    _ => "image",
                })?;
                slot(f, number)
            }
            Self::Sampler => f.write_str("sampler"),
            Self::Counter(number) => write!(f, "counter {number}"),
            Self::GridDimension => f.write_str("grid dimensions"),
            Self::GridOffset => f.write_str("grid offset"),
            Self::ImageSize => f.write_str("image size"),
            Self::ImageFormat => f.write_str("image format"),
            Self::Pipe => f.write_str("pipe"),
            Self::Queue => f.write_str("queue"),
            Self::Other(number) => write!(f, "kind {number}"),
        }
    }
}

impl DriverProgram<'_> {
    /// Creates a program without kernels or bytes.
    pub(super) fn new(format: DriverFormat, bits: u8, chip: Option<&'static DriverChip>) -> Self {
        Self {
            format,
            bits,
            chip,
            processor: chip.map(|chip| chip.processor.to_owned()),
            compile_options: None,
            producer: None,
            constant_bytes: 0,
            kernels: Vec::new(),
            warnings: Vec::new(),
            data: Bytes::from(&[][..]),
        }
    }

    /// Returns the code of a kernel.
    pub fn code(&self, kernel: &DriverKernel) -> &[u8] {
        self.data.get(kernel.file.clone()).unwrap_or_default()
    }

    /// Returns the kernel that `name` denotes, according to [`find_name`].
    ///
    /// # Errors
    /// The errors of [`find_name`].
    pub fn find_kernel(&self, name: &str) -> Result<&DriverKernel, NameError> {
        let symbol = find_name(self.kernels.iter().map(|kernel| kernel.name.as_str()), name)?;
        let mut kernels = self.kernels.iter();
        kernels
            .find(|kernel| kernel.name == symbol)
            .ok_or_else(|| NameError::NoKernels {
                name: name.to_owned(),
            })
    }
}

impl DriverKernel {
    /// Creates a kernel with a name only.
    pub(super) fn named(name: &[u8]) -> Self {
        Self {
            name: String::from_utf8_lossy(name).into_owned(),
            address: 0,
            file: 0..0,
            sgprs: None,
            vgprs: None,
            lds_bytes: None,
            scratch_bytes_per_lane: None,
            required_workgroup: None,
            rsrc1: None,
            rsrc2: None,
            user_data: Vec::new(),
            arguments: Vec::new(),
            descriptor: None,
        }
    }

    /// Adds the properties stated in the kernel's `amd_kernel_code_t`.
    pub(super) fn describe(&mut self, descriptor: KernelDescriptor) {
        if let Some(code) = &descriptor.kernel_code {
            self.sgprs = Some(code.wavefront_sgpr_count.into());
            self.vgprs = Some(code.workitem_vgpr_count.into());
        }
        self.lds_bytes = Some(descriptor.group_segment_fixed_size.into());
        self.scratch_bytes_per_lane = Some(descriptor.private_segment_fixed_size.into());
        self.rsrc1 = Some(descriptor.compute_pgm_rsrc1);
        self.rsrc2 = Some(descriptor.compute_pgm_rsrc2);
        let user_sgprs = descriptor.kernel_code_properties.user_sgprs();
        let user_data = user_sgprs.map(|(what, first, count)| UserData {
            class: UserDataClass::Hsa(what),
            first,
            count,
        });
        self.user_data = user_data.collect();
        self.descriptor = Some(descriptor);
    }
}

/// Returns the name of the processor stated in an `amd_kernel_code_t`.
pub(super) fn processor(descriptor: &KernelDescriptor) -> Option<String> {
    let [major, minor, stepping] = descriptor.kernel_code.as_ref()?.machine_version;
    let name = format!("gfx{major}{minor}{stepping:x}");
    processor_mach(&name).map(|_| name)
}

/// Reason why bytes cannot be read as a driver program.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DriverError {
    /// The file is of another kind.
    #[error("neither a Catalyst OpenCL nor a Gallium program")]
    Unknown,
    /// The program contains code for a CPU.
    #[error("a Catalyst OpenCL program for a CPU: it holds no GPU code")]
    Cpu,
    /// A table exceeds the file, or is otherwise malformed.
    #[error("the {what} cannot be read: {reason}")]
    Malformed {
        /// Malformed table.
        what: &'static str,
        /// ELF parser's message.
        reason: String,
    },
    /// A part extends past the end of the file.
    #[error("{what} extends past the end of the file")]
    Outside {
        /// Name of the part.
        what: &'static str,
    },
    /// Names, kernels or metadata share more bytes than in any real file.
    #[error("the {what} overlap each other")]
    Overlap {
        /// Names or parts that overlap.
        what: &'static str,
    },
    /// The program has no code.
    #[error("the program has no section .text")]
    NoCode,
}

/// Defect that affects only one kernel.
///
/// # Examples
/// ```
/// # mod programs { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/programs.rs")); }
/// use gcn_object::{DriverWarning, read_driver_program};
/// // A program with a kernel whose code is not an ELF file.
/// let file = programs::Elf {
///     bits: 32,
///     machine: programs::PITCAIRN,
///     sections: vec![(".text", b"no ELF file".to_vec())],
///     symbols: vec![("__OpenCL_add_kernel", 1, 0, 11, false)],
///     ..Default::default()
/// };
/// let program = read_driver_program(file.build())?;
/// assert!(matches!(&program.warnings[0], DriverWarning::Code { kernel, .. } if kernel == "add"));
/// # Ok::<(), gcn_object::DriverError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DriverWarning {
    /// The code cannot be found.
    #[error("kernel {kernel}: its code cannot be found: {reason}")]
    Code {
        /// Kernel name.
        kernel: String,
        /// Missing or malformed part.
        reason: &'static str,
    },
    /// The metadata is missing or cannot be read.
    #[error("kernel {kernel}: {reason}")]
    Metadata {
        /// Kernel name.
        kernel: String,
        /// Missing or malformed part.
        reason: &'static str,
    },
}
