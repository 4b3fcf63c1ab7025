//! A row of an instruction table, the identity it gives an instruction, and the macro that declares both.

use crate::effect::Does;
use crate::field::{Encoding, Field};
use crate::llvm::Lacks;
use crate::operand::{Modifier, Slot, Written};
use crate::target::{Isa, IsaSet, NUMBERINGS};
use crate::{ds, exp, flat, mimg, mtbuf, mubuf, smem, sop, vintrp, vop};

/// An instruction: what its row in the tables says, stated there once.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Its identity.
    pub op: Op,
    /// Its name as printed, unless `spelled` says otherwise.
    pub name: &'static str,
    /// Names on generations that call it something else.
    pub spelled: &'static [(IsaSet, &'static str)],
    /// Number per [`Numbering`](crate::Numbering).
    pub opcode: [Option<u16>; NUMBERINGS],
    /// Where it exists.
    pub on: IsaSet,
    /// Encodings that it has beside its family's own.
    pub forms: Forms,
    /// Operands in order, then modifiers.
    pub written: &'static [Written],
    /// Its effect.
    pub does: Does,
    /// What LLVM's assembler lacks of it.
    pub lacks: Lacks,
}

impl Row {
    /// Its number on `isa`, or nothing where it does not exist.
    pub fn opcode_on(&self, isa: Isa) -> Option<u16> {
        if self.on.has(isa) {
            self.opcode[isa.numbering() as usize]
        } else {
            None
        }
    }

    /// What `isa` calls it.
    pub fn name_on(&self, isa: Isa) -> &'static str {
        self.spelled
            .iter()
            .find(|(on, _)| on.has(isa))
            .map_or(self.name, |(_, name)| name)
    }

    /// Its operands in order.
    pub fn slots(&self) -> impl Iterator<Item = &'static Slot> + use<> {
        self.written.iter().filter_map(|w| match w {
            Written::Operand(slot) => Some(slot),
            Written::Modifier(_) => None,
        })
    }

    /// Its modifiers.
    pub fn modifiers(&self) -> impl Iterator<Item = &'static Modifier> + use<> {
        self.written.iter().filter_map(|w| match w {
            Written::Modifier(modifier) => Some(modifier),
            Written::Operand(_) => None,
        })
    }

    /// The encodings that it has on some generation: its family's own first, then the longer ones.
    pub fn encodings(&self) -> impl Iterator<Item = Encoding> + use<> {
        let native = self.op.family_encoding();
        let forms = self.forms;
        let has_carry = self.slots().any(|slot| slot.field == Field::Sdst);
        let own = (!forms.has(Forms::NO_E32)).then_some(native);
        let long = forms.has(Forms::E64).then_some(match native {
            Encoding::Vopc => Encoding::Vop3c,
            Encoding::Vintrp => Encoding::Vop3Interp,
            _ if has_carry => Encoding::Vop3b,
            _ => Encoding::Vop3,
        });
        let has_sdwa = forms.has(Forms::SDWA) || forms.has(Forms::SDWA_VI);
        let sdwa = has_sdwa.then_some(match native {
            Encoding::Vop1 => Encoding::Vop1Sdwa,
            Encoding::Vopc => Encoding::VopcSdwa,
            _ => Encoding::Vop2Sdwa,
        });
        let dpp = forms.has(Forms::DPP).then_some(match native {
            Encoding::Vop1 => Encoding::Vop1Dpp,
            _ => Encoding::Vop2Dpp,
        });
        [own, long, sdwa, dpp].into_iter().flatten()
    }
}

/// The encodings that a VOP1, VOP2 or VOPC instruction has beside its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Forms(u8);

