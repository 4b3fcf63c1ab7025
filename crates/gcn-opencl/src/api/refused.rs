//! Functions for what devices do not have: pipes, and objects of other interfaces.

use std::ffi::c_void;

use super::entry::{call, make};
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
    get_pipe_info: Mem => INVALID_MEM_OBJECT;
    enqueue_of_others: Queue => INVALID_OPERATION;
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
}
