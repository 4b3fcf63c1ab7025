// RUN: gfx600 gfx700 gfx803 gfx900 gfx906
// Watchpoints on memory, elements, registers and EXEC, with the instruction that wrote.
//! grid = 64
//! args = { out = "u32*64" }
//> start
//> watch out[2..4]
//> watch out[9..70]
//> watch v2[5] if v2[5] > 10
//> watch exec
//> watch nothing
//> continue
//> continue
//> continue
//> info breakpoints
//> delete 2
//> delete 7
//> continue
//> continue
//> quit
.globl kernel
.p2align 8
.type kernel,@function

kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_mov_b32 s6, -1
    s_mov_b32 s7, 0x27fac
    v_lshlrev_b32 v1, 2, v0
    v_mov_b32 v2, 7
    v_lshlrev_b32 v2, 1, v2
    s_mov_b64 exec, 0xff
    s_waitcnt lgkmcnt(0)
    buffer_store_dword v2, v1, s[4:7], 0 offen
    s_mov_b64 exec, -1
    buffer_store_dword v0, v1, s[4:7], 0 offen
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
