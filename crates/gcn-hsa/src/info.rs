//! Values of attributes, and what writes them where a program wants them.
//!
//! This is one of the modules that may use `unsafe`: the API gives an untyped address, and the attribute says the type.
#![allow(unsafe_code)]

use std::ffi::c_void;

use gcn_report::program::say::say_once;

use crate::abi::{HdpFlush, LinkInfo};
use crate::status::Status;

/// The value of an attribute, in the type that the headers say for it.
#[derive(Clone, Debug)]
pub(crate) enum Info {
    Bool(bool),
    U8(u8),
    U16(u16),
    U32(u32),
    U64(u64),
    /// Several values, such as sizes by dimension.
    U16s(Vec<u16>),
    U32s(Vec<u32>),
    /// A text and its terminator in an array of this many bytes, the rest of it zero; longer texts are cut.
    Text(String, usize),
    /// A text and its terminator.
    Name(String),
    /// A text without a terminator.
    Chars(String),
    Bytes(Vec<u8>),
    Link(LinkInfo),
    Flush(HdpFlush),
}

/// The error for an attribute that has no value, which is named on standard error: a release of HIP that asks for it may give up
/// without another word.
pub(crate) fn unknown(of: &str, attribute: u32) -> Status {
    say_once(&format!("{of} has no attribute {attribute:#x}"));
    Status::INVALID_ARGUMENT
}

impl Info {
    /// Writes the value.
    ///
    /// # Safety
    /// `to` has room for a value of the attribute's type.
    pub(crate) unsafe fn write(self, to: *mut c_void) {
        // SAFETY: the caller vouches for the room; the address need not be aligned.
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

/// # Safety
/// `to` has room for the values.
unsafe fn copy<T: Copy>(values: &[T], to: *mut c_void) {
    // SAFETY: the caller vouches for the room.
    unsafe {
        std::ptr::copy_nonoverlapping(values.as_ptr().cast::<u8>(), to.cast(), size_of_val(values))
    };
}
