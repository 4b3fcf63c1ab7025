//! What a launch is made of, from options, from a launch file, or from both: options win over the file.

use std::collections::HashSet;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use gcn_asm::{Diagnostic, Explanation};
use serde::Deserialize;

use super::failure::Diagnosed;
use super::options::Args;
use super::spec::Spec;
use crate::render::{Sources, printable};
use crate::{Usage, input};

/// The extension of launch files.
const LAUNCH_FILE: &str = "toml";

/// A launch, as written; nothing is compared with the kernel yet.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Launch {
    /// The launch file, if there is one.
    pub launch_file: Option<PathBuf>,
    /// The source or code object.
    pub file: PathBuf,
    /// Name of the target.
    pub target: Option<String>,
    /// Name of the kernel; without, the only one.
    pub kernel: Option<String>,
    /// Work-items.
    pub grid: Option<Extent>,
    /// Work-items of a workgroup.
    pub group: Option<Extent>,
    /// What work-items' global numbers begin with.
    pub offset: Option<[u64; 3]>,
    /// Host threads.
    pub threads: Option<usize>,
    /// Instructions of a wave.
    pub limit: Option<u64>,
    /// Time that the run may take.
    pub timeout: Option<Duration>,
    /// Dynamic LDS beyond the arguments that ask for it, in bytes.
    pub lds: u32,
    /// Scratch of a lane beyond the kernel's fixed part, in bytes.
    pub stack: Option<u32>,
    /// Bytes of guest memory that may be allocated.
    pub memory: Option<u64>,
    /// Arguments in the order of writing.
    pub args: Vec<Given>,
    /// What is wrong with one that has no name or no value; what would be right depends on the kernel.
    pub wrong_arg: Option<String>,
    /// Buffers to print.
    pub print: Vec<Given>,
    /// Buffers to save; the value is a file.
    pub save: Vec<Given>,
    /// Buffers to compare.
    pub expect: Vec<Given>,
    /// Whether to print every instruction.
    pub trace: bool,
    /// Whether to list instructions by their fidelity.
    pub fidelity: bool,
    /// Whether to report in JSON.
    pub json: bool,
}

/// Sizes in x, y and z.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(try_from = "Sizes")]
pub struct Extent {
    /// The sizes; those that were not written are 1.
    pub sizes: [u32; 3],
    /// How many of them were written, 1 to 3.
    pub dimensions: u16,
}

/// Something named and a value for it.
#[derive(Clone, PartialEq, Debug)]
pub struct Given {
    /// What it is for.
    pub name: String,
    /// As written.
    pub value: String,
    /// Where relative paths in it start.
    pub base: PathBuf,
}

impl Given {
    /// A path of the value.
    pub fn path(&self, path: &Path) -> PathBuf {
        self.base.join(path)
    }
}

/// Reads what options and, if the input is one, the launch file say.
///
/// # Errors
/// The launch file cannot be read, is no TOML, or has unknown keys or invalid values.
pub fn read(args: &Args) -> Result<Launch> {
    let mut launch = if is_launch_file(&args.input) {
        let text = input::read_text(&args.input)?;
        let base = args.input.parent().unwrap_or(Path::new(""));
        let name = input::name(&args.input);
        match from_toml(&text, base) {
            Err(error) if error.is::<toml::de::Error>() => {
                bail!(shown(&error.downcast()?, &name, &text, args.json));
            }
            Ok(Launch { file, .. }) if is_launch_file(&file) => {
                bail!(
                    "{name}: {} is a launch file too; `file` names a source or a code object",
                    input::name(&file)
                )
            }
            launch => Launch {
                launch_file: Some(args.input.clone()),
                ..launch.context(name)?
            },
        }
    } else {
        Launch {
            file: args.input.clone(),
            ..Launch::default()
        }
    };
    launch.override_by(args)?;
    Ok(launch)
}

fn is_launch_file(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension == LAUNCH_FILE)
}

/// The diagnostic of a launch file that cannot be read.
pub static INVALID_LAUNCH_FILE: Explanation = Explanation {
    name: "invalid-launch-file",
    meaning: "A launch file is not valid TOML, or has a key or value that launches do not have.",
    example: "kernal = \"add\"",
    remedy: "The message names the keys that are possible; docs/launch.md describes them.",
    source: "",
};

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

impl Launch {
    /// The files that it reads by name.
    pub fn inputs(&self) -> Vec<PathBuf> {
        let values = self.args.iter().chain(&self.expect);
        let data = values.filter_map(|given| match Spec::parse(&given.value) {
            Ok(Spec::File { path, .. }) => Some(given.path(&path)),
            _ => None,
        });
        let program = [self.launch_file.clone(), Some(self.file.clone())];
        program.into_iter().flatten().chain(data).collect()
    }

