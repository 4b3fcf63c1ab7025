// output[i] = input[i] with its bits in reverse order, for i < count, for GCN 1.0: CLRX's ReverseBits.
//
// Neither FLAT nor GLOBAL exists on GCN 1.0. CLRX's kernel for Catalyst loads buffer descriptors from the table of UAVs; a
// kernel of the HSA ABI gets addresses, and makes the descriptors of them.

.amdgcn_target "amdgcn-amd-amdhsa--gfx600"

.text
.globl reverseBits
.p2align 8
.type reverseBits,@function
reverseBits:
    // In: s[0:1] = dispatch packet, s[2:3] = kernel arguments, s4 = number of the workgroup, v0 = work-item in it.
    // Constant offsets of scalar loads count dwords until GCN 1.2.
    s_load_dword        s5, s[0:1], 0x1           // work-items of a workgroup in x; the upper half has those in y
    s_load_dword        s6, s[2:3], 0x0           // count
    s_load_dwordx2      s[8:9], s[2:3], 0x2       // input
    s_load_dwordx2      s[12:13], s[2:3], 0x4     // output
    s_getpc_b64         s[16:17]                  // the address of the next instruction
.Lhere:
    s_add_u32           s16, s16, reversed - .Lhere // how far the table lies behind it
    s_addc_u32          s17, s17, 0               // s[16:17] = the table's address

    // Descriptors of all memory behind input, output and the table; each lane adds its 64-bit offset (addr64).
    s_mov_b32           s10, -1                   // no limit
    s_mov_b32           s11, 0x100f000            // data format: dwords; addresses as the host has them
    s_mov_b64           s[14:15], s[10:11]
    s_mov_b64           s[18:19], s[10:11]
    s_waitcnt           lgkmcnt(0)
    s_and_b32           s5, s5, 0xffff
    s_mul_i32           s4, s4, s5
    v_add_i32           v0, vcc, s4, v0           // i
    v_cmp_gt_u32        vcc, s6, v0
    s_and_b64           exec, exec, vcc
    s_cbranch_execz     .Lend
    v_mov_b32           v1, 0                     // v[0:1] = i, 64 bits
    buffer_load_ubyte   v2, v[0:1], s[8:11], 0 addr64
    v_mov_b32           v3, 0                     // v[2:3] = the byte, 64 bits
    s_waitcnt           vmcnt(0)
    buffer_load_ubyte   v2, v[2:3], s[16:19], 0 addr64
    s_waitcnt           vmcnt(0)
    buffer_store_byte   v2, v[0:1], s[12:15], 0 addr64
.Lend:
    s_endpgm
.LreverseBits_end:
.size reverseBits, .LreverseBits_end - reverseBits

// Each byte with its bits in reverse order.
reversed:
.set byte, 0
.rept 256
    .set pairs, (byte & 0x55) << 1 | (byte & 0xaa) >> 1      // neighbours swapped: single bits …
    .set fours, (pairs & 0x33) << 2 | (pairs & 0xcc) >> 2    // … then pairs …
    .byte (fours & 0x0f) << 4 | (fours & 0xf0) >> 4          // … then halves
    .set byte, byte + 1
.endr

.rodata
.p2align 6
.amdhsa_kernel reverseBits
    .amdhsa_user_sgpr_dispatch_ptr 1
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_system_vgpr_workitem_id 0
    .amdhsa_kernarg_size 24
    .amdhsa_next_free_vgpr 4
    .amdhsa_next_free_sgpr 20
.end_amdhsa_kernel

.amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.kernels:
  - .name: reverseBits
    .symbol: reverseBits.kd
    .kernarg_segment_size: 24
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 22
    .vgpr_count: 4
    .max_flat_workgroup_size: 256
    .args:
      - { .name: count,  .type_name: uint,     .offset: 0,  .size: 4, .value_kind: by_value }
      - { .name: input,  .type_name: 'uchar*', .offset: 8,  .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .name: output, .type_name: 'uchar*', .offset: 16, .size: 8, .value_kind: global_buffer, .address_space: global }
...
.end_amdgpu_metadata
