// Links static libraries into shared ones with symbol versions. `rustc` cannot do this: it passes a version script of
// its own, which prevents another one from defining versions. The `link.rs` files of crates with shared libraries
// include this file.

use std::path::Path;
use std::process::Command;

/// Links the static library `archive` into the shared library `library`, with the symbols and versions of the version
/// script `exports`. The file name of `library` is its soname.
///
/// The linker is the C compiler given by the environment variable `CC`, or `cc`.
///
/// # Errors
/// Fails if the C compiler cannot be run or fails; the error is its output.
pub fn link(archive: &Path, library: &Path, exports: &str) -> Result<(), String> {
    let name = library.file_name().unwrap_or_default().to_string_lossy();
    let process = std::process::id();
    let script = std::env::temp_dir().join(format!("{name}-{process}.map"));
    std::fs::write(&script, exports)
        .map_err(|error| format!("cannot write {}: {error}", script.display()))?;
    if let Some(directory) = library.parent() {
        std::fs::create_dir_all(directory)
            .map_err(|error| format!("cannot make {}: {error}", directory.display()))?;
    }
    // Running programs keep using the old library.
    let new = library.with_extension(format!("new-{process}"));
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    let mut cc = Command::new(&compiler);
    cc.args(["-shared", "-o"])
        .arg(&new)
        .arg(format!("-Wl,-soname,{name}"))
        .arg(format!("-Wl,--version-script={}", script.display()))
        .args([
            "-Wl,--gc-sections",
            // Threads and exit handlers must survive dlclose.
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
    drop(std::fs::remove_file(&script));
    let output = output
        .map_err(|error| format!("cannot run {}, the C compiler: {error}", compiler.display()))?;
    if !output.status.success() {
        let problem = String::from_utf8_lossy(&output.stderr);
        return Err(format!(
            "{} cannot link {}: {problem}",
            compiler.display(),
            archive.display()
        ));
    }
    std::fs::rename(&new, library)
        .map_err(|error| format!("cannot make {}: {error}", library.display()))
}
