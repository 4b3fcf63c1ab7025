//! Prints modifiers in LLVM's syntax.

use crate::form::template::{ModifierText, Template};
use crate::operand::ModifierValue;
use crate::target::Isa;
use crate::text::Text;
use crate::{buffer_format, dpp, swizzle};

/// Fidelity of the modifiers in a text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum ModifierFidelity {
    /// All of them are represented.
    Exact,
    /// All of them are represented, but LLVM might reject the text.
    MayBeRefused,
    /// Some are not represented.
    Lossy,
}

/// Appends the modifiers, omitting those at their defaults unless LLVM always writes them.
pub(super) fn modifiers(
    template: &Template,
    isa: Isa,
    bits: u64,
    out: &mut Text,
) -> ModifierFidelity {
    let mut conveyed = ModifierFidelity::Exact;
    for shown in &template.modifiers {
        if bits & shown.bits != shown.left_out {
            conveyed = conveyed.max(modifier(shown, isa, bits, out));
        }
    }
    conveyed
}

/// Appends a modifier.
#[inline(always)]
fn modifier(shown: &ModifierText, isa: Isa, bits: u64, out: &mut Text) -> ModifierFidelity {
    let value = shown.field.get(bits);
    out.push_piece(&shown.head);
    match shown.value {
        ModifierValue::Flag | ModifierValue::Part => {}
        ModifierValue::Unsigned => out.push_decimal(value),
        ModifierValue::Signed => out.push_signed(shown.field.get_signed(bits)),
        ModifierValue::Swizzle => {
            if !swizzle::write(out, isa, value as u16) {
                return ModifierFidelity::Lossy;
            }
        }
        ModifierValue::Omod => out.push_ascii(match value {
            1 => b"mul:2",
            2 => b"mul:4",
            _ => b"div:2",
        }),
        ModifierValue::Named(names) => match names.get(value as usize) {
            Some(name) => out.push_str(name),
            None => {
                out.push_decimal(value);
                return ModifierFidelity::Lossy;
            }
        },
        ModifierValue::BufferFormat => buffer_format::write_format(out, isa, value as u8),
        ModifierValue::Hex | ModifierValue::Mask => out.push_hex(value),
        ModifierValue::LanePermutation => {
            dpp::write(out, value as u16);
            if dpp::Permutation::unpack(value as u16).is_none() {
                return ModifierFidelity::MayBeRefused;
            }
        }
        ModifierValue::BitList => {
            out.push_ascii(b":[");
            for bit in shown.list.iter() {
                let digit = b'0' + (bits >> bit & 1) as u8;
                out.push_ascii(&[digit, b',']);
            }
            // Remove the comma after the last bit.
            out.shorten(1);
            out.push_ascii(b"]");
        }
    }
    ModifierFidelity::Exact
}
