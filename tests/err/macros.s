// RUN: tahiti bonaire fiji gfx900 gfx906
.macro inner reg, value:req
  s_nop 0
  v_mov_b32 \reg, \value
//~^ ERROR takes one VGPR
//~^^ ERROR a floating-point constant cannot be part of an expression
.endm
.macro outer list:vararg
  .irp r, \list
    inner \r, nowhere + 1.5
  .endr
.endm
inner v1, v2, v3                    //~ ERROR too many values for the macro's parameters
inner v1                            //~ ERROR macro `inner` needs a value for `value`
inner valu=v2                       //~ ERROR macro `inner` has no parameter `valu`
inner reg=v1, v2                    //~ ERROR a value without a name cannot follow one with a name
inner w1, v2
outer v1, v2
.rept 4
  s_nop 0x10000                     //~ ERROR 65536
.endr
.rept -1                            //~ ERROR a loop cannot be repeated -1 times
.endr
.rept 1000000000                    //~ ERROR expand to too much text
  s_nop 0
.endr
.rept later                         //~ ERROR symbol `later` is not defined
.endr
.macro again
  again                             //~ ERROR nested too deep
.endm
again
.macro again                        //~ ERROR macro `again` is already defined
.endm
.purgem nothing                     //~ ERROR unknown macro `nothing`
.endm                               //~ ERROR `.endm` without `.macro`
.endr                               //~ ERROR `.endr` without
.else                               //~ ERROR `.else` without `.if`
.exitm                              //~ ERROR `.exitm` outside of macros and loops
.if later                           //~ ERROR symbol `later` is not defined
  not read
.else
  s_nop 1
.else                               //~ ERROR `.else` cannot follow `.else`
.endif
.macro own
  .error "no such thing"            //~ ERROR no such thing
  .warning "take care"              //~ WARNING take care
.endm
own
.include "none.inc"                 //~ ERROR cannot read `none.inc`
.org 1                              //~ ERROR cannot go back
.macro late value
  .byte \value                      //~ ERROR 300 is out of range
.endm
late big
.equ big, 300
.macro open
  .if 1                             //~ ERROR this condition is not closed
.endm
open
.if 1                               //~ ERROR this condition is not closed
.macro unended                      //~ ERROR `.macro` is not closed
