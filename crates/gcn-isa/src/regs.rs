//! Scalar registers and inline constants: numbers and names.
//!
//! Source: the table "Scalar operands" of AMD's manuals; errata E024 for the alignment of register groups, and E088 for
//! the apertures.

use crate::operand::Ty;
use crate::target::{Isa, IsaSet, Numbering, on};
use crate::text::Text;

/// FLAT_SCRATCH of GCN 1.1, low half.
const FLAT_SCRATCH_CI: u8 = 104;
/// FLAT_SCRATCH on GCN 1.2 and later, low half.
const FLAT_SCRATCH_VI: u8 = 102;
/// XNACK_MASK of GCN 1.2 and 1.4, low half.
pub const XNACK_MASK_LO: u8 = 104;
/// XNACK_MASK of GCN 1.2 and 1.4, high half.
pub const XNACK_MASK_HI: u8 = 105;
/// VCC, low half; the high half follows.
pub const VCC_LO: u8 = 106;
/// M0 register.
pub const M0: u8 = 124;
/// EXEC, low half.
pub const EXEC_LO: u8 = 126;
/// EXEC, high half.
pub const EXEC_HI: u8 = 127;
/// SADDR value that means `off`, instead of [`EXEC_HI`] (errata E079).
pub(crate) const SADDR_OFF: u64 = EXEC_HI as u64;
/// Inline constant 0; 1 to 64 follow.
pub const ZERO: u8 = 128;
/// Inline constant 64.
pub const SIXTY_FOUR: u8 = 192;
/// Inline constant −16, the last of the negative integers.
pub const MINUS_SIXTEEN: u8 = 208;
/// Inline constant 0.5, the first floating-point constant.
pub const HALF: u8 = 240;
/// Inline constant 1/(2π), on GCN 1.2 and later.
pub const INV_2PI: u8 = 248;
/// Base of the LDS aperture in FLAT addresses, GCN 1.4; its limit, and the private aperture's base and limit, follow.
pub const SHARED_BASE: u8 = 235;
/// Limit of the private aperture in FLAT addresses, GCN 1.4.
pub const PRIVATE_LIMIT: u8 = 238;
/// VCCZ as a source.
pub const VCCZ: u8 = 251;
/// EXECZ as a source.
pub const EXECZ: u8 = 252;
/// SCC as a source.
pub const SCC: u8 = 253;
/// LDS value at the address in M0, as a source.
pub const LDS_DIRECT: u8 = 254;
/// First trap temporary up to GCN 1.2.
const TTMP_TO_VI: u8 = 112;
/// First trap temporary on GCN 1.4.
const TTMP_GFX9: u8 = 108;
/// Last trap temporary.
const TTMP_LAST: u8 = 123;

/// A special register.
struct Special {
    name: &'static str,
    code: u8,
    /// Size in dwords, or [`ANY_WIDTH`] if operands of every width may name it.
    dwords: u8,
    on: IsaSet,
}

/// Size of special values, which operands of any width can read.
pub const ANY_WIDTH: u8 = 0;

const fn special(name: &'static str, code: u8, dwords: u8, on: IsaSet) -> Special {
    Special {
        name,
        code,
        dwords,
        on,
    }
}

