//! Tests of reverse execution: launches return to earlier points, where registers and memory must be as before.

#[expect(dead_code, reason = "other tests run programs in other ways")]
#[path = "../../gcn-emu/tests/programs/mod.rs"]
mod programs;
#[path = "past/launches.rs"]
mod launches;

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Duration;

use arbitrary::Unstructured;
use gcn_asm::{Options, Source, assemble};
use gcn_debug::{
    Engine, FrontEnd, Moment, Program, Recording, Resume, Session, Setup, Stop, StopKind, StoreLog,
    parse,
};
use gcn_emu::memory::Memory;
use gcn_emu::wave::WaveId;
use gcn_isa::Target;
use launches::{COUNTS, FAULTY, Launches, PARTIAL, SWEEPS, run_kernel};

/// Number of random programs. `GCN_PROGRAMS` overrides it.
const PROGRAMS: u64 = 40;
/// Maximum number of instructions in a step.
const LONGEST_STEP: u64 = 60;
/// Size limit in bytes of allocations to compare. Excludes the device `malloc` heap, which these kernels do not use.
const LARGEST: u64 = 1 << 20;
/// Number of jumps to randomly chosen stops.
const JUMPS: usize = 4;

/// Lock held by each test. Registers hold addresses, which depend on the devices that exist.
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

