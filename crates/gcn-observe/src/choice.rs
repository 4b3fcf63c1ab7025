//! Textual selections of instructions, as given by users.

use std::ops::{Add, Range};

use crate::filter::TraceFilter;

/// Accepted keys and forms of their values, for messages.
const KEYS: &str = "workgroup=X,Y,Z, wave=N, code=A..B, memory=A..B or instruction=NAME";

/// A parsed `KEY=VALUE` selection. Symbols and buffers are stored by name, since their addresses depend on the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choice(ChoiceKey);

#[derive(Clone, PartialEq, Eq, Debug)]
enum ChoiceKey {
    Workgroup([u32; 3]),
    Waves(Range<u32>),
    Code(String),
    Memory(String),
    Instruction(String),
}

impl Choice {
    /// Parses `workgroup=X,Y,Z`, `wave=N`, `wave=A..B`, `code=A..B` (addresses or `SYMBOL+OFFSET`), `code=SYMBOL`,
    /// `memory=A..B`, `memory=BUFFER` or `instruction=NAME`. In an instruction name, `*` matches any text.
    ///
    /// # Errors
    /// Fails if the text has none of these forms; the message states the expected form.
    ///
    /// # Examples
    /// ```
    /// use gcn_observe::{Choice, TraceFilter};
    /// let mut filter = TraceFilter::default();
    /// let nothing = |_: &str| None;
    /// Choice::parse("wave=2..4")?.add_to(&mut filter, nothing, nothing)?;
    /// assert_eq!(filter.waves, [2..4]);
    /// let symbols = |name: &str| (name == "add").then_some(0x100..0x180);
    /// Choice::parse("code=add+0x10..add+0x20")?.add_to(&mut filter, symbols, nothing)?;
    /// assert_eq!(filter.code, [0x110..0x120]);
    /// assert_eq!(Choice::parse("wave=some").unwrap_err(), "`some` is not the number of a wave in its workgroup, or A..B");
    /// # Ok::<(), String>(())
    /// ```
    pub fn parse(text: &str) -> Result<Choice, String> {
        let (key, value) = text
            .split_once('=')
            .map(|(key, value)| (key.trim(), value.trim()))
            .ok_or_else(|| format!("write {KEYS}"))?;
        let kind =
            match key {
                "workgroup" => ChoiceKey::Workgroup(position(value).ok_or_else(|| {
                    format!("`{value}` is not the position of a workgroup, X,Y,Z")
                })?),
                "wave" => ChoiceKey::Waves(range(value, wave).ok_or_else(|| {
                    format!("`{value}` is not the number of a wave in its workgroup, or A..B")
                })?),
                "code" => ChoiceKey::Code(value.to_owned()),
                "memory" => ChoiceKey::Memory(value.to_owned()),
                "instruction" => ChoiceKey::Instruction(value.to_owned()),
                _ => return Err(format!("unknown key `{key}`: write {KEYS}")),
            };
        Ok(Choice(kind))
    }

    /// Adds the selection to a filter. `symbol` returns the address range of a symbol's code, which may be empty.
    /// `buffer` returns the address range of a buffer.
    ///
    /// # Errors
    /// Fails if the value is neither a known symbol or buffer, nor a range of addresses.
    pub fn add_to(
        &self,
        filter: &mut TraceFilter,
        symbol: impl Fn(&str) -> Option<Range<u64>>,
        buffer: impl Fn(&str) -> Option<Range<u64>>,
    ) -> Result<(), String> {
        match &self.0 {
            ChoiceKey::Workgroup(position) => filter.workgroups.push(*position),
            ChoiceKey::Waves(waves) => filter.waves.push(waves.clone()),
            ChoiceKey::Code(value) => {
                let place = |text: &str| {
                    let (name, offset) = text.split_once('+').unwrap_or((text, "0"));
                    match symbol(name.trim()) {
                        Some(code) => {
                            let place = code.start.checked_add(address(offset)?);
                            place.filter(has_next)
                        }
                        None => address(text),
                    }
                };
                let whole = symbol(value).filter(|code| !code.is_empty());
                filter
                    .code
                    .push(whole.or_else(|| range(value, place)).ok_or_else(|| {
                        format!(
                            "`{value}` is neither a symbol nor a range A..B of addresses or SYMBOL+OFFSET"
                        )
                    })?);
            }
            ChoiceKey::Memory(value) => {
                let memory = buffer(value).or_else(|| range(value, address));
                filter.memory.push(memory.ok_or_else(|| {
                    format!("`{value}` is neither a buffer nor a range A..B of addresses")
                })?);
            }
            ChoiceKey::Instruction(name) => filter.instructions.push(name.clone()),
        }
        Ok(())
    }
}

