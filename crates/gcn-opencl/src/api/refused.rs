//! Functions for what devices do not have: images, samplers, pipes, and objects of other interfaces.

use std::ffi::c_void;

use super::{call, make};
use crate::context::Context;
use crate::handle::{self, Handle};
use crate::memory::Mem;
use crate::queue::Queue;
use crate::status::Status;

/// Functions that return a status, and need a valid handle of a type as their first argument.
macro_rules! refuse {
    ($($name:ident: $Type:ty => $error:ident;)*) => {$(
        pub unsafe extern "C" fn $name(object: Handle) -> i32 {
            call(|| {
                handle::get::<$Type>(object)?;
                Err(Status::$error)
            })
        }
    )*};
}

// Arguments behind the first one are the caller's to take back, and not looked at.
refuse! {
    enqueue_of_images: Queue => INVALID_OPERATION;
    get_image_info: Mem => INVALID_MEM_OBJECT;
    get_pipe_info: Mem => INVALID_MEM_OBJECT;
    enqueue_of_others: Queue => INVALID_OPERATION;
}

/// Functions of samplers, of which there are none.
pub unsafe extern "C" fn of_sampler(_sampler: Handle) -> i32 {
    Status::INVALID_SAMPLER.0
}

/// Functions of interfaces that the platform has no part in.
pub unsafe extern "C" fn of_others() -> i32 {
    Status::INVALID_OPERATION.0
}

/// Makers of objects: they need a valid context, and have the address of the status as their last argument.
macro_rules! refuse_making {
    ($($name:ident: $($argument:ident)*;)*) => {$(
        pub unsafe extern "C" fn $name(
            context: Handle,
            $($argument: *const c_void,)*
            status: *mut i32,
        ) -> Handle {
            $(let _ = $argument;)*
            // SAFETY: the program vouches for its addresses.
            unsafe {
                make(status, || {
                    handle::get::<Context>(context)?;
                    Err(Status::INVALID_OPERATION)
                })
            }
        }
    )*};
}

// By the number of arguments between context and status, each of which takes a register or a place of 8 bytes.
refuse_making! {
    make_of_1: a;
    make_of_2: a b;
    make_of_3: a b c;
    make_of_4: a b c d;
    make_of_5: a b c d e;
    make_of_6: a b c d e f;
    make_of_8: a b c d e f g h;
}

pub unsafe extern "C" fn enqueue_map_image(
    queue: Handle,
    _image: Handle,
    _is_blocking: u32,
    _flags: u64,
    _origin: *const usize,
    _region: *const usize,
    _row: *mut usize,
    _slice: *mut usize,
    _count: u32,
    _list: *const Handle,
    _event: *mut Handle,
    status: *mut i32,
) -> usize {
    // SAFETY: the program vouches for its addresses.
    unsafe {
        make(status, || {
            handle::get::<Queue>(queue)?;
            Err(Status::INVALID_OPERATION)
        })
    }
}
