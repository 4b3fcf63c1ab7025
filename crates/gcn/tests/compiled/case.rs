//! A kernel under `tests/kernels/`: its source and the lines at its beginning that say how it is run and compared.

use std::fs;
use std::path::{Path, PathBuf};

use gcn_args::compare::Tolerance;
use gcn_args::spec::Spec;
use gcn_args::value::Type;
use serde::Deserialize;

/// The directory of the kernels.
pub fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/kernels")
}

/// A source with what its header says.
pub struct Case {
    /// The file.
    pub path: PathBuf,
    /// Its name without directory and ending.
    pub name: String,
    /// All of it; what is made of it is kept for as long as it stays the same.
    pub text: String,
    /// The language of its device code.
    pub language: Language,
    /// Contents of the lines that begin with [`HEADER`].
    pub header: Header,
    /// The buffers, in the order of the header.
    pub buffers: Vec<Buffer>,
    /// The launches, one after the other on the same buffers.
    pub launches: Vec<Launch>,
    /// Number of times that the launches for timing have the work of these.
    pub times: u32,
}

/// Language of a kernel; the reference is always OpenCL C in the same file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// `.cl`.
    OpenCl,
    /// `.hip`; the reference kernel is what it has for OpenCL's compiler.
    Hip,
}

/// Begins the lines of the header, which is TOML.
const HEADER: &str = "//!";

/// The header; `tests/README.md` says what the keys mean.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// OpenCL C of the device's compiler, as `-cl-std` has it.
    #[serde(default = "device_standard")]
    pub std: String,
    /// OpenCL C of the host's compiler, which lacks some of the later versions.
    #[serde(default = "host_standard")]
    pub host_std: String,
    /// Further options of both compilers.
    #[serde(default)]
    pub options: Vec<String>,
    /// Further options of the device's compiler.
    #[serde(default)]
    pub device_options: Vec<String>,
    /// Device libraries that the language has not by itself.
    #[serde(default)]
    pub libraries: Vec<String>,
    /// Targets, compilers or both (`gfx600`, `clang-14`, `gfx600 clang-14`) that cannot have the kernel, and why.
    #[serde(default)]
    pub except: toml::Table,
    /// Code object versions beyond those that every kernel is built with.
    #[serde(default)]
    pub versions: Vec<u32>,
    /// True to compare the kernel's output, too.
    #[serde(default)]
    pub prints: bool,
    /// Findings of `gcn check` that it has by design: names, and why.
    #[serde(default)]
    pub findings: toml::Table,
    /// Findings that compilers have made, by builds as for `except`: names, separated by blanks. A build may have them.
    #[serde(default)]
    pub build_findings: toml::Table,
    /// True to run it in every build under `cargo test`, not only in one.
    #[serde(default)]
    pub everywhere: bool,
    #[serde(default)]
    buffers: toml::Table,
    launch: Vec<RawLaunch>,
    #[serde(default)]
    compare: toml::Table,
    bench: Option<RawBench>,
}

/// Replacements of `buffers` and `launch` for timing.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawBench {
    /// Buffers that differ.
    #[serde(default)]
    buffers: toml::Table,
    launch: Vec<RawLaunch>,
    small: Option<RawSmall>,
}

/// Replacements of both for a tool that takes thousands of times as long.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawSmall {
    /// Part of the work that the others have: this many times as much.
    times: u32,
    #[serde(default)]
    buffers: toml::Table,
    launch: Vec<RawLaunch>,
}

fn device_standard() -> String {
    "CL2.0".to_owned()
}

