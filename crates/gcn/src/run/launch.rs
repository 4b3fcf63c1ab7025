//! Runs as written: in options, in a launch file, or in both. Options win over the file.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fmt::Display;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use gcn_asm::Diagnostic;
use gcn_runtime::Variations;
use gcn_runtime::spec::Spec;
use serde::Deserialize;

use super::expect;
use super::failure::Diagnosed;
use super::launch_file;
use super::options::Args;
use super::profile::ProfileOptions;
use crate::explain::INVALID_LAUNCH_FILE;
use crate::input::Dialect;
use crate::problem::{self, Problem};
use crate::render::{Sources, printable};
use crate::{Usage, input};

/// The extension of launch files.
const LAUNCH_FILE: &str = "toml";

/// A run as written: a program, buffers, launches one after the other, and what is to be done with the results. Nothing
/// is compared with the kernels yet.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct RunRequest {
    /// The launch file, if there is one.
    pub launch_file: Option<PathBuf>,
    /// The source or code object.
    pub file: PathBuf,
    /// Name of the target.
    pub target: Option<String>,
    /// Dialect of an assembly source.
    pub dialect: Option<Dialect>,
    /// For the compiler, or the assembler.
    pub compiler: Compiler,
    /// Shows the compiler's commands.
    pub verbose: bool,
    /// Host threads.
    pub threads: Option<usize>,
    /// Time that the launches may take together.
    pub timeout: Option<Duration>,
    /// Bytes of guest memory that may be allocated.
    pub memory: Option<u64>,
    /// Buffers that all launches may use.
    pub buffers: Vec<NamedText>,
    /// In order; at least one.
    pub launches: Vec<LaunchRequest>,
    /// The error of an argument that has no name or no value; the correct way to write it depends on the kernel.
    pub wrong_arg: Option<String>,
    /// Buffers to print.
    pub print: Vec<NamedText>,
    /// Buffers to save; the value is a file.
    pub save: Vec<NamedText>,
    /// Buffers to compare.
    pub expect: Vec<NamedText>,
    /// Variations of the execution.
    pub variations: Variations,
    /// Prints instructions.
    pub trace: TraceOptions,
    /// Counts what is executed.
    pub profile: ProfileOptions,
    /// Lists instructions by their fidelity.
    pub fidelity: bool,
    /// Reports in JSON.
    pub json: bool,
}

/// Options of a trace.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TraceOptions {
    /// Traces every instruction.
    pub all: bool,
    /// The choice of instructions, each `KEY=VALUE`.
    pub only: Vec<String>,
    /// File to write it to.
    pub file: Option<PathBuf>,
}

impl TraceOptions {
    /// True if there is a trace.
    pub fn is_on(&self) -> bool {
        self.all || !self.only.is_empty() || self.file.is_some()
    }
}

/// Options for the compiler of a source, or for its assembler.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Compiler {
    /// Macros, or symbols of assembly: `NAME` or `NAME=VALUE`.
    pub define: Vec<String>,
    /// Directories of included files, of assembly sources too.
    pub include: Vec<PathBuf>,
    /// Level of optimisation, without `-O`.
    pub optimize: Option<String>,
    /// Options as Clang has them.
    pub clang_options: Vec<String>,
}

impl Compiler {
    /// An option that is there and is nothing for an assembler.
    pub fn only(&self) -> Option<&'static str> {
        let options = [
            ("--optimize", self.optimize.is_some()),
            ("--clang-option", !self.clang_options.is_empty()),
        ];
        let mut given = options.into_iter().filter(|(_, given)| *given);
        given.next().map(|(option, _)| option)
    }

    /// All of it as Clang has it.
    pub fn options(&self) -> Vec<OsString> {
        let joined = |option: &str, value: &OsStr| {
            let mut joined = OsString::from(option);
            joined.push(value);
            joined
        };
        let defines = self
            .define
            .iter()
            .map(|define| joined("-D", define.as_ref()));
        let includes = self
            .include
            .iter()
            .map(|path| joined("-I", path.as_os_str()));
        let level = self
            .optimize
            .iter()
            .map(|level| joined("-O", level.as_ref()));
        let others = self.clang_options.iter().map(OsString::from);
        defines.chain(includes).chain(level).chain(others).collect()
    }
}

