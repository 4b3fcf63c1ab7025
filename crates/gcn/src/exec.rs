//! `gcn exec` and `gcn env`: provide emulated devices to programs that use AMD's HIP runtime or OpenCL.
//!
//! The HIP runtime accesses devices through a single library, `libhsa-runtime64.so.1`. A program runs unmodified if
//! the dynamic loader finds this project's library of that name first; the library takes its settings from the
//! environment. OpenCL programs find platforms through an ICD loader, and an environment variable makes it load this
//! project's platform.

mod library;
mod program;
mod targets;
mod debuggee;
mod debugged;
mod served;

use std::env;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs;
use std::io::{self, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::builder::TypedValueParser;
use gcn_observe::Choice;
use gcn_observe::finding::Check;
use gcn_report::Profiling;
use gcn_report::settings::{
    self, CheckSettings, PROCESS, ProfileFormat, ProfileSettings, Settings,
};
use gcn_report::{Suppressions, write_findings};
use gcn_runtime::Engine;

use crate::check::CheckOptions;
use crate::findings::shown;
use crate::problem::{INVALID_FILTER, INVALID_SETTING, MISSING_LIBRARY, Problem, UNUSABLE_PROGRAM};
use crate::{Status, UsageError, input, outputs, render, variations};
use debugged::DebugOptions;
use library::Library;
use program::HostProgram;
use targets::ProgramCode;

/// Examples for `--help`.
pub const EXAMPLES: &str = "\
Examples:
  gcn exec -- ./vector_add
  gcn exec --target gfx803,gfx906 --memory 2G -- ./two_devices
  gcn exec --check --error-exitcode 3 --format sarif --output findings.sarif -- ./tests
  gcn exec --profile=profile.html -- ./vector_add 1000
  gcn exec --trace trace.txt --trace-only code=add -- ./vector_add 1000
  gcn exec --debug -- ./vector_add 1000
  gcn exec --debug -e 'break add if v0 == 7' -e run -e 'info registers' -- ./vector_add
  gcn exec --dap -- ./vector_add 1000    an editor starts it; docs/debug.md shows how

The exit status is the program's; 125 if gcn exec fails, 126 if the program cannot be executed, 127 if it does not exist.";

/// Examples for `--help`.
pub const ENV_EXAMPLES: &str = "\
Examples:
  eval \"$(gcn env --target gfx900)\"; ./vector_add";

/// Name of the subcommand that [`run`] implements.
const NAME: &str = "exec";
/// Environment variable that lists directories for the dynamic loader to search.
const LIBRARY_PATH: &str = "LD_LIBRARY_PATH";
/// Environment variable that lists libraries for the dynamic loader to load first.
const PRELOAD: &str = "LD_PRELOAD";
/// Environment variables that name OpenCL platforms, for ocl-icd and for Khronos's ICD loader.
const PLATFORMS: [&str; 2] = ["OCL_ICD_VENDORS", "OCL_ICD_FILENAMES"];
/// Separator of directories in [`LIBRARY_PATH`] and of libraries in [`PRELOAD`].
const COLON: u8 = b':';
/// Bytes accepted as separators in [`LIBRARY_PATH`].
const SEPARATORS: &[u8] = b":;";

/// Options for the library. They override settings from the environment.
#[derive(clap::Args)]
pub struct Options {
    /// Targets of the devices, one for each: gfx600 … gfx90c, or a chip's name; by default, one gfx906.
    #[arg(long, value_name = "TARGET", value_delimiter = ',', value_parser = input::TargetParser.map(|named| named.to_string()), hide_possible_values = true)]
    target: Vec<String>,
    /// Memory of each device, such as 512M or 4G; by default, 16 GiB, or three quarters of the host's memory if that is
    /// less.
    #[arg(long, value_name = "BYTES", value_parser = settings::amount)]
    memory: Option<u64>,
    /// Number of host threads for each device; all by default.
    #[arg(long, value_name = "N", value_parser = settings::threads)]
    threads: Option<usize>,
    /// Engine that executes instructions: only the interpreter, or host code for hot blocks (default) or all blocks.
    #[arg(long, value_name = "ENGINE", value_parser = input::form(Engine::NAMES))]
    engine: Option<Engine>,
    /// Write every executed instruction to a file, with the active lanes, the registers written and the memory accessed;
    /// `-` is standard error.
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Trace only some instructions: workgroup=X,Y,Z, wave=N or A..B, code=A..B or SYMBOL, memory=A..B, instruction=NAME
    /// (`*` matches any text).
    #[arg(long, value_name = "KEY=VALUE")]
    trace_only: Vec<String>,
    /// Options that vary the execution.
    #[command(flatten)]
    variations: variations::Options,
    /// Stop a wave after N instructions, with a fault.
    #[arg(long, value_name = "N", value_parser = settings::limit)]
    limit: Option<u64>,
    /// Stop a kernel after S seconds, with a fault.
    #[arg(long, value_name = "S", value_parser = settings::seconds)]
    timeout: Option<Duration>,
    /// Count how often each instruction of each kernel executes, as `gcn run --profile` does, and write the counts when the
    /// program exits; to standard error if no file is given.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = settings::STANDARD)]
    profile: Option<PathBuf>,
    /// Format of the profile, instead of the one implied by the file's extension.
    #[arg(long, value_name = "FORMAT", value_parser = input::form(ProfileFormat::NAMES))]
    profile_format: Option<ProfileFormat>,
    /// Compiler options for OpenCL programs, appended to the program's own, such as -O0 to disable optimisation.
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    build_options: Option<String>,
    #[command(flatten)]
    check: Checks,
}

/// Checks named in one `--check`. The alias hides the `Vec` from clap, which would parse each check as its own value.
type CheckList = Vec<Check>;
/// Kernels named in one `--kernel`, aliased like [`CheckList`].
type KernelList = Vec<String>;

/// Options for checking the program's kernels.
#[derive(clap::Args)]
#[command(next_help_heading = "Checks")]
struct Checks {
    /// Check all kernels, as `gcn check` does: with the named checks, or with all that are on by default.
    #[arg(long, value_name = "NAMES", num_args = 0..=1, require_equals = true, default_missing_value = settings::DEFAULT_CHECKS, value_parser = settings::checks)]
    check: Option<CheckList>,
    /// Check only launches of these kernels, named by symbol; `*` matches any text.
    #[arg(long, value_name = "NAME", value_parser = settings::kernels)]
    kernel: Vec<KernelList>,
    /// Exit status if there are findings and the program itself would exit with 0.
    #[arg(long, value_name = "N", value_parser = settings::exit_status)]
    error_exitcode: Option<u8>,
    /// Write the findings in JSON; same as --format json.
    #[arg(long, conflicts_with_all = ["format", "gen_suppressions"])]
    json: bool,
    #[command(flatten)]
    options: CheckOptions,
}

impl Checks {
    /// Check settings from the environment, overridden by the options.
    ///
    /// # Errors
    /// Fails if options are given without `--check` or exclude all checks, a setting is invalid, or a file cannot be
    /// read.
    fn settings(&self, environment: Option<CheckSettings>) -> Result<Option<CheckSettings>> {
        let asked = self.check.as_ref().map(|checks| CheckSettings {
            checks: checks.clone(),
            ..environment.clone().unwrap_or_default()
        });
        let Some(base) = asked.or(environment) else {
            let has_options = !self.kernel.is_empty() || self.error_exitcode.is_some() || self.json;
            if has_options || self.options.any() {
                let message = "check options have no effect without --check";
                return Err(UsageError(message.to_owned()).into());
            }
            return Ok(None);
        };
        let mut settings = self.options.over(base.in_json(self.json))?;
        if !self.kernel.is_empty() {
            settings.kernels = self.kernel.concat();
        }
        settings.error_exitcode = self.error_exitcode.or(settings.error_exitcode);
        // The program may change its working directory before the library opens the files.
        settings.output = settings.output.map(absolute).transpose()?;
        let suppress = settings.suppress.into_iter().map(absolute);
        settings.suppress = suppress.collect::<Result<_>>()?;
        Suppressions::read(&settings.suppress).map_err(|error| shown(error, false))?;
        if let Some(problem) = settings.problem() {
            bail!(Problem::new(INVALID_SETTING, problem));
        }
        Ok(Some(settings))
    }
}

/// The arguments of `gcn env`.
#[derive(clap::Args)]
pub struct EnvArgs {
    #[command(flatten)]
    options: Options,
}

/// The arguments of `gcn exec`.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    options: Options,
    #[command(flatten)]
    debug: DebugOptions,
    /// Program to run, searched for in PATH unless its name contains a slash, and its arguments.
    #[arg(
        required = true,
        trailing_var_arg = true,
        value_names = ["PROGRAM", "ARGS"]
    )]
    command: Vec<OsString>,
}