/// Special registers. A lookup by number returns the first match.
#[rustfmt::skip]
const SPECIALS: &[Special] = &[
    special("flat_scratch",            FLAT_SCRATCH_CI, 2, on::CI_ONLY),
    special("flat_scratch_lo",         FLAT_SCRATCH_CI, 1, on::CI_ONLY),
    special("flat_scratch_hi",         105, 1, on::CI_ONLY),
    special("flat_scratch",            FLAT_SCRATCH_VI, 2, on::VI),
    special("flat_scratch_lo",         FLAT_SCRATCH_VI, 1, on::VI),
    special("flat_scratch_hi",         103, 1, on::VI),
    special("xnack_mask",              XNACK_MASK_LO, 2, on::VI),
    special("xnack_mask_lo",           XNACK_MASK_LO, 1, on::VI),
    special("xnack_mask_hi",           XNACK_MASK_HI, 1, on::VI),
    special("vcc",                     106, 2, on::SI),
    special("vcc_lo",                  106, 1, on::SI),
    special("vcc_hi",                  107, 1, on::SI),
    special("tba",                     108, 2, on::SI_CI_VI),
    special("tba_lo",                  108, 1, on::SI_CI_VI),
    special("tba_hi",                  109, 1, on::SI_CI_VI),
    special("tma",                     110, 2, on::SI_CI_VI),
    special("tma_lo",                  110, 1, on::SI_CI_VI),
    special("tma_hi",                  111, 1, on::SI_CI_VI),
    special("m0",                      124, 1, on::SI),
    special("exec",                    126, 2, on::SI),
    special("exec_lo",                 126, 1, on::SI),
    special("exec_hi",                 127, 1, on::SI),
    special("src_shared_base",         SHARED_BASE, ANY_WIDTH, on::GFX9),
    special("src_shared_limit",        236, ANY_WIDTH, on::GFX9),
    special("src_private_base",        237, ANY_WIDTH, on::GFX9),
    special("src_private_limit",       PRIVATE_LIMIT, ANY_WIDTH, on::GFX9),
    special("src_pops_exiting_wave_id", 239, ANY_WIDTH, on::GFX9),
    special("src_vccz",                VCCZ, ANY_WIDTH, on::SI),
    special("src_execz",               EXECZ, ANY_WIDTH, on::SI),
    special("src_scc",                 SCC, ANY_WIDTH, on::SI),
    special("src_lds_direct",          254, 1, on::SI),
    // Alternative names.
    special("shared_base",             SHARED_BASE, ANY_WIDTH, on::GFX9),
    special("shared_limit",            236, ANY_WIDTH, on::GFX9),
    special("private_base",            237, ANY_WIDTH, on::GFX9),
    special("private_limit",           PRIVATE_LIMIT, ANY_WIDTH, on::GFX9),
    special("pops_exiting_wave_id",    239, ANY_WIDTH, on::GFX9),
    special("vccz",                    VCCZ, ANY_WIDTH, on::SI),
    special("execz",                   EXECZ, ANY_WIDTH, on::SI),
    special("scc",                     SCC, ANY_WIDTH, on::SI),
    special("lds_direct",              254, 1, on::SI),
];

/// Number of FLAT_SCRATCH, if `isa` has it.
///
/// # Examples
/// ```
/// use gcn_isa::{Isa, regs::flat_scratch};
/// assert_eq!([Isa::Si, Isa::Ci, Isa::Vi].map(flat_scratch), [None, Some(104), Some(102)]);
/// ```
pub const fn flat_scratch(isa: Isa) -> Option<u8> {
    if on::CI_ONLY.has(isa) {
        Some(FLAT_SCRATCH_CI)
    } else if on::VI.has(isa) {
        Some(FLAT_SCRATCH_VI)
    } else {
        None
    }
}

/// Number and size in dwords, or [`ANY_WIDTH`], of a special register.
///
/// # Examples
/// ```
/// use gcn_isa::Isa;
/// use gcn_isa::regs::{ANY_WIDTH, SCC, VCC_LO, named};
/// assert_eq!(named(Isa::Si, "vcc"), Some((VCC_LO, 2)));
/// assert_eq!(named(Isa::Si, "src_scc"), Some((SCC, ANY_WIDTH)));
/// assert_eq!(named(Isa::Si, "flat_scratch"), None, "GCN 1.0 has no FLAT instructions");
/// ```
pub fn named(isa: Isa, name: &str) -> Option<(u8, u8)> {
    SPECIALS
        .iter()
        .find(|s| s.name == name && s.on.has(isa))
        .map(|s| (s.code, s.dwords))
}

