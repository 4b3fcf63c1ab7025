//! Directive table: one row per directive, with its handler.
//!
//! A handler takes only the parts of the assembler that it needs. Rows that differ only in a constant share a handler.

pub(crate) mod data;
pub(crate) mod section;
pub(crate) mod symbol;
pub(crate) mod target;
pub(crate) mod metadata;
pub(crate) mod lds;
pub(crate) mod hsa;
pub(crate) mod kernel;
pub(crate) mod kernel_code;
pub(crate) mod clrx;
pub(crate) mod expand;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use gcn_object::{Binding, SymbolKind, Visibility};
use hashbrown::HashMap;

use crate::argument::lower_case;
use crate::assembler::Assembler;
use crate::assembler::output::Output;
use crate::assembler::parser::Parser;
use crate::assembler::reader::SourceReader;
use crate::cursor::Cursor;
use crate::descriptor::{KEYS, PREFIX};
use crate::diagnostic::{Fail, WithHelp, fail};
use crate::explain;
use crate::float::{DOUBLE, SINGLE};
use crate::header;
use crate::ids;
use crate::inputs::dialect::Dialect;
use DirectiveHandler::{Assemble, Emit, Parse, Read};
use expand::{condition, files, loops, macros};

/// A directive in the source; the cursor is after its name.
struct DirectiveCall<'c> {
    /// Name in lower case.
    name: &'c str,
    span: Range<usize>,
}

/// Contexts in which a directive is allowed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Availability {
    Both,
    /// Only in the dialect that has scopes.
    Scopes,
    /// Everywhere, including within a kernel block such as `.amdhsa_kernel` … `.end_amdhsa_kernel`.
    Kernels,
}

/// Function that handles a directive, by the parts of the assembler that it takes.
#[derive(Clone, Copy)]
enum DirectiveHandler {
    /// Parses operands, and defines names and sections.
    Parse(fn(&mut Parser<'_>, &DirectiveCall<'_>) -> Result<(), Fail>),
    /// Emits output.
    Emit(fn(&mut Parser<'_>, &mut Output, &DirectiveCall<'_>) -> Result<(), Fail>),
    /// Selects the text to read next.
    Read(fn(&mut SourceReader<'_>, &DirectiveCall<'_>) -> Result<(), Fail>),
    /// Emits bytes read from a file.
    Assemble(fn(&mut Assembler<'_>, &DirectiveCall<'_>) -> Result<(), Fail>),
}

impl DirectiveHandler {
    fn call(self, asm: &mut Assembler<'_>, call: &DirectiveCall<'_>) -> Result<(), Fail> {
        match self {
            Parse(handler) => handler(&mut asm.reader.parser, call),
            Emit(handler) => handler(&mut asm.reader.parser, &mut asm.output, call),
            Read(handler) => handler(&mut asm.reader, call),
            Assemble(handler) => handler(asm, call),
        }
    }
}

/// Directive names, availability, handler and operand syntax.
struct Directive {
    names: &'static [&'static str],
    dialects: Availability,
    handler: DirectiveHandler,
    operands: &'static str,
}

const fn row(
    names: &'static [&'static str],
    dialects: Availability,
    handler: DirectiveHandler,
    operands: &'static str,
) -> Directive {
    Directive {
        names,
        dialects,
        handler,
        operands,
    }
}

