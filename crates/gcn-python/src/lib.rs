//! Extension module of the Python package `amdgcn`.
//!
//! Users import the package in `python/amdgcn`, which wraps this module's plain classes and JSON reports in Python
//! objects. `docs/python.md` describes the package.
//!
//! | module | contents |
//! |---|---|
//! | `errors` | converts errors of the Rust libraries to exceptions in `amdgcn.errors` |
//! | `device` | emulated devices |
//! | `array` | arrays in device memory or registered host memory, with Python's buffer protocol |
//! | `elements` | array elements as text, and comparison with expected elements |
//! | `module` | loaded modules, kernels and kernel parameters |
//! | `reports` | checks, profiles and faults as JSON |
//! | `trace` | lines of a launch's trace |
//! | `launch` | queues, launches and launch events |
//! | `assemble` | assembles source text and reports diagnostics |
//! | `instruction` | decodes instructions and queries the instruction tables |
//! | `object` | reads code objects |
//!
//! Launches run on the device's threads. The thread that waits for a launch releases the GIL and checks for signals, so
//! that Ctrl-C can stop a kernel that never ends.
#![deny(unsafe_code)]

// In import order: a module imports only from modules above it.
mod errors;
mod device;
mod array;
mod elements;
mod module;
mod reports;
mod trace;
mod launch;
mod assemble;
mod instruction;
mod object;

use pyo3::prelude::*;

/// Native part of `amdgcn`.
#[pymodule]
fn _amdgcn(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add("__version__", env!("CARGO_PKG_VERSION"))?;
    m.add_class::<array::ArrayBase>()?;
    m.add_class::<device::Device>()?;
    m.add_class::<module::Module>()?;
    m.add_class::<module::Kernel>()?;
    m.add_class::<launch::Queue>()?;
    m.add_class::<launch::Event>()?;
    m.add_class::<instruction::Instruction>()?;
    m.add_function(wrap_pyfunction!(launch::submit, m)?)?;
    m.add_function(wrap_pyfunction!(elements::elements, m)?)?;
    m.add_function(wrap_pyfunction!(elements::compare, m)?)?;
    m.add_function(wrap_pyfunction!(assemble::assemble, m)?)?;
    m.add_function(wrap_pyfunction!(instruction::disassemble, m)?)?;
    m.add_function(wrap_pyfunction!(instruction::lookup, m)?)?;
    m.add_function(wrap_pyfunction!(instruction::mnemonics, m)?)?;
    m.add_function(wrap_pyfunction!(instruction::targets, m)?)?;
    m.add_function(wrap_pyfunction!(object::read_object, m)?)?;
    Ok(())
}
