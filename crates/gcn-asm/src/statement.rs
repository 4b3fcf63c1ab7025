//! Statement parser: labels, assignments, directives, instructions, and the end of the source.

use crate::assembler::Assembler;
use crate::assembler::expansion::NextIteration;
use crate::cursor::HERE;
use crate::diagnostic::{Fail, WithHelp, fail};
use crate::directive;
use crate::directive::expand::{macros, source_mapping};
use crate::directive::kernel;
use crate::directive::kernel_code;
use crate::directive::symbol;
use crate::ids;
use crate::instruction;
use crate::resolve;

/// Assembles every statement, then resolves the fixups.
pub(crate) fn run(asm: &mut Assembler<'_>) {
    loop {
        while !asm.reader.cursor.at_end() {
            if asm.reader.expansion.is_inside() {
                let marks = source_mapping::marks(asm);
                line(asm);
                source_mapping::map_to_source(asm, &marks);
            } else {
                line(asm);
                asm.reader
                    .expansion
                    .report_progress(asm.reader.cursor.pos());
            }
            if asm.reader.expansion.wants_jump() {
                asm.reader.jump();
            }
        }
        if !text_ended(asm) {
            break;
        }
    }
    finish(asm);
}

/// Assembles a line that is a single statement.
fn line(asm: &mut Assembler<'_>) {
    let start = asm.reader.cursor.pos();
    let result = statement(asm).and_then(|()| {
        if asm.reader.cursor.statement_ends() {
            Ok(())
        } else {
            Err(asm.reader.cursor.expected("the end of the statement"))
        }
    });
    asm.collect(result);
    asm.reader.cursor.skip_line();
    if asm.reader.cursor.at_end()
        && let Some(comment) = asm.reader.cursor.unclosed_comment(start)
    {
        let error =
            fail(&ids::UNTERMINATED, comment, "unterminated comment").with_help("end it with `*/`");
        asm.collect(Err(error));
    }
}

fn statement(asm: &mut Assembler<'_>) -> Result<(), Fail> {
    loop {
        asm.reader.cursor.skip_blanks();
        if asm.reader.cursor.at_statement_end() {
            asm.reader.cursor.skip_comment();
            return Ok(());
        }
        let start = asm.reader.cursor.pos();
        if asm.reader.cursor.peek().is_ascii_digit() {
            let mut probe = asm.reader.cursor.clone();
            let number = probe.digits().unwrap_or(0);
            if probe.eat(b':') {
                asm.reader.cursor = probe;
                let id = asm
                    .names
                    .symbols
                    .define_local_label(number, start..asm.reader.cursor.pos());
                asm.define_label(id, start..asm.reader.cursor.pos())?;
                continue;
            }
        }
        if asm.reader.cursor.peek() == b'"' {
            let name = asm.reader.cursor.name()?.into_owned();
            let span = start..asm.reader.cursor.pos();
            if asm.reader.cursor.eat_after_blanks(b':') {
                let id = asm.names.symbols.declare(&name, span.clone());
                asm.define_label(id, span)?;
                continue;
            }
            if asm.reader.cursor.eat(b'=') {
                return symbol::assign(asm, &name, span);
            }
            return Err(asm.reader.cursor.expected("`:` or `=` after the name"));
        }
        let Some(word) = asm.reader.cursor.word() else {
            return Err(asm
                .reader
                .cursor
                .expected("an instruction, a label or a directive"));
        };
        let span = start..asm.reader.cursor.pos();
        let word_end = asm.reader.cursor.pos();
        asm.reader.cursor.skip_blanks();
        if !asm.reader.cursor.at_scope() && asm.reader.cursor.eat(b':') {
            if word == HERE {
                return Err(fail(
                    &ids::INVALID_LABEL,
                    span,
                    "`.` is the place here, which a label cannot name",
                ));
            }
            let id = asm.names.symbols.declare(word, span.clone());
            asm.define_label(id, span)?;
            continue;
        }
        if asm.reader.cursor.eat(b'=') {
            if asm.kernels.open_header.is_some() {
                return kernel_code::kernel_code_key(asm, word, span);
            }
            // `==` is a single definition, like `.eqv`.
            if asm.reader.cursor.eat(b'=') {
                asm.names.is_new(word, &span)?;
            }
            return symbol::assign(asm, word, span);
        }
        asm.reader.cursor.set_pos(word_end);
        if asm.reader.expansion.has_macros()
            && let Some(result) = macros::macro_call(asm, word, &span)
        {
            return result;
        }
        return if word.starts_with('.') {
            directive::directive(asm, word, span)
        } else {
            instruction::instruction(asm, span)
        };
    }
}

fn finish(asm: &mut Assembler<'_>) {
    if let Some(kernel) = asm.kernels.open.take() {
        let message = format!("`.amdhsa_kernel {}` is not closed", kernel.name);
        asm.collect(Err(fail(&ids::UNCLOSED_BLOCK, kernel.span, message)
            .with_help("end it with `.end_amdhsa_kernel`")));
    }
    kernel_code::finish_kernel_codes(asm);
    let begins = kernel::code_starts(asm);
    for kernel in std::mem::take(&mut asm.kernels.closed) {
        let result = kernel::finish_kernel(asm, kernel, &begins);
        asm.collect(result);
    }
    for (index, fixup) in std::mem::take(&mut asm.output.fixups)
        .into_iter()
        .enumerate()
    {
        if let Err(mut error) = resolve::resolve(asm, &fixup)
            && source_mapping::add_expansion_notes(asm, index, &mut error)
        {
            asm.collect(Err(error));
        }
    }
    for directive in std::mem::take(&mut asm.output.relocs) {
        let result = resolve::add_relocation(asm, &directive);
        asm.collect(result);
    }
    for diagnostic in &mut asm.diagnostics {
        if diagnostic.notes.is_empty() {
            asm.reader.expansion.explain_files(diagnostic);
        }
    }
    asm.diagnostics.sort_by_key(|d| d.span.start);
    // A loop may repeat the same diagnostic for one location.
    asm.diagnostics
        .dedup_by(|a, b| a.span == b.span && a.message == b.message && a.notes == b.notes);
}

/// Handles the end of a text: starts a loop's next iteration or leaves the expansion. Returns false at the end of the
/// source.
fn text_ended(asm: &mut Assembler<'_>) -> bool {
    let marks = source_mapping::marks(asm);
    let base = asm
        .reader
        .expansion
        .frames
        .last()
        .map_or(0, |frame| frame.conditions);
    if let Some(open) = asm.reader.expansion.conditions.get(base) {
        let span = open.span.clone();
        asm.reader.expansion.conditions.truncate(base);
        asm.collect(Err(fail(
            &ids::UNCLOSED_BLOCK,
            span,
            "this condition is not closed",
        )
        .with_help("end it with `.endif`")));
        if asm.reader.expansion.is_inside() {
            source_mapping::map_to_source(asm, &marks);
        }
    }
    let errors = asm.reader.expansion.errors;
    let Some(frame) = asm.reader.expansion.frames.last_mut() else {
        return false;
    };
    // An error in a loop would repeat in every iteration.
    if frame.remaining > 0 && frame.errors == errors {
        frame.remaining -= 1;
        frame.step.iteration += 1;
        asm.reader.cursor = frame.begin.clone();
    } else {
        let again = frame.again.take().filter(|_| frame.errors == errors);
        let round = frame.step.iteration.saturating_add(1);
        asm.reader.leave();
        if let Some(again) = again {
            let at = again.pos();
            asm.reader.expansion.next_iteration = Some(NextIteration { at, round });
            asm.reader.cursor = again;
        }
    }
    true
}
