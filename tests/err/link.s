// RUN: tahiti bonaire fiji gfx900 gfx906
// What only making a code object finds out.
s_branch nowhere                    //~ ERROR nowhere
.long elsewhere                     //~ ERROR elsewhere
