//! Suppressions of findings, in files written by users or by `--gen-suppressions`.

use std::ops::Range;
use std::path::PathBuf;

use gcn_observe::finding::Kind;
use gcn_observe::matches;
use gcn_runtime::data::{Data, DataError, MAX_SETTINGS_BYTES};
use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize};

use super::finding::FindingReport;

/// Suppressed findings, as `[[suppress]]` tables in TOML.
///
/// # Examples
/// ```
/// use gcn_report::Suppressions;
/// let mut known = Suppressions::parse("[[suppress]]\nname = 'missing-wait'\nkernel = 'reduce*'\n")?;
/// known.extend(Suppressions::parse("")?);
/// assert!(known.to_string().contains("kernel = \"reduce*\""));
/// let error = Suppressions::parse("[[suppress]]\nnaem = 'x'\n").unwrap_err();
/// assert!(error.to_string().starts_with("invalid suppressions: line 2: unknown field `naem`"));
/// # Ok::<(), gcn_report::InvalidSuppressions>(())
/// ```
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suppressions {
    #[serde(default)]
    suppress: Vec<Suppression>,
}

/// Suppression of the findings that match all present fields. `*` matches any text.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Suppression {
    /// Name of the finding kind, or pattern for several kinds.
    #[serde(deserialize_with = "name_of_kinds")]
    name: String,
    /// Symbol of the kernel.
    #[serde(skip_serializing_if = "Option::is_none")]
    kernel: Option<String>,
    /// Source file.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// Source line.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    /// Text of the instruction.
    #[serde(skip_serializing_if = "Option::is_none")]
    instruction: Option<String>,
}

/// Deserializes a name or pattern, which must match at least one finding kind.
fn name_of_kinds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let name = String::deserialize(deserializer)?;
    let mut kinds = Kind::ALL.iter().map(|kind| kind.about().name);
    if kinds.any(|kind| matches(&name, kind)) {
        Ok(name)
    } else {
        Err(D::Error::custom(format!(
            "no finding is called `{name}`; `gcn explain` lists all names"
        )))
    }
}

impl Suppression {
    /// Creates a suppression for one finding that does not depend on its load address.
    fn of(report: &FindingReport) -> Suppression {
        // A finding merged from several instructions has no common instruction text.
        let is_single = report.instructions == 1;
        Suppression {
            name: report.name.to_owned(),
            kernel: report.kernel().map(str::to_owned),
            file: report.place.file.clone(),
            line: report.place.line,
            instruction: is_single
                .then(|| report.instruction().map(str::to_owned))
                .flatten(),
        }
    }

    fn covers(&self, report: &FindingReport) -> bool {
        let fits = |pattern: &Option<String>, text: Option<&str>| {
            pattern
                .as_ref()
                .is_none_or(|pattern| text.is_some_and(|text| matches(pattern, text)))
        };
        matches(&self.name, report.name)
            && fits(&self.kernel, report.kernel())
            && fits(&self.file, report.place.file.as_deref())
            && fits(&self.instruction, report.instruction())
            && self.line.is_none_or(|line| report.place.line == Some(line))
    }
}

/// Syntax error or invalid entry in a suppression file.
///
/// # Examples
/// ```
/// use gcn_report::Suppressions;
/// let text = "[[suppress]]\nnaem = 'missing-wait'\n";
/// let error = Suppressions::parse(text).unwrap_err();
/// assert_eq!(&text[error.span], "naem");
/// assert!(error.message.starts_with("unknown field `naem`"));
/// ```
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("invalid suppressions: line {line}: {message}")]
pub struct InvalidSuppressions {
    /// Message of the TOML parser.
    pub message: String,
    /// Byte range of the error in the text.
    pub span: Range<usize>,
    /// Line number, starting at 1.
    line: usize,
}

impl InvalidSuppressions {
    fn new(error: &toml::de::Error, text: &str) -> InvalidSuppressions {
        let span = error.span().unwrap_or(0..text.len());
        let before = text.bytes().take(span.start);
        InvalidSuppressions {
            message: error.message().to_owned(),
            line: before.filter(|byte| *byte == b'\n').count() + 1,
            span,
        }
    }
}

/// Error from reading a suppression file.
///
/// # Examples
/// ```
/// use gcn_report::Suppressions;
/// let error = Suppressions::read(&["/no/such.toml".into()]).unwrap_err();
/// assert!(error.to_string().starts_with("cannot read /no/such.toml: "));
/// ```
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SuppressionsError {
    /// The file cannot be read.
    #[error("{0}")]
    Unreadable(String),
    /// The text is invalid.
    #[error("{}: {error}", .file.display())]
    Invalid {
        /// Path of the file.
        file: PathBuf,
        /// Contents of the file.
        text: String,
        /// Error in the contents.
        error: InvalidSuppressions,
    },
}

