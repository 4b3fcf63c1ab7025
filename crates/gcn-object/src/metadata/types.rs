//! Metadata of code objects, kernels and arguments.

use serde::Serialize;

use super::kinds::{Access, AddressSpace, ValueKind};

/// Metadata of an entire code object.
///
/// # Examples
/// ```
/// let object = gcn_object::read(std::fs::read("tests/fixtures/scale-gfx803-v3.co")?)?;
/// let metadata = object.metadata.expect("compilers write metadata");
/// assert_eq!((metadata.version, metadata.target), (vec![1, 0], None), "version 4 names the target");
/// assert_eq!(metadata.kernels[0].symbol, "scale.kd");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Metadata {
    /// Kernels in file order.
    #[serde(rename = "amdhsa.kernels")]
    pub kernels: Vec<KernelMetadata>,
    /// OpenCL `printf` formats: `id:argument count:argument sizes…:format`.
    #[serde(rename = "amdhsa.printf", skip_serializing_if = "Vec::is_empty")]
    pub printf: Vec<String>,
    /// Target ID, such as `amdgcn-amd-amdhsa--gfx906:sramecc+:xnack-`.
    #[serde(rename = "amdhsa.target", skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Major and minor version: 1.0 in code object versions 2 and 3, 1.1 in version 4, 1.2 in versions 5 and 6.
    #[serde(rename = "amdhsa.version")]
    pub version: Vec<u64>,
}

/// Kernel metadata.
///
/// # Examples
/// ```
/// let object = gcn_object::read(std::fs::read("tests/fixtures/scale-gfx803-v3.co")?)?;
/// let kernel = &object.metadata.expect("compilers write metadata").kernels[0];
/// assert_eq!((kernel.language.as_deref(), &kernel.language_version[..]), (Some("OpenCL C"), &[1, 2][..]));
/// assert_eq!(kernel.reqd_workgroup_size, Some([64, 1, 1]));
/// assert_eq!((kernel.sgpr_count, kernel.vgpr_count, kernel.vgpr_spill_count), (Some(10), Some(5), Some(0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct KernelMetadata {
    /// Arguments, including hidden ones, in file order.
    #[serde(rename = ".args", skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<ArgumentMetadata>,
    /// Static LDS size, in bytes.
    #[serde(rename = ".group_segment_fixed_size")]
    pub group_segment_fixed_size: u64,
    /// Alignment of the argument segment, in bytes.
    #[serde(rename = ".kernarg_segment_align")]
    pub kernarg_segment_align: u64,
    /// Size of the argument segment, in bytes.
    #[serde(rename = ".kernarg_segment_size")]
    pub kernarg_segment_size: u64,
    /// Source language, such as `OpenCL C`.
    #[serde(rename = ".language", skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Major and minor version of the source language.
    #[serde(rename = ".language_version", skip_serializing_if = "Vec::is_empty")]
    pub language_version: Vec<u64>,
    /// Maximum workgroup size in work-items.
    #[serde(
        rename = ".max_flat_workgroup_size",
        skip_serializing_if = "Option::is_none"
    )]
    pub max_flat_workgroup_size: Option<u64>,
    /// Name in the source.
    #[serde(rename = ".name")]
    pub name: String,
    /// Scratch size per lane, in bytes.
    #[serde(rename = ".private_segment_fixed_size")]
    pub private_segment_fixed_size: u64,
    /// Required workgroup size.
    #[serde(
        rename = ".reqd_workgroup_size",
        skip_serializing_if = "Option::is_none"
    )]
    pub reqd_workgroup_size: Option<[u64; 3]>,
    /// Number of SGPRs, including VCC and similar registers.
    #[serde(rename = ".sgpr_count", skip_serializing_if = "Option::is_none")]
    pub sgpr_count: Option<u64>,
    /// Number of spilled SGPRs.
    #[serde(rename = ".sgpr_spill_count", skip_serializing_if = "Option::is_none")]
    pub sgpr_spill_count: Option<u64>,
    /// Symbol of the kernel descriptor: `name.kd`, or `name@kd` in version 2.
    #[serde(rename = ".symbol")]
    pub symbol: String,
    /// 1 if the kernel requires all workgroups to have the same size.
    #[serde(
        rename = ".uniform_work_group_size",
        skip_serializing_if = "Option::is_none"
    )]
    pub uniform_work_group_size: Option<u64>,
    /// True if the scratch size is unknown before execution.
    #[serde(
        rename = ".uses_dynamic_stack",
        skip_serializing_if = "Option::is_none"
    )]
    pub uses_dynamic_stack: Option<bool>,
    /// Type in the source's vector type hint (`vec_type_hint`).
    #[serde(rename = ".vec_type_hint", skip_serializing_if = "Option::is_none")]
    pub vec_type_hint: Option<String>,
    /// Number of VGPRs.
    #[serde(rename = ".vgpr_count", skip_serializing_if = "Option::is_none")]
    pub vgpr_count: Option<u64>,
    /// Number of spilled VGPRs.
    #[serde(rename = ".vgpr_spill_count", skip_serializing_if = "Option::is_none")]
    pub vgpr_spill_count: Option<u64>,
    /// Lanes per wave.
    #[serde(rename = ".wavefront_size")]
    pub wavefront_size: u64,
    /// Workgroup size hint in the source (`work_group_size_hint`).
    #[serde(
        rename = ".workgroup_size_hint",
        skip_serializing_if = "Option::is_none"
    )]
    pub workgroup_size_hint: Option<[u64; 3]>,
}

