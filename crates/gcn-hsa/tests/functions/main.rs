//! Tests that call API functions as a program would: signals, queues, memory, images, executables and forks.

#![allow(unsafe_code)]

mod executables;
mod hsa;
mod images;
mod memory;
mod processes;
mod queues;
mod signals;
mod virtual_memory;
