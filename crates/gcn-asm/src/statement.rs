//! Parses statements (labels, assignments, directives and instructions), and handles the end of the source.

use crate::assembler::Assembler;
use crate::assembler::expansion::NextIteration;
use crate::assembler::reader::SourceReader;
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

/// Assembles all statements, then finishes the kernels and resolves the fixups.
pub(crate) fn run(asm: &mut Assembler<'_>) {
    loop {
        while !asm.reader.parser.cursor.at_end() {
            if asm.reader.expansion.is_inside() {
                let marks = source_mapping::marks(asm);
                line(asm);
                source_mapping::map_to_source(asm, &marks);
            } else {
                line(asm);
                let position = asm.reader.parser.cursor.pos();
                asm.reader.expansion.report_progress(position);
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

/// Assembles one statement and records its error, if any.
fn line(asm: &mut Assembler<'_>) {
    let start = asm.reader.parser.cursor.pos();
    let result = statement(asm).and_then(|()| asm.reader.parser.cursor.end_statement());
    asm.reader.collect(result);
    let cursor = &mut asm.reader.parser.cursor;
    cursor.skip_line();
    if cursor.at_end()
        && let Some(comment) = cursor.unclosed_comment(start)
    {
        let error =
            fail(&ids::UNTERMINATED, comment, "unterminated comment").with_help("end it with `*/`");
        asm.reader.collect(Err(error));
    }
}

fn statement(asm: &mut Assembler<'_>) -> Result<(), Fail> {
    loop {
        let parser = &mut asm.reader.parser;
        let start = parser.cursor.token_start();
        if parser.cursor.at_statement_end() {
            parser.cursor.skip_comment();
            return Ok(());
        }
        if parser.cursor.peek().is_ascii_digit() {
            let mut probe = parser.cursor.clone();
            let number = probe.digits().unwrap_or(0);
            if probe.eat(b':') {
                parser.cursor = probe;
                let span = parser.cursor.since(start);
                let label = parser.cursor.slice(span.clone());
                asm.output.kernels.check_outside(label, &span)?;
                let symbols = &mut parser.names.symbols;
                let id = symbols.define_local_label(number, span.clone());
                parser.define_label(id, span)?;
                continue;
            }
        }
        if parser.cursor.peek() == b'"' {
            let name = parser.cursor.name()?.into_owned();
            let span = parser.cursor.since(start);
            asm.output.kernels.check_outside(&name, &span)?;
            if parser.cursor.eat_after_blanks(b':') {
                let id = parser.names.symbols.declare(&name, span.clone());
                parser.define_label(id, span)?;
                continue;
            }
            if parser.cursor.eat(b'=') {
                return symbol::assign(parser, &mut asm.output, &name, span);
            }
            return Err(parser.cursor.expected("`:` or `=` after the name"));
        }
        let Some(word) = parser.cursor.word() else {
            let what = "an instruction, a label or a directive";
            return Err(parser.cursor.expected(what));
        };
        let span = parser.cursor.since(start);
        parser.cursor.skip_blanks();
        if !parser.cursor.at_scope() && parser.cursor.eat(b':') {
            if word == HERE {
                let message = "`.` is the current location, which cannot be a label's name";
                return Err(fail(&ids::INVALID_LABEL, span, message));
            }
            asm.output.kernels.check_outside(word, &span)?;
            let id = parser.names.symbols.declare(word, span.clone());
            parser.define_label(id, span)?;
            continue;
        }
        if parser.cursor.eat(b'=') {
            if asm.output.kernels.open_header.is_some() {
                return kernel_code::kernel_code_key(parser, &mut asm.output.kernels, word, span);
            }
            asm.output.kernels.check_outside(word, &span)?;
            // `==` rejects a symbol that is already defined.
            if parser.cursor.eat(b'=') {
                parser.names.require_new(word, &span)?;
            }
            return symbol::assign(parser, &mut asm.output, word, span);
        }
        parser.cursor.set_pos(span.end);
        if asm.reader.expansion.has_macros()
            && let Some(result) = macros::macro_call(&mut asm.reader, word, &span)
        {
            return result;
        }
        if word.starts_with('.') {
            return directive::directive(asm, word, span);
        }
        asm.output.kernels.check_outside(word, &span)?;
        return instruction::instruction(&mut asm.reader.parser, &mut asm.output, span);
    }
}

fn finish(asm: &mut Assembler<'_>) {
    if let Some(kernel) = asm.output.kernels.open.take() {
        let message = format!("`.amdhsa_kernel {}` is not closed", kernel.name);
        let error = fail(&ids::UNCLOSED_BLOCK, kernel.span, message);
        let error = error.with_help("end it with `.end_amdhsa_kernel`");
        asm.reader.collect(Err(error));
    }
    kernel_code::finish_kernel_codes(asm);
    let Assembler { reader, output } = asm;
    for (number, span) in reader.parser.names.symbols.missing_labels() {
        let message = format!("there is no label `{number}:` after this");
        reader.collect(Err(fail(&ids::UNDEFINED_SYMBOL, span, message)));
    }
    let symbols = &reader.parser.names.symbols;
    let begins = kernel::code_starts(symbols, &output.kernels.closed);
    for kernel in std::mem::take(&mut output.kernels.closed) {
        let result = kernel::finish_kernel(&mut reader.parser, output, kernel, &begins);
        reader.collect(result);
    }
    let fixups = std::mem::take(&mut output.fixups);
    for (index, fixup) in fixups.into_iter().enumerate() {
        if let Err(mut error) = resolve::resolve(&mut reader.parser, output, &fixup)
            && source_mapping::add_expansion_notes(&mut reader.expansion, index, &mut error)
        {
            reader.collect(Err(error));
        }
    }
    for directive in std::mem::take(&mut output.relocs) {
        let result = resolve::add_relocation(&mut reader.parser.names, output, &directive);
        reader.collect(result);
    }
}

/// Handles the end of the current source text: starts the next loop iteration or leaves the expansion. Returns false at
/// the end of the main source.
fn text_ended(asm: &mut Assembler<'_>) -> bool {
    let marks = source_mapping::marks(asm);
    let base = asm.reader.expansion.outer_conditions();
    if let Some(open) = asm.reader.expansion.conditions.get(base) {
        let error = fail(
            &ids::UNCLOSED_BLOCK,
            open.span.clone(),
            "this condition is not closed",
        );
        asm.reader.expansion.conditions.truncate(base);
        asm.reader
            .collect(Err(error.with_help("end it with `.endif`")));
        if asm.reader.expansion.is_inside() {
            source_mapping::map_to_source(asm, &marks);
        }
    }
    let SourceReader { parser, expansion } = &mut asm.reader;
    let errors = expansion.errors;
    let Some(frame) = expansion.frames.last_mut() else {
        return false;
    };
    // An error in a loop would repeat in every later iteration.
    if frame.remaining > 0 && frame.errors == errors {
        frame.remaining -= 1;
        frame.step.iteration += 1;
        parser.cursor = frame.begin.clone();
    } else {
        let again = frame.again.take().filter(|_| frame.errors == errors);
        let round = frame.step.iteration.saturating_add(1);
        asm.reader.leave();
        if let Some(again) = again {
            let at = again.pos();
            asm.reader.expansion.next_iteration = Some(NextIteration { at, round });
            asm.reader.parser.cursor = again;
        }
    }
    true
}
