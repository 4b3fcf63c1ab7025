//! Expressions over 64-bit numbers and symbols, with the operators and precedence of GNU as.
//!
//! A parsed expression is a sequence of items in postfix order, so evaluation needs no tree and does not recurse.
//! Expressions that can be evaluated at once are not stored; those with undefined symbols stay in [`Exprs`] until the
//! end of the source.

mod operator;

mod error;
mod item;

mod arithmetic;
mod functions;

use std::collections::HashSet;

use gcn_isa::Target;

use crate::cursor::{Cursor, FloatWidth, WrittenNumber};
use crate::diagnostic::{Fail, WithHelp, fail};
use crate::ids;
use crate::symbols::{SymbolDefinition, Symbols};
use crate::value::{ExprId, ExprValue, SymbolId, Term, Variant};
pub(crate) use error::EvalError;
pub(crate) use functions::is_function;
use functions::{ExprFunction, OCCUPANCY_ARGUMENTS};
use item::ExprItem;
pub(crate) use operator::Operator;
use operator::operator_at;

/// Maximum recursion depth of the parser, through parentheses and operators.
const MAX_DEPTH: u32 = 200;
/// Maximum number of items in symbol definitions visited per evaluation; bounds the exponential growth if each symbol
/// uses the previous one twice.
const MAX_VISITS: u32 = 10_000;
/// Length at which a chain of symbol definitions is first searched for a cycle.
const FIRST_SEARCH: usize = 64;

const VARIANTS: &[(&str, Variant)] = &[
    ("abs32@lo", Variant::Abs32Lo),
    ("abs32@hi", Variant::Abs32Hi),
    ("rel32@lo", Variant::Rel32Lo),
    ("rel32@hi", Variant::Rel32Hi),
    ("rel64", Variant::Rel64),
    ("gotpcrel", Variant::GotPcRel),
    ("gotpcrel32@lo", Variant::GotPcRel32Lo),
    ("gotpcrel32@hi", Variant::GotPcRel32Hi),
];

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum ParsedExpr {
    Known(ExprValue),
    /// A floating-point constant; it must be the whole expression.
    Float(f64),
    /// A floating-point constant with an explicit width.
    Suffixed(f64, FloatWidth),
    /// An expression evaluated at the end of the source.
    Later(ExprId),
}

/// Stored expressions: those that depend on symbols defined later, and those evaluated at each use.
#[derive(Default, Debug)]
pub(crate) struct Exprs {
    items: Vec<ExprItem>,
    stack: Vec<ExprValue>,
    /// True if an expression parsed since [`Exprs::forget_labels`] uses a label or `.`.
    names_labels: bool,
    /// True while parsing an expression whose symbols are evaluated at each use.
    is_lazy: bool,
}

/// Context for parsing an expression: visible names and the current location.
pub(crate) struct ExprScope<'a> {
    pub symbols: &'a mut Symbols,
    /// Section index and offset for `.`.
    pub here: (u32, u64),
    /// True if `|` ends the expression, as between absolute-value bars.
    pub bar_ends: bool,
    /// True if `.` is a plain number rather than an address.
    pub is_absolute: bool,
    /// Target for functions that compute register counts.
    pub target: &'a Target,
}

impl Exprs {
    /// Resets [`Exprs::names_labels`] to false.
    pub(crate) fn forget_labels(&mut self) {
        self.names_labels = false;
    }

    /// Returns true if an expression parsed since [`Exprs::forget_labels`] uses a label or `.`.
    pub(crate) fn names_labels(&self) -> bool {
        self.names_labels
    }

