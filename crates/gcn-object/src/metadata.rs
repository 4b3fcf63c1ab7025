//! What the compiler tells the runtime about kernels: names, arguments, sizes.
//!
//! The keys are those of "Code Object V3/V4/V5 Metadata" and "Code Object V2 Metadata" in LLVM's "User Guide for
//! AMDGPU Backend". Nothing here is believed: missing keys are `None` or zero, unknown ones are ignored, and
//! [`KernelMetadata::problems`] lists what cannot be true.

use serde::{Serialize, Serializer};
use thiserror::Error;

use crate::value::Value;

/// Why metadata could not be read or written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MetadataError {
    /// Not MessagePack.
    #[error("the metadata is not valid MessagePack: {0}")]
    MessagePack(String),
    /// Not YAML.
    #[error("the metadata is not valid YAML: {message}")]
    Yaml {
        /// Counted from 1.
        line: usize,
        /// Counted from 1.
        column: usize,
        /// What the YAML reader says.
        message: String,
    },
    /// The YAML note is not text.
    #[error("the metadata is not UTF-8")]
    NotText,
    /// Valid, but not a map of keys.
    #[error("the metadata is not a map")]
    NotAMap,
    /// More than the reader takes on.
    #[error("the metadata has {bytes} bytes, which is more than any code object needs")]
    TooLarge {
        /// Its size.
        bytes: usize,
    },
}

/// Metadata of a whole code object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Metadata {
    /// The kernels, in the order of the file.
    #[serde(rename = "amdhsa.kernels")]
    pub kernels: Vec<KernelMetadata>,
    /// OpenCL `printf` formats: `id:argument count:argument sizes…:format`.
    #[serde(rename = "amdhsa.printf", skip_serializing_if = "Vec::is_empty")]
    pub printf: Vec<String>,
    /// The target id, such as `amdgcn-amd-amdhsa--gfx906:sramecc+:xnack-`.
    #[serde(rename = "amdhsa.target", skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Major and minor version: 1.0 in code objects v2 and v3, 1.1 in v4, 1.2 in v5.
    #[serde(rename = "amdhsa.version")]
    pub version: Vec<u64>,
}

/// Metadata of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct KernelMetadata {
    /// The arguments, hidden ones included, in the order of the file.
    #[serde(rename = ".args", skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<Argument>,
    /// LDS without the dynamic part, in bytes.
    #[serde(rename = ".group_segment_fixed_size")]
    pub group_segment_fixed_size: u64,
    /// Alignment of the argument segment, in bytes.
    #[serde(rename = ".kernarg_segment_align")]
    pub kernarg_segment_align: u64,
    /// Size of the argument segment, in bytes.
    #[serde(rename = ".kernarg_segment_size")]
    pub kernarg_segment_size: u64,
    /// Such as `OpenCL C`.
    #[serde(rename = ".language", skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Major and minor version of the language.
    #[serde(rename = ".language_version", skip_serializing_if = "Vec::is_empty")]
    pub language_version: Vec<u64>,
    /// The largest workgroup, in work-items.
    #[serde(
        rename = ".max_flat_workgroup_size",
        skip_serializing_if = "Option::is_none"
    )]
    pub max_flat_workgroup_size: Option<u64>,
    /// The name in the source.
    #[serde(rename = ".name")]
    pub name: String,
    /// Scratch a lane, in bytes.
    #[serde(rename = ".private_segment_fixed_size")]
    pub private_segment_fixed_size: u64,
    /// The workgroup size that the kernel was compiled for, if it insists on one.
    #[serde(
        rename = ".reqd_workgroup_size",
        skip_serializing_if = "Option::is_none"
    )]
    pub reqd_workgroup_size: Option<[u64; 3]>,
    /// SGPRs, with VCC and the like.
    #[serde(rename = ".sgpr_count", skip_serializing_if = "Option::is_none")]
    pub sgpr_count: Option<u64>,
    /// SGPRs kept elsewhere for want of room.
    #[serde(rename = ".sgpr_spill_count", skip_serializing_if = "Option::is_none")]
    pub sgpr_spill_count: Option<u64>,
    /// The symbol of the kernel descriptor, `name.kd`; `name@kd` in version 2.
    #[serde(rename = ".symbol")]
    pub symbol: String,
    /// 1 if the kernel counts on whole workgroups.
    #[serde(
        rename = ".uniform_work_group_size",
        skip_serializing_if = "Option::is_none"
    )]
    pub uniform_work_group_size: Option<u64>,
    /// The scratch need is not known before the run.
    #[serde(
        rename = ".uses_dynamic_stack",
        skip_serializing_if = "Option::is_none"
    )]
    pub uses_dynamic_stack: Option<bool>,
    /// VGPRs.
    #[serde(rename = ".vgpr_count", skip_serializing_if = "Option::is_none")]
    pub vgpr_count: Option<u64>,
    /// VGPRs kept in scratch for want of room.
    #[serde(rename = ".vgpr_spill_count", skip_serializing_if = "Option::is_none")]
    pub vgpr_spill_count: Option<u64>,
    /// Lanes a wave.
    #[serde(rename = ".wavefront_size")]
    pub wavefront_size: u64,
    /// The workgroup size that the source hints at.
    #[serde(
        rename = ".workgroup_size_hint",
        skip_serializing_if = "Option::is_none"
    )]
    pub workgroup_size_hint: Option<[u64; 3]>,
}

