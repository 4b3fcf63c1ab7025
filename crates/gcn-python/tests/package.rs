//! Tests of the Python package: its own tests, run by `unittest` and `doctest` with the extension that cargo has
//! built, and a wheel installed into a virtual environment.
//!
//! They need CPython 3.11 or later, and report that they are skipped without it. numpy is tested if it is installed.

#![expect(clippy::print_stdout, reason = "a test that is skipped says so")]

#[path = "../../../xtask/src/install.rs"]
mod install;
#[path = "../../gcn-hsa/link.rs"]
mod link;
#[path = "../../../xtask/src/wheel.rs"]
mod wheel;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use install::Libraries;
use wheel::Parts;

/// File name of the extension as built by cargo.
const EXTENSION: &str = "libgcn_python.so";
/// Library for OpenCL programs.
const OPENCL: &str = "libgcn_opencl.so";
/// Python interpreters. Debian's is first, since it has Debian's numpy.
const INTERPRETERS: [&str; 2] = ["/usr/bin/python3", "python3"];
/// Script that succeeds on supported versions.
const IS_NEW_ENOUGH: &str = "import sys; sys.exit(sys.version_info < (3, 11))";

/// Directory of this crate.
fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Creates an empty directory for a test.
fn prepared(test: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&directory); // It need not exist.
    fs::create_dir_all(&directory).expect("a directory");
    directory
}

/// Finds a supported interpreter, or reports that the test is skipped.
fn interpreter() -> Option<&'static str> {
    let is_new_enough = |python: &&&str| {
        let run = Command::new(python).args(["-c", IS_NEW_ENOUGH]).output();
        run.is_ok_and(|output| output.status.success())
    };
    let found = INTERPRETERS.iter().find(is_new_enough);
    if found.is_none() {
        println!("skipped: there is no CPython 3.11 or later (Debian: python3)");
    }
    found.copied()
}

/// Directory of cargo's build that contains this test.
fn built() -> PathBuf {
    let test = std::env::current_exe().expect("a test has a path");
    test.parent().expect("it is in a directory").to_owned()
}

#[track_caller]
fn succeed(command: &mut Command) -> Output {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(
        output.status.success(),
        "{command:?}: {}\n{}{}",
        output.status,
        text(&output.stdout),
        text(&output.stderr)
    );
    output
}

/// Runs the tests and examples of the package in `path`, or of the installed package.
fn tests(python: &Path, path: Option<&Path>) {
    let mut tests = Command::new(python);
    tests
        .arg(package().join("tests/python/test_amdgcn.py"))
        .env("PYTHONDONTWRITEBYTECODE", "1");
    match path {
        Some(path) => tests.env("PYTHONPATH", path),
        None => tests.env_remove("PYTHONPATH"),
    };
    let output = succeed(&mut tests);
    let text = String::from_utf8_lossy(&output.stderr);
    // Each class and function with examples is a test too.
    let count = text
        .split("Ran ")
        .nth(1)
        .and_then(|rest| rest.split(' ').next());
    let count: u32 = count.and_then(|count| count.parse().ok()).unwrap_or(0);
    assert!(count > 40, "{text}");
    print!("{text}");
}

#[test]
fn the_package_passes_its_tests() {
    let Some(python) = interpreter() else {
        return;
    };
    let directory = prepared("package").join("amdgcn");
    fs::create_dir(&directory).expect("a directory");
    let sources = fs::read_dir(package().join("python/amdgcn")).expect("the package");
    for source in sources.map(|entry| entry.expect("an entry").path()) {
        let name = source.file_name().expect("a name");
        if name != "__pycache__" {
            symlink(&source, directory.join(name)).expect("a link");
        }
    }
    symlink(built().join(EXTENSION), directory.join("_amdgcn.abi3.so")).expect("a link");
    tests(Path::new(python), directory.parent());
}

/// Newest static library of gcn-hsa. Cargo keeps those of earlier builds.
fn archive() -> Option<PathBuf> {
    let entries = fs::read_dir(built()).expect("a directory");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let archives = paths.filter(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("libgcn_hsa") && name.ends_with(".a")
    });
    archives.max_by_key(|path| path.metadata().and_then(|data| data.modified()).ok())
}

