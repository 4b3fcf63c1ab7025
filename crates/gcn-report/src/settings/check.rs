//! Settings of the checks that watch a program's kernels.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use gcn_object::NamePattern;
use gcn_observe::finding::Check;
use gcn_observe::matches;

use super::output;
use super::variables::{COMMA, SettingsError, Variables, items};

/// The variable with the names of checks, separated by commas, or [`DEFAULT_CHECKS`].
pub(super) const CHECK: &str = "GCN_CHECK";
/// The variable with the names of the kernels that are checked, separated by commas.
const KERNEL: &str = "GCN_CHECK_KERNEL";
/// The variable with the number of launches that are not checked at the beginning.
const LAUNCH_SKIP: &str = "GCN_CHECK_LAUNCH_SKIP";
/// The variable with the number of launches that are checked then.
const LAUNCH_COUNT: &str = "GCN_CHECK_LAUNCH_COUNT";
/// The variable with the number of findings to stop at.
const STOP_AT: &str = "GCN_CHECK_STOP_AT";
/// The variable with the form of findings.
const FORMAT: &str = "GCN_CHECK_FORMAT";
/// The variable with the file of findings.
const OUTPUT: &str = "GCN_CHECK_OUTPUT";
/// The variable with files of suppressions, separated as directories in PATH.
const SUPPRESS: &str = "GCN_CHECK_SUPPRESS";
/// The variable that has suppressions written in place of findings, by [`YES`].
const GEN_SUPPRESSIONS: &str = "GCN_CHECK_GEN_SUPPRESSIONS";
/// The variable with the exit status of a program with findings.
const ERROR_EXITCODE: &str = "GCN_CHECK_ERROR_EXITCODE";
/// Every variable that has a meaning with [`CHECK`] only.
#[cfg(test)]
pub(super) const OTHERS: [&str; 9] = [
    KERNEL,
    LAUNCH_SKIP,
    LAUNCH_COUNT,
    STOP_AT,
    FORMAT,
    OUTPUT,
    SUPPRESS,
    GEN_SUPPRESSIONS,
    ERROR_EXITCODE,
];
/// The value of a variable that only says yes.
const YES: &str = "1";

/// The name that stands for the checks that are on by default.
pub const DEFAULT_CHECKS: &str = "default";

/// Form of findings.
///
/// # Examples
/// ```
/// use gcn_report::settings::FindingFormat;
/// let names = FindingFormat::NAMES.map(|(name, format)| (name, format.name()));
/// assert!(names.iter().all(|(name, own)| name == own));
/// assert_eq!(FindingFormat::default(), FindingFormat::Text);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum FindingFormat {
    /// As a compiler has its diagnostics.
    #[default]
    Text,
    /// An array of findings in JSON.
    Json,
    /// Static Analysis Results Interchange Format 2.1.0.
    Sarif,
}

impl FindingFormat {
    /// Every form with its name.
    pub const NAMES: [(&'static str, FindingFormat); 3] = [
        ("text", FindingFormat::Text),
        ("json", FindingFormat::Json),
        ("sarif", FindingFormat::Sarif),
    ];

    /// The form with a name.
    ///
    /// # Errors
    /// No form has it.
    ///
    /// # Examples
    /// ```
    /// use gcn_report::settings::FindingFormat;
    /// assert_eq!(FindingFormat::named("sarif"), Ok(FindingFormat::Sarif));
    /// assert_eq!(FindingFormat::named("xml").unwrap_err(), "`xml` is not text, json or sarif");
    /// ```
    pub fn named(name: &str) -> Result<FindingFormat, String> {
        output::form(&FindingFormat::NAMES, name)
    }

    /// Name.
    pub fn name(self) -> &'static str {
        match self {
            FindingFormat::Text => "text",
            FindingFormat::Json => "json",
            FindingFormat::Sarif => "sarif",
        }
    }
}

/// Checks of launches, which of them are watched, and what becomes of their findings.
///
/// # Examples
/// ```
/// use gcn_report::settings::CheckSettings;
/// let settings = CheckSettings { launch_skip: 2, launch_count: Some(3), ..CheckSettings::default() };
/// let watched: Vec<u64> = (0..9).filter(|number| settings.watches(*number)).collect();
/// assert_eq!(watched, [2, 3, 4]);
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct CheckSettings {
    /// Checks that are carried out.
    pub checks: Vec<Check>,
    /// Names of the kernels that are checked, as [`names_kernel`] takes them; all kernels if there is none.
    pub kernels: Vec<String>,
    /// Launches of these kernels that are not watched at the beginning.
    pub launch_skip: u64,
    /// Launches that are watched then; without, all.
    pub launch_count: Option<u64>,
    /// Number of different findings at which a run stops.
    pub stop_at: Option<u64>,
    /// Form of the findings.
    pub format: FindingFormat,
    /// File that they are written to, `-` and none for standard output or error.
    pub output: Option<PathBuf>,
    /// Files that describe findings to leave out.
    pub suppress: Vec<PathBuf>,
    /// True if such a file is written in place of findings.
    pub gen_suppressions: bool,
    /// Exit status of a program that has findings and would have had 0.
    pub error_exitcode: Option<u8>,
}

