//! Symbol directives: values, bindings, types, sizes and relocations.

use std::ops::Range;

use gcn_isa::{Isa, Ty, regs};
use gcn_object::{RelocationKind, SymbolKind};

use crate::argument::{ArgValue, DelayedValue, ParsedOperand};
use crate::assembler::Assembler;
use crate::assembler::output::{MAX_ALIGN, RelocDirective};
use crate::cursor::HERE;
use crate::diagnostic::{Fail, WithHelp, fail};
use crate::directive::data;
use crate::expr::{ExprScope, ParsedExpr};
use crate::ids;
use crate::operand;
use crate::symbols::{SymbolDefinition, SymbolEntry};
use crate::value::{ExprValue, SymbolId};

/// `name = expression`; the cursor is after the `=`.
pub(crate) fn assign(asm: &mut Assembler<'_>, name: &str, span: Range<usize>) -> Result<(), Fail> {
    if name == HERE {
        return data::org(asm, &span);
    }
    asm.reader.cursor.skip_blanks();
    if asm.reader.cursor.eat(b'%') {
        // `v[0:3]` after it is a register even if a symbol is called `v`.
        asm.banks_first = true;
        let operand = operand::operand(asm);
        asm.banks_first = false;
        let what = register_or_constant(asm.isa, operand?)?;
        let id = asm.names.symbols.declare(name, span);
        asm.names.registers.insert(id, what);
        return Ok(());
    }
    asm.names.remove_register_alias(name);
    let defined = defined(asm, "a symbol's value is an integer or an address")?;
    asm.define(name, span, defined)
}

/// Value of a register alias. As in CLRX, it may also be an inline constant, but not a literal, and has no sign.
fn register_or_constant(isa: Isa, operand: ParsedOperand) -> Result<ArgValue, Fail> {
    let is_inline = |bits: u64| regs::inline_of_float_bits(isa, bits, Ty::F32).is_some();
    let is_value = match operand.what {
        ArgValue::Vgprs { .. } | ArgValue::Scalar { .. } => true,
        ArgValue::Int(value) => regs::inline_of_int(value).is_some(),
        ArgValue::Float(value) => is_inline((value as f32).to_bits().into()),
        _ => false,
    };
    if is_value && !operand.negated && !operand.absolute && !operand.extended {
        return Ok(operand.what);
    }
    let message = "the value of a register symbol is a register or an inline constant";
    Err(fail(&ids::OPERAND_KIND, operand.span, message))
}

/// Parses an expression that is an integer or an address; `otherwise` is the message if it is neither.
fn defined(asm: &mut Assembler<'_>, otherwise: &str) -> Result<SymbolDefinition, Fail> {
    let start = asm.reader.cursor.pos();
    match asm.parse_expr()? {
        ParsedExpr::Known(value) => Ok(SymbolDefinition::Value(value)),
        ParsedExpr::Later(id) => Ok(SymbolDefinition::Expr(id)),
        ParsedExpr::Float(_) | ParsedExpr::Suffixed(..) => Err(fail(
            &ids::FLOAT_VALUE,
            start..asm.reader.cursor.pos(),
            otherwise,
        )),
    }
}

/// `name, expression`, evaluated at each use of the symbol.
fn assign_lazily(asm: &mut Assembler<'_>, name: &str, span: Range<usize>) -> Result<(), Fail> {
    asm.reader.cursor.skip_blanks();
    if asm.reader.cursor.peek() == b'%' || name == HERE {
        return assign(asm, name, span);
    }
    let mut scope = ExprScope {
        here: asm.output.here(),
        bar_ends: false,
        is_absolute: asm.output.is_absolute(),
        symbols: &mut asm.names.symbols,
        target: asm.target,
    };
    let expr = asm
        .names
        .exprs
        .parse_lazily(&mut asm.reader.cursor, &mut scope)?;
    asm.define(name, span, SymbolDefinition::Expr(expr))
}

fn symbol(asm: &mut Assembler<'_>) -> Result<SymbolId, Fail> {
    asm.reader.cursor.skip_blanks();
    let start = asm.reader.cursor.pos();
    let name = asm.reader.cursor.name()?;
    Ok(asm
        .names
        .symbols
        .reference(&name, start..asm.reader.cursor.pos()))
}

/// Applies a directive to each of a list of names, separated by commas.
pub(crate) fn each_symbol(
    asm: &mut Assembler<'_>,
    change: impl Fn(&mut SymbolEntry),
) -> Result<(), Fail> {
    loop {
        let id = symbol(asm)?;
        if let Some(entry) = asm.names.symbols.get_mut(id) {
            change(entry);
        }
        if !asm.reader.cursor.eat_after_blanks(b',') {
            return Ok(());
        }
    }
}

/// `name, @function`
pub(crate) fn symbol_type(asm: &mut Assembler<'_>) -> Result<(), Fail> {
    let id = symbol(asm)?;
    let _ = asm.reader.cursor.eat_after_blanks(b',');
    asm.reader.cursor.skip_blanks();
    let start = asm.reader.cursor.pos();
    let _ =
        asm.reader.cursor.eat(b'@') || asm.reader.cursor.eat(b'%') || asm.reader.cursor.eat(b'#');
    let word = asm.reader.cursor.name()?;
    let kind = match &*word {
        "function" | "STT_FUNC" => SymbolKind::Function,
        "object" | "STT_OBJECT" => SymbolKind::Object,
        "notype" | "STT_NOTYPE" => SymbolKind::NoType,
        "amdgpu_hsa_kernel" => SymbolKind::HsaKernel,
        _ => {
            let message = format!("unknown symbol type `{word}`");
            return Err(
                fail(&ids::SYMBOL_TYPE, start..asm.reader.cursor.pos(), message)
                    .with_help("the types are @function, @object and @notype"),
            );
        }
    };
    if let Some(entry) = asm.names.symbols.get_mut(id) {
        entry.kind = kind;
    }
    Ok(())
}

