//! Table of directives: one row each, with its handler.
//!
//! Handlers that need more than the assembler take a [`DirectiveCall`]; rows that differ only in a constant share a
//! handler.

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
use crate::descriptor::{KEYS, PREFIX};
use crate::diagnostic::{Fail, WithHelp, fail};
use crate::explain;
use crate::float::{DOUBLE, SINGLE};
use crate::header;
use crate::ids;
use crate::inputs::dialect::Dialect;
use expand::{condition, files, loops, macros};

/// A directive's occurrence; the cursor is after its name.
struct DirectiveCall<'c> {
    /// The name in lower case.
    name: &'c str,
    span: Range<usize>,
}

/// Contexts in which a directive is allowed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Availability {
    Both,
    /// Only in the dialect with scopes.
    Scopes,
    /// Everywhere, including inside `.amdhsa_kernel`.
    Kernels,
}

type DirectiveHandler = fn(&mut Assembler<'_>, &DirectiveCall<'_>) -> Result<(), Fail>;

/// A directive: names, availability, handler and operand syntax.
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
    row(&[".text", ".data", ".bss", ".rodata"], Availability::Both, |asm, call| { section::enter_named(asm, call.name); Ok(()) }, ""),
    row(&[".section"],              Availability::Both, |asm, _| section::section_directive(asm, false), "NAME, \"FLAGS\", @TYPE"),
    row(&[".pushsection"],          Availability::Both, |asm, _| section::section_directive(asm, true), "NAME, \"FLAGS\", @TYPE"),
    row(&[".popsection"],           Availability::Both, |asm, call| section::pop(asm, call.span.clone()), ""),
    row(&[".previous"],             Availability::Both, |asm, _| { std::mem::swap(&mut asm.output.current, &mut asm.output.previous); Ok(()) }, ""),
    row(&[".gcn_address"],          Availability::Both, |asm, call| section::section_address(asm, call.span.clone()), "ADDRESS"),
    row(&[".struct", ".offset"],    Availability::Both, |asm, _| section::structure(asm), "OFFSET"),

    // Symbols.
    row(&[".globl", ".global"],     Availability::Both, |asm, _| symbol::each_symbol(asm, |entry| entry.binding = Some(Binding::Global)), "NAME, …"),
    row(&[".weak"],                 Availability::Both, |asm, _| symbol::each_symbol(asm, |entry| entry.binding = Some(Binding::Weak)), "NAME, …"),
    row(&[".local"],                Availability::Both, |asm, _| symbol::each_symbol(asm, |entry| entry.binding = Some(Binding::Local)), "NAME, …"),
    row(&[".hidden"],               Availability::Both, |asm, _| symbol::each_symbol(asm, |entry| entry.visibility = Visibility::Hidden), "NAME, …"),
    row(&[".protected"],            Availability::Both, |asm, _| symbol::each_symbol(asm, |entry| entry.visibility = Visibility::Protected), "NAME, …"),
    row(&[".internal"],             Availability::Both, |asm, _| symbol::each_symbol(asm, |entry| entry.visibility = Visibility::Internal), "NAME, …"),
    row(&[".type"],                 Availability::Both, |asm, _| symbol::symbol_type(asm), "NAME, @TYPE"),
    row(&[".size"],                 Availability::Both, |asm, _| symbol::symbol_size(asm), "NAME, SIZE"),
    row(&[".comm"],                 Availability::Both, |asm, _| symbol::common(asm), "NAME, SIZE, EXPONENT"),
    row(&[".lcomm"],                Availability::Both, |asm, call| symbol::local_common(asm, &call.span), "NAME, SIZE"),
    row(&[".set", ".equ"],          Availability::Both, |asm, _| symbol::set(asm, false), "NAME, VALUE"),
    row(&[".equiv"],                Availability::Both, |asm, _| symbol::set(asm, true), "NAME, VALUE"),
    row(&[".eqv"],                  Availability::Both, |asm, _| symbol::set_lazily(asm), "NAME, VALUE"),
    row(&[".reloc"],                Availability::Both, |asm, _| symbol::relocation(asm), "OFFSET, KIND, VALUE"),

    // Data.
    row(&[".byte", ".1byte", ".dc.b"], Availability::Both, |asm, _| data::data(asm, 1), "VALUE, …"),
    row(&[".half"],                 Availability::Both, |asm, _| data::halves(asm), "VALUE, …"),
    row(&[".short", ".hword", ".value", ".2byte", ".dc", ".dc.w"], Availability::Both, |asm, _| data::data(asm, 2), "VALUE, …"),
    row(&[".long", ".int", ".word", ".4byte", ".dc.l"], Availability::Both, |asm, _| data::data(asm, 4), "VALUE, …"),
    row(&[".quad", ".8byte", ".dc.a"], Availability::Both, |asm, _| data::data(asm, 8), "VALUE, …"),
    row(&[".octa"],                 Availability::Both, |asm, _| data::octa(asm), "VALUE, …"),
    row(&[".uleb128"],              Availability::Both, |asm, _| data::leb128(asm, false), "VALUE, …"),
    row(&[".sleb128"],              Availability::Both, |asm, _| data::leb128(asm, true), "VALUE, …"),
    row(&[".float", ".single", ".dc.s"], Availability::Both, |asm, _| data::floats(asm, &SINGLE), "NUMBER, …"),
    row(&[".double", ".dc.d"],      Availability::Both, |asm, _| data::floats(asm, &DOUBLE), "NUMBER, …"),
    row(&[".ascii"],                Availability::Both, |asm, _| data::strings(asm, false, 1), "\"TEXT\", …"),
    row(&[".asciz", ".string"],     Availability::Both, |asm, _| data::strings(asm, true, 1), "\"TEXT\", …"),
    row(&[".string16"],             Availability::Both, |asm, _| data::strings(asm, true, 2), "\"TEXT\", …"),
    row(&[".string32"],             Availability::Both, |asm, _| data::strings(asm, true, 4), "\"TEXT\", …"),
    row(&[".string64"],             Availability::Both, |asm, _| data::strings(asm, true, 8), "\"TEXT\", …"),
    row(&[".space", ".skip", ".zero"], Availability::Both, |asm, call| data::space(asm, &call.span), "BYTES, VALUE"),
    // GNU as uses four bytes of the value.
    row(&[".fill"],                 Availability::Both, |asm, call| data::fill(asm, &call.span, u64::from(u32::MAX)), "COUNT, SIZE, VALUE"),
    row(&[".fillq"],                Availability::Both, |asm, call| data::fill(asm, &call.span, u64::MAX), "COUNT, SIZE, VALUE"),
    row(&[".dcb.b"],                Availability::Both, |asm, call| data::repeated(asm, 1, &call.span), "COUNT, VALUE"),
    row(&[".dcb", ".dcb.w"],        Availability::Both, |asm, call| data::repeated(asm, 2, &call.span), "COUNT, VALUE"),
    row(&[".dcb.l"],                Availability::Both, |asm, call| data::repeated(asm, 4, &call.span), "COUNT, VALUE"),
    row(&[".ds.b"],                 Availability::Both, |asm, call| data::space_of(asm, 1, &call.span), "COUNT"),
    row(&[".ds", ".ds.w"],          Availability::Both, |asm, call| data::space_of(asm, 2, &call.span), "COUNT"),
    row(&[".ds.l", ".ds.s"],        Availability::Both, |asm, call| data::space_of(asm, 4, &call.span), "COUNT"),
    row(&[".ds.d"],                 Availability::Both, |asm, call| data::space_of(asm, 8, &call.span), "COUNT"),
    row(&[".align", ".balign"],     Availability::Both, |asm, call| data::align(asm, &call.span, false, 1), "BYTES, VALUE, LIMIT"),
    row(&[".balignw"],              Availability::Both, |asm, call| data::align(asm, &call.span, false, 2), "BYTES, VALUE, LIMIT"),
    row(&[".balignl"],              Availability::Both, |asm, call| data::align(asm, &call.span, false, 4), "BYTES, VALUE, LIMIT"),
    row(&[".p2align"],              Availability::Both, |asm, call| data::align(asm, &call.span, true, 1), "EXPONENT, VALUE, LIMIT"),
    row(&[".p2alignw"],             Availability::Both, |asm, call| data::align(asm, &call.span, true, 2), "EXPONENT, VALUE, LIMIT"),
    row(&[".p2alignl"],             Availability::Both, |asm, call| data::align(asm, &call.span, true, 4), "EXPONENT, VALUE, LIMIT"),
    row(&[".org"],                  Availability::Both, |asm, call| data::org(asm, &call.span), "PLACE, VALUE"),

    // Kernels and code objects.
    row(&[".amdgcn_target"],        Availability::Both, |asm, _| target::target_directive(asm), "\"TRIPLE\""),
    row(&[".amdhsa_code_object_version"], Availability::Both, |asm, _| metadata::code_object_version(asm), "VERSION"),
    row(&[".amdhsa_kernel"],        Availability::Kernels, |asm, call| kernel::begin_kernel(asm, call.span.clone()), "NAME"),
    row(&[".end_amdhsa_kernel"],    Availability::Kernels, |asm, call| kernel::end_kernel(asm, call.span.clone()), ""),
    row(&[".amdgpu_metadata"],      Availability::Both, |asm, call| metadata::metadata(asm, call.span.clone()), ""),
    row(&[".amdgpu_lds"],           Availability::Both, |asm, _| lds::lds_symbol(asm), "NAME, SIZE, ALIGNMENT"),
    row(&[".ident"],                Availability::Both, |asm, _| metadata::identification(asm), "\"TEXT\""),
    row(&[header::BEGIN],           Availability::Both, |asm, call| kernel_code::begin_kernel_code(asm, call.span.clone()), ""),
    row(&[header::END],             Availability::Both, |asm, call| kernel_code::end_kernel_code(asm, call.span.clone()), ""),
    row(&[".hsa_code_object_version"], Availability::Both, |asm, _| hsa::hsa_version(asm), "MAJOR, MINOR"),
    row(&[".hsa_code_object_isa"],  Availability::Both, |asm, _| hsa::hsa_isa(asm), "MAJOR, MINOR, STEPPING, \"VENDOR\", \"ARCHITECTURE\""),
    row(&[".amd_amdgpu_isa"],       Availability::Both, |asm, _| hsa::hsa_isa_name(asm), "\"TRIPLE\""),
    row(&[".amd_amdgpu_hsa_metadata"], Availability::Both, |asm, call| hsa::hsa_metadata(asm, call.span.clone()), ""),
    row(&[".amd_amdgpu_pal_metadata"], Availability::Both, |asm, call| hsa::pal_registers(asm, call.span.clone()), "NUMBER, …"),
    row(&[".amdgpu_pal_metadata"],  Availability::Both, |asm, call| hsa::pal_metadata(asm, call.span.clone()), ""),
    row(&[".amdgpu_hsa_kernel"],    Availability::Both, |asm, _| begin_hsa_kernel(asm), "NAME"),

    // Macros, loops, conditions and files.
    row(&[".macro"],                Availability::Kernels, |asm, call| macros::define_macro(asm, &call.span), "NAME PARAMETER, …"),
    row(&[".endm", ".endmacro"],    Availability::Kernels, |_, call| expand::unopened_error(call.name, &call.span, "`.macro`"), ""),
    row(&[".exitm"],                Availability::Kernels, |asm, call| macros::exit_macro(asm, &call.span), ""),
    row(&[".purgem"],               Availability::Kernels, |asm, _| macros::purge(asm), "NAME, …"),
    row(&[".altmacro", ".noaltmacro"], Availability::Kernels, |asm, call| { asm.reader.expansion.is_alternate = call.name == ".altmacro"; Ok(()) }, ""),
    row(&[".macrocase", ".nomacrocase"], Availability::Both, |asm, call| { asm.reader.expansion.ignores_case = call.name == ".macrocase"; Ok(()) }, ""),
    row(&[".rept", ".rep"],         Availability::Kernels, |asm, call| expand::rept(asm, &call.span), "COUNT"),
    row(&[".irp"],                  Availability::Kernels, |asm, call| expand::irp(asm, &call.span, ".irp"), "PARAMETER, VALUE, …"),
    row(&[".irpc"],                 Availability::Kernels, |asm, call| expand::irp(asm, &call.span, ".irpc"), "PARAMETER, CHARACTERS"),
    row(&[".while"],                Availability::Kernels, |asm, call| loops::while_loop(asm, &call.span), "CONDITION"),
    row(&[".for"],                  Availability::Kernels, |asm, call| loops::for_loop(asm, &call.span), "SYMBOL = FIRST, CONDITION, NEXT"),
    row(&[".endr", ".endrept"],     Availability::Kernels, |_, call| expand::unopened_error(call.name, &call.span, "the beginning of a loop"), ""),
    row(&[
        ".if", ".ifne", ".ifeq", ".ifgt", ".ifge", ".iflt", ".ifle", ".ifdef", ".ifndef", ".ifnotdef", ".ifb", ".ifnb",
        ".ifc", ".ifnc", ".ifeqs", ".ifnes",
    ],                              Availability::Kernels, |asm, call| condition::begin_named(asm, call.name, &call.span), "CONDITION"),
    row(&[".ifarch", ".ifnarch", ".ifgpu", ".ifngpu", ".iffmt", ".ifnfmt", ".if32", ".if64"],
                                    Availability::Both, |asm, call| condition::begin_named(asm, call.name, &call.span), "NAME"),
    row(&[".elseif", ".else", ".endif"], Availability::Kernels, |asm, call| condition::next_branch(asm, call.name, &call.span), ""),
    row(&[".include"],              Availability::Kernels, |asm, call| files::include(asm, &call.span), "\"FILE\""),
    row(&[".incbin"],               Availability::Kernels, |asm, call| files::incbin(asm, &call.span), "\"FILE\", SKIP, COUNT"),
    row(&[".error", ".err", ".warning", ".print"], Availability::Kernels, |asm, call| expand::user_message(asm, call.name, &call.span), "\"TEXT\""),
    row(&[".end"],                  Availability::Kernels, |asm, _| { expand::end(asm); Ok(()) }, ""),

    // CLRX's.
    row(&[".scope"],                Availability::Scopes, |asm, call| clrx::open_scope(asm, &call.span), "NAME"),
    row(&[".ends", ".endscope"],    Availability::Scopes, |asm, call| clrx::close_scope(asm, &call.span), ""),
    row(&[".using"],                Availability::Scopes, |asm, _| clrx::using(asm), "SCOPE"),
    row(&[".unusing"],              Availability::Scopes, |asm, _| clrx::unusing(asm), "SCOPE"),
    row(&[".enum"],                 Availability::Both, |asm, _| clrx::enumerate(asm), ">FIRST, NAME, …"),
    row(&[".undef"],                Availability::Both, |asm, _| clrx::undefine(asm), "NAME"),
    row(&[".gpu", ".arch"],         Availability::Both, |asm, call| clrx::chosen_target(asm, call.name), "NAME"),
    row(&[".get_gpu"],              Availability::Both, |asm, _| clrx::get_gpu(asm), "NAME"),
    row(&[".get_arch"],             Availability::Both, |asm, _| clrx::get_architecture(asm), "NAME"),
    // Addresses have 64 bits.
    row(&[".get_64bit"],            Availability::Both, |asm, _| clrx::get(asm, 1), "NAME"),
    row(&[".get_format"],           Availability::Both, |asm, _| clrx::get_format(asm), "NAME"),
    row(&[".get_version", ".get_policy"], Availability::Both, |asm, _| clrx::get_version(asm), "NAME"),
    row(&[".format"],               Availability::Both, |asm, _| clrx::format(asm), "NAME"),
    row(&[".rawcode", ".rocm", ".amd", ".amdcl2", ".gallium"], Availability::Both, |asm, call| { clrx::named_format(asm, call.name, call.span.clone()); Ok(()) }, ""),
    row(&[
        ".32bit", ".kernel", ".config", ".args", ".arg", ".metadata",
        ".cbid", ".compile_options", ".condout", ".cws", ".debugmode", ".dims", ".driver_version", ".dx10clamp", ".earlyexit",
        ".exceptions", ".floatmode", ".globaldata", ".hsaconfig", ".ieeemode", ".localsize", ".pgmrsrc1", ".pgmrsrc2", ".printfid",
        ".privateid", ".privmode", ".proginfo", ".samplerinit", ".scratchbuffer", ".setup", ".sgprsnum", ".stub", ".tgsize", ".uav",
        ".uavid", ".useargs", ".useenqueue", ".usegeneric", ".userdata", ".userdatanum", ".usesetup", ".vgprsnum",
    ], Availability::Both, |asm, call| clrx::foreign_format(asm, call.name, call.span.clone()), ""),
    row(&[".regvar", ".usereg", ".rvlin", ".rvlin_once"], Availability::Both, |asm, call| clrx::register_allocation(asm, call.span.clone()), ""),
    row(&[".oldmodparam", ".nooldmodparam"], Availability::Both, |asm, call| { asm.flags_are_bits = call.name == ".oldmodparam"; Ok(()) }, ""),
    row(&[".buggyfplit"],           Availability::Both, |asm, call| { clrx::old_literals(asm, call.span.clone()); Ok(()) }, ""),
    row(&[".fail"],                 Availability::Both, |asm, call| clrx::fail_directive(asm, &call.span), "NUMBER"),
    row(&[".abort"],                Availability::Both, |_, call| Err(fail(&ids::USER_ERROR, call.span.clone(), "the source asks to stop here")), ""),

    // No effect: for debuggers, for register allocation, or for output formats.
    row(&[
        ".file", ".line", ".loc", ".version", ".addrsig", ".addrsig_sym", ".extern", ".no_dead_strip", ".weakref",
        ".lto_discard", ".cg_profile", ".64bit", ".main", ".policy", ".nowave32", ".nobuggyfplit", ".lflags", ".ln", ".title", ".tittle", ".sbttl", ".cf_jump", ".cf_call",
        ".cf_ret", ".cf_start", ".cf_end", ".cf_cjump", ".cf_ccall", ".cf_cret",
    ],                              Availability::Both, |asm, _| ignore(asm), "…"),
];

