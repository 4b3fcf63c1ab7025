//! Symbol directives: values, bindings, types, sizes and relocations.

use std::ops::Range;

use gcn_isa::{Isa, Ty, regs};
use gcn_object::{RelocationKind, SymbolKind};

use crate::argument::{ArgValue, DelayedValue, ParsedOperand};
use crate::assembler::layout::MAX_ALIGN;
use crate::assembler::output::{Output, RelocDirective};
use crate::assembler::parser::Parser;
use crate::cursor::HERE;
use crate::diagnostic::{Fail, WithHelp, fail};
use crate::directive::data;
use crate::ids;
use crate::operand;
use crate::symbols::{SymbolDefinition, SymbolEntry};
use crate::value::{ExprValue, SymbolId};

/// Handles `name = expression`; the cursor is after the `=`.
pub(crate) fn assign(
    parser: &mut Parser<'_>,
    output: &mut Output,
    name: &str,
    span: Range<usize>,
) -> Result<(), Fail> {
    if name == HERE {
        return data::org(parser, output, &span);
    }
    parser.cursor.skip_blanks();
    if parser.cursor.eat(b'%') {
        // After a `%`, `v[0:3]` is a register even if a symbol is called `v`.
        parser.banks_first = true;
        let operand = operand::operand(parser);
        parser.banks_first = false;
        let what = register_or_constant(parser.isa, operand?)?;
        let id = parser.names.symbols.declare(name, span);
        parser.names.registers.insert(id, what);
        return Ok(());
    }
    parser.names.remove_register_alias(name);
    let value = parser.delayed("a symbol's value is an integer or an address")?;
    parser.define(name, span, value.into())
}

/// Value for a register alias. As in CLRX, it may also be an inline constant, but not a literal, and must not have
/// source modifiers.
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

/// Defines a symbol as an expression that is evaluated at each use.
fn assign_lazily(
    parser: &mut Parser<'_>,
    output: &mut Output,
    name: &str,
    span: Range<usize>,
) -> Result<(), Fail> {
    parser.cursor.skip_blanks();
    if parser.cursor.peek() == b'%' || name == HERE {
        return assign(parser, output, name, span);
    }
    let expr = parser.parse_lazily()?;
    parser.define(name, span, SymbolDefinition::Expr(expr))
}

fn symbol(parser: &mut Parser<'_>) -> Result<SymbolId, Fail> {
    let (name, span) = parser.cursor.name_and_span()?;
    Ok(parser.names.symbols.reference(&name, span))
}

/// Applies a directive to each symbol in a comma-separated list of names.
pub(crate) fn each_symbol(
    parser: &mut Parser<'_>,
    change: impl Fn(&mut SymbolEntry),
) -> Result<(), Fail> {
    loop {
        let id = symbol(parser)?;
        if let Some(entry) = parser.names.symbols.get_mut(id) {
            change(entry);
        }
        if !parser.cursor.eat_after_blanks(b',') {
            return Ok(());
        }
    }
}

/// Handles `.type name, @function`.
pub(crate) fn symbol_type(parser: &mut Parser<'_>) -> Result<(), Fail> {
    let id = symbol(parser)?;
    let _ = parser.cursor.eat_after_blanks(b',');
    let start = parser.cursor.token_start();
    let _ = parser.cursor.eat(b'@') || parser.cursor.eat(b'%') || parser.cursor.eat(b'#');
    let word = parser.cursor.name()?;
    let kind = match &*word {
        "function" | "STT_FUNC" => SymbolKind::Function,
        "object" | "STT_OBJECT" => SymbolKind::Object,
        "notype" | "STT_NOTYPE" => SymbolKind::NoType,
        "amdgpu_hsa_kernel" => SymbolKind::HsaKernel,
        _ => {
            let message = format!("unknown symbol type `{word}`");
            return Err(fail(&ids::SYMBOL_TYPE, parser.cursor.since(start), message)
                .with_help("the types are @function, @object and @notype"));
        }
    };
    if let Some(entry) = parser.names.symbols.get_mut(id) {
        entry.kind = kind;
    }
    Ok(())
}

/// Handles `.size name, expression`.
pub(crate) fn symbol_size(parser: &mut Parser<'_>) -> Result<(), Fail> {
    let id = symbol(parser)?;
    parser.cursor.comma("the size")?;
    let size = parser.delayed("a size is an integer")?;
    if let Some(entry) = parser.names.symbols.get_mut(id) {
        entry.size = size.into();
    }
    Ok(())
}

/// Parses `name, size` and returns the symbol, its span, and the size in bytes.
fn symbol_and_size(parser: &mut Parser<'_>) -> Result<(SymbolId, Range<usize>, i64), Fail> {
    let start = parser.cursor.token_start();
    let id = symbol(parser)?;
    let name = parser.cursor.since(start);
    parser.cursor.comma("the size")?;
    let size = parser.absolute_within("the size", 0, i64::from(u32::MAX))?;
    Ok((id, name, size))
}

