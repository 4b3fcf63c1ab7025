//! DS_SWIZZLE_B32 patterns (errata E023, E056): semantics and LLVM's syntax.

use std::fmt::Write;

use crate::target::{Isa, on};
use crate::text::Text;

/// Pattern encoded in the OFFSET field of DS_SWIZZLE_B32. Lane numbers are relative to a group of 32 lanes; bit 5 of
/// the lane is preserved.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Pattern {
    /// In each group of four lanes, lane i reads the lane given by element i.
    QuadPerm([u8; 4]),
    /// Lane l reads ((l & and) | or) ^ xor.
    Bitmask {
        /// AND mask of 5 bits.
        and: u8,
        /// OR mask of 5 bits.
        or: u8,
        /// XOR mask of 5 bits.
        xor: u8,
    },
    /// Lane l reads (reverse(l) >> popcount(mask)) | (l & mask), where reverse() reverses the 5 bits of a lane number
    /// (GCN 1.2 and later).
    Fft {
        /// Mask of 5 bits.
        mask: u8,
    },
    /// Lane l reads (l & mask) | ((l + by) & ~mask) (GCN 1.2 and later).
    Rotate {
        /// Distance, −31..=31; negative if the direction bit is set.
        by: i8,
        /// Mask of 5 bits.
        mask: u8,
    },
}

/// OFFSET of a quad-permute of lanes 0, 0, 0, 0; two bits per lane, starting at bit 0.
pub const QUAD_PERM: u16 = 0x8000;
/// OFFSET of a rotation by 0; mask in bits 4:0, distance in 9:5, direction in 10 (GCN 1.2 and later).
pub const ROTATE: u16 = 0xc000;
/// OFFSET of an FFT pattern with mask 0; mask in bits 4:0 (GCN 1.2 and later).
pub const FFT: u16 = 0xe000;
const LANE_BITS: u8 = 0x1f;

/// OFFSET of [`Pattern::Bitmask`].
///
/// # Examples
/// ```
/// use gcn_isa::{Isa, decode, swizzle::bitmask};
/// let offset = u32::from(bitmask(31, 0, 1));
/// let swap = decode(Isa::Vi, &[0xd87a_0000 | offset, 0x0100_0002])?;
/// assert_eq!(swap.text(), "ds_swizzle_b32 v1, v2 offset:swizzle(SWAP,1)");
/// # Ok::<(), gcn_isa::DecodeError>(())
/// ```
pub const fn bitmask(and: u8, or: u8, xor: u8) -> u16 {
    (and & LANE_BITS) as u16 | ((or & LANE_BITS) as u16) << 5 | ((xor & LANE_BITS) as u16) << 10
}

impl Pattern {
    /// Decodes OFFSET. Generations before GCN 1.2 lack FFT and rotate, and treat their encodings as quad-permute.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::Isa;
    /// use gcn_isa::swizzle::{Pattern, QUAD_PERM, ROTATE};
    /// assert_eq!(Pattern::unpack(Isa::Vi, QUAD_PERM | 0x1b), Pattern::QuadPerm([3, 2, 1, 0]));
    /// let offset = ROTATE | 3 << 5;
    /// assert_eq!(Pattern::unpack(Isa::Vi, offset), Pattern::Rotate { by: 3, mask: 0 });
    /// assert_eq!(Pattern::unpack(Isa::Ci, offset), Pattern::QuadPerm([0, 0, 2, 1]));
    /// ```
    pub const fn unpack(isa: Isa, offset: u16) -> Pattern {
        let low = offset as u8 & LANE_BITS;
        let has_all = on::VI.has(isa);
        if has_all && offset >= FFT {
            Pattern::Fft { mask: low }
        } else if has_all && offset >= ROTATE {
            let by = ((offset >> 5) as u8 & LANE_BITS) as i8;
            Pattern::Rotate {
                by: if offset & 0x400 != 0 { -by } else { by },
                mask: low,
            }
        } else if offset & QUAD_PERM != 0 {
            let o = offset as u8;
            Pattern::QuadPerm([o & 3, (o >> 2) & 3, (o >> 4) & 3, o >> 6])
        } else {
            Pattern::Bitmask {
                and: low,
                or: (offset >> 5) as u8 & LANE_BITS,
                xor: (offset >> 10) as u8 & LANE_BITS,
            }
        }
    }

    /// Lane, 0..=63, that `lane` reads.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::swizzle::Pattern;
    /// let swapped = Pattern::Bitmask { and: 31, or: 0, xor: 1 };
    /// assert_eq!((swapped.source(4), swapped.source(37)), (5, 36));
    /// ```
    pub const fn source(self, lane: u8) -> u8 {
        let l = lane & LANE_BITS;
        let source = match self {
            Pattern::QuadPerm(quad) => (l & !3) | quad[(l & 3) as usize],
            Pattern::Bitmask { and, or, xor } => ((l & and) | or) ^ xor,
            Pattern::Fft { mask } => ((l.reverse_bits() >> 3) >> mask.count_ones()) | (l & mask),
            Pattern::Rotate { by, mask } => {
                let moved = (l as i8).wrapping_add(by) as u8;
                (l & mask) | (moved & !mask & LANE_BITS)
            }
        };
        (lane & !LANE_BITS) | (source & LANE_BITS)
    }
}

