//! API functions that query extensions and their function tables, and the functions of the loader extension.

use std::ffi::{CStr, c_char, c_void};

use super::images;
use super::system::{IMAGES, LOADER};
use super::{call, each, guard, put, put_info};
use crate::abi::{Handle, HandleCallback, SegmentDescriptor};
use crate::agents::Agent;
use crate::api::executables::reader_of_file;
use crate::info::Info;
use crate::numbers;
use crate::status::{HsaResult, Status};

const IMAGES_VERSION: (u16, u16) = (1, 0);
const LOADER_VERSION: (u16, u16) = (1, 3);

fn name(extension: u16) -> HsaResult<&'static CStr> {
    Ok(match u32::from(extension) {
        numbers::HSA_EXTENSION_FINALIZER => c"HSA_EXTENSION_FINALIZER",
        numbers::HSA_EXTENSION_IMAGES => c"HSA_EXTENSION_IMAGES",
        numbers::HSA_EXTENSION_PERFORMANCE_COUNTERS => c"HSA_EXTENSION_PERFORMANCE_COUNTERS",
        numbers::HSA_EXTENSION_PROFILING_EVENTS => c"HSA_EXTENSION_PROFILING_EVENTS",
        numbers::HSA_EXTENSION_AMD_PROFILER => c"HSA_EXTENSION_AMD_PROFILER",
        numbers::HSA_EXTENSION_AMD_LOADER => c"HSA_EXTENSION_AMD_LOADER",
        numbers::HSA_EXTENSION_AMD_AQLPROFILE => c"HSA_EXTENSION_AMD_AQLPROFILE",
        numbers::HSA_EXTENSION_AMD_PC_SAMPLING => c"HSA_EXTENSION_AMD_PC_SAMPLING",
        _ => return Err(Status::INVALID_ARGUMENT),
    })
}

/// Returns the highest supported minor version of an extension's major version; `None` if unsupported.
fn supported(extension: u16, major: u16) -> HsaResult<Option<u16>> {
    match extension {
        LOADER => Ok((major == LOADER_VERSION.0).then_some(LOADER_VERSION.1)),
        IMAGES => Ok((major == IMAGES_VERSION.0).then_some(IMAGES_VERSION.1)),
        _ => name(extension).map(|_| None),
    }
}