/// Name of `count` registers starting at `code`, if they form a special register.
pub(crate) fn name(isa: Isa, code: u8, count: u8) -> Option<&'static str> {
    SPECIALS
        .iter()
        .find(|s| {
            s.code == code && matches!(s.dwords, d if d == count || d == ANY_WIDTH) && s.on.has(isa)
        })
        .map(|s| s.name)
}

/// True for the number of a special value, for example `src_scc`, which operands of any width can read.
///
/// # Examples
/// ```
/// use gcn_isa::Isa;
/// use gcn_isa::regs::{M0, SHARED_BASE, is_value};
/// assert!(is_value(Isa::Gfx9, SHARED_BASE) && !is_value(Isa::Vi, SHARED_BASE));
/// assert!(!is_value(Isa::Gfx9, M0), "a register of one dword");
/// ```
pub fn is_value(isa: Isa, code: u8) -> bool {
    SPECIALS
        .iter()
        .any(|s| s.code == code && s.dwords == ANY_WIDTH && s.on.has(isa))
}

/// Instruction sets that have a special register, for error messages.
///
/// # Examples
/// ```
/// let on = gcn_isa::regs::named_anywhere("flat_scratch").expect("a special register");
/// assert_eq!(on.to_string(), "GCN 1.1, 1.2, 1.4, 1.4.1");
/// assert_eq!(gcn_isa::regs::named_anywhere("s0"), None);
/// ```
pub fn named_anywhere(name: &str) -> Option<IsaSet> {
    SPECIALS
        .iter()
        .filter(|s| s.name == name)
        .map(|s| s.on)
        .reduce(IsaSet::or)
}

/// True if any generation has a special register of this name; case-insensitive.
///
/// # Examples
/// ```
/// use gcn_isa::regs::is_named_anywhere;
/// assert!(is_named_anywhere("EXEC_LO") && !is_named_anywhere("s0"));
/// ```
pub fn is_named_anywhere(name: &str) -> bool {
    SPECIALS.iter().any(|s| s.name.eq_ignore_ascii_case(name))
}

/// Number of the first trap temporary, and their count.
///
/// # Examples
/// ```
/// use gcn_isa::Isa;
/// use gcn_isa::regs::{scalar_name, trap_temporaries};
/// assert_eq!((trap_temporaries(Isa::Vi), trap_temporaries(Isa::Gfx9)), ((112, 12), (108, 16)));
/// assert_eq!(scalar_name(Isa::Vi, 112, 2).as_deref(), Some("ttmp[0:1]"));
/// ```
pub fn trap_temporaries(isa: Isa) -> (u8, u8) {
    let first = if isa >= Isa::Gfx9 {
        TTMP_GFX9
    } else {
        TTMP_TO_VI
    };
    (first, TTMP_LAST - first + 1)
}

/// Name of `count` scalar registers starting at `code`, if they have one.
///
/// ```
/// use gcn_isa::{Isa, regs::scalar_name};
/// assert_eq!(scalar_name(Isa::Vi, 4, 2).as_deref(), Some("s[4:5]"));
/// assert_eq!(scalar_name(Isa::Vi, 106, 2).as_deref(), Some("vcc"));
/// assert_eq!(scalar_name(Isa::Vi, 5, 2), None);
/// ```
pub fn scalar_name(isa: Isa, code: u8, count: u8) -> Option<String> {
    let mut name = Text::new();
    write_scalar(&mut name, isa, code, count).then(|| name.as_str().to_owned())
}

/// Writes `count` scalar registers starting at `code`; returns false and writes nothing if they have no name.
pub(crate) fn write_scalar(out: &mut Text, isa: Isa, code: u8, count: u8) -> bool {
    if code < isa.sgprs() {
        if code + count > isa.sgprs() || !aligned(code, count) {
            return false;
        }
        write_group(out, 's', code, count);
        return true;
    }
    if is_constant(code) {
        return false;
    }
    if let Some(name) = name(isa, code, count) {
        out.push_str(name);
        return true;
    }
    let (first, temporaries) = trap_temporaries(isa);
    if code >= first && code - first + count <= temporaries && aligned(code - first, count) {
        out.push_str("ttmp");
        write_numbers(out, code - first, count);
        return true;
    }
    false
}

