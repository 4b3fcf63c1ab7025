//! How close results are to what is expected.

use super::value::{Bits, Element, Type};

/// The distance that an element may have from what is expected.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tolerance {
    distance: Distance,
    /// Denormals count as zero: those of single precision are flushed on GCN 1.0 to 1.2, and OpenCL allows it.
    flushes: bool,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Distance {
    /// The same bits; not-a-number agrees with itself.
    Exact,
    /// `n` representable numbers.
    Ulps(u64),
    /// Absolute where what is expected is below 1, relative above.
    Within(f64),
    /// Anything: scratch space of a kernel.
    Any,
}

impl Tolerance {
    /// The same number: zeros of both signs are one.
    pub const EQUAL: Tolerance = Tolerance::of(Distance::Within(0.0));

    const fn of(distance: Distance) -> Tolerance {
        Tolerance {
            distance,
            flushes: false,
        }
    }

    /// Reads `exact`, `4 ulp`, `1e-5` or `any`; behind them `ftz` if denormals count as zero.
    pub fn parse(text: &str) -> Option<Tolerance> {
        let (rule, flushes) = match text.trim().strip_suffix("ftz") {
            Some(rule) => (rule.trim(), true),
            None => (text.trim(), false),
        };
        let distance = match (rule, rule.strip_suffix("ulp")) {
            ("exact", _) => Distance::Exact,
            ("", _) if flushes => Distance::Exact,
            ("any", _) => Distance::Any,
            (_, Some(ulps)) => Distance::Ulps(ulps.trim().parse().ok()?),
            (number, None) => Distance::Within(number.parse().ok().filter(|t| *t >= 0.0)?),
        };
        Some(Tolerance { distance, flushes })
    }

    /// Whether a value is as close to `expected` as asked, which has the same type.
    pub fn holds(self, value: Element, expected: Element) -> bool {
        let (value, expected) = if self.flushes {
            (flushed(value), flushed(expected))
        } else {
            (value, expected)
        };
        match self.distance {
            Distance::Any => true,
            Distance::Exact => value.bits == expected.bits || is_nan(value) && is_nan(expected),
            Distance::Within(tolerance) => value.agrees(expected, tolerance),
            Distance::Ulps(most) => match ulps(value, expected) {
                Some(ulps) => ulps <= u128::from(most),
                None => is_nan(value) && is_nan(expected),
            },
        }
    }
}

fn is_nan(element: Element) -> bool {
    element.ty.bits() == Bits::Float && element.float().is_nan()
}

/// The number of steps from one representable number to the other; nothing for not-a-number.
pub fn ulps(value: Element, expected: Element) -> Option<u128> {
    let known = !is_nan(value) && !is_nan(expected);
    known.then(|| position(value).abs_diff(position(expected)))
}

/// The number of an element in the order of its type's values; both zeros are 0.
fn position(element: Element) -> i128 {
    if element.ty.bits() != Bits::Float {
        return element.integer();
    }
    let sign = 1 << (element.ty.size() * 8 - 1);
    let magnitude = i128::from(element.bits & (sign - 1));
    if element.bits & sign == 0 {
        magnitude
    } else {
        -magnitude
    }
}

/// Zero of the same sign for a denormal.
fn flushed(element: Element) -> Element {
    let exponent: u64 = match element.ty {
        Type::F16 => 0x7c00,
        Type::F32 => 0x7f80_0000,
        Type::F64 => 0x7ff0_0000_0000_0000,
        _ => return element,
    };
    let sign = 1 << (element.ty.size() * 8 - 1);
    if element.bits & exponent == 0 {
        Element {
            bits: element.bits & sign,
            ..element
        }
    } else {
        element
    }
}

/// An element that is not as expected.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Difference {
    /// Its number.
    pub index: u64,
    /// Its value.
    pub is: Element,
    /// The value that it should have.
    pub expected: Element,
}

