//! Converts checker findings for the engine.

use gcn_debug::Finding;
use gcn_observe::finding::Kind;
use gcn_report::FindingReport;

/// Converts a reported finding to the engine's type.
pub fn finding(report: FindingReport) -> Finding {
    let kind = Kind::ALL.iter().find(|kind| kind.name() == report.name);
    Finding {
        check: kind.map_or("", |kind| kind.about().check.name()),
        name: report.name,
        message: report.message,
    }
}
