//! Kernel descriptors, which the hardware and the loader read before a kernel starts. One structure represents both the
//! 64-byte descriptor of version 3 and later, and version 2's `amd_kernel_code_t`.
//!
//! Layouts and bit numbers follow "Kernel Descriptor" in LLVM's "User Guide for AMDGPU Backend", and LLVM's
//! `AMDKernelCodeT.h` for version 2; the assembler's `.amdhsa_` directives set the same fields.

use serde::Serialize;

/// Size in bytes of a kernel descriptor in version 3 and later.
pub const DESCRIPTOR_SIZE: usize = 64;
/// Required alignment of a kernel descriptor, in bytes.
pub const DESCRIPTOR_ALIGN: u64 = 64;
/// Offset of [`KernelDescriptor::kernel_code_entry_byte_offset`] in the descriptor, in bytes. Assemblers place a
/// [`Rel64`](crate::RelocationKind::Rel64) relocation against the kernel's symbol here, with this offset as the addend,
/// because the entry offset is relative to the descriptor.
pub const ENTRY_OFFSET_FIELD: u64 = 16;
/// Size of version 2's `amd_kernel_code_t`, in bytes.
pub const KERNEL_CODE_SIZE: usize = 256;

/// A bit field in a descriptor register.
///
/// # Examples
/// ```
/// use gcn_object::Rsrc1;
/// let field = Rsrc1::GRANULATED_WORKITEM_VGPR_COUNT;
/// assert_eq!((field.name, field.low, field.max()), ("granulated_workitem_vgpr_count", 0, 63));
/// let rsrc1 = Rsrc1(0).with(field, 5);
/// assert_eq!((rsrc1.get(field), rsrc1.granulated_workitem_vgpr_count()), (5, 5));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Field {
    /// LLVM's name for the field, in lower case and without the register prefix.
    pub name: &'static str,
    /// Lowest bit number.
    pub low: u32,
    /// Number of bits.
    pub width: u32,
}

impl Field {
    /// Returns the maximum value of the field.
    pub fn max(self) -> u32 {
        (1 << self.width) - 1
    }
}

macro_rules! getter {
    (flag $register:ident $name:ident $constant:ident $what:literal) => {
        #[doc = $what]
        pub fn $name(self) -> bool {
            self.get(Self::$constant) != 0
        }
    };
    (bits $register:ident $name:ident $constant:ident $what:literal) => {
        #[doc = $what]
        pub fn $name(self) -> u32 {
            self.get(Self::$constant)
        }
    };
}

