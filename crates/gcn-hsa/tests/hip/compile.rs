//! Compiles the test programs with hipcc, and caches the results until a source, the command or the compiler changes.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::cache::{self, run};
use crate::program::{Program, directory};

/// Options passed to every compilation.
const OPTIONS: [&str; 2] = ["-O1", "-std=c++17"];

pub struct CompiledProgram {
    /// Path of the executable.
    pub executable: PathBuf,
    /// Path of the separate code object; `None` if the program's header names no module.
    pub module: Option<PathBuf>,
}

/// Installed hipcc, and the headers of the test programs.
pub struct Compiler {
    /// Output of `hipcc --version`, part of the cache key.
    version: Vec<u8>,
    /// Contents of the test programs' `.h` files in name order, part of the cache key.
    headers: Vec<String>,
}

impl Compiler {
    /// Queries hipcc's version, and reads the headers.
    ///
    /// # Errors
    /// Fails if hipcc is not installed or fails, or if a header cannot be read.
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

    /// Compiles a program and its module, unless the cache contains the results.
    ///
    /// # Errors
    /// Fails if hipcc fails, with its messages, or if the module's source cannot be read.
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

    /// Runs an hipcc command, unless the cache contains the result. `text` is the source that it compiles.
    fn make(&self, name: &str, text: &str, command: &mut Command) -> Result<PathBuf, String> {
        let sources = (&self.version, &self.headers, text);
        cache::make(&cache()?, name, sources, command)
    }
}

/// Creates the cache directory, and returns its path.
pub fn cache() -> Result<PathBuf, String> {
    cache::directory("hip-programs")
}
