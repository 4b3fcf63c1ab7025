//! Kernel descriptor directives: `.amdhsa_kernel` … `.end_amdhsa_kernel`.
//!
//! Keys, defaults, ranges and granularity follow "AMDHSA Kernel Assembler Directives" of LLVM's "User Guide for
//! AMDGPU Backend" for gfx6 to gfx9.

use std::ops::Range;

use gcn_isa::Isa;
use gcn_object::{
    Binding, DESCRIPTOR_ALIGN, DESCRIPTOR_SIZE, ENTRY_OFFSET_FIELD, Feature, KernelDescriptor,
    RelocationKind, Rsrc1, Rsrc2, SymbolKind,
};

use crate::argument::DelayedValue;
use crate::assembler::names::Names;
use crate::assembler::output::{DeclaredKernels, Output};
use crate::assembler::parser::Parser;
use crate::descriptor::*;
use crate::diagnostic::{Diagnostic, Fail, WithHelp, fail};
use crate::directive::lds;
use crate::explain;
use crate::ids;
use crate::program::{ProgramKernel, ProgramRelocation};
use crate::symbols::{SymbolDefinition, Symbols};
use crate::usage::RegisterUsage;
use crate::value::{ExprValue, SymbolId};

/// Alignment of a kernel's entry point in bytes; hardware address registers omit the low eight bits.
const ENTRY_ALIGN: u64 = 256;
/// Handles `.amdhsa_kernel name`.
pub(crate) fn begin_kernel(
    parser: &mut Parser<'_>,
    kernels: &mut DeclaredKernels,
    span: Range<usize>,
) -> Result<(), Fail> {
    let (name, name_span) = parser.cursor.name_and_span()?;
    let name = name.into_owned();
    if let Some(open) = &kernels.open {
        let message = format!("`.amdhsa_kernel {}` is still open", open.name);
        return Err(
            fail(&ids::UNCLOSED_BLOCK, span, message).with_help("end it with `.end_amdhsa_kernel`")
        );
    }
    let symbol = parser.names.symbols.reference(&name, name_span);
    kernels.open = Some(KernelDirectives {
        name,
        span: parser.map_to_source(parser.cursor.since(span.start)),
        symbol,
        place: (0, 0),
        descriptor_symbol: None,
        values: Vec::new(),
    });
    Ok(())
}

/// Handles `.amdhsa_key value`.
pub(crate) fn kernel_key(
    parser: &mut Parser<'_>,
    kernels: &mut DeclaredKernels,
    name: &str,
    span: Range<usize>,
) -> Result<(), Fail> {
    let short = name.strip_prefix(PREFIX).unwrap_or(name);
    let Some(&(short, key, on)) = KEYS.iter().find(|(n, ..)| *n == short) else {
        parser.cursor.skip_statement_content();
        let error = fail(
            &ids::UNKNOWN_KEY,
            span,
            format!("unknown directive `{name}` for these generations"),
        );
        return Err(match explain::closest(short, KEYS.iter().map(|k| k.0)) {
            Some(similar) => error.with_help(format!("did you mean `{PREFIX}{similar}`?")),
            None => error,
        });
    };
    if kernels.open.is_none() {
        parser.cursor.skip_statement_content();
        let message = format!("`{name}` is not within `.amdhsa_kernel` … `.end_amdhsa_kernel`");
        return Err(fail(&ids::MISPLACED_DIRECTIVE, span, message));
    }
    if !on.has(parser.isa) {
        parser.cursor.skip_statement_content();
        let message = format!("{} has no `{name}`", parser.isa);
        return Err(
            fail(&ids::UNSUPPORTED_KEY, span, message).with_help(format!("it exists on {on}"))
        );
    }
    let start = parser.cursor.token_start();
    let value = parser.delayed("this directive takes an integer")?;
    let value_span = parser.map_to_source(parser.cursor.since(start));
    let Some(kernel) = &mut kernels.open else {
        return Ok(());
    };
    if kernel.values.iter().any(|(k, ..)| *k == key) {
        let message = format!("`{name}` is written twice");
        return Err(fail(&ids::DUPLICATE_KEY, span, message));
    }
    kernel.values.push((key, short, value, value_span));
    Ok(())
}