/// Directives matched by prefix, for names that are not in [`DIRECTIVES`].
static FAMILIES: &[(&str, DirectiveHandler)] = &[
    (PREFIX, |asm, call| {
        kernel::kernel_key(asm, call.name, call.span.clone())
    }),
    (".cfi_", |asm, _| ignore(asm)),
    (condition::OTHER_BRANCH, |asm, call| {
        condition::next_branch(asm, call.name, &call.span)
    }),
];

/// The rows by name.
static BY_NAME: LazyLock<HashMap<&str, &Directive>> = LazyLock::new(|| {
    let rows = DIRECTIVES.iter();
    rows.flat_map(|row| row.names.iter().map(move |&name| (name, row)))
        .collect()
});

impl Directive {
    /// Adds the directive's operand syntax to an error.
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

/// All directives with their operand syntax as messages show it, ordered by topic: sections, symbols, data, kernels,
/// macros, CLRX's directives, and the keys of `.amdhsa_kernel`.
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

/// The directive that ends the text block that `name` begins, if it begins one.
pub(crate) fn text_block_end(name: &str) -> Option<&'static str> {
    let blocks = metadata::TEXT_BLOCKS.iter();
    let mut found = blocks.filter(|(begin, _)| begin.eq_ignore_ascii_case(name));
    found.next().map(|(_, end)| *end)
}