/// True for a number that is an inline constant on some generation.
pub(crate) const fn is_constant(code: u8) -> bool {
    matches!(code, ZERO..=MINUS_SIXTEEN | HALF..=INV_2PI)
}

/// True for the number of XNACK_MASK or one of its halves.
///
/// # Examples
/// ```
/// use gcn_isa::Isa;
/// use gcn_isa::regs::{XNACK_MASK_LO, is_xnack_mask, scalar_name};
/// assert!(is_xnack_mask(Isa::Gfx9, XNACK_MASK_LO) && !is_xnack_mask(Isa::Ci, XNACK_MASK_LO));
/// assert_eq!(scalar_name(Isa::Ci, XNACK_MASK_LO, 2).as_deref(), Some("flat_scratch"));
/// ```
pub const fn is_xnack_mask(isa: Isa, code: u8) -> bool {
    matches!(isa.numbering(), Numbering::Vi9) && matches!(code, XNACK_MASK_LO | XNACK_MASK_HI)
}

/// Like [`is_xnack_mask`], but true only on [`Isa::Vi`], since most of its chips lack XNACK and thus the register.
pub(crate) fn may_lack_xnack_mask(isa: Isa, code: u8) -> bool {
    isa == Isa::Vi && is_xnack_mask(isa, code)
}

/// True if a group of SGPRs may begin at `first`: pairs must be aligned to two, larger groups to four (errata E024).
///
/// # Examples
/// ```
/// use gcn_isa::regs::aligned;
/// assert!(aligned(6, 2) && !aligned(7, 2), "s[6:7]");
/// assert!(aligned(4, 8) && !aligned(6, 4), "s[4:11]");
/// ```
pub const fn aligned(first: u8, count: u8) -> bool {
    match count {
        0 | 1 => true,
        2 => first.is_multiple_of(2),
        _ => first.is_multiple_of(4),
    }
}

/// Writes `v3` or `v[3:4]`.
pub(crate) fn write_group(out: &mut Text, letter: char, first: u8, count: u8) {
    out.push(letter);
    write_numbers(out, first, count);
}

fn write_numbers(out: &mut Text, first: u8, count: u8) {
    if count == 1 {
        out.push_decimal(first.into());
    } else {
        out.push('[');
        out.push_decimal(first.into());
        out.push(':');
        out.push_decimal(u64::from(first) + u64::from(count) - 1);
        out.push(']');
    }
}

/// Writes a number as LLVM does: in decimal if it is an inline constant, otherwise in hexadecimal.
pub(crate) fn write_small(out: &mut Text, value: u32) {
    if inline_of_int(i64::from(value)).is_some() {
        out.push_decimal(value.into());
    } else {
        out.push_hex(value.into());
    }
}

/// An inline constant.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Inline {
    /// −16 to 64.
    Int(i8),
    /// ±0.5, ±1, ±2, ±4 and 1/(2π).
    Float(f64),
}

/// Floating-point inline constants, starting at number [`HALF`].
const FLOATS: [f64; 9] = [
    0.5,
    -0.5,
    1.0,
    -1.0,
    2.0,
    -2.0,
    4.0,
    -4.0,
    std::f64::consts::FRAC_1_PI / 2.0,
];

/// LLVM's texts for [`FLOATS`], except 1/(2π).
const FLOAT_TEXTS: [&str; 8] = ["0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0"];

