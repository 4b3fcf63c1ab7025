//! CLRX's spellings of instructions, registers, scalar immediates, formats and permutations. The assembler accepts them
//! in addition to LLVM's, and the printer writes them for [`Syntax::Clrx`](crate::Syntax::Clrx).
//!
//! Source: CLRX's documents (GcnOperands, GcnSdwaDpp, GcnInstrs…); `docs/dialects.md`.

use std::fmt::Write;

use crate::buffer_format::{DATA_FORMAT_BITS, DEFAULT_FORMAT};
use crate::dpp::Permutation;
use crate::effect::{AluOp, Does, ImageOp};
use crate::field::{Encoding, Field};
use crate::inst::{Inst, Operand};
use crate::op::Op;
use crate::operand::{Kind, Slot};
use crate::regs;
use crate::row::Row;
use crate::rules::{self, Rule};
use crate::simm::{Hwreg, Waitcnt};
use crate::target::{Isa, IsaSet, on};
use crate::text::Text;

/// Instruction names, and the names that CLRX prints for them.
#[rustfmt::skip]
const NAMES: &[(&str, &str, IsaSet)] = &[
    ("v_qsad_pk_u16_u8",  "v_qsad_u8",      on::SI_ONLY),
    ("v_mqsad_pk_u16_u8", "v_mqsad_u8",     on::SI_ONLY),
    ("v_cmp_ne_i16",      "v_cmp_lg_i16",   on::VI),
    ("v_cmp_ne_u16",      "v_cmp_lg_u16",   on::VI),
    ("v_cmp_ne_i32",      "v_cmp_lg_i32",   on::SI),
    ("v_cmp_ne_u32",      "v_cmp_lg_u32",   on::SI),
    ("v_cmp_ne_i64",      "v_cmp_lg_i64",   on::SI),
    ("v_cmp_ne_u64",      "v_cmp_lg_u64",   on::SI),
    ("v_cmpx_ne_i16",     "v_cmpx_lg_i16",  on::VI),
    ("v_cmpx_ne_u16",     "v_cmpx_lg_u16",  on::VI),
    ("v_cmpx_ne_i32",     "v_cmpx_lg_i32",  on::SI),
    ("v_cmpx_ne_u32",     "v_cmpx_lg_u32",  on::SI),
    ("v_cmpx_ne_i64",     "v_cmpx_lg_i64",  on::SI),
    ("v_cmpx_ne_u64",     "v_cmpx_lg_u64",  on::SI),
    ("v_cmp_t_i16",       "v_cmp_tru_i16",  on::VI),
    ("v_cmp_t_u16",       "v_cmp_tru_u16",  on::VI),
    ("v_cmp_t_i32",       "v_cmp_tru_i32",  on::SI),
    ("v_cmp_t_u32",       "v_cmp_tru_u32",  on::SI),
    ("v_cmp_t_i64",       "v_cmp_tru_i64",  on::SI),
    ("v_cmp_t_u64",       "v_cmp_tru_u64",  on::SI),
    ("v_cmpx_t_i16",      "v_cmpx_tru_i16", on::VI),
    ("v_cmpx_t_u16",      "v_cmpx_tru_u16", on::VI),
    ("v_cmpx_t_i32",      "v_cmpx_tru_i32", on::SI),
    ("v_cmpx_t_u32",      "v_cmpx_tru_u32", on::SI),
    ("v_cmpx_t_i64",      "v_cmpx_tru_i64", on::SI),
    ("v_cmpx_t_u64",      "v_cmpx_tru_u64", on::SI),
];

