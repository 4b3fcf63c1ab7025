//! SMRD (GCN 1.0, 1.1) and SMEM (GCN 1.2, 1.4): scalar memory. Field maps, then a row per instruction.
//!
//! Sources: CLRX's SMEM document, corrected by errata E003, E004 (opcodes and availability), E012, E025–E028 (operands)
//! and E108–E117 (fields, widths); for SMRD, which CLRX's documents do not cover (E133), AMD's Southern Islands and Sea
//! Islands manuals as implemented by LLVM.

use crate::effect::{AtomicOp::*, CacheOp, Clock::*, Does::*};
use crate::field::{Encoding, Field, Format};
use crate::operand::{
    Ty::*,
    words::{Boffset, Glc, Nv, Probe as ProbeKind, Sbase, Sdata, Soffset, Sstore},
};
use crate::row::family;
use crate::target::on;

#[rustfmt::skip]
pub(crate) const FORMATS: &[Format] = &[
    // Immediates are in dwords, registers in bytes. On GCN 1.1, offset 255 without IMM indicates a literal.
    Format {
        encoding: Encoding::Smrd, on: on::SI_CI, dwords: 1, constant: &[(27, 5, 0b11000)],
        fields: &[(Field::Offset, 0, 8), (Field::Imm, 8, 1), (Field::Sbase, 9, 6), (Field::Sdata, 15, 7), (Field::Op, 22, 5)],
    },
    Format {
        encoding: Encoding::Smem, on: on::VI_ONLY, dwords: 2, constant: &[(26, 6, 0b110000)],
        fields: &[
            (Field::Sbase, 0, 6), (Field::Sdata, 6, 7), (Field::Glc, 16, 1), (Field::Imm, 17, 1), (Field::Op, 18, 8),
            (Field::Offset, 32, 20),
        ],
    },
    Format {
        encoding: Encoding::Smem, on: on::GFX9, dwords: 2, constant: &[(26, 6, 0b110000)],
        fields: &[
            (Field::Sbase, 0, 6), (Field::Sdata, 6, 7), (Field::Soe, 14, 1), (Field::Nv, 15, 1), (Field::Glc, 16, 1),
            (Field::Imm, 17, 1), (Field::Op, 18, 8), (Field::Offset, 32, 21), (Field::Soffset, 57, 7),
        ],
    },
];

#[rustfmt::skip]
family! {
    /// SMRD instructions.
    Smrd in SMRD;
//  instruction              si,ci vi,9 on  written as                       does
    S_LOAD_DWORD             0x00 _    SI_CI [Sdata(1), Sbase(2), Soffset]    Load(B32);
    S_LOAD_DWORDX2           0x01 _    SI_CI [Sdata(2), Sbase(2), Soffset]    Load(B64);
    S_LOAD_DWORDX4           0x02 _    SI_CI [Sdata(4), Sbase(2), Soffset]    Load(B128);
    S_LOAD_DWORDX8           0x03 _    SI_CI [Sdata(8), Sbase(2), Soffset]    Load(B256);
    S_LOAD_DWORDX16          0x04 _    SI_CI [Sdata(16), Sbase(2), Soffset]   Load(B512);
    S_BUFFER_LOAD_DWORD      0x08 _    SI_CI [Sdata(1), Sbase(4), Boffset]    Load(B32);
    S_BUFFER_LOAD_DWORDX2    0x09 _    SI_CI [Sdata(2), Sbase(4), Boffset]    Load(B64);
    S_BUFFER_LOAD_DWORDX4    0x0a _    SI_CI [Sdata(4), Sbase(4), Boffset]    Load(B128);
    S_BUFFER_LOAD_DWORDX8    0x0b _    SI_CI [Sdata(8), Sbase(4), Boffset]    Load(B256);
    S_BUFFER_LOAD_DWORDX16   0x0c _    SI_CI [Sdata(16), Sbase(4), Boffset]   Load(B512);
    S_DCACHE_INV_VOL         0x1d _    CI_ONLY [ ]                            Cache(CacheOp::Invalidate);
    S_MEMTIME                0x1e _    SI_CI [Sdata(2)]                       Time(Shader);
    S_DCACHE_INV             0x1f _    SI_CI [ ]                              Cache(CacheOp::Invalidate);
}

