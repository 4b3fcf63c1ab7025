//! Findings in the Static Analysis Results Interchange Format 2.1.0, which code hosts and editors show.

use gcn_observe::finding::Kind;
use serde_sarif::sarif::{
    ArtifactLocation, Invocation, Location, LogicalLocation, Message, MultiformatMessageString,
    Notification, PhysicalLocation, Region, ReportingDescriptor, Result as Entry, ResultLevel, Run,
    Sarif, Tool, ToolComponent,
};

use super::finding::{FindingReport, PlaceReport};

/// A log of one run with the findings, a rule for each kind of finding, and a note about the run.
pub(super) fn log(findings: &[FindingReport], note: Option<&str>) -> Sarif {
    let driver = ToolComponent::builder()
        .name("gcn check")
        .version(env!("CARGO_PKG_VERSION"))
        .rules(Kind::ALL.iter().map(|kind| rule(*kind)).collect::<Vec<_>>())
        .build();
    let mut run = Run::builder()
        .tool(Tool::builder().driver(driver).build())
        .results(findings.iter().map(entry).collect::<Vec<_>>())
        .build();
    run.invocations = note.map(|note| vec![invocation(note)]);
    // Code hosts demand the schema.
    let schema = "https://json.schemastore.org/sarif-2.1.0.json";
    let log = Sarif::builder().schema(schema).version("2.1.0");
    log.runs(vec![run]).build()
}

/// The run with a note about it.
fn invocation(note: &str) -> Invocation {
    let message = Message::builder().text(note.to_owned()).build();
    // A warning is the level of a notification that names none.
    let notification = Notification::builder().message(message).build();
    Invocation::builder()
        .execution_successful(true)
        .tool_execution_notifications(vec![notification])
        .build()
}

fn rule(kind: Kind) -> ReportingDescriptor {
    let about = kind.about();
    let text = |text: &str| {
        MultiformatMessageString::builder()
            .text(text.to_owned())
            .build()
    };
    ReportingDescriptor::builder()
        .id(about.name)
        .full_description(text(about.meaning))
        .help(text(about.remedy))
        .build()
}

fn entry(finding: &FindingReport) -> Entry {
    let level = if finding.severity == "error" {
        ResultLevel::Error
    } else {
        ResultLevel::Warning
    };
    Entry::builder()
        .rule_id(finding.name)
        .level(level)
        .message(Message::builder().text(finding.message.clone()).build())
        .locations(vec![location(&finding.place)])
        .related_locations(finding.sides.iter().map(location).collect::<Vec<_>>())
        .occurrence_count(i64::try_from(finding.count).unwrap_or(i64::MAX))
        .build()
}

/// A path as a reference of a URI: bytes that such a one cannot have are escaped.
fn uri(path: &str) -> String {
    let is_unescaped =
        |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/!$&'()*+,;=:@".contains(&byte);
    let mut uri = String::new();
    for byte in path.bytes() {
        if is_unescaped(byte) {
            uri.push(byte.into());
        } else {
            uri += &format!("%{byte:02X}");
        }
    }
    uri
}

/// The line of source where it is known, and the instruction.
fn location(place: &PlaceReport) -> Location {
    let code = place.code.iter().map(|code| {
        let name = LogicalLocation::builder().fully_qualified_name(code.symbol());
        name.kind("instruction").build()
    });
    let physical = place.file.as_ref().map(|file| {
        let known = |number: Option<u32>| number.map(i64::from);
        let mut region = Region::builder().build();
        region.start_line = known(place.line);
        region.start_column = known(place.column);
        PhysicalLocation::builder()
            .artifact_location(ArtifactLocation::builder().uri(uri(file)).build())
            .region(region)
            .build()
    });
    let mut location = Location::builder()
        .message(Message::builder().text(place.text()).build())
        .logical_locations(code.collect::<Vec<_>>())
        .build();
    location.physical_location = physical;
    location
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_escaped_in_uris() {
        for (path, expected) in [
            ("/src/a-b_c.cl", "/src/a-b_c.cl"),
            ("<program 5f3a8b1c>", "%3Cprogram%205f3a8b1c%3E"),
            ("./100%/ä.cl", "./100%25/%C3%A4.cl"),
        ] {
            assert_eq!(uri(path), expected);
        }
    }
}
