//! Statement parser state: the cursor, the names, and operations that need both.

use std::ops::Range;

use gcn_isa::{Isa, Target};

use crate::argument::{DelayedId, DelayedValue, ModArg, ParsedOperand};
use crate::assembler::expansion::origin::PositionMap;
use crate::assembler::names::{NamedRegisters, Names};
use crate::cursor::Cursor;
use crate::diagnostic::{Diagnostic, Fail, Severity, WithHelp, fail};
use crate::expr::{EvalError, ParsedExpr};
use crate::ids::{self, Explanation};
use crate::inputs::dialect::Dialect;
use crate::inputs::options::{Options, Source};
use crate::symbols::SymbolDefinition;
use crate::value::{ExprId, ExprValue, SymbolId};

/// CLRX's number for its raw binary format, the default.
pub(crate) const RAW_FORMAT: usize = 2;

/// Parser for the current text.
pub(crate) struct Parser<'a> {
    pub cursor: Cursor<'a>,
    /// Maps positions in the current text to the source.
    pub mapping: PositionMap,
    pub names: Names,
    pub diagnostics: Vec<Diagnostic>,
    pub target: &'static Target,
    pub isa: Isa,
    pub dialect: Dialect,
    /// True if `v`, `s` and `ttmp` name registers even if symbols have these names.
    pub banks_first: bool,
    /// True if `|` ends an expression.
    pub bar_ends: bool,
    /// True if a flag's value must be 0 or 1 (CLRX's `.oldmodparam`); otherwise any nonzero number sets the flag.
    pub flags_are_bits: bool,
    /// CLRX's number for the binary format that the source selects.
    pub clrx_format: usize,
    /// Number of unknown names reported so far, to limit suggestions.
    pub suggestions: u32,
    // Reused between statements to avoid allocation.
    pub args: Vec<ParsedOperand>,
    pub mods: Vec<ModArg>,
    pub delayed_values: Vec<DelayedValue>,
}