/// An argument of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Argument {
    /// Access that the source declares, of images and pipes.
    #[serde(rename = ".access", skip_serializing_if = "Option::is_none")]
    pub access: Option<Access>,
    /// Access that the code makes.
    #[serde(rename = ".actual_access", skip_serializing_if = "Option::is_none")]
    pub actual_access: Option<Access>,
    /// Where a pointer points.
    #[serde(rename = ".address_space", skip_serializing_if = "Option::is_none")]
    pub address_space: Option<AddressSpace>,
    /// Declared `const`.
    #[serde(rename = ".is_const", skip_serializing_if = "is_false")]
    pub is_const: bool,
    /// A pipe.
    #[serde(rename = ".is_pipe", skip_serializing_if = "is_false")]
    pub is_pipe: bool,
    /// Declared `restrict`.
    #[serde(rename = ".is_restrict", skip_serializing_if = "is_false")]
    pub is_restrict: bool,
    /// Declared `volatile`.
    #[serde(rename = ".is_volatile", skip_serializing_if = "is_false")]
    pub is_volatile: bool,
    /// The name in the source, where the compiler kept it.
    #[serde(rename = ".name", skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Where it lies in the argument segment, in bytes. Version 2 states alignments instead, from which the
    /// offsets are computed.
    #[serde(rename = ".offset")]
    pub offset: u64,
    /// Alignment of what a dynamic LDS pointer points to, in bytes.
    #[serde(rename = ".pointee_align", skip_serializing_if = "Option::is_none")]
    pub pointee_align: Option<u64>,
    /// In bytes.
    #[serde(rename = ".size")]
    pub size: u64,
    /// The type in the source.
    #[serde(rename = ".type_name", skip_serializing_if = "Option::is_none")]
    pub type_name: Option<String>,
    /// What is to be put there.
    #[serde(rename = ".value_kind")]
    pub value_kind: ValueKind,
}

fn is_false(truth: &bool) -> bool {
    !truth
}

