// RUN: tahiti bonaire fiji gfx900 gfx906
// Constants wherever a number may stand, 64 bits wide, with the precedence of GNU as.

.set base, 0x10
step = base * 2
.equ mask, ~0xf & 0xff
ds_read_b32 v1, v2 offset:base
ds_read_b32 v1, v2 offset:base + step
ds_read_b32 v1, v2 offset:mask
ds_read_b32 v1, v2 offset:-(-5)
ds_read_b32 v1, v2 offset:1 << 4 | 1
ds_read_b32 v1, v2 offset:(7 - 3) * 2 / 4 % 3
ds_read_b32 v1, v2 offset:0b101 ^ 017
ds_read_b32 v1, v2 offset:(0xffffffffffffffff >> 1) >> 60
step = step + 1
ds_read_b32 v1, v2 offset:step
ds_read_b32 v1, v2 offset:later - here
here:
s_nop base - 15
s_nop (base > 15) + 2
later:
s_mov_b32 s0, base + 0x1000
s_mov_b32 s0, later - here
