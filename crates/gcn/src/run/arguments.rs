//! Kernel arguments: conversion for binding, help text and memory budget.

use anyhow::{Result, bail};
use gcn_args::bind::{self, BoundArgument};
use gcn_args::parameter_type::wants;
use gcn_report::settings;
use gcn_runtime::Kernel;
use gcn_runtime::error_names::OUT_OF_MEMORY;

use super::option_values::NamedText;
use crate::problem::Problem;

impl NamedText {
    /// Converts the argument for binding, and resolves a relative file name.
    pub fn bindable(&self) -> bind::GivenArgument {
        let given = bind::GivenArgument::parse(&self.name, &self.value);
        bind::GivenArgument {
            spec: given.spec.map(|spec| spec.relative_to(&self.base)),
            ..given
        }
    }
}

/// Describes the parameters of a kernel; `None` if it has no metadata.
pub fn help(kernel: &Kernel) -> Option<String> {
    let parameters = kernel.parameters()?;
    if parameters.is_empty() {
        return Some(format!("kernel {} takes no arguments", kernel.name()));
    }
    let mut text = format!("kernel {} takes:", kernel.name());
    for parameter in &parameters {
        let name = parameter
            .name
            .map_or(String::new(), |name| format!(" {name}"));
        let (index, wants) = (parameter.index, wants(parameter));
        text.push_str(&format!("\n  {index}{name}: {wants}"));
    }
    Some(text)
}

/// Returns the total size of the arguments' buffers in bytes.
///
/// # Errors
/// Fails if the size exceeds `budget`.
pub fn afford<'a>(arguments: impl Iterator<Item = &'a BoundArgument>, budget: u64) -> Result<u64> {
    let sizes: Vec<_> = arguments
        .filter_map(|argument| Some((&argument.name, argument.buffer_bytes()?)))
        .collect();
    let needed = sizes
        .iter()
        .fold(0u64, |sum, (_, bytes)| sum.saturating_add(*bytes));
    if needed > budget {
        let buffers = sizes.iter().map(|(name, bytes)| format!("{name} {bytes}"));
        let list = buffers.collect::<Vec<_>>().join(", ");
        bail!(Problem::new(
            OUT_OF_MEMORY,
            format!(
                "the buffers need {needed} bytes ({list}), more than the {budget} bytes of memory; raise --memory"
            )
        ));
    }
    Ok(needed)
}

/// Default memory budget in bytes: half of the available memory, if known.
pub fn spare_memory() -> u64 {
    /// Budget if the available memory is unknown.
    const UNKNOWN: u64 = 4 << 30;
    settings::host_memory("MemAvailable").map_or(UNKNOWN, |available| available / 2)
}
