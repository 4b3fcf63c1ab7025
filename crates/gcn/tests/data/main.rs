//! Runs the files under `tests/` of the repository, each on every target that it names. `tests/README.md` describes
//! the formats. Each kind of file has a module. A kind without files fails, as does a file without targets.
//!
//! With `GCN_BLESS=1` in the environment, actual results are written to the files as expectations.

mod asm_cases;
mod case;
mod dis_cases;
mod err_cases;
mod isa_cases;
mod kind_cases;
mod run_cases;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};

use case::{Case, cases};

/// Kind of test file.
struct Suite {
    /// Directory under `tests/`.
    directory: &'static str,
    /// File extension.
    extension: &'static str,
    /// Writes actual results to the file.
    bless: fn(&Case) -> Result<(), String>,
    /// Checks the file on one of its targets.
    check: fn(&Case, &'static gcn_isa::Target) -> Result<(), String>,
}

const SUITES: &[Suite] = &[
    Suite {
        directory: "asm",
        extension: "s",
        bless: asm_cases::bless,
        check: asm_cases::check,
    },
    Suite {
        directory: "err",
        extension: "s",
        bless: err_cases::bless,
        check: err_cases::check,
    },
    Suite {
        directory: "dis",
        extension: "dis",
        bless: dis_cases::bless,
        check: dis_cases::check,
    },
    Suite {
        directory: "isa",
        extension: "isa",
        bless: isa_cases::bless,
        check: isa_cases::check,
    },
    Suite {
        directory: "run",
        extension: "s",
        bless: run_cases::bless,
        check: run_cases::check,
    },
    Suite {
        directory: "check",
        extension: "s",
        bless: run_cases::bless,
        check: run_cases::check,
    },
    Suite {
        directory: "debug",
        extension: "s",
        bless: run_cases::bless,
        check: run_cases::check,
    },
    Suite {
        directory: "why",
        extension: "s",
        bless: run_cases::bless,
        check: run_cases::check,
    },
];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let bless = std::env::var_os("GCN_BLESS").is_some_and(|value| value == "1");
    let mut trials = Vec::new();
    for suite in SUITES {
        match cases(suite.directory, suite.extension) {
            Ok(cases) if cases.is_empty() => {
                trials.push(failing(suite.directory, "no files".to_owned()))
            }
            Ok(cases) => {
                for case in cases {
                    if bless && let Err(error) = (suite.bless)(&case) {
                        trials.push(failing(&case.name, format!("cannot bless: {error}")));
                        continue;
                    }
                    trials.extend(on_every_target(suite, case));
                }
            }
            Err(error) => trials.push(failing(suite.directory, error)),
        }
    }
    trials.push(Trial::test("check/ has every kind", || {
        kind_cases::check().map_err(Failed::from)
    }));
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn on_every_target(suite: &Suite, case: Case) -> Vec<Trial> {
    // Blessing may have changed the file on disk.
    let case = match case.reread() {
        Ok(case) => case,
        Err(error) => return vec![failing(&case.name, error)],
    };
    let check = suite.check;
    case.targets
        .clone()
        .into_iter()
        .map(|target| {
            let case = case.clone();
            let name = format!("{} on {}", case.name, target.name);
            Trial::test(name, move || check(&case, target).map_err(Failed::from))
        })
        .collect()
}

fn failing(name: &str, error: String) -> Trial {
    Trial::test(name, move || Err(Failed::from(error)))
}
