//! Compiles kernels with Debian's compilers. Results are cached until the source or the command changes.

use std::collections::BTreeSet;
use std::collections::hash_map::DefaultHasher;
use std::fmt;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::case::{Case, Language};

/// Targets on which every kernel runs.
pub const TARGETS: [&str; 5] = ["gfx600", "gfx700", "gfx803", "gfx900", "gfx906"];
/// Optimisation levels.
pub const LEVELS: [&str; 2] = ["-O0", "-O2"];
/// Directory of the device libraries in Debian's package rocm-device-libs.
const BITCODE: &str = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode";

/// Clang, and the code object version that it writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Compiler {
    /// Version of Clang, as in the package name.
    pub clang: u32,
    /// Code object version.
    pub version: u32,
}

/// Compilers that build every kernel.
pub const COMPILERS: [Compiler; 2] = [
    Compiler {
        clang: 14,
        version: 4,
    },
    Compiler {
        clang: 19,
        version: 5,
    },
];
/// Lowest code object version that Clang 19 supports.
const FIRST_OF_CLANG_19: u32 = 4;

impl Compiler {
    /// Compiler for a code object version.
    pub fn for_version(version: u32) -> Compiler {
        let clang = if version < FIRST_OF_CLANG_19 { 14 } else { 19 };
        Compiler { clang, version }
    }
}

impl fmt::Display for Compiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "clang-{}", self.clang)?;
        if COMPILERS.contains(self) {
            Ok(())
        } else {
            write!(f, " v{}", self.version)
        }
    }
}

/// Build configuration of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Build {
    /// Compiler of the build.
    pub compiler: Compiler,
    /// Optimisation level.
    pub level: &'static str,
    /// Target of the build.
    pub target: &'static str,
}

impl fmt::Display for Build {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.target, self.compiler, self.level)
    }
}

impl Build {
    /// Reason why a kernel does not support this build; `None` if it does.
    pub fn exception<'a>(&self, case: &'a Case) -> Option<&'a str> {
        self.entries(&case.header.except).next()
    }

    /// Names of findings that the compiler may cause in this build of a kernel.
    pub fn findings(&self, case: &Case) -> BTreeSet<String> {
        let names = self.entries(&case.header.build_findings);
        names
            .flat_map(str::split_whitespace)
            .map(str::to_owned)
            .collect()
    }

    /// Entries of a table by target, compiler, level or several of them (`gfx600`, `clang-14 -O0`) that apply to this
    /// build.
    fn entries<'a>(&self, table: &'a toml::Table) -> impl Iterator<Item = &'a str> {
        let own = format!("{self}");
        let applies = move |key: &str| {
            let own: Vec<&str> = own.split_whitespace().collect();
            key.split_whitespace().all(|word| own.contains(&word))
        };
        let entries = table.iter().filter(move |(key, _)| applies(key));
        entries.map(|(_, text)| text.as_str().unwrap_or_default())
    }
}

/// Directory for all compiled files.
pub fn cache() -> Result<PathBuf, String> {
    // The name must be unique, since other tests empty their directories.
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compiled-kernels");
    fs::create_dir_all(&place).map_err(|error| format!("{}: {error}", place.display()))?;
    Ok(place)
}

