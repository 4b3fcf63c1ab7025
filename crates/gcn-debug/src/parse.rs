//! Expression parser.

use gcn_isa::{Isa, regs};

use crate::expr::{BinaryOp, ENTRY, Expr, Part, Place, Reduction, Space, UnaryOp, VARIABLES};
use crate::scalar::{Scalar, ScalarType};

/// Syntax error in an expression.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct ParseError {
    /// Error message.
    pub message: String,
    /// Byte offset of the error in the text.
    pub at: usize,
}

/// Maximum nesting depth of an expression.
const MAX_DEPTH: usize = 64;
/// Maximum number of binary operators. A chain such as `a+b+c` nests as deeply as it is long.
const MAX_OPERATORS: usize = 256;

/// Parses an expression. The instruction set determines the register names.
///
/// # Errors
/// Fails if the text is not an expression, is nested too deeply, or has too many operators.
///
/// # Examples
/// ```
/// use gcn_debug::parse;
/// use gcn_isa::Isa;
/// assert!(parse("any(v3 > 7) && s[4:5] != 0 || *(f32*)0x1000 < ys[$lane]", Isa::Gfx9).is_ok());
/// let error = parse("v3[", Isa::Gfx9).unwrap_err();
/// assert_eq!((error.to_string().as_str(), error.at), ("expected a value at the end", 3));
/// ```
pub fn parse(text: &str, isa: Isa) -> Result<Expr, ParseError> {
    let mut parser = Parser {
        tokens: tokens(text)?,
        next: 0,
        end: text.len(),
        isa,
        depth: 0,
        operators: 0,
        is_reduction: false,
    };
    let expr = parser.binary(0)?;
    match parser.peek() {
        None => Ok(expr),
        Some(_) => Err(parser.error("unexpected")),
    }
}

#[derive(Clone, PartialEq, Debug)]
enum Token {
    Number(Scalar),
    Name(String),
    Variable(String),
    Symbol(&'static str),
}

/// Operators and punctuation. A symbol precedes its own prefixes.
const SYMBOLS: [&str; 30] = [
    "->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "(", ")", "[", "]", ":", "+", "-", "*",
    "/", "%", "<", ">", "&", "^", "|", "!", "~", ",", "=", "{", "}",
];

fn tokens(text: &str) -> Result<Vec<(Token, usize)>, ParseError> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..) {
        let Some(first) = rest.chars().next() else {
            break;
        };
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
        let word = |rest: &str| rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let (token, len) = if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        } else if first.is_ascii_digit() {
            let mut len = word(rest);
            let is_exponent = !rest.starts_with("0x")
                && rest[..len].ends_with(['e', 'E'])
                && rest[len..].starts_with(['+', '-']);
            if is_exponent {
                len += 1 + word(&rest[len + 1..]);
            }
            let number = number(&rest[..len]).ok_or_else(|| ParseError {
                message: format!("`{}` is not a number", &rest[..len]),
                at,
            })?;
            (Token::Number(number), len)
        } else if first == '$' {
            let len = 1 + word(&rest[1..]);
            (Token::Variable(rest[1..len].to_owned()), len)
        } else if is_word(first) {
            let mut len = word(rest);
            if let Some(behind) = rest[len..].strip_prefix(ENTRY) {
                len += ENTRY.len() + word(behind);
            }
            (Token::Name(rest[..len].to_owned()), len)
        } else {
            let symbol = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol));
            let symbol = symbol.ok_or_else(|| ParseError {
                message: format!(
                    "`{}` has no meaning in an expression",
                    first.escape_default()
                ),
                at,
            })?;
            (Token::Symbol(symbol), symbol.len())
        };
        found.push((token, at));
        at += len;
    }
    Ok(found)
}

fn number(text: &str) -> Option<Scalar> {
    let radix = |prefix, radix| {
        let digits = text.strip_prefix(prefix)?;
        u64::from_str_radix(&digits.replace('_', ""), radix).ok()
    };
    if let Some(value) = radix("0x", 16).or_else(|| radix("0b", 2)) {
        return Some(Scalar::of_integer(value.into()));
    }
    if let Ok(value) = text.replace('_', "").parse::<u64>() {
        return Some(Scalar::of_integer(value.into()));
    }
    let value: f64 = text.parse().ok()?;
    Some(Scalar::new(ScalarType::F64, value.to_bits()))
}

