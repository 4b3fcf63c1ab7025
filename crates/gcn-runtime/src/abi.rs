//! The HSA ABI: what a kernel finds when it starts, and what answers its calls to the host.

pub mod owned;
pub mod printf;
pub mod hostcall;
pub mod hsa;
