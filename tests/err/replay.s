// RUN: fiji
// XNACK_MASK, on chips that do not replay faulting accesses.
s_mov_b64 xnack_mask, s[2:3]        //~ ERROR has no register `xnack_mask`
v_mov_b32 v0, xnack_mask_lo         //~ ERROR has no register `xnack_mask_lo`