/// A launch of a kernel as written.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct LaunchRequest {
    /// Name of the kernel; without, the only one.
    pub kernel: Option<String>,
    /// Work-items.
    pub grid: Option<WrittenSizes>,
    /// Work-items of a workgroup.
    pub group: Option<WrittenSizes>,
    /// Work-items' global numbers begin with these.
    pub offset: Option<[u64; 3]>,
    /// Instructions of a wave.
    pub limit: Option<u64>,
    /// Dynamic LDS beyond the arguments that ask for it, in bytes.
    pub lds: Option<u32>,
    /// Scratch of a lane beyond the kernel's fixed part, in bytes.
    pub stack: Option<u32>,
    /// Arguments in the order of writing.
    pub args: Vec<NamedText>,
    /// All explicit arguments as bytes.
    pub kernarg: Option<NamedText>,
    /// Number of times that it runs; without, once.
    pub repeat: Option<NonZeroU32>,
}

impl LaunchRequest {
    /// The launch with what it does not say taken from another. Arguments belong to one launch.
    pub fn or(self, others: &LaunchRequest) -> LaunchRequest {
        LaunchRequest {
            kernel: self.kernel.or_else(|| others.kernel.clone()),
            grid: self.grid.or(others.grid),
            group: self.group.or(others.group),
            offset: self.offset.or(others.offset),
            limit: self.limit.or(others.limit),
            lds: self.lds.or(others.lds),
            stack: self.stack.or(others.stack),
            repeat: self.repeat.or(others.repeat),
            ..self
        }
    }
}

/// Sizes in x, y and z.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(try_from = "launch_file::Sizes")]
pub struct WrittenSizes {
    /// The sizes; those that were not written are 1.
    pub sizes: [u32; 3],
    /// The number of them that were written, 1 to 3.
    pub dimensions: u16,
}

/// Something named and a value for it.
#[derive(Clone, PartialEq, Debug)]
pub struct NamedText {
    /// Its purpose.
    pub name: String,
    /// As written.
    pub value: String,
    /// The directory at which relative paths in it start.
    pub base: PathBuf,
}

impl NamedText {
    /// A path of the value.
    pub fn path(&self, path: &Path) -> PathBuf {
        self.base.join(path)
    }
}

/// Reads what options and, if the input is one, the launch file say. With `selects`, `--kernel` of a file with several
/// launches is no setting of theirs: it selects those that are checked.
///
/// # Errors
/// The launch file cannot be read, is no TOML, or has unknown keys or invalid values.
pub fn read(args: &Args, selects: bool) -> Result<RunRequest> {
    let mut run = if is_launch_file(&args.input) {
        let text = input::read_text(&args.input)?;
        let base = args.input.parent().unwrap_or(Path::new(""));
        let name = input::name(&args.input);
        match launch_file::read(&text, base) {
            Err(error) if error.is::<toml::de::Error>() => {
                bail!(shown(&error.downcast()?, &name, &text, args.json));
            }
            Ok(RunRequest { file, .. }) if is_launch_file(&file) => {
                bail!(Problem::new(
                    problem::INVALID_LAUNCH_FILE,
                    format!(
                        "{name}: {} is a launch file too; `file` must name a source or a code object",
                        input::name(&file)
                    )
                ))
            }
            run => RunRequest {
                launch_file: Some(args.input.clone()),
                ..run.context(name)?
            },
        }
    } else {
        RunRequest {
            file: args.input.clone(),
            launches: vec![LaunchRequest::default()],
            ..RunRequest::default()
        }
    };
    run.override_by(args, selects)?;
    Ok(run)
}

fn is_launch_file(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension == LAUNCH_FILE)
}

/// An error of a launch file as a whole, at its place in the text.
fn shown(error: &toml::de::Error, name: &str, text: &str, json: bool) -> Diagnosed {
    let span = error.span().unwrap_or(0..text.len());
    let sources = Sources {
        name,
        text,
        files: &[],
    };
    let diagnostic = Diagnostic::error(&INVALID_LAUNCH_FILE, span, error.message());
    Diagnosed::new(&sources, &[diagnostic], json)
}

impl RunRequest {
    /// The files that it reads by name.
    pub fn inputs(&self) -> Vec<PathBuf> {
        let launches = self.launches.iter();
        let values = launches.flat_map(|launch| launch.args.iter().chain(&launch.kernarg));
        let data =
            values
                .chain(&self.buffers)
                .filter_map(|given| match Spec::parse(&given.value) {
                    Ok(Spec::File { path, .. }) => Some(given.path(&path)),
                    _ => None,
                });
        let program = [self.launch_file.clone(), Some(self.file.clone())];
        let expected = self.expect.iter().filter_map(expect::file);
        let named = program.into_iter().flatten();
        named.chain(data).chain(expected).collect()
    }

    /// The first kernel that is named.
    pub fn kernel(&self) -> Option<&str> {
        self.launches
            .iter()
            .find_map(|launch| launch.kernel.as_deref())
    }