/// A kernel argument.
///
/// # Examples
/// ```
/// use gcn_object::{AddressSpace, ValueKind};
/// let object = gcn_object::read(std::fs::read("tests/fixtures/scale-gfx803-v3.co")?)?;
/// let arguments = &object.metadata.expect("compilers write metadata").kernels[0].args;
/// let [out, input, factor, ..] = &arguments[..] else { panic!("the kernel has five arguments") };
/// assert_eq!((&out.value_kind, &out.address_space), (&ValueKind::GlobalBuffer, &Some(AddressSpace::Global)));
/// assert!(input.is_const && !out.is_const);
/// assert_eq!((factor.type_name.as_deref(), factor.offset, factor.size), (Some("float"), 16, 4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ArgumentMetadata {
    /// Access qualifier in the source, for image and pipe arguments.
    #[serde(rename = ".access", skip_serializing_if = "Option::is_none")]
    pub access: Option<Access>,
    /// Access that the code actually performs.
    #[serde(rename = ".actual_access", skip_serializing_if = "Option::is_none")]
    pub actual_access: Option<Access>,
    /// Address space of a pointer argument.
    #[serde(rename = ".address_space", skip_serializing_if = "Option::is_none")]
    pub address_space: Option<AddressSpace>,
    /// True if declared `const`.
    #[serde(rename = ".is_const", skip_serializing_if = "is_false")]
    pub is_const: bool,
    /// True if declared `pipe`.
    #[serde(rename = ".is_pipe", skip_serializing_if = "is_false")]
    pub is_pipe: bool,
    /// True if declared `restrict`.
    #[serde(rename = ".is_restrict", skip_serializing_if = "is_false")]
    pub is_restrict: bool,
    /// True if declared `volatile`.
    #[serde(rename = ".is_volatile", skip_serializing_if = "is_false")]
    pub is_volatile: bool,
    /// Name in the source, if the compiler preserved it.
    #[serde(rename = ".name", skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Offset in the argument segment, in bytes; for version 2, computed from alignments.
    #[serde(rename = ".offset")]
    pub offset: u64,
    /// Alignment of the memory that a dynamic LDS pointer refers to, in bytes.
    #[serde(rename = ".pointee_align", skip_serializing_if = "Option::is_none")]
    pub pointee_align: Option<u64>,
    /// Size of the argument in bytes.
    #[serde(rename = ".size")]
    pub size: u64,
    /// Type in the source.
    #[serde(rename = ".type_name", skip_serializing_if = "Option::is_none")]
    pub type_name: Option<String>,
    /// Kind of argument.
    #[serde(rename = ".value_kind")]
    pub value_kind: ValueKind,
}

fn is_false(truth: &bool) -> bool {
    !truth
}
