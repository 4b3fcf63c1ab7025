// Sum of each row of 16 lanes with data-parallel primitives: no LDS, no waits, but wait states.
.macro add_shifted by
    s_nop 1                                  // VALU write of v1, read by DPP: two wait states
    v_add_f32_dpp v1, v1, v1 row_shr:\by row_mask:0xf bank_mask:0xf bound_ctrl:0
.endm

row_sum:
    v_cvt_f32_u32    v1, v0
    add_shifted 1
    add_shifted 2
    add_shifted 4
    add_shifted 8
    v_readlane_b32   s0, v1, 15
    s_endpgm
