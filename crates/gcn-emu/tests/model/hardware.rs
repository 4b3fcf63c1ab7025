//! Tests of S_GETREG and S_SETREG: hardware registers with the fields of AMD's manuals. Sizes are in the units by which
//! AMD's context-save code for GCN 1.2 and 1.4 multiplies them (errata E207).

use gcn_asm::{Options, Source, assemble};
use gcn_emu::Code;
use gcn_emu::Lds;
use gcn_emu::device::{Config, Device, OnViolation};
use gcn_emu::run;
use gcn_emu::wave::{GroupShape, Wave, WaveId};
use gcn_isa::{Isa, Target};

use crate::noise::Noise;
use crate::state::Generation;

const BASE: u64 = 0x1000;
const MODE: u32 = 1;
const TRAPSTS: u32 = 3;
const IB_STS: u32 = 7;
const SH_MEM_BASES: u32 = 15;
/// Encoding of SOPK in the highest four bits of a word.
const SOPK: u32 = 0b1011 << 28;
/// SGPR that S_GETREG writes, and S_SETREG reads.
const DATA: u8 = 4;

/// Encodes an SOPK instruction. Opcodes decreased by one in GCN 1.2.
fn sopk(generation: Generation, number: u32, sdst: u8, simm16: u32) -> u32 {
    let moved = u32::from(generation >= Generation::Gfx8);
    SOPK | (number - moved) << 23 | u32::from(sdst) << 16 | simm16
}

fn getreg(generation: Generation, field: Field) -> u32 {
    sopk(generation, 18, DATA, field.simm16())
}

/// Field of a hardware register.
#[derive(Clone, Copy, Debug)]
struct Field {
    register: u32,
    offset: u32,
    size: u32,
}

impl Field {
    fn any(register: u32, noise: &mut Noise) -> Field {
        let [offset, size] = [0, 1].map(|least| least + noise.below(32) as u32);
        let is_whole = noise.one_in(2);
        let (offset, size) = if is_whole { (0, 32) } else { (offset, size) };
        Field {
            register,
            offset,
            size,
        }
    }

    fn simm16(self) -> u32 {
        self.register | self.offset << 6 | (self.size - 1) << 11
    }

    fn mask(self) -> u32 {
        u32::MAX >> (32 - self.size)
    }

    fn of(self, register: u32) -> u32 {
        register >> self.offset & self.mask()
    }

    fn put(self, register: u32, value: u32) -> u32 {
        let mask = self.mask() << self.offset;
        register & !mask | value << self.offset & mask
    }
}

/// Outstanding operations.
#[derive(Clone, Copy, Default, Debug)]
struct Counters {
    vm: u32,
    exp: u32,
    lgkm: u32,
}

/// Hardware state that a wave can observe.
#[derive(Clone, Copy, Debug)]
struct Hardware {
    generation: Generation,
    wave: u32,
    waves: u32,
    vgprs: u32,
    sgprs: u32,
    /// LDS size of the workgroup in bytes.
    lds: u32,
    priority: u32,
    mode: u32,
    trapsts: u32,
    scc: bool,
    exec: u64,
    vcc: u64,
    counters: Counters,
    /// Upper halves of the FLAT aperture addresses.
    shared: u32,
    private: u32,
}

impl Hardware {
    fn any(device: &Device, generation: Generation, noise: &mut Noise) -> Hardware {
        let waves = 1 + noise.below(16) as u32;
        let mask = |noise: &mut Noise| if noise.one_in(2) { 0 } else { noise.next() };
        Hardware {
            generation,
            wave: noise.below(waves.into()) as u32,
            waves,
            vgprs: 4 * (1 + noise.below(64) as u32),
            sgprs: 16 * (1 + noise.below(6) as u32),
            lds: 512 * noise.below(65) as u32,
            priority: noise.below(4) as u32,
            mode: noise.next() as u32,
            trapsts: noise.next() as u32,
            scc: noise.one_in(2),
            exec: mask(noise),
            vcc: mask(noise),
            counters: Counters::default(),
            shared: device.config.apertures.shared,
            private: device.config.apertures.private,
        }
    }

