//! The HSA ABI: what a kernel finds when it starts, and what answers its calls to the host.

pub(crate) mod owned;
pub mod printf;
pub(crate) mod hostcall;
pub mod hsa;
