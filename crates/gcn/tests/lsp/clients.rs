//! Tests of the language server with independent clients: pygls, and Neovim as `docs/editors.md` configures it. Another
//! test packs the extension for Visual Studio Code.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Kernel with an error and, once that is corrected, a missing wait.
const KERNEL: &str = "\
.type k,@function
k:
  s_load_dword s0, s[4:5], 0x0
  v_mov_b32 v0, s0
  v_ad_f32 v0, v1, v2
  s_branch end
end:
  s_endpgm
";

/// Directory of this crate.
fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[track_caller]
fn succeed(command: &mut Command) -> Output {
    let output = command.output().expect("it starts");
    let (printed, said) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{command:?}: {printed}{said}");
    output
}

/// Prints that a test is skipped, since the harness has no result for that.
#[allow(clippy::print_stderr)]
fn skip(reason: &str) {
    eprintln!("skipped: {reason}");
}

#[test]
fn the_client_of_pygls_is_served() {
    // Environment of the Python package's tests.
    let python = package().join("../gcn-python/tests/environment/bin/python");
    let imports = Command::new(&python).args(["-c", "import pygls"]).output();
    if !imports.is_ok_and(|output| output.status.success()) {
        return skip("pygls is not installed: `cargo xtask tools` installs it");
    }
    let script = package().join("tests/lsp/pygls_client.py");
    let mut tests = Command::new(python);
    tests
        .arg(script)
        .env("GCN", env!("CARGO_BIN_EXE_gcn"))
        .env("PYTHONDONTWRITEBYTECODE", "1");
    let report = text(&succeed(&mut tests).stderr);
    assert!(report.contains("Ran 6 tests"), "{report}");
}

#[test]
fn neovim_is_served() {
    let has_neovim = Command::new("nvim").arg("--version").output();
    if !has_neovim.is_ok_and(|output| output.status.success()) {
        return skip("there is no Neovim (Debian: neovim)");
    }
    let directory = tempfile::tempdir().expect("a directory");
    let guide = package().join("../../docs/editors.md");
    let guide = fs::read_to_string(guide).expect("the guide");
    let blocks = guide.split("```lua\n").skip(1);
    let blocks: Vec<&str> = blocks
        .filter_map(|block| Some(block.split_once("\n```")?.0))
        .collect();
    let [newer, older] = blocks[..] else {
        panic!("{blocks:?}");
    };
    let settings = format!("if vim.fn.has('nvim-0.8') == 1 then\n{newer}\nelse\n{older}\nend\n");
    let place = |name: &str| -> PathBuf { directory.path().join(name) };
    fs::write(place("init.lua"), settings).expect("written");
    fs::write(place("kernel.s"), KERNEL).expect("written");
    let own = Path::new(env!("CARGO_BIN_EXE_gcn")).parent();
    let own = own.expect("a directory").display();
    let path = format!("{own}:{}", env::var("PATH").unwrap_or_default());
    let checks = package().join("tests/lsp/neovim.lua");
    let mut neovim = Command::new("nvim");
    neovim
        .args(["--headless", "--clean", "-u", "init.lua", "kernel.s", "-c"])
        .arg(format!("luafile {}", checks.display()))
        .current_dir(directory.path())
        .env("HOME", directory.path())
        .env("PATH", path);
    let printed = text(&succeed(&mut neovim).stdout);
    assert!(printed.contains("all passed"), "{printed}");
}

#[test]
fn the_extension_is_packed() {
    let extension = package().join("../../editors/vscode");
    let vsce = extension.join("node_modules/.bin/vsce");
    let has_vsce = Command::new(&vsce).arg("--version").output();
    if !has_vsce.is_ok_and(|output| output.status.success()) {
        return skip("vsce does not run: it needs Node.js 20 and `npm ci` in editors/vscode");
    }
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("gcn.vsix");
    let mut pack = Command::new(vsce);
    pack.args(["package", "--allow-missing-repository", "--out"])
        .arg(&file)
        .current_dir(&extension);
    succeed(&mut pack);
    assert!(fs::read(&file).expect("the package").starts_with(b"PK"));
}

#[test]
fn the_extension_has_the_version_and_the_settings_of_the_guide() {
    let root = package().join("../..");
    let read = |name: &str| fs::read_to_string(root.join(name)).expect("a file");
    let guide = read("docs/editors.md");
    let rows = guide.lines().filter(|line| line.starts_with("| `"));
    let names = rows.flat_map(|row| {
        let cell = row.split('|').nth(1).unwrap_or_default();
        cell.split('`').skip(1).step_by(2)
    });
    let manifest = read("editors/vscode/package.json");
    let manifest: serde_json::Value = serde_json::from_str(&manifest).expect("JSON");
    assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
    let properties = &manifest["contributes"]["configuration"]["properties"];
    let mut count = 0;
    for name in names {
        count += 1;
        assert!(properties[format!("gcn.{name}")].is_object(), "{name}");
    }
    assert_eq!(count, 7, "the settings in the guide");
}
