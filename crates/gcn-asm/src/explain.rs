//! Diagnostics for encoding problems.

mod name;

use std::fmt::Write;
use std::ops::Range;

use gcn_isa::rules::Rule;
use gcn_isa::{
    Field, Form, Inst, Isa, Kind, Modifier, ModifierValue, Op, Presence, Row, Slot, rows, successor,
};

use crate::diagnostic::{Diagnostic, Fail, WithHelp, fail};
use crate::encode::{EncodeProblem, ProblemKind, ProblemPlace, StatementOperands};
use crate::ids;
pub use name::closest;
pub(crate) use name::{MAX_SUGGESTIONS, unknown_instruction};

/// Syntax of an instruction, for example `ds_add_u32 vADDR, vDATA [offset:N] [gds]`.
///
/// # Examples
/// ```
/// use gcn_isa::{Isa, Target};
/// let isa = Target::named("gfx900").expect("a target").isa;
/// let op = isa.tables().named("ds_add_u32").expect("an instruction");
/// assert_eq!(gcn_asm::usage(isa, op), "ds_add_u32 vADDR, vDATA [offset:N] [gds]");
/// ```
pub fn usage(isa: Isa, op: Op) -> String {
    let row = op.row();
    let mut text = row.name_on(isa).to_owned();
    let mut separator = " ";
    for slot in row.slots() {
        text.push_str(separator);
        text.push_str(&operand_usage(isa, slot));
        separator = ", ";
    }
    for modifier in modifiers(isa, op) {
        let written = modifier_usage(modifier);
        let _ = if modifier.required {
            write!(text, " {written}")
        } else {
            write!(text, " [{written}]")
        };
    }
    text
}

/// Syntax of an operand as shown by [`usage`], in brackets if optional.
///
/// # Examples
/// ```
/// use gcn_isa::{Op, Target, smem::Smem};
/// let isa = Target::named("gfx900").expect("a target").isa;
/// let slots = Op::Smem(Smem::S_LOAD_DWORDX2).row().slots();
/// let shown: Vec<_> = slots.map(|slot| gcn_asm::operand_usage(isa, slot)).collect();
/// assert_eq!(shown, ["sDATA(2)", "sBASE(2)", "sOFFSET|N"]);
/// ```
pub fn operand_usage(isa: Isa, slot: &Slot) -> String {
    let mut text = String::new();
    operand(&mut text, isa, slot);
    match slot.when {
        Presence::Always => text,
        Presence::Returned | Presence::NotLds | Presence::Optional => format!("[{text}]"),
    }
}

/// Modifiers that an instruction has on an instruction set, in table order.
///
/// # Examples
/// ```
/// use gcn_isa::Target;
/// let isa = Target::named("gfx900").expect("a target").isa;
/// let op = isa.tables().named("ds_add_u32").expect("an instruction");
/// let shown: Vec<_> = gcn_asm::modifiers(isa, op).map(gcn_asm::modifier_usage).collect();
/// assert_eq!(shown, ["offset:N", "gds"]);
/// ```
pub fn modifiers(isa: Isa, op: Op) -> impl Iterator<Item = &'static Modifier> {
    let row = op.row();
    let exists = move |field: Field| {
        row.encodings()
            .filter_map(|encoding| isa.tables().layout(encoding))
            .any(|layout| layout.has(field))
    };
    let is_allowed = move |field| field != Field::Clamp || gcn_isa::rules::clamps(isa, row);
    row.modifiers()
        .filter(move |m| m.value != ModifierValue::Part && exists(m.field) && is_allowed(m.field))
}

/// Syntax of a modifier as shown by [`usage`]: its name and the form of its value.
///
/// # Examples
/// ```
/// use gcn_isa::{Op, ds::Ds};
/// let offset = Op::Ds(Ds::DS_READ_B32).row().modifiers().next().expect("its offset");
/// assert_eq!(gcn_asm::modifier_usage(offset), "offset:N");
/// ```
pub fn modifier_usage(modifier: &Modifier) -> String {
    let name = modifier.names.first().copied().unwrap_or("");
    let value = match modifier.value {
        ModifierValue::Flag => "",
        ModifierValue::Unsigned | ModifierValue::Signed | ModifierValue::Swizzle => ":N",
        ModifierValue::Omod => ":2",
        ModifierValue::BitList => ":[…]",
        ModifierValue::Named(_) => ":NAME",
        ModifierValue::BufferFormat => ":[DATA,NUMBER]",
        ModifierValue::Hex
        | ModifierValue::Mask
        | ModifierValue::LanePermutation
        | ModifierValue::Part => ":N",
    };
    format!("{name}{value}")
}

