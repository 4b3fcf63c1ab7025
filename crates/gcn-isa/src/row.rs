//! Rows of instruction tables, and the macro that declares a table and the enum of its instructions.

mod types;

use crate::effect::{Does, Implicit};
use crate::field::{Encoding, Field};
use crate::operand::{Modifier, Slot, Written};
use crate::target::{Isa, IsaSet, NUMBERINGS};
pub use types::AluTypes;

/// An instruction as declared in a table; [`Row::op`] is its identity.
///
/// # Examples
/// ```
/// use gcn_isa::{Encoding, Isa, Op, vop::Vop2};
/// let add = Op::Vop2(Vop2::V_ADD_CO_U32).row();
/// assert_eq!((add.opcode_on(Isa::Si), add.name_on(Isa::Si)), (Some(0x25), "v_add_i32"));
/// assert_eq!((add.opcode_on(Isa::Gfx9), add.name_on(Isa::Gfx9)), (Some(0x19), "v_add_co_u32"));
/// assert!(add.encodings().eq([Encoding::Vop2, Encoding::Vop3b, Encoding::Vop2Sdwa, Encoding::Vop2Dpp]));
/// assert_eq!((add.slots().count(), add.modifiers().count()), (4, 1));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Table that contains the row.
    pub(crate) family: InstructionFamily,
    /// Index within that table.
    pub(crate) index: u16,
    /// Name as printed, unless overridden by `spelled`.
    pub name: &'static str,
    /// Names on generations that use a different name.
    pub spelled: &'static [(IsaSet, &'static str)],
    /// Opcode per [`Numbering`](crate::Numbering).
    pub opcode: [Option<u16>; NUMBERINGS],
    /// Instruction sets that have the instruction.
    pub on: IsaSet,
    /// Encodings in addition to the family's own, or instead of it.
    pub forms: Forms,
    /// Operands in order, then modifiers.
    pub written: &'static [Written],
    /// Effect of the instruction.
    pub does: Does,
    /// Parts of the instruction that LLVM's assembler does not support.
    pub lacks: Lacks,
}

impl Row {
    /// Opcode on `isa`; `None` if `isa` does not have the instruction.
    pub fn opcode_on(&self, isa: Isa) -> Option<u16> {
        if self.on.has(isa) {
            self.opcode[isa.numbering() as usize]
        } else {
            None
        }
    }

    /// Name on `isa`.
    pub fn name_on(&self, isa: Isa) -> &'static str {
        self.spelled
            .iter()
            .find(|(on, _)| on.has(isa))
            .map_or(self.name, |(_, name)| name)
    }

    /// Implicit state that the instruction reads and writes, except M0 for memory accesses
    /// ([`MemoryUse`](crate::uses::MemoryUse)).
    pub fn implicit(&self) -> Implicit {
        self.does.implicit(self.is_scalar())
    }

    /// True for instructions of the scalar unit.
    pub(crate) fn is_scalar(&self) -> bool {
        self.family.encoding().is_scalar()
    }

    /// Operands in order.
    pub fn slots(&self) -> impl Iterator<Item = &'static Slot> + use<> {
        self.written.iter().filter_map(|w| match w {
            Written::Operand(slot) => Some(slot),
            Written::Modifier(_) => None,
        })
    }

    /// Modifiers.
    pub fn modifiers(&self) -> impl Iterator<Item = &'static Modifier> + use<> {
        self.written.iter().filter_map(|w| match w {
            Written::Modifier(modifier) => Some(modifier),
            Written::Operand(_) => None,
        })
    }

    /// Encodings on any generation: the family's own first, then the longer encodings.
    pub fn encodings(&self) -> impl Iterator<Item = Encoding> + use<> {
        let native = self.family.encoding();
        let forms = self.forms;
        let has_carry = self.slots().any(|slot| slot.field == Field::Sdst);
        let vop3 = if has_carry {
            Encoding::Vop3b
        } else {
            Encoding::Vop3
        };
        let (long, sdwa, dpp) = match self.family {
            InstructionFamily::Vop1 => (
                Some(vop3),
                Some(Encoding::Vop1Sdwa),
                Some(Encoding::Vop1Dpp),
            ),
            InstructionFamily::Vop2 => (
                Some(vop3),
                Some(Encoding::Vop2Sdwa),
                Some(Encoding::Vop2Dpp),
            ),
            InstructionFamily::Vopc => (Some(Encoding::Vop3c), Some(Encoding::VopcSdwa), None),
            InstructionFamily::Vintrp => (Some(Encoding::Vop3Interp), None, None),
            InstructionFamily::Sop2
            | InstructionFamily::Sopk
            | InstructionFamily::Sop1
            | InstructionFamily::Sopc
            | InstructionFamily::Sopp
            | InstructionFamily::Smrd
            | InstructionFamily::Smem
            | InstructionFamily::Vop3
            | InstructionFamily::Vop3b
            | InstructionFamily::Vop3p
            | InstructionFamily::Ds
            | InstructionFamily::Flat
            | InstructionFamily::Global
            | InstructionFamily::Scratch
            | InstructionFamily::Mubuf
            | InstructionFamily::Mtbuf
            | InstructionFamily::Mimg
            | InstructionFamily::Exp
            | InstructionFamily::Vop3Interp => (None, None, None),
        };
        let has_sdwa = forms.has(Forms::SDWA) || forms.has(Forms::SDWA_VI);
        [
            Some(native),
            long.filter(|_| forms.has(Forms::E64)),
            sdwa.filter(|_| has_sdwa),
            dpp.filter(|_| forms.has(Forms::DPP)),
        ]
        .into_iter()
        .flatten()
    }
}