    fn override_by(&mut self, args: &Args) -> Result<()> {
        fn replace<T: Clone>(old: &mut Option<T>, new: &Option<T>) {
            if new.is_some() {
                old.clone_from(new);
            }
        }
        replace(&mut self.target, &args.target);
        replace(&mut self.kernel, &args.kernel);
        replace(&mut self.grid, &args.grid);
        replace(&mut self.group, &args.group);
        replace(&mut self.offset, &args.offset);
        replace(&mut self.threads, &args.threads);
        replace(&mut self.limit, &args.limit);
        replace(&mut self.timeout, &args.timeout);
        replace(&mut self.stack, &args.stack);
        replace(&mut self.memory, &args.memory);
        self.lds = args.lds.unwrap_or(self.lds);
        self.trace |= args.trace;
        self.fidelity |= args.fidelity;
        self.json |= args.json;
        let mut seen = HashSet::new();
        for text in &args.arg {
            let given = match pair("--arg", text, VALUE, Path::new("")) {
                Ok(given) => given,
                Err(error) => {
                    self.wrong_arg.get_or_insert(error.to_string());
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

fn unvalued(name: &str) -> Given {
    Given {
        name: name.trim().to_owned(),
        value: String::new(),
        base: PathBuf::new(),
    }
}

/// What messages call the second part of a pair.
const VALUE: &str = "VALUE";
/// The second part of a pair that is the name of a file.
const FILE: &str = "FILE";

/// A name, `=`, and what is `wanted` behind it.
fn pair(option: &str, text: &str, wanted: &str, base: &Path) -> Result<Given> {
    let (name, value) = text.split_once('=').unwrap_or_default();
    let (name, value) = (name.trim().to_owned(), value.trim().to_owned());
    if name.is_empty() || value.is_empty() {
        bail!("`{option} {text}`: NAME={wanted} is wanted");
    }
    Ok(Given {
        name,
        value,
        base: base.to_owned(),
    })
}

/// Sizes as options have them: `X`, `X,Y` or `X,Y,Z`.
///
/// # Errors
/// What is accepted.
pub fn sizes(text: &str) -> Result<Extent, String> {
    let (sizes, dimensions) = numbers(text, 1, u32::MAX)?;
    Ok(Extent { sizes, dimensions })
}

/// Offsets as options have them: `X`, `X,Y` or `X,Y,Z`.
///
/// # Errors
/// What is accepted.
pub fn offsets(text: &str) -> Result<[u64; 3], String> {
    Ok(numbers(text, 0, u64::MAX)?.0)
}

/// One to three numbers from `least` to `most`, with `least` for those that are missing; and how many there are.
fn numbers<T: FromStr + PartialOrd + Copy + Display>(
    text: &str,
    least: T,
    most: T,
) -> Result<([T; 3], u16), String> {
    let wrong = || format!("`{text}` is not X, X,Y or X,Y,Z of numbers from {least} to {most}");
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

/// An amount of memory: bytes, or with the suffix K, M or G for the powers of 1024.
///
/// # Errors
/// What is accepted.
pub fn amount(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let shift = match &text[digits.len()..] {
        "" => Some(0),
        "K" | "k" | "KiB" => Some(10),
        "M" | "m" | "MiB" => Some(20),
        "G" | "g" | "GiB" => Some(30),
        _ => None,
    };
    let bytes = shift.and_then(|shift| digits.parse::<u64>().ok()?.checked_mul(1 << shift));
    bytes.ok_or_else(|| format!("`{text}` is not an amount of memory such as 1048576, 512M or 4G"))
}

/// A time in seconds, as options have it.
///
/// # Errors
/// What is accepted.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.trim().parse().ok();
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.filter(|time| !time.is_zero())
        .ok_or_else(|| format!("`{text}` is not a number of seconds above 0"))
}

/// A launch file. Keys are those of the options.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct File {
    file: Option<PathBuf>,
    target: Option<String>,
    kernel: Option<String>,
    grid: Option<Extent>,
    group: Option<Extent>,
    offset: Option<Offset>,
    threads: Option<usize>,
    limit: Option<u64>,
    timeout: Option<Timeout>,
    lds: u32,
    stack: Option<u32>,
    memory: Option<Memory>,
    args: Option<Pairs>,
    print: Option<Names>,
    save: Option<Pairs>,
    expect: Option<Pairs>,
    trace: bool,
    fidelity: bool,
    json: bool,
}

/// `256`, `[256, 4]` or `"256,4"`.
#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "expected a number, a list of up to three, or text such as \"64,4\""
)]
enum Sizes {
    One(u64),
    List(Vec<u64>),
    Text(String),
}

impl Sizes {
    /// As an option would have them.
    fn text(self) -> String {
        match self {
            Sizes::One(size) => size.to_string(),
            Sizes::List(list) => {
                let list: Vec<String> = list.iter().map(u64::to_string).collect();
                list.join(",")
            }
            Sizes::Text(text) => text,
        }
    }
}

impl TryFrom<Sizes> for Extent {
    type Error = String;

    fn try_from(given: Sizes) -> Result<Extent, String> {
        sizes(&given.text())
    }
}

/// What work-items' global numbers begin with.
#[derive(Deserialize)]
#[serde(try_from = "Sizes")]
struct Offset([u64; 3]);

impl TryFrom<Sizes> for Offset {
    type Error = String;

    fn try_from(given: Sizes) -> Result<Offset, String> {
        offsets(&given.text()).map(Offset)
    }
}

/// `1048576` or `"1M"`.
#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "expected bytes as a number, or text such as \"512M\""
)]
enum Amount {
    Bytes(u64),
    Text(String),
}

