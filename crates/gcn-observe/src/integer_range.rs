//! Result ranges of float-to-integer conversions.

/// Result type and rounding mode of a conversion: truncation, unless stated otherwise.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum IntegerRange {
    I32,
    U32,
    I16,
    U16,
    /// `i32`, rounded down.
    FloorI32,
    /// `i32`, rounded to nearest, with ties up.
    NearI32,
}

impl IntegerRange {
    /// Name of the type in messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            IntegerRange::I32 | IntegerRange::FloorI32 | IntegerRange::NearI32 => {
                "a signed integer of 32 bits"
            }
            IntegerRange::U32 => "an unsigned integer of 32 bits",
            IntegerRange::I16 => "a signed integer of 16 bits",
            IntegerRange::U16 => "an unsigned integer of 16 bits",
        }
    }

    /// True if the number is in range after rounding. The comparison is exact, since `f64` represents all bounds.
    pub(crate) fn holds(self, number: f64) -> bool {
        let (rounded, least, most) = match self {
            IntegerRange::I32 => (number.trunc(), i32::MIN.into(), i32::MAX.into()),
            IntegerRange::U32 => (number.trunc(), 0.0, u32::MAX.into()),
            IntegerRange::I16 => (number.trunc(), i16::MIN.into(), i16::MAX.into()),
            IntegerRange::U16 => (number.trunc(), 0.0, u16::MAX.into()),
            IntegerRange::FloorI32 => (number.floor(), i32::MIN.into(), i32::MAX.into()),
            IntegerRange::NearI32 => ((number + 0.5).floor(), i32::MIN.into(), i32::MAX.into()),
        };
        (least..=most).contains(&rounded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_end_where_the_integers_do() {
        for (range, number, expected) in [
            (IntegerRange::I32, 2_147_483_647.5, true),
            (IntegerRange::I32, 2_147_483_648.0, false),
            (IntegerRange::I32, -2_147_483_648.9, true),
            (IntegerRange::I32, -2_147_483_649.0, false),
            (IntegerRange::U32, -0.9, true),
            (IntegerRange::U32, -1.0, false),
            (IntegerRange::U32, 4_294_967_295.9, true),
            (IntegerRange::U32, 4_294_967_296.0, false),
            (IntegerRange::U32, f64::NAN, false),
            (IntegerRange::I16, 32768.0, false),
            (IntegerRange::U16, 65504.0, true),
            (IntegerRange::FloorI32, -2_147_483_648.5, false),
            (IntegerRange::NearI32, 2_147_483_647.5, false),
            (IntegerRange::NearI32, -2_147_483_648.5, true),
        ] {
            assert_eq!(range.holds(number), expected, "{range:?} {number}");
        }
    }
}