/// Makes a file name absolute, so that it stays valid when the program changes its working directory.
fn absolute(file: PathBuf) -> Result<PathBuf> {
    if file == Path::new(settings::STANDARD) {
        return Ok(file);
    }
    std::path::absolute(&file).with_context(|| {
        let message = format!("cannot find {}", file.display());
        Problem::new(INVALID_SETTING, message)
    })
}

impl Options {
    /// Settings from the environment, overridden by the options. If `checks` is true, the default checks run even if
    /// neither requests them.
    ///
    /// # Errors
    /// Fails if a variable or an option is invalid, or a file cannot be read.
    fn settings(&self, checks: bool) -> Result<Settings> {
        let mut settings = Settings::from_env()?;
        if checks {
            settings.check.get_or_insert_default();
        }
        if !self.target.is_empty() {
            settings.targets.clone_from(&self.target);
        }
        if !self.trace_only.is_empty() {
            settings.trace_only.clone_from(&self.trace_only);
        }
        for only in &settings.trace_only {
            let wrong = |it| Problem::new(INVALID_FILTER, format!("trace only {only}: {it}"));
            Choice::parse(only).map_err(wrong)?;
        }
        settings.memory = self.memory.or(settings.memory);
        settings.threads = self.threads.or(settings.threads);
        settings.engine = self.engine.or(settings.engine);
        settings.limit = self.limit.or(settings.limit);
        settings.timeout = self.timeout.or(settings.timeout);
        settings.variations = self.variations.or(settings.variations);
        settings.build_options = self.build_options.clone().or(settings.build_options);
        settings.check = self.check.settings(settings.check)?;
        settings.profile = self.profile_settings(settings.profile)?;
        // The program may change its working directory before the library opens the files.
        let trace = self.trace.clone().or(settings.trace);
        settings.trace = trace.map(absolute).transpose()?;
        Ok(settings)
    }