/// Appends an operand's syntax: register bank, field name, and the number of registers if not one.
fn operand(text: &mut String, isa: Isa, slot: &Slot) {
    let name = format!("{:?}", slot.field).to_ascii_uppercase();
    // Field names in the manuals repeat the register bank, which the prefix already shows.
    let name = match name.as_str() {
        "SRC0" | "SRC1" | "SRC2" | "SIMM16" => name.as_str(),
        other => other.strip_prefix(['V', 'S']).unwrap_or(other),
    };
    let (prefix, count) = match slot.kind {
        Kind::Vgpr => ("v", slot.ty.dwords()),
        Kind::GlobalAddress => ("v", 2),
        Kind::ScratchAddress => {
            let _ = write!(text, "v{name}|off");
            return;
        }
        Kind::BufferAddress => {
            let _ = write!(text, "v{name}|off");
            return;
        }
        Kind::ImageData { .. } => {
            let _ = write!(text, "v{name}(as dmask asks)");
            return;
        }
        Kind::ImageAddress { least, most } => {
            let _ = write!(text, "v{name}({least} to {most})");
            return;
        }
        Kind::ExportTarget => {
            text.push_str("TARGET");
            return;
        }
        Kind::ExportSource(_) => {
            let _ = write!(text, "v{name}|off");
            return;
        }
        Kind::Attribute => {
            text.push_str("attrN.x");
            return;
        }
        Kind::VertexParameter => {
            text.push_str("p10|p20|p0");
            return;
        }
        Kind::Saddr => {
            let count = slot.ty.dwords();
            let _ = write!(text, "s{name}{}|off", registers(count));
            return;
        }
        Kind::Src => ("", slot.ty.dwords()),
        Kind::Ssrc | Kind::Sdst | Kind::Aligned(_) => ("s", slot.ty.dwords()),
        Kind::ScalarOffset { .. } => {
            text.push_str(if isa >= Isa::Vi {
                "sOFFSET|N"
            } else {
                "sOFFSET|DWORDS"
            });
            return;
        }
        Kind::Branch => {
            text.push_str("LABEL");
            return;
        }
        Kind::Waitcnt => {
            text.push_str("vmcnt(N) lgkmcnt(N)…");
            return;
        }
        Kind::Hwreg => {
            text.push_str("hwreg(REGISTER, OFFSET, WIDTH)");
            return;
        }
        Kind::SendMsg => {
            text.push_str("sendmsg(MESSAGE)");
            return;
        }
        Kind::GprIndex => {
            text.push_str("gpr_idx(SRC0,SRC1,SRC2,DST)");
            return;
        }
        Kind::Unsigned | Kind::Signed | Kind::Simm16 | Kind::Literal => {
            text.push('N');
            return;
        }
    };
    let _ = write!(text, "{prefix}{name}{}", registers(count));
}

fn registers(count: u8) -> String {
    if count == 1 {
        String::new()
    } else {
        format!("({count})")
    }
}

/// Describes the operands that a slot accepts.
fn takes(isa: Isa, slot: &Slot) -> String {
    let count = slot.ty.dwords();
    let group = |what: &str| match count {
        1 => format!("one {what}"),
        n => format!("{n} {what}s"),
    };
    match slot.kind {
        Kind::Vgpr => group("VGPR"),
        Kind::GlobalAddress => "two VGPRs, or one beside an SGPR pair".to_owned(),
        Kind::ScratchAddress => "one VGPR or `off`".to_owned(),
        Kind::BufferAddress => {
            "the VGPRs that `idxen`, `offen` and `addr64` require, or `off`".to_owned()
        }
        Kind::ImageData { .. } => "as many VGPRs as `dmask`, `d16` and `tfe` require".to_owned(),
        Kind::ImageAddress { least, most } => format!("{least} to {most} VGPRs"),
        Kind::ExportTarget => "a target, for example `mrt0`".to_owned(),
        Kind::ExportSource(_) => "one VGPR or `off`".to_owned(),
        Kind::Attribute => "an attribute, for example `attr0.x`".to_owned(),
        Kind::VertexParameter => "`p10`, `p20` or `p0`".to_owned(),
        Kind::Saddr => format!("{} or `off`", group("SGPR")),
        Kind::Src => format!("{}, scalar registers or a constant", group("VGPR")),
        Kind::Ssrc => format!("{} or a constant", group("scalar register")),
        Kind::Sdst | Kind::Aligned(_) => group("scalar register"),
        Kind::ScalarOffset { .. } if isa < Isa::Vi => "an SGPR or an offset in dwords".to_owned(),
        Kind::ScalarOffset { .. } => "an SGPR or an offset in bytes".to_owned(),
        Kind::Unsigned | Kind::Signed | Kind::Simm16 | Kind::Literal => "a number".to_owned(),
        Kind::Branch => "a label or a distance in dwords".to_owned(),
        Kind::Waitcnt => "counters, for example `vmcnt(0)`, or a number".to_owned(),
        Kind::Hwreg => "`hwreg(…)` or a number".to_owned(),
        Kind::SendMsg => "`sendmsg(…)` or a number".to_owned(),
        Kind::GprIndex => "`gpr_idx(…)` or a number".to_owned(),
    }
}

