//! Tests of reverse execution: launches return to earlier points, where every register and byte must be as before.

#[expect(dead_code, reason = "other tests run programs in other ways")]
#[path = "../../gcn-emu/tests/programs/mod.rs"]
mod programs;

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Duration;

use arbitrary::Unstructured;
use gcn_asm::{Options, Source, assemble};
use gcn_debug::{
    Engine, FrontEnd, Moment, Program, Recording, Resume, Session, Setup, Stop, StopKind, parse,
};
use gcn_emu::memory::Memory;
use gcn_emu::wave::WaveId;
use gcn_isa::Target;
use gcn_runtime::Device;
use gcn_runtime::observe::Observers;

/// Number of random programs. `GCN_PROGRAMS` overrides it.
const PROGRAMS: u64 = 40;
/// Maximum number of instructions in most steps.
const LONGEST_STEP: u64 = 60;
/// Size in bytes of the largest allocation to compare. Excludes the device `malloc` heap, which these kernels do not
/// use.
const LARGEST: u64 = 1 << 20;
/// Number of jumps to randomly chosen stops.
const JUMPS: usize = 4;

/// Held by each test: registers hold addresses, which depend on the devices that exist.
static DEVICES: Mutex<()> = Mutex::new(());

/// State of a launch at a stop.
#[derive(Clone, PartialEq, Debug)]
struct Snapshot {
    at: Moment,
    /// Number of instructions executed by the launch.
    instructions: u64,
    /// Hash of all registers, LDS and memory.
    hash: u64,
}

/// Hash of a word sequence (a variant of FNV).
#[derive(Clone, Copy)]
struct Hash(u64);

impl Hash {
    fn add(&mut self, word: u64) {
        self.0 = (self.0 ^ word)
            .wrapping_mul(0x0000_0100_0000_01b3)
            .rotate_left(29);
    }

    fn add_bytes(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        words
            .iter()
            .for_each(|it| self.add(u64::from_le_bytes(*it)));
        rest.iter().for_each(|it| self.add(u64::from(*it)));
    }
}

fn snapshot(session: &Session<'_, '_>) -> Snapshot {
    let paused = session.paused().expect("a launch runs");
    let wave = session.wave().expect("the focus is on a wave");
    let mut hash = Hash(0xcbf2_9ce4_8422_2325);
    for wave in paused.waves() {
        for word in [
            wave.pc,
            wave.executed,
            u64::from(wave.mode),
            u64::from(wave.scc),
        ] {
            hash.add(word);
        }
        hash.add(wave.waiting as u64);
        (0..128).for_each(|register| hash.add(u64::from(wave.resolved(register))));
        for lanes in wave.vgprs.iter() {
            lanes.0.iter().for_each(|it| hash.add(u64::from(*it)));
        }
        let (_, lds) = paused.wave(wave.id).expect("it runs");
        hash.add_bytes(lds.bytes());
    }
    let memory = session.memory();
    let allocations = memory.allocations().into_iter();
    for allocation in allocations.filter(|it| it.len <= LARGEST) {
        let mut bytes = vec![0; allocation.len as usize];
        assert!(memory.read(allocation.base, &mut bytes));
        hash.add_bytes(&bytes);
    }
    let at = Moment {
        wave: wave.id,
        executed: wave.executed,
    };
    Snapshot {
        at,
        instructions: paused.instructions(),
        hash: hash.0,
    }
}

/// Random number generator (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) % end
    }
}

/// Plan of a run.
enum Plan {
    /// Steps to the end and records each stop.
    Forward,
    /// Steps to the last recorded stop, goes back to the start, steps to the last stop again, and then goes back to
    /// other stops.
    Back {
        noted: Vec<Snapshot>,
        /// Stops to go back to, each from the last stop; one of them is the start.
        jumps: Vec<usize>,
    },
}

/// Front end that follows a plan.
struct Traveller {
    plan: Plan,
    random: Random,
    /// Number of instructions between consecutive stops.
    steps: Arc<Mutex<Vec<u64>>>,
    /// Index of the current stop.
    place: usize,
    seen: mpsc::Sender<Snapshot>,
    /// Number of stops compared after going back.
    compared: Arc<AtomicU64>,
    has_gone_back: bool,
}

impl Traveller {
    fn step(&mut self) -> Resume {
        let mut steps = self.steps.lock().expect("no panic");
        if self.place == steps.len() {
            steps.push(1 + self.random.below(LONGEST_STEP));
        }
        let count = steps[self.place];
        self.place += 1;
        Resume::Instructions { count, over: false }
    }
}

impl FrontEnd for Traveller {
    fn idle(&mut self, session: &mut Session<'_, '_>) -> Resume {
        session.set_stop_at_begin(true);
        Resume::Restart
    }

