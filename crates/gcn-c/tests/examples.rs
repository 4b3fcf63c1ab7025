//! Builds the C and C++ examples with the host's compilers, and runs them with the library. The output of each must
//! match its `.stdout` file.

#[path = "../link.rs"]
mod link;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// Directory with the shared library and compiled programs.
struct BuiltLibrary {
    directory: tempfile::TempDir,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// True if a compiler runs. Otherwise, the test is skipped with a message that the harness shows with `--nocapture`.
fn has(compiler: &str) -> bool {
    let found = Command::new(compiler).arg("--version").output();
    found.is_ok_and(|output| output.status.success())
}

/// Returns this crate's newest static library next to the test. Cargo keeps older builds.
fn archive() -> PathBuf {
    let test = std::env::current_exe().expect("the test has a path");
    let beside = test.parent().expect("it is in a directory");
    let entries = beside.read_dir().expect("a directory");
    let archives = entries.filter_map(|entry| {
        let entry = entry.ok()?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_archive = name.starts_with("libgcn_c") && name.ends_with(".a");
        let time = entry.metadata().ok()?.modified().ok()?;
        is_archive.then(|| (time, entry.path()))
    });
    archives
        .max()
        .expect("cargo has built the static library")
        .1
}

/// Links the library once; `None` without a C compiler.
fn built() -> Option<&'static BuiltLibrary> {
    static BUILT: OnceLock<Option<BuiltLibrary>> = OnceLock::new();
    let make = || {
        if !has("cc") {
            return None;
        }
        let directory = tempfile::tempdir().expect("a directory");
        link::link(&archive(), directory.path()).expect("the library is linked");
        Some(BuiltLibrary { directory })
    };
    BUILT.get_or_init(make).as_ref()
}

impl BuiltLibrary {
    fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Compiles a program.
    fn compile(&self, compiler: &str, options: &[&str], source: &Path) -> PathBuf {
        let name = source.file_name().expect("a file").to_string_lossy();
        let program = self.path().join(name.replace('.', "-"));
        let output = Command::new(compiler)
            .args(options)
            .args(["-Wall", "-Wextra", "-Werror", "-pedantic", "-O1", "-I"])
            .arg(root())
            .arg("-o")
            .arg(&program)
            .arg(source)
            .arg("-L")
            .arg(self.path())
            .arg("-lgcn")
            .output()
            .expect("the compiler runs");
        assert!(output.status.success(), "{}", text(&output.stderr));
        program
    }

    fn run(&self, program: &Path) -> Output {
        let mut command = Command::new(program);
        command.env("LD_LIBRARY_PATH", self.path());
        command.output().expect("the program runs")
    }

    /// Compiles and runs an example, and returns its standard error.
    fn check(&self, compiler: &str, options: &[&str], name: &str) -> String {
        let source = root().join("examples").join(name);
        let output = self.run(&self.compile(compiler, options, &source));
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        assert!(
            output.status.success(),
            "{name}: {}\n{stdout}{stderr}",
            output.status
        );
        let expected = source.with_extension("stdout");
        if std::env::var_os("GCN_BLESS").is_some() {
            fs::write(&expected, &stdout).expect("it can be written");
        }
        let expected = fs::read_to_string(&expected).expect("its output");
        assert_eq!(stdout, expected, "{name}\n{stderr}");
        stderr
    }
}

#[test]
fn examples_in_c() {
    let Some(built) = built() else {
        return skip("cc");
    };
    let options = ["-std=c11"];
    assert_eq!(built.check("cc", &options, "decode.c"), "");
    assert_eq!(built.check("cc", &options, "vector_add.c"), "");
    let report = built.check("cc", &options, "finding.c");
    assert!(report.contains("[missing-wait]: "), "{report}");
}

#[test]
fn examples_of_the_documentation() {
    let Some(built) = built() else {
        return skip("cc");
    };
    for (document, name) in [("../../docs/c.md", "square.c"), ("src/lib.rs", "words.c")] {
        let docs = fs::read_to_string(root().join(document)).expect("the documentation");
        let docs: String = docs
            .lines()
            .map(|line| line.strip_prefix("//!").unwrap_or(line).to_owned() + "\n")
            .collect();
        let (_, rest) = docs.split_once("```c\n").expect("an example");
        let (program, rest) = rest.split_once("```\n").expect("its end");
        let (_, rest) = rest.split_once("It prints `").expect("its output");
        let (expected, _) = rest.split_once('`').expect("the output's end");
        let source = built.path().join(name);
        fs::write(&source, program).expect("it can be written");
        let output = built.run(&built.compile("cc", &["-std=c11"], &source));
        assert!(output.status.success(), "{document}: {}", output.status);
        assert_eq!(text(&output.stdout), format!("{expected}\n"), "{document}");
    }
}

#[test]
fn an_example_in_cpp() {
    let Some(built) = built().filter(|_| has("c++")) else {
        return skip("c++");
    };
    built.check("c++", &["-std=c++14"], "errors.cpp");
}

#[test]
fn wrong_calls_are_errors() {
    let Some(built) = built() else {
        return skip("cc");
    };
    let source = root().join("tests/wrong_calls.c");
    let output = built.run(&built.compile("cc", &["-std=c11"], &source));
    let all = text(&output.stdout) + &text(&output.stderr);
    assert!(output.status.success(), "{}\n{all}", output.status);
}

#[test]
fn symbols_have_versions() {
    let Some(built) = built().filter(|_| has("nm")) else {
        return skip("cc and nm");
    };
    let mut nm = Command::new("nm");
    nm.args(["--dynamic", "--defined-only", "--with-symbol-versions"]);
    let output = nm.arg(built.path().join(link::LIBRARY)).output();
    let listed = text(&output.expect("nm runs").stdout);
    let mut symbols: Vec<&str> = (listed.lines())
        .filter_map(|line| line.split_whitespace().last())
        .filter(|symbol| *symbol != "GCN_0" && *symbol != "GCN_0@@GCN_0")
        .collect();
    symbols.sort_unstable();
    let script = fs::read_to_string(root().join("exports.map")).expect("the version script");
    let mut wanted: Vec<String> = (script.lines())
        .filter_map(|line| line.trim().strip_suffix(';'))
        .filter(|name| name.starts_with("gcn_"))
        .map(|name| format!("{name}@@GCN_0"))
        .collect();
    wanted.sort_unstable();
    assert_eq!(symbols, wanted);
}

#[test]
fn pkg_config_knows_the_library() {
    let file = link::pkg_config(Path::new("/opt/gcn"));
    assert!(file.starts_with("prefix=/opt/gcn\n"), "{file}");
    assert!(!file.contains('@'), "{file}");
    let version = format!("Version: {}\n", env!("CARGO_PKG_VERSION"));
    assert!(file.contains(&version), "{file}");
}

/// Prints that a test is skipped, since the harness has no such result.
#[allow(clippy::print_stderr)]
fn skip(tool: &str) {
    eprintln!("skipped: {tool} is not installed");
}