macro_rules! register {
    ($(#[$meta:meta])* $register:ident {
        $($low:literal $width:literal $shape:ident $constant:ident $name:ident $what:literal;)*
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
        pub struct $register(
            /// Register value.
            pub u32,
        );

        impl $register {
            $(
                #[doc = $what]
                pub const $constant: Field = Field { name: stringify!($name), low: $low, width: $width };
            )*

            /// All fields, lowest bit first.
            pub const FIELDS: &'static [Field] = &[$(Self::$constant),*];

            /// Returns the value of a field.
            pub fn get(self, field: Field) -> u32 {
                (self.0 >> field.low) & field.max()
            }

            /// Returns the register with a field set to `value`. Bits of `value` beyond the field's width are dropped.
            #[must_use]
            pub fn with(self, field: Field, value: u32) -> Self {
                Self(self.0 & !(field.max() << field.low) | (value & field.max()) << field.low)
            }

            $(getter!($shape $register $name $constant $what);)*
        }
    };
}

register! {
    /// `COMPUTE_PGM_RSRC1`: register counts and the initial value of MODE.
    Rsrc1 {
         0 6 bits GRANULATED_WORKITEM_VGPR_COUNT  granulated_workitem_vgpr_count  "VGPRs in blocks of four (gfx90a and gfx942: eight), less one block.";
         6 4 bits GRANULATED_WAVEFRONT_SGPR_COUNT granulated_wavefront_sgpr_count "SGPRs in blocks of eight, less one block (GFX9 counts in pairs of blocks).";
        10 2 bits PRIORITY                        priority                        "The wave's initial priority.";
        12 2 bits FLOAT_ROUND_MODE_32             float_round_mode_32             "Rounding of F32: nearest even, up, down, toward zero.";
        14 2 bits FLOAT_ROUND_MODE_16_64          float_round_mode_16_64          "Rounding of F16 and F64.";
        16 2 bits FLOAT_DENORM_MODE_32            float_denorm_mode_32            "Denormals of F32: bit 0 keeps those of sources, bit 1 those of results.";
        18 2 bits FLOAT_DENORM_MODE_16_64         float_denorm_mode_16_64         "Denormals of F16 and F64.";
        20 1 flag PRIV                            priv_mode                       "Privileged; set by the packet processor only.";
        21 1 flag ENABLE_DX10_CLAMP               enable_dx10_clamp               "Clamping turns NaN into zero.";
        22 1 flag DEBUG_MODE                      debug_mode                      "Single-step; set by the packet processor only.";
        23 1 flag ENABLE_IEEE_MODE                enable_ieee_mode                "Signalling NaN are made quiet.";
        24 1 flag BULKY                           bulky                           "At most one workgroup per compute unit; set by the packet processor only.";
        25 1 flag CDBG_USER                       cdbg_user                       "Conditional debugging; set by the packet processor only.";
        26 1 flag FP16_OVFL                       fp16_ovfl                       "F16 overflow gives the largest number (GFX9).";
    }
}

register! {
    /// `COMPUTE_PGM_RSRC2`: initial register contents, LDS size, and enabled exceptions.
    ///
    /// # Examples
    /// ```
    /// use gcn_object::Rsrc2;
    /// let object = gcn_object::read(std::fs::read("tests/fixtures/scale-gfx803-v3.co")?)?;
    /// let rsrc2 = object.kernels[0].descriptor.compute_pgm_rsrc2;
    /// assert_eq!((rsrc2.user_sgpr_count(), rsrc2.enable_vgpr_workitem_id()), (6, 0));
    /// let set = Rsrc2::FIELDS.iter().filter(|field| rsrc2.get(**field) != 0).map(|field| field.name);
    /// assert!(set.eq(["user_sgpr_count", "enable_sgpr_workgroup_id_x"]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    Rsrc2 {
         0 1 flag ENABLE_PRIVATE_SEGMENT                      enable_private_segment                      "The wave gets scratch, and its offset in an SGPR after the workgroup information.";
         1 5 bits USER_SGPR_COUNT                             user_sgpr_count                             "SGPRs set up before the system SGPRs.";
         6 1 flag ENABLE_TRAP_HANDLER                         enable_trap_handler                         "A trap handler is present; set by the packet processor only.";
         7 1 flag ENABLE_SGPR_WORKGROUP_ID_X                  enable_sgpr_workgroup_id_x                  "An SGPR holds the workgroup's x.";
         8 1 flag ENABLE_SGPR_WORKGROUP_ID_Y                  enable_sgpr_workgroup_id_y                  "An SGPR holds the workgroup's y.";
         9 1 flag ENABLE_SGPR_WORKGROUP_ID_Z                  enable_sgpr_workgroup_id_z                  "An SGPR holds the workgroup's z.";
        10 1 flag ENABLE_SGPR_WORKGROUP_INFO                  enable_sgpr_workgroup_info                  "An SGPR holds the workgroup's information.";
        11 2 bits ENABLE_VGPR_WORKITEM_ID                     enable_vgpr_workitem_id                     "The last dimension whose work-item ID a VGPR holds: 0 is x only.";
        13 1 flag ENABLE_EXCEPTION_ADDRESS_WATCH              enable_exception_address_watch              "Address watch raises an exception.";
        14 1 flag ENABLE_EXCEPTION_MEMORY                     enable_exception_memory                     "Memory violations raise an exception.";
        15 9 bits GRANULATED_LDS_SIZE                         granulated_lds_size                         "LDS blocks (64 dwords on GCN 1.0, 128 after); zero in a code object, set by the packet processor.";
        24 1 flag ENABLE_EXCEPTION_IEEE_754_FP_INVALID_OPERATION enable_exception_ieee_754_fp_invalid_operation "Exception: invalid operation.";
        25 1 flag ENABLE_EXCEPTION_FP_DENORMAL_SOURCE         enable_exception_fp_denormal_source         "Exception: denormal source.";
        26 1 flag ENABLE_EXCEPTION_IEEE_754_FP_DIVISION_BY_ZERO enable_exception_ieee_754_fp_division_by_zero "Exception: float division by zero.";
        27 1 flag ENABLE_EXCEPTION_IEEE_754_FP_OVERFLOW       enable_exception_ieee_754_fp_overflow       "Exception: overflow.";
        28 1 flag ENABLE_EXCEPTION_IEEE_754_FP_UNDERFLOW      enable_exception_ieee_754_fp_underflow      "Exception: underflow.";
        29 1 flag ENABLE_EXCEPTION_IEEE_754_FP_INEXACT        enable_exception_ieee_754_fp_inexact        "Exception: inexact.";
        30 1 flag ENABLE_EXCEPTION_INT_DIVIDE_BY_ZERO         enable_exception_int_divide_by_zero         "Exception: integer division by zero.";
    }
}

