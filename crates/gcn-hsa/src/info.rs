//! Attribute values and their representation in program memory.
//!
//! This module may use `unsafe`: the API passes an untyped address, and the attribute determines the type.
#![allow(unsafe_code)]

use std::ffi::c_void;

use gcn_report::program::say::say_once;

use crate::abi::{HdpFlush, LinkInfo};
use crate::status::Status;

/// Attribute value. The headers define the type for each attribute.
#[derive(Clone, Debug)]
pub(crate) enum Info {
    Bool(bool),
    U8(u8),
    U16(u16),
    U32(u32),
    U64(u64),
    U16s(Vec<u16>),
    U32s(Vec<u32>),
    /// Null-terminated string in an array of the given size, padded with zeros. Longer strings are truncated.
    Text(String, usize),
    /// Null-terminated string.
    Name(String),
    /// String without a terminator.
    Chars(String),
    Bytes(Vec<u8>),
    Link(LinkInfo),
    Flush(HdpFlush),
}

/// Reports on standard error that `of` does not have an attribute, and returns the status for the program. Without the
/// report, a HIP release that queries the attribute may fail without any message.
pub(crate) fn unknown(of: &str, attribute: u32) -> Status {
    say_once(&format!("{of} has no attribute {attribute:#x}"));
    Status::INVALID_ARGUMENT
}

impl Info {
    /// Writes the value to memory.
    ///
    /// # Safety
    /// `to` points to enough memory for the attribute's type.
    pub(crate) unsafe fn write(self, to: *mut c_void) {
        // SAFETY: the caller guarantees that the destination is writable; the address need not be aligned.
        unsafe {
            match self {
                Info::Bool(value) => to.cast::<u8>().write(value.into()),
                Info::U8(value) => to.cast::<u8>().write(value),
                Info::U16(value) => to.cast::<u16>().write_unaligned(value),
                Info::U32(value) => to.cast::<u32>().write_unaligned(value),
                Info::U64(value) => to.cast::<u64>().write_unaligned(value),
                Info::U16s(values) => copy(&values, to),
                Info::U32s(values) => copy(&values, to),
                Info::Text(text, room) => {
                    let mut bytes = text.into_bytes();
                    bytes.truncate(room.saturating_sub(1));
                    bytes.resize(room, 0);
                    copy(&bytes, to);
                }
                Info::Name(text) => {
                    let mut bytes = text.into_bytes();
                    bytes.push(0);
                    copy(&bytes, to);
                }
                Info::Chars(text) => copy(text.as_bytes(), to),
                Info::Bytes(bytes) => copy(&bytes, to),
                Info::Link(link) => to.cast::<LinkInfo>().write_unaligned(link),
                Info::Flush(flush) => to.cast::<HdpFlush>().write_unaligned(flush),
            }
        }
    }
}

/// Writes values to possibly unaligned memory.
///
/// # Safety
/// `to` points to enough memory for the values.
unsafe fn copy<T: Copy>(values: &[T], to: *mut c_void) {
    // SAFETY: the caller guarantees that the destination is writable.
    unsafe {
        std::ptr::copy_nonoverlapping(values.as_ptr().cast::<u8>(), to.cast(), size_of_val(values))
    };
}
