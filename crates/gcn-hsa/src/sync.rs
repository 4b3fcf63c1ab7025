//! Synchronization types of the standard library. The test `model` replaces them with loom's types.

pub(crate) use std::sync::{Condvar, Mutex, atomic};
