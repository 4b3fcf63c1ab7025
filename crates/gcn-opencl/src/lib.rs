//! An OpenCL 3.0 platform with emulated devices, which runs OpenCL programs unmodified.
//!
//! `libgcn_opencl.so` is an installable client driver. The ICD loader (`libOpenCL.so.1`) finds it through a `gcn.icd`
//! file or the environment variable `OCL_ICD_VENDORS`, which `gcn exec` sets. The library translates OpenCL API calls
//! into [`gcn_runtime`] calls and contains no emulation logic.
//!
//! ```text
//! $ cargo xtask dist ~/.local
//! $ gcn exec --target gfx900 -- ./program
//! $ GCN_TARGET=gfx900 OCL_ICD_VENDORS=~/.local/lib/gcn/libgcn_opencl.so ./program    # without gcn exec
//! ```
//!
//! `docs/opencl.md` contains a first program.
//!
//! # The platform as applications see it
//! The platform has a device for each target in `GCN_TARGET` ([`gcn_report::settings`]). All devices share one memory,
//! and a buffer has the same address on devices and host. Each queue has a thread that executes its commands; waiting
//! application threads execute them too. One more thread calls the application's callbacks.
//!
//! # From `clEnqueueNDRangeKernel` to a kernel
//! The API function (`api/kernels.rs`) looks up its handles. `handle.rs` never dereferences an address from the
//! application, so a released handle is an error. `launch.rs` creates a [`Launch`](gcn_runtime::Launch) from sizes and
//! arguments. `queue.rs` executes it once the commands that it depends on have ended (`progress.rs`), on the queue's
//! thread or on a waiting application thread. Buffers are allocated in memory that all devices share (`memory.rs`).
//! Mapped regions and shared virtual memory use the same memory, and checks find mapped regions in
//! [`MappedRegions`](gcn_report::program::MappedRegions). Images are stored there in rows (`image_memory.rs`,
//! [`gcn_runtime::image`]); image and sampler arguments are addresses of descriptors. `program.rs` compiles with
//! [`gcn_runtime::compile`]; separate compilation and linking use bitcode (`Product::Bitcode`).
//!
//! # Sources
//! References: "The OpenCL Specification" and "The OpenCL C Specification" 3.0 for the functions' behaviour and errors;
//! the public headers of Debian's `opencl-c-headers` for constants and types.
#![deny(unsafe_code)]

// In dependency order: a module imports only from modules above it.

// Header constants.
pub mod status;
pub mod abi;

// Handles and values.
mod printf_output;
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

// API functions.
pub mod api;
