//! Comparison of results, with tolerances.

use gcn_args::compare::Tolerance;
use gcn_args::value::{Type, Value};

use crate::case::Buffer;
use crate::reference::Results;

/// Compares the buffers after two runs.
///
/// # Errors
/// Returns a description of the first element outside the tolerance.
pub fn compare(buffers: &[Buffer], results: &Results, reference: &Results) -> Result<(), String> {
    let pairs = results.buffers.iter().zip(&reference.buffers);
    for (buffer, (result, reference)) in buffers.iter().zip(pairs) {
        if let Some(difference) = first_difference(buffer.ty, &buffer.rules, result, reference) {
            return Err(format!("{}{difference}", buffer.name));
        }
    }
    Ok(())
}

/// Describes the first element outside the tolerance; `None` if all match.
fn first_difference(
    ty: Type,
    rules: &[Tolerance],
    result: &[u8],
    reference: &[u8],
) -> Option<String> {
    if result.len() != reference.len() {
        return Some(format!(
            "has {} bytes, not {}",
            result.len(),
            reference.len()
        ));
    }
    let pairs = result
        .chunks_exact(ty.size())
        .zip(reference.chunks_exact(ty.size()));
    let mut wrong = pairs
        .enumerate()
        .filter_map(|(index, (value, expected))| {
            let value = Value::from_bytes(ty, value)?;
            let expected = Value::from_bytes(ty, expected)?;
            let rule = rules[index % rules.len()];
            (!rule.holds(value, expected)).then_some((index, value, expected))
        })
        .peekable();
    let (index, value, expected) = *wrong.peek()?;
    let count = wrong.count();
    let width = ty.size() * 2;
    Some(format!(
        "[{index}] is {value} ({:0width$x}), not {expected} ({:0width$x}); {count} of {} differ",
        value.bits,
        expected.bits,
        result.len() / ty.size()
    ))
}
