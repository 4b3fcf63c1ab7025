//! Converts errors of the Rust libraries to exceptions in `amdgcn.errors`.

use gcn_isa::{Target, UnknownTarget};
use gcn_runtime::Error;
use gcn_runtime::compile::CompileError as Compilation;
use gcn_runtime::error_names::UNSUPPORTED_TARGET;
use pyo3::prelude::*;

pub(crate) use base::Error as BaseError;

/// Separate module, because `Error` is also the name of a runtime type.
mod base {
    pyo3::import_exception!(amdgcn.errors, Error);
}

pyo3::import_exception!(amdgcn.errors, AssembleError);
pyo3::import_exception!(amdgcn.errors, Cancelled);
pyo3::import_exception!(amdgcn.errors, CompileError);
pyo3::import_exception!(amdgcn.errors, DecodeError);
pyo3::import_exception!(amdgcn.errors, Fault);
pyo3::import_exception!(amdgcn.errors, LaunchError);
pyo3::import_exception!(amdgcn.errors, LoadError);
pyo3::import_exception!(amdgcn.errors, OutOfMemoryError);
pyo3::import_exception!(amdgcn.errors, Skipped);
pyo3::import_exception!(amdgcn.errors, TargetError);

/// Converts a runtime error to an exception. For faults, use [`crate::reports::fault`], which adds a report.
pub(crate) fn exception(error: &Error) -> PyErr {
    let arguments = (error.to_string(), error.name());
    match error {
        Error::Target(_) | Error::SrameccOff(_) => TargetError::new_err(arguments),
        Error::Memory(_) => OutOfMemoryError::new_err(arguments),
        Error::Read(_) | Error::Bundle(_) | Error::NoCode { .. } => LoadError::new_err(arguments),
        Error::Load(_) | Error::Name(_) | Error::SeveralCodeObjects { .. } => {
            LoadError::new_err(arguments)
        }
        Error::Compile(compilation) => {
            let (diagnostics, commands) = match &**compilation {
                Compilation::Failed {
                    diagnostics,
                    commands,
                    ..
                } => (diagnostics.clone(), commands.clone()),
                _ => Default::default(),
            };
            CompileError::new_err((arguments.0, arguments.1, diagnostics, commands))
        }
        Error::ArgumentCount { .. } | Error::ArgumentSize { .. } | Error::OtherDevice => {
            LaunchError::new_err(arguments)
        }
        Error::Launch(_) | Error::Run(_) => LaunchError::new_err(arguments),
        Error::Fault(_) => Fault::new_err(arguments),
        Error::Cancelled => Cancelled::new_err(arguments),
        Error::Skipped(_) => Skipped::new_err(arguments),
        _ => BaseError::new_err(arguments),
    }
}

/// Looks up a target by a name such as `gfx906` or `vega20`, optionally followed by features.
///
/// # Errors
/// `TargetError`: the name is unknown.
pub(crate) fn target(name: &str) -> PyResult<&'static Target> {
    Target::named(name)
        .ok_or_else(|| TargetError::new_err((UnknownTarget(name).to_string(), UNSUPPORTED_TARGET)))
}
