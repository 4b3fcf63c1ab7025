//! The platform's API functions, as the headers declare them.
//!
//! These modules may use `unsafe`, since they access addresses from the application. A function looks up its handles,
//! calls a module above, and writes results; it holds no logic of its own.
#![allow(unsafe_code)]
// The contracts of the functions are those of the OpenCL specification.
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
