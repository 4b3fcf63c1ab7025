//! Types for threads, so that a model checker can put its own in their place.

pub(crate) use std::sync::{Condvar, Mutex, atomic};
