//! Expected contents of buffers, and differences from them.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Result, bail};
use gcn_args::bind::BufferView;
use gcn_args::compare::{self, Comparison};
use gcn_args::error_names::INVALID_EXPECTATION;
use gcn_args::expect::Expected;
use gcn_args::spec::Spec;
use gcn_args::value::Type;
use gcn_runtime::hsa::Loaded;
use gcn_runtime::memory::Memory;
use serde::Serialize;

use super::output::{ElementSelector, MemoryView, json};
use super::written::NamedText;
use crate::input::open;
use crate::problem::Problem;
use crate::render::printable;

/// A buffer, or elements of one, and what they are expected to be.
pub struct Expectation {
    view: MemoryView,
    /// The elements have another type than the buffer.
    is_retyped: bool,
    expected: Expected,
    /// Any values will do.
    is_any: bool,
}

/// The file that an expectation reads, if it reads one.
pub fn file(given: &NamedText) -> Option<PathBuf> {
    let (value, _) = Expected::split(&given.value).ok()?;
    match Spec::parse(value) {
        Ok(Spec::File { path, .. }) => Some(given.path(&path)),
        _ => None,
    }
}

impl Expectation {
    /// Reads `NAME=VALUE~TOLERANCE`.
    ///
    /// # Errors
    /// Errors in it, and expectations of other sizes than the buffer.
    pub fn new(given: &NamedText, buffers: &[BufferView], loaded: &Loaded) -> Result<Expectation> {
        let (value, tolerance) = Expected::split(&given.value)?;
        let spec = Spec::parse(value)?.relative_to(&given.base);
        let mut selector = ElementSelector::unprinted(&given.name)?;
        selector.ty = spec.ty().or(selector.ty);
        let view = selector.find(buffers, loaded)?;
        let own = ElementSelector::unprinted(&given.name)?.find(buffers, loaded);
        let expected = Expected::new(&spec, value, view.ty, tolerance, &open)?;
        if expected.count() != view.count() {
            let message = format!(
                "{} values cannot be compared with {} elements; select elements with {}[A..B]",
                expected.count(),
                view.count(),
                view.name
            );
            bail!(Problem::new(INVALID_EXPECTATION, message));
        }
        Ok(Expectation {
            is_retyped: own.map_or(true, |it| it.ty != view.ty),
            view,
            expected,
            is_any: tolerance.is_any(),
        })
    }

    /// The elements, if their values matter.
    pub fn view(&self) -> Option<&MemoryView> {
        (!self.is_any).then_some(&self.view)
    }

    /// Compares.
    pub fn check(&self, memory: &Memory) -> ComparisonOutcome {
        let elements = self.view.elements(memory);
        ComparisonOutcome {
            name: self.view.name.clone(),
            ty: self.is_retyped.then_some(self.view.ty),
            comparison: self.expected.compare(self.view.begin, elements),
        }
    }
}

/// The outcome of a comparison.
pub struct ComparisonOutcome {
    name: String,
    /// Type of the elements, if the buffer has another.
    ty: Option<Type>,
    comparison: Comparison,
}

/// The outcome of a comparison in JSON; the fields are the keys.
#[derive(Serialize)]
pub struct VerdictReport {
    name: String,
    compared: u64,
    different: u64,
    /// The first ones.
    differences: Vec<DifferenceReport>,
    worst: Option<DifferenceReport>,
}

/// A difference in JSON; the fields are the keys.
#[derive(Serialize)]
struct DifferenceReport {
    index: u64,
    is: serde_json::Value,
    expected: serde_json::Value,
    /// Representable numbers from one to the other.
    ulps: Option<u64>,
}

impl From<&compare::Difference> for DifferenceReport {
    fn from(difference: &compare::Difference) -> DifferenceReport {
        let compare::Difference {
            index,
            is,
            expected,
        } = *difference;
        DifferenceReport {
            index,
            is: json(is),
            expected: json(expected),
            ulps: compare::ulps(is, expected).map(|ulps| ulps.try_into().unwrap_or(u64::MAX)),
        }
    }
}

impl ComparisonOutcome {
    /// True if everything is as expected.
    pub fn holds(&self) -> bool {
        self.comparison.holds()
    }

    /// The first element that is not as expected, as a selector.
    pub fn first_difference(&self) -> Option<String> {
        let first = self.comparison.first.first()?;
        Some(match self.ty {
            Some(ty) => format!("{}:{ty}[{}]", self.name, first.index),
            None => format!("{}[{}]", self.name, first.index),
        })
    }

    /// The outcome for programs.
    pub fn report(&self) -> VerdictReport {
        let comparison = &self.comparison;
        VerdictReport {
            name: self.name.clone(),
            compared: comparison.compared,
            different: comparison.different,
            differences: comparison
                .first
                .iter()
                .map(DifferenceReport::from)
                .collect(),
            worst: comparison.worst.as_ref().map(DifferenceReport::from),
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