/// Handles `.end_amdhsa_kernel`: reserves space for the descriptor.
pub(crate) fn end_kernel(
    names: &mut Names,
    output: &mut Output,
    span: Range<usize>,
) -> Result<(), Fail> {
    let Some(mut kernel) = output.kernels.open.take() else {
        let message = "`.end_amdhsa_kernel` without `.amdhsa_kernel`";
        return Err(fail(&ids::UNOPENED_BLOCK, span, message));
    };
    // The descriptor is data and must not be in a code section.
    let outside = (names.layout.current, names.layout.previous);
    if names.layout.section().is_some_and(|s| s.flags.exec) {
        names.layout.current = names.layout.section_named(".rodata");
    }
    let result = place_descriptor(names, output, &mut kernel);
    (names.layout.current, names.layout.previous) = outside;
    output.kernels.closed.push(kernel);
    result
}

fn place_descriptor(
    names: &mut Names,
    output: &mut Output,
    kernel: &mut KernelDirectives,
) -> Result<(), Fail> {
    output.align(&mut names.layout, DESCRIPTOR_ALIGN, &kernel.span)?;
    let (section, offset) = names.layout.here();
    output.emit_zeros(&mut names.layout, DESCRIPTOR_SIZE as u64, &kernel.span)?;
    kernel.place = (section, offset);
    let name = format!("{}.kd", kernel.name);
    let id = names.symbols.reference(&name, kernel.span.clone());
    if let Some(entry) = names.symbols.get_mut(id) {
        if entry.defined != SymbolDefinition::No {
            let message = format!("symbol `{name}` is already defined");
            return Err(fail(&ids::REDEFINED_SYMBOL, kernel.span.clone(), message));
        }
        entry.defined = SymbolDefinition::Label { section, offset };
        entry.locate(kernel.span.clone());
        entry.kind = SymbolKind::Object;
        entry.size = SymbolDefinition::Value(ExprValue::absolute(DESCRIPTOR_SIZE as i64));
    }
    kernel.descriptor_symbol = Some(id);
    let relocation = ProgramRelocation {
        offset: offset + ENTRY_OFFSET_FIELD,
        kind: RelocationKind::Rel64,
        symbol: kernel.symbol.0 as usize,
        addend: ENTRY_OFFSET_FIELD as i64,
        span: kernel.span.clone(),
    };
    output.relocate(section, relocation);
    Ok(())
}

/// Builds the descriptor once all symbols are known.
pub(crate) fn finish_kernel(
    parser: &mut Parser<'_>,
    output: &mut Output,
    mut kernel: KernelDirectives,
    begins: &[(u32, u64)],
) -> Result<(), Fail> {
    let SymbolDefinition::Label { section, offset } = parser.names.symbols.defined(kernel.symbol)
    else {
        let message = format!(
            "kernel `{}` has no code: there is no label of this name",
            kernel.name
        );
        return Err(fail(&ids::KERNEL_WITHOUT_CODE, kernel.span, message));
    };
    let layout = &mut parser.names.layout;
    let stated = layout.sections.get(section as usize);
    let begin = stated.and_then(|section| section.address).unwrap_or(0);
    let address = begin.wrapping_add(offset);
    if !address.is_multiple_of(ENTRY_ALIGN) {
        parser.diagnostics.push(
            Diagnostic::warning(&ids::KERNEL_ALIGNMENT,
                kernel.span.clone(),
                format!(
                    "kernel `{}` begins at {address:#x}, but hardware starts code at multiples of {ENTRY_ALIGN} bytes",
                    kernel.name
                ),
            )
            .help("write `.p2align 8` before its label"),
        );
    } else if offset.is_multiple_of(ENTRY_ALIGN) {
        layout.align(section, ENTRY_ALIGN);
    }
    let symbols = &mut parser.names.symbols;
    let entry = symbols.get(kernel.symbol);
    let binding = entry.map(|entry| (entry.binding, entry.visibility));
    if let (Some((binding, visibility)), Some(id)) = (binding, kernel.descriptor_symbol)
        && let Some(entry) = symbols.get_mut(id)
    {
        // The default is global: a kernel with a local descriptor symbol cannot be launched.
        entry.binding = Some(entry.binding.or(binding).unwrap_or(Binding::Global));
        entry.visibility = visibility;
    }
    let note = count_registers(
        &mut parser.names,
        output,
        &mut kernel,
        (section, offset),
        begins,
    );
    parser.diagnostics.extend(note);
    let descriptor = descriptor(parser, output, &kernel)?;
    let (section, offset) = kernel.place;
    output.patch(section, offset, &descriptor.encode());
    output.kernels.finished.push(ProgramKernel {
        name: kernel.name,
        descriptor,
        span: kernel.span,
    });
    Ok(())
}

