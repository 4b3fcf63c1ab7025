//! Imports from gcn-runtime and gcn-report.

pub(crate) use gcn_report::settings::{CheckSettings, checks};
pub(crate) use gcn_report::{Checking, CodeMap, FaultReport, FindingReport};
pub(crate) use gcn_runtime::{Argument, Buffer, Completion, Device, Error, Kernel, Module};
