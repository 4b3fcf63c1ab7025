//! Handles `.amdgpu_lds`, which defines symbols in LDS.
//!
//! LLVM leaves allocation to the linker. This assembler allocates at once: it places symbols one after another from
//! offset 0, each aligned (errata E180). A kernel that omits its LDS size gets the total.

use std::ops::Range;

use gcn_object::SymbolKind;

use crate::assembler::output::DeclaredKernels;
use crate::assembler::parser::Parser;
use crate::diagnostic::{Diagnostic, Fail, WithHelp, fail};
use crate::ids;
use crate::symbols::SymbolDefinition;
use crate::value::ExprValue;

/// Maximum LDS size per workgroup in bytes.
const MAX_LDS: i64 = 1 << 16;
/// Default symbol alignment in bytes.
const DEFAULT_ALIGN: i64 = 4;

/// Handles `.amdgpu_lds name, size, alignment`.
pub(crate) fn lds_symbol(
    parser: &mut Parser<'_>,
    kernels: &mut DeclaredKernels,
) -> Result<(), Fail> {
    let (name, span) = parser.cursor.name_and_span()?;
    let name = name.into_owned();
    parser.cursor.comma("the size")?;
    let size = parser.absolute_within("the size", 0, MAX_LDS)?;
    let align = parser.optional_absolute("the alignment")?;
    let align = align.unwrap_or(DEFAULT_ALIGN);
    if align.count_ones() != 1 || !(1..=MAX_LDS).contains(&align) {
        let message =
            format!("the alignment is {align}, but must be a power of two up to {MAX_LDS}");
        return Err(fail(
            &ids::INVALID_ALIGNMENT,
            parser.cursor.since(span.start),
            message,
        ));
    }
    let offset = i64::from(kernels.lds_size);
    let offset = (offset + align - 1) & -align;
    let end = offset + size;
    let Some(end) = u32::try_from(end).ok().filter(|_| end <= MAX_LDS) else {
        let message =
            format!("the symbols in LDS need {end} bytes; a workgroup can have {MAX_LDS}");
        return Err(fail(&ids::LDS_LIMIT, span, message));
    };
    let id = parser.names.symbols.reference(&name, span.clone());
    let place = parser.map_to_source(span.clone());
    let Some(entry) = parser.names.symbols.get_mut(id) else {
        return Ok(());
    };
    if entry.defined != SymbolDefinition::No {
        let message = format!("symbol `{name}` is already defined");
        return Err(fail(&ids::REDEFINED_SYMBOL, span, message)
            .with_help("each name in LDS can be given once"));
    }
    entry.defined = SymbolDefinition::Value(ExprValue::absolute(offset));
    entry.size = SymbolDefinition::Value(ExprValue::absolute(size));
    entry.kind = SymbolKind::Object;
    entry.locate(place);
    kernels.lds_size = end;
    Ok(())
}

/// LDS size in bytes for a kernel that does not declare it; adds a note unless the size is zero.
pub(crate) fn implied_lds(
    diagnostics: &mut Vec<Diagnostic>,
    size: u32,
    kernel: &str,
    span: &Range<usize>,
) -> u32 {
    if size > 0 {
        let message = format!(
            "kernel `{kernel}` does not state its LDS; it gets the {size} bytes of `.amdgpu_lds`"
        );
        diagnostics.push(Diagnostic::note(&ids::IMPLIED_LDS, span.clone(), message));
    }
    size
}