/// Value of an inline constant, if `isa` has one with this number.
///
/// # Examples
/// ```
/// use gcn_isa::Isa;
/// use gcn_isa::regs::{INV_2PI, Inline, MINUS_SIXTEEN, inline};
/// assert_eq!(inline(Isa::Si, MINUS_SIXTEEN), Some(Inline::Int(-16)));
/// assert_eq!(inline(Isa::Si, 242), Some(Inline::Float(1.0)));
/// assert!(inline(Isa::Vi, INV_2PI).is_some() && inline(Isa::Ci, INV_2PI).is_none());
/// ```
pub fn inline(isa: Isa, code: u8) -> Option<Inline> {
    match code {
        ZERO..=SIXTY_FOUR => Some(Inline::Int((code - ZERO) as i8)),
        193..=MINUS_SIXTEEN => Some(Inline::Int(-((code - SIXTY_FOUR) as i8))),
        INV_2PI if isa < Isa::Vi => None,
        HALF..=INV_2PI => FLOATS
            .get(usize::from(code - HALF))
            .map(|&f| Inline::Float(f)),
        _ => None,
    }
}

/// Number of the inline constant for an integer, if there is one.
///
/// # Examples
/// ```
/// use gcn_isa::regs::{MINUS_SIXTEEN, SIXTY_FOUR, inline_of_int};
/// assert_eq!((inline_of_int(64), inline_of_int(-16)), (Some(SIXTY_FOUR), Some(MINUS_SIXTEEN)));
/// assert_eq!(inline_of_int(65), None, "65 needs a literal");
/// ```
pub fn inline_of_int(value: i64) -> Option<u8> {
    match value {
        0..=64 => Some(ZERO + value as u8),
        -16..=-1 => Some(SIXTY_FOUR + value.unsigned_abs() as u8),
        _ => None,
    }
}

/// Bits of floating-point inline constant `code` as a value of type `ty`.
///
/// 16-bit floating-point operands read the 16-bit float, 64-bit operands the 64-bit float, and all others the 32-bit
/// float. 16-bit integer operands read the low half of the 32-bit float (errata E165).
///
/// # Examples
/// ```
/// use gcn_isa::Ty;
/// use gcn_isa::regs::{HALF, float_bits};
/// assert_eq!(float_bits(HALF, Ty::F16), Some(0x3800));
/// assert_eq!(float_bits(HALF, Ty::F32), Some(0.5f32.to_bits().into()));
/// assert_eq!(float_bits(HALF, Ty::F64), Some(0.5f64.to_bits()));
/// ```
pub fn float_bits(code: u8, ty: Ty) -> Option<u64> {
    let index = usize::from(code.checked_sub(HALF)?);
    float_constants(ty).get(index).copied()
}

/// Bits of the floating-point inline constants, starting at number [`HALF`], as values of type `ty`.
fn float_constants(ty: Ty) -> &'static [u64; FLOATS.len()] {
    const HALVES: [u64; FLOATS.len()] = [
        0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118,
    ];
    const SINGLES: [u64; FLOATS.len()] = [
        0x3f00_0000,
        0xbf00_0000,
        0x3f80_0000,
        0xbf80_0000,
        0x4000_0000,
        0xc000_0000,
        0x4080_0000,
        0xc080_0000,
        0x3e22_f983,
    ];
    const DOUBLES: [u64; FLOATS.len()] = {
        let mut bits = [0; FLOATS.len()];
        let mut index = 0;
        while index < FLOATS.len() {
            bits[index] = FLOATS[index].to_bits();
            index += 1;
        }
        bits[(INV_2PI - HALF) as usize] = 0x3fc4_5f30_6dc9_c882;
        bits
    };
    match ty {
        Ty::F16 | Ty::F16x2 => &HALVES,
        Ty::B64 | Ty::U64 | Ty::I64 | Ty::F64 => &DOUBLES,
        Ty::B8
        | Ty::B16
        | Ty::B32
        | Ty::B96
        | Ty::B128
        | Ty::B256
        | Ty::B512
        | Ty::U8
        | Ty::U16
        | Ty::U32
        | Ty::I8
        | Ty::I16
        | Ty::I32
        | Ty::F32
        | Ty::I16x2 => &SINGLES,
    }
}

