//! MIMG: images and samplers. Field maps, then a row per instruction.
//!
//! Source: AMD's Southern Islands, Sea Islands, GCN3 and Vega manuals, section "Vector Memory Image Instructions". The
//! numbers of address registers follow LLVM: the minimum suffices for one-dimensional images with 16-bit coordinates,
//! the maximum for cubes and arrays.

use crate::effect::{
    AtomicOp::*,
    DetailSource,
    Does::{Atomic, Image},
    ImageLevel::*,
    ImageOp::*,
    Sampling,
    TexelForm::*,
};
use crate::field::{Encoding, Field, Format};
use crate::operand::{OperandAccess, Ty::*, words::*};
use crate::row::{Forms, InstructionFamily, Row, identities, lacks, lower_name, number};
use crate::target::on;

#[rustfmt::skip]
pub(crate) const FORMATS: &[Format] = &[
    Format {
        encoding: Encoding::Mimg, on: on::SI_CI, dwords: 2, constant: &[(26, 6, 0b111100)],
        fields: &[
            (Field::Dmask, 8, 4), (Field::Unorm, 12, 1), (Field::Glc, 13, 1), (Field::Da, 14, 1), (Field::R128, 15, 1),
            (Field::Tfe, 16, 1), (Field::Lwe, 17, 1), (Field::Op, 18, 7), (Field::Slc, 25, 1),
            (Field::Vaddr, 32, 8), (Field::Vdata, 40, 8), (Field::Srsrc, 48, 5), (Field::Ssamp, 53, 5),
        ],
    },
    // GCN 1.2 adds D16 (16-bit components).
    Format {
        encoding: Encoding::Mimg, on: on::VI_ONLY, dwords: 2, constant: &[(26, 6, 0b111100)],
        fields: &[
            (Field::Dmask, 8, 4), (Field::Unorm, 12, 1), (Field::Glc, 13, 1), (Field::Da, 14, 1), (Field::R128, 15, 1),
            (Field::Tfe, 16, 1), (Field::Lwe, 17, 1), (Field::Op, 18, 7), (Field::Slc, 25, 1),
            (Field::Vaddr, 32, 8), (Field::Vdata, 40, 8), (Field::Srsrc, 48, 5), (Field::Ssamp, 53, 5), (Field::D16, 63, 1),
        ],
    },
    // On GCN 1.4, A16 (16-bit addresses) replaces R128 (short descriptors).
    Format {
        encoding: Encoding::Mimg, on: on::GFX9, dwords: 2, constant: &[(26, 6, 0b111100)],
        fields: &[
            (Field::Dmask, 8, 4), (Field::Unorm, 12, 1), (Field::Glc, 13, 1), (Field::Da, 14, 1), (Field::A16, 15, 1),
            (Field::Tfe, 16, 1), (Field::Lwe, 17, 1), (Field::Op, 18, 7), (Field::Slc, 25, 1),
            (Field::Vaddr, 32, 8), (Field::Vdata, 40, 8), (Field::Srsrc, 48, 5), (Field::Ssamp, 53, 5), (Field::D16, 63, 1),
        ],
    },
];

/// Operands; the numbers are the minimum and maximum number of address registers.
#[rustfmt::skip]
macro_rules! written {
    (load($least:literal, $most:literal)) => {
        &[ImageData(false, OperandAccess::Write), ImageAddress($least, $most), ImageResource, Dmask, Unorm, Glc, Slc, R128, A16, Tfe, Lwe, Da, D16]
    };
    (store($least:literal, $most:literal)) => {
        &[ImageData(false, OperandAccess::Read), ImageAddress($least, $most), ImageResource, Dmask, Unorm, Glc, Slc, R128, A16, Tfe, Lwe, Da, D16]
    };
    // Raw texels, which are never converted to 16-bit components.
    (load_raw($least:literal, $most:literal)) => {
        &[ImageData(false, OperandAccess::Write), ImageAddress($least, $most), ImageResource, Dmask, Unorm, Glc, Slc, R128, A16, Tfe, Lwe, Da]
    };
    (store_raw($least:literal, $most:literal)) => {
        &[ImageData(false, OperandAccess::Read), ImageAddress($least, $most), ImageResource, Dmask, Unorm, Glc, Slc, R128, A16, Tfe, Lwe, Da]
    };
    (atomic($least:literal, $most:literal)) => {
        &[ImageData(false, OperandAccess::ReadWrite), ImageAddress($least, $most), ImageResource, Dmask, Unorm, Glc, Slc, R128, A16, Tfe, Lwe, Da]
    };
    (sample($least:literal, $most:literal)) => {
        &[ImageData(false, OperandAccess::Write), ImageAddress($least, $most), ImageResource, Sampler, Dmask, Unorm, Glc, Slc, R128, A16, Tfe, Lwe, Da, D16]
    };
    (gather($least:literal, $most:literal)) => {
        &[ImageData(true, OperandAccess::Write), ImageAddress($least, $most), ImageResource, Sampler, Dmask, Unorm, Glc, Slc, R128, A16, Tfe, Lwe, Da, D16]
    };
    // Query of the level of detail.
    (query($least:literal, $most:literal)) => {
        &[ImageData(false, OperandAccess::Write), ImageAddress($least, $most), ImageResource, Sampler, Dmask, Unorm, Glc, Slc, R128, A16, Tfe, Lwe, Da]
    };
}

