// ys[i] = a * xs[i] + ys[i] for i < count, on GCN 1.4 (gfx900).
//
// Run it from the root of the repository:
//
//     cargo run --release -- run examples/saxpy/launch.toml
//
// The kernel takes four arguments, which lie one after the other in the argument segment:
//
//     offset  0  count  u32       number of elements
//     offset  4  a      f32       factor
//     offset  8  xs     address   count floats, read
//     offset 16  ys     address   count floats, read and written

.amdgcn_target "amdgcn-amd-amdhsa--gfx900"

.text
.globl saxpy
.p2align 8
.type saxpy,@function
saxpy:
    // s[0:1] is the address of the arguments and s2 the number of the workgroup, as the descriptor below asks for;
    // v0 is the number of the work-item within the workgroup, 0 to 63.
    s_load_dwordx2 s[4:5], s[0:1], 0x0          // s4 = count, s5 = a
    s_load_dwordx4 s[8:11], s[0:1], 0x8         // s[8:9] = xs, s[10:11] = ys
    v_lshl_add_u32 v0, s2, 6, v0                // i = 64 * workgroup + work-item

    // The scalar loads must have arrived before their registers are read.
    s_waitcnt lgkmcnt(0)

    // Lanes beyond the end of the arrays are switched off; if that is all of them there is nothing to do.
    v_cmp_gt_u32 vcc, s4, v0
    s_and_saveexec_b64 s[6:7], vcc
    s_cbranch_execz done

    // GLOBAL with a scalar base: the address of lane l is s[8:9] + v1[l].
    v_lshlrev_b32 v1, 2, v0                     // offset in bytes
    global_load_dword v2, v1, s[8:9]            // xs[i]
    global_load_dword v3, v1, s[10:11]          // ys[i]
    s_waitcnt vmcnt(0)
    v_mac_f32 v3, s5, v2                        // ys[i] + a * xs[i]
    global_store_dword v1, v3, s[10:11]
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
    .amdhsa_next_free_vgpr 4
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
    .vgpr_count: 4
    .max_flat_workgroup_size: 64
    .args:
      - { .name: count, .offset: 0, .size: 4, .value_kind: by_value, .type_name: uint }
      - { .name: a, .offset: 4, .size: 4, .value_kind: by_value, .type_name: float }
      - { .name: xs, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global, .type_name: float* }
      - { .name: ys, .offset: 16, .size: 8, .value_kind: global_buffer, .address_space: global, .type_name: float* }
...
.end_amdgpu_metadata
