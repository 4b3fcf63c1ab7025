//! Builds the compiler commands for a source.
//!
//! The first step compiles the source to unoptimized bitcode. The last step links it with the device libraries, optimizes
//! and compiles it, so the optimizer runs once and on all code, as in a single step. A single step would link the device
//! library's printf stub before lowering OpenCL's calls to printf, so a separate step lowers them.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::error::CompileError;
use super::request::{CompilerInput, LINE_TABLES, Language, Product, Request};
use super::toolchain::{ROCM_VARIABLE, Toolchain};

/// First version of Clang that can link bitcode libraries into bitcode. Older versions compile in one step and lose the
/// output of OpenCL's printf.
const FIRST_OF_TWO_STEPS: u32 = 17;
/// First version of Clang that supports code object version 5.
const FIRST_OF_VERSION_5: u32 = 15;
/// Option that selects the code object version.
const CODE_OBJECT_VERSION: &str = "-mcode-object-version=";
/// OpenCL option that disables optimizations. Clang does not treat it as an optimization level, so the default level
/// would override it.
const UNOPTIMISED: &str = "-cl-opt-disable";
/// Target triple.
const TRIPLE: &str = "amdgcn-amd-amdhsa";
/// Option that disables the optimizer.
const NO_PASSES: [&str; 2] = ["-Xclang", "-disable-llvm-passes"];
/// Options that silence warnings about options that the first step has reported or that only the preprocessor uses.
const NO_WARNINGS_OF_OPTIONS: [&str; 4] = [
    "-Wno-deprecated",
    "-Wno-ignored-optimization-argument",
    "-Wno-unknown-warning-option",
    "-Wno-unused-command-line-argument",
];
/// Prefixes of options that apply only to sources. Clang warns about them when it compiles bitcode.
const OF_SOURCES: [&str; 1] = ["--gpu-max-threads-per-block="];
/// Option that links a bitcode module. Passing a module to two compilation steps would define its symbols twice.
const LINK_MODULE: &str = "-mlink-bitcode-file";
/// Option that makes symbols internal, so that unused functions and variables are removed. Clang passes it for HIP.
const INTERNALIZE: [&str; 2] = ["-mllvm", "-amdgpu-internalize-symbols"];
/// Name of the function whose calls must be lowered.
const PRINTF: &[u8] = b"printf";
/// Environment variables that affect Clang's driver, but do not appear in the options that it prints.
const DRIVER_VARIABLES: [&str; 2] = ["CCC_OVERRIDE_OPTIONS", "COMPILER_PATH"];
/// Attribute names that HIP's headers define, for sources that do not include them.
const HIP_NAMES: [(&str, &str); 5] = [
    ("__global__", "global"),
    ("__device__", "device"),
    ("__host__", "host"),
    ("__shared__", "shared"),
    ("__constant__", "constant"),
];

/// Returns the file name of a bitcode module in the compiler's working directory.
pub(super) fn module_name(number: usize) -> String {
    format!("module{number}.bc")
}

/// True if debug information must contain the source, because the source is text without a file.
pub(super) fn embeds_source(request: &Request<'_>) -> bool {
    let options = || request.options.iter().filter_map(|option| option.to_str());
    // DWARF versions before the default cannot embed a source.
    matches!(request.source, CompilerInput::Text(_))
        && request.language != Language::Ir
        && options().any(|option| option == "-g" || option == LINE_TABLES)
        && !options().any(|option| option.starts_with("-gdwarf"))
}

/// Compiler commands for a request, without file names.
pub(super) struct CompilerCommands {
    clang: PathBuf,
    /// Arguments for compiling the source.
    front: Vec<OsString>,
    source: OsString,
    /// Arguments for lowering printf in bitcode, if that is a separate step.
    lower: Option<Vec<OsString>>,
    /// Arguments for compiling the bitcode, unless an earlier step writes the product.
    back: Option<Vec<OsString>>,
}

/// Compiler command of a build.
pub(super) struct CompilerStep {
    /// Arguments for Clang.
    pub arguments: Vec<OsString>,
    /// Command in shell syntax, with short file names.
    pub shown: String,
    /// True if only bitcode that [calls printf](calls_printf) needs this step.
    pub lowers_printf: bool,
}