/// Writes `offset:` with the pattern as LLVM's disassembler does; returns true if assembling the text yields the same
/// offset.
pub(crate) fn write(out: &mut Text, isa: Isa, offset: u16) -> bool {
    out.push_str("offset:");
    let _ = match Pattern::unpack(isa, offset) {
        Pattern::QuadPerm([a, b, c, d]) if offset & 0x7f00 == 0 => {
            write!(out, "swizzle(QUAD_PERM,{a},{b},{c},{d})")
        }
        Pattern::Bitmask {
            and: LANE_BITS,
            or: 0,
            xor,
        } if xor.count_ones() == 1 => {
            write!(out, "swizzle(SWAP,{xor})")
        }
        Pattern::Bitmask {
            and: LANE_BITS,
            or: 0,
            xor,
        } if xor > 0 && (xor + 1).is_power_of_two() => {
            write!(out, "swizzle(REVERSE,{})", xor + 1)
        }
        Pattern::Bitmask { and, or, xor: 0 } if is_broadcast(and, or) => {
            write!(out, "swizzle(BROADCAST,{},{or})", LANE_BITS - and + 1)
        }
        Pattern::Bitmask { and, or, xor } => {
            out.push_str("swizzle(BITMASK_PERM,\"");
            for bit in (0..5).rev() {
                let bit = 1 << bit;
                out.push(match (and & bit != 0, or & bit != 0, xor & bit != 0) {
                    (true, false, false) => 'p',
                    (true, false, true) => 'i',
                    (false, false, false) | (_, true, true) => '0',
                    (false, false, true) | (_, true, false) => '1',
                });
            }
            write!(out, "\")")
        }
        Pattern::QuadPerm(_) | Pattern::Fft { .. } | Pattern::Rotate { .. } => {
            write!(out, "{offset}")
        }
    };
    match Pattern::unpack(isa, offset) {
        // OR alone encodes a constant bit; AND and XOR together encode an inverted bit.
        Pattern::Bitmask { and, or, xor } => or & (and | xor) == 0 && xor & !and == 0,
        Pattern::QuadPerm(_) | Pattern::Fft { .. } | Pattern::Rotate { .. } => true,
    }
}

/// True if each group of lanes, whose size is a power of two, reads one of its own lanes.
const fn is_broadcast(and: u8, or: u8) -> bool {
    let group = LANE_BITS - and + 1;
    and != LANE_BITS && group.is_power_of_two() && or < group
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(isa: Isa, offset: u16) -> (String, bool) {
        let mut out = Text::new();
        let exact = write(&mut out, isa, offset);
        (out.as_str().to_owned(), exact)
    }

    #[test]
    fn patterns_read_like_llvms() {
        // The examples of the errata's Appendix A.
        for (offset, expected) in [
            (0x8055, "offset:swizzle(QUAD_PERM,1,1,1,1)"),
            (0x0907, "offset:swizzle(BITMASK_PERM,\"01pip\")"),
            (0x001e, "offset:swizzle(BROADCAST,2,0)"),
            (0x401f, "offset:swizzle(SWAP,16)"),
            (0x1c1f, "offset:swizzle(REVERSE,8)"),
        ] {
            for isa in Isa::ALL {
                assert_eq!(text(isa, offset), (expected.to_owned(), true));
            }
        }
        assert_eq!(text(Isa::Gfx9, 0xe01f).0, format!("offset:{}", 0xe01f));
        assert_eq!(text(Isa::Gfx9, 0xc020).0, format!("offset:{}", 0xc020));
        assert_eq!(text(Isa::Vi, 0xe01f).0, format!("offset:{}", 0xe01f));
    }

    #[test]
    fn only_canonical_masks_are_exact() {
        // OR where AND keeps the bit: the text has 1, which assembles to OR alone.
        assert!(!text(Isa::Vi, 0x0001 | 0x0001 << 5).1);
        // XOR where AND clears the bit.
        assert!(!text(Isa::Vi, 0x0001 << 10).1);
        assert!(text(Isa::Vi, 0x0001 | 0x0002 << 5 | 0x0001 << 10).1);
    }

    fn sources(isa: Isa, offset: u16) -> [u8; 64] {
        let pattern = Pattern::unpack(isa, offset);
        std::array::from_fn(|lane| pattern.source(lane as u8))
    }

    #[test]
    fn a_half_of_the_wave_reads_itself() {
        // Errata E056: bit 5 of the lane is preserved by all patterns.
        for isa in [Isa::Si, Isa::Gfx9] {
            for offset in 0..=u16::MAX {
                let pattern = Pattern::unpack(isa, offset);
                for lane in [0, 5, 31, 32, 63] {
                    let source = pattern.source(lane);
                    assert_eq!(source & 32, lane & 32, "{offset:#x}");
                    assert!(source < 64);
                }
            }
        }
    }

    #[test]
    fn each_mode_moves_lanes_as_errata_e056_says() {
        assert_eq!(sources(Isa::Si, 0x8055)[..8], [1, 1, 1, 1, 5, 5, 5, 5]);
        // Bits 8 to 14 of a quad permutation are ignored before GCN 1.2.
        assert_eq!(sources(Isa::Ci, 0xff1b)[..8], [3, 2, 1, 0, 7, 6, 5, 4]);
        assert_eq!(sources(Isa::Si, 0x401f)[..4], [16, 17, 18, 19]);
        assert_eq!(sources(Isa::Si, 0x1c1f)[..9], [7, 6, 5, 4, 3, 2, 1, 0, 15]);
        assert_eq!(sources(Isa::Si, 0x001e)[..4], [0, 0, 2, 2]);
        for isa in [Isa::Vi, Isa::Gfx9] {
            // FFT reverses the five bits if the mask is 0, and keeps the lane if the mask is full.
            assert_eq!(sources(isa, 0xe000)[..5], [0, 16, 8, 24, 4]);
            assert_eq!(sources(isa, 0xe01f)[..5], [0, 1, 2, 3, 4]);
            // Rotation by one, either way.
            assert_eq!(sources(isa, 0xc020)[30..33], [31, 0, 33]);
            assert_eq!(sources(isa, 0xc420)[..3], [31, 0, 1]);
        }
    }
}
