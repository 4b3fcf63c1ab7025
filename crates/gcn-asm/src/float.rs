//! Floating-point formats, and rounding to nearest from text and from `f64`.

use std::cmp::Ordering;

use half::f16;

/// A floating-point format.
pub(crate) struct FloatLayout {
    /// Size in bytes.
    pub width: usize,
    /// Significand bits, including the implicit one.
    pub precision: u32,
    /// Exponent bias.
    pub bias: i64,
    /// Parses and rounds a decimal number; `None` if the text is not one.
    pub decimal: fn(&str) -> Option<u64>,
}

pub(crate) const SINGLE: FloatLayout = FloatLayout {
    width: 4,
    precision: f32::MANTISSA_DIGITS,
    bias: 127,
    decimal: |text| Some(text.parse::<f32>().ok()?.to_bits().into()),
};
pub(crate) const HALF: FloatLayout = FloatLayout {
    width: 2,
    precision: f16::MANTISSA_DIGITS,
    bias: 15,
    decimal: decimal_half,
};
pub(crate) const DOUBLE: FloatLayout = FloatLayout {
    width: 8,
    precision: f64::MANTISSA_DIGITS,
    bias: 1023,
    decimal: |text| Some(text.parse::<f64>().ok()?.to_bits()),
};

impl FloatLayout {
    pub(crate) fn infinity(&self) -> u64 {
        (self.bias.cast_unsigned() * 2 + 1) << (self.precision - 1)
    }

    pub(crate) fn sign(&self) -> u64 {
        1 << (self.width * 8 - 1)
    }

    /// LLVM's NaN, with all significand bits set.
    pub(crate) fn nan(&self) -> u64 {
        self.sign() - 1
    }

    /// Rounds `significand × 2^exponent` to nearest, ties to even. Callers must fold nonzero bits that were shifted out
    /// into the lowest bit (sticky bit).
    pub(crate) fn rounded(&self, significand: u64, exponent: i64) -> u64 {
        if significand == 0 {
            return 0;
        }
        let zeros = significand.leading_zeros();
        let significand = significand << zeros;
        let top = u64::BITS - 1;
        // Biased exponent of the leading bit.
        let stored = exponent.saturating_add(i64::from(top - zeros) + self.bias);
        if stored > 2 * self.bias {
            return self.infinity();
        }
        let below = u32::try_from(1i64.saturating_sub(stored)).unwrap_or(0);
        let drop = (u64::BITS - self.precision).saturating_add(below);
        if drop > u64::BITS {
            return 0;
        }
        let wide = u128::from(significand);
        let (kept, rest, half) = (wide >> drop, wide & ((1 << drop) - 1), 1 << (drop - 1));
        let up = rest > half || rest == half && kept & 1 == 1;
        let kept = kept as u64 + u64::from(up);
        // Adding the significand carries its leading bit, and any carry from rounding, into the exponent.
        let exponent = u64::try_from(stored - 1).unwrap_or(0);
        (exponent << (self.precision - 1)) + kept
    }

    /// Bits of a number's magnitude, rounded to nearest. The number must not be a NaN.
    pub(crate) fn magnitude(&self, value: f64) -> u64 {
        const FRACTION: u32 = f64::MANTISSA_DIGITS - 1;
        let bits = value.abs().to_bits();
        let stored = bits >> FRACTION;
        let leading = u64::from(stored != 0) << FRACTION;
        let significand = leading | bits & ((1 << FRACTION) - 1);
        // Exponent of the significand's lowest bit.
        let exponent = stored.max(1).cast_signed() - DOUBLE.bias - i64::from(FRACTION);
        self.rounded(significand, exponent)
    }

    /// Returns `double` if it rounds to `bits`, or else the value of `bits`: rounding first to `double` and then to this
    /// format may give a different result.
    pub(crate) fn double_for(&self, double: f64, bits: u64) -> f64 {
        if self.magnitude(double) == bits {
            double
        } else if self.width == HALF.width {
            f16::from_bits(bits as u16).to_f64()
        } else {
            f32::from_bits(bits as u32).into()
        }
    }

    /// Parses a hexadecimal floating-point number as in C, without its prefix, for example `1.8p3`.
    pub(crate) fn hexadecimal(&self, text: &str) -> Option<u64> {
        /// Largest significand with room for another hexadecimal digit.
        const ROOM: u64 = u64::MAX >> 4;
        const DIGIT_BITS: i64 = 4;
        let (digits, exponent) = text.split_once(['p', 'P'])?;
        let (sign, magnitude) = match exponent.strip_prefix('-') {
            Some(magnitude) => (-1, magnitude),
            None => (1, exponent.strip_prefix('+').unwrap_or(exponent)),
        };
        if magnitude.is_empty() || !magnitude.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        // An oversized exponent gives infinity or zero.
        let mut exponent = sign * i64::from(magnitude.parse::<i32>().unwrap_or(i32::MAX));
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let mut significand = 0u64;
        for (index, c) in whole.chars().chain(fraction.chars()).enumerate() {
            let digit = u64::from(c.to_digit(16)?);
            let is_fraction = index >= whole.len();
            if significand <= ROOM {
                significand = significand << DIGIT_BITS | digit;
                exponent -= DIGIT_BITS * i64::from(is_fraction);
            } else {
                significand |= u64::from(digit != 0);
                exponent += DIGIT_BITS * i64::from(!is_fraction);
            }
        }
        Some(self.rounded(significand, exponent))
    }
}

/// Parses a decimal number and rounds it to a half. If the number as an `f64` is midway between two halves, the digits
/// that `f64` drops decide.
fn decimal_half(text: &str) -> Option<u64> {
    /// Maximum number of fraction digits of such a midpoint, which is a multiple of 2^-25.
    const DIGITS: usize = 25;
    let value: f64 = text.parse().ok()?;
    let below = HALF.magnitude(value.next_down());
    let above = HALF.magnitude(value.next_up());
    if below == above {
        return Some(below);
    }
    let middle = format!("{value:.DIGITS$}");
    Some(match significant(text).cmp(&significant(&middle)) {
        Ordering::Less => below,
        Ordering::Equal => HALF.magnitude(value),
        Ordering::Greater => above,
    })
}

/// Decimal exponent of a number's first nonzero digit, and the digits from there on. Such pairs compare as the numbers do.
fn significant(text: &str) -> (i64, String) {
    let (digits, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_start_matches('0');
    // Number of digits before the point, without leading zeros; for `0.00…`, minus the number of zeros after the point.
    let point = whole.len() as i64 - (digits.len() - significant.len()) as i64;
    let exponent = exponent.parse().unwrap_or(0i64);
    let significant = significant.trim_end_matches('0');
    (point.saturating_add(exponent), significant.to_owned())
}
