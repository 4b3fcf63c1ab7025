//! The pseudo-operations that only CLRX has and that say nothing of its binary formats: scopes, enumerations, symbols
//! that are taken back, and what a source asks about the GPU. Its loops and conditions are with the others, in
//! [`expand`](crate::expand).
//!
//! Source: CLRX's "Assembler Pseudo-Operations".

use std::ops::Range;

use gcn_isa::{Isa, Target};

use crate::assembler::Assembler;
use crate::diagnostic::{Diagnostic, Fail, Helped, fail};
use crate::expr::Value;
use crate::ids;
use crate::scope::{SEPARATOR, ScopeId};
use crate::symbols::Defined;

/// What is tried when a directive is unknown.
pub(crate) const NAMES: &[&str] = &[
    ".scope",
    ".ends",
    ".endscope",
    ".using",
    ".unusing",
    ".enum",
    ".undef",
    ".struct",
    ".offset",
    ".gpu",
    ".arch",
    ".get_gpu",
    ".get_arch",
    ".get_64bit",
    ".get_format",
    ".get_version",
    ".get_policy",
    ".fail",
    ".abort",
];

/// CLRX's names of architectures in the order of its numbers, and what they are here.
#[rustfmt::skip]
const ARCHITECTURES: &[(&[&str], Isa)] = &[
    (&["si", "gcn1.0", "gfx6"],                Isa::Si),
    (&["ci", "gcn1.1", "gfx7"],                Isa::Ci),
    (&["vi", "gcn1.2", "gfx8"],                Isa::Vi),
    (&["vega", "gcn1.4", "gfx9"],              Isa::Gfx9),
    (&["vega20", "gcn1.4.1", "gfx906"],        Isa::Vega20),
];

/// CLRX's names of GPUs that are not names of targets, and what they are here. What it calls GFX700 is Kaveri.
#[rustfmt::skip]
const DEVICES: &[(&str, &str)] = &[
    ("capeverde", "gfx601"), ("spectre", "gfx700"), ("spooky", "gfx700"), ("kalindi", "gfx703"),
    ("topaz", "gfx802"), ("ellesmere", "gfx803"), ("baffin", "gfx803"), ("polaris12", "gfx803"),
    ("polaris20", "gfx803"), ("polaris21", "gfx803"), ("polaris22", "gfx803"), ("vega11", "gfx900"),
];

/// CLRX's numbers of GPUs, for `.get_gpu`, by their targets' names here; of several that share a target the best known.
#[rustfmt::skip]
const DEVICE_NUMBERS: &[(&str, i64)] = &[
    ("gfx600", 2), ("gfx601", 1), ("gfx602", 3), ("gfx700", 5), ("gfx701", 9), ("gfx702", 9), ("gfx703", 7),
    ("gfx704", 4), ("gfx705", 12), ("gfx801", 14), ("gfx802", 11), ("gfx803", 13), ("gfx805", 11), ("gfx810", 18),
    ("gfx900", 22), ("gfx902", 24), ("gfx904", 26), ("gfx906", 28), ("gfx909", 24), ("gfx90c", 24),
];

/// CLRX's formats of binaries in the order of its numbers, by their names.
const FORMATS: &[&[&str]] = &[
    &["amd", "catalyst"],
    &["gallium"],
    &["raw", "rawcode"],
    &["amdcl2"],
    &["rocm"],
];
/// The one of a source that does not say.
pub(crate) const RAW_FORMAT: usize = 2;
/// The ones that are made here.
const MADE_FORMATS: [usize; 2] = [RAW_FORMAT, 4];
/// The version of CLRX whose language this is.
const VERSION: i64 = 109;
/// `.fail` with numbers from this one on only warns.
const FIRST_WARNING: i64 = 500;

