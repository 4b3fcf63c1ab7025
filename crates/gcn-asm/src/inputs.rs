//! Inputs of an assembly: dialect, target features, source with options, and included files.

pub(crate) mod dialect;
pub(crate) mod features;
pub(crate) mod options;
pub(crate) mod files;
