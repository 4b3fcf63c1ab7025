//! The checkers of undefined values and of bounds: kernels with the findings that they must have, and twins without any.

#[path = "../common/assembly.rs"]
mod assembly;
mod bounds;
mod uninit;

use std::sync::Arc;

use assembly::{device, module};
use gcn_observe::check::checkers;
use gcn_observe::finding::{Check, Findings};
use gcn_runtime::compile::{self, Language, Request};
use gcn_runtime::{AccessRule, Buffer, Device, Module, Restricted};

/// A target of each of GCN 1.0, 1.1, 1.2 and 1.4.
const TARGETS: [&str; 4] = ["tahiti", "bonaire", "fiji", "gfx900"];

/// A kernel to watch, for a device.
struct Watched {
    device: Device,
    module: Module,
    buffers: Vec<Buffer>,
    group: u32,
    groups: u32,
    is_read: bool,
    rule: Option<AccessRule>,
    findings: Arc<Findings>,
    observers: gcn_runtime::observe::Observers,
}

impl Watched {
    fn new(device: Device, module: Module, check: Check) -> Watched {
        let findings = Arc::new(Findings::default());
        let observers = checkers(&[check], &findings);
        device.observe(&observers);
        Watched {
            device,
            module,
            buffers: Vec::new(),
            group: 64,
            groups: 1,
            is_read: true,
            rule: None,
            findings,
            observers,
        }
    }

    /// Statements in assembly. Up to s2 and v0 registers are what the hardware sets: s[0:1] are the arguments' address, s2 is the
    /// workgroup. The kernel has 256 bytes of LDS, and 16 of scratch.
    fn assembly(target: &str, check: Check, statements: &str) -> Watched {
        let device = device(target);
        let text = format!(
            "
            .text
            .type k,@function
            k:
            {statements}
              s_endpgm
            .rodata
            .p2align 6
            .amdhsa_kernel k
              .amdhsa_user_sgpr_kernarg_segment_ptr 1
              .amdhsa_system_sgpr_workgroup_id_x 1
              .amdhsa_group_segment_fixed_size 256
              .amdhsa_kernarg_size 32
              .amdhsa_next_free_vgpr 16
              .amdhsa_next_free_sgpr 32
            .end_amdhsa_kernel
            "
        );
        let module = module(&device, &text);
        Watched::new(device, module, check)
    }

    /// A kernel `k` in OpenCL C.
    fn opencl(target: &str, level: &str, check: Check, text: &str) -> Watched {
        let device = device(target);
        let options = [level.into()];
        let request = Request {
            options: &options,
            ..Request::new(compile::CompilerInput::Text(text), Language::OpenClC)
        };
        let compiled = Module::compile(&device, &request);
        let (module, _) = compiled.unwrap_or_else(|error| panic!("{error}"));
        Watched::new(device, module, check)
    }

    /// Workgroups, and work-items of each.
    fn size(mut self, groups: u32, group: u32) -> Watched {
        (self.groups, self.group) = (groups, group);
        self
    }

    /// A buffer of zeros that the host has written.
    fn buffer(mut self, dwords: usize) -> Watched {
        let buffer = self.device.buffer("a buffer", &vec![0_u32; dwords]);
        self.buffers.push(buffer.expect("memory"));
        self
    }

    /// Has all buffers made for some ways of access only.
    fn only(mut self, rule: AccessRule) -> Watched {
        self.rule = Some(rule);
        self
    }

    /// A buffer whose contents mean nothing.
    fn undefined(mut self, dwords: usize) -> Watched {
        let bytes = 4 * dwords as u64;
        let buffer = self.device.allocate("undefined", bytes).expect("memory");
        self.device.memory().undefine(buffer.address(), bytes);
        self.buffers.push(buffer);
        self
    }

    /// The host reads no buffer.
    fn unread(mut self) -> Watched {
        self.is_read = false;
        self
    }

    /// Runs the kernel, and has the host read all buffers: the findings, each as its name and the instruction's name.
    fn run(&self) -> Vec<String> {
        let kernel = self.module.kernel("k").expect("it is there");
        let mut launch = kernel
            .launch([self.group * self.groups, 1, 1])
            .group([self.group, 1, 1])
            .observers(&self.observers);
        for buffer in &self.buffers {
            launch = launch.arg(buffer);
            let range = buffer.address()..buffer.address() + buffer.len();
            launch = launch.restrict(self.rule.map(|rule| Restricted { range, rule }));
        }
        // A fault is no failure: it is what a finding may be about.
        let signal = launch.submit(&self.device.queue());
        drop(signal.expect("good arguments").wait());
        if self.is_read {
            for buffer in &self.buffers {
                let memory = self.device.memory();
                memory.reads(buffer.address(), buffer.len());
            }
        }
        let (all, lost) = self.findings.all();
        assert_eq!(lost, 0);
        let named = all.iter().map(|it| {
            let instruction = it.place.text.split(' ').next().unwrap_or_default();
            let name = instruction
                .trim_end_matches("_e32")
                .trim_end_matches("_e64");
            format!("{} {name}", it.kind.name())
        });
        named.collect()
    }

    #[track_caller]
    fn finds(&self, expected: &[&str]) {
        let found = self.run();
        let (all, _) = self.findings.all();
        assert_eq!(found, expected, "{all:#?}");
    }
}