/// True if bitcode may call printf. Its string table contains symbol names as bytes.
pub(super) fn calls_printf(bitcode: &[u8]) -> bool {
    contains(bitcode, PRINTF)
}

impl CompilerCommands {
    /// Builds the commands. `text` is searched for language features that require options.
    ///
    /// # Errors
    /// Fails if there is no device library for the target.
    pub fn new(
        toolchain: &Toolchain,
        request: &Request<'_>,
        text: &[u8],
    ) -> Result<CompilerCommands, CompileError> {
        let options = ClangOptions::new(request.options);
        let newest = toolchain.version.unwrap_or(u32::MAX);
        let version = options
            .code_object
            .unwrap_or(if newest < FIRST_OF_VERSION_5 { 4 } else { 5 });
        let (processor, _) = request
            .target()
            .split_once(':')
            .unwrap_or((request.target(), ""));
        let library = format!(
            "oclc_isa_version_{}.bc",
            processor.trim_start_matches("gfx")
        );
        if !toolchain.libraries.join(&library).is_file() {
            return Err(CompileError::NoLibraryForTarget {
                directory: toolchain.libraries.clone(),
                target: processor.to_owned(),
            });
        }
        let mut common: Vec<OsString> = Vec::new();
        if options.code_object.is_none() {
            common.push(format!("{CODE_OBJECT_VERSION}{version}").into());
        }
        common.push("-fno-discard-value-names".into());
        if request.colour {
            common.push("-fcolor-diagnostics".into());
        }
        let for_target = || -> [OsString; 3] {
            [
                "-target".into(),
                TRIPLE.into(),
                format!("-mcpu={}", request.target()).into(),
            ]
        };
        let mut front: Vec<OsString> = Vec::new();
        match request.language {
            Language::OpenClC | Language::OpenClCpp => {
                let (name, standard) = match request.language {
                    Language::OpenClCpp => ("clcpp", "CLC++2021"),
                    _ => ("cl", "CL2.0"),
                };
                front.extend(["-x", name].map(OsString::from));
                front.extend(for_target());
                front.push("-cl-kernel-arg-info".into());
                if !options.has_standard {
                    front.push(format!("-cl-std={standard}").into());
                }
            }
            Language::Hip => {
                front.extend(
                    ["-x", "hip", "--cuda-device-only", "--no-gpu-bundle-output"]
                        .map(OsString::from),
                );
                front.push(format!("--offload-arch={}", request.target()).into());
                front.extend(hip_headers(text));
            }
            Language::Ir => {
                front.extend(["-x", "ir"].map(OsString::from));
                front.extend(for_target());
            }
        }
        let level = options.level.clone().unwrap_or_else(|| "-O2".into());
        let has_steps = newest >= FIRST_OF_TWO_STEPS && request.language != Language::Ir;
        // Clang does not lower printf at -O0.
        let front_level = if !has_steps && level == "-O0" && contains(text, PRINTF) {
            "-O1".into()
        } else {
            level.clone()
        };
        front.push(front_level);
        front.extend(common.iter().cloned());
        front.extend(options.others.iter().cloned());
        if embeds_source(request) {
            front.push("-gembed-source".into());
        }
        let source = match request.source {
            CompilerInput::File(path) => path.as_os_str().to_owned(),
            CompilerInput::Text(_) => "-".into(),
            CompilerInput::Bitcode(modules) => {
                for number in 1..modules.len() {
                    let link = ["-Xclang", LINK_MODULE, "-Xclang"];
                    front.extend(link.map(OsString::from));
                    front.push(module_name(number).into());
                }
                module_name(0).into()
            }
        };
        let libraries = || {
            let names = libraries(request.language, &options, version, &library);
            let paths = names.into_iter().map(|name| toolchain.libraries.join(name));
            let link = ["-Xclang", "-mlink-builtin-bitcode", "-Xclang"].map(OsString::from);
            paths.flat_map(move |path| link.clone().into_iter().chain([path.into_os_string()]))
        };
        let bitcode = || -> Vec<OsString> {
            let mut arguments: Vec<OsString> = ["-x", "ir", "-nogpulib"].map(OsString::from).into();
            arguments.extend(for_target());
            arguments
        };
        let mut back = None;
        if request.product == Product::Bitcode {
            front.extend(["-nogpulib", "-emit-llvm", "-c"].map(OsString::from));
        } else if request.language == Language::Ir {
            front.push("-nogpulib".into());
            front.extend(libraries());
        } else if has_steps {
            front.extend(["-nogpulib", "-emit-llvm"].map(OsString::from));
            let mut arguments = bitcode();
            arguments.push(level.clone());
            arguments.extend(common.iter().cloned());
            if request.language == Language::Hip {
                arguments.extend(INTERNALIZE.map(OsString::from));
            }
            arguments.extend(of_bitcode(&options.others));
            arguments.extend(NO_WARNINGS_OF_OPTIONS.map(OsString::from));
            arguments.extend(libraries());
            back = Some(arguments);
        } else {
            let mut directory = OsString::from("--rocm-device-lib-path=");
            directory.push(&toolchain.libraries);
            front.extend(["--rocm-path=/usr".into(), directory]);
        }
        let mut lower = None;
        if has_steps {
            front.extend(NO_PASSES.map(OsString::from));
            // Clang's front end lowers HIP's printf.
            if request.language != Language::Hip {
                let mut arguments = bitcode();
                // Without any optimization, Clang would link a stub for the remaining declaration of printf and fail to
                // compile it. The optimizer removes the declaration, and skips functions compiled at -O0.
                let is_optimized = level != "-O0";
                arguments.push(if is_optimized { "-O0" } else { "-O1" }.into());
                arguments.extend(common);
                arguments.push("-emit-llvm".into());
                lower = Some(arguments);
            }
        }
        Ok(CompilerCommands {
            clang: toolchain.clang.clone(),
            front,
            source,
            lower,
            back,
        })
    }

