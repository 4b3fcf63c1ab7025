// RUN: tahiti bonaire fiji gfx900 gfx906
// What a launch says beyond its sizes is in the hidden arguments: where the numbers of work-items begin, and how many
// dimensions were written, also those of a single work-item. Without metadata they follow the others as version 5 has it.
//! grid = [1, 1, 1]
//! group = [1, 1]
//! offset = [5, 6, 4294967303]
//! args = { out = "u32*7" }
//! print = ["out"]
// GCN all: out: u32[0..7] = 5, 0, 6, 0, 7, 1, 3
.globl kernel
.p2align 8
.type kernel,@function
kernel:
.if .amdgcn.gfx_generation_number < 8
.set UNIT, 1
.else
.set UNIT, 4
.endif
.set HIDDEN, 2                          // dwords
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_mov_b32 s6, -1                // s[4:7]: a buffer without limit at `out`
    s_mov_b32 s7, 0x27fac
    s_load_dwordx4 s[8:11], s[0:1], (HIDDEN + 10) * UNIT
    s_load_dwordx2 s[12:13], s[0:1], (HIDDEN + 14) * UNIT
    s_load_dword s14, s[0:1], (HIDDEN + 16) * UNIT
    s_waitcnt lgkmcnt(0)
    s_and_b32 s14, s14, 0xffff
.macro store from, at
    v_mov_b32 v0, \from
    buffer_store_dword v0, off, s[4:7], 0 offset:\at
.endm
    store s8, 0
    store s9, 4
    store s10, 8
    store s11, 12
    store s12, 16
    store s13, 20
    store s14, 24
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
