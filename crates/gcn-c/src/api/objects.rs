//! Reading code objects.

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

/// Symbol of a code object. Its name belongs to the object.
#[repr(C)]
pub struct SymbolInfo {
    /// Name.
    pub name: *const c_char,
    /// Address, or the value of an absolute symbol.
    pub value: u64,
    /// Size in bytes.
    pub size: u64,
    /// ELF symbol type: 1 data, 2 code, 10 a kernel of version 2.
    pub kind: u32,
    /// ELF symbol binding: 0 local, 1 global, 2 weak.
    pub binding: u32,
    /// True if the symbol is defined in the object.
    pub is_defined: bool,
}

/// Section of a code object. Name and bytes belong to the object.
#[repr(C)]
pub struct SectionInfo {
    /// Name.
    pub name: *const c_char,
    /// Bytes in the file; null if there are none.
    pub bytes: *const u8,
    /// Number of bytes in the file.
    pub byte_count: usize,
    /// Address; 0 if it is not loaded.
    pub address: u64,
    /// Size in memory.
    pub size: u64,
    /// True if the section contains code.
    pub is_code: bool,
}

/// Object behind `gcn_object`.
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

    /// Returns a kernel by its index.
    fn kernel(&self, index: usize) -> Result<&KernelRecord, Failure> {
        let kernel = self.kernels.get(index);
        kernel.ok_or_else(|| Failure::index(index, self.kernels.len(), "kernels"))
    }
}

/// Reads a code object: an ELF file for AMDGPU of version 2 to 6. Returns null and sets an error if the bytes are not
/// a code object.
///
/// `bytes` points to `size` bytes, which are copied. Free the result with `gcn_object_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gcn_object_read(
    bytes: *const u8,
    size: usize,
    error: *mut *mut ErrorHandle,
) -> *mut ObjectHandle {
    let body = || {
        // SAFETY: the caller passes null or `size` bytes.
        let bytes = unsafe { pointers::array(bytes, size, "bytes") }?;
        let object = read(bytes)?.into_owned();
        Ok(handle::insert(Object::new(object)))
    };
    // SAFETY: the caller passes null or room for an error.
    unsafe { call(error, null_mut(), body) }
}

/// Returns the processor and features of an object, such as `gfx906:sramecc+:xnack-`; empty if it names no processor,
/// null if the handle is invalid. The string belongs to the object.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_object_target_id(object: *const ObjectHandle) -> *const c_char {
    quiet(null(), || Ok(handle::get(object)?.target_id.as_ptr()))
}

/// Returns the target of an object; 0 if the library does not support it, or the handle is invalid.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_object_target(object: *const ObjectHandle) -> TargetId {
    quiet(0, || {
        let object = handle::get(object)?;
        let target = object.object.processor().and_then(Target::named);
        Ok(target.map_or(0, |target| target.elf_mach.into()))
    })
}

/// Returns the version of an object, 2 to 6; 0 if the handle is invalid.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_object_version(object: *const ObjectHandle) -> u32 {
    quiet(0, || {
        Ok(handle::get(object)?.object.version.number().into())
    })
}

/// Returns the number of kernels of an object; 0 if the handle is invalid.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_object_kernel_count(object: *const ObjectHandle) -> usize {
    quiet(0, || Ok(handle::get(object)?.kernels.len()))
}

/// Writes an object's description of a kernel, selected by index, to `*kernel`. Its strings belong to the object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gcn_object_kernel(
    object: *const ObjectHandle,
    index: usize,
    kernel: *mut KernelInfo,
    error: *mut *mut ErrorHandle,
) -> bool {
    let body = || {
        let info = handle::get(object)?.kernel(index)?.info();
        // SAFETY: the caller passes null or room for a kernel.
        unsafe { pointers::put(kernel, info, "kernel") }?;
        Ok(true)
    };
    // SAFETY: the caller passes null or room for an error.
    unsafe { call(error, false, body) }
}

/// Writes an argument of a kernel to `*argument`. Both are selected by index. Its strings belong to the object.
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
        // SAFETY: the caller passes null or room for an argument.
        unsafe { pointers::put(argument, info, "argument") }?;
        Ok(true)
    };
    // SAFETY: the caller passes null or room for an error.
    unsafe { call(error, false, body) }
}

/// Returns the number of symbols of an object; 0 if the handle is invalid.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_object_symbol_count(object: *const ObjectHandle) -> usize {
    quiet(0, || Ok(handle::get(object)?.symbols.len()))
}

/// Writes a symbol, selected by index, to `*symbol`. Its name belongs to the object.
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
        // SAFETY: the caller passes null or room for a symbol.
        unsafe { pointers::put(symbol, info, "symbol") }?;
        Ok(true)
    };
    // SAFETY: the caller passes null or room for an error.
    unsafe { call(error, false, body) }
}

/// Returns the number of sections of an object; 0 if the handle is invalid.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_object_section_count(object: *const ObjectHandle) -> usize {
    quiet(0, || Ok(handle::get(object)?.sections.len()))
}

/// Writes a section, selected by index, to `*section`. Its name and bytes belong to the object.
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
        // SAFETY: the caller passes null or room for a section.
        unsafe { pointers::put(section, info, "section") }?;
        Ok(true)
    };
    // SAFETY: the caller passes null or room for an error.
    unsafe { call(error, false, body) }
}

/// Frees an object with its strings and bytes. Null and handles that have been freed are ignored.
#[unsafe(no_mangle)]
pub extern "C" fn gcn_object_free(object: *mut ObjectHandle) {
    quiet((), || handle::remove(object));
}