    /// Returns a string that changes with the commands, the path of the source, the environment or the toolchain.
    pub fn identity(&self, toolchain: &Toolchain) -> String {
        let path = std::path::absolute(&self.source).unwrap_or_default();
        let directory = std::env::current_dir().unwrap_or_default();
        let environment = DRIVER_VARIABLES.map(std::env::var_os);
        format!(
            "{}\n{:?}\n{:?}\n{:?}\n{:?}\n{:?}\n{:?}",
            toolchain.identity(),
            self.front,
            self.lower,
            self.back,
            path,
            directory,
            environment,
        )
    }

    /// Returns arguments for printing the preprocessed source to standard output, and Clang's version and effective options
    /// to standard error. Returns `None` for [`Language::Ir`], which is not preprocessed.
    pub fn preprocessing(&self) -> Option<Vec<OsString>> {
        let mut arguments = self.front.clone();
        arguments.extend(["-E".into(), "-v".into(), self.source.clone()]);
        (!self.is_ir()).then_some(arguments)
    }

    fn is_ir(&self) -> bool {
        self.front.get(1).is_some_and(|language| language == "ir")
    }

    /// Returns the steps for the given names of output files. The first step writes the list of dependencies.
    pub fn steps(&self, bitcode: &Path, code: &Path, dependencies: &Path) -> Vec<CompilerStep> {
        // Since version 21, Clang ignores `-MF` if it compiles HIP to bitcode.
        let list = [
            "-Xclang".into(),
            "-dependency-file".into(),
            "-Xclang".into(),
            dependencies.as_os_str().to_owned(),
            "-Xclang".into(),
            "-sys-header-deps".into(),
            "-Xclang".into(),
            "-MT".into(),
            "-Xclang".into(),
            "code".into(),
        ];
        let mut commands = self.commands(bitcode.as_os_str(), code.as_os_str());
        // Clang does not list dependencies for IR.
        if let Some((first, _)) = commands.first_mut().filter(|_| !self.is_ir()) {
            first.extend(list);
        }
        let shown = self.commands(OsStr::new("kernel.bc"), OsStr::new("kernel.co"));
        let steps = commands.into_iter().zip(shown);
        steps
            .map(|((arguments, lowers_printf), (shown, _))| {
                let words = std::iter::once(self.clang.as_os_str())
                    .chain(shown.iter().map(OsString::as_os_str));
                CompilerStep {
                    arguments,
                    shown: words.map(quoted).collect::<Vec<_>>().join(" "),
                    lowers_printf,
                }
            })
            .collect()
    }