    /// Parses an expression at the cursor.
    pub(crate) fn parse(
        &mut self,
        cursor: &mut Cursor<'_>,
        scope: &mut ExprScope<'_>,
    ) -> Result<ParsedExpr, Fail> {
        cursor.skip_blanks();
        let start = cursor.pos();
        if let Some(value) = cursor.common_integer() {
            return Ok(ParsedExpr::Known(ExprValue::absolute(value)));
        }
        let negative = cursor.peek() == b'-';
        let at = usize::from(negative);
        let is_fraction = cursor.peek_at(at) == b'.' && cursor.peek_at(at + 1).is_ascii_digit();
        if cursor.peek_at(at).is_ascii_digit() || is_fraction {
            // Most expressions are a single number; a float cannot be part of a larger expression.
            let mut probe = cursor.clone();
            probe.set_pos(start + usize::from(negative));
            if !is_local_label(&probe) {
                match probe.number()? {
                    WrittenNumber::Float(value) => {
                        cursor.set_pos(probe.pos());
                        return Ok(ParsedExpr::Float(if negative { -value } else { value }));
                    }
                    WrittenNumber::Suffixed(value, width) => {
                        cursor.set_pos(probe.pos());
                        let value = if negative { -value } else { value };
                        return Ok(ParsedExpr::Suffixed(value, width));
                    }
                    WrittenNumber::Int(value) => {
                        probe.skip_blanks();
                        if probe.at_statement_end()
                            || matches!(probe.peek(), b',' | b')' | b']' | b':')
                            || probe.peek().is_ascii_alphabetic()
                        {
                            cursor.set_pos(probe.pos());
                            let value = if negative {
                                value.wrapping_neg()
                            } else {
                                value
                            };
                            return Ok(ParsedExpr::Known(ExprValue::absolute(value)));
                        }
                    }
                }
            }
        }
        let first = self.items.len();
        // Between absolute-value bars, LLVM accepts binary operators only in parentheses.
        let result = if scope.bar_ends {
            self.unary(cursor, scope, 0)
        } else {
            self.binary(cursor, scope, 0, 0)
        };
        let end = self.items.len();
        if let Err(error) = result {
            self.items.truncate(first);
            return Err(error);
        }
        let id = ExprId {
            start: index(first),
            end: index(end),
        };
        let is_place = |item: &ExprItem| match item {
            ExprItem::Here(..) => true,
            ExprItem::Symbol(symbol, _) => {
                matches!(
                    scope.symbols.defined(*symbol),
                    SymbolDefinition::Label { .. }
                )
            }
            _ => false,
        };
        self.names_labels |= self.items.iter().skip(first).any(is_place);
        match self.eval(id, scope.symbols, false) {
            Ok(value) => {
                self.items.truncate(first);
                Ok(ParsedExpr::Known(value))
            }
            Err(EvalError::Pending(_)) => Ok(ParsedExpr::Later(id)),
            Err(error) => {
                self.items.truncate(first);
                Err(error.diagnose(start..cursor.pos(), scope.symbols))
            }
        }
    }

    /// Parses an expression that is evaluated each time its symbol is used.
    pub(crate) fn parse_lazily(
        &mut self,
        cursor: &mut Cursor<'_>,
        scope: &mut ExprScope<'_>,
    ) -> Result<ExprId, Fail> {
        let first = self.items.len();
        self.is_lazy = true;
        let result = self.binary(cursor, scope, 0, 0);
        self.is_lazy = false;
        if let Err(error) = result {
            self.items.truncate(first);
            return Err(error);
        }
        Ok(ExprId {
            start: index(first),
            end: index(self.items.len()),
        })
    }

    fn binary(
        &mut self,
        cursor: &mut Cursor<'_>,
        scope: &mut ExprScope<'_>,
        min: u8,
        depth: u32,
    ) -> Result<(), Fail> {
        self.unary(cursor, scope, depth)?;
        loop {
            cursor.skip_blanks();
            if cursor.at_statement_end() {
                return Ok(());
            }
            if cursor.peek() == b'?' && min == 0 {
                return self.choice(cursor, scope, depth);
            }
            let Some((text, precedence, operator)) = operator_at(cursor.rest()) else {
                return Ok(());
            };
            let precedence = match operator {
                Operator::LogicalOr if !cursor.dialect().and_binds_tighter_than_or() => {
                    precedence + 1
                }
                _ => precedence,
            };
            if precedence <= min {
                return Ok(());
            }
            if operator == Operator::Or && scope.bar_ends {
                return Ok(());
            }
            cursor.set_pos(cursor.pos() + text.len());
            self.binary(cursor, scope, precedence, depth + 1)?;
            self.items.push(ExprItem::Operator(operator));
        }
    }

