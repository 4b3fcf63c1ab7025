// RUN: tahiti gfx900
s_nop 0 /* ends here */             // not here: /*
.ascii "/*"
.ascii "/*                          //~ ERROR unterminated string
.p2align 2
s_nop 0 /* nor does this            //~ ERROR unterminated comment
s_endpgm
