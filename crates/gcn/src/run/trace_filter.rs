//! Selection of traced instructions (`--trace-only`).

use gcn_args::bind::BufferView;
use gcn_observe::{Choice, TraceFilter};
use gcn_runtime::hsa::Loaded;

/// Adds a selection `KEY=VALUE` to a filter.
///
/// # Errors
/// Fails if the text is invalid; the message states the accepted forms, or the unknown name.
pub fn add(
    filter: &mut TraceFilter,
    text: &str,
    buffers: &[BufferView],
    loaded: &Loaded,
) -> Result<(), String> {
    let symbol = |name: &str| {
        let symbol = loaded.symbol(name)?;
        Some(symbol.address..symbol.address + symbol.size)
    };
    let buffer = |name: &str| {
        let buffer = buffers.iter().find(|buffer| buffer.name == name)?;
        Some(buffer.address..buffer.address + buffer.bytes)
    };
    Choice::parse(text)?.add_to(filter, symbol, buffer)
}
