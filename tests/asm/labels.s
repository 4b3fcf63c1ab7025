// RUN: tahiti bonaire fiji gfx900 gfx906
// Labels of every kind, before and behind what uses them.

start:
s_branch start
s_branch end
one: two: s_nop 0
s_cbranch_scc0 one
s_cbranch_scc1 two+4
1:
s_cbranch_vccz 1b
s_cbranch_execz 1f
1: s_nop 1
.Llocal:
s_cbranch_execnz .Llocal
s_branch .
s_branch .+8
s_branch -1
s_branch 0xffff
$dollar: s_cbranch_vccnz $dollar
end:
s_endpgm
