//! State of an assembly: reader, names, output, and the operations that need more than one of them.
//!
//! An instruction's length is fixed as soon as it is read, so offsets are final and a single pass suffices.

pub(crate) mod names;
pub(crate) mod output;
pub(crate) mod expansion;
pub(crate) mod lines;
pub(crate) mod reader;

use std::collections::HashMap;
use std::ops::Range;

use gcn_isa::{Isa, Target};

use crate::argument::{DelayedValue, ModArg, ParsedOperand};
use crate::descriptor::KernelDirectives;
use crate::diagnostic::{Diagnostic, Fail, Severity, WithHelp, fail};
use crate::expr::{EvalError, ExprScope, Exprs, ParsedExpr};
use crate::header::HeaderDirectives;
use crate::ids;
use crate::inputs::dialect::Dialect;
use crate::inputs::features::Features;
use crate::inputs::files::Files;
use crate::inputs::options::{Options, Source};
use crate::program::{ProgramKernel, ProgramMetadata, SectionFlags, SectionKind};
use crate::symbols::{SymbolDefinition, Symbols};
use crate::value::{ExprId, ExprValue, SymbolId};
use expansion::ExpandedTexts;
use names::{Builtins, NamedRegisters, Names};
use output::AssembledSections;
use reader::SourceReader;

/// CLRX's number of the default binary format.
pub(crate) const RAW_FORMAT: usize = 2;

/// An assembly in progress.
pub(crate) struct Assembler<'a> {
    pub reader: SourceReader<'a>,
    pub names: Names,
    pub output: AssembledSections,
    pub kernels: DeclaredKernels,
    pub target: &'static Target,
    pub isa: Isa,
    pub dialect: Dialect,
    pub features: Features,
    pub diagnostics: Vec<Diagnostic>,
    pub metadata: Option<ProgramMetadata>,
    pub code_object_version: Option<u8>,
    pub identifications: Vec<String>,
    /// True if instructions are recorded for the listing.
    pub is_listing: bool,
    /// True if `v`, `s` and `ttmp` always name registers, even if symbols have these names.
    pub banks_first: bool,
    /// True if `|` ends an expression.
    pub bar_ends: bool,
    /// True if a flag's value must be 0 or 1; otherwise, any nonzero number sets it (CLRX's `.oldmodparam`).
    pub flags_are_bits: bool,
    /// CLRX's number of the binary format that the source selects.
    pub clrx_format: usize,
    /// Number of unknown names so far.
    pub suggestions: u32,
    // Reused between statements to avoid allocation.
    pub args: Vec<ParsedOperand>,
    pub mods: Vec<ModArg>,
    pub delayed_values: Vec<DelayedValue>,
}

/// Kernels declared by directives.
#[derive(Default)]
pub(crate) struct DeclaredKernels {
    /// The open `.amdhsa_kernel` block.
    pub open: Option<KernelDirectives>,
    pub closed: Vec<KernelDirectives>,
    /// The open `.amd_kernel_code_t` block.
    pub open_header: Option<HeaderDirectives>,
    pub closed_headers: Vec<HeaderDirectives>,
    pub finished: Vec<ProgramKernel>,
    /// Total LDS of all `.amdgpu_lds` symbols, in bytes.
    pub lds_size: u32,
}

