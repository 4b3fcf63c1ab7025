//! Operators of read-modify-write instructions, by their names in the manuals.

/// Type of number that an operator works on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Number {
    Unsigned,
    Signed,
    Float,
}

/// Operator with the size of its operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Operator<'a> {
    pub name: &'a str,
    pub number: Number,
    /// Size in bytes: 4 or 8.
    pub bytes: usize,
}

/// Treatment of single-precision denormals as zeros, in sources and in results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Flushing {
    pub sources: bool,
    pub results: bool,
}

impl<'a> Operator<'a> {
    /// Operator of `ds_OPERATOR[_rtn|_src2]_TYPE`.
    pub fn of_ds(mnemonic: &'a str) -> Operator<'a> {
        let mut parts = mnemonic.strip_prefix("ds_").expect("DS").split('_');
        let name = parts.next().expect("an operator");
        let ty = parts.next_back().expect("a type");
        let number = match &ty[..1] {
            "f" => Number::Float,
            "i" => Number::Signed,
            _ => Number::Unsigned,
        };
        let bytes = if ty.ends_with("64") { 8 } else { 4 };
        Operator {
            name,
            number,
            bytes,
        }
    }

    /// Operator of `FAMILY_atomic_OPERATOR[_x2]`.
    pub fn of_memory(mnemonic: &'a str) -> Operator<'a> {
        let (_, rest) = mnemonic.split_once("atomic_").expect("an atomic");
        let (name, bytes) = match rest.strip_suffix("_x2") {
            Some(name) => (name, 8),
            None => (rest, 4),
        };
        let (name, number) = match name {
            "smin" => ("min", Number::Signed),
            "smax" => ("max", Number::Signed),
            "umin" => ("min", Number::Unsigned),
            "umax" => ("max", Number::Unsigned),
            "fmin" => ("min", Number::Float),
            "fmax" => ("max", Number::Float),
            "fcmpswap" => ("cmpswap", Number::Float),
            "swap" => ("wrxchg", Number::Unsigned),
            other => (other, Number::Unsigned),
        };
        Operator {
            name,
            number,
            bytes,
        }
    }

    /// New value for an old one and up to two operands. For compare-and-swap, the first operand is the comparison
    /// value.
    pub fn apply(&self, old: u64, first: u64, second: u64, flushing: Flushing) -> u64 {
        let mask = if self.bytes == 8 {
            u64::MAX
        } else {
            u64::from(u32::MAX)
        };
        let (old, first, second) = (old & mask, first & mask, second & mask);
        let new = match self.name {
            "add" if self.number == Number::Float => self.sum(old as u32, first as u32, flushing),
            "add" => old.wrapping_add(first),
            "sub" => old.wrapping_sub(first),
            "rsub" => first.wrapping_sub(old),
            // E063
            "inc" if old >= first => 0,
            "inc" => old + 1,
            // E062
            "dec" if old == 0 || old > first => first,
            "dec" => old - 1,
            "and" => old & first,
            "or" => old | first,
            "xor" => old ^ first,
            // E067
            "mskor" => old & !first | second,
            "wrxchg" | "write" => first,
            // E073
            "wrap" if old >= first => old - first,
            "wrap" => old.wrapping_add(second),
            "min" | "max" if self.number == Number::Float => self.extreme(old, first, flushing),
            "min" if self.is_below(first, old) => first,
            "max" if self.is_below(old, first) => first,
            "min" | "max" => old,
            "cmpst" | "cmpswap" if self.is_equal(old, first, flushing) => second,
            "cmpst" | "cmpswap" => old,
            other => panic!("{other} is no operator"),
        };
        new & mask
    }

    fn is_below(&self, a: u64, b: u64) -> bool {
        let signed = |value: u64| match self.bytes {
            8 => value as i64,
            _ => (value as u32 as i32).into(),
        };
        match self.number {
            Number::Signed => signed(a) < signed(b),
            _ => a < b,
        }
    }

    /// Exact value of a float. A single-precision denormal may become a zero of its sign.
    fn float(&self, bits: u64, flushing: Flushing) -> f64 {
        match self.bytes {
            8 => f64::from_bits(bits),
            _ => f32::from_bits(flushed(bits as u32, flushing.sources)).into(),
        }
    }

    /// True if the operands are equal, as floats regardless of the sign of zeros (E053), or as bits.
    fn is_equal(&self, old: u64, compared: u64, flushing: Flushing) -> bool {
        match self.number {
            Number::Float => self.float(old, flushing) == self.float(compared, flushing),
            _ => old == compared,
        }
    }

    fn quiet_bit(&self) -> u64 {
        match self.bytes {
            8 => 1 << 51,
            _ => 1 << 22,
        }
    }

    /// Minimum or maximum of floats, with unchanged bits (E053).
    fn extreme(&self, old: u64, operand: u64, flushing: Flushing) -> u64 {
        let (a, b) = (self.float(old, flushing), self.float(operand, flushing));
        let signals = |value: f64, bits: u64| value.is_nan() && bits & self.quiet_bit() == 0;
        if signals(a, old) || (a.is_nan() && b.is_nan() && !signals(b, operand)) {
            return old | self.quiet_bit();
        }
        if signals(b, operand) {
            return operand | self.quiet_bit();
        }
        if a.is_nan() {
            return operand;
        }
        if b.is_nan() {
            return old;
        }
        // −0 is less than +0.
        let is_below =
            |a: f64, b: f64| a < b || a == b && a.is_sign_negative() && !b.is_sign_negative();
        let takes_operand = match self.name {
            "min" => is_below(b, a),
            _ => is_below(a, b),
        };
        if takes_operand { operand } else { old }
    }

    /// Sum of floats in single precision, rounded to nearest even (E053).
    fn sum(&self, old: u32, operand: u32, flushing: Flushing) -> u64 {
        for bits in [old, operand] {
            if f32::from_bits(bits).is_nan() {
                return u64::from(bits) | self.quiet_bit();
            }
        }
        let [a, b] = [old, operand].map(|bits| f32::from_bits(flushed(bits, flushing.sources)));
        let sum = a + b;
        if sum.is_nan() {
            return 0xffc0_0000;
        }
        flushed(sum.to_bits(), flushing.results).into()
    }
}

/// Replaces a denormal by a zero of its sign.
fn flushed(bits: u32, is_flushed: bool) -> u32 {
    let is_denormal = bits & 0x7f80_0000 == 0;
    if is_flushed && is_denormal {
        bits & 0x8000_0000
    } else {
        bits
    }
}