/// Instruction names, and alternative names that CLRX accepts.
#[rustfmt::skip]
const ALIASES: &[(&str, &str, IsaSet)] = &[
    ("v_add_i32",       "v_add_u32",    on::SI_CI),
    ("v_sub_i32",       "v_sub_u32",    on::SI_CI),
    ("v_subrev_i32",    "v_subrev_u32", on::SI_CI),
    ("v_add_u32",       "v_add_i32",    on::VI_ONLY),
    ("v_sub_u32",       "v_sub_i32",    on::VI_ONLY),
    ("v_subrev_u32",    "v_subrev_i32", on::VI_ONLY),
    ("v_qsad_pk_u16_u8",  "v_qsad_u8",  on::CI_ONLY),
    ("v_mqsad_pk_u16_u8", "v_mqsad_u8", on::CI_ONLY),
    ("s_cmp_lg_u64",    "s_cmp_ne_u64", on::VI),
    ("v_cmp_tru_f16",   "v_cmp_t_f16",  on::VI),
    ("v_cmp_tru_f32",   "v_cmp_t_f32",  on::SI),
    ("v_cmp_tru_f64",   "v_cmp_t_f64",  on::SI),
    ("v_cmpx_tru_f16",  "v_cmpx_t_f16", on::VI),
    ("v_cmpx_tru_f32",  "v_cmpx_t_f32", on::SI),
    ("v_cmpx_tru_f64",  "v_cmpx_t_f64", on::SI),
    ("v_cmps_tru_f32",  "v_cmps_t_f32", on::SI_CI),
    ("v_cmps_tru_f64",  "v_cmps_t_f64", on::SI_CI),
    ("v_cmpsx_tru_f32", "v_cmpsx_t_f32", on::SI_CI),
    ("v_cmpsx_tru_f64", "v_cmpsx_t_f64", on::SI_CI),
];

/// CLRX's name for an instruction on `isa`.
///
/// ```
/// use gcn_isa::{Isa, Op, clrx, vop::Vopc};
/// let row = Op::Vopc(Vopc::V_CMP_NE_I32).row();
/// assert_eq!(clrx::name(row, Isa::Si), "v_cmp_lg_i32");
/// ```
pub fn name(row: &Row, isa: Isa) -> &'static str {
    let own = row.name_on(isa);
    NAMES
        .iter()
        .find(|(name, _, on)| *name == own && on.has(isa))
        .map_or(own, |(_, theirs, _)| theirs)
}

/// Instruction for `name`, a lower-case name that only CLRX uses.
///
/// # Examples
/// ```
/// use gcn_isa::{Isa, clrx};
/// let add = clrx::named(Isa::Vi, "v_add_i32").expect("an alias");
/// assert_eq!(add.row().name_on(Isa::Vi), "v_add_u32");
/// assert_eq!(clrx::named(Isa::Vi, "v_add_u32"), None, "the tables have this name");
/// ```
pub fn named(isa: Isa, name: &str) -> Option<Op> {
    let (own, ..) = NAMES
        .iter()
        .chain(ALIASES)
        .find(|(_, theirs, on)| *theirs == name && on.has(isa))?;
    isa.tables().named(own)
}

/// Number of registers that CLRX accepts for a gather's result.
const TEXEL: u8 = 4;

/// Dwords of an image descriptor with R128.
pub(crate) const SHORT_DESCRIPTOR: u8 = 4;

/// Operands for which CLRX writes a different number of registers than the row declares. Hardware reads as many
/// registers as the row declares.
const WIDTHS: &[(&str, Field, u8)] = &[
    ("v_cmp_class_f64", Field::Src1, 2),
    ("v_cmpx_class_f64", Field::Src1, 2),
];

/// Number of registers that CLRX writes for an operand, if it differs from the number in the row.
///
/// # Examples
/// ```
/// use gcn_isa::{Op, clrx, vop::Vopc};
/// let row = Op::Vopc(Vopc::V_CMP_CLASS_F64).row();
/// let classes = row.slots().last().expect("its second source");
/// assert_eq!((classes.ty.dwords(), clrx::width(row, classes)), (1, Some(2)));
/// ```
pub fn width(row: &Row, slot: &Slot) -> Option<u8> {
    WIDTHS
        .iter()
        .find(|(name, field, _)| *field == slot.field && *name == row.name)
        .map(|(.., dwords)| *dwords)
}

