//! Reads code objects.

use std::ffi::{CString, c_char};
use std::ptr::{null, null_mut};

use gcn_isa::Target;
use gcn_object::{CodeObject, SymbolSection, read};

use super::targets::TargetId;
use crate::entry::{ErrorHandle, call, quiet};
use crate::failure::{Failure, c_text};
use crate::handle::{self, handles};
use crate::pointers;
use crate::records::{ArgumentInfo, KernelInfo, KernelRecord};

/// Parsed code object.
pub enum ObjectHandle {}

handles! {
    ObjectHandle Object, "gcn_object";
}

/// Symbol in a code object. Its name belongs to the object.
#[repr(C)]
pub struct SymbolInfo {
    /// Symbol name.
    pub name: *const c_char,
    /// Address, or the value of an absolute symbol.
    pub value: u64,
    /// Size in bytes.
    pub size: u64,
    /// ELF symbol type: 1 for data, 2 for code, 10 for a kernel in a version 2 object.
    pub kind: u32,
    /// ELF symbol binding: 0 for local, 1 for global, 2 for weak.
    pub binding: u32,
    /// True if the symbol is defined in the object.
    pub is_defined: bool,
}

/// Section in a code object. Its name and bytes belong to the object.
#[repr(C)]
pub struct SectionInfo {
    /// Section name.
    pub name: *const c_char,
    /// Contents in the file; null if there are none.
    pub bytes: *const u8,
    /// Size of the contents in the file, in bytes.
    pub byte_count: usize,
    /// Load address; 0 if the section is not loaded.
    pub address: u64,
    /// Size in memory, in bytes.
    pub size: u64,
    /// True if the section contains code.
    pub is_code: bool,
}

/// Object that a `gcn_object` handle refers to.
#[derive(Debug)]
pub struct Object {
    object: CodeObject<'static>,
    target_id: CString,
    kernels: Vec<KernelRecord>,
    symbols: Vec<CString>,
    sections: Vec<CString>,
}

impl Object {
    fn new(object: CodeObject<'static>) -> Object {
        Object {
            target_id: c_text(object.target_id()),
            kernels: object.kernels.iter().map(KernelRecord::new).collect(),
            symbols: (object.symbols.iter())
                .map(|symbol| c_text(symbol.name.as_str()))
                .collect(),
            sections: (object.sections.iter())
                .map(|section| c_text(section.name.as_str()))
                .collect(),
            object,
        }
    }

    /// Returns the kernel at an index.
    fn kernel(&self, index: usize) -> Result<&KernelRecord, Failure> {
        let kernel = self.kernels.get(index);
        kernel.ok_or_else(|| Failure::index(index, self.kernels.len(), "kernels"))
    }
}

/// Reads a code object: an AMDGPU ELF file with code object version 2 to 6. Returns null and sets an error if the bytes
/// are not a code object.
///
/// `bytes` points to `size` bytes, which are copied. Free the result with `gcn_object_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gcn_object_read(
    bytes: *const u8,
    size: usize,
    error: *mut *mut ErrorHandle,
) -> *mut ObjectHandle {
    let body = || {
        // SAFETY: the caller guarantees that `bytes` is null or points to `size` bytes.
        let bytes = unsafe { pointers::array(bytes, size, "bytes") }?;
        let object = read(bytes)?.into_owned();
        Ok(handle::insert(Object::new(object)))
    };
    // SAFETY: the caller guarantees that `error` is null or writable.
    unsafe { call(error, null_mut(), body) }
}

/// Returns the processor and features of an object, such as `gfx906:sramecc+:xnack-`; empty if the object specifies no
/// processor, null if the handle is invalid. The string belongs to the object.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_object_target_id(object: *const ObjectHandle) -> *const c_char {
    quiet(null(), || Ok(handle::get(object)?.target_id.as_ptr()))
}

/// Returns the target of an object; 0 if the library does not support the target, or the handle is invalid.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_object_target(object: *const ObjectHandle) -> TargetId {
    quiet(0, || {
        let object = handle::get(object)?;
        let target = object.object.processor().and_then(Target::named);
        Ok(target.map_or(0, |target| target.elf_mach.into()))
    })
}

/// Returns the code object version of an object, 2 to 6; 0 if the handle is invalid.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_object_version(object: *const ObjectHandle) -> u32 {
    quiet(0, || {
        Ok(handle::get(object)?.object.version.number().into())
    })
}

