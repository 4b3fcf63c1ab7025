// RUN: tahiti bonaire fiji gfx900 gfx906
twice:
twice:                              //~ ERROR twice
s_branch nowhere                    //~ ERROR nowhere
ds_read_b32 v1, v2 offset:nowhere   //~ ERROR nowhere
.long 1 +                           //~ ERROR
.long 1 / 0                         //~ ERROR
.byte 256                           //~ ERROR
.ascii "open                       
//~^ ERROR
.p2align 40                         //~ ERROR
