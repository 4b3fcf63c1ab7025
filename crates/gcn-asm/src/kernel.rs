//! `.amdhsa_kernel` … `.end_amdhsa_kernel`: the kernel descriptor.
//!
//! Keys, defaults, ranges and granularity follow "AMDHSA Kernel Assembler Directives" of LLVM's "User Guide for
//! AMDGPU Backend" for gfx6 to gfx9.

use std::ops::Range;

use gcn_isa::{Isa, IsaSet};
use gcn_object::{
    Binding, DESCRIPTOR_ALIGN, DESCRIPTOR_SIZE, ENTRY_OFFSET_FIELD, Feature, Field,
    KernelDescriptor, Properties, RelocationKind, Rsrc1, Rsrc2, SymbolKind,
};

use crate::assembler::Assembler;
use crate::diagnostic::{Diagnostic, Fail, Helped, fail};
use crate::explain;
use crate::expr::{Parsed, Value};
use crate::ids;
use crate::operand::Delayed;
use crate::program::{Kernel, Relocation};
use crate::symbols::{Defined, SymbolId};
use crate::usage::Usage;

/// A kernel's entry is a multiple of so many bytes: the address registers of the hardware lack eight bits.
const ENTRY_ALIGN: u64 = 256;
/// VGPRs are allocated in blocks of so many.
pub(crate) const VGPR_BLOCK: u32 = 4;
/// SGPRs are counted in blocks of so many.
pub(crate) const SGPR_BLOCK: u32 = 8;
/// VGPRs of a lane.
const MAX_VGPRS: u32 = 256;
/// On chips whose SGPRs are not initialised if fewer are asked for, every kernel asks for this many.
const SGPRS_OF_INIT_BUG: u32 = 96;
/// The chips.
const INIT_BUG: [&str; 2] = ["gfx802", "gfx805"];

/// The last dimension that `.amdhsa_system_vgpr_workitem_id` can ask for.
const MAX_ITEM_ID: u32 = 2;
/// The fields that ask for an SGPR with what differs between workgroups, and what they are by default.
const SYSTEM_SGPRS: [(Field, u32); 5] = [
    (Rsrc2::ENABLE_SGPR_WORKGROUP_ID_X, 1),
    (Rsrc2::ENABLE_SGPR_WORKGROUP_ID_Y, 0),
    (Rsrc2::ENABLE_SGPR_WORKGROUP_ID_Z, 0),
    (Rsrc2::ENABLE_SGPR_WORKGROUP_INFO, 0),
    (Rsrc2::ENABLE_PRIVATE_SEGMENT, 0),
];

/// What a key sets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Key {
    GroupSize,
    PrivateSize,
    KernargSize,
    Rsrc1(Field),
    Rsrc2(Field),
    /// A user SGPR or a group of so many.
    UserSgprs(Field, u32),
    Property(Field),
    UserSgprCount,
    NextFreeVgpr,
    NextFreeSgpr,
    ReserveVcc,
    ReserveFlatScratch,
    ReserveXnackMask,
}

const ALL: IsaSet = IsaSet::from(Isa::Si);
const CI: IsaSet = IsaSet::from(Isa::Ci);
const VI: IsaSet = IsaSet::from(Isa::Vi);
const GFX9: IsaSet = IsaSet::from(Isa::Gfx9);

