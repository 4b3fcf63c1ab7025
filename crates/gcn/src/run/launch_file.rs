//! Launch files in TOML, with keys named after the options.

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, bail};
use gcn_report::settings::{self, ProfileFormat};
use gcn_runtime::Variations;
use serde::Deserialize;

use super::option_values::{
    FILE, LaunchSizes, NamedText, SizesForm, VALUE, offsets, pair, without_value,
};
use super::profile::ProfileOptions;
use super::request::{LaunchRequest, RunRequest, TraceOptions};
use crate::input::{DialectOption, STDIN};
use crate::problem::{INVALID_LAUNCH_FILE, Problem};
use crate::program::{Compiler, ProgramRequest};

/// Contents of a launch file.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct LaunchFile {
    file: Option<PathBuf>,
    target: Option<String>,
    dialect: Option<DialectOption>,
    define: Option<OneOrMoreNames>,
    include: Option<OneOrMoreNames>,
    optimize: Option<OptimisationLevel>,
    clang: Option<PathBuf>,
    clang_options: Option<OneOrMoreNames>,
    verbose: bool,
    threads: Option<usize>,
    timeout: Option<Timeout>,
    memory: Option<MemoryBytes>,
    buffers: Option<Pairs>,
    launch: Vec<Table>,
    print: Option<OneOrMoreNames>,
    save: Option<Pairs>,
    expect: Option<Pairs>,
    trace: bool,
    trace_only: Option<OneOrMoreNames>,
    trace_file: Option<PathBuf>,
    profile: Option<PathBuf>,
    profile_format: Option<ProfileFormat>,
    fidelity: bool,
    json: bool,
    // Settings of the only launch, or defaults for all launches.
    kernel: Option<String>,
    grid: Option<LaunchSizes>,
    group: Option<LaunchSizes>,
    offset: Option<Offset>,
    limit: Option<u64>,
    lds: Option<u32>,
    stack: Option<u32>,
    args: Option<Pairs>,
    kernarg: Option<toml::Value>,
    repeat: Option<NonZeroU32>,
}

/// `[[launch]]` table.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Table {
    kernel: Option<String>,
    grid: Option<LaunchSizes>,
    group: Option<LaunchSizes>,
    offset: Option<Offset>,
    limit: Option<u64>,
    lds: Option<u32>,
    stack: Option<u32>,
    args: Option<Pairs>,
    kernarg: Option<toml::Value>,
    repeat: Option<NonZeroU32>,
}

impl Table {
    fn launch(self, base: &Path) -> Result<LaunchRequest> {
        let kernarg = self.kernarg.map(|value| {
            Ok::<_, anyhow::Error>(NamedText {
                value: option_text("kernarg", "it", &value)?,
                base: base.to_owned(),
                ..without_value("kernarg")
            })
        });
        Ok(LaunchRequest {
            kernel: self.kernel,
            grid: self.grid,
            group: self.group,
            offset: self.offset.map(|Offset(offset)| offset),
            limit: self.limit,
            lds: self.lds,
            stack: self.stack,
            args: pairs("args", self.args, base, ListElement::ByIndex)?,
            kernarg: kernarg.transpose()?,
            repeat: self.repeat,
        })
    }
}

/// Global IDs of the first work-item.
#[derive(Deserialize)]
#[serde(try_from = "SizesForm")]
struct Offset([u64; 3]);

impl TryFrom<SizesForm> for Offset {
    type Error = String;

