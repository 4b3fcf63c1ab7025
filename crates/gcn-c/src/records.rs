//! C structures that describe kernels and arguments in code objects.

use std::ffi::{CString, c_char};

use gcn_object::{ArgumentMetadata, ObjectKernel};

use crate::failure::{Failure, c_text};

/// Kernel in a code object. Strings belong to the handle that the kernel was read from.
#[repr(C)]
pub struct KernelInfo {
    /// Symbol name, without `.kd`.
    pub name: *const c_char,
    /// Address of the kernel descriptor in the object.
    pub descriptor_address: u64,
    /// Address of the first instruction in the object.
    pub entry_address: u64,
    /// Size of the code in bytes, starting at the entry; 0 if the symbol has no size.
    pub code_size: u64,
    /// Size of the kernel argument segment in bytes; 0 if unknown.
    pub argument_bytes: u64,
    /// Static LDS size in bytes.
    pub lds_bytes: u32,
    /// Scratch size per lane in bytes.
    pub scratch_bytes: u32,
    /// Number of VGPRs; 0 if the metadata does not specify it.
    pub vgprs: u32,
    /// Number of SGPRs, including VCC and other special registers; 0 if the metadata does not specify it.
    pub sgprs: u32,
    /// Number of arguments in the metadata, including hidden ones; 0 without metadata.
    pub argument_count: usize,
}

/// Kernel argument, as described by the metadata. Strings belong to the handle that the argument was read from.
#[repr(C)]
pub struct ArgumentInfo {
    /// Name in the source; may be null.
    pub name: *const c_char,
    /// Type in the source; may be null.
    pub type_name: *const c_char,
    /// Value kind, as named in the metadata: `by_value`, `global_buffer`, `hidden_none`, ...
    pub value_kind: *const c_char,
    /// Address space of a pointer (`global`, `local`, `constant`, ...), or null.
    pub address_space: *const c_char,
    /// Offset in the argument segment, in bytes.
    pub offset: u64,
    /// Size in bytes.
    pub size: u64,
    /// True if the runtime sets the argument instead of the caller.
    pub is_hidden: bool,
    /// True if the source declares the argument `const`.
    pub is_const: bool,
}

/// Converts an optional string to a C string pointer, which may be null.
pub(crate) fn or_null(text: Option<&CString>) -> *const c_char {
    text.map_or(std::ptr::null(), |text| text.as_ptr())
}

/// Kernel argument with C strings.
#[derive(Debug)]
struct ArgumentRecord {
    name: Option<CString>,
    type_name: Option<CString>,
    value_kind: CString,
    address_space: Option<CString>,
    offset: u64,
    size: u64,
    is_hidden: bool,
    is_const: bool,
}

impl ArgumentRecord {
    fn new(argument: &ArgumentMetadata) -> ArgumentRecord {
        ArgumentRecord {
            name: argument.name.as_deref().map(c_text),
            type_name: argument.type_name.as_deref().map(c_text),
            value_kind: c_text(argument.value_kind.name()),
            address_space: (argument.address_space.as_ref()).map(|space| c_text(space.name())),
            offset: argument.offset,
            size: argument.size,
            is_hidden: argument.value_kind.is_hidden(),
            is_const: argument.is_const,
        }
    }
}

/// Kernel and its arguments, with C strings.
#[derive(Debug)]
pub(crate) struct KernelRecord {
    name: CString,
    kernel: ObjectKernel,
    arguments: Vec<ArgumentRecord>,
}

impl KernelRecord {
    pub(crate) fn new(kernel: &ObjectKernel) -> KernelRecord {
        let metadata = kernel.metadata.as_ref();
        let arguments = metadata.map_or(&[][..], |metadata| &metadata.args);
        KernelRecord {
            name: c_text(kernel.name.as_str()),
            kernel: kernel.clone(),
            arguments: arguments.iter().map(ArgumentRecord::new).collect(),
        }
    }

    /// Returns the kernel as a C structure.
    pub(crate) fn info(&self) -> KernelInfo {
        let ObjectKernel {
            descriptor,
            metadata,
            ..
        } = &self.kernel;
        let count = |count: Option<u64>| count.map_or(0, |n| u32::try_from(n).unwrap_or(u32::MAX));
        let metadata = metadata.as_ref();
        KernelInfo {
            name: self.name.as_ptr(),
            descriptor_address: self.kernel.descriptor_address,
            entry_address: self.kernel.entry_address,
            code_size: self.kernel.code_size,
            argument_bytes: metadata.map_or(descriptor.kernarg_size.into(), |metadata| {
                metadata.kernarg_segment_size
            }),
            lds_bytes: descriptor.group_segment_fixed_size,
            scratch_bytes: descriptor.private_segment_fixed_size,
            vgprs: count(metadata.and_then(|metadata| metadata.vgpr_count)),
            sgprs: count(metadata.and_then(|metadata| metadata.sgpr_count)),
            argument_count: self.arguments.len(),
        }
    }

    /// Returns the argument at an index as a C structure.
    ///
    /// # Errors
    /// Fails if the index is out of range.
    pub(crate) fn argument(&self, index: usize) -> Result<ArgumentInfo, Failure> {
        let count = self.arguments.len();
        let argument = self.arguments.get(index);
        let argument = argument.ok_or_else(|| Failure::index(index, count, "arguments"))?;
        Ok(ArgumentInfo {
            name: or_null(argument.name.as_ref()),
            type_name: or_null(argument.type_name.as_ref()),
            value_kind: argument.value_kind.as_ptr(),
            address_space: or_null(argument.address_space.as_ref()),
            offset: argument.offset,
            size: argument.size,
            is_hidden: argument.is_hidden,
            is_const: argument.is_const,
        })
    }
}