    /// Returns the arguments of each command, with true for the one that only lowers printf.
    fn commands(&self, bitcode: &OsStr, code: &OsStr) -> Vec<(Vec<OsString>, bool)> {
        let step = |arguments: &[OsString], more: &[&OsStr]| -> Vec<OsString> {
            let more = more.iter().map(|word| OsString::from(*word));
            arguments.iter().cloned().chain(more).collect()
        };
        let (output, compile) = (OsStr::new("-o"), OsStr::new("-c"));
        let is_last = self.back.is_none();
        let first = match is_last {
            true => step(&self.front, &[&self.source, output, code]),
            false => step(&self.front, &[compile, &self.source, output, bitcode]),
        };
        let mut steps = vec![(first, false)];
        if let Some(lower) = &self.lower {
            let file = if is_last { code } else { bitcode };
            steps.push((step(lower, &[compile, file, output, file]), true));
        }
        if let Some(back) = &self.back {
            steps.push((step(back, &[bitcode, output, code]), false));
        }
        steps
    }
}

/// Returns the options of a source that also apply to its bitcode.
fn of_bitcode(options: &[OsString]) -> Vec<OsString> {
    let mut kept: Vec<OsString> = Vec::new();
    let mut options = options.iter();
    while let Some(option) = options.next() {
        let text = option.to_str().unwrap_or_default();
        if text == LINK_MODULE && kept.last().is_some_and(|it| it == NO_PASSES[0]) {
            // `-Xclang -mlink-bitcode-file -Xclang FILE`.
            kept.pop();
            options.nth(1);
        } else if !OF_SOURCES.iter().any(|it| text.starts_with(it)) {
            kept.push(option.clone());
        }
    }
    kept
}

/// Options of a request, and choices that depend on them.
struct ClangOptions {
    /// Last `-O…` option; `-O0` for [`UNOPTIMISED`].
    level: Option<OsString>,
    /// Requested code object version.
    code_object: Option<u32>,
    /// True if an option specifies the language version.
    has_standard: bool,
    /// True if an option allows inexact math, assumes finite numbers, or flushes denormals.
    unsafe_math: bool,
    finite_only: bool,
    flushes: bool,
    /// All options except the optimization level.
    others: Vec<OsString>,
}

impl ClangOptions {
    fn new(given: &[OsString]) -> ClangOptions {
        let texts = || given.iter().filter_map(|option| option.to_str());
        let has = |names: &[&str]| texts().any(|option| names.contains(&option));
        let version = |option: &str| option.strip_prefix(CODE_OBJECT_VERSION)?.parse().ok();
        let is_level = |option: &&OsString| {
            option
                .to_str()
                .is_some_and(|option| option.starts_with("-O") || option == UNOPTIMISED)
        };
        let level = given.iter().rfind(is_level).cloned();
        let fast = ["-cl-fast-relaxed-math", "-ffast-math"];
        ClangOptions {
            level: level.map(|it| if it == UNOPTIMISED { "-O0".into() } else { it }),
            code_object: texts().filter_map(version).next_back(),
            has_standard: texts().any(|option| option.starts_with("-cl-std=")),
            unsafe_math: has(&fast)
                || has(&[
                    "-cl-unsafe-math-optimizations",
                    "-funsafe-math-optimizations",
                ]),
            finite_only: has(&fast) || has(&["-cl-finite-math-only", "-ffinite-math-only"]),
            flushes: has(&["-cl-denorms-are-zero", "-fgpu-flush-denormals-to-zero"]),
            others: given
                .iter()
                .filter(|option| !is_level(option))
                .cloned()
                .collect(),
        }
    }
}

