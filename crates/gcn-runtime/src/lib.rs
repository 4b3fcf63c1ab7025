//! Runs GCN kernels from a program: code objects in device memory, and the ABI that their kernels expect.
#![forbid(unsafe_code)]

pub mod compile;
pub mod hostcall;
pub mod hsa;
pub mod printf;
pub mod progress;
