//! Synchronization types. The test `model` replaces them with loom's.

pub(crate) use std::sync::{Condvar, Mutex, atomic};
