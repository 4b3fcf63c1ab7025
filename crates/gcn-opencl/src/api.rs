//! OpenCL API functions, as declared in the headers.
//!
//! These modules may use `unsafe`, since they dereference addresses passed by the application. Each function validates
//! its arguments, looks up its handles, calls into another module of the crate and writes the results.
#![allow(unsafe_code)]
// The OpenCL specification defines the safety contracts of these functions.
#![allow(clippy::missing_safety_doc, clippy::too_many_arguments, missing_docs)]

mod entry;
mod platform;
mod contexts;
mod commands;
mod queues;
mod buffers;
mod transfers;
mod images;
mod image_transfers;
mod samplers;
mod programs;
mod kernels;
mod events;
mod svm;
mod unsupported;
mod extensions;
mod table;
mod loader;

pub use crate::format::ImageFormat;
pub use crate::image::ImageDesc;
pub use buffers::BufferRegion;
pub use table::NAMES as FUNCTIONS;
