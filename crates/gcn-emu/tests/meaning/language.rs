//! Language of exact meanings: statements that assign integer expressions, evaluated while they are parsed.
//! `gcn_isa::meaning` describes it.

use std::collections::BTreeMap;

/// Values by name, of any width.
pub type Values = BTreeMap<String, i128>;

/// Target of an assignment: a name, and the assigned bits, highest first, or `None` for all.
pub struct Place {
    pub name: String,
    pub bits: Option<(u32, u32)>,
}

/// Executes the statements. `assign` stores each value, and may truncate it to the target's type.
///
/// # Errors
/// Fails if the text is not valid, or reads a name without a value.
pub fn carry_out(
    text: &str,
    values: &mut Values,
    assign: impl Fn(&mut Values, &Place, i128),
) -> Result<(), String> {
    for statement in text.split(';') {
        let mut reader = Reader {
            rest: statement,
            values,
        };
        let is_done = !reader.takes("if ") || {
            let condition = reader.choice()?;
            reader.expects(":")?;
            condition != 0
        };
        let place = reader.place()?;
        reader.expects("=")?;
        let value = reader.choice()?;
        if !reader.rest.trim().is_empty() {
            return Err(format!("`{}` is left over", reader.rest));
        }
        if is_done {
            assign(values, &place, value);
        }
    }
    Ok(())
}

struct Reader<'a> {
    rest: &'a str,
    values: &'a Values,
}

/// Operators by precedence, lowest first. Among those with a common prefix, the longest is first.
const OPERATORS: [&[&str]; 6] = [
    &["==", "!=", "<=", ">=", "<", ">"],
    &["|"],
    &["^"],
    &["&"],
    &["<<", ">>"],
    &["+", "-"],
];

impl Reader<'_> {
    fn takes(&mut self, symbol: &str) -> bool {
        match self.rest.trim_start().strip_prefix(symbol) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expects(&mut self, symbol: &str) -> Result<(), String> {
        match self.takes(symbol) {
            true => Ok(()),
            false => Err(format!("expected `{symbol}` before `{}`", self.rest)),
        }
    }

    fn word(&mut self) -> &str {
        let text = self.rest.trim_start();
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        self.rest = rest;
        word
    }

    fn place(&mut self) -> Result<Place, String> {
        let name = self.word().to_owned();
        let bits = self.bits()?;
        Ok(Place { name, bits })
    }

    /// Parses `[7:0]`, `[n]`, or nothing.
    fn bits(&mut self) -> Result<Option<(u32, u32)>, String> {
        if !self.takes("[") {
            return Ok(None);
        }
        let high = self.choice()?;
        let low = if self.takes(":") {
            self.choice()?
        } else {
            high
        };
        self.expects("]")?;
        let number = |n: i128| u32::try_from(n).map_err(|_| format!("no bit has the number {n}"));
        Ok(Some((number(high)?, number(low)?)))
    }

    /// Parses `a ? b : c`, or an expression of higher precedence.
    fn choice(&mut self) -> Result<i128, String> {
        let condition = self.operation(0)?;
        if !self.takes("?") {
            return Ok(condition);
        }
        let yes = self.choice()?;
        self.expects(":")?;
        let no = self.choice()?;
        Ok(if condition != 0 { yes } else { no })
    }

    fn operation(&mut self, level: usize) -> Result<i128, String> {
        let Some(operators) = OPERATORS.get(level) else {
            return self.product();
        };
        let mut value = self.operation(level + 1)?;
        // `<` does not match the first character of `<<`.
        while let Some(operator) = operators.iter().find(|operator| {
            let text = self.rest.trim_start();
            text.starts_with(**operator)
                && (level != 0 || !text.starts_with("<<") && !text.starts_with(">>"))
        }) {
            self.expects(operator)?;
            let other = self.operation(level + 1)?;
            value = match *operator {
                "==" => (value == other).into(),
                "!=" => (value != other).into(),
                "<=" => (value <= other).into(),
                ">=" => (value >= other).into(),
                "<" => (value < other).into(),
                ">" => (value > other).into(),
                "|" => value | other,
                "^" => value ^ other,
                "&" => value & other,
                "<<" => value.wrapping_shl(other as u32),
                ">>" => value >> other,
                "+" => value + other,
                _ => value.wrapping_sub(other),
            };
        }
        Ok(value)
    }

    fn product(&mut self) -> Result<i128, String> {
        let mut value = self.sign()?;
        while self.takes("*") {
            value *= self.sign()?;
        }
        Ok(value)
    }

    fn sign(&mut self) -> Result<i128, String> {
        if self.takes("-") {
            return Ok(-self.sign()?);
        }
        if self.takes("~") {
            return Ok(!self.sign()?);
        }
        let value = self.atom()?;
        Ok(match self.bits()? {
            Some((high, low)) => value >> low & ((1 << (high - low + 1)) - 1),
            None => value,
        })
    }

    fn atom(&mut self) -> Result<i128, String> {
        if self.takes("(") {
            let value = self.choice()?;
            self.expects(")")?;
            return Ok(value);
        }
        let word = self.word().to_owned();
        if let Some(digits) = word.strip_prefix("0x") {
            return i128::from_str_radix(digits, 16).map_err(|error| error.to_string());
        }
        if let Ok(number) = word.parse() {
            return Ok(number);
        }
        if !self.takes("(") {
            let value = self.values.get(&word).copied();
            return value.ok_or_else(|| format!("`{word}` has no value"));
        }
        let mut arguments = vec![self.choice()?];
        while self.takes(",") {
            arguments.push(self.choice()?);
        }
        self.expects(")")?;
        match (word.as_str(), arguments.as_slice()) {
            ("min", &[a, b]) => Ok(a.min(b)),
            ("max", &[a, b]) => Ok(a.max(b)),
            ("abs", &[a]) => Ok(a.abs()),
            ("ones", &[a]) => Ok(a.count_ones().into()),
            ("lowest", &[a]) => Ok(a.trailing_zeros().into()),
            ("highest", &[a]) => Ok(127 - i128::from(a.leading_zeros())),
            ("i32", &[a]) => Ok(i128::from(a as i32)),
            ("sext", &[a, width]) => Ok(signed(a, width as u32)),
            _ => Err(format!(
                "no function `{word}` of {} values",
                arguments.len()
            )),
        }
    }
}

/// Sign-extends the low `width` bits.
fn signed(value: i128, width: u32) -> i128 {
    match width {
        0 => 0,
        _ => value << (128 - width) >> (128 - width),
    }
}
