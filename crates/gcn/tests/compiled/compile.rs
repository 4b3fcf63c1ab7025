//! Code objects from sources, by the compilers of Debian, kept until source or command changes.

use std::collections::BTreeSet;
use std::collections::hash_map::DefaultHasher;
use std::fmt;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::case::{Case, Language};

/// The targets that every kernel runs on.
pub const TARGETS: [&str; 5] = ["gfx600", "gfx700", "gfx803", "gfx900", "gfx906"];
/// The levels of optimisation.
pub const LEVELS: [&str; 2] = ["-O0", "-O2"];
/// Debian's directory of the device libraries, package rocm-device-libs.
const BITCODE: &str = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode";

/// A compiler with the version of code objects it is to write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Compiler {
    /// Clang's version, as in the package's name.
    pub clang: u32,
    /// Version of the code object.
    pub version: u32,
}

/// The compilers that every kernel is built by.
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
/// The first code object version that Clang 14 does not write.
const FIRST_OF_CLANG_19: u32 = 4;

impl Compiler {
    /// The compiler for another version of code objects.
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

/// A way to build a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Build {
    /// With what.
    pub compiler: Compiler,
    /// Level of optimisation.
    pub level: &'static str,
    /// For which GPU.
    pub target: &'static str,
}

impl fmt::Display for Build {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.target, self.compiler, self.level)
    }
}

impl Build {
    /// Reason for which this kernel cannot be built so, if it cannot.
    pub fn exception<'a>(&self, case: &'a Case) -> Option<&'a str> {
        self.entries(&case.header.except).next()
    }

    /// Names of findings that the compiler has made, which this build of a kernel may have.
    pub fn findings(&self, case: &Case) -> BTreeSet<String> {
        let names = self.entries(&case.header.build_findings);
        names
            .flat_map(str::split_whitespace)
            .map(str::to_owned)
            .collect()
    }

    /// The texts of a table by targets, compilers, levels or several (`gfx600`, `clang-14 -O0`) that concern this build.
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

/// Directory of everything that is made of the kernels.
pub fn cache() -> Result<PathBuf, String> {
    // No other test has a directory of this name, which it would empty.
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compiled-kernels");
    fs::create_dir_all(&place).map_err(|error| format!("{}: {error}", place.display()))?;
    Ok(place)
}

/// A name for what depends on nothing but `parts`.
pub fn fingerprint(parts: impl Hash) -> String {
    let mut hasher = DefaultHasher::new();
    parts.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// Lines of a failing command's messages that are shown.
const MESSAGE_LINES: usize = 6;

/// Failure of a command.
pub enum RunError {
    /// The command is not installed, or cannot be started.
    Missing(String),
    /// The command fails; what it says.
    Failed(String),
}

impl From<RunError> for String {
    fn from(error: RunError) -> String {
        match error {
            RunError::Missing(message) | RunError::Failed(message) => message,
        }
    }
}

/// Runs a command to its end.
///
/// # Errors
/// It cannot be run, or fails.
pub fn run(command: &mut Command) -> Result<Vec<u8>, RunError> {
    run_to(command, &[0])
}

/// Runs a command that may end with some exit statuses; its standard output.
///
/// # Errors
/// As [`run`], with another status.
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
    // A compiler that crashes says more than anyone reads.
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

/// A code object with the compiler that has made it.
pub struct Built {
    /// The file.
    pub object: PathBuf,
    /// Clang's version.
    pub clang: u32,
}

/// The code object of a kernel, built now or earlier. Clang 14 crashes on some, with device libraries that are newer
/// than itself; Clang 15 builds those.
///
/// # Errors
/// The compiler's or linker's messages.
pub fn build(case: &Case, build: Build) -> Result<Built, String> {
    let built = |clang, object| Built { object, clang };
    let first = build.compiler.clang;
    match build_by(case, build, first) {
        Ok(object) => Ok(built(first, object)),
        Err(RunError::Failed(_)) if first == 14 => Ok(built(15, build_by(case, build, 15)?)),
        Err(error) => Err(error.into()),
    }
}

/// Builds so far, which number their files.
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
    // Another thread may build the same.
    let number = BUILDS.fetch_add(1, Relaxed);
    let object = place.with_extension(format!("{}-{number}.o", std::process::id()));
    for mut step in steps(&object) {
        let done = run(&mut step);
        if let Err(RunError::Failed(message)) = &done {
            // It takes seconds to crash, and will do so again.
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
    // Another process may do the same; what both write is the same.
    fs::rename(&linked, &place).map_err(io)?;
    fs::remove_file(&object).map_err(io)?;
    Ok(place)
}

/// The commands that make the relocatable object.
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
    // The lowering of printf runs from -O1 on.
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
        // The driver links a printf that does nothing, and knows no libraries for the newest version.
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
        // Its lowering of printf crashes on opaque pointers.
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
    // Clang 14 and 15 link no libraries to bitcode; from 19 on it does.
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
