//! Preformatted operand texts: registers and inline constants, formatted once per instruction set.

use crate::operand::Ty;
use crate::regs::{self, SADDR_OFF, write_group};
use crate::target::Isa;
use crate::text::{Piece, Text};

/// Preformatted operand texts, each followed by a comma and a space. Each register count has several blocks of 256
/// texts ([`CodeRange`]). The last text is [empty](ReadyTexts::EMPTY).
///
/// Sources that use the constant bus in a vector instruction have mark 1, and missing texts have mark [`MISSING`]. The
/// sum of an instruction's marks is the number of values that it reads over the bus, or at least [`MISSING`] if a text
/// is missing.
pub(crate) struct ReadyTexts(Vec<Piece<NAME>>);

/// Size in bytes of a [`Piece`] for an operand; longer operands have no preformatted text.
const NAME: usize = 16;
/// Mark of an operand that uses the constant bus.
const READ: u8 = 1;
/// Mark of a missing text; larger than the number of operands of any instruction.
pub(crate) const MISSING: u8 = 16;
/// A missing text.
const NO_NAME: Piece<NAME> = Piece::EMPTY.marked(MISSING);
/// Separator of operands.
pub(crate) const SEPARATOR: &[u8; 2] = b", ";
/// Possible register counts of operands.
const COUNTS: [u8; 6] = [1, 2, 3, 4, 8, 16];
/// Texts per block, one for each eight-bit number.
const BLOCK: usize = 256;

/// One of the blocks for a register count.
#[derive(Clone, Copy)]
enum CodeRange {
    /// No texts: numbers below 256, the number of v0.
    NoScalar,
    Vgprs,
    /// Scalar registers.
    Scalars,
    /// No texts: numbers from 256, which follow the scalar registers.
    #[allow(dead_code)] // Keeps nine-bit numbers within these blocks.
    NoVgprs,
    /// Scalar registers and constants, as sources.
    Sources,
    SourceVgprs,
    /// Scalar registers and `off`, as scalar addresses.
    Addresses,
    /// Scalar registers that scalar memory may load.
    Loaded,
}

const BLOCKS: usize = CodeRange::Loaded as usize + 1;

impl ReadyTexts {
    pub(crate) fn new(isa: Isa) -> ReadyTexts {
        let mut names = vec![NO_NAME; COUNTS.len() * BLOCKS * BLOCK];
        let mut text = Text::new();
        for (blocks, count) in names.chunks_exact_mut(BLOCKS * BLOCK).zip(COUNTS) {
            for number in 0..=u8::MAX {
                let mut write =
                    |block: CodeRange, is_read: bool, write: &dyn Fn(&mut Text) -> bool| {
                        text.clear();
                        if write(&mut text) {
                            text.push_ascii(SEPARATOR);
                            let mut piece = Piece::new(text.as_str()).unwrap_or(NO_NAME);
                            if is_read && !piece.is_empty() {
                                piece = piece.marked(READ);
                            }
                            blocks[block as usize * BLOCK + usize::from(number)] = piece;
                        }
                    };
                let vgprs = |out: &mut Text| {
                    write_group(out, 'v', number, count);
                    usize::from(number) + usize::from(count) <= BLOCK
                };
                write(CodeRange::Vgprs, false, &vgprs);
                write(CodeRange::SourceVgprs, false, &vgprs);
                let scalar = |out: &mut Text| regs::write_scalar(out, isa, number, count);
                let is_doubtful = regs::may_lack_xnack_mask(isa, number);
                if number <= regs::EXEC_HI && !is_doubtful {
                    write(CodeRange::Scalars, false, &scalar);
                }
                if number < regs::EXEC_HI && !is_doubtful {
                    write(CodeRange::Addresses, false, &scalar);
                }
                if number < regs::M0 && !is_doubtful {
                    write(CodeRange::Loaded, false, &scalar);
                }
                // LDS values are valid only in some sources, and the digits of 1/(2π) depend on the type.
                if number != regs::LDS_DIRECT && !is_doubtful {
                    write(CodeRange::Sources, true, &scalar);
                }
                if number != regs::INV_2PI {
                    let constant = |out: &mut Text| regs::write_inline(out, isa, number, Ty::B32);
                    write(CodeRange::Sources, false, &constant);
                }
            }
            blocks[CodeRange::Addresses as usize * BLOCK + SADDR_OFF as usize] =
                Piece::new("off, ").unwrap_or(NO_NAME);
        }
        names.push(Piece::EMPTY);
        ReadyTexts(names)
    }

    /// First index of a block; `None` if no operand has `count` registers.
    const fn first(count: u8, block: CodeRange) -> Option<u16> {
        let mut index = 0;
        while index < COUNTS.len() {
            if COUNTS[index] == count {
                return Some(((index * BLOCKS + block as usize) * BLOCK) as u16);
            }
            index += 1;
        }
        None
    }

    /// Index of the empty text.
    pub(crate) const EMPTY: u16 = (COUNTS.len() * BLOCKS * BLOCK) as u16;

    /// Index of `off`.
    pub(crate) const OFF: u16 = match ReadyTexts::first(1, CodeRange::Addresses) {
        Some(first) => first + SADDR_OFF as u16,
        None => unreachable!(),
    };

    /// First index of VGPR pairs.
    pub(crate) const PAIRS_OF_VGPRS: u16 = match ReadyTexts::first(2, CodeRange::Vgprs) {
        Some(first) => first,
        None => unreachable!(),
    };

    /// First index of VGPRs.
    pub(crate) fn vgprs(count: u8) -> Option<u16> {
        ReadyTexts::first(count, CodeRange::Vgprs)
    }

    /// First index for nine-bit source fields that accept only VGPRs.
    pub(crate) fn only_vgprs(count: u8) -> Option<u16> {
        ReadyTexts::first(count, CodeRange::NoScalar)
    }

    /// First index of scalar registers.
    pub(crate) fn scalars(count: u8) -> Option<u16> {
        ReadyTexts::first(count, CodeRange::Scalars)
    }

    /// First index of scalar registers and `off`.
    pub(crate) fn addresses(count: u8) -> Option<u16> {
        ReadyTexts::first(count, CodeRange::Addresses)
    }

    /// First index of scalar registers that scalar memory may load.
    pub(crate) fn loaded(count: u8) -> Option<u16> {
        ReadyTexts::first(count, CodeRange::Loaded)
    }

    /// First index of sources: eight-bit or nine-bit numbers with any meaning.
    pub(crate) fn sources(count: u8) -> Option<u16> {
        ReadyTexts::first(count, CodeRange::Sources)
    }

    /// Text at an index with its separator, or a text marked as missing.
    #[inline(always)]
    pub(crate) fn get(&self, index: usize) -> &Piece<NAME> {
        self.0.get(index).unwrap_or(const { &NO_NAME })
    }

    /// Appends the text at `index` and its separator. Returns the number of values that the operand reads over the
    /// constant bus, or `None` if there is no such text.
    pub(crate) fn write(&self, out: &mut Text, index: usize) -> Option<u8> {
        let name = self.get(index);
        out.push_piece(name);
        (name.mark() != MISSING).then(|| name.mark())
    }
}