impl Difference {
    /// The size of the difference, absolute below 1 and relative above; infinite where not both are finite.
    fn size(&self) -> f64 {
        let (is, expected) = (self.is.float(), self.expected.float());
        let size = (is - expected).abs() / expected.abs().max(1.0);
        if size.is_nan() { f64::INFINITY } else { size }
    }
}

/// Elements compared one by one.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Comparison {
    /// The elements.
    pub compared: u64,
    /// Those that are not as expected.
    pub different: u64,
    /// The first of them, [`MAX_DIFFERENCES`] at most.
    pub first: Vec<Difference>,
    /// The greatest difference.
    pub worst: Option<Difference>,
}

/// Differences that are kept.
pub const MAX_DIFFERENCES: usize = 10;

impl Comparison {
    /// Compares elements with those that are expected; the first has the number `begin`.
    pub fn new(
        begin: u64,
        pairs: impl Iterator<Item = (Element, Element)>,
        tolerance: Tolerance,
    ) -> Comparison {
        let mut comparison = Comparison::default();
        for (index, (is, expected)) in (begin..).zip(pairs) {
            comparison.compared += 1;
            if tolerance.holds(is, expected) {
                continue;
            }
            comparison.different += 1;
            let difference = Difference {
                index,
                is,
                expected,
            };
            if comparison.first.len() < MAX_DIFFERENCES {
                comparison.first.push(difference);
            }
            if comparison
                .worst
                .is_none_or(|worst| difference.size() > worst.size())
            {
                comparison.worst = Some(difference);
            }
        }
        comparison
    }

    /// Whether everything is as expected.
    pub fn holds(&self) -> bool {
        self.different == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tolerance(text: &str) -> Tolerance {
        Tolerance::parse(text).expect("a tolerance")
    }

    #[test]
    fn tolerances_are_read_and_hold() {
        let f = |text: &str| Type::F32.parse(text).expect("a number");
        let next = |element: Element, n: u64| Element {
            bits: element.bits + n,
            ..element
        };
        let one = f("1");
        for (text, value, expected, holds) in [
            ("2 ulp", next(one, 2), one, true),
            ("2ulp", next(one, 3), one, false),
            ("0 ulp", f("-0"), f("0"), true),
            ("exact", f("-0"), f("0"), false),
            ("4 ulp", f("nan"), f("nan"), true),
            ("4 ulp", f("nan"), one, false),
            ("1e-3", f("1.0005"), one, true),
            ("any", f("nan"), one, true),
            ("ftz", f("1e-40"), f("0"), true),
            ("1 ulp ftz", f("1e-40"), f("0"), true),
            ("1 ulp", f("1e-40"), f("0"), false),
        ] {
            assert_eq!(
                tolerance(text).holds(value, expected),
                holds,
                "{text}: {value} {expected}"
            );
        }
        for text in ["", "-1", "nan", "x ulp", "ulps"] {
            assert_eq!(Tolerance::parse(text), None, "{text}");
        }
    }

    #[test]
    fn the_worst_difference_is_found_and_the_first_are_kept() {
        let element = |n: u64| Element {
            ty: Type::U32,
            bits: n,
        };
        let pairs = (0..40).map(|n| (element(if n == 30 { 7 } else { 1 }), element(0)));
        let comparison = Comparison::new(100, pairs, Tolerance::EQUAL);
        assert_eq!((comparison.compared, comparison.different), (40, 40));
        assert_eq!(comparison.first.len(), MAX_DIFFERENCES);
        assert_eq!(comparison.first[0].index, 100);
        assert_eq!(comparison.worst.map(|worst| worst.index), Some(130));
        let nan = Type::F32.parse("nan").expect("a number");
        let one = Type::F32.parse("1").expect("a number");
        let far = Type::F32.parse("1e30").expect("a number");
        let pairs = [(far, one), (nan, one)].into_iter();
        let worst = Comparison::new(0, pairs, Tolerance::EQUAL).worst;
        assert_eq!(worst.map(|worst| worst.index), Some(1));
    }
}