#[rustfmt::skip]
family! {
    /// SMEM instructions.
    Smem in SMEM;
//  instruction              si,ci vi,9   on    written as                               does
    S_LOAD_DWORD               _    0x00 VI    [Sdata(1), Sbase(2), Soffset, Glc, Nv]   Load(B32);
    S_LOAD_DWORDX2             _    0x01 VI    [Sdata(2), Sbase(2), Soffset, Glc, Nv]   Load(B64);
    S_LOAD_DWORDX4             _    0x02 VI    [Sdata(4), Sbase(2), Soffset, Glc, Nv]   Load(B128);
    S_LOAD_DWORDX8             _    0x03 VI    [Sdata(8), Sbase(2), Soffset, Glc, Nv]   Load(B256);
    S_LOAD_DWORDX16            _    0x04 VI    [Sdata(16), Sbase(2), Soffset, Glc, Nv]  Load(B512);
    S_SCRATCH_LOAD_DWORD       _    0x05 GFX9  [Sdata(1), Sbase(2), Soffset, Glc, Nv]   Load(B32);
    S_SCRATCH_LOAD_DWORDX2     _    0x06 GFX9  [Sdata(2), Sbase(2), Soffset, Glc, Nv]   Load(B64);
    S_SCRATCH_LOAD_DWORDX4     _    0x07 GFX9  [Sdata(4), Sbase(2), Soffset, Glc, Nv]   Load(B128);
    S_BUFFER_LOAD_DWORD        _    0x08 VI    [Sdata(1), Sbase(4), Boffset, Glc, Nv]   Load(B32);
    S_BUFFER_LOAD_DWORDX2      _    0x09 VI    [Sdata(2), Sbase(4), Boffset, Glc, Nv]   Load(B64);
    S_BUFFER_LOAD_DWORDX4      _    0x0a VI    [Sdata(4), Sbase(4), Boffset, Glc, Nv]   Load(B128);
    S_BUFFER_LOAD_DWORDX8      _    0x0b VI    [Sdata(8), Sbase(4), Boffset, Glc, Nv]   Load(B256);
    S_BUFFER_LOAD_DWORDX16     _    0x0c VI    [Sdata(16), Sbase(4), Boffset, Glc, Nv]  Load(B512);
    S_STORE_DWORD              _    0x10 VI    [Sstore(1), Sbase(2), Soffset, Glc, Nv]  Store(B32);
    S_STORE_DWORDX2            _    0x11 VI    [Sstore(2), Sbase(2), Soffset, Glc, Nv]  Store(B64);
    S_STORE_DWORDX4            _    0x12 VI    [Sstore(4), Sbase(2), Soffset, Glc, Nv]  Store(B128);
    S_SCRATCH_STORE_DWORD      _    0x15 GFX9  [Sstore(1), Sbase(2), Soffset, Glc, Nv]  Store(B32);
    S_SCRATCH_STORE_DWORDX2    _    0x16 GFX9  [Sstore(2), Sbase(2), Soffset, Glc, Nv]  Store(B64);
    S_SCRATCH_STORE_DWORDX4    _    0x17 GFX9  [Sstore(4), Sbase(2), Soffset, Glc, Nv]  Store(B128);
    S_BUFFER_STORE_DWORD       _    0x18 VI    [Sstore(1), Sbase(4), Boffset, Glc, Nv]  Store(B32);
    S_BUFFER_STORE_DWORDX2     _    0x19 VI    [Sstore(2), Sbase(4), Boffset, Glc, Nv]  Store(B64);
    S_BUFFER_STORE_DWORDX4     _    0x1a VI    [Sstore(4), Sbase(4), Boffset, Glc, Nv]  Store(B128);
    S_DCACHE_INV               _    0x20 VI    []                                       Cache(CacheOp::Invalidate);
    S_DCACHE_WB                _    0x21 VI    []                                       Cache(CacheOp::WriteBack);
    S_DCACHE_INV_VOL           _    0x22 VI    []                                       Cache(CacheOp::Invalidate);
    S_DCACHE_WB_VOL            _    0x23 VI    []                                       Cache(CacheOp::WriteBack);
    S_MEMTIME                  _    0x24 VI    [Sdata(2)]                               Time(Shader);
    S_MEMREALTIME              _    0x25 VI    [Sdata(2)]                               Time(Reference);
    S_ATC_PROBE                _    0x26 VI    [ProbeKind, Sbase(2), Soffset]               Probe;
    S_ATC_PROBE_BUFFER         _    0x27 VI    [ProbeKind, Sbase(4), Boffset]               Probe;
    S_DCACHE_DISCARD           _    0x28 GFX9  [Sbase(2), Soffset]                      Cache(CacheOp::Discard(1));
    S_DCACHE_DISCARD_X2        _    0x29 GFX9  [Sbase(2), Soffset]                      Cache(CacheOp::Discard(2));
    S_BUFFER_ATOMIC_SWAP       _    0x40 GFX9  [Sstore(1).updated(), Sbase(4), Boffset, Glc, Nv] Atomic(Swap, B32);
    S_BUFFER_ATOMIC_CMPSWAP    _    0x41 GFX9  [Sstore(2).updated(), Sbase(4), Boffset, Glc, Nv] Atomic(CompareSwap, B32);
    S_BUFFER_ATOMIC_ADD        _    0x42 GFX9  [Sstore(1).updated(), Sbase(4), Boffset, Glc, Nv] Atomic(Add, U32);
    S_BUFFER_ATOMIC_SUB        _    0x43 GFX9  [Sstore(1).updated(), Sbase(4), Boffset, Glc, Nv] Atomic(Sub, U32);
    S_BUFFER_ATOMIC_SMIN       _    0x44 GFX9  [Sstore(1).updated(), Sbase(4), Boffset, Glc, Nv] Atomic(Min, I32);
    S_BUFFER_ATOMIC_UMIN       _    0x45 GFX9  [Sstore(1).updated(), Sbase(4), Boffset, Glc, Nv] Atomic(Min, U32);
    S_BUFFER_ATOMIC_SMAX       _    0x46 GFX9  [Sstore(1).updated(), Sbase(4), Boffset, Glc, Nv] Atomic(Max, I32);
    S_BUFFER_ATOMIC_UMAX       _    0x47 GFX9  [Sstore(1).updated(), Sbase(4), Boffset, Glc, Nv] Atomic(Max, U32);
    S_BUFFER_ATOMIC_AND        _    0x48 GFX9  [Sstore(1).updated(), Sbase(4), Boffset, Glc, Nv] Atomic(And, B32);
    S_BUFFER_ATOMIC_OR         _    0x49 GFX9  [Sstore(1).updated(), Sbase(4), Boffset, Glc, Nv] Atomic(Or, B32);
    S_BUFFER_ATOMIC_XOR        _    0x4a GFX9  [Sstore(1).updated(), Sbase(4), Boffset, Glc, Nv] Atomic(Xor, B32);
    S_BUFFER_ATOMIC_INC        _    0x4b GFX9  [Sstore(1).updated(), Sbase(4), Boffset, Glc, Nv] Atomic(Inc, U32);
    S_BUFFER_ATOMIC_DEC        _    0x4c GFX9  [Sstore(1).updated(), Sbase(4), Boffset, Glc, Nv] Atomic(Dec, U32);
    S_BUFFER_ATOMIC_SWAP_X2    _    0x60 GFX9  [Sstore(2).updated(), Sbase(4), Boffset, Glc, Nv] Atomic(Swap, B64);
    S_BUFFER_ATOMIC_CMPSWAP_X2 _    0x61 GFX9  [Sstore(4).updated(), Sbase(4), Boffset, Glc, Nv] Atomic(CompareSwap, B64);
    S_BUFFER_ATOMIC_ADD_X2     _    0x62 GFX9  [Sstore(2).updated(), Sbase(4), Boffset, Glc, Nv] Atomic(Add, U64);
    S_BUFFER_ATOMIC_SUB_X2     _    0x63 GFX9  [Sstore(2).updated(), Sbase(4), Boffset, Glc, Nv] Atomic(Sub, U64);
    S_BUFFER_ATOMIC_SMIN_X2    _    0x64 GFX9  [Sstore(2).updated(), Sbase(4), Boffset, Glc, Nv] Atomic(Min, I64);
    S_BUFFER_ATOMIC_UMIN_X2    _    0x65 GFX9  [Sstore(2).updated(), Sbase(4), Boffset, Glc, Nv] Atomic(Min, U64);
    S_BUFFER_ATOMIC_SMAX_X2    _    0x66 GFX9  [Sstore(2).updated(), Sbase(4), Boffset, Glc, Nv] Atomic(Max, I64);
    S_BUFFER_ATOMIC_UMAX_X2    _    0x67 GFX9  [Sstore(2).updated(), Sbase(4), Boffset, Glc, Nv] Atomic(Max, U64);
    S_BUFFER_ATOMIC_AND_X2     _    0x68 GFX9  [Sstore(2).updated(), Sbase(4), Boffset, Glc, Nv] Atomic(And, B64);
    S_BUFFER_ATOMIC_OR_X2      _    0x69 GFX9  [Sstore(2).updated(), Sbase(4), Boffset, Glc, Nv] Atomic(Or, B64);
    S_BUFFER_ATOMIC_XOR_X2     _    0x6a GFX9  [Sstore(2).updated(), Sbase(4), Boffset, Glc, Nv] Atomic(Xor, B64);
    S_BUFFER_ATOMIC_INC_X2     _    0x6b GFX9  [Sstore(2).updated(), Sbase(4), Boffset, Glc, Nv] Atomic(Inc, U64);
    S_BUFFER_ATOMIC_DEC_X2     _    0x6c GFX9  [Sstore(2).updated(), Sbase(4), Boffset, Glc, Nv] Atomic(Dec, U64);
    S_ATOMIC_SWAP              _    0x80 GFX9  [Sstore(1).updated(), Sbase(2), Soffset, Glc, Nv] Atomic(Swap, B32);
    S_ATOMIC_CMPSWAP           _    0x81 GFX9  [Sstore(2).updated(), Sbase(2), Soffset, Glc, Nv] Atomic(CompareSwap, B32);
    S_ATOMIC_ADD               _    0x82 GFX9  [Sstore(1).updated(), Sbase(2), Soffset, Glc, Nv] Atomic(Add, U32);
    S_ATOMIC_SUB               _    0x83 GFX9  [Sstore(1).updated(), Sbase(2), Soffset, Glc, Nv] Atomic(Sub, U32);
    S_ATOMIC_SMIN              _    0x84 GFX9  [Sstore(1).updated(), Sbase(2), Soffset, Glc, Nv] Atomic(Min, I32);
    S_ATOMIC_UMIN              _    0x85 GFX9  [Sstore(1).updated(), Sbase(2), Soffset, Glc, Nv] Atomic(Min, U32);
    S_ATOMIC_SMAX              _    0x86 GFX9  [Sstore(1).updated(), Sbase(2), Soffset, Glc, Nv] Atomic(Max, I32);
    S_ATOMIC_UMAX              _    0x87 GFX9  [Sstore(1).updated(), Sbase(2), Soffset, Glc, Nv] Atomic(Max, U32);
    S_ATOMIC_AND               _    0x88 GFX9  [Sstore(1).updated(), Sbase(2), Soffset, Glc, Nv] Atomic(And, B32);
    S_ATOMIC_OR                _    0x89 GFX9  [Sstore(1).updated(), Sbase(2), Soffset, Glc, Nv] Atomic(Or, B32);
    S_ATOMIC_XOR               _    0x8a GFX9  [Sstore(1).updated(), Sbase(2), Soffset, Glc, Nv] Atomic(Xor, B32);
    S_ATOMIC_INC               _    0x8b GFX9  [Sstore(1).updated(), Sbase(2), Soffset, Glc, Nv] Atomic(Inc, U32);
    S_ATOMIC_DEC               _    0x8c GFX9  [Sstore(1).updated(), Sbase(2), Soffset, Glc, Nv] Atomic(Dec, U32);
    S_ATOMIC_SWAP_X2           _    0xa0 GFX9  [Sstore(2).updated(), Sbase(2), Soffset, Glc, Nv] Atomic(Swap, B64);
    S_ATOMIC_CMPSWAP_X2        _    0xa1 GFX9  [Sstore(4).updated(), Sbase(2), Soffset, Glc, Nv] Atomic(CompareSwap, B64);
    S_ATOMIC_ADD_X2            _    0xa2 GFX9  [Sstore(2).updated(), Sbase(2), Soffset, Glc, Nv] Atomic(Add, U64);
    S_ATOMIC_SUB_X2            _    0xa3 GFX9  [Sstore(2).updated(), Sbase(2), Soffset, Glc, Nv] Atomic(Sub, U64);
    S_ATOMIC_SMIN_X2           _    0xa4 GFX9  [Sstore(2).updated(), Sbase(2), Soffset, Glc, Nv] Atomic(Min, I64);
    S_ATOMIC_UMIN_X2           _    0xa5 GFX9  [Sstore(2).updated(), Sbase(2), Soffset, Glc, Nv] Atomic(Min, U64);
    S_ATOMIC_SMAX_X2           _    0xa6 GFX9  [Sstore(2).updated(), Sbase(2), Soffset, Glc, Nv] Atomic(Max, I64);
    S_ATOMIC_UMAX_X2           _    0xa7 GFX9  [Sstore(2).updated(), Sbase(2), Soffset, Glc, Nv] Atomic(Max, U64);
    S_ATOMIC_AND_X2            _    0xa8 GFX9  [Sstore(2).updated(), Sbase(2), Soffset, Glc, Nv] Atomic(And, B64);
    S_ATOMIC_OR_X2             _    0xa9 GFX9  [Sstore(2).updated(), Sbase(2), Soffset, Glc, Nv] Atomic(Or, B64);
    S_ATOMIC_XOR_X2            _    0xaa GFX9  [Sstore(2).updated(), Sbase(2), Soffset, Glc, Nv] Atomic(Xor, B64);
    S_ATOMIC_INC_X2            _    0xab GFX9  [Sstore(2).updated(), Sbase(2), Soffset, Glc, Nv] Atomic(Inc, U64);
    S_ATOMIC_DEC_X2            _    0xac GFX9  [Sstore(2).updated(), Sbase(2), Soffset, Glc, Nv] Atomic(Dec, U64);
}

impl Smem {
    /// True for S_SCRATCH instructions, whose SGPR offset is in units of 64 bytes (errata E121).
    ///
    /// # Examples
    /// ```
    /// use gcn_isa::smem::Smem;
    /// assert!(Smem::S_SCRATCH_LOAD_DWORD.scales_offset() && !Smem::S_LOAD_DWORD.scales_offset());
    /// ```
    pub const fn scales_offset(self) -> bool {
        use Smem::*;
        matches!(
            self,
            S_SCRATCH_LOAD_DWORD
                | S_SCRATCH_LOAD_DWORDX2
                | S_SCRATCH_LOAD_DWORDX4
                | S_SCRATCH_STORE_DWORD
                | S_SCRATCH_STORE_DWORDX2
                | S_SCRATCH_STORE_DWORDX4
        )
    }
}