#[rustfmt::skip]
static DIRECTIVES: &[Directive] = &[
    // Sections.
    row(&[".text", ".data", ".bss", ".rodata"], Availability::Both, Parse(|parser, call| { section::enter_named(&mut parser.names.layout, call.name); Ok(()) }), ""),
    row(&[".section"],              Availability::Both, Parse(|parser, _| section::section_directive(parser, false)), "NAME, \"FLAGS\", @TYPE"),
    row(&[".pushsection"],          Availability::Both, Parse(|parser, _| section::section_directive(parser, true)), "NAME, \"FLAGS\", @TYPE"),
    row(&[".popsection"],           Availability::Both, Parse(|parser, call| section::pop(&mut parser.names.layout, call.span.clone())), ""),
    row(&[".previous"],             Availability::Both, Parse(|parser, _| { std::mem::swap(&mut parser.names.layout.current, &mut parser.names.layout.previous); Ok(()) }), ""),
    row(&[".gcn_address"],          Availability::Both, Parse(|parser, call| section::section_address(parser, call.span.clone())), "ADDRESS"),
    row(&[".struct", ".offset"],    Availability::Both, Parse(|parser, _| section::structure(parser)), "OFFSET"),

    // Symbols.
    row(&[".globl", ".global"],     Availability::Both, Parse(|parser, _| symbol::each_symbol(parser, |entry| entry.binding = Some(Binding::Global))), "NAME, …"),
    row(&[".weak"],                 Availability::Both, Parse(|parser, _| symbol::each_symbol(parser, |entry| entry.binding = Some(Binding::Weak))), "NAME, …"),
    row(&[".local"],                Availability::Both, Parse(|parser, _| symbol::each_symbol(parser, |entry| entry.binding = Some(Binding::Local))), "NAME, …"),
    row(&[".hidden"],               Availability::Both, Parse(|parser, _| symbol::each_symbol(parser, |entry| entry.visibility = Visibility::Hidden)), "NAME, …"),
    row(&[".protected"],            Availability::Both, Parse(|parser, _| symbol::each_symbol(parser, |entry| entry.visibility = Visibility::Protected)), "NAME, …"),
    row(&[".internal"],             Availability::Both, Parse(|parser, _| symbol::each_symbol(parser, |entry| entry.visibility = Visibility::Internal)), "NAME, …"),
    row(&[".type"],                 Availability::Both, Parse(|parser, _| symbol::symbol_type(parser)), "NAME, @TYPE"),
    row(&[".size"],                 Availability::Both, Parse(|parser, _| symbol::symbol_size(parser)), "NAME, SIZE"),
    row(&[".comm"],                 Availability::Both, Parse(|parser, _| symbol::common(parser)), "NAME, SIZE, EXPONENT"),
    row(&[".lcomm"],                Availability::Both, Emit(|parser, output, call| symbol::local_common(parser, output, &call.span)), "NAME, SIZE"),
    row(&[".set", ".equ"],          Availability::Both, Emit(|parser, output, _| symbol::set(parser, output, false)), "NAME, VALUE"),
    row(&[".equiv"],                Availability::Both, Emit(|parser, output, _| symbol::set(parser, output, true)), "NAME, VALUE"),
    row(&[".eqv"],                  Availability::Both, Emit(|parser, output, _| symbol::set_lazily(parser, output)), "NAME, VALUE"),
    row(&[".reloc"],                Availability::Both, Emit(|parser, output, _| symbol::relocation(parser, output)), "OFFSET, KIND, VALUE"),

    // Data.
    row(&[".byte", ".1byte", ".dc.b"], Availability::Both, Emit(|parser, output, _| data::data(parser, output, 1)), "VALUE, …"),
    row(&[".half"],                 Availability::Both, Emit(|parser, output, _| data::halves(parser, output)), "VALUE, …"),
    row(&[".short", ".hword", ".value", ".2byte", ".dc", ".dc.w"], Availability::Both, Emit(|parser, output, _| data::data(parser, output, 2)), "VALUE, …"),
    row(&[".long", ".int", ".word", ".4byte", ".dc.l"], Availability::Both, Emit(|parser, output, _| data::data(parser, output, 4)), "VALUE, …"),
    row(&[".quad", ".8byte", ".dc.a"], Availability::Both, Emit(|parser, output, _| data::data(parser, output, 8)), "VALUE, …"),
    row(&[".octa"],                 Availability::Both, Emit(|parser, output, _| data::octa(parser, output)), "VALUE, …"),
    row(&[".uleb128"],              Availability::Both, Emit(|parser, output, _| data::leb128(parser, output, false)), "VALUE, …"),
    row(&[".sleb128"],              Availability::Both, Emit(|parser, output, _| data::leb128(parser, output, true)), "VALUE, …"),
    row(&[".float", ".single", ".dc.s"], Availability::Both, Emit(|parser, output, _| data::floats(parser, output, &SINGLE)), "NUMBER, …"),
    row(&[".double", ".dc.d"],      Availability::Both, Emit(|parser, output, _| data::floats(parser, output, &DOUBLE)), "NUMBER, …"),
    row(&[".ascii"],                Availability::Both, Emit(|parser, output, _| data::strings(parser, output, false, 1)), "\"TEXT\", …"),
    row(&[".asciz", ".string"],     Availability::Both, Emit(|parser, output, _| data::strings(parser, output, true, 1)), "\"TEXT\", …"),
    row(&[".string16"],             Availability::Both, Emit(|parser, output, _| data::strings(parser, output, true, 2)), "\"TEXT\", …"),
    row(&[".string32"],             Availability::Both, Emit(|parser, output, _| data::strings(parser, output, true, 4)), "\"TEXT\", …"),
    row(&[".string64"],             Availability::Both, Emit(|parser, output, _| data::strings(parser, output, true, 8)), "\"TEXT\", …"),
    row(&[".space", ".skip", ".zero"], Availability::Both, Emit(|parser, output, call| data::space(parser, output, &call.span)), "BYTES, VALUE"),
    // GNU as uses only four bytes of the value.
    row(&[".fill"],                 Availability::Both, Emit(|parser, output, call| data::fill(parser, output, &call.span, u64::from(u32::MAX))), "COUNT, SIZE, VALUE"),
    row(&[".fillq"],                Availability::Both, Emit(|parser, output, call| data::fill(parser, output, &call.span, u64::MAX)), "COUNT, SIZE, VALUE"),
    row(&[".dcb.b"],                Availability::Both, Emit(|parser, output, call| data::repeated(parser, output, 1, &call.span)), "COUNT, VALUE"),
    row(&[".dcb", ".dcb.w"],        Availability::Both, Emit(|parser, output, call| data::repeated(parser, output, 2, &call.span)), "COUNT, VALUE"),
    row(&[".dcb.l"],                Availability::Both, Emit(|parser, output, call| data::repeated(parser, output, 4, &call.span)), "COUNT, VALUE"),
    row(&[".dcb.s"],                Availability::Both, Emit(|parser, output, call| data::repeated_floats(parser, output, &SINGLE, &call.span)), "COUNT, NUMBER"),
    row(&[".dcb.d"],                Availability::Both, Emit(|parser, output, call| data::repeated_floats(parser, output, &DOUBLE, &call.span)), "COUNT, NUMBER"),
    row(&[".ds.b"],                 Availability::Both, Emit(|parser, output, call| data::space_of(parser, output, 1, &call.span)), "COUNT"),
    row(&[".ds", ".ds.w"],          Availability::Both, Emit(|parser, output, call| data::space_of(parser, output, 2, &call.span)), "COUNT"),
    row(&[".ds.l", ".ds.s"],        Availability::Both, Emit(|parser, output, call| data::space_of(parser, output, 4, &call.span)), "COUNT"),
    row(&[".ds.d"],                 Availability::Both, Emit(|parser, output, call| data::space_of(parser, output, 8, &call.span)), "COUNT"),
    row(&[".ds.p", ".ds.x"],        Availability::Both, Emit(|parser, output, call| data::space_of(parser, output, 12, &call.span)), "COUNT"),
    row(&[".align", ".balign"],     Availability::Both, Emit(|parser, output, call| data::align(parser, output, &call.span, false, 1)), "BYTES, VALUE, LIMIT"),
    row(&[".balignw"],              Availability::Both, Emit(|parser, output, call| data::align(parser, output, &call.span, false, 2)), "BYTES, VALUE, LIMIT"),
    row(&[".balignl"],              Availability::Both, Emit(|parser, output, call| data::align(parser, output, &call.span, false, 4)), "BYTES, VALUE, LIMIT"),
    row(&[".p2align"],              Availability::Both, Emit(|parser, output, call| data::align(parser, output, &call.span, true, 1)), "EXPONENT, VALUE, LIMIT"),
    row(&[".p2alignw"],             Availability::Both, Emit(|parser, output, call| data::align(parser, output, &call.span, true, 2)), "EXPONENT, VALUE, LIMIT"),
    row(&[".p2alignl"],             Availability::Both, Emit(|parser, output, call| data::align(parser, output, &call.span, true, 4)), "EXPONENT, VALUE, LIMIT"),
    row(&[".org"],                  Availability::Both, Emit(|parser, output, call| data::org(parser, output, &call.span)), "PLACE, VALUE"),

    // Kernels and code objects.
    row(&[".amdgcn_target"],        Availability::Both, Emit(|parser, output, _| target::target_directive(parser, &mut output.features)), "\"TRIPLE\""),
    row(&[".amdhsa_code_object_version"], Availability::Both, Emit(|parser, output, _| metadata::code_object_version(parser, output)), "VERSION"),
    row(&[".amdhsa_kernel"],        Availability::Kernels, Emit(|parser, output, call| kernel::begin_kernel(parser, &mut output.kernels, call.span.clone())), "NAME"),
    row(&[".end_amdhsa_kernel"],    Availability::Kernels, Emit(|parser, output, call| kernel::end_kernel(&mut parser.names, output, call.span.clone())), ""),
    row(&[".amdgpu_metadata"],      Availability::Both, Emit(|parser, output, call| metadata::metadata(parser, output, call.span.clone())), ""),
    row(&[".amdgpu_lds"],           Availability::Both, Emit(|parser, output, _| lds::lds_symbol(parser, &mut output.kernels)), "NAME, SIZE, ALIGNMENT"),
    row(&[".ident"],                Availability::Both, Emit(|parser, output, _| metadata::identification(&mut parser.cursor, output)), "\"TEXT\""),
    row(&[header::BEGIN],           Availability::Both, Emit(|parser, output, call| kernel_code::begin_kernel_code(parser, &mut output.kernels, call.span.clone())), ""),
    row(&[header::END],             Availability::Both, Emit(|parser, output, call| kernel_code::end_kernel_code(parser, output, call.span.clone())), ""),
    row(&[".hsa_code_object_version"], Availability::Both, Emit(|parser, output, _| hsa::hsa_version(parser, output)), "MAJOR, MINOR"),
    row(&[".hsa_code_object_isa"],  Availability::Both, Emit(|parser, output, _| hsa::hsa_isa(parser, output)), "MAJOR, MINOR, STEPPING, \"VENDOR\", \"ARCHITECTURE\""),
    row(&[".amd_amdgpu_isa"],       Availability::Both, Emit(|parser, output, _| hsa::hsa_isa_name(parser, output)), "\"TRIPLE\""),
    row(&[".amd_amdgpu_hsa_metadata"], Availability::Both, Emit(|parser, output, call| hsa::hsa_metadata(parser, output, call.span.clone())), ""),
    row(&[".amd_amdgpu_pal_metadata"], Availability::Both, Emit(|parser, output, call| hsa::pal_registers(parser, output, call.span.clone())), "NUMBER, …"),
    row(&[".amdgpu_pal_metadata"],  Availability::Both, Emit(|parser, output, call| hsa::pal_metadata(parser, output, call.span.clone())), ""),
    row(&[".amdgpu_hsa_kernel"],    Availability::Both, Parse(|parser, _| begin_hsa_kernel(parser)), "NAME"),

    // Macros, loops, conditions and files.
    row(&[".macro"],                Availability::Kernels, Read(|reader, call| macros::define_macro(reader, &call.span)), "NAME PARAMETER, …"),
    row(&[".endm", ".endmacro"],    Availability::Kernels, Parse(|_, call| expand::unopened_error(call.name, &call.span, "`.macro`")), ""),
    row(&[".exitm"],                Availability::Kernels, Read(|reader, call| macros::exit_macro(&mut reader.expansion, &call.span)), ""),
    row(&[".purgem"],               Availability::Kernels, Read(|reader, _| macros::purge(reader)), "NAME, …"),
    row(&[".altmacro", ".noaltmacro"], Availability::Kernels, Read(|reader, call| { reader.expansion.is_alternate = call.name == ".altmacro"; Ok(()) }), ""),
    row(&[".macrocase", ".nomacrocase"], Availability::Both, Read(|reader, call| { reader.expansion.ignores_case = call.name == ".macrocase"; Ok(()) }), ""),
    row(&[".rept", ".rep"],         Availability::Kernels, Read(|reader, call| expand::rept(reader, &call.span)), "COUNT"),
    row(&[".irp"],                  Availability::Kernels, Read(|reader, call| expand::irp(reader, &call.span, ".irp")), "PARAMETER, VALUE, …"),
    row(&[".irpc"],                 Availability::Kernels, Read(|reader, call| expand::irp(reader, &call.span, ".irpc")), "PARAMETER, CHARACTERS"),
    row(&[".while"],                Availability::Kernels, Read(|reader, call| loops::while_loop(reader, &call.span)), "CONDITION"),
    row(&[".for"],                  Availability::Kernels, Read(|reader, call| loops::for_loop(reader, &call.span)), "SYMBOL = FIRST, CONDITION, NEXT"),
    row(&[".endr", ".endrept"],     Availability::Kernels, Parse(|_, call| expand::unopened_error(call.name, &call.span, "the beginning of a loop")), ""),
    row(&[
        ".if", ".ifne", ".ifeq", ".ifgt", ".ifge", ".iflt", ".ifle", ".ifdef", ".ifndef", ".ifnotdef", ".ifb", ".ifnb",
        ".ifc", ".ifnc", ".ifeqs", ".ifnes",
    ],                              Availability::Kernels, Read(|reader, call| condition::begin(reader, call.name, &call.span)), "CONDITION"),
    row(&[".ifarch", ".ifnarch", ".ifgpu", ".ifngpu", ".iffmt", ".ifnfmt", ".if32", ".if64"],
                                    Availability::Both, Read(|reader, call| condition::begin(reader, call.name, &call.span)), "NAME"),
    row(&[".elseif", ".else", ".endif"], Availability::Kernels, Read(|reader, call| condition::next_branch(reader, call.name, &call.span)), ""),
    row(&[".include"],              Availability::Kernels, Read(|reader, call| files::include(reader, &call.span)), "\"FILE\""),
    row(&[".incbin"],               Availability::Both, Assemble(|asm, call| {
        let bytes = files::incbin(&mut asm.reader, &call.span)?;
        asm.output.emit(&mut asm.reader.parser.names.layout, &bytes, &call.span)
    }), "\"FILE\", SKIP, COUNT"),
    row(&[".error", ".err", ".warning", ".print"], Availability::Kernels, Parse(|parser, call| expand::user_message(parser, call.name, &call.span)), "\"TEXT\""),
    row(&[".end"],                  Availability::Kernels, Read(|reader, _| { expand::end(reader); Ok(()) }), ""),

    // CLRX's directives.
    row(&[".scope"],                Availability::Scopes, Parse(|parser, call| clrx::open_scope(parser, &call.span)), "NAME"),
    row(&[".ends", ".endscope"],    Availability::Scopes, Parse(|parser, call| clrx::close_scope(&mut parser.names.symbols.scopes, &call.span)), ""),
    row(&[".using"],                Availability::Scopes, Parse(|parser, _| clrx::using(parser)), "SCOPE"),
    row(&[".unusing"],              Availability::Scopes, Parse(|parser, _| clrx::unusing(parser)), "SCOPE"),
    row(&[".enum"],                 Availability::Both, Parse(|parser, _| clrx::enumerate(parser)), ">FIRST, NAME, …"),
    row(&[".undef"],                Availability::Both, Parse(|parser, _| clrx::undefine(parser)), "NAME"),
    row(&[".gpu", ".arch"],         Availability::Both, Parse(|parser, call| clrx::chosen_target(parser, call.name)), "NAME"),
    row(&[".get_gpu"],              Availability::Both, Parse(|parser, _| clrx::get_gpu(parser)), "NAME"),
    row(&[".get_arch"],             Availability::Both, Parse(|parser, _| clrx::get_architecture(parser)), "NAME"),
    // Addresses always have 64 bits.
    row(&[".get_64bit"],            Availability::Both, Parse(|parser, _| clrx::get(parser, 1)), "NAME"),
    row(&[".get_format"],           Availability::Both, Parse(|parser, _| clrx::get_format(parser)), "NAME"),
    row(&[".get_version", ".get_policy"], Availability::Both, Parse(|parser, _| clrx::get_version(parser)), "NAME"),
    row(&[".format"],               Availability::Both, Parse(|parser, _| clrx::format(parser)), "NAME"),
    row(&[".rawcode", ".rocm", ".amd", ".amdcl2", ".gallium"], Availability::Both, Parse(|parser, call| { clrx::named_format(parser, call.name, call.span.clone()); Ok(()) }), ""),
    row(&[
        ".32bit", ".kernel", ".config", ".args", ".arg", ".metadata",
        ".cbid", ".compile_options", ".condout", ".cws", ".debugmode", ".dims", ".driver_version", ".dx10clamp", ".earlyexit",
        ".exceptions", ".floatmode", ".globaldata", ".hsaconfig", ".ieeemode", ".localsize", ".pgmrsrc1", ".pgmrsrc2", ".printfid",
        ".privateid", ".privmode", ".proginfo", ".samplerinit", ".scratchbuffer", ".setup", ".sgprsnum", ".stub", ".tgsize", ".uav",
        ".uavid", ".useargs", ".useenqueue", ".usegeneric", ".userdata", ".userdatanum", ".usesetup", ".vgprsnum",
    ], Availability::Both, Parse(|parser, call| clrx::foreign_format(&mut parser.cursor, call.name, call.span.clone())), ""),
    row(&[".regvar", ".usereg", ".rvlin", ".rvlin_once"], Availability::Both, Parse(|parser, call| clrx::register_allocation(&mut parser.cursor, call.span.clone())), ""),
    row(&[".oldmodparam", ".nooldmodparam"], Availability::Both, Parse(|parser, call| { parser.flags_are_bits = call.name == ".oldmodparam"; Ok(()) }), ""),
    row(&[".buggyfplit"],           Availability::Both, Parse(|parser, call| { clrx::old_literals(parser, call.span.clone()); Ok(()) }), ""),
    row(&[".fail"],                 Availability::Both, Parse(|parser, call| clrx::fail_directive(parser, &call.span)), "NUMBER"),
    row(&[".abort"],                Availability::Both, Parse(|_, call| Err(fail(&ids::USER_ERROR, call.span.clone(), "the source asks to stop here"))), ""),

    // No effect: directives for debuggers, linkers, listings, register allocation or output formats.
    row(&[
        ".file", ".line", ".loc", ".version", ".addrsig", ".addrsig_sym", ".extern", ".no_dead_strip", ".weakref",
        ".lto_discard", ".cg_profile", ".64bit", ".main", ".policy", ".nowave32", ".nobuggyfplit", ".lflags", ".ln", ".title", ".tittle", ".sbttl", ".cf_jump", ".cf_call",
        ".cf_ret", ".cf_start", ".cf_end", ".cf_cjump", ".cf_ccall", ".cf_cret",
    ],                              Availability::Both, Parse(|parser, _| ignore(&mut parser.cursor)), "…"),
];