impl<'a> Assembler<'a> {
    /// Creates an assembler positioned at the start of a source. Expanded texts are appended to `texts`.
    pub(crate) fn new(
        source: &Source<'a>,
        options: &Options<'_>,
        texts: &'a ExpandedTexts,
        files: &'a dyn Files,
    ) -> Assembler<'a> {
        let target = options.target;
        let mut symbols = Symbols::new(options.dialect.has_scopes());
        let mut builtin = |name: &str, value: u32| {
            let id = symbols.reference(name, 0..0);
            if let Some(entry) = symbols.get_mut(id) {
                entry.builtin = true;
                entry.defined = SymbolDefinition::Value(ExprValue::absolute(i64::from(value)));
            }
            id
        };
        let (major, minor, stepping) = target.version();
        // The alternative names are LLVM's for systems other than HSA.
        for (name, older, number) in [
            ("number", "major", major),
            ("minor", "minor", minor),
            ("stepping", "stepping", stepping),
        ] {
            builtin(&format!(".amdgcn.gfx_generation_{name}"), number);
            builtin(&format!(".option.machine_version_{older}"), number);
        }
        let builtins = Builtins {
            counts: [
                ".amdgcn.next_free_vgpr",
                ".amdgcn.next_free_sgpr",
                ".kernel.vgpr_count",
                ".kernel.sgpr_count",
            ]
            .map(|name| builtin(name, 0)),
            shown: [0; 4],
        };
        for (name, value) in options.defines {
            let id = symbols.reference(name, 0..0);
            if let Some(entry) = symbols.get_mut(id) {
                entry.defined = SymbolDefinition::Value(ExprValue::absolute(*value));
            }
        }
        let mut assembler = Assembler {
            reader: SourceReader::new(source, texts, files, options.dialect),
            names: Names {
                symbols,
                exprs: Exprs::default(),
                registers: HashMap::new(),
                vgprs: NamedRegisters::default(),
                sgprs: NamedRegisters::default(),
                builtins,
            },
            output: AssembledSections::default(),
            kernels: DeclaredKernels::default(),
            target,
            isa: target.isa,
            dialect: options.dialect,
            features: options.features,
            diagnostics: Vec::new(),
            metadata: None,
            code_object_version: None,
            identifications: Vec::new(),
            is_listing: options.listing || options.debug.is_some(),
            banks_first: false,
            bar_ends: false,
            flags_are_bits: false,
            clrx_format: RAW_FORMAT,
            suggestions: 0,
            args: Vec::new(),
            mods: Vec::new(),
            delayed_values: Vec::new(),
        };
        assembler.reader.cursor.skip_byte_order_mark();
        // There is always a current section.
        assembler.output.add_section(
            ".text",
            SectionKind::ProgBits,
            SectionFlags {
                alloc: true,
                exec: true,
                ..SectionFlags::default()
            },
        );
        assembler
    }

    /// Downgrades an error to a warning if the source's dialect allows it.
    pub(crate) fn warn(&mut self, mut error: Diagnostic) {
        error.severity = Severity::Warning;
        self.diagnostics.push(error);
    }

    pub(crate) fn collect(&mut self, result: Result<(), Fail>) {
        if let Err(mut error) = result {
            self.reader.expansion.errors += 1;
            // The span of an expression extends to the next token; trailing blanks are removed.
            let content = self
                .reader
                .cursor
                .slice(error.span.clone())
                .trim_end()
                .len();
            if content > 0 {
                error.span.end = error.span.start + content;
            }
            self.diagnostics.push(*error);
        }
    }

    pub(crate) fn define_label(&mut self, id: SymbolId, span: Range<usize>) -> Result<(), Fail> {
        let (section, offset) = self.output.here();
        let is_absolute = self.output.is_absolute();
        let place = self.reader.expansion.map_to_source(span.clone());
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
        entry.span = place;
        Ok(())
    }

    /// Gives a symbol a value.
    pub(crate) fn define(
        &mut self,
        name: &str,
        span: Range<usize>,
        defined: SymbolDefinition,
    ) -> Result<(), Fail> {
        // Expressions that wait for the symbol keep the old definition.
        let waits = self
            .names
            .symbols
            .lookup_definition(name)
            .is_some_and(|id| matches!(self.names.symbols.defined(id), SymbolDefinition::Expr(_)));
        if waits {
            self.names.symbols.rebind(name);
        }
        let id = self.names.symbols.declare(name, span.clone());
        if let SymbolDefinition::Value(value) = defined
            && let Some(number) = value.as_absolute()
        {
            let number = u32::try_from(number).unwrap_or(0);
            let [vgprs, sgprs, ..] = self.names.builtins.counts;
            if id == vgprs {
                self.names.vgprs = NamedRegisters {
                    before: number,
                    since: 0,
                };
            } else if id == sgprs {
                self.names.sgprs = NamedRegisters {
                    before: number,
                    since: 0,
                };
            }
        }
        let place = self.reader.expansion.map_to_source(span.clone());
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
        entry.span = place;
        Ok(())
    }

    pub(crate) fn parse_expr(&mut self) -> Result<ParsedExpr, Fail> {
        self.names.update_count_symbols();
        let mut scope = ExprScope {
            here: self.output.here(),
            bar_ends: self.bar_ends,
            is_absolute: self.output.is_absolute(),
            symbols: &mut self.names.symbols,
            target: self.target,
        };
        self.names.exprs.parse(&mut self.reader.cursor, &mut scope)
    }

    /// Parses an expression whose value must be known now.
    pub(crate) fn absolute(&mut self, what: &str) -> Result<i64, Fail> {
        self.reader.cursor.skip_blanks();
        let start = self.reader.cursor.pos();
        let id = match self.number_or_later(what)? {
            Ok(number) => return Ok(number),
            Err(id) => id,
        };
        let error = self.names.exprs.eval(id, &self.names.symbols, false).err();
        let name = match error {
            Some(EvalError::Pending(symbol)) => self.names.symbols.name(symbol).to_owned(),
            _ => String::new(),
        };
        Err(fail(
            &ids::UNKNOWN_VALUE,
            start..self.reader.cursor.pos(),
            format!("{what} must be known here, but symbol `{name}` is not defined"),
        )
        .with_help("a symbol that is used here must be defined before"))
    }

    /// Parses a number, or an expression that depends on symbols defined later.
    pub(crate) fn number_or_later(&mut self, what: &str) -> Result<Result<i64, ExprId>, Fail> {
        self.reader.cursor.skip_blanks();
        let start = self.reader.cursor.pos();
        if let Some(value) = self.reader.cursor.common_integer() {
            return Ok(Ok(value));
        }
        let parsed = self.parse_expr()?;
        let span = start..self.reader.cursor.pos();
        match parsed {
            ParsedExpr::Known(value) => value.as_absolute().map(Ok).ok_or_else(|| {
                fail(
                    &ids::ADDRESS_VALUE,
                    span,
                    format!("{what} must be a number, but this is an address"),
                )
            }),
            ParsedExpr::Float(_) | ParsedExpr::Suffixed(..) => Err(fail(
                &ids::FLOAT_VALUE,
                span,
                format!("{what} must be an integer, but this is a floating-point number"),
            )),
            ParsedExpr::Later(id) => Ok(Err(id)),
        }
    }

    /// Parses a comma and a number, if a comma follows.
    pub(crate) fn optional_absolute(&mut self, what: &str) -> Result<Option<i64>, Fail> {
        if !self.reader.cursor.eat_after_blanks(b',') {
            return Ok(None);
        }
        self.reader.cursor.skip_blanks();
        if self.reader.cursor.peek() == b',' || self.reader.cursor.at_statement_end() {
            return Ok(None);
        }
        self.absolute(what).map(Some)
    }

    pub(crate) fn comma(&mut self, what: &str) -> Result<(), Fail> {
        if self.reader.cursor.eat_after_blanks(b',') {
            Ok(())
        } else {
            Err(self.reader.cursor.expected(&format!("`,` and {what}")))
        }
    }

    /// Parses an integer or an address whose value may become known later.
    pub(crate) fn delayed(&mut self, complaint: &str) -> Result<DelayedValue, Fail> {
        self.reader.cursor.skip_blanks();
        let start = self.reader.cursor.pos();
        match self.parse_expr()? {
            ParsedExpr::Known(value) => Ok(DelayedValue::Value(value)),
            ParsedExpr::Later(id) => Ok(DelayedValue::Expr(id)),
            ParsedExpr::Float(_) | ParsedExpr::Suffixed(..) => Err(fail(
                &ids::FLOAT_VALUE,
                start..self.reader.cursor.pos(),
                complaint,
            )),
        }
    }

    /// Fixup kind for an instruction's value that is neither known nor relocatable.
    pub(crate) fn delayed_value(
        &mut self,
        delayed: DelayedValue,
        span: &Range<usize>,
    ) -> Result<ExprValue, Fail> {
        match delayed {
            DelayedValue::Value(value) => Ok(value),
            DelayedValue::Expr(id) => self
                .names
                .exprs
                .eval(id, &self.names.symbols, true)
                .map_err(|error| error.diagnose(span.clone(), &self.names.symbols)),
        }
    }

    /// Parses the value of a CLRX flag or encoding keyword: by default, any nonzero number counts as 1.
    pub(crate) fn switch(&mut self, what: &str) -> Result<bool, Fail> {
        let value = if self.flags_are_bits {
            self.absolute_within(what, 0, 1)?
        } else {
            self.absolute(what)?
        };
        Ok(value != 0)
    }

    /// Parses a number that must be known now and lie within a range.
    pub(crate) fn absolute_within(&mut self, what: &str, low: i64, high: i64) -> Result<i64, Fail> {
        self.reader.cursor.skip_blanks();
        let start = self.reader.cursor.pos();
        let value = self.absolute(what)?;
        if (low..=high).contains(&value) {
            Ok(value)
        } else {
            Err(fail(
                &ids::VALUE_RANGE,
                start..self.reader.cursor.pos(),
                format!("{what} is {value}, out of range {low} to {high}"),
            ))
        }
    }
}
