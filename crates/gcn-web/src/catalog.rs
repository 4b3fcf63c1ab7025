//! Choices that the page offers: targets and examples.

use gcn_isa::TARGETS;
use serde::Serialize;

use crate::examples::{EXAMPLES, Example};

/// Targets and examples.
#[derive(Serialize)]
pub(crate) struct Catalog {
    targets: Vec<TargetEntry>,
    examples: &'static [Example],
}

#[derive(Serialize)]
struct TargetEntry {
    name: &'static str,
    chips: &'static [&'static str],
    /// GCN version: `GCN 1.4`.
    version: &'static str,
}

/// All targets and examples.
pub(crate) fn catalog() -> Catalog {
    let targets = TARGETS.iter().map(|target| TargetEntry {
        name: target.name,
        chips: target.chips,
        version: target.isa.version(),
    });
    Catalog {
        targets: targets.collect(),
        examples: &EXAMPLES,
    }
}
