//! Initial buffer elements: zero, constant, evenly spaced, random, or undefined.
//!
//! ```
//! use gcn_args::fill::Fill;
//! use gcn_args::value::Type;
//!
//! let fill = Fill::parse(Type::I16, "iota(5,-2)")?;
//! assert_eq!(fill.bytes(Type::I16, 0..4), [5i16, 3, 1, -1].map(i16::to_le_bytes).concat());
//! # Ok::<(), gcn_args::value::ValueError>(())
//! ```

use std::ops::Range;

use gcn_emu::half_bits;

use crate::value::{NumberEncoding, Type, Value, ValueError};

/// Initial elements of a buffer.
///
/// # Examples
/// ```
/// use gcn_args::fill::Fill;
/// use gcn_args::value::{Type, Value};
/// let evenly = Fill::Floats { start: 1.0, step: 0.5 };
/// let values: Vec<f64> = evenly.elements(Type::F32, 3).map(Value::float).collect();
/// assert_eq!(values, [1.0, 1.5, 2.0]);
/// let same = Fill::Same(Value::from(7u8));
/// assert_eq!(same.bytes(Type::U8, 0..4), [7; 4]);
/// ```
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub enum Fill {
    /// Zeros.
    Zero,
    /// Zeros that checkers treat as undefined.
    Undefined,
    /// Copies of one value.
    Same(Value),
    /// Evenly spaced floating-point numbers.
    Floats {
        /// First element.
        start: f64,
        /// Difference between consecutive elements.
        step: f64,
    },
    /// Evenly spaced integers, which wrap around at the limits of the type.
    Integers {
        /// First element.
        start: u64,
        /// Difference between consecutive elements.
        step: u64,
    },
    /// Uniformly distributed floating-point numbers, reproducible on every machine.
    RandomFloats {
        /// Seed of the sequence.
        seed: u64,
        /// Smallest value.
        low: f64,
        /// Largest value.
        high: f64,
    },
    /// Uniformly distributed integers, reproducible on every machine.
    RandomIntegers {
        /// Seed of the sequence.
        seed: u64,
        /// Smallest value.
        low: u64,
        /// Number of possible values, starting with `low`; at most 2^64.
        span: u128,
    },
}

impl Fill {
    /// Parses `iota`, `iota(START,STEP)`, `fill(X)`, `random(SEED)`, `random(SEED,LOW,HIGH)` or `undefined` for elements
    /// of type `ty`.
    ///
    /// # Errors
    /// Returns a [`ValueError`] if the text is malformed, a number is invalid for `ty`, or LOW exceeds HIGH.
    ///
    /// # Examples
    /// ```
    /// use gcn_args::fill::Fill;
    /// use gcn_args::value::{Type, ValueError};
    /// let random = Fill::parse(Type::U8, "random(7,10,19)")?;
    /// assert_eq!(random, Fill::RandomIntegers { seed: 7, low: 10, span: 10 });
    /// assert_eq!(Fill::parse(Type::F32, "undefined")?, Fill::Undefined);
    /// assert!(matches!(Fill::parse(Type::U8, "fill(256)"), Err(ValueError::Range { .. })));
    /// # Ok::<(), ValueError>(())
    /// ```
    pub fn parse(ty: Type, text: &str) -> Result<Fill, ValueError> {
        let unknown = || ValueError::Fill(text.to_owned());
        let is_float = ty.encoding() == NumberEncoding::Float;
        let evenly = |start: Value, step: Value| match is_float {
            true => Fill::Floats {
                start: start.float(),
                step: step.float(),
            },
            false => Fill::Integers {
                start: start.integer() as u64,
                step: step.integer() as u64,
            },
        };
        match text {
            "iota" => return Ok(evenly(ty.parse("0")?, ty.parse("1")?)),
            "undefined" => return Ok(Fill::Undefined),
            _ => {}
        }
        let (name, rest) = text.split_once('(').ok_or_else(unknown)?;
        let inner = rest.strip_suffix(')').ok_or_else(unknown)?;
        let parts: Vec<&str> = inner.split(',').collect();
        match (name.trim(), &parts[..]) {
            ("fill", [value]) => Ok(Fill::Same(ty.parse(value)?)),
            ("iota", [start, step]) => Ok(evenly(ty.parse(start)?, ty.parse(step)?)),
            ("random", [seed]) if is_float => Ok(Fill::RandomFloats {
                seed: Type::U64.parse(seed)?.bits,
                low: 0.0,
                high: 1.0,
            }),
            ("random", [seed]) => Ok(Fill::RandomIntegers {
                seed: Type::U64.parse(seed)?.bits,
                low: 0,
                span: 1 << u64::BITS,
            }),
            ("random", [seed, low, high]) => {
                let (seed, low, high) =
                    (Type::U64.parse(seed)?.bits, ty.parse(low)?, ty.parse(high)?);
                if is_float {
                    let (low, high) = (low.float(), high.float());
                    if low > high || !(high - low).is_finite() {
                        return Err(unknown());
                    }
                    return Ok(Fill::RandomFloats { seed, low, high });
                }
                let (low, high) = (low.integer(), high.integer());
                if low > high {
                    return Err(unknown());
                }
                Ok(Fill::RandomIntegers {
                    seed,
                    low: low as u64,
                    span: high.abs_diff(low) + 1,
                })
            }
            _ => Err(unknown()),
        }
    }