macro_rules! names {
    ($(#[$meta:meta])* $type:ident { $($variant:ident $name:literal $name_v2:literal $what:literal;)* }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub enum $type {
            $(#[doc = $what] $variant,)*
            /// A name that this crate does not know.
            Other(String),
        }

        impl $type {
            /// Every known one.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// From the name of versions 3 and later or of version 2.
            pub fn from_name(name: &str) -> Self {
                match name {
                    $($name | $name_v2 => Self::$variant,)*
                    other => Self::Other(other.to_owned()),
                }
            }

            /// The name of versions 3 and later.
            pub fn name(&self) -> &str {
                match self {
                    $(Self::$variant => $name,)*
                    Self::Other(name) => name,
                }
            }
        }

        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }
    };
}

names! {
    /// What an argument is.
    ValueKind {
        ByValue                "by_value"                  "ByValue"                "The bytes of the argument.";
        GlobalBuffer           "global_buffer"             "GlobalBuffer"           "The address of a buffer.";
        DynamicSharedPointer   "dynamic_shared_pointer"    "DynamicSharedPointer"   "The LDS offset of memory that the launch sizes.";
        Sampler                "sampler"                   "Sampler"                "The address of a sampler.";
        Image                  "image"                     "Image"                  "The address of an image descriptor.";
        Pipe                   "pipe"                      "Pipe"                   "The address of a pipe.";
        Queue                  "queue"                     "Queue"                  "The address of a device queue.";
        HiddenGlobalOffsetX    "hidden_global_offset_x"    "HiddenGlobalOffsetX"    "The grid's offset in x.";
        HiddenGlobalOffsetY    "hidden_global_offset_y"    "HiddenGlobalOffsetY"    "The grid's offset in y.";
        HiddenGlobalOffsetZ    "hidden_global_offset_z"    "HiddenGlobalOffsetZ"    "The grid's offset in z.";
        HiddenNone             "hidden_none"               "HiddenNone"             "Room that is not used.";
        HiddenPrintfBuffer     "hidden_printf_buffer"      "HiddenPrintfBuffer"     "The address of the printf buffer.";
        HiddenHostcallBuffer   "hidden_hostcall_buffer"    "HiddenHostcallBuffer"   "The address of the host call buffer.";
        HiddenDefaultQueue     "hidden_default_queue"      "HiddenDefaultQueue"     "The address of the default device queue.";
        HiddenCompletionAction "hidden_completion_action"  "HiddenCompletionAction" "The address of the completion action.";
        HiddenMultigridSyncArg "hidden_multigrid_sync_arg" "HiddenMultiGridSyncArg" "The address of the multi-grid barrier.";
        HiddenBlockCountX      "hidden_block_count_x"      "HiddenBlockCountX"      "Whole workgroups in x.";
        HiddenBlockCountY      "hidden_block_count_y"      "HiddenBlockCountY"      "Whole workgroups in y.";
        HiddenBlockCountZ      "hidden_block_count_z"      "HiddenBlockCountZ"      "Whole workgroups in z.";
        HiddenGroupSizeX       "hidden_group_size_x"       "HiddenGroupSizeX"       "Work-items of a workgroup in x.";
        HiddenGroupSizeY       "hidden_group_size_y"       "HiddenGroupSizeY"       "Work-items of a workgroup in y.";
        HiddenGroupSizeZ       "hidden_group_size_z"       "HiddenGroupSizeZ"       "Work-items of a workgroup in z.";
        HiddenRemainderX       "hidden_remainder_x"        "HiddenRemainderX"       "Work-items of the partial workgroup in x.";
        HiddenRemainderY       "hidden_remainder_y"        "HiddenRemainderY"       "Work-items of the partial workgroup in y.";
        HiddenRemainderZ       "hidden_remainder_z"        "HiddenRemainderZ"       "Work-items of the partial workgroup in z.";
        HiddenGridDims         "hidden_grid_dims"          "HiddenGridDims"         "Dimensions of the grid.";
        HiddenHeapV1           "hidden_heap_v1"            "HiddenHeapV1"           "The address of the device heap.";
        HiddenDynamicLdsSize   "hidden_dynamic_lds_size"   "HiddenDynamicLdsSize"   "Dynamic LDS, in bytes.";
        HiddenPrivateBase      "hidden_private_base"       "HiddenPrivateBase"      "The upper half of the private aperture's base.";
        HiddenSharedBase       "hidden_shared_base"        "HiddenSharedBase"       "The upper half of the LDS aperture's base.";
        HiddenQueuePtr         "hidden_queue_ptr"          "HiddenQueuePtr"         "The address of the queue.";
    }
}

