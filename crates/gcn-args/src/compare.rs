//! Comparison of results with expected values, within a tolerance.
//!
//! ```
//! use gcn_args::compare::{Comparison, Tolerance};
//! use gcn_args::value::Value;
//!
//! let tolerance = Tolerance::parse("2 ulp").expect("a tolerance");
//! let is = [1.0f32, 1.0000001, 1.5].map(Value::from);
//! let expected = [1.0f32; 3].map(Value::from);
//! let comparison = Comparison::new(0, is.into_iter().zip(expected), tolerance);
//! assert_eq!((comparison.compared, comparison.different), (3, 1));
//! assert_eq!(comparison.first[0].index, 2);
//! ```

use crate::value::{NumberEncoding, Type, Value};

/// Permitted distance from the expected value.
///
/// # Examples
/// ```
/// use gcn_args::compare::Tolerance;
/// use gcn_args::value::Value;
/// let (zero, minus_zero) = (Value::from(0.0f32), Value::from(-0.0f32));
/// assert!(Tolerance::EQUAL.holds(minus_zero, zero));
/// let exact = Tolerance::parse("exact").expect("a tolerance");
/// assert!(!exact.holds(minus_zero, zero), "the bits differ");
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tolerance {
    distance: Distance,
    /// True if denormals count as zero. Code compiled for GCN 1.0 to 1.2 flushes single-precision denormals, as OpenCL allows.
    flushes: bool,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Distance {
    /// Equal bits, or two NaNs.
    Exact,
    /// Maximum distance in units in the last place.
    Ulps(u64),
    /// Maximum distance: absolute if the magnitude of the expected value is below 1, otherwise relative.
    Within(f64),
    /// Any value, for elements that need no comparison.
    Any,
}

impl Tolerance {
    /// Numeric equality. Zeros of both signs are equal, as are two NaNs.
    pub const EQUAL: Tolerance = Tolerance::of(Distance::Within(0.0));

    const fn of(distance: Distance) -> Tolerance {
        Tolerance {
            distance,
            flushes: false,
        }
    }

    /// Parses `exact` (equal bits), `4 ulp` (distance in units in the last place), `1e-5` (absolute below 1, otherwise
    /// relative) or `any`, each optionally followed by `ftz` (denormals count as zero). `ftz` alone implies `exact`.
    /// Returns `None` for other text.
    ///
    /// # Examples
    /// ```
    /// use gcn_args::compare::Tolerance;
    /// use gcn_args::value::Value;
    /// let tolerance = Tolerance::parse("exact ftz").expect("a tolerance");
    /// assert!(tolerance.holds(Value::from(1e-40f32), Value::from(0.0f32)));
    /// assert!(!tolerance.holds(Value::from(1e-30f32), Value::from(0.0f32)));
    /// assert_eq!(Tolerance::parse("-1"), None);
    /// ```
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

    /// True if any value is accepted.
    ///
    /// # Examples
    /// ```
    /// use gcn_args::compare::Tolerance;
    /// assert!(Tolerance::parse("any").is_some_and(Tolerance::is_any));
    /// assert!(!Tolerance::EQUAL.is_any());
    /// ```
    pub fn is_any(self) -> bool {
        self.distance == Distance::Any
    }

    /// True if a value is within the tolerance of `expected`. Both must have the same type.
    ///
    /// # Examples
    /// ```
    /// use gcn_args::compare::Tolerance;
    /// use gcn_args::value::Value;
    /// let tolerance = Tolerance::parse("1e-3").expect("a tolerance");
    /// assert!(tolerance.holds(Value::from(1000.5f32), Value::from(1000.0f32)), "relative above 1");
    /// assert!(!tolerance.holds(Value::from(0.5f32), Value::from(0.0f32)), "absolute below 1");
    /// ```
    pub fn holds(self, value: Value, expected: Value) -> bool {
        let (value, expected) = if self.flushes {
            (flushed(value), flushed(expected))
        } else {
            (value, expected)
        };
        match self.distance {
            Distance::Any => true,
            Distance::Exact => value.bits == expected.bits || value.is_nan() && expected.is_nan(),
            Distance::Within(tolerance) => agrees(value, expected, tolerance),
            Distance::Ulps(most) => match ulps(value, expected) {
                Some(ulps) => ulps <= u128::from(most),
                None => value.is_nan() && expected.is_nan(),
            },
        }
    }
}

/// True if a value is within `tolerance` of `expected`, absolute below 1 and relative above. Two NaNs agree.
fn agrees(value: Value, expected: Value, tolerance: f64) -> bool {
    if value.ty.encoding() != NumberEncoding::Float {
        let distance = value.integer().abs_diff(expected.integer());
        return distance == 0 || distance as f64 <= tolerance * (expected.float().abs()).max(1.0);
    }
    let (value, expected) = (value.float(), expected.float());
    let close = || (value - expected).abs() <= tolerance * expected.abs().max(1.0);
    value == expected
        || (value.is_nan() && expected.is_nan())
        || (value.is_finite() && expected.is_finite() && close())
}

/// Returns the distance in units in the last place, or `None` if either value is NaN.
///
/// # Examples
/// ```
/// use gcn_args::compare::ulps;
/// use gcn_args::value::Value;
/// let next = f32::from_bits(1.0f32.to_bits() + 1);
/// assert_eq!(ulps(Value::from(next), Value::from(1.0f32)), Some(1));
/// assert_eq!(ulps(Value::from(-0.0f64), Value::from(0.0f64)), Some(0));
/// assert_eq!(ulps(Value::from(f32::NAN), Value::from(1.0f32)), None);
/// ```
pub fn ulps(value: Value, expected: Value) -> Option<u128> {
    let known = !value.is_nan() && !expected.is_nan();
    known.then(|| position(value).abs_diff(position(expected)))
}

/// Returns the rank of a value in the ordered values of its type. Both zeros have rank 0.
fn position(element: Value) -> i128 {
    if element.ty.encoding() != NumberEncoding::Float {
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

/// Flushes a denormal to a zero of the same sign.
fn flushed(element: Value) -> Value {
    let exponent: u64 = match element.ty {
        Type::F16 => 0x7c00,
        Type::F32 => 0x7f80_0000,
        Type::F64 => 0x7ff0_0000_0000_0000,
        _ => return element,
    };
    let sign = 1 << (element.ty.size() * 8 - 1);
    if element.bits & exponent == 0 {
        Value {
            bits: element.bits & sign,
            ..element
        }
    } else {
        element
    }
}

/// Element that differs from the expected one.
///
/// # Examples
/// ```
/// use gcn_args::compare::{Comparison, Difference, Tolerance};
/// use gcn_args::value::Value;
/// let (is, expected) = (Value::from(3u8), Value::from(4u8));
/// let comparison = Comparison::new(7, [(is, expected)].into_iter(), Tolerance::EQUAL);
/// assert_eq!(comparison.first, [Difference { index: 7, is, expected }]);
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Difference {
    /// Index of the element.
    pub index: u64,
    /// Actual value.
    pub is: Value,
    /// Expected value.
    pub expected: Value,
}

impl Difference {
    /// Returns the size of the difference: absolute below 1, relative above, and infinite unless both values are finite.
    fn size(&self) -> f64 {
        let (is, expected) = (self.is.float(), self.expected.float());
        let size = (is - expected).abs() / expected.abs().max(1.0);
        if size.is_nan() { f64::INFINITY } else { size }
    }
}

/// Result of an element-wise comparison.
///
/// # Examples
/// ```
/// use gcn_args::compare::{Comparison, Tolerance};
/// use gcn_args::value::Value;
/// let pairs = [(1.0f32, 1.0), (2.0, 2.5), (3.0, 9.0)];
/// let pairs = pairs.map(|(is, expected)| (Value::from(is), Value::from(expected)));
/// let comparison = Comparison::new(100, pairs.into_iter(), Tolerance::EQUAL);
/// assert!(!comparison.holds());
/// assert_eq!((comparison.compared, comparison.different), (3, 2));
/// assert_eq!((comparison.first[0].index, comparison.worst.map(|it| it.index)), (101, Some(102)));
/// ```
#[derive(Clone, PartialEq, Debug, Default)]
#[non_exhaustive]
pub struct Comparison {
    /// Number of elements that were compared.
    pub compared: u64,
    /// Number of elements that differ.
    pub different: u64,
    /// First [`MAX_DIFFERENCES`] differences.
    pub first: Vec<Difference>,
    /// Largest difference.
    pub worst: Option<Difference>,
}

/// Maximum number of differences in [`Comparison::first`].
pub const MAX_DIFFERENCES: usize = 10;

impl Comparison {
    /// Compares pairs of actual and expected elements. The first pair has index `begin`.
    ///
    /// # Examples
    /// ```
    /// use gcn_args::compare::{Comparison, Tolerance};
    /// use gcn_args::value::Value;
    /// let device = gcn_runtime::Device::new("gfx900")?;
    /// let is: Vec<u32> = device.buffer("xs", &[1u32, 2, 3])?.read()?;
    /// let pairs = is.into_iter().zip(1u32..).map(|(is, expected)| (Value::from(is), Value::from(expected)));
    /// assert!(Comparison::new(0, pairs, Tolerance::EQUAL).holds());
    /// # Ok::<(), gcn_runtime::Error>(())
    /// ```
    pub fn new(
        begin: u64,
        pairs: impl Iterator<Item = (Value, Value)>,
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

    /// True if all elements are within the tolerance.
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
        let next = |element: Value, n: u64| Value {
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
        let element = |n: u64| Value {
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

    #[test]
    fn agreement_is_absolute_for_small_and_relative_for_large() {
        let f = |text: &str| Type::F32.parse(text).unwrap();
        assert!(agrees(f("1000"), f("1001"), 1e-3));
        assert!(!agrees(f("1000"), f("1002"), 1e-3));
        assert!(agrees(f("0"), f("0.0009"), 1e-3));
        assert!(agrees(f("nan"), f("nan"), 0.0));
        assert!(!agrees(f("nan"), f("1"), 1.0));
        assert!(agrees(f("inf"), f("inf"), 0.0));
        assert!(!agrees(f("inf"), f("-inf"), 1.0));
        let u = |text: &str| Type::U64.parse(text).unwrap();
        assert!(!agrees(
            u("18446744073709551615"),
            u("18446744073709551614"),
            0.0
        ));
        assert!(agrees(u("5"), u("6"), 1.0));
    }
}
