// RUN: gfx900
v_mov_b32 v0,, v1                   //~ ERROR expected
.byte 1 2                           //~ ERROR expected the end of the statement
.byte 1,                            //~ ERROR expected a number or a symbol
.set x 4                            //~ ERROR expected `,`
 =x                                 //~ ERROR expected an instruction, a label or a directive
s_nopp 0                            //~ ERROR unknown instruction `s_nopp`
.lomg 0                             //~ ERROR unknown directive `.lomg`
ds_read_b32 v0, v1 ofset:4          //~ ERROR ofset
.float 0x3f800000                   //~ ERROR is not a floating-point number
.float 1.5.3                        //~ ERROR is not a floating-point number
.octa 0x123456789123456789123456789123456789 //~ ERROR is not a number of 128 bits
.fill -1, 1, 1                      //~ WARNING nothing is filled
.fill 1, 9, 1                       //~ WARNING are taken as 8 bytes
x == 1
x == 2                              //~ ERROR already defined
. = 0                               //~ ERROR cannot go back
.:                                  //~ ERROR which cannot be a label's name
.long 1LU                           //~ ERROR `1LU` is not a number
.long 09ULL                         //~ ERROR `09` is not an octal number
