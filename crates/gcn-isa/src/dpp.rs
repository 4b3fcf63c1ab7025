//! DPP lane permutations: encoding in DPP_CTRL, and LLVM's syntax.
//!
//! Source: AMD's GCN3 and Vega manuals, table "DPP_CTRL Enumerations".

use crate::text::Text;

/// A permutation encoded in DPP_CTRL. A row is 16 lanes, a bank is 4.
///
/// # Examples
/// ```
/// use gcn_isa::dpp::Permutation;
/// use gcn_isa::{Field, Isa, decode};
/// let mov = decode(Isa::Vi, &[0x7e02_02fa, 0xff01_1102])?;
/// assert_eq!(mov.text(), "v_mov_b32_dpp v1, v2 row_shr:1 row_mask:0xf bank_mask:0xf");
/// let permutation = Permutation::unpack(mov.get(Field::DppCtrl) as u16);
/// assert_eq!(permutation, Some(Permutation::RowShr(1)));
/// # Ok::<(), gcn_isa::DecodeError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Permutation {
    /// In each group of four lanes, lane i reads the lane given by element i.
    QuadPerm([u8; 4]),
    /// Within a row, lane l reads lane l + n, where n is 1 to 15.
    RowShl(u8),
    /// Within a row, lane l reads lane l − n, where n is 1 to 15.
    RowShr(u8),
    /// Within a row, lane l reads lane l − n, with wraparound, where n is 1 to 15.
    RowRor(u8),
    /// Lane l reads lane l + 1.
    WaveShl,
    /// Lane l reads lane l + 1, with wraparound.
    WaveRol,
    /// Lane l reads lane l − 1.
    WaveShr,
    /// Lane l reads lane l − 1, with wraparound.
    WaveRor,
    /// Within a row, lane l reads lane 15 − l.
    RowMirror,
    /// Within each half of a row, lane l reads lane 7 − l.
    RowHalfMirror,
    /// Each row except the first reads lane 15 of the previous row.
    RowBcast15,
    /// Rows 2 and 3 read lane 31 of the wave.
    RowBcast31,
}

/// Permutations without parameters: encoding and text.
#[rustfmt::skip]
const SINGLE: &[(u16, Permutation, &str)] = &[
    (0x130, Permutation::WaveShl,       "wave_shl:1"),
    (0x134, Permutation::WaveRol,       "wave_rol:1"),
    (0x138, Permutation::WaveShr,       "wave_shr:1"),
    (0x13c, Permutation::WaveRor,       "wave_ror:1"),
    (0x140, Permutation::RowMirror,     "row_mirror"),
    (0x141, Permutation::RowHalfMirror, "row_half_mirror"),
    (0x142, Permutation::RowBcast15,    "row_bcast:15"),
    (0x143, Permutation::RowBcast31,    "row_bcast:31"),
];

/// Lanes per row.
const ROW: u8 = 16;
/// Lanes per wave.
const WAVE: u8 = 64;

const ROW_SHL: u16 = 0x100;
const ROW_SHR: u16 = 0x110;
const ROW_ROR: u16 = 0x120;

impl Permutation {
    /// Permutation by modifier name and arguments: `quad_perm` takes four, `row_mirror` and `row_half_mirror` take
    /// none, the others take one. `None` if the name or the arguments are invalid.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::dpp::Permutation;
    /// assert_eq!(Permutation::named("row_shr", &[1]), Some(Permutation::RowShr(1)));
    /// assert_eq!(Permutation::named("row_shr", &[16]), None);
    /// ```
    pub fn named(name: &str, numbers: &[i64]) -> Option<Permutation> {
        if let ("quad_perm", [a, b, c, d]) = (name, numbers) {
            let lane = |n: i64| u8::try_from(n).ok().filter(|&n| n < 4);
            return Some(Permutation::QuadPerm([
                lane(*a)?,
                lane(*b)?,
                lane(*c)?,
                lane(*d)?,
            ]));
        }
        let by = |n: i64| u8::try_from(n).ok().filter(|n| (1..16).contains(n));
        match (name, numbers) {
            ("row_shl", [n]) => by(*n).map(Permutation::RowShl),
            ("row_shr", [n]) => by(*n).map(Permutation::RowShr),
            ("row_ror", [n]) => by(*n).map(Permutation::RowRor),
            _ => SINGLE
                .iter()
                .find(|(.., text)| match (text.split_once(':'), numbers) {
                    (Some((single, number)), [n]) => single == name && number.parse() == Ok(*n),
                    (None, []) => *text == name,
                    _ => false,
                })
                .map(|single| single.1),
        }
    }

