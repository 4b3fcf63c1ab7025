//! The rows of one instruction set, made ready for look-up by words and by name. Built once, on first use.

use std::sync::LazyLock;

use crate::field::{ENCODINGS, Encoding, Field, Format, Layout};
use crate::form::Form;
use crate::row::{Forms, Op, Row, rows};
use crate::target::Isa;
use crate::{ds, exp, flat, mimg, mtbuf, mubuf, smem, sop, vintrp, vop};

/// Where an instruction's VOP3 form begins to count: (VOPC, VOP2, VOP1) per numbering.
const VOP3_BASES: [(u16, u16, u16); 2] = [(0x000, 0x100, 0x180), (0x000, 0x100, 0x140)];

/// Where interpolation begins to count in VOP3, which has it from GCN 1.2 on.
const VOP3_INTERPOLATION: u16 = 0x270;

/// Bits that choose the candidates among encodings: the top nine of the first dword.
const SELECTOR_BITS: u32 = 9;
/// The most encodings that share their top bits: VOP3 has four, its neighbours less.
const MAX_CANDIDATES: usize = 6;

/// What is known of one instruction set.
pub struct Tables {
    isa: Isa,
    /// For each value of the top bits, the encodings that may have it, most constant bits first.
    candidates: Vec<[Option<Encoding>; MAX_CANDIDATES]>,
    /// Every instruction in each of its encodings, in the order of the rows.
    forms: Vec<Form>,
    /// For each row, where its forms begin in `forms`; they end where the next one's begin.
    of_rows: Vec<u16>,
    /// For each encoding, where its instructions begin in `numbered`; they end where the next one's begin.
    begins: [usize; ENCODINGS + 1],
    /// The places in `forms` of each encoding's instructions, by number.
    numbered: Vec<Option<u16>>,
    names: Names,
}

impl Tables {
    /// The field map of an encoding, where the instruction set has it.
    pub fn layout(&self, encoding: Encoding) -> Option<&'static Layout> {
        layout(self.isa, encoding)
    }

    /// An instruction in each of its encodings here: its family's own first, then the longer ones.
    #[inline]
    pub fn forms(&'static self, op: Op) -> &'static [Form] {
        let index = op.index();
        let begin = usize::from(self.of_rows[index]);
        let end = usize::from(self.of_rows[index + 1]);
        &self.forms[begin..end]
    }

    /// How many forms there are.
    pub(crate) fn form_count(&self) -> usize {
        self.forms.len()
    }

    /// The instruction with this number in this encoding.
    #[inline]
    pub fn numbered(&'static self, encoding: Encoding, opcode: u16) -> Option<&'static Form> {
        let begin = self.begins[encoding as usize];
        let end = self.begins[encoding as usize + 1];
        let place = *self.numbered[begin..end].get(usize::from(opcode))?;
        place.map(|place| &self.forms[usize::from(place)])
    }

    /// The instruction with this name, without an encoding's suffix, in letters of either case.
    pub fn named(&self, name: &str) -> Option<Op> {
        let found = self.names.find(name.as_bytes())?;
        found.only.is_none().then_some(found.op)
    }

    /// The instruction of a mnemonic, and the form that its suffix asks for.
    #[inline]
    pub fn mnemonic(&'static self, name: &[u8]) -> Option<(Op, Option<&'static Form>)> {
        let found = self.names.find(name)?;
        let only = found.only.map(|place| &self.forms[usize::from(place)]);
        Some((found.op, only))
    }

    /// Every name of an instruction.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        let names = self.names.entries.iter().flatten();
        names
            .filter(|name| name.only.is_none())
            .map(|name| name.stem)
    }

    pub(crate) fn candidates(&self, first: u32) -> impl Iterator<Item = Encoding> {
        self.candidates[(first >> (32 - SELECTOR_BITS)) as usize]
            .into_iter()
            .map_while(|c| c)
    }

    fn new(isa: Isa) -> Tables {
        let mut candidates = vec![[None; MAX_CANDIDATES]; 1 << SELECTOR_BITS];
        for (top, list) in candidates.iter_mut().enumerate() {
            let first = (top as u32) << (32 - SELECTOR_BITS);
            let selector = u32::MAX << (32 - SELECTOR_BITS);
            let mut fitting: Vec<&Layout> = LAYOUTS[isa as usize]
                .iter()
                .flatten()
                .filter(|layout| (first ^ layout.constant) & layout.constant_mask & selector == 0)
                .collect();
            fitting.sort_by_key(|layout| std::cmp::Reverse(layout.constant_mask.count_ones()));
            assert!(
                fitting.len() <= MAX_CANDIDATES,
                "too many encodings begin with {first:#010x}"
            );
            for (candidate, layout) in list.iter_mut().zip(fitting) {
                *candidate = Some(layout.encoding);
            }
        }

        let mut forms = Vec::new();
        let mut of_rows = vec![0];
        let mut by_opcode: [Vec<Option<u16>>; ENCODINGS] = std::array::from_fn(|_| Vec::new());
        let mut names = Vec::new();
        let place = |count: usize| u16::try_from(count).expect("the tables have fewer rows");
        for row in rows() {
            if row.opcode_on(isa).is_some() {
                names.push(Name::new(row.name_on(isa), "", row.op, None));
            }
            for encoding in row.encodings() {
                let Some(mut form) = Form::new(isa, row, encoding) else {
                    continue;
                };
                let here = place(forms.len());
                let opcode = form.layout.bits(Field::Op).get(form.base) as usize;
                let table = &mut by_opcode[encoding as usize];
                if table.len() <= opcode {
                    table.resize(opcode + 1, None);
                }
                table[opcode].get_or_insert(here);
                names.push(Name::new(form.name, encoding.suffix(), row.op, Some(here)));
                form.index = forms.len();
                forms.push(form);
            }
            of_rows.push(place(forms.len()));
        }
        let mut begins = [0; ENCODINGS + 1];
        for (encoding, table) in by_opcode.iter().enumerate() {
            begins[encoding + 1] = begins[encoding] + table.len();
        }
        Tables {
            isa,
            candidates,
            forms,
            of_rows,
            begins,
            numbered: by_opcode.concat(),
            names: Names::new(names),
        }
    }
}

