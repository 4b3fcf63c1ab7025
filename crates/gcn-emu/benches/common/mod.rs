//! Benchmark kernels and their launch parameters.

use gcn_asm::{Options, Source, assemble};
use gcn_emu::Code;
use gcn_emu::device::{Config, Device};
use gcn_emu::observe::Observers;
use gcn_emu::run::{Dispatch, Initial, InitialSgpr, Stats, run};
use gcn_isa::Target;

const SGPRS: u8 = 64;
/// Address of the code.
const BASE: u64 = 0x1_0000;
/// MODE that compilers request: single-precision denormals are flushed, those of other widths are preserved.
const FLUSHED: u32 = 0xc0;
/// MODE with all denormals preserved.
const KEPT: u32 = 0xf0;

/// Benchmark kernel. Scalar registers from s0 hold the addresses of its buffers, then its numbers, then the workgroup
/// IDs in x and y. v0 and v1 hold the work-item IDs in x and y.
pub struct Kernel {
    pub name: &'static str,
    text: &'static str,
    /// Number of vector registers.
    vgprs: usize,
    mode: u32,
    grid: [u32; 3],
    group: [u32; 3],
    lds_bytes: u32,
    /// Size of each buffer in dwords.
    buffers: &'static [u64],
    numbers: &'static [u32],
}

const MANDELBROT: Kernel = Kernel {
    name: "Mandelbrot",
    text: include_str!("../kernels/mandelbrot.s"),
    vgprs: 12,
    mode: KEPT,
    grid: [256, 64, 1],
    group: [64, 4, 1],
    lds_bytes: 0,
    buffers: &[256 * 64],
    numbers: &[100],
};

const SAXPY: Kernel = Kernel {
    name: "saxpy, 64 Ki elements",
    text: include_str!("../kernels/saxpy.s"),
    vgprs: 8,
    mode: KEPT,
    grid: [1 << 16, 1, 1],
    group: [256, 1, 1],
    lds_bytes: 0,
    buffers: &[1 << 16, 1 << 16],
    numbers: &[0x4020_0000, 1 << 16],
};

pub const KERNELS: &[Kernel] = &[
    Kernel {
        name: "xorshift",
        text: include_str!("../kernels/xorshift.s"),
        vgprs: 4,
        mode: KEPT,
        grid: [4096, 1, 1],
        group: [256, 1, 1],
        lds_bytes: 0,
        buffers: &[4096],
        numbers: &[500],
    },
    Kernel {
        name: "SHA-256",
        text: include_str!("../kernels/sha256.s"),
        vgprs: 32,
        mode: KEPT,
        grid: [4096, 1, 1],
        group: [64, 1, 1],
        lds_bytes: 0,
        buffers: &[4096 * 8, 4096 * 16],
        numbers: &[],
    },
    MANDELBROT,
    Kernel {
        name: "Mandelbrot, denormals flushed",
        mode: FLUSHED,
        ..MANDELBROT
    },
    Kernel {
        name: "sgemm, tiles of 16 x 16",
        text: include_str!("../kernels/sgemm.s"),
        vgprs: 24,
        mode: KEPT,
        grid: [128, 128, 1],
        group: [16, 16, 1],
        lds_bytes: 2048,
        buffers: &[128 * 128, 128 * 128, 128 * 128],
        numbers: &[128],
    },
    Kernel {
        name: "sums of 256 floats",
        text: include_str!("../kernels/reduce.s"),
        vgprs: 8,
        mode: KEPT,
        grid: [1 << 16, 1, 1],
        group: [256, 1, 1],
        lds_bytes: 1024,
        buffers: &[256, 1 << 16],
        numbers: &[],
    },
    Kernel {
        name: "histogram of bytes",
        text: include_str!("../kernels/histogram.s"),
        vgprs: 8,
        mode: KEPT,
        grid: [1 << 14, 1, 1],
        group: [256, 1, 1],
        lds_bytes: 1024,
        buffers: &[256, 1 << 18],
        numbers: &[],
    },
    SAXPY,
    Kernel {
        name: "saxpy, 1 Mi elements",
        grid: [1 << 20, 1, 1],
        buffers: &[1 << 20, 1 << 20],
        numbers: &[0x4020_0000, 1 << 20],
        ..SAXPY
    },
];

/// Kernel with its device, ready to run repeatedly.
pub struct Prepared {
    device: Device,
    code: Code,
    dispatch: Dispatch,
}

impl Prepared {
    pub fn new(kernel: &Kernel) -> Prepared {
        let target = Target::named("gfx900").expect("it exists");
        let source = Source {
            name: kernel.name,
            text: kernel.text,
        };
        let assembly = assemble(&source, &Options::new(target));
        assert!(!assembly.has_errors(), "{:?}", assembly.diagnostics);
        let section = assembly.program.section(".text").expect("there is code");
        let code = Code::new(target.isa, BASE, &section.bytes, kernel.vgprs, SGPRS);

        let device = Device::new(Config::new(target.isa));
        let mut sgprs = Vec::new();
        for &dwords in kernel.buffers {
            let buffer = device
                .memory
                .allocate("buffer", dwords * 4)
                .expect("there is memory");
            sgprs.push(InitialSgpr::Value(buffer as u32));
            sgprs.push(InitialSgpr::Value((buffer >> 32) as u32));
        }
        sgprs.extend(kernel.numbers.iter().map(|&n| InitialSgpr::Value(n)));
        sgprs.extend([InitialSgpr::GroupId(0), InitialSgpr::GroupId(1)]);
        let dispatch = Dispatch {
            kernel: None,
            kernarg: None,
            restricted: Vec::new(),
            acquires: true,
            entry: BASE,
            grid: kernel.grid,
            group: kernel.group,
            lds_bytes: kernel.lds_bytes,
            scratch_bytes_per_lane: 0,
            initial: Initial {
                sgprs,
                work_item_ids: 2,
                mode: kernel.mode,
            },
        };
        Prepared {
            device,
            code,
            dispatch,
        }
    }

    pub fn run(&mut self, observers: &Observers) -> Stats {
        let done = run(&mut self.device, &self.code, &self.dispatch, observers).expect("it starts");
        assert_eq!(done.fault, None);
        done.stats
    }
}
