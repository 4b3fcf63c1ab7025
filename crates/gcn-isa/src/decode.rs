//! Table-driven decoder. This module names no instruction.

use std::sync::OnceLock;

use crate::field::{Bits, ENCODINGS, Encoding, Field, Layout};
use crate::form::layouts::opcode_in;
use crate::form::{Form, Length};
use crate::inst::Inst;
use crate::op::{Op, rows};
use crate::operand::Kind;
use crate::target::Isa;

/// Error for words that do not form an instruction.
///
/// # Examples
/// ```
/// use gcn_isa::{DecodeError, Isa, decode};
/// let cut = decode(Isa::Gfx9, &[0xd800_0010]);
/// assert_eq!(cut, Err(DecodeError::Truncated(0xd800_0010)));
/// let unknown = decode(Isa::Gfx9, &[0xffff_ffff]).expect_err("no encoding begins with these bits");
/// assert_eq!(unknown.to_string(), "0xffffffff does not begin an instruction of GCN 1.4");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// No instruction of this instruction set begins with this word.
    #[error("{0:#010x} does not begin an instruction of {1}")]
    Unknown(u32, Isa),
    /// The instruction needs a second word.
    #[error("the instruction that begins with {0:#010x} is cut off")]
    Truncated(u32),
    /// `words` is empty.
    #[error("no words")]
    Empty,
}

/// Decodes the instruction at the beginning of `words`. Reserved and unused bits are preserved.
///
/// ```
/// use gcn_isa::{DecodeError, Isa, decode};
/// let add = decode(Isa::Si, &[0x4a02_0501]).unwrap();
/// assert_eq!(add.to_string(), "v_add_i32_e32 v1, vcc, v1, v2");
/// assert_eq!(decode(Isa::Si, &[]), Err(DecodeError::Empty));
/// ```
///
/// # Errors
/// [`DecodeError`] if `words` does not begin with a complete instruction.
pub fn decode(isa: Isa, words: &[u32]) -> Result<Inst, DecodeError> {
    isa.decoder().decode(words).map(|(inst, _)| inst)
}

/// Number of high bits of the first dword that select the candidate encodings. The low nine bits (the first source of
/// vector instructions) also take part if they hold an escape value for another encoding.
const SELECTOR_BITS: u32 = 9;
const TOPS: usize = 1 << SELECTOR_BITS;
const LOW_BITS: u32 = (1 << SELECTOR_BITS) - 1;
/// Number of escape values: SDWA and DPP.
const ENDS: usize = 2;
const SELECTORS: usize = TOPS * (1 + ENDS);

/// Decoder for one instruction set, built on first use. The entry of an instruction is created when the instruction is
/// first decoded.
///
/// # Examples
/// ```
/// use gcn_isa::{DecodeError, Isa};
/// let decoder = Isa::Gfx9.decoder();
/// let (load, skimmed) = decoder.decode(&[0xc006_0001, 8])?;
/// assert_eq!((load.text().as_str(), skimmed.dwords), ("s_load_dwordx2 s[0:1], s[2:3], 0x8", 2));
/// assert_eq!(decoder.decode(&[0xc006_0001]), Err(DecodeError::Truncated(0xc006_0001)));
/// # Ok::<(), DecodeError>(())
/// ```
pub struct Decoder {
    isa: Isa,
    /// For each value of the low bits, the index of its first selector.
    tops: Box<[u16; TOPS]>,
    /// For each value of the top bits, the candidate encodings: first for low bits without an escape value, then for
    /// each escape value.
    selectors: Box<[EncodingSelector; SELECTORS]>,
    /// Other candidates of all selectors, per selector in decreasing order of the number of constant bits.
    candidates: Vec<Candidate>,
    /// Instructions by opcode, in a range for each opcode space.
    ops: Vec<Option<(Op, Encoding)>>,
    /// Entries of the instructions decoded so far.
    known: Vec<OnceLock<DecodeFacts>>,
}

/// Candidate encodings of words with the same selector bits.
#[derive(Clone, Copy)]
struct EncodingSelector {
    /// Candidate with the most constant bits.
    first: Candidate,
    /// Start and end of the other candidates in `candidates`.
    others: (u16, u16),
}

/// A candidate encoding.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Candidate {
    constant: u32,
    constant_mask: u32,
    /// Lowest bit of the opcode.
    op_low: u8,
    op_max: u16,
    /// Index of the encoding's opcode 0 in `ops` and `known`.
    begin: u32,
}

impl Candidate {
    /// A candidate that matches no word.
    const NONE: Candidate = Candidate {
        constant: 1,
        constant_mask: 0,
        op_low: 0,
        op_max: 0,
        begin: 0,
    };

    /// Index in `ops` of the instruction that begins with `first`, if it has this encoding.
    #[inline(always)]
    fn place(&self, first: u32) -> Option<usize> {
        let number = (first >> self.op_low) as u16 & self.op_max;
        (first & self.constant_mask == self.constant)
            .then(|| self.begin as usize + usize::from(number))
    }
}

