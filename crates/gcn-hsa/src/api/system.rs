//! API functions for initialisation, status strings and system attributes.

use std::ffi::{c_char, c_void};

use gcn_report::program::exit;

use super::{call, guard, put, put_info};
use crate::clock::{TICKS_PER_SECOND, now};
use crate::info::{Info, unknown};
use crate::numbers::*;
use crate::runtime;
use crate::status::Status;

#[unsafe(no_mangle)]
pub extern "C" fn hsa_init() -> Status {
    guard(|| {
        runtime::initialise()?;
        exit::watch();
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn hsa_shut_down() -> Status {
    guard(runtime::shut_down)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_status_string(status: Status, text: *mut *const c_char) -> Status {
    guard(|| {
        let known = status.text().ok_or(Status::INVALID_ARGUMENT)?;
        // SAFETY: the program guarantees that the address is valid.
        unsafe { put(text, known.as_ptr()) }
    })
}

/// Reported version of the HSA specification.
const VERSION: (u16, u16) = (1, 1);
/// Reported version of AMD's extensions (`HSA_AMD_INTERFACE_VERSION_MAJOR` and `_MINOR`).
const AMD_VERSION: (u16, u16) = (1, 0);
/// Size of the extension bit mask in bytes.
const EXTENSIONS: usize = 128;
/// Image extension number.
pub(super) const IMAGES: u16 = HSA_EXTENSION_IMAGES as u16;
/// Loader extension number.
pub(super) const LOADER: u16 = HSA_EXTENSION_AMD_LOADER as u16;

#[unsafe(no_mangle)]
pub unsafe extern "C" fn hsa_system_get_info(attribute: u32, value: *mut c_void) -> Status {
    call(|_| {
        let info = match attribute {
            HSA_SYSTEM_INFO_VERSION_MAJOR => Info::U16(VERSION.0),
            HSA_SYSTEM_INFO_VERSION_MINOR => Info::U16(VERSION.1),
            HSA_SYSTEM_INFO_TIMESTAMP => Info::U64(now()),
            HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY => Info::U64(TICKS_PER_SECOND),
            HSA_SYSTEM_INFO_SIGNAL_MAX_WAIT => Info::U64(u64::MAX),
            HSA_SYSTEM_INFO_ENDIANNESS => Info::U32(HSA_ENDIANNESS_LITTLE),
            HSA_SYSTEM_INFO_MACHINE_MODEL => Info::U32(HSA_MACHINE_MODEL_LARGE),
            HSA_SYSTEM_INFO_EXTENSIONS => {
                let mut extensions = vec![0; EXTENSIONS];
                for extension in [IMAGES, LOADER].map(usize::from) {
                    extensions[extension / 8] |= 1 << (extension % 8);
                }
                Info::Bytes(extensions)
            }
            HSA_AMD_SYSTEM_INFO_BUILD_VERSION => {
                const BUILD: &std::ffi::CStr = c"gcn";
                Info::U64(BUILD.as_ptr().expose_provenance() as u64)
            }
            HSA_AMD_SYSTEM_INFO_SVM_SUPPORTED
            | HSA_AMD_SYSTEM_INFO_SVM_ACCESSIBLE_BY_DEFAULT
            | HSA_AMD_SYSTEM_INFO_MWAITX_ENABLED
            | HSA_AMD_SYSTEM_INFO_DMABUF_SUPPORTED
            | HSA_AMD_SYSTEM_INFO_XNACK_ENABLED => Info::Bool(false),
            HSA_AMD_SYSTEM_INFO_VIRTUAL_MEM_API_SUPPORTED => Info::Bool(cfg!(target_os = "linux")),
            HSA_AMD_SYSTEM_INFO_EXT_VERSION_MAJOR => Info::U16(AMD_VERSION.0),
            HSA_AMD_SYSTEM_INFO_EXT_VERSION_MINOR => Info::U16(AMD_VERSION.1),
            _ => return Err(unknown("the system", attribute)),
        };
        // SAFETY: the program guarantees that the address is valid.
        unsafe { put_info(value, Ok(info)) }
    })
}

/// `r_debug` from `link.h`, in which debuggers look for the list of code objects. Version 0 means that no list exists.
#[repr(C)]
pub struct DebuggerMap {
    version: i32,
    map: usize,
    breakpoint: usize,
    state: i32,
    base: usize,
}

#[unsafe(no_mangle)]
#[allow(non_upper_case_globals)]
pub static _amdgpu_r_debug: DebuggerMap = DebuggerMap {
    version: 0,
    map: 0,
    breakpoint: 0,
    state: 0,
    base: 0,
};