    fn read(&self, register: u32) -> u32 {
        let bit = |is: bool, place: u32| u32::from(is) << place;
        let counters = self.counters;
        match register {
            MODE => self.mode,
            // SCC, the wave's priority, EXECZ, VCCZ, IN_TG, VALID. The wave is never in a trap handler, at a barrier or
            // halted.
            2 => {
                bit(self.scc, 0)
                    | self.priority << 3
                    | bit(self.exec == 0, 9)
                    | bit(self.vcc == 0, 10)
                    | bit(self.waves > 1, 11)
                    | bit(true, 16)
            }
            TRAPSTS => self.trapsts,
            // WAVE_ID and SIMD_ID: a workgroup's waves are distributed round-robin over four SIMD units.
            4 => (self.wave / 4) | (self.wave % 4) << 4,
            // VGPR_SIZE and SGPR_SIZE: one less than the number of blocks.
            5 => {
                let block = match self.generation {
                    Generation::Gfx6 | Generation::Gfx7 => 8,
                    Generation::Gfx8 | Generation::Gfx9 => 16,
                };
                (self.vgprs / 4 - 1) << 8 | (self.sgprs / block - 1) << 24
            }
            // LDS_SIZE: blocks of 64 dwords.
            6 => (self.lds / 256) << 12,
            IB_STS => {
                let vm = match self.generation {
                    Generation::Gfx9 => counters.vm & 15 | counters.vm >> 4 << 22,
                    _ => counters.vm,
                };
                vm | counters.exp << 4 | counters.lgkm << 8
            }
            // PRIVATE_BASE and SHARED_BASE: bits 63 to 48 of addresses.
            SH_MEM_BASES => self.private >> 16 | self.shared >> 16 << 16,
            other => unreachable!("register {other}"),
        }
    }

    fn wave(&self, device: &Device) -> Wave {
        let id = WaveId {
            group: [0; 3],
            wave: self.wave,
        };
        let isa = device.config.isa;
        let mut wave = Wave::new(isa, id, BASE, self.vgprs as usize, self.sgprs as u8);
        wave.apertures = device.config.apertures;
        wave.group = GroupShape {
            lds_bytes: self.lds,
            waves: self.waves,
        };
        wave.priority = self.priority as u8;
        wave.mode = self.mode;
        wave.trapsts = self.trapsts;
        wave.scc = self.scc;
        wave.set_exec(self.exec);
        wave.set_vcc(self.vcc);
        wave
    }
}

fn device(isa: Isa) -> Device {
    let mut config = Config::new(isa);
    config.on_violation = OnViolation::Continue;
    Device::new(config)
}

