//! CLRX-only directives: scopes, enumerations, `.undef`, `.fail`, and queries about the GPU. Rejects directives for CLRX's
//! own binary formats and for register allocation. CLRX's loops and conditionals are in `expand`.
//!
//! Source: CLRX's "Assembler Pseudo-Operations".

use std::ops::Range;

use gcn_isa::{Isa, Target};

use crate::assembler::parser::{Parser, RAW_FORMAT};
use crate::cursor::{Cursor, SEPARATOR};
use crate::diagnostic::{Diagnostic, Fail, WithHelp, fail};
use crate::ids;
use crate::symbols::scope::{ScopeId, Scopes};

/// CLRX's architecture names, indexed by its architecture numbers, and the instruction sets they name.
#[rustfmt::skip]
const ARCHITECTURES: &[(&[&str], Isa)] = &[
    (&["si", "gcn1.0", "gfx6"],                Isa::Si),
    (&["ci", "gcn1.1", "gfx7"],                Isa::Ci),
    (&["vi", "gcn1.2", "gfx8"],                Isa::Vi),
    (&["vega", "gcn1.4", "gfx9"],              Isa::Gfx9),
    (&["vega20", "gcn1.4.1", "gfx906"],        Isa::Vega20),
];

/// GPU names that only CLRX uses, and the targets they name.
#[rustfmt::skip]
const DEVICES: &[(&str, &str)] = &[
    ("capeverde", "gfx601"), ("spectre", "gfx700"), ("spooky", "gfx700"), ("kalindi", "gfx703"),
    ("topaz", "gfx802"), ("ellesmere", "gfx803"), ("baffin", "gfx803"), ("polaris12", "gfx803"),
    ("polaris20", "gfx803"), ("polaris21", "gfx803"), ("polaris22", "gfx803"), ("vega11", "gfx900"),
];

/// CLRX's GPU numbers, for `.get_gpu`, by target name; if several GPUs share a target, the best known one.
#[rustfmt::skip]
const DEVICE_NUMBERS: &[(&str, i64)] = &[
    ("gfx600", 2), ("gfx601", 1), ("gfx602", 3), ("gfx700", 5), ("gfx701", 9), ("gfx702", 9), ("gfx703", 7),
    ("gfx704", 4), ("gfx705", 12), ("gfx801", 14), ("gfx802", 11), ("gfx803", 13), ("gfx805", 11), ("gfx810", 18),
    ("gfx900", 22), ("gfx902", 24), ("gfx904", 26), ("gfx906", 28), ("gfx909", 24), ("gfx90c", 24),
];

/// CLRX's names for binary formats, indexed by its format numbers.
const FORMATS: &[&[&str]] = &[
    &["amd", "catalyst"],
    &["gallium"],
    &["raw", "rawcode"],
    &["amdcl2"],
    &["rocm"],
];
/// Formats that this assembler can produce.
const MADE_FORMATS: [usize; 2] = [RAW_FORMAT, 4];
/// Version of CLRX's language that is implemented.
const VERSION: i64 = 109;
/// Lowest number for which `.fail` only warns.
const FIRST_WARNING: i64 = 500;

/// Target for CLRX's name of a GPU or architecture; case-insensitive.
///
/// # Examples
/// ```
/// use gcn_asm::clrx_target;
/// let name = |name| clrx_target(name).map(|target| target.name);
/// assert_eq!((name("CapeVerde"), name("GCN1.2")), (Some("gfx601"), Some("gfx803")));
/// assert_eq!(name("Navi"), None);
/// ```
pub fn clrx_target(name: &str) -> Option<&'static Target> {
    let name = name.to_ascii_lowercase();
    let device = DEVICES.iter().find(|(theirs, _)| *theirs == name);
    Target::named(device.map_or(&name, |(_, ours)| ours)).or_else(|| {
        let isa = architecture_named(&name)?;
        Target::named(&isa.version().to_ascii_lowercase().replace(' ', ""))
    })
}

/// Instruction set for an architecture name.
pub(crate) fn architecture_named(name: &str) -> Option<Isa> {
    let is_meant = |theirs: &&str| theirs.eq_ignore_ascii_case(name);
    ARCHITECTURES
        .iter()
        .find(|(names, _)| names.iter().any(is_meant))
        .map(|&(_, isa)| isa)
}

/// CLRX's number for a binary format.
pub(crate) fn format_named(name: &str) -> Option<usize> {
    let is_meant = |theirs: &&str| theirs.eq_ignore_ascii_case(name);
    FORMATS.iter().position(|names| names.iter().any(is_meant))
}

/// CLRX's number for the newest architecture that is not newer than `isa`.
fn architecture_number(isa: Isa) -> i64 {
    let older = ARCHITECTURES
        .iter()
        .take_while(|(_, theirs)| *theirs <= isa);
    older.count() as i64 - 1
}

