// RUN: tahiti bonaire fiji gfx900 gfx906
// Kernel descriptors.
.text
one:
two:
three:
four:
five:
  s_endpgm
.amdhsa_kernel one                  //~ NOTE kernel `one` does not state its registers
  .amdhsa_next_free_sgpr 8
  .amdhsa_bogus 1                   //~ ERROR unknown directive `.amdhsa_bogus`
.end_amdhsa_kernel
.amdhsa_kernel two
  .amdhsa_next_free_vgpr 300        //~ ERROR 300
  .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
.amdhsa_kernel three
  .amdhsa_next_free_vgpr 4
  .amdhsa_next_free_sgpr 8
  .amdhsa_ieee_mode 2               //~ ERROR 2
.end_amdhsa_kernel
.amdhsa_kernel nowhere              //~ ERROR no label
  .amdhsa_next_free_vgpr 4
  .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
.amdhsa_next_free_vgpr 4            //~ ERROR .amdhsa_next_free_vgpr
.amdhsa_kernel five                 //~ ERROR `.amdhsa_kernel five` is not closed