    /// Decodes DPP_CTRL; `None` for a reserved value.
    ///
    /// ```
    /// use gcn_isa::dpp::Permutation;
    /// let reversed = Permutation::unpack(0x1b);
    /// assert_eq!(reversed, Some(Permutation::QuadPerm([3, 2, 1, 0])));
    /// assert_eq!(Permutation::RowShl(1).pack(), 0x101);
    /// ```
    pub fn unpack(ctrl: u16) -> Option<Permutation> {
        let by = (ctrl & 0xf) as u8;
        let c = ctrl as u8;
        match ctrl & !0xf {
            0..=0xf0 => Some(Permutation::QuadPerm([
                c & 3,
                (c >> 2) & 3,
                (c >> 4) & 3,
                c >> 6,
            ])),
            ROW_SHL if by != 0 => Some(Permutation::RowShl(by)),
            ROW_SHR if by != 0 => Some(Permutation::RowShr(by)),
            ROW_ROR if by != 0 => Some(Permutation::RowRor(by)),
            _ => SINGLE
                .iter()
                .find(|single| single.0 == ctrl)
                .map(|single| single.1),
        }
    }

    /// Lane, 0 to 63, that `lane` reads, active or not; `None` if the source is out of range (errata E139).
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::dpp::Permutation;
    /// let shifted = Permutation::RowShr(1);
    /// assert_eq!((shifted.source(17), shifted.source(16)), (Some(16), None), "a row has 16 lanes");
    /// ```
    pub fn source(self, lane: u8) -> Option<u8> {
        let row = lane & !(ROW - 1);
        let within = lane & (ROW - 1);
        match self {
            Permutation::QuadPerm(quad) => Some(lane & !3 | quad[usize::from(lane & 3)] & 3),
            Permutation::RowShl(by) => Some(within.wrapping_add(by))
                .filter(|&from| from < ROW)
                .map(|from| row | from),
            Permutation::RowShr(by) => within.checked_sub(by).map(|from| row | from),
            Permutation::RowRor(by) => Some(row | within.wrapping_sub(by) & (ROW - 1)),
            Permutation::WaveShl => Some(lane.wrapping_add(1)).filter(|&from| from < WAVE),
            Permutation::WaveRol => Some(lane.wrapping_add(1) & (WAVE - 1)),
            Permutation::WaveShr => lane.checked_sub(1),
            Permutation::WaveRor => Some(lane.wrapping_sub(1) & (WAVE - 1)),
            Permutation::RowMirror => Some(lane ^ (ROW - 1)),
            Permutation::RowHalfMirror => Some(lane ^ (ROW / 2 - 1)),
            Permutation::RowBcast15 => row.checked_sub(1),
            Permutation::RowBcast31 => (lane >= WAVE / 2).then_some(WAVE / 2 - 1),
        }
    }

    /// Encodes DPP_CTRL. Out-of-range arguments wrap, so check them first.
    pub fn pack(self) -> u16 {
        match self {
            Permutation::QuadPerm(quad) => quad
                .iter()
                .rev()
                .fold(0, |ctrl, &lane| ctrl << 2 | u16::from(lane & 3)),
            Permutation::RowShl(by) => ROW_SHL | u16::from(by & 0xf),
            Permutation::RowShr(by) => ROW_SHR | u16::from(by & 0xf),
            Permutation::RowRor(by) => ROW_ROR | u16::from(by & 0xf),
            Permutation::WaveShl
            | Permutation::WaveRol
            | Permutation::WaveShr
            | Permutation::WaveRor
            | Permutation::RowMirror
            | Permutation::RowHalfMirror
            | Permutation::RowBcast15
            | Permutation::RowBcast31 => SINGLE.iter().find(|s| s.1 == self).map_or(0, |s| s.0),
        }
    }
}

