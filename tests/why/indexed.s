// RUN: gfx803 gfx900 gfx906
// Registers that an index selects: of a source, of a destination, of a destination beyond the registers.
//! grid = 64
//! args = { a = "u32*64:random(1,1,1000)", b = "u32*66:random(2,1,1000)", out = "u32*64" }
//? out[5]
// GCN all: out[5] = 3125248
// GCN all: └─ buffer_store_dword v4, v1, s[12:15], 0 offen  [indexed.s:79, workgroup 0,0,0, wave 0, lane 5]
// GCN all: ├─ v4 = 0x2fb000: v_xor_b32_e32 v4, v4, v27  [indexed.s:78]
// GCN all: │  ├─ v4 = 0x2fb000: v_xor_b32_e32 v4, v4, v26  [indexed.s:77]
// GCN all: │  │  ├─ v4 = 0x2fb000: v_xor_b32_e32 v4, v24, v25  [indexed.s:76]
// GCN all: │  │  │  ├─ v24 = 0x2fb000: v_mov_b32_e32 v24, v3  [indexed.s:71]
// GCN all: │  │  │  │  ├─ v3 = 0x2fb000: v_mov_b32_e32 v3, v20  [indexed.s:66]
// GCN all: │  │  │  │  │  ├─ v22 = 0x2fb000: v_lshlrev_b32_e32 v22, 12, v2  [indexed.s:59]
// GCN all: │  │  │  │  │  │  └─ v2 = 763: buffer_load_dword v2, v1, s[4:7], 0 offen  [indexed.s:50]
// GCN all: │  │  │  │  │  │     └─ … 5 dependences: raise --depth
// GCN all: │  │  │  │  │  └─ m0 = 4098: s_set_gpr_idx_on s16, gpr_idx(SRC0)  [indexed.s:65]
// GCN all: │  │  │  │  │     └─ s16 = 2: s_and_b32 s16, s16, 3  [indexed.s:54]
// GCN all: │  │  │  │  │        └─ … 1 dependence: raise --depth
// GCN all: │  │  │  │  └─ m0 = 32768: s_set_gpr_idx_idx s17  [indexed.s:70]
// GCN all: │  │  │  │     └─ s17 = 0: s_and_b32 s17, s17, 3  [indexed.s:55]
// GCN all: │  │  │  │        └─ s17 = 616: s_buffer_load_dword s17, s[8:11], 0x104  [indexed.s:52]
// GCN all: │  │  │  │           └─ … 4 dependences: raise --depth
// GCN all: │  │  │  └─ v25 = 0: v_lshlrev_b32_e32 v25, 1, v25  [indexed.s:73]
// GCN all: │  │  │     └─ v25 = 0: v_mov_b32_e32 v25, 0  [indexed.s:62]
// GCN all: │  │  └─ v26 = 0: v_lshlrev_b32_e32 v26, 2, v26  [indexed.s:74]
// GCN all: │  │     └─ v26 = 0: v_mov_b32_e32 v26, 0  [indexed.s:63]
// GCN all: │  └─ v27 = 0: v_lshlrev_b32_e32 v27, 3, v27  [indexed.s:75]
// GCN all: │     └─ v27 = 0: v_mov_b32_e32 v27, 0  [indexed.s:64]
// GCN all: ├─ address: v1 = 20: v_lshlrev_b32_e32 v1, 2, v0  [indexed.s:48] ← v0 = 5: work-item ID x
// GCN all: ├─ address: s[12:13] = 0x100060000: s_load_dwordx2 s[12:13], s[0:1], 0x10  [indexed.s:41] ← argument bytes 16..24
// GCN all: └─ address: constants s14 = 0xffffffff, s15 = 0x27fac
// GCN all: inputs: a[5], b[64..66]
// GCN all: arguments: bytes 0..24
// GCN all: 30 instructions, 33 executions, 1 workgroup traced
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_load_dwordx2 s[8:9], s[0:1], 0x8
    s_load_dwordx2 s[12:13], s[0:1], 0x10
    s_mov_b32 s6, -1
    s_mov_b32 s7, 0x27fac
    s_mov_b32 s10, -1
    s_mov_b32 s11, 0x27fac
    s_mov_b32 s14, -1
    s_mov_b32 s15, 0x27fac
    v_lshlrev_b32 v1, 2, v0
    s_waitcnt lgkmcnt(0)
    buffer_load_dword v2, v1, s[4:7], 0 offen
    s_buffer_load_dword s16, s[8:11], 0x100
    s_buffer_load_dword s17, s[8:11], 0x104
    s_waitcnt vmcnt(0) lgkmcnt(0)
    s_and_b32 s16, s16, 3
    s_and_b32 s17, s17, 3
    s_movk_i32 s18, 0xc8
    v_mov_b32 v20, v2
    v_not_b32 v21, v2
    v_lshlrev_b32 v22, 12, v2
    v_lshlrev_b32 v23, 16, v2
    v_mov_b32 v24, 0
    v_mov_b32 v25, 0
    v_mov_b32 v26, 0
    v_mov_b32 v27, 0
    s_set_gpr_idx_on s16, 1
    v_mov_b32 v3, v20
    s_set_gpr_idx_off
    s_set_gpr_idx_on s18, 8
    v_mov_b32 v3, v1                        // not executed
    s_set_gpr_idx_idx s17
    v_mov_b32 v24, v3
    s_set_gpr_idx_off
    v_lshlrev_b32 v25, 1, v25
    v_lshlrev_b32 v26, 2, v26
    v_lshlrev_b32 v27, 3, v27
    v_xor_b32 v4, v24, v25
    v_xor_b32 v4, v4, v26
    v_xor_b32 v4, v4, v27
    buffer_store_dword v4, v1, s[12:15], 0 offen
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_next_free_vgpr 32
    .amdhsa_next_free_sgpr 48
.end_amdhsa_kernel
