//! The language of arguments: numbers, contents of buffers, specifications as text, a kernel's parameters, and comparison
//! with expected contents.

pub mod value;
pub mod fill;
pub mod spec;
pub mod data;
pub mod compare;
pub mod expect;
pub mod parameters;