    /// Returns the bytes of the elements at `indices` in a buffer of type `ty`.
    ///
    /// # Examples
    /// ```
    /// use gcn_args::fill::Fill;
    /// use gcn_args::value::Type;
    /// let iota = Fill::Integers { start: 0, step: 1 };
    /// assert_eq!(iota.bytes(Type::U16, 255..258), [255, 0, 0, 1, 1, 1]);
    /// ```
    pub fn bytes(&self, ty: Type, indices: Range<u64>) -> Vec<u8> {
        match *self {
            Fill::Zero | Fill::Undefined => written(ty, indices, |_| 0),
            Fill::Same(element) => written(ty, indices, |_| element.bits),
            Fill::Floats { start, step } => {
                written(ty, indices, |index| bits(ty, start + step * index as f64))
            }
            Fill::Integers { start, step } => written(ty, indices, |index| {
                start.wrapping_add(step.wrapping_mul(index))
            }),
            Fill::RandomFloats { seed, low, high } => written(ty, indices, |index| {
                let unit = (noise(seed, index) >> 11) as f64 / (1u64 << 53) as f64;
                bits(ty, (low + (high - low) * unit).min(high))
            }),
            Fill::RandomIntegers { seed, low, span } => written(ty, indices, |index| {
                let above = (u128::from(noise(seed, index)) * span) >> u64::BITS;
                low.wrapping_add(above as u64)
            }),
        }
    }

    /// Generates the bytes of `count` elements of type `ty` in chunks, without holding all of them in memory.
    ///
    /// # Examples
    /// ```
    /// use gcn_args::fill::Fill;
    /// use gcn_args::value::Type;
    /// let random = Fill::parse(Type::U32, "random(1)")?;
    /// let bytes: usize = random.pieces(Type::U32, 1 << 20).map(|piece| piece.len()).sum();
    /// assert_eq!(bytes, 4 << 20);
    /// # Ok::<(), gcn_args::value::ValueError>(())
    /// ```
    pub fn pieces(&self, ty: Type, count: u64) -> impl Iterator<Item = Vec<u8>> {
        /// Number of elements in a chunk.
        const PIECE: u64 = 1 << 14;
        (0..count)
            .step_by(PIECE as usize)
            .map(move |first| self.bytes(ty, first..count.min(first + PIECE)))
    }

    /// Returns the `count` elements of a buffer of type `ty`.
    ///
    /// # Examples
    /// ```
    /// use gcn_args::fill::Fill;
    /// use gcn_args::value::Type;
    /// let random = Fill::parse(Type::F32, "random(1,-2,2)")?;
    /// assert!(random.elements(Type::F32, 1000).all(|value| value.float().abs() <= 2.0));
    /// assert!(random.elements(Type::F32, 9).eq(random.elements(Type::F32, 9)), "the sequence is fixed");
    /// # Ok::<(), gcn_args::value::ValueError>(())
    /// ```
    pub fn elements(&self, ty: Type, count: u64) -> impl Iterator<Item = Value> {
        self.pieces(ty, count)
            .flat_map(move |bytes| Value::all(ty, &bytes).collect::<Vec<_>>())
    }
}

