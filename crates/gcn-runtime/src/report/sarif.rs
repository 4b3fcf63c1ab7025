//! Findings in the Static Analysis Results Interchange Format 2.1.0, which code hosts and editors show.

use gcn_observe::finding::Kind;
use serde_json::{Value, json};

use super::finding::FindingReport;
use super::notification::Notification;
use super::place::PlaceReport;

/// A log of one run with the findings, a rule for each kind of finding, and messages about the run.
pub(super) fn log(findings: &[FindingReport], notifications: &[Notification]) -> Value {
    let mut run = json!({
        "tool": { "driver": {
            "name": "gcn",
            "version": env!("CARGO_PKG_VERSION"),
            "rules": Kind::ALL.iter().copied().map(rule).collect::<Vec<_>>(),
        } },
        "results": findings.iter().map(entry).collect::<Vec<_>>(),
    });
    if !notifications.is_empty() {
        let mut names: Vec<&str> = notifications.iter().filter_map(|it| it.name).collect();
        names.sort_unstable();
        names.dedup();
        if !names.is_empty() {
            let described = names.iter().map(|name| json!({ "id": name }));
            run["tool"]["driver"]["notifications"] = described.collect();
        }
        run["invocations"] = json!([{
            "executionSuccessful": !notifications.iter().any(|it| it.is_error),
            "toolExecutionNotifications": notifications.iter().map(notification).collect::<Vec<_>>(),
        }]);
    }
    json!({
        // Code hosts demand the schema.
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    })
}

fn notification(it: &Notification) -> Value {
    // A warning is the level of a notification that names none.
    let mut notification = json!({ "message": { "text": it.message } });
    if it.is_error {
        notification["level"] = "error".into();
    }
    if let Some(name) = it.name {
        notification["descriptor"] = json!({ "id": name });
    }
    notification
}

fn rule(kind: Kind) -> Value {
    let about = kind.about();
    json!({
        "id": about.name,
        "fullDescription": { "text": about.meaning },
        "help": { "text": about.remedy },
    })
}

fn entry(finding: &FindingReport) -> Value {
    json!({
        "ruleId": finding.name,
        "level": finding.severity,
        "message": { "text": finding.full_message() },
        "locations": [location(&finding.place)],
        "relatedLocations": finding.sides.iter().map(location).collect::<Vec<_>>(),
        "occurrenceCount": finding.count,
    })
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
fn location(place: &PlaceReport) -> Value {
    let code = place.code.iter();
    let code =
        code.map(|code| json!({ "fullyQualifiedName": code.symbol(), "kind": "instruction" }));
    let mut location = json!({
        "message": { "text": place.text() },
        "logicalLocations": code.collect::<Vec<_>>(),
    });
    if let Some(file) = &place.file {
        let physical = &mut location["physicalLocation"];
        physical["artifactLocation"] = json!({ "uri": uri(file) });
        physical["region"] = json!({});
        for (name, number) in [("startLine", place.line), ("startColumn", place.column)] {
            if let Some(number) = number {
                physical["region"][name] = number.into();
            }
        }
    }
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
