// RUN: tahiti bonaire fiji gfx900 gfx906
// Half of the lanes of each wave end without a barrier: they have returned before it, or skip it and only compute.
//! grid = 128
//! group = 128
// GCN all: warning[partial-barrier]: only part of a wave reaches a barrier: 32 lanes end without it
// GCN all: --> check/barriers-partial.s:30:5
// GCN all: |
// GCN all: 30 |     s_barrier
// GCN all: |     ^^^^^^^^^ lane 32 is not active here
// GCN all: |
// GCN all: ::: check/barriers-partial.s:33:5
// GCN all: |
// GCN all: 33 |     s_endpgm
// GCN all: |     -------- the wave ends here
// GCN all: |
// GCN all: = note: lane 32 is not active here: `s_barrier`, at kernel+0xc, workgroup 0,0,0, wave 0
// GCN all: = note: the wave ends here: `s_endpgm`, at kernel+0x18, workgroup 0,0,0, wave 0
// GCN all: = note: kernel kernel, twice
// GCN all: = help: let all lanes reach the barrier: skip the work, not the barrier
// GCN all: 
// GCN all: 1 warning
// GCN all: exit status 3
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    v_and_b32 v1, 32, v0
    v_cmp_eq_u32 vcc, 0, v1
    s_and_saveexec_b64 s[4:5], vcc
    s_barrier
    s_or_b64 exec, exec, s[4:5]
    v_add_f32 v1, v1, v0                // no sign of what has become of them
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
