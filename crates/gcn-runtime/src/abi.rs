//! HSA ABI: initial kernel state, and services for host calls.

pub(crate) mod owned;
pub mod printf;
pub(crate) mod hostcall;
pub mod hsa;