    fn stopped(&mut self, session: &mut Session<'_, '_>, stop: &Stop) -> Resume {
        if let Stop::Fault(_) = stop {
            return Resume::Continue;
        }
        let here = snapshot(session);
        let Plan::Back { noted, jumps } = &mut self.plan else {
            let _ = self.seen.send(here);
            return self.step();
        };
        if matches!(stop, Stop::BackAtBegin) {
            self.place = 0;
        }
        assert_eq!(here, noted[self.place], "stop {} {stop:?}", self.place);
        self.compared
            .fetch_add(u64::from(self.has_gone_back), Relaxed);
        if self.place + 1 < noted.len() {
            return self.step();
        }
        // A wave that has ended cannot go back, but the start of the launch can be reached.
        let target = loop {
            match jumps.pop() {
                None => return Resume::Continue,
                Some(0) => break 0,
                Some(target) if session.set_focus(noted[target].at.wave) => break target,
                Some(_) => {}
            }
        };
        self.has_gone_back = true;
        self.place = target;
        if target == 0 {
            return Resume::BackToStop;
        }
        let now = session.wave().map_or(0, |wave| wave.executed);
        match now - noted[target].at.executed {
            // The launch has not advanced since.
            0 => Resume::BackToStop,
            count => Resume::Back(count),
        }
    }

    fn passed(&mut self, _: &Session<'_, '_>, _: &Stop) {}
}

fn engine(
    memory: &Memory,
    code: Program,
    recording: Recording,
    front: impl FrontEnd + 'static,
) -> Arc<Engine> {
    let setup = Setup {
        program: code,
        memory: memory.clone(),
        buffers: Vec::new(),
        findings: None,
        interrupt: Arc::default(),
        attention: Arc::default(),
        timeout: None,
        log: None,
        recording,
    };
    let engine = Arc::new(Engine::new(setup, Box::new(front)));
    assert_eq!(engine.idle(), Resume::Restart);
    engine.begin();
    engine
}

/// Returns a program without symbols.
fn code(target: &str) -> Program {
    let target = Target::named(target).expect("it exists");
    let text = "s_endpgm";
    let program = assemble(&Source { name: "none", text }, &Options::new(target)).program;
    let object = program.to_object(None).expect("it is small");
    let object = gcn_object::read(&*object).expect("it is an object");
    Program::new(&object, 0, target.isa)
}

#[test]
fn random_programs_go_back_and_forward_again() {
    let _alone = DEVICES.lock().unwrap_or_else(PoisonError::into_inner);
    let programs =
        std::env::var("GCN_PROGRAMS").map_or(PROGRAMS, |it| it.parse().expect("a number"));
    let compared = Arc::<AtomicU64>::default();
    for seed in 1..=programs {
        let bytes = programs::noise(seed);
        let mut bytes = Unstructured::new(&bytes);
        let program = if seed % 2 == 0 {
            programs::Program::new(&mut bytes)
        } else {
            programs::Program::accessing(&mut bytes)
        };
        let program = program.expect("bytes enough");
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let quantum = 1 + random.below(300);
        let steps = Arc::<Mutex<Vec<u64>>>::default();
        // Some recordings are so small that checkpoints are dropped.
        let bytes = 1 << (14 + random.below(10));
        let recording = Recording {
            interval: Duration::ZERO,
            bytes,
        };
        let run = |plan: Plan, random: Random| {
            let (seen, snapshots) = mpsc::channel();
            let traveller = Traveller {
                plan,
                random,
                steps: steps.clone(),
                place: 0,
                seen,
                compared: compared.clone(),
                has_gone_back: false,
            };
            program.debug(quantum, |memory| {
                engine(memory, code(program.target()), recording, traveller)
            });
            snapshots.try_iter().collect::<Vec<_>>()
        };
        let noted = run(Plan::Forward, Random(random.below(u64::MAX)));
        assert!(noted.len() > 1, "{}", program.described());
        let mut jumps: Vec<usize> = (0..JUMPS)
            .map(|_| random.below(noted.len() as u64) as usize)
            .collect();
        jumps.push(0);
        let again = run(Plan::Back { noted, jumps }, Random(1));
        assert!(again.is_empty());
    }
    let compared = compared.load(Relaxed);
    assert!(
        compared > 50 * programs,
        "{compared} stops after going back"
    );
}

/// Kernel for several workgroups that uses LDS, barriers and GDS.
const KERNEL: &str = "
    .text
    .type sums,@function
    sums:
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
      s_endpgm
    .rodata
    .p2align 6
    .amdhsa_kernel sums
      .amdhsa_user_sgpr_kernarg_segment_ptr 1
      .amdhsa_group_segment_fixed_size 2048
      .amdhsa_next_free_vgpr 8
      .amdhsa_next_free_sgpr 16
    .end_amdhsa_kernel";

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

