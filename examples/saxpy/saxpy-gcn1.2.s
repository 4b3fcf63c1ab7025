// ys[i] = a * xs[i] + ys[i] for i < count, on GCN 1.2 (gfx803).
//
// Run it from the root of the repository:
//
//     cargo run --release -- run examples/saxpy/launch-gcn1.2.toml
//
// The kernel takes four arguments, which lie one after the other in the argument segment:
//
//     offset  0  count  u32       number of elements
//     offset  4  a      f32       factor
//     offset  8  xs     address   count floats, read
//     offset 16  ys     address   count floats, read and written

.amdgcn_target "amdgcn-amd-amdhsa--gfx803"

.text
.globl saxpy
.p2align 8
.type saxpy,@function
saxpy:
    // s[0:1] is the address of the arguments and s2 the number of the workgroup, as the descriptor below asks for;
    // v0 is the number of the work-item within the workgroup, 0 to 63.
    s_load_dwordx2 s[4:5], s[0:1], 0x0          // s4 = count, s5 = a
    s_load_dwordx4 s[8:11], s[0:1], 0x8         // s[8:9] = xs, s[10:11] = ys
    s_lshl_b32 s3, s2, 6
    v_add_u32 v0, vcc, s3, v0                   // i = 64 * workgroup + work-item; the carry goes to VCC

    // The scalar loads must have arrived before their registers are read.
    s_waitcnt lgkmcnt(0)

    // Lanes beyond the end of the arrays are switched off; if that is all of them there is nothing to do.
    v_cmp_gt_u32 vcc, s4, v0
    s_and_saveexec_b64 s[6:7], vcc
    s_cbranch_execz done

    // FLAT has neither a scalar base nor an offset on GCN 1.2: each lane adds up its 64-bit address.
    v_lshlrev_b32 v1, 2, v0                     // offset in bytes
    v_mov_b32 v3, s9
    v_add_u32 v2, vcc, s8, v1
    v_addc_u32 v3, vcc, 0, v3, vcc              // v[2:3] = address of xs[i]
    v_mov_b32 v5, s11
    v_add_u32 v4, vcc, s10, v1
    v_addc_u32 v5, vcc, 0, v5, vcc              // v[4:5] = address of ys[i]
    flat_load_dword v6, v[2:3]                  // xs[i]
    flat_load_dword v7, v[4:5]                  // ys[i]

    // A FLAT address may lie in LDS, so FLAT counts on both counters.
    s_waitcnt vmcnt(0) lgkmcnt(0)
    v_mac_f32 v7, s5, v6                        // ys[i] + a * xs[i]
    flat_store_dword v[4:5], v7
done:
    s_endpgm
.Lend:
.size saxpy, .Lend-saxpy

// What the hardware sets up before the first instruction.
.rodata
.p2align 6
.amdhsa_kernel saxpy
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_next_free_vgpr 8
    .amdhsa_next_free_sgpr 12
.end_amdhsa_kernel

// What a launcher needs to know about the arguments: their names, places and kinds.
.amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.kernels:
  - .name: saxpy
    .symbol: saxpy.kd
    .kernarg_segment_size: 24
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 18
    .vgpr_count: 8
    .max_flat_workgroup_size: 64
    .args:
      - { .name: count, .offset: 0, .size: 4, .value_kind: by_value, .type_name: uint }
      - { .name: a, .offset: 4, .size: 4, .value_kind: by_value, .type_name: float }
      - { .name: xs, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global, .type_name: float* }
      - { .name: ys, .offset: 16, .size: 8, .value_kind: global_buffer, .address_space: global, .type_name: float* }
...
.end_amdgpu_metadata
