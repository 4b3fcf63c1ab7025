//! Maps diagnostics of statements inside expansions back to the source.

use crate::assembler::Assembler;
use crate::assembler::expansion::Jump;
use crate::assembler::expansion::location::{ListLengths, MAX_ERRORS, MAX_WARNINGS};
use crate::assembler::expansion::origin::{
    DeferredFixup, ExpansionKind, ExpansionStep, PositionMap,
};
use crate::diagnostic::{Fail, Severity};

pub(crate) fn marks(asm: &Assembler<'_>) -> ListLengths {
    ListLengths {
        diagnostics: asm.diagnostics.len(),
        instructions: asm.output.marks.len(),
        fixups: asm.output.fixups.len(),
        symbols: asm.names.symbols.count(),
    }
}

/// Maps everything that a statement inside an expansion recorded back to the source.
pub(crate) fn map_to_source(asm: &mut Assembler<'_>, marks: &ListLengths) {
    if asm.diagnostics.len() > marks.diagnostics {
        map_diagnostics(asm, marks.diagnostics);
    }
    let mapping = match asm.reader.expansion.frames.last() {
        None => return,
        Some(frame) if matches!(frame.mapping, PositionMap::From(0)) => return,
        Some(frame) => frame.mapping.clone(),
    };
    for mark in asm.output.marks.iter_mut().skip(marks.instructions) {
        mark.place(&mapping.apply(mark.span()));
    }
    asm.names
        .symbols
        .place_from(marks.symbols, |span| mapping.apply(span));
    if asm.output.fixups.len() > marks.fixups {
        let node = asm.reader.expansion.node();
        for index in marks.fixups..asm.output.fixups.len() {
            if let (Some(node), Some(fixup)) = (node, asm.output.fixups.get_mut(index)) {
                let span = fixup.span.clone();
                fixup.span = mapping.apply(span.clone());
                asm.reader.expansion.deferred.push(DeferredFixup {
                    fixup: index,
                    node,
                    span,
                });
            }
        }
    }
}

fn map_diagnostics(asm: &mut Assembler<'_>, from: usize) {
    let expansion = &asm.reader.expansion;
    let frames = expansion.frames.iter().rev();
    let chain: Vec<&ExpansionStep<'_>> = frames.map(|frame| &frame.step).collect();
    let is_made = chain
        .iter()
        .any(|step| !matches!(step.what, ExpansionKind::File(_)));
    let (mut errors, mut warnings) = (0, expansion.inner_warnings);
    for mut diagnostic in asm.diagnostics.split_off(from) {
        if diagnostic.severity == Severity::Error {
            errors += 1;
        } else if is_made {
            warnings += 1;
            if warnings > MAX_WARNINGS {
                continue;
            }
        }
        // Scanning the expanded text is expensive, so it is skipped for dropped warnings.
        expansion
            .explain(&chain, &diagnostic.span)
            .apply(&mut diagnostic);
        asm.diagnostics.push(diagnostic);
    }
    if !is_made {
        return;
    }
    asm.reader.expansion.inner_errors += errors;
    asm.reader.expansion.inner_warnings = warnings;
    if asm.reader.expansion.inner_errors >= MAX_ERRORS {
        if let Some(last) = asm.diagnostics.last_mut() {
            last.help.push(format!(
                "after {MAX_ERRORS} errors in macros and loops, each is left at the next one"
            ));
        }
        let jump = &mut asm.reader.expansion.jump;
        if !matches!(jump, Some(Jump::Abort | Jump::Stop)) {
            *jump = Some(Jump::AbortToFile);
        }
    }
}

/// Adds the enclosing expansions to an error of a fixup. Returns false if too many errors in expansions were already
/// reported.
pub(crate) fn add_expansion_notes(asm: &mut Assembler<'_>, fixup: usize, error: &mut Fail) -> bool {
    let deferred = &asm.reader.expansion.deferred;
    let found = deferred.binary_search_by_key(&fixup, |deferred| deferred.fixup);
    let Some(deferred) = found.ok().and_then(|index| deferred.get(index)) else {
        return true;
    };
    if asm.reader.expansion.inner_errors >= MAX_ERRORS {
        return false;
    }
    let chain = asm.reader.expansion.chain(deferred.node);
    asm.reader
        .expansion
        .explain(&chain, &deferred.span)
        .apply(error);
    asm.reader.expansion.inner_errors += 1;
    true
}