    fn override_by(&mut self, args: &Args, selects: bool) -> Result<()> {
        fn replace<T: Clone>(old: &mut Option<T>, new: &Option<T>) {
            if new.is_some() {
                old.clone_from(new);
            }
        }
        replace(&mut self.target, &args.target);
        replace(&mut self.dialect, &args.dialect);
        replace(&mut self.threads, &args.threads);
        replace(&mut self.timeout, &args.timeout);
        replace(&mut self.memory, &args.memory);
        replace(&mut self.compiler.optimize, &args.optimize);
        self.compiler.define.extend(args.define.iter().cloned());
        self.compiler.include.extend(args.include.iter().cloned());
        let options = args.clang_options.iter().cloned();
        self.compiler.clang_options.extend(options);
        self.verbose |= args.verbose;
        self.trace.all |= args.trace;
        self.trace.only.extend(args.trace_only.iter().cloned());
        replace(&mut self.trace.file, &args.trace_file);
        replace(&mut self.profile.file, &args.profile);
        replace(&mut self.profile.format, &args.profile_format);
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
                    return Err(Usage(message).into());
                }
            }
        }
        for text in &args.buffer {
            let given = pair("--buffer", text, VALUE, Path::new(""));
            let given = given.map_err(|error| Usage(error.to_string()))?;
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
                list.push(given.map_err(|error| Usage(error.to_string()))?);
            }
        }
        self.print
            .extend(args.print.iter().map(|name| unvalued(name)));
        Ok(())
    }
}

impl LaunchRequest {
    /// This one's settings, before the other's; the arguments are the other's.
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
                ..unvalued("--kernarg")
            });
        }
        let mut seen = HashSet::new();
        for text in &args.arg {
            let given = match pair("--arg", text, VALUE, Path::new("")) {
                Ok(given) => given,
                Err(error) => {
                    wrong.get_or_insert(error.to_string());
                    continue;
                }
            };
            if !seen.insert(given.name.clone()) {
                let name = printable(&given.name);
                return Err(Usage(format!("--arg gives {name} twice")).into());
            }
            match self.args.iter_mut().find(|old| old.name == given.name) {
                Some(old) => *old = given,
                None => self.args.push(given),
            }
        }
        Ok(())
    }
}

pub fn unvalued(name: &str) -> NamedText {
    NamedText {
        name: name.trim().to_owned(),
        value: String::new(),
        base: PathBuf::new(),
    }
}

/// The name of the second part of a pair, in messages.
pub const VALUE: &str = "VALUE";
/// The second part of a pair that is the name of a file.
pub const FILE: &str = "FILE";

/// A name, `=`, and what is `wanted` behind it.
pub fn pair(option: &str, text: &str, wanted: &str, base: &Path) -> Result<NamedText> {
    let (name, value) = text.split_once('=').unwrap_or_default();
    let (name, value) = (name.trim().to_owned(), value.trim().to_owned());
    if name.is_empty() || value.is_empty() {
        bail!("`{option} {text}`: expected NAME={wanted}");
    }
    Ok(NamedText {
        name,
        value,
        base: base.to_owned(),
    })
}

/// Sizes as options have them: `X`, `X,Y` or `X,Y,Z`.
///
/// # Errors
/// The accepted forms.
pub fn sizes(text: &str) -> Result<WrittenSizes, String> {
    let (sizes, dimensions) = numbers(text, 1, u32::MAX)?;
    Ok(WrittenSizes { sizes, dimensions })
}

/// Offsets as options have them: `X`, `X,Y` or `X,Y,Z`.
///
/// # Errors
/// The accepted forms.
pub fn offsets(text: &str) -> Result<[u64; 3], String> {
    Ok(numbers(text, 0, u64::MAX)?.0)
}

/// One to three numbers from `least` to `most`, with `least` for those that are missing; and how many there are.
fn numbers<T: FromStr + PartialOrd + Copy + Display>(
    text: &str,
    least: T,
    most: T,
) -> Result<([T; 3], u16), String> {
    let wrong =
        || format!("expected X, X,Y or X,Y,Z of numbers from {least} to {most}, found `{text}`");
    let mut numbers = [least; 3];
    let mut written = 0;
    for part in text.split([',', 'x']) {
        let number = part.trim().parse().ok().filter(|number| *number >= least);
        let place = numbers.get_mut(usize::from(written)).ok_or_else(wrong)?;
        *place = number.ok_or_else(wrong)?;
        written += 1;
    }
    Ok((numbers, written))
}
