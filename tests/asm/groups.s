// RUN: tahiti fiji gfx906
// Sections of groups, as compilers make them of templates, and sections that belong to others.

.section .text.of_template,"axG",@progbits,of_template,comdat
s_nop 1
// GCN all: [0x01,0x00,0x80,0xbf]
.section .rodata.of_template,"aG",@progbits,of_template,comdat
.byte 7
// GCN all: section .rodata.of_template [0x07]
.section .merged,"aMG",@progbits,4,"of_template"
.long 9
// GCN all: section .merged [0x09,0x00,0x00,0x00]
.section .ordered,"ao",@progbits,.merged
.byte 1
// GCN all: section .ordered [0x01]
.section .wrong,"aG",@progbits,of_template,other
// GCN all: error: only `comdat` may follow the name of a group