/// Minimum number of VGPRs that CLRX accepts for an image address when hardware reads at most `most` of them, and
/// the margin: the minimum is `most` minus the margin, or zero.
const fn least_image_address(most: u8) -> (u8, u8) {
    /// Smallest `most` of addresses with derivatives.
    const DERIVATIVES: u8 = 9;
    let beside_first = if most >= DERIVATIVES { 6 } else { 2 };
    (most.saturating_sub(beside_first), beside_first)
}

/// Number of VGPRs that CLRX writes for an image address when hardware reads at most `most` of them.
pub(crate) const fn image_address(most: u8) -> u8 {
    const FEWEST: u8 = 4;
    let (least, _) = least_image_address(most);
    if least > FEWEST { least } else { FEWEST }
}

/// True if CLRX accepts `count` VGPRs for an image address when hardware reads at most `most` of them.
///
/// # Examples
/// ```
/// use gcn_isa::clrx::takes_image_address;
/// assert!(takes_image_address(4, 2) && takes_image_address(4, 4), "image_load");
/// assert!(!takes_image_address(12, 5) && takes_image_address(12, 6), "image_sample_c_d_cl_o");
/// ```
pub const fn takes_image_address(most: u8, count: u8) -> bool {
    let (least, beside_first) = least_image_address(most);
    count >= least && count <= image_address(most) + beside_first + 1
}

/// Name of a special register; CLRX omits LLVM's `src_` prefix.
pub(crate) fn register(isa: Isa, code: u8, count: u8) -> Option<&'static str> {
    if code == regs::LDS_DIRECT {
        return Some("lds");
    }
    let name = regs::name(isa, code, count)?;
    Some(name.strip_prefix("src_").unwrap_or(name))
}

/// Names of hardware registers by number; earlier generations lack the last ones.
#[rustfmt::skip]
const HWREGS: [&str; 20] = [
    "@0", "mode", "status", "trapsts", "hw_id", "gpr_alloc", "lds_alloc", "ib_sts", "pc_lo", "pc_hi", "inst_dw0",
    "inst_dw1", "ib_dbg0", "ib_dbg1", "flush_ib", "sh_mem_bases", "sq_shader_tba_lo", "sq_shader_tba_hi",
    "sq_shader_tma_lo", "sq_shader_tma_hi",
];

/// Hardware register names with their numbers.
///
/// # Examples
/// ```
/// use gcn_isa::{Isa, clrx};
/// assert!(clrx::hwregs(Isa::Si).take(3).eq([("mode", 1), ("status", 2), ("trapsts", 3)]));
/// assert!(clrx::hwregs(Isa::Gfx9).any(|known| known == ("sh_mem_bases", 15)));
/// assert!(!clrx::hwregs(Isa::Vi).any(|(name, _)| name == "sh_mem_bases"));
/// ```
pub fn hwregs(isa: Isa) -> impl Iterator<Item = (&'static str, u8)> + Clone {
    let count = if isa >= Isa::Gfx9 {
        20
    } else if isa >= Isa::Vi {
        14
    } else {
        13
    };
    HWREGS.into_iter().zip(0u8..).take(count).skip(1)
}

/// Alternative names of hardware registers, with their numbers and instruction sets.
pub const HWREG_ALIASES: [(&str, u8, IsaSet); 4] = [
    ("tba_lo", 16, on::GFX9),
    ("tba_hi", 17, on::GFX9),
    ("tma_lo", 18, on::GFX9),
    ("tma_hi", 19, on::GFX9),
];

/// Writes the operand of S_GETREG and S_SETREG, always including the bit range.
pub(crate) fn write_hwreg(out: &mut Text, isa: Isa, simm: u16) {
    let reg = Hwreg::unpack(simm);
    let _ = match hwregs(isa).find(|(_, id)| *id == reg.id) {
        Some((name, _)) => write!(out, "hwreg({name}"),
        None => write!(out, "hwreg(@{}", reg.id),
    };
    let _ = write!(out, ", {}, {})", reg.offset, reg.width);
}

