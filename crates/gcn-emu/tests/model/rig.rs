//! The emulator, made to execute one instruction from a given state.

use gcn_emu::Code;
use gcn_emu::Lds;
use gcn_emu::device::{Config, Device, OnViolation};
use gcn_emu::run;
use gcn_emu::wave::{Lanes, Scratch, TRAPSTS_MEM_VIOL, Wave, WaveId};
use gcn_isa::{Inst, Isa};

use crate::state::*;

const BASE: u64 = 0x10_0000;
/// SGPRs of the wave; from GCN 1.2 on there are two less than this.
const SGPRS: u8 = 102;
pub const LDS_BYTES: u32 = 1024;
pub const GDS_BYTES: u32 = 512;
pub const BUFFER_BYTES: u64 = 4096;
/// Scratch of a lane.
pub const SCRATCH: u32 = 96;
const SCRATCH_OF_A_WAVE: u64 = SCRATCH as u64 * LANES as u64;

/// A wave, its workgroup's LDS and a device.
pub struct Rig {
    pub context: Context,
    device: Device,
    wave: Wave,
    lds: Lds,
    pub buffer: u64,
    /// Scratch of two waves; the one that executes is the second.
    scratch: u64,
}

impl Rig {
    pub fn new(isa: Isa) -> Rig {
        let mut config = Config::new(isa);
        config.on_violation = OnViolation::Continue;
        config.gds_bytes = GDS_BYTES;
        let device = Device::new(config);
        let allocate = |name: &str, bytes| {
            let allocated = device.memory.allocate(name, bytes);
            allocated.expect("there is memory")
        };
        let buffer = allocate("buffer", BUFFER_BYTES);
        let scratch = allocate("scratch", 2 * SCRATCH_OF_A_WAVE);
        let mut wave = Wave::new(isa, WaveId::default(), BASE, VGPRS, SGPRS);
        wave.scratch = Scratch {
            base: scratch + SCRATCH_OF_A_WAVE,
            region: scratch,
            bytes_per_lane: SCRATCH,
        };
        let apertures = device.config.apertures;
        let context = Context {
            isa,
            generation: Generation::of(isa),
            shared: apertures.shared,
            private: apertures.private,
            hidden_base: scratch,
            scratch_bytes: SCRATCH,
        };
        Rig {
            context,
            device,
            wave,
            lds: Lds::new(isa, LDS_BYTES),
            buffer,
            scratch,
        }
    }

    /// FLAT_SCRATCH as the generation has it, and the number of its first register.
    pub fn flat_scratch(&self) -> Option<(usize, u64)> {
        let units = SCRATCH_OF_A_WAVE / 256;
        let size_and_place = u64::from(SCRATCH) | units << 32;
        match self.context.generation {
            Generation::Gfx6 => None,
            Generation::Gfx7 => Some((104, size_and_place)),
            Generation::Gfx8 => Some((102, size_and_place)),
            Generation::Gfx9 => Some((102, self.scratch + SCRATCH_OF_A_WAVE)),
        }
    }

    /// A state with memories of the right sizes, all zero.
    pub fn blank(&self) -> State {
        let region = |base, bytes| Region {
            base,
            bytes: vec![0; bytes as usize],
        };
        State {
            vgprs: vec![[0; LANES]; VGPRS],
            scalars: [0; SCALARS],
            mode: 0,
            lds: vec![0; self.lds.bytes().len()],
            gds: vec![0; GDS_BYTES as usize],
            global: Global(vec![
                region(self.buffer, BUFFER_BYTES),
                region(self.scratch, 2 * SCRATCH_OF_A_WAVE),
            ]),
            violated: false,
            undefined: false,
        }
    }

    /// The state after the instruction.
    ///
    /// # Errors
    /// The fault that it ends with.
    pub fn execute(&mut self, inst: &Inst, state: &State) -> Result<State, String> {
        let words = &inst.words()[..inst.dwords()];
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let code = Code::new(inst.isa, BASE, &bytes, VGPRS, SGPRS);
        let wave = &mut self.wave;
        wave.restart(BASE);
        for (register, lanes) in wave.vgprs.iter_mut().zip(&state.vgprs) {
            *register = Lanes(*lanes);
        }
        for (code, &value) in (0..).zip(&state.scalars) {
            wave.set_scalar(code, value);
        }
        wave.mode = state.mode;
        for region in &state.global.0 {
            assert!(self.device.memory.write(region.base, &region.bytes));
        }
        self.lds.bytes_mut().copy_from_slice(&state.lds);
        self.device.gds.lock().copy_from_slice(&state.gds);
        run::step(&self.device, &code, wave, &mut self.lds).map_err(|fault| fault.to_string())?;
        let mut after = state.clone();
        for (register, lanes) in wave.vgprs.iter().zip(&mut after.vgprs) {
            *lanes = register.0;
        }
        for (code, value) in (0..).zip(&mut after.scalars) {
            *value = wave.resolved(code);
        }
        for region in &mut after.global.0 {
            assert!(self.device.memory.read(region.base, &mut region.bytes));
        }
        after.lds.copy_from_slice(self.lds.bytes());
        after.gds.copy_from_slice(&self.device.gds.lock());
        after.violated = wave.trapsts & TRAPSTS_MEM_VIOL != 0;
        Ok(after)
    }
}