/// The checks that are on by default, of all launches.
impl Default for CheckSettings {
    fn default() -> CheckSettings {
        let checks = Check::ALL.iter().copied();
        CheckSettings {
            checks: checks.filter(|check| check.is_default()).collect(),
            kernels: Vec::new(),
            launch_skip: 0,
            launch_count: None,
            stop_at: None,
            format: FindingFormat::Text,
            output: None,
            suppress: Vec::new(),
            gen_suppressions: false,
            error_exitcode: None,
        }
    }
}

impl CheckSettings {
    /// The settings with findings in JSON, if that is asked for.
    ///
    /// # Examples
    /// ```
    /// use gcn_report::settings::{CheckSettings, FindingFormat};
    /// assert_eq!(CheckSettings::default().in_json(true).format, FindingFormat::Json);
    /// ```
    pub fn in_json(mut self, json: bool) -> CheckSettings {
        if json {
            self.format = FindingFormat::Json;
        }
        self
    }

    /// The settings of an environment; `None` if it asks for no check.
    pub(super) fn from_variables(
        variables: &Variables<impl Fn(&str) -> Option<OsString>>,
    ) -> Result<Option<CheckSettings>, SettingsError> {
        let Some(checks) = variables.read(CHECK, checks)? else {
            return Ok(None);
        };
        let number = |variable| variables.read(variable, number);
        let suppress = variables.value(SUPPRESS);
        let suppress = suppress.map(|list| std::env::split_paths(&list).collect());
        Ok(Some(CheckSettings {
            checks,
            kernels: variables
                .text(KERNEL)?
                .map_or_else(Vec::new, |text| items(&text, COMMA)),
            launch_skip: number(LAUNCH_SKIP)?.unwrap_or(0),
            launch_count: number(LAUNCH_COUNT)?,
            stop_at: variables.read(STOP_AT, stop_at)?,
            format: variables
                .read(FORMAT, FindingFormat::named)?
                .unwrap_or_default(),
            output: variables.value(OUTPUT).map(PathBuf::from),
            suppress: suppress.unwrap_or_default(),
            gen_suppressions: variables.value(GEN_SUPPRESSIONS).as_deref() == Some(OsStr::new(YES)),
            error_exitcode: variables.read(ERROR_EXITCODE, exit_status)?,
        }))
    }

    /// The variables that have these settings.
    pub(super) fn variables(&self) -> Vec<(&'static str, Option<OsString>)> {
        let names: Vec<&str> = self.checks.iter().map(|check| check.name()).collect();
        let number = |number: Option<u64>| Some(OsString::from(number?.to_string()));
        // A name with a colon cannot be in a list: `problem` says so.
        let suppress = std::env::join_paths(&self.suppress).ok();
        vec![
            (CHECK, Some(names.join(",").into())),
            (
                KERNEL,
                (!self.kernels.is_empty()).then(|| self.kernels.join(",").into()),
            ),
            (
                LAUNCH_SKIP,
                number((self.launch_skip != 0).then_some(self.launch_skip)),
            ),
            (LAUNCH_COUNT, number(self.launch_count)),
            (STOP_AT, number(self.stop_at)),
            (
                FORMAT,
                (self.format != FindingFormat::default()).then(|| self.format.name().into()),
            ),
            (OUTPUT, self.output.clone().map(OsString::from)),
            (SUPPRESS, suppress.filter(|list| !list.is_empty())),
            (GEN_SUPPRESSIONS, self.gen_suppressions.then(|| YES.into())),
            (ERROR_EXITCODE, number(self.error_exitcode.map(u64::from))),
        ]
    }

    /// A reason why the settings cannot be carried by variables.
    ///
    /// # Examples
    /// ```
    /// use gcn_report::settings::CheckSettings;
    /// let settings = CheckSettings { suppress: vec!["a:b.toml".into()], ..CheckSettings::default() };
    /// assert!(settings.problem().is_some_and(|text| text.starts_with("GCN_CHECK_SUPPRESS: ")));
    /// assert_eq!(CheckSettings::default().problem(), None);
    /// ```
    pub fn problem(&self) -> Option<String> {
        let error = std::env::join_paths(&self.suppress).err()?;
        Some(format!("{SUPPRESS}: {error}"))
    }