/// Computes the register counts that a kernel omits, from the registers that its code uses and those that the hardware
/// initializes. Returns a note that states the counts.
fn count_registers(
    names: &mut Names,
    output: &Output,
    kernel: &mut KernelDirectives,
    code: (u32, u64),
    begins: &[(u32, u64)],
) -> Option<Diagnostic> {
    let isa = names.target.isa;
    let says = |key| kernel.values.iter().any(|(k, ..)| *k == key);
    let (vgprs_missing, sgprs_missing) = (
        !says(DescriptorKey::NextFreeVgpr),
        !says(DescriptorKey::NextFreeSgpr),
    );
    if !vgprs_missing && !sgprs_missing {
        return None;
    }
    let mut used = RegisterUsage::of(isa, code_of(names, output, kernel.symbol, code, begins));
    let leaves = used.leaves;
    if leaves {
        // Registers used by callees are unknown.
        used = RegisterUsage {
            vgprs: used.vgprs.max(names.vgprs.total()),
            sgprs: used.sgprs.max(names.sgprs.total()),
            vcc: true,
            flat_scratch: true,
            ..used
        };
    }
    let mut number = |key: DescriptorKey| {
        let (.., value, span) = kernel.values.iter().find(|(k, ..)| *k == key)?;
        let (value, span) = (*value, span.clone());
        let value = names.value(value, &span).ok()?.as_absolute()?;
        u32::try_from(value).ok()
    };
    let user = number(DescriptorKey::UserSgprCount).unwrap_or(0);
    let asked: u32 = KEYS
        .iter()
        .filter_map(|&(_, key, _)| match key {
            DescriptorKey::UserSgprs(_, count) => Some(number(key)?.min(1) * count),
            _ => None,
        })
        .sum();
    let system: u32 = SYSTEM_SGPRS
        .into_iter()
        .map(|(field, default)| {
            number(DescriptorKey::Rsrc2(field))
                .unwrap_or(default)
                .min(1)
        })
        .sum();
    let items = number(DescriptorKey::Rsrc2(Rsrc2::ENABLE_VGPR_WORKITEM_ID)).unwrap_or(0);
    let vgprs = used.vgprs.max(items.min(MAX_ITEM_ID) + 1);
    let sgprs = used.sgprs.max(user.max(asked) + system);
    let mut found = Vec::new();
    let mut say = |key: DescriptorKey, value: u32, what: String| {
        let Some(&(name, ..)) = KEYS.iter().find(|(_, k, _)| *k == key) else {
            return;
        };
        let span = kernel.span.clone();
        let value = DelayedValue::Value(ExprValue::absolute(value.into()));
        kernel.values.push((key, name, value, span));
        found.push(what);
    };
    if vgprs_missing {
        say(DescriptorKey::NextFreeVgpr, vgprs, format!("{vgprs} VGPRs"));
    }
    if sgprs_missing {
        say(DescriptorKey::NextFreeSgpr, sgprs, format!("{sgprs} SGPRs"));
        let special = [
            (DescriptorKey::ReserveVcc, used.vcc, "VCC"),
            (
                DescriptorKey::ReserveFlatScratch,
                used.flat_scratch,
                "FLAT_SCRATCH",
            ),
        ];
        for (key, is_used, name) in special {
            if is_unset(&kernel.values, key) && has_key(isa, key) {
                let without = if is_used { "" } else { "no " };
                let value = DelayedValue::Value(ExprValue::absolute(is_used.into()));
                let named = KEYS.iter().find(|(_, k, _)| *k == key);
                let span = kernel.span.clone();
                kernel
                    .values
                    .extend(named.map(|&(key_name, ..)| (key, key_name, value, span)));
                found.push(format!("{without}{name}"));
            }
        }
    }
    let message = format!(
        "kernel `{}` does not state its registers; it gets {}",
        kernel.name,
        found.join(", ")
    );
    let mut note = Diagnostic::note(&ids::IMPLIED_REGISTERS, kernel.span.clone(), message);
    if leaves {
        note =
            note.help("it calls code elsewhere, so every register named in the source is counted");
    }
    if used.indexes {
        note =
            note.help("it reaches registers by an index, which may be higher than what is counted");
    }
    Some(note)
}

