//! Tests of the events that observers receive, and of their order.

#[path = "../common/mod.rs"]
mod common;
mod operations;
mod sequences;

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use common::{CI, GFX9, LANES, SI, VI, code};
use gcn_emu::Code;
use gcn_emu::device::{Config, Device, OnViolation};
use gcn_emu::fault::{Fault, FaultKind};
use gcn_emu::observe::{
    Context, Dispatched, Events, Instruction, MemoryChange, MemoryEvent, Observer, Observers,
    Phase, Skip, Verdict, WaveEnd, WaveObserver,
};
use gcn_emu::run::{Dispatch, Finished, Initial, InitialSgpr, Stats, run};
use gcn_emu::scoreboard::Retired;
use gcn_emu::step::{Arg, Step};
use gcn_isa::Target;
use gcn_isa::uses::{RegisterSet, Registers, UnnumberedState};

/// Observer that writes a line for each event.
#[derive(Clone)]
struct Recorder {
    wants: Events,
    lines: Arc<Mutex<Vec<String>>>,
    /// Text of an instruction whose accesses are vetoed.
    vetoed: &'static str,
    /// Text of an instruction whose accesses interrupt the run, as a signal does.
    interrupting: &'static str,
}

impl Recorder {
    fn new(wants: Events) -> Recorder {
        Recorder {
            wants,
            lines: Arc::default(),
            vetoed: "none",
            interrupting: "none",
        }
    }

