// RUN: tahiti bonaire fiji gfx900 gfx906
twice:
twice:                              //~ ERROR twice
ds_read_b32 v1, v2 offset:nowhere   //~ ERROR nowhere
.long 1 +                           //~ ERROR expected a number or a symbol, found the end of the statement
.long 1 / 0                         //~ ERROR division by zero
.byte 256                           //~ ERROR 256 is out of range -128 to 255
.ascii "open                       
//~^ ERROR unterminated string
.p2align 40                         //~ ERROR the alignment is 40, out of range 0 to 16
s_branch elsewhere                  //~ ERROR symbol elsewhere is not defined
.comm large, 4, 17                  //~ ERROR 2 to the power of 17
.comm below, 4, -1                  //~ ERROR 2 to the power of -1
