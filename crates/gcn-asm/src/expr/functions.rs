//! Functions in LLVM expressions, which compilers use to compute register counts: `max(a, b, …)`, `or(a, b, …)`,
//! `alignto(value, multiple)`, `extrasgprs(vcc, flat_scratch, xnack)`, `totalnumvgprs(agprs, vgprs)` and
//! `occupancy(…)`. The parser turns each call into operators after its arguments, so the evaluator does not deal with
//! functions.

use gcn_isa::{Isa, Target};

use super::arithmetic::align_to;
use super::item::ExprItem;
use super::operator::Operator;
use crate::descriptor::extra_sgprs;

/// A function that expressions can call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ExprFunction {
    Max,
    Or,
    AlignTo,
    ExtraSgprs,
    TotalVgprs,
    Occupancy,
}

/// Functions by name, each with its number of arguments; `None` accepts one or more.
const FUNCTIONS: &[(&str, ExprFunction, Option<usize>)] = &[
    ("max", ExprFunction::Max, None),
    ("or", ExprFunction::Or, None),
    ("alignto", ExprFunction::AlignTo, Some(2)),
    ("extrasgprs", ExprFunction::ExtraSgprs, Some(3)),
    ("totalnumvgprs", ExprFunction::TotalVgprs, Some(2)),
    (
        "occupancy",
        ExprFunction::Occupancy,
        Some(OCCUPANCY_ARGUMENTS),
    ),
];

/// Number of arguments of `occupancy`: maximum waves, VGPR granularity, total VGPRs, LLVM's generation number, waves
/// allowed by other limits, SGPRs used, VGPRs used.
pub(super) const OCCUPANCY_ARGUMENTS: usize = 7;

/// Returns true if `name` is a function.
pub(crate) fn is_function(name: &str) -> bool {
    ExprFunction::named(name).is_some()
}

impl ExprFunction {
    /// Finds a function by name. Also returns its number of arguments, if fixed.
    pub(super) fn named(name: &str) -> Option<(ExprFunction, Option<usize>)> {
        FUNCTIONS
            .iter()
            .find(|(text, ..)| *text == name)
            .map(|&(_, function, count)| (function, count))
    }

    /// Appends the operators that follow the argument at `index` in postfix order.
    pub(super) fn after(self, target: &Target, index: usize, items: &mut Vec<ExprItem>) {
        let operator = |operator| ExprItem::Operator(operator);
        let folded = |operator| (index > 0).then_some(ExprItem::Operator(operator));
        match self {
            ExprFunction::Max | ExprFunction::TotalVgprs => items.extend(folded(Operator::Max)),
            ExprFunction::Or => items.extend(folded(Operator::Or)),
            ExprFunction::AlignTo => items.extend(folded(Operator::AlignTo)),
            ExprFunction::ExtraSgprs => {
                let count = extra_sgprs(target.isa).get(index).copied().unwrap_or(0);
                // `!=` gives −1 for true, which serves as a mask.
                items.extend([
                    ExprItem::Int(0),
                    operator(Operator::Ne),
                    ExprItem::Int(i64::from(count)),
                    operator(Operator::And),
                ]);
                items.extend(folded(Operator::Max));
            }
            ExprFunction::Occupancy if index + 1 == OCCUPANCY_ARGUMENTS => {
                items.push(operator(Operator::Occupancy(target.isa)));
            }
            ExprFunction::Occupancy => {}
        }
    }
}

/// Number of waves that fit on a SIMD, given the arguments of `occupancy`.
pub(super) fn occupancy(isa: Isa, arguments: [i64; OCCUPANCY_ARGUMENTS]) -> i64 {
    let [most, block, vgprs_there_are, _, otherwise, sgprs, vgprs] = arguments;
    let by_sgprs = if sgprs > 0 {
        waves_by_sgprs(isa, sgprs)
    } else {
        otherwise
    };
    let by_vgprs = if vgprs <= 0 {
        otherwise
    } else if vgprs < block {
        most
    } else {
        let granted = align_to(vgprs, block).unwrap_or(vgprs);
        most.min((vgprs_there_are / granted).max(1))
    };
    otherwise.min(by_sgprs).min(by_vgprs)
}

/// Number of waves that the SGPR count allows: a SIMD has 800 SGPRs from GCN 1.2, 512 before, allocated in blocks.
/// Thresholds are from LLVM's subtarget description.
fn waves_by_sgprs(isa: Isa, sgprs: i64) -> i64 {
    const NEWER: &[(i64, i64)] = &[(80, 10), (88, 9), (100, 8), (i64::MAX, 7)];
    const OLDER: &[(i64, i64)] = &[(48, 10), (56, 9), (64, 8), (72, 7), (80, 6), (i64::MAX, 5)];
    let steps = if isa >= Isa::Vi { NEWER } else { OLDER };
    steps
        .iter()
        .find(|&&(most, _)| sgprs <= most)
        .map_or(0, |&(_, waves)| waves)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_limit_waves() {
        let waves = |isa, sgprs, vgprs| occupancy(isa, [10, 4, 256, 6, 10, sgprs, vgprs]);
        assert_eq!(waves(Isa::Gfx9, 0, 0), 10);
        assert_eq!(waves(Isa::Gfx9, 81, 1), 9);
        assert_eq!(waves(Isa::Ci, 81, 1), 5);
        assert_eq!(waves(Isa::Gfx9, 1, 129), 1);
        assert_eq!(waves(Isa::Gfx9, 1, 61), 4);
    }
}
