//! Development tasks of the repository; `cargo xtask help` lists them.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, bail};

const USAGE: &str = "\
usage: cargo xtask test [ARGUMENTS OF CARGO TEST]   install what the tests need, then run them all
       cargo xtask vectors [ARGUMENTS OF CARGO TEST]
                                                    run gcn-emu's tests with narrower vectors than the host's widest,
                                                    and with host code for all blocks
       cargo xtask tools                            install what the tests need
       cargo xtask kernels [FILTER] [--target T] [--level O0|O2] [--compiler clang-14|clang-19] [--check]
                                                    run or check tests/kernels in every build and print a table
       cargo xtask mutants [FILTER] [--target T] [--level O0|O2] [--most N] [--late]
                                                    remove and weaken every wait of tests/kernels, or N of them in each build,
                                                    check each change, and print how many a register needs and are reported;
                                                    with --late also how many of these change results under gcn run --late
       cargo xtask fuzz [SECONDS]                   build the fuzz targets and run each for 5 seconds, or SECONDS
       cargo xtask hsa [PROFILE]                    build the libraries of gcn exec with a profile (release)
       cargo xtask headers RELEASE=INCLUDE...       write what gcn-hsa knows of the HSA headers of releases of ROCm
       cargo xtask rocm SUITE [--release trixie|forky|sid|experimental] [--target T] [--sample N]
                        [--filter F] [--seconds N] [--prefix PREFIX]
                                                    run AMD's tests of a library, or one in N, in a root of that release of
                                                    Debian, and hold failures against rocm-known.txt; as root, hours
       cargo xtask dist PREFIX                      build gcn and that library for use, and install them into PREFIX with
                                                    manual pages and completions
       cargo xtask capi PREFIX                      build the C library and install it into PREFIX with its header
       cargo xtask wheel [DIRECTORY]                build the wheel of the Python package amdgcn, with the command and its
                                                    libraries, into DIRECTORY (wheel in the build directory)
       cargo xtask release DIRECTORY                make a release in DIRECTORY for glibc 2.28 or later: wheel, source distribution,
                                                    archive, Debian package, extension for VS Code if npm is installed, list of
                                                    dependencies and checksums
       cargo xtask release pack DIRECTORY           the same with CC and cargo's linker, which are to be for glibc 2.28
       cargo xtask release --test DIRECTORY         install each package into fresh roots of Debian and run an example; as root
       cargo xtask playground DIRECTORY             build the playground, a page with gcn as WebAssembly, into DIRECTORY
       cargo xtask playground --test DIRECTORY      build it and test it in Chromium
       cargo xtask book DIRECTORY                   generate the reference from the tables, build the book in DIRECTORY, with the
                                                    playground if its tools are installed, and check its links
       cargo xtask bench asm                        assemble and disassemble the same files with gcn and LLVM
       cargo xtask bench capi                       decode and print the same words with libgcn and LLVM's C API (llvm-19-dev)
       cargo xtask bench debug                      time the debugger's stops and steps back, and runs under it
       cargo xtask bench run [FILTER] [--beside GCN]
                                                    time kernels of tests/kernels with gcn and OpenCL on the host, start-up
                                                    and memory; or with two builds of gcn in turns
       cargo xtask bench hip                        time kernels, launches, copies and start-up of HIP programs, and packets of HSA queues
       cargo xtask bench opencl                     time launches, builds and kernels of an OpenCL program
       cargo xtask bench check [oclgrind]           time kernels under gcn check and gcn run, and under Oclgrind or that alone
       cargo xtask bench check [FILTER] [--beside GCN]
                                                    time kernels under gcn check and gcn run; or with two builds of gcn in turns
       cargo xtask bench observe                    time kernels with observers of all events, of memory, and without
       cargo xtask help                             print this";