    /// Parses `? b : c` after a condition; the cursor is at `?`.
    fn choice(
        &mut self,
        cursor: &mut Cursor<'_>,
        scope: &mut ExprScope<'_>,
        depth: u32,
    ) -> Result<(), Fail> {
        cursor.set_pos(cursor.pos() + 1);
        self.binary(cursor, scope, 0, depth + 1)?;
        if !cursor.eat_after_blanks(b':') {
            return Err(cursor.expected("`:` and the other value"));
        }
        self.binary(cursor, scope, 0, depth + 1)?;
        self.items.push(ExprItem::Operator(Operator::Choice));
        Ok(())
    }

    fn unary(
        &mut self,
        cursor: &mut Cursor<'_>,
        scope: &mut ExprScope<'_>,
        depth: u32,
    ) -> Result<(), Fail> {
        cursor.skip_blanks();
        if depth > MAX_DEPTH {
            let message = format!("an expression may nest {MAX_DEPTH} levels deep");
            return Err(fail(&ids::NESTING_LIMIT, cursor.here(), message));
        }
        let operator = match cursor.peek() {
            b'-' => Some(Operator::Neg),
            b'~' => Some(Operator::Not),
            b'!' => Some(Operator::LogicalNot),
            b'+' => None,
            _ => return self.primary(cursor, scope, depth),
        };
        cursor.set_pos(cursor.pos() + 1);
        self.unary(cursor, scope, depth + 1)?;
        self.items.extend(operator.map(ExprItem::Operator));
        Ok(())
    }

    fn primary(
        &mut self,
        cursor: &mut Cursor<'_>,
        scope: &mut ExprScope<'_>,
        depth: u32,
    ) -> Result<(), Fail> {
        let start = cursor.pos();
        let item = match cursor.peek() {
            b'(' => {
                cursor.set_pos(start + 1);
                self.binary(cursor, scope, 0, depth + 1)?;
                if !cursor.eat_after_blanks(b')') {
                    return Err(cursor.expected("`)`"));
                }
                return Ok(());
            }
            b'\'' => ExprItem::Int(cursor.character()?),
            b'0'..=b'9' if is_local_label(cursor) => {
                let number = cursor.digits().unwrap_or(0);
                let forward = cursor.peek() | 0x20 == b'f';
                cursor.set_pos(cursor.pos() + 1);
                match scope
                    .symbols
                    .local_label(number, forward, start..cursor.pos())
                {
                    Some(symbol) => ExprItem::Symbol(symbol, Variant::Plain),
                    None => {
                        let message = format!("there is no label `{number}:` before this");
                        return Err(fail(&ids::UNDEFINED_SYMBOL, start..cursor.pos(), message));
                    }
                }
            }
            b'0'..=b'9' => match cursor.number()? {
                WrittenNumber::Int(value) => ExprItem::Int(value),
                WrittenNumber::Float(_) | WrittenNumber::Suffixed(..) => {
                    let message = "a floating-point constant cannot be part of an expression";
                    return Err(fail(&ids::FLOAT_VALUE, start..cursor.pos(), message));
                }
            },
            b'.' if !is_symbol_byte(cursor.peek_at(1)) => {
                cursor.set_pos(start + 1);
                if scope.is_absolute {
                    ExprItem::Int(scope.here.1.cast_signed())
                } else {
                    ExprItem::Here(scope.here.0, scope.here.1)
                }
            }
            _ => {
                let is_name =
                    cursor.peek() == b'"' || is_symbol_byte(cursor.peek()) || cursor.at_scope();
                if !is_name {
                    return Err(cursor.expected("a number or a symbol"));
                }
                let name = cursor.name()?;
                if cursor.peek() == b'('
                    && let Some((function, count)) = ExprFunction::named(&name)
                {
                    cursor.set_pos(cursor.pos() + 1);
                    return self.call(cursor, scope, depth, start, function, count);
                }
                let symbol = scope.symbols.reference(&name, start..cursor.pos());
                let variant = variant(cursor)?;
                // A symbol that is a number keeps its current value here, even if it is redefined later.
                match scope.symbols.defined(symbol) {
                    SymbolDefinition::Value(value) if !self.is_lazy => {
                        match value.used_as(symbol, variant).as_absolute() {
                            Some(number) => ExprItem::Int(number),
                            None => ExprItem::Symbol(symbol, variant),
                        }
                    }
                    _ => ExprItem::Symbol(symbol, variant),
                }
            }
        };
        self.items.push(item);
        Ok(())
    }