    /// Profile settings from the environment, overridden by the options.
    ///
    /// # Errors
    /// Fails if a profile format is given without a profile.
    fn profile_settings(
        &self,
        environment: Option<ProfileSettings>,
    ) -> Result<Option<ProfileSettings>> {
        let format = environment.as_ref().and_then(|it| it.format);
        let file = environment.map(|it| it.file);
        let Some(file) = self.profile.clone().or(file) else {
            return match self.profile_format {
                Some(_) => Err(UsageError("--profile-format needs --profile".to_owned()).into()),
                None => Ok(None),
            };
        };
        Ok(Some(ProfileSettings {
            file: absolute(file)?,
            format: self.profile_format.or(format),
        }))
    }
}

/// Environment in which programs find the emulated devices.
struct Environment {
    settings: Settings,
    library: Library,
    variables: Vec<(&'static str, OsString)>,
}

impl Environment {
    /// Creates the environment for `options`, with `checks` as in [`Options::settings`].
    ///
    /// # Errors
    /// Fails if the library is missing, or a variable or an option is invalid.
    fn new(options: &Options, checks: bool) -> Result<Environment> {
        let settings = options.settings(checks)?;
        let library = Library::find()?;
        let directory = library.directory.as_os_str();
        if let Some(bad) = directory.as_bytes().iter().find(|b| SEPARATORS.contains(b)) {
            let message = format!(
                "{} has a `{}` in its name, which separates names in {LIBRARY_PATH}; GCN_LIB_DIR may name a link to it",
                library.directory.display(),
                bad.escape_ascii()
            );
            bail!(Problem::new(MISSING_LIBRARY, message));
        }
        let mut variables = vec![(LIBRARY_PATH, prepended(directory, LIBRARY_PATH))];
        if let Some(platform) = library.opencl() {
            variables.extend(PLATFORMS.map(|name| (name, platform.clone().into_os_string())));
        }
        variables.extend(settings.variables());
        Ok(Environment {
            settings,
            library,
            variables,
        })
    }