/// Writes the permutation in LLVM's syntax, or as a number if it is reserved.
pub(crate) fn write(out: &mut Text, ctrl: u16) {
    let mut named = |name: &str, value: u8| {
        out.push_str(name);
        out.push_decimal(value.into());
    };
    match Permutation::unpack(ctrl) {
        Some(Permutation::QuadPerm([a, b, c, d])) => {
            named("quad_perm:[", a);
            named(",", b);
            named(",", c);
            named(",", d);
            out.push(']');
        }
        Some(Permutation::RowShl(by)) => named("row_shl:", by),
        Some(Permutation::RowShr(by)) => named("row_shr:", by),
        Some(Permutation::RowRor(by)) => named("row_ror:", by),
        _ => match SINGLE.iter().find(|single| single.0 == ctrl) {
            Some((.., text)) => out.push_str(text),
            None => {
                out.push_str("dpp_ctrl:");
                out.push_hex(ctrl.into());
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_permutation_survives_packing() {
        let known: Vec<u16> = (0..0x200)
            .filter(|&c| Permutation::unpack(c).is_some())
            .collect();
        assert_eq!(known.len(), 256 + 3 * 15 + 8);
        for ctrl in known {
            assert_eq!(Permutation::unpack(ctrl).map(Permutation::pack), Some(ctrl));
        }
    }

    #[test]
    fn names_find_their_permutation() {
        for ctrl in 0..0x200 {
            if Permutation::unpack(ctrl).is_none() {
                continue;
            }
            let mut text = Text::new();
            write(&mut text, ctrl);
            let text = text.as_str();
            let (name, numbers) = text.split_once(':').unwrap_or((text, ""));
            let numbers: Vec<i64> = numbers
                .trim_matches(['[', ']'])
                .split(',')
                .filter(|number| !number.is_empty())
                .map(|number| number.parse().unwrap())
                .collect();
            assert_eq!(
                Permutation::named(name, &numbers).map(Permutation::pack),
                Some(ctrl),
                "{text}"
            );
        }
        assert_eq!(Permutation::named("row_shl", &[16]), None);
        assert_eq!(Permutation::named("quad_perm", &[0, 1, 2, 4]), None);
        assert_eq!(Permutation::named("row_mirror", &[1]), None);
    }

    #[test]
    fn lanes_read_where_the_manuals_say() {
        // E139: (DPP_CTRL, [(lane, source lane)])
        type Reads = &'static [(u8, Option<u8>)];
        let cases: &[(u16, Reads)] = &[
            (0x1b, &[(0, Some(3)), (6, Some(5)), (63, Some(60))]),
            (0x55, &[(4, Some(5)), (7, Some(5))]),
            (
                0x101,
                &[(0, Some(1)), (14, Some(15)), (15, None), (63, None)],
            ),
            (0x10f, &[(16, Some(31)), (17, None)]),
            (
                0x111,
                &[(0, None), (1, Some(0)), (16, None), (63, Some(62))],
            ),
            (0x123, &[(0, Some(13)), (3, Some(0)), (32, Some(45))]),
            (0x130, &[(15, Some(16)), (62, Some(63)), (63, None)]),
            (0x134, &[(0, Some(1)), (63, Some(0))]),
            (0x138, &[(0, None), (16, Some(15)), (63, Some(62))]),
            (0x13c, &[(0, Some(63)), (32, Some(31))]),
            (0x140, &[(0, Some(15)), (20, Some(27))]),
            (0x141, &[(0, Some(7)), (9, Some(14)), (58, Some(61))]),
            (
                0x142,
                &[
                    (0, None),
                    (15, None),
                    (16, Some(15)),
                    (47, Some(31)),
                    (63, Some(47)),
                ],
            ),
            (
                0x143,
                &[(0, None), (31, None), (32, Some(31)), (63, Some(31))],
            ),
        ];
        for &(ctrl, reads) in cases {
            let permutation = Permutation::unpack(ctrl).unwrap();
            for &(lane, from) in reads {
                assert_eq!(
                    permutation.source(lane),
                    from,
                    "{permutation:?}, lane {lane}"
                );
            }
        }
    }

    #[test]
    fn permutations_read_like_llvms() {
        for (ctrl, text) in [
            (0xe4, "quad_perm:[0,1,2,3]"),
            (0x101, "row_shl:1"),
            (0x11f, "row_shr:15"),
            (0x121, "row_ror:1"),
            (0x138, "wave_shr:1"),
            (0x141, "row_half_mirror"),
            (0x143, "row_bcast:31"),
            // Reserved values have no name.
            (0x100, "dpp_ctrl:0x100"),
        ] {
            let mut out = Text::new();
            write(&mut out, ctrl);
            assert_eq!(out.as_str(), text);
        }
    }
}
