//! Maps diagnostics for statements inside expansions back to the source.

use crate::assembler::Assembler;
use crate::assembler::expansion::location::{ListLengths, MAX_ERRORS, MAX_WARNINGS};
use crate::assembler::expansion::origin::{
    DeferredFixup, ExpansionKind, ExpansionStep, PositionMap,
};
use crate::assembler::expansion::{Expansion, Jump};
use crate::assembler::reader::SourceReader;
use crate::diagnostic::{Fail, Severity};

pub(crate) fn marks(asm: &Assembler<'_>) -> ListLengths {
    ListLengths {
        diagnostics: asm.reader.parser.diagnostics.len(),
        instructions: asm.output.marks.len(),
        fixups: asm.output.fixups.len(),
        symbols: asm.reader.parser.names.symbols.count(),
    }
}

/// Maps everything recorded by a statement inside an expansion back to the source.
pub(crate) fn map_to_source(asm: &mut Assembler<'_>, marks: &ListLengths) {
    let Assembler { reader, output } = asm;
    if reader.parser.diagnostics.len() > marks.diagnostics {
        map_diagnostics(reader, marks.diagnostics);
    }
    let mapping = &reader.parser.mapping;
    if matches!(mapping, PositionMap::From(0)) {
        return;
    }
    for mark in output.marks.iter_mut().skip(marks.instructions) {
        mark.place(&mapping.apply(mark.span()));
    }
    let symbols = &mut reader.parser.names.symbols;
    symbols.place_from(marks.symbols, |span| mapping.apply(span));
    let fixups = output.fixups.iter_mut().enumerate().skip(marks.fixups);
    if fixups.len() > 0
        && let Some(node) = reader.expansion.node()
    {
        let deferred = fixups.map(|(index, fixup)| {
            let mapped = mapping.apply(fixup.span.clone());
            DeferredFixup {
                fixup: index,
                node,
                span: std::mem::replace(&mut fixup.span, mapped),
            }
        });
        reader.expansion.deferred.extend(deferred);
    }
}

fn map_diagnostics(reader: &mut SourceReader<'_>, from: usize) {
    let expansion = &reader.expansion;
    let frames = expansion.frames.iter().rev();
    let chain: Vec<&ExpansionStep<'_>> = frames.map(|frame| &frame.step).collect();
    let is_made = chain
        .iter()
        .any(|step| !matches!(step.what, ExpansionKind::File(_)));
    let (mut errors, mut warnings) = (0, expansion.inner_warnings);
    for mut diagnostic in reader.parser.diagnostics.split_off(from) {
        if diagnostic.severity == Severity::Error {
            errors += 1;
        } else if is_made {
            warnings += 1;
            if warnings > MAX_WARNINGS {
                continue;
            }
        }
        // Scanning the expanded text is expensive, so it is skipped for warnings that are dropped.
        expansion
            .explain(&chain, &diagnostic.span)
            .apply(&mut diagnostic);
        reader.parser.diagnostics.push(diagnostic);
    }
    if !is_made {
        return;
    }
    reader.expansion.inner_errors += errors;
    reader.expansion.inner_warnings = warnings;
    if reader.expansion.inner_errors >= MAX_ERRORS {
        if let Some(last) = reader.parser.diagnostics.last_mut() {
            last.help.push(format!(
                "after {MAX_ERRORS} errors in macros and loops, each is left at the next one"
            ));
        }
        let jump = &mut reader.expansion.jump;
        if !matches!(jump, Some(Jump::Abort | Jump::Stop)) {
            *jump = Some(Jump::AbortToFile);
        }
    }
}

/// Adds the enclosing expansions to a fixup's error. Returns false if too many errors inside expansions were already
/// reported.
pub(crate) fn add_expansion_notes(
    expansion: &mut Expansion<'_>,
    fixup: usize,
    error: &mut Fail,
) -> bool {
    let deferred = &expansion.deferred;
    let found = deferred.binary_search_by_key(&fixup, |deferred| deferred.fixup);
    let Some(deferred) = found.ok().and_then(|index| deferred.get(index)) else {
        return true;
    };
    if expansion.inner_errors >= MAX_ERRORS {
        return false;
    }
    let chain = expansion.chain(deferred.node);
    expansion.explain(&chain, &deferred.span).apply(error);
    expansion.inner_errors += 1;
    true
}
