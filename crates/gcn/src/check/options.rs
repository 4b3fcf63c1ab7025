//! Options for checks, shared by `gcn check` and `gcn exec --check`.

use gcn_observe::finding::Check;
use gcn_report::settings::{self, CheckSettings, FindingFormat};

use crate::UsageError;
use crate::findings::FindingOptions;

/// Options for checkers and their findings.
#[derive(clap::Args)]
#[command(next_help_heading = "Checks")]
pub struct CheckOptions {
    /// Run only these checks.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = Check::named)]
    only: Vec<Check>,
    /// Do not run these checks.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = Check::named)]
    except: Vec<Check>,
    /// Also run these checks, which are off by default.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = Check::named)]
    also: Vec<Check>,
    /// Number of launches to skip before checking starts; each repetition counts.
    #[arg(long, value_name = "N")]
    launch_skip: Option<u64>,
    /// Number of launches to check; all by default.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    launch_count: Option<u64>,
    /// Stop the run after N different findings.
    #[arg(long, value_name = "N", value_parser = settings::stop_at)]
    stop_at: Option<u64>,
    /// Format and destination of the findings.
    #[command(flatten)]
    findings: FindingOptions,
}

impl CheckOptions {
    /// True if any option is given.
    pub fn any(&self) -> bool {
        let has_checks = [&self.only, &self.except, &self.also];
        let has_numbers = [self.launch_skip, self.launch_count, self.stop_at];
        has_checks.iter().any(|list| !list.is_empty())
            || has_numbers.iter().any(Option::is_some)
            || self.findings.any()
    }

    /// True if the options name an output file.
    pub fn write_file(&self) -> bool {
        self.findings.write_file()
    }

    /// True if the options request JSON on standard output.
    pub fn write_json(&self) -> bool {
        self.findings.write_json(false)
    }

    /// Requested format, if any.
    pub fn format(&self) -> Option<FindingFormat> {
        self.findings.format()
    }

    /// Applies the options to `base`.
    ///
    /// # Errors
    /// Fails if all checks are excluded, or a format other than text is requested together with `--gen-suppressions`.
    pub fn over(&self, base: CheckSettings) -> Result<CheckSettings, UsageError> {
        let is_on = |it: &Check| {
            let is_base = if self.only.is_empty() {
                base.checks.contains(it)
            } else {
                self.only.contains(it)
            };
            (is_base || self.also.contains(it)) && !self.except.contains(it)
        };
        let checks: Vec<Check> = Check::ALL.iter().copied().filter(is_on).collect();
        if checks.is_empty() {
            return Err(UsageError("--except excludes all checks".to_owned()));
        }
        let base = self.findings.over(base)?;
        Ok(CheckSettings {
            checks,
            launch_skip: self.launch_skip.unwrap_or(base.launch_skip),
            launch_count: self.launch_count.or(base.launch_count),
            stop_at: self.stop_at.or(base.stop_at),
            ..base
        })
    }
}
