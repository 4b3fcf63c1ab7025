// RUN: gfx803 gfx900 gfx906
// A fault stops another workgroup between two stores to the element.
//! grid = 192
//! args = { a = "u32*64:random(1,1,1000)", b = "u32*64:random(2,1,1000)", out = "u32*512" }
//? out[5] -DWRONG=2
// GCN all: out[5] = 763
// GCN all: └─ buffer_store_dword v2, v1, s[12:15], 0 offen  [stopped.s:46, workgroup 2,0,0, wave 0, lane 5]
// GCN all: ├─ v2 = 763: buffer_load_dword v2, v1, s[4:7], 0 offen  [stopped.s:40]
// GCN all: │  ├─ input a[5]
// GCN all: │  ├─ address: v1 = 20: #1
// GCN all: │  ├─ address: s[4:5] = 0x100020000: s_load_dwordx2 s[4:5], s[0:1], 0x0  [stopped.s:31] ← argument bytes 0..8
// GCN all: │  └─ address: constants s6 = 0xffffffff, s7 = 0x27fac
// GCN all: ├─ condition: s_cbranch_scc0 end  [stopped.s:44]
// GCN all: │  ├─ scc = 1: s_cmp_eq_u32 s2, 2  [stopped.s:43] ← s2 = 2: workgroup ID x
// GCN all: │  └─ condition: s_cbranch_scc1 poll  [stopped.s:42]
// GCN all: │     └─ scc = 0: s_cmp_eq_u32 s2, 1  [stopped.s:41] ← s2 = 2: workgroup ID x
// GCN all: ├─ address: #1 v1 = 20: v_lshlrev_b32_e32 v1, 2, v0  [stopped.s:37] ← v0 = 5: work-item ID x
// GCN all: ├─ address: s[12:13] = 0x100060000: s_load_dwordx2 s[12:13], s[0:1], 0x10  [stopped.s:32] ← argument bytes 16..24
// GCN all: └─ address: constants s14 = 0xffffffff, s15 = 0x27fac
// GCN all: inputs: a[5]
// GCN all: arguments: bytes 0..8, 16..24
// GCN all: 13 instructions, 15 executions, 1 workgroup traced
// GCN all: note: the run ended with a fault: kernel kernel, workgroup 1,0,0, wave 0, lane 0, at poll+0x1c: flat_load_dword v3, v[3:4]
// GCN all: --> why/stopped.s:65: flat_load_dword v3, v[3:4]
// GCN all: loads 4 bytes at unmapped address 0x200000000
// GCN all: nearest is the dispatch packet: 64 bytes at 0x110140000; the address is 4025221056 bytes beyond its end
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_load_dwordx2 s[12:13], s[0:1], 0x10
    s_mov_b32 s6, -1
    s_mov_b32 s7, 0x27fac
    s_mov_b32 s14, -1
    s_mov_b32 s15, 0x27fac
    v_lshlrev_b32 v1, 2, v0
    v_mov_b32 v3, 1
    s_waitcnt lgkmcnt(0)
    buffer_load_dword v2, v1, s[4:7], 0 offen
    s_cmp_eq_u32 s2, 1
    s_cbranch_scc1 poll
    s_cmp_eq_u32 s2, 2
    s_cbranch_scc0 end
    s_waitcnt vmcnt(0)
    buffer_store_dword v2, v1, s[12:15], 0 offen
    buffer_store_dword v3, v1, s[12:15], 0 offen offset:512
    s_movk_i32 s20, 0x7000
count:
    s_sub_u32 s20, s20, 1
    s_cmp_lg_u32 s20, 0
    s_cbranch_scc1 count
    v_mov_b32 v2, 1
    buffer_store_dword v2, v1, s[12:15], 0 offen
end:
    s_endpgm
poll:
    s_load_dword s21, s[12:13], 0x200
    s_waitcnt vmcnt(0) lgkmcnt(0)
    s_cmp_eq_u32 s21, 0
    s_cbranch_scc1 poll
.ifdef WRONG
    v_mov_b32 v3, 0
    v_mov_b32 v4, WRONG
    flat_load_dword v3, v[3:4]
    s_waitcnt vmcnt(0) lgkmcnt(0)
.endif
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 48
.end_amdhsa_kernel
