//! The functions of the library as a program calls them: signals, queues, memory, executables, forks.

#![allow(unsafe_code)]

mod executables;
mod hsa;
mod images;
mod memory;
mod processes;
mod queues;
mod signals;
mod virtual_memory;
