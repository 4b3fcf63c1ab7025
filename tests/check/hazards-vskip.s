// RUN: tahiti bonaire fiji gfx900 gfx906
// S_SETREG makes the wave skip vector instructions, and S_SETVSKIP no more: two wait states are missing behind each.
//! grid = 64
//! args = { out = "u32*64" }
// GCN all: error[missing-wait-states]: a vector instruction follows too soon after S_SETREG has written MODE.VSKIP
// GCN all: --> check/hazards-vskip.s:62:5
// GCN all: |
// GCN all: 62 |     v_mov_b32 v1, v0                    // reported: may be executed, or skipped
// GCN all: |     ^^^^^^^^^ needs 2 wait states before it, has 0
// GCN all: |
// GCN all: ::: check/hazards-vskip.s:61:5
// GCN all: |
// GCN all: 61 |     s_setreg_imm32_b32 hwreg(HW_REG_MODE, 28, 1), 1
// GCN all: |     ------------------ counted from this instruction
// GCN all: |
// GCN all: = note: needs 2 wait states before it, has 0: `v_mov_b32_e32 v1, v0`, at kernel+0x8, workgroup 0,0,0, wave 0
// GCN all: = note: counted from this instruction: `s_setreg_imm32_b32 hwreg(HW_REG_MODE, 28, 1), 0x1`, at kernel+0x0, workgroup 0,0,0, wave 0
// GCN all: = note: kernel kernel, once
// GCN all: = help: `s_nop 1` before the instruction
// GCN all: 
// GCN all: error[missing-wait-states]: a hardware register is read too soon after it has been written
// GCN all: --> check/hazards-vskip.s:64:5
// GCN all: |
// GCN all: 64 |     s_getreg_b32 s4, hwreg(HW_REG_MODE) // reported: may have the old bit
// GCN all: |     ^^^^^^^^^^^^ needs 2 wait states before it, has 0
// GCN all: |
// GCN all: ::: check/hazards-vskip.s:63:5
// GCN all: |
// GCN all: 63 |     s_setvskip 0, 0
// GCN all: |     ---------- counted from this instruction
// GCN all: |
// GCN all: = note: needs 2 wait states before it, has 0: `s_getreg_b32 s4, hwreg(HW_REG_MODE)`, at kernel+0x10, workgroup 0,0,0, wave 0
// GCN all: = note: counted from this instruction: `s_setvskip 0, 0`, at kernel+0xc, workgroup 0,0,0, wave 0
// GCN all: = note: kernel kernel, once
// GCN all: = help: `s_nop 1` before the instruction
// GCN all: 
// GCN 1.0, 1.1: 2 errors
// GCN 1.2, 1.4, 1.4.1: error[missing-wait-states]: a hardware register is written too soon after S_SETREG has written it
// GCN 1.0, 1.1: exit status 3
// GCN 1.2, 1.4, 1.4.1: --> check/hazards-vskip.s:67:5
// GCN 1.2, 1.4, 1.4.1: |
// GCN 1.2, 1.4, 1.4.1: 67 |     s_setreg_imm32_b32 hwreg(HW_REG_MODE, 28, 1), 0
// GCN 1.2, 1.4, 1.4.1: |     ^^^^^^^^^^^^^^^^^^ needs 2 wait states before it, has 1
// GCN 1.2, 1.4, 1.4.1: |
// GCN 1.2, 1.4, 1.4.1: ::: check/hazards-vskip.s:65:5
// GCN 1.2, 1.4, 1.4.1: |
// GCN 1.2, 1.4, 1.4.1: 65 |     s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0
// GCN 1.2, 1.4, 1.4.1: |     ------------------ counted from this instruction
// GCN 1.2, 1.4, 1.4.1: |
// GCN 1.2, 1.4, 1.4.1: = note: needs 2 wait states before it, has 1: `s_setreg_imm32_b32 hwreg(HW_REG_MODE, 28, 1), 0x0`, at kernel+0x20, workgroup 0,0,0, wave 0
// GCN 1.2, 1.4, 1.4.1: = note: counted from this instruction: `s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0x0`, at kernel+0x14, workgroup 0,0,0, wave 0
// GCN 1.2, 1.4, 1.4.1: = note: kernel kernel, once
// GCN 1.2, 1.4, 1.4.1: = help: `s_nop 0` before the instruction
// GCN 1.2, 1.4, 1.4.1: 
// GCN 1.2, 1.4, 1.4.1: 3 errors
// GCN 1.2, 1.4, 1.4.1: exit status 3
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_setreg_imm32_b32 hwreg(HW_REG_MODE, 28, 1), 1
    v_mov_b32 v1, v0                    // reported: may be executed, or skipped
    s_setvskip 0, 0
    s_getreg_b32 s4, hwreg(HW_REG_MODE) // reported: may have the old bit
    s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0
    v_mov_b32 v1, v0                    // another bit of MODE
    s_setreg_imm32_b32 hwreg(HW_REG_MODE, 28, 1), 0
    s_nop 1
    v_mov_b32 v1, v0                    // two wait states: enough
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