register! {
    /// `COMPUTE_PGM_RSRC3` of gfx90a and gfx942; zero on earlier processors.
    Rsrc3 {
         0 6 bits ACCUM_OFFSET accum_offset "The first accumulation VGPR, in blocks of four, less one block.";
        16 1 flag TG_SPLIT     tg_split     "Waves of a workgroup may run on several compute units.";
    }
}

register! {
    /// `kernel_code_properties`: enabled user SGPRs in register order, and flags for the loader.
    Properties {
         0 1 flag ENABLE_SGPR_PRIVATE_SEGMENT_BUFFER  enable_sgpr_private_segment_buffer  "Four SGPRs: a buffer descriptor for scratch.";
         1 1 flag ENABLE_SGPR_DISPATCH_PTR            enable_sgpr_dispatch_ptr            "Two SGPRs: the address of the dispatch packet.";
         2 1 flag ENABLE_SGPR_QUEUE_PTR               enable_sgpr_queue_ptr               "Two SGPRs: the address of the queue.";
         3 1 flag ENABLE_SGPR_KERNARG_SEGMENT_PTR     enable_sgpr_kernarg_segment_ptr     "Two SGPRs: the address of the arguments.";
         4 1 flag ENABLE_SGPR_DISPATCH_ID             enable_sgpr_dispatch_id             "Two SGPRs: the dispatch's number.";
         5 1 flag ENABLE_SGPR_FLAT_SCRATCH_INIT       enable_sgpr_flat_scratch_init       "Two SGPRs: the initial value of FLAT_SCRATCH.";
         6 1 flag ENABLE_SGPR_PRIVATE_SEGMENT_SIZE    enable_sgpr_private_segment_size    "One SGPR: bytes of scratch per lane.";
         7 1 flag ENABLE_SGPR_GRID_WORKGROUP_COUNT_X  enable_sgpr_grid_workgroup_count_x  "One SGPR: workgroups in x (version 2 only).";
         8 1 flag ENABLE_SGPR_GRID_WORKGROUP_COUNT_Y  enable_sgpr_grid_workgroup_count_y  "One SGPR: workgroups in y (version 2 only).";
         9 1 flag ENABLE_SGPR_GRID_WORKGROUP_COUNT_Z  enable_sgpr_grid_workgroup_count_z  "One SGPR: workgroups in z (version 2 only).";
        10 1 flag ENABLE_WAVEFRONT_SIZE32             enable_wavefront_size32             "Waves of 32 lanes (GFX10 and later).";
        11 1 flag USES_DYNAMIC_STACK                  uses_dynamic_stack                  "The scratch size is not known at compile time.";
    }
}

