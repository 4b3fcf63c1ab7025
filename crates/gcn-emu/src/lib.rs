//! Placeholder until the first items land.