names! {
    /// Where a pointer points.
    AddressSpace {
        Private  "private"  "Private"  "Scratch.";
        Global   "global"   "Global"   "Memory.";
        Constant "constant" "Constant" "Memory that is not written.";
        Local    "local"    "Local"    "LDS.";
        Generic  "generic"  "Generic"  "Any of them.";
        Region   "region"   "Region"   "GDS.";
    }
}

names! {
    /// How an argument is used.
    Access {
        Default   "default"    "Default"   "Not stated.";
        ReadOnly  "read_only"  "ReadOnly"  "Read.";
        WriteOnly "write_only" "WriteOnly" "Written.";
        ReadWrite "read_write" "ReadWrite" "Both.";
    }
}

impl Default for ValueKind {
    /// Not stated.
    fn default() -> Self {
        Self::Other(String::new())
    }
}

impl ValueKind {
    /// The runtime fills it in; the caller does not see it.
    pub fn is_hidden(&self) -> bool {
        self.name().starts_with("hidden_")
    }
}

/// Something that metadata claims and that cannot be true.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MetadataProblem {
    /// It lies wholly or partly outside the argument segment.
    #[error(
        "argument {argument} at offset {offset} with {size} bytes is outside the {segment} bytes of arguments"
    )]
    ArgumentOutside {
        /// Counted from 0.
        argument: usize,
        /// In bytes.
        offset: u64,
        /// In bytes.
        size: u64,
        /// The segment's size in bytes.
        segment: u64,
    },
    /// Two arguments share bytes.
    #[error("arguments {first} and {second} overlap")]
    ArgumentsOverlap {
        /// Counted from 0.
        first: usize,
        /// Counted from 0.
        second: usize,
    },
    /// No segment is that large.
    #[error("the argument segment has {bytes} bytes, more than {MAX_KERNARG_BYTES}")]
    KernargTooLarge {
        /// Its size.
        bytes: u64,
    },
    /// An alignment is a power of two.
    #[error("the argument segment's alignment is {align}, which is not a power of two")]
    KernargAlign {
        /// As stated.
        align: u64,
    },
    /// A workgroup has 1 to 1024 work-items on every processor.
    #[error("the required workgroup size {size:?} does not exist")]
    WorkgroupSize {
        /// x, y, z.
        size: [u64; 3],
    },
}

/// Compilers and runtimes stop at 4 KiB of arguments; this leaves room for hand-written kernels.
pub const MAX_KERNARG_BYTES: u64 = 1 << 20;
const MAX_WORKGROUP: u64 = 1024;

impl KernelMetadata {
    /// What cannot be true about the sizes; arguments without problems can be placed as they say.
    pub fn problems(&self) -> Vec<MetadataProblem> {
        let segment = self.kernarg_segment_size;
        let mut problems = Vec::new();
        if segment > MAX_KERNARG_BYTES {
            problems.push(MetadataProblem::KernargTooLarge { bytes: segment });
        }
        if self.kernarg_segment_align != 0 && !self.kernarg_segment_align.is_power_of_two() {
            problems.push(MetadataProblem::KernargAlign {
                align: self.kernarg_segment_align,
            });
        }
        if let Some(size @ [x, y, z]) = self.reqd_workgroup_size {
            let items = x.checked_mul(y).and_then(|xy| xy.checked_mul(z));
            if !matches!(items, Some(1..=MAX_WORKGROUP)) {
                problems.push(MetadataProblem::WorkgroupSize { size });
            }
        }
        let mut placed = Vec::new();
        for (argument, &Argument { offset, size, .. }) in self.args.iter().enumerate() {
            match offset.checked_add(size) {
                Some(end) if end <= segment => placed.push((offset, end, argument)),
                _ => problems.push(MetadataProblem::ArgumentOutside {
                    argument,
                    offset,
                    size,
                    segment,
                }),
            }
        }
        placed.sort_unstable();
        for pair in placed.windows(2) {
            if let [(_, end, first), (start, _, second)] = *pair
                && start < end
            {
                problems.push(MetadataProblem::ArgumentsOverlap { first, second });
            }
        }
        problems
    }
}

