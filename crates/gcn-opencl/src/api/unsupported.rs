//! API functions for unsupported features: pipes, and interoperation with other APIs.

use std::ffi::c_void;

use super::entry::{call, make};
use crate::context::Context;
use crate::handle::{self, Handle};
use crate::memory::Mem;
use crate::queue::Queue;
use crate::status::Status;

/// Defines functions that always return an error. It is `$error` if the first argument is a valid handle.
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

// The other arguments can be omitted, since the caller cleans up the stack in this calling convention.
refuse! {
    get_pipe_info: Mem => INVALID_MEM_OBJECT;
    enqueue_interop: Queue => INVALID_OPERATION;
}

/// Always fails, since the platform does not interoperate with other APIs.
pub unsafe extern "C" fn interop() -> i32 {
    Status::INVALID_OPERATION.0
}

/// Defines creation functions that always fail. They require a valid context, and write the status to their last
/// argument.
macro_rules! refuse_making {
    ($($name:ident: $($argument:ident)*;)*) => {$(
        pub unsafe extern "C" fn $name(
            context: Handle,
            $($argument: *const c_void,)*
            status: *mut i32,
        ) -> Handle {
            $(let _ = $argument;)*
            // SAFETY: the application guarantees that its addresses are valid.
            unsafe {
                make(status, || {
                    handle::get::<Context>(context)?;
                    Err(Status::INVALID_OPERATION)
                })
            }
        }
    )*};
}

// The number in a name is the number of arguments between the context and the status. Each occupies a register or 8
// bytes of the stack.
refuse_making! {
    create_interop_1: a;
    create_interop_2: a b;
    create_interop_3: a b c;
    create_interop_4: a b c d;
}
