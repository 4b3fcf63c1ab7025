//! Synchronization types of the standard library. The test `model` replaces them with Loom's types.

pub(crate) use std::sync::{Condvar, Mutex, atomic};