/// Diagnostic for operands that fit none of the instruction's encodings.
#[cold]
pub(crate) fn problem(
    isa: Isa,
    op: Op,
    only: Option<&'static Form>,
    problem: EncodeProblem,
    operands: &StatementOperands<'_>,
    statement: Range<usize>,
    mnemonic: Range<usize>,
) -> Fail {
    let name = op.row().name_on(isa);
    let span = match problem.at {
        ProblemPlace::Instruction => mnemonic,
        ProblemPlace::Arg(index) => operands
            .args
            .get(index)
            .map_or(statement, |arg| arg.span.clone()),
        ProblemPlace::Modifier(index) => operands
            .mods
            .get(index)
            .map_or(statement, |m| m.span.clone()),
    };
    let modifier = || match problem.at {
        ProblemPlace::Modifier(index) => operands
            .mods
            .get(index)
            .and_then(|m| m.modifier.names.first())
            .copied()
            .unwrap_or(""),
        _ => "offset",
    };
    let wrong = |id, message: String| fail(id, span.clone(), message);
    let written = || format!("written as `{}`", usage(isa, op));
    let plural = |n: u8| if n == 1 { "register" } else { "registers" };
    match problem.kind {
        ProblemKind::ModifierNotHere => {
            let form = match only {
                Some(_) => "in this encoding ",
                None => "",
            };
            wrong(&ids::UNSUPPORTED_MODIFIER, format!(
                "`{}` is not allowed {form}on `{name}` of {isa}",
                modifier()
            ))
            .with_help(written())
        }
        ProblemKind::NeedsVgpr => wrong(&ids::OPERAND_KIND, "this operand must be a VGPR".to_owned()).with_help(written()),
        ProblemKind::NoLiteral => wrong(&ids::LITERAL, "a literal constant is not possible here".to_owned()).with_help(
            "only inline constants are: integers −16 to 64, ±0.5, ±1.0, ±2.0, ±4.0; or put the value in a register first",
        ),
        ProblemKind::NoSourceModifiers => {
            wrong(&ids::SOURCE_MODIFIER, "this encoding has no source modifiers".to_owned()).with_help(written())
        }
        ProblemKind::NeedsVcc => wrong(&ids::OPERAND_KIND, "this encoding can name only `vcc` here".to_owned())
            .with_help("the `_e64` form takes any pair"),
        ProblemKind::SecondLiteral => {
            wrong(&ids::LITERAL, "an instruction has room for one literal constant only".to_owned())
        }
        ProblemKind::Expected(slot) => {
            wrong(&ids::OPERAND_KIND, format!("`{name}` takes {} here", takes(isa, slot))).with_help(written())
        }
        ProblemKind::Registers { expected: 0, .. } => {
            wrong(&ids::OPERAND_KIND, "without `idxen`, `offen` or `addr64` the address is `off`".to_owned())
        }
        ProblemKind::Registers { expected, found } => wrong(&ids::REGISTER_COUNT, format!(
            "`{name}` takes {expected} {} here, found {found}",
            plural(expected)
        ))
        .with_help(written()),
        ProblemKind::Alignment(multiple) => {
            wrong(&ids::REGISTER_ALIGNMENT, format!("the first register must be a multiple of {multiple}"))
        }
        ProblemKind::TooFew => wrong(&ids::OPERAND_COUNT, format!("too few operands for `{name}`")).with_help(written()),
        ProblemKind::TooMany => {
            let error = wrong(&ids::OPERAND_COUNT, format!("too many operands for `{name}`")).with_help(written());
            match successor::of(isa, name) {
                Some(other) => error.with_help(other.to_string()),
                None => error,
            }
        }
        ProblemKind::Missing(modifier) => {
            wrong(&ids::MISSING_MODIFIER, format!("`{name}` needs `{modifier}`")).with_help(written())
        }
        ProblemKind::MustReturn => wrong(&ids::OPERAND_COUNT, format!(
            "`{name}` with `glc` returns the old value and needs a destination"
        ))
        .with_help("leave out `glc`, or write the destination as the first operand"),
        ProblemKind::ReturnsNothing => wrong(&ids::OPERAND_COUNT, format!(
            "`{name}` without `glc` returns nothing and has no destination"
        ))
        .with_help("add `glc` to return the old value, or leave out the destination"),
        ProblemKind::OffIsMandatory => wrong(&ids::OPERAND_COUNT, format!("too few operands for `{name}`"))
            .with_help(written())
            .with_help("without a scalar address write `off`"),
        ProblemKind::NoAddress(0) => wrong(&ids::OPERAND_COUNT, format!("too few operands for `{name}`"))
            .with_help(written())
            .with_help("without `idxen` and `offen` the address is `off`"),
        ProblemKind::NoAddress(count) => wrong(&ids::OPERAND_COUNT, format!(
            "`{name}` with these modifiers needs {count} {} as its address",
            if count == 1 { "VGPR" } else { "VGPRs" }
        ))
        .with_help(written()),
        ProblemKind::BothOff => wrong(&ids::OPERAND_KIND, "the two addresses cannot both be `off`".to_owned()),
        ProblemKind::BothRegisters => {
            wrong(&ids::OPERAND_KIND, "one of the two addresses must be `off`".to_owned()).with_help(written())
        }
        ProblemKind::AddressRegisters { expected, found } => wrong(&ids::REGISTER_COUNT, format!(
            "the address has {found} {}, not {expected}",
            plural(found)
        ))
        .with_help("two VGPRs hold an address of 64 bits with `off`; one VGPR is an offset from an SGPR pair"),
        ProblemKind::ImageAddress { least, most, found } if least == most => wrong(&ids::REGISTER_COUNT, format!(
            "the address of `{name}` has {least} {}, found {found}",
            plural(least)
        )),
        ProblemKind::ImageAddress { least, most, found } => wrong(&ids::REGISTER_COUNT, format!(
            "the address of `{name}` has {least} to {most} registers, found {found}"
        )),
        ProblemKind::NotAllowed(id, what) => wrong(id, what.to_owned()),
        ProblemKind::Breaks(rule) => {
            let (message, help) = broken_rule(isa, rule);
            let id = match rule {
                Rule::ConstantBus => &ids::CONSTANT_BUS,
                _ => &ids::INSTRUCTION_RULE,
            };
            let error = wrong(id, message);
            match help {
                Some(help) => error.with_help(help),
                None => error,
            }
        }
        ProblemKind::NotKnown => wrong(&ids::UNKNOWN_VALUE,
            "this number must be known here; it depends on a symbol that is an address or is defined later"
                .to_owned(),
        ),
        ProblemKind::Range { value, low, high } => {
            let what = match problem.at {
                ProblemPlace::Modifier(_) => format!("`{}:{value}`", modifier()),
                _ => format!("{value}"),
            };
            let range = match problem.at {
                ProblemPlace::Modifier(_) if modifier().starts_with("offset") => &ids::OFFSET_RANGE,
                _ => &ids::OPERAND_RANGE,
            };
            wrong(range, format!("{what} is out of range {low} to {high}"))
        }
        ProblemKind::FloatRange(value) => {
            wrong(&ids::OPERAND_RANGE, format!("{value} does not fit into the operand's floating-point type"))
        }
        ProblemKind::FloatInInteger => {
            wrong(&ids::LITERAL, "a floating-point literal is not possible for a 64-bit integer".to_owned())
        }
        ProblemKind::ListLength { expected, found } => wrong(&ids::LIST_LENGTH, format!(
            "the list has {found} numbers, but `{name}` has {expected} operands for it"
        )),
    }
}