/// Number of the inline constant whose bits as a `ty` are `bits`, if `isa` has one.
///
/// # Examples
/// ```
/// use gcn_isa::{Isa, Ty, regs::inline_of_float_bits};
/// let one = u64::from(1f32.to_bits());
/// assert_eq!(inline_of_float_bits(Isa::Si, one, Ty::F32), Some(242));
/// assert_eq!(inline_of_float_bits(Isa::Si, one, Ty::F64), None);
/// ```
pub fn inline_of_float_bits(isa: Isa, bits: u64, ty: Ty) -> Option<u8> {
    let mut codes = (HALF..=INV_2PI).zip(float_constants(ty));
    let (code, _) = codes.find(|&(_, &constant)| constant == bits)?;
    inline(isa, code).map(|_| code)
}

/// Number of the inline constant that an operand of type `ty` reads as `bits`, if `isa` has one. For 16-bit integers, the
/// caller must sign-extend `bits` to 64 bits, because LLVM does not treat 0xffff as −1.
///
/// # Examples
/// ```
/// use gcn_isa::{Isa, Ty, regs::inline_of_bits};
/// assert_eq!(inline_of_bits(Isa::Vi, Ty::I32, 0xffff_ffff), Some(193), "-1");
/// assert_eq!(inline_of_bits(Isa::Vi, Ty::F32, 1f32.to_bits().into()), Some(242));
/// assert_eq!(inline_of_bits(Isa::Vi, Ty::I16, 0xffff), None);
/// assert_eq!(inline_of_bits(Isa::Vi, Ty::I16, u64::MAX), Some(193));
/// ```
pub fn inline_of_bits(isa: Isa, ty: Ty, bits: u64) -> Option<u8> {
    let unused = if ty.is_short_integer() {
        0
    } else {
        u64::BITS - ty.constant_bits()
    };
    let integer = (bits << unused).cast_signed() >> unused;
    inline_of_int(integer).or_else(|| inline_of_float_bits(isa, bits, ty))
}

/// Number of the inline constant that LLVM encodes instead of a literal, if there is one. For a 64-bit float, this is an
/// integer equal to `literal`, or the float whose upper half is `literal` and whose lower half is zero.
///
/// # Examples
/// ```
/// use gcn_isa::{Isa, Ty, regs::inline_of_literal};
/// let high_of_one = (1f64.to_bits() >> 32) as u32;
/// assert_eq!(inline_of_literal(Isa::Vi, Ty::F64, high_of_one), Some(242));
/// assert_eq!(inline_of_literal(Isa::Vi, Ty::F32, high_of_one), None);
/// ```
pub fn inline_of_literal(isa: Isa, ty: Ty, literal: u32) -> Option<u8> {
    let bits = u64::from(literal);
    let whole = (ty == Ty::F64).then(|| inline_of_float_bits(isa, bits << u32::BITS, ty));
    inline_of_bits(isa, ty, bits).or(whole.flatten())
}

/// Writes an inline constant as LLVM does; returns false and writes nothing if `code` is not one.
pub(crate) fn write_inline(out: &mut Text, isa: Isa, code: u8, ty: Ty) -> bool {
    match inline(isa, code) {
        Some(Inline::Int(i)) => {
            out.push_signed(i.into());
        }
        Some(Inline::Float(_)) if code == INV_2PI => {
            out.push_str(if ty.constant_bits() == u64::BITS {
                "0.15915494309189532"
            } else {
                "0.15915494"
            })
        }
        Some(Inline::Float(_)) => {
            let index = usize::from(code.saturating_sub(HALF));
            out.push_str(FLOAT_TEXTS.get(index).copied().unwrap_or_default());
        }
        None => return false,
    }
    true
}
