//! Options for findings of `gcn check`, `gcn exec --check` and `gcn lint`: format, output and suppressions.

use std::path::{Path, PathBuf};

use anyhow::Result;
use gcn_asm::Diagnostic;
use gcn_report::settings::{CheckSettings, FindingFormat};
use gcn_report::{FindingReport, SuppressionsError};
use gcn_runtime::error_names::UNREADABLE_INPUT;

use crate::explain::INVALID_SUPPRESSIONS;
use crate::problem::Problem;
use crate::render::RenderedDiagnostics;
use crate::{UsageError, input, outputs, render};

/// Error message for `--gen-suppressions` with another format.
pub const CONFLICT: &str = "--gen-suppressions writes TOML, and the findings have no other format then: leave out --format and --json";

/// Converts an error in a suppression file. For invalid text, the result shows the position.
pub fn shown(error: SuppressionsError, json: bool) -> anyhow::Error {
    match error {
        SuppressionsError::Invalid { file, text, error } => {
            let diagnostic = Diagnostic::error(&INVALID_SUPPRESSIONS, error.span, error.message);
            RenderedDiagnostics::of_text(&input::name(&file), &text, diagnostic, json).into()
        }
        unreadable => Problem::new(UNREADABLE_INPUT, unreadable.to_string()).into(),
    }
}

/// Output file of the findings; `None` for standard output.
///
/// # Errors
/// Fails if the file cannot be created.
pub fn file(settings: &CheckSettings) -> Result<Option<&Path>> {
    let output = settings.output.as_deref();
    let file = output.filter(|path| *path != Path::new(input::STDIN));
    file.map_or(Ok(()), outputs::check_place)?;
    Ok(file)
}

/// True if standard output contains only findings, in a machine-readable format.
pub fn take_stdout(settings: &CheckSettings) -> bool {
    let is_for_programs = settings.format != FindingFormat::Text || settings.gen_suppressions;
    let output = settings.output.as_deref();
    is_for_programs && output.is_none_or(|path| path == Path::new(input::STDIN))
}

/// True if findings are shown on standard error as text.
pub fn are_shown(settings: &CheckSettings) -> bool {
    let is_file = |path: &Path| path != Path::new(input::STDIN);
    let is_text = settings.format == FindingFormat::Text && !settings.gen_suppressions;
    is_text && !settings.output.as_deref().is_some_and(is_file)
}

/// Writes findings to standard error as text.
pub fn tell(findings: &[FindingReport]) {
    let renderer = render::renderer();
    for finding in findings {
        render::tell(format_args!("{}\n\n", finding.render(&renderer)));
    }
}

/// Options for findings.
#[derive(clap::Args)]
#[command(next_help_heading = "Findings")]
pub struct FindingOptions {
    /// Format of the findings: text, json or sarif.
    #[arg(long, value_name = "FORM", value_parser = input::form(FindingFormat::NAMES), hide_possible_values = true)]
    format: Option<FindingFormat>,
    /// Write the findings to a file.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Hide the findings listed in a suppression file.
    #[arg(long, value_name = "FILE")]
    suppress: Vec<PathBuf>,
    /// Instead of the findings, write a suppression file that lists all of them.
    #[arg(long)]
    gen_suppressions: bool,
}

impl FindingOptions {
    /// True if any option is given.
    pub fn any(&self) -> bool {
        self.format.is_some()
            || self.output.is_some()
            || !self.suppress.is_empty()
            || self.gen_suppressions
    }

    /// True if the options name an output file.
    pub fn write_file(&self) -> bool {
        let is_file = |path: &Path| path != Path::new(input::STDIN);
        self.output.as_deref().is_some_and(is_file)
    }

    /// True if the options or `--json` request JSON on standard output.
    pub fn write_json(&self, json: bool) -> bool {
        (json || self.format == Some(FindingFormat::Json)) && !self.write_file()
    }

    /// Requested format, if any.
    pub fn format(&self) -> Option<FindingFormat> {
        self.format
    }

    /// Applies the options to `base`.
    ///
    /// # Errors
    /// Fails if a format other than text is requested together with `--gen-suppressions`.
    pub fn over(&self, base: CheckSettings) -> Result<CheckSettings, UsageError> {
        let format = self.format.unwrap_or(base.format);
        let gen_suppressions = self.gen_suppressions || base.gen_suppressions;
        if gen_suppressions && format != FindingFormat::Text {
            return Err(UsageError(CONFLICT.to_owned()));
        }
        Ok(CheckSettings {
            format,
            output: self.output.clone().or(base.output),
            suppress: [base.suppress, self.suppress.clone()].concat(),
            gen_suppressions,
            ..base
        })
    }
}