/// Message and help for a broken rule.
fn broken_rule(isa: Isa, rule: Rule) -> (String, Option<&'static str>) {
    let (message, help) = match rule {
        Rule::ConstantBus => (
            "a vector instruction reads at most one scalar register or literal",
            Some("move one of the values to a VGPR first"),
        ),
        Rule::NoConstant => ("this operand must be a register", None),
        Rule::LdsDirect => ("a scalar operand cannot read LDS", None),
        Rule::LdsPlace => (
            "LDS can only be the first source, without SDWA and not in a reversed instruction",
            None,
        ),
        Rule::IntegerClamp => {
            return (format!("{isa} cannot clamp integers"), None);
        }
        Rule::AtomicMask => (
            "invalid `dmask` of an image atomic",
            Some("write dmask:0x1, or 0x3 for two values; a comparison has 0x3 or 0xf"),
        ),
        Rule::GatherMask => (
            "a gather takes one component",
            Some("write dmask:0x1, 0x2, 0x4 or 0x8"),
        ),
        Rule::StoreStatus => ("`tfe` has no effect on a store", None),
        Rule::LdsStatus => ("`tfe` has no effect on a load to LDS", None),
        Rule::GprIndex => (
            "VGPR indexing has a bit for each of four operands: the range is 0 to 15",
            None,
        ),
        Rule::ScalarData => (
            "scalar memory instructions cannot load or store M0 and EXEC",
            None,
        ),
        Rule::ExecHiAddress => ("EXEC_HI cannot be an address: its number means `off`", None),
        Rule::StoreOffset => {
            return (
                format!("the offset of a scalar store of {isa} is `m0` or a number"),
                Some("move the offset to M0 first"),
            );
        }
        Rule::ForkLiteral => ("a fork takes no literal", None),
        Rule::OffsetRange => (
            "the offset of a scalar buffer access cannot be negative",
            None,
        ),
        Rule::Literal => (
            "the literal of a 16-bit operand has more than 16 bits",
            None,
        ),
    };
    (message.to_owned(), help)
}

