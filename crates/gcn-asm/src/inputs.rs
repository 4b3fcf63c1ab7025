//! Inputs of an assembly: the dialect, features of the target, the source with its options, and the files that it includes.

pub(crate) mod dialect;
pub(crate) mod features;
pub(crate) mod options;
pub(crate) mod files;
