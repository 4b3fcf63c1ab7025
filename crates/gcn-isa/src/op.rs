//! Instruction identities ([`Op`]), and the rows of all chapters.

use crate::chapters::{ds, exp, flat, mimg, mtbuf, mubuf, smem, sop, vintrp, vop};
use crate::field::Encoding;
use crate::row::{InstructionFamily, Row};

macro_rules! ops {
    ($($Family:ident($Enum:path) $rows:path,)*) => {
        /// Identity of an instruction, nested by family so that every match stays small and exhaustive.
        ///
        /// ```
        /// use gcn_isa::{Isa, Op, ds::Ds};
        /// let add = Op::Ds(Ds::DS_ADD_U32);
        /// assert_eq!(Isa::Vi.tables().named("ds_add_u32"), Some(add));
        /// assert_eq!(add.row().name, "ds_add_u32");
        /// ```
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[allow(missing_docs)] // Each variant is the family with the encoding of the same name.
        pub enum Op { $($Family($Enum),)* }

        impl Op {
            /// Row that declares the instruction.
            #[inline]
            pub fn row(self) -> &'static Row {
                &FAMILIES[self.family() as usize][self.index_in_family()]
            }

            /// Family whose table contains the row.
            #[inline]
            const fn family(self) -> InstructionFamily {
                match self { $(Op::$Family(_) => InstructionFamily::$Family,)* }
            }

            /// Index within the family.
            #[inline]
            const fn index_in_family(self) -> usize {
                match self { $(Op::$Family(op) => op as usize,)* }
            }

            /// Index within [`rows`].
            #[inline]
            pub(crate) fn index(self) -> usize {
                FIRST_ROWS[self.family() as usize] + self.index_in_family()
            }

            /// Encoding of the family.
            ///
            /// # Examples
            /// ```
            /// use gcn_isa::{Encoding, Op, vop::Vop2};
            /// assert_eq!(Op::Vop2(Vop2::V_ADD_F32).family_encoding(), Encoding::Vop2);
            /// ```
            pub fn family_encoding(self) -> Encoding {
                self.family().encoding()
            }
        }

        impl Row {
            /// Identity of the instruction.
            ///
            /// # Examples
            /// ```
            /// use gcn_isa::{Op, ds::Ds, rows};
            /// let row = rows().find(|row| row.name == "ds_add_u32").expect("a row");
            /// assert_eq!(row.op(), Op::Ds(Ds::DS_ADD_U32));
            /// ```
            pub const fn op(&self) -> Op {
                match self.family {
                    $(InstructionFamily::$Family => Op::$Family(<$Enum>::ALL[self.index as usize]),)*
                }
            }
        }

        /// Rows of each family, in the order of [`InstructionFamily`].
        pub(crate) static FAMILIES: [&[Row]; [$(InstructionFamily::$Family),*].len()] = [$(&$rows,)*];

        /// Checks that the list below is in the order of [`InstructionFamily`].
        const _: () = {
            let mut index = 0;
            $(
                assert!(InstructionFamily::$Family as usize == index, "the families are in one order");
                index += 1;
            )*
            assert!(index == FAMILIES.len());
        };
    };
}

ops! {
    Sop2(sop::Sop2) sop::SOP2,
    Sopk(sop::Sopk) sop::SOPK,
    Sop1(sop::Sop1) sop::SOP1,
    Sopc(sop::Sopc) sop::SOPC,
    Sopp(sop::Sopp) sop::SOPP,
    Smrd(smem::Smrd) smem::SMRD,
    Smem(smem::Smem) smem::SMEM,
    Vop1(vop::Vop1) vop::VOP1,
    Vop2(vop::Vop2) vop::VOP2,
    Vopc(vop::Vopc) vop::VOPC,
    Vop3(vop::Vop3) vop::VOP3,
    Vop3b(vop::Vop3b) vop::VOP3B,
    Vop3p(vop::Vop3p) vop::VOP3P,
    Ds(ds::Ds) ds::DS,
    Flat(flat::Flat) flat::FLAT,
    Global(flat::Flat) flat::GLOBAL,
    Scratch(flat::Flat) flat::SCRATCH,
    Mubuf(mubuf::Mubuf) mubuf::MUBUF,
    Mtbuf(mtbuf::Mtbuf) mtbuf::MTBUF,
    Mimg(mimg::Mimg) mimg::MIMG,
    Exp(exp::Exp) exp::EXP,
    Vintrp(vintrp::Vintrp) vintrp::VINTRP,
    Vop3Interp(vintrp::Vop3Interp) vintrp::VOP3_INTERP,
}

/// For each family, the number of rows in the preceding families.
const FIRST_ROWS: [usize; FAMILIES.len()] = {
    let mut first = [0; FAMILIES.len()];
    let mut family = 1;
    while family < FAMILIES.len() {
        first[family] = first[family - 1] + FAMILIES[family - 1].len();
        family += 1;
    }
    first
};

/// All rows of all families.
///
/// ```
/// let atomics = gcn_isa::rows().filter(|row| row.name.starts_with("ds_add"));
/// assert!(atomics.count() >= 6);
/// ```
pub fn rows() -> impl Iterator<Item = &'static Row> {
    FAMILIES.iter().copied().flatten()
}
