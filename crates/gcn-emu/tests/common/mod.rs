//! Wave, LDS of its workgroup, and device, on which a test runs instructions one at a time.

#![allow(dead_code)] // Not every test file uses all of it.

use gcn_asm::{Options, Source, assemble};
use gcn_emu::Code;
use gcn_emu::Lds;
use gcn_emu::device::{Config, Device, OnViolation};
use gcn_emu::internals::{self, Attempt, LaneFault, Transfer};
use gcn_emu::memory::Allocation;
use gcn_emu::observe::Observers;
use gcn_emu::run::{Dispatch, Finished, Initial, run};
use gcn_emu::step::Executor;
use gcn_emu::wave::{Lanes, Wave, WaveId};
use gcn_isa::simm::Waitcnt;
use gcn_isa::{Isa, Target};

/// One target of each generation.
pub const SI: &str = "gfx600";
pub const CI: &str = "gfx700";
pub const VI: &str = "gfx803";
pub const GFX9: &str = "gfx900";
pub const VEGA20: &str = "gfx906";

pub const ALL: &[&str] = &[SI, CI, VI, GFX9, VEGA20];
pub const BEFORE_GFX9: &[&str] = &[SI, CI, VI];
pub const BEFORE_VI: &[&str] = &[SI, CI];
pub const FROM_CI: &[&str] = &[CI, VI, GFX9, VEGA20];
pub const FROM_VI: &[&str] = &[VI, GFX9, VEGA20];
pub const CI_VI: &[&str] = &[CI, VI];
pub const NINE: &[&str] = &[GFX9, VEGA20];
/// Targets, with the bits of the other half of a register that a D16 load keeps (E263).
pub const D16: &[(&[&str], u32)] = &[(&[GFX9], u32::MAX), (&[VEGA20], 0)];

/// Address of the code.
pub const BASE: u64 = 0x1000;
pub const VGPRS: usize = 64;
pub const SGPRS: u8 = 96;
pub const LDS_BYTES: u32 = 2048;
pub const M0: u8 = 124;
/// Bytes of scratch per lane.
pub const SCRATCH: u32 = 64;
pub const LANES: usize = 64;
/// Number of scalar registers.
const SCALARS: u8 = 128;

pub struct Machine {
    pub target: &'static Target,
    pub device: Device,
    pub lds: Lds,
    pub wave: Wave,
    pub transfer: Transfer,
    pub vgprs: usize,
    pub sgprs: u8,
    /// Number of instructions that the fast path has executed, too.
    pub by_fast_path: usize,
}

/// All that an instruction may change, except counters and violations.
#[derive(PartialEq)]
struct State {
    vgprs: Box<[Lanes]>,
    scalars: Vec<u32>,
    lds: Vec<u8>,
    memory: Vec<Vec<u8>>,
}

/// Assembles the code of a program.
pub fn code(target: &'static Target, text: &str) -> Vec<u8> {
    let source = Source { name: "test", text };
    let assembly = assemble(&source, &Options::new(target));
    assert!(!assembly.has_errors(), "{text}: {:?}", assembly.diagnostics);
    assembly
        .program
        .section(".text")
        .expect("there is code")
        .bytes
        .clone()
}

impl Machine {
    pub fn new(name: &str) -> Machine {
        let target = Target::named(name).expect("the target exists");
        Machine::configured(target, Config::new(target.isa))
    }

    pub fn configured(target: &'static Target, config: Config) -> Machine {
        let device = Device::new(config);
        let bytes = u64::from(SCRATCH) * LANES as u64;
        let region = device
            .memory
            .allocate("scratch", 2 * bytes)
            .expect("there is memory");
        let mut wave = Wave::new(target.isa, WaveId::default(), BASE, VGPRS, SGPRS);
        wave.set_exec(u64::MAX);
        wave.set_scalar(M0, u32::MAX);
        // The wave is the second of two with scratch.
        wave.scratch.region = region;
        wave.scratch.base = region + bytes;
        wave.scratch.bytes_per_lane = SCRATCH;
        match target.isa {
            Isa::Si => {}
            Isa::Ci => wave.set_scalar64(104, u64::from(SCRATCH) | (bytes / 256) << 32),
            Isa::Vi => wave.set_scalar64(102, u64::from(SCRATCH) | (bytes / 256) << 32),
            _ => wave.set_scalar64(102, region + bytes),
        }
        Machine {
            target,
            device,
            lds: Lds::new(target.isa, LDS_BYTES),
            wave,
            transfer: Transfer::default(),
            vgprs: VGPRS,
            sgprs: SGPRS,
            by_fast_path: 0,
        }
    }

