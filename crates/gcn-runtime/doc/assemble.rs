// For examples: kernels in code objects for gfx900. `add_one` adds 1 to each of a buffer's dwords, `scale` multiplies them.
pub const ADD_ONE: &str = "
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

// This one has metadata, which name and type its parameters: `uint *xs, uint factor`.
pub const SCALE: &str = "
.text
.globl scale
.p2align 8
.type scale,@function
scale:
  s_load_dwordx2 s[2:3], s[0:1], 0x0
  s_load_dword s4, s[0:1], 0x8
  v_lshlrev_b32 v0, 2, v0
  s_waitcnt lgkmcnt(0)
  global_load_dword v1, v0, s[2:3]
  s_waitcnt vmcnt(0)
  v_mul_lo_u32 v1, v1, s4
  global_store_dword v0, v1, s[2:3]
  s_endpgm
.rodata
.p2align 6
.amdhsa_kernel scale
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 2
  .amdhsa_next_free_sgpr 5
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: scale
    .symbol: scale.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 5
    .vgpr_count: 2
    .args:
      - { .name: xs, .type_name: 'uint*', .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .name: factor, .type_name: uint, .offset: 8, .size: 4, .value_kind: by_value }
...
.end_amdgpu_metadata
";

pub fn assembled(text: &str) -> Vec<u8> {
    let target = gcn_isa::Target::named("gfx900").expect("a target");
    let source = gcn_asm::Source { name: "example.s", text };
    let assembly = gcn_asm::assemble(&source, &gcn_asm::Options::new(target));
    assert!(!assembly.has_errors(), "{:?}", assembly.diagnostics);
    assembly.program.to_object(None).expect("a code object")
}

pub fn add_one() -> Vec<u8> {
    assembled(ADD_ONE)
}

pub fn scale() -> Vec<u8> {
    assembled(SCALE)
}

// A device, and a kernel of the text on it.
pub fn kernel(text: &str, name: &str) -> (gcn_runtime::Device, gcn_runtime::Kernel) {
    let device = gcn_runtime::Device::new("gfx900").expect("a target");
    let module = device.load(&assembled(text)).expect("it loads");
    (device, module.kernel(name).expect("it is there"))
}

pub fn add_one_kernel() -> (gcn_runtime::Device, gcn_runtime::Kernel) {
    kernel(ADD_ONE, "add_one")
}

pub fn scale_kernel() -> (gcn_runtime::Device, gcn_runtime::Kernel) {
    kernel(SCALE, "scale")
}

// An object of a unit that refers to a variable of another one, as a linker makes it: `pointer` has the address of `counter`.
pub fn with_external() -> gcn_object::CodeObject<'static> {
    let variables = "
.data
.type counter,@object
counter: .quad 0
.type pointer,@object
.size pointer, 8
pointer: .quad counter
";
    let code = assembled(&(variables.to_owned() + ADD_ONE));
    let mut object = gcn_object::read(code).expect("a code object");
    let index = |name: &str| object.symbols.iter().position(|symbol| symbol.name == name).expect(name);
    let (counter, pointer) = (index("counter"), index("pointer"));
    object.symbols[counter].section = gcn_object::SymbolSection::Undefined;
    object.relocations = vec![gcn_object::Relocation {
        address: object.symbols[pointer].value,
        kind: gcn_object::RelocationKind::Abs64,
        target: gcn_object::RelocationTarget::Symbol(counter),
        addend: 0,
    }];
    object
}