impl Forms {
    /// Its family's own encoding only.
    pub const OWN: Forms = Forms(0);
    /// VOP3.
    pub const E64: Forms = Forms(1);
    /// Sub-dword addressing, from GCN 1.2 on.
    pub const SDWA: Forms = Forms(2);
    /// Data-parallel primitives, from GCN 1.2 on.
    pub const DPP: Forms = Forms(4);
    /// Not its family's own encoding.
    pub const NO_E32: Forms = Forms(8);
    /// Sub-dword addressing on GCN 1.2 only.
    pub const SDWA_VI: Forms = Forms(16);
    /// VOP3, SDWA and DPP.
    pub const ALL: Forms = Forms(7);
    /// VOP3 and SDWA: comparisons.
    pub const CMP: Forms = Forms(3);
    /// VOP3, DPP and on GCN 1.2 SDWA: the multiply-accumulates.
    pub const MAC: Forms = Forms(1 | 4 | 16);
    /// VOP3 and DPP.
    pub const FMAC: Forms = Forms(1 | 4);

    /// Both.
    pub const fn and(self, other: Forms) -> Forms {
        Forms(self.0 | other.0)
    }

    /// Whether all of `other` is in it.
    pub const fn has(self, other: Forms) -> bool {
        self.0 & other.0 == other.0
    }
}

macro_rules! ops {
    ($($(#[$doc:meta])* $Family:ident($Enum:path) $encoding:ident $rows:expr,)*) => {
        /// The identity of an instruction, nested by family so that every match stays small and exhaustive.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Op { $($(#[$doc])* $Family($Enum),)* }

        impl Op {
            /// Its row.
            pub fn row(self) -> &'static Row {
                match self { $(Op::$Family(op) => &$rows[op as usize],)* }
            }

            /// Its place among [`rows`].
            pub(crate) fn index(self) -> usize {
                /// The families in order.
                enum Family { $($Family,)* }
                /// How many rows are in the families before each.
                const BEGINS: [usize; FAMILIES.len()] = {
                    let mut begins = [0; FAMILIES.len()];
                    let mut family = 1;
                    while family < FAMILIES.len() {
                        begins[family] = begins[family - 1] + FAMILIES[family - 1].len();
                        family += 1;
                    }
                    begins
                };
                match self { $(Op::$Family(op) => BEGINS[Family::$Family as usize] + op as usize,)* }
            }

            /// The encoding of its family.
            pub fn family_encoding(self) -> Encoding {
                match self { $(Op::$Family(_) => Encoding::$encoding,)* }
            }
        }

        /// Each family's rows.
        pub(crate) const FAMILIES: &[&[Row]] = &[$(&$rows,)*];

        /// Every row of every family.
        pub fn rows() -> impl Iterator<Item = &'static Row> {
            FAMILIES.iter().copied().flatten()
        }
    };
}

ops! {
    /// Two-operand scalar ALU.
    Sop2(sop::Sop2) Sop2 sop::SOP2,
    /// Scalar ALU with a 16-bit constant.
    Sopk(sop::Sopk) Sopk sop::SOPK,
    /// One-operand scalar ALU.
    Sop1(sop::Sop1) Sop1 sop::SOP1,
    /// Scalar comparisons.
    Sopc(sop::Sopc) Sopc sop::SOPC,
    /// Program control.
    Sopp(sop::Sopp) Sopp sop::SOPP,
    /// Scalar memory of GCN 1.0 and 1.1.
    Smrd(smem::Smrd) Smrd smem::SMRD,
    /// Scalar memory of GCN 1.2 and 1.4.
    Smem(smem::Smem) Smem smem::SMEM,
    /// One-operand vector ALU.
    Vop1(vop::Vop1) Vop1 vop::VOP1,
    /// Two-operand vector ALU.
    Vop2(vop::Vop2) Vop2 vop::VOP2,
    /// Vector comparisons.
    Vopc(vop::Vopc) Vopc vop::VOPC,
    /// Vector ALU that exists in VOP3 only.
    Vop3(vop::Vop3) Vop3 vop::VOP3,
    /// The same with a scalar destination beside the vector one.
    Vop3b(vop::Vop3b) Vop3b vop::VOP3B,
    /// Packed 16-bit vector ALU.
    Vop3p(vop::Vop3p) Vop3p vop::VOP3P,
    /// Local and global data share.
    Ds(ds::Ds) Ds ds::DS,
    /// Memory of any segment.
    Flat(flat::Flat) Flat flat::FLAT,
    /// Global memory.
    Global(flat::Flat) Global flat::GLOBAL,
    /// Scratch memory.
    Scratch(flat::Flat) Scratch flat::SCRATCH,
    /// Buffers without format conversion.
    Mubuf(mubuf::Mubuf) Mubuf mubuf::MUBUF,
    /// Buffers with format conversion by the instruction.
    Mtbuf(mtbuf::Mtbuf) Mtbuf mtbuf::MTBUF,
    /// Images and samplers.
    Mimg(mimg::Mimg) Mimg mimg::MIMG,
    /// Exports.
    Exp(exp::Exp) Exp exp::EXP,
    /// Interpolation of parameters.
    Vintrp(vintrp::Vintrp) Vintrp vintrp::VINTRP,
    /// Interpolation that exists in VOP3 only.
    Vop3Interp(vintrp::Vop3Interp) Vop3Interp vintrp::VOP3_INTERP,
}