impl<'a> Parser<'a> {
    /// Creates a parser at the start of a source.
    pub(crate) fn new(source: &Source<'a>, options: &Options<'_>) -> Parser<'a> {
        let mut cursor = Cursor::new(source.text, options.dialect);
        cursor.skip_byte_order_mark();
        Parser {
            cursor,
            mapping: PositionMap::From(0),
            names: Names::new(options),
            diagnostics: Vec::new(),
            target: options.target,
            isa: options.target.isa,
            dialect: options.dialect,
            banks_first: false,
            bar_ends: false,
            flags_are_bits: false,
            clrx_format: RAW_FORMAT,
            suggestions: 0,
            args: Vec::new(),
            mods: Vec::new(),
            delayed_values: Vec::new(),
        }
    }

    /// Records an error as a warning, for mistakes that the dialect tolerates.
    pub(crate) fn warn(&mut self, mut error: Diagnostic) {
        error.severity = Severity::Warning;
        self.diagnostics.push(error);
    }

    pub(crate) fn warning(
        &mut self,
        id: &'static Explanation,
        span: Range<usize>,
        message: impl Into<String>,
    ) {
        self.diagnostics
            .push(Diagnostic::warning(id, span, message));
    }

    /// Maps a span of the current text to the source; generated text maps to the outermost call.
    pub(crate) fn map_to_source(&self, span: Range<usize>) -> Range<usize> {
        self.mapping.apply(span)
    }

    /// Defines a label at the current location.
    pub(crate) fn define_label(&mut self, id: SymbolId, span: Range<usize>) -> Result<(), Fail> {
        let (section, offset) = self.names.layout.here();
        let is_absolute = self.names.layout.is_absolute();
        let place = self.map_to_source(span.clone());
        let Some(entry) = self.names.symbols.get_mut(id) else {
            return Ok(());
        };
        if entry.defined != SymbolDefinition::No {
            let message = format!("symbol `{}` is already defined", entry.name);
            return Err(fail(&ids::REDEFINED_SYMBOL, span, message)
                .with_help("each label can be defined once"));
        }
        entry.defined = if is_absolute {
            SymbolDefinition::Value(ExprValue::absolute(offset.cast_signed()))
        } else {
            SymbolDefinition::Label { section, offset }
        };
        entry.locate(place);
        Ok(())
    }

    /// Assigns a value to a symbol.
    pub(crate) fn define(
        &mut self,
        name: &str,
        span: Range<usize>,
        defined: SymbolDefinition,
    ) -> Result<(), Fail> {
        // Pending expressions keep the symbol's old definition.
        let old = self.names.symbols.lookup_definition(name);
        if old.is_some_and(|id| matches!(self.names.symbols.defined(id), SymbolDefinition::Expr(_)))
        {
            self.names.symbols.rebind(name);
        }
        let id = self.names.symbols.declare(name, span.clone());
        if let SymbolDefinition::Value(value) = defined
            && let Some(number) = value.as_absolute()
        {
            let count = NamedRegisters {
                before: u32::try_from(number).unwrap_or(0),
                since: 0,
            };
            let [vgprs, sgprs, ..] = self.names.builtins.counts;
            if id == vgprs {
                self.names.vgprs = count;
            } else if id == sgprs {
                self.names.sgprs = count;
            }
        }
        let place = self.map_to_source(span.clone());
        let Some(entry) = self.names.symbols.get_mut(id) else {
            return Ok(());
        };
        if matches!(
            entry.defined,
            SymbolDefinition::Label { .. } | SymbolDefinition::Common { .. }
        ) {
            let message = format!("symbol `{name}` is already defined as a label");
            return Err(fail(&ids::REDEFINED_SYMBOL, span, message));
        }
        entry.defined = defined;
        entry.locate(place);
        Ok(())
    }

    pub(crate) fn parse_expr(&mut self) -> Result<ParsedExpr, Fail> {
        self.names.update_count_symbols();
        let (exprs, mut scope) = self.names.scope(self.bar_ends);
        exprs.parse(&mut self.cursor, &mut scope)
    }

    /// Parses an expression that is evaluated each time its symbol is used.
    pub(crate) fn parse_lazily(&mut self) -> Result<ExprId, Fail> {
        let (exprs, mut scope) = self.names.scope(false);
        exprs.parse_lazily(&mut self.cursor, &mut scope)
    }

    /// Parses an expression that must evaluate to a number immediately; `what` describes it in errors.
    pub(crate) fn absolute(&mut self, what: &str) -> Result<i64, Fail> {
        let start = self.cursor.token_start();
        let id = match self.number_or_later(what)? {
            Ok(number) => return Ok(number),
            Err(id) => id,
        };
        let error = self.names.exprs.eval(id, &self.names.symbols, false).err();
        let name = match error {
            Some(EvalError::Pending(symbol)) => self.names.symbols.name(symbol),
            _ => "",
        };
        let message = format!("{what} must be known here, but symbol `{name}` is not defined");
        Err(fail(&ids::UNKNOWN_VALUE, self.cursor.since(start), message)
            .with_help("a symbol that is used here must be defined before"))
    }

    /// Parses a number, or an expression that depends on symbols defined later.
    pub(crate) fn number_or_later(&mut self, what: &str) -> Result<Result<i64, ExprId>, Fail> {
        let start = self.cursor.token_start();
        if let Some(value) = self.cursor.common_integer() {
            return Ok(Ok(value));
        }
        let parsed = self.parse_expr()?;
        let span = self.cursor.since(start);
        match parsed {
            ParsedExpr::Known(value) => value.as_absolute().map(Ok).ok_or_else(|| {
                let message = format!("{what} must be a number, but this is an address");
                fail(&ids::ADDRESS_VALUE, span, message)
            }),
            ParsedExpr::Float(_) | ParsedExpr::Suffixed(..) => Err(fail(
                &ids::FLOAT_VALUE,
                span,
                format!("{what} must be an integer, but this is a floating-point number"),
            )),
            ParsedExpr::Later(id) => Ok(Err(id)),
        }
    }

    /// Parses a comma and a number; returns `None` if either is missing.
    pub(crate) fn optional_absolute(&mut self, what: &str) -> Result<Option<i64>, Fail> {
        if !self.cursor.eat_after_blanks(b',') {
            return Ok(None);
        }
        self.cursor.skip_blanks();
        if self.cursor.peek() == b',' || self.cursor.at_statement_end() {
            return Ok(None);
        }
        self.absolute(what).map(Some)
    }

    /// Parses an integer or address that may depend on symbols defined later; `complaint` is the error message for
    /// anything else.
    pub(crate) fn delayed(&mut self, complaint: &str) -> Result<DelayedValue, Fail> {
        let start = self.cursor.token_start();
        match self.parse_expr()? {
            ParsedExpr::Known(value) => Ok(DelayedValue::Value(value)),
            ParsedExpr::Later(id) => Ok(DelayedValue::Expr(id)),
            ParsedExpr::Float(_) | ParsedExpr::Suffixed(..) => {
                Err(fail(&ids::FLOAT_VALUE, self.cursor.since(start), complaint))
            }
        }
    }

    /// Adds a delayed value to the current statement.
    pub(crate) fn delay(&mut self, delayed: DelayedValue) -> DelayedId {
        let place = u32::try_from(self.delayed_values.len()).unwrap_or(u32::MAX);
        self.delayed_values.push(delayed);
        DelayedId(place)
    }

    pub(crate) fn delayed_value(&self, id: DelayedId) -> Option<DelayedValue> {
        self.delayed_values.get(id.0 as usize).copied()
    }

    /// Parses the value of a CLRX flag or encoding keyword. By default, any nonzero number counts as 1.
    pub(crate) fn switch(&mut self, what: &str) -> Result<bool, Fail> {
        let value = if self.flags_are_bits {
            self.absolute_within(what, 0, 1)?
        } else {
            self.absolute(what)?
        };
        Ok(value != 0)
    }

    /// Parses a number in `low..=high` that must be known immediately.
    pub(crate) fn absolute_within(&mut self, what: &str, low: i64, high: i64) -> Result<i64, Fail> {
        let start = self.cursor.token_start();
        let value = self.absolute(what)?;
        if (low..=high).contains(&value) {
            return Ok(value);
        }
        let message = format!("{what} is {value}, out of range {low} to {high}");
        Err(fail(&ids::VALUE_RANGE, self.cursor.since(start), message))
    }
}