/// Single-wave kernel that loads rows up to and beyond the end of its buffer.
const FAULTY: &str = "
    .text
    .type sums,@function
    sums:
      s_load_dwordx2 s[4:5], s[0:1], 0x0
      v_lshlrev_b32 v1, 2, v0
      v_add_u32 v1, 100, v1
      v_mov_b32 v2, 0
      v_mov_b32 v4, 0
      s_waitcnt lgkmcnt(0)
    loop:
      v_add_u32 v2, v2, v1
      global_load_dword v3, v1, s[4:5]
      v_add_u32 v1, 0x100, v1
      s_waitcnt vmcnt(0)
      v_add_u32 v4, v4, v3
      v_xor_b32 v5, v4, v1
      s_branch loop
    .rodata
    .p2align 6
    .amdhsa_kernel sums
      .amdhsa_user_sgpr_kernarg_segment_ptr 1
      .amdhsa_next_free_vgpr 8
      .amdhsa_next_free_sgpr 16
    .end_amdhsa_kernel";

/// Runs [`KERNEL`] in three workgroups of four waves under a front end, and returns the stored values.
fn run_kernel(
    recording: Recording,
    front: impl FnMut(&mut Session<'_, '_>, Option<&Stop>) -> Resume + Send + 'static,
) -> Vec<u32> {
    launch(KERNEL, ([768, 1, 1], [256, 1, 1]), recording, front).expect("it ends")
}

fn launch(
    text: &str,
    (grid, group): ([u32; 3], [u32; 3]),
    recording: Recording,
    front: impl FnMut(&mut Session<'_, '_>, Option<&Stop>) -> Resume + Send + 'static,
) -> Result<Vec<u32>, gcn_runtime::Error> {
    let device = Device::new("gfx900")?;
    let source = Source {
        name: "sums.s",
        text,
    };
    let assembly = assemble(&source, &Options::new(device.target()));
    assert!(!assembly.has_errors(), "{:?}", assembly.diagnostics);
    let object = assembly.program.to_object(None).expect("it is small");
    let module = device.load(&object)?;
    let out = device.buffer("out", &[1u32; 1 << 16])?;
    let code = Program::new(
        module.object(),
        module.loaded().moved(0),
        device.target().isa,
    );
    let engine = engine(device.memory(), code, recording, Script(front));
    let observers = Observers::none().controlled_by(engine.clone());
    let launch = module.kernel("sums")?.launch(grid).group(group).arg(&out);
    let end = launch.observers(&observers).run(&device.queue());
    assert_eq!(engine.left(), None, "the run has ended by itself");
    end.map(drop)?;
    out.read()
}

/// Returns recordings with different numbers of checkpoints.
fn recordings() -> [Recording; 3] {
    let of = |milliseconds, bytes| Recording {
        interval: Duration::from_millis(milliseconds),
        bytes,
    };
    // All checkpoints, some checkpoints, only the first.
    [of(0, 64 << 20), of(0, 1 << 20), of(1_000_000, 1 << 20)]
}

#[test]
fn breakpoints_are_passed_backwards_in_the_opposite_order() {
    let _alone = DEVICES.lock().unwrap_or_else(PoisonError::into_inner);
    let plain = run_kernel(Recording::default(), |_, _| Resume::Restart);
    for recording in recordings() {
        let (sender, receiver) = mpsc::channel();
        let mut forward: Vec<Snapshot> = Vec::new();
        // Stop from which the launch goes back, and the number of stops before it.
        let mut left: Option<usize> = None;
        let out = run_kernel(recording, move |session, stop| {
            let Some(stop) = stop else {
                let kind = StopKind::Mnemonic("ds_add*".to_owned());
                session.add_breakpoint("ds_add*", kind, false);
                return Resume::Restart;
            };
            let here = snapshot(session);
            match &mut left {
                None => {
                    assert!(matches!(stop, Stop::Breakpoints(_)), "{stop:?}");
                    forward.push(here);
                    if forward.len() < 55 {
                        return Resume::Continue;
                    }
                    left = Some(forward.len() - 1);
                    Resume::BackToStop
                }
                Some(0) => {
                    assert!(matches!(stop, Stop::BackAtBegin), "{stop:?}");
                    let _ = sender.send(session.recorded());
                    assert!(session.delete(1));
                    Resume::Continue
                }
                Some(left) => {
                    *left -= 1;
                    assert!(matches!(stop, Stop::Back), "{stop:?}");
                    assert_eq!(here, forward[*left], "{left} stops are ahead");
                    Resume::BackToStop
                }
            }
        });
        let (checkpoints, bytes) = receiver.recv().expect("it has gone back to the begin");
        match recording.interval {
            Duration::ZERO => assert!(checkpoints > 2, "{checkpoints} checkpoints"),
            _ => assert_eq!(checkpoints, 1),
        }
        assert!(bytes <= recording.bytes, "{bytes} bytes");
        assert_eq!(out, plain);
    }
}

