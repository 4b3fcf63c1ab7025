//! Types of the runtime and its reports that this crate uses.

pub(crate) use gcn_report::settings::{CheckSettings, checks};
pub(crate) use gcn_report::{Checking, CodeMap, FaultReport, FindingReport};
pub(crate) use gcn_runtime::{Argument, Buffer, Completion, Device, Error, Kernel, Module};