/// Bytes of guest memory.
#[derive(Deserialize)]
#[serde(try_from = "Amount")]
struct Memory(u64);

impl TryFrom<Amount> for Memory {
    type Error = String;

    fn try_from(given: Amount) -> Result<Memory, String> {
        match given {
            Amount::Bytes(bytes) => Ok(Memory(bytes)),
            Amount::Text(text) => amount(&text).map(Memory),
        }
    }
}

/// `10`, `2.5` or `"2.5"`.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a number of seconds")]
enum Seconds {
    Number(f64),
    Text(String),
}

/// Time that the run may take.
#[derive(Deserialize)]
#[serde(try_from = "Seconds")]
struct Timeout(Duration);

impl TryFrom<Seconds> for Timeout {
    type Error = String;

    fn try_from(given: Seconds) -> Result<Timeout, String> {
        let text = match given {
            Seconds::Number(number) => number.to_string(),
            Seconds::Text(text) => text,
        };
        seconds(&text).map(Timeout)
    }
}

/// `"y"` or `["x", "y[0..4]"]`.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected text or a list of texts")]
enum Names {
    One(String),
    List(Vec<String>),
}

/// A table of names and values, or a list: of values by index, or of texts `NAME=VALUE`.
#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "expected a table of names and values, or a list"
)]
enum Pairs {
    Table(toml::Table),
    List(Vec<toml::Value>),
}

/// Reads a launch file; relative paths in it start at `base`.
///
/// # Errors
/// What is wrong, with its place.
pub fn from_toml(text: &str, base: &Path) -> Result<Launch> {
    let file: File = toml::from_str(text)?;
    let Some(program) = file.file else {
        bail!("the launch file names no program: add `file = \"kernel.s\"`");
    };
    let print = match file.print {
        None => Vec::new(),
        Some(Names::One(name)) => vec![name],
        Some(Names::List(names)) => names,
    };
    Ok(Launch {
        launch_file: None,
        file: base.join(program),
        target: file.target,
        kernel: file.kernel,
        grid: file.grid,
        group: file.group,
        offset: file.offset.map(|Offset(offset)| offset),
        threads: file.threads,
        limit: file.limit,
        timeout: file.timeout.map(|Timeout(timeout)| timeout),
        lds: file.lds,
        stack: file.stack,
        memory: file.memory.map(|Memory(bytes)| bytes),
        args: pairs("args", file.args, base, Unnamed::ByIndex)?,
        wrong_arg: None,
        print: print.iter().map(|name| unvalued(name)).collect(),
        save: pairs("save", file.save, base, Unnamed::InText { wanted: FILE })?,
        expect: pairs(
            "expect",
            file.expect,
            base,
            Unnamed::InText { wanted: VALUE },
        )?,
        trace: file.trace,
        fidelity: file.fidelity,
        json: file.json,
    })
}

/// What an element of a list is that has no name of its own.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unnamed {
    /// A value; its name is its index.
    ByIndex,
    /// Text with the name before `=`, and what is wanted behind it.
    InText { wanted: &'static str },
}

fn pairs(key: &str, given: Option<Pairs>, base: &Path, unnamed: Unnamed) -> Result<Vec<Given>> {
    let given_as = |name: &str, value: &toml::Value| {
        Ok(Given {
            name: name.to_owned(),
            value: written(key, name, value)?,
            base: base.to_owned(),
        })
    };
    match given {
        None => Ok(Vec::new()),
        Some(Pairs::Table(table)) => table
            .iter()
            .map(|(name, value)| given_as(name, value))
            .collect(),
        Some(Pairs::List(list)) => list
            .iter()
            .enumerate()
            .map(|(index, value)| match (unnamed, value) {
                (Unnamed::InText { wanted }, toml::Value::String(text)) => {
                    pair(key, text, wanted, base)
                }
                (Unnamed::InText { wanted }, _) => bail!("{key}: a list has texts NAME={wanted}"),
                (Unnamed::ByIndex, value) => given_as(&index.to_string(), value),
            })
            .collect(),
    }
}

/// A value as an option would have it: a list of numbers becomes one with commas.
fn written(key: &str, name: &str, value: &toml::Value) -> Result<String> {
    let number = |value: &toml::Value| match value {
        toml::Value::Integer(value) => Some(value.to_string()),
        // With a point or exponent, so that it stays one of the floating-point numbers.
        toml::Value::Float(value) => Some(format!("{value:?}")),
        _ => None,
    };
    let text = match value {
        toml::Value::String(text) => Some(text.clone()),
        toml::Value::Boolean(value) => Some(u8::from(*value).to_string()),
        toml::Value::Array(list) => {
            // The comma at the end makes one number a list too.
            list.iter()
                .map(|value| number(value).map(|text| text + ","))
                .collect::<Option<String>>()
        }
        value => number(value),
    };
    text.with_context(|| {
        format!("{key}: {name} is neither a number, nor a list of numbers, nor text")
    })
}
