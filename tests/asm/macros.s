// RUN: tahiti bonaire fiji gfx900 gfx906
// Macros, loops, conditions and assignments: what they expand to stands in the data of sections.

.section .arguments, "a"
// GCN all: section .arguments [0x01,0x02,0x03,0x01,0x07,0x03,0x01,0x07,0x09,0x01,0x02,0x03,0x03,0x03,0xff,0x01,0x03,0x02,0xee,0xee]
.macro pair a, b=7, c:req
.byte \a, \b, \c
.endm
pair 1, 2, 3
pair 1, , 3
pair c=9, a=1
pair 1 2 3
pair (1 + 2), 4 - 1, -1
pair a = 1, c = 2, b = 3
.macro noargs
.byte 0xee
.endm
noargs
noargs // comment

.section .rest, "a"
// GCN all: section .rest [0x01,0x02,0x03,0x04,0x68,0x65,0x6c,0x6c,0x6f,0x74,0x77,0x6f,0x20,0x77,0x6f,0x72,0x64,0x73,0x05,0x0a,0x61,0x62,0x2c,0x20,0x63]
.macro bytes first:req, others:vararg
.byte \first
.ifnb \others
bytes \others
.endif
.endm
bytes 1, 2, 3, 4
.macro text t
.ascii "\t"
.endm
text hello
text "two words"
.macro glued reg, n
.set x\reg\()_\n, \n
.byte x\reg\()_\n, x\reg\()_\n + \n
.endm
glued v, 5
.macro greet rest:vararg
.ascii \rest
.endm
greet "a", "b, c" // the end

.section .counter, "a"
// GCN all: section .counter [0x10,0x00,0x11,0x02,0x01,0xaa,0x01,0xaa,0x02,0xff,0x03,0x05,0x04,0x03,0x02,0x01]
.macro unique
here_\@: .byte \@, here_\@ - .counter_start
.endm
.counter_start:
unique
unique
.macro nested
.macro inner v
.byte \v, 0xaa
.endm
inner 1
.purgem inner
.endm
nested
nested
.macro leave n
.byte \n
.if \n > 2
.exitm
.endif
.byte 0xff
.endm
leave 2
leave 3
.macro count n
.if \n
.byte \n
count (\n-1)
.endif
.endm
count 5

.section .loops, "a"
// GCN all: section .loops [0x00,0x00,0x01,0x02,0x02,0x04,0x03,0x06,0x04,0x05,0x06,0xcc,0x07,0x08,0x09,0xcc,0x01,0x09,0x0a,0x02,0x0a,0x0b,0x07,0x0f,0x10,0x05,0x0d,0x0e,0x0a,0x01,0x03,0x03,0x03,0x03,0x1f,0x20]
.set i, 0
.rept 4
.byte i, i * 2
.set i, i + 1
.endr
.rept 0
.byte 0xbb
.endr
.rept 2
.rept 3
.byte i
i = i + 1
.endr
.byte 0xcc
.endr
.irp v, 1, 2, (3 + 4), 5
.byte \v
.irp w, 8, 9
.byte \v + \w
.endr
.endr
.irpc c, a13
.byte 0x\c
.endr
.macro loop_in n
.rept \n
.byte \n
.endr
.irp k, 1, 2
.byte \n\k
.endr
.endm
loop_in 3

.section .conditions, "a"
// GCN all: section .conditions [0x01,0x00,0x01,0x00,0x01,0x01,0x00,0x01,0x00,0x01,0x00,0x01,0x00,0x01,0x00,0x01,0x00,0x01,0x00,0x00,0x01,0x01,0x02,0x00,0x03,0x05,0x06,0x11,0x12,0x13,0x15,0x16]
.macro test what, a
.if\what \a
.byte 1
.else
.byte 0
.endif
.endm
test , 1
test , 0
test eq, 0
test eq, 1
test ne, 1
test gt, 1
test gt, 0
test ge, 0
test ge, -1
test lt, -1
test lt, 0
test le, 0
test le, 1
test def, i
test def, nowhere
test ndef, nowhere
test ndef, i
test b
test b, x
test nb
test nb, x
.macro same a, b
.ifc \a, \b
.byte 1
.else
.byte 0
.endif
.ifnc \a, \b
.byte 3
.else
.byte 2
.endif
.endm
same v1, v1
same v1, v2
.ifeqs "a b", "a b"
.byte 5
.endif
.ifnes "a b", "a c"
.byte 6
.endif
.macro choose n
.if \n == 1
.byte 0x11
.elseif \n == 2
.byte 0x12
.if 0
.elseif 1
.byte 0x13
.else
.byte 0x14
.endif
.elseif \n == 3
.byte 0x15
.else
.byte 0x16
.endif
.endm
choose 1
choose 2
choose 3
choose 4
.if 0
this is not read
.if 1
.byte 0
.else
nor is this
.endif
.endif

.section .origin, "a"
// GCN all: section .origin [0x01,0x00,0x00,0x00,0x02,0xee,0xee,0xee,0x03,0x0c,0x02,0x00]
.byte 1
.org 4
.byte 2
.origin_label:
.org .origin_label + 3, 0xee
.byte 3
.equiv fixed, 12
.equ again, 1
.equ again, again + 1
.byte fixed, again
.balign 4

.text
.macro move dst, src
v_mov_b32 \dst, \src
.endm
.macro wait
s_nop 1
s_nop 2
.endm
.set r, 1
1: .rept 2
s_mov_b32 s0, r
.set r, r + 1
.endr
.irp reg, v1, v[2], v3
move \reg, v0
.endr
wait
.rept 2
1: s_nop 0
s_branch 1b
s_branch 2f
.endr
2: .macro s_endpgm
s_nop 7
.endm
s_endpgm
.purgem s_endpgm
s_endpgm
.end
nothing of this is read
