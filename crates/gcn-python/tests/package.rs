//! Runs the Python package's own tests with `unittest` and `doctest`, on the extension built by cargo and on a wheel
//! installed into a virtual environment; and mypy on the package's sources.
//!
//! The tests need CPython 3.11 or later; otherwise they print that they were skipped. Optional packages such as Ray are
//! tested if `cargo xtask tools` installed them into a virtual environment.

#![expect(clippy::print_stdout, reason = "a test that is skipped says so")]

#[path = "../../../xtask/src/install.rs"]
mod install;
#[path = "../../gcn-hsa/link.rs"]
mod link;
// Both link.rs files include xtask's shared_library.rs.
#[allow(clippy::duplicate_mod)]
#[path = "../../gcn-c/link.rs"]
mod c_link;
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
/// Python interpreters to try. Debian's is first, since it can import Debian's numpy.
const INTERPRETERS: [&str; 2] = ["/usr/bin/python3", "python3"];
/// Script that succeeds on supported Python versions.
const IS_NEW_ENOUGH: &str = "import sys; sys.exit(sys.version_info < (3, 11))";

/// Directory of this crate.
fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Creates an empty directory for a test.
fn prepared(test: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&directory); // May not exist.
    fs::create_dir_all(&directory).expect("a directory");
    directory
}

/// Finds a supported interpreter, or prints that the test is skipped.
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

/// Returns the cargo build directory that contains this test.
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

/// Test files, and the minimum number of tests in each.
const TESTS: [(&str, u32); 3] = [
    ("test_amdgcn.py", 40),
    ("test_sweeps.py", 16),
    ("test_notebooks.py", 2),
];

/// Runs a test file and the documentation examples with the package in `path`, or with the installed package.
fn test(python: &Path, path: Option<&Path>, (file, least): (&str, u32)) {
    let mut tests = Command::new(python);
    tests
        .arg(package().join("tests/python").join(file))
        .arg("--verbose")
        .env("PYTHONDONTWRITEBYTECODE", "1");
    match path {
        Some(path) => tests.env("PYTHONPATH", path),
        None => tests.env_remove("PYTHONPATH"),
    };
    let output = succeed(&mut tests);
    let text = String::from_utf8_lossy(&output.stderr);
    // Every class or function with examples counts as a test.
    let count = text
        .split("Ran ")
        .nth(1)
        .and_then(|rest| rest.split(' ').next());
    let count: u32 = count.and_then(|count| count.parse().ok()).unwrap_or(0);
    assert!(count >= least, "{text}");
    let shown = |line: &&str| line.contains(" skipped ") || line.starts_with("Ran ");
    for line in text.lines().filter(shown) {
        println!("{file}: {line}");
    }
}

#[test]
fn the_package_passes_its_tests() {
    let Some(python) = interpreter() else {
        return;
    };
    let environment = package().join("tests/environment/bin/python");
    let python = if environment.exists() {
        environment
    } else {
        println!(
            "there is no Ray, pandas, matplotlib or Jupyter: `cargo xtask tools` installs them"
        );
        python.into()
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
    for tests in TESTS {
        test(&python, directory.parent(), tests);
    }
}

/// Checks the package's types as `pyproject.toml` configures mypy.
#[test]
fn the_types_are_consistent() {
    let python = package().join("tests/environment/bin/python");
    let version = Command::new(&python)
        .args(["-m", "mypy", "--version"])
        .output();
    if !version.is_ok_and(|output| output.status.success()) {
        println!("skipped: mypy is not installed: `cargo xtask tools` installs it");
        return;
    }
    let mut check = Command::new(python);
    check
        .args(["-m", "mypy", "--cache-dir"])
        .arg(prepared("mypy"))
        .current_dir(package());
    succeed(&mut check);
}

/// Returns a crate's newest static library whose file name starts with `prefix`. Cargo keeps older builds.
fn archive(prefix: &str) -> Option<PathBuf> {
    let entries = fs::read_dir(built()).expect("a directory");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let archives = paths.filter(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(prefix) && name.ends_with(".a")
    });
    archives.max_by_key(|path| path.metadata().and_then(|data| data.modified()).ok())
}

/// Packs a wheel from cargo's build output. If files are missing, prints that the test is skipped and returns `None`.
fn packed(directory: &Path) -> Option<PathBuf> {
    let opencl = built().join(OPENCL);
    let gcn = built().parent().expect("a directory").join("gcn");
    let archives = archive("libgcn_hsa").zip(archive("libgcn_c-"));
    let archives = archives.filter(|_| opencl.exists() && gcn.exists());
    let Some((archive, c_archive)) = archives else {
        println!(
            "skipped: gcn, gcn-c, gcn-hsa and gcn-opencl are not built with this profile; cargo test --workspace builds them"
        );
        return None;
    };
    let hsa = directory.join(link::LIBRARY);
    link::link(&archive, &hsa).expect("it is linked");
    let c_library = directory.join("c");
    c_link::link(&c_archive, &c_library).expect("it is linked");
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
        c_library: &c_library.join(c_link::LIBRARY),
        c_header: &package().join("../gcn-c/gcn.h"),
        pkg_config: &c_link::pkg_config(Path::new("${pcfiledir}/../..")),
        version: env!("CARGO_PKG_VERSION"),
        strip: true,
    };
    Some(wheel::pack(&parts, directory).expect("it is packed"))
}

/// Program that loads the library for HIP programs by both its names.
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

/// Builds and runs the C example against the header and library of an installed wheel, both with the paths that the
/// package returns and with pkg-config.
fn c_program(python: &Path, directory: &Path) {
    if Command::new("cc").arg("--version").output().is_err() {
        println!("skipped: there is no C compiler (Debian: gcc)");
        return;
    }
    let printed = |code: &str| {
        let code = format!("import amdgcn; print({code})");
        let output = succeed(Command::new(python).args(["-c", &code]));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    };
    let libraries = printed("amdgcn.get_library_dir()");
    let mut options = vec![vec![
        format!("-I{}", printed("amdgcn.get_include()")),
        format!("-L{libraries}"),
        "-lgcn".to_owned(),
    ]];
    let pkg_config = Command::new("pkg-config")
        .args(["--cflags", "--libs", "gcn"])
        .env("PKG_CONFIG_PATH", format!("{libraries}/pkgconfig"))
        .output();
    match pkg_config {
        Ok(output) => {
            assert!(output.status.success(), "{output:?}");
            let text = String::from_utf8_lossy(&output.stdout);
            options.push(text.split_whitespace().map(str::to_owned).collect());
        }
        Err(_) => println!("skipped: there is no pkg-config (Debian: pkgconf)"),
    }
    let examples = package().join("../gcn-c/examples");
    let expected = fs::read(examples.join("decode.stdout")).expect("the expected output");
    let program = directory.join("decode");
    for options in options {
        succeed(
            Command::new("cc")
                .arg(examples.join("decode.c"))
                .arg("-o")
                .arg(&program)
                .args(options)
                .arg(format!("-Wl,-rpath,{libraries}")),
        );
        let output = succeed(&mut Command::new(&program));
        assert_eq!(output.stdout, expected);
    }
}

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
    let disassembler = Command::new(environment.join("bin/clrxdisasm"))
        .arg("--version")
        .output()
        .expect("it starts");
    assert!(disassembler.stdout.starts_with(b"clrxdisasm "));
    c_program(&python, &directory);
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
    test(&python, None, TESTS[0]);
}