/// Directives matched by prefix if their names are not in [`DIRECTIVES`].
static FAMILIES: &[(&str, DirectiveHandler)] = &[
    (
        PREFIX,
        Emit(|parser, output, call| {
            kernel::kernel_key(parser, &mut output.kernels, call.name, call.span.clone())
        }),
    ),
    (".cfi_", Parse(|parser, _| ignore(&mut parser.cursor))),
    (
        condition::OTHER_BRANCH,
        Read(|reader, call| condition::next_branch(reader, call.name, &call.span)),
    ),
];

/// Directive table, indexed by name.
static BY_NAME: LazyLock<HashMap<&str, &Directive>> = LazyLock::new(|| {
    let rows = DIRECTIVES.iter();
    rows.flat_map(|row| row.names.iter().map(move |&name| (name, row)))
        .collect()
});

impl Directive {
    /// Adds the directive's operand syntax to a syntax error.
    fn explain(&self, name: &str, error: Fail) -> Fail {
        let is_syntax = error.id == &ids::UNEXPECTED_TOKEN && error.help.is_empty();
        if is_syntax && !self.operands.is_empty() {
            error.with_help(format!("written as `{name} {}`", self.operands))
        } else {
            error
        }
    }

    fn is_of(&self, dialect: Dialect) -> bool {
        match self.dialects {
            Availability::Both | Availability::Kernels => true,
            Availability::Scopes => dialect.has_scopes(),
        }
    }
}

