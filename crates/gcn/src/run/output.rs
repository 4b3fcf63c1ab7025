//! What a run leaves: buffers printed, saved and compared.

use std::io::{self, Write};

use anyhow::{Context, Result, bail};
use gcn_emu::memory::Memory;
use gcn_runtime::hsa::Loaded;
use serde::Serialize;

use super::arguments::Buffer;
use super::fill::Fill;
use super::launch::Given;
use super::spec::Spec;
use super::value::{Element, Type};
use crate::input;
use crate::render::printable;

/// Elements on a line of their own.
const PER_LINE: u64 = 8;
/// Buffers of at most so many elements are printed on one line.
const ONE_LINE: u64 = 16;
/// Differences that are shown.
const MAX_DIFFERENCES: usize = 10;
/// Buffers are read in pieces of so many elements.
const CHUNK: u64 = 1 << 14;

/// `NAME[:TYPE][[A..B]]`: elements of something in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Selector {
    name: String,
    ty: Option<Type>,
    begin: Option<u64>,
    end: Option<u64>,
}

impl Selector {
    /// Reads a selector.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Selector> {
        let (rest, range) = match text.strip_suffix(']') {
            Some(inner) => {
                let (rest, range) = inner
                    .split_once('[')
                    .with_context(|| format!("`{text}` has no `[`"))?;
                (rest, Some(range))
            }
            None => (text, None),
        };
        let (name, ty) = match rest.split_once(':') {
            Some((name, ty)) => (
                name,
                Some(
                    Type::named(ty.trim())
                        .with_context(|| format!("`{}` in `{text}` is not a type", ty.trim()))?,
                ),
            ),
            None => (rest, None),
        };
        let (begin, end) = match range {
            None => (None, None),
            Some(range) => {
                let wrong =
                    || format!("`[{range}]` is not a range of elements; write [A..B] or [A]");
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
            bail!("`{text}` names no buffer");
        }
        Ok(Selector {
            name: name.trim().to_owned(),
            ty,
            begin,
            end,
        })
    }

    /// Finds what is meant among the buffers, by name and then by index, and among the data symbols.
    ///
    /// # Errors
    /// There is no such thing, or not so much of it.
    pub fn find(&self, buffers: &[Buffer], loaded: &Loaded) -> Result<View> {
        let name = printable(&self.name);
        let by_name = buffers.iter().find(|buffer| buffer.name == self.name);
        let buffer = by_name.or_else(|| {
            buffers
                .iter()
                .find(|buffer| buffer.index.to_string() == self.name)
        });
        let (address, bytes, ty) = match (
            buffer,
            loaded.symbol(&self.name).filter(|symbol| symbol.is_data),
        ) {
            (Some(buffer), _) => (buffer.address, buffer.bytes, self.ty.unwrap_or(buffer.ty)),
            (None, Some(symbol)) => {
                let ty = self.ty.with_context(|| {
                    format!("{name} is a symbol; write its type, as in {name}:u32")
                })?;
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
                    format!("there are {}", names.join(", "))
                };
                bail!("there is no buffer {name}; {known}");
            }
        };
        let count = bytes / ty.size() as u64;
        let (begin, end) = (self.begin.unwrap_or(0), self.end.unwrap_or(count));
        if begin > end || end > count {
            bail!("elements {begin}..{end} of {name} do not exist: it has {count} of {ty}");
        }
        Ok(View {
            name: self.name.clone(),
            address,
            ty,
            begin,
            end,
        })
    }
}

/// Elements in guest memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct View {
    name: String,
    /// Of element 0.
    address: u64,
    ty: Type,
    begin: u64,
    end: u64,
}

impl View {
    fn count(&self) -> u64 {
        self.end - self.begin
    }

    /// Their bytes, piece by piece, each of whole elements.
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

    /// The elements.
    fn elements<'a>(&'a self, memory: &'a Memory) -> impl Iterator<Item = Element> + 'a {
        self.pieces(memory)
            .flat_map(|bytes| Element::all(self.ty, &bytes).collect::<Vec<_>>())
    }

    /// Writes the elements for people.
    ///
    /// # Errors
    /// `out` cannot be written.
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
        for (place, element) in (0..).zip(self.elements(memory)) {
            match (place % PER_LINE, lines) {
                (0, true) => write!(out, "\n  {:width$}: {element}", self.begin + place)?,
                (_, false) if place == 0 => write!(out, " {element}")?,
                _ => write!(out, ", {element}")?,
            }
        }
        writeln!(out)
    }

    /// The elements for programs.
    pub fn report(&self, memory: &Memory) -> BufferReport {
        BufferReport {
            name: self.name.clone(),
            r#type: self.ty.name(),
            begin: self.begin,
            values: self.elements(memory).map(Element::json).collect(),
        }
    }
}

/// A printed buffer in JSON.
#[derive(Serialize)]
pub struct BufferReport {
    name: String,
    r#type: &'static str,
    /// Index of the first value.
    begin: u64,
    values: Vec<serde_json::Value>,
}

