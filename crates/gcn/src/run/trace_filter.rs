//! The instructions that a trace shows, as `--trace-only` names them.

use std::ops::Range;

use anyhow::{Context, Result, bail};
use gcn_observe::Filter;
use gcn_runtime::bind::BufferView;
use gcn_runtime::hsa::Loaded;

use super::launch;
use crate::input;

/// Adds what `KEY=VALUE` says to a filter.
///
/// # Errors
/// The accepted forms, or what does not exist.
pub fn add(filter: &mut Filter, text: &str, buffers: &[BufferView], loaded: &Loaded) -> Result<()> {
    const KEYS: &str = "workgroup=X,Y,Z, wave=N, code=A..B, memory=A..B or instruction=NAME";
    let (key, value) = text
        .split_once('=')
        .map(|(key, value)| (key.trim(), value.trim()))
        .with_context(|| format!("write {KEYS}"))?;
    match key {
        "workgroup" => {
            let group = launch::offsets(value).ok();
            let group = group.and_then(|sizes| {
                let [x, y, z] = sizes.map(|n| u32::try_from(n).ok());
                Some([x?, y?, z?])
            });
            let wrong = || format!("`{value}` is not the position of a workgroup, X,Y,Z");
            filter.workgroups.push(group.with_context(wrong)?);
        }
        "wave" => {
            let number = |text: &str| text.trim().parse().ok();
            let waves = range(value, number).with_context(|| {
                format!("`{value}` is not the number of a wave in its workgroup, or A..B")
            })?;
            filter.waves.push(waves);
        }
        "code" => {
            let symbol = loaded.symbol(value).filter(|symbol| symbol.size > 0);
            let code = match symbol {
                Some(symbol) => Some(symbol.address..symbol.address + symbol.size),
                None => range(value, |text| place(text, loaded)),
            };
            let wrong =
                || format!("`{value}` is no symbol, and not A..B of addresses or SYMBOL+OFFSET");
            filter.code.push(code.with_context(wrong)?);
        }
        "memory" => {
            let buffer = buffers.iter().find(|buffer| buffer.name == value);
            let memory = match buffer {
                Some(buffer) => Some(buffer.address..buffer.address + buffer.bytes),
                None => range(value, address),
            };
            let wrong = || format!("`{value}` is no buffer, and not A..B of addresses");
            filter.memory.push(memory.with_context(wrong)?);
        }
        "instruction" => filter.instructions.push(value.to_owned()),
        _ => bail!("there is no `{key}`; write {KEYS}"),
    }
    Ok(())
}

/// `A..B`, or `A` for one alone.
fn range<T: Copy + PartialOrd + From<u8> + std::ops::Add<Output = T>>(
    text: &str,
    read: impl Fn(&str) -> Option<T>,
) -> Option<Range<T>> {
    match text.split_once("..") {
        Some((begin, end)) => {
            let (begin, end) = (read(begin)?, read(end)?);
            (begin < end).then_some(begin..end)
        }
        None => {
            let begin = read(text)?;
            let end = begin + T::from(1);
            Some(begin..end)
        }
    }
}

/// An address as a number.
fn address(text: &str) -> Option<u64> {
    // The address behind it is one too.
    input::number(text.trim())
        .ok()
        .filter(|number| *number < u64::MAX)
}

/// An address as a number, or as a symbol with an offset.
fn place(text: &str, loaded: &Loaded) -> Option<u64> {
    let (symbol, offset) = text.split_once('+').unwrap_or((text, "0"));
    match loaded.symbol(symbol.trim()) {
        Some(symbol) => symbol.address.checked_add(address(offset)?),
        None => address(text),
    }
}