/// Executes code from start to end.
fn execute(device: &Device, wave: &mut Wave, bytes: &[u8]) {
    let isa = device.config.isa;
    let registers = (wave.vgprs.len(), wave.sgpr_count);
    let code = Code::new(isa, BASE, bytes, registers.0, registers.1);
    let mut lds = Lds::new(isa, 1024);
    while wave.pc != BASE + bytes.len() as u64 {
        run::step(device, &code, wave, &mut lds).expect("it is executed");
    }
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Numbers of a generation's hardware registers.
fn registers(generation: Generation) -> Vec<u32> {
    let bases = (generation == Generation::Gfx9).then_some(SH_MEM_BASES);
    (MODE..=IB_STS).chain(bases).collect()
}

#[test]
fn hardware_registers_are_read_by_fields() {
    let mut noise = Noise::new(0x4a5d);
    for isa in Isa::ALL {
        let (generation, device) = (Generation::of(isa), device(isa));
        let all = registers(generation);
        for _ in 0..1000 {
            let hardware = Hardware::any(&device, generation, &mut noise);
            let field = Field::any(noise.pick(&all), &mut noise);
            let mut wave = hardware.wave(&device);
            execute(&device, &mut wave, &bytes(&[getreg(generation, field)]));
            let want = field.of(hardware.read(field.register));
            let got = wave.scalar(DATA);
            assert_eq!(
                got, want,
                "{isa}: {field:?}: {got:#x}, not {want:#x} of {hardware:?}"
            );
        }
    }
}

/// Kernels can write MODE and TRAPSTS. Writes to other registers are lost.
#[test]
fn hardware_registers_are_written_by_fields() {
    let mut noise = Noise::new(0x5e7);
    for isa in Isa::ALL {
        let (generation, device) = (Generation::of(isa), device(isa));
        let all = registers(generation);
        for _ in 0..1000 {
            let hardware = Hardware::any(&device, generation, &mut noise);
            let any = noise.pick(&all);
            let register = noise.pick(&[MODE, TRAPSTS, any]);
            let field = Field::any(register, &mut noise);
            let value = noise.next() as u32;
            let mut wave = hardware.wave(&device);
            wave.set_scalar(DATA, value);
            let words = match noise.one_in(2) {
                true => vec![sopk(generation, 19, DATA, field.simm16())],
                false => vec![sopk(generation, 21, 0, field.simm16()), value],
            };
            execute(&device, &mut wave, &bytes(&words));
            let after = |register: u32, before: u32| match field.register == register {
                true => field.put(before, value),
                false => before,
            };
            let want = Hardware {
                mode: after(MODE, hardware.mode),
                trapsts: after(TRAPSTS, hardware.trapsts),
                ..hardware
            };
            for register in registers(generation) {
                let whole = Field {
                    register,
                    offset: 0,
                    size: 32,
                };
                wave.pc = BASE;
                execute(&device, &mut wave, &bytes(&[getreg(generation, whole)]));
                let (got, want) = (wave.scalar(DATA), want.read(register));
                assert_eq!(
                    got, want,
                    "{isa}: {field:?} = {value:#x}: register {register}"
                );
            }
        }
    }
}

/// Instruction, the first generation that has it, and its counter increments.
type Counted = (&'static str, Generation, fn(Generation) -> Counters);

/// E043, E082, E120, E250
#[rustfmt::skip]
const COUNTED: [Counted; 8] = [
    ("s_load_dword s8, s[2:3], 0x0",            Generation::Gfx6, |_| Counters { vm: 0, exp: 0, lgkm: 1 }),
    ("s_load_dwordx4 s[8:11], s[2:3], 0x0",     Generation::Gfx6, |_| Counters { vm: 0, exp: 0, lgkm: 2 }),
    ("ds_read_b32 v2, v3",                      Generation::Gfx6, |_| Counters { vm: 0, exp: 0, lgkm: 1 }),
    ("ds_add_u32 v3, v2 gds",                   Generation::Gfx6, |_| Counters { vm: 0, exp: 1, lgkm: 1 }),
    ("buffer_load_dword v2, off, s[12:15], 0",  Generation::Gfx6, |_| Counters { vm: 1, exp: 0, lgkm: 0 }),
    ("buffer_store_dword v2, off, s[12:15], 0", Generation::Gfx6, |generation| Counters {
        vm: 1, exp: u32::from(generation == Generation::Gfx6), lgkm: 0,
    }),
    ("flat_load_dword v2, v[0:1]",              Generation::Gfx7, |_| Counters { vm: 1, exp: 0, lgkm: 1 }),
    ("global_load_dword v2, v[0:1], off",       Generation::Gfx9, |_| Counters { vm: 1, exp: 0, lgkm: 0 }),
];

#[test]
fn outstanding_operations_are_counted() {
    let mut noise = Noise::new(0xc0);
    for name in ["gfx600", "gfx700", "gfx803", "gfx900", "gfx906"] {
        let target = Target::named(name).expect("it exists");
        let (isa, generation) = (target.isa, Generation::of(target.isa));
        let device = device(isa);
        let buffer = device.memory.allocate("buffer", 64).expect("memory");
        let most_vm = if generation == Generation::Gfx9 {
            63
        } else {
            15
        };
        for _ in 0..40 {
            let mut hardware = Hardware::any(&device, generation, &mut noise);
            (hardware.exec, hardware.vgprs, hardware.sgprs) = (u64::MAX, 8, 32);
            // No skipping and no indexing.
            hardware.mode &= 0x3ff;
            let counters = &mut hardware.counters;
            let mut text = String::new();
            for _ in 0..noise.below(60) {
                let (line, since, counts) = noise.pick(&COUNTED);
                let counts = counts(generation);
                let sum = Counters {
                    vm: counters.vm + counts.vm,
                    exp: counters.exp + counts.exp,
                    lgkm: counters.lgkm + counts.lgkm,
                };
                // A full counter would stall the instruction.
                if generation >= since && sum.vm <= most_vm && sum.exp <= 7 && sum.lgkm <= 15 {
                    *counters = sum;
                    text += &format!("{line}\n");
                }
            }
            let source = Source {
                name: "counted",
                text: &text,
            };
            let assembly = assemble(&source, &Options::new(target));
            let section = assembly.program.section(".text");
            let mut code = section.map_or(Vec::new(), |section| section.bytes.clone());
            let field = Field::any(IB_STS, &mut noise);
            code.extend(bytes(&[getreg(generation, field)]));
            let mut wave = hardware.wave(&device);
            wave.set_scalar64(2, buffer);
            wave.set_scalar64(12, buffer);
            wave.set_scalar64(14, 64 | 0x27fac << 32);
            wave.vgprs[0].0.fill(buffer as u32);
            wave.vgprs[1].0.fill((buffer >> 32) as u32);
            execute(&device, &mut wave, &code);
            let (got, want) = (wave.scalar(DATA), field.of(hardware.read(IB_STS)));
            assert_eq!(got, want, "{name}: {field:?} after\n{text}");
        }
    }
}