    fn add(&self, line: String) {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.push(line);
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.lines.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Observer for Recorder {
    fn wants(&self) -> Events {
        self.wants
    }
    fn waves(&self) -> Option<Box<dyn WaveObserver>> {
        Some(Box::new(self.clone()))
    }
    fn dispatch_begins(&self, dispatch: &Dispatched<'_>) {
        let regions = dispatch.device.memory.allocations();
        let names: Vec<_> = regions
            .iter()
            .map(|it| format!("{} {}", it.name, it.host_has_written))
            .collect();
        self.add(format!(
            "dispatch {} {:?} {:?} of {names:?}",
            dispatch.id, dispatch.dispatch.kernel, dispatch.dispatch.kernarg
        ));
    }
    fn dispatch_ends(&self, dispatch: &Dispatched<'_>, stats: &Stats, fault: Option<&Fault>) {
        let fault = fault.map(|fault| &fault.kind);
        self.add(format!(
            "dispatch {} ends after {} {fault:?}",
            dispatch.id, stats.instructions
        ));
    }
    fn memory_changes(&self, change: &MemoryChange<'_>) {
        let bytes = change.range.end - change.range.start;
        self.add(format!("{:?} {} {bytes}", change.kind, change.name));
    }
}

impl WaveObserver for Recorder {
    fn wave_begins(&mut self, context: &Context<'_>) {
        self.add(format!("{} begins", context.id().wave));
    }
    fn wave_ends(&mut self, context: &Context<'_>, end: WaveEnd<'_>) {
        let outstanding = context.wave.scoreboard.outstanding().count();
        self.add(format!(
            "{} ends: {end:?}, {outstanding} outstanding",
            context.id().wave
        ));
    }
    fn issues(&mut self, context: &Context<'_>, instruction: &Instruction<'_>) {
        let operation = instruction
            .operation
            .map_or(String::new(), |id| format!(" #{}", id.0));
        self.add(format!(
            "{} issues {}{operation}",
            context.id().wave,
            instruction.step.inst.text()
        ));
        let of = |arg: &Arg| match arg {
            Arg::Vgpr(n) => format!("v{n}"),
            Arg::Scalar(n) => format!("s{n}"),
            other => format!("{other:?}"),
        };
        if instruction.operands != &instruction.step.args {
            let [first, second, ..] = instruction.operands;
            self.add(format!("operands {} {}", of(first), of(second)));
        }
    }
    fn completes(&mut self, context: &Context<'_>, instruction: &Instruction<'_>) {
        self.add(format!(
            "{} completes {}",
            context.id().wave,
            instruction.step.inst.name()
        ));
    }
    fn skipped(&mut self, _: &Context<'_>, step: &Step, why: Skip) {
        self.add(format!("skips {} {why:?}", step.inst.name()));
    }
    fn accesses(&mut self, context: &Context<'_>, event: &MemoryEvent<'_>) -> Verdict {
        assert_eq!(event.phase, Phase::Before);
        let text = event.instruction.step.inst.text();
        if text.starts_with(self.vetoed) {
            return Verdict::Veto("no".into());
        }
        if text.starts_with(self.interrupting) {
            let device = context.dispatched.device;
            device.interrupted.store(true, Ordering::Relaxed);
        }
        self.access("accesses", context, event);
        Verdict::Allow
    }
    fn accessed(&mut self, context: &Context<'_>, event: &MemoryEvent<'_>) {
        assert_eq!(event.phase, Phase::After);
        self.access("accessed", context, event);
    }
    fn manages_cache(&mut self, context: &Context<'_>, instruction: &Instruction<'_>) {
        let name = instruction.step.inst.name();
        self.add(format!("{} does {name}", context.id().wave));
    }
    fn retires(&mut self, _: &Context<'_>, it: &Retired) {
        self.add(format!(
            "#{} retires {:?} {:?}",
            it.operation.0, it.counter, it.cause
        ));
    }
    fn barrier_arrives(&mut self, context: &Context<'_>) {
        self.add(format!("{} arrives", context.id().wave));
    }
    fn barrier_opens(&mut self, _: &Dispatched<'_>, group: [u32; 3]) {
        self.add(format!("opens {group:?}"));
    }
    fn gws_blocks(&mut self, context: &Context<'_>) {
        self.add(format!("{} blocks", context.id().wave));
    }
    fn gws_resumes(&mut self, context: &Context<'_>) {
        self.add(format!("{} resumes", context.id().wave));
    }
    fn gws_begins(&mut self, context: &Context<'_>) {
        self.add(format!("{} begins gws", context.id().wave));
    }
    fn gws_ends(&mut self, context: &Context<'_>) {
        self.add(format!("{} is done with gws", context.id().wave));
    }
}

impl Recorder {
    /// Writes lanes, space, size, and the first lane's address (relative to the first allocation) and values.
    fn access(&self, verb: &str, context: &Context<'_>, event: &MemoryEvent<'_>) {
        let access = event.access();
        let lane = access.lanes().trailing_zeros() as usize;
        let first = context.dispatched.device.memory.allocations();
        let first = first.first();
        let address = match first {
            Some(first) if access.global != 0 => access.address[lane] - first.base,
            _ => access.address[lane],
        };
        let values: Vec<_> = (0..access.elements)
            .filter_map(|element| event.value(lane, element))
            .map(|value| format!(" {:x?}", value.dwords()))
            .collect();
        self.add(format!(
            "{verb} {:?} {:?} {} lanes, {} x {} bytes at {address}:{}",
            access.intent.expect("it is an access"),
            access.space(lane).expect("the lane accesses something"),
            access.lanes().count_ones(),
            access.elements,
            access.bytes,
            values.concat(),
        ));
    }
}

/// Runs one workgroup with the address of a 1 KiB buffer in s[0:1] and work-item IDs in v0.
fn run_with(
    target: &str,
    text: &str,
    items: u32,
    configure: impl Fn(&mut Config),
    observers: &Observers,
) -> Finished {
    let target = Target::named(target).expect("it exists");
    let mut config = Config::new(target.isa);
    configure(&mut config);
    let mut device = Device::new(config);
    device.memory.observe(observers.clone());
    let buffer = device.memory.allocate("buffer", 1024).expect("memory");
    let contents: Vec<u8> = (0..=255_u32).flat_map(u32::to_le_bytes).collect();
    assert!(device.memory.write(buffer, &contents));
    let code = Code::new(target.isa, 0x1000, &code(target, text), 16, 32);
    let sgprs = [buffer, buffer >> u32::BITS].map(|half| InitialSgpr::Value(half as u32));
    let dispatch = Dispatch {
        kernel: Some("kernel".to_owned()),
        kernarg: Some(16..32),
        restricted: Vec::new(),
        acquires: true,
        entry: 0x1000,
        grid: [items, 1, 1],
        group: [items, 1, 1],
        lds_bytes: 512,
        scratch_bytes_per_lane: 0,
        initial: Initial {
            sgprs: sgprs.to_vec(),
            work_item_ids: 1,
            mode: 0,
        },
    };
    let finished = run(&mut device, &code, &dispatch, observers).expect("it starts");
    device.memory.free(buffer).expect("it is there");
    finished
}

fn observed(target: &str, text: &str, items: u32, wants: Events) -> Vec<String> {
    let recorder = Recorder::new(wants);
    let observers = Observers::none().with(Arc::new(recorder.clone()));
    run_with(target, text, items, |_| (), &observers);
    recorder.take()
}

#[track_caller]
fn assert_lines(found: &[String], expected: &str) {
    let expected: Vec<&str> = expected.lines().map(str::trim).collect();
    assert_eq!(found, &expected[1..], "{found:#?}");
}

#[test]
fn a_run_from_its_begin_to_its_end() {
    let text = "v_lshlrev_b32 v1, 2, v0\n s_load_dwordx2 s[4:5], s[0:1], 0x8\n s_waitcnt lgkmcnt(0)\n \
                global_load_dword v2, v1, s[0:1]\n global_store_dword v1, v0, s[0:1] offset:256\n s_waitcnt vmcnt(0)\n s_endpgm";
    assert_lines(
        &observed(GFX9, text, 64, Events::all()),
        r##"
        Allocated buffer 1024
        Written buffer 1024
        dispatch 0 Some("kernel") Some(16..32) of ["buffer true"]
        0 begins
        0 issues v_lshlrev_b32_e32 v1, 2, v0
        0 completes v_lshlrev_b32
        0 issues s_load_dwordx2 s[4:5], s[0:1], 0x8 #0
        accesses Load Global 1 lanes, 1 x 8 bytes at 8:
        accessed Load Global 1 lanes, 1 x 8 bytes at 8: [2, 3]
        0 completes s_load_dwordx2
        0 issues s_waitcnt lgkmcnt(0)
        #0 retires Lgkm Wait
        0 completes s_waitcnt
        0 issues global_load_dword v2, v1, s[0:1] #1
        accesses Load Global 64 lanes, 1 x 4 bytes at 0:
        accessed Load Global 64 lanes, 1 x 4 bytes at 0: [0]
        0 completes global_load_dword
        0 issues global_store_dword v1, v0, s[0:1] offset:256 #2
        accesses Store Global 64 lanes, 1 x 4 bytes at 256: [0]
        accessed Store Global 64 lanes, 1 x 4 bytes at 256: [0]
        0 completes global_store_dword
        0 issues s_waitcnt vmcnt(0)
        #1 retires Vm Order
        #2 retires Vm Wait
        0 completes s_waitcnt
        0 issues s_endpgm
        0 completes s_endpgm
        0 ends: Program, 0 outstanding
        dispatch 0 ends after 7 None
        Freed buffer 1024"##,
    );
}

#[test]
fn every_kind_of_access_has_values() {
    let text = "s_mov_b32 m0, -1\n v_mov_b32 v1, 8\n v_mov_b32 v2, 0x1234\n v_mov_b32 v3, 7\n v_mov_b32 v4, s0\n \
                v_mov_b32 v5, s1\n s_mov_b64 exec, 4\n ds_write2_b32 v1, v2, v3 offset1:5\n \
                ds_add_rtn_u32 v6, v1, v3\n flat_atomic_cmpswap v7, v[4:5], v[2:3] glc\n flat_store_byte v[4:5], v2\n \
                flat_load_sbyte v8, v[4:5]\n ds_append v9\n s_mov_b32 m0, 0x20008\n v_mov_b32 v10, src_lds_direct\n \
                s_mov_b32 m0, 0x00200200\n ds_add_u32 v1, v3 gds\n ds_swizzle_b32 v1, v1 offset:0\n s_endpgm";
    assert_lines(
        &observed(GFX9, text, 64, Events::ACCESS | Events::ACCESSED),
        "
        accesses Store Lds 1 lanes, 2 x 4 bytes at 8: [1234] [7]
        accessed Store Lds 1 lanes, 2 x 4 bytes at 8: [1234] [7]
        accesses Atomic Lds 1 lanes, 1 x 4 bytes at 8: [7]
        accessed Atomic Lds 1 lanes, 1 x 4 bytes at 8: [1234]
        accesses Atomic Global 1 lanes, 1 x 4 bytes at 0: [1234, 7]
        accessed Atomic Global 1 lanes, 1 x 4 bytes at 0: [0]
        accesses Store Global 1 lanes, 1 x 1 bytes at 0: [34]
        accessed Store Global 1 lanes, 1 x 1 bytes at 0: [34]
        accesses Load Global 1 lanes, 1 x 1 bytes at 0:
        accessed Load Global 1 lanes, 1 x 1 bytes at 0: [34]
        accesses Atomic Lds 1 lanes, 1 x 4 bytes at 0: [1]
        accessed Atomic Lds 1 lanes, 1 x 4 bytes at 0: [0]
        accesses Load Lds 1 lanes, 1 x 4 bytes at 8:
        accessed Load Lds 1 lanes, 1 x 4 bytes at 8: [123b]
        accesses Atomic Gds 1 lanes, 1 x 4 bytes at 8: [7]
        accessed Atomic Gds 1 lanes, 1 x 4 bytes at 8: [0]",
    );
    assert_lines(
        &observed(GFX9, text, 64, Events::STORED | Events::STORES),
        "
        accesses Atomic Global 1 lanes, 1 x 4 bytes at 0: [1234, 7]
        accessed Atomic Global 1 lanes, 1 x 4 bytes at 0: [0]
        accesses Store Global 1 lanes, 1 x 1 bytes at 0: [34]
        accessed Store Global 1 lanes, 1 x 1 bytes at 0: [34]
        accesses Atomic Gds 1 lanes, 1 x 4 bytes at 8: [7]
        accessed Atomic Gds 1 lanes, 1 x 4 bytes at 8: [0]",
    );
}

#[test]
fn registers_are_those_after_indexing_and_movrel() {
    let text = "s_mov_b32 m0, 3\n v_movrels_b32 v1, v2\n v_movreld_b32 v1, v2\n s_movreld_b32 s4, s5\n \
                v_movreld_b32 v14, v2\n s_endpgm";
    let operands = |target: &str, text: &str| -> Vec<String> {
        let lines = observed(target, text, 64, Events::ISSUE);
        let is_one = |line: &String| line.starts_with("operands");
        lines.into_iter().filter(is_one).collect()
    };
    for target in [SI, CI, VI] {
        let expected = [
            "operands v1 v5",
            "operands v4 v2",
            "operands s7 s5",
            "operands None v2",
        ];
        assert_eq!(operands(target, text), expected, "{target}");
    }
    let text = "s_mov_b32 s4, 4\n s_set_gpr_idx_on s4, 9\n v_mov_b32 v1, v2\n s_set_gpr_idx_off\n v_mov_b32 v1, v2\n s_endpgm";
    assert_eq!(operands(GFX9, text), ["operands v5 v6"]);
}

#[test]
fn skipped_instructions_do_not_issue() {
    let wants = Events::ISSUE | Events::COMPLETE | Events::SKIP;
    let text = "s_setvskip 1, 0\n v_mov_b32 v1, v2\n s_setvskip 0, 0\n s_endpgm";
    assert_lines(
        &observed(GFX9, text, 64, wants),
        "
        0 issues s_setvskip 1, 0
        0 completes s_setvskip
        skips v_mov_b32 Mode
        0 issues s_setvskip 0, 0
        0 completes s_setvskip
        0 issues s_endpgm
        0 completes s_endpgm",
    );
    let recorder = Recorder::new(wants);
    let observers = Observers::none().with(Arc::new(recorder.clone()));
    let lenient = |config: &mut Config| config.on_violation = OnViolation::Continue;
    run_with(
        GFX9,
        "v_mov_b32 v200, v2\n s_endpgm",
        64,
        lenient,
        &observers,
    );
    assert_eq!(recorder.take()[0], "skips v_mov_b32 Destination");
}

#[test]
fn an_instruction_that_blocks_issues_once() {
    // The first wave arrives at a barrier for two; the second opens it.
    let text = "s_mov_b32 m0, 0\n v_mov_b32 v1, 1\n ds_gws_init v1 gds\n s_barrier\n ds_gws_barrier v1 gds\n s_endpgm";
    let lines = observed(
        GFX9,
        text,
        128,
        Events::ISSUE | Events::COMPLETE | Events::GWS | Events::BARRIER,
    );
    let of_gws =
        |line: &&String| !line.contains("mov") && !line.contains("init") && !line.contains("end");
    let lines: Vec<String> = lines.iter().filter(of_gws).cloned().collect();
    assert_lines(
        &lines,
        "
        0 begins gws
        0 is done with gws
        0 issues s_barrier
        0 completes s_barrier
        0 arrives
        1 begins gws
        1 is done with gws
        1 issues s_barrier
        1 completes s_barrier
        1 arrives
        opens [0, 0, 0]
        0 issues ds_gws_barrier v1 gds #1
        0 begins gws
        0 blocks
        1 issues ds_gws_barrier v1 gds #1
        1 begins gws
        1 is done with gws
        1 completes ds_gws_barrier
        0 resumes
        0 is done with gws
        0 completes ds_gws_barrier",
    );
}

#[test]
fn operations_on_caches_are_reported_and_access_nothing() {
    let text = "s_dcache_inv\n buffer_wbinvl1_vol\n s_load_dword s4, s[0:1], 0x0\n s_endpgm";
    let lines = observed(GFX9, text, 1, Events::CACHE | Events::ACCESSED);
    let (caches, accesses) = lines.split_at(2);
    assert_lines(
        caches,
        "
        0 does s_dcache_inv
        0 does buffer_wbinvl1_vol",
    );
    assert_eq!(accesses.len(), 1, "{lines:?}");
}

#[test]
fn every_wave_ends_once_for_a_reason() {
    let ends = |text: &str, configure: &dyn Fn(&mut Config), vetoed: &'static str| {
        let mut recorder = Recorder::new(Events::WAVE | Events::ACCESS | Events::COUNTERS);
        recorder.vetoed = vetoed;
        let observers = Observers::none().with(Arc::new(recorder.clone()));
        let finished = run_with(GFX9, text, 128, configure, &observers);
        let mut lines = recorder.take();
        lines.retain(|line| line.contains("ends"));
        (lines, finished.fault.map(|fault| fault.kind))
    };
    let (lines, fault) = ends("s_barrier\n s_trap 2\n s_endpgm", &|_| (), "none");
    assert_eq!(
        lines,
        [
            "0 ends: Fault(Trap(2), None), 0 outstanding",
            "1 ends: Stopped, 0 outstanding"
        ]
    );
    assert_eq!(fault, Some(FaultKind::Trap(2)));
    let (lines, _) = ends(
        "s_barrier\n loop:\n s_branch loop\n s_endpgm",
        &|config| config.limit = Some(20),
        "none",
    );
    assert_eq!(
        lines,
        [
            "0 ends: Limit, 0 outstanding",
            "1 ends: Stopped, 0 outstanding"
        ]
    );
    let text = "s_load_dword s4, s[0:1], 0x0\n s_endpgm";
    let (lines, fault) = ends(text, &|_| (), "s_load");
    let end = r#"0 ends: Fault(Vetoed("no"), None), 0 outstanding"#;
    assert_eq!(lines, [end]);
    assert_eq!(fault, Some(FaultKind::Vetoed("no".into())));
    let (lines, fault) = ends(text, &|_| (), "none");
    assert_eq!(
        lines,
        [
            "0 ends: Program, 1 outstanding",
            "1 ends: Program, 1 outstanding"
        ]
    );
    assert_eq!(fault, None);
}

#[test]
fn an_interrupt_ends_all_waves() {
    let mut recorder = Recorder::new(Events::WAVE | Events::ACCESS);
    recorder.interrupting = "s_load";
    let observers = Observers::none().with(Arc::new(recorder.clone()));
    let text = "s_barrier\n s_load_dword s4, s[0:1], 0x0\n loop:\n s_branch loop";
    let finished = run_with(GFX9, text, 128, |_| (), &observers);
    let fault = finished.fault.map(|fault| fault.kind);
    assert_eq!(fault, Some(FaultKind::Interrupted));
    let mut ends = recorder.take();
    ends.retain(|line| line.contains("ends"));
    ends.sort();
    for (wave, end) in ends.iter().enumerate() {
        let expected = format!("{wave} ends: Interrupt, ");
        assert!(end.starts_with(&expected), "{end}");
    }
    assert_eq!(ends.len(), 2, "{ends:?}");
}

#[test]
fn observers_compose() {
    let text = "v_lshlrev_b32 v1, 2, v0\n global_load_dword v2, v1, s[0:1]\n s_waitcnt vmcnt(0)\n s_barrier\n s_endpgm";
    let alone: Vec<Vec<String>> = [
        Events::all(),
        Events::ACCESSED,
        Events::WAVE | Events::RETIRE,
    ]
    .map(|wants| observed(GFX9, text, 3 * LANES as u32, wants))
    .to_vec();
    // Operations are not counted if no observer wants their events.
    assert!(alone[1].iter().all(|line| line.starts_with("accessed")));
    let together = [
        Events::all(),
        Events::ACCESSED,
        Events::WAVE | Events::RETIRE,
    ]
    .map(Recorder::new);
    let mut observers = Observers::none();
    for recorder in &together {
        observers = observers.with(Arc::new(recorder.clone()));
    }
    run_with(GFX9, text, 3 * LANES as u32, |_| (), &observers);
    assert_eq!(together.map(|recorder| recorder.take()).to_vec(), alone);
}

/// Observer that watches some registers, and records the instructions of its events.
#[derive(Clone)]
struct Watching {
    wants: Events,
    watched: RegisterSet,
    names: Arc<Mutex<Vec<(u64, String)>>>,
}

impl Watching {
    /// Names of the instructions for which the observer receives events, by wave.
    fn names(
        target: &str,
        text: &str,
        items: u32,
        wants: Events,
        watched: &[Registers],
    ) -> Vec<(u64, String)> {
        let mut set = RegisterSet::default();
        watched.iter().for_each(|it| set.add(*it));
        let it = Watching {
            wants,
            watched: set,
            names: Arc::default(),
        };
        let observers = Observers::none().with(Arc::new(it.clone()));
        run_with(target, text, items, |config| config.quantum = 3, &observers);
        let mut names = it.names.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut names)
    }