/// The keys without `.amdhsa_`, what they set, where they exist.
#[rustfmt::skip]
pub(crate) const KEYS: &[(&str, Key, IsaSet)] = &[
    ("group_segment_fixed_size",           Key::GroupSize, ALL),
    ("private_segment_fixed_size",         Key::PrivateSize, ALL),
    ("kernarg_size",                       Key::KernargSize, ALL),
    ("user_sgpr_count",                    Key::UserSgprCount, ALL),
    ("user_sgpr_private_segment_buffer",   Key::UserSgprs(Properties::ENABLE_SGPR_PRIVATE_SEGMENT_BUFFER, 4), ALL),
    ("user_sgpr_dispatch_ptr",             Key::UserSgprs(Properties::ENABLE_SGPR_DISPATCH_PTR, 2), ALL),
    ("user_sgpr_queue_ptr",                Key::UserSgprs(Properties::ENABLE_SGPR_QUEUE_PTR, 2), ALL),
    ("user_sgpr_kernarg_segment_ptr",      Key::UserSgprs(Properties::ENABLE_SGPR_KERNARG_SEGMENT_PTR, 2), ALL),
    ("user_sgpr_dispatch_id",              Key::UserSgprs(Properties::ENABLE_SGPR_DISPATCH_ID, 2), ALL),
    ("user_sgpr_flat_scratch_init",        Key::UserSgprs(Properties::ENABLE_SGPR_FLAT_SCRATCH_INIT, 2), ALL),
    ("user_sgpr_private_segment_size",     Key::UserSgprs(Properties::ENABLE_SGPR_PRIVATE_SEGMENT_SIZE, 1), ALL),
    ("uses_dynamic_stack",                 Key::Property(Properties::USES_DYNAMIC_STACK), ALL),
    ("system_sgpr_private_segment_wavefront_offset", Key::Rsrc2(Rsrc2::ENABLE_PRIVATE_SEGMENT), ALL),
    ("system_sgpr_workgroup_id_x",         Key::Rsrc2(Rsrc2::ENABLE_SGPR_WORKGROUP_ID_X), ALL),
    ("system_sgpr_workgroup_id_y",         Key::Rsrc2(Rsrc2::ENABLE_SGPR_WORKGROUP_ID_Y), ALL),
    ("system_sgpr_workgroup_id_z",         Key::Rsrc2(Rsrc2::ENABLE_SGPR_WORKGROUP_ID_Z), ALL),
    ("system_sgpr_workgroup_info",         Key::Rsrc2(Rsrc2::ENABLE_SGPR_WORKGROUP_INFO), ALL),
    ("system_vgpr_workitem_id",            Key::Rsrc2(Rsrc2::ENABLE_VGPR_WORKITEM_ID), ALL),
    ("next_free_vgpr",                     Key::NextFreeVgpr, ALL),
    ("next_free_sgpr",                     Key::NextFreeSgpr, ALL),
    ("reserve_vcc",                        Key::ReserveVcc, ALL),
    ("reserve_flat_scratch",               Key::ReserveFlatScratch, CI),
    ("reserve_xnack_mask",                 Key::ReserveXnackMask, VI),
    ("float_round_mode_32",                Key::Rsrc1(Rsrc1::FLOAT_ROUND_MODE_32), ALL),
    ("float_round_mode_16_64",             Key::Rsrc1(Rsrc1::FLOAT_ROUND_MODE_16_64), ALL),
    ("float_denorm_mode_32",               Key::Rsrc1(Rsrc1::FLOAT_DENORM_MODE_32), ALL),
    ("float_denorm_mode_16_64",            Key::Rsrc1(Rsrc1::FLOAT_DENORM_MODE_16_64), ALL),
    ("dx10_clamp",                         Key::Rsrc1(Rsrc1::ENABLE_DX10_CLAMP), ALL),
    ("ieee_mode",                          Key::Rsrc1(Rsrc1::ENABLE_IEEE_MODE), ALL),
    ("fp16_overflow",                      Key::Rsrc1(Rsrc1::FP16_OVFL), GFX9),
    ("exception_fp_ieee_invalid_op",       Key::Rsrc2(Rsrc2::ENABLE_EXCEPTION_IEEE_754_FP_INVALID_OPERATION), ALL),
    ("exception_fp_denorm_src",            Key::Rsrc2(Rsrc2::ENABLE_EXCEPTION_FP_DENORMAL_SOURCE), ALL),
    ("exception_fp_ieee_div_zero",         Key::Rsrc2(Rsrc2::ENABLE_EXCEPTION_IEEE_754_FP_DIVISION_BY_ZERO), ALL),
    ("exception_fp_ieee_overflow",         Key::Rsrc2(Rsrc2::ENABLE_EXCEPTION_IEEE_754_FP_OVERFLOW), ALL),
    ("exception_fp_ieee_underflow",        Key::Rsrc2(Rsrc2::ENABLE_EXCEPTION_IEEE_754_FP_UNDERFLOW), ALL),
    ("exception_fp_ieee_inexact",          Key::Rsrc2(Rsrc2::ENABLE_EXCEPTION_IEEE_754_FP_INEXACT), ALL),
    ("exception_int_div_zero",             Key::Rsrc2(Rsrc2::ENABLE_EXCEPTION_INT_DIVIDE_BY_ZERO), ALL),
];