fn host_standard() -> String {
    "CL1.2".to_owned()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawLaunch {
    kernel: Option<String>,
    grid: Sizes,
    group: Sizes,
    #[serde(default)]
    args: Vec<toml::Value>,
    reference: Option<String>,
    #[serde(default = "once")]
    repeat: u32,
}

fn once() -> u32 {
    1
}

#[derive(Clone, Copy, Deserialize)]
#[serde(untagged)]
enum Sizes {
    One(u32),
    Two([u32; 2]),
    Three([u32; 3]),
}

impl Sizes {
    fn all(self) -> [u32; 3] {
        match self {
            Sizes::One(x) => [x, 1, 1],
            Sizes::Two([x, y]) => [x, y, 1],
            Sizes::Three(all) => all,
        }
    }
}

/// A buffer that launches share.
pub struct Buffer {
    /// Name in the header.
    pub name: String,
    /// Of its elements.
    pub ty: Type,
    /// Contents before the first launch.
    pub bytes: Vec<u8>,
    /// Rules of comparison; element `i` by the rule `i` modulo their number.
    pub rules: Vec<Tolerance>,
}

/// One launch.
pub struct Launch {
    /// The kernel on the device.
    pub kernel: String,
    /// A kernel that computes the same as one work-item, for what the host's OpenCL does not have.
    pub reference: Option<String>,
    /// Work-items.
    pub grid: [u32; 3],
    /// Work-items of a workgroup.
    pub group: [u32; 3],
    /// In order.
    pub args: Vec<Arg>,
    /// Number of runs.
    pub repeat: u32,
}

/// An argument.
pub enum Arg {
    /// The buffer of this number.
    Buffer(usize),
    /// These bytes.
    Value(Vec<u8>),
    /// Local memory of this size in bytes.
    Local(u32),
    /// No buffer.
    Null,
}

/// Purpose of reading kernels.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To see whether they are right: all of them.
    Test,
    /// To see how fast they are: those that have sizes for it.
    Bench,
    /// To see how fast a slow tool runs them: those that have small sizes for it, see [`Case::times`].
    Small,
}

/// All kernels for a purpose, sorted by name.
///
/// # Errors
/// A file cannot be read, or its header is wrong.
pub fn all(purpose: Purpose) -> Result<Vec<Case>, String> {
    let place = directory();
    let entries = fs::read_dir(&place).map_err(|error| format!("{}: {error}", place.display()))?;
    let mut paths = Vec::new();
    for entry in entries {
        paths.push(
            entry
                .map_err(|error| format!("{}: {error}", place.display()))?
                .path(),
        );
    }
    paths.sort();
    let mut cases = Vec::new();
    for path in paths {
        let language = match path.extension().and_then(|ending| ending.to_str()) {
            Some("cl") => Language::OpenCl,
            Some("hip") => Language::Hip,
            _ => continue,
        };
        let case = Case::read(&path, language, purpose)
            .map_err(|error| format!("{}: {error}", path.display()))?;
        cases.extend(case);
    }
    if cases.is_empty() {
        return Err(format!("{} has no kernels", place.display()));
    }
    Ok(cases)
}

impl Case {
    /// The case of a file, if it has one for the purpose.
    fn read(path: &Path, language: Language, purpose: Purpose) -> Result<Option<Case>, String> {
        let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
        Case::new(path, language, purpose, text)
    }

    /// The case of a file with this text, whose first lines are the header.
    pub fn new(
        path: &Path,
        language: Language,
        purpose: Purpose,
        text: String,
    ) -> Result<Option<Case>, String> {
        let name = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let toml: Vec<&str> = text
            .lines()
            .map(|line| line.strip_prefix(HEADER).unwrap_or(""))
            .collect();
        let mut header: Header =
            toml::from_str(&toml.join("\n")).map_err(|error| error.to_string())?;
        let mut times = 1;
        match (purpose, header.bench.take()) {
            (Purpose::Test, _) => {}
            (Purpose::Bench | Purpose::Small, None) => return Ok(None),
            (Purpose::Bench, Some(bench)) => {
                // What is replaced keeps its place.
                header.buffers.extend(bench.buffers);
                header.launch = bench.launch;
            }
            (Purpose::Small, Some(bench)) => {
                let Some(small) = bench.small else {
                    return Ok(None);
                };
                header.buffers.extend(small.buffers);
                header.launch = small.launch;
                times = small.times;
            }
        }
        let buffers = std::mem::take(&mut header.buffers)
            .iter()
            .map(|(name, value)| buffer(name, value, header.compare.get(name)))
            .collect::<Result<Vec<_>, _>>()?;
        let known = |key: &&String| buffers.iter().all(|buffer| buffer.name != **key);
        if let Some(unknown) = header.compare.keys().find(known) {
            return Err(format!("compare: there is no buffer {unknown}"));
        }
        let launches = std::mem::take(&mut header.launch)
            .into_iter()
            .map(|raw| launch(raw, &name, &buffers))
            .collect::<Result<Vec<_>, _>>()?;
        if buffers.is_empty() && !header.prints {
            return Err("nothing that could be compared".to_owned());
        }
        Ok(Some(Case {
            path: path.to_owned(),
            name,
            text,
            language,
            header,
            buffers,
            launches,
            times,
        }))
    }
}

