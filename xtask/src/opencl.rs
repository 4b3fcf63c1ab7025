//! Benchmarks OpenCL launches, builds and kernels.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::{hsa, kernels, run};

/// Limits on measured times: label in the program's output, unit, and limit.
const FIGURES: [(&str, &str, f64); 2] = [
    ("empty kernel: ", "us", 20.0),
    ("second build: ", "ms", 5.0),
];

/// Benchmarks launches, builds and kernels with a release build of the OpenCL library, and the same kernels with `gcn
/// run`.
///
/// # Errors
/// Fails if a file cannot be built, or a program fails.
pub(crate) fn bench() -> Result<()> {
    let library = hsa::build_with("release", &["gcn"])?.with_file_name(hsa::OPENCL);
    let directory = library.parent().unwrap_or(Path::new("."));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/opencl/bench/runtime.c");
    let (program, code) = (
        directory.join("opencl-runtime"),
        directory.join("runtime.co"),
    );
    run(Command::new("cc")
        .args(["-std=c11", "-O2", "-o"])
        .arg(&program)
        .arg(source)
        .args(["-lOpenCL", "-lm"]))?;
    let gcn = directory.parent().unwrap_or(directory).join("gcn");
    let mut timed = Command::new(&program);
    timed
        .arg(&code)
        .env("OCL_ICD_VENDORS", &library)
        .env("GCN_TARGET", "gfx906");
    let output = kernels::compare(&mut timed, "OpenCL", &gcn, &code)?;
    print!("{output}");
    for (label, unit, limit) in FIGURES {
        let value = kernels::value(&output, label)?;
        let verdict = if value <= limit { "within" } else { "beyond" };
        println!("{label}{verdict} its limit of {limit} {unit}");
    }
    Ok(())
}