    fn add(&self, context: &Context<'_>, steps: &[Step]) {
        let mut names = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        let wave = u64::from(context.id().wave);
        names.extend(steps.iter().map(|step| (wave, step.inst.text())));
    }
}

impl Observer for Watching {
    fn wants(&self) -> Events {
        self.wants
    }
    fn waves(&self) -> Option<Box<dyn WaveObserver>> {
        Some(Box::new(self.clone()))
    }
}

impl WaveObserver for Watching {
    fn watched(&mut self, _: &Context<'_>) -> RegisterSet {
        self.watched
    }
    fn issues(&mut self, context: &Context<'_>, instruction: &Instruction<'_>) {
        self.add(context, std::slice::from_ref(instruction.step));
    }
    fn executed(&mut self, context: &Context<'_>, sequence: &[Step]) {
        self.add(context, sequence);
    }
}

#[test]
fn arithmetic_is_reported_only_if_it_uses_watched_registers() {
    let text = "v_mov_b32 v1, v2\n v_mov_b32 v3, v4\n s_mov_b32 s4, s5\n s_mov_b32 s6, s7\n s_cmp_eq_u32 s4, s4\n \
                s_cbranch_scc0 end\n v_add_u32 v5, vcc, s6, v1\n s_waitcnt vmcnt(0)\n ds_read_b32 v7, v8\n \
                s_mov_b32 m0, 2\n v_movrels_b32 v9, v10\n s_set_gpr_idx_on s4, 1\n v_mov_b32 v11, v12\n \
                s_set_gpr_idx_off\n v_mov_b32 v11, v12\nend:\n s_endpgm";
    let of = |watched: &[Registers]| -> Vec<String> {
        let names = Watching::names(VI, text, 64, Events::WATCHED, watched);
        names.into_iter().map(|(_, name)| name).collect()
    };
    let always = [
        "ds_read_b32 v7, v8",
        "v_movrels_b32_e32 v9, v10",
        "v_mov_b32_e32 v11, v12",
        "s_set_gpr_idx_off",
        "s_endpgm",
    ];
    let v3 = Registers::Vector { first: 3, count: 1 };
    assert_eq!(of(&[v3]), [&["v_mov_b32_e32 v3, v4"], &always[..]].concat());
    let s6 = Registers::Scalar { first: 6, count: 1 };
    let scc = Registers::State(UnnumberedState::Scc);
    let expected = [
        &[
            "s_mov_b32 s6, s7",
            "s_cmp_eq_u32 s4, s4",
            "s_cbranch_scc0 9",
            "v_add_u32_e32 v5, vcc, s6, v1",
        ],
        &always[..],
    ];
    let found: Vec<String> = of(&[s6, scc])
        .into_iter()
        .map(|name| {
            if name.starts_with("s_cbranch") {
                "s_cbranch_scc0 9".to_owned()
            } else {
                name
            }
        })
        .collect();
    assert_eq!(found, expected.concat());
    // Observers that want waits receive events for them.
    let names = Watching::names(VI, text, 64, Events::WATCHED | Events::WAIT, &[v3]);
    let names: Vec<String> = names.into_iter().map(|(_, name)| name).collect();
    let waits = ["v_mov_b32_e32 v3, v4", "s_waitcnt vmcnt(0)"];
    assert_eq!(names, [&waits[..], &always[..]].concat());
}
