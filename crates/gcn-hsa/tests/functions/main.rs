//! Tests that call the API as a program does: signals, queues, memory, images, executables and forks.

#![allow(unsafe_code)]

mod executables;
mod hsa;
mod images;
mod memory;
mod processes;
mod queues;
mod signals;
mod virtual_memory;