/// Returns the names of the device libraries to link.
fn libraries(language: Language, options: &ClangOptions, version: u32, isa: &str) -> Vec<String> {
    let on = |condition: bool| if condition { "on" } else { "off" };
    let own: &[&str] = match language {
        Language::Hip => &["hip.bc"],
        Language::OpenClC | Language::OpenClCpp => &["opencl.bc"],
        Language::Ir => &["opencl.bc", "hip.bc"],
    };
    let mut names: Vec<String> = own.iter().map(|name| (*name).to_owned()).collect();
    names.extend(["ocml.bc".to_owned(), "ockl.bc".to_owned()]);
    names.push("oclc_correctly_rounded_sqrt_on.bc".to_owned());
    names.push(format!("oclc_daz_opt_{}.bc", on(options.flushes)));
    names.push(format!("oclc_finite_only_{}.bc", on(options.finite_only)));
    names.push(format!("oclc_unsafe_math_{}.bc", on(options.unsafe_math)));
    names.push("oclc_wavefrontsize64_on.bc".to_owned());
    names.push(isa.to_owned());
    // Version 6 has the same implicit arguments as version 5.
    let abi = if version >= 5 { 500 } else { 400 };
    names.push(format!("oclc_abi_version_{abi}.bc"));
    names
}

/// Returns the options for HIP's headers if a source includes them, or else options that define the names of HIP's
/// attributes.
fn hip_headers(text: &[u8]) -> Vec<OsString> {
    if contains(text, b"hip/") {
        let rocm = std::env::var_os(ROCM_VARIABLE).unwrap_or_else(|| "/usr".into());
        let mut path = OsString::from("--rocm-path=");
        path.push(rocm);
        return vec![path];
    }
    let mut options: Vec<OsString> = vec!["-nogpuinc".into()];
    for (name, attribute) in HIP_NAMES {
        options.push(format!("-D{name}=__attribute__(({attribute}))").into());
    }
    options
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

/// Quotes a word for the shell.
fn quoted(word: &OsStr) -> String {
    let text = word.to_string_lossy();
    let needs_no_quotes = |c: char| c.is_ascii_alphanumeric() || "-_=+./:,@%".contains(c);
    if !text.is_empty() && text.chars().all(needs_no_quotes) {
        text.into_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_a_shell() {
        for (word, expected) in [
            ("-O2", "-O2"),
            ("", "''"),
            ("a b", "'a b'"),
            ("it's", "'it'\\''s'"),
            (
                "-D__global__=__attribute__((global))",
                "'-D__global__=__attribute__((global))'",
            ),
        ] {
            assert_eq!(quoted(OsStr::new(word)), expected);
        }
    }

    #[test]
    fn modules_are_linked_once() {
        let options = |list: &[&str]| list.iter().map(OsString::from).collect::<Vec<_>>();
        let given = [
            "-DX",
            "-Xclang",
            "-mlink-bitcode-file",
            "-Xclang",
            "a.bc",
            "-mllvm",
            "-y",
            "--gpu-max-threads-per-block=64",
            "-Xclang",
            "-z",
        ];
        let kept = ["-DX", "-mllvm", "-y", "-Xclang", "-z"];
        assert_eq!(of_bitcode(&options(&given)), options(&kept));
    }

    #[test]
    fn options_decide_about_libraries() {
        let options =
            |list: &[&str]| ClangOptions::new(&list.iter().map(OsString::from).collect::<Vec<_>>());
        let has = |list: &[&str], name: &str| {
            let names = libraries(Language::OpenClC, &options(list), 5, "isa.bc");
            names.iter().any(|other| other == name)
        };
        assert!(has(&[], "oclc_finite_only_off.bc") && has(&[], "oclc_abi_version_500.bc"));
        assert!(has(&["-cl-fast-relaxed-math"], "oclc_unsafe_math_on.bc"));
        assert!(has(&["-cl-denorms-are-zero"], "oclc_daz_opt_on.bc"));
        let chosen = options(&["-O1", "-mcode-object-version=4", "-O3", "-DX"]);
        assert_eq!(chosen.level, Some("-O3".into()));
        assert_eq!(chosen.code_object, Some(4));
        assert_eq!(chosen.others, ["-mcode-object-version=4", "-DX"]);
        let unoptimised = options(&["-O3", "-cl-opt-disable"]);
        assert_eq!(unoptimised.level, Some("-O0".into()));
        assert!(unoptimised.others.is_empty());
    }
}
