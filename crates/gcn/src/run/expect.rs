//! Expected contents of buffers, and comparison with the actual contents.

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

use super::option_values::NamedText;
use super::output::{ElementSelector, MemoryView, json};
use crate::input::open;
use crate::problem::Problem;
use crate::render::printable;

/// Expected contents of a buffer or some of its elements.
pub struct Expectation {
    view: MemoryView,
    /// True if the elements are compared as another type than the buffer's, or belong to a symbol, which has no type.
    is_retyped: bool,
    expected: Expected,
    /// True if the tolerance accepts any values.
    is_any: bool,
}

/// File that the expectation reads, if any.
pub fn file(given: &NamedText) -> Option<PathBuf> {
    let (value, _) = Expected::split(&given.value).ok()?;
    match Spec::parse(value) {
        Ok(Spec::File { path, .. }) => Some(given.path(&path)),
        _ => None,
    }
}

impl Expectation {
    /// Creates the expectation `NAME=VALUE[~TOLERANCE]`.
    ///
    /// # Errors
    /// Fails if the selector, value or tolerance is invalid, or the numbers of values and elements differ.
    pub fn new(given: &NamedText, buffers: &[BufferView], loaded: &Loaded) -> Result<Expectation> {
        let (value, tolerance) = Expected::split(&given.value)?;
        let spec = Spec::parse(value)?.relative_to(&given.base);
        let mut selector = ElementSelector::unprinted(&given.name)?;
        selector.ty = spec.ty().or(selector.ty);
        let view = selector.find(buffers, loaded)?;
        selector.ty = None;
        let own = selector.find(buffers, loaded);
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

    /// Elements to compare; `None` if the tolerance accepts any values.
    pub fn view(&self) -> Option<&MemoryView> {
        (!self.is_any).then_some(&self.view)
    }

    /// Compares the elements in memory.
    pub fn check(&self, memory: &Memory) -> ComparisonOutcome {
        let elements = self.view.elements(memory);
        ComparisonOutcome {
            name: self.view.name.clone(),
            ty: self.is_retyped.then_some(self.view.ty),
            comparison: self.expected.compare(self.view.begin, elements),
        }
    }
}

/// Result of a comparison.
pub struct ComparisonOutcome {
    name: String,
    /// Type of the elements, if a selector needs it because it is not the buffer's.
    ty: Option<Type>,
    comparison: Comparison,
}

/// JSON report of a comparison.
#[derive(Serialize)]
pub struct VerdictReport {
    name: String,
    compared: u64,
    different: u64,
    /// First differences, at most [`compare::MAX_DIFFERENCES`].
    differences: Vec<DifferenceReport>,
    worst: Option<DifferenceReport>,
}

/// JSON report of a difference.
#[derive(Serialize)]
struct DifferenceReport {
    index: u64,
    is: serde_json::Value,
    expected: serde_json::Value,
    /// Distance in units in the last place.
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
    /// True if all elements match.
    pub fn holds(&self) -> bool {
        self.comparison.holds()
    }

    /// Selector of the first element that does not match.
    pub fn first_difference(&self) -> Option<String> {
        let first = self.comparison.first.first()?;
        Some(match self.ty {
            Some(ty) => format!("{}:{ty}[{}]", self.name, first.index),
            None => format!("{}[{}]", self.name, first.index),
        })
    }

    /// Converts the result to JSON.
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

    /// Writes the result as text.
    ///
    /// # Errors
    /// Fails if `out` cannot be written.
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
