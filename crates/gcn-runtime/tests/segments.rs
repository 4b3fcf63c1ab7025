//! Tests argument segments and host call handlers supplied by the caller, as used by runtimes for other APIs.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use gcn_asm::{Options, Source, assemble};
use gcn_runtime::{Buffer, Device, DeviceBuilder, HostMemory, Kernel, Launch};

/// Kernel that stores the hidden argument with the address of the host call buffer.
const TELL: &str = "
.text
.globl tell
.p2align 8
.type tell,@function
tell:
  s_load_dwordx4 s[0:3], s[0:1], 0x0
  v_mov_b32 v2, 0
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v0, s2
  v_mov_b32 v1, s3
  global_store_dwordx2 v2, v[0:1], s[0:1]
  s_endpgm
.rodata
.p2align 6
.amdhsa_kernel tell
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 3
  .amdhsa_next_free_sgpr 4
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: tell
    .symbol: tell.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 4
    .vgpr_count: 3
    .args:
      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .offset: 8, .size: 8, .value_kind: hidden_hostcall_buffer }
...
.end_amdgpu_metadata
";

/// Buffer address that the runtime did not allocate.
const FOREIGN: u64 = 0x1234_5678_9abc;

fn code(device: &Device) -> Vec<u8> {
    let source = Source {
        name: "tell.s",
        text: TELL,
    };
    let assembly = assemble(&source, &Options::new(device.target()));
    assert!(!assembly.has_errors(), "{:?}", assembly.diagnostics);
    assembly.program.to_object(None).expect("an object")
}

fn builder() -> DeviceBuilder {
    Device::builder("gfx900").expect("a target").threads(1)
}

/// Returns the `tell` kernel and the buffer to which it stores the address.
fn tell(device: &Device) -> (Kernel, Buffer) {
    let module = device.load(code(device)).expect("it loads");
    let told = device.allocate("told", 8).expect("memory");
    (module.kernel("tell").expect("it is there"), told)
}

/// Returns the address that the kernel received.
fn seen(launch: Launch, told: &Buffer) -> u64 {
    let queue = launch.kernel().module().device().queue();
    let done = launch.submit(&queue).expect("it can be launched");
    done.wait().expect("no fault");
    told.read::<u64>().expect("it is there")[0]
}

#[test]
fn the_runtime_answers_calls_to_the_host_unless_told_not_to() {
    let device = builder().build();
    let (kernel, told) = tell(&device);
    let launch = || kernel.launch([1, 1, 1]);
    assert_ne!(seen(launch().arg(&told), &told), 0, "a buffer of its own");
    let raw = [told.address(), FOREIGN].map(u64::to_le_bytes).concat();
    let own = seen(launch().raw_arguments(raw.clone()), &told);
    assert_ne!(own, FOREIGN, "hidden arguments are the runtime's");

    let device = builder().without_host_calls().build();
    let (kernel, told) = tell(&device);
    let launch = || kernel.launch([1, 1, 1]);
    assert_eq!(seen(launch().arg(&told), &told), 0, "there is none");
    let raw = [told.address(), FOREIGN].map(u64::to_le_bytes).concat();
    assert_eq!(seen(launch().raw_arguments(raw), &told), FOREIGN);
}

#[test]
fn a_segment_of_the_callers_is_used_where_it_is() {
    let device = builder().build();
    let (kernel, told) = tell(&device);
    let launch = || kernel.launch([1, 1, 1]);
    let contents = [told.address(), FOREIGN];
    let segment = device.buffer("segment", &contents).expect("memory");
    let used = device.usage().0;
    assert_eq!(
        seen(launch().arguments_at(segment.address()), &told),
        FOREIGN
    );
    assert_eq!(
        segment.read::<u64>().expect("it is there"),
        contents,
        "nothing is written to it"
    );
    assert_eq!(device.usage().0, used, "the launch has left nothing");

    segment.write(1, &[7u64]).expect("it is there");
    assert_eq!(seen(launch().arguments_at(segment.address()), &told), 7);

    let cells: Arc<[AtomicU64]> = [told.address(), 9].map(AtomicU64::new).into();
    let shared = HostMemory::register(&device, "cells", cells).expect("not yet");
    assert_eq!(seen(launch().arguments_at(shared.address()), &told), 9);

    let nowhere = launch().arguments_at(0x40).submit(&device.queue());
    let error = nowhere.expect("sizes are good").wait();
    let error = error.expect_err("nothing is mapped there").to_string();
    assert!(error.contains("unmapped address 0x40"), "{error}");
}
