//! Runs HIP programs like those that users write. Compiles every program in `tests/hip/` with hipcc, and runs it on
//! each of its targets, with AMD's HIP runtime on top of this crate's library. Programs check their own results;
//! `tests/README.md` describes how to write one.

mod cache;
mod compile;
mod end;
#[path = "../../link.rs"]
mod link;
mod program;
mod run;

use std::process::ExitCode;
use std::sync::{Arc, OnceLock};

use libtest_mimic::{Arguments, Failed, Trial};

use compile::{CompiledProgram, Compiler};
use program::{Program, TARGETS};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    // Without the compiler or the library, no program can run. Reports one failure instead of one per program.
    let trials = Compiler::find()
        .and_then(|compiler| {
            let library = run::library()?;
            let programs = program::all()?;
            Ok(trials(&Arc::new(compiler), &Arc::new(library), programs))
        })
        .unwrap_or_else(|error| vec![Trial::test("programs", || Err(Failed::from(error)))]);
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Test program and its build, which the first trial creates.
struct Job {
    program: Program,
    built: OnceLock<Result<CompiledProgram, String>>,
}

/// Creates a trial for each program and each of its targets. Orders the trials by target, so that threads build
/// different programs instead of waiting for the same build.
fn trials(
    compiler: &Arc<Compiler>,
    library: &Arc<std::path::PathBuf>,
    programs: Vec<Program>,
) -> Vec<Trial> {
    let jobs: Vec<Arc<Job>> = programs
        .into_iter()
        .map(|program| {
            Arc::new(Job {
                program,
                built: OnceLock::new(),
            })
        })
        .collect();
    let mut trials = Vec::new();
    for target in TARGETS {
        for job in &jobs {
            if !job.program.targets().contains(&target) {
                continue;
            }
            let (job, compiler, library) = (job.clone(), compiler.clone(), library.clone());
            let name = format!("{} on {target}", job.program.name);
            trials.push(Trial::test(name, move || {
                let built = job
                    .built
                    .get_or_init(|| compiler.build(&job.program))
                    .as_ref()
                    .map_err(Failed::from)?;
                run::check(&job.program, built, target, &library).map_err(Failed::from)
            }));
        }
    }
    trials
}