/// Parses a scope path.
fn scope_path(parser: &mut Parser<'_>) -> Result<ScopeId, Fail> {
    let start = parser.cursor.token_start();
    let Some(path) = parser.cursor.word() else {
        return Err(parser.cursor.expected("a scope"));
    };
    let scope = parser.names.symbols.scopes.at(path);
    scope.ok_or_else(|| fail(&ids::NESTING_LIMIT, parser.cursor.since(start), TOO_DEEP))
}

/// Handles `.scope name`; without a name, opens an anonymous scope that is discarded at `.ends`.
pub(crate) fn open_scope(parser: &mut Parser<'_>, span: &Range<usize>) -> Result<(), Fail> {
    parser.cursor.skip_blanks();
    let name = parser.cursor.word();
    if name.is_some_and(|name| name.contains(SEPARATOR)) {
        let message = "a scope is opened by its name, without a path";
        return Err(fail(&ids::INVALID_SCOPE, span.clone(), message));
    }
    if parser.names.symbols.scopes.open(name) {
        Ok(())
    } else {
        Err(fail(&ids::NESTING_LIMIT, span.clone(), TOO_DEEP))
    }
}

pub(crate) fn close_scope(scopes: &mut Scopes, span: &Range<usize>) -> Result<(), Fail> {
    if scopes.close() {
        Ok(())
    } else {
        let message = "no `.scope` is open here";
        Err(fail(&ids::UNOPENED_BLOCK, span.clone(), message))
    }
}

pub(crate) fn using(parser: &mut Parser<'_>) -> Result<(), Fail> {
    let scope = scope_path(parser)?;
    parser.names.symbols.scopes.using(scope);
    Ok(())
}

pub(crate) fn unusing(parser: &mut Parser<'_>) -> Result<(), Fail> {
    let scope = if parser.cursor.statement_ends() {
        None
    } else {
        Some(scope_path(parser)?)
    };
    parser.names.symbols.scopes.stop_using(scope);
    Ok(())
}

/// Handles `.enum >start, name, name`: defines symbols with consecutive numbers. Without `>start`, numbering continues
/// from the last `.enum` in the same scope.
pub(crate) fn enumerate(parser: &mut Parser<'_>) -> Result<(), Fail> {
    if parser.cursor.eat_after_blanks(b'>') {
        parser.cursor.skip_blanks();
        let start = if parser.cursor.peek() == b',' {
            0
        } else {
            parser.absolute("the first number")?
        };
        if let Some(next) = parser.names.symbols.scopes.enumerated() {
            *next = start;
        }
        if parser.cursor.statement_ends() {
            return Ok(());
        }
        parser.cursor.comma("a symbol")?;
    }
    loop {
        let (name, span) = parser.cursor.name_and_span()?;
        parser.names.require_new(&name, &span)?;
        let Some(next) = parser.names.symbols.scopes.enumerated() else {
            return Ok(());
        };
        let value = *next;
        *next = value.wrapping_add(1);
        parser.names.define_number(&name, value, span);
        if !parser.cursor.eat_after_blanks(b',') {
            return Ok(());
        }
    }
}

/// Handles `.undef name`: later uses of the name refer to a new symbol.
pub(crate) fn undefine(parser: &mut Parser<'_>) -> Result<(), Fail> {
    let (name, span) = parser.cursor.name_and_span()?;
    if parser.names.is_defined(&name) || parser.names.register_symbol(&name).is_some() {
        parser.names.symbols.unbind(&name);
    } else {
        let message = format!("symbol `{name}` is not defined here");
        parser.warning(&ids::UNDEFINED_SYMBOL, span, message);
    }
    Ok(())
}

/// Parses the name of an architecture, GPU or format and returns it with its span.
pub(crate) fn platform<'a>(cursor: &mut Cursor<'a>) -> (&'a str, Range<usize>) {
    let start = cursor.token_start();
    let name = cursor.tail_word();
    (name, cursor.since(start))
}

/// Handles `.gpu` and `.arch`: checks that the named target has the instruction set that the source is assembled for.
pub(crate) fn chosen_target(parser: &mut Parser<'_>, directive: &str) -> Result<(), Fail> {
    let (word, span) = platform(&mut parser.cursor);
    let Some(target) = clrx_target(word) else {
        let message = format!(
            "unknown GPU `{}`, or not of these generations",
            word.escape_debug()
        );
        return Err(fail(&ids::UNKNOWN_TARGET, span, message));
    };
    let is_same = if directive == ".arch" {
        target.isa.version() == parser.isa.version()
    } else {
        target.isa == parser.isa
    };
    if is_same {
        return Ok(());
    }
    let message = format!(
        "the source is for {target}, but is assembled for {}",
        parser.target
    );
    Err(fail(&ids::TARGET_MISMATCH, span, message)
        .with_help(format!("assemble it with `--target {}`", target.name)))
}

