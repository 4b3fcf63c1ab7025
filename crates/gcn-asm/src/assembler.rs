//! The statement reader: labels, assignments, directives, instructions, one after the other. What has to wait for
//! symbols is filled in then ([`late`]).
//!
//! Instructions have a fixed length as soon as they are read, so offsets are final and one pass is enough.

mod late;
mod result;

use std::collections::HashMap;
use std::ops::Range;

use gcn_isa::{Isa, Target};

use crate::clrx;
use crate::cursor::Cursor;
use crate::diagnostic::{Diagnostic, Fail, Helped, Severity, fail};
use crate::dialect::Dialect;
use crate::directive::SECTION_DEFAULTS;
use crate::expand::{Expansion, Files, Texts};
use crate::expr::{ExprId, Exprs, Parsed, Scope, Value};
use crate::ids;
use crate::kernel::KernelDirectives;
use crate::kernel_code::KernelCodeDirectives;
use crate::modifier::ModArg;
use crate::operand::{Arg, Delayed, What};
use crate::program::{Kernel, Mark, Metadata, Section, SectionFlags, SectionKind};
use crate::symbols::{Defined, SymbolId, Symbols};
use crate::{Features, Options, Source};

pub(crate) use late::{Fixup, FixupKind, Stated, check_width};

/// The largest section; more is a slip, and must not exhaust memory.
const MAX_SECTION: u64 = 1 << 28;
/// The largest section of zeros that take no memory here.
const MAX_NOBITS: u64 = 1 << 40;
/// The longest source: positions have 32 bits in places.
pub(crate) const MAX_SOURCE: usize = u32::MAX as usize / 2;
/// The most sections, so that their numbers fit everywhere.
const MAX_SECTIONS: usize = 4096;
/// The name of the place that is assembled to.
const HERE: &str = ".";
/// The section whose places are numbers. It is no section of a code object.
const ABSOLUTE: &str = "*ABS*";

pub(crate) struct Assembler<'a> {
    pub expansion: Expansion<'a>,
    pub cursor: Cursor<'a>,
    pub target: &'static Target,
    pub isa: Isa,
    pub dialect: Dialect,
    pub features: Features,
    pub symbols: Symbols,
    /// CLRX's symbols that stand for registers or constants of operands: `name = %v[0:3]`.
    pub registers: HashMap<SymbolId, What>,
    /// Whether `v`, `s` and `ttmp` are registers even if symbols are called so.
    pub banks_first: bool,
    /// CLRX's number of the format of binaries that the source is for.
    pub clrx_format: usize,
    pub exprs: Exprs,
    /// Whether `|` ends an expression.
    pub bar_ends: bool,
    pub sections: Vec<Section>,
    pub current: u32,
    pub previous: u32,
    pub section_stack: Vec<(u32, u32)>,
    pub diagnostics: Vec<Diagnostic>,
    pub fixups: Vec<Fixup>,
    pub stated: Vec<Stated>,
    pub marks: Vec<Mark>,
    /// Whether instructions are marked.
    pub is_listing: bool,
    /// The `.amdhsa_kernel` that has not ended.
    pub open_kernel: Option<KernelDirectives>,
    pub kernels: Vec<KernelDirectives>,
    /// The `.amd_kernel_code_t` that has not ended.
    pub open_kernel_code: Option<KernelCodeDirectives>,
    pub kernel_codes: Vec<KernelCodeDirectives>,
    /// LDS that symbols have, in bytes.
    pub lds_size: u32,
    pub finished_kernels: Vec<Kernel>,
    pub metadata: Option<Metadata>,
    pub code_object_version: Option<u8>,
    pub identifications: Vec<String>,
    pub vgprs: NamedRegisters,
    pub sgprs: NamedRegisters,
    /// Unknown names so far.
    pub suggestions: u32,
    builtins: Builtins,
    // Kept between statements for their memory.
    pub args: Vec<Arg>,
    pub mods: Vec<ModArg>,
    pub waiting: Vec<Delayed>,
}

