//! The emulator, set up to execute one instruction from a given state.

use gcn_emu::wave::{Lanes, TRAPSTS_MEM_VIOL};
use gcn_isa::{Inst, Isa};

use crate::stage::{BASE, Sizes, Stage};
use crate::state::*;

/// Number of SGPRs in the state; from GCN 1.2 on, the wave has two fewer.
const SGPRS: u8 = 102;
pub const LDS_BYTES: u32 = 1024;
pub const GDS_BYTES: u32 = 512;
pub const BUFFER_BYTES: u64 = 4096;
/// Bytes of scratch per lane.
pub const SCRATCH: u32 = 96;
const SCRATCH_OF_A_WAVE: u64 = SCRATCH as u64 * LANES as u64;

/// The emulator, with the constants of its state. The wave is the second of two with scratch.
pub struct Rig {
    pub context: Context,
    pub buffer: u64,
    stage: Stage,
}

impl Rig {
    pub fn new(isa: Isa) -> Rig {
        let sizes = Sizes {
            vgprs: VGPRS,
            sgprs: SGPRS,
            buffer: BUFFER_BYTES,
            lds: LDS_BYTES,
            gds: GDS_BYTES,
            scratch: SCRATCH,
            waves: 2,
        };
        let stage = Stage::new(isa, &sizes);
        let apertures = stage.device.config.apertures;
        let context = Context {
            isa,
            generation: Generation::of(isa),
            shared: apertures.shared,
            private: apertures.private,
            hidden_base: stage.scratch,
            scratch_bytes: SCRATCH,
        };
        Rig {
            context,
            buffer: stage.buffer,
            stage,
        }
    }

    /// First register and value of FLAT_SCRATCH; `None` on GCN 1.0.
    pub fn flat_scratch(&self) -> Option<(usize, u64)> {
        let units = SCRATCH_OF_A_WAVE / 256;
        let size_and_place = u64::from(SCRATCH) | units << 32;
        match self.context.generation {
            Generation::Gfx6 => None,
            Generation::Gfx7 => Some((104, size_and_place)),
            Generation::Gfx8 => Some((102, size_and_place)),
            Generation::Gfx9 => Some((102, self.stage.scratch + SCRATCH_OF_A_WAVE)),
        }
    }

    /// State with memories of the right sizes, all zero.
    pub fn blank(&self) -> State {
        let region = |base, bytes| Region {
            base,
            bytes: vec![0; bytes as usize],
        };
        State {
            vgprs: vec![[0; LANES]; VGPRS],
            scalars: [0; SCALARS],
            mode: 0,
            lds: vec![0; LDS_BYTES as usize],
            gds: vec![0; GDS_BYTES as usize],
            global: Global(vec![
                region(self.buffer, BUFFER_BYTES),
                region(self.stage.scratch, 2 * SCRATCH_OF_A_WAVE),
            ]),
            violated: false,
            undefined: false,
        }
    }

    /// Executes the instruction, and returns the state after it.
    ///
    /// # Errors
    /// Returns the fault if the instruction faults.
    pub fn execute(&mut self, inst: &Inst, state: &State) -> Result<State, String> {
        let stage = &mut self.stage;
        stage.wave.restart(BASE);
        for (register, lanes) in stage.wave.vgprs.iter_mut().zip(&state.vgprs) {
            *register = Lanes(*lanes);
        }
        stage.wave.mode = state.mode;
        stage.write(&state.scalars, &state.lds, &state.gds);
        for region in &state.global.0 {
            assert!(stage.device.memory.write(region.base, &region.bytes));
        }
        stage.execute(inst).map_err(|fault| fault.to_string())?;
        let mut after = state.clone();
        for (register, lanes) in stage.wave.vgprs.iter().zip(&mut after.vgprs) {
            *lanes = register.0;
        }
        stage.read(&mut after.scalars, &mut after.lds, &mut after.gds);
        for region in &mut after.global.0 {
            assert!(stage.device.memory.read(region.base, &mut region.bytes));
        }
        after.violated = stage.wave.trapsts & TRAPSTS_MEM_VIOL != 0;
        Ok(after)
    }
}
