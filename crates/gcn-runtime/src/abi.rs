//! ABI of kernels: initial state, `printf`, and host calls.

pub(crate) mod owned;
pub mod printf;
pub(crate) mod hostcall;
pub mod hsa;