/// Packs a wheel from cargo's build. If it is incomplete, reports that and returns `None`.
fn packed(directory: &Path) -> Option<PathBuf> {
    let opencl = built().join(OPENCL);
    let gcn = built().parent().expect("a directory").join("gcn");
    let archive = archive().filter(|_| opencl.exists() && gcn.exists());
    let Some(archive) = archive else {
        println!(
            "skipped: gcn, gcn-hsa and gcn-opencl are not built with this profile; cargo test --workspace builds them"
        );
        return None;
    };
    let hsa = directory.join(link::LIBRARY);
    link::link(&archive, &hsa).expect("it is linked");
    let prefix = directory.join("prefix");
    let libraries = Libraries {
        hsa: &hsa,
        opencl: &opencl,
    };
    install::install(&prefix, &gcn, &libraries).expect("it is installed");
    let parts = Parts {
        package: package(),
        extension: &built().join(EXTENSION),
        prefix: &prefix,
        version: env!("CARGO_PKG_VERSION"),
        strip: true,
    };
    Some(wheel::pack(&parts, directory).expect("it is packed"))
}

/// Program that loads the library for HIP programs, by either name.
const PROGRAM: &str = "
import ctypes
hsa = ctypes.CDLL('libhsa-runtime64.so.1')
assert hsa.hsa_init() == 0
agents = []
visit = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint64, ctypes.c_void_p)(lambda agent, _: agents.append(agent) or 0)
assert hsa.hsa_iterate_agents(visit, None) == 0
name = ctypes.create_string_buffer(64)
hsa.hsa_agent_get_info.argtypes = [ctypes.c_uint64, ctypes.c_int, ctypes.c_char_p]
names = [hsa.hsa_agent_get_info(agent, 0, name) or name.value.decode() for agent in agents]
assert 'gfx906' in names, names
again = ctypes.CDLL('libhsa-runtime64.so')
address = lambda library: ctypes.cast(library.hsa_init, ctypes.c_void_p).value
assert address(again) == address(hsa), 'one library under two names'
";

#[test]
fn a_wheel_has_all_that_is_needed() {
    let Some(python) = interpreter() else {
        return;
    };
    let directory = prepared("wheel");
    let Some(wheel) = packed(&directory) else {
        return;
    };
    let name = wheel
        .file_name()
        .expect("a name")
        .to_string_lossy()
        .into_owned();
    println!("{name}: {} bytes", wheel.metadata().expect("a file").len());
    let environment = directory.join("environment");
    let made = Command::new(python)
        .args(["-m", "venv"])
        .arg(&environment)
        .output();
    if !made.is_ok_and(|output| output.status.success()) {
        println!("skipped: {python} makes no virtual environments (Debian: python3-venv)");
        return;
    }
    let python = environment.join("bin/python");
    let install = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-index",
        "--no-deps",
        "--disable-pip-version-check",
    ];
    succeed(
        Command::new(&python)
            .args(install)
            .arg(&wheel)
            .env_remove("PYTHONPATH"),
    );
    let readme = package().join("../../README.md");
    let readme = fs::read_to_string(readme).expect("the README");
    let (_, program) = readme.split_once("gpu/bin/python -c '").expect("a program");
    let (program, _) = program.split_once("'\n").expect("its end");
    let printed = succeed(Command::new(&python).args(["-c", program])).stdout;
    let printed = String::from_utf8_lossy(&printed);
    assert!(
        readme.contains(&format!("It prints `{}`", printed.trim())),
        "{printed}"
    );
    let gcn = environment.join("bin/gcn");
    let version = succeed(Command::new(&gcn).arg("--version"));
    assert!(String::from_utf8_lossy(&version.stdout).contains(env!("CARGO_PKG_VERSION")));
    for page in ["gcn.1", "gcn-exec.1"] {
        assert!(
            environment.join("share/man/man1").join(page).exists(),
            "{page}"
        );
    }
    let exec = |arguments: &[&str]| {
        let mut command = Command::new(&gcn);
        command
            .args(["exec", "--target", "gfx906", "--"])
            .arg(&python)
            .args(arguments);
        for variable in [
            "GCN_LIB_DIR",
            "LD_LIBRARY_PATH",
            "OCL_ICD_VENDORS",
            "OCL_ICD_FILENAMES",
        ] {
            command.env_remove(variable);
        }
        succeed(&mut command)
    };
    exec(&["-c", PROGRAM]);
    let platforms = exec(&["-c", "import os; print(os.environ['OCL_ICD_VENDORS'])"]);
    let platform = PathBuf::from(String::from_utf8_lossy(&platforms.stdout).trim());
    assert!(
        platform.ends_with("lib/gcn/libgcn_opencl.so") && platform.exists(),
        "{platform:?}"
    );
    tests(&python, None);
}