/// Encodings of a VOP1, VOP2, VOPC or VINTRP instruction in addition to its own.
///
/// # Examples
/// ```
/// use gcn_isa::{Forms, Op, vop::Vop2};
/// let mac = Op::Vop2(Vop2::V_MAC_F32).row().forms;
/// assert!(mac.has(Forms::E64.and(Forms::DPP)) && mac.has(Forms::SDWA_VI));
/// assert!(!mac.has(Forms::SDWA), "GCN 1.4 has no SDWA form");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Forms(u8);

impl Forms {
    /// Only the family's own encoding.
    pub const OWN: Forms = Forms(0);
    /// VOP3.
    pub const E64: Forms = Forms(1);
    /// Sub-dword addressing, on GCN 1.2 and later.
    pub const SDWA: Forms = Forms(2);
    /// Data-parallel primitives, on GCN 1.2 and later.
    pub const DPP: Forms = Forms(4);
    /// Sub-dword addressing on GCN 1.2 only.
    pub const SDWA_VI: Forms = Forms(8);
    /// VOP3, SDWA and DPP.
    pub const ALL: Forms = Forms(7);
    /// VOP3 and SDWA: comparisons.
    pub const CMP: Forms = Forms(3);
    /// VOP3, DPP, and SDWA on GCN 1.2: multiply-accumulate instructions.
    pub const MAC: Forms = Forms(1 | 4 | 8);
    /// VOP3 and DPP.
    pub const FMAC: Forms = Forms(1 | 4);

    /// Union of two sets.
    pub const fn and(self, other: Forms) -> Forms {
        Forms(self.0 | other.0)
    }

    /// True if `other` is a subset.
    pub const fn has(self, other: Forms) -> bool {
        self.0 & other.0 == other.0
    }
}

/// Parts of an instruction that LLVM's assembler does not support.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Lacks(u16);

impl Lacks {
    /// No part: LLVM supports the whole instruction.
    pub const NOTHING: Lacks = Lacks(0);
    /// The whole instruction.
    pub const ALL: Lacks = Lacks(1);
    /// The instruction on GCN 1.0.
    pub const OLDEST: Lacks = Lacks(1 << 1);
    /// VOP3 form before GCN 1.2, literals as lane numbers, and LDS values.
    pub const LANES: Lacks = Lacks(1 << 2);
    /// LDS value as the source.
    pub const LDS_DIRECT: Lacks = Lacks(1 << 3);
    /// Scalar registers other than M0, and literals, as sources, because LLVM counts M0, the index, as a scalar read.
    pub const SCALAR: Lacks = Lacks(1 << 4);
    /// GDS bit.
    pub const GDS: Lacks = Lacks(1 << 5);
    /// Sub-dword selection of the SDWA destination.
    pub const DST_SEL: Lacks = Lacks(1 << 6);