fn has_key(isa: Isa, key: DescriptorKey) -> bool {
    let named = KEYS.iter().find(|(_, k, _)| *k == key);
    named.is_some_and(|(.., on)| on.has(isa))
}

/// Section index and offset of each function and kernel, in ascending order.
pub(crate) fn code_starts(symbols: &Symbols, kernels: &[KernelDirectives]) -> Vec<(u32, u64)> {
    let functions = symbols.ids().filter(|id| {
        let entry = symbols.get(*id);
        entry.is_some_and(|entry| entry.kind == SymbolKind::Function)
    });
    let kernels = kernels.iter().map(|kernel| kernel.symbol);
    let place = |id| match symbols.defined(id) {
        SymbolDefinition::Label { section, offset } => Some((section, offset)),
        _ => None,
    };
    let mut begins: Vec<_> = functions.chain(kernels).filter_map(place).collect();
    begins.sort_unstable();
    begins
}

/// Bytes of a kernel's code: as many as its symbol's size states, but only up to the next function or kernel.
fn code_of<'a>(
    names: &Names,
    output: &'a Output,
    symbol: SymbolId,
    (section, offset): (u32, u64),
    begins: &[(u32, u64)],
) -> &'a [u8] {
    let size = match names.symbols.get(symbol).map(|entry| entry.size) {
        Some(SymbolDefinition::Value(value)) => value.as_absolute(),
        Some(SymbolDefinition::Expr(expr)) => {
            let value = names.exprs.value(expr, &names.symbols);
            value.and_then(|value| value.as_absolute())
        }
        _ => None,
    };
    let stated = size
        .and_then(|size| u64::try_from(size).ok())
        .filter(|&size| size > 0);
    let later = begins.partition_point(|&begin| begin <= (section, offset));
    let next = begins.get(later).filter(|next| next.0 == section);
    let bytes = output.bytes(section);
    let ends = [
        stated.map(|size| offset.saturating_add(size)),
        next.map(|next| next.1),
    ];
    let end = ends.into_iter().flatten().min();
    let end = end.map_or(bytes.len(), |end| {
        usize::try_from(end).unwrap_or(usize::MAX)
    });
    let start = usize::try_from(offset).unwrap_or(usize::MAX);
    bytes.get(start..end.min(bytes.len())).unwrap_or_default()
}