/// What a buffer is expected to hold.
pub struct Expectation {
    view: View,
    values: Values,
    tolerance: f64,
}

/// Expected elements.
enum Values {
    Listed(Vec<u8>),
    Filled(Fill),
}

impl Expectation {
    /// Reads `NAME=VALUE~TOLERANCE`.
    ///
    /// # Errors
    /// What is wrong with it, and expectations of other sizes than the buffer.
    pub fn new(given: &Given, buffers: &[Buffer], loaded: &Loaded) -> Result<Expectation> {
        let (value, tolerance) = match given.value.rsplit_once('~') {
            Some((value, tolerance)) if tolerance.trim().parse::<f64>().is_ok_and(|t| t >= 0.0) => {
                (value, tolerance.trim().parse()?)
            }
            Some((value, tolerance)) if !value.contains('@') => {
                bail!(
                    "`{tolerance}` after `{value}~` is not a tolerance: a number that is not negative"
                )
            }
            _ => (given.value.as_str(), 0.0),
        };
        let spec = Spec::parse(value)?;
        let mut selector = Selector::parse(&given.name)?;
        selector.ty = spec.ty().or(selector.ty);
        let view = selector.find(buffers, loaded)?;
        let size = view.ty.size() as u64;
        let (values, count) = match spec {
            Spec::Numbers { texts, .. } => {
                let mut bytes = Vec::new();
                for text in &texts {
                    bytes.extend(view.ty.parse(text)?.to_bytes());
                }
                (Values::Listed(bytes), texts.len() as u64)
            }
            Spec::Filled { count, fill, .. } => (Values::Filled(fill), count),
            Spec::File { path, .. } => {
                let most = input::MAX_INPUT_BYTES.max(view.count() * size);
                let bytes = input::read_up_to(&given.path(&path), most)?;
                let count = bytes.len() as u64 / size;
                if !(bytes.len() as u64).is_multiple_of(size) {
                    bail!(
                        "{} has {} bytes, which is no whole number of {}",
                        input::name(&path),
                        bytes.len(),
                        view.ty
                    );
                }
                (Values::Listed(bytes), count)
            }
            Spec::Local(_) | Spec::Null | Spec::Same { .. } => {
                bail!("`{value}` is not what a buffer holds")
            }
        };
        if count != view.count() {
            bail!(
                "{count} values cannot be compared with {} elements; choose some with {}[A..B]",
                view.count(),
                printable(&view.name)
            );
        }
        Ok(Expectation {
            view,
            values,
            tolerance,
        })
    }

    /// Compares.
    pub fn check(&self, memory: &Memory) -> Comparison {
        let mut comparison = Comparison {
            name: self.view.name.clone(),
            compared: self.view.count(),
            different: 0,
            differences: Vec::new(),
        };
        let ty = self.view.ty;
        let expected: Box<dyn Iterator<Item = Element>> = match &self.values {
            Values::Listed(bytes) => Box::new(Element::all(ty, bytes)),
            Values::Filled(fill) => Box::new(fill.elements(ty, self.view.count())),
        };
        for ((place, is), expected) in (0..).zip(self.view.elements(memory)).zip(expected) {
            if is.agrees(expected, self.tolerance) {
                continue;
            }
            comparison.different += 1;
            if comparison.differences.len() < MAX_DIFFERENCES {
                let (is, expected) = (
                    (is.json(), is.to_string()),
                    (expected.json(), expected.to_string()),
                );
                comparison.differences.push(Difference {
                    index: self.view.begin + place,
                    is: is.0,
                    expected: expected.0,
                    text: format!("is {}, expected {}", is.1, expected.1),
                });
            }
        }
        comparison
    }
}

/// How a comparison went.
#[derive(Serialize)]
pub struct Comparison {
    name: String,
    compared: u64,
    different: u64,
    /// The first ones.
    differences: Vec<Difference>,
}

#[derive(Serialize)]
struct Difference {
    index: u64,
    is: serde_json::Value,
    expected: serde_json::Value,
    #[serde(skip)]
    text: String,
}

impl Comparison {
    /// Whether everything is as expected.
    pub fn holds(&self) -> bool {
        self.different == 0
    }

    /// Writes the outcome for people.
    ///
    /// # Errors
    /// `out` cannot be written.
    pub fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let name = printable(&self.name);
        if self.holds() {
            return writeln!(out, "{name}: {} values as expected", self.compared);
        }
        writeln!(
            out,
            "{name}: {} of {} values are not as expected",
            self.different, self.compared
        )?;
        for difference in &self.differences {
            writeln!(out, "  {name}[{}] {}", difference.index, difference.text)?;
        }
        if self.different > self.differences.len() as u64 {
            writeln!(out, "  …")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_are_read() {
        let selector = |name: &str, ty, begin, end| Selector {
            name: name.to_owned(),
            ty,
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
            assert_eq!(Selector::parse(text).unwrap(), expected, "{text}");
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
            assert!(Selector::parse(text).is_err(), "{text}");
        }
    }
}