/// Initial contents of one, two or four user SGPRs.
///
/// # Examples
/// ```
/// use gcn_object::{Properties, UserSgpr};
/// let properties = Properties(0)
///     .with(Properties::ENABLE_SGPR_KERNARG_SEGMENT_PTR, 1)
///     .with(Properties::ENABLE_SGPR_DISPATCH_PTR, 1);
/// assert!(properties.user_sgprs().eq([(UserSgpr::DispatchPtr, 0, 2), (UserSgpr::KernargSegmentPtr, 2, 2)]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub enum UserSgpr {
    /// Scratch buffer descriptor; four registers.
    PrivateSegmentBuffer,
    /// Dispatch packet address; two registers.
    DispatchPtr,
    /// Queue address; two registers.
    QueuePtr,
    /// Kernel argument address; two registers.
    KernargSegmentPtr,
    /// Dispatch ID; two registers.
    DispatchId,
    /// Initial value of FLAT_SCRATCH; two registers.
    FlatScratchInit,
    /// Scratch size per lane in bytes; one register.
    PrivateSegmentSize,
    /// Number of workgroups in the x dimension; one register.
    GridWorkgroupCountX,
    /// Number of workgroups in the y dimension; one register.
    GridWorkgroupCountY,
    /// Number of workgroups in the z dimension; one register.
    GridWorkgroupCountZ,
}

impl UserSgpr {
    /// Returns the `.amdhsa_kernel` directive that enables these user SGPRs; `None` for the workgroup counts, which
    /// exist only in version 2.
    ///
    /// ```
    /// use gcn_object::UserSgpr;
    /// assert_eq!(UserSgpr::QueuePtr.directive(), Some(".amdhsa_user_sgpr_queue_ptr"));
    /// ```
    pub fn directive(self) -> Option<&'static str> {
        Some(match self {
            UserSgpr::PrivateSegmentBuffer => ".amdhsa_user_sgpr_private_segment_buffer",
            UserSgpr::DispatchPtr => ".amdhsa_user_sgpr_dispatch_ptr",
            UserSgpr::QueuePtr => ".amdhsa_user_sgpr_queue_ptr",
            UserSgpr::KernargSegmentPtr => ".amdhsa_user_sgpr_kernarg_segment_ptr",
            UserSgpr::DispatchId => ".amdhsa_user_sgpr_dispatch_id",
            UserSgpr::FlatScratchInit => ".amdhsa_user_sgpr_flat_scratch_init",
            UserSgpr::PrivateSegmentSize => ".amdhsa_user_sgpr_private_segment_size",
            UserSgpr::GridWorkgroupCountX
            | UserSgpr::GridWorkgroupCountY
            | UserSgpr::GridWorkgroupCountZ => return None,
        })
    }
}

/// User SGPRs in the order in which the hardware initializes them, each with its enable bit and number of registers.
const USER_SGPRS: [(Field, UserSgpr, u32); 10] = [
    (
        Properties::ENABLE_SGPR_PRIVATE_SEGMENT_BUFFER,
        UserSgpr::PrivateSegmentBuffer,
        4,
    ),
    (
        Properties::ENABLE_SGPR_DISPATCH_PTR,
        UserSgpr::DispatchPtr,
        2,
    ),
    (Properties::ENABLE_SGPR_QUEUE_PTR, UserSgpr::QueuePtr, 2),
    (
        Properties::ENABLE_SGPR_KERNARG_SEGMENT_PTR,
        UserSgpr::KernargSegmentPtr,
        2,
    ),
    (Properties::ENABLE_SGPR_DISPATCH_ID, UserSgpr::DispatchId, 2),
    (
        Properties::ENABLE_SGPR_FLAT_SCRATCH_INIT,
        UserSgpr::FlatScratchInit,
        2,
    ),
    (
        Properties::ENABLE_SGPR_PRIVATE_SEGMENT_SIZE,
        UserSgpr::PrivateSegmentSize,
        1,
    ),
    (
        Properties::ENABLE_SGPR_GRID_WORKGROUP_COUNT_X,
        UserSgpr::GridWorkgroupCountX,
        1,
    ),
    (
        Properties::ENABLE_SGPR_GRID_WORKGROUP_COUNT_Y,
        UserSgpr::GridWorkgroupCountY,
        1,
    ),
    (
        Properties::ENABLE_SGPR_GRID_WORKGROUP_COUNT_Z,
        UserSgpr::GridWorkgroupCountZ,
        1,
    ),
];