/// Returns the number of kernels in an object; 0 if the handle is invalid.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_object_kernel_count(object: *const ObjectHandle) -> usize {
    quiet(0, || Ok(handle::get(object)?.kernels.len()))
}

/// Writes the description of the kernel at `index` to `*kernel`. Its strings belong to the object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gcn_object_kernel(
    object: *const ObjectHandle,
    index: usize,
    kernel: *mut KernelInfo,
    error: *mut *mut ErrorHandle,
) -> bool {
    let body = || {
        let info = handle::get(object)?.kernel(index)?.info();
        // SAFETY: the caller guarantees that `kernel` is null or writable.
        unsafe { pointers::put(kernel, info, "kernel") }?;
        Ok(true)
    };
    // SAFETY: the caller guarantees that `error` is null or writable.
    unsafe { call(error, false, body) }
}

/// Writes the description of an argument to `*argument`. The kernel and the argument are selected by index. Strings
/// belong to the object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gcn_object_argument(
    object: *const ObjectHandle,
    kernel: usize,
    index: usize,
    argument: *mut ArgumentInfo,
    error: *mut *mut ErrorHandle,
) -> bool {
    let body = || {
        let info = handle::get(object)?.kernel(kernel)?.argument(index)?;
        // SAFETY: the caller guarantees that `argument` is null or writable.
        unsafe { pointers::put(argument, info, "argument") }?;
        Ok(true)
    };
    // SAFETY: the caller guarantees that `error` is null or writable.
    unsafe { call(error, false, body) }
}

/// Returns the number of symbols in an object; 0 if the handle is invalid.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_object_symbol_count(object: *const ObjectHandle) -> usize {
    quiet(0, || Ok(handle::get(object)?.symbols.len()))
}

/// Writes the symbol at `index` to `*symbol`. Its name belongs to the object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gcn_object_symbol(
    object: *const ObjectHandle,
    index: usize,
    symbol: *mut SymbolInfo,
    error: *mut *mut ErrorHandle,
) -> bool {
    let body = || {
        let object = handle::get(object)?;
        let found = object
            .object
            .symbols
            .get(index)
            .zip(object.symbols.get(index));
        let (found, name) =
            found.ok_or_else(|| Failure::index(index, object.symbols.len(), "symbols"))?;
        let info = SymbolInfo {
            name: name.as_ptr(),
            value: found.value,
            size: found.size,
            kind: found.kind.number().into(),
            binding: found.binding.number().into(),
            is_defined: found.section != SymbolSection::Undefined,
        };
        // SAFETY: the caller guarantees that `symbol` is null or writable.
        unsafe { pointers::put(symbol, info, "symbol") }?;
        Ok(true)
    };
    // SAFETY: the caller guarantees that `error` is null or writable.
    unsafe { call(error, false, body) }
}

/// Returns the number of sections in an object; 0 if the handle is invalid.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_object_section_count(object: *const ObjectHandle) -> usize {
    quiet(0, || Ok(handle::get(object)?.sections.len()))
}

/// Writes the section at `index` to `*section`. Its name and bytes belong to the object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gcn_object_section(
    object: *const ObjectHandle,
    index: usize,
    section: *mut SectionInfo,
    error: *mut *mut ErrorHandle,
) -> bool {
    let body = || {
        let object = handle::get(object)?;
        let found = (object.object.sections.get(index)).zip(object.sections.get(index));
        let (found, name) =
            found.ok_or_else(|| Failure::index(index, object.sections.len(), "sections"))?;
        let bytes = object.object.section_bytes(found);
        let info = SectionInfo {
            name: name.as_ptr(),
            bytes: if bytes.is_empty() {
                null()
            } else {
                bytes.as_ptr()
            },
            byte_count: bytes.len(),
            address: found.address,
            size: found.size,
            is_code: found.is_code(),
        };
        // SAFETY: the caller guarantees that `section` is null or writable.
        unsafe { pointers::put(section, info, "section") }?;
        Ok(true)
    };
    // SAFETY: the caller guarantees that `error` is null or writable.
    unsafe { call(error, false, body) }
}

/// Frees an object with its strings and bytes. Null and freed handles are ignored.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_object_free(object: *mut ObjectHandle) {
    quiet((), || handle::remove(object));
}