    fn state(&self) -> State {
        let read = |region: &Allocation| {
            let mut bytes = vec![0; region.len as usize];
            assert!(self.device.memory.read(region.base, &mut bytes));
            bytes
        };
        State {
            vgprs: self.wave.vgprs.to_vec().into(),
            scalars: (0..SCALARS).map(|code| self.wave.resolved(code)).collect(),
            lds: self.lds.bytes().to_vec(),
            memory: self.device.memory.allocations().iter().map(read).collect(),
        }
    }

    fn restore(&mut self, state: &State) {
        self.wave.vgprs.copy_from_slice(&state.vgprs);
        for (code, &value) in (0..).zip(&state.scalars) {
            self.wave.set_scalar(code, value);
        }
        self.lds.bytes_mut().copy_from_slice(&state.lds);
        for (region, bytes) in self.device.memory.allocations().iter().zip(&state.memory) {
            assert!(self.device.memory.write(region.base, bytes));
        }
    }

    /// Runs the memory instructions of `text`, one at a time.
    pub fn try_run(&mut self, text: &str) -> Result<Attempt, LaneFault> {
        let bytes = code(self.target, text);
        self.run_bytes(&bytes)
    }

    pub fn run_words(&mut self, words: &[u32]) -> Result<Attempt, LaneFault> {
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        self.run_bytes(&bytes)
    }

    fn run_bytes(&mut self, bytes: &[u8]) -> Result<Attempt, LaneFault> {
        let code = Code::new(self.target.isa, BASE, bytes, self.vgprs, self.sgprs);
        let mut pc = BASE;
        let mut outcome = Attempt::Done;
        while pc < BASE + bytes.len() as u64 {
            let step = code.step(pc).expect("inside").expect("it decodes");
            match step.run {
                Executor::Memory => {
                    let before = self.state();
                    let fast = internals::execute_fast_path(
                        &mut self.wave,
                        step.memory.as_deref().expect("a plan"),
                        &mut self.lds,
                        &self.device,
                        &mut self.transfer,
                    );
                    let after = self.state();
                    self.restore(&before);
                    let access = self.transfer.access_mut();
                    internals::addresses(&self.wave, step, &self.device, access);
                    let by_lane = internals::perform(
                        &mut self.wave,
                        step,
                        &mut self.transfer,
                        &mut self.lds,
                        &self.device,
                    );
                    // The fast path has the same effect as the slow one, or no effect.
                    let text = step.inst.text();
                    if fast.is_some() {
                        self.by_fast_path += 1;
                        assert_eq!(by_lane, Ok(Attempt::Done), "{text}");
                        assert!(
                            after == self.state(),
                            "{text} does something else by the fast path"
                        );
                    } else {
                        assert!(after == before, "{text} is begun and given up");
                    }
                    outcome = by_lane?;
                }
                Executor::Cancelled => {}
                ref other => panic!("{} is not of memory: {other:?}", step.inst.text()),
            }
            if outcome == Attempt::Done {
                let counters = step.counters().expect("it is of memory");
                self.wave.scoreboard.issue(pc, counters);
            }
            pc += u64::from(step.bytes);
        }
        Ok(outcome)
    }

    pub fn run(&mut self, text: &str) -> &mut Machine {
        match self.try_run(text) {
            Ok(Attempt::Done) => self,
            other => panic!("{}: {text}: {other:?}", self.target.name),
        }
    }

    /// Runs the instructions, and returns the counters that they increment: VM_CNT, LGKM_CNT and EXP_CNT.
    pub fn counts(&mut self, text: &str) -> (u8, u8, u8) {
        self.wave.scoreboard.clear();
        self.run(text);
        let Waitcnt { vm, exp, lgkm } = self.wave.scoreboard.counters();
        (vm, lgkm, exp)
    }

    pub fn set(&mut self, register: usize, value: impl Fn(usize) -> u32) -> &mut Machine {
        for lane in 0..LANES {
            self.wave.vgprs[register].0[lane] = value(lane);
        }
        self
    }

