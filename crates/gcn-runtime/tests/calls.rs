//! Tests calls to functions in other code objects and to code written by a program.

use gcn_asm::{Options, Source, assemble};
use gcn_runtime::{Argument, Device, Engine, Error, Kernel, Module};

/// Kernel that calls the function at an address and stores its result, v1, to `out`.
const CALLER: &str = "
.globl caller
.type caller,@function
caller:
  s_load_dwordx4 s[0:3], s[0:1], 0x0
  v_lshlrev_b32 v0, 2, v0
  s_waitcnt lgkmcnt(0)
  s_swappc_b64 s[30:31], s[2:3]
  global_store_dword v0, v1, s[0:1]
  s_endpgm
.rodata
.p2align 6
.amdhsa_kernel caller
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 2
  .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
";

fn load(device: &Device, text: &str) -> Module {
    let options = Options::new(device.target());
    let text = format!(".text\n{text}");
    let assembly = assemble(
        &Source {
            name: "test.s",
            text: &text,
        },
        &options,
    );
    assert_eq!(assembly.diagnostics, []);
    let object = assembly.program.to_object(None).expect("an object");
    device.load(&object).expect("it loads")
}

/// Loads a module whose function `callee` returns `value`.
fn returning(device: &Device, value: u32) -> Module {
    load(
        device,
        &format!(
            ".globl callee\n.type callee,@function\ncallee:\n  v_mov_b32 v1, {value:#x}\n  s_setpc_b64 s[30:31]\n"
        ),
    )
}

fn callee(module: &Module) -> u64 {
    module
        .loaded()
        .symbol("callee")
        .expect("a function")
        .address
}

/// Returns the value that the caller stores.
fn call(caller: &Kernel, function: u64) -> Result<u32, Error> {
    let device = caller.module().device();
    let out = device.buffer("out", &[0u32; 64])?;
    let launch = caller.launch([64, 1, 1]).arg(&out);
    launch
        .arg(Argument::Bytes(function.to_le_bytes().to_vec()))
        .run(&device.queue())?;
    Ok(out.read::<u32>().expect("it is there")[63])
}

#[test]
fn kernels_call_functions_of_other_objects_and_no_stale_ones() -> Result<(), Error> {
    for target in ["gfx803", "gfx900", "gfx906"] {
        let device = Device::new(target)?;
        let caller = match target {
            "gfx803" => CALLER.replace(
                "global_store_dword v0, v1, s[0:1]",
                "v_mov_b32 v3, s1\n  v_add_u32 v2, vcc, s0, v0\n  v_addc_u32 v3, vcc, 0, v3, vcc\n  flat_store_dword v[2:3], v1",
            ).replace("next_free_vgpr 2", "next_free_vgpr 4"),
            _ => CALLER.to_owned(),
        };
        let caller = load(&device, &caller).kernel("caller")?;
        let (first, second) = (returning(&device, 42), returning(&device, 43));
        assert_eq!(call(&caller, callee(&first))?, 42);
        assert_eq!(call(&caller, callee(&second))?, 43);
        let gone = callee(&first);
        drop(first);
        let Err(Error::Fault(completion)) = call(&caller, gone) else {
            panic!("there is no code at the address");
        };
        let text = completion.describe();
        assert!(text.contains("the program counter left the code"), "{text}");
        // The call executes the code now loaded at this address.
        let third = returning(&device, 44);
        assert_eq!(call(&caller, callee(&third))?, 44);
        assert_eq!(call(&caller, callee(&second))?, 43);
    }
    Ok(())
}

#[test]
fn counters_that_another_object_reads_do_not_depend_on_the_engine() -> Result<(), Error> {
    /// Calls a function again and again while a load is outstanding, and returns s5.
    const CALLS: &str = "
  s_movk_i32 s4, 30000
  s_mov_b32 s5, 0
again:
  global_load_dword v1, v0, s[0:1]
  s_swappc_b64 s[30:31], s[2:3]
  s_waitcnt vmcnt(0)
  s_sub_u32 s4, s4, 1
  s_cmp_lg_u32 s4, 0
  s_cbranch_scc1 again
  v_mov_b32 v1, s5";
    let device = Device::new("gfx900")?;
    let text = CALLER.replace("s_swappc_b64 s[30:31], s[2:3]", CALLS);
    let reader = load(
        &device,
        ".globl callee\n.type callee,@function\ncallee:\n  s_getreg_b32 s6, hwreg(HW_REG_IB_STS, 0, 4)\n  \
         s_add_u32 s5, s5, s6\n  s_setpc_b64 s[30:31]\n",
    );
    let mut sums = Vec::new();
    for engine in [Engine::Interpreter, Engine::Compiled] {
        engine.set();
        let caller = load(&device, &text).kernel("caller")?;
        sums.push(call(&caller, callee(&reader))?);
    }
    Engine::Auto.set();
    assert!(sums[0] > 0 && sums[0] == sums[1], "{sums:?}");
    Ok(())
}

#[test]
fn code_that_a_program_writes_is_executed_as_it_is_at_the_launch() -> Result<(), Error> {
    let device = Device::new("gfx906")?;
    let caller = load(&device, CALLER).kernel("caller")?;
    let memory = device.memory();
    let address = memory.allocate("code", 4096).expect("memory");
    let mut written = Vec::new();
    for value in [7, 8] {
        let code = returning(&device, value);
        let mut bytes = [0; 12];
        assert!(memory.read(callee(&code), &mut bytes));
        written.push(bytes);
    }
    memory.write(address, &written[0]);
    assert!(call(&caller, address).is_err(), "it is data");
    assert!(memory.make_executable(address, 4096));
    assert!(!memory.make_executable(address, 4097) && !memory.make_executable(0x1000, 1));
    assert_eq!(call(&caller, address)?, 7);
    memory.write(address, &written[1]);
    assert_eq!(call(&caller, address)?, 8);
    memory.free(address).expect("it is allocated");
    assert!(call(&caller, address).is_err(), "it is freed");
    Ok(())
}
