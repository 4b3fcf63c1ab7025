//! What buffers are expected to hold, and how they differ from it.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Result, bail};
use gcn_emu::memory::Memory;
use gcn_runtime::hsa::Loaded;
use serde::Serialize;

use super::arguments::Buffer;
use super::compare::{self, Comparison, Tolerance};
use super::fill::Fill;
use super::launch::Given;
use super::output::{Selector, View};
use super::spec::Spec;
use super::value::Element;
use crate::input;
use crate::render::printable;

/// What a buffer is expected to hold.
pub struct Expectation {
    view: View,
    values: Values,
    tolerance: Tolerance,
}

/// Expected elements.
enum Values {
    Listed(Vec<u8>),
    Filled(Fill),
}

/// A value and the tolerance behind it, `VALUE~TOLERANCE`.
fn with_tolerance(text: &str) -> Result<(&str, Tolerance)> {
    let Some((value, tolerance)) = text.rsplit_once('~') else {
        return Ok((text, Tolerance::EQUAL));
    };
    match Tolerance::parse(tolerance) {
        Some(tolerance) => Ok((value, tolerance)),
        // It may belong to the name of a file.
        None if value.contains('@') => Ok((text, Tolerance::EQUAL)),
        None => bail!(
            "`{tolerance}` after `{value}~` is not a tolerance: a number that is not negative, such as 1e-6, or `4 ulp`, `exact`, \
             `any`; then perhaps `ftz`"
        ),
    }
}

/// The file that an expectation reads, if it reads one.
pub fn file(given: &Given) -> Option<PathBuf> {
    let (value, _) = with_tolerance(&given.value).ok()?;
    match Spec::parse(value) {
        Ok(Spec::File { path, .. }) => Some(given.path(&path)),
        _ => None,
    }
}

impl Expectation {
    /// Reads `NAME=VALUE~TOLERANCE`.
    ///
    /// # Errors
    /// What is wrong with it, and expectations of other sizes than the buffer.
    pub fn new(given: &Given, buffers: &[Buffer], loaded: &Loaded) -> Result<Expectation> {
        let (value, tolerance) = with_tolerance(&given.value)?;
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
            Spec::Local(_) | Spec::Null | Spec::Same { .. } | Spec::Struct(_) | Spec::Bytes(_) => {
                bail!("`{value}` is not what a buffer holds")
            }
        };
        if count != view.count() {
            bail!(
                "{count} values cannot be compared with {} elements; choose some with {}[A..B]",
                view.count(),
                view.name
            );
        }
        Ok(Expectation {
            view,
            values,
            tolerance,
        })
    }

    /// Compares.
    pub fn check(&self, memory: &Memory) -> Verdict {
        let ty = self.view.ty;
        let expected: Box<dyn Iterator<Item = Element>> = match &self.values {
            Values::Listed(bytes) => Box::new(Element::all(ty, bytes)),
            Values::Filled(fill) => Box::new(fill.elements(ty, self.view.count())),
        };
        let pairs = self.view.elements(memory).zip(expected);
        Verdict {
            name: self.view.name.clone(),
            comparison: Comparison::new(self.view.begin, pairs, self.tolerance),
        }
    }
}

/// The outcome of a comparison.
pub struct Verdict {
    name: String,
    comparison: Comparison,
}

/// The outcome of a comparison in JSON; the fields are the keys.
#[derive(Serialize)]
pub struct VerdictReport {
    name: String,
    compared: u64,
    different: u64,
    /// The first ones.
    differences: Vec<Difference>,
    worst: Option<Difference>,
}

/// A difference in JSON; the fields are the keys.
#[derive(Serialize)]
struct Difference {
    index: u64,
    is: serde_json::Value,
    expected: serde_json::Value,
    /// Representable numbers from one to the other.
    ulps: Option<u64>,
}

impl From<&compare::Difference> for Difference {
    fn from(difference: &compare::Difference) -> Difference {
        let compare::Difference {
            index,
            is,
            expected,
        } = *difference;
        Difference {
            index,
            is: is.json(),
            expected: expected.json(),
            ulps: compare::ulps(is, expected).map(|ulps| ulps.try_into().unwrap_or(u64::MAX)),
        }
    }
}

impl Verdict {
    /// Whether everything is as expected.
    pub fn holds(&self) -> bool {
        self.comparison.holds()
    }

    /// The outcome for programs.
    pub fn report(&self) -> VerdictReport {
        let comparison = &self.comparison;
        VerdictReport {
            name: self.name.clone(),
            compared: comparison.compared,
            different: comparison.different,
            differences: comparison.first.iter().map(Difference::from).collect(),
            worst: comparison.worst.as_ref().map(Difference::from),
        }
    }

    /// Writes the outcome for people.
    ///
    /// # Errors
    /// `out` cannot be written.
    pub fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let name = printable(&self.name);
        let comparison = &self.comparison;
        if comparison.holds() {
            return writeln!(out, "{name}: {} values as expected", comparison.compared);
        }
        writeln!(
            out,
            "{name}: {} of {} values are not as expected",
            comparison.different, comparison.compared
        )?;
        let text = |difference: &compare::Difference| {
            let (is, expected) = (difference.is, difference.expected);
            format!("{name}[{}] is {is}, expected {expected}", difference.index)
        };
        for difference in &comparison.first {
            writeln!(out, "  {}", text(difference))?;
        }
        if comparison.different > comparison.first.len() as u64 {
            writeln!(out, "  …")?;
        }
        match &comparison.worst {
            Some(worst) if comparison.different > 1 => {
                let ulps = compare::ulps(worst.is, worst.expected);
                let ulps = ulps.map_or(String::new(), |ulps| format!(" ({ulps} ulp)"));
                writeln!(out, "  the worst: {}{ulps}", text(worst))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tolerance_stands_behind_the_value() {
        let within = |text: &str| Tolerance::parse(text).expect("a tolerance");
        for (text, value, tolerance) in [
            ("f32:1,2", "f32:1,2", Tolerance::EQUAL),
            ("f32:1~1e-3", "f32:1", within("1e-3")),
            ("f32:1~ 4 ulp", "f32:1", within("4 ulp")),
            ("@a~b.bin", "@a~b.bin", Tolerance::EQUAL),
            ("@a~b.bin~2ulp ftz", "@a~b.bin", within("2 ulp ftz")),
        ] {
            let read = with_tolerance(text).expect("a value");
            assert_eq!(read, (value, tolerance), "{text}");
        }
        assert!(with_tolerance("f32:1~-1").is_err());
        assert!(with_tolerance("f32:1~4 ulps").is_err());
    }
}