/// What comes before a key's name.
pub(crate) const PREFIX: &str = ".amdhsa_";

/// Denormals of F16 and F64 are kept unless a kernel says otherwise.
const KEEP_DENORMALS: u32 = 3;

impl Key {
    /// The largest value.
    fn max(self) -> i64 {
        match self {
            Key::GroupSize | Key::PrivateSize | Key::KernargSize => i64::from(u32::MAX),
            Key::Rsrc1(field) | Key::Rsrc2(field) => i64::from(field.max()),
            Key::UserSgprCount => i64::from(Rsrc2::USER_SGPR_COUNT.max()),
            Key::NextFreeVgpr => i64::from(MAX_VGPRS),
            Key::NextFreeSgpr => i64::from(u16::MAX),
            _ => 1,
        }
    }
}

/// A kernel as it is read; values may wait for symbols.
#[derive(Debug)]
pub(crate) struct KernelDirectives {
    pub name: String,
    pub span: Range<usize>,
    symbol: SymbolId,
    /// Section and offset of the descriptor.
    place: (u32, u64),
    descriptor_symbol: Option<SymbolId>,
    values: Vec<KernelValue>,
}

/// A key with its name, its value, and where that stands.
type KernelValue = (Key, &'static str, Delayed, Range<usize>);

impl Assembler<'_> {
    /// `.amdhsa_kernel name`
    pub(crate) fn begin_kernel(&mut self, span: Range<usize>) -> Result<(), Fail> {
        self.cursor.skip_blanks();
        let start = self.cursor.pos();
        let name = self.cursor.name()?.into_owned();
        let name_span = start..self.cursor.pos();
        if let Some(open) = &self.open_kernel {
            return Err(fail(
                &ids::UNCLOSED_BLOCK,
                span,
                format!("`.amdhsa_kernel {}` has no end yet", open.name),
            )
            .helped("end it with `.end_amdhsa_kernel`"));
        }
        let symbol = self.symbols.used(&name, name_span);
        self.open_kernel = Some(KernelDirectives {
            name,
            span: self.expansion.in_source(span.start..self.cursor.pos()),
            symbol,
            place: (0, 0),
            descriptor_symbol: None,
            values: Vec::new(),
        });
        Ok(())
    }

    /// `.amdhsa_key value`
    pub(crate) fn kernel_key(&mut self, name: &str, span: Range<usize>) -> Result<(), Fail> {
        let short = name.strip_prefix(PREFIX).unwrap_or(name);
        let Some(&(short, key, on)) = KEYS.iter().find(|(n, ..)| *n == short) else {
            self.cursor.skip_line_content();
            let error = fail(
                &ids::UNKNOWN_KEY,
                span,
                format!("there is no directive `{name}` for these generations"),
            );
            return Err(match explain::closest(short, KEYS.iter().map(|k| k.0)) {
                Some(similar) => error.helped(format!("did you mean `{PREFIX}{similar}`?")),
                None => error,
            });
        };
        if self.open_kernel.is_none() {
            self.cursor.skip_line_content();
            return Err(fail(
                &ids::MISPLACED_DIRECTIVE,
                span,
                format!("`{name}` is not within `.amdhsa_kernel` … `.end_amdhsa_kernel`"),
            ));
        }
        if !on.has(self.isa) {
            self.cursor.skip_line_content();
            return Err(fail(
                &ids::UNSUPPORTED_KEY,
                span,
                format!("{} has no `{name}`", self.isa),
            )
            .helped(format!("it exists on {on}")));
        }
        self.cursor.skip_blanks();
        let start = self.cursor.pos();
        let value = match self.parse_expr()? {
            Parsed::Known(value) => Delayed::Value(value),
            Parsed::Later(id) => Delayed::Expr(id),
            Parsed::Float(_) | Parsed::Suffixed(..) => {
                return Err(fail(
                    &ids::FLOAT_VALUE,
                    start..self.cursor.pos(),
                    "this directive takes an integer",
                ));
            }
        };
        let value_span = self.expansion.in_source(start..self.cursor.pos());
        let Some(kernel) = &mut self.open_kernel else {
            return Ok(());
        };
        if kernel.values.iter().any(|(k, ..)| *k == key) {
            return Err(fail(
                &ids::DUPLICATE_KEY,
                span,
                format!("`{name}` is written twice"),
            ));
        }
        kernel.values.push((key, short, value, value_span));
        Ok(())
    }

    /// `.end_amdhsa_kernel`: the descriptor gets its place.
    pub(crate) fn end_kernel(&mut self, span: Range<usize>) -> Result<(), Fail> {
        let Some(mut kernel) = self.open_kernel.take() else {
            return Err(fail(
                &ids::UNOPENED_BLOCK,
                span,
                "`.end_amdhsa_kernel` without `.amdhsa_kernel`",
            ));
        };
        // A descriptor is data; in code it would be in the way.
        let outside = (self.current, self.previous);
        if self.section().is_some_and(|s| s.flags.exec) {
            self.current = self.section_named(".rodata");
        }
        let result = self.place_descriptor(&mut kernel);
        (self.current, self.previous) = outside;
        self.kernels.push(kernel);
        result
    }

    fn place_descriptor(&mut self, kernel: &mut KernelDirectives) -> Result<(), Fail> {
        self.align_to(DESCRIPTOR_ALIGN, &kernel.span)?;
        let (section, offset) = self.here();
        self.emit_zeros(DESCRIPTOR_SIZE as u64, &kernel.span)?;
        kernel.place = (section, offset);
        let name = format!("{}.kd", kernel.name);
        let id = self.symbols.used(&name, kernel.span.clone());
        if let Some(entry) = self.symbols.get_mut(id) {
            if entry.defined != Defined::No {
                return Err(fail(
                    &ids::REDEFINED_SYMBOL,
                    kernel.span.clone(),
                    format!("symbol `{name}` is already defined"),
                ));
            }
            entry.defined = Defined::Label { section, offset };
            entry.kind = SymbolKind::Object;
            entry.size = Defined::Value(Value::absolute(DESCRIPTOR_SIZE as i64));
        }
        kernel.descriptor_symbol = Some(id);
        if let Some(section) = self.sections.get_mut(section as usize) {
            section.relocations.push(Relocation {
                offset: offset + ENTRY_OFFSET_FIELD,
                kind: RelocationKind::Rel64,
                symbol: kernel.symbol.0 as usize,
                addend: ENTRY_OFFSET_FIELD as i64,
                span: kernel.span.clone(),
            });
        }
        Ok(())
    }

    /// Makes the descriptor, once every symbol is known.
    pub(crate) fn finish_kernel(
        &mut self,
        mut kernel: KernelDirectives,
        begins: &[(u32, u64)],
    ) -> Result<(), Fail> {
        let Defined::Label { section, offset } = self.symbols.defined(kernel.symbol) else {
            return Err(fail(
                &ids::KERNEL_WITHOUT_CODE,
                kernel.span,
                format!(
                    "kernel `{}` has no code: there is no label of this name",
                    kernel.name
                ),
            ));
        };
        if offset.is_multiple_of(ENTRY_ALIGN) {
            if let Some(section) = self.sections.get_mut(section as usize) {
                section.align = section.align.max(ENTRY_ALIGN);
            }
        } else {
            self.diagnostics.push(
                Diagnostic::warning(&ids::KERNEL_ALIGNMENT,
                    kernel.span.clone(),
                    format!(
                        "kernel `{}` begins at {offset:#x}, but hardware starts code at multiples of {ENTRY_ALIGN} bytes",
                        kernel.name
                    ),
                )
                .help("write `.p2align 8` before its label"),
            );
        }
        let binding = self
            .symbols
            .get(kernel.symbol)
            .map(|e| (e.binding, e.visibility));
        if let (Some((binding, visibility)), Some(id)) = (binding, kernel.descriptor_symbol)
            && let Some(entry) = self.symbols.get_mut(id)
        {
            // A kernel that nobody sees cannot be started.
            entry.binding = Some(entry.binding.or(binding).unwrap_or(Binding::Global));
            entry.visibility = visibility;
        }
        self.count_registers(&mut kernel, (section, offset), begins);
        let descriptor = self.descriptor(&kernel)?;
        let (section, offset) = kernel.place;
        self.patch(section, offset, &descriptor.encode());
        self.finished_kernels.push(Kernel {
            name: kernel.name,
            descriptor,
            span: kernel.span,
        });
        Ok(())
    }

    /// Says how many registers a kernel needs if its author does not: what its code uses, and what the hardware fills
    /// at its start.
    fn count_registers(
        &mut self,
        kernel: &mut KernelDirectives,
        code: (u32, u64),
        begins: &[(u32, u64)],
    ) {
        let says = |key| kernel.values.iter().any(|(k, ..)| *k == key);
        let (vgprs_missing, sgprs_missing) = (!says(Key::NextFreeVgpr), !says(Key::NextFreeSgpr));
        if !vgprs_missing && !sgprs_missing {
            return;
        }
        let mut used = Usage::of(self.isa, self.code_of(kernel.symbol, code, begins));
        let leaves = used.leaves;
        if leaves {
            // What is called may be anywhere.
            used = Usage {
                vgprs: used.vgprs.max(self.vgprs.ever()),
                sgprs: used.sgprs.max(self.sgprs.ever()),
                vcc: true,
                flat_scratch: true,
                ..used
            };
        }
        let mut number = |key: Key| {
            let (.., value, span) = kernel.values.iter().find(|(k, ..)| *k == key)?;
            let (value, span) = (*value, span.clone());
            let value = self.delayed_value(value, &span).ok()?.as_absolute()?;
            u32::try_from(value).ok()
        };
        let user = number(Key::UserSgprCount).unwrap_or(0);
        let asked: u32 = KEYS
            .iter()
            .filter_map(|&(_, key, _)| match key {
                Key::UserSgprs(_, count) => Some(number(key)?.min(1) * count),
                _ => None,
            })
            .sum();
        let system: u32 = SYSTEM_SGPRS
            .into_iter()
            .map(|(field, default)| number(Key::Rsrc2(field)).unwrap_or(default).min(1))
            .sum();
        let items = number(Key::Rsrc2(Rsrc2::ENABLE_VGPR_WORKITEM_ID)).unwrap_or(0);
        let vgprs = used.vgprs.max(items.min(MAX_ITEM_ID) + 1);
        let sgprs = used.sgprs.max(user.max(asked) + system);
        let mut found = Vec::new();
        let mut say = |key: Key, value: u32, what: String| {
            let Some(&(name, ..)) = KEYS.iter().find(|(_, k, _)| *k == key) else {
                return;
            };
            let span = kernel.span.clone();
            let value = Delayed::Value(Value::absolute(value.into()));
            kernel.values.push((key, name, value, span));
            found.push(what);
        };
        if vgprs_missing {
            say(Key::NextFreeVgpr, vgprs, format!("{vgprs} VGPRs"));
        }
        if sgprs_missing {
            say(Key::NextFreeSgpr, sgprs, format!("{sgprs} SGPRs"));
            let special = [
                (Key::ReserveVcc, used.vcc, "VCC"),
                (Key::ReserveFlatScratch, used.flat_scratch, "FLAT_SCRATCH"),
            ];
            for (key, is_used, name) in special {
                if says_not(&kernel.values, key) && self.has_key(key) {
                    let without = if is_used { "" } else { "no " };
                    let value = Delayed::Value(Value::absolute(is_used.into()));
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
            "kernel `{}` does not say what registers it needs; it is given {}",
            kernel.name,
            found.join(", ")
        );
        let mut note = Diagnostic::note(&ids::IMPLIED_REGISTERS, kernel.span.clone(), message);
        if leaves {
            note = note.help(
                "it calls code elsewhere, so that every register named in the source is counted",
            );
        }
        if used.indexes {
            note = note
                .help("it reaches registers by an index, which may be higher than what is counted");
        }
        self.diagnostics.push(note);
    }

    fn has_key(&self, key: Key) -> bool {
        let named = KEYS.iter().find(|(_, k, _)| *k == key);
        named.is_some_and(|(.., on)| on.has(self.isa))
    }

    /// Section and offset of every function and kernel, in order.
    pub(crate) fn code_begins(&self) -> Vec<(u32, u64)> {
        let functions = self.symbols.ids().filter(|id| {
            let entry = self.symbols.get(*id);
            entry.is_some_and(|entry| entry.kind == SymbolKind::Function)
        });
        let kernels = self.kernels.iter().map(|kernel| kernel.symbol);
        let place = |id| match self.symbols.defined(id) {
            Defined::Label { section, offset } => Some((section, offset)),
            _ => None,
        };
        let mut begins: Vec<_> = functions.chain(kernels).filter_map(place).collect();
        begins.sort_unstable();
        begins
    }

    /// The bytes from a kernel's label to its end: its size, or the next function or kernel.
    fn code_of(
        &self,
        symbol: SymbolId,
        (section, offset): (u32, u64),
        begins: &[(u32, u64)],
    ) -> &[u8] {
        let size = match self.symbols.get(symbol).map(|entry| entry.size) {
            Some(Defined::Value(value)) => value.as_absolute(),
            Some(Defined::Expr(expr)) => {
                let value = self.exprs.value(expr, &self.symbols);
                value.and_then(|value| value.as_absolute())
            }
            _ => None,
        };
        let stated = size
            .and_then(|size| u64::try_from(size).ok())
            .filter(|&size| size > 0);
        let later = begins.partition_point(|&begin| begin <= (section, offset));
        let next = begins.get(later).filter(|next| next.0 == section);
        let bytes = self
            .sections
            .get(section as usize)
            .map_or(&[][..], |s| &s.bytes);
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

    fn descriptor(&mut self, kernel: &KernelDirectives) -> Result<KernelDescriptor, Fail> {
        let mut descriptor = KernelDescriptor {
            compute_pgm_rsrc1: Rsrc1::default()
                .with(Rsrc1::FLOAT_DENORM_MODE_16_64, KEEP_DENORMALS)
                .with(Rsrc1::ENABLE_DX10_CLAMP, 1)
                .with(Rsrc1::ENABLE_IEEE_MODE, 1),
            compute_pgm_rsrc2: Rsrc2::default().with(Rsrc2::ENABLE_SGPR_WORKGROUP_ID_X, 1),
            ..KernelDescriptor::default()
        };
        if says_not(&kernel.values, Key::GroupSize) {
            descriptor.group_segment_fixed_size = self.implied_lds(&kernel.name, &kernel.span);
        }
        let mut counts = Counts {
            vgprs: 0,
            sgprs: 0,
            vcc: true,
            // LLVM reserves its place on GCN 1.0 too, which has no such register.
            flat_scratch: true,
            xnack_mask: matches!(self.features.xnack, Feature::Any | Feature::On),
        };
        let mut sgprs_span = kernel.span.clone();
        let mut user_sgprs = 0;
        let mut user_sgpr_count = None;
        for (key, name, delayed, span) in &kernel.values {
            let value = self.delayed_value(*delayed, span)?;
            let Some(value) = value.as_absolute() else {
                return Err(fail(
                    &ids::ADDRESS_VALUE,
                    span.clone(),
                    format!(
                        "`{PREFIX}{name}` must be a number, but this is an address or not defined"
                    ),
                ));
            };
            if !(0..=key.max()).contains(&value) {
                return Err(fail(
                    &ids::KEY_RANGE,
                    span.clone(),
                    format!(
                        "{value} is out of range 0 to {} of `{PREFIX}{name}`",
                        key.max()
                    ),
                ));
            }
            let value = value as u32;
            let rsrc1 = &mut descriptor.compute_pgm_rsrc1;
            let rsrc2 = &mut descriptor.compute_pgm_rsrc2;
            let properties = &mut descriptor.kernel_code_properties;
            match *key {
                Key::GroupSize => descriptor.group_segment_fixed_size = value,
                Key::PrivateSize => descriptor.private_segment_fixed_size = value,
                Key::KernargSize => descriptor.kernarg_size = value,
                Key::Rsrc1(field) => *rsrc1 = rsrc1.with(field, value),
                Key::Rsrc2(field) => *rsrc2 = rsrc2.with(field, value),
                Key::UserSgprs(field, count) => {
                    *properties = properties.with(field, value);
                    user_sgprs += count * value;
                }
                Key::Property(field) => *properties = properties.with(field, value),
                Key::UserSgprCount => user_sgpr_count = Some((value, span)),
                Key::NextFreeVgpr => counts.vgprs = value,
                Key::NextFreeSgpr => {
                    counts.sgprs = value;
                    sgprs_span = span.clone();
                }
                Key::ReserveVcc => counts.vcc = value != 0,
                Key::ReserveFlatScratch => counts.flat_scratch = value != 0,
                Key::ReserveXnackMask => {
                    if (value != 0) != counts.xnack_mask {
                        return Err(fail(&ids::TARGET_FEATURE, span.clone(), "this contradicts the target")
                            .helped("`:xnack+` or `:xnack-` in `.amdgcn_target` decides whether XNACK_MASK is reserved"));
                    }
                }
            }
        }
        if let Some((count, span)) = user_sgpr_count
            && count < user_sgprs
        {
            return Err(fail(
                &ids::USER_SGPRS,
                span.clone(),
                format!("{count} user SGPRs are fewer than the {user_sgprs} that are asked for"),
            ));
        }
        let count = user_sgpr_count.map_or(user_sgprs, |(count, _)| count);
        let rsrc2 = &mut descriptor.compute_pgm_rsrc2;
        *rsrc2 = rsrc2.with(Rsrc2::USER_SGPR_COUNT, count);
        let rsrc1 = &mut descriptor.compute_pgm_rsrc1;
        let sgprs = counts.sgprs(self.isa, self.target.name).map_err(|limit| {
            fail(&ids::REGISTER_LIMIT, sgprs_span, format!("the kernel needs more than the {limit} SGPRs there are"))
                .helped("VCC, FLAT_SCRATCH and XNACK_MASK are counted; `.amdhsa_reserve_…` says which are used")
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
}

/// How many SGPRs a kernel has behind its own if it uses VCC, FLAT_SCRATCH, XNACK_MASK: each is allocated with those
/// before it.
pub(crate) fn extra_sgprs(isa: Isa) -> [u32; 3] {
    if isa >= Isa::Vi { [2, 6, 4] } else { [2, 4, 0] }
}

/// Whether no value is given for a key.
fn says_not(values: &[KernelValue], key: Key) -> bool {
    values.iter().all(|(k, ..)| *k != key)
}

/// Registers in blocks of `block`, less one block.
fn blocks(count: u32, block: u32) -> u32 {
    count.max(1).div_ceil(block) - 1
}

/// Registers that a kernel uses.
struct Counts {
    vgprs: u32,
    sgprs: u32,
    vcc: bool,
    flat_scratch: bool,
    xnack_mask: bool,
}

impl Counts {
    /// SGPRs with the special ones, which are allocated behind the others; or how many there are, if that is
    /// too few. Up to GCN 1.1 the special ones count among those.
    fn sgprs(&self, isa: Isa, target: &str) -> Result<u32, u32> {
        let has_bug = INIT_BUG.contains(&target);
        let limit = if has_bug {
            SGPRS_OF_INIT_BUG
        } else {
            u32::from(isa.sgprs())
        };
        let used = [self.vcc, self.flat_scratch, self.xnack_mask];
        let special = used
            .into_iter()
            .zip(extra_sgprs(isa))
            .filter_map(|(is_used, count)| is_used.then_some(count))
            .max()
            .unwrap_or(0);
        let all = self.sgprs + special;
        let counted = if isa >= Isa::Vi && !has_bug {
            self.sgprs
        } else {
            all
        };
        if counted > limit {
            return Err(limit);
        }
        Ok(if has_bug { SGPRS_OF_INIT_BUG } else { all })
    }
}