/// Hash of `parts`, for file names.
pub fn fingerprint(parts: impl Hash) -> String {
    let mut hasher = DefaultHasher::new();
    parts.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// Maximum number of lines shown from a failing command's messages.
const MESSAGE_LINES: usize = 6;

/// Failure of a command.
pub enum RunError {
    /// The command is not installed or cannot be started.
    Missing(String),
    /// The command failed with these messages.
    Failed(String),
}

impl From<RunError> for String {
    fn from(error: RunError) -> String {
        match error {
            RunError::Missing(message) | RunError::Failed(message) => message,
        }
    }
}

/// Runs a command, and returns its standard output.
///
/// # Errors
/// Fails if the command cannot be started, or exits with an error.
pub fn run(command: &mut Command) -> Result<Vec<u8>, RunError> {
    run_to(command, &[0])
}

/// Runs a command that may exit with one of several statuses, and returns its standard output.
///
/// # Errors
/// Fails if the command cannot be started, or exits with another status.
pub fn run_to(command: &mut Command, statuses: &[i32]) -> Result<Vec<u8>, RunError> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| {
        RunError::Missing(format!(
            "cannot run {name} ({error}); `cargo xtask tools` installs it"
        ))
    })?;
    if output
        .status
        .code()
        .is_some_and(|it| statuses.contains(&it))
    {
        return Ok(output.stdout);
    }
    let text = String::from_utf8_lossy(&output.stderr);
    // Select the relevant lines: a crashing compiler prints many others.
    let telling = |line: &&str| line.contains("error") || line.contains("fault");
    let mut lines: Vec<&str> = text.lines().filter(telling).collect();
    if lines.is_empty() {
        lines = text.lines().collect();
    }
    lines.truncate(MESSAGE_LINES);
    Err(RunError::Failed(format!(
        "{name}: {}\n{}",
        output.status,
        lines.join("\n")
    )))
}

/// Code object with the compiler that built it.
pub struct CompiledKernel {
    /// Path of the code object.
    pub object: PathBuf,
    /// Version of Clang.
    pub clang: u32,
}

/// Builds a kernel, or returns the cached code object. Clang 14 crashes on some kernels with newer device libraries;
/// Clang 15 builds those.
///
/// # Errors
/// Returns the compiler's or linker's messages.
pub fn build(case: &Case, build: Build) -> Result<CompiledKernel, String> {
    let built = |clang, object| CompiledKernel { object, clang };
    let first = build.compiler.clang;
    match build_by(case, build, first) {
        Ok(object) => Ok(built(first, object)),
        Err(RunError::Failed(_)) if first == 14 => Ok(built(15, build_by(case, build, 15)?)),
        Err(error) => Err(error.into()),
    }
}

/// Number of builds so far, used in file names.
static BUILDS: AtomicU32 = AtomicU32::new(0);

fn build_by(case: &Case, build: Build, clang: u32) -> Result<PathBuf, RunError> {
    let io = |error: std::io::Error| RunError::Missing(error.to_string());
    let steps = |object: &Path| steps(case, build, clang, object);
    let name = fingerprint((&case.text, format!("{:?}", steps(Path::new("")))));
    let directory = cache().map_err(RunError::Missing)?;
    let place = directory.join(format!("{}-{name}.co", case.name));
    if place.exists() {
        return Ok(place);
    }
    let failure = place.with_extension("failure");
    if let Ok(message) = fs::read_to_string(&failure) {
        return Err(RunError::Failed(message));
    }
    // Another thread may build the same kernel.
    let number = BUILDS.fetch_add(1, Relaxed);
    let object = place.with_extension(format!("{}-{number}.o", std::process::id()));
    for mut step in steps(&object) {
        let done = run(&mut step);
        if let Err(RunError::Failed(message)) = &done {
            // The compiler takes seconds to crash, and would crash again.
            fs::write(&failure, message).map_err(io)?;
        }
        done?;
    }
    let linked = object.with_extension("linked");
    run(Command::new("ld.lld-19")
        .arg("-shared")
        .arg(&object)
        .arg("-o")
        .arg(&linked))?;
    // Another process may write the same contents to this path.
    fs::rename(&linked, &place).map_err(io)?;
    fs::remove_file(&object).map_err(io)?;
    Ok(place)
}

