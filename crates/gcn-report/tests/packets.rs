//! Launches of dispatch packets.

use std::sync::Arc;

use gcn_asm::{Options, Source, assemble};
use gcn_report::program::Watch;
use gcn_report::settings::{CheckSettings, FindingFormat, Settings};
use gcn_runtime::hsa::Packet;
use gcn_runtime::{Device, Error};

/// Source of a kernel compiled for workgroups of at most 64 work-items; `NAME` is replaced.
const SMALL: &str = "
.text
.globl NAME
.p2align 8
.type NAME,@function
NAME:
  s_endpgm
.rodata
.p2align 6
.amdhsa_kernel NAME
  .amdhsa_next_free_vgpr 1
  .amdhsa_next_free_sgpr 1
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: NAME
    .symbol: NAME.kd
    .kernarg_segment_size: 0
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 1
    .vgpr_count: 1
    .max_flat_workgroup_size: 64
.end_amdgpu_metadata
";

/// Launches a packet for the kernel `name` with one workgroup of `items` work-items. Skips checks of the first
/// `launch_skip` launches. Returns the findings as JSON.
fn findings(name: &str, items: u32, launch_skip: u64) -> Result<String, Error> {
    let device = Device::new("gfx906")?;
    let text = SMALL.replace("NAME", name);
    let source = Source {
        name: "small.s",
        text: &text,
    };
    let assembly = assemble(&source, &Options::new(device.target()));
    assert_eq!(assembly.diagnostics, []);
    let object = assembly.program.to_object(None).expect("an object");
    let kernel = device.load(&object)?.kernel(name)?;
    let launch = kernel.launch([items, 1, 1]).group([items, 1, 1]);
    assert_eq!(
        launch.problems().len(),
        usize::from(items > 64),
        "HIP and OpenCL refuse it"
    );
    let memory = device
        .memory()
        .allocate("a queue and a packet", 4096)
        .expect("memory");
    let output =
        std::env::temp_dir().join(format!("gcn-packets-{}-{name}-{items}", std::process::id()));
    let check = CheckSettings {
        output: Some(output.clone()),
        format: FindingFormat::Json,
        launch_skip,
        ..CheckSettings::default()
    };
    let settings = Settings {
        check: Some(check),
        ..Settings::default()
    };
    let watch = Watch::new(&settings, &device).expect("settings");
    let packet = Packet {
        packet: memory,
        queue: memory + 256,
        arguments: memory + 512,
    };
    let ran = watch.run(launch.packet(packet), &device.queue(), &Arc::default());
    ran.expect("hardware executes it");
    watch.end();
    let findings = std::fs::read_to_string(&output).expect("the findings");
    std::fs::remove_file(&output).expect("a file");
    Ok(findings)
}

#[test]
fn workgroups_that_a_kernel_was_not_compiled_for_are_a_finding() -> Result<(), Error> {
    let found = findings("small", 256, 0)?;
    assert!(
        found.contains("workgroup-beyond-kernel"),
        "workgroup-beyond-kernel is not in {found}"
    );
    assert!(
        found.contains("256 work-items is too large: the kernel was compiled for at most 64"),
        "{found}"
    );
    // HIP 6.4 copies with a kernel that was compiled for smaller workgroups.
    for (name, items, launch_skip) in [
        ("small", 64, 0),
        ("small", 256, 1),
        ("__amd_rocclr_copyBuffer", 512, 0),
    ] {
        assert!(!findings(name, items, launch_skip)?.contains("workgroup-beyond-kernel"));
    }
    Ok(())
}