/// The target of a GPU's or an architecture's name in CLRX's spelling.
pub(crate) fn target_named(name: &str) -> Option<&'static Target> {
    let name = name.to_ascii_lowercase();
    let device = DEVICES.iter().find(|(theirs, _)| *theirs == name);
    Target::named(device.map_or(&name, |(_, ours)| ours)).or_else(|| {
        let isa = architecture_named(&name)?;
        Target::named(&isa.version().to_ascii_lowercase().replace(' ', ""))
    })
}

/// The architecture of a name.
pub(crate) fn architecture_named(name: &str) -> Option<Isa> {
    let is_meant = |theirs: &&str| theirs.eq_ignore_ascii_case(name);
    ARCHITECTURES
        .iter()
        .find(|(names, _)| names.iter().any(is_meant))
        .map(|&(_, isa)| isa)
}

/// CLRX's number of a format of binaries.
pub(crate) fn format_named(name: &str) -> Option<usize> {
    let is_meant = |theirs: &&str| theirs.eq_ignore_ascii_case(name);
    FORMATS.iter().position(|names| names.iter().any(is_meant))
}

/// CLRX's number of an architecture: of the newest that is not newer.
fn architecture_number(isa: Isa) -> i64 {
    let older = ARCHITECTURES
        .iter()
        .take_while(|(_, theirs)| *theirs <= isa);
    older.count() as i64 - 1
}

