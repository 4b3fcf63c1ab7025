// RUN: tahiti gfx900
// What people expect of an assembler beside instructions: the rarer half of GNU as and LLVM's AsmParser.

.section .counted, "a"
.macro counted a, b=7
  .byte \a, \b, \+
.endm
counted 1
counted b=2, a=3
counted 4, 5
.rept 3
  .byte \+
.endr
.irp x, 7, 8
  .byte \x, \+
.endr

.section .alternate, "a"
.altmacro
.macro sum a, b
  .byte a, b, \a
.endm
sum %(1+2), 4
.macro quote text
  .ascii "&text"
.endm
quote <x, y!> <z>>
.macro unique a
  LOCAL x, y
x:
  .byte a
y:
  .byte y - x
.endm
unique 3
unique 4
.macro joined a
v&a&_1 = 5
  .byte v&a&_1, a
.endm
joined 9
.noaltmacro
.macro plain a
  .ascii "a\a"
.endm
plain b

.section .numbers, "a"
.octa 0x0123456789abcdef0123456789abcdef, -1, 340282366920938463463374607431768211455
.value 1
.dc.b 1, 2
.dc.w 3
.dc.l 4
.dc.a 5
.dcb.w 2, 0x1234
.ds.w 2
.float .5, 0x1p0, 0x1.8p1, -0x1p-3, 0x.8p1, inf, -infinity, nan, 0x1p-149, 0x1.000001p0, 0x1.0000011p0, 0x1p128, 0x3p-150
.float 3.4028236e38, 1.00000017881393432617187499, 16777217
.double 0x1p-1074, 0x1.fffffffffffff8p0, -0x0p0, 0x123456789abcdef01p0, 1e308

.section .texts, "a"
.ascii "ab" "cd", "e"
.asciz "ab" "cd"
.string "\b\f\n\r\t\"\\\x41\x4142\101\0"

.section .places, "a"
.byte 1
. = . + 3
.byte 2
. = 8
.byte 3
.org 0xc, 0xff
.byte 4
.eqv late, later + 1
.set later, 5
.byte late
once == 6
.byte once
.line 5
.version "x"
