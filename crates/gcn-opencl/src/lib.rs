//! An OpenCL 3.0 platform over emulated devices, for programs that run unmodified.
//!
//! `libgcn_opencl.so` is an installable client driver: the loader of platforms (`libOpenCL.so.1`) finds it by a file
//! `gcn.icd`, or by the variable `OCL_ICD_VENDORS`, which `gcn exec` sets. It translates the OpenCL API into calls of
//! [`gcn_runtime`], and emulates nothing by itself.
//!
//! # What a program finds
//! A device for each target of `GCN_TARGET` ([`gcn_runtime::settings`]). All devices share one memory, in which buffers have an
//! address that means the same to the host. A queue has a thread that carries out its commands; a thread of the program's that
//! waits for one helps. Functions of the program's are called by one more thread.
//!
//! # Sources
//! "The OpenCL Specification" and "The OpenCL C Specification" 3.0, for what functions do and which errors they return; the
//! public headers of Debian's `opencl-c-headers`, for numbers and types.
#![deny(unsafe_code)]

// In the order of their imports: a module names only modules above it.
pub mod status;
pub mod abi;
mod printed;
mod clock;
mod handle;
mod info;
mod callbacks;
mod transfer;
mod progress;
mod device;
mod runtime;
mod context;
mod svm;
mod memory;
mod event;
mod queue;
mod options;
mod program;
mod kernel;
mod launch;
mod exit;
pub mod api;