/// A mnemonic: a name and an encoding's suffix.
#[derive(Clone, Copy, Debug)]
struct Name {
    stem: &'static str,
    suffix: &'static str,
    op: Op,
    /// The form that the suffix asks for.
    only: Option<u16>,
}

impl Name {
    fn new(stem: &'static str, suffix: &'static str, op: Op, only: Option<u16>) -> Name {
        Name {
            stem,
            suffix,
            op,
            only,
        }
    }

    /// Whether it is this word, in letters of either case.
    #[inline]
    fn is(&self, word: &[u8]) -> bool {
        word.len() == self.stem.len() + self.suffix.len()
            && word[..self.stem.len()].eq_ignore_ascii_case(self.stem.as_bytes())
            && word[self.stem.len()..].eq_ignore_ascii_case(self.suffix.as_bytes())
    }
}

/// Mnemonics by hash. A name goes to the first free place from its hash on; a third of the places is filled.
struct Names {
    entries: Box<[Option<Name>]>,
}

impl Names {
    fn new(names: Vec<Name>) -> Names {
        let places = (names.len() * 3).next_power_of_two();
        let mut table = Names {
            entries: vec![None; places].into_boxed_slice(),
        };
        for name in names {
            let word = [name.stem, name.suffix].concat();
            let mut at = table.first(word.as_bytes());
            // Of two rows with a name the last one has it.
            while table.entries[at].is_some_and(|other| !other.is(word.as_bytes())) {
                at = (at + 1) % places;
            }
            table.entries[at] = Some(name);
        }
        table
    }

    #[inline]
    fn find(&self, word: &[u8]) -> Option<&Name> {
        let mut at = self.first(word);
        loop {
            let name = self.entries[at].as_ref()?;
            if name.is(word) {
                return Some(name);
            }
            at = (at + 1) % self.entries.len();
        }
    }

    /// The first place at which a name can be: letters of either case are alike.
    #[inline]
    fn first(&self, word: &[u8]) -> usize {
        /// Clears what tells the cases of eight letters.
        const UPPER: u64 = 0x2020_2020_2020_2020;
        /// Odd, with its bits spread (the golden ratio's).
        const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
        let mix =
            |hash: u64, bytes: u64| (hash.rotate_left(5) ^ (bytes | UPPER)).wrapping_mul(SPREAD);
        let (eights, rest) = word.as_chunks();
        let hash = eights.iter().fold(word.len() as u64, |hash, &eight| {
            mix(hash, u64::from_le_bytes(eight))
        });
        let rest = rest.iter().fold(0, |all, &byte| all << 8 | u64::from(byte));
        let hash = mix(hash, rest);
        (hash >> 32) as usize & (self.entries.len() - 1)
    }
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
    if is_sdwa && isa != Isa::Vi && row.forms.has(Forms::SDWA_VI) {
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
    pub fn tables(self) -> &'static Tables {
        static TABLES: [LazyLock<Tables>; Isa::ALL.len()] = [
            LazyLock::new(|| Tables::new(Isa::Si)),
            LazyLock::new(|| Tables::new(Isa::Ci)),
            LazyLock::new(|| Tables::new(Isa::Vi)),
            LazyLock::new(|| Tables::new(Isa::Gfx9)),
            LazyLock::new(|| Tables::new(Isa::Vega12)),
            LazyLock::new(|| Tables::new(Isa::Vega20)),
        ];
        &TABLES[self as usize]
    }
}
