//! Settings for checks of a program's kernels.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use gcn_object::NamePattern;
use gcn_observe::finding::Check;
use gcn_observe::matches;

use super::output;
use super::variables::{COMMA, SettingsError, Variables, items};

/// Environment variable for the checks to run: a comma-separated list of names, or [`DEFAULT_CHECKS`].
pub(super) const CHECK: &str = "GCN_CHECK";
/// Environment variable for the kernels to check, as a comma-separated list of names.
const KERNEL: &str = "GCN_CHECK_KERNEL";
/// Environment variable for the number of initial launches to skip.
const LAUNCH_SKIP: &str = "GCN_CHECK_LAUNCH_SKIP";
/// Environment variable for the number of launches to check after the skipped ones.
const LAUNCH_COUNT: &str = "GCN_CHECK_LAUNCH_COUNT";
/// Environment variable for the number of findings at which the run stops.
const STOP_AT: &str = "GCN_CHECK_STOP_AT";
/// Environment variable for the format of findings.
const FORMAT: &str = "GCN_CHECK_FORMAT";
/// Environment variable for the output file of findings.
const OUTPUT: &str = "GCN_CHECK_OUTPUT";
/// Environment variable for the suppression files, separated like the directories in `PATH`.
const SUPPRESS: &str = "GCN_CHECK_SUPPRESS";
/// Environment variable that requests suppressions instead of findings if its value is [`YES`].
const GEN_SUPPRESSIONS: &str = "GCN_CHECK_GEN_SUPPRESSIONS";
/// Environment variable for the exit status of a program with findings.
const ERROR_EXITCODE: &str = "GCN_CHECK_ERROR_EXITCODE";
/// Variables that are ignored without [`CHECK`].
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
/// Value that enables a boolean variable.
const YES: &str = "1";

/// Name of the set of checks that are enabled by default.
pub const DEFAULT_CHECKS: &str = "default";

/// Output format of findings.
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
    /// Text in the style of compiler diagnostics.
    #[default]
    Text,
    /// JSON array of findings.
    Json,
    /// Static Analysis Results Interchange Format 2.1.0.
    Sarif,
}

impl FindingFormat {
    /// All formats with their names.
    pub const NAMES: [(&'static str, FindingFormat); 3] = [
        ("text", FindingFormat::Text),
        ("json", FindingFormat::Json),
        ("sarif", FindingFormat::Sarif),
    ];

    /// Returns the format named `name`.
    ///
    /// # Errors
    /// Fails if the name is unknown. The message lists the valid ones.
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

    /// Returns the name of the format.
    pub fn name(self) -> &'static str {
        match self {
            FindingFormat::Text => "text",
            FindingFormat::Json => "json",
            FindingFormat::Sarif => "sarif",
        }
    }
}

/// Checks to run, launches to watch, and output of the findings.
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
    /// Checks to run.
    pub checks: Vec<Check>,
    /// Names of the kernels to check, in the form accepted by [`names_kernel`]. If empty, all kernels are checked.
    pub kernels: Vec<String>,
    /// Number of initial launches of checked kernels to skip.
    pub launch_skip: u64,
    /// Number of launches to watch after the skipped ones; `None` for all.
    pub launch_count: Option<u64>,
    /// Number of distinct findings at which a run stops.
    pub stop_at: Option<u64>,
    /// Output format of the findings.
    pub format: FindingFormat,
    /// Output file; `-` or `None` for standard output or standard error.
    pub output: Option<PathBuf>,
    /// Suppression files.
    pub suppress: Vec<PathBuf>,
    /// True to write a suppression file instead of findings.
    pub gen_suppressions: bool,
    /// Exit status that replaces 0 if the program has findings.
    pub error_exitcode: Option<u8>,
}

/// Enables the default checks for all launches.
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
    /// Selects JSON output if `json` is set.
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

    /// Reads the settings from environment variables; `None` if no check is requested.
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
            kernels: variables.read(KERNEL, kernels)?.unwrap_or_default(),
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

    /// Returns the environment variables that represent these settings.
    pub(super) fn variables(&self) -> Vec<(&'static str, Option<OsString>)> {
        let names: Vec<&str> = self.checks.iter().map(|check| check.name()).collect();
        let number = |number: Option<u64>| Some(OsString::from(number?.to_string()));
        // If a file name contains a colon, the list is invalid, and `problem` reports it.
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

    /// Returns the reason why environment variables cannot represent the suppression files, if any.
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

    /// Returns the output file of a process, with [`PROCESS`](super::PROCESS) replaced by the process ID. Returns
    /// `None` for standard output or standard error.
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

    /// True if the kernel with the symbol `kernel` is checked.
    ///
    /// # Examples
    /// ```
    /// use gcn_report::settings::CheckSettings;
    /// let settings = CheckSettings { kernels: vec!["reduce*".into()], ..CheckSettings::default() };
    /// assert!(settings.covers("reduce_rows") && !settings.covers("scale"));
    /// assert!(CheckSettings::default().covers("scale"), "all kernels are checked");
    /// ```
    pub fn covers(&self, kernel: &str) -> bool {
        let mut patterns = self.kernels.iter();
        self.kernels.is_empty() || patterns.any(|pattern| names_kernel(pattern, kernel))
    }

    /// True if launch `number` of the checked kernels is watched. Numbers start at 0.
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

/// True if a pattern denotes the kernel with the symbol `kernel`. A pattern is a symbol, in which `*` matches any text,
/// or any name accepted by [`gcn_object::NamePattern`].
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

/// Parses a comma-separated list of kernel names in the form accepted by [`names_kernel`]. Commas in brackets belong to
/// the names.
///
/// # Errors
/// Fails if the list is empty.
///
/// # Examples
/// ```
/// use gcn_report::settings::kernels;
/// assert_eq!(kernels("scan*, add<float, 4>"), Ok(vec!["scan*".to_owned(), "add<float, 4>".to_owned()]));
/// assert!(kernels(",").is_err());
/// ```
pub fn kernels(text: &str) -> Result<Vec<String>, String> {
    let mut depth = 0_usize;
    let is_separator = |c: char| {
        match c {
            '(' | '<' | '[' | '{' => depth += 1,
            ')' | '>' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == COMMA && depth == 0
    };
    let names = text.split(is_separator).map(str::trim);
    let names = names.filter(|name| !name.is_empty());
    let names: Vec<String> = names.map(str::to_owned).collect();
    if names.is_empty() {
        return Err(format!("`{text}` names no kernel"));
    }
    Ok(names)
}

/// Parses a comma-separated list of check names, or [`DEFAULT_CHECKS`] for the default checks.
///
/// # Errors
/// Fails if a check is unknown, or the list is empty.
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

/// Parses a number of launches.
fn number(text: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| format!("`{text}` is not a number"))
}

/// Parses a positive number of findings.
///
/// # Errors
/// Fails if the text is invalid. The message states the accepted range.
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

/// Parses a nonzero exit status.
///
/// # Errors
/// Fails if the text is invalid. The message states the accepted range.
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
