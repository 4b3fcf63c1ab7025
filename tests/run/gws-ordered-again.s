// RUN: gfx900 gfx906
// Each launch of an ordered count begins with the first wave's turn.
//! [buffers]
//! out = "u32*1"
//! [[launch]]
//! grid = 256
//! group = 64
//! args = ["out"]
//! print = ["out"]
//! [[launch]]
//! grid = 256
//! group = 64
//! args = ["out"]
//! print = ["out"]
// GCN 1.4: /work/main/target/tmp/run-gws-ordered-again.s-gfx900.toml:12:1: error[invalid-launch-file]: unknown field `print`, expected one of `kernel`, `grid`, `group`, `offset`, `limit`, `lds`, `stack`, `args`, `kernarg`, `repeat`
// GCN 1.4.1: /work/main/target/tmp/run-gws-ordered-again.s-gfx906.toml:12:1: error[invalid-launch-file]: unknown field `print`, expected one of `kernel`, `grid`, `group`, `offset`, `limit`, `lds`, `stack`, `args`, `kernarg`, `repeat`
// GCN all: |
// GCN all: 12 | print = ["out"]
// GCN all: | ^^^^^
// GCN 1.4: /work/main/target/tmp/run-gws-ordered-again.s-gfx900.toml: 1 error
// GCN 1.4.1: /work/main/target/tmp/run-gws-ordered-again.s-gfx906.toml: 1 error
// GCN all: exit status 1
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[6:7], s[0:1], 0x0
    v_mov_b32 v1, 1
    v_mov_b32 v2, 0
    s_mov_b32 m0, s2
    s_nop 4
    ds_ordered_count v3, v1 offset:768 gds
    s_waitcnt lgkmcnt(0)
    global_store_dword v2, v3, s[6:7]
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