    /// Parses the arguments of a function call; the cursor is after the `(`.
    fn call(
        &mut self,
        cursor: &mut Cursor<'_>,
        scope: &mut ExprScope<'_>,
        depth: u32,
        start: usize,
        function: ExprFunction,
        count: Option<usize>,
    ) -> Result<(), Fail> {
        let bar_ended = std::mem::replace(&mut scope.bar_ends, false);
        let mut found = 0;
        loop {
            self.binary(cursor, scope, 0, depth + 1)?;
            function.after(scope.target, found, &mut self.items);
            found += 1;
            if !cursor.eat_after_blanks(b',') {
                break;
            }
        }
        scope.bar_ends = bar_ended;
        if !cursor.eat_after_blanks(b')') {
            return Err(cursor.expected("`,` or `)`"));
        }
        match count {
            Some(count) if found != count => Err(fail(
                &ids::FUNCTION_ARGUMENTS,
                start..cursor.pos(),
                format!("this function takes {count} arguments, found {found}"),
            )),
            _ => Ok(()),
        }
    }

    /// Value of a stored expression at the end of the source, or `None` if it cannot be evaluated.
    pub(crate) fn value(&self, id: ExprId, symbols: &Symbols) -> Option<ExprValue> {
        self.run(id, symbols, true, &mut Vec::new()).ok()
    }

    /// Evaluates a stored expression. With `at_end`, undefined symbols count as external.
    pub(crate) fn eval(
        &mut self,
        id: ExprId,
        symbols: &Symbols,
        at_end: bool,
    ) -> Result<ExprValue, EvalError> {
        let mut stack = std::mem::take(&mut self.stack);
        stack.clear();
        let result = self.run(id, symbols, at_end, &mut stack);
        self.stack = stack;
        result
    }

    fn run(
        &self,
        id: ExprId,
        symbols: &Symbols,
        at_end: bool,
        stack: &mut Vec<ExprValue>,
    ) -> Result<ExprValue, EvalError> {
        let mut rest = id;
        let mut chain: Vec<SymbolUse> = Vec::new();
        let mut visits = 0;
        loop {
            let Some(item) = self.take_item(&mut rest) else {
                let value = stack.pop().unwrap_or_default();
                let Some(user) = chain.pop() else {
                    return Ok(value);
                };
                rest = user.rest;
                stack.push(value.used_as(user.symbol, user.variant));
                continue;
            };
            // The text bounds the expression's own items, but items of symbol definitions may be visited repeatedly.
            visits += u32::from(!chain.is_empty());
            if visits > MAX_VISITS {
                return Err(EvalError::TooComplex);
            }
            let value = match item {
                ExprItem::Int(value) => ExprValue::absolute(value),
                ExprItem::Here(section, offset) => ExprValue {
                    plus: Some(Term {
                        place: Some((section, offset)),
                        symbol: None,
                    }),
                    ..ExprValue::default()
                },
                ExprItem::Symbol(symbol, variant) => {
                    let address = |place| ExprValue {
                        plus: Some(Term {
                            place,
                            symbol: Some(symbol),
                        }),
                        variant,
                        ..ExprValue::default()
                    };
                    match symbols.defined(symbol) {
                        SymbolDefinition::Label { section, offset } => {
                            address(Some((section, offset)))
                        }
                        SymbolDefinition::Value(value) => value.used_as(symbol, variant),
                        SymbolDefinition::Expr(expr) => {
                            chain.push(SymbolUse {
                                symbol,
                                variant,
                                rest,
                            });
                            // Searching only when the length has doubled keeps the total time linear.
                            if chain.len() >= FIRST_SEARCH
                                && chain.len().is_power_of_two()
                                && let Some(circular) = repeated(&chain)
                            {
                                return Err(EvalError::Circular(circular));
                            }
                            rest = expr;
                            continue;
                        }
                        SymbolDefinition::Common { .. } => address(None),
                        SymbolDefinition::No if at_end => address(None),
                        SymbolDefinition::No => return Err(EvalError::Pending(symbol)),
                    }
                }
                ExprItem::Operator(operator) => operate(operator, stack)?,
            };
            stack.push(value);
        }
    }

