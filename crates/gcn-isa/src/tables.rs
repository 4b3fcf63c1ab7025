//! The rows of one instruction set, made ready for look-up by words and by name. Built once, on first use.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::field::{ENCODINGS, Encoding, Field, Format, Layout};
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
    /// For each encoding, where its instructions begin in `ops`; they end where the next one's begin.
    begins: [usize; ENCODINGS + 1],
    /// The instructions of each encoding, by number.
    ops: Vec<Option<Op>>,
    by_name: HashMap<&'static str, Op>,
}

impl Tables {
    /// The field map of an encoding, where the instruction set has it.
    pub fn layout(&self, encoding: Encoding) -> Option<&'static Layout> {
        layout(self.isa, encoding)
    }

    /// The instruction with this number in this encoding.
    pub fn op(&self, encoding: Encoding, opcode: u16) -> Option<Op> {
        let numbers = self.begins[encoding as usize]..self.begins[encoding as usize + 1];
        self.ops[numbers]
            .get(usize::from(opcode))
            .copied()
            .flatten()
    }

    /// The instruction with this name, in lower case and without an encoding's suffix.
    pub fn named(&self, name: &str) -> Option<Op> {
        self.by_name.get(name).copied()
    }

    /// Every name of an instruction.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.by_name.keys().copied()
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

        let mut by_opcode: [Vec<Option<Op>>; ENCODINGS] = std::array::from_fn(|_| Vec::new());
        let mut by_name = HashMap::new();
        for row in rows() {
            if row.opcode_on(isa).is_none() {
                continue;
            }
            by_name.insert(row.name_on(isa), row.op);
            for encoding in row.encodings() {
                let Some(layout) = layout(isa, encoding) else {
                    continue;
                };
                let Some(opcode) = opcode_in(row, isa, encoding) else {
                    continue;
                };
                assert!(
                    u64::from(opcode) <= layout.bits(Field::Op).max(),
                    "{} does not fit {encoding:?}",
                    row.name
                );
                let table = &mut by_opcode[encoding as usize];
                if table.len() <= usize::from(opcode) {
                    table.resize(usize::from(opcode) + 1, None);
                }
                table[usize::from(opcode)].get_or_insert(row.op);
            }
        }
        let mut begins = [0; ENCODINGS + 1];
        for (encoding, table) in by_opcode.iter().enumerate() {
            begins[encoding + 1] = begins[encoding] + table.len();
        }
        Tables {
            isa,
            candidates,
            begins,
            ops: by_opcode.concat(),
            by_name,
        }
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
