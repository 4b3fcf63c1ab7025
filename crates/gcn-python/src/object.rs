//! Reads code objects.

use gcn_object::{CodeObject, ReadError, code_objects, is_container};
use gcn_runtime::error_names::NO_MATCHING_CODE;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use serde::Serialize;

use crate::errors::LoadError;

/// Returns the fields of `amdgcn.CodeObject` for each code object in a file, which may be a single object, a bundle or
/// an executable.
///
/// # Errors
/// `LoadError`: the bytes are neither a code object nor a readable container.
#[pyfunction]
pub(crate) fn read_object<'py>(
    py: Python<'py>,
    bytes: Vec<u8>,
) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let unreadable = |error: &ReadError| LoadError::new_err((error.to_string(), error.name()));
    if !is_container(&bytes) {
        let object = gcn_object::read(&bytes).map_err(|error| unreadable(&error))?;
        return Ok(vec![described(py, &object)?]);
    }
    let malformed =
        |error: gcn_object::BundleError| LoadError::new_err((error.to_string(), error.name()));
    let mut objects = Vec::new();
    for entry in code_objects(bytes).map_err(malformed)? {
        let entry = entry.map_err(malformed)?;
        // Skip host code in bundles.
        if entry.target().is_none() {
            continue;
        }
        let object = entry.read().map_err(|error| unreadable(&error))?;
        objects.push(described(py, &object)?);
    }
    if objects.is_empty() {
        let message = "the file holds no code for AMD GPUs";
        return Err(LoadError::new_err((message, NO_MATCHING_CODE)));
    }
    Ok(objects)
}

fn json(value: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| LoadError::new_err(error.to_string()))
}

fn described<'py>(py: Python<'py>, object: &CodeObject<'_>) -> PyResult<Bound<'py, PyDict>> {
    let warnings: Vec<String> = object.warnings.iter().map(ToString::to_string).collect();
    let sections = PyDict::new(py);
    for section in object
        .sections
        .iter()
        .filter(|section| !section.name.is_empty())
    {
        sections.set_item(
            &section.name,
            PyBytes::new(py, object.section_bytes(section)),
        )?;
    }
    let mut kernels = Vec::new();
    for kernel in &object.kernels {
        let fields = PyDict::new(py);
        fields.set_item("name", &kernel.name)?;
        fields.set_item("entry_address", kernel.entry_address)?;
        fields.set_item("descriptor_address", kernel.descriptor_address)?;
        fields.set_item("code_size", kernel.code_size)?;
        fields.set_item("descriptor", json(&kernel.descriptor)?)?;
        fields.set_item("metadata", json(&kernel.metadata)?)?;
        kernels.push(fields);
    }
    let fields = PyDict::new(py);
    fields.set_item("target", object.target_id())?;
    fields.set_item("version", object.version as u8)?;
    fields.set_item("kernels", kernels)?;
    fields.set_item("sections", sections)?;
    fields.set_item("warnings", warnings)?;
    fields.set_item("code", PyBytes::new(py, object.bytes()))?;
    Ok(fields)
}
