//! Parses array elements from text in the syntax of `gcn run --arg`, and compares elements with expected ones.

use gcn_args::compare::{Comparison, Tolerance};
use gcn_args::error_names::INVALID_VALUE;
use gcn_args::fill::Fill;
use gcn_args::spec::Spec;
use gcn_args::value::{Type, Value};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::LaunchError;

/// Parses a description of array elements. Returns the element type, the number of elements, and the bytes of at most
/// `count` elements starting at index `start`.
///
/// # Errors
/// `LaunchError`: the text is not a valid description of typed elements.
#[pyfunction]
pub(crate) fn elements<'py>(
    py: Python<'py>,
    text: &str,
    start: u64,
    count: u64,
) -> PyResult<(&'static str, u64, Bound<'py, PyBytes>)> {
    let wrong = |reason: String, name: &'static str| LaunchError::new_err((reason, name));
    let spec = Spec::parse(text).map_err(|error| wrong(error.to_string(), error.name()))?;
    let end = start.saturating_add(count);
    let (ty, len, bytes) = match spec {
        Spec::Numbers {
            ty: Some(ty),
            texts,
            ..
        } => {
            let len = texts.len() as u64;
            let (first, end) = (start.min(len) as usize, end.min(len) as usize);
            let mut bytes = Vec::new();
            for text in texts.get(first..end).into_iter().flatten() {
                let value = ty.parse(text);
                let value = value.map_err(|error| wrong(error.to_string(), error.name()))?;
                bytes.extend(value.to_bytes());
            }
            (ty, len, bytes)
        }
        Spec::Filled {
            ty,
            count: len,
            fill,
        } if fill != Fill::Undefined => (ty, len, fill.bytes(ty, start.min(len)..end.min(len))),
        _ => {
            let reason = format!(
                "`{text}` describes no elements of an array: write `f32:1,2.5`, `u32*64:iota`, `f32*64:random(1)` or similar"
            );
            return Err(wrong(reason, INVALID_VALUE));
        }
    };
    Ok((ty.name(), len, PyBytes::new(py, &bytes)))
}

/// Mismatched element: index, actual value, and expected value.
type Difference = (u64, String, String);

/// Compares elements with expected ones. Returns the number of differences, and the first few.
///
/// # Errors
/// `ValueError`: the type or the tolerance is invalid, or the lengths differ.
#[pyfunction]
#[pyo3(signature = (element_type, values, expected, tolerance = None))]
pub(crate) fn compare(
    element_type: &str,
    values: &[u8],
    expected: &[u8],
    tolerance: Option<&str>,
) -> PyResult<(u64, Vec<Difference>)> {
    let ty = Type::named(element_type);
    let ty = ty.ok_or_else(|| PyValueError::new_err(format!("`{element_type}` is not a type")))?;
    let tolerance = match tolerance {
        None => Tolerance::EQUAL,
        Some(text) => Tolerance::parse(text).ok_or_else(|| {
            PyValueError::new_err(format!(
                "`{text}` is not a tolerance: write a number such as `1e-6`, `4 ulp`, `exact` or `any`"
            ))
        })?,
    };
    if values.len() != expected.len() {
        let (found, wanted) = (values.len(), expected.len());
        let message = format!("{found} bytes cannot be compared with {wanted}");
        return Err(PyValueError::new_err(message));
    }
    let pairs = Value::all(ty, values).zip(Value::all(ty, expected));
    let comparison = Comparison::new(0, pairs, tolerance);
    let first = comparison.first.iter();
    let first = first.map(|it| (it.index, it.is.to_string(), it.expected.to_string()));
    Ok((comparison.different, first.collect()))
}
