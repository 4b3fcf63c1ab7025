//! Prints immediates.

use crate::operand::Kind;
use crate::target::Isa;
use crate::text::Text;
use crate::{regs, simm};

/// Appends an immediate of a kind whose text is always exact.
pub(super) fn write_immediate(out: &mut Text, isa: Isa, kind: Kind, value: i64) {
    match kind {
        Kind::Waitcnt => simm::write_waitcnt(out, isa, value as u16),
        Kind::Hwreg => simm::write_hwreg(out, isa, value as u16),
        Kind::SendMsg => simm::write_sendmsg(out, isa, value as u16),
        Kind::Simm16 => out.push_hex(u64::from(value as u16)),
        Kind::Unsigned => regs::write_small(out, value as u32),
        // LLVM prints a distance as an unsigned number.
        Kind::Branch => out.push_decimal(u64::from(value as u16)),
        Kind::Signed
        | Kind::Vgpr
        | Kind::GlobalAddress
        | Kind::ScratchAddress
        | Kind::BufferAddress
        | Kind::ImageData { .. }
        | Kind::ImageAddress { .. }
        | Kind::ExportTarget
        | Kind::ExportSource(_)
        | Kind::Attribute
        | Kind::VertexParameter
        | Kind::Saddr
        | Kind::Src
        | Kind::Ssrc
        | Kind::Sdst
        | Kind::Aligned(_)
        | Kind::ScalarOffset { .. }
        | Kind::GprIndex
        | Kind::Literal => out.push_signed(value),
    }
}
