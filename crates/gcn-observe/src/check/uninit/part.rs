//! Values with undefined bits.

use std::ops::{BitAnd, BitOr, BitXor, Not};

use gcn_isa::effect::Shift;

/// A value of up to 64 bits, some of which may be undefined.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct PartlyDefined {
    /// Value. Undefined bits are arbitrary.
    pub(super) value: u64,
    /// Mask of undefined bits.
    pub(super) undefined: u64,
}

/// Returns a mask of the low `width` bits.
pub(super) const fn ones(width: u32) -> u64 {
    if width >= u64::BITS {
        u64::MAX
    } else {
        (1 << width) - 1
    }
}

impl PartlyDefined {
    /// Creates a value without undefined bits.
    pub(super) const fn defined(value: u64) -> PartlyDefined {
        PartlyDefined {
            value,
            undefined: 0,
        }
    }

    /// Creates a value that is entirely undefined if any bit of `undefined` is set, and otherwise defined.
    pub(super) const fn any(undefined: u64, width: u32) -> PartlyDefined {
        PartlyDefined {
            value: 0,
            undefined: if undefined == 0 { 0 } else { ones(width) },
        }
    }

    /// Selects the bits of `one` where `self` is set, and of `other` elsewhere.
    pub(super) fn choose(self, one: PartlyDefined, other: PartlyDefined) -> PartlyDefined {
        let differ = (one.value ^ other.value) | one.undefined | other.undefined;
        PartlyDefined {
            value: self.value & one.value | !self.value & other.value,
            undefined: self.undefined & differ
                | !self.undefined & (self.value & one.undefined | !self.value & other.undefined),
        }
    }

    /// Shifts a value of `width` bits. The shift amount is taken modulo `width`.
    pub(super) fn shifted(self, how: Shift, by: PartlyDefined, width: u32) -> PartlyDefined {
        let counting = u64::from(width) - 1;
        if by.undefined & counting != 0 {
            return PartlyDefined::any((self.undefined | by.undefined) & ones(width), width);
        }
        let by = (by.value & counting) as u32;
        let own = ones(width);
        let shift = |bits: u64| match how {
            Shift::Left => bits << by & own,
            Shift::Right => (bits & own) >> by,
            Shift::Arithmetic => {
                let unused = u64::BITS - width;
                ((bits << unused) as i64 >> unused >> by) as u64 & own
            }
        };
        PartlyDefined {
            value: shift(self.value),
            undefined: shift(self.undefined),
        }
    }

    /// Extracts `count` bits starting at `from`, sign- or zero-extended.
    pub(super) fn extracted(self, from: u32, count: u32, is_signed: bool) -> PartlyDefined {
        if count == 0 {
            return PartlyDefined::defined(0);
        }
        let unused = u64::BITS.saturating_sub(count);
        let extract = |bits: u64| {
            let bits = bits.checked_shr(from).unwrap_or(0) << unused;
            if is_signed {
                (bits as i64 >> unused) as u64
            } else {
                bits >> unused
            }
        };
        PartlyDefined {
            value: extract(self.value),
            undefined: extract(self.undefined),
        }
    }

    /// Extends the lowest undefined bit to all higher bits, as carries in sums and products do.
    pub(super) const fn upward(undefined: u64) -> u64 {
        undefined | undefined.wrapping_neg()
    }

    /// True if the value may be zero or nonzero, depending on its undefined bits.
    pub(super) const fn may_be_zero_or_not(self) -> bool {
        self.undefined != 0 && self.value & !self.undefined == 0
    }
}

impl BitAnd for PartlyDefined {
    type Output = PartlyDefined;

    fn bitand(self, other: PartlyDefined) -> PartlyDefined {
        let either = self.undefined | other.undefined;
        let may_be_one = (self.undefined | self.value) & (other.undefined | other.value);
        PartlyDefined {
            value: self.value & other.value,
            undefined: either & may_be_one,
        }
    }
}

impl BitOr for PartlyDefined {
    type Output = PartlyDefined;

    fn bitor(self, other: PartlyDefined) -> PartlyDefined {
        !(!self & !other)
    }
}

impl BitXor for PartlyDefined {
    type Output = PartlyDefined;

    fn bitxor(self, other: PartlyDefined) -> PartlyDefined {
        PartlyDefined {
            value: self.value ^ other.value,
            undefined: self.undefined | other.undefined,
        }
    }
}

impl Not for PartlyDefined {
    type Output = PartlyDefined;

    fn not(self) -> PartlyDefined {
        PartlyDefined {
            value: !self.value,
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use gcn_isa::effect::Bitwise;

    use super::*;

    /// Returns the values that a four-bit value may have, with duplicates.
    fn meant(part: PartlyDefined) -> Vec<u64> {
        let fill = 0..16_u64;
        fill.map(|fill| part.value & !part.undefined | fill & part.undefined)
            .collect()
    }

    /// Returns the low four bits in which results differ.
    fn differing(results: &[u64]) -> u64 {
        let first = results[0];
        results.iter().fold(0, |bits, it| bits | (it ^ first)) & 15
    }

    fn all_of_four_bits() -> impl Iterator<Item = PartlyDefined> {
        (0..16).flat_map(|value| (0..16).map(move |undefined| PartlyDefined { value, undefined }))
    }

    #[test]
    fn exactly_the_bits_are_undefined_that_an_operation_can_change() {
        use Bitwise::{And, AndNot, Nand, Nor, NotAnd, NotOr, Or, OrNot, Xnor, Xor};
        let ops = [And, Or, Xor, AndNot, OrNot, NotAnd, NotOr, Nand, Nor, Xnor];
        for a in all_of_four_bits() {
            for b in all_of_four_bits() {
                for op in ops {
                    let results: Vec<u64> = meant(a)
                        .iter()
                        .flat_map(|&a| meant(b).into_iter().map(move |b| op.apply(a, b)))
                        .collect();
                    let undefined = op.apply(a, b).undefined & 15;
                    assert_eq!(undefined, differing(&results), "{op:?} {a:?} {b:?}");
                }
            }
        }
    }

    #[test]
    fn sums_are_defined_below_the_lowest_undefined_bit() {
        for a in all_of_four_bits() {
            for b in all_of_four_bits() {
                let results: Vec<u64> = meant(a)
                    .iter()
                    .flat_map(|&a| meant(b).into_iter().map(move |b| a + b))
                    .collect();
                let found = PartlyDefined::upward(a.undefined | b.undefined);
                assert_eq!(differing(&results) & !found, 0, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn extraction_extends_what_is_undefined_with_the_sign() {
        let part = PartlyDefined {
            value: 0x0f,
            undefined: 0x80,
        };
        assert_eq!(part.extracted(0, 8, true).undefined, !0x7f);
        assert_eq!(part.extracted(0, 8, false).undefined, 0x80);
        assert_eq!(part.extracted(0, 4, true), PartlyDefined::defined(u64::MAX));
        assert_eq!(part.extracted(4, 0, true), PartlyDefined::defined(0));
    }
}