/// Returns the highest minor version that an agent supports of an extension's major version; `None` if unsupported.
/// Devices support images. The loader extension belongs to the system, not to an agent.
fn of_agent(agent: &Agent, extension: u16, major: u16) -> HsaResult<Option<u16>> {
    let known = supported(extension, major)?;
    Ok(known.filter(|_| extension == IMAGES && agent.emulated().is_some()))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_extension_get_name(
    extension: u16,
    name: *mut *const c_char,
) -> Status {
    guard(|| {
        let text = self::name(extension)?;
        // SAFETY: the program guarantees that the address is valid.
        unsafe { put(name, text.as_ptr()) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_system_extension_supported(
    extension: u16,
    major: u16,
    minor: u16,
    result: *mut bool,
) -> Status {
    call(|_| {
        let known = supported(extension, major)?;
        // SAFETY: the program guarantees that the address is valid.
        unsafe { put(result, known.is_some_and(|known| minor <= known)) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_system_major_extension_supported(
    extension: u16,
    major: u16,
    minor: *mut u16,
    result: *mut bool,
) -> Status {
    call(|_| {
        let known = supported(extension, major)?;
        // SAFETY: the program guarantees that the addresses are valid.
        unsafe {
            if let Some(known) = known {
                put(minor, known)?;
            }
            put(result, known.is_some())
        }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_agent_extension_supported(
    extension: u16,
    agent: Handle,
    major: u16,
    minor: u16,
    result: *mut bool,
) -> Status {
    call(|runtime| {
        let known = of_agent(runtime.agent(agent)?, extension, major)?;
        // SAFETY: the program guarantees that the address is valid.
        unsafe { put(result, known.is_some_and(|known| minor <= known)) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_agent_major_extension_supported(
    extension: u16,
    agent: Handle,
    major: u16,
    minor: *mut u16,
    result: *mut bool,
) -> Status {
    call(|runtime| {
        let known = of_agent(runtime.agent(agent)?, extension, major)?;
        // SAFETY: the program guarantees that the addresses are valid.
        unsafe {
            if let Some(known) = known {
                put(minor, known)?;
            }
            put(result, known.is_some())
        }
    })
}

/// `hsa_ven_amd_loader_1_03_pfn_t`. The tables of earlier versions are prefixes of this one.
#[repr(C)]
struct LoaderTable {
    query_host_address: unsafe extern "C" fn(*const c_void, *mut *const c_void) -> Status,
    query_segment_descriptors: unsafe extern "C" fn(*mut SegmentDescriptor, *mut usize) -> Status,
    query_executable: unsafe extern "C" fn(*const c_void, *mut Handle) -> Status,
    iterate_loaded_code_objects:
        unsafe extern "C" fn(Handle, Option<LoadedObjectCallback>, *mut c_void) -> Status,
    loaded_code_object_get_info: unsafe extern "C" fn(Handle, u32, *mut c_void) -> Status,
    reader_create: unsafe extern "C" fn(i32, usize, usize, *mut Handle) -> Status,
    iterate_executables: unsafe extern "C" fn(Option<HandleCallback>, *mut c_void) -> Status,
}

type LoadedObjectCallback =
    unsafe extern "C" fn(executable: Handle, loaded: Handle, data: *mut c_void) -> Status;

static TABLE: LoaderTable = LoaderTable {
    query_host_address,
    query_segment_descriptors,
    query_executable,
    iterate_loaded_code_objects,
    loaded_code_object_get_info,
    reader_create,
    iterate_executables,
};

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_system_get_major_extension_table(
    extension: u16,
    major: u16,
    bytes: usize,
    table: *mut c_void,
) -> Status {
    call(|_| {
        if table.is_null() || bytes == 0 {
            return Err(Status::INVALID_ARGUMENT);
        }
        supported(extension, major)?.ok_or(Status::ERROR)?;
        let (from, room) = match extension {
            IMAGES => (
                (&raw const images::TABLE).cast(),
                size_of_val(&images::TABLE),
            ),
            _ => ((&raw const TABLE).cast::<u8>(), size_of_val(&TABLE)),
        };
        let bytes = bytes.min(room);
        // SAFETY: the program guarantees room for `bytes` bytes, and the table is at least that large.
        unsafe { std::ptr::copy_nonoverlapping(from, table.cast(), bytes) };
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_system_get_extension_table(
    extension: u16,
    major: u16,
    minor: u16,
    table: *mut c_void,
) -> Status {
    // Number of functions in the tables of versions 1.0, 1.1 and so on.
    let functions: &[usize] = match extension {
        IMAGES => &[10],
        _ => &[3, 5, 6, 7],
    };
    let Some(functions) = functions.get(usize::from(minor)) else {
        return Status::ERROR;
    };
    // SAFETY: the program guarantees room for the table of this version.
    unsafe {
        hsa_system_get_major_extension_table(
            extension,
            major,
            functions * size_of::<usize>(),
            table,
        )
    }
}

unsafe extern "C" fn query_host_address(device: *const c_void, host: *mut *const c_void) -> Status {
    call(|runtime| {
        let object = runtime.loader.object_at(device.addr() as u64);
        object.ok_or(Status::INVALID_ARGUMENT)?;
        // Host and device use the same addresses. SAFETY: the program guarantees that the address is valid.
        unsafe { put(host, device) }
    })
}

unsafe extern "C" fn query_segment_descriptors(
    to: *mut SegmentDescriptor,
    count: *mut usize,
) -> Status {
    call(|runtime| {
        let segments = runtime.loader.segments();
        if to.is_null() {
            // SAFETY: the program guarantees that the address is valid.
            return unsafe { put(count, segments.len()) };
        }
        if count.is_null() {
            return Err(Status::INVALID_ARGUMENT);
        }
        // SAFETY: the program guarantees valid addresses, and room for the number of segments that it passed.
        unsafe {
            if *count != segments.len() {
                return Err(Status::INCOMPATIBLE_ARGUMENTS);
            }
            std::ptr::copy_nonoverlapping(segments.as_ptr(), to, segments.len());
        }
        Ok(())
    })
}

unsafe extern "C" fn query_executable(device: *const c_void, executable: *mut Handle) -> Status {
    call(|runtime| {
        let object = runtime.loader.object_at(device.addr() as u64);
        let object = object.ok_or(Status::INVALID_ARGUMENT)?;
        // SAFETY: the program guarantees that the address is valid.
        unsafe { put(executable, object.executable) }
    })
}

unsafe extern "C" fn iterate_loaded_code_objects(
    executable: Handle,
    callback: Option<LoadedObjectCallback>,
    data: *mut c_void,
) -> Status {
    call(|runtime| {
        let callback = callback.ok_or(Status::INVALID_ARGUMENT)?;
        let known = runtime.loader.executables.get(executable);
        for object in known.ok_or(Status::INVALID_EXECUTABLE)?.objects() {
            // SAFETY: the program registered the function and its argument for this call.
            match unsafe { callback(executable, object, data) } {
                Status::SUCCESS => {}
                other => return Err(other),
            }
        }
        Ok(())
    })
}

unsafe extern "C" fn loaded_code_object_get_info(
    object: Handle,
    attribute: u32,
    value: *mut c_void,
) -> Status {
    call(|runtime| {
        let object = runtime
            .loader
            .objects
            .get(object)
            .ok_or(Status::INVALID_CODE_OBJECT)?;
        let info: HsaResult<Info> = object.info(attribute);
        // SAFETY: the program guarantees that the address is valid.
        unsafe { put_info(value, info) }
    })
}

unsafe extern "C" fn reader_create(
    file: i32,
    offset: usize,
    size: usize,
    reader: *mut Handle,
) -> Status {
    call(|runtime| {
        let handle = reader_of_file(runtime, file, offset as u64, Some(size as u64))?;
        // SAFETY: the program guarantees that the address is valid.
        unsafe { put(reader, handle) }
    })
}

unsafe extern "C" fn iterate_executables(
    callback: Option<HandleCallback>,
    data: *mut c_void,
) -> Status {
    call(|runtime| {
        let all = runtime
            .loader
            .executables
            .all()
            .into_iter()
            .map(|(handle, _)| handle);
        // SAFETY: the program guarantees that the callback is valid.
        unsafe { each(all, callback, data) }
    })
}