    /// Returns the first item of a range, and removes it from the range.
    fn take_item(&self, range: &mut ExprId) -> Option<ExprItem> {
        if range.start >= range.end {
            return None;
        }
        let item = self.items.get(range.start as usize).copied()?;
        range.start += 1;
        Some(item)
    }
}

/// A symbol whose definition is being evaluated.
struct SymbolUse {
    symbol: SymbolId,
    /// Relocation specifier of the use.
    variant: Variant,
    /// Items that follow the use.
    rest: ExprId,
}

/// Symbol that occurs twice in a chain, which is therefore circular.
fn repeated(chain: &[SymbolUse]) -> Option<SymbolId> {
    let mut seen = HashSet::new();
    let mut symbols = chain.iter().map(|user| user.symbol);
    symbols.find(|symbol| !seen.insert(*symbol))
}

/// Pops an operator's operands from the stack and returns the result.
fn operate(operator: Operator, stack: &mut Vec<ExprValue>) -> Result<ExprValue, EvalError> {
    let right = stack.pop().unwrap_or_default();
    if operator.is_unary() {
        operator.unary(right)
    } else if operator == Operator::Choice {
        let left = stack.pop().unwrap_or_default();
        let condition = stack.pop().unwrap_or_default().as_absolute();
        match condition.ok_or(EvalError::Addresses(operator))? {
            0 => Ok(right),
            _ => Ok(left),
        }
    } else if let Operator::Occupancy(isa) = operator {
        let mut arguments = [0; OCCUPANCY_ARGUMENTS];
        let mut top = Some(right);
        for argument in arguments.iter_mut().rev() {
            let value = top.take().or_else(|| stack.pop()).unwrap_or_default();
            *argument = value.as_absolute().ok_or(EvalError::Addresses(operator))?;
        }
        Ok(ExprValue::absolute(functions::occupancy(isa, arguments)))
    } else {
        let left = stack.pop().unwrap_or_default();
        operator.binary(left, right)
    }
}

fn index(length: usize) -> u32 {
    // Sources over 2 GiB are rejected before parsing, so saturation is not expected.
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// Returns true if the cursor is at a numeric label reference such as `1b` or `2f`.
fn is_local_label(cursor: &Cursor<'_>) -> bool {
    let mut length = 0;
    while cursor.peek_at(length).is_ascii_digit() {
        length += 1;
    }
    let after = cursor.peek_at(length + 1);
    length > 0
        && matches!(cursor.peek_at(length) | 0x20, b'b' | b'f')
        && !is_symbol_byte(after)
        && !after.is_ascii_digit()
}

fn is_symbol_byte(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'.' | b'$')
}

/// Parses a relocation specifier after a symbol, such as `@rel32@lo`.
fn variant(cursor: &mut Cursor<'_>) -> Result<Variant, Fail> {
    if cursor.peek() != b'@' {
        return Ok(Variant::Plain);
    }
    let start = cursor.pos();
    while cursor.eat(b'@') {
        if cursor.word().is_none() {
            return Err(cursor.expected("a name after `@`"));
        }
    }
    let text = cursor.slice(start + 1..cursor.pos());
    match VARIANTS
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(text))
    {
        Some(&(_, variant)) => Ok(variant),
        None => {
            let names: Vec<&str> = VARIANTS.iter().map(|(name, _)| *name).collect();
            let message = format!("`@{text}` does not exist");
            Err(fail(&ids::UNKNOWN_RELOCATION, start..cursor.pos(), message)
                .with_help(format!("the parts of a symbol are: @{}", names.join(", @"))))
        }
    }
}
