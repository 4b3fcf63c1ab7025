// RUN: gfx600 gfx700 gfx803 gfx900 gfx906
// Goes back to the calls of functions, and to the begin of the wave.
//! grid = 64
//! args = { out = "u32*64" }
//> break inner
//> run
//> continue
//> print v2[3]
//> reverse-finish
//> print v2[3]
//> reverse-finish
//> print v2[3]
//> reverse-finish
//> delete
//> break back
//> continue
//> continue
//> reverse-finish
//> info record
//> scheduler one
//> stepi
//> quit
// GCN all: (gcn) break inner
// GCN all: Breakpoint 1 at inner (calls.s:106)
// GCN all: (gcn) run
// GCN all: Breakpoint 1
// GCN all: workgroup 0,0,0, wave 0: inner (calls.s:106)
// GCN all: 106	    v_lshlrev_b32 v2, 1, v2
// GCN all: (gcn) continue
// GCN all: Breakpoint 1
// GCN all: workgroup 0,0,0, wave 0: inner (calls.s:106)
// GCN all: 106	    v_lshlrev_b32 v2, 1, v2
// GCN all: (gcn) print v2[3]
// GCN all: v2[3] = 198
// GCN all: (gcn) reverse-finish
// GCN all: workgroup 0,0,0, wave 0: there+0xc (calls.s:102)
// GCN all: 102	    s_swappc_b64 s[16:17], s[14:15]
// GCN all: (gcn) print v2[3]
// GCN all: v2[3] = 198
// GCN all: (gcn) reverse-finish
// GCN all: workgroup 0,0,0, wave 0: loop (calls.s:87)
// GCN all: 87	    s_swappc_b64 s[12:13], s[10:11]
// GCN all: (gcn) print v2[3]
// GCN all: v2[3] = 134
// GCN all: (gcn) reverse-finish
// GCN all: Start of the launch: nothing earlier is recorded
// GCN all: workgroup 0,0,0, wave 0: kernel (calls.s:76)
// GCN all: 76	    s_load_dwordx2 s[4:5], s[0:1], 0x0
// GCN all: (gcn) delete
// GCN all: (gcn) break back
// GCN all: Breakpoint 2 at back (calls.s:89)
// GCN all: (gcn) continue
// GCN all: Breakpoint 2
// GCN all: workgroup 0,0,0, wave 0: back (calls.s:89)
// GCN all: 89	    s_sub_u32 s8, s8, 1
// GCN all: (gcn) continue
// GCN all: Breakpoint 2
// GCN all: workgroup 0,0,0, wave 0: back (calls.s:89)
// GCN all: 89	    s_sub_u32 s8, s8, 1
// GCN all: (gcn) reverse-finish
// GCN all: Start of the launch: nothing earlier is recorded
// GCN all: workgroup 0,0,0, wave 0: kernel (calls.s:76)
// GCN all: 76	    s_load_dwordx2 s[4:5], s[0:1], 0x0
// GCN all: (gcn) info record
// GCN all: The recording starts with the launch, 0 instructions ago; checkpoints: 1, 0 KiB besides the first
// GCN all: (gcn) scheduler one
// GCN all: Only the wave in focus runs.
// GCN all: (gcn) stepi
// GCN all: 77	    s_mov_b32 s6, -1
// GCN all: (gcn) quit
.globl kernel
.p2align 8
.type kernel,@function

kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x0
    s_mov_b32 s6, -1
    s_mov_b32 s7, 0x27fac
    v_lshlrev_b32 v1, 2, v0
    v_mov_b32 v2, v0
    s_mov_b32 s8, 2
    s_getpc_b64 s[10:11]
here:
    s_add_u32 s10, s10, outer-here
    s_addc_u32 s11, s11, 0
loop:
    s_swappc_b64 s[12:13], s[10:11]
back:
    s_sub_u32 s8, s8, 1
    s_cmp_lg_u32 s8, 0
    s_cbranch_scc1 loop
    s_waitcnt lgkmcnt(0)
    buffer_store_dword v2, v1, s[4:7], 0 offen
    s_endpgm

outer:
    v_or_b32 v2, 64, v2
    s_getpc_b64 s[14:15]
there:
    s_add_u32 s14, s14, inner-there
    s_addc_u32 s15, s15, 0
    s_swappc_b64 s[16:17], s[14:15]
    s_setpc_b64 s[12:13]

inner:
    v_lshlrev_b32 v2, 1, v2
    s_setpc_b64 s[16:17]
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