    /// Everything not in `self`.
    pub(crate) const fn complement(self) -> Lacks {
        Lacks(!self.0)
    }

    /// Union of two sets.
    pub(crate) const fn and(self, other: Lacks) -> Lacks {
        Lacks(self.0 | other.0)
    }

    /// True if the sets overlap.
    pub(crate) const fn has(self, other: Lacks) -> bool {
        self.0 & other.0 != 0
    }
}

macro_rules! families {
    ($($(#[$doc:meta])* $Family:ident,)*) => {
        /// Instruction family: a table of rows. Each family has an encoding of the same name.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(u8)]
        pub(crate) enum InstructionFamily { $($(#[$doc])* $Family,)* }

        impl InstructionFamily {
            /// The family's own encoding; its instructions may also have longer encodings.
            pub(crate) const fn encoding(self) -> Encoding {
                match self { $(InstructionFamily::$Family => Encoding::$Family,)* }
            }
        }
    };
}

families! {
    /// Two-operand scalar ALU.
    Sop2,
    /// Scalar ALU with a 16-bit immediate.
    Sopk,
    /// One-operand scalar ALU.
    Sop1,
    /// Scalar comparisons.
    Sopc,
    /// Program control.
    Sopp,
    /// Scalar memory of GCN 1.0 and 1.1.
    Smrd,
    /// Scalar memory of GCN 1.2 and 1.4.
    Smem,
    /// One-operand vector ALU.
    Vop1,
    /// Two-operand vector ALU.
    Vop2,
    /// Vector comparisons.
    Vopc,
    /// Vector ALU that exists only in VOP3.
    Vop3,
    /// VOP3 with a scalar destination in addition to the vector destination.
    Vop3b,
    /// Packed and mixed-precision vector ALU, dot products.
    Vop3p,
    /// Local and global data share.
    Ds,
    /// Memory of any segment, selected by the address.
    Flat,
    /// Global memory.
    Global,
    /// Scratch memory.
    Scratch,
    /// Buffers, untyped or in the descriptor's format.
    Mubuf,
    /// Buffers whose format the instruction specifies.
    Mtbuf,
    /// Images and samplers.
    Mimg,
    /// Exports.
    Exp,
    /// Parameter interpolation.
    Vintrp,
    /// Interpolation that exists only in VOP3.
    Vop3Interp,
}

/// Converts the identifier that declares a row to lower case.
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
        crate::row::Lacks::NOTHING
    };
    ($lacks:ident) => {
        crate::row::Lacks::$lacks
    };
}
pub(crate) use lacks;

/// Declares the enum of a family's instructions.
macro_rules! identities {
    ($(#[$doc:meta])* $Family:ident { $($NAME:ident)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        #[allow(non_camel_case_types, missing_docs)] // Named as in the manuals; the rows document them.
        #[repr(u16)]
        pub enum $Family { $($NAME,)* }

        impl $Family {
            /// Every instruction, in row order.
            pub(crate) const ALL: [$Family; [$(stringify!($NAME)),*].len()] = [$($Family::$NAME),*];
        }
    };
}
pub(crate) use identities;

/// Declares a family: the enum of its instructions and the table of their rows.
///
/// A row lists: name, opcode on SI and CI, opcode on VI and GFX9 (`_` for none), instruction sets that have the
/// instruction, operands and modifiers, effect; optionally `in FORMS` (additional encodings), `lacking LACKS` (in
/// LLVM's assembler) and `spelled ON "name", …` (other names on some generations).
macro_rules! family {
    (
        $(#[$doc:meta])* $Family:ident in $TABLE:ident;
        $($NAME:ident $old:tt $new:tt $on:ident [$($written:expr),*] $does:expr
          $(, in $forms:expr)? $(, lacking $lacks:ident)? $(, spelled $($son:ident $sname:literal),+)?;)*
    ) => {
        crate::row::identities! { $(#[$doc])* $Family { $($NAME)* } }

        pub(crate) static $TABLE: [crate::row::Row; [$(stringify!($NAME)),*].len()] = [$(
            crate::row::Row {
                family: crate::row::InstructionFamily::$Family,
                index: $Family::$NAME as u16,
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
