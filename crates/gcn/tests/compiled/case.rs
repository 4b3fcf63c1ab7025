//! Kernel of `tests/kernels/`: source, and header lines that describe how to run it and compare results.

use std::fs;
use std::path::{Path, PathBuf};

use gcn_args::compare::Tolerance;
use gcn_args::spec::Spec;
use gcn_args::value::Type;
use serde::Deserialize;

/// Directory of the kernels.
pub fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/kernels")
}

/// Source with its header.
pub struct Case {
    /// Path of the file.
    pub path: PathBuf,
    /// File name without directory and extension.
    pub name: String,
    /// Contents of the file, which are part of the cache key.
    pub text: String,
    /// Language of the device code.
    pub language: Language,
    /// Parsed lines that start with [`HEADER`].
    pub header: Header,
    /// Buffers in the order of the header.
    pub buffers: Vec<Buffer>,
    /// Launches on the same buffers, in order.
    pub launches: Vec<Launch>,
    /// Ratio of the timed launches' work to that of these launches.
    pub times: u32,
}

/// Language of a kernel. The reference is always OpenCL C in the same file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// `.cl`.
    OpenCl,
    /// `.hip`, with the reference kernel in code for the OpenCL compiler only.
    Hip,
}

/// Prefix of header lines, which are TOML.
const HEADER: &str = "//!";

/// Header; `tests/README.md` describes the keys.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// OpenCL C version for the device compiler, as in `-cl-std`.
    #[serde(default = "device_standard")]
    pub std: String,
    /// OpenCL C version for the host compiler, which does not support some later versions.
    #[serde(default = "host_standard")]
    pub host_std: String,
    /// Additional options for both compilers.
    #[serde(default)]
    pub options: Vec<String>,
    /// Additional options for the device compiler.
    #[serde(default)]
    pub device_options: Vec<String>,
    /// Device libraries that the compiler does not link by default.
    #[serde(default)]
    pub libraries: Vec<String>,
    /// Targets, compilers or both (`gfx600`, `clang-14`, `gfx600 clang-14`) that do not support the kernel, with the
    /// reason.
    #[serde(default)]
    pub except: toml::Table,
    /// Additional code object versions to build.
    #[serde(default)]
    pub versions: Vec<u32>,
    /// True to also compare the kernel's printed output.
    #[serde(default)]
    pub prints: bool,
    /// Intended findings of `gcn check`: names, with the reason.
    #[serde(default)]
    pub findings: toml::Table,
    /// Findings caused by compilers, keyed by build like `except`: names separated by spaces. A build need not have
    /// them.
    #[serde(default)]
    pub build_findings: toml::Table,
    /// True to run the kernel in every build under `cargo test`, not only in one.
    #[serde(default)]
    pub everywhere: bool,
    #[serde(default)]
    buffers: toml::Table,
    launch: Vec<RawLaunch>,
    #[serde(default)]
    compare: toml::Table,
    bench: Option<RawBench>,
}

/// Replacements for `buffers` and `launch` in benchmarks.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawBench {
    /// Buffers that differ.
    #[serde(default)]
    buffers: toml::Table,
    launch: Vec<RawLaunch>,
    small: Option<RawSmall>,
}

/// Replacements for `buffers` and `launch` for timing a tool that is thousands of times slower.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawSmall {
    /// Ratio of the work of the launches in [`RawBench`] to the work of these.
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

/// Buffer shared by launches.
pub struct Buffer {
    /// Name in the header.
    pub name: String,
    /// Element type.
    pub ty: Type,
    /// Initial contents.
    pub bytes: Vec<u8>,
    /// Tolerances, applied to the elements cyclically.
    pub rules: Vec<Tolerance>,
}

/// Launch of a kernel.
pub struct Launch {
    /// Kernel on the device.
    pub kernel: String,
    /// Kernel that computes the same results in a single work-item, without features that the host's OpenCL lacks.
    pub reference: Option<String>,
    /// Grid size in work-items.
    pub grid: [u32; 3],
    /// Workgroup size in work-items.
    pub group: [u32; 3],
    /// Arguments, in order.
    pub args: Vec<Arg>,
    /// Number of runs.
    pub repeat: u32,
}

/// Argument of a launch.
pub enum Arg {
    /// Buffer, by index.
    Buffer(usize),
    /// Bytes of a value.
    Value(Vec<u8>),
    /// Local memory of this size in bytes.
    Local(u32),
    /// Null pointer.
    Null,
}

/// Purpose of reading kernels, which determines the kernels to read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Testing results of all kernels.
    Test,
    /// Timing kernels that have sizes for timing.
    Bench,
    /// Timing kernels that have small sizes, with a slow tool; see [`Case::times`].
    Small,
}

/// Reads all kernels for a purpose, sorted by name.
///
/// # Errors
/// Fails if a file cannot be read, or its header is invalid.
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
    /// Reads the case in a file; `None` if it has none for the purpose.
    fn read(path: &Path, language: Language, purpose: Purpose) -> Result<Option<Case>, String> {
        let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
        Case::new(path, language, purpose, text)
    }

    /// Parses a file that starts with a header; `None` if it has no case for the purpose.
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
                // A replaced buffer keeps its position.
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

/// Bytes of a typed value in the syntax of `gcn run`.
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

/// Parses an argument: the name of a buffer, a value, or a list of values for a structure.
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