/// Data of a form that decoding and skimming need.
#[derive(Clone, Copy)]
struct DecodeFacts {
    form: &'static Form,
    length: Length,
    /// Branch distance field; width 0 for other instructions.
    distance: Bits,
}

/// Length and branch target of an instruction, which determine the instructions that may follow.
///
/// # Examples
/// ```
/// use gcn_isa::Isa;
/// // Branch targets, in dwords from the beginning: s_nop 0; s_cbranch_scc1 -2; s_endpgm.
/// let code = [0xbf80_0000, 0xbf85_fffe, 0xbf81_0000];
/// let (mut at, mut targets) = (0, Vec::new());
/// while let Some(skimmed) = code.get(at).and_then(|&first| Isa::Gfx9.decoder().skim(first)) {
///     at += skimmed.dwords;
///     targets.extend(skimmed.branch.map(|distance| at as i64 + distance));
/// }
/// assert_eq!(targets, [0]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Skimmed {
    /// Length in dwords.
    pub dwords: usize,
    /// For a branch, the distance in dwords from the next instruction to the target.
    pub branch: Option<i64>,
}

impl DecodeFacts {
    fn new(form: &'static Form) -> DecodeFacts {
        let mut operands = form.operands.iter();
        let branch = operands.find(|operand| operand.slot.kind == Kind::Branch);
        DecodeFacts {
            form,
            length: form.length(),
            distance: branch.map_or(Bits::default(), |operand| operand.bits),
        }
    }

    #[inline]
    fn skim(&self, first: u32) -> Skimmed {
        Skimmed {
            dwords: self.length.dwords(first).into(),
            branch: (self.distance.width != 0).then(|| self.distance.get_signed(first.into())),
        }
    }
}

/// Escape values of the low bits; unused entries are `u32::MAX`, which never matches.
fn ends<'l>(layouts: impl Iterator<Item = &'l Layout>) -> [u32; ENDS] {
    let mut ends = [u32::MAX; ENDS];
    for layout in layouts.filter(|layout| layout.constant_mask & LOW_BITS == LOW_BITS) {
        let low = layout.constant & LOW_BITS;
        if !ends.contains(&low)
            && let Some(free) = ends.iter_mut().find(|end| **end == u32::MAX)
        {
            *free = low;
        }
    }
    ends
}

impl Decoder {
    fn new(isa: Isa) -> Decoder {
        let tables = isa.tables();
        let layouts = || {
            let all = Encoding::ALL.into_iter();
            all.filter_map(|encoding| tables.layout(encoding))
        };
        // Encodings with the same constant bits and opcode field share one opcode space.
        let mut begins = [0; ENCODINGS];
        let mut count = 0;
        let counting = |layout: &Layout| {
            let bits = layout.bits(Field::Op);
            (layout.constant, layout.constant_mask, bits.low, bits.width)
        };
        for (index, layout) in layouts().enumerate() {
            let mut before = layouts().take(index);
            let same = before.find(|before| counting(before) == counting(layout));
            begins[layout.encoding as usize] = match same {
                Some(same) => begins[same.encoding as usize],
                None => {
                    let begin = count;
                    count += layout.bits(Field::Op).max() as usize + 1;
                    begin
                }
            };
        }
        let mut ops = vec![None; count];
        for row in rows() {
            for encoding in row.encodings() {
                if tables.layout(encoding).is_some()
                    && let Some(opcode) = opcode_in(row, isa, encoding)
                {
                    let place = begins[encoding as usize] + usize::from(opcode);
                    ops[place].get_or_insert((row.op(), encoding));
                }
            }
        }
        let none = EncodingSelector {
            first: Candidate::NONE,
            others: (0, 0),
        };
        // Most specific encodings first.
        let mut by_constant: Vec<&Layout> = layouts().collect();
        by_constant.sort_by_key(|layout| std::cmp::Reverse(layout.constant_mask.count_ones()));
        let (mut selectors, mut candidates) = (Box::new([none; SELECTORS]), Vec::new());
        let mut here: Vec<Candidate> = Vec::new();
        let ends = ends(layouts());
        let mut tops = Box::new([0; TOPS]);
        for (end, index) in ends.iter().zip(1u16..) {
            if let Some(begin) = tops.get_mut(*end as usize) {
                *begin = index * TOPS as u16;
            }
        }
        let selections = (0..SELECTORS as u32).map(|index| {
            let (end, top) = (index / TOPS as u32, index % TOPS as u32);
            let low = end.checked_sub(1).and_then(|end| ends.get(end as usize));
            (top << (u32::BITS - SELECTOR_BITS), low)
        });
        for (selector, (top, low)) in selectors.iter_mut().zip(selections) {
            let known_top = u32::MAX << (u32::BITS - SELECTOR_BITS);
            let may_be = |layout: &&Layout| {
                let fixed_low = layout.constant_mask & LOW_BITS;
                let is_low = match low {
                    Some(&low) => (low ^ layout.constant) & fixed_low == 0,
                    None => !ends.contains(&(layout.constant & LOW_BITS)) || fixed_low != LOW_BITS,
                };
                (top ^ layout.constant) & layout.constant_mask & known_top == 0 && is_low
            };
            here.clear();
            for layout in by_constant.iter().copied().filter(may_be) {
                let candidate = Candidate {
                    constant: layout.constant,
                    constant_mask: layout.constant_mask,
                    op_low: layout.bits(Field::Op).low,
                    op_max: layout.bits(Field::Op).max() as u16,
                    begin: begins[layout.encoding as usize] as u32,
                };
                if !here.contains(&candidate) {
                    here.push(candidate);
                }
            }
            let Some((first, others)) = here.split_first() else {
                continue;
            };
            selector.first = *first;
            // Adjacent selectors nearly always have the same candidates.
            if !candidates.ends_with(others) {
                candidates.extend(others);
            }
            let begin = candidates.len() - others.len();
            selector.others = (begin as u16, candidates.len() as u16);
        }
        Decoder {
            isa,
            tops,
            selectors,
            candidates,
            ops,
            known: vec![OnceLock::new(); count],
        }
    }