impl Properties {
    /// Returns the enabled user SGPRs, each with its first register and number of registers.
    ///
    /// # Examples
    /// ```
    /// use gcn_object::UserSgpr;
    /// let object = gcn_object::read(std::fs::read("tests/fixtures/scale-gfx803-v3.co")?)?;
    /// let properties = object.kernels[0].descriptor.kernel_code_properties;
    /// let all: Vec<_> = properties.user_sgprs().collect();
    /// assert_eq!(all[0], (UserSgpr::PrivateSegmentBuffer, 0, 4));
    /// assert_eq!(all[1], (UserSgpr::KernargSegmentPtr, 4, 2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn user_sgprs(self) -> impl Iterator<Item = (UserSgpr, u32, u32)> {
        let mut next = 0;
        USER_SGPRS
            .into_iter()
            .filter(move |(field, ..)| self.get(*field) != 0)
            .map(move |(_, what, count)| {
                let first = next;
                next += count;
                (what, first, count)
            })
    }
}

/// A kernel descriptor (64 bytes, version 3 and later), or the corresponding fields of `amd_kernel_code_t`.
///
/// # Examples
/// ```
/// use gcn_object::{KernelDescriptor, Rsrc1};
/// let rsrc1 = Rsrc1(0).with(Rsrc1::GRANULATED_WORKITEM_VGPR_COUNT, 1);
/// let descriptor = KernelDescriptor {
///     group_segment_fixed_size: 1024,
///     compute_pgm_rsrc1: rsrc1,
///     ..KernelDescriptor::default()
/// };
/// let bytes = descriptor.encode();
/// assert_eq!(bytes[..4], 1024u32.to_le_bytes());
/// assert_eq!(KernelDescriptor::decode(&bytes), descriptor);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct KernelDescriptor {
    /// Static LDS size, in bytes.
    pub group_segment_fixed_size: u32,
    /// Scratch size per lane, in bytes.
    pub private_segment_fixed_size: u32,
    /// Size of the argument segment, in bytes; zero if unknown. A version 2 size that exceeds 32 bits reads as
    /// `u32::MAX`.
    pub kernarg_size: u32,
    /// Offset of the entry point from the descriptor, in bytes.
    pub kernel_code_entry_byte_offset: i64,
    /// Register counts and the initial value of MODE.
    pub compute_pgm_rsrc1: Rsrc1,
    /// Initial register contents, LDS size, and enabled exceptions.
    pub compute_pgm_rsrc2: Rsrc2,
    /// Settings for gfx90a and gfx942; zero on earlier processors.
    pub compute_pgm_rsrc3: Rsrc3,
    /// User SGPRs and flags; 16 bits. For version 2, these are the lower 16 bits of the 32-bit field, with the
    /// dynamic-stack bit moved to its position in later versions; [`KernelCode::code_properties`] contains all 32 bits.
    pub kernel_code_properties: Properties,
    /// Kernel arguments preloaded into SGPRs (gfx90a, gfx942): length in bits 6:0, offset in bits 15:7, both in dwords.
    pub kernarg_preload: u16,
    /// Fields that exist only in `amd_kernel_code_t`.
    pub kernel_code: Option<Box<KernelCode>>,
}