/// Messages, with their numbers and instruction sets.
#[rustfmt::skip]
const MESSAGES: &[(&str, u8, IsaSet)] = &[
    ("interrupt",          1,  on::SI),
    ("gs",                 2,  on::SI),
    ("gs_done",            3,  on::SI),
    ("savewave",           4,  on::VI),
    ("stall_wave_gen",     5,  on::GFX9),
    ("halt_waves",         6,  on::GFX9),
    ("ordered_ps_done",    7,  on::GFX9),
    ("early_prim_dealloc", 8,  on::GFX9),
    ("gs_alloc_req",       9,  on::GFX9),
    ("get_doorbell",       10, on::GFX9),
    ("system",             15, on::SI),
];
/// Geometry shader operations, by number.
pub const GS_OPS: [&str; 4] = ["nop", "cut", "emit", "emit-cut"];
/// Alternative name of the last operation.
pub const EMIT_CUT: (&str, u8) = ("emit_cut", 3);
/// Messages that have operations.
const GS_MESSAGES: [u8; 2] = [2, 3];

/// Message names with their numbers.
///
/// # Examples
/// ```
/// use gcn_isa::{Isa, clrx};
/// assert!(clrx::messages(Isa::Si).eq([("interrupt", 1), ("gs", 2), ("gs_done", 3), ("system", 15)]));
/// ```
pub fn messages(isa: Isa) -> impl Iterator<Item = (&'static str, u8)> + Clone {
    MESSAGES
        .iter()
        .filter(move |(.., on)| on.has(isa))
        .map(|&(name, id, _)| (name, id))
}

/// Writes S_SENDMSG's operand. Returns false if the text does not represent all bits, or has an operation or stream that
/// CLRX cannot parse.
pub(crate) fn write_sendmsg(out: &mut Text, isa: Isa, simm: u16) -> bool {
    let message = (simm & 0xf) as u8;
    let op = usize::from(simm >> 4 & 3);
    let stream = simm >> 8 & 3;
    let name = messages(isa).find(|(_, id)| *id == message);
    let _ = match name {
        Some((name, _)) => write!(out, "sendmsg({name}"),
        None => write!(out, "sendmsg(@{message}"),
    };
    let has_op = GS_MESSAGES.contains(&message);
    if has_op || op != 0 || stream != 0 {
        let _ = write!(out, ", {}", GS_OPS.get(op).copied().unwrap_or_default());
        if op != 0 || stream != 0 {
            let _ = write!(out, ", {stream}");
        }
    }
    out.push(')');
    let told = u16::from(message) | (op as u16) << 4 | stream << 8;
    if told != simm {
        let _ = write!(out, " :{simm:#x}");
    }
    let is_read = if op == 0 { stream == 0 } else { has_op };
    told == simm && is_read
}

/// Writes S_WAITCNT's operand. Returns false if bits outside of the counters are set.
pub(crate) fn write_waitcnt(out: &mut Text, isa: Isa, simm: u16) -> bool {
    let wait = Waitcnt::unpack(isa, simm);
    let max = Waitcnt::max(isa);
    let mut separator = "";
    for (name, value, max_value) in [
        ("vmcnt", wait.vm, max.vm),
        ("expcnt", wait.exp, max.exp),
        ("lgkmcnt", wait.lgkm, max.lgkm),
    ] {
        if wait == max || value != max_value {
            let _ = write!(out, "{separator}{name}({value})");
            separator = " & ";
        }
    }
    let is_told = wait.pack(isa) == simm;
    if !is_told {
        let _ = write!(out, " :{simm:#x}");
    }
    is_told
}

/// Data formats of typed buffers, by number.
#[rustfmt::skip]
pub const DATA_FORMATS: [&str; 16] = [
    "invalid", "8", "16", "8_8", "32", "16_16", "10_11_11", "11_11_10", "10_10_10_2", "2_10_10_10", "8_8_8_8",
    "32_32", "16_16_16_16", "32_32_32", "32_32_32_32", "reserved",
];
/// Data formats whose names CLRX prints but cannot parse.
const WRITTEN_ONLY: [&str; 2] = ["invalid", "reserved"];
/// Number formats, by number.
#[rustfmt::skip]
pub const NUMBER_FORMATS: [&str; 8] =
    ["unorm", "snorm", "uscaled", "sscaled", "uint", "sint", "snorm_ogl", "float"];