/// Returns the bytes of elements of type `ty`. `number` returns the bits of the element at an index. Callers keep all
/// work that does not depend on the index out of it.
fn written(ty: Type, indices: Range<u64>, number: impl Fn(u64) -> u64) -> Vec<u8> {
    match ty.size() {
        1 => sized::<1>(indices, number),
        2 => sized::<2>(indices, number),
        4 => sized::<4>(indices, number),
        _ => sized::<8>(indices, number),
    }
}

/// Implements [`written`] for elements of `SIZE` bytes.
fn sized<const SIZE: usize>(indices: Range<u64>, number: impl Fn(u64) -> u64) -> Vec<u8> {
    let mut bytes = vec![0; (indices.end - indices.start) as usize * SIZE];
    for (element, index) in bytes.chunks_exact_mut(SIZE).zip(indices) {
        element.copy_from_slice(&number(index).to_le_bytes()[..SIZE]);
    }
    bytes
}

/// Converts a floating-point number to `ty` and returns the bits.
fn bits(ty: Type, float: f64) -> u64 {
    match ty {
        Type::F64 => float.to_bits(),
        Type::F16 => half_bits(float).into(),
        _ => u64::from((float as f32).to_bits()),
    }
}

/// Returns number `index` of the sequence for a seed. The generator is SplitMix64 (Steele, Lea, Flood 2014), which allows
/// random access.
fn noise(seed: u64, index: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15u64.wrapping_mul(index.wrapping_add(1)));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn elements(ty: Type, fill: &str, count: u64) -> Vec<Value> {
        let fill = Fill::parse(ty, fill).unwrap();
        fill.elements(ty, count).collect()
    }

    #[test]
    fn random_numbers_are_in_their_range_and_cover_it() {
        let values = elements(Type::I8, "random(3,-2,1)", 200);
        let values = values.iter().map(|element| element.integer());
        assert_eq!(values.clone().min(), Some(-2));
        assert_eq!(values.max(), Some(1));
        let values = elements(Type::F32, "random(3,-2,1)", 200);
        assert!(values.iter().all(|v| (-2.0..=1.0).contains(&v.float())));
        assert_ne!(values[0], values[1]);
        let all = elements(
            Type::I64,
            "random(5,-9223372036854775808,9223372036854775807)",
            100,
        );
        assert!(all.iter().any(|v| v.integer() < -(1 << 62)));
        assert!(all.iter().any(|v| v.integer() > 1 << 62));
    }

    #[test]
    fn random_numbers_are_the_same_everywhere() {
        // First numbers of SplitMix64 for seed 7.
        let first = [0x63cb_e1e4_5932_0dd7u64, 0x044c_3cd7_f43c_661c];
        for (n, first) in first.into_iter().enumerate() {
            let bits = |ty, fill| elements(ty, fill, 2)[n].bits;
            assert_eq!(bits(Type::U64, "random(7)"), first);
            assert_eq!(bits(Type::U8, "random(7)"), first & 0xff);
            let unit = (first >> 11) as f64 / (1u64 << 53) as f64;
            assert_eq!(bits(Type::F64, "random(7)"), unit.to_bits());
            let f32 = (unit * 3.0 - 1.0) as f32;
            assert_eq!(bits(Type::F32, "random(7,-1,2)"), u64::from(f32.to_bits()));
            assert_eq!(bits(Type::U32, "random(7,10,25)"), 10 + (first >> 60));
        }
    }

    #[test]
    fn iota_wraps_where_the_type_ends() {
        let last = |ty, fill, index: u64| elements(ty, fill, index + 1)[index as usize];
        assert_eq!(last(Type::U8, "iota", 257).integer(), 1);
        assert_eq!(last(Type::I8, "iota(0,1)", 255).integer(), -1);
        assert_eq!(last(Type::I32, "iota(5,-2)", 4).integer(), -3);
        assert_eq!(last(Type::F32, "iota(0.5,2)", 257).float(), 514.5);
        // The last of these indices is beyond the first chunk.
        assert_eq!(last(Type::U16, "iota", 5000).integer(), 5000);
        assert_eq!(last(Type::U16, "iota", 20000).integer(), 20000);
    }
}
