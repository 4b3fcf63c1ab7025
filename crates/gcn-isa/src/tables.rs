//! Instructions of each instruction set by name, and their forms. To keep startup fast, names are hashed at compile
//! time, and forms are computed on first use.

use std::sync::OnceLock;

use crate::field::{Encoding, Layout, SUFFIXES};
use crate::form::Form;
use crate::form::layouts::layout;
use crate::op::{FAMILIES, Op, rows};
use crate::target::Isa;

const ROWS: usize = {
    let mut count = 0;
    let mut family = 0;
    while family < FAMILIES.len() {
        count += FAMILIES[family].len();
        family += 1;
    }
    count
};

/// Names and forms of one instruction set.
///
/// ```
/// use gcn_isa::{Isa, Op, ds::Ds};
/// assert_eq!(Isa::Gfx9.tables().named("DS_ADD_U32"), Some(Op::Ds(Ds::DS_ADD_U32)));
/// assert_eq!(Isa::Si.tables().named("global_load_dword"), None);
/// ```
pub struct Tables {
    isa: Isa,
    /// Forms of each row, computed on first use.
    forms: [OnceLock<Box<[Form]>>; ROWS],
}

impl Tables {
    const fn new(isa: Isa) -> Tables {
        Tables {
            isa,
            forms: [const { OnceLock::new() }; ROWS],
        }
    }

    /// Field map of an encoding, if the instruction set has the encoding.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::{Encoding, Field, Isa};
    /// let layout = Isa::Gfx9.tables().layout(Encoding::Ds).expect("the encoding exists");
    /// assert!(layout.has(Field::Gds) && layout.dwords == 2);
    /// assert!(Isa::Vi.tables().layout(Encoding::Global).is_none());
    /// ```
    pub fn layout(&self, encoding: Encoding) -> Option<&'static Layout> {
        layout(self.isa, encoding)
    }

    /// Forms of an instruction, one per encoding on this instruction set: the family's own, then the longer forms.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::{Encoding, Isa};
    /// let tables = Isa::Gfx9.tables();
    /// let add = tables.named("v_add_f32").expect("an instruction");
    /// let encodings = tables.forms(add).iter().map(|form| form.encoding);
    /// assert!(encodings.eq([Encoding::Vop2, Encoding::Vop3, Encoding::Vop2Sdwa, Encoding::Vop2Dpp]));
    /// ```
    #[inline]
    pub fn forms(&'static self, op: Op) -> &'static [Form] {
        self.forms[op.index()].get_or_init(|| {
            let row = op.row();
            let forms = row.encodings();
            forms.filter_map(|e| Form::new(self.isa, row, e)).collect()
        })
    }

    /// Instruction by name without encoding suffix; case-insensitive.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::Isa;
    /// let end = Isa::Gfx9.tables().named("S_ENDPGM").expect("case is ignored");
    /// assert_eq!(end.row().opcode_on(Isa::Gfx9), Some(1));
    /// assert_eq!(Isa::Si.tables().named("global_load_dword"), None);
    /// ```
    pub fn named(&self, name: &str) -> Option<Op> {
        self.find(name.as_bytes())
    }

    /// Instruction named by a mnemonic, and the form that its suffix selects.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::{Encoding, Isa};
    /// let (op, form) = Isa::Gfx9.tables().mnemonic(b"v_add_f32_e64").expect("an instruction");
    /// assert_eq!((op.row().name, form.map(|form| form.encoding)), ("v_add_f32", Some(Encoding::Vop3)));
    /// ```
    #[inline]
    pub fn mnemonic(&'static self, name: &[u8]) -> Option<(Op, Option<&'static Form>)> {
        for suffix in SUFFIXES {
            let Some((stem, end)) = name.split_at_checked(name.len().wrapping_sub(suffix.len()))
            else {
                continue;
            };
            // The letter after the underscore distinguishes most suffixes.
            if end.get(1).map(u8::to_ascii_lowercase) == suffix.as_bytes().get(1).copied()
                && end.eq_ignore_ascii_case(suffix.as_bytes())
                && let Some(op) = self.find(stem)
            {
                let mut forms = self.forms(op).iter();
                let form = forms.find(|form| form.encoding.suffix() == suffix);
                return form.map(|form| (op, Some(form)));
            }
        }
        Some((self.find(name)?, None))
    }

    /// Names of all instructions of the instruction set.
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::Isa;
    /// let has = |isa: Isa, name| isa.tables().names().any(|known| known == name);
    /// assert!(has(Isa::Si, "v_mac_legacy_f32") && !has(Isa::Vi, "v_mac_legacy_f32"));
    /// ```
    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        rows()
            .filter(|row| row.opcode_on(self.isa).is_some())
            .map(|row| row.name_on(self.isa))
    }

    /// Finds an instruction by name; case-insensitive.
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

    /// Finds an instruction by its name in lower case, as in the tables.
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

/// Size of the hash table: a power of two, more than twice the number of names.
const NAME_PLACES: usize = 1 << 12;

/// Maximum length of a name.
const LONGEST_NAME: usize = 40;

/// Hash table of all instruction names, with linear probing.
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
                places[at] = Some(row.op());
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

/// Home slot of a name.
#[inline]
const fn first_place(name: &[u8]) -> usize {
    /// Odd multiplier with well-distributed bits (golden ratio).
    const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
    const fn mix(hash: u64, bytes: u64) -> u64 {
        (hash.rotate_left(5) ^ bytes).wrapping_mul(SPREAD)
    }
    let mut hash = name.len() as u64;
    let mut rest = name;
    while let Some((eight, tail)) = rest.split_first_chunk() {
        hash = mix(hash, u64::from_le_bytes(*eight));
        rest = tail;
    }
    let mut last = 0;
    while let Some((&byte, tail)) = rest.split_first() {
        last = last << 8 | byte as u64;
        rest = tail;
    }
    (mix(hash, last) >> 32) as usize % NAME_PLACES
}

impl Isa {
    /// Tables of this instruction set.
    #[inline]
    pub fn tables(self) -> &'static Tables {
        static TABLES: [Tables; Isa::ALL.len()] = {
            let mut all = [const { Tables::new(Isa::Si) }; Isa::ALL.len()];
            let mut index = 0;
            while index < all.len() {
                all[index].isa = Isa::ALL[index];
                index += 1;
            }
            all
        };
        &TABLES[self as usize]
    }
}