/// All directives with their operand syntax as shown in messages, ordered by topic: sections, symbols, data, kernels,
/// macros, CLRX's directives, directives without effect, and the keys of `.amdhsa_kernel`.
///
/// # Examples
/// ```
/// let operands = |name| gcn_asm::directives().find(|(known, _)| known == name).map(|(_, operands)| operands);
/// assert_eq!(operands(".p2align"), Some("EXPONENT, VALUE, LIMIT"));
/// assert_eq!(operands(".amdhsa_next_free_vgpr"), Some("NUMBER"));
/// ```
pub fn directives() -> impl Iterator<Item = (Cow<'static, str>, &'static str)> {
    let rows = DIRECTIVES.iter();
    let named = rows.flat_map(|row| {
        let names = row.names.iter();
        names.map(move |&name| (Cow::Borrowed(name), row.operands))
    });
    let keys = KEYS.iter();
    let keys = keys.map(|(key, ..)| (Cow::Owned(format!("{PREFIX}{key}")), "NUMBER"));
    named.chain(keys)
}

/// Directive that ends the text block begun by `name`, if `name` begins one.
pub(crate) fn text_block_end(name: &str) -> Option<&'static str> {
    let blocks = metadata::TEXT_BLOCKS.iter();
    let mut found = blocks.filter(|(begin, _)| begin.eq_ignore_ascii_case(name));
    found.next().map(|(_, end)| *end)
}

