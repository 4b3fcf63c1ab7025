//! Programs whose only dependency is `gcn-runtime`: vector addition, a pipeline of two kernels with signals, and a checked
//! launch.

use std::error::Error;
use std::slice;
use std::sync::Arc;

use gcn_runtime::gcn_asm::{Options, Source, assemble};
use gcn_runtime::gcn_observe::check::checkers;
use gcn_runtime::gcn_observe::finding::{Check, Findings};
use gcn_runtime::{Device, Kernel};

/// Adds two vectors in workgroups of 64 work-items.
const ADD: &str = "
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_load_dwordx2 s[8:9], s[0:1], 0x10
  s_lshl_b32 s2, s2, 6
  v_add_u32 v0, s2, v0
  v_lshlrev_b32 v0, 2, v0
  s_waitcnt lgkmcnt(0)
  global_load_dword v1, v0, s[4:5]
  global_load_dword v2, v0, s[6:7]
  s_waitcnt vmcnt(0)
  v_add_u32 v1, v1, v2
  global_store_dword v0, v1, s[8:9]
";

/// Doubles each element of a vector of one workgroup.
const TWICE: &str = "
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_lshlrev_b32 v0, 2, v0
  s_waitcnt lgkmcnt(0)
  global_load_dword v1, v0, s[4:5]
  s_waitcnt vmcnt(0)
  v_lshlrev_b32 v1, 1, v1
  global_store_dword v0, v1, s[4:5]
";

/// Assembles and loads a kernel. The address of its arguments is in `s[0:1]`, the workgroup ID in `s2`.
fn kernel(device: &Device, name: &str, body: &str) -> Result<Kernel, Box<dyn Error>> {
    let text = format!(
        ".text\n.globl {name}\n.p2align 8\n.type {name},@function\n{name}:\n{body}  s_endpgm\n\
         .rodata\n.p2align 6\n.amdhsa_kernel {name}\n\
         .amdhsa_user_sgpr_kernarg_segment_ptr 1\n.amdhsa_next_free_vgpr 4\n.amdhsa_next_free_sgpr 16\n\
         .end_amdhsa_kernel\n"
    );
    let source = Source {
        name: "kernel.s",
        text: &text,
    };
    let program = assemble(&source, &Options::new(device.target())).program;
    let object = program.to_object(None)?;
    Ok(device.load(&object)?.kernel(name)?)
}

#[test]
fn vectors_are_added() -> Result<(), Box<dyn Error>> {
    let device = Device::new("gfx900")?;
    let add = kernel(&device, "add", ADD)?;
    let numbers: Vec<u32> = (0..256).collect();
    let (xs, ys) = (
        device.buffer("xs", &numbers)?,
        device.buffer("ys", &[1000u32; 256])?,
    );
    let sums = device.allocate("sums", 256 * 4)?;
    let launch = add.launch([256, 1, 1]).group([64, 1, 1]);
    launch.arg(&xs).arg(&ys).arg(&sums).run(&device.queue())?;
    let expected: Vec<u32> = (1000..1256).collect();
    assert_eq!(sums.read::<u32>()?, expected);
    Ok(())
}

#[test]
fn a_kernel_waits_for_another_one() -> Result<(), Box<dyn Error>> {
    let device = Device::new("gfx900")?;
    let twice = kernel(&device, "twice", TWICE)?;
    let next = kernel(
        &device,
        "next",
        &TWICE.replace("v_lshlrev_b32 v1, 1,", "v_add_u32 v1, 1,"),
    )?;
    let xs = device.buffer("xs", &[20u32; 64])?;
    let launch = |kernel: &Kernel| kernel.launch([64, 1, 1]).arg(&xs);
    let first = launch(&twice).submit(&device.queue())?;
    let second = launch(&next)
        .after(slice::from_ref(&first))
        .submit(&device.queue())?;
    second.wait()?;
    assert!(first.poll().is_some());
    assert_eq!(xs.read::<u32>()?, [41; 64]);
    Ok(())
}

#[test]
fn a_launch_is_checked() -> Result<(), Box<dyn Error>> {
    let device = Device::new("gfx900")?;
    let wrong = TWICE.replace("s_waitcnt vmcnt(0)", "s_nop 0");
    let twice = kernel(&device, "twice", &wrong)?;
    let xs = device.buffer("xs", &[3u32; 64])?;
    let findings = Arc::new(Findings::default());
    let observers = checkers(&[Check::Waits, Check::Bounds], &findings);
    let launch = twice.launch([64, 1, 1]).arg(&xs).observers(&observers);
    launch.run(&device.queue())?;
    let (found, _) = findings.all();
    let names: Vec<&str> = found.iter().map(|it| it.kind.name()).collect();
    assert_eq!(names, ["missing-wait"]);
    Ok(())
}
