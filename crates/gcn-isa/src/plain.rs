//! How lines are written without deciding anything on the way: which operands have ready texts follows from some of an
//! instruction's bits, so these are looked at once, before all.

use crate::field::Field;
use crate::form::{Form, SADDR_OFF};
use crate::names::{MISSING, Names};
use crate::plan::{How, MOST_PARTS, Part, Plan};
use crate::text::Text;

/// How the instructions of a form are written that hold these bits: their operands are ready texts, and the last one may
/// be something else.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plain {
    /// Bits that decide whether it is for an instruction, and what they hold then.
    deciding: u64,
    usual: u64,
    texts: [Lookup; MOST_PARTS],
    count: u8,
    /// Which of the plan's parts comes after them, without a ready text.
    last: Option<u8>,
}

/// Operands that most instructions have; it is no work to show less.
const FEW: usize = 3;
// The marks of all texts that are there are less than that of one that is not.
const _: () = assert!(MOST_PARTS < MISSING as usize);

/// Where an operand's ready text is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lookup {
    /// The first of its texts.
    pub(crate) first: u16,
    /// Its number: how far bits are rotated to the right until it is at their end, and its mask then.
    pub(crate) rotation: u8,
    pub(crate) mask: u16,
}

impl Lookup {
    /// Of what is not written.
    pub(crate) const NOTHING: Lookup = Lookup::only(Names::NOTHING);

    /// Of a text whatever the bits are.
    const fn only(text: u16) -> Lookup {
        Lookup {
            first: text,
            rotation: 0,
            mask: 0,
        }
    }

    /// The operand's number.
    #[inline(always)]
    pub(crate) fn number(self, bits: u64) -> usize {
        usize::from(bits.rotate_right(self.rotation.into()) as u16 & self.mask)
    }

    /// Where its text is.
    #[inline(always)]
    pub(crate) fn place(self, bits: u64) -> usize {
        usize::from(self.first) + self.number(bits)
    }

    /// The bits of its number.
    fn bits(self) -> u64 {
        u64::from(self.mask).rotate_left(self.rotation.into())
    }
}

/// What a line that was begun still needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rest {
    /// Nothing: it is a line.
    Nothing,
    /// What comes after the operands with ready texts, which read so many values over the bus.
    More { reads: u8 },
    /// It is not for this instruction, and nothing was written.
    Other,
}

impl Plain {
    /// For no instruction.
    pub(crate) const NEVER: Plain = Plain {
        deciding: 0,
        usual: 1,
        texts: [Lookup::NOTHING; MOST_PARTS],
        count: 0,
        last: None,
    };

    /// All that the parts of a form's plan can be; the first one that is for an instruction counts.
    pub(crate) fn all(form: &Form, deciding: u64, usual: u64, parts: &[Part]) -> Vec<Plain> {
        let mut all = vec![Plain {
            deciding,
            usual,
            ..Plain::NEVER
        }];
        for (index, part) in (0..).zip(parts) {
            let is_last = usize::from(index) + 1 == parts.len();
            let mut next = Vec::new();
            for plain in &all {
                plain.followed_by(form, index, part, is_last, &mut next);
            }
            all = next;
        }
        all
    }

    /// Adds to `all` this with one more part.
    fn followed_by(
        &self,
        form: &Form,
        index: u8,
        part: &Part,
        is_last: bool,
        all: &mut Vec<Plain>,
    ) {
        let mask = |field: Field| form.layout.bits(field).mask();
        let text = part.text;
        let first = |first: u16| Lookup { first, ..text };
        // What has no number must be zero.
        let zero = (text.bits(), 0);
        let mut add = |holds: &[(u64, u64)], text: Lookup| {
            let mut plain = *self;
            for &(bits, value) in holds.iter().chain(&[(part.signs, 0)]) {
                if plain.deciding & bits & (plain.usual ^ value) != 0 {
                    return;
                }
                plain.deciding |= bits;
                plain.usual |= value;
            }
            if let Some(place) = plain.texts.get_mut(usize::from(plain.count)) {
                *place = text;
                plain.count += 1;
                all.push(plain);
            }
        };
        let saddr = (
            mask(Field::Saddr),
            form.layout.bits(Field::Saddr).put(0, SADDR_OFF),
        );
        match part.how {
            How::Ready | How::ReadyOrLiteral => add(&[], text),
            How::Global => {
                add(&[saddr], first(Names::PAIRS_OF_VGPRS));
                add(&[], text);
            }
            How::Scratch => {
                add(&[saddr], text);
                add(&[zero], Lookup::only(Names::OFF));
            }
            How::Returned => {
                let glc = mask(Field::Glc);
                add(&[(glc, glc)], text);
                add(&[(glc, 0), zero], Lookup::NOTHING);
            }
            How::Buffer => {
                let [addr64, index, offset] = [Field::Addr64, Field::Idxen, Field::Offen].map(mask);
                let both = index | offset;
                add(&[(addr64 | both, offset)], text);
                add(&[(addr64 | both, index)], text);
                add(&[(addr64 | both, 0), zero], Lookup::only(Names::OFF));
                add(&[(addr64 | both, both)], first(Names::PAIRS_OF_VGPRS));
                if addr64 != 0 {
                    add(&[(addr64, addr64)], first(Names::PAIRS_OF_VGPRS));
                }
            }
            How::Immediate | How::Offset => {}
        }
        let has_others = part.signs != 0
            || matches!(part.how, How::ReadyOrLiteral | How::Immediate | How::Offset);
        if is_last && has_others {
            all.push(Plain {
                last: Some(index),
                ..*self
            });
        }
    }

    /// Which of the plan's parts comes after the ready texts.
    pub(crate) fn last<'p>(&self, plan: &'p Plan) -> Option<&'p Part> {
        plan.parts().get(usize::from(self.last?))
    }

    /// Appends the line of an instruction up to what has no ready text. Nothing is decided before all of that is written.
    #[inline(always)]
    pub(crate) fn begin(&self, names: &Names, plan: &Plan, bits: u64, out: &mut Text) -> Rest {
        if bits & self.deciding != self.usual {
            return Rest::Other;
        }
        let has_more = self.last.is_some() | plan.is_modified(bits);
        let Some(mut line) = out.line() else {
            return Rest::Other;
        };
        line.push_ascii(b'\t');
        line.push_piece(&plan.head);
        let (few, others) = self.texts.split_at(FEW);
        for text in few {
            line.push_piece(names.get(text.place(bits)));
        }
        if usize::from(self.count) > FEW {
            for text in others {
                line.push_piece(names.get(text.place(bits)));
            }
        }
        let reads = line.marks();
        if reads > plan.most_reads {
            return Rest::Other;
        }
        if self.last.is_none() {
            line.shorten(plan.too_much);
        }
        if has_more {
            line.end();
            return Rest::More { reads };
        }
        line.push_ascii(b'\n');
        line.end();
        Rest::Nothing
    }
}