/// Fields of version 2's `amd_kernel_code_t` that later kernel descriptors lack.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct KernelCode {
    /// Major and minor version of the structure.
    pub kernel_code_version: [u32; 2],
    /// Machine kind; 1 is AMDGPU.
    pub machine_kind: u16,
    /// Major version, minor version and stepping of the processor.
    pub machine_version: [u16; 3],
    /// Offset of the code to prefetch from the start of the structure, in bytes.
    pub kernel_code_prefetch_byte_offset: i64,
    /// Number of bytes to prefetch.
    pub kernel_code_prefetch_byte_size: u64,
    /// Maximum scratch size of a whole dispatch in bytes; zero if unknown.
    pub max_scratch_backing_memory_byte_size: u64,
    /// All 32 bits of the kernel code properties.
    pub code_properties: u32,
    /// GDS size, in bytes.
    pub gds_segment_byte_size: u32,
    /// Size of the argument segment in bytes, not limited to 32 bits.
    pub kernarg_segment_byte_size: u64,
    /// Number of fbarriers per workgroup.
    pub workgroup_fbarrier_count: u32,
    /// Number of SGPRs, including VCC and similar registers.
    pub wavefront_sgpr_count: u16,
    /// Number of VGPRs.
    pub workitem_vgpr_count: u16,
    /// First VGPR and number of VGPRs reserved for a debugger.
    pub reserved_vgprs: [u16; 2],
    /// First SGPR and number of SGPRs reserved for a debugger.
    pub reserved_sgprs: [u16; 2],
    /// SGPRs that hold the wave's scratch offset and the scratch buffer descriptor, for debuggers.
    pub debug_sgprs: [u16; 2],
    /// Alignments of arguments, LDS and scratch, as exponents of two.
    pub segment_alignments: [u8; 3],
    /// Lanes per wave, as an exponent of two.
    pub wavefront_size: u8,
    /// Calling convention; −1 if unknown.
    pub call_convention: i32,
    /// Field reserved for the loader.
    pub runtime_loader_kernel_symbol: u64,
}

/// Dynamic-stack bit in version 2's properties.
const IS_DYNAMIC_CALLSTACK: u32 = 1 << 20;

