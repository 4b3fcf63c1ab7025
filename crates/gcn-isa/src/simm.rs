//! Immediates of scalar instructions: wait counters, hardware registers, messages.

use std::fmt::Write;

use crate::target::{Isa, IsaSet, on};
use crate::text::Text;

/// S_WAITCNT's operand: the wave waits until no counter exceeds its value here (`docs/semantics.md`, 5.1, 5.2).
///
/// # Examples
/// ```
/// use gcn_isa::{Isa, Operand, decode, simm::Waitcnt};
/// let wait = decode(Isa::Gfx9, &[0xbf8c_0f71])?;
/// assert_eq!(wait.text(), "s_waitcnt vmcnt(1)");
/// let Operand::Imm(simm) = wait.operand(&wait.form().operands[0].slot) else { unreachable!() };
/// assert_eq!(Waitcnt::unpack(Isa::Gfx9, simm as u16), Waitcnt { vm: 1, ..Waitcnt::max(Isa::Gfx9) });
/// # Ok::<(), gcn_isa::DecodeError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Waitcnt {
    /// Vector memory, including FLAT: 0..=15, or 0..=63 on GCN 1.4. The maximum causes no wait.
    pub vm: u8,
    /// Exports, GDS, and on GCN 1.0 the data of buffer and image writes: 0..=7.
    pub exp: u8,
    /// LDS, GDS, scalar memory, messages, FLAT: 0..=15 on all four generations (errata E120).
    pub lgkm: u8,
}

const VM_LOW: u16 = 0x000f;
const EXP: u16 = 0x0070;
const LGKM: u16 = 0x0f00;
const VM_HIGH: u16 = 0xc000;

impl Waitcnt {
    /// Operand that waits for nothing: every counter at its maximum.
    pub const fn max(isa: Isa) -> Waitcnt {
        Waitcnt {
            vm: if has_wide_vm(isa) { 63 } else { 15 },
            exp: 7,
            lgkm: 15,
        }
    }

    /// Decodes SIMM16; bits outside the counters are ignored.
    ///
    /// ```
    /// use gcn_isa::{Isa, simm::Waitcnt};
    /// let wait = Waitcnt::unpack(Isa::Vi, 0x0f71);
    /// assert_eq!((wait.vm, wait.exp, wait.lgkm), (1, 7, 15));
    /// assert_eq!(wait.pack(Isa::Vi), 0x0f71);
    /// ```
    pub const fn unpack(isa: Isa, simm: u16) -> Waitcnt {
        let high = if has_wide_vm(isa) {
            (simm & VM_HIGH) >> 10
        } else {
            0
        };
        Waitcnt {
            vm: (simm & VM_LOW | high) as u8,
            exp: ((simm & EXP) >> 4) as u8,
            lgkm: ((simm & LGKM) >> 8) as u8,
        }
    }

    /// Encodes SIMM16. Values are truncated to their fields, so the caller must check them first.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::{Isa, simm::Waitcnt};
    /// let wait = Waitcnt { vm: 0, ..Waitcnt::max(Isa::Gfx9) };
    /// assert_eq!(wait.pack(Isa::Gfx9), 0x0f70);
    /// ```
    pub const fn pack(self, isa: Isa) -> u16 {
        let high = if has_wide_vm(isa) {
            ((self.vm as u16) << 10) & VM_HIGH
        } else {
            0
        };
        self.vm as u16 & VM_LOW
            | ((self.exp as u16) << 4) & EXP
            | ((self.lgkm as u16) << 8) & LGKM
            | high
    }
}

const fn has_wide_vm(isa: Isa) -> bool {
    isa as u8 >= Isa::Gfx9 as u8
}

/// Writes S_WAITCNT's operand: the counters below their maximum, or all counters if each is at its maximum; a number if
/// bits outside the counters are set.
pub(crate) fn write_waitcnt(out: &mut Text, isa: Isa, simm: u16) {
    let wait = Waitcnt::unpack(isa, simm);
    let max = Waitcnt::max(isa);
    if wait.pack(isa) != simm {
        let _ = write!(out, "{simm:#x}");
        return;
    }
    let all = wait == max;
    let mut space = "";
    for (name, value, max) in [
        ("vmcnt", wait.vm, max.vm),
        ("expcnt", wait.exp, max.exp),
        ("lgkmcnt", wait.lgkm, max.lgkm),
    ] {
        if all || value != max {
            out.push_str(space);
            out.push_str(name);
            out.push('(');
            out.push_decimal(value.into());
            out.push(')');
            space = " ";
        }
    }
}

