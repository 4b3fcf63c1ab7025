//! Selection and output of buffer elements.

use std::io::{self, Write};
use std::ops::Range;

use anyhow::{Context, Result, bail};
use gcn_args::bind::BufferView;
use gcn_args::error_names::UNKNOWN_BUFFER;
use gcn_args::value::{NumberEncoding, Type, Value};
use gcn_runtime::error_names::BUFFER_RANGE;
use gcn_runtime::hsa::Loaded;
use gcn_runtime::memory::Memory;
use serde::Serialize;

use crate::problem::{INVALID_SELECTOR, Problem};
use crate::render::printable;

/// Number of elements per line, if there are several lines.
const PER_LINE: u64 = 8;
/// Maximum number of elements printed on a single line.
const ONE_LINE: u64 = 16;
/// Number of elements to read at a time.
const CHUNK: u64 = 1 << 14;

/// Selector suffix for printing bits instead of values.
const HEX: &str = "hex";

/// Selector `NAME[:TYPE][:hex][[A..B]]` of elements in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ElementSelector {
    name: String,
    /// Element type; defaults to the buffer's.
    pub ty: Option<Type>,
    /// True to print bits instead of values.
    hex: bool,
    begin: Option<u64>,
    end: Option<u64>,
}

/// Problem for an invalid selector.
fn invalid(message: String) -> Problem {
    Problem::new(INVALID_SELECTOR, message)
}

impl ElementSelector {
    /// Parses a selector.
    ///
    /// # Errors
    /// Fails if the text is not a selector.
    pub fn parse(text: &str) -> Result<ElementSelector> {
        let (rest, range) = match text.strip_suffix(']') {
            Some(inner) => {
                let (rest, range) = inner
                    .split_once('[')
                    .ok_or_else(|| invalid(format!("`{text}` has a `]` without `[`")))?;
                (rest, Some(range))
            }
            None => (text, None),
        };
        let suffix = rest.strip_suffix(HEX).map(str::trim_end);
        let without = suffix.and_then(|rest| rest.strip_suffix(':'));
        let (rest, hex) = (without.unwrap_or(rest), without.is_some());
        let (name, ty) = match rest.split_once(':') {
            Some((name, ty)) => {
                let unknown = || invalid(format!("unknown type `{}` in `{text}`", ty.trim()));
                (name, Some(Type::named(ty.trim()).ok_or_else(unknown)?))
            }
            None => (rest, None),
        };
        let (begin, end) = match range {
            None => (None, None),
            Some(range) => {
                let wrong = || {
                    invalid(format!(
                        "`[{range}]` is not a range of elements: write [A..B] or [A]"
                    ))
                };
                let number = |text: &str| match text.trim() {
                    "" => Ok(None),
                    text => text.parse().map(Some),
                };
                match range.split_once("..") {
                    Some((begin, end)) => (
                        number(begin).with_context(wrong)?,
                        number(end).with_context(wrong)?,
                    ),
                    None => {
                        let index: u64 = range.trim().parse().with_context(wrong)?;
                        (Some(index), Some(index.saturating_add(1)))
                    }
                }
            }
        };
        if name.trim().is_empty() {
            bail!(invalid(format!("`{text}` names no buffer")));
        }
        Ok(ElementSelector {
            name: name.trim().to_owned(),
            ty,
            hex,
            begin,
            end,
        })
    }

    /// Parses a selector for a use other than printing.
    ///
    /// # Errors
    /// Fails as [`ElementSelector::parse`] does, or if the selector contains `hex`.
    pub fn unprinted(text: &str) -> Result<ElementSelector> {
        let selector = ElementSelector::parse(text)?;
        if selector.hex {
            let message = format!("`:{HEX}` in `{text}` is allowed in --print only");
            bail!(invalid(message));
        }
        Ok(selector)
    }

    /// Resolves the selector: buffers by name, then by index, then data symbols.
    ///
    /// # Errors
    /// Fails if no buffer or symbol has the name, the selector of a symbol has no type, or the range is out of bounds.
    pub fn find(&self, buffers: &[BufferView], loaded: &Loaded) -> Result<MemoryView> {
        let name = printable(&self.name);
        let by_name = buffers.iter().find(|buffer| buffer.name == self.name);
        let buffer = by_name.or_else(|| {
            buffers.iter().find(|buffer| {
                buffer
                    .index
                    .is_some_and(|index| index.to_string() == self.name)
            })
        });
        let (address, bytes, ty) = match (
            buffer,
            loaded.symbol(&self.name).filter(|symbol| symbol.is_data),
        ) {
            (Some(buffer), _) => (buffer.address, buffer.bytes, self.ty.unwrap_or(buffer.ty)),
            (None, Some(symbol)) => {
                let untyped = || {
                    invalid(format!(
                        "{name} is a symbol: write its type, as in {name}:u32"
                    ))
                };
                let ty = self.ty.ok_or_else(untyped)?;
                (symbol.address, symbol.size, ty)
            }
            (None, None) => {
                let names: Vec<String> = buffers
                    .iter()
                    .map(|buffer| printable(&buffer.name))
                    .collect();
                let known = if names.is_empty() {
                    "there are none".to_owned()
                } else {
                    format!("the buffers are {}", names.join(", "))
                };
                let message = format!("there is no buffer {name}; {known}");
                bail!(Problem::new(UNKNOWN_BUFFER, message));
            }
        };
        let count = bytes / ty.size() as u64;
        let (begin, end) = (self.begin.unwrap_or(0), self.end.unwrap_or(count));
        if begin > end || end > count {
            let message = format!(
                "elements {begin}..{end} of {name} do not exist: it has {count} elements of {ty}"
            );
            bail!(Problem::new(BUFFER_RANGE, message));
        }
        Ok(MemoryView {
            name: self.name.clone(),
            address,
            ty,
            hex: self.hex,
            begin,
            end,
        })
    }
}