/// Executes a directive; the cursor is after its name.
pub(crate) fn directive(
    asm: &mut Assembler<'_>,
    word: &str,
    span: Range<usize>,
) -> Result<(), Fail> {
    let mut buffer = [0; 64];
    let name = lower_case(word, &mut buffer).unwrap_or(word);
    let found = BY_NAME.get(name).copied();
    if let Some(kernel) = &asm.kernels.open
        && !name.starts_with(PREFIX)
        && found.is_none_or(|row| row.dialects != Availability::Kernels)
    {
        let message = format!(
            "`{name}` cannot be between `.amdhsa_kernel {}` and `.end_amdhsa_kernel`",
            kernel.name
        );
        return Err(fail(&ids::MISPLACED_DIRECTIVE, span, message));
    }
    let call = DirectiveCall { name, span };
    if let Some(row) = found.filter(|row| row.is_of(asm.dialect)) {
        return (row.handler)(asm, &call).map_err(|error| row.explain(call.name, error));
    }
    if found.is_some() {
        asm.reader.cursor.skip_statement_content();
        let message = format!("`{name}` is CLRX's");
        return Err(fail(&ids::CLRX_DIRECTIVE, call.span, message)
            .with_help("scopes are read with `--dialect clrx`"));
    }
    let family = FAMILIES
        .iter()
        .find(|(beginning, _)| name.starts_with(beginning) && is_member(name));
    match family {
        Some((_, handler)) => handler(asm, &call),
        None => Err(unknown(asm, word, name, call.span)),
    }
}

/// Returns false for names that start with `.elseif` but are not one of its variants.
fn is_member(name: &str) -> bool {
    !name.starts_with(condition::OTHER_BRANCH) || condition::other_branch(name).is_some()
}

fn unknown(asm: &mut Assembler<'_>, word: &str, name: &str, span: Range<usize>) -> Fail {
    asm.suggestions += 1;
    let similar = if asm.suggestions <= explain::MAX_SUGGESTIONS {
        let names = DIRECTIVES.iter().flat_map(|row| row.names);
        explain::closest(name, names.copied())
    } else {
        None
    };
    asm.reader.cursor.skip_statement_content();
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

fn ignore(asm: &mut Assembler<'_>) -> Result<(), Fail> {
    asm.reader.cursor.skip_statement_content();
    Ok(())
}

/// Restarts the count of used registers for the next kernel.
fn begin_hsa_kernel(asm: &mut Assembler<'_>) -> Result<(), Fail> {
    asm.names.vgprs.begin_kernel();
    asm.names.sgprs.begin_kernel();
    symbol::each_symbol(asm, |entry| entry.kind = SymbolKind::HsaKernel)
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