/// Writes ` format:[…]`, omitting defaults. Data formats whose names CLRX prints but cannot parse are written as
/// numbers.
pub(crate) fn write_format(out: &mut Text, format: u8) {
    let data = format & ((1 << DATA_FORMAT_BITS) - 1);
    let number = format >> DATA_FORMAT_BITS;
    if format == DEFAULT_FORMAT {
        return;
    }
    let mut separator = " format:[";
    if data != DEFAULT_FORMAT {
        out.push_str(separator);
        separator = ",";
        let name = DATA_FORMATS.get(usize::from(data)).copied();
        match name.filter(|name| !WRITTEN_ONLY.contains(name)) {
            Some(name) => out.push_str(name),
            None => {
                out.push('@');
                out.push_decimal(data.into());
            }
        }
    }
    let number_name = NUMBER_FORMATS.get(usize::from(number)).copied();
    if let Some(name) = number_name.filter(|_| number != 0) {
        out.push_str(separator);
        out.push_str(name);
    }
    out.push(']');
}

/// Writes a space and DPP_CTRL. Returns false if the text does not represent DPP_CTRL.
pub(crate) fn write_permutation(out: &mut Text, ctrl: u16) -> bool {
    let _ = match Permutation::unpack(ctrl) {
        Some(Permutation::QuadPerm([a, b, c, d])) => write!(out, " quad_perm:[{a},{b},{c},{d}]"),
        Some(Permutation::RowShl(by)) => write!(out, " row_shl:{by}"),
        Some(Permutation::RowShr(by)) => write!(out, " row_shr:{by}"),
        Some(Permutation::RowRor(by)) => write!(out, " row_ror:{by}"),
        Some(Permutation::WaveShl) => write!(out, " wave_shl"),
        Some(Permutation::WaveRol) => write!(out, " wave_rol"),
        Some(Permutation::WaveShr) => write!(out, " wave_shr"),
        Some(Permutation::WaveRor) => write!(out, " wave_ror"),
        Some(Permutation::RowMirror) => write!(out, " row_mirror"),
        Some(Permutation::RowHalfMirror) => write!(out, " row_half_mirror"),
        Some(Permutation::RowBcast15) => write!(out, " row_bcast15"),
        Some(Permutation::RowBcast31) => write!(out, " row_bcast31"),
        None => {
            let _ = write!(out, " dppctrl:{ctrl:#x}");
            return false;
        }
    };
    true
}

/// CLRX's names for the values of an SDWA field, a selection or DST_UNUSED, with their numbers.
///
/// # Examples
/// ```
/// use gcn_isa::{Field, clrx};
/// assert!(clrx::choices(Field::DstUnused).eq([("pad", 0), ("sext", 1), ("preserve", 2)]));
/// assert!(clrx::choices(Field::Src0Sel).any(|choice| choice == ("word1", 5)));
/// ```
pub fn choices(field: Field) -> impl Iterator<Item = (&'static str, u8)> + Clone {
    const SELECTIONS: &[(&str, u8)] = &[
        ("byte0", 0),
        ("byte1", 1),
        ("byte2", 2),
        ("byte3", 3),
        ("word0", 4),
        ("word1", 5),
        ("b0", 0),
        ("b1", 1),
        ("b2", 2),
        ("b3", 3),
        ("w0", 4),
        ("w1", 5),
        ("dw", 6),
    ];
    const UNUSED: &[(&str, u8)] = &[("pad", 0), ("sext", 1), ("preserve", 2)];
    let names = if field == Field::DstUnused {
        UNUSED
    } else {
        SELECTIONS
    };
    names.iter().copied()
}