/// Binary operators in order of increasing precedence.
const LEVELS: [&[(&str, BinaryOp)]; 10] = [
    &[("||", BinaryOp::Or)],
    &[("&&", BinaryOp::And)],
    &[("|", BinaryOp::BitOr)],
    &[("^", BinaryOp::BitXor)],
    &[("&", BinaryOp::BitAnd)],
    &[("==", BinaryOp::Equal), ("!=", BinaryOp::NotEqual)],
    &[
        ("<", BinaryOp::Less),
        ("<=", BinaryOp::LessOrEqual),
        (">", BinaryOp::Greater),
        (">=", BinaryOp::GreaterOrEqual),
    ],
    &[("<<", BinaryOp::ShiftLeft), (">>", BinaryOp::ShiftRight)],
    &[("+", BinaryOp::Add), ("-", BinaryOp::Subtract)],
    &[
        ("*", BinaryOp::Multiply),
        ("/", BinaryOp::Divide),
        ("%", BinaryOp::Remainder),
    ],
];

struct Parser {
    tokens: Vec<(Token, usize)>,
    next: usize,
    end: usize,
    isa: Isa,
    depth: usize,
    /// Number of binary operators so far.
    operators: usize,
    /// True inside a reduction. Reductions do not nest: each level would multiply evaluation time by the lane count.
    is_reduction: bool,
}

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.next).map(|(token, _)| token)
    }

    /// Creates an error at the next token. The message is `what` followed by the token.
    fn error(&self, what: &str) -> ParseError {
        let at = self.tokens.get(self.next).map_or(self.end, |(_, at)| *at);
        let message = match self.peek() {
            Some(Token::Symbol(symbol)) => format!("{what} `{symbol}`"),
            Some(Token::Name(name)) => format!("{what} `{name}`"),
            Some(Token::Variable(name)) => format!("{what} `${name}`"),
            Some(Token::Number(number)) => format!("{what} `{number}`"),
            None => format!("{what} the end"),
        };
        ParseError { message, at }
    }

    fn expected(&self, what: &str) -> ParseError {
        match self.peek() {
            Some(_) => self.error(&format!("expected {what}, not")),
            None => ParseError {
                message: format!("expected {what} at the end"),
                at: self.end,
            },
        }
    }

    fn takes(&mut self, symbol: &str) -> bool {
        let is_next = matches!(self.peek(), Some(Token::Symbol(it)) if *it == symbol);
        self.next += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, symbol: &str) -> Result<(), ParseError> {
        if self.takes(symbol) {
            Ok(())
        } else {
            Err(self.expected(&format!("`{symbol}`")))
        }
    }

    /// Calls `read` one nesting level deeper, or fails at the maximum depth.
    fn deeper<T>(
        &mut self,
        read: impl FnOnce(&mut Parser) -> Result<T, ParseError>,
    ) -> Result<T, ParseError> {
        if self.depth >= MAX_DEPTH {
            return Err(ParseError {
                message: format!("the expression is nested more than {MAX_DEPTH} deep"),
                at: self.tokens.get(self.next).map_or(self.end, |(_, at)| *at),
            });
        }
        self.depth += 1;
        let read = read(self);
        self.depth -= 1;
        read
    }

    fn binary(&mut self, level: usize) -> Result<Expr, ParseError> {
        let Some(operators) = LEVELS.get(level) else {
            return self.unary();
        };
        let mut left = self.binary(level + 1)?;
        loop {
            let operator = operators.iter().find(|(symbol, _)| self.takes(symbol));
            let Some((_, operator)) = operator else {
                return Ok(left);
            };
            self.operators += 1;
            if self.operators > MAX_OPERATORS {
                return Err(self.error("there are too many operators before"));
            }
            let right = self.binary(level + 1)?;
            left = Expr::Binary(*operator, left.into(), right.into());
        }
    }

    fn unary(&mut self) -> Result<Expr, ParseError> {
        self.deeper(|it| {
            let operators = [
                ("-", UnaryOp::Minus),
                ("~", UnaryOp::Complement),
                ("!", UnaryOp::Not),
            ];
            if let Some((_, operator)) = operators.iter().find(|(symbol, _)| it.takes(symbol)) {
                return Ok(Expr::Unary(*operator, it.unary()?.into()));
            }
            if it.takes("*") {
                let pointer = it.pointer()?;
                let address = it.unary()?.into();
                return Ok(Expr::Place(match pointer {
                    Some((space, ty)) => Place::Memory { space, ty, address },
                    None => Place::Pointed(address),
                }));
            }
            if it.takes("&") {
                return match it.unary()? {
                    Expr::Place(
                        place @ (Place::Name(_)
                        | Place::Part { .. }
                        | Place::Pointed(_)
                        | Place::Memory { .. }),
                    ) => Ok(Expr::AddressOf(place.into())),
                    _ => Err(ParseError {
                        message: "`&` applies to variables, buffers, symbols and memory".to_owned(),
                        at: it.tokens.get(it.next).map_or(it.end, |(_, at)| *at),
                    }),
                };
            }
            it.primary()
        })
    }

    /// Parses the type in parentheses after `*`, such as `(lds f32*)`. Returns `None` if there is no type.
    fn pointer(&mut self) -> Result<Option<(Space, ScalarType)>, ParseError> {
        let begin = self.next;
        if !self.takes("(") {
            return Ok(None);
        }
        let space = match self.peek() {
            Some(Token::Name(name)) => match name.as_str() {
                "global" => Some(Space::Global),
                "lds" | "local" => Some(Space::Lds),
                "scratch" | "private" => Some(Space::Scratch),
                _ => None,
            },
            _ => None,
        };
        self.next += usize::from(space.is_some());
        let ty = match self.peek() {
            Some(Token::Name(name)) => ScalarType::named(name),
            _ => None,
        };
        let Some(ty) = ty else {
            self.next = begin;
            return Ok(None);
        };
        self.next += 1;
        self.expect("*")?;
        self.expect(")")?;
        Ok(Some((space.unwrap_or(Space::Global), ty)))
    }

    fn primary(&mut self) -> Result<Expr, ParseError> {
        if self.takes("(") {
            let inner = self.binary(0)?;
            self.expect(")")?;
            return match inner {
                Expr::Place(place @ (Place::Name(_) | Place::Part { .. } | Place::Pointed(_))) => {
                    self.parts(place)
                }
                Expr::Place(Place::Vector {
                    first,
                    count,
                    lane: None,
                }) => {
                    let lane = self.index()?;
                    Ok(Expr::Place(Place::Vector { first, count, lane }))
                }
                inner => Ok(inner),
            };
        }
        let at = self.tokens.get(self.next).map_or(self.end, |(_, at)| *at);
        let expr = match self.peek().cloned() {
            Some(Token::Number(number)) => Expr::Number(number),
            Some(Token::Variable(name)) => {
                let variable = VARIABLES.iter().find(|(known, _)| *known == name);
                match variable {
                    Some((_, variable)) => Expr::Variable(*variable),
                    None if name == "pc" => Expr::Place(Place::Pc),
                    // gdb's register syntax, such as `$v3`.
                    None => {
                        self.next += 1;
                        return self.named(&name, at);
                    }
                }
            }
            Some(Token::Name(name)) => {
                self.next += 1;
                return self.named(&name, at);
            }
            _ => return Err(self.expected("a value")),
        };
        self.next += 1;
        Ok(expr)
    }

    /// Parses the rest of a primary expression that begins with `name`.
    fn named(&mut self, name: &str, at: usize) -> Result<Expr, ParseError> {
        let reductions = [
            ("any", Reduction::Any),
            ("all", Reduction::All),
            ("count", Reduction::Count),
        ];
        if matches!(self.peek(), Some(Token::Symbol("("))) {
            let reduction = reductions.iter().find(|(known, _)| *known == name);
            let inner = |it: &mut Parser| {
                it.next += 1;
                let inner = it.binary(0)?;
                it.expect(")")?;
                Ok(Box::new(inner))
            };
            if let Some((_, reduction)) = reduction {
                if self.is_reduction {
                    return Err(ParseError {
                        message: format!("`{name}` cannot be inside any, all or count"),
                        at,
                    });
                }
                self.is_reduction = true;
                let inner = inner(self);
                self.is_reduction = false;
                return Ok(Expr::Reduce(*reduction, inner?));
            }
            if let Some(ty) = ScalarType::named(name) {
                return Ok(Expr::Convert(ty, inner(self)?));
            }
            if let Some(ty) = name.strip_prefix("as_").and_then(ScalarType::named) {
                return Ok(Expr::Reinterpret(ty, inner(self)?));
            }
            return Err(ParseError {
                message: format!(
                    "there is no function `{name}`; there are any, all, count, types such as f32, and as_f32"
                ),
                at,
            });
        }
        if let Some(place) = self.register(name, at)? {
            return Ok(Expr::Place(place));
        }
        let space = match name {
            "lds" => Space::Lds,
            "scratch" => Space::Scratch,
            _ => return self.parts(Place::Name(name.to_owned())),
        };
        match self.index()? {
            Some(address) => Ok(Expr::Place(Place::Memory {
                space,
                ty: ScalarType::U32,
                address,
            })),
            None => Err(ParseError {
                message: format!("`{name}` needs an offset in bytes, as {name}[0x10]"),
                at,
            }),
        }
    }

    /// Parses the subscripts and field names after `place`.
    fn parts(&mut self, place: Place) -> Result<Expr, ParseError> {
        let (mut place, mut count) = (place, 0);
        loop {
            let mut parts = Vec::new();
            if let Some(index) = self.index()? {
                parts.push(Part::Element(index));
            } else {
                let is_pointed = self.takes("->");
                let name = match self.peek() {
                    Some(Token::Name(name)) if is_pointed => name.clone(),
                    Some(Token::Name(name)) if name.starts_with('.') => name[1..].to_owned(),
                    _ if is_pointed => return Err(self.expected("the name of a field")),
                    _ => return Ok(Expr::Place(place)),
                };
                // Names may contain periods.
                let mut fields = name.split('.').map(str::to_owned);
                if is_pointed {
                    parts.extend(fields.next().map(Part::PointedField));
                }
                parts.extend(fields.map(Part::Field));
                self.next += 1;
            }
            count += parts.len();
            if count > MAX_DEPTH {
                return Err(self.error("there are too many fields and elements before"));
            }
            let with_part = |of, part| Place::Part {
                of: Box::new(of),
                part,
            };
            place = parts.into_iter().fold(place, with_part);
        }
    }

    fn index(&mut self) -> Result<Option<Box<Expr>>, ParseError> {
        if !self.takes("[") {
            return Ok(None);
        }
        let index = self.deeper(|it| it.binary(0))?;
        self.expect("]")?;
        Ok(Some(index.into()))
    }

    /// Parses a register, or returns `None` if `name` is not a register name.
    fn register(&mut self, name: &str, at: usize) -> Result<Option<Place>, ParseError> {
        let out_of_range = |name: &str, last: &str| ParseError {
            message: format!("{name} is out of range: registers end at {last}"),
            at,
        };
        match name {
            "scc" => return Ok(Some(Place::Scc)),
            "mode" => return Ok(Some(Place::Mode)),
            "pc" => return Ok(Some(Place::Pc)),
            _ => {}
        }
        if let Some((first, count)) = regs::named(self.isa, name)
            && first < 128
            && matches!(count, 1 | 2)
        {
            return Ok(Some(Place::Scalar { first, count }));
        }
        let letter = name.chars().next().unwrap_or_default();
        if !matches!(letter, 'v' | 's') {
            return Ok(None);
        }
        let digits = &name[1..];
        let is_range = digits.is_empty() && matches!(self.peek(), Some(Token::Symbol("[")));
        let (first, count) = if is_range {
            self.range()?
        } else if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
            (digits.parse::<u64>().unwrap_or(u64::MAX), 1)
        } else {
            return Ok(None);
        };
        let end = first.saturating_add(count.into());
        if letter == 'v' {
            let number = end.saturating_sub(1);
            let first = u8::try_from(first).ok().filter(|_| end <= 256);
            let first = first.ok_or_else(|| out_of_range(&format!("v{number}"), "v255"))?;
            let lane = self.index()?;
            return Ok(Some(Place::Vector { first, count, lane }));
        }
        let most = u64::from(self.isa.sgprs());
        let first = u8::try_from(first).ok().filter(|_| end <= most);
        let number = end.saturating_sub(1);
        let last = format!("s{}", most - 1);
        let first = first.ok_or_else(|| out_of_range(&format!("s{number}"), &last))?;
        Ok(Some(Place::Scalar { first, count }))
    }

    /// Parses a register range such as `[4:5]`. Returns the first register number and the number of registers.
    fn range(&mut self) -> Result<(u64, u8), ParseError> {
        let number = |it: &mut Parser, before: &str| {
            it.expect(before)?;
            match it.peek() {
                Some(Token::Number(number)) if !number.ty.is_float() => {
                    let number = number.bits;
                    it.next += 1;
                    Ok(number)
                }
                _ => Err(it.expected("the number of a register")),
            }
        };
        let first = number(self, "[")?;
        let last = if matches!(self.peek(), Some(Token::Symbol(":"))) {
            number(self, ":")?
        } else {
            first
        };
        self.expect("]")?;
        match last.checked_sub(first) {
            Some(0) => Ok((first, 1)),
            Some(1) => Ok((first, 2)),
            _ => Err(ParseError {
                message: "a value has one or two registers, as s[4:5]".to_owned(),
                at: self.tokens.get(self.next).map_or(self.end, |(_, at)| *at),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_expressions_are_refused() {
        let sum = |operators: usize| parse(&("1".to_owned() + &"+1".repeat(operators)), Isa::Gfx9);
        assert!(sum(MAX_OPERATORS).is_ok());
        let error = sum(100_000).expect_err("it is too long");
        assert_eq!(error.message, "there are too many operators before `1`");
    }

    #[test]
    fn registers_in_parentheses_have_lanes() {
        let parsed = |text| parse(text, Isa::Gfx9);
        assert_eq!(parsed("(v3)[5]"), parsed("v3[5]"));
        assert_eq!(parsed("((v[2:3]))[5]"), parsed("v[2:3][5]"));
        assert!(parsed("(v3[5])[6]").is_err());
    }
}