impl Metadata {
    /// Reads the note of versions 3 and later.
    pub fn from_msgpack(bytes: &[u8]) -> Result<Self, MetadataError> {
        Self::from_value(&Value::from_msgpack(bytes)?)
    }

    /// Reads the tree of versions 3 and later.
    pub fn from_value(value: &Value) -> Result<Self, MetadataError> {
        if !matches!(value, Value::Map(_)) {
            return Err(MetadataError::NotAMap);
        }
        Ok(Self {
            kernels: list(value, "amdhsa.kernels", KernelMetadata::from_value),
            printf: list(value, "amdhsa.printf", |format| {
                format.as_text().unwrap_or_default().to_owned()
            }),
            target: text(value, "amdhsa.target"),
            version: numbers(value, "amdhsa.version"),
        })
    }

    /// Reads the note of version 2.
    pub fn from_yaml_v2(note: &[u8]) -> Result<Self, MetadataError> {
        // The producer may count the terminating zero as part of the note.
        let note = note.split(|byte| *byte == 0).next().unwrap_or_default();
        let value =
            Value::from_yaml(std::str::from_utf8(note).map_err(|_| MetadataError::NotText)?)?;
        if !matches!(value, Value::Map(_)) {
            return Err(MetadataError::NotAMap);
        }
        Ok(Self {
            kernels: list(&value, "Kernels", KernelMetadata::from_value_v2),
            printf: list(&value, "Printf", |format| {
                format.as_text().unwrap_or_default().to_owned()
            }),
            target: None,
            version: numbers(&value, "Version"),
        })
    }

    /// The note of versions 3 and later.
    pub fn to_msgpack(&self) -> Result<Vec<u8>, MetadataError> {
        let mut bytes = Vec::new();
        self.serialize(&mut rmp_serde::Serializer::new(&mut bytes).with_struct_map())
            .map_err(|error| MetadataError::MessagePack(error.to_string()))?;
        Ok(bytes)
    }

    /// The operand of `.amdgpu_metadata`, as [`Value::to_yaml`] writes it.
    pub fn to_yaml(&self) -> Result<String, MetadataError> {
        Value::from_msgpack(&self.to_msgpack()?)?.to_yaml()
    }
}

impl KernelMetadata {
    fn from_value(value: &Value) -> Self {
        Self {
            args: list(value, ".args", Argument::from_value),
            group_segment_fixed_size: number(value, ".group_segment_fixed_size").unwrap_or(0),
            kernarg_segment_align: number(value, ".kernarg_segment_align").unwrap_or(0),
            kernarg_segment_size: number(value, ".kernarg_segment_size").unwrap_or(0),
            language: text(value, ".language"),
            language_version: numbers(value, ".language_version"),
            max_flat_workgroup_size: number(value, ".max_flat_workgroup_size"),
            name: text(value, ".name").unwrap_or_default(),
            private_segment_fixed_size: number(value, ".private_segment_fixed_size").unwrap_or(0),
            reqd_workgroup_size: three(value, ".reqd_workgroup_size"),
            sgpr_count: number(value, ".sgpr_count"),
            sgpr_spill_count: number(value, ".sgpr_spill_count"),
            symbol: text(value, ".symbol").unwrap_or_default(),
            uniform_work_group_size: number(value, ".uniform_work_group_size"),
            uses_dynamic_stack: value.get(".uses_dynamic_stack").and_then(Value::as_bool),
            vgpr_count: number(value, ".vgpr_count"),
            vgpr_spill_count: number(value, ".vgpr_spill_count"),
            wavefront_size: number(value, ".wavefront_size").unwrap_or(0),
            workgroup_size_hint: three(value, ".workgroup_size_hint"),
        }
    }

