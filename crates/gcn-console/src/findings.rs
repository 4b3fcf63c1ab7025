//! Conversion of checker findings to engine findings.

use gcn_debug::Finding;
use gcn_observe::finding::Kind;
use gcn_report::{FindingReport, PlaceReport};

/// Converts a reported finding to the engine's type.
pub fn finding(report: FindingReport) -> Finding {
    let kind = Kind::ALL.iter().find(|kind| kind.name() == report.name);
    let sides = report.sides.iter();
    let places = [&report.place].into_iter().chain(sides).map(place);
    Finding {
        places: places.collect(),
        check: kind.map_or("", |kind| kind.about().check.name()),
        name: report.name,
        message: report.message,
    }
}

/// Describes an instruction involved in a finding, preceded by its source line if known.
fn place(report: &PlaceReport) -> String {
    let text = report.text();
    let name = |file: &str| file.rsplit('/').next().map(str::to_owned);
    match (report.file.as_deref().and_then(name), report.line) {
        (Some(file), Some(line)) => format!("{file}:{line}: {text}"),
        _ => text,
    }
}
