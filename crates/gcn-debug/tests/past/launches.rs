//! Launches of small kernels under a debugger engine.

use std::sync::Arc;

use gcn_asm::{Options, Source, assemble};
use gcn_debug::{FrontEnd, Program, Recording, Resume, Session, Stop, StoreLog};
use gcn_runtime::Device;
use gcn_runtime::observe::Observers;

use super::engine;

/// Multi-workgroup kernel that uses LDS, barriers and GDS.
const KERNEL: &str = "
      s_load_dwordx2 s[4:5], s[0:1], 0x0
      s_mov_b32 s8, 5
      s_mov_b32 m0, 0x1000
      v_lshlrev_b32 v1, 2, v0
      v_mov_b32 v2, 0
      v_mov_b32 v4, 1
    loop:
      ds_write_b32 v1, v2
      s_waitcnt lgkmcnt(0)
      s_barrier
      ds_add_rtn_u32 v3, v1, v4 gds
      ds_read_b32 v5, v1 offset:4
      s_waitcnt lgkmcnt(0)
      v_add_u32 v2, v2, v3
      v_add_u32 v2, v2, v5
      s_sub_u32 s8, s8, 1
      s_cmp_lg_u32 s8, 0
    store:
      global_store_dword v1, v2, s[4:5]
      s_cbranch_scc1 loop
      s_endpgm";

/// Front end implemented by a function.
struct Script<F>(F);

impl<F: FnMut(&mut Session<'_, '_>, Option<&Stop>) -> Resume + Send> FrontEnd for Script<F> {
    fn idle(&mut self, session: &mut Session<'_, '_>) -> Resume {
        (self.0)(session, None)
    }

    fn stopped(&mut self, session: &mut Session<'_, '_>, stop: &Stop) -> Resume {
        (self.0)(session, Some(stop))
    }

    fn passed(&mut self, _: &Session<'_, '_>, _: &Stop) {}
}

/// Single-wave kernel that loads beyond the end of its buffer, after enough iterations to be translated to host code.
pub const FAULTY: &str = "
      s_load_dwordx2 s[4:5], s[0:1], 0x0
      v_lshlrev_b32 v1, 2, v0
      v_add_u32 v1, 100, v1
      v_mov_b32 v2, 0
      v_mov_b32 v4, 0
      s_waitcnt lgkmcnt(0)
    loop:
      v_add_u32 v2, v2, v1
      global_load_dword v3, v1, s[4:5]
      v_add_u32 v1, 64, v1
      s_waitcnt vmcnt(0)
      v_add_u32 v4, v4, v3
      v_xor_b32 v5, v4, v1
      s_branch loop";

/// Single-wave kernel whose store succeeds in 32 lanes and faults in the next lane.
pub const PARTIAL: &str = "
      s_load_dwordx2 s[4:5], s[0:1], 0x0
      v_lshlrev_b32 v1, 13, v0
      v_mov_b32 v2, 7
      s_waitcnt lgkmcnt(0)
      global_store_dword v1, v2, s[4:5]
      s_endpgm";

/// Kernel that increments the elements of its buffer before a barrier.
pub const COUNTS: &str = "
      s_load_dwordx2 s[4:5], s[0:1], 0x0
      v_lshlrev_b32 v1, 2, v0
      s_waitcnt lgkmcnt(0)
      global_load_dword v2, v1, s[4:5]
      s_waitcnt vmcnt(0)
      v_add_u32 v2, 1, v2
      global_store_dword v1, v2, s[4:5]
      s_barrier
      s_endpgm";

/// Single-workgroup kernel that repeatedly stores to 64 pages.
pub const SWEEPS: &str = "
      s_load_dwordx2 s[4:5], s[0:1], 0x0
      s_mov_b32 s8, 10
      v_lshlrev_b32 v1, 10, v0
      s_waitcnt lgkmcnt(0)
    loop:
      v_mov_b32 v2, s8
      global_store_dword v1, v2, s[4:5]
      s_barrier
      s_sub_u32 s8, s8, 1
      s_cmp_lg_u32 s8, 2
      s_cbranch_scc1 loop
      s_endpgm";

/// Runs [`KERNEL`] in three workgroups of four waves under a front end, and returns the stored values.
pub fn run_kernel(
    recording: Recording,
    front: impl FnMut(&mut Session<'_, '_>, Option<&Stop>) -> Resume + Send + 'static,
) -> Vec<u32> {
    let launches = Launches {
        sizes: [768, 256],
        recording,
        ..Launches::of(KERNEL)
    };
    launches.run(front).expect("it ends")
}

/// Launches of one kernel.
pub struct Launches {
    /// Instructions of the kernel.
    pub body: &'static str,
    pub count: u32,
    /// Sizes of the grid and of a workgroup.
    pub sizes: [u32; 2],
    pub recording: Recording,
    /// True to undo only the launch's stores when going back, as for host programs.
    pub has_host: bool,
}

impl Launches {
    /// Creates one launch of a single wave.
    pub fn of(body: &'static str) -> Launches {
        Launches {
            body,
            count: 1,
            sizes: [64, 64],
            recording: Recording::default(),
            has_host: false,
        }
    }

    /// Runs the launches under a front end, and returns the stored values.
    pub fn run(
        self,
        front: impl FnMut(&mut Session<'_, '_>, Option<&Stop>) -> Resume + Send + 'static,
    ) -> Result<Vec<u32>, gcn_runtime::Error> {
        let device = Device::new("gfx900")?;
        let text = format!(
            ".text
            .type sums,@function
            sums: {}
            .rodata
            .p2align 6
            .amdhsa_kernel sums
              .amdhsa_user_sgpr_kernarg_segment_ptr 1
              .amdhsa_group_segment_fixed_size 2048
              .amdhsa_next_free_vgpr 8
              .amdhsa_next_free_sgpr 16
            .end_amdhsa_kernel",
            self.body
        );
        let source = Source {
            name: "sums.s",
            text: &text,
        };
        let assembly = assemble(&source, &Options::new(device.target()));
        assert!(!assembly.has_errors(), "{:?}", assembly.diagnostics);
        let object = assembly.program.to_object(None).expect("it is small");
        let module = device.load(&object)?;
        let out = device.buffer("out", &[1u32; 1 << 16])?;
        let loaded = module.loaded().moved(0);
        let code = Program::new(module.object(), loaded, device.target().isa);
        let log = self.has_host.then(StoreLog::default);
        let past = (self.recording, log.clone());
        let engine = engine(device.memory(), code, past, Script(front));
        let mut observers = Observers::none().controlled_by(engine.clone());
        if let Some(log) = log {
            observers = observers.with(Arc::new(log));
        }
        let [grid, group] = self.sizes.map(|size| [size, 1, 1]);
        let launch = module.kernel("sums")?.launch(grid).group(group).arg(&out);
        let launch = launch.observers(&observers);
        for number in 0..self.count {
            if number > 0 {
                engine.begin_next();
            }
            let end = launch.clone().run(&device.queue());
            assert_eq!(engine.left(), None, "the run has ended by itself");
            end?;
        }
        out.read()
    }
}
