//! Tolerances of results, and the first element that exceeds its own.

use crate::case::Buffer;
use crate::reference::Results;
use crate::value::{Bits, Element, Type};

/// Compares what is in the buffers after two runs.
///
/// # Errors
/// The first element that is too far from the reference.
pub fn compare(buffers: &[Buffer], results: &Results, reference: &Results) -> Result<(), String> {
    let pairs = results.buffers.iter().zip(&reference.buffers);
    for (buffer, (result, reference)) in buffers.iter().zip(pairs) {
        if let Some(difference) = first_difference(buffer.ty, &buffer.rules, result, reference) {
            return Err(format!("{}{difference}", buffer.name));
        }
    }
    Ok(())
}

/// Largest difference between an element and the reference.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tolerance {
    distance: Distance,
    /// True if results below the normal range count as zero: single precision denormals are flushed on GCN 1.0 to
    /// 1.2, and OpenCL allows it.
    flushes: bool,
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Distance {
    /// The same bits; not-a-number agrees with itself.
    Exact,
    /// A distance in representable numbers.
    Ulps(u64),
    /// So much, relative where the reference is above 1.
    Within(f64),
    /// Anything: scratch space of a kernel.
    Any,
}

impl Tolerance {
    /// The same bits.
    pub const EXACT: Tolerance = Tolerance {
        distance: Distance::Exact,
        flushes: false,
    };

    /// `exact`, `4 ulp`, `1e-5`, `any`; behind them `ftz` if denormals count as zero.
    ///
    /// # Errors
    /// It is none of these.
    pub fn parse(text: &str) -> Result<Tolerance, String> {
        let wrong =
            || format!("`{text}` is no tolerance: exact, 4 ulp, 1e-5 or any, then perhaps ftz");
        let (rule, flushes) = match text.trim().strip_suffix("ftz") {
            Some(rule) => (rule.trim(), true),
            None => (text.trim(), false),
        };
        let distance = match (rule, rule.strip_suffix("ulp")) {
            ("exact" | "", _) => Distance::Exact,
            ("any", _) => Distance::Any,
            (_, Some(ulps)) => Distance::Ulps(ulps.trim().parse().map_err(|_| wrong())?),
            (number, None) => Distance::Within(number.parse().map_err(|_| wrong())?),
        };
        Ok(Tolerance { distance, flushes })
    }

    fn holds(self, value: Element, expected: Element) -> bool {
        let (value, expected) = if self.flushes {
            (flushed(value), flushed(expected))
        } else {
            (value, expected)
        };
        let floats = value.ty.bits() == Bits::Float;
        let both_nan = || floats && value.float().is_nan() && expected.float().is_nan();
        match self.distance {
            Distance::Any => true,
            Distance::Exact => value.bits == expected.bits || both_nan(),
            Distance::Within(tolerance) => value.agrees(expected, tolerance),
            Distance::Ulps(_) if both_nan() => true,
            Distance::Ulps(_)
                if floats && (value.float().is_nan() || expected.float().is_nan()) =>
            {
                false
            }
            Distance::Ulps(ulps) => {
                position(value).abs_diff(position(expected)) <= u128::from(ulps)
            }
        }
    }
}

/// The number of the element in the order of its type's values; both zeros are 0.
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

/// A message about the first element that is too far from the reference; nothing if none is.
fn first_difference(
    ty: Type,
    rules: &[Tolerance],
    result: &[u8],
    reference: &[u8],
) -> Option<String> {
    if result.len() != reference.len() {
        return Some(format!(
            "has {} bytes, not {}",
            result.len(),
            reference.len()
        ));
    }
    let pairs = result
        .chunks_exact(ty.size())
        .zip(reference.chunks_exact(ty.size()));
    let mut wrong = pairs
        .enumerate()
        .filter_map(|(index, (value, expected))| {
            let value = Element::from_bytes(ty, value)?;
            let expected = Element::from_bytes(ty, expected)?;
            let rule = rules[index % rules.len()];
            (!rule.holds(value, expected)).then_some((index, value, expected))
        })
        .peekable();
    let (index, value, expected) = *wrong.peek()?;
    let count = wrong.count();
    let width = ty.size() * 2;
    Some(format!(
        "[{index}] is {value} ({:0width$x}), not {expected} ({:0width$x}); {count} of {} differ",
        value.bits,
        expected.bits,
        result.len() / ty.size()
    ))
}