/// Diagnostic for an unknown modifier.
#[cold]
pub(crate) fn unknown_modifier(
    isa: Isa,
    row: &'static Row,
    name: &str,
    span: Range<usize>,
) -> Fail {
    let exists = rows()
        .flat_map(Row::modifiers)
        .any(|m| m.names.iter().any(|n| n.eq_ignore_ascii_case(name)));
    let shown = row.name_on(isa);
    let message = if exists {
        format!("`{name}` is not allowed on `{shown}` of {isa}")
    } else {
        format!("expected `,` or a modifier, found `{name}`")
    };
    let names = row.modifiers().flat_map(|m| m.names.iter().copied());
    let id = if exists {
        &ids::UNSUPPORTED_MODIFIER
    } else {
        &ids::UNKNOWN_MODIFIER
    };
    let error = fail(id, span, message);
    let error = match closest(&name.to_ascii_lowercase(), names).filter(|_| !exists) {
        Some(similar) => error.with_help(format!("did you mean `{similar}`?")),
        None => error,
    };
    error.with_help(format!("written as `{}`", usage(isa, row.op())))
}

/// Warnings for an instruction that is valid but questionable.
pub(crate) fn warnings(
    inst: &Inst,
    operands: &StatementOperands<'_>,
    span: Range<usize>,
) -> Vec<Diagnostic> {
    let mut warnings = Vec::new();
    if matches!(inst.does(), gcn_isa::Does::Lanes(_)) && inst.flag(Field::Gds) {
        // Erratum E022.
        warnings.push(Diagnostic::warning(
            &ids::UNUSED_MODIFIER,
            span.clone(),
            format!(
                "`gds` has no effect on `{}`, which exchanges lanes and accesses no memory",
                inst.name()
            ),
        ));
    }
    if crate::encode::restricts_offset(inst) && inst.isa >= Isa::Gfx9 {
        let register = inst
            .row()
            .slots()
            .find_map(|slot| match inst.operand(slot) {
                gcn_isa::Operand::ScalarOffset { reg, .. } => reg,
                _ => None,
            });
        if register.is_some_and(|code| code != gcn_isa::regs::M0) {
            // Erratum E026.
            warnings.push(
                Diagnostic::warning(&ids::SCALAR_OFFSET,
                    operands.args.last().map_or(span, |arg| arg.span.clone()),
                    "AMD's manual allows only `m0` or a number as the offset of a scalar store or atomic",
                )
                .help("LLVM's assembler accepts any register"),
            );
        }
    }
    warnings
}