    /// Selects a target that the program has code for, unless the user has chosen targets. Prints notes about the
    /// choice, and about files without code for any of the devices.
    fn choose_target(&mut self, options: &Options, code: &ProgramCode) {
        // The library itself reports an invalid `HSA_OVERRIDE_GFX_VERSION`.
        let taken_for = |number| settings::overriding_target(number).ok().flatten();
        let is_chosen = !options.target.is_empty()
            || env::var_os(settings::TARGET).is_some_and(|value| !value.is_empty())
            || taken_for(0).is_some();
        let own = self.settings.targets.iter().enumerate();
        let mut targets: Vec<String> = own
            .map(|(number, own)| taken_for(number).map_or(own.clone(), |it| it.name.to_owned()))
            .collect();
        if !is_chosen && let Some(better) = code.better_than(&targets[0]) {
            for file in code.without(&targets) {
                note(format_args!(
                    "{file}: the device is a {better}, unless --target names another"
                ));
            }
            targets = vec![better.clone()];
            self.settings.targets.clone_from(&targets);
            self.variables.push((settings::TARGET, better.into()));
        }
        for file in code.without(&targets) {
            let first = &targets[0];
            note(format_args!(
                "{file}, which a {first} does not run: compile it with --offload-arch={first}{}",
                match code.better_than(first) {
                    Some(better) => format!(", or choose --target {better}"),
                    None => String::new(),
                }
            ));
        }
    }
}

fn note(text: fmt::Arguments<'_>) {
    render::tell(format_args!("note: {text}\n"));
}

/// Replaces the contents of an output file from an earlier run with an empty document, which the program's processes
/// extend. Skips special files, such as pipes, and names with [`PROCESS`], which give each process its own file.
///
/// # Errors
/// Fails if the file cannot be written.
fn begin(file: &Path, document: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let is_own = file.as_os_str().to_string_lossy().contains(PROCESS);
    let is_file = fs::metadata(file).map_or(true, |metadata| metadata.is_file());
    if is_own || !is_file || file == Path::new(settings::STANDARD) {
        return Ok(());
    }
    outputs::write(file, document)
}

/// Writes empty documents for findings and the profile. Text outputs start empty: processes append to them.
///
/// # Errors
/// Fails if a file cannot be written.
fn begin_outputs(settings: &Settings) -> Result<()> {
    if let Some(check) = &settings.check
        && let Some(file) = &check.output
    {
        begin(file, |out| write_findings(&[], &[], check, out))?;
    }
    if let Some(profile) = &settings.profile {
        let form = profile.form();
        begin(&profile.file, |out| match form {
            ProfileFormat::Text => Ok(()),
            _ => Profiling::default().report().write(form, out),
        })?;
    }
    Ok(())
}

/// Value for [`PRELOAD`]: the path of the library. Spaces separate names in this variable, so if the path contains
/// a space, the value is the library's alias, which the loader finds through [`LIBRARY_PATH`].
///
/// # Errors
/// Fails if the path contains a space and there is no alias.
fn preloaded(library: &Library) -> Result<PathBuf> {
    let file = library.file();
    if !file
        .as_os_str()
        .as_bytes()
        .iter()
        .any(u8::is_ascii_whitespace)
    {
        return Ok(file);
    }
    if library.directory.join(library::ALIAS).is_file() {
        return Ok(library::ALIAS.into());
    }
    let message = format!(
        "{} has a space in its name, which separates names in {PRELOAD}, and the directory has no link {} to it: \
         `cargo xtask dist PREFIX` makes one",
        file.display(),
        library::ALIAS
    );
    bail!(Problem::new(MISSING_LIBRARY, message));
}

/// Returns the value of a list variable with `first` prepended, unless the list already starts with it.
fn prepended(first: &OsStr, variable: &str) -> OsString {
    let old = env::var_os(variable).unwrap_or_default();
    let mut parts = old.as_bytes().split(|byte| *byte == COLON);
    if old.is_empty() || parts.next() == Some(first.as_bytes()) {
        return if old.is_empty() { first.into() } else { old };
    }
    let mut bytes = first.as_bytes().to_vec();
    bytes.push(COLON);
    bytes.extend(old.as_bytes());
    OsString::from_vec(bytes)
}

/// Runs `gcn env`.
///
/// # Errors
/// Fails if the library is missing, a variable or an option is invalid, or the result cannot be written.
pub fn print_environment(args: &EnvArgs, out: &mut dyn Write) -> Result<Status> {
    for (name, value) in Environment::new(&args.options, false)?.variables {
        write!(out, "export {name}=")?;
        out.write_all(&render::shell_word(value.as_bytes()))?;
        writeln!(out)?;
    }
    Ok(Status::Success)
}

/// True if `arguments`, which begin with the subcommand, are for [`run`], whose failures have their own exit status.
pub fn is_for(arguments: &[String]) -> bool {
    arguments.first().is_some_and(|command| command == NAME)
}

/// Runs `gcn exec`, and reports its own failures. Unless debugged, the program replaces this process, and the function
/// returns only if the program cannot be started.
pub fn run(args: &Args) -> ExitCode {
    let Some((name, arguments)) = args.command.split_first() else {
        return Status::NotStarted.into(); // clap requires one
    };
    let command = |checks| {
        let mut command = command(&args.options, name, checks)?;
        command.args(arguments);
        Ok(command)
    };
    if let Some(transport) = args.debug.transport() {
        return match served::serve(transport, command) {
            Ok(code) => code.into(),
            Err(error) => {
                render::complain(&error);
                Status::NotStarted.into()
            }
        };
    }
    let prepared = args
        .debug
        .session()
        .and_then(|session| Ok((session, command(false)?)));
    let error = match prepared {
        Ok((None, mut command)) => command.exec(),
        Ok((Some(session), command)) => match session.run(command) {
            Ok(status) => return status,
            Err(error) => error,
        },
        Err(error) => {
            render::complain(&error);
            return Status::NotStarted.into();
        }
    };
    not_started(name, error).into()
}

/// Reports that a program cannot be executed, and returns the exit status.
fn not_started(name: &OsStr, error: io::Error) -> Status {
    let (error, status) = program::start_error(name, error);
    render::complain(&error);
    status
}

/// Creates the command that executes the program, without arguments; `checks` is as in [`Options::settings`].
///
/// # Errors
/// Fails as [`Environment::new`] does, or if an output cannot be written or is an input, or the program cannot load the
/// library.
fn command(options: &Options, name: &OsStr, checks: bool) -> Result<Command> {
    let mut environment = Environment::new(options, checks)?;
    let Settings {
        check,
        profile,
        trace,
        ..
    } = &environment.settings;
    let library = &environment.library;
    let mut command = Command::new(name);
    // If the program does not exist or cannot be read, executing it reports the error.
    let path = program::find(name);
    let suppress = check.iter().flat_map(|it| &it.suppress);
    let inputs: Vec<&Path> = suppress.chain(&path).map(PathBuf::as_path).collect();
    let files = [
        ("--output", check.as_ref().and_then(|it| it.output.as_ref())),
        ("--profile", profile.as_ref().map(|it| &it.file)),
        ("--trace", trace.as_ref()),
    ];
    for (option, file) in files {
        let Some(file) = file.filter(|file| *file != Path::new(settings::STANDARD)) else {
            continue;
        };
        outputs::refuse_inputs(option, file, inputs.iter().copied())?;
        outputs::check_place(file)?;
    }
    if let Some(path) = &path
        && program::gains_rights(path)
    {
        let message = format!(
            "{} runs as a different user or group than its caller (setuid), so the loader ignores {LIBRARY_PATH}; start `gcn \
             exec` from it instead, as in `sudo gcn exec -- PROGRAM`",
            path.display()
        );
        bail!(Problem::new(UNUSABLE_PROGRAM, message));
    }
    if let Some(program) = path.as_deref().and_then(HostProgram::read) {
        for note in program.notes(library) {
            self::note(format_args!("{}", render::printable(&note)));
        }
        let search = environment.variables.iter();
        let mut search = search.filter(|(name, _)| *name == LIBRARY_PATH);
        let search = search.next().map(|(_, value)| value.as_os_str());
        let libraries = program.libraries(search.unwrap_or_default());
        let mut listed = libraries.iter().filter(|(name, _)| name == library::NAME);
        let listed = listed.next().map(|(_, path)| path.as_path());
        if library.hsa().is_none() && listed.is_some() {
            let message = format!(
                "{} needs {}, which is not in {}: `cargo xtask dist PREFIX` installs gcn with it",
                render::printable(&program.path.display().to_string()),
                library::NAME,
                library.directory.display()
            );
            bail!(Problem::new(MISSING_LIBRARY, message));
        }
        let other = program.other_library(library, listed);
        if let Some(other) = other.filter(|_| library.hsa().is_some()) {
            // The dynamic loader does not load a second library of the same name.
            let preload = prepended(preloaded(library)?.as_os_str(), PRELOAD);
            note(format_args!(
                "{} finds {} by its DT_RPATH or a library's, before {LIBRARY_PATH}; {PRELOAD} loads the emulated device's \
                 instead (`patchelf --remove-rpath` makes that unnecessary)",
                render::printable(&program.path.display().to_string()),
                render::printable(&other.display().to_string()),
            ));
            command.env(PRELOAD, preload);
        }
        let libraries = libraries.into_iter().map(|(_, path)| path);
        let code = ProgramCode::of(&program.path, libraries);
        environment.choose_target(options, &code);
    }
    if path.as_deref().is_some_and(program::is_executable) {
        begin_outputs(&environment.settings)?;
    }
    command.envs(environment.variables);
    Ok(command)
}
