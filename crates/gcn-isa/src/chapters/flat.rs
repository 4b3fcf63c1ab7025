//! FLAT, GLOBAL and SCRATCH: one opcode space, three segments. Field maps, then a row per operation.
//!
//! Source: CLRX's FLAT document, corrected by errata E005 (X3 and X4 of GCN 1.1), E014–E017 (operands), E076–E079
//! (fields) and E091–E098 (names and opcodes).

use crate::effect::{AtomicOp::*, Does::*, Half::*};
use crate::field::{Encoding, Field, Format};
use crate::operand::{Ty::*, words::*};
use crate::row::{Forms, InstructionFamily, Lacks, Row, identities, lower_name, number};
use crate::target::on;

/// GCN 1.1 and 1.2 have no offset, segment or SADDR (errata E076); bit 25 is reserved (E077).
#[rustfmt::skip]
pub(crate) const FORMATS: &[Format] = &[
    Format {
        encoding: Encoding::Flat, on: on::CI_VI, dwords: 2, constant: &[(26, 6, 0b110111)],
        fields: &[
            (Field::Glc, 16, 1), (Field::Slc, 17, 1), (Field::Op, 18, 7),
            (Field::Vaddr, 32, 8), (Field::Vdata, 40, 8), (Field::Tfe, 55, 1), (Field::Vdst, 56, 8),
        ],
    },
    // The offset has 12 unsigned bits; the 13th is ignored (errata E084).
    Format {
        encoding: Encoding::Flat, on: on::GFX9, dwords: 2, constant: &[(26, 6, 0b110111), (14, 2, SEG_FLAT)],
        fields: &[
            (Field::Offset12, 0, 12), (Field::Glc, 16, 1), (Field::Slc, 17, 1), (Field::Op, 18, 7),
            (Field::Vaddr, 32, 8), (Field::Vdata, 40, 8), (Field::Nv, 55, 1), (Field::Vdst, 56, 8),
        ],
    },
    Format { encoding: Encoding::Scratch, on: on::GFX9, dwords: 2, constant: &[(26, 6, 0b110111), (14, 2, SEG_SCRATCH)], fields: SEGMENT },
    Format { encoding: Encoding::Global, on: on::GFX9, dwords: 2, constant: &[(26, 6, 0b110111), (14, 2, SEG_GLOBAL)], fields: SEGMENT },
];

// SEG; 3 is reserved (errata E078).
const SEG_FLAT: u32 = 0;
const SEG_SCRATCH: u32 = 1;
const SEG_GLOBAL: u32 = 2;

#[rustfmt::skip]
const SEGMENT: &[(Field, u8, u8)] = &[
    (Field::Offset, 0, 13), (Field::Lds, 13, 1), (Field::Glc, 16, 1), (Field::Slc, 17, 1), (Field::Op, 18, 7),
    (Field::Vaddr, 32, 8), (Field::Vdata, 40, 8), (Field::Saddr, 48, 7), (Field::Nv, 55, 1), (Field::Vdst, 56, 8),
];

/// Operands of an operation in each segment. The lists include the modifiers of all generations; the field maps
/// determine which exist.
macro_rules! written {
    // VDST, address
    (F load($n:literal)) => { &[Vdst($n), Vaddr(2), FlatOffset, Glc, Slc, Tfe, Nv] };
    (G load($n:literal)) => { &[Vdst($n), GlobalAddress, Saddr(2), SegmentOffset, Glc, Slc, Nv] };
    (S load($n:literal)) => { &[Vdst($n), ScratchAddress, Saddr(1), SegmentOffset, Glc, Slc, Nv] };
    // Like `load`, but the value may go to LDS instead (errata E015, E089).
    (F lds_load($n:literal)) => { written!(F load($n)) };
    (G lds_load($n:literal)) => { &[Vdst($n).not_lds(), GlobalAddress, Saddr(2), SegmentOffset, Glc, Slc, Lds, Nv] };
    (S lds_load($n:literal)) => { &[Vdst($n).not_lds(), ScratchAddress, Saddr(1), SegmentOffset, Glc, Slc, Lds, Nv] };
    // The other half of VDST is preserved (errata E100), except on gfx906 (E263).
    (F half()) => { &[Vdst(1).updated(), Vaddr(2), FlatOffset, Glc, Slc, Tfe, Nv] };
    (G half()) => { &[Vdst(1).updated(), GlobalAddress, Saddr(2), SegmentOffset, Glc, Slc, Nv] };
    (S half()) => { &[Vdst(1).updated(), ScratchAddress, Saddr(1), SegmentOffset, Glc, Slc, Nv] };
    // Address, data
    (F store($n:literal)) => { &[Vaddr(2), Vdata($n), FlatOffset, Glc, Slc, Tfe, Nv] };
    (G store($n:literal)) => { &[GlobalAddress, Vdata($n), Saddr(2), SegmentOffset, Glc, Slc, Nv] };
    (S store($n:literal)) => { &[ScratchAddress, Vdata($n), Saddr(1), SegmentOffset, Glc, Slc, Nv] };
    // Returned registers, address, data registers (errata E014, E090)
    (F atomic($n:literal, $data:literal)) => { &[Vdst($n).returned(), Vaddr(2), Vdata($data), FlatOffset, Glc, Slc, Tfe, Nv] };
    (G atomic($n:literal, $data:literal)) => { &[Vdst($n).returned(), GlobalAddress, Vdata($data), Saddr(2), SegmentOffset, Glc, Slc, Nv] };
    // Operations that this segment lacks.
    ($segment:ident $($operands:tt)*) => { &[] };
}

