// RUN: tahiti gfx900
s_nop 0 /* ends here */             // not here: /*
.ascii "/*"
.ascii "/*                          //~ ERROR the string does not end
.p2align 2
s_nop 0 /* nor does this            //~ ERROR the comment does not end
s_endpgm
