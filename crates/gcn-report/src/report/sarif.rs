//! Findings in the Static Analysis Results Interchange Format 2.1.0, which code hosts and editors can display.

use std::env;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

use gcn_observe::finding::Kind;
use serde_json::{Value, json};

use super::finding::FindingReport;
use super::notification::Notification;
use super::place::PlaceReport;

/// URI base ID of the source root. SARIF viewers map it to their own checkout.
const ROOT: &str = "%SRCROOT%";

/// Creates the log of a run: its findings, a rule per finding kind, and messages about the run.
pub(super) fn log(findings: &[FindingReport], notifications: &[Notification]) -> Value {
    let root = SourceRoot::find();
    let results = findings.iter().map(|it| entry(it, &root)).collect();
    let mut run = run(&root, results);
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
    document(run)
}

/// Creates a run with results, and a rule for each finding kind.
fn run(root: &SourceRoot, results: Vec<Value>) -> Value {
    json!({
        "originalUriBaseIds": { ROOT: { "uri": format!("file://{}/", uri(&root.root.display().to_string())) } },
        "tool": { "driver": {
            "name": "gcn",
            "version": env!("CARGO_PKG_VERSION"),
            "rules": Kind::ALL.iter().copied().map(rule).collect::<Vec<_>>(),
        } },
        "columnKind": "utf16CodeUnits",
        "results": results,
    })
}

/// Creates a log with one run.
fn document(run: Value) -> Value {
    json!({
        // Code hosts require this key.
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    })
}

/// Failure of a whole input file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileFailure {
    /// Path of the file, relative to the current directory.
    pub file: String,
    /// Reason for the failure, on one line.
    pub message: String,
}

impl FileFailure {
    /// Rule ID of results that describe failures.
    pub const RULE: &str = "failed-launch";
}

/// Merges logs of this library into one log, with a result `failed-launch` for each failed file. The log has a single
/// run, since code hosts limit the number of runs.
///
/// # Errors
/// Fails if a write to `out` fails.
///
/// # Examples
/// ```
/// use gcn_report::{FileFailure, write_merged_sarif};
/// let failure = FileFailure { file: "launch.toml".to_owned(), message: "fault".to_owned() };
/// let mut out = Vec::new();
/// write_merged_sarif(&[], &[failure], &mut out)?;
/// let log: serde_json::Value = serde_json::from_slice(&out)?;
/// assert_eq!(log["runs"][0]["results"][0]["ruleId"], "failed-launch");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write_merged_sarif(
    logs: &[&Value],
    failures: &[FileFailure],
    out: &mut dyn Write,
) -> io::Result<()> {
    let root = SourceRoot::find();
    let failed = failures.iter().map(|failure| {
        json!({
            "ruleId": FileFailure::RULE,
            "level": "error",
            "message": { "text": failure.message },
            "locations": [{ "physicalLocation": {
                "artifactLocation": root.artifact(&failure.file),
                "region": { "startLine": 1 },
            } }],
        })
    });
    let found = logs
        .iter()
        .filter_map(|log| log["runs"][0]["results"].as_array());
    let mut run = run(&root, found.flatten().cloned().chain(failed).collect());
    if let Some(rules) = run["tool"]["driver"]["rules"].as_array_mut() {
        rules.push(json!({
            "id": FileFailure::RULE,
            "fullDescription": { "text": "A launch file did not run to its end, or a result differs from what it expects." },
            "help": { "text": "Run `gcn run` or `gcn check` with the launch file to see the whole report." },
        }));
    }
    serde_json::to_writer_pretty(&mut *out, &document(run))?;
    writeln!(out)
}

fn notification(it: &Notification) -> Value {
    // `warning` is the default level of notifications.
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

fn entry(finding: &FindingReport, root: &SourceRoot) -> Value {
    json!({
        "ruleId": finding.name,
        "level": finding.severity,
        "message": { "text": finding.full_message() },
        "locations": [location(&finding.place, root)],
        "relatedLocations": finding.sides.iter().map(|it| location(it, root)).collect::<Vec<_>>(),
        "occurrenceCount": finding.count,
    })
}

/// Working directory, and root of source paths: the checkout that contains it, or else the working directory itself.
struct SourceRoot {
    directory: PathBuf,
    root: PathBuf,
}

impl SourceRoot {
    fn find() -> SourceRoot {
        let directory = env::current_dir().unwrap_or_else(|_| "/".into());
        let is_checkout = |it: &&Path| it.join(".git").exists();
        let root = directory.ancestors().find(is_checkout);
        SourceRoot {
            root: root.unwrap_or(&directory).to_owned(),
            directory,
        }
    }

    /// Returns the artifact location of a file, relative to the root for files below it. Names in `<>` are not files.
    fn artifact(&self, file: &str) -> Value {
        if file.starts_with('<') {
            return json!({ "uri": uri(file) });
        }
        let path = without_dots(&self.directory.join(file));
        match path.strip_prefix(&self.root) {
            Ok(below) => json!({ "uri": uri(&below.display().to_string()), "uriBaseId": ROOT }),
            Err(_) => json!({ "uri": format!("file://{}", uri(&path.display().to_string())) }),
        }
    }
}

/// Removes `.` and `..` from a path.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => {
                plain.push(component);
            }
        }
    }
    plain
}

/// Percent-encodes a path for a URI reference.
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

/// Creates the location of an instruction, with its source line if known.
fn location(place: &PlaceReport, root: &SourceRoot) -> Value {
    let code = place.code.iter();
    let code =
        code.map(|code| json!({ "fullyQualifiedName": code.symbol(), "kind": "instruction" }));
    let mut location = json!({
        "message": { "text": place.text() },
        "logicalLocations": code.collect::<Vec<_>>(),
    });
    if let Some(file) = &place.file {
        let physical = &mut location["physicalLocation"];
        physical["artifactLocation"] = root.artifact(file);
        physical["region"] = json!({});
        for (name, number) in [
            ("startLine", place.line),
            ("startColumn", place.utf16_column()),
        ] {
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
    fn files_are_relative_to_the_root() {
        let root = SourceRoot {
            directory: "/src/checkout/tests".into(),
            root: "/src/checkout".into(),
        };
        for (file, uri, has_base) in [
            ("sum.cl", "tests/sum.cl", true),
            ("../kernels/./a b.cl", "kernels/a%20b.cl", true),
            ("/src/checkout/sum.cl", "sum.cl", true),
            ("/usr/include/x.h", "file:///usr/include/x.h", false),
            ("../../other/x.h", "file:///src/other/x.h", false),
            ("<program 5f3a8b1c>", "%3Cprogram%205f3a8b1c%3E", false),
        ] {
            let found = root.artifact(file);
            assert_eq!(found["uri"], uri, "{file}");
            assert_eq!(found.get("uriBaseId").is_some(), has_base, "{file}");
        }
    }

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