/// Value of a 16-bit float.
fn half(bits: u16) -> f64 {
    const FRACTION_BITS: i32 = 10;
    const BIAS: i32 = 15;
    const EXPONENT_MAX: u16 = 31;
    let sign = if bits >> 15 == 0 { 1.0 } else { -1.0 };
    let exponent = bits >> FRACTION_BITS & EXPONENT_MAX;
    let fraction = f64::from(bits & ((1 << FRACTION_BITS) - 1));
    let scale = |power: i32| 2f64.powi(power);
    sign * match exponent {
        0 => fraction * scale(1 - BIAS - FRACTION_BITS),
        EXPONENT_MAX if fraction == 0.0 => f64::INFINITY,
        EXPONENT_MAX => f64::NAN,
        _ => (fraction + scale(FRACTION_BITS)) * scale(i32::from(exponent) - BIAS - FRACTION_BITS),
    }
}

/// Writes a comment with a literal's value as a 16-bit float, rounded to five significant digits, without trailing
/// zeros.
pub(crate) fn write_half_comment(out: &mut Text, bits: u16) {
    /// Number of digits after the first; enough to distinguish all 16-bit floats.
    const DIGITS: usize = 4;
    let text = format!("{:.DIGITS$e}", half(bits));
    let text = match text.split_once('e') {
        Some((digits, power)) => {
            format!(
                "{}e{power}",
                digits.trim_end_matches('0').trim_end_matches('.')
            )
        }
        None => text,
    };
    write_comment(out, &text, 'h');
}

/// Writes a comment with a literal's value as a 32-bit float: ` /* 1.5f */`.
pub(crate) fn write_single_comment(out: &mut Text, value: f32) {
    write_comment(out, &format!("{value:e}"), 'f');
}

/// Writes a number, given in scientific notation, as a comment; in plain notation if its exponent is small.
fn write_comment(out: &mut Text, text: &str, suffix: char) {
    /// Powers of ten for which no exponent is written.
    const WITHOUT_EXPONENT: std::ops::Range<i32> = -5..7;
    out.push_str(" /* ");
    let _ = match text
        .split_once('e')
        .map(|(digits, power)| (digits, power.parse::<i32>()))
    {
        Some((digits, Ok(power))) if !WITHOUT_EXPONENT.contains(&power) => {
            write!(out, "{digits}e{power:+}")
        }
        Some(_) => write!(out, "{}", text.parse().unwrap_or(0f64)),
        None => write!(out, "{text}"),
    };
    out.push(suffix);
    out.push_str(" */");
}

/// True if CLRX rejects instructions that violate the rule. It accepts some instructions that LLVM rejects.
///
/// # Examples
/// ```
/// use gcn_isa::{clrx, rules::Rule};
/// assert!(clrx::enforces(Rule::ConstantBus) && !clrx::enforces(Rule::IntegerClamp));
/// ```
pub fn enforces(rule: Rule) -> bool {
    match rule {
        Rule::ConstantBus | Rule::NoConstant | Rule::ExecHiAddress | Rule::StoreOffset => true,
        Rule::LdsDirect
        | Rule::LdsPlace
        | Rule::IntegerClamp
        | Rule::AtomicMask
        | Rule::GatherMask
        | Rule::StoreStatus
        | Rule::LdsStatus
        | Rule::GprIndex
        | Rule::ForkLiteral
        | Rule::ScalarData
        | Rule::OffsetRange
        | Rule::Literal => false,
    }
}

/// Instructions for which CLRX expects different operands, or which it supports on fewer chips.
const LACKS: &[(&str, IsaSet)] = &[
    ("ds_condxchg32_rtn_b128", on::CI),
    ("v_fma_mix_f32", on::VEGA12.without(on::VEGA20)),
    ("v_fma_mixlo_f16", on::VEGA12.without(on::VEGA20)),
    ("v_fma_mixhi_f16", on::VEGA12.without(on::VEGA20)),
];