/// Number of the hardware register MODE.
pub const HWREG_MODE: u8 = 1;
/// VSKIP bit of MODE: all but scalar instructions are skipped (S_SETVSKIP, errata E206).
pub const MODE_VSKIP: u32 = 1 << 28;
/// Number of the hardware register STATUS.
pub const HWREG_STATUS: u8 = 2;
/// Number of the hardware register TRAPSTS.
pub const HWREG_TRAPSTS: u8 = 3;
/// Number of the hardware register SH_MEM_BASES.
pub const HWREG_SH_MEM_BASES: u8 = 15;

/// Hardware registers: name, number and instruction sets.
///
/// # Examples
/// ```
/// use gcn_isa::{Isa, simm::HWREGS};
/// let named = |name| HWREGS.iter().find(|(known, ..)| *known == name).expect("a register");
/// let (_, number, on) = named("HW_REG_SH_MEM_BASES");
/// assert!(*number == 15 && on.has(Isa::Gfx9) && !on.has(Isa::Vi));
/// ```
#[rustfmt::skip]
pub const HWREGS: &[(&str, u8, IsaSet)] = &[
    ("HW_REG_MODE",         HWREG_MODE,  on::SI),
    ("HW_REG_STATUS",       HWREG_STATUS,  on::SI),
    ("HW_REG_TRAPSTS",      HWREG_TRAPSTS,  on::SI),
    ("HW_REG_HW_ID",        4,  on::SI),
    ("HW_REG_GPR_ALLOC",    5,  on::SI),
    ("HW_REG_LDS_ALLOC",    6,  on::SI),
    ("HW_REG_IB_STS",       7,  on::SI),
    ("HW_REG_SH_MEM_BASES", HWREG_SH_MEM_BASES, on::GFX9),
    ("HW_REG_TBA_LO",       16, on::GFX9),
    ("HW_REG_TBA_HI",       17, on::GFX9),
    ("HW_REG_TMA_LO",       18, on::GFX9),
    ("HW_REG_TMA_HI",       19, on::GFX9),
];

/// Operand of S_GETREG and S_SETREG.
///
/// # Examples
/// ```
/// use gcn_isa::simm::{HWREG_MODE, Hwreg};
/// let rounding = Hwreg { id: HWREG_MODE, offset: 0, width: 4 };
/// assert_eq!(rounding.pack(), 0x1801);
/// assert_eq!(Hwreg::unpack(0x1801), rounding);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Hwreg {
    /// Register number, 0..=63.
    pub id: u8,
    /// Lowest bit, 0..=31.
    pub offset: u8,
    /// Number of bits, 1..=32.
    pub width: u8,
}

impl Hwreg {
    /// Decodes SIMM16.
    pub const fn unpack(simm: u16) -> Hwreg {
        Hwreg {
            id: (simm & 0x3f) as u8,
            offset: ((simm >> 6) & 0x1f) as u8,
            width: (simm >> 11) as u8 + 1,
        }
    }

    /// Encodes SIMM16.
    pub const fn pack(self) -> u16 {
        (self.id & 0x3f) as u16
            | ((self.offset & 0x1f) as u16) << 6
            | ((self.width.wrapping_sub(1) & 0x1f) as u16) << 11
    }
}

pub(crate) fn write_hwreg(out: &mut Text, isa: Isa, simm: u16) {
    let reg = Hwreg::unpack(simm);
    out.push_str("hwreg(");
    match HWREGS
        .iter()
        .find(|(_, id, on)| *id == reg.id && on.has(isa))
    {
        Some((name, ..)) => out.push_str(name),
        None => {
            let _ = write!(out, "{}", reg.id);
        }
    }
    if (reg.offset, reg.width) != (0, 32) {
        let _ = write!(out, ", {}, {}", reg.offset, reg.width);
    }
    out.push(')');
}

/// Operands that VGPR indexing can apply to, starting at bit 0.
pub const GPR_INDEXES: [&str; 4] = ["SRC0", "SRC1", "SRC2", "DST"];

/// Writes the operand of S_SET_GPR_IDX_ON or S_SET_GPR_IDX_MODE; as a number if a bit above the enable bits is set.
pub(crate) fn write_gpr_index(out: &mut Text, simm: u16) {
    if simm >> GPR_INDEXES.len() != 0 {
        let _ = write!(out, "{simm:#x}");
        return;
    }
    out.push_str("gpr_idx(");
    let mut separator = "";
    for (bit, name) in GPR_INDEXES.iter().enumerate() {
        if simm >> bit & 1 != 0 {
            out.push_str(separator);
            out.push_str(name);
            separator = ",";
        }
    }
    out.push(')');
}

