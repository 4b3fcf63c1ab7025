//! Tests of the API as a program calls it: signals, queues, memory, executables and forks.

#![allow(unsafe_code)]

mod executables;
mod hsa;
mod images;
mod memory;
mod processes;
mod queues;
mod signals;
mod virtual_memory;
