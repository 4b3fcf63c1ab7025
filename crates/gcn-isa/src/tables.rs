//! The rows of one instruction set by name, and what follows from them: what a program starts with must cost nothing,
//! so the names are in order when this is compiled, and an instruction's forms are worked out when it is met.

use std::sync::OnceLock;

use crate::field::{ENCODINGS, Encoding, Format, Layout, SUFFIXES};
use crate::form::Form;
use crate::row::{FAMILIES, Forms, Op, Row, rows};
use crate::target::{Isa, on};
use crate::{ds, exp, flat, mimg, mtbuf, mubuf, smem, sop, vintrp, vop};

/// Where an instruction's VOP3 form begins to count: (VOPC, VOP2, VOP1) per numbering.
const VOP3_BASES: [(u16, u16, u16); 2] = [(0x000, 0x100, 0x180), (0x000, 0x100, 0x140)];

/// Where interpolation begins to count in VOP3, which has it from GCN 1.2 on.
const VOP3_INTERPOLATION: u16 = 0x270;

/// How many rows there are.
const ROWS: usize = {
    let mut count = 0;
    let mut family = 0;
    while family < FAMILIES.len() {
        count += FAMILIES[family].len();
        family += 1;
    }
    count
};

/// What is known of one instruction set.
pub struct Tables {
    isa: Isa,
    /// For each row its forms, once they have been asked for.
    forms: [OnceLock<Box<[Form]>>; ROWS],
}

impl Tables {
    const fn new(isa: Isa) -> Tables {
        Tables {
            isa,
            forms: [const { OnceLock::new() }; ROWS],
        }
    }

    /// The field map of an encoding, where the instruction set has it.
    pub fn layout(&self, encoding: Encoding) -> Option<&'static Layout> {
        layout(self.isa, encoding)
    }

    /// An instruction in each of its encodings here: its family's own first, then the longer ones.
    #[inline]
    pub fn forms(&'static self, op: Op) -> &'static [Form] {
        self.forms[op.index()].get_or_init(|| {
            let row = op.row();
            let forms = row.encodings();
            forms.filter_map(|e| Form::new(self.isa, row, e)).collect()
        })
    }

    /// The instruction with this name, without an encoding's suffix, in letters of either case.
    pub fn named(&self, name: &str) -> Option<Op> {
        self.find(name.as_bytes())
    }

    /// The instruction of a mnemonic, and the form that its suffix asks for.
    #[inline]
    pub fn mnemonic(&'static self, name: &[u8]) -> Option<(Op, Option<&'static Form>)> {
        for suffix in SUFFIXES {
            let Some((stem, end)) = name.split_at_checked(name.len().wrapping_sub(suffix.len()))
            else {
                continue;
            };
            if end.eq_ignore_ascii_case(suffix.as_bytes())
                && let Some(op) = self.find(stem)
            {
                let mut forms = self.forms(op).iter();
                let form = forms.find(|form| form.encoding.suffix() == suffix);
                return form.map(|form| (op, Some(form)));
            }
        }
        Some((self.find(name)?, None))
    }

    /// Every name of an instruction.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        rows()
            .filter(|row| row.opcode_on(self.isa).is_some())
            .map(|row| row.name_on(self.isa))
    }

    /// The instruction with this name in letters of either case.
    #[inline]
    fn find(&self, name: &[u8]) -> Option<Op> {
        self.find_lower(name).or_else(|| {
            let mut buffer = [0; LONGEST_NAME];
            let lower = buffer.get_mut(..name.len())?;
            lower.copy_from_slice(name);
            lower.make_ascii_lowercase();
            (lower != name).then(|| self.find_lower(lower)).flatten()
        })
    }

    /// The instruction with this name, as names are in the tables: in lower case.
    fn find_lower(&self, name: &[u8]) -> Option<Op> {
        let mut at = first_place(name);
        loop {
            let op = NAMES[at]?;
            let row = op.row();
            if row.name_on(self.isa).as_bytes() == name && row.opcode_on(self.isa).is_some() {
                return Some(op);
            }
            at = (at + 1) % NAME_PLACES;
        }
    }
}

/// How many places there are for names: a power of two, more than twice as many as names.
const NAME_PLACES: usize = 1 << 12;

/// The most letters of a name.
const LONGEST_NAME: usize = 40;

