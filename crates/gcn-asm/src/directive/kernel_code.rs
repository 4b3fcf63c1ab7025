//! Directives for the header before a kernel's code: `.amd_kernel_code_t` … `.end_amd_kernel_code_t`.

use std::ops::Range;

use gcn_object::KERNEL_CODE_SIZE;

use crate::assembler::Assembler;
use crate::diagnostic::{Fail, WithHelp, fail};
use crate::explain;
use crate::header::{BEGIN, DEFAULTS, END, HeaderDirectives, IGNORED, KEYS, named};
use crate::ids;

/// `.amd_kernel_code_t`
pub(crate) fn begin_kernel_code(asm: &mut Assembler<'_>, span: Range<usize>) -> Result<(), Fail> {
    if asm.kernels.open_header.is_some() {
        return Err(fail(
            &ids::UNCLOSED_BLOCK,
            span,
            format!("`{BEGIN}` is still open"),
        )
        .with_help(format!("end it with `{END}`")));
    }
    asm.kernels.open_header = Some(HeaderDirectives {
        span: asm.reader.expansion.map_to_source(span),
        place: asm.output.here(),
        values: Vec::new(),
    });
    Ok(())
}

/// `key = value`; the cursor is after the `=`.
pub(crate) fn kernel_code_key(
    asm: &mut Assembler<'_>,
    name: &str,
    span: Range<usize>,
) -> Result<(), Fail> {
    asm.reader.cursor.skip_blanks();
    let start = asm.reader.cursor.pos();
    let value = asm.delayed("this key takes an integer")?;
    let value_span = asm
        .reader
        .expansion
        .map_to_source(start..asm.reader.cursor.pos());
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
    if let Some(open) = &mut asm.kernels.open_header {
        open.values.push((name, bits, value, value_span));
    }
    Ok(())
}

/// `.end_amd_kernel_code_t`: reserves space for the header.
pub(crate) fn end_kernel_code(asm: &mut Assembler<'_>, span: Range<usize>) -> Result<(), Fail> {
    let Some(open) = asm.kernels.open_header.take() else {
        return Err(fail(
            &ids::UNOPENED_BLOCK,
            span,
            format!("`{END}` without `{BEGIN}`"),
        ));
    };
    asm.output.emit_zeros(KERNEL_CODE_SIZE as u64, &span)?;
    asm.kernels.closed_headers.push(open);
    Ok(())
}

/// Builds the header, once every symbol is known.
fn finish_kernel_code(asm: &mut Assembler<'_>, open: &HeaderDirectives) -> Result<(), Fail> {
    let mut header = [0; KERNEL_CODE_SIZE];
    let (major, minor, stepping) = asm.target.version();
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
        let value = asm.delayed_value(*value, span)?;
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
    asm.output.patch(section, offset, &header);
    Ok(())
}

/// Builds all headers at the end of the source.
pub(crate) fn finish_kernel_codes(asm: &mut Assembler<'_>) {
    if let Some(open) = asm.kernels.open_header.take() {
        asm.collect(Err(fail(
            &ids::UNCLOSED_BLOCK,
            open.span,
            format!("`{BEGIN}` is not closed"),
        )
        .with_help(format!("end it with `{END}`"))));
    }
    for open in std::mem::take(&mut asm.kernels.closed_headers) {
        let result = finish_kernel_code(asm, &open);
        asm.collect(result);
    }
}
