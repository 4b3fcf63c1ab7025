//! API functions for code objects, executables and symbols.

use std::ffi::{CString, c_char, c_void};
use std::fs::File;
use std::mem::ManuallyDrop;
use std::os::fd::FromRawFd;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use gcn_object::Bytes;

use super::{call, put, put_info, text};
use crate::abi::Handle;
use crate::info::{Info, unknown};
use crate::loader::{CodeOrigin, CodeReader, Executable};
use crate::numbers::*;
use crate::runtime::Runtime;
use crate::status::{HsaResult, Status};

/// Maximum size in bytes of a code object that is read from a file.
const MAX_FILE: u64 = 4 << 30;

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_code_object_reader_create_from_memory(
    code: *const c_void,
    size: usize,
    reader: *mut Handle,
) -> Status {
    call(|runtime| {
        if code.is_null() || size == 0 || reader.is_null() {
            return Err(Status::INVALID_ARGUMENT);
        }
        // SAFETY: the program guarantees that the bytes are readable.
        let bytes = unsafe { std::slice::from_raw_parts(code.cast::<u8>(), size) }.to_vec();
        let bytes = Bytes::shared(bytes);
        let origin = CodeOrigin::Memory(code.addr() as u64);
        let handle = runtime.loader.readers.add(|_| CodeReader { bytes, origin });
        // SAFETY: the program guarantees that the address is valid.
        unsafe { put(reader, handle) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_code_object_reader_create_from_file(
    file: i32,
    reader: *mut Handle,
) -> Status {
    call(|runtime| {
        let handle = reader_of_file(runtime, file, 0, None)?;
        // SAFETY: the program guarantees that the address is valid.
        unsafe { put(reader, handle) }
    })
}

/// Creates a code object reader for `size` bytes at an offset in an open file, or for the bytes from the offset to the
/// end of the file if `size` is `None`. Does not change the file position.
pub(super) fn reader_of_file(
    runtime: &Runtime,
    descriptor: i32,
    offset: u64,
    size: Option<u64>,
) -> HsaResult<Handle> {
    if descriptor < 0 {
        return Err(Status::INVALID_FILE);
    }
    // SAFETY: the program keeps its descriptor open during the call, and `ManuallyDrop` prevents closing it.
    let file = ManuallyDrop::new(unsafe { File::from_raw_fd(descriptor) });
    let known = file.metadata().map_err(|_| Status::INVALID_FILE)?.len();
    let left = known.checked_sub(offset).ok_or(Status::INVALID_ARGUMENT)?;
    let size = size.unwrap_or(left);
    if size == 0 || size > left || size > MAX_FILE {
        return Err(Status::INVALID_ARGUMENT);
    }
    let mut bytes = vec![0; size as usize];
    let read = file.read_exact_at(&mut bytes, offset);
    read.map_err(|_| Status::INVALID_FILE)?;
    let path = std::fs::read_link(format!("/proc/self/fd/{descriptor}")).ok();
    let path = path.and_then(|path| CString::new(path.into_os_string().into_vec()).ok());
    let origin = CodeOrigin::File {
        descriptor,
        path: path.unwrap_or_default(),
        offset,
    };
    let bytes = Bytes::shared(bytes);
    Ok(runtime.loader.readers.add(|_| CodeReader { bytes, origin }))
}

#[unsafe(no_mangle)]
pub extern "C" fn hsa_code_object_reader_destroy(reader: Handle) -> Status {
    call(|runtime| {
        let removed = runtime.loader.readers.remove(reader);
        removed.map(drop).ok_or(Status::INVALID_CODE_OBJECT_READER)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_executable_create_alt(
    _profile: u32,
    _rounding: u32,
    _options: *const c_char,
    executable: *mut Handle,
) -> Status {
    call(|runtime| {
        if executable.is_null() {
            return Err(Status::INVALID_ARGUMENT);
        }
        // SAFETY: the program guarantees that the address is valid.
        unsafe { put(executable, runtime.loader.create()) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_executable_create(
    profile: u32,
    state: u32,
    options: *const c_char,
    executable: *mut Handle,
) -> Status {
    // SAFETY: both functions have the same safety contract.
    let created = unsafe { hsa_executable_create_alt(profile, 0, options, executable) };
    if created != Status::SUCCESS || state != HSA_EXECUTABLE_STATE_FROZEN {
        return created;
    }
    // SAFETY: the handle has just been written.
    hsa_executable_freeze(unsafe { executable.read() }, options)
}

#[unsafe(no_mangle)]
pub extern "C" fn hsa_executable_destroy(executable: Handle) -> Status {
    call(|runtime| runtime.loader.destroy(executable))
}

fn executable(runtime: &Runtime, handle: Handle) -> HsaResult<Arc<Executable>> {
    let executable = runtime.loader.executables.get(handle);
    executable.ok_or(Status::INVALID_EXECUTABLE)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_executable_load_agent_code_object(
    handle: Handle,
    agent: Handle,
    reader: Handle,
    _options: *const c_char,
    loaded: *mut Handle,
) -> Status {
    call(|runtime| {
        let executable = executable(runtime, handle)?;
        let agent = runtime.agent(agent)?;
        let reader = runtime.loader.readers.get(reader);
        let reader = reader.ok_or(Status::INVALID_CODE_OBJECT_READER)?;
        let object = runtime.loader.load(&executable, agent, reader)?;
        if let Some((checks, object)) = runtime
            .watch
            .checks()
            .zip(runtime.loader.objects.get(object))
        {
            checks.notes(object.module());
        }
        if !loaded.is_null() {
            // SAFETY: the program guarantees that the address is valid.
            unsafe { loaded.write(object) };
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn hsa_executable_freeze(handle: Handle, _options: *const c_char) -> Status {
    call(|runtime| executable(runtime, handle)?.freeze())
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_executable_get_info(
    handle: Handle,
    attribute: u32,
    value: *mut c_void,
) -> Status {
    call(|runtime| {
        let executable = executable(runtime, handle)?;
        let info = match attribute {
            HSA_EXECUTABLE_INFO_PROFILE => Ok(Info::U32(HSA_PROFILE_BASE)),
            HSA_EXECUTABLE_INFO_STATE => Ok(Info::U32(if executable.is_frozen() {
                HSA_EXECUTABLE_STATE_FROZEN
            } else {
                HSA_EXECUTABLE_STATE_UNFROZEN
            })),
            HSA_EXECUTABLE_INFO_DEFAULT_FLOAT_ROUNDING_MODE => {
                Ok(Info::U32(HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR))
            }
            _ => Err(unknown("an executable", attribute)),
        };
        // SAFETY: the program guarantees that the address is valid.
        unsafe { put_info(value, info) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_executable_validate(handle: Handle, result: *mut u32) -> Status {
    call(|runtime| {
        executable(runtime, handle)?;
        // Code objects are validated when they are loaded.
        // SAFETY: the program guarantees that the address is valid.
        unsafe { put(result, 0) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_executable_validate_alt(
    handle: Handle,
    _options: *const c_char,
    result: *mut u32,
) -> Status {
    // SAFETY: both functions have the same safety contract.
    unsafe { hsa_executable_validate(handle, result) }
}

/// Defines an external variable for an agent, or for all agents if `agent` is `None`.
///
/// # Safety
/// `name` is null or points to a null-terminated string.
unsafe fn define(
    handle: Handle,
    agent: Option<Handle>,
    name: *const c_char,
    address: *mut c_void,
) -> Status {
    call(|runtime| {
        let executable = executable(runtime, handle)?;
        if let Some(agent) = agent {
            runtime.agent(agent)?;
        }
        // SAFETY: the caller guarantees a valid string.
        let name = unsafe { text(name) }?;
        executable.define(agent.unwrap_or(0), name, address.expose_provenance() as u64)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_executable_global_variable_define(
    executable: Handle,
    name: *const c_char,
    address: *mut c_void,
) -> Status {
    // SAFETY: the program guarantees a valid string.
    unsafe { define(executable, None, name, address) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_executable_agent_global_variable_define(
    executable: Handle,
    agent: Handle,
    name: *const c_char,
    address: *mut c_void,
) -> Status {
    // SAFETY: the program guarantees a valid string.
    unsafe { define(executable, Some(agent), name, address) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_executable_readonly_variable_define(
    executable: Handle,
    agent: Handle,
    name: *const c_char,
    address: *mut c_void,
) -> Status {
    // SAFETY: the program guarantees a valid string.
    unsafe { define(executable, Some(agent), name, address) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_executable_get_symbol_by_name(
    handle: Handle,
    name: *const c_char,
    agent: *const Handle,
    symbol: *mut Handle,
) -> Status {
    call(|runtime| {
        let executable = executable(runtime, handle)?;
        // SAFETY: the program guarantees a valid string and address.
        let (name, agent) = unsafe { (text(name)?, agent.as_ref().copied()) };
        if let Some(agent) = agent {
            runtime.agent(agent)?;
        }
        let symbols = runtime.loader.symbols_of(&executable, agent);
        let named = symbols.iter().find(|(_, symbol)| symbol.name == name);
        let (found, _) = named.ok_or(Status::INVALID_SYMBOL_NAME)?;
        // SAFETY: the program guarantees that the address is valid.
        unsafe { put(symbol, *found) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_executable_get_symbol(
    executable: Handle,
    _module: *const c_char,
    name: *const c_char,
    agent: Handle,
    _convention: i32,
    symbol: *mut Handle,
) -> Status {
    // SAFETY: both functions have the same safety contract.
    unsafe { hsa_executable_get_symbol_by_name(executable, name, &raw const agent, symbol) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_executable_symbol_get_info(
    symbol: Handle,
    attribute: u32,
    value: *mut c_void,
) -> Status {
    call(|runtime| {
        let symbol = runtime.loader.symbols.get(symbol);
        let info = symbol
            .ok_or(Status::INVALID_EXECUTABLE_SYMBOL)?
            .info(attribute);
        // SAFETY: the program guarantees that the address is valid.
        unsafe { put_info(value, info) }
    })
}

type SymbolCallback =
    unsafe extern "C" fn(executable: Handle, symbol: Handle, data: *mut c_void) -> Status;
type AgentSymbolCallback = unsafe extern "C" fn(
    executable: Handle,
    agent: Handle,
    symbol: Handle,
    data: *mut c_void,
) -> Status;

/// Calls `callback` for each symbol of an executable, or only for an agent's symbols, until it returns a status other
/// than [`Status::SUCCESS`].
fn each_symbol(
    runtime: &Runtime,
    handle: Handle,
    agent: Option<Handle>,
    mut callback: impl FnMut(Handle) -> Status,
) -> HsaResult {
    let executable = executable(runtime, handle)?;
    for (symbol, _) in runtime.loader.symbols_of(&executable, agent) {
        match callback(symbol) {
            Status::SUCCESS => {}
            other => return Err(other),
        }
    }
    Ok(())
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_executable_iterate_symbols(
    handle: Handle,
    callback: Option<SymbolCallback>,
    data: *mut c_void,
) -> Status {
    call(|runtime| {
        let callback = callback.ok_or(Status::INVALID_ARGUMENT)?;
        // SAFETY: the program registered the function and its argument for this call.
        each_symbol(runtime, handle, None, |symbol| unsafe {
            callback(handle, symbol, data)
        })
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_executable_iterate_agent_symbols(
    handle: Handle,
    agent: Handle,
    callback: Option<AgentSymbolCallback>,
    data: *mut c_void,
) -> Status {
    call(|runtime| {
        runtime.agent(agent)?;
        let callback = callback.ok_or(Status::INVALID_ARGUMENT)?;
        // SAFETY: the program registered the function and its argument for this call.
        let each = |symbol| unsafe { callback(handle, agent, symbol, data) };
        each_symbol(runtime, handle, Some(agent), each)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_executable_iterate_program_symbols(
    handle: Handle,
    callback: Option<SymbolCallback>,
    _data: *mut c_void,
) -> Status {
    // Every symbol belongs to an agent, so no program symbols exist.
    call(|runtime| {
        executable(runtime, handle)?;
        callback.map(drop).ok_or(Status::INVALID_ARGUMENT)
    })
}
