// RUN: tahiti bonaire fiji gfx900 gfx906
// Directives that make data, in a section of their own.

.data
table:
.byte 1, -1, 0xff, 'A'
.short 0x1234, -2
.hword 3
.2byte 4
.long 0x12345678, -1, after - table
.int 5
.4byte 6
.quad 0x123456789abcdef0, -1
.8byte 7
.float 1.0, -0.5
.double 2.0
.ascii "ab\n\x41\101"
.asciz "c", "d"
.string "e"
.space 3
.zero 2
.skip 2, 0xaa
.fill 2, 2, 0xbeef
.p2align 3
after:
.byte 9
.balign 4, 0x55
// GCN all: section .data []
.text
s_nop 0
.p2align 4
s_endpgm