fn descriptor(
    parser: &mut Parser<'_>,
    output: &Output,
    kernel: &KernelDirectives,
) -> Result<KernelDescriptor, Fail> {
    let mut descriptor = KernelDescriptor {
        compute_pgm_rsrc1: Rsrc1::default()
            .with(Rsrc1::FLOAT_DENORM_MODE_16_64, KEEP_DENORMALS)
            .with(Rsrc1::ENABLE_DX10_CLAMP, 1)
            .with(Rsrc1::ENABLE_IEEE_MODE, 1),
        compute_pgm_rsrc2: Rsrc2::default().with(Rsrc2::ENABLE_SGPR_WORKGROUP_ID_X, 1),
        ..KernelDescriptor::default()
    };
    if is_unset(&kernel.values, DescriptorKey::GroupSize) {
        descriptor.group_segment_fixed_size = lds::implied_lds(
            &mut parser.diagnostics,
            output.kernels.lds_size,
            &kernel.name,
            &kernel.span,
        );
    }
    let mut counts = RegisterCounts {
        vgprs: 0,
        sgprs: 0,
        vcc: true,
        // LLVM reserves SGPRs for FLAT_SCRATCH even on GCN 1.0, which lacks the register.
        flat_scratch: true,
        xnack_mask: matches!(output.features.xnack, Feature::Any | Feature::On),
    };
    let mut sgprs_span = kernel.span.clone();
    let mut user_sgprs = 0;
    let mut user_sgpr_count = None;
    for (key, name, delayed, span) in &kernel.values {
        let value = parser.names.value(*delayed, span)?;
        let Some(value) = value.as_absolute() else {
            let message =
                format!("`{PREFIX}{name}` must be a number, but this is an address or not defined");
            return Err(fail(&ids::ADDRESS_VALUE, span.clone(), message));
        };
        if !(0..=key.max()).contains(&value) {
            let message = format!(
                "{value} is out of range 0 to {} of `{PREFIX}{name}`",
                key.max()
            );
            return Err(fail(&ids::KEY_RANGE, span.clone(), message));
        }
        let value = value as u32;
        let rsrc1 = &mut descriptor.compute_pgm_rsrc1;
        let rsrc2 = &mut descriptor.compute_pgm_rsrc2;
        let properties = &mut descriptor.kernel_code_properties;
        match *key {
            DescriptorKey::GroupSize => descriptor.group_segment_fixed_size = value,
            DescriptorKey::PrivateSize => descriptor.private_segment_fixed_size = value,
            DescriptorKey::KernargSize => descriptor.kernarg_size = value,
            DescriptorKey::Rsrc1(field) => *rsrc1 = rsrc1.with(field, value),
            DescriptorKey::Rsrc2(field) => *rsrc2 = rsrc2.with(field, value),
            DescriptorKey::UserSgprs(field, count) => {
                *properties = properties.with(field, value);
                user_sgprs += count * value;
            }
            DescriptorKey::Property(field) => *properties = properties.with(field, value),
            DescriptorKey::UserSgprCount => user_sgpr_count = Some((value, span)),
            DescriptorKey::NextFreeVgpr => counts.vgprs = value,
            DescriptorKey::NextFreeSgpr => {
                counts.sgprs = value;
                sgprs_span = span.clone();
            }
            DescriptorKey::ReserveVcc => counts.vcc = value != 0,
            DescriptorKey::ReserveFlatScratch => counts.flat_scratch = value != 0,
            DescriptorKey::ReserveXnackMask => {
                if (value != 0) != counts.xnack_mask {
                    return Err(fail(&ids::TARGET_FEATURE, span.clone(), "this contradicts the target")
                        .with_help("`:xnack+` or `:xnack-` in `.amdgcn_target` decides whether XNACK_MASK is reserved"));
                }
            }
        }
    }
    if let Some((count, span)) = user_sgpr_count
        && count < user_sgprs
    {
        let message =
            format!("{count} user SGPRs are fewer than the {user_sgprs} that are enabled");
        return Err(fail(&ids::USER_SGPRS, span.clone(), message));
    }
    let count = user_sgpr_count.map_or(user_sgprs, |(count, _)| count);
    let rsrc2 = &mut descriptor.compute_pgm_rsrc2;
    *rsrc2 = rsrc2.with(Rsrc2::USER_SGPR_COUNT, count);
    let rsrc1 = &mut descriptor.compute_pgm_rsrc1;
    let sgprs = counts.sgprs(parser.isa, parser.target.name).map_err(|limit| {
        fail(
            &ids::REGISTER_LIMIT,
            sgprs_span,
            format!("the kernel needs more than {limit} SGPRs"),
        )
        .with_help(
            "VCC, FLAT_SCRATCH and XNACK_MASK are counted; `.amdhsa_reserve_…` states which are used",
        )
    })?;
    *rsrc1 = rsrc1
        .with(
            Rsrc1::GRANULATED_WORKITEM_VGPR_COUNT,
            blocks(counts.vgprs, VGPR_BLOCK),
        )
        .with(
            Rsrc1::GRANULATED_WAVEFRONT_SGPR_COUNT,
            blocks(sgprs, SGPR_BLOCK),
        );
    Ok(descriptor)
}