impl KernelDescriptor {
    /// Decodes a descriptor of version 3 and later. Reserved bytes are ignored.
    ///
    /// # Examples
    /// ```
    /// use gcn_object::{DESCRIPTOR_SIZE, KernelDescriptor};
    /// let object = gcn_object::read(std::fs::read("tests/fixtures/scale-gfx803-v3.co")?)?;
    /// let kernel = &object.kernels[0];
    /// let image = object.image()?;
    /// let bytes = image.get(kernel.descriptor_address, DESCRIPTOR_SIZE as u64).expect("the descriptor is loaded");
    /// let descriptor = KernelDescriptor::decode(bytes.try_into()?);
    /// assert_eq!(descriptor, kernel.descriptor);
    /// let entry = kernel.descriptor_address.wrapping_add_signed(descriptor.kernel_code_entry_byte_offset);
    /// assert_eq!(entry, kernel.entry_address);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn decode(bytes: &[u8; DESCRIPTOR_SIZE]) -> Self {
        let mut fields = Fields(bytes);
        let group_segment_fixed_size = fields.u32();
        let private_segment_fixed_size = fields.u32();
        let kernarg_size = fields.u32();
        fields.skip(4);
        let kernel_code_entry_byte_offset = fields.u64().cast_signed();
        fields.skip(20);
        let compute_pgm_rsrc3 = Rsrc3(fields.u32());
        let compute_pgm_rsrc1 = Rsrc1(fields.u32());
        let compute_pgm_rsrc2 = Rsrc2(fields.u32());
        let kernel_code_properties = Properties(fields.u16().into());
        let kernarg_preload = fields.u16();
        Self {
            group_segment_fixed_size,
            private_segment_fixed_size,
            kernarg_size,
            kernel_code_entry_byte_offset,
            compute_pgm_rsrc1,
            compute_pgm_rsrc2,
            compute_pgm_rsrc3,
            kernel_code_properties,
            kernarg_preload,
            kernel_code: None,
        }
    }

    /// Encodes a descriptor of version 3 and later, which omits [`KernelDescriptor::kernel_code`].
    pub fn encode(&self) -> [u8; DESCRIPTOR_SIZE] {
        let [properties_low, properties_high, ..] = self.kernel_code_properties.0.to_le_bytes();
        let mut bytes = [0; DESCRIPTOR_SIZE];
        let mut put = |offset: usize, field: &[u8]| {
            bytes[offset..offset + field.len()].copy_from_slice(field)
        };
        put(0, &self.group_segment_fixed_size.to_le_bytes());
        put(4, &self.private_segment_fixed_size.to_le_bytes());
        put(8, &self.kernarg_size.to_le_bytes());
        put(
            ENTRY_OFFSET_FIELD as usize,
            &self.kernel_code_entry_byte_offset.to_le_bytes(),
        );
        put(44, &self.compute_pgm_rsrc3.0.to_le_bytes());
        put(48, &self.compute_pgm_rsrc1.0.to_le_bytes());
        put(52, &self.compute_pgm_rsrc2.0.to_le_bytes());
        put(56, &[properties_low, properties_high]);
        put(58, &self.kernarg_preload.to_le_bytes());
        bytes
    }

    /// Decodes version 2's `amd_kernel_code_t`.
    ///
    /// # Examples
    /// ```
    /// use gcn_object::{KERNEL_CODE_SIZE, KernelDescriptor};
    /// let object = gcn_object::read(std::fs::read("tests/fixtures/scale-gfx803-v2.co")?)?;
    /// let (kernel, image) = (&object.kernels[0], object.image()?);
    /// let bytes = image.get(kernel.descriptor_address, KERNEL_CODE_SIZE as u64).expect("the descriptor is loaded");
    /// let descriptor = KernelDescriptor::decode_kernel_code(bytes.try_into()?);
    /// assert_eq!(descriptor, kernel.descriptor);
    /// let code = descriptor.kernel_code.expect("version 2 has this header");
    /// assert_eq!((code.machine_kind, code.machine_version), (1, [8, 0, 3]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn decode_kernel_code(bytes: &[u8; KERNEL_CODE_SIZE]) -> Self {
        let mut fields = Fields(bytes);
        let kernel_code_version = [fields.u32(), fields.u32()];
        let machine_kind = fields.u16();
        let machine_version = [fields.u16(), fields.u16(), fields.u16()];
        let kernel_code_entry_byte_offset = fields.u64().cast_signed();
        let kernel_code_prefetch_byte_offset = fields.u64().cast_signed();
        let kernel_code_prefetch_byte_size = fields.u64();
        let max_scratch_backing_memory_byte_size = fields.u64();
        let compute_pgm_rsrc1 = Rsrc1(fields.u32());
        let compute_pgm_rsrc2 = Rsrc2(fields.u32());
        let code_properties = fields.u32();
        let private_segment_fixed_size = fields.u32();
        let group_segment_fixed_size = fields.u32();
        let gds_segment_byte_size = fields.u32();
        let kernarg_segment_byte_size = fields.u64();
        let workgroup_fbarrier_count = fields.u32();
        let wavefront_sgpr_count = fields.u16();
        let workitem_vgpr_count = fields.u16();
        let reserved_vgprs = [fields.u16(), fields.u16()];
        let reserved_sgprs = [fields.u16(), fields.u16()];
        let debug_sgprs = [fields.u16(), fields.u16()];
        let segment_alignments = [fields.u8(), fields.u8(), fields.u8()];
        let wavefront_size = fields.u8();
        let call_convention = fields.u32().cast_signed();
        fields.skip(12);
        let runtime_loader_kernel_symbol = fields.u64();
        let low_properties = Properties(code_properties & u32::from(u16::MAX));
        let dynamic_stack = u32::from(code_properties & IS_DYNAMIC_CALLSTACK != 0);
        Self {
            group_segment_fixed_size,
            private_segment_fixed_size,
            kernarg_size: u32::try_from(kernarg_segment_byte_size).unwrap_or(u32::MAX),
            kernel_code_entry_byte_offset,
            compute_pgm_rsrc1,
            compute_pgm_rsrc2,
            compute_pgm_rsrc3: Rsrc3(0),
            kernel_code_properties: low_properties
                .with(Properties::USES_DYNAMIC_STACK, dynamic_stack),
            kernarg_preload: 0,
            kernel_code: Some(Box::new(KernelCode {
                kernel_code_version,
                machine_kind,
                machine_version,
                kernel_code_prefetch_byte_offset,
                kernel_code_prefetch_byte_size,
                max_scratch_backing_memory_byte_size,
                code_properties,
                gds_segment_byte_size,
                kernarg_segment_byte_size,
                workgroup_fbarrier_count,
                wavefront_sgpr_count,
                workitem_vgpr_count,
                reserved_vgprs,
                reserved_sgprs,
                debug_sgprs,
                segment_alignments,
                wavefront_size,
                call_convention,
                runtime_loader_kernel_symbol,
            })),
        }
    }
}

