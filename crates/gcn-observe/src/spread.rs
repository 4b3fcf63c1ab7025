//! Compact notation for per-lane values and addresses.

use std::fmt::Write;

/// Pattern of values across lanes.
#[derive(PartialEq, Eq, Debug)]
enum Spread {
    /// No lanes.
    None,
    /// All lanes have this value.
    Equal(u64),
    /// Lane n has the value `first + step * n`.
    Even { first: u64, step: u64 },
    /// Any other values.
    Any,
}

/// Determines the pattern of values, which consist of the bits in `mask`.
fn spread(lanes: &[(usize, u64)], mask: u64) -> Spread {
    let Some(&(_, value)) = lanes.first() else {
        return Spread::None;
    };
    if lanes.iter().all(|lane| lane.1 == value) {
        return Spread::Equal(value);
    }
    if let [(0, first), (1, second), _, ..] = *lanes {
        let step = second.wrapping_sub(first) & mask;
        let at = |lane: usize| first.wrapping_add(step.wrapping_mul(lane as u64)) & mask;
        if lanes.iter().all(|&(lane, value)| value == at(lane)) {
            return Spread::Even { first, step };
        }
    }
    Spread::Any
}

/// Writes per-lane values: a single value if all are equal, `first+step*lane` if they are evenly spaced from lane 0,
/// otherwise the list of values in lane order. A value consists of the bits in `mask`.
pub(crate) fn write_spread(line: &mut String, lanes: &[(usize, u64)], mask: u64) {
    // Writing to a `String` cannot fail.
    let _ = match spread(lanes, mask) {
        Spread::None => write!(line, "-"),
        Spread::Equal(value) => write!(line, "0x{value:x}"),
        Spread::Even { first, step } => write!(line, "0x{first:x}+0x{step:x}*lane"),
        Spread::Any => {
            let texts: Vec<String> = lanes.iter().map(|(_, it)| format!("{it:x}")).collect();
            write!(line, "[{}]", texts.join(" "))
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_written_compactly() {
        const MASK: u64 = u32::MAX as u64;
        let spread = |lanes: &[(usize, u64)]| spread(lanes, MASK);
        let lanes = |values: &[u64]| values.iter().copied().enumerate().collect::<Vec<_>>();
        assert_eq!(spread(&[]), Spread::None);
        assert_eq!(spread(&lanes(&[7, 7, 7])), Spread::Equal(7));
        assert_eq!(
            spread(&lanes(&[5, 9, 13])),
            Spread::Even { first: 5, step: 4 }
        );
        assert_eq!(
            spread(&lanes(&[1, 0, MASK])),
            Spread::Even {
                first: 1,
                step: MASK
            }
        );
        assert_eq!(spread(&lanes(&[5, 9, 14])), Spread::Any);
        assert_eq!(spread(&[(0, 1), (2, 5)]), Spread::Any);
        assert_eq!(
            spread(&[(0, 0), (1, 2), (5, 10)]),
            Spread::Even { first: 0, step: 2 }
        );
    }
}