    fn from_value_v2(value: &Value) -> Self {
        let nothing = Value::Nil;
        let attributes = value.get("Attrs").unwrap_or(&nothing);
        let code = value.get("CodeProps").unwrap_or(&nothing);
        let mut end = 0;
        Self {
            args: list(value, "Args", |argument| {
                let argument = Argument::from_value_v2(argument, end);
                end = argument.offset.saturating_add(argument.size);
                argument
            }),
            group_segment_fixed_size: number(code, "GroupSegmentFixedSize").unwrap_or(0),
            kernarg_segment_align: number(code, "KernargSegmentAlign").unwrap_or(0),
            kernarg_segment_size: number(code, "KernargSegmentSize").unwrap_or(0),
            language: text(value, "Language"),
            language_version: numbers(value, "LanguageVersion"),
            max_flat_workgroup_size: number(code, "MaxFlatWorkGroupSize"),
            name: text(value, "Name").unwrap_or_default(),
            private_segment_fixed_size: number(code, "PrivateSegmentFixedSize").unwrap_or(0),
            reqd_workgroup_size: three(attributes, "ReqdWorkGroupSize"),
            sgpr_count: number(code, "NumSGPRs"),
            sgpr_spill_count: number(code, "NumSpilledSGPRs"),
            symbol: text(value, "SymbolName").unwrap_or_default(),
            uniform_work_group_size: None,
            uses_dynamic_stack: code.get("IsDynamicCallStack").and_then(Value::as_bool),
            vgpr_count: number(code, "NumVGPRs"),
            vgpr_spill_count: number(code, "NumSpilledVGPRs"),
            wavefront_size: number(code, "WavefrontSize").unwrap_or(0),
            workgroup_size_hint: three(attributes, "WorkGroupSizeHint"),
        }
    }
}

impl Argument {
    fn from_value(value: &Value) -> Self {
        Self {
            access: name(value, ".access").map(Access::from_name),
            actual_access: name(value, ".actual_access").map(Access::from_name),
            address_space: name(value, ".address_space").map(AddressSpace::from_name),
            is_const: truth(value, ".is_const"),
            is_pipe: truth(value, ".is_pipe"),
            is_restrict: truth(value, ".is_restrict"),
            is_volatile: truth(value, ".is_volatile"),
            name: text(value, ".name"),
            offset: number(value, ".offset").unwrap_or(0),
            pointee_align: number(value, ".pointee_align"),
            size: number(value, ".size").unwrap_or(0),
            type_name: text(value, ".type_name"),
            value_kind: ValueKind::from_name(name(value, ".value_kind").unwrap_or_default()),
        }
    }

    /// `end` is where the argument before this one ends.
    fn from_value_v2(value: &Value, end: u64) -> Self {
        let align = number(value, "Align").unwrap_or(1).max(1);
        Self {
            access: name(value, "AccQual").map(Access::from_name),
            actual_access: name(value, "ActualAccQual").map(Access::from_name),
            address_space: name(value, "AddrSpaceQual").map(AddressSpace::from_name),
            is_const: truth(value, "IsConst"),
            is_pipe: truth(value, "IsPipe"),
            is_restrict: truth(value, "IsRestrict"),
            is_volatile: truth(value, "IsVolatile"),
            name: text(value, "Name"),
            offset: end.checked_next_multiple_of(align).unwrap_or(u64::MAX),
            pointee_align: number(value, "PointeeAlign"),
            size: number(value, "Size").unwrap_or(0),
            type_name: text(value, "TypeName"),
            value_kind: ValueKind::from_name(name(value, "ValueKind").unwrap_or_default()),
        }
    }
}