    #[inline]
    fn find(&self, first: u32) -> Option<&DecodeFacts> {
        let known = |candidate: &Candidate| {
            let place = candidate.place(first)?;
            self.known
                .get(place)?
                .get()
                .or_else(|| self.load_entry(place))
        };
        let top = (first >> (u32::BITS - SELECTOR_BITS)) as usize;
        let tops = self.tops[(first & LOW_BITS) as usize];
        let selector = self.selectors.get(top + usize::from(tops))?;
        known(&selector.first).or_else(|| {
            let (begin, end) = selector.others;
            let others = self.candidates.get(begin.into()..end.into())?;
            others.iter().find_map(known)
        })
    }

    /// Creates the entry of the instruction at `place`, if there is one.
    #[cold]
    fn load_entry(&self, place: usize) -> Option<&DecodeFacts> {
        let (op, encoding) = (*self.ops.get(place)?)?;
        let mut forms = self.isa.tables().forms(op).iter();
        let form = forms.find(|form| form.encoding == encoding)?;
        Some(
            self.known
                .get(place)?
                .get_or_init(|| DecodeFacts::new(form)),
        )
    }

    /// Decodes the instruction at the beginning of `words`, and also returns the result of [`Decoder::skim`]. Reserved
    /// and unused bits are preserved.
    ///
    /// # Errors
    /// [`DecodeError`] if `words` does not begin with a complete instruction.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::Isa;
    /// // A loop over code that skips words that do not form an instruction.
    /// let (code, mut at, mut names) = ([0xbf80_0000, 0xffff_ffff, 0xbf81_0000], 0, Vec::new());
    /// while at < code.len() {
    ///     match Isa::Gfx9.decoder().decode(&code[at..]) {
    ///         Ok((inst, skimmed)) => {
    ///             names.push(inst.name());
    ///             at += skimmed.dwords;
    ///         }
    ///         Err(_) => at += 1,
    ///     }
    /// }
    /// assert_eq!(names, ["s_nop", "s_endpgm"]);
    /// ```
    #[inline]
    pub fn decode(&self, words: &[u32]) -> Result<(Inst, Skimmed), DecodeError> {
        let &first = words.first().ok_or(DecodeError::Empty)?;
        let known = self
            .find(first)
            .ok_or(DecodeError::Unknown(first, self.isa))?;
        let skimmed = known.skim(first);
        let dwords = skimmed.dwords as u8;
        let second = match (dwords, words.get(1)) {
            (1, _) => 0,
            (_, Some(&second)) => second,
            (_, None) => return Err(DecodeError::Truncated(first)),
        };
        let bits = u64::from(first) | u64::from(second) << 32;
        Ok((Inst::from_parts(known.form, dwords, bits), skimmed))
    }

    /// Form and length in dwords of the instruction that begins with `first`; `None` for a branch or an unknown word.
    #[inline]
    pub(crate) fn unbranching(&self, first: u32) -> Option<(&'static Form, usize)> {
        let known = self.find(first)?;
        (known.distance.width == 0).then(|| (known.form, known.length.dwords(first).into()))
    }

    /// Length and branch target of the instruction that begins with `first`; `None` for an unknown word. Fast enough for a
    /// first pass over large code.
    ///
    /// ```
    /// let branch = gcn_isa::Isa::Si.decoder().skim(0xbf82_fffe).unwrap();
    /// assert_eq!((branch.dwords, branch.branch), (1, Some(-2)));
    /// ```
    #[inline]
    pub fn skim(&self, first: u32) -> Option<Skimmed> {
        self.find(first).map(|known| known.skim(first))
    }
}

impl Isa {
    /// Decoder for this instruction set.
    #[inline]
    pub fn decoder(self) -> &'static Decoder {
        static DECODERS: [OnceLock<Decoder>; Isa::ALL.len()] =
            [const { OnceLock::new() }; Isa::ALL.len()];
        DECODERS[self as usize].get_or_init(|| Decoder::new(self))
    }
}
