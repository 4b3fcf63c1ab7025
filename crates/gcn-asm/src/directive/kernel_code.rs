//! Kernel header directives: `.amd_kernel_code_t` … `.end_amd_kernel_code_t`.

use std::ops::Range;

use gcn_object::KERNEL_CODE_SIZE;

use crate::assembler::Assembler;
use crate::assembler::names::Names;
use crate::assembler::output::{DeclaredKernels, Output};
use crate::assembler::parser::Parser;
use crate::diagnostic::{Fail, WithHelp, fail};
use crate::explain;
use crate::header::{BEGIN, DEFAULTS, END, HeaderDirectives, IGNORED, KEYS, named};
use crate::ids;

/// Handles `.amd_kernel_code_t`.
pub(crate) fn begin_kernel_code(
    parser: &mut Parser<'_>,
    kernels: &mut DeclaredKernels,
    span: Range<usize>,
) -> Result<(), Fail> {
    if kernels.open_header.is_some() {
        let message = format!("`{BEGIN}` is still open");
        return Err(
            fail(&ids::UNCLOSED_BLOCK, span, message).with_help(format!("end it with `{END}`"))
        );
    }
    kernels.open_header = Some(HeaderDirectives {
        span: parser.map_to_source(span),
        place: parser.names.layout.here(),
        values: Vec::new(),
    });
    Ok(())
}

/// Parses the value of a `key = value` line; the cursor is after the `=`.
pub(crate) fn kernel_code_key(
    parser: &mut Parser<'_>,
    kernels: &mut DeclaredKernels,
    name: &str,
    span: Range<usize>,
) -> Result<(), Fail> {
    let start = parser.cursor.token_start();
    let value = parser.delayed("this key takes an integer")?;
    let value_span = parser.map_to_source(parser.cursor.since(start));
    if name == IGNORED {
        return Ok(());
    }
    let Some(&(name, _, bits)) = named(name) else {
        let error = fail(
            &ids::UNKNOWN_KEY,
            span,
            format!("`{BEGIN}` has no key `{name}`"),
        );
        return Err(match explain::closest(name, KEYS.iter().map(|key| key.0)) {
            Some(similar) => error.with_help(format!("did you mean `{similar}`?")),
            None => error,
        });
    };
    if let Some(open) = &mut kernels.open_header {
        open.values.push((name, bits, value, value_span));
    }
    Ok(())
}

/// Handles `.end_amd_kernel_code_t`: reserves space for the header.
pub(crate) fn end_kernel_code(
    parser: &mut Parser<'_>,
    output: &mut Output,
    span: Range<usize>,
) -> Result<(), Fail> {
    let Some(open) = output.kernels.open_header.take() else {
        let message = format!("`{END}` without `{BEGIN}`");
        return Err(fail(&ids::UNOPENED_BLOCK, span, message));
    };
    output.emit_zeros(&mut parser.names.layout, KERNEL_CODE_SIZE as u64, &span)?;
    output.kernels.closed_headers.push(open);
    Ok(())
}

/// Builds a header once all symbols are known.
fn finish_kernel_code(
    names: &mut Names,
    output: &mut Output,
    open: &HeaderDirectives,
) -> Result<(), Fail> {
    let mut header = [0; KERNEL_CODE_SIZE];
    let (major, minor, stepping) = names.target.version();
    let machine = [
        ("amd_machine_version_major", i64::from(major)),
        ("amd_machine_version_minor", i64::from(minor)),
        ("amd_machine_version_stepping", i64::from(stepping)),
    ];
    for (name, value) in DEFAULTS.into_iter().chain(machine) {
        if let Some((_, _, bits)) = named(name) {
            bits.set(&mut header, value);
        }
    }
    for (name, bits, value, span) in &open.values {
        let value = names.value(*value, span)?;
        let Some(value) = value.as_absolute() else {
            let message =
                format!("`{name}` must be a number, but this is an address or not defined");
            return Err(fail(&ids::ADDRESS_VALUE, span.clone(), message));
        };
        let (low, high) = bits.range();
        if !(low..=high).contains(&value) {
            let message = format!("{value} is out of range {low} to {high} of `{name}`");
            return Err(fail(&ids::KEY_RANGE, span.clone(), message));
        }
        bits.set(&mut header, value);
    }
    let (section, offset) = open.place;
    output.patch(section, offset, &header);
    Ok(())
}

/// Builds all headers at the end of the source.
pub(crate) fn finish_kernel_codes(asm: &mut Assembler<'_>) {
    if let Some(open) = asm.output.kernels.open_header.take() {
        let message = format!("`{BEGIN}` is not closed");
        asm.reader
            .collect(Err(fail(&ids::UNCLOSED_BLOCK, open.span, message)
                .with_help(format!("end it with `{END}`"))));
    }
    for open in std::mem::take(&mut asm.output.kernels.closed_headers) {
        let names = &mut asm.reader.parser.names;
        let result = finish_kernel_code(names, &mut asm.output, &open);
        asm.reader.collect(result);
    }
}
