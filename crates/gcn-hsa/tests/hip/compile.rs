//! Compiles the test programs with hipcc. Results are cached until a source, the command or the compiler changes.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::cache::{self, run};
use crate::program::{Program, directory};

/// Options passed to every compilation.
const OPTIONS: [&str; 2] = ["-O1", "-std=c++17"];
/// Compiled program.
pub struct CompiledProgram {
    /// Path of the executable.
    pub executable: PathBuf,
    /// Path of the separate code object, if the program's header names a module.
    pub module: Option<PathBuf>,
}

/// The installed hipcc.
pub struct Compiler {
    /// Version as hipcc prints it, part of the cache key.
    version: Vec<u8>,
    /// Contents of the `.h` files that programs include, sorted by name.
    headers: Vec<String>,
}

impl Compiler {
    /// Queries hipcc's version.
    ///
    /// # Errors
    /// Fails if hipcc is not installed or fails.
    pub fn find() -> Result<Compiler, String> {
        let version = run(Command::new("hipcc").arg("--version"))?;
        let directory = directory();
        let failed = |error: std::io::Error| format!("{}: {error}", directory.display());
        let mut paths = Vec::new();
        for entry in fs::read_dir(&directory).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            if path.extension().is_some_and(|extension| extension == "h") {
                paths.push(path);
            }
        }
        paths.sort();
        let headers = paths.iter().map(fs::read_to_string);
        let headers = headers.collect::<Result<_, _>>().map_err(failed)?;
        Ok(Compiler { version, headers })
    }

    /// Builds a program, or returns the cached result.
    ///
    /// # Errors
    /// Fails if hipcc fails; the error contains its messages.
    pub fn build(&self, program: &Program) -> Result<CompiledProgram, String> {
        let header = &program.header;
        let code = |command: &mut Command| {
            let code = header.code.as_deref();
            for target in code.map_or_else(|| program.targets(), |code| vec![code]) {
                command.arg(format!("--offload-arch={target}"));
            }
            command.args(OPTIONS).args(&header.flags);
        };
        let mut command = Command::new("hipcc");
        code(&mut command);
        command.arg(&program.path);
        command.args(header.links.iter().map(|name| format!("-l{name}")));
        let executable = self.make(&program.name, &program.text, &mut command)?;
        let module = match &header.module {
            None => None,
            Some(source) => {
                let source = directory().join(source);
                let text = fs::read_to_string(&source)
                    .map_err(|error| format!("{}: {error}", source.display()))?;
                let mut command = Command::new("hipcc");
                code(&mut command);
                command.arg("--genco").arg(&source);
                let name = format!("{}-module", program.name);
                Some(self.make(&name, &text, &mut command)?)
            }
        };
        Ok(CompiledProgram { executable, module })
    }

    /// Runs a command that writes one file, unless the cache contains the result.
    fn make(&self, name: &str, text: &str, command: &mut Command) -> Result<PathBuf, String> {
        let sources = (&self.version, &self.headers, text);
        cache::make(&cache()?, name, sources, command)
    }
}

/// Returns the cache directory.
pub fn cache() -> Result<PathBuf, String> {
    cache::directory("hip-programs")
}