enum Plan {
    /// Steps to the end and records each stop.
    Forward,
    /// Steps to the last recorded stop, goes back to the start, and steps to the last stop again. Then goes back to
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
    (recording, log): (Recording, Option<StoreLog>),
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
        log,
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
                engine(memory, code(program.target()), (recording, None), traveller)
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

/// Returns recordings with different numbers of checkpoints.
fn recordings() -> [Recording; 3] {
    let of = |milliseconds, bytes| Recording {
        interval: Duration::from_millis(milliseconds),
        bytes,
    };
    // Keep all checkpoints, some checkpoints, or only the first.
    [of(0, 64 << 20), of(0, 1 << 20), of(1_000_000, 1 << 20)]
}

#[test]
fn breakpoints_are_passed_backwards_in_the_opposite_order() {
    let _alone = DEVICES.lock().unwrap_or_else(PoisonError::into_inner);
    let plain = run_kernel(Recording::default(), |_, _| Resume::Restart);
    for recording in recordings() {
        let (sender, receiver) = mpsc::channel();
        let mut forward: Vec<Snapshot> = Vec::new();
        // On the way back, the index of the current stop.
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
                    assert!(matches!(stop, Stop::Back(_)), "{stop:?}");
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
                (Stop::Back(_), Some(left)) if *left > 0 => {
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
                // The change made at the 10th stop persists at the 20th stop, and after the launch goes back to the 19th.
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
    for (is_interpreted, has_host) in [(true, false), (false, false), (true, true), (false, true)] {
        let (sender, receiver) = mpsc::channel();
        let launches = Launches {
            has_host,
            ..Launches::of(FAULTY)
        };
        let ended = launches.run(move |session, stop| {
            match stop {
                // Blocks with a breakpoint are not translated to host code.
                None if is_interpreted => {
                    let never = parse("0", session.program().isa()).expect("a number");
                    let kind = StopKind::Mnemonic("v_*".to_owned());
                    let breakpoint = session.add_breakpoint("v_*", kind, false);
                    breakpoint.condition = Some((never, "0".to_owned()));
                }
                None => {}
                Some(Stop::Fault(fault)) => {
                    let _ = sender.send((snapshot(session), fault.pc, fault.lane));
                    return Resume::Continue;
                }
                Some(stop) => panic!("{stop:?}"),
            }
            Resume::Restart
        });
        assert!(ended.is_err(), "the fault ends it");
        faults.push(receiver.recv().expect("it has a fault"));
        assert!(receiver.try_recv().is_err(), "it has one fault");
    }
    for (run, fault) in faults.iter().enumerate() {
        assert_eq!(*fault, faults[0], "run {run}");
    }
    assert!(faults[0].0.instructions > 20_000);
}

#[test]
fn launches_of_a_program_undo_faulting_stores_and_changes_by_the_user() {
    let _alone = DEVICES.lock().unwrap_or_else(PoisonError::into_inner);
    let (sender, values) = mpsc::channel();
    let launches = Launches {
        has_host: true,
        ..Launches::of(PARTIAL)
    };
    let mut has_faulted = false;
    let ended = launches.run(move |session, stop| {
        let Some(stop) = stop else {
            session.set_stop_at_begin(true);
            return Resume::Restart;
        };
        let allocations = session.memory().allocations();
        let out = allocations.iter().find(|it| &*it.name == "out");
        let out = out.expect("it is there").base;
        let value = |at: u64| session.memory().load_u32(out + at);
        let _ = sender.send([value(0), value(4), value(31 << 13)]);
        match stop {
            Stop::Begin => Resume::Instructions {
                count: 2,
                over: false,
            },
            Stop::Step => {
                let isa = session.program().isa();
                let place = parse(&format!("*(u32*){}", out + 4), isa).expect("an expression");
                let number = gcn_debug::Scalar::of_integer(9);
                session.assign(&place, number).expect("there is memory");
                Resume::Continue
            }
            Stop::Fault(_) if !std::mem::replace(&mut has_faulted, true) => Resume::BackToStop,
            _ => Resume::Continue,
        }
    });
    assert!(ended.is_err(), "the fault ends it");
    let values: Vec<_> = values.try_iter().collect();
    let stops = [
        [1, 1, 1],
        [1, 1, 1],
        [7, 9, 7],
        // At the start of the launch, and at the fault without the user change.
        [1, 1, 1],
        [7, 1, 7],
    ];
    assert_eq!(values, stops.map(|it| it.map(Some)));
}

#[test]
fn earlier_launches_are_kept_up_to_the_limit() {
    let _alone = DEVICES.lock().unwrap_or_else(PoisonError::into_inner);
    let (sender, counts) = mpsc::channel();
    let launches = Launches {
        count: 30,
        sizes: [256, 256],
        recording: Recording {
            interval: Duration::ZERO,
            bytes: 60_000,
        },
        ..Launches::of(COUNTS)
    };
    let out = launches.run(move |session, stop| {
        if stop.is_none() {
            session.set_stop_at_begin(true);
            return Resume::Restart;
        }
        let _ = sender.send(session.earlier_launches());
        Resume::Continue
    });
    assert_eq!(out.expect("they end")[..2], [31, 31]);
    let counts: Vec<usize> = counts.try_iter().collect();
    assert_eq!(counts.len(), 30);
    assert_eq!(counts[..3], [0, 1, 2]);
    // Each launch changes pages of 4 KiB: one of the buffer, and those of its arguments.
    assert!(counts.iter().all(|it| *it <= 15), "{counts:?}");
}

#[test]
fn a_log_of_stores_to_the_same_pages_stays_within_its_limit() {
    let _alone = DEVICES.lock().unwrap_or_else(PoisonError::into_inner);
    let (sender, stops) = mpsc::channel();
    let launches = Launches {
        sizes: [256, 256],
        // Three sweeps fit together with their checkpoints. Four sweeps alone do not fit.
        recording: Recording {
            interval: Duration::ZERO,
            bytes: 1_000_000,
        },
        has_host: true,
        ..Launches::of(SWEEPS)
    };
    let out = launches.run(move |session, stop| {
        let Some(stop) = stop else {
            let kind = StopKind::Mnemonic("s_endpgm".to_owned());
            session.add_breakpoint("s_endpgm", kind, true);
            return Resume::Restart;
        };
        let allocations = session.memory().allocations();
        let out = allocations.iter().find(|it| &*it.name == "out");
        let value = session
            .memory()
            .load_u32(out.expect("it is there").base + 1024);
        let _ = sender.send((session.past_is_lost(), value));
        match stop {
            Stop::Breakpoints(_) => Resume::BackToStop,
            _ => Resume::Continue,
        }
    });
    assert_eq!(out.expect("it ends")[256], 3);
    let stops: Vec<_> = stops.try_iter().collect();
    assert_eq!(stops, [(None, Some(3)), (None, Some(1))]);
}
