//! The HSA ABI: initial state of a kernel, and services for its calls to the host.

pub(crate) mod owned;
pub mod printf;
pub(crate) mod hostcall;
pub mod hsa;