/// Repository root.
const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Programs and files that the tests need, each with its Debian package.
const TOOLS: &[(&str, &str)] = &[
    ("/usr/bin/llvm-mc-19", "llvm-19"),
    ("/usr/bin/clang-19", "clang-19"),
    ("/usr/bin/clang-offload-bundler-19", "clang-tools-19"),
    ("/usr/bin/ld.lld-19", "lld-19"),
    ("/usr/bin/clang-14", "clang-14"),
    ("/usr/bin/clang-15", "clang-15"),
    ("/usr/bin/c++", "g++"),
    ("/etc/OpenCL/vendors/pocl.icd", "pocl-opencl-icd"),
    ("/usr/include/CL/cl.h", "opencl-c-headers"),
    (
        "/usr/lib/x86_64-linux-gnu/libOpenCL.so",
        "ocl-icd-opencl-dev",
    ),
    (
        "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode/ockl.bc",
        "rocm-device-libs",
    ),
    ("/usr/include/hsa/hsa.h", "libhsa-runtime-dev"),
    ("/usr/bin/hipcc", "hipcc"),
    ("/usr/include/hip/hip_runtime_api.h", "libamdhip64-dev"),
    ("/usr/include/rocrand/rocrand.h", "librocrand-dev"),
    ("/usr/include/hiprand/hiprand.h", "libhiprand-dev"),
    ("/usr/include/rocsparse/rocsparse.h", "librocsparse-dev"),
    ("/usr/include/hipsparse/hipsparse.h", "libhipsparse-dev"),
    ("/usr/include/rocprim/rocprim.hpp", "librocprim-dev"),
    ("/usr/share/doc/python3-venv/copyright", "python3-venv"),
    (
        "/usr/lib/python3/dist-packages/numpy/__init__.py",
        "python3-numpy",
    ),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match words[..] {
        ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            Ok(())
        }
        ["test", ref rest @ ..] => install_tools().and_then(|()| test(rest)),
        ["vectors", ref rest @ ..] => vectors(rest),
        ["tools"] => install_tools(),
        ["kernels", ref rest @ ..] => install_tools().and_then(|()| compiled("--table", rest)),
        ["mutants", ref rest @ ..] => install_tools().and_then(|()| compiled("--mutants", rest)),
        ["fuzz"] => install_tools().and_then(|()| fuzz::run_all(fuzz::SECONDS)),
        ["fuzz", seconds] => fuzz::seconds(seconds)
            .and_then(|seconds| install_tools().and_then(|()| fuzz::run_all(seconds))),
        ["hsa"] => hsa::build("release").map(drop),
        ["headers", ref releases @ ..] if !releases.is_empty() => headers::write(releases),
        ["rocm", ref rest @ ..] => rocm::rocm(rest),
        ["book", directory] => build_book(Path::new(directory)),
        ["capi", prefix] => capi::install(Path::new(prefix)),
        ["dist", prefix] => dist::dist(Path::new(prefix)),
        ["wheel"] => python::wheel(&hsa::target_directory().join("wheel")),
        ["wheel", directory] => python::wheel(Path::new(directory)),
        ["release", "--test", directory] => release::test(Path::new(directory)),
        ["release", "pack", directory] => release::pack(Path::new(directory)),
        ["release", directory] => release::release(Path::new(directory)),
        ["playground", "--test", directory] => playground::test(Path::new(directory)),
        ["playground", directory] => playground::build(Path::new(directory)),
        ["hsa", profile] => hsa::build(profile).map(drop),
        ["bench", "check", ref rest @ ..] => {
            install_tools().and_then(|()| bench_run(&[&["--check"], rest].concat()))
        }
        ["bench", "asm"] => bench::asm(),
        ["bench", "debug"] => bench::debug(),
        ["bench", "capi"] => install_tools().and_then(|()| capi::bench()),
        ["bench", "hip"] => install_tools().and_then(|()| hsa::bench()),
        ["bench", "opencl"] => install_tools().and_then(|()| opencl::bench()),
        ["bench", "observe"] => bench_observe(),
        ["bench", "run", ref rest @ ..] => install_tools().and_then(|()| bench_run(rest)),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Runs all tests, optimized and with all checks enabled.
fn test(arguments: &[&str]) -> Result<()> {
    run(Command::new(env!("CARGO"))
        .args(["test", "--workspace", "--profile", "checked"])
        .args(arguments))
}

/// Returns the vector levels of `GCN_VECTORS`, widest first, each with true if this host supports it.
fn vector_levels() -> [(&'static str, bool); 3] {
    #[cfg(target_arch = "x86_64")]
    let (avx512, avx2) = (
        is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl"),
        is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
    );
    #[cfg(not(target_arch = "x86_64"))]
    let (avx512, avx2) = (false, false);
    [("avx512", avx512), ("avx2", avx2), ("baseline", true)]
}

/// Runs the emulator's tests at every vector level except the widest, which `cargo xtask test` covers, and prints the
/// levels that this host does not support. Then runs those tests and [`KERNEL_TESTS`] with all eligible blocks compiled to
/// host code.
fn vectors(arguments: &[&str]) -> Result<()> {
    let mut is_widest = true;
    for (level, is_available) in vector_levels() {
        if !is_available {
            println!("vectors: {level} is not tested: this host does not have it");
        } else if is_widest {
            println!("vectors: {level} is the level of all other tests");
            is_widest = false;
        } else {
            println!("vectors: testing {level}");
            run(Command::new(env!("CARGO"))
                .args(["test", "--workspace", "--profile", "checked"])
                .args(emulator_tests()?.iter().flat_map(|name| ["--test", name]))
                .args(arguments)
                .env("GCN_VECTORS", level))?;
        }
    }
    println!("engines: testing compiled");
    let tests = emulator_tests()?;
    let tests = tests.iter().map(String::as_str).chain(KERNEL_TESTS);
    run(Command::new(env!("CARGO"))
        .args(["test", "--workspace", "--profile", "checked"])
        .args(tests.flat_map(|name| ["--test", name]))
        .args(arguments)
        .env("GCN_ENGINE", "compiled"))
}

/// Other tests that run kernels and compare the results: data-driven and compiled kernels, and reverse execution.
const KERNEL_TESTS: [&str; 3] = ["data", "compiled", "past"];

/// Emulator tests that run only once: `native` selects engines itself, and `uses` takes a minute. The tests `native`
/// and `differential` compare all registers between engines and vector levels.
const RUN_ONCE: [&str; 2] = ["native", "uses"];

/// Lists gcn-emu's integration tests except [`RUN_ONCE`]. They run in the whole workspace, along with a few tests of
/// the same names in other crates: `--package gcn-emu` would enable different dependency features than `cargo xtask
/// test`, and recompile the emulator.
fn emulator_tests() -> Result<Vec<String>> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/gcn-emu/tests");
    let read = || format!("cannot read {}", directory.display());
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&directory).with_context(read)? {
        let path = entry.with_context(read)?.path();
        let is_test = path.join("main.rs").exists() || path.extension().is_some_and(|e| e == "rs");
        if let (true, Some(name)) = (is_test, path.file_stem().and_then(|stem| stem.to_str()))
            && !RUN_ONCE.contains(&name)
        {
            names.push(name.to_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// Runs the compiled-kernel tests in the given mode, for all builds that `arguments` select.
fn compiled(mode: &str, arguments: &[&str]) -> Result<()> {
    run(Command::new(env!("CARGO"))
        .args(["test", "--quiet", "--profile", "checked"])
        .args(["--package", "gcn", "--test", "compiled", "--", mode])
        .args(arguments))
}

/// Benchmarks compiled kernels, using their test harness.
fn bench_run(arguments: &[&str]) -> Result<()> {
    run(Command::new(env!("CARGO"))
        .args(["test", "--quiet", "--release"])
        .args(["--package", "gcn", "--test", "compiled", "--", "--bench"])
        .args(arguments))
}

/// Benchmarks kernels, alternating between runs with and without observers.
fn bench_observe() -> Result<()> {
    run(Command::new(env!("CARGO"))
        .args(["bench", "--quiet", "--profile", "release"])
        .args(["--package", "gcn-emu", "--bench", "observers"]))
}

/// Installs the tools that the tests need. If Debian packages cannot be installed, the error contains the command that
/// installs them.
fn install_tools() -> Result<()> {
    let missing: Vec<&str> = TOOLS
        .iter()
        .filter(|(file, _)| !Path::new(file).exists())
        .map(|(_, package)| *package)
        .collect();
    install_npm_packages();
    if let Err(error) = book::mdbook(&book_tools()) {
        eprintln!("mdBook cannot be installed, so the book is not built: {error:#}");
    }
    if missing.is_empty() {
        install_neovim();
        python::install_test_packages();
        return Ok(());
    }
    let command = format!("apt-get install -y {}", missing.join(" "));
    if !is_root() || !Path::new("/usr/bin/apt-get").exists() {
        bail!(
            "the tests compare with LLVM, and with OpenCL on the host; on Debian: sudo {command}"
        );
    }
    eprintln!("installing {}", missing.join(" "));
    run(Command::new("apt-get").arg("update"))?;
    run(Command::new("apt-get")
        .args(["install", "-y", "--no-install-recommends"])
        .args(&missing))
    .with_context(|| format!("the tests need these packages; try: {command}"))?;
    install_neovim();
    python::install_test_packages();
    Ok(())
}

/// Directory where mdBook is installed.
fn book_tools() -> PathBuf {
    hsa::target_directory().join("book-tools")
}

/// Builds `gcn` and the book.
fn build_book(directory: &Path) -> Result<()> {
    run(Command::new(env!("CARGO"))
        .args(["build", "--locked", "--profile", dist::PROFILE])
        .args(["--package", "gcn"]))?;
    let gcn = hsa::target_directory().join(dist::PROFILE).join("gcn");
    book_with_playground(&gcn, directory)
}

/// Builds the book in `directory`, with the playground if the tools for it are installed. `gcn` generates the reference.
fn book_with_playground(gcn: &Path, directory: &Path) -> Result<()> {
    let playground = tempfile::tempdir()?;
    let is_built = playground::build_for_book(playground.path())?;
    let playground = is_built.then_some(playground.path());
    let repository = Path::new(REPOSITORY);
    book::build(repository, gcn, playground, &book_tools(), directory)
}

/// Directories of npm packages that tests use: VS Code's debug client, for `gcn debug --dap`, and the packer of the
/// extension.
const NPM_PACKAGES: [&str; 2] = ["crates/gcn/tests/dap/vscode", "editors/vscode"];

/// Installs [`NPM_PACKAGES`], if npm is available. Without them, their tests are skipped.
fn install_npm_packages() {
    for directory in NPM_PACKAGES {
        let place = Path::new(REPOSITORY).join(directory);
        if place.join("node_modules").exists() {
            continue;
        }
        if let Err(error) = npm::install(&place) {
            eprintln!("tests with the packages of {directory} are skipped: {error:#}");
        }
    }
}

/// Installs Neovim, whose client a test of `gcn lsp` uses. Without it, the test is skipped.
fn install_neovim() {
    let has_apt = is_root() && Path::new("/usr/bin/apt-get").exists();
    if Path::new("/usr/bin/nvim").exists() || !has_apt {
        return;
    }
    let apt = Command::new("apt-get")
        .args(["install", "-qq", "-y", "--no-install-recommends", "neovim"])
        .status();
    if !apt.is_ok_and(|status| status.success()) {
        eprintln!("neovim cannot be installed: gcn lsp is not tested with it");
    }
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

fn run(command: &mut Command) -> Result<()> {
    let status = command
        .status()
        .with_context(|| format!("cannot run {command:?}"))?;
    if status.success() {
        Ok(())
    } else {
        bail!("{command:?} failed: {status}")
    }
}

mod bench;
mod book;
mod capi;
mod dist;
mod extension;
mod fuzz;
mod headers;
mod hsa;
mod install;
mod kernels;
mod measure;
mod npm;
mod opencl;
mod playground;
mod python;
mod release;
mod rocm;
mod roots;
mod wheel;
