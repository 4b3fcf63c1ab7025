// RUN: gfx803 gfx900 gfx906
// A load at an address outside of all buffers, in one run or in both.
//! grid = 64
//! args = { a = "u32*64:random(1,1,1000)", b = "u32*64:random(2,1,1000)", out = "u32*64" }
//? out[5] -DWRONG=1
//? --against -DWRONG=1
//? -DWRONG=1 --against -DWRONG=2
//? -DWRONG=1 --against -DWRONG=0
// GCN all: out[5] = 0: no instruction has written it. The run ended with a fault: it loads 4 bytes at unmapped address 0x140020000
// GCN all: └─ v2: flat_load_dword v2, v[4:5]  [fault.s:127, workgroup 0,0,0, wave 0, lane 0]
// GCN all: ├─ address: v4 = 0x40020000: v_mov_b32_e32 v4, s22  [fault.s:125]
// GCN all: │  └─ s22 = 0x40020000: s_add_u32 s22, s4, s20  [fault.s:123]
// GCN all: │     ├─ #1 s[4:5] = 0x100020000: s_load_dwordx2 s[4:5], s[0:1], 0x0  [fault.s:100] ← argument bytes 0..8
// GCN all: │     └─ #2 s20 = 0x40000000: s_lshl_b32 s20, s20, 30  [fault.s:116]
// GCN all: │        └─ s20 = 1: s_or_b32 s20, s20, 1  [fault.s:115]
// GCN all: │           └─ s20 = 0: s_and_b32 s20, s20, 7  [fault.s:113]
// GCN all: │              └─ s20 = 592: s_buffer_load_dword s20, s[8:11], 0x0  [fault.s:111]
// GCN all: │                 ├─ input b[0]
// GCN all: │                 ├─ address: s[8:9] = 0x100040000: s_load_dwordx2 s[8:9], s[0:1], 0x8  [fault.s:101] ← argument bytes 8..16
// GCN all: │                 └─ address: constants s10 = 0xffffffff, s11 = 0x27fac
// GCN all: └─ address: v5 = 1: v_mov_b32_e32 v5, s23  [fault.s:126]
// GCN all: └─ s23 = 1: s_addc_u32 s23, s5, 0  [fault.s:124]
// GCN all: ├─ s[4:5] = 0x100020000: #1
// GCN all: └─ scc = 0: s_add_u32 s22, s4, s20  [fault.s:123]
// GCN all: ├─ s[4:5] = 0x100020000: #1
// GCN all: └─ s20 = 0x40000000: #2
// GCN all: inputs: b[0]
// GCN all: arguments: bytes 0..16
// GCN all: 14 instructions, 16 executions, 1 workgroup traced
// GCN all: note: the run ended with a fault: kernel kernel, workgroup 0,0,0, wave 0, lane 0, at kernel+0x6c: flat_load_dword v2, v[4:5]
// GCN all: --> why/fault.s:127: flat_load_dword v2, v[4:5]
// GCN all: loads 4 bytes at unmapped address 0x140020000
// GCN all: nearest is the dispatch packet: 64 bytes at 0x110140000; the address is 804126656 bytes beyond its end
// GCN all: The other run ended with a fault: it loads 4 bytes at unmapped address 0x140020000.
// GCN all: The runs diverge where different instructions use values that both runs have:
// GCN all: ├─ first: s20 = 0: s_and_b32 s20, s20, 7  [fault.s:113, workgroup 0,0,0, wave 0]
// GCN all: │  └─ s20 = 592: s_buffer_load_dword s20, s[8:11], 0x0  [fault.s:111]
// GCN all: └─ other: s20 = 1: s_or_b32 s20, s20, 1  [fault.s:115, workgroup 0,0,0, wave 0]
// GCN all: └─ s20 = 0: s_and_b32 s20, s20, 7  [fault.s:113]
// GCN all: From there to the access:
// GCN all: first: s20 = 0: s_lshl_b32 s20, s20, 2  [fault.s:121]
// GCN all: other: s20 = 0x40000000: s_lshl_b32 s20, s20, 30  [fault.s:116]
// GCN all: first: address: s22 = 0x20000: s_add_u32 s22, s4, s20  [fault.s:123]
// GCN all: other: s22 = 0x40020000: s_add_u32 s22, s4, s20  [fault.s:123]
// GCN all: first: v2: flat_load_dword v2, v[4:5]  [fault.s:127] of a[0]
// GCN all: other: v2: flat_load_dword v2, v[4:5]  [fault.s:127]
// GCN all: executions compared: 15 and 16; workgroups traced: 1 and 1
// GCN all: note: the other run ended with a fault: kernel kernel, workgroup 0,0,0, wave 0, lane 0, at kernel+0x6c: flat_load_dword v2, v[4:5]
// GCN all: --> why/fault.s:127: flat_load_dword v2, v[4:5]
// GCN all: loads 4 bytes at unmapped address 0x140020000
// GCN all: nearest is the dispatch packet: 64 bytes at 0x110140000; the address is 804126656 bytes beyond its end
// GCN all: exit status 3
// GCN all: The first run ended with a fault: it loads 4 bytes at unmapped address 0x140020000.
// GCN all: The runs diverge where equal operands have different results:
// GCN all: ├─ first: s20 = 0x40000000: s_lshl_b32 s20, s20, 30  [fault.s:116, workgroup 0,0,0, wave 0]
// GCN all: │  └─ s20 = 1: s_or_b32 s20, s20, 1  [fault.s:115]
// GCN all: └─ other: s20 = 0x20000000: s_lshl_b32 s20, s20, 29  [fault.s:119, workgroup 0,0,0, wave 0]
// GCN all: └─ s20 = 1: s_or_b32 s20, s20, 1  [fault.s:118]
// GCN all: From there to the access:
// GCN all: first: address: s22 = 0x40020000: s_add_u32 s22, s4, s20  [fault.s:123]
// GCN all: other: s22 = 0x20020000: s_add_u32 s22, s4, s20  [fault.s:123]
// GCN all: first: v2: flat_load_dword v2, v[4:5]  [fault.s:127]
// GCN all: other: v2: flat_load_dword v2, v[4:5]  [fault.s:127]
// GCN all: executions compared: 16 and 16; workgroups traced: 1 and 1
// GCN all: note: the first run ended with a fault: kernel kernel, workgroup 0,0,0, wave 0, lane 0, at kernel+0x6c: flat_load_dword v2, v[4:5]
// GCN all: --> why/fault.s:127: flat_load_dword v2, v[4:5]
// GCN all: loads 4 bytes at unmapped address 0x140020000
// GCN all: nearest is the dispatch packet: 64 bytes at 0x110140000; the address is 804126656 bytes beyond its end
// GCN all: note: the other run ended with a fault: kernel kernel, workgroup 0,0,0, wave 0, lane 0, at kernel+0x6c: flat_load_dword v2, v[4:5]
// GCN all: --> why/fault.s:127: flat_load_dword v2, v[4:5]
// GCN all: loads 4 bytes at unmapped address 0x120020000
// GCN all: nearest is the dispatch packet: 64 bytes at 0x110140000; the address is 267255744 bytes beyond its end
// GCN all: exit status 3
// GCN all: The first run ended with a fault: it loads 4 bytes at unmapped address 0x140020000.
// GCN all: The runs diverge where different instructions use values that both runs have:
// GCN all: ├─ first: s20 = 1: s_or_b32 s20, s20, 1  [fault.s:115, workgroup 0,0,0, wave 0]
// GCN all: │  └─ s20 = 0: s_and_b32 s20, s20, 7  [fault.s:113]
// GCN all: └─ other: s20 = 0: s_and_b32 s20, s20, 7  [fault.s:113, workgroup 0,0,0, wave 0]
// GCN all: └─ s20 = 592: s_buffer_load_dword s20, s[8:11], 0x0  [fault.s:111]
// GCN all: From there to the access:
// GCN all: first: s20 = 0x40000000: s_lshl_b32 s20, s20, 30  [fault.s:116]
// GCN all: other: s20 = 0: s_lshl_b32 s20, s20, 2  [fault.s:121]
// GCN all: first: address: s22 = 0x40020000: s_add_u32 s22, s4, s20  [fault.s:123]
// GCN all: other: s22 = 0x20000: s_add_u32 s22, s4, s20  [fault.s:123]
// GCN all: first: v2: flat_load_dword v2, v[4:5]  [fault.s:127]
// GCN all: other: v2: flat_load_dword v2, v[4:5]  [fault.s:127] of a[0]
// GCN all: executions compared: 16 and 15; workgroups traced: 1 and 1
// GCN all: note: the first run ended with a fault: kernel kernel, workgroup 0,0,0, wave 0, lane 0, at kernel+0x6c: flat_load_dword v2, v[4:5]
// GCN all: --> why/fault.s:127: flat_load_dword v2, v[4:5]
// GCN all: loads 4 bytes at unmapped address 0x140020000
// GCN all: nearest is the dispatch packet: 64 bytes at 0x110140000; the address is 804126656 bytes beyond its end
// GCN all: exit status 3
.ifndef WRONG
.set WRONG, 0
.endif
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
    s_buffer_load_dword s20, s[8:11], 0x0
    s_waitcnt lgkmcnt(0)
    s_and_b32 s20, s20, 7
.if WRONG == 1
    s_or_b32 s20, s20, 1
    s_lshl_b32 s20, s20, 30
.elseif WRONG == 2
    s_or_b32 s20, s20, 1
    s_lshl_b32 s20, s20, 29
.else
    s_lshl_b32 s20, s20, 2
.endif
    s_add_u32 s22, s4, s20
    s_addc_u32 s23, s5, 0
    v_mov_b32 v4, s22
    v_mov_b32 v5, s23
    flat_load_dword v2, v[4:5]
    s_waitcnt vmcnt(0) & lgkmcnt(0)
    buffer_store_dword v2, v1, s[12:15], 0 offen
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 48
.end_amdhsa_kernel
