//! Tests that call API functions like a program: signals, queues, memory, images, executables and forks.

#![allow(unsafe_code)]

mod executables;
mod hsa;
mod images;
mod memory;
mod processes;
mod queues;
mod signals;
mod virtual_memory;