#[test]
fn watched_values_change_backwards_in_the_opposite_order() {
    let _alone = DEVICES.lock().unwrap_or_else(PoisonError::into_inner);
    for recording in recordings() {
        let (sender, receiver) = mpsc::channel();
        let mut forward: Vec<(WaveId, u64)> = Vec::new();
        let mut left: Option<usize> = None;
        run_kernel(recording, move |session, stop| {
            let Some(stop) = stop else {
                session.set_stop_at_begin(true);
                return Resume::Restart;
            };
            match (stop, &mut left) {
                (Stop::Begin, _) => {
                    let address = session.memory().allocations();
                    let out = address
                        .iter()
                        .find(|it| &*it.name == "out")
                        .expect("it is there");
                    let text = format!("*(u32*){}", out.base + 4 * 70);
                    let value = parse(&text, session.program().isa()).expect("an expression");
                    let watched = gcn_debug::Watched::Expr(value);
                    session
                        .add_watchpoint(&text, watched)
                        .expect("there is memory");
                    Resume::Continue
                }
                (Stop::Watchpoints { by, .. }, None) => {
                    forward.push(*by);
                    if forward.len() < 8 {
                        return Resume::Continue;
                    }
                    left = Some(forward.len());
                    Resume::BackToStop
                }
                (Stop::Back, Some(left)) if *left > 0 => {
                    *left -= 1;
                    let wave = session.wave().expect("one is in focus");
                    assert_eq!((wave.id, wave.pc), forward[*left], "{left} are ahead");
                    Resume::BackToStop
                }
                (Stop::BackAtBegin, Some(0)) => {
                    let _ = sender.send(());
                    assert!(session.delete(1));
                    Resume::Continue
                }
                (stop, _) => panic!("{stop:?}"),
            }
        });
        receiver.recv().expect("it has gone back to the begin");
    }
}

#[test]
fn changes_by_the_user_are_made_again() {
    let _alone = DEVICES.lock().unwrap_or_else(PoisonError::into_inner);
    for recording in recordings() {
        let (sender, values) = mpsc::channel();
        let mut stops = 0;
        run_kernel(recording, move |session, stop| {
            let isa = session.program().isa();
            let Some(_) = stop else {
                let kind = StopKind::Mnemonic("global_store*".to_owned());
                session.add_breakpoint("global_store*", kind, false);
                return Resume::Restart;
            };
            stops += 1;
            let register = parse("v2[7]", isa).expect("an expression");
            let value = session.evaluate(&register).expect("it has a value");
            let _ = sender.send(format!("{value:?}"));
            match stops {
                // The change made at the tenth stop persists at the twentieth, and after the launch goes back to the
                // 19th.
                10 => {
                    let number = parse("1000000", isa).expect("a number");
                    let Ok(gcn_debug::Evaluated::Scalar(number)) = session.evaluate(&number) else {
                        panic!("no number");
                    };
                    session.assign(&register, number).expect("it is a register");
                    Resume::Continue
                }
                20 | 22 => Resume::BackToStop,
                // Going back to before the change drops it.
                21 => Resume::Continue,
                23 => {
                    assert!(session.delete(1));
                    Resume::Continue
                }
                _ => Resume::Continue,
            }
        });
        let values: Vec<String> = values.try_iter().collect();
        assert_eq!(values.len(), 23);
        assert_eq!(values[20], values[18]);
        assert_eq!(values[21], values[19]);
        assert_eq!(values[22], values[18]);
    }
}

#[test]
fn registers_are_exact_at_a_fault_of_host_code() {
    let _alone = DEVICES.lock().unwrap_or_else(PoisonError::into_inner);
    let mut faults = Vec::new();
    for is_interpreted in [true, false] {
        let (sender, receiver) = mpsc::channel();
        let ended = launch(
            FAULTY,
            ([64, 1, 1], [64, 1, 1]),
            Recording::default(),
            move |session, stop| {
                match stop {
                    // A breakpoint prevents translation to host code, even if no wave reaches it.
                    None if is_interpreted => {
                        let kind = StopKind::Mnemonic("s_barrier".to_owned());
                        session.add_breakpoint("s_barrier", kind, false);
                    }
                    None => {}
                    Some(Stop::Fault(fault)) => {
                        let _ = sender.send((snapshot(session), fault.pc, fault.lane));
                        return Resume::Continue;
                    }
                    Some(stop) => panic!("{stop:?}"),
                }
                Resume::Restart
            },
        );
        assert!(ended.is_err(), "the fault ends it");
        faults.push(receiver.recv().expect("it has a fault"));
        assert!(receiver.try_recv().is_err(), "it has one fault");
    }
    assert_eq!(faults[0], faults[1]);
    assert!(faults[0].0.instructions > 1000);
}