/// Messages: name, number and instruction sets.
#[rustfmt::skip]
pub const MESSAGES: &[(&str, u8, IsaSet)] = &[
    ("MSG_INTERRUPT",           1,  on::SI),
    ("MSG_GS",                  2,  on::SI),
    ("MSG_GS_DONE",             3,  on::SI),
    ("MSG_SAVEWAVE",            4,  on::VI),
    ("MSG_STALL_WAVE_GEN",      5,  on::GFX9),
    ("MSG_HALT_WAVES",          6,  on::GFX9),
    ("MSG_ORDERED_PS_DONE",     7,  on::GFX9),
    ("MSG_EARLY_PRIM_DEALLOC",  8,  on::GFX9),
    ("MSG_GS_ALLOC_REQ",        9,  on::GFX9),
    ("MSG_GET_DOORBELL",        10, on::GFX9),
    ("MSG_SYSMSG",              15, on::SI),
];

/// Operations of MSG_GS and MSG_GS_DONE.
pub const GS_OPS: &[(&str, u8, IsaSet)] = &[
    ("GS_OP_NOP", 0, on::SI),
    ("GS_OP_CUT", 1, on::SI),
    ("GS_OP_EMIT", 2, on::SI),
    ("GS_OP_EMIT_CUT", 3, on::SI),
];

/// Operations of MSG_SYSMSG.
pub const SYS_OPS: &[(&str, u8, IsaSet)] = &[
    ("SYSMSG_OP_ECC_ERR_INTERRUPT", 1, on::SI),
    ("SYSMSG_OP_REG_RD", 2, on::SI),
    ("SYSMSG_OP_HOST_TRAP_ACK", 3, on::SI_CI_VI),
    ("SYSMSG_OP_TTRACE_PC", 4, on::SI),
];

const MSG_GS: u8 = 2;
const MSG_GS_DONE: u8 = 3;
const MSG_SYSMSG: u8 = 15;

/// Operations of a message.
///
/// # Examples
/// ```
/// let names = gcn_isa::simm::message_ops(2).iter().map(|(name, ..)| *name);
/// assert!(names.eq(["GS_OP_NOP", "GS_OP_CUT", "GS_OP_EMIT", "GS_OP_EMIT_CUT"]), "the operations of MSG_GS");
/// ```
pub fn message_ops(message: u8) -> &'static [(&'static str, u8, IsaSet)] {
    match message {
        MSG_GS | MSG_GS_DONE => GS_OPS,
        MSG_SYSMSG => SYS_OPS,
        _ => &[],
    }
}

/// Name of a message's operation; `None` if it is invalid. GS_OP_NOP is valid only for MSG_GS_DONE.
fn op_name(isa: Isa, message: u8, op: u8) -> Option<&'static str> {
    let is_possible = !(message == MSG_GS && op == 0);
    message_ops(message)
        .iter()
        .find(|(_, id, on)| *id == op && on.has(isa) && is_possible)
        .map(|(name, ..)| *name)
}

/// Error in a message's operation or stream according to LLVM's rules, if any.
///
/// # Examples
/// ```
/// use gcn_isa::{Isa, simm::wrong_message};
/// let (interrupt, gs, emit) = (1, 2, 2);
/// assert_eq!(wrong_message(Isa::Vi, gs, Some(emit), Some(0)), None);
/// assert_eq!(wrong_message(Isa::Vi, gs, None, None), Some("this message needs an operation"));
/// assert_eq!(wrong_message(Isa::Vi, interrupt, Some(emit), None), Some("this message has no operations"));
/// ```
pub fn wrong_message(
    isa: Isa,
    message: u8,
    op: Option<u8>,
    stream: Option<u8>,
) -> Option<&'static str> {
    let needs_op = !message_ops(message).is_empty();
    let is_gs = matches!(message, MSG_GS | MSG_GS_DONE);
    match (op, stream) {
        (None, _) if needs_op => Some("this message needs an operation"),
        (Some(_), _) if !needs_op => Some("this message has no operations"),
        (Some(op), _) if op_name(isa, message, op).is_none() => {
            Some("this message has no such operation")
        }
        (Some(op), Some(_)) if !is_gs || op == 0 => Some("this operation has no stream"),
        _ => None,
    }
}