impl Assembler<'_> {
    /// A directive of this module, with its name in lower case; nothing if it is none.
    pub(crate) fn clrx_directive(
        &mut self,
        name: &str,
        span: &Range<usize>,
    ) -> Option<Result<(), Fail>> {
        Some(match name {
            ".scope" | ".ends" | ".endscope" | ".using" | ".unusing"
                if !self.dialect.has_scopes() =>
            {
                self.cursor.skip_line_content();
                Err(fail(
                    &ids::CLRX_DIRECTIVE,
                    span.clone(),
                    format!("`{name}` is CLRX's"),
                )
                .helped("scopes are read with `--dialect clrx`"))
            }
            ".scope" => self.open_scope(span),
            ".ends" | ".endscope" => self.close_scope(span),
            ".using" => self.using(),
            ".unusing" => self.unusing(),
            ".enum" => self.enumerate(),
            ".undef" => self.undefine(),
            ".struct" | ".offset" => self.structure(),
            ".gpu" | ".arch" => self.chosen_target(name),
            ".get_gpu" => {
                let name = self.target.name;
                let number = DEVICE_NUMBERS.iter().find(|(target, _)| *target == name);
                self.get(number.map_or(0, |&(_, number)| number))
            }
            ".get_arch" => self.get(architecture_number(self.isa)),
            ".get_64bit" => self.get(1),
            ".get_format" => self.get(self.clrx_format as i64),
            ".get_version" | ".get_policy" => self.get(VERSION),
            // Words and HSA code objects are what is made of any source; addresses have 64 bits.
            ".64bit" | ".main" | ".policy" | ".nowave32" | ".buggyfplit" | ".nobuggyfplit"
            | ".oldmodparam" | ".nooldmodparam" | ".lflags" | ".ln" | ".title" | ".tittle"
            | ".sbttl" => {
                self.cursor.skip_line_content();
                Ok(())
            }
            ".format" => self.format(),
            ".macrocase" | ".nomacrocase" => {
                self.expansion.ignores_case = name == ".macrocase";
                Ok(())
            }
            ".fail" => self.fail_directive(span),
            ".abort" => Err(fail(
                &ids::USER_ERROR,
                span.clone(),
                "the source asks to stop here",
            )),
            ".rawcode" | ".rocm" | ".amd" | ".amdcl2" | ".gallium" => {
                let format = format_named(name.trim_start_matches('.'));
                self.choose_format(format.unwrap_or(RAW_FORMAT), span.clone());
                Ok(())
            }
            ".32bit" | ".kernel" | ".config" | ".args" | ".arg" | ".metadata" => {
                self.cursor.skip_line_content();
                Err(fail(
                    &ids::CLRX_UNSUPPORTED,
                    span.clone(),
                    format!("`{name}` belongs to a binary format of CLRX that is not written here"),
                )
                .helped(
                    "describe kernels with `.amdhsa_kernel`, or assemble words with `.rawcode`",
                ))
            }
            ".regvar" | ".usereg" | ".rvlin" | ".rvlin_once" => {
                self.cursor.skip_line_content();
                Err(fail(
                    &ids::CLRX_UNSUPPORTED,
                    span.clone(),
                    "registers are not allocated: name them, as in `x = %v[0:3]`",
                ))
            }
            // They tell the allocation of registers where the code goes.
            ".cf_jump" | ".cf_call" | ".cf_ret" | ".cf_start" | ".cf_end" | ".cf_cjump"
            | ".cf_ccall" | ".cf_cret" => {
                self.cursor.skip_line_content();
                Ok(())
            }
            _ => return None,
        })
    }

    /// A path of scopes.
    fn scope_path(&mut self) -> Result<ScopeId, Fail> {
        self.cursor.skip_blanks();
        let start = self.cursor.pos();
        let Some(path) = self.cursor.word() else {
            return Err(self.cursor.expected("a scope"));
        };
        let scope = self.symbols.scopes.at(path);
        scope.ok_or_else(|| fail(&ids::NESTING_LIMIT, start..self.cursor.pos(), TOO_DEEP))
    }

    /// `name`, or nothing for a scope that ends with its `.ends`.
    fn open_scope(&mut self, span: &Range<usize>) -> Result<(), Fail> {
        self.cursor.skip_blanks();
        let name = self.cursor.word();
        if name.is_some_and(|name| name.contains(SEPARATOR)) {
            return Err(fail(
                &ids::INVALID_SCOPE,
                span.clone(),
                "a scope is opened by its name, without a path",
            ));
        }
        if self.symbols.scopes.open(name) {
            Ok(())
        } else {
            Err(fail(&ids::NESTING_LIMIT, span.clone(), TOO_DEEP))
        }
    }

    fn close_scope(&mut self, span: &Range<usize>) -> Result<(), Fail> {
        if self.symbols.scopes.close() {
            Ok(())
        } else {
            Err(fail(
                &ids::UNOPENED_BLOCK,
                span.clone(),
                "there is no `.scope` that could end here",
            ))
        }
    }

    fn using(&mut self) -> Result<(), Fail> {
        let scope = self.scope_path()?;
        self.symbols.scopes.using(scope);
        Ok(())
    }

    fn unusing(&mut self) -> Result<(), Fail> {
        let scope = if self.cursor.statement_ends() {
            None
        } else {
            Some(self.scope_path()?)
        };
        self.symbols.scopes.unusing(scope);
        Ok(())
    }

    /// `>start, name, name`: symbols with numbers that follow each other, going on in each scope.
    fn enumerate(&mut self) -> Result<(), Fail> {
        if self.cursor.eat_after_blanks(b'>') {
            self.cursor.skip_blanks();
            let start = if self.cursor.peek() == b',' {
                0
            } else {
                self.absolute("the first number")?
            };
            if let Some(next) = self.symbols.scopes.enumerated() {
                *next = start;
            }
            if self.cursor.statement_ends() {
                return Ok(());
            }
            self.comma("a symbol")?;
        }
        loop {
            self.cursor.skip_blanks();
            let start = self.cursor.pos();
            let name = self.cursor.name()?;
            let span = start..self.cursor.pos();
            self.is_new(&name, &span)?;
            let Some(next) = self.symbols.scopes.enumerated() else {
                return Ok(());
            };
            let value = *next;
            *next = value.wrapping_add(1);
            self.define_number(&name, value, span);
            if !self.cursor.eat_after_blanks(b',') {
                return Ok(());
            }
        }
    }

    /// Gives a symbol a number.
    pub(crate) fn define_number(&mut self, name: &str, value: i64, span: Range<usize>) {
        let id = self.symbols.own(name, span);
        if let Some(entry) = self.symbols.get_mut(id) {
            entry.defined = Defined::Value(Value::absolute(value));
        }
    }

    /// `name`: what is used of it from here on is another definition.
    fn undefine(&mut self) -> Result<(), Fail> {
        self.cursor.skip_blanks();
        let start = self.cursor.pos();
        let name = self.cursor.name()?;
        let is_register = |id| self.registers.contains_key(&id);
        let defined = self
            .symbols
            .lookup(&name)
            .filter(|&id| self.symbols.defined(id) != Defined::No || is_register(id));
        if defined.is_some() {
            self.symbols.forget(&name);
        } else {
            let message = format!("symbol `{name}` is not defined here");
            self.diagnostics.push(Diagnostic::warning(
                &ids::UNDEFINED_SYMBOL,
                start..self.cursor.pos(),
                message,
            ));
        }
        Ok(())
    }

    /// The GPU that the source is for. It was looked for before the source was read, so it must be that one.
    fn chosen_target(&mut self, directive: &str) -> Result<(), Fail> {
        self.cursor.skip_blanks();
        let start = self.cursor.pos();
        let word = self.cursor.tail_word();
        let span = start..self.cursor.pos();
        let Some(target) = target_named(word) else {
            let message = format!(
                "there is no GPU `{}`, or not of these generations",
                word.escape_debug()
            );
            return Err(fail(&ids::UNKNOWN_TARGET, span, message));
        };
        let is_same = if directive == ".arch" {
            target.isa.version() == self.isa.version()
        } else {
            target.isa == self.isa
        };
        if is_same {
            return Ok(());
        }
        let message = format!(
            "the source is for {target}, but is assembled for {}",
            self.target
        );
        Err(fail(&ids::TARGET_MISMATCH, span, message)
            .helped(format!("assemble it with `--target {}`", target.name)))
    }

    /// The name of a format of binaries.
    fn format(&mut self) -> Result<(), Fail> {
        self.cursor.skip_blanks();
        let start = self.cursor.pos();
        let word = self.cursor.tail_word();
        let span = start..self.cursor.pos();
        let Some(format) = format_named(word) else {
            let message = format!("there is no format `{}`", word.escape_debug());
            return Err(fail(&ids::UNKNOWN_FORMAT, span, message)
                .helped("words (`raw`) and HSA code objects (`rocm`) are made; see `--format`"));
        };
        self.choose_format(format, span);
        Ok(())
    }

    /// Conditions may ask for the format; what is made is what the caller wants.
    fn choose_format(&mut self, format: usize, span: Range<usize>) {
        self.clrx_format = format;
        if !MADE_FORMATS.contains(&format) {
            let name = FORMATS.get(format).and_then(|names| names.first());
            let message = format!(
                "binaries of the format `{}` are not made",
                name.unwrap_or(&"")
            );
            let warning = Diagnostic::warning(&ids::CLRX_UNSUPPORTED, span, message);
            self.diagnostics
                .push(warning.help("code becomes words or an HSA code object; see `--format`"));
        }
    }

    /// `name`: the symbol gets a number.
    fn get(&mut self, value: i64) -> Result<(), Fail> {
        self.cursor.skip_blanks();
        let start = self.cursor.pos();
        let name = self.cursor.name()?;
        self.define_number(&name, value, start..self.cursor.pos());
        Ok(())
    }

    /// `number`: an error, or a warning from 500 on.
    fn fail_directive(&mut self, span: &Range<usize>) -> Result<(), Fail> {
        let number = self.absolute("the number of the failure")?;
        let message = format!("`.fail {number}`");
        if number < FIRST_WARNING {
            return Err(fail(&ids::USER_ERROR, span.clone(), message));
        }
        self.diagnostics.push(Diagnostic::warning(
            &ids::USER_WARNING,
            span.clone(),
            message,
        ));
        Ok(())
    }
}

const TOO_DEEP: &str = "scopes are nested too deep";