    /// The file of a process's findings: the output with its number for [`PROCESS`](super::PROCESS). `None` for standard output or error.
    ///
    /// # Examples
    /// ```
    /// use gcn_report::settings::CheckSettings;
    /// let to = |name: &str| CheckSettings { output: Some(name.into()), ..CheckSettings::default() };
    /// assert_eq!(to("findings-%p.json").file_of(12), Some("findings-12.json".into()));
    /// assert_eq!(to("-").file_of(12), None);
    /// ```
    pub fn file_of(&self, process: u32) -> Option<PathBuf> {
        output::file_of(self.output.as_deref()?, process)
    }

    /// True if kernels of a symbol are checked.
    ///
    /// # Examples
    /// ```
    /// use gcn_report::settings::CheckSettings;
    /// let settings = CheckSettings { kernels: vec!["reduce*".into()], ..CheckSettings::default() };
    /// assert!(settings.covers("reduce_rows") && !settings.covers("scale"));
    /// assert!(CheckSettings::default().covers("scale"), "it names none, and checks all");
    /// ```
    pub fn covers(&self, kernel: &str) -> bool {
        let mut patterns = self.kernels.iter();
        self.kernels.is_empty() || patterns.any(|pattern| names_kernel(pattern, kernel))
    }

    /// True if launch `number` of the kernels that are checked is watched, counted from 0 on.
    pub fn watches(&self, number: u64) -> bool {
        let number = number.checked_sub(self.launch_skip);
        number.is_some_and(|number| self.launch_count.is_none_or(|count| number < count))
    }

    /// True if all launches of all kernels are watched.
    ///
    /// # Examples
    /// ```
    /// use gcn_report::settings::CheckSettings;
    /// assert!(CheckSettings::default().watches_all());
    /// let some = CheckSettings { launch_skip: 1, ..CheckSettings::default() };
    /// assert!(!some.watches_all() && !some.watches(0) && some.watches(1));
    /// ```
    pub fn watches_all(&self) -> bool {
        self.kernels.is_empty() && self.launch_skip == 0 && self.launch_count.is_none()
    }
}

/// True if a pattern names the kernel of a symbol: by the symbol, where `*` stands for any text, or by any name that
/// [`gcn_object::NamePattern`] takes.
///
/// # Examples
/// ```
/// use gcn_report::settings::names_kernel;
/// assert!(names_kernel("reduce*", "reduce_float") && names_kernel("scale", "_Z5scalePff"));
/// assert!(!names_kernel("reduce", "reduce_float"));
/// ```
pub fn names_kernel(pattern: &str, kernel: &str) -> bool {
    matches(pattern, kernel) || NamePattern::new(pattern).denotes(kernel)
}

/// Reads names of checks, separated by commas, or [`DEFAULT_CHECKS`].
///
/// # Errors
/// No check has one of the names.
///
/// # Examples
/// ```
/// use gcn_observe::finding::Check;
/// use gcn_report::settings::{self, CheckSettings};
/// assert_eq!(settings::checks("waits,races"), Ok(vec![Check::Waits, Check::Races]));
/// assert_eq!(settings::checks("default"), Ok(CheckSettings::default().checks));
/// assert!(settings::checks("wait").is_err());
/// ```
pub fn checks(text: &str) -> Result<Vec<Check>, String> {
    if text == DEFAULT_CHECKS {
        return Ok(CheckSettings::default().checks);
    }
    let names = items(text, COMMA);
    if names.is_empty() {
        return Err(format!("`{text}` names no check"));
    }
    names.iter().map(|name| Check::named(name)).collect()
}

/// A number of launches.
fn number(text: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| format!("`{text}` is not a number"))
}

/// A number of findings, 1 at least.
///
/// # Errors
/// The accepted numbers.
///
/// # Examples
/// ```
/// assert_eq!(gcn_report::settings::stop_at("10"), Ok(10));
/// assert!(gcn_report::settings::stop_at("0").is_err());
/// ```
pub fn stop_at(text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| format!("`{text}` is not a number of findings above 0"))
}

/// An exit status of a program that fails.
///
/// # Errors
/// The accepted numbers.
///
/// # Examples
/// ```
/// assert_eq!(gcn_report::settings::exit_status("3"), Ok(3));
/// assert!(gcn_report::settings::exit_status("256").is_err());
/// ```
pub fn exit_status(text: &str) -> Result<u8, String> {
    let status = text.parse().ok().filter(|status| *status > 0);
    status.ok_or_else(|| format!("`{text}` is not an exit status from 1 to 255"))
}