/// Writes S_SENDMSG's operand: `sendmsg(message, operation, stream)`.
pub(crate) fn write_sendmsg(out: &mut Text, isa: Isa, simm: u16) {
    let (message, op, stream) = (
        (simm & 0xf) as u8,
        ((simm >> 4) & 7) as u8,
        ((simm >> 8) & 3) as u8,
    );
    let known = MESSAGES
        .iter()
        .find(|(_, id, on)| *id == message && on.has(isa));
    let ops = message_ops(message);
    let is_gs = matches!(message, MSG_GS | MSG_GS_DONE);
    let op_name = op_name(isa, message, op);
    let exact = u16::from(message) | u16::from(op) << 4 | u16::from(stream) << 8 == simm;
    match known {
        Some((name, ..)) if exact && ops.is_empty() && op == 0 && stream == 0 => {
            let _ = write!(out, "sendmsg({name})");
        }
        Some((name, ..)) if exact && op_name.is_some() && (is_gs && op != 0) => {
            let _ = write!(
                out,
                "sendmsg({name}, {}, {stream})",
                op_name.unwrap_or_default()
            );
        }
        Some((name, ..)) if exact && op_name.is_some() && stream == 0 => {
            let _ = write!(out, "sendmsg({name}, {})", op_name.unwrap_or_default());
        }
        _ if exact => {
            let _ = write!(out, "sendmsg({message}, {op}, {stream})");
        }
        _ => {
            let _ = write!(out, "{simm}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(write: impl Fn(&mut Text)) -> String {
        let mut out = Text::new();
        write(&mut out);
        out.as_str().to_owned()
    }

    #[test]
    fn counters_survive_packing() {
        for isa in Isa::ALL {
            let max = Waitcnt::max(isa);
            for (vm, exp, lgkm) in [
                (0, 0, 0),
                (max.vm, 7, 15),
                (max.vm, 0, 3),
                (1, 7, 0),
                (max.vm / 2, 3, 8),
            ] {
                let wait = Waitcnt { vm, exp, lgkm };
                assert_eq!(Waitcnt::unpack(isa, wait.pack(isa)), wait);
            }
        }
        // VM_CNT has two more bits on GCN 1.4, at the top (`docs/semantics.md`, 5.2).
        assert_eq!(Waitcnt::unpack(Isa::Gfx9, 0xcf7f), Waitcnt::max(Isa::Gfx9));
        assert_eq!(Waitcnt::unpack(Isa::Vi, 0xcf7f).vm, 15);
        assert_eq!(
            Waitcnt {
                vm: 63,
                exp: 7,
                lgkm: 15
            }
            .pack(Isa::Gfx9),
            0xcf7f
        );
    }

    #[test]
    fn counters_read_like_llvms() {
        for (isa, simm, expected) in [
            (Isa::Vi, 0x0f70, "vmcnt(0)"),
            (Isa::Vi, 0x0070, "vmcnt(0) lgkmcnt(0)"),
            (Isa::Vi, 0x0f7f, "vmcnt(15) expcnt(7) lgkmcnt(15)"),
            (Isa::Gfx9, 0xc07f, "lgkmcnt(0)"),
            (Isa::Gfx9, 0x8f7f, "vmcnt(47)"),
            // Bits outside the counters.
            (Isa::Vi, 0xcf7f, "0xcf7f"),
        ] {
            assert_eq!(text(|out| write_waitcnt(out, isa, simm)), expected);
        }
    }

    #[test]
    fn hardware_registers_survive_packing() {
        for simm in 0..=u16::MAX {
            assert_eq!(Hwreg::unpack(simm).pack(), simm);
        }
        assert_eq!(
            text(|out| write_hwreg(out, Isa::Si, 0xf801)),
            "hwreg(HW_REG_MODE)"
        );
        assert_eq!(
            text(|out| write_hwreg(out, Isa::Si, 0x0901)),
            "hwreg(HW_REG_MODE, 4, 2)"
        );
        assert_eq!(
            text(|out| write_hwreg(out, Isa::Gfx9, 0xf80f)),
            "hwreg(HW_REG_SH_MEM_BASES)"
        );
        assert_eq!(text(|out| write_hwreg(out, Isa::Vi, 0xf80f)), "hwreg(15)");
    }

    #[test]
    fn messages_read_like_llvms() {
        for (isa, simm, expected) in [
            (Isa::Si, 0x0001, "sendmsg(MSG_INTERRUPT)"),
            (Isa::Si, 0x0122, "sendmsg(MSG_GS, GS_OP_EMIT, 1)"),
            (Isa::Si, 0x0003, "sendmsg(MSG_GS_DONE, GS_OP_NOP)"),
            (
                Isa::Si,
                0x001f,
                "sendmsg(MSG_SYSMSG, SYSMSG_OP_ECC_ERR_INTERRUPT)",
            ),
            // A message that the chip lacks, an operation that the message lacks, undefined bits.
            (Isa::Si, 0x0004, "sendmsg(4, 0, 0)"),
            (Isa::Si, 0x0002, "sendmsg(2, 0, 0)"),
            (Isa::Si, 0x8001, "32769"),
        ] {
            assert_eq!(text(|out| write_sendmsg(out, isa, simm)), expected);
        }
    }

    #[test]
    fn gpr_indexes_read_like_llvms() {
        assert_eq!(text(|out| write_gpr_index(out, 0)), "gpr_idx()");
        assert_eq!(text(|out| write_gpr_index(out, 9)), "gpr_idx(SRC0,DST)");
        assert_eq!(text(|out| write_gpr_index(out, 16)), "0x10");
    }
}
