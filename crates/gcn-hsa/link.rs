// Makes the shared library of the static one. `cargo xtask` and the tests of gcn-hsa include this file.

use std::path::Path;
use std::process::Command;

/// File name of the library, by which programs ask for it.
pub const LIBRARY: &str = "libhsa-runtime64.so.1";

const EXPORTS: &str = include_str!("exports.map");

/// Links the static library `archive` into the shared library `library`, with the symbol versions of `exports.map`.
///
/// # Errors
/// `cc` does not run, or does not succeed: its output.
pub fn link(archive: &Path, library: &Path) -> Result<(), String> {
    let exports = std::env::temp_dir().join(format!("gcn-hsa-{}.map", std::process::id()));
    std::fs::write(&exports, EXPORTS)
        .map_err(|error| format!("cannot write {}: {error}", exports.display()))?;
    if let Some(directory) = library.parent() {
        std::fs::create_dir_all(directory)
            .map_err(|error| format!("cannot make {}: {error}", directory.display()))?;
    }
    // Programs that run keep the library that they have.
    let new = library.with_extension(format!("new-{}", std::process::id()));
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-o"])
        .arg(&new)
        .arg(format!("-Wl,-soname,{LIBRARY}"))
        .arg(format!("-Wl,--version-script={}", exports.display()))
        .args([
            "-Wl,--gc-sections",
            // Threads and functions for the process's end stay.
            "-Wl,-z,nodelete",
            "-Wl,--no-undefined",
            "-Wl,--whole-archive",
        ])
        .arg(archive)
        .args([
            "-Wl,--no-whole-archive",
            "-lgcc_s",
            "-lutil",
            "-lrt",
            "-lpthread",
            "-lm",
            "-ldl",
            "-lc",
        ]);
    let output = cc.output();
    drop(std::fs::remove_file(&exports));
    let output = output.map_err(|error| format!("cannot run cc, the C compiler: {error}"))?;
    if !output.status.success() {
        let problem = String::from_utf8_lossy(&output.stderr);
        return Err(format!("cc cannot link {}: {problem}", archive.display()));
    }
    std::fs::rename(&new, library)
        .map_err(|error| format!("cannot make {}: {error}", library.display()))
}
