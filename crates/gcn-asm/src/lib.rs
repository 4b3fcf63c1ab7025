//! Placeholder until the first items land.

pub mod list;
