//! Assembler inputs: dialect, target features, source, options and included files.

pub(crate) mod dialect;
pub(crate) mod features;
pub(crate) mod options;
pub(crate) mod files;
