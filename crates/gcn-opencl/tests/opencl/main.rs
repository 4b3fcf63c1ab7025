//! Runs OpenCL programs as users write them. Every program in `tests/opencl/` is built with the host's C compiler and
//! run on this crate's platform. Programs check their own results; `tests/README.md` describes how to write one.

#[path = "../../../gcn-hsa/tests/hip/cache.rs"]
mod cache;
mod compile;
#[path = "../../../gcn-hsa/tests/hip/end.rs"]
mod end;
mod program;
mod run;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};

use libtest_mimic::{Arguments, Failed, Trial};

use compile::Compiler;
use program::Program;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    // Without the compiler or the library, no program can run. Report one failure instead of one per program.
    let trials = Compiler::find()
        .and_then(|compiler| {
            let library = run::library()?;
            let programs = program::all()?;
            Ok(trials(&Arc::new(compiler), &Arc::new(library), programs))
        })
        .unwrap_or_else(|error| vec![Trial::test("programs", || Err(Failed::from(error)))]);
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Creates a trial for each program and each of its targets. A program is built on first use.
fn trials(compiler: &Arc<Compiler>, library: &Arc<PathBuf>, programs: Vec<Program>) -> Vec<Trial> {
    let mut trials = Vec::new();
    for program in programs {
        let job = Arc::new((program, OnceLock::<Result<PathBuf, String>>::new()));
        for devices in job.0.header.targets.clone() {
            let (job, compiler, library) = (job.clone(), compiler.clone(), library.clone());
            let name = format!("{} on {devices}", job.0.name);
            trials.push(Trial::test(name, move || {
                let (program, built) = &*job;
                let executable = built
                    .get_or_init(|| compiler.build(program))
                    .as_ref()
                    .map_err(Failed::from)?;
                run::check(program, executable, &devices, &library).map_err(Failed::from)
            }));
        }
    }
    trials
}