/// True if CLRX accepts this combination of fields; `docs/dialects.md` (C013) lists the combinations that it rejects.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "what CLRX refuses is listed; it takes all else"
)]
pub(crate) fn takes(inst: &Inst) -> bool {
    let (isa, row, does) = (inst.isa, inst.row(), inst.does());
    // CLRX treats Stoney like every other GCN 1.2 chip.
    let is_packed_alone = on::PACKED.has(isa) && !on::GFX9.has(isa);
    let is_lacking = LACKS
        .iter()
        .any(|(name, on)| *name == row.name && on.has(isa))
        || is_packed_alone && row.opcode_on(Isa::Vi).is_none();
    let operands = || row.slots().map(|slot| (slot, inst.operand(slot)));
    let literals = operands().filter(|(_, operand)| matches!(operand, Operand::Literal(_)));
    let literals = literals.count();
    if is_lacking || literals > 1 {
        return false;
    }
    let has = |field| inst.flag(field);
    let is_register = |(_, operand): (&Slot, Operand)| match operand {
        Operand::Scalar { code, .. } => regs::inline(isa, code).is_none(),
        _ => false,
    };
    match inst.encoding {
        Encoding::Mimg => {
            let writes = matches!(does, Does::Image(ImageOp::Store(..)) | Does::Atomic(..));
            let is_gather = matches!(does, Does::Image(ImageOp::Gather(_) | ImageOp::GatherRow));
            let is_texel = |(slot, operand): (&Slot, Operand)| match (slot.kind, operand) {
                (Kind::ImageData { .. }, Operand::Vgprs { count, .. }) => count == TEXEL,
                _ => true,
            };
            let mask = inst.get(Field::Dmask);
            let is_packed = is_packed_alone && has(Field::D16) && mask.count_ones() > 1;
            mask != 0
                && !is_packed
                && (has(Field::Unorm) || !writes)
                && (!is_gather || operands().all(is_texel))
        }
        Encoding::Mubuf | Encoding::Mtbuf => {
            let is_relative = has(Field::Offen) || has(Field::Idxen);
            let refuses = has(Field::Lds) && has(Field::Tfe) || has(Field::Addr64) && is_relative;
            !refuses
        }
        Encoding::Flat => !has(Field::Lds),
        Encoding::Ds => inst.modifiers().all(|m| !m.required || has(m.field)),
        Encoding::Smem if does == Does::Probe && on::VI_ONLY.has(isa) => {
            operands().all(|(_, operand)| match operand {
                Operand::ScalarOffset { reg, .. } => reg.is_none_or(|code| code == regs::M0),
                _ => true,
            })
        }
        Encoding::Vop3 if does == Does::Alu(AluOp::DivFmas) => !operands().any(is_register),
        Encoding::Vop2 if literals > 0 => {
            let mut sources = operands().filter(|(slot, _)| slot.field == Field::Src1);
            !sources.any(is_register)
        }
        _ => true,
    }
}

/// Index of the slot at which a vector instruction exceeds CLRX's constant bus limit, if it does. CLRX does not count
/// literals.
///
/// # Examples
/// ```
/// use gcn_isa::{Isa, clrx, decode, rules};
/// // v_cndmask_b32_e32 v0, 0x12345678, v0, vcc
/// let choice = decode(Isa::Vi, &[0x0000_00ff, 0x1234_5678])?;
/// assert_eq!((rules::constant_bus(&choice), clrx::constant_bus(&choice)), (Some(3), None));
/// # Ok::<(), gcn_isa::DecodeError>(())
/// ```
pub fn constant_bus(inst: &Inst) -> Option<usize> {
    rules::bus_reads(inst, false)
}

/// True if an SGPR group may begin at `first`: CLRX aligns pairs to two and larger groups to four; in vector instructions,
/// it also accepts groups that do not cross a multiple of four.
///
/// # Examples
/// ```
/// use gcn_isa::{Encoding, clrx::takes_group};
/// assert!(takes_group(Encoding::Vop3, 5, 2) && !takes_group(Encoding::Sop1, 5, 2), "s[5:6]");
/// assert!(!takes_group(Encoding::Vop3, 7, 2), "s[7:8]");
/// ```
pub fn takes_group(encoding: Encoding, first: u8, count: u8) -> bool {
    /// Number of SGPRs between boundaries that a group may not cross.
    const LINE: u8 = 4;
    if encoding.is_vector_alu() {
        first % LINE + count <= LINE || regs::aligned(first, count)
    } else {
        regs::aligned(first, count)
    }
}
