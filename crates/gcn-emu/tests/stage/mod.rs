//! Random numbers, and a wave with memories that executes one instruction from a given state. Shared by the proof of
//! uses and the model of memory instructions.

#![allow(dead_code)] // Not every test uses all of it.

use gcn_emu::device::{Config, Device, OnViolation};
use gcn_emu::fault::FaultKind;
use gcn_emu::wave::{LANES, Scratch, Wave, WaveId};
use gcn_emu::{Code, Lds, run};
use gcn_isa::{Inst, Isa};

/// Default address of the code.
pub const BASE: u64 = 0x10_0000;
/// Number of scalar registers: SGPRs, VCC, trap registers, M0, EXEC.
pub const SCALARS: usize = 128;

/// Random number generator with reproducible numbers: xorshift64*.
pub struct Noise(u64);

impl Noise {
    pub fn new(seed: u64) -> Noise {
        Noise(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Creates the generator of something that has a name (FNV-1a), so that no result depends on other tests, threads
    /// or time.
    pub fn named(name: &str, seed: u64) -> Noise {
        let mix = |seed: u64, byte: u8| (seed ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        Noise::new(name.bytes().fold(0xcbf2_9ce4_8422_2325 ^ seed, mix))
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        (self.next() >> 16) % limit.max(1)
    }

    /// True with a probability of 1 in `count`.
    pub fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }

    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }
}

/// Numbers of registers of the wave, and sizes of the memories in bytes.
pub struct Sizes {
    pub vgprs: usize,
    pub sgprs: u8,
    pub buffer: u64,
    pub lds: u32,
    pub gds: u32,
    /// Per lane.
    pub scratch: u32,
    /// Number of waves with scratch. The last one executes.
    pub waves: u64,
}

/// A wave, its workgroup's LDS and a device with a buffer and scratch.
pub struct Stage {
    pub device: Device,
    pub wave: Wave,
    pub lds: Lds,
    /// Address of the buffer.
    pub buffer: u64,
    /// Address of the first wave's scratch.
    pub scratch: u64,
    vgprs: usize,
    sgprs: u8,
}

impl Stage {
    pub fn new(isa: Isa, sizes: &Sizes) -> Stage {
        let mut config = Config::new(isa);
        config.on_violation = OnViolation::Continue;
        config.gds_bytes = sizes.gds;
        let device = Device::new(config);
        let allocate = |name: &str, bytes| {
            let allocated = device.memory.allocate(name, bytes);
            allocated.expect("there is memory")
        };
        let of_wave = u64::from(sizes.scratch) * LANES as u64;
        let buffer = allocate("buffer", sizes.buffer);
        let scratch = allocate("scratch", sizes.waves * of_wave);
        let mut wave = Wave::new(isa, WaveId::default(), BASE, sizes.vgprs, sizes.sgprs);
        wave.scratch = Scratch {
            base: scratch + (sizes.waves - 1) * of_wave,
            region: scratch,
            bytes_per_lane: sizes.scratch,
        };
        Stage {
            device,
            wave,
            lds: Lds::new(isa, sizes.lds),
            buffer,
            scratch,
            vgprs: sizes.vgprs,
            sgprs: sizes.sgprs,
        }
    }

    /// Writes scalar registers and the data shares.
    pub fn write(&mut self, scalars: &[u32; SCALARS], lds: &[u8], gds: &[u8]) {
        for (code, &value) in (0..).zip(scalars) {
            self.wave.set_scalar(code, value);
        }
        self.lds.bytes_mut().copy_from_slice(lds);
        self.device.gds.lock().copy_from_slice(gds);
    }

    /// Reads scalar registers and the data shares.
    pub fn read(&self, scalars: &mut [u32; SCALARS], lds: &mut [u8], gds: &mut [u8]) {
        for (code, value) in (0..).zip(scalars) {
            *value = self.wave.resolved(code);
        }
        lds.copy_from_slice(self.lds.bytes());
        gds.copy_from_slice(&self.device.gds.lock());
    }

    /// Executes the instruction at the wave's PC.
    ///
    /// # Errors
    /// Returns the fault if the instruction faults.
    pub fn execute(&mut self, inst: &Inst) -> Result<(), FaultKind> {
        let words = &inst.words()[..inst.dwords()];
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let code = Code::new(inst.isa, self.wave.pc, &bytes, self.vgprs, self.sgprs);
        run::step(&self.device, &code, &mut self.wave, &mut self.lds)
    }
}
