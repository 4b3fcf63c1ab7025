//! Synchronization types, which the test `model` replaces with loom's.

pub(crate) use std::sync::{Condvar, Mutex, atomic};
