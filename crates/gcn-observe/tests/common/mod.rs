//! Kernels that are run under checkers.

mod assembly;

use std::sync::Arc;

use gcn_observe::check::checkers;
use gcn_observe::finding::{Check, Finding, Findings};
use gcn_runtime::compile::{self, Language, Request, Toolchain};
use gcn_runtime::{Buffer, Device, Kernel, Module};

pub use assembly::{device, module};

/// One target of each generation: GCN 1.0, 1.1, 1.2, and two of 1.4.
pub const TARGETS: [&str; 5] = ["gfx601", "gfx701", "gfx803", "gfx900", "gfx906"];

/// Dwords of the kernel's buffer.
const DWORDS: usize = 1 << 14;

/// Instructions that a wave may execute.
const LIMIT: u64 = 1 << 20;

/// Work-items of a launch.
#[derive(Clone, Copy)]
pub struct Size {
    /// Of the grid.
    pub grid: u32,
    /// Of a workgroup.
    pub group: u32,
}

/// Assembles the body of a kernel. There are the buffer's address in s[4:5], its descriptor in s[4:7], the workgroup in s2, the wave
/// in s8, the work-item in v0, 4 times that in v1, and -1 in M0.
pub fn assembled(device: &Device, body: &str) -> Kernel {
    let text = format!(
        ".text\n.globl test\n.p2align 8\n.type test,@function\ntest:\n\
         s_load_dwordx2 s[4:5], s[0:1], 0x0\n\
         s_mov_b32 s6, -1\ns_mov_b32 s7, 0x27000\ns_mov_b32 m0, -1\n\
         v_lshlrev_b32 v1, 2, v0\nv_readfirstlane_b32 s8, v0\ns_lshr_b32 s8, s8, 6\n\
         s_waitcnt lgkmcnt(0)\n{body}\ns_endpgm\n.rodata\n.p2align 6\n\
         .amdhsa_kernel test\n.amdhsa_user_sgpr_kernarg_segment_ptr 1\n\
         .amdhsa_group_segment_fixed_size 4096\n.amdhsa_next_free_vgpr 16\n\
         .amdhsa_next_free_sgpr 32\n.end_amdhsa_kernel\n"
    );
    let module = module(device, &text);
    module.kernel("test").expect("it is there")
}

/// Compiles OpenCL with a kernel `test`.
pub fn compiled(device: &Device, text: &str, options: &[&str]) -> Kernel {
    let cache = tempfile::tempdir().expect("a directory");
    let toolchain = Toolchain::find().unwrap_or_else(|error| panic!("{error}"));
    let options: Vec<_> = options.iter().map(Into::into).collect();
    let request = Request {
        options: &options,
        ..Request::new(compile::CompilerInput::Text(text), Language::OpenClC)
    };
    let module = Module::compile_with(device, &toolchain, Some(cache.path()), &request);
    let (module, _) = module.unwrap_or_else(|error| panic!("{error}"));
    module.kernel("test").expect("it is there")
}

/// A buffer whose dwords are their own numbers.
pub fn buffer(device: &Device) -> Buffer {
    let dwords: Vec<u32> = (0..DWORDS as u32).collect();
    device.buffer("data", &dwords).expect("memory")
}

/// Runs a kernel whose argument is a buffer, and returns what was found.
pub fn found(device: &Device, kernel: &Kernel, size: Size, checks: &[Check]) -> Vec<Finding> {
    let findings = Arc::new(Findings::default());
    let observers = checkers(checks, &findings);
    let data = buffer(device);
    let launch = kernel.launch([size.grid, 1, 1]).group([size.group, 1, 1]);
    let launch = launch.arg(&data).observers(&observers);
    let signal = launch
        .instruction_limit(LIMIT)
        .submit(&device.queue())
        .expect("it can be launched");
    // A run that ends at its limit has findings too.
    let _ = signal.wait();
    findings.all().0
}

/// A finding in a line: its kind, its instruction, and those of the other sides.
pub fn told(finding: &Finding) -> String {
    let mut line = format!("{}: {}", finding.kind.name(), finding.place.text);
    for side in &finding.sides {
        let text = side.place.as_ref().map_or("-", |it| &it.text);
        line = format!("{line} | {text}");
    }
    line
}

/// Asserts what is found in the body of a kernel, on some targets.
#[track_caller]
pub fn expect(targets: &[&str], size: Size, checks: &[Check], body: &str, expected: &[&str]) {
    for target in targets {
        let device = device(target);
        let kernel = assembled(&device, body);
        let found = found(&device, &kernel, size, checks);
        let told: Vec<String> = found.iter().map(told).collect();
        assert_eq!(told, expected, "on {target}:\n{body}\n{found:#?}");
    }
}

/// Asserts the kinds of findings of an OpenCL kernel, without optimisation and with it, on some targets.
#[track_caller]
pub fn expect_compiled(
    targets: &[&str],
    size: Size,
    checks: &[Check],
    text: &str,
    expected: &[&str],
) {
    for target in targets {
        for level in ["-O0", "-O2"] {
            let device = device(target);
            let kernel = compiled(&device, text, &[level, "-cl-std=CL2.0"]);
            let found = found(&device, &kernel, size, checks);
            let mut kinds: Vec<&str> = found.iter().map(|it| it.kind.name()).collect();
            kinds.sort_unstable();
            kinds.dedup();
            assert_eq!(kinds, expected, "{level} for {target}:\n{text}\n{found:#?}");
        }
    }
}
