//! The rows of one instruction set, made ready for look-up by words and by name. Built once, on first use.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::field::{ENCODINGS, Encoding, Field, Format, Layout};
use crate::row::{Forms, Op, Row, rows};
use crate::target::{Isa, Numbering};
use crate::{ds, exp, flat, mimg, mtbuf, mubuf, smem, sop, vintrp, vop};

/// Where an instruction's VOP3 form begins to count: (VOPC, VOP2, VOP1) per numbering.
const VOP3_BASES: [(u16, u16, u16); 2] = [(0x000, 0x100, 0x180), (0x000, 0x100, 0x140)];

/// Where interpolation begins to count in VOP3, which has it from GCN 1.2 on.
const VOP3_INTERPOLATION: u16 = 0x270;

/// Bits that choose the candidates among encodings: the top nine of the first dword.
const SELECTOR_BITS: u32 = 9;

/// What is known of one instruction set.
pub struct Tables {
    layouts: Vec<Option<Layout>>,
    /// For each value of the top bits, the encodings that may have it, most constant bits first.
    candidates: Vec<Vec<Encoding>>,
    /// For each encoding, by number, the instruction.
    by_opcode: Vec<Vec<Option<Op>>>,
    by_name: HashMap<&'static str, Op>,
}

impl Tables {
    /// The field map of an encoding, where the instruction set has it.
    pub fn layout(&self, encoding: Encoding) -> Option<&Layout> {
        self.layouts[encoding as usize].as_ref()
    }

    /// The instruction with this number in this encoding.
    pub fn op(&self, encoding: Encoding, opcode: u16) -> Option<Op> {
        self.by_opcode[encoding as usize]
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

    pub(crate) fn candidates(&self, first: u32) -> &[Encoding] {
        &self.candidates[(first >> (32 - SELECTOR_BITS)) as usize]
    }

    fn new(isa: Isa) -> Tables {
        let mut layouts: Vec<Option<Layout>> = vec![None; ENCODINGS];
        for format in formats().filter(|f| f.on.has(isa)) {
            let layout = &mut layouts[format.encoding as usize];
            assert!(
                layout.is_none(),
                "{:?} has two field maps on {isa}",
                format.encoding
            );
            *layout = Some(Layout::new(format));
        }

        let mut candidates = vec![Vec::new(); 1 << SELECTOR_BITS];
        for (top, list) in candidates.iter_mut().enumerate() {
            let first = (top as u32) << (32 - SELECTOR_BITS);
            let selector = u32::MAX << (32 - SELECTOR_BITS);
            let mut fitting: Vec<&Layout> = layouts
                .iter()
                .flatten()
                .filter(|layout| (first ^ layout.constant) & layout.constant_mask & selector == 0)
                .collect();
            fitting.sort_by_key(|layout| std::cmp::Reverse(layout.constant_mask.count_ones()));
            *list = fitting.iter().map(|layout| layout.encoding).collect();
        }

        let mut by_opcode = vec![Vec::new(); ENCODINGS];
        let mut by_name = HashMap::new();
        for row in rows() {
            if row.opcode_on(isa).is_none() {
                continue;
            }
            by_name.insert(row.name_on(isa), row.op);
            for encoding in row.encodings() {
                let Some(layout) = &layouts[encoding as usize] else {
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
                let table: &mut Vec<Option<Op>> = &mut by_opcode[encoding as usize];
                if table.len() <= usize::from(opcode) {
                    table.resize(usize::from(opcode) + 1, None);
                }
                table[usize::from(opcode)].get_or_insert(row.op);
            }
        }
        Tables {
            layouts,
            candidates,
            by_opcode,
            by_name,
        }
    }
}

/// Every family's field maps.
fn formats() -> impl Iterator<Item = &'static Format> {
    [
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
    ]
    .into_iter()
    .flatten()
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

    /// Whether the encodings of sub-dword addressing and lane permutation exist.
    pub const fn has_sdwa(self) -> bool {
        matches!(self.numbering(), Numbering::Vi9)
    }
}