    fn try_from(given: SizesForm) -> Result<Offset, String> {
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

/// Size of guest memory in bytes.
#[derive(Deserialize)]
#[serde(try_from = "Amount")]
struct MemoryBytes(u64);

impl TryFrom<Amount> for MemoryBytes {
    type Error = String;

    fn try_from(given: Amount) -> Result<MemoryBytes, String> {
        match given {
            Amount::Bytes(bytes) => Ok(MemoryBytes(bytes)),
            Amount::Text(text) => settings::amount(&text).map(MemoryBytes),
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

/// Time limit of the run.
#[derive(Deserialize)]
#[serde(try_from = "Seconds")]
pub struct Timeout(pub Duration);

impl TryFrom<Seconds> for Timeout {
    type Error = String;

    fn try_from(given: Seconds) -> Result<Timeout, String> {
        let text = match given {
            Seconds::Number(number) => number.to_string(),
            Seconds::Text(text) => text,
        };
        settings::seconds(&text).map(Timeout)
    }
}

/// `"y"` or `["x", "y[0..4]"]`.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected text or a list of texts")]
enum OneOrMoreNames {
    One(String),
    List(Vec<String>),
}

fn names(given: Option<OneOrMoreNames>) -> Vec<String> {
    match given {
        None => Vec::new(),
        Some(OneOrMoreNames::One(name)) => vec![name],
        Some(OneOrMoreNames::List(names)) => names,
    }
}

/// `3` or `"s"`.
#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "expected a level of optimisation, such as 3 or \"s\""
)]
enum OptimisationLevel {
    Number(u8),
    Text(String),
}

/// Table of names and values, list of values by index, or list of strings `NAME=VALUE`.
#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "expected a table of names and values, or a list"
)]
enum Pairs {
    Table(toml::Table),
    List(Vec<toml::Value>),
}

/// Problem for an invalid launch file, without a position.
fn invalid(message: impl Into<String>) -> Problem {
    Problem::new(INVALID_LAUNCH_FILE, message)
}

/// Resolves the path of an output file; `-` remains standard output.
fn output(base: &Path, path: &Path) -> PathBuf {
    if path == Path::new(STDIN) {
        return path.to_owned();
    }
    base.join(path)
}

/// Parses a launch file. Relative paths refer to `base`.
///
/// # Errors
/// Fails if the text is not a valid launch file. TOML errors contain a position.
pub fn read(text: &str, base: &Path) -> Result<RunRequest> {
    let file: LaunchFile = toml::from_str(text)?;
    let Some(program) = file.file else {
        bail!(invalid(
            "the launch file has no program: add `file = \"kernel.s\"`"
        ));
    };
    let print = names(file.print);
    let include = names(file.include);
    let compiler = Compiler {
        define: names(file.define),
        include: include.iter().map(|path| base.join(path)).collect(),
        optimize: file.optimize.map(|level| match level {
            OptimisationLevel::Number(number) => number.to_string(),
            OptimisationLevel::Text(text) => text,
        }),
        clang: file.clang.map(|path| match path.components().count() {
            // A bare name is looked up in `PATH`.
            1 => path,
            _ => base.join(path),
        }),
        clang_options: names(file.clang_options),
    };
    let outer = Table {
        kernel: file.kernel,
        grid: file.grid,
        group: file.group,
        offset: file.offset,
        limit: file.limit,
        lds: file.lds,
        stack: file.stack,
        args: file.args,
        kernarg: file.kernarg,
        repeat: file.repeat,
    };
    let outer = outer.launch(base)?;
    let launches = if file.launch.is_empty() {
        vec![outer]
    } else {
        if !outer.args.is_empty() || outer.kernarg.is_some() {
            bail!(invalid(
                "arguments outside of [[launch]]: write them in each launch"
            ));
        }
        let tables = file.launch.into_iter();
        let inner = tables.map(|table| Ok(table.launch(base)?.or(&outer)));
        inner.collect::<Result<_>>()?
    };
    Ok(RunRequest {
        launch_file: None,
        program: ProgramRequest {
            file: base.join(program),
            entry: None,
            target: file.target,
            dialect: file.dialect,
            compiler,
            verbose: file.verbose,
        },
        threads: file.threads,
        engine: None,
        timeout: file.timeout.map(|Timeout(timeout)| timeout),
        memory: file.memory.map(|MemoryBytes(bytes)| bytes),
        buffers: pairs(
            "buffers",
            file.buffers,
            base,
            ListElement::InText { wanted: VALUE },
        )?,
        launches,
        wrong_arg: None,
        variations: Variations::default(),
        print: print.iter().map(|name| without_value(name)).collect(),
        save: pairs(
            "save",
            file.save,
            base,
            ListElement::InText { wanted: FILE },
        )?,
        expect: pairs(
            "expect",
            file.expect,
            base,
            ListElement::InText { wanted: VALUE },
        )?,
        trace: TraceOptions {
            all: file.trace,
            only: names(file.trace_only),
            file: file.trace_file.map(|path| output(base, &path)),
        },
        profile: ProfileOptions {
            file: file.profile.map(|path| output(base, &path)),
            format: file.profile_format,
        },
        dump_code: None,
        fidelity: file.fidelity,
        json: file.json,
    })
}

/// Origin of a list element's name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ListElement {
    /// Value whose name is its index.
    ByIndex,
    /// String `NAME=VALUE`. Messages show `wanted` in place of `VALUE`.
    InText { wanted: &'static str },
}

fn pairs(
    key: &str,
    given: Option<Pairs>,
    base: &Path,
    unnamed: ListElement,
) -> Result<Vec<NamedText>> {
    let given_as = |name: &str, value: &toml::Value| {
        Ok(NamedText {
            name: name.to_owned(),
            value: option_text(key, name, value)?,
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
                (ListElement::InText { wanted }, toml::Value::String(text)) => {
                    pair(key, text, wanted, base).map_err(|message| invalid(message).into())
                }
                (ListElement::InText { wanted }, _) => {
                    bail!(invalid(format!(
                        "{key}: expected a list of texts NAME={wanted}"
                    )))
                }
                (ListElement::ByIndex, value) => given_as(&index.to_string(), value),
            })
            .collect(),
    }
}

/// Converts a value to the syntax of options.
fn option_text(key: &str, name: &str, value: &toml::Value) -> Result<String> {
    let number = |value: &toml::Value| match value {
        toml::Value::Integer(value) => Some(value.to_string()),
        // `Debug` keeps the point or exponent, so the number remains floating-point.
        toml::Value::Float(value) => Some(format!("{value:?}")),
        _ => None,
    };
    let text = match value {
        toml::Value::String(text) => Some(text.clone()),
        toml::Value::Boolean(value) => Some(u8::from(*value).to_string()),
        // A list with strings is written as `{A, B}`.
        toml::Value::Array(list) if list.iter().any(toml::Value::is_str) => list
            .iter()
            .map(toml::Value::as_str)
            .collect::<Option<Vec<_>>>()
            .map(|texts| format!("{{{}}}", texts.join(", "))),
        toml::Value::Array(list) => {
            // The trailing comma makes a single number a list.
            list.iter()
                .map(|value| number(value).map(|text| text + ","))
                .collect::<Option<String>>()
        }
        value => number(value),
    };
    text.ok_or_else(|| {
        let message = format!("{key}: {name} is neither a number, nor text, nor a list of either");
        invalid(message).into()
    })
}