/// Elements in guest memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemoryView {
    /// Name used in the selector.
    pub name: String,
    /// Address of element 0.
    address: u64,
    /// Element type.
    pub ty: Type,
    /// True to print bits instead of values.
    hex: bool,
    /// Index of the first element.
    pub begin: u64,
    end: u64,
}

impl MemoryView {
    /// Number of elements.
    pub fn count(&self) -> u64 {
        self.end - self.begin
    }

    /// First element as text and in JSON; `None` if there are no elements.
    pub fn first(&self, memory: &Memory) -> Option<(String, serde_json::Value)> {
        let first = self.elements(memory).next()?;
        Some((first.to_string(), json(first)))
    }

    /// Address range of the elements.
    pub fn addresses(&self) -> Range<u64> {
        let size = self.ty.size() as u64;
        self.address + self.begin * size..self.address + self.end * size
    }

    /// Iterates over the bytes in chunks of whole elements.
    pub fn pieces<'a>(&'a self, memory: &'a Memory) -> impl Iterator<Item = Vec<u8>> + 'a {
        let size = self.ty.size() as u64;
        (self.begin..self.end)
            .step_by(CHUNK as usize)
            .map(move |first| {
                let mut bytes = vec![0; (CHUNK.min(self.end - first) * size) as usize];
                memory.read(self.address + first * size, &mut bytes);
                bytes
            })
    }

    /// Iterates over the elements.
    pub fn elements<'a>(&'a self, memory: &'a Memory) -> impl Iterator<Item = Value> + 'a {
        self.pieces(memory)
            .flat_map(|bytes| Value::all(self.ty, &bytes).collect::<Vec<_>>())
    }

    /// Writes the elements as text.
    ///
    /// # Errors
    /// Fails if `out` cannot be written.
    pub fn print(&self, memory: &Memory, out: &mut dyn Write) -> io::Result<()> {
        write!(
            out,
            "{}: {}[{}..{}] =",
            printable(&self.name),
            self.ty,
            self.begin,
            self.end
        )?;
        let lines = self.count() > ONE_LINE;
        let width = self.end.to_string().len();
        let texts = self.elements(memory).map(|element| match self.hex {
            true => bits(element),
            false => element.to_string(),
        });
        for (place, element) in (0..).zip(texts) {
            match (place % PER_LINE, lines) {
                (0, true) => write!(out, "\n  {:width$}: {element}", self.begin + place)?,
                (_, false) if place == 0 => write!(out, " {element}")?,
                _ => write!(out, ", {element}")?,
            }
        }
        writeln!(out)
    }

    /// Converts the elements to JSON.
    pub fn report(&self, memory: &Memory) -> BufferReport {
        BufferReport {
            name: self.name.clone(),
            r#type: self.ty.name(),
            begin: self.begin,
            values: match self.hex {
                true => self.elements(memory).map(|it| bits(it).into()).collect(),
                false => self.elements(memory).map(json).collect(),
            },
        }
    }
}

/// Formats the bits of a value in hexadecimal, with leading zeros.
fn bits(value: Value) -> String {
    let bytes = value.to_bytes().into_iter().rev();
    bytes.fold("0x".to_owned(), |text, byte| text + &format!("{byte:02x}"))
}

/// Converts a value to a JSON number, or to text if JSON cannot represent it.
pub fn json(value: Value) -> serde_json::Value {
    match value.ty.encoding() {
        NumberEncoding::Float if value.float().is_finite() => {
            // Parse the shortest decimal of the type: converting to f64 directly would add digits.
            value
                .to_string()
                .parse::<f64>()
                .map_or(serde_json::Value::Null, serde_json::Value::from)
        }
        NumberEncoding::Float => value.to_string().into(),
        NumberEncoding::Signed => (value.integer() as i64).into(),
        NumberEncoding::Unsigned => (value.integer() as u64).into(),
    }
}

/// JSON report of a printed buffer.
#[derive(Serialize)]
pub struct BufferReport {
    name: String,
    r#type: &'static str,
    /// Index of the first value.
    begin: u64,
    values: Vec<serde_json::Value>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_json_have_the_digits_of_their_type() {
        for (ty, text, expected) in [
            (Type::F32, "0.1", "0.1"),
            (Type::F32, "nan", "\"NaN\""),
            (Type::U64, "18446744073709551615", "18446744073709551615"),
            (Type::I8, "-1", "-1"),
        ] {
            let value = ty.parse(text).expect("a number");
            assert_eq!(json(value).to_string(), expected);
        }
    }

    #[test]
    fn selectors_are_read() {
        let selector = |name: &str, ty, begin, end| ElementSelector {
            name: name.to_owned(),
            ty,
            hex: false,
            begin,
            end,
        };
        for (text, expected) in [
            ("y", selector("y", None, None, None)),
            ("y[0..8]", selector("y", None, Some(0), Some(8))),
            ("y[8..]", selector("y", None, Some(8), None)),
            ("y[..8]", selector("y", None, None, Some(8))),
            ("y[3]", selector("y", None, Some(3), Some(4))),
            (
                "y:u32[0..8]",
                selector("y", Some(Type::U32), Some(0), Some(8)),
            ),
            ("2:f16", selector("2", Some(Type::F16), None, None)),
        ] {
            assert_eq!(ElementSelector::parse(text).unwrap(), expected, "{text}");
        }
        for text in [
            "",
            "[0..8]",
            "y[a..b]",
            "y0..8]",
            "y:z",
            "y[1..2..3]",
            "y[]",
            "y[-1..2]",
        ] {
            assert!(ElementSelector::parse(text).is_err(), "{text}");
        }
    }
}