impl Suppressions {
    /// Parses the text of a suppression file.
    ///
    /// # Errors
    /// Fails if the text is not valid TOML, has unknown or missing keys, or contains a name that matches no finding kind.
    ///
    /// # Examples
    /// ```
    /// use gcn_report::Suppressions;
    /// let none = Suppressions::parse("")?;
    /// assert_eq!(none, Suppressions::default());
    /// let of_lines = Suppressions::parse("[[suppress]]\nname = '*-race'\nfile = '*/scan.cl'\nline = 12\n")?;
    /// assert_ne!(of_lines, none);
    /// assert!(Suppressions::parse("[[suppress]]\nkernel = 'scan'\n").is_err(), "the name is missing");
    /// # Ok::<(), gcn_report::InvalidSuppressions>(())
    /// ```
    pub fn parse(text: &str) -> Result<Suppressions, InvalidSuppressions> {
        toml::from_str(text).map_err(|error| InvalidSuppressions::new(&error, text))
    }

    /// Reads suppression files.
    ///
    /// # Errors
    /// Fails if a file cannot be read or is invalid. The first error is returned.
    ///
    /// # Examples
    /// ```
    /// use gcn_report::Suppressions;
    /// let path = std::env::temp_dir().join(format!("gcn-known-{}.toml", std::process::id()));
    /// std::fs::write(&path, "[[suppress]]\nname = 'missing-wait'\n")?;
    /// let known = Suppressions::read(&[path.clone()])?;
    /// assert_eq!(known.to_string(), "[[suppress]]\nname = \"missing-wait\"\n");
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn read(files: &[PathBuf]) -> Result<Suppressions, SuppressionsError> {
        let mut all = Suppressions::default();
        for file in files {
            let unreadable = |error: DataError| SuppressionsError::Unreadable(error.to_string());
            let data = Data::open(file, MAX_SETTINGS_BYTES);
            let bytes = data.and_then(|data| data.into_bytes(MAX_SETTINGS_BYTES));
            let text = String::from_utf8(bytes.map_err(unreadable)?).map_err(|_| {
                SuppressionsError::Unreadable(format!("{} is not text", file.display()))
            })?;
            match Suppressions::parse(&text) {
                Ok(more) => all.extend(more),
                Err(error) => {
                    return Err(SuppressionsError::Invalid {
                        file: file.clone(),
                        text,
                        error,
                    });
                }
            }
        }
        Ok(all)
    }

    /// Creates suppressions for the given findings, without duplicates.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// use gcn_observe::finding::{Finding, FindingPlace, Kind};
    /// use gcn_report::{CodeMap, FindingReport, Suppressions};
    /// let place = FindingPlace { pc: 0, text: "s_endpgm".into(), wave: None, lane: None };
    /// let finding = Finding::at(Kind::GlobalOutOfBounds, place, "something is wrong");
    /// let report = FindingReport::new(&finding, &CodeMap::new(kernel.module()));
    /// let text = Suppressions::of(&[report.clone(), report]).to_string();
    /// assert_eq!(text, "[[suppress]]\nname = \"global-out-of-bounds\"\ninstruction = \"s_endpgm\"\n", "no duplicate");
    /// ```
    pub fn of(reports: &[FindingReport]) -> Suppressions {
        let mut suppress: Vec<Suppression> = Vec::new();
        for suppression in reports.iter().map(Suppression::of) {
            if !suppress.contains(&suppression) {
                suppress.push(suppression);
            }
        }
        Suppressions { suppress }
    }

    /// Adds other suppressions.
    ///
    /// # Examples
    /// ```
    /// use gcn_report::Suppressions;
    /// let mut known = Suppressions::parse("[[suppress]]\nname = 'missing-wait'\n")?;
    /// known.extend(Suppressions::parse("[[suppress]]\nname = '*-race'\n")?);
    /// assert_eq!(known.to_string().matches("[[suppress]]").count(), 2);
    /// # Ok::<(), gcn_report::InvalidSuppressions>(())
    /// ```
    pub fn extend(&mut self, others: Suppressions) {
        self.suppress.extend(others.suppress);
    }

    /// True if a finding is suppressed.
    ///
    /// # Examples
    /// ```
    /// # mod example { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../gcn-runtime/doc/assemble.rs")); }
    /// # let (device, kernel) = example::add_one_kernel();
    /// use gcn_observe::finding::{Finding, FindingPlace, Kind};
    /// use gcn_report::{CodeMap, FindingReport, Suppressions};
    /// let place = FindingPlace { pc: 0, text: "s_endpgm".into(), wave: None, lane: None };
    /// let finding = Finding::at(Kind::GlobalOutOfBounds, place, "something is wrong");
    /// let report = FindingReport::new(&finding, &CodeMap::new(kernel.module()));
    /// assert!(Suppressions::parse("[[suppress]]\nname = 'global-*'\n")?.cover(&report));
    /// assert!(!Suppressions::parse("[[suppress]]\nname = 'lds-*'\n")?.cover(&report));
    /// # Ok::<(), gcn_report::InvalidSuppressions>(())
    /// ```
    pub fn cover(&self, report: &FindingReport) -> bool {
        self.suppress.iter().any(|it| it.covers(report))
    }
}

impl std::fmt::Display for Suppressions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Serialization cannot fail: TOML can represent all strings and numbers.
        f.write_str(&toml::to_string(self).map_err(|_| std::fmt::Error)?)
    }
}
