//! Field map of every encoding on every instruction set, and opcodes of rows in these encodings.

use crate::chapters::{ds, exp, flat, mimg, mtbuf, mubuf, smem, sop, vintrp, vop};
use crate::field::{ENCODINGS, Encoding, Format, Layout};
use crate::row::{Forms, InstructionFamily, Row};
use crate::target::{Isa, on};

/// Offsets that VOP3 adds to the opcodes of VOPC, VOP2 and VOP1, per numbering.
const VOP3_BASES: [(u16, u16, u16); 2] = [(0x000, 0x100, 0x180), (0x000, 0x100, 0x140)];

/// Offset that VOP3 adds to the opcodes of interpolation, on GCN 1.2 and later.
const VOP3_INTERPOLATION: u16 = 0x270;

/// Field maps of every family.
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

/// Field map of every encoding on every instruction set. Duplicates are compile errors.
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

/// Field map of an encoding, if `isa` has it.
#[inline]
pub(crate) fn layout(isa: Isa, encoding: Encoding) -> Option<&'static Layout> {
    LAYOUTS[isa as usize][encoding as usize].as_ref()
}

/// Opcode of `row` in one of its encodings, if `isa` has it; VOP3 adds an offset to the opcodes of other families.
pub(crate) fn opcode_in(row: &Row, isa: Isa, encoding: Encoding) -> Option<u16> {
    let opcode = row.opcode_on(isa)?;
    if encoding.is_sdwa() && !on::VI_ONLY.has(isa) && row.forms.has(Forms::SDWA_VI) {
        return None;
    }
    let base = match encoding {
        Encoding::Vop3 | Encoding::Vop3b | Encoding::Vop3c => {
            let (vopc, vop2, vop1) = VOP3_BASES[isa.numbering() as usize];
            match row.family {
                InstructionFamily::Vopc => vopc,
                InstructionFamily::Vop2 => vop2,
                InstructionFamily::Vop1 => vop1,
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
                | InstructionFamily::Vintrp
                | InstructionFamily::Vop3Interp => 0,
            }
        }
        Encoding::Vop3Interp if row.family == InstructionFamily::Vintrp => VOP3_INTERPOLATION,
        Encoding::Vop3Interp
        | Encoding::Sop2
        | Encoding::Sopk
        | Encoding::Sop1
        | Encoding::Sopc
        | Encoding::Sopp
        | Encoding::Smrd
        | Encoding::Smem
        | Encoding::Vop1
        | Encoding::Vop2
        | Encoding::Vopc
        | Encoding::Vop3p
        | Encoding::Vop1Sdwa
        | Encoding::Vop2Sdwa
        | Encoding::VopcSdwa
        | Encoding::Vop1Dpp
        | Encoding::Vop2Dpp
        | Encoding::Vintrp
        | Encoding::Ds
        | Encoding::Flat
        | Encoding::Global
        | Encoding::Scratch
        | Encoding::Mubuf
        | Encoding::Mtbuf
        | Encoding::Mimg
        | Encoding::Exp => 0,
    };
    Some(base + opcode)
}
