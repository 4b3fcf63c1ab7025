//! Loaded modules, kernels and kernel parameters.

use std::ffi::OsString;
use std::path::PathBuf;

use gcn_args::parameter_type::{source_type, wants};
use gcn_runtime::compile::{CompilerInput, Language, Request};
use gcn_runtime::parameters::{Parameter, Takes};
use gcn_runtime::{Kernel as LoadedKernel, Module as LoadedModule};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::device::Device;
use crate::errors::exception;

/// Native part of `amdgcn.Module`.
#[pyclass(frozen, module = "amdgcn._amdgcn")]
pub(crate) struct Module {
    inner: LoadedModule,
}

/// Native part of `amdgcn.Kernel`.
#[pyclass(frozen, module = "amdgcn._amdgcn")]
pub(crate) struct Kernel {
    pub(crate) inner: LoadedKernel,
}

fn language(name: &str) -> PyResult<Language> {
    match name {
        "opencl" => Ok(Language::OpenClC),
        "openclcpp" => Ok(Language::OpenClCpp),
        "hip" => Ok(Language::Hip),
        "ir" => Ok(Language::Ir),
        _ => Err(PyValueError::new_err(format!(
            "`{name}` is not a language: opencl, openclcpp, hip or ir"
        ))),
    }
}

#[pymethods]
impl Module {
    /// Loads a code object, or the device's code object from a bundle or an executable.
    #[staticmethod]
    fn load(py: Python<'_>, device: &Device, code: Vec<u8>) -> PyResult<Module> {
        let loaded = py.detach(|| device.inner.load(&code));
        let inner = loaded.map_err(|error| exception(&error))?;
        Ok(Module { inner })
    }

    /// Compiles source text or a source file, and loads the result. Also returns the compiler's warnings.
    #[staticmethod]
    #[pyo3(signature = (device, language, text = None, path = None, options = Vec::new()))]
    fn compile(
        py: Python<'_>,
        device: &Device,
        language: &str,
        text: Option<&str>,
        path: Option<PathBuf>,
        options: Vec<OsString>,
    ) -> PyResult<(Module, String)> {
        let input = match (text, &path) {
            (Some(text), None) => CompilerInput::Text(text),
            (None, Some(path)) => CompilerInput::File(path),
            _ => return Err(PyValueError::new_err("expected either a text or a path")),
        };
        let request = Request {
            options: &options,
            ..Request::new(input, self::language(language)?)
        };
        let compiled = py.detach(|| LoadedModule::compile(&device.inner, &request));
        let (inner, compiled) = compiled.map_err(|error| exception(&error))?;
        Ok((Module { inner }, compiled.diagnostics))
    }

    #[getter]
    fn kernels(&self) -> Vec<String> {
        self.inner.kernels().map(str::to_owned).collect()
    }

    /// Bytes of the code object.
    #[getter]
    fn code(&self) -> &[u8] {
        self.inner.object().bytes()
    }

    fn kernel(&self, name: &str) -> PyResult<Kernel> {
        let found = self.inner.kernel(name);
        let inner = found.map_err(|error| exception(&error))?;
        Ok(Kernel { inner })
    }

    /// Returns the address and size of a variable.
    fn symbol(&self, name: &str) -> Option<(u64, u64)> {
        let symbol = self.inner.symbol(name)?;
        Some((symbol.address, symbol.size))
    }
}

#[pymethods]
impl Kernel {
    #[getter]
    fn name(&self) -> &str {
        self.inner.name()
    }

    /// Parameters that callers pass, or `None` if there is no metadata for them.
    #[getter]
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<Option<Vec<Bound<'py, PyDict>>>> {
        let Some(parameters) = self.inner.parameters() else {
            return Ok(None);
        };
        let described: PyResult<Vec<_>> = parameters.iter().map(|it| describe(py, it)).collect();
        described.map(Some)
    }
}

/// Returns the fields of `amdgcn.Parameter`.
fn describe<'py>(py: Python<'py>, parameter: &Parameter<'_>) -> PyResult<Bound<'py, PyDict>> {
    let kind = match parameter.takes {
        Takes::Value => "value",
        Takes::Buffer => "buffer",
        Takes::Local { .. } => "local",
        Takes::Other(_) => "other",
    };
    let source = source_type(parameter);
    let fields = PyDict::new(py);
    fields.set_item("name", parameter.name)?;
    fields.set_item("index", parameter.index)?;
    fields.set_item("offset", parameter.offset)?;
    fields.set_item("size", parameter.size)?;
    fields.set_item("kind", kind)?;
    fields.set_item("type", source.map(|(ty, _)| ty.to_string()))?;
    fields.set_item("lanes", source.map_or(1, |(_, lanes)| lanes))?;
    fields.set_item("declared", parameter.declared.as_deref())?;
    fields.set_item("wants", wants(parameter))?;
    Ok(fields)
}