fn text(value: &toml::Value) -> Result<&str, String> {
    value.as_str().ok_or_else(|| format!("{value} is no text"))
}

fn buffer(name: &str, value: &toml::Value, rules: Option<&toml::Value>) -> Result<Buffer, String> {
    let (ty, bytes) = bytes(text(value)?)?;
    let rules = match rules {
        None => vec![tolerance("exact")?],
        Some(toml::Value::Array(rules)) => rules
            .iter()
            .map(|rule| tolerance(text(rule)?))
            .collect::<Result<Vec<_>, _>>()?,
        Some(rule) => vec![tolerance(text(rule)?)?],
    };
    Ok(Buffer {
        name: name.to_owned(),
        ty,
        bytes,
        rules,
    })
}

fn tolerance(text: &str) -> Result<Tolerance, String> {
    Tolerance::parse(text).ok_or_else(|| {
        format!("`{text}` is no tolerance: exact, 4 ulp, 1e-5 or any, then perhaps ftz")
    })
}

/// The bytes of a value as `gcn run` takes it, with a type.
fn bytes(text: &str) -> Result<(Type, Vec<u8>), String> {
    let wrong = |error: &dyn ToString| format!("`{text}`: {}", error.to_string());
    let spec = Spec::parse(text).map_err(|error| wrong(&error))?;
    match &spec {
        Spec::Numbers {
            ty: Some(ty),
            texts,
            ..
        } => {
            let mut bytes = Vec::new();
            for text in texts {
                bytes.extend(ty.parse(text).map_err(|error| wrong(&error))?.to_bytes());
            }
            Ok((*ty, bytes))
        }
        Spec::Filled { ty, count, fill } => Ok((*ty, fill.bytes(*ty, 0..*count))),
        _ => Err(wrong(&"numbers with a type are wanted")),
    }
}

fn launch(raw: RawLaunch, name: &str, buffers: &[Buffer]) -> Result<Launch, String> {
    Ok(Launch {
        kernel: raw.kernel.unwrap_or_else(|| name.to_owned()),
        reference: raw.reference,
        grid: raw.grid.all(),
        group: raw.group.all(),
        args: raw
            .args
            .iter()
            .map(|value| arg(value, buffers))
            .collect::<Result<Vec<_>, _>>()?,
        repeat: raw.repeat,
    })
}

/// An argument: the name of a buffer, a value, or a list of values that follow each other in a structure.
fn arg(value: &toml::Value, buffers: &[Buffer]) -> Result<Arg, String> {
    if let toml::Value::Array(parts) = value {
        let mut all = Vec::new();
        for part in parts {
            all.extend(bytes(text(part)?)?.1);
        }
        return Ok(Arg::Value(all));
    }
    let text = text(value)?;
    if let Some(index) = buffers.iter().position(|buffer| buffer.name == text) {
        return Ok(Arg::Buffer(index));
    }
    match Spec::parse(text) {
        Ok(Spec::Local(bytes)) => Ok(Arg::Local(bytes)),
        Ok(Spec::Null) => Ok(Arg::Null),
        _ => Ok(Arg::Value(bytes(text)?.1)),
    }
}