fn list<T>(value: &Value, key: &str, read: impl FnMut(&Value) -> T) -> Vec<T> {
    value
        .get(key)
        .map(Value::elements)
        .unwrap_or_default()
        .iter()
        .map(read)
        .collect()
}

fn name<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_text)
}

fn text(value: &Value, key: &str) -> Option<String> {
    name(value, key).map(str::to_owned)
}

fn number(value: &Value, key: &str) -> Option<u64> {
    value.get(key).and_then(Value::as_u64)
}

fn numbers(value: &Value, key: &str) -> Vec<u64> {
    value
        .get(key)
        .map(Value::elements)
        .unwrap_or_default()
        .iter()
        .filter_map(Value::as_u64)
        .collect()
}

fn three(value: &Value, key: &str) -> Option<[u64; 3]> {
    <[u64; 3]>::try_from(numbers(value, key)).ok()
}

fn truth(value: &Value, key: &str) -> bool {
    value.get(key).and_then(Value::as_bool).unwrap_or(false)
}

/// Turns what stands between `.amdgpu_metadata` and `.end_amdgpu_metadata` into the note's MessagePack. Keys that
/// this crate does not know are kept. The lines of an error count from the first line of `text`.
pub fn metadata_from_yaml(text: &str) -> Result<Vec<u8>, MetadataError> {
    let mut value = Value::from_yaml(text)?;
    if !matches!(value, Value::Map(_)) {
        return Err(MetadataError::NotAMap);
    }
    value.sort_keys();
    value.to_msgpack()
}

/// The same of what stands between `.amdgpu_pal_metadata` and `.end_amdgpu_pal_metadata`: metadata of PAL, the platform
/// of graphics drivers, whose registers may be written with their names, as in `0x2c0a (SPI_SHADER_PGM_RSRC1_PS)`.
pub fn pal_metadata_from_yaml(text: &str) -> Result<Vec<u8>, MetadataError> {
    let mut value = Value::from_yaml(text)?;
    if !matches!(value, Value::Map(_)) {
        return Err(MetadataError::NotAMap);
    }
    number_registers(&mut value, false);
    value.sort_keys();
    value.to_msgpack()
}

/// Makes numbers of the keys of maps that are called `.registers`; `are_registers` says whether the value is one.
fn number_registers(value: &mut Value, are_registers: bool) {
    match value {
        Value::Array(values) => {
            for value in values {
                number_registers(value, false);
            }
        }
        Value::Map(entries) => {
            for (key, value) in entries {
                number_registers(value, key.as_text() == Some(".registers"));
                let number = key.as_text().filter(|_| are_registers);
                if let Some(number) = number.and_then(register_number) {
                    *key = Value::Uint(number);
                }
            }
        }
        _ => {}
    }
}

