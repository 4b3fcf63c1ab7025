// For examples: a code object for gfx900 with the kernel `add_one`, which adds 1 to each of a buffer's dwords.
pub fn add_one() -> Vec<u8> {
    let text = "
.text
.globl add_one
.p2align 8
.type add_one,@function
add_one:
  s_load_dwordx2 s[0:1], s[0:1], 0x0
  v_lshlrev_b32 v0, 2, v0
  v_mov_b32 v1, 1
  s_waitcnt lgkmcnt(0)
  global_atomic_add v0, v1, s[0:1]
  s_endpgm
.rodata
.p2align 6
.amdhsa_kernel add_one
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 2
  .amdhsa_next_free_sgpr 2
.end_amdhsa_kernel
";
    let target = gcn_isa::Target::named("gfx900").expect("a target");
    let source = gcn_asm::Source { name: "add_one.s", text };
    let assembly = gcn_asm::assemble(&source, &gcn_asm::Options::new(target));
    assembly.program.to_object(None).expect("a code object")
}