/// Commands that build the relocatable object.
fn steps(case: &Case, build: Build, clang: u32, object: &Path) -> Vec<Command> {
    let Build {
        compiler,
        level,
        target,
    } = build;
    let mut front = Command::new(match case.language {
        Language::OpenCl => format!("clang-{}", clang),
        Language::Hip => format!("clang++-{}", clang),
    });
    match case.language {
        Language::OpenCl => front
            .args(["-x", "cl", "-target", "amdgcn-amd-amdhsa"])
            .arg(format!("-cl-std={}", case.header.std))
            .arg(format!("-mcpu={target}")),
        Language::Hip => front
            .args(["-x", "hip", "--cuda-device-only", "--no-gpu-bundle-output"])
            .args(["-nogpuinc", "-fgpu-rdc"])
            .arg(format!("--offload-arch={target}")),
    };
    // LLVM lowers printf only from -O1 on.
    let front_level = if case.header.prints && level == "-O0" {
        "-O1"
    } else {
        level
    };
    front
        .arg(front_level)
        .args(&case.header.options)
        .args(&case.header.device_options);
    let version = format!("-mcode-object-version={}", compiler.version);
    front.arg(&version);
    let mut libraries: Vec<String> = Vec::new();
    let stem = |name: &str| format!("{BITCODE}/{name}.bc");
    let by_hand = case.header.prints || case.language == Language::Hip || compiler.version >= 6;
    if by_hand {
        // Clang's driver links a printf that does nothing, and does not find the libraries for code object version 6.
        let number = target.trim_start_matches("gfx");
        let names = [
            "opencl",
            "hip",
            "ocml",
            "ockl",
            "oclc_correctly_rounded_sqrt_on",
            "oclc_daz_opt_off",
            "oclc_finite_only_off",
            "oclc_unsafe_math_off",
            "oclc_wavefrontsize64_on",
        ];
        let skipped = if case.language == Language::Hip {
            "opencl"
        } else {
            "hip"
        };
        libraries.extend(
            names
                .iter()
                .filter(|name| {
                    **name != skipped || case.header.libraries.iter().any(|l| l == *name)
                })
                .map(|n| stem(n)),
        );
        libraries.push(stem(&format!("oclc_isa_version_{number}")));
        let abi = if compiler.version >= 5 { 500 } else { 400 };
        libraries.push(stem(&format!("oclc_abi_version_{abi}")));
    } else if compiler.version < 5 {
        libraries.push(stem("oclc_abi_version_400"));
    }
    if clang == 14 && !by_hand {
        // The loop vectoriser crashes on opaque pointers.
        front.args([
            "-mllvm",
            "-opaque-pointers",
            "-fno-vectorize",
            "-fno-crash-diagnostics",
        ]);
    }
    if clang == 15 && by_hand {
        // Clang 15's lowering of printf crashes on opaque pointers.
        front.args(["-Xclang", "-no-opaque-pointers"]);
    }
    let link = |command: &mut Command, libraries: &[String]| {
        for library in libraries {
            command
                .args(["-Xclang", "-mlink-builtin-bitcode", "-Xclang"])
                .arg(library);
        }
    };
    if !by_hand {
        front
            .arg("--rocm-path=/usr")
            .arg(format!("--rocm-device-lib-path={BITCODE}"));
        link(&mut front, &libraries);
        front.arg("-c").arg(&case.path).arg("-o").arg(object);
        return vec![front];
    }
    let bitcode = object.with_extension("bc");
    front
        .args(["-nogpulib", "-emit-llvm", "-c"])
        .arg(&case.path)
        .arg("-o")
        .arg(&bitcode);
    // Clang 14 and 15 do not link libraries into bitcode; Clang 19 does.
    let mut back = Command::new("clang-19");
    back.args(["-x", "ir", "-target", "amdgcn-amd-amdhsa", "-nogpulib"])
        .arg(format!("-mcpu={target}"))
        .arg(level)
        .arg(&version);
    link(&mut back, &libraries);
    back.arg("-c").arg(&bitcode).arg("-o").arg(object);
    let mut remove = Command::new("rm");
    remove.arg(&bitcode);
    vec![front, back, remove]
}