    /// Sets a register pair in every lane.
    pub fn set64(&mut self, register: usize, value: impl Fn(usize) -> u64) -> &mut Machine {
        self.set(register, |lane| value(lane) as u32);
        self.set(register + 1, |lane| (value(lane) >> 32) as u32)
    }

    pub fn s(&mut self, code: u8, value: u32) -> &mut Machine {
        self.wave.set_scalar(code, value);
        self
    }

    pub fn s64(&mut self, code: u8, value: u64) -> &mut Machine {
        self.wave.set_scalar64(code, value);
        self
    }

    pub fn exec(&mut self, mask: u64) -> &mut Machine {
        self.wave.set_exec(mask);
        self
    }

    pub fn v(&self, register: usize, lane: usize) -> u32 {
        self.wave.vgprs[register].0[lane]
    }

    pub fn v64(&self, register: usize, lane: usize) -> u64 {
        u64::from(self.v(register, lane)) | u64::from(self.v(register + 1, lane)) << 32
    }

    pub fn lds32(&self, address: usize) -> u32 {
        let bytes = &self.lds.bytes()[address..address + 4];
        u32::from_le_bytes(bytes.try_into().expect("four bytes"))
    }

    pub fn lds64(&self, address: usize) -> u64 {
        u64::from(self.lds32(address)) | u64::from(self.lds32(address + 4)) << 32
    }

    pub fn set_lds(&mut self, address: usize, value: u32) -> &mut Machine {
        self.lds.bytes_mut()[address..address + 4].copy_from_slice(&value.to_le_bytes());
        self
    }

    pub fn set_lds64(&mut self, address: usize, value: u64) -> &mut Machine {
        self.set_lds(address, value as u32);
        self.set_lds(address + 4, (value >> 32) as u32)
    }

    pub fn gds32(&self, address: usize) -> u32 {
        let bytes = self.device.gds.lock();
        u32::from_le_bytes(bytes[address..address + 4].try_into().expect("four bytes"))
    }

    pub fn set_gds(&mut self, address: usize, value: u32) -> &mut Machine {
        self.device.gds.lock()[address..address + 4].copy_from_slice(&value.to_le_bytes());
        self
    }

    /// Allocates a buffer in global memory with these dwords.
    pub fn buffer(&mut self, dwords: &[u32]) -> u64 {
        let address = self
            .device
            .memory
            .allocate("buffer", dwords.len() as u64 * 4)
            .expect("there is memory");
        self.device
            .memory
            .store_dwords(address, dwords)
            .expect("it is mapped");
        address
    }

    pub fn mem(&self, address: u64) -> u32 {
        self.device.memory.load_u32(address).expect("it is mapped")
    }

    pub fn mem64(&self, address: u64) -> u64 {
        self.device.memory.load_u64(address).expect("it is mapped")
    }

    pub fn violated(&self) -> bool {
        self.wave.trapsts & gcn_emu::wave::TRAPSTS_MEM_VIOL != 0
    }

    /// Creates a machine on which violations do not end the run.
    pub fn lenient(name: &str) -> Machine {
        let mut machine = Machine::new(name);
        machine.device.config.on_violation = OnViolation::Continue;
        machine
    }
}

/// Runs a test on each of these targets.
pub fn on(targets: &[&str], test: impl Fn(&mut Machine)) {
    for name in targets {
        test(&mut Machine::new(name));
    }
}

/// Runs a dispatch of one-dimensional workgroups.
pub fn dispatch(
    device: &mut Device,
    target: &'static Target,
    text: &str,
    groups: u32,
    group: u32,
    initial: Initial,
) -> Finished {
    let code = Code::new(target.isa, BASE, &code(target, text), VGPRS, SGPRS);
    dispatch_code(device, &code, groups, group, initial)
}

/// [`dispatch`] of decoded code.
pub fn dispatch_code(
    device: &mut Device,
    code: &Code,
    groups: u32,
    group: u32,
    initial: Initial,
) -> Finished {
    let dispatch = Dispatch {
        kernel: None,
        kernarg: None,
        restricted: Vec::new(),
        acquires: true,
        entry: BASE,
        grid: [groups * group, 1, 1],
        group: [group, 1, 1],
        lds_bytes: LDS_BYTES,
        scratch_bytes_per_lane: 0,
        initial,
    };
    run(device, code, &dispatch, &Observers::none()).expect("it starts")
}