/// The number of `0x2c0a (SPI_SHADER_PGM_RSRC1_PS)`.
fn register_number(text: &str) -> Option<u64> {
    let number = text.split_whitespace().next()?;
    match number.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => number.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_survives_a_round_trip() {
        let metadata = Metadata {
            kernels: vec![KernelMetadata {
                args: ValueKind::ALL
                    .iter()
                    .zip((0..).step_by(8))
                    .map(|(kind, offset)| Argument {
                        offset,
                        size: 8,
                        value_kind: kind.clone(),
                        address_space: Some(AddressSpace::Global),
                        is_const: true,
                        name: Some("a".to_owned()),
                        ..Argument::default()
                    })
                    .collect(),
                kernarg_segment_size: 512,
                kernarg_segment_align: 8,
                name: "k".to_owned(),
                symbol: "k.kd".to_owned(),
                reqd_workgroup_size: Some([64, 2, 1]),
                uses_dynamic_stack: Some(false),
                wavefront_size: 64,
                ..KernelMetadata::default()
            }],
            printf: vec!["1:0:hello".to_owned()],
            target: Some("amdgcn-amd-amdhsa--gfx900".to_owned()),
            version: vec![1, 2],
        };
        let packed = metadata.to_msgpack().expect("plain types can be packed");
        assert_eq!(Metadata::from_msgpack(&packed), Ok(metadata.clone()));
        assert_eq!(metadata.kernels[0].problems(), []);
    }

    #[test]
    fn registers_of_pal_are_numbers_whatever_is_written_behind() {
        let text = "amdpal.pipelines:\n  - .registers:\n      0xa1b3 (SPI_PS_INPUT_ENA): 0x1\n      0x2c0a: 0\n      7 (X): 2\n";
        let packed = pal_metadata_from_yaml(text).expect("a map");
        let value = Value::from_msgpack(&packed).expect("what was packed");
        let pipelines = value.get("amdpal.pipelines").map(Value::elements);
        let registers = pipelines.and_then(|all| all[0].get(".registers"));
        let entry = |key, value| (Value::Uint(key), Value::Uint(value));
        let expected = vec![entry(7, 2), entry(0x2c0a, 0), entry(0xa1b3, 1)];
        assert_eq!(registers, Some(&Value::Map(expected)));
        assert_eq!(pal_metadata_from_yaml("[1]"), Err(MetadataError::NotAMap));
    }

    #[test]
    fn errors_name_the_line() {
        let error =
            metadata_from_yaml("a: 1\nb: [1, 2\nc: 3\n").expect_err("the bracket is not closed");
        assert!(
            matches!(error, MetadataError::Yaml { line: 2 | 3, .. }),
            "{error:?}"
        );
        assert_eq!(metadata_from_yaml("just text"), Err(MetadataError::NotAMap));
        assert_eq!(metadata_from_yaml(""), Err(MetadataError::NotAMap));
    }

    #[test]
    fn unknown_missing_and_wrong_keys_are_tolerated() {
        let packed = metadata_from_yaml(
            "amdhsa.kernels: [{.name: 7, .args: {}, .odd: [1]}, 3, {.args: [~, {.size: text, .value_kind: new}]}]\n\
             amdhsa.version: none\n",
        )
        .expect("the YAML is valid");
        let metadata = Metadata::from_msgpack(&packed).expect("a map is enough");
        assert_eq!(metadata.kernels.len(), 3);
        assert_eq!(metadata.kernels[0].name, "");
        assert_eq!(
            metadata.kernels[2].args[1].value_kind,
            ValueKind::Other("new".to_owned())
        );
    }

    #[test]
    fn lies_about_sizes_are_listed() {
        let argument = |offset, size| Argument {
            offset,
            size,
            ..Argument::default()
        };
        let kernel = KernelMetadata {
            args: vec![
                argument(0, 8),
                argument(4, 8),
                argument(u64::MAX, 8),
                argument(12, 8),
            ],
            kernarg_segment_size: 16,
            kernarg_segment_align: 3,
            reqd_workgroup_size: Some([1 << 63, 4, 1]),
            ..KernelMetadata::default()
        };
        assert_eq!(
            kernel.problems(),
            [
                MetadataProblem::KernargAlign { align: 3 },
                MetadataProblem::WorkgroupSize {
                    size: [1 << 63, 4, 1]
                },
                MetadataProblem::ArgumentOutside {
                    argument: 2,
                    offset: u64::MAX,
                    size: 8,
                    segment: 16
                },
                MetadataProblem::ArgumentOutside {
                    argument: 3,
                    offset: 12,
                    size: 8,
                    segment: 16
                },
                MetadataProblem::ArgumentsOverlap {
                    first: 0,
                    second: 1
                },
            ]
        );
    }
}