/// `name, expression`
pub(crate) fn symbol_size(asm: &mut Assembler<'_>) -> Result<(), Fail> {
    let id = symbol(asm)?;
    asm.comma("the size")?;
    asm.reader.cursor.skip_blanks();
    let size = defined(asm, "a size is an integer")?;
    if let Some(entry) = asm.names.symbols.get_mut(id) {
        entry.size = size;
    }
    Ok(())
}

/// `name, size`: returns the symbol, its span, and the size in bytes.
fn symbol_and_size(asm: &mut Assembler<'_>) -> Result<(SymbolId, Range<usize>, i64), Fail> {
    asm.reader.cursor.skip_blanks();
    let start = asm.reader.cursor.pos();
    let id = symbol(asm)?;
    let name = start..asm.reader.cursor.pos();
    asm.comma("the size")?;
    let size = asm.absolute_within("the size", 0, i64::from(u32::MAX))?;
    Ok((id, name, size))
}

/// `name, size, alignment`
pub(crate) fn common(asm: &mut Assembler<'_>) -> Result<(), Fail> {
    let (id, span, size) = symbol_and_size(asm)?;
    // For AMD GPUs, LLVM takes the exponent of the alignment here, unlike GNU as on other targets.
    let exponent = asm.optional_absolute("the alignment")?.unwrap_or(0);
    let align = u32::try_from(exponent)
        .ok()
        .and_then(|exponent| 1_i64.checked_shl(exponent))
        .filter(|align| (1..=MAX_ALIGN).contains(align));
    let Some(align) = align else {
        return Err(fail(
            &ids::INVALID_ALIGNMENT,
            span.start..asm.reader.cursor.pos(),
            format!(
                "the alignment is 2 to the power of {exponent}, but may be {MAX_ALIGN} at most"
            ),
        ));
    };
    if let Some(entry) = asm.names.symbols.get_mut(id) {
        if entry.defined != SymbolDefinition::No {
            return Err(fail(
                &ids::REDEFINED_SYMBOL,
                span,
                format!("symbol `{}` is already defined", entry.name),
            ));
        }
        entry.defined = SymbolDefinition::Common {
            align: align.cast_unsigned(),
        };
        entry.size = SymbolDefinition::Value(ExprValue::absolute(size));
    }
    Ok(())
}

/// `name, size`: reserves space at the end of `.bss`.
pub(crate) fn local_common(asm: &mut Assembler<'_>, span: &Range<usize>) -> Result<(), Fail> {
    let (id, name, size) = symbol_and_size(asm)?;
    asm.reader.cursor.skip_blanks();
    if asm.reader.cursor.peek() == b',' {
        return Err(asm.reader.cursor.expected("the end of the line").with_help(
            "the space is not aligned; write `.bss`, `.p2align`, the label and `.skip`",
        ));
    }
    let current = asm.output.current;
    asm.output.current = asm.output.section_named(".bss");
    let room = asm.define_label(id, name).and_then(|()| {
        if let Some(entry) = asm.names.symbols.get_mut(id) {
            entry.kind = SymbolKind::Object;
            entry.size = SymbolDefinition::Value(ExprValue::absolute(size));
        }
        asm.output.emit_zeros(size.cast_unsigned(), span)
    });
    asm.output.current = current;
    room
}

/// `name, expression`
pub(crate) fn set(asm: &mut Assembler<'_>, once: bool) -> Result<(), Fail> {
    asm.reader.cursor.skip_blanks();
    let start = asm.reader.cursor.pos();
    let name = asm.reader.cursor.name()?.into_owned();
    let span = start..asm.reader.cursor.pos();
    if once {
        asm.names.is_new(&name, &span)?;
    }
    asm.comma("the value")?;
    assign(asm, &name, span)
}

/// `name, expression`, evaluated at each use of the symbol.
pub(crate) fn set_lazily(asm: &mut Assembler<'_>) -> Result<(), Fail> {
    asm.reader.cursor.skip_blanks();
    let start = asm.reader.cursor.pos();
    let name = asm.reader.cursor.name()?.into_owned();
    let span = start..asm.reader.cursor.pos();
    asm.names.is_new(&name, &span)?;
    asm.comma("the value")?;
    assign_lazily(asm, &name, span)
}

/// `offset, kind, expression`: adds a relocation; the field's contents do not matter.
pub(crate) fn relocation(asm: &mut Assembler<'_>) -> Result<(), Fail> {
    let place = asm.delayed("an offset is an integer or a label")?;
    asm.comma("the kind")?;
    asm.reader.cursor.skip_blanks();
    let start = asm.reader.cursor.pos();
    let name = asm.reader.cursor.name()?;
    let Some(kind) = RelocationKind::from_name(&name) else {
        let message = format!("unknown relocation `{}`", name.escape_debug());
        return Err(fail(
            &ids::UNKNOWN_RELOCATION,
            start..asm.reader.cursor.pos(),
            message,
        )
        .with_help("for example R_AMDGPU_REL32_LO or R_AMDGPU_ABS64"));
    };
    let value = if asm.reader.cursor.eat_after_blanks(b',') {
        asm.delayed("an address is an integer or a symbol")?
    } else {
        DelayedValue::Value(ExprValue::absolute(0))
    };
    let (section, _) = asm.output.here();
    asm.output.relocs.push(RelocDirective {
        section,
        place,
        kind,
        value,
        span: asm
            .reader
            .expansion
            .map_to_source(start..asm.reader.cursor.pos()),
    });
    Ok(())
}
