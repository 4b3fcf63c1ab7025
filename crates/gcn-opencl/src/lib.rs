//! An OpenCL 3.0 platform over emulated devices, for programs that run unmodified.
//!
//! `libgcn_opencl.so` is an installable client driver: the loader of platforms (`libOpenCL.so.1`) finds it by a file
//! `gcn.icd`, or by the variable `OCL_ICD_VENDORS`, which `gcn exec` sets. It translates the OpenCL API into calls of
//! [`gcn_runtime`], and emulates nothing by itself.
//!
//! ```text
//! $ cargo xtask dist ~/.local
//! $ gcn exec --target gfx900 -- ./program
//! $ GCN_TARGET=gfx900 OCL_ICD_VENDORS=~/.local/lib/gcn/libgcn_opencl.so ./program    # without gcn exec
//! ```
//!
//! `docs/opencl.md` has a first program.
//!
//! # What a program finds
//! A device for each target of `GCN_TARGET` ([`gcn_report::settings`]). All devices share one memory, in which buffers have an
//! address that means the same to the host. A queue has a thread that carries out its commands; a thread of the program's that
//! waits for one helps. Functions of the program's are called by one more thread.
//!
//! # From `clEnqueueNDRangeKernel` to a kernel
//! The function (`api/kernels.rs`) looks up its handles (`handle.rs`: a program's address is never followed, so that a released
//! handle is an error). `launch.rs` makes a [`Launch`](gcn_runtime::Launch) of sizes and arguments, and `queue.rs` carries it out
//! when the commands that it depends on have ended (`progress.rs`), on the queue's thread or on one of the program's that waits.
//! Buffers are memory that all devices share (`memory.rs`); mapped regions and shared virtual memory are that memory itself, and checks learn
//! of mapped regions by [`MappedRegions`](gcn_report::program::MappedRegions). Images are
//! such memory in rows (`image_memory.rs`, [`gcn_runtime::image`]), and a kernel gets the address of a descriptor of it, as of a
//! sampler's.
//! `program.rs` compiles by [`gcn_runtime::compile`], and compiles apart and links by bitcode (`Product::Bitcode`).
//!
//! # Sources
//! "The OpenCL Specification" and "The OpenCL C Specification" 3.0, for what functions do and which errors they return; the
//! public headers of Debian's `opencl-c-headers`, for numbers and types.
#![deny(unsafe_code)]

// In the order of their imports: a module names only modules above it.

// Numbers of the headers.
pub mod status;
pub mod abi;

// Handles and values.
mod printed;
mod clock;
mod handle;
mod info;
mod callbacks;
mod transfer;
mod progress;
mod format;
mod image;

// Devices and the platform.
mod device;
mod runtime;

// Objects.
mod context;
mod mapping;
mod svm;
mod memory;
mod image_memory;
mod sampler;
mod event;
mod queue;

// Programs, kernels and launches.
mod options;
mod build;
mod program;
mod kernel;
mod launch;

// The functions.
pub mod api;