/// Parses up to three numbers, separated by commas or `x`. Missing numbers are 0.
fn position(text: &str) -> Option<[u32; 3]> {
    let mut position = [0; 3];
    for (place, part) in text.split([',', 'x']).enumerate() {
        *position.get_mut(place)? = part.trim().parse().ok()?;
    }
    Some(position)
}

/// Parses a wave number below `u32::MAX`, so that a range can end after it.
fn wave(text: &str) -> Option<u32> {
    text.trim().parse().ok().filter(|number| *number < u32::MAX)
}

/// Parses `A..B`, or `A` for a single value.
fn range<T: Copy + PartialOrd + From<u8> + Add<Output = T>>(
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

/// Parses a decimal or `0x` hexadecimal address below `u64::MAX`, so that a range can end after it.
fn address(text: &str) -> Option<u64> {
    let text = text.trim();
    let number = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    number.ok().filter(has_next)
}

fn has_next(address: &u64) -> bool {
    *address < u64::MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_are_read() {
        let mut filter = TraceFilter::default();
        let symbol = |name: &str| match name {
            "f" => Some(0x100..0x140),
            "empty" => Some(0x200..0x200),
            _ => None,
        };
        let buffer = |name: &str| (name == "xs").then_some(0x1000..0x1010);
        for text in [
            "workgroup=1",
            "workgroup=1,2,3",
            "workgroup= 4x5",
            "wave=7",
            "wave=0..2",
            "code=f",
            "code=f+4..0x120",
            "code=empty..empty+8",
            "memory=xs",
            "memory=16..0x20",
            "memory=5",
            "instruction=v_*",
        ] {
            let choice = Choice::parse(text).expect("it is right");
            choice
                .add_to(&mut filter, symbol, buffer)
                .expect("names exist");
        }
        let expected = TraceFilter {
            workgroups: vec![[1, 0, 0], [1, 2, 3], [4, 5, 0]],
            waves: vec![7..8, 0..2],
            code: vec![0x100..0x140, 0x104..0x120, 0x200..0x208],
            memory: vec![0x1000..0x1010, 16..32, 5..6],
            instructions: vec!["v_*".to_owned()],
        };
        assert_eq!(filter, expected);
    }

    #[test]
    fn wrong_choices_are_reported() {
        let none = |_: &str| None;
        let symbol = |name: &str| (name == "f").then_some(0x100..0x140);
        for (text, message) in [
            ("wave", "write workgroup=X,Y,Z,"),
            ("lane=1", "unknown key `lane`: write"),
            ("workgroup=1,2,3,4", "`1,2,3,4` is not the position"),
            (
                "wave=4294967295",
                "`4294967295` is not the number of a wave",
            ),
            ("wave=3..3", "`3..3` is not the number of a wave"),
            ("code=g", "`g` is neither a symbol"),
            (
                "code=f+0xfffffffffffffeff",
                "`f+0xfffffffffffffeff` is neither a symbol",
            ),
            ("memory=xs", "`xs` is neither a buffer"),
            (
                "memory=18446744073709551615",
                "`18446744073709551615` is neither a buffer",
            ),
        ] {
            let added = Choice::parse(text)
                .and_then(|it| it.add_to(&mut TraceFilter::default(), symbol, none));
            let error = added.expect_err("it is wrong");
            assert!(error.starts_with(message), "{text}: {error}");
        }
    }
}