/// Declares the instructions and the table of their rows.
macro_rules! images {
    ($($NAME:ident $old:tt $new:tt $on:ident $shape:ident($($n:literal),*) $does:expr $(, lacking $lacks:ident)?;)*) => {
        identities! {
            /// MIMG instructions.
            Mimg { $($NAME)* }
        }

        pub(crate) static MIMG: [Row; [$(stringify!($NAME)),*].len()] = [$(
            Row {
                family: InstructionFamily::Mimg,
                index: Mimg::$NAME as u16,
                name: lower_name!(concat!("IMAGE_", stringify!($NAME))),
                spelled: &[],
                opcode: [number!($old), number!($new)],
                on: on::$on,
                forms: Forms::OWN,
                written: written!($shape($($n),*)),
                does: $does,
                lacks: lacks!($($lacks)?),
            },
        )*];
    };
}

// Sampling modifiers as in the instruction names.
const BY_LANES: Sampling = Sampling::new(DetailSource::Lanes);
const D: Sampling = Sampling::new(DetailSource::Gradients);
const L: Sampling = Sampling::new(DetailSource::Given);
const B: Sampling = Sampling::new(DetailSource::Biased);
const LZ: Sampling = Sampling::new(DetailSource::Zero);

#[rustfmt::skip]
images! {
//  instruction      si,ci vi,9 on      written as      does
    LOAD             0x00  0x00 SI      load(1, 4)      Image(Load(Converted, Base));
    LOAD_MIP         0x01  0x01 SI      load(1, 4)      Image(Load(Converted, Given));
    LOAD_PCK         0x02  0x02 SI      load_raw(1, 4)  Image(Load(Raw, Base));
    LOAD_PCK_SGN     0x03  0x03 SI      load_raw(1, 4)  Image(Load(RawSigned, Base));
    LOAD_MIP_PCK     0x04  0x04 SI      load_raw(1, 4)  Image(Load(Raw, Given));
    LOAD_MIP_PCK_SGN 0x05  0x05 SI      load_raw(1, 4)  Image(Load(RawSigned, Given));
    STORE            0x08  0x08 SI      store(1, 4)     Image(Store(Converted, Base));
    STORE_MIP        0x09  0x09 SI      store(1, 4)     Image(Store(Converted, Given));
    STORE_PCK        0x0a  0x0a SI      store_raw(1, 4) Image(Store(Raw, Base));
    STORE_MIP_PCK    0x0b  0x0b SI      store_raw(1, 4) Image(Store(Raw, Given));
    GET_RESINFO      0x0e  0x0e SI      load_raw(1, 4)  Image(Size);
    ATOMIC_SWAP      0x0f  0x10 SI      atomic(1, 4)    Atomic(Swap, B32);
    ATOMIC_CMPSWAP   0x10  0x11 SI      atomic(1, 4)    Atomic(CompareSwap, B32);
    ATOMIC_ADD       0x11  0x12 SI      atomic(1, 4)    Atomic(Add, U32);
    ATOMIC_SUB       0x12  0x13 SI      atomic(1, 4)    Atomic(Sub, U32);
    ATOMIC_RSUB      0x13  _    SI_ONLY atomic(1, 4)    Atomic(Rsub, U32);
    ATOMIC_SMIN      0x14  0x14 SI      atomic(1, 4)    Atomic(Min, I32);
    ATOMIC_UMIN      0x15  0x15 SI      atomic(1, 4)    Atomic(Min, U32);
    ATOMIC_SMAX      0x16  0x16 SI      atomic(1, 4)    Atomic(Max, I32);
    ATOMIC_UMAX      0x17  0x17 SI      atomic(1, 4)    Atomic(Max, U32);
    ATOMIC_AND       0x18  0x18 SI      atomic(1, 4)    Atomic(And, B32);
    ATOMIC_OR        0x19  0x19 SI      atomic(1, 4)    Atomic(Or, B32);
    ATOMIC_XOR       0x1a  0x1a SI      atomic(1, 4)    Atomic(Xor, B32);
    ATOMIC_INC       0x1b  0x1b SI      atomic(1, 4)    Atomic(Inc, U32);
    ATOMIC_DEC       0x1c  0x1c SI      atomic(1, 4)    Atomic(Dec, U32);
    ATOMIC_FCMPSWAP  0x1d  _    SI_CI   atomic(1, 4)    Atomic(CompareSwap, F32);
    ATOMIC_FMIN      0x1e  _    SI_CI   atomic(1, 4)    Atomic(Min, F32);
    ATOMIC_FMAX      0x1f  _    SI_CI   atomic(1, 4)    Atomic(Max, F32);
    SAMPLE           0x20  0x20 SI      sample(1, 4)    Image(Sample(BY_LANES));
    SAMPLE_CL        0x21  0x21 SI      sample(1, 4)    Image(Sample(BY_LANES.cl()));
    SAMPLE_D         0x22  0x22 SI      sample(2, 9)    Image(Sample(D));
    SAMPLE_D_CL      0x23  0x23 SI      sample(2, 10)   Image(Sample(D.cl()));
    SAMPLE_L         0x24  0x24 SI      sample(1, 4)    Image(Sample(L));
    SAMPLE_B         0x25  0x25 SI      sample(2, 4)    Image(Sample(B));
    SAMPLE_B_CL      0x26  0x26 SI      sample(2, 5)    Image(Sample(B.cl()));
    SAMPLE_LZ        0x27  0x27 SI      sample(1, 4)    Image(Sample(LZ));
    SAMPLE_C         0x28  0x28 SI      sample(2, 4)    Image(Sample(BY_LANES.c()));
    SAMPLE_C_CL      0x29  0x29 SI      sample(2, 5)    Image(Sample(BY_LANES.c().cl()));
    SAMPLE_C_D       0x2a  0x2a SI      sample(3, 10)   Image(Sample(D.c()));
    SAMPLE_C_D_CL    0x2b  0x2b SI      sample(3, 11)   Image(Sample(D.c().cl()));
    SAMPLE_C_L       0x2c  0x2c SI      sample(2, 5)    Image(Sample(L.c()));
    SAMPLE_C_B       0x2d  0x2d SI      sample(3, 5)    Image(Sample(B.c()));
    SAMPLE_C_B_CL    0x2e  0x2e SI      sample(3, 6)    Image(Sample(B.c().cl()));
    SAMPLE_C_LZ      0x2f  0x2f SI      sample(2, 4)    Image(Sample(LZ.c()));
    SAMPLE_O         0x30  0x30 SI      sample(2, 4)    Image(Sample(BY_LANES.o()));
    SAMPLE_CL_O      0x31  0x31 SI      sample(2, 5)    Image(Sample(BY_LANES.cl().o()));
    SAMPLE_D_O       0x32  0x32 SI      sample(3, 10)   Image(Sample(D.o()));
    SAMPLE_D_CL_O    0x33  0x33 SI      sample(3, 11)   Image(Sample(D.cl().o()));
    SAMPLE_L_O       0x34  0x34 SI      sample(2, 5)    Image(Sample(L.o()));
    SAMPLE_B_O       0x35  0x35 SI      sample(3, 5)    Image(Sample(B.o()));
    SAMPLE_B_CL_O    0x36  0x36 SI      sample(3, 6)    Image(Sample(B.cl().o()));
    SAMPLE_LZ_O      0x37  0x37 SI      sample(2, 4)    Image(Sample(LZ.o()));
    SAMPLE_C_O       0x38  0x38 SI      sample(3, 5)    Image(Sample(BY_LANES.c().o()));
    SAMPLE_C_CL_O    0x39  0x39 SI      sample(3, 6)    Image(Sample(BY_LANES.c().cl().o()));
    SAMPLE_C_D_O     0x3a  0x3a SI      sample(4, 11)   Image(Sample(D.c().o()));
    SAMPLE_C_D_CL_O  0x3b  0x3b SI      sample(4, 12)   Image(Sample(D.c().cl().o()));
    SAMPLE_C_L_O     0x3c  0x3c SI      sample(3, 6)    Image(Sample(L.c().o()));
    SAMPLE_C_B_O     0x3d  0x3d SI      sample(4, 6)    Image(Sample(B.c().o()));
    SAMPLE_C_B_CL_O  0x3e  0x3e SI      sample(4, 7)    Image(Sample(B.c().cl().o()));
    SAMPLE_C_LZ_O    0x3f  0x3f SI      sample(3, 5)    Image(Sample(LZ.c().o()));
    GATHER4          0x40  0x40 SI      gather(1, 4)    Image(Gather(BY_LANES));
    GATHER4_CL       0x41  0x41 SI      gather(1, 4)    Image(Gather(BY_LANES.cl()));
    GATHER4H         _     0x42 GFX9    gather(1, 4)    Image(GatherRow);
    GATHER4_L        0x44  0x44 SI      gather(1, 4)    Image(Gather(L));
    GATHER4_B        0x45  0x45 SI      gather(2, 4)    Image(Gather(B));
    GATHER4_B_CL     0x46  0x46 SI      gather(2, 5)    Image(Gather(B.cl()));
    GATHER4_LZ       0x47  0x47 SI      gather(1, 4)    Image(Gather(LZ));
    GATHER4_C        0x48  0x48 SI      gather(2, 4)    Image(Gather(BY_LANES.c()));
    GATHER4_C_CL     0x49  0x49 SI      gather(2, 5)    Image(Gather(BY_LANES.c().cl()));
    GATHER4H_PCK     _     0x4a GFX9    gather(1, 4)    Image(GatherRow), lacking ALL;
    GATHER8H_PCK     _     0x4b GFX9    gather(1, 4)    Image(GatherRow), lacking ALL;
    GATHER4_C_L      0x4c  0x4c SI      gather(2, 5)    Image(Gather(L.c()));
    GATHER4_C_B      0x4d  0x4d SI      gather(3, 5)    Image(Gather(B.c()));
    GATHER4_C_B_CL   0x4e  0x4e SI      gather(3, 6)    Image(Gather(B.c().cl()));
    GATHER4_C_LZ     0x4f  0x4f SI      gather(2, 4)    Image(Gather(LZ.c()));
    GATHER4_O        0x50  0x50 SI      gather(2, 4)    Image(Gather(BY_LANES.o()));
    GATHER4_CL_O     0x51  0x51 SI      gather(2, 5)    Image(Gather(BY_LANES.cl().o()));
    GATHER4_L_O      0x54  0x54 SI      gather(2, 5)    Image(Gather(L.o()));
    GATHER4_B_O      0x55  0x55 SI      gather(3, 5)    Image(Gather(B.o()));
    GATHER4_B_CL_O   0x56  0x56 SI      gather(3, 6)    Image(Gather(B.cl().o()));
    GATHER4_LZ_O     0x57  0x57 SI      gather(2, 4)    Image(Gather(LZ.o()));
    GATHER4_C_O      0x58  0x58 SI      gather(3, 5)    Image(Gather(BY_LANES.c().o()));
    GATHER4_C_CL_O   0x59  0x59 SI      gather(3, 6)    Image(Gather(BY_LANES.c().cl().o()));
    GATHER4_C_L_O    0x5c  0x5c SI      gather(3, 6)    Image(Gather(L.c().o()));
    GATHER4_C_B_O    0x5d  0x5d SI      gather(4, 6)    Image(Gather(B.c().o()));
    GATHER4_C_B_CL_O 0x5e  0x5e SI      gather(4, 7)    Image(Gather(B.c().cl().o()));
    GATHER4_C_LZ_O   0x5f  0x5f SI      gather(3, 5)    Image(Gather(LZ.c().o()));
    GET_LOD          0x60  0x60 SI      query(1, 4)     Image(LevelOfDetail);
    SAMPLE_CD        0x68  0x68 SI      sample(2, 9)    Image(Sample(D));
    SAMPLE_CD_CL     0x69  0x69 SI      sample(2, 10)   Image(Sample(D.cl()));
    SAMPLE_C_CD      0x6a  0x6a SI      sample(3, 10)   Image(Sample(D.c()));
    SAMPLE_C_CD_CL   0x6b  0x6b SI      sample(3, 11)   Image(Sample(D.c().cl()));
    SAMPLE_CD_O      0x6c  0x6c SI      sample(3, 10)   Image(Sample(D.o()));
    SAMPLE_CD_CL_O   0x6d  0x6d SI      sample(3, 11)   Image(Sample(D.cl().o()));
    SAMPLE_C_CD_O    0x6e  0x6e SI      sample(4, 11)   Image(Sample(D.c().o()));
    SAMPLE_C_CD_CL_O 0x6f  0x6f SI      sample(4, 12)   Image(Sample(D.c().cl().o()));
}