/// Reader for consecutive little-endian numbers. Past the end it returns zero, but callers pass arrays of the right
/// size.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        match self.0.split_first_chunk::<N>() {
            Some((first, rest)) => {
                self.0 = rest;
                *first
            }
            None => [0; N],
        }
    }

    fn skip(&mut self, bytes: usize) {
        self.0 = self.0.get(bytes..).unwrap_or_default();
    }

    fn u8(&mut self) -> u8 {
        u8::from_le_bytes(self.take())
    }

    fn u16(&mut self) -> u16 {
        u16::from_le_bytes(self.take())
    }

    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }

    fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.take())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_a_register_do_not_overlap() {
        for fields in [
            Rsrc1::FIELDS,
            Rsrc2::FIELDS,
            Rsrc3::FIELDS,
            Properties::FIELDS,
        ] {
            let mut used = 0;
            for field in fields {
                let mask = field.max() << field.low;
                assert_eq!(used & mask, 0, "{} overlaps another field", field.name);
                used |= mask;
            }
        }
    }

    #[test]
    fn setting_a_field_leaves_the_others() {
        let register = Rsrc2(u32::MAX).with(Rsrc2::USER_SGPR_COUNT, 6);
        assert_eq!(register.user_sgpr_count(), 6);
        assert_eq!(
            register.0 | Rsrc2::USER_SGPR_COUNT.max() << Rsrc2::USER_SGPR_COUNT.low,
            u32::MAX
        );
    }

    #[test]
    fn a_descriptor_survives_a_round_trip() {
        let descriptor = KernelDescriptor {
            group_segment_fixed_size: 1,
            private_segment_fixed_size: 2,
            kernarg_size: 3,
            kernel_code_entry_byte_offset: -4096,
            compute_pgm_rsrc1: Rsrc1(5),
            compute_pgm_rsrc2: Rsrc2(6),
            compute_pgm_rsrc3: Rsrc3(7),
            kernel_code_properties: Properties(0x809),
            kernarg_preload: 9,
            kernel_code: None,
        };
        assert_eq!(KernelDescriptor::decode(&descriptor.encode()), descriptor);
    }

    #[test]
    fn user_sgprs_follow_each_other() {
        let sgprs: Vec<_> = Properties(0b1001).user_sgprs().collect();
        assert_eq!(
            sgprs,
            [
                (UserSgpr::PrivateSegmentBuffer, 0, 4),
                (UserSgpr::KernargSegmentPtr, 4, 2)
            ]
        );
    }
}