/// Instruction sets that have an operation in a segment.
macro_rules! on_segment {
    (F FGS $on:ident) => {
        on::$on
    };
    (G FGS $on:ident) => {
        on::GFX9
    };
    (S FGS $on:ident) => {
        on::GFX9
    };
    (F FG $on:ident) => {
        on::$on
    };
    (G FG $on:ident) => {
        on::GFX9
    };
    (F F $on:ident) => {
        on::$on
    };
    ($segment:ident $segments:ident $on:ident) => {
        crate::target::IsaSet::NONE
    };
}

macro_rules! segment {
    ($segment:ident $Family:ident $prefix:literal $TABLE:ident; $($NAME:ident $old:tt $new:tt $on:ident $segments:ident $shape:ident($($n:literal),*) $does:expr;)*) => {
        pub(crate) static $TABLE: [Row; [$(stringify!($NAME)),*].len()] = [$(
            Row {
                family: InstructionFamily::$Family,
                index: Flat::$NAME as u16,
                name: lower_name!(concat!($prefix, stringify!($NAME))),
                spelled: &[],
                opcode: [number!($old), number!($new)],
                on: on_segment!($segment $segments $on),
                forms: Forms::OWN,
                written: written!($segment $shape($($n),*)),
                does: $does,
                lacks: Lacks::NOTHING,
            },
        )*];
    };
}

/// Declares the operations and a table of rows for each segment.
macro_rules! operations {
    ($($NAME:ident $old:tt $new:tt $on:ident $segments:ident $shape:ident($($n:literal),*) $does:expr;)*) => {
        identities! {
            /// Operations of FLAT, GLOBAL and SCRATCH; SCRATCH has no atomics.
            Flat { $($NAME)* }
        }

        segment! { F Flat "FLAT_" FLAT; $($NAME $old $new $on $segments $shape($($n),*) $does;)* }
        segment! { G Global "GLOBAL_" GLOBAL; $($NAME $old $new $on $segments $shape($($n),*) $does;)* }
        segment! { S Scratch "SCRATCH_" SCRATCH; $($NAME $old $new $on $segments $shape($($n),*) $does;)* }
    };
}