/// Handles a directive; the cursor is after its name.
pub(crate) fn directive(
    asm: &mut Assembler<'_>,
    word: &str,
    span: Range<usize>,
) -> Result<(), Fail> {
    let mut buffer = [0; 64];
    let name = lower_case(word, &mut buffer).unwrap_or(word);
    let found = BY_NAME.get(name).copied();
    let kernels = &asm.output.kernels;
    let is_allowed = found.is_some_and(|row| row.dialects == Availability::Kernels)
        || name.starts_with(PREFIX)
        || kernels.open.is_none() && [header::BEGIN, header::END].contains(&name);
    if !is_allowed {
        kernels.check_outside(name, &span)?;
    }
    let call = DirectiveCall { name, span };
    if let Some(row) = found.filter(|row| row.is_of(asm.reader.parser.dialect)) {
        return row
            .handler
            .call(asm, &call)
            .map_err(|error| row.explain(call.name, error));
    }
    if found.is_some() {
        asm.reader.parser.cursor.skip_statement_content();
        let message = format!("`{name}` is CLRX's");
        return Err(fail(&ids::CLRX_DIRECTIVE, call.span, message)
            .with_help("scopes are read with `--dialect clrx`"));
    }
    let family = FAMILIES
        .iter()
        .find(|(beginning, _)| name.starts_with(beginning) && is_member(name));
    match family {
        Some((_, handler)) => handler.call(asm, &call),
        None => Err(unknown(&mut asm.reader.parser, word, name, call.span)),
    }
}