/// One more than the largest register of a kind that was named.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct NamedRegisters {
    /// Before the last `.amdgpu_hsa_kernel`, or what `.amdgcn.next_free_vgpr` and the like were set to.
    pub before: u32,
    /// Since then.
    pub since: u32,
}

impl NamedRegisters {
    /// A register is named.
    #[inline]
    pub(crate) fn include(&mut self, register: u32) {
        self.since = self.since.max(register + 1);
    }

    /// All in all.
    pub(crate) fn ever(self) -> u32 {
        self.before.max(self.since)
    }

    /// A kernel begins, whose registers count anew.
    pub(crate) fn begin_kernel(&mut self) {
        *self = NamedRegisters {
            before: self.ever(),
            since: 0,
        };
    }
}

/// Symbols that follow what was assembled, and the values that they have: of VGPRs and SGPRs ever, then in a kernel.
#[derive(Clone, Copy)]
struct Builtins {
    counts: [SymbolId; 4],
    shown: [u32; 4],
}

impl<'a> Assembler<'a> {
    /// An assembler that is about to read a source. Texts that it makes go behind `texts`.
    pub(crate) fn new(
        source: &Source<'a>,
        options: &Options<'_>,
        texts: &'a Texts,
        files: &'a dyn Files,
    ) -> Assembler<'a> {
        let target = options.target;
        let mut symbols = Symbols::new(options.dialect.has_scopes());
        let mut builtin = |name: &str, value: u32| {
            let id = symbols.used(name, 0..0);
            if let Some(entry) = symbols.get_mut(id) {
                entry.builtin = true;
                entry.defined = Defined::Value(Value::absolute(i64::from(value)));
            }
            id
        };
        let (major, minor, stepping) = target.version();
        // The second names are those of LLVM where there is no HSA.
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
            let id = symbols.used(name, 0..0);
            if let Some(entry) = symbols.get_mut(id) {
                entry.defined = Defined::Value(Value::absolute(*value));
            }
        }
        let mut assembler = Assembler {
            expansion: Expansion::new(
                source,
                texts,
                files,
                options.dialect.ignores_case_of_macros(),
            ),
            cursor: Cursor::new(source.text, options.dialect),
            target,
            isa: target.isa,
            dialect: options.dialect,
            features: options.features,
            symbols,
            registers: HashMap::new(),
            banks_first: false,
            clrx_format: clrx::RAW_FORMAT,
            exprs: Exprs::default(),
            bar_ends: false,
            sections: Vec::new(),
            current: 0,
            previous: 0,
            section_stack: Vec::new(),
            diagnostics: Vec::new(),
            fixups: Vec::new(),
            stated: Vec::new(),
            marks: Vec::new(),
            is_listing: options.listing,
            open_kernel: None,
            kernels: Vec::new(),
            open_kernel_code: None,
            kernel_codes: Vec::new(),
            lds_size: 0,
            finished_kernels: Vec::new(),
            metadata: None,
            code_object_version: None,
            identifications: Vec::new(),
            vgprs: NamedRegisters::default(),
            sgprs: NamedRegisters::default(),
            suggestions: 0,
            builtins,
            args: Vec::new(),
            mods: Vec::new(),
            waiting: Vec::new(),
        };
        assembler.cursor.skip_byte_order_mark();
        // There is always one section to assemble into.
        assembler.add_section(
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

    /// Reads every statement, then fills in what waited.
    pub(crate) fn run(&mut self) {
        loop {
            while !self.cursor.at_end() {
                if self.expansion.is_inside() {
                    let marks = self.marks();
                    self.line();
                    self.settle(&marks);
                } else {
                    self.line();
                    self.expansion.pass(self.cursor.pos());
                }
                if self.expansion.wants_jump() {
                    self.jump();
                }
            }
            if !self.text_ended() {
                break;
            }
        }
        self.finish();
    }

    /// A line, which is a statement.
    fn line(&mut self) {
        let start = self.cursor.pos();
        let result = self.statement().and_then(|()| {
            if self.cursor.statement_ends() {
                Ok(())
            } else {
                Err(self.cursor.expected("the end of the statement"))
            }
        });
        self.collect(result);
        self.cursor.skip_line();
        if self.cursor.at_end()
            && let Some(comment) = self.cursor.unclosed_comment(start)
        {
            let error = fail(&ids::UNTERMINATED, comment, "the comment does not end")
                .helped("end it with `*/`");
            self.collect(Err(error));
        }
    }

    /// Makes a warning of an error that is none in the source's dialect.
    pub(crate) fn warn(&mut self, mut error: Diagnostic) {
        error.severity = Severity::Warning;
        self.diagnostics.push(error);
    }

    pub(crate) fn collect(&mut self, result: Result<(), Fail>) {
        if let Err(mut error) = result {
            self.expansion.errors += 1;
            // An expression is read up to what follows it.
            let content = self.cursor.slice(error.span.clone()).trim_end().len();
            if content > 0 {
                error.span.end = error.span.start + content;
            }
            self.diagnostics.push(*error);
        }
    }

    fn statement(&mut self) -> Result<(), Fail> {
        loop {
            self.cursor.skip_blanks();
            if self.cursor.at_statement_end() {
                self.cursor.skip_comment();
                return Ok(());
            }
            let start = self.cursor.pos();
            if self.cursor.peek().is_ascii_digit() {
                let mut probe = self.cursor.clone();
                let number = probe.digits().unwrap_or(0);
                if probe.eat(b':') {
                    self.cursor = probe;
                    let id = self
                        .symbols
                        .define_local_label(number, start..self.cursor.pos());
                    self.define_label(id, start..self.cursor.pos())?;
                    continue;
                }
            }
            if self.cursor.peek() == b'"' {
                let name = self.cursor.name()?.into_owned();
                let span = start..self.cursor.pos();
                if self.cursor.eat_after_blanks(b':') {
                    let id = self.symbols.own(&name, span.clone());
                    self.define_label(id, span)?;
                    continue;
                }
                if self.cursor.eat(b'=') {
                    return self.assign(&name, span);
                }
                return Err(self.cursor.expected("`:` or `=` after the name"));
            }
            let Some(word) = self.cursor.word() else {
                return Err(self
                    .cursor
                    .expected("an instruction, a label or a directive"));
            };
            let span = start..self.cursor.pos();
            let behind = self.cursor.pos();
            self.cursor.skip_blanks();
            if !self.cursor.at_scope() && self.cursor.eat(b':') {
                if word == HERE {
                    return Err(fail(
                        &ids::INVALID_LABEL,
                        span,
                        "`.` is the place here, which a label cannot name",
                    ));
                }
                let id = self.symbols.own(word, span.clone());
                self.define_label(id, span)?;
                continue;
            }
            if self.cursor.eat(b'=') {
                if self.open_kernel_code.is_some() {
                    return self.kernel_code_key(word, span);
                }
                // `==` defines once, as `.eqv` does.
                if self.cursor.eat(b'=') {
                    self.is_new(word, &span)?;
                }
                return self.assign(word, span);
            }
            self.cursor.set_pos(behind);
            if self.expansion.has_macros()
                && let Some(result) = self.macro_call(word, &span)
            {
                return result;
            }
            return if word.starts_with('.') {
                self.directive(word, span)
            } else {
                self.instruction(span)
            };
        }
    }

    pub(crate) fn define_label(&mut self, id: SymbolId, span: Range<usize>) -> Result<(), Fail> {
        let (section, offset) = self.here();
        let is_absolute = self.is_absolute();
        let place = self.expansion.in_source(span.clone());
        let Some(entry) = self.symbols.get_mut(id) else {
            return Ok(());
        };
        if entry.defined != Defined::No {
            let message = format!("symbol `{}` is already defined", entry.name);
            return Err(fail(&ids::REDEFINED_SYMBOL, span, message)
                .helped("each label can be defined once"));
        }
        entry.defined = if is_absolute {
            Defined::Value(Value::absolute(offset.cast_signed()))
        } else {
            Defined::Label { section, offset }
        };
        entry.span = place;
        Ok(())
    }

    /// `name = expression`; the cursor is behind the `=`.
    pub(crate) fn assign(&mut self, name: &str, span: Range<usize>) -> Result<(), Fail> {
        if name == HERE {
            return self.org(&span);
        }
        self.cursor.skip_blanks();
        let start = self.cursor.pos();
        if self.cursor.eat(b'%') {
            // `v[0:3]` behind it are VGPRs even if a symbol is called `v`.
            self.banks_first = true;
            let operand = self.operand();
            self.banks_first = false;
            let what = operand?.what;
            let id = self.symbols.own(name, span);
            self.registers.insert(id, what);
            return Ok(());
        }
        self.forget_register(name);
        let defined = match self.parse_expr()? {
            Parsed::Known(value) => Defined::Value(value),
            Parsed::Later(id) => Defined::Expr(id),
            Parsed::Float(_) | Parsed::Suffixed(..) => {
                return Err(fail(
                    &ids::FLOAT_VALUE,
                    start..self.cursor.pos(),
                    "a symbol stands for an integer or an address",
                ));
            }
        };
        self.define(name, span, defined)
    }

    /// The register or the constant of an operand that a symbol stands for where it is used.
    pub(crate) fn register_symbol(&mut self, name: &str) -> Option<What> {
        if self.registers.is_empty() {
            return None;
        }
        let id = self.symbols.lookup(name)?;
        self.registers.get(&id).copied()
    }

    /// The symbol that would be defined by this name stands for no register any longer.
    pub(crate) fn forget_register(&mut self, name: &str) {
        if !self.registers.is_empty()
            && let Some(id) = self.symbols.lookup_own(name)
        {
            self.registers.remove(&id);
        }
    }

    /// `name, expression`: what the expression is worth where the symbol is used.
    pub(crate) fn assign_lazily(&mut self, name: &str, span: Range<usize>) -> Result<(), Fail> {
        self.cursor.skip_blanks();
        if self.cursor.peek() == b'%' || name == HERE {
            return self.assign(name, span);
        }
        let mut scope = Scope {
            here: self.here(),
            bar_ends: false,
            is_absolute: self.is_absolute(),
            symbols: &mut self.symbols,
            target: self.target,
        };
        let expr = self.exprs.parse_lazily(&mut self.cursor, &mut scope)?;
        self.define(name, span, Defined::Expr(expr))
    }

    /// Gives a symbol a value.
    fn define(&mut self, name: &str, span: Range<usize>, defined: Defined) -> Result<(), Fail> {
        // Who used what waits for symbols means that, and not what comes now.
        let waits = self
            .symbols
            .lookup_own(name)
            .is_some_and(|id| matches!(self.symbols.defined(id), Defined::Expr(_)));
        if waits {
            self.symbols.renew(name);
        }
        let id = self.symbols.own(name, span.clone());
        if let Defined::Value(value) = defined
            && let Some(number) = value.as_absolute()
        {
            let number = u32::try_from(number).unwrap_or(0);
            let [vgprs, sgprs, ..] = self.builtins.counts;
            if id == vgprs {
                self.vgprs = NamedRegisters {
                    before: number,
                    since: 0,
                };
            } else if id == sgprs {
                self.sgprs = NamedRegisters {
                    before: number,
                    since: 0,
                };
            }
        }
        let place = self.expansion.in_source(span.clone());
        let Some(entry) = self.symbols.get_mut(id) else {
            return Ok(());
        };
        if matches!(
            entry.defined,
            Defined::Label { .. } | Defined::Common { .. }
        ) {
            let message = format!("symbol `{name}` is already defined as a label");
            return Err(fail(&ids::REDEFINED_SYMBOL, span, message));
        }
        entry.defined = defined;
        entry.span = place;
        Ok(())
    }

    /// Whether a name is that of a label.
    pub(crate) fn is_label(&mut self, name: &str) -> bool {
        let id = self.symbols.lookup_own(name);
        id.is_some_and(|id| matches!(self.symbols.defined(id), Defined::Label { .. }))
    }

    /// An error if a symbol that can be defined only once is defined.
    pub(crate) fn is_new(&mut self, name: &str, span: &Range<usize>) -> Result<(), Fail> {
        let id = self.symbols.lookup_own(name);
        if id.is_some_and(|id| self.symbols.defined(id) != Defined::No) {
            let message = format!("symbol `{name}` is already defined");
            return Err(fail(&ids::REDEFINED_SYMBOL, span.clone(), message));
        }
        Ok(())
    }

    /// Section and offset of what comes next.
    pub(crate) fn here(&self) -> (u32, u64) {
        let size = self.section().map_or(0, |s| s.size);
        (self.current, size)
    }

    /// Whether places here are numbers, as in `.struct`.
    pub(crate) fn is_absolute(&self) -> bool {
        self.section()
            .is_some_and(|section| section.name == ABSOLUTE)
    }

    /// `offset`: what follows are the fields of a structure, and its labels their offsets.
    pub(crate) fn structure(&mut self) -> Result<(), Fail> {
        let offset = self.absolute_within("the offset", 0, MAX_NOBITS as i64)?;
        let known = self.sections.iter().position(|s| s.name == ABSOLUTE);
        let section = match known {
            Some(index) => index as u32,
            None => self.add_section(ABSOLUTE, SectionKind::NoBits, SectionFlags::default()),
        };
        if self.current != section {
            self.enter(section);
        }
        if let Some(section) = self.section_mut().filter(|s| s.name == ABSOLUTE) {
            section.size = offset.cast_unsigned();
        }
        Ok(())
    }

    pub(crate) fn section(&self) -> Option<&Section> {
        self.sections.get(self.current as usize)
    }

    fn section_mut(&mut self) -> Option<&mut Section> {
        self.sections.get_mut(self.current as usize)
    }

    pub(crate) fn add_section(
        &mut self,
        name: &str,
        kind: SectionKind,
        flags: SectionFlags,
    ) -> u32 {
        let index = self.sections.len();
        if index >= MAX_SECTIONS {
            return 0;
        }
        self.sections.push(Section {
            name: name.to_owned(),
            kind,
            flags,
            // Instructions are words.
            align: if flags.exec { 4 } else { 1 },
            address: None,
            bytes: Vec::new(),
            size: 0,
            relocations: Vec::new(),
        });
        index as u32
    }

    /// The section of this name, made with the attributes that the name suggests if it is new.
    pub(crate) fn section_named(&mut self, name: &str) -> u32 {
        if let Some(index) = self.sections.iter().position(|s| s.name == name) {
            return index as u32;
        }
        let (kind, flags) = SECTION_DEFAULTS
            .iter()
            .find(|(prefix, ..)| {
                name.strip_prefix(prefix)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            })
            .map_or(
                (SectionKind::ProgBits, SectionFlags::default()),
                |&(_, kind, flags)| (kind, flags),
            );
        self.add_section(name, kind, flags)
    }

    pub(crate) fn enter(&mut self, section: u32) {
        self.previous = self.current;
        self.current = section;
    }

    /// Appends bytes to the current section.
    pub(crate) fn emit(&mut self, bytes: &[u8], span: &Range<usize>) -> Result<(), Fail> {
        let Some(section) = self.section_mut() else {
            return Ok(());
        };
        if section.kind == SectionKind::NoBits {
            if bytes.iter().any(|&b| b != 0) {
                let message = format!("section `{}` holds no bytes, only zeros", section.name);
                return Err(fail(&ids::ZEROS_SECTION, span.clone(), message)
                    .helped("put data into `.data` or `.rodata`, code into `.text`"));
            }
            return self.emit_zeros(bytes.len() as u64, span);
        }
        let size = section.size + bytes.len() as u64;
        if size > MAX_SECTION {
            return Err(too_large(span));
        }
        section.bytes.extend_from_slice(bytes);
        section.size = size;
        Ok(())
    }

    /// Appends zeros to the current section.
    pub(crate) fn emit_zeros(&mut self, count: u64, span: &Range<usize>) -> Result<(), Fail> {
        let Some(section) = self.section_mut() else {
            return Ok(());
        };
        let limit = match section.kind {
            SectionKind::NoBits => MAX_NOBITS,
            _ => MAX_SECTION,
        };
        let size = section.size.saturating_add(count);
        if size > limit {
            return Err(too_large(span));
        }
        if section.kind != SectionKind::NoBits {
            section.bytes.resize(size as usize, 0);
        }
        section.size = size;
        Ok(())
    }

    /// Overwrites bytes that were emitted.
    pub(crate) fn patch(&mut self, section: u32, offset: u64, bytes: &[u8]) {
        let place = self
            .sections
            .get_mut(section as usize)
            .and_then(|s| s.bytes.get_mut(offset as usize..))
            .and_then(|rest| rest.get_mut(..bytes.len()));
        if let Some(place) = place {
            place.copy_from_slice(bytes);
        }
    }

    /// Gives the symbols of registers' counts their values, if these have changed since an expression was read.
    fn show_counts(&mut self) {
        let counts = [
            self.vgprs.ever(),
            self.sgprs.ever(),
            self.vgprs.since,
            self.sgprs.since,
        ];
        if counts == self.builtins.shown {
            return;
        }
        self.builtins.shown = counts;
        for (id, value) in self.builtins.counts.into_iter().zip(counts) {
            if let Some(entry) = self.symbols.get_mut(id) {
                entry.defined = Defined::Value(Value::absolute(i64::from(value)));
            }
        }
    }

    pub(crate) fn parse_expr(&mut self) -> Result<Parsed, Fail> {
        self.show_counts();
        let mut scope = Scope {
            here: self.here(),
            bar_ends: self.bar_ends,
            is_absolute: self.is_absolute(),
            symbols: &mut self.symbols,
            target: self.target,
        };
        self.exprs.parse(&mut self.cursor, &mut scope)
    }

    /// A number that must be known here.
    pub(crate) fn absolute(&mut self, what: &str) -> Result<i64, Fail> {
        self.cursor.skip_blanks();
        let start = self.cursor.pos();
        let id = match self.number_or_later(what)? {
            Ok(number) => return Ok(number),
            Err(id) => id,
        };
        let error = self.exprs.eval(id, &self.symbols, false).err();
        let name = match error {
            Some(crate::expr::EvalError::Pending(symbol)) => self.symbols.name(symbol).to_owned(),
            _ => String::new(),
        };
        Err(fail(
            &ids::UNKNOWN_VALUE,
            start..self.cursor.pos(),
            format!("{what} must be known here, but symbol `{name}` is not defined"),
        )
        .helped("a symbol that is used here must be defined before"))
    }

    /// A number, or an expression that depends on symbols which are defined later.
    pub(crate) fn number_or_later(&mut self, what: &str) -> Result<Result<i64, ExprId>, Fail> {
        self.cursor.skip_blanks();
        let start = self.cursor.pos();
        if let Some(value) = self.cursor.plain_integer() {
            return Ok(Ok(value));
        }
        let parsed = self.parse_expr()?;
        let span = start..self.cursor.pos();
        match parsed {
            Parsed::Known(value) => value.as_absolute().map(Ok).ok_or_else(|| {
                fail(
                    &ids::ADDRESS_VALUE,
                    span,
                    format!("{what} must be a number, but this is an address"),
                )
            }),
            Parsed::Float(_) | Parsed::Suffixed(..) => Err(fail(
                &ids::FLOAT_VALUE,
                span,
                format!("{what} must be an integer, but this is a floating-point number"),
            )),
            Parsed::Later(id) => Ok(Err(id)),
        }
    }

    /// A comma, then a number, if there is a comma.
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
}

fn too_large(span: &Range<usize>) -> Fail {
    fail(
        &ids::SECTION_LIMIT,
        span.clone(),
        "the section would become too large",
    )
    .helped(format!("at most {MAX_SECTION} bytes are possible"))
}