#[rustfmt::skip]
operations! {
//  operation                ci   vi,9 on       segments    does
    LOAD_UBYTE               0x08 0x10 CI       FGS  lds_load(1)    Load(U8);
    LOAD_SBYTE               0x09 0x11 CI       FGS  lds_load(1)    Load(I8);
    LOAD_USHORT              0x0a 0x12 CI       FGS  lds_load(1)    Load(U16);
    LOAD_SSHORT              0x0b 0x13 CI       FGS  lds_load(1)    Load(I16);
    LOAD_DWORD               0x0c 0x14 CI       FGS  lds_load(1)    Load(B32);
    LOAD_DWORDX2             0x0d 0x15 CI       FGS  load(2)        Load(B64);
    LOAD_DWORDX3             0x0f 0x16 CI       FGS  load(3)        Load(B96);
    LOAD_DWORDX4             0x0e 0x17 CI       FGS  load(4)        Load(B128);
    STORE_BYTE               0x18 0x18 CI       FGS  store(1)       Store(B8);
    STORE_BYTE_D16_HI        _    0x19 GFX9     FGS  store(1)       StoreHigh(B8);
    STORE_SHORT              0x1a 0x1a CI       FGS  store(1)       Store(B16);
    STORE_SHORT_D16_HI       _    0x1b GFX9     FGS  store(1)       StoreHigh(B16);
    STORE_DWORD              0x1c 0x1c CI       FGS  store(1)       Store(B32);
    STORE_DWORDX2            0x1d 0x1d CI       FGS  store(2)       Store(B64);
    STORE_DWORDX3            0x1f 0x1e CI       FGS  store(3)       Store(B96);
    STORE_DWORDX4            0x1e 0x1f CI       FGS  store(4)       Store(B128);
    LOAD_UBYTE_D16           _    0x20 GFX9     FGS  half()         LoadHalf(U8, Low);
    LOAD_UBYTE_D16_HI        _    0x21 GFX9     FGS  half()         LoadHalf(U8, High);
    LOAD_SBYTE_D16           _    0x22 GFX9     FGS  half()         LoadHalf(I8, Low);
    LOAD_SBYTE_D16_HI        _    0x23 GFX9     FGS  half()         LoadHalf(I8, High);
    LOAD_SHORT_D16           _    0x24 GFX9     FGS  half()         LoadHalf(B16, Low);
    LOAD_SHORT_D16_HI        _    0x25 GFX9     FGS  half()         LoadHalf(B16, High);
    ATOMIC_SWAP              0x30 0x40 CI       FG   atomic(1, 1)   Atomic(Swap, B32);
    ATOMIC_CMPSWAP           0x31 0x41 CI       FG   atomic(1, 2)   Atomic(CompareSwap, B32);
    ATOMIC_ADD               0x32 0x42 CI       FG   atomic(1, 1)   Atomic(Add, U32);
    ATOMIC_SUB               0x33 0x43 CI       FG   atomic(1, 1)   Atomic(Sub, U32);
    ATOMIC_SMIN              0x35 0x44 CI       FG   atomic(1, 1)   Atomic(Min, I32);
    ATOMIC_UMIN              0x36 0x45 CI       FG   atomic(1, 1)   Atomic(Min, U32);
    ATOMIC_SMAX              0x37 0x46 CI       FG   atomic(1, 1)   Atomic(Max, I32);
    ATOMIC_UMAX              0x38 0x47 CI       FG   atomic(1, 1)   Atomic(Max, U32);
    ATOMIC_AND               0x39 0x48 CI       FG   atomic(1, 1)   Atomic(And, B32);
    ATOMIC_OR                0x3a 0x49 CI       FG   atomic(1, 1)   Atomic(Or, B32);
    ATOMIC_XOR               0x3b 0x4a CI       FG   atomic(1, 1)   Atomic(Xor, B32);
    ATOMIC_INC               0x3c 0x4b CI       FG   atomic(1, 1)   Atomic(Inc, U32);
    ATOMIC_DEC               0x3d 0x4c CI       FG   atomic(1, 1)   Atomic(Dec, U32);
    ATOMIC_FCMPSWAP          0x3e _    CI_ONLY  F    atomic(1, 2)   Atomic(CompareSwap, F32);
    ATOMIC_FMIN              0x3f _    CI_ONLY  F    atomic(1, 1)   Atomic(Min, F32);
    ATOMIC_FMAX              0x40 _    CI_ONLY  F    atomic(1, 1)   Atomic(Max, F32);
    ATOMIC_SWAP_X2           0x50 0x60 CI       FG   atomic(2, 2)   Atomic(Swap, B64);
    ATOMIC_CMPSWAP_X2        0x51 0x61 CI       FG   atomic(2, 4)   Atomic(CompareSwap, B64);
    ATOMIC_ADD_X2            0x52 0x62 CI       FG   atomic(2, 2)   Atomic(Add, U64);
    ATOMIC_SUB_X2            0x53 0x63 CI       FG   atomic(2, 2)   Atomic(Sub, U64);
    ATOMIC_SMIN_X2           0x55 0x64 CI       FG   atomic(2, 2)   Atomic(Min, I64);
    ATOMIC_UMIN_X2           0x56 0x65 CI       FG   atomic(2, 2)   Atomic(Min, U64);
    ATOMIC_SMAX_X2           0x57 0x66 CI       FG   atomic(2, 2)   Atomic(Max, I64);
    ATOMIC_UMAX_X2           0x58 0x67 CI       FG   atomic(2, 2)   Atomic(Max, U64);
    ATOMIC_AND_X2            0x59 0x68 CI       FG   atomic(2, 2)   Atomic(And, B64);
    ATOMIC_OR_X2             0x5a 0x69 CI       FG   atomic(2, 2)   Atomic(Or, B64);
    ATOMIC_XOR_X2            0x5b 0x6a CI       FG   atomic(2, 2)   Atomic(Xor, B64);
    ATOMIC_INC_X2            0x5c 0x6b CI       FG   atomic(2, 2)   Atomic(Inc, U64);
    ATOMIC_DEC_X2            0x5d 0x6c CI       FG   atomic(2, 2)   Atomic(Dec, U64);
    ATOMIC_FCMPSWAP_X2       0x5e _    CI_ONLY  F    atomic(2, 4)   Atomic(CompareSwap, F64);
    ATOMIC_FMIN_X2           0x5f _    CI_ONLY  F    atomic(2, 2)   Atomic(Min, F64);
    ATOMIC_FMAX_X2           0x60 _    CI_ONLY  F    atomic(2, 2)   Atomic(Max, F64);
}