/// Handles `.format name`.
pub(crate) fn format(parser: &mut Parser<'_>) -> Result<(), Fail> {
    let (word, span) = platform(&mut parser.cursor);
    let Some(format) = format_named(word) else {
        let message = format!("unknown format `{}`", word.escape_debug());
        return Err(fail(&ids::UNKNOWN_FORMAT, span, message).with_help(
            "raw words (`raw`) and HSA code objects (`rocm`) are supported; see `--format`",
        ));
    };
    choose_format(parser, format, span);
    Ok(())
}

/// Records the format for conditionals and warns if it is unsupported. The caller chooses the actual output format.
fn choose_format(parser: &mut Parser<'_>, format: usize, span: Range<usize>) {
    parser.clrx_format = format;
    if !MADE_FORMATS.contains(&format) {
        let name = FORMATS.get(format).and_then(|names| names.first());
        let message = format!(
            "binaries of the format `{}` are not supported",
            name.unwrap_or(&"")
        );
        let warning = Diagnostic::warning(&ids::CLRX_UNSUPPORTED, span, message);
        parser
            .diagnostics
            .push(warning.help("code becomes words or an HSA code object; see `--format`"));
    }
}

/// Defines the symbol named by the operand as `value`.
pub(crate) fn get(parser: &mut Parser<'_>, value: i64) -> Result<(), Fail> {
    let (name, span) = parser.cursor.name_and_span()?;
    parser.names.define_number(&name, value, span);
    Ok(())
}

/// Handles `.fail number`: reports an error, or a warning from 500 upward.
pub(crate) fn fail_directive(parser: &mut Parser<'_>, span: &Range<usize>) -> Result<(), Fail> {
    let number = parser.absolute("the number of the failure")?;
    let message = format!("`.fail {number}`");
    if number < FIRST_WARNING {
        return Err(fail(&ids::USER_ERROR, span.clone(), message));
    }
    parser.warning(&ids::USER_WARNING, span.clone(), message);
    Ok(())
}

const TOO_DEEP: &str = "scopes are nested too deep";

/// Handles `.get_gpu name`.
pub(crate) fn get_gpu(parser: &mut Parser<'_>) -> Result<(), Fail> {
    let name = parser.target.name;
    let number = DEVICE_NUMBERS.iter().find(|(target, _)| *target == name);
    get(parser, number.map_or(0, |&(_, number)| number))
}

/// Handles `.get_arch name`.
pub(crate) fn get_architecture(parser: &mut Parser<'_>) -> Result<(), Fail> {
    get(parser, architecture_number(parser.isa))
}

/// Handles `.get_version name`.
pub(crate) fn get_version(parser: &mut Parser<'_>) -> Result<(), Fail> {
    get(parser, VERSION)
}

/// Handles `.get_format name`.
pub(crate) fn get_format(parser: &mut Parser<'_>) -> Result<(), Fail> {
    get(parser, parser.clrx_format as i64)
}

/// Handles `.rocm` and the other directives named after formats.
pub(crate) fn named_format(parser: &mut Parser<'_>, name: &str, span: Range<usize>) {
    let format = format_named(name.trim_start_matches('.'));
    choose_format(parser, format.unwrap_or(RAW_FORMAT), span);
}

/// Handles `.buggyfplit`, which requests floating-point constants as in CLRX up to version 0.1.2; they are not
/// supported.
pub(crate) fn old_literals(parser: &mut Parser<'_>, span: Range<usize>) {
    let message = "floating-point constants keep the width of their operands";
    let warning = Diagnostic::warning(&ids::CLRX_UNSUPPORTED, span, message);
    parser.diagnostics.push(
        warning.help(
            "up to 0.1.2 CLRX had constants of 16 and 32 bits only; write those with `lit(…)`",
        ),
    );
}

/// Rejects directives that describe kernels in CLRX's own binary formats.
pub(crate) fn foreign_format(
    cursor: &mut Cursor<'_>,
    name: &str,
    span: Range<usize>,
) -> Result<(), Fail> {
    cursor.skip_statement_content();
    let message = format!("`{name}` belongs to a binary format of CLRX that is not written here");
    Err(fail(&ids::CLRX_UNSUPPORTED, span, message)
        .with_help("describe kernels with `.amdhsa_kernel`, as docs/from-clrx.md shows line by line, or assemble words with `.rawcode`"))
}

/// Rejects `.regvar` and the other register allocation directives.
pub(crate) fn register_allocation(cursor: &mut Cursor<'_>, span: Range<usize>) -> Result<(), Fail> {
    cursor.skip_statement_content();
    let message = "registers are not allocated: name them, as in `x = %v[0:3]`";
    Err(fail(&ids::CLRX_UNSUPPORTED, span, message))
}