/// The instructions by the hashes of all their names. One goes to the first free place from a name's hash on.
static NAMES: [Option<Op>; NAME_PLACES] = {
    let mut places = [None; NAME_PLACES];
    let mut count = 0;
    let mut family = 0;
    while family < FAMILIES.len() {
        let mut i = 0;
        while i < FAMILIES[family].len() {
            let row = &FAMILIES[family][i];
            let mut name = row.name;
            let mut spelled = 0;
            loop {
                assert!(name.len() <= LONGEST_NAME, "a name is too long");
                let mut at = first_place(name.as_bytes());
                while places[at].is_some() {
                    at = (at + 1) % NAME_PLACES;
                }
                places[at] = Some(row.op);
                count += 1;
                if spelled == row.spelled.len() {
                    break;
                }
                name = row.spelled[spelled].1;
                spelled += 1;
            }
            i += 1;
        }
        family += 1;
    }
    assert!(
        2 * count < NAME_PLACES,
        "there are too few places for names"
    );
    places
};

/// The first place at which a name can be.
#[inline]
const fn first_place(name: &[u8]) -> usize {
    /// Odd, with its bits spread (the golden ratio's).
    const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
    const fn mix(hash: u64, bytes: u64) -> u64 {
        (hash.rotate_left(5) ^ bytes).wrapping_mul(SPREAD)
    }
    let mut hash = name.len() as u64;
    let mut rest = name;
    while let Some((eight, behind)) = rest.split_first_chunk() {
        hash = mix(hash, u64::from_le_bytes(*eight));
        rest = behind;
    }
    let mut last = 0;
    while let Some((&byte, behind)) = rest.split_first() {
        last = last << 8 | byte as u64;
        rest = behind;
    }
    (mix(hash, last) >> 32) as usize % NAME_PLACES
}

/// Every family's field maps.
const FORMATS: &[&[Format]] = &[
    sop::FORMATS,
    smem::FORMATS,
    vop::FORMATS,
    ds::FORMATS,
    flat::FORMATS,
    mubuf::FORMATS,
    mtbuf::FORMATS,
    mimg::FORMATS,
    exp::FORMATS,
    vintrp::FORMATS,
];

/// The field map of every encoding on every instruction set. Two for one do not compile.
static LAYOUTS: [[Option<Layout>; ENCODINGS]; Isa::ALL.len()] = {
    let mut layouts = [[None; ENCODINGS]; Isa::ALL.len()];
    let mut family = 0;
    while family < FORMATS.len() {
        let mut i = 0;
        while i < FORMATS[family].len() {
            let format = &FORMATS[family][i];
            let mut isa = 0;
            while isa < Isa::ALL.len() {
                if format.on.has(Isa::ALL[isa]) {
                    let layout: &mut Option<Layout> = &mut layouts[isa][format.encoding as usize];
                    assert!(layout.is_none(), "an encoding has two field maps");
                    *layout = Some(Layout::new(format));
                }
                isa += 1;
            }
            i += 1;
        }
        family += 1;
    }
    layouts
};

/// The field map of an encoding, where `isa` has it.
#[inline]
pub(crate) fn layout(isa: Isa, encoding: Encoding) -> Option<&'static Layout> {
    LAYOUTS[isa as usize][encoding as usize].as_ref()
}

/// The number of `row` in one of its encodings: VOP3 counts the other families' instructions from a base.
pub(crate) fn opcode_in(row: &Row, isa: Isa, encoding: Encoding) -> Option<u16> {
    let opcode = row.opcode_on(isa)?;
    let is_sdwa = matches!(
        encoding,
        Encoding::Vop1Sdwa | Encoding::Vop2Sdwa | Encoding::VopcSdwa
    );
    if is_sdwa && !on::VI_ONLY.has(isa) && row.forms.has(Forms::SDWA_VI) {
        return None;
    }
    let base = match encoding {
        Encoding::Vop3 | Encoding::Vop3b | Encoding::Vop3c => {
            let (vopc, vop2, vop1) = VOP3_BASES[isa.numbering() as usize];
            match row.op {
                Op::Vopc(_) => vopc,
                Op::Vop2(_) => vop2,
                Op::Vop1(_) => vop1,
                _ => 0,
            }
        }
        Encoding::Vop3Interp => match row.op {
            Op::Vintrp(_) => VOP3_INTERPOLATION,
            _ => 0,
        },
        _ => 0,
    };
    Some(base + opcode)
}

impl Isa {
    /// The tables of this instruction set.
    #[inline]
    pub fn tables(self) -> &'static Tables {
        static TABLES: [Tables; Isa::ALL.len()] = [
            Tables::new(Isa::Si),
            Tables::new(Isa::Ci),
            Tables::new(Isa::Vi),
            Tables::new(Isa::Stoney),
            Tables::new(Isa::Gfx9),
            Tables::new(Isa::Vega12),
            Tables::new(Isa::Vega20),
        ];
        &TABLES[self as usize]
    }
}
