// RUN: tahiti bonaire fiji gfx900 gfx906
// ALSO: provenance
// Pointers to one buffer that reach another, and ways to another buffer that are no pointer's.
//! grid = 64
//! args = { near = "u32*64", far = "u32*64" }
// GCN all: error[wrong-buffer]: loads from far through an address computed from a pointer to near
// GCN all: --> check/provenance.s:116:5
// GCN all: |
// GCN all: 116 |     s_load_dword s20, s[8:9], 0x0
// GCN all: |     ^^^^^^^^^^^^ accesses 0x100040000
// GCN all: |
// GCN all: ::: check/provenance.s:110:5
// GCN all: |
// GCN all: 110 |     s_load_dwordx4 s[4:7], s[0:1], 0x0
// GCN all: |     -------------- loads the pointer to near
// GCN all: |
// GCN 1.0, 1.1: = note: accesses 0x100040000: `s_load_dword s20, s[8:9], 0x0`, at kernel+0x18, workgroup 0,0,0, wave 0
// GCN 1.2, 1.4, 1.4.1: = note: accesses 0x100040000: `s_load_dword s20, s[8:9], 0x0`, at kernel+0x1c, workgroup 0,0,0, wave 0
// GCN all: = note: loads the pointer to near: `s_load_dwordx4 s[4:7], s[0:1], 0x0`, at kernel+0x0, workgroup 0,0,0, wave 0
// GCN all: = note: address 0x100040000: byte 0 of far (256 bytes)
// GCN all: = note: the pointer is to near: 256 bytes at 0x100020000; the address is 130816 bytes beyond its end
// GCN all: = note: kernel kernel, once
// GCN all: 
// GCN all: error[wrong-buffer]: loads from far through an address computed from a pointer to near
// GCN all: --> check/provenance.s:122:5
// GCN all: |
// GCN all: 122 |     buffer_load_dword v10, v2, s[12:15], 0 offen
// GCN all: |     ^^^^^^^^^^^^^^^^^ accesses 0x100040000
// GCN all: |
// GCN all: ::: check/provenance.s:110:5
// GCN all: |
// GCN all: 110 |     s_load_dwordx4 s[4:7], s[0:1], 0x0
// GCN all: |     -------------- loads the pointer to near
// GCN all: |
// GCN 1.0, 1.1: = note: accesses 0x100040000: `buffer_load_dword v10, v2, s[12:15], 0 offen`, at kernel+0x34, workgroup 0,0,0, wave 0, lane 0
// GCN 1.2, 1.4, 1.4.1: = note: accesses 0x100040000: `buffer_load_dword v10, v2, s[12:15], 0 offen`, at kernel+0x3c, workgroup 0,0,0, wave 0, lane 0
// GCN all: = note: loads the pointer to near: `s_load_dwordx4 s[4:7], s[0:1], 0x0`, at kernel+0x0, workgroup 0,0,0, wave 0
// GCN all: = note: address 0x100040000: byte 0 of far (256 bytes)
// GCN all: = note: the pointer is to near: 256 bytes at 0x100020000; the address is 130816 bytes beyond its end
// GCN all: = note: kernel kernel, once
// GCN all: 
// GCN all: error[wrong-buffer]: loads from near through an address computed from a pointer to far
// GCN all: --> check/provenance.s:144:5
// GCN all: |
// GCN all: 144 |     s_load_dword s23, s[18:19], 0x0                     // of near
// GCN all: |     ^^^^^^^^^^^^ accesses 0x100020000
// GCN all: |
// GCN all: ::: check/provenance.s:110:5
// GCN all: |
// GCN all: 110 |     s_load_dwordx4 s[4:7], s[0:1], 0x0
// GCN all: |     -------------- loads the pointer to far
// GCN all: |
// GCN 1.0, 1.1: = note: accesses 0x100020000: `s_load_dword s23, s[18:19], 0x0`, at kernel+0x90, workgroup 0,0,0, wave 0
// GCN 1.2, 1.4, 1.4.1: = note: accesses 0x100020000: `s_load_dword s23, s[18:19], 0x0`, at kernel+0xa8, workgroup 0,0,0, wave 0
// GCN all: = note: loads the pointer to far: `s_load_dwordx4 s[4:7], s[0:1], 0x0`, at kernel+0x0, workgroup 0,0,0, wave 0
// GCN all: = note: address 0x100020000: byte 0 of near (256 bytes)
// GCN all: = note: the pointer is to far: 256 bytes at 0x100040000; the address is 131072 bytes before its start
// GCN all: = note: kernel kernel, once
// GCN all: 
// GCN all: error[wrong-buffer]: loads from far through an address computed from a pointer to near
// GCN 1.0: --> check/provenance.s:148:5
// GCN 1.1, 1.2: --> check/provenance.s:158:5
// GCN 1.4, 1.4.1: --> check/provenance.s:161:5
// GCN all: |
// GCN 1.0: 148 |     buffer_load_dword v12, v[8:9], s[12:15], 0 addr64
// GCN 1.1, 1.2: 158 |     flat_load_dword v14, v[8:9]
// GCN 1.4, 1.4.1: 161 |     global_load_dword v16, v2, s[4:5]
// GCN 1.0, 1.4, 1.4.1: |     ^^^^^^^^^^^^^^^^^ accesses 0x100040000
// GCN 1.1, 1.2: |     ^^^^^^^^^^^^^^^ accesses 0x100040000
// GCN all: |
// GCN all: ::: check/provenance.s:110:5
// GCN all: |
// GCN all: 110 |     s_load_dwordx4 s[4:7], s[0:1], 0x0
// GCN all: |     -------------- loads the pointer to near
// GCN all: |
// GCN 1.0: = note: accesses 0x100040000: `buffer_load_dword v12, v[8:9], s[12:15], 0 addr64`, at kernel+0x9c, workgroup 0,0,0, wave 0, lane 0
// GCN 1.1: = note: accesses 0x100040000: `flat_load_dword v14, v[8:9]`, at kernel+0xac, workgroup 0,0,0, wave 0, lane 0
// GCN 1.2: = note: accesses 0x100040000: `flat_load_dword v14, v[8:9]`, at kernel+0xc8, workgroup 0,0,0, wave 0, lane 0
// GCN 1.4, 1.4.1: = note: accesses 0x100040000: `global_load_dword v16, v2, s[4:5]`, at kernel+0xb8, workgroup 0,0,0, wave 0, lane 0
// GCN all: = note: loads the pointer to near: `s_load_dwordx4 s[4:7], s[0:1], 0x0`, at kernel+0x0, workgroup 0,0,0, wave 0
// GCN all: = note: address 0x100040000: byte 0 of far (256 bytes)
// GCN all: = note: the pointer is to near: 256 bytes at 0x100020000; the address is 130816 bytes beyond its end
// GCN all: = note: kernel kernel, once
// GCN all: 
// GCN 1.0, 1.1, 1.2: 4 errors
// GCN 1.4, 1.4.1: error[wrong-buffer]: updates far through an address computed from a pointer to near
// GCN 1.0, 1.1, 1.2: exit status 3
// GCN 1.4, 1.4.1: --> check/provenance.s:165:5
// GCN 1.4, 1.4.1: |
// GCN 1.4, 1.4.1: 165 |     global_atomic_add v[8:9], v0, off
// GCN 1.4, 1.4.1: |     ^^^^^^^^^^^^^^^^^ accesses 0x100040000
// GCN 1.4, 1.4.1: |
// GCN 1.4, 1.4.1: ::: check/provenance.s:110:5
// GCN 1.4, 1.4.1: |
// GCN 1.4, 1.4.1: 110 |     s_load_dwordx4 s[4:7], s[0:1], 0x0
// GCN 1.4, 1.4.1: |     -------------- loads the pointer to near
// GCN 1.4, 1.4.1: |
// GCN 1.4, 1.4.1: = note: accesses 0x100040000: `global_atomic_add v[8:9], v0, off`, at kernel+0xd4, workgroup 0,0,0, wave 0, lane 0
// GCN 1.4, 1.4.1: = note: loads the pointer to near: `s_load_dwordx4 s[4:7], s[0:1], 0x0`, at kernel+0x0, workgroup 0,0,0, wave 0
// GCN 1.4, 1.4.1: = note: address 0x100040000: byte 0 of far (256 bytes)
// GCN 1.4, 1.4.1: = note: the pointer is to near: 256 bytes at 0x100020000; the address is 130816 bytes beyond its end
// GCN 1.4, 1.4.1: = note: kernel kernel, once
// GCN 1.4, 1.4.1: 
// GCN 1.4, 1.4.1: 5 errors
// GCN 1.4, 1.4.1: exit status 3
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx4 s[4:7], s[0:1], 0x0
    v_lshlrev_b32 v1, 2, v0
    s_waitcnt lgkmcnt(0)
    // The distance of both buffers as a constant.
    s_add_u32 s8, s4, 0x20000
    s_addc_u32 s9, s5, 0
    s_load_dword s20, s[8:9], 0x0
    // The same as an offset behind a descriptor's base.
    s_mov_b64 s[12:13], s[4:5]
    s_mov_b32 s14, -1
    s_mov_b32 s15, 0x27fac
    v_or_b32 v2, 0x20000, v1
    buffer_load_dword v10, v2, s[12:15], 0 offen
    buffer_load_dword v11, v1, s[12:15], 0 offen         // of near
    // A difference of pointers leads from one to the other.
    s_sub_u32 s16, s6, s4
    s_subb_u32 s17, s7, s5
    s_add_u32 s16, s16, s4
    s_addc_u32 s17, s17, s5
    s_load_dword s21, s[16:17], 0x0
    // One pointer or the other, lane by lane.
    v_mov_b32 v4, s4
    v_mov_b32 v5, s5
    v_mov_b32 v6, s6
    v_mov_b32 v7, s7
    v_cmp_gt_u32 vcc, 32, v0
    v_cndmask_b32 v4, v6, v4, vcc
    v_cndmask_b32 v5, v7, v5, vcc
    v_readlane_b32 s18, v4, 40
    v_readlane_b32 s19, v5, 40
    s_nop 4
    s_load_dword s22, s[18:19], 0x0                     // of far
    s_sub_u32 s18, s18, 0x20000
    s_subb_u32 s19, s19, 0
    s_load_dword s23, s[18:19], 0x0                     // of near
.if .amdgcn.gfx_generation_number < 7
    v_mov_b32 v8, v2
    v_mov_b32 v9, 0
    buffer_load_dword v12, v[8:9], s[12:15], 0 addr64
.elseif .amdgcn.gfx_generation_number < 9
    flat_load_dword v13, v[4:5]
.if .amdgcn.gfx_generation_number < 8
    v_add_i32 v8, vcc, 0x20000, v4
.else
    v_add_u32 v8, vcc, 0x20000, v4
.endif
    v_addc_u32 v9, vcc, 0, v5, vcc
    s_mov_b32 exec_hi, 0
    flat_load_dword v14, v[8:9]
.else
    global_load_dword v15, v[4:5], off
    global_load_dword v16, v2, s[4:5]
    v_mov_b32 v8, 0x8000
    v_mad_u64_u32 v[8:9], vcc, v8, 4, v[4:5]
    s_mov_b32 exec_hi, 0
    global_atomic_add v[8:9], v0, off
.endif
    s_waitcnt vmcnt(0) lgkmcnt(0)
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_next_free_vgpr 24
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