/// Handles `.comm name, size, exponent`.
pub(crate) fn common(parser: &mut Parser<'_>) -> Result<(), Fail> {
    let (id, span, size) = symbol_and_size(parser)?;
    // For AMD GPUs, LLVM reads this operand as the exponent of the alignment, unlike GNU as on other targets.
    let exponent = parser.optional_absolute("the alignment")?.unwrap_or(0);
    let align = u32::try_from(exponent)
        .ok()
        .and_then(|exponent| 1_i64.checked_shl(exponent))
        .filter(|align| (1..=MAX_ALIGN).contains(align));
    let Some(align) = align else {
        let message = format!(
            "the alignment is 2 to the power of {exponent}, but may be {MAX_ALIGN} at most"
        );
        return Err(fail(
            &ids::INVALID_ALIGNMENT,
            parser.cursor.since(span.start),
            message,
        ));
    };
    if let Some(entry) = parser.names.symbols.get_mut(id) {
        if entry.defined != SymbolDefinition::No {
            let message = format!("symbol `{}` is already defined", entry.name);
            return Err(fail(&ids::REDEFINED_SYMBOL, span, message));
        }
        entry.defined = SymbolDefinition::Common {
            align: align.cast_unsigned(),
        };
        entry.size = SymbolDefinition::Value(ExprValue::absolute(size));
    }
    Ok(())
}

/// Handles `.lcomm name, size`: reserves space at the end of `.bss`.
pub(crate) fn local_common(
    parser: &mut Parser<'_>,
    output: &mut Output,
    span: &Range<usize>,
) -> Result<(), Fail> {
    let (id, name, size) = symbol_and_size(parser)?;
    parser.cursor.skip_blanks();
    if parser.cursor.peek() == b',' {
        return Err(parser.cursor.expected("the end of the line").with_help(
            "the space is not aligned; write `.bss`, `.p2align`, the label and `.skip`",
        ));
    }
    let current = parser.names.layout.current;
    parser.names.layout.current = parser.names.layout.section_named(".bss");
    let room = parser.define_label(id, name).and_then(|()| {
        if let Some(entry) = parser.names.symbols.get_mut(id) {
            entry.kind = SymbolKind::Object;
            entry.size = SymbolDefinition::Value(ExprValue::absolute(size));
        }
        output.emit_zeros(&mut parser.names.layout, size.cast_unsigned(), span)
    });
    parser.names.layout.current = current;
    room
}

/// Handles `.set name, expression`; `once` rejects a symbol that is already defined, as `.equiv` does.
pub(crate) fn set(parser: &mut Parser<'_>, output: &mut Output, once: bool) -> Result<(), Fail> {
    let (name, span) = parser.cursor.name_and_span()?;
    let name = name.into_owned();
    if once {
        parser.names.require_new(&name, &span)?;
    }
    parser.cursor.comma("the value")?;
    assign(parser, output, &name, span)
}

/// Handles `.eqv name, expression`: the expression is evaluated at each use of the symbol.
pub(crate) fn set_lazily(parser: &mut Parser<'_>, output: &mut Output) -> Result<(), Fail> {
    let (name, span) = parser.cursor.name_and_span()?;
    let name = name.into_owned();
    parser.names.require_new(&name, &span)?;
    parser.cursor.comma("the value")?;
    assign_lazily(parser, output, &name, span)
}

/// Handles `.reloc offset, kind, expression`: adds a relocation, regardless of the field's contents.
pub(crate) fn relocation(parser: &mut Parser<'_>, output: &mut Output) -> Result<(), Fail> {
    let place = parser.delayed("an offset is an integer or a label")?;
    parser.cursor.comma("the kind")?;
    let start = parser.cursor.token_start();
    let name = parser.cursor.name()?;
    let Some(kind) = RelocationKind::from_name(&name) else {
        let message = format!("unknown relocation `{}`", name.escape_debug());
        return Err(fail(
            &ids::UNKNOWN_RELOCATION,
            parser.cursor.since(start),
            message,
        )
        .with_help("for example R_AMDGPU_REL32_LO or R_AMDGPU_ABS64"));
    };
    let value = if parser.cursor.eat_after_blanks(b',') {
        parser.delayed("an address is an integer or a symbol")?
    } else {
        DelayedValue::Value(ExprValue::absolute(0))
    };
    let (section, _) = parser.names.layout.here();
    output.relocs.push(RelocDirective {
        section,
        place,
        kind,
        value,
        span: parser.map_to_source(parser.cursor.since(start)),
    });
    Ok(())
}
