//! Run requests from options, a launch file, or both. Options take precedence.

use std::collections::HashSet;
use std::path::Path;

use anyhow::{Context, Result, bail};
use gcn_asm::Diagnostic;
use gcn_runtime::data::MAX_SETTINGS_BYTES;

use super::launch_file;
use super::option_values::{FILE, NamedText, VALUE, pair, without_value};
use super::options::Args;
use super::request::{LaunchRequest, RunRequest};
use crate::explain::INVALID_LAUNCH_FILE;
use crate::problem::{self, Problem};
use crate::program::ProgramRequest;
use crate::render::{RenderedDiagnostics, printable};
use crate::{UsageError, input};

/// Extension of launch files.
const LAUNCH_FILE: &str = "toml";

/// Reads the options, and the launch file if the input is one. With `selects`, `--kernel` selects the launches to check
/// if there are several. With `json`, errors are rendered without colours.
///
/// # Errors
/// Fails if the launch file cannot be read or is invalid, or an option is invalid.
pub fn read(args: &Args, selects: bool, json: bool) -> Result<RunRequest> {
    let mut run = read_input(&args.input, json)?;
    run.override_by(args, selects)?;
    Ok(run)
}

/// Reads a second run: that of `args`, with the options of `other` taking precedence. The input of `other`, if any,
/// replaces the whole input if it is a launch file, otherwise only the program.
///
/// # Errors
/// Fails as [`read`] does.
pub fn read_other(args: &Args, other: &Args, json: bool) -> Result<RunRequest> {
    let has_input = !other.input.as_os_str().is_empty();
    let replaces = has_input && is_launch_file(&other.input);
    let input = if replaces { &other.input } else { &args.input };
    let mut run = read_input(input, json)?;
    run.override_by(args, false)?;
    if has_input && !replaces {
        run.program.file.clone_from(&other.input);
        run.program.entry = None;
    }
    run.override_by(other, false)?;
    Ok(run)
}

/// Reads the input if it is a launch file; otherwise requests a single launch of it.
fn read_input(input: &Path, json: bool) -> Result<RunRequest> {
    let run = if is_launch_file(input) {
        let text = input::read_text(input, MAX_SETTINGS_BYTES)?;
        let base = input.parent().unwrap_or(Path::new(""));
        let name = input::name(input);
        match launch_file::read(&text, base) {
            Err(error) if error.is::<toml::de::Error>() => {
                let error = error.downcast::<toml::de::Error>()?;
                let span = error.span().unwrap_or(0..text.len());
                let diagnostic = Diagnostic::error(&INVALID_LAUNCH_FILE, span, error.message());
                bail!(RenderedDiagnostics::of_text(&name, &text, diagnostic, json));
            }
            Ok(RunRequest { program, .. }) if is_launch_file(&program.file) => {
                bail!(Problem::new(
                    problem::INVALID_LAUNCH_FILE,
                    format!(
                        "{name}: {} is a launch file too; `file` must name a source or a code object",
                        input::name(&program.file)
                    )
                ))
            }
            run => RunRequest {
                launch_file: Some(input.to_owned()),
                ..run.context(name)?
            },
        }
    } else {
        RunRequest {
            program: ProgramRequest {
                file: input.to_owned(),
                ..ProgramRequest::default()
            },
            launches: vec![LaunchRequest::default()],
            ..RunRequest::default()
        }
    };
    Ok(run)
}

fn is_launch_file(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension == LAUNCH_FILE)
}

impl RunRequest {
    fn override_by(&mut self, args: &Args, selects: bool) -> Result<()> {
        fn replace<T: Clone>(old: &mut Option<T>, new: &Option<T>) {
            if new.is_some() {
                old.clone_from(new);
            }
        }
        self.program.override_by(&args.program);
        replace(&mut self.threads, &args.threads);
        replace(&mut self.engine, &args.engine);
        replace(&mut self.timeout, &args.timeout);
        replace(&mut self.memory, &args.memory);
        self.trace.all |= args.trace;
        self.trace.only.extend(args.trace_only.iter().cloned());
        replace(&mut self.trace.file, &args.trace_file);
        replace(&mut self.profile.file, &args.profile);
        replace(&mut self.profile.format, &args.profile_format);
        replace(&mut self.dump_code, &args.dump_code);
        self.variations = args.variations.or(self.variations);
        self.fidelity |= args.fidelity;
        self.json |= args.json;
        let selects = selects && self.launches.len() > 1;
        let kernel = args.kernel.as_ref().filter(|_| !selects);
        let given = LaunchRequest {
            kernel: kernel.cloned(),
            grid: args.grid,
            group: args.group,
            offset: args.offset,
            limit: args.limit,
            lds: args.lds,
            stack: args.stack,
            repeat: args.repeat,
            ..LaunchRequest::default()
        };
        for launch in &mut self.launches {
            *launch = given.clone().with_arguments_of(std::mem::take(launch));
        }
        match &mut self.launches[..] {
            [only] => only.override_by(args, &mut self.wrong_arg)?,
            several => {
                let options = [
                    ("--kernel", kernel.is_some()),
                    ("--arg", !args.arg.is_empty()),
                    ("--kernarg", args.kernarg.is_some()),
                ];
                if let Some((option, _)) = options.iter().find(|(_, given)| *given) {
                    let count = several.len();
                    let message = format!(
                        "{option} applies to a single launch, and the launch file has {count}"
                    );
                    return Err(UsageError(message).into());
                }
            }
        }
        for text in &args.buffer {
            let given = pair("--buffer", text, VALUE, Path::new(""));
            let given = given.map_err(UsageError)?;
            match self.buffers.iter_mut().find(|old| old.name == given.name) {
                Some(old) => *old = given,
                None => self.buffers.push(given),
            }
        }
        for (list, name, wanted, texts) in [
            (&mut self.save, "--save", FILE, &args.save),
            (&mut self.expect, "--expect", VALUE, &args.expect),
        ] {
            for text in texts {
                let given = pair(name, text, wanted, Path::new(""));
                list.push(given.map_err(UsageError)?);
            }
        }
        self.print
            .extend(args.print.iter().map(|name| without_value(name)));
        Ok(())
    }
}

impl LaunchRequest {
    /// Combines two requests. Settings of `self` take precedence, and the arguments come from `other`.
    fn with_arguments_of(self, other: LaunchRequest) -> LaunchRequest {
        LaunchRequest {
            args: other.args.clone(),
            kernarg: other.kernarg.clone(),
            ..self.or(&other)
        }
    }

    fn override_by(&mut self, args: &Args, wrong: &mut Option<String>) -> Result<()> {
        if let Some(value) = &args.kernarg {
            self.kernarg = Some(NamedText {
                value: value.clone(),
                ..without_value("--kernarg")
            });
        }
        let mut seen = HashSet::new();
        for text in &args.arg {
            let given = match pair("--arg", text, VALUE, Path::new("")) {
                Ok(given) => given,
                Err(message) => {
                    wrong.get_or_insert(message);
                    continue;
                }
            };
            if !seen.insert(given.name.clone()) {
                let name = printable(&given.name);
                return Err(UsageError(format!("--arg gives {name} twice")).into());
            }
            match self.args.iter_mut().find(|old| old.name == given.name) {
                Some(old) => *old = given,
                None => self.args.push(given),
            }
        }
        Ok(())
    }
}