/// A row's name in lower case, made from the identifier that declares it.
pub(crate) const fn lower<const N: usize>(name: &str) -> [u8; N] {
    let mut bytes = [0; N];
    let mut i = 0;
    while i < N {
        bytes[i] = name.as_bytes()[i].to_ascii_lowercase();
        i += 1;
    }
    bytes
}

macro_rules! lower_name {
    ($name:expr) => {{
        const NAME: &str = $name;
        const BYTES: [u8; NAME.len()] = crate::row::lower(NAME);
        match core::str::from_utf8(&BYTES) {
            Ok(name) => name,
            Err(_) => panic!("a name is ASCII"),
        }
    }};
}
pub(crate) use lower_name;

macro_rules! number {
    (_) => {
        None
    };
    ($n:literal) => {
        Some($n)
    };
}
pub(crate) use number;

macro_rules! forms {
    () => {
        crate::row::Forms::OWN
    };
    ($forms:ident) => {
        crate::row::Forms::$forms
    };
    ($forms:expr) => {
        $forms
    };
}
pub(crate) use forms;

macro_rules! spelled {
    () => { &[] };
    ($($on:ident $name:literal),*) => { &[$((crate::target::on::$on, $name)),*] };
}
pub(crate) use spelled;

macro_rules! lacks {
    () => {
        crate::llvm::Lacks::NOTHING
    };
    ($lacks:ident) => {
        crate::llvm::Lacks::$lacks
    };
}
pub(crate) use lacks;

/// Declares a family: the enum of its instructions and the table of their rows.
///
/// A row is: name, number on SI and CI, number on VI and GFX9 (`_` for none), where it exists,
/// written as, does; optionally `in FORMS` (encodings beside its own),
/// `lacking WHAT` (in LLVM's assembler) and `spelled ON "name", …` (other names on some generations).
macro_rules! family {
    (
        $(#[$doc:meta])* $Family:ident in $TABLE:ident;
        $($NAME:ident $old:tt $new:tt $on:ident [$($written:expr),*] $does:expr
          $(, in $forms:expr)? $(, lacking $lacks:ident)? $(, spelled $($son:ident $sname:literal),+)?;)*
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        #[allow(non_camel_case_types, missing_docs)] // Named as in the manuals; the rows document them.
        #[repr(u16)]
        pub enum $Family { $($NAME,)* }

        pub(crate) static $TABLE: [crate::row::Row; [$(stringify!($NAME)),*].len()] = [$(
            crate::row::Row {
                op: crate::row::Op::$Family($Family::$NAME),
                name: crate::row::lower_name!(stringify!($NAME)),
                spelled: crate::row::spelled!($($($son $sname),+)?),
                opcode: [crate::row::number!($old), crate::row::number!($new)],
                on: crate::target::on::$on,
                forms: crate::row::forms!($($forms)?),
                written: &[$($written),*],
                does: $does,
                lacks: crate::row::lacks!($($lacks)?),
            },
        )*];
    };
}
pub(crate) use family;