/// Returns false for names that begin with `.elseif` but are not one of its variants.
fn is_member(name: &str) -> bool {
    !name.starts_with(condition::OTHER_BRANCH) || condition::other_branch(name).is_some()
}

fn unknown(parser: &mut Parser<'_>, word: &str, name: &str, span: Range<usize>) -> Fail {
    parser.suggestions += 1;
    let similar = if parser.suggestions <= explain::MAX_SUGGESTIONS {
        let names = DIRECTIVES.iter().flat_map(|row| row.names);
        explain::closest(name, names.copied())
    } else {
        None
    };
    parser.cursor.skip_statement_content();
    let error = fail(
        &ids::UNKNOWN_DIRECTIVE,
        span,
        format!("unknown directive `{word}`"),
    );
    match similar {
        Some(similar) => error.with_help(format!("did you mean `{similar}`?")),
        None => error,
    }
}

fn ignore(cursor: &mut Cursor<'_>) -> Result<(), Fail> {
    cursor.skip_statement_content();
    Ok(())
}

/// Handles `.amdgpu_hsa_kernel`: marks the named symbols as kernels, and restarts the count of named registers.
fn begin_hsa_kernel(parser: &mut Parser<'_>) -> Result<(), Fail> {
    parser.names.vgprs.begin_kernel();
    parser.names.sgprs.begin_kernel();
    symbol::each_symbol(parser, |entry| entry.kind = SymbolKind::HsaKernel)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_row() {
        let names = DIRECTIVES.iter().map(|row| row.names.len());
        assert_eq!(BY_NAME.len(), names.sum::<usize>());
    }

    #[test]
    fn every_condition_has_a_row() {
        for (name, _) in condition::CONDITIONS {
            assert!(BY_NAME.contains_key(name), "{name}");
        }
    }
}
