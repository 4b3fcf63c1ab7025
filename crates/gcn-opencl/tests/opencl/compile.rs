//! Compiles the test programs with the host's C compiler. Results are cached until a source, the command or the
//! compiler changes.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::cache;
use crate::program::{Program, directory};

/// Command that runs the host's C compiler.
const COMPILER: &str = "cc";
/// Options passed to every compilation.
const OPTIONS: [&str; 6] = ["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-pthread"];
/// Linker options for every program.
const LIBRARIES: [&str; 2] = ["-lOpenCL", "-lm"];
/// Names of the files that programs include.
const SHARED: [&str; 4] = ["check.h", "images.h", "math_reference.h", "time_limit.c"];
/// Smallest program that needs OpenCL's headers and loader.
const SMALLEST: &str = "#define CL_TARGET_OPENCL_VERSION 300\n\
                        #include <CL/cl.h>\n\
                        int main(void) { return clGetPlatformIDs(0, 0, 0) == CL_SUCCESS; }\n";

/// The installed C compiler.
pub struct Compiler {
    /// Version as the compiler prints it, part of the cache key.
    version: Vec<u8>,
    /// Contents of the files that programs include.
    shared: Vec<String>,
}

impl Compiler {
    /// Queries the compiler's version, and builds a small program with OpenCL's headers and loader.
    ///
    /// # Errors
    /// Fails if the compiler, the headers or the loader is not installed.
    pub fn find() -> Result<Compiler, String> {
        let version = cache::run(Command::new(COMPILER).arg("--version"))?;
        let texts = SHARED.map(|name| {
            let path = directory().join(name);
            fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
        });
        let shared = texts.into_iter().collect::<Result<_, _>>()?;
        let compiler = Compiler { version, shared };
        let source = cache::directory("opencl-programs")?.join("smallest.c");
        fs::write(&source, SMALLEST).map_err(|error| format!("{}: {error}", source.display()))?;
        let mut command = Command::new(COMPILER);
        command.arg(&source).args(LIBRARIES);
        compiler
            .make("smallest", SMALLEST, &mut command)
            .map_err(|error| {
                format!(
                    "programs cannot be built with OpenCL's headers and loader (Debian's opencl-c-headers and \
                     ocl-icd-opencl-dev; `cargo xtask tools` installs them): {error}"
                )
            })?;
        Ok(compiler)
    }

    /// Builds a program, or returns the cached result.
    ///
    /// # Errors
    /// Fails if the compiler fails; the error contains its messages.
    pub fn build(&self, program: &Program) -> Result<PathBuf, String> {
        let mut command = Command::new(COMPILER);
        command.args(OPTIONS).arg(&program.path).args(LIBRARIES);
        self.make(&program.name, &program.text, &mut command)
    }

    fn make(&self, name: &str, text: &str, command: &mut Command) -> Result<PathBuf, String> {
        let sources = (&self.version, &self.shared, text);
        cache::make(
            &cache::directory("opencl-programs")?,
            name,
            sources,
            command,
        )
    }
}
