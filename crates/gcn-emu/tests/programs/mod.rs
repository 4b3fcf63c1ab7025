//! Random programs, and the comparison of runs that must have the same result. The test `wild` of gcn-observe and the
//! fuzz target `run` also include this file.
//!
//! A program consists of a prologue, which fills VGPRs and sets up addresses; random instructions; and an epilogue,
//! which stores all registers, LDS and scratch. Memory after a run therefore shows all effects of the program.

mod event_log;
mod frame;
mod instruction;
mod watcher;
mod wild;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use arbitrary::Unstructured;
use gcn_asm::{Options, Source, assemble};
use gcn_emu::Code;
use gcn_emu::device::{Config, Device, OnViolation};
use gcn_emu::memory::Memory;
use gcn_emu::observe::{Debugger, Events, Observers};
use gcn_emu::run::{Dispatch, Engine, Finished, Initial, Level, run};
use gcn_isa::{Does, Field, Inst, Target, decode};

use event_log::EventLog;
use frame::{
    DUMP, Dump, GROUPS, Interleaving, KEPT, LDS_BYTES, REGION, SCRATCH_BYTES, SGPRS, VGPRS,
};
use instruction::{instruction, reads_flat_scratch};
use watcher::Watcher;

/// One target of each instruction set.
pub const TARGETS: &[&str] = &[
    "gfx600", "gfx700", "gfx803", "gfx810", "gfx900", "gfx904", "gfx906",
];

/// Address of the code.
const BASE: u64 = 0x1000;
/// Number of instructions of a program, and maximum number that a wave executes.
const LENGTH: usize = 48;
const LIMIT: u64 = 4000;
/// Bits of floating-point edge cases: infinities, NaNs of both kinds, denormals, zeros, ones.
const SPECIAL: [u32; 12] = [
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0001,
    0xffc1_2345,
    0x7f80_0003,
    0xffa0_0000,
    0x0000_0001,
    0x8000_0000,
    0,
    0x3f80_0000,
    0x7e01_7d03,
    0xfc00_fe02,
];

/// Program with its initial memory.
pub struct Program {
    target: &'static Target,
    code: Vec<u8>,
    /// Offsets of the instructions.
    places: Vec<usize>,
    /// Text of the instructions.
    pub text: String,
    memory: Vec<u8>,
    scalars: Vec<u32>,
    mode: u32,
    dword_alignment: bool,
    interleaving: Interleaving,
    /// Statements after the prologue that set addresses.
    wild: String,
    /// Maximum number of instructions that a wave executes.
    limit: u64,
    /// True if the program may distinguish threads by their scratch addresses.
    reads_flat_scratch: bool,
}

/// MODE bits for rounding.
const ROUNDING: u32 = 0xf;

/// Maximum distance, in instructions, of backward and forward branches in programs with loops.
const BACK: usize = 12;
const AHEAD: usize = 4;

/// True for instructions of programs with loops: scalar ALU, branches, and plain vector instructions.
fn is_of_loops(inst: &Inst) -> bool {
    is_plain(inst)
        || matches!(inst.does(), Does::Branch(_))
        || matches!(inst.does(), Does::Alu(_) | Does::Compare(..)) && inst.encoding.is_scalar()
}

/// True for instructions of loops, and for loads and stores of global memory and LDS.
fn is_of_accesses(inst: &Inst) -> bool {
    let is_move = matches!(
        inst.does(),
        Does::Load(_)
            | Does::LoadHalf(..)
            | Does::Store(_)
            | Does::StoreHigh(_)
            | Does::LoadTwo(..)
            | Does::StoreTwo(..)
    );
    is_of_loops(inst) || is_move
}

/// True for vector ALU instructions whose only modifiers are signs and parts of registers.
fn is_plain(inst: &Inst) -> bool {
    let layout = inst.layout();
    let is_off = |field: Field| !layout.has(field) || inst.get(field) == 0;
    let has = |field: Field| layout.has(field);
    matches!(inst.does(), Does::Alu(_) | Does::Compare(..))
        && !inst.encoding.is_scalar()
        && !has(Field::DppCtrl)
        && is_off(Field::Clamp)
        && is_off(Field::Omod)
}

/// Assembles a text.
pub fn assembled(target: &'static Target, text: &str) -> Vec<u8> {
    let source = Source {
        name: "program",
        text,
    };
    let assembly = assemble(&source, &Options::new(target));
    assert!(!assembly.has_errors(), "{text}: {:?}", assembly.diagnostics);
    let section = assembly.program.section(".text").expect("there is code");
    section.bytes.clone()
}

/// Code by target name and text.
type KnownTexts = HashMap<(&'static str, String), Rc<[u8]>>;

/// Number of texts that [`assembled_before`] keeps.
const MAX_TEXTS: usize = 256;

/// Variant of [`assembled`] for texts that recur.
fn assembled_before(target: &'static Target, text: String) -> Rc<[u8]> {
    thread_local! {
        static KNOWN: RefCell<KnownTexts> = RefCell::default();
    }
    KNOWN.with_borrow_mut(|known| {
        if known.len() > MAX_TEXTS {
            known.clear();
        }
        let code = known.entry((target.name, text));
        let code = code.or_insert_with_key(|(_, text)| assembled(target, text).into());
        code.clone()
    })
}

/// Random bytes for a program. They only depend on the seed, so that failures are reproducible.
pub fn noise(seed: u64) -> Vec<u8> {
    const BYTES: usize = 1 << 13;
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..BYTES).map(|_| (next() >> 32) as u8).collect()
}

/// Initial contents of memory and scalar registers.
fn contents(seed: u64) -> (Vec<u8>, Vec<u32>) {
    let mut memory = vec![0; REGION as usize * GROUPS as usize];
    let mut state = seed | 1;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for group in memory.chunks_exact_mut(REGION as usize) {
        for dword in group[..DUMP as usize].chunks_exact_mut(4) {
            let bits = random();
            let value = match bits >> 60 {
                0..4 => SPECIAL[(bits as usize) % SPECIAL.len()],
                4..8 => bits as u32 & 0x1ff,
                _ => bits as u32,
            };
            dword.copy_from_slice(&value.to_le_bytes());
        }
    }
    let scalars = (0..KEPT).map(|_| random() as u32).collect();
    (memory, scalars)
}

impl Program {
    /// Generates a program from random bytes.
    ///
    /// # Errors
    /// Fails if there are too few bytes.
    pub fn new(u: &mut Unstructured<'_>) -> arbitrary::Result<Program> {
        Program::made(u, String::new(), |_| true)
    }

    /// Program with this text and MODE. The seed determines registers and memory.
    pub fn of_text(target: &'static Target, text: &str, mode: u32, seed: u64) -> Program {
        let (memory, scalars) = contents(seed);
        Program {
            target,
            code: assembled(target, text),
            places: Vec::new(),
            text: text.to_owned(),
            memory,
            scalars,
            mode,
            dword_alignment: false,
            interleaving: Interleaving::USUAL,
            wild: String::new(),
            limit: u64::MAX,
            reads_flat_scratch: false,
        }
    }

    /// Generates a program of memory instructions, and sets their address registers to edge cases.
    ///
    /// # Errors
    /// Fails if there are too few bytes.
    pub fn wild(u: &mut Unstructured<'_>) -> arbitrary::Result<Program> {
        let wild = wild::registers(u)?;
        Program::made(u, wild, |inst| inst.uses().memory().is_some())
    }

    /// Generates a program of vector instructions, most of which can be compiled, with a rounding mode that hosts
    /// support.
    ///
    /// # Errors
    /// Fails if there are too few bytes.
    pub fn arithmetic(u: &mut Unstructured<'_>) -> arbitrary::Result<Program> {
        let mut program = Program::made(u, String::new(), is_plain)?;
        program.mode &= !ROUNDING;
        Ok(program)
    }

    /// Generates vector and scalar instructions with forward and backward branches. The program may reach its
    /// instruction limit.
    ///
    /// # Errors
    /// Fails if there are too few bytes.
    pub fn looping(u: &mut Unstructured<'_>) -> arbitrary::Result<Program> {
        Program::with_branches(u, String::new(), is_of_loops)
    }

    /// Generates a program like [`Program::looping`] with loads and stores, most of them of consecutive addresses or of
    /// a single one.
    ///
    /// # Errors
    /// Fails if there are too few bytes.
    pub fn accessing(u: &mut Unstructured<'_>) -> arbitrary::Result<Program> {
        let rows = frame::address_rows(|| u.int_in_range(0..=7))?;
        Program::with_branches(u, rows, is_of_accesses)
    }

    fn with_branches(
        u: &mut Unstructured<'_>,
        behind_prologue: String,
        may_have: impl Fn(&Inst) -> bool,
    ) -> arbitrary::Result<Program> {
        let mut program = Program::made(u, behind_prologue, may_have)?;
        program.mode &= !ROUNDING;
        let places: Vec<usize> = program.places.clone();
        for (number, place) in places.iter().enumerate() {
            let word = &mut program.code[*place..][..4];
            let bits = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
            let inst = decode(program.target.isa, &[bits]);
            if inst.is_ok_and(|inst| matches!(inst.does(), Does::Branch(_))) {
                let target = u.int_in_range(number.saturating_sub(BACK)..=number + 1 + AHEAD)?;
                let target = places.get(target).copied().unwrap_or(program.code.len());
                let distance = (target as i64 - *place as i64) / 4 - 1;
                let bits = bits & 0xffff_0000 | u32::from(distance as i16 as u16);
                program.code[*place..][..4].copy_from_slice(&bits.to_le_bytes());
            }
        }
        Ok(program)
    }

    /// Generates a program of instructions that `may_have` accepts, after the statements `wild`.
    fn made(
        u: &mut Unstructured<'_>,
        wild: String,
        may_have: impl Fn(&Inst) -> bool,
    ) -> arbitrary::Result<Program> {
        let target = Target::named(u.choose(TARGETS)?).expect("it exists");
        let mut insts = Vec::new();
        let wanted = u.int_in_range(1..=LENGTH)?;
        for _ in 0..4 * LENGTH {
            if insts.len() == wanted || u.is_empty() {
                break;
            }
            if let Some(inst) = instruction(u, target)?.filter(&may_have) {
                insts.push(inst);
            }
        }
        let (memory, scalars) = contents(u.arbitrary()?);
        let text = insts
            .iter()
            .map(|inst| format!("{}\n", inst.text()))
            .collect();
        let (mut code, mut places) = (Vec::new(), Vec::new());
        for (index, inst) in insts.iter().enumerate() {
            let mut words = inst.words();
            if let Does::Branch(_) = inst.does() {
                // Skip the next instruction, or none.
                let over = insts.get(index + 1).map_or(0, |next| next.dwords() as u32);
                words[0] = words[0] & 0xffff_0000 | if words[0] & 1 == 0 { over } else { 0 };
            }
            places.push(code.len());
            for word in &words[..inst.dwords()] {
                code.extend(word.to_le_bytes());
            }
        }
        let interleaving = if u.ratio(3, 4)? {
            Interleaving::USUAL
        } else {
            Interleaving {
                element: u.int_in_range(0..=3)?,
                records: u.int_in_range(0..=3)?,
            }
        };
        Ok(Program {
            target,
            code,
            places,
            text,
            memory,
            scalars,
            mode: u.arbitrary::<u32>()? & 0x3ff,
            dword_alignment: u.ratio(1, 8)?,
            interleaving,
            wild,
            limit: LIMIT,
            reads_flat_scratch: insts.iter().any(reads_flat_scratch),
        })
    }

    /// Runs the program.
    fn run(&self, threads: usize, observers: &Observers) -> Outcome {
        let mut config = Config::new(self.target.isa);
        config.threads = threads;
        self.run_on(config, |_| observers.clone())
    }

    /// Runs the program on a device, with observers that a function creates for its memory.
    fn run_on(&self, mut config: Config, observers: impl FnOnce(&Memory) -> Observers) -> Outcome {
        config.on_violation = OnViolation::Continue;
        config.limit = Some(self.limit);
        config.dword_alignment = self.dword_alignment;
        let mut device = Device::new(config);
        let bytes = self.memory.len() as u64;
        let buffer = device
            .memory
            .allocate("buffer", bytes)
            .expect("there is memory");
        assert!(device.memory.write(buffer, &self.memory));
        let prologue = frame::prologue(self.target, buffer, self.interleaving);
        let mut code = assembled_before(self.target, prologue).to_vec();
        code.extend(assembled(self.target, &self.wild));
        code.extend(&self.code);
        let dump = frame::epilogue(self.target.isa);
        code.extend(&*assembled_before(self.target, dump.text.clone()));
        let observers = observers(&device.memory);
        let code = Code::new(self.target.isa, BASE, &code, VGPRS, SGPRS);
        let dispatch = Dispatch {
            kernel: None,
            kernarg: None,
            restricted: Vec::new(),
            acquires: true,
            entry: BASE,
            grid: [64 * GROUPS, 1, 1],
            group: [64, 1, 1],
            lds_bytes: LDS_BYTES,
            scratch_bytes_per_lane: SCRATCH_BYTES,
            initial: Initial {
                sgprs: frame::initial(&self.scalars),
                work_item_ids: 1,
                mode: self.mode,
            },
        };
        let finished = run(&mut device, &code, &dispatch, &observers).expect("it starts");
        let mut memory = vec![0; self.memory.len()];
        assert!(device.memory.read(buffer, &mut memory));
        dump.forget_addresses(self.target.isa, &mut memory);
        Outcome {
            finished,
            memory,
            dump,
        }
    }

    /// Runs the program at every level of the host's vectors, with and without observers, on one thread and two, and
    /// compares all effects. Returns the numbers of accesses and of scratch accesses that observers saw.
    ///
    /// # Panics
    /// Panics if two runs differ.
    pub fn check(&self) -> (u64, u64) {
        let host = Level::current();
        let none = Observers::none();
        let expected = self.run(1, &none);
        let everything = Arc::new(Watcher::new(Events::all()));
        let accesses = Arc::new(Watcher::new(Events::ACCESS | Events::ACCESSED));
        let rest = Arc::new(Watcher {
            overlooks: true,
            ..Watcher::new(Events::ACCESS | Events::ACCESSED)
        });
        let [all, memory, but_lds] =
            [&everything, &accesses, &rest].map(|it| Observers::none().with(it.clone()));
        self.compare(&expected, &self.run(1, &all), "observed");
        self.compare(&expected, &self.run(1, &memory), "observed in memory");
        self.compare(&expected, &self.run(1, &but_lds), "observed but in LDS");
        let both = Observers::none().with(accesses.clone()).with(rest.clone());
        self.compare(&expected, &self.run(1, &both), "observed by two");
        let counts = [&everything, &accesses, &rest].map(|it| it.accesses.load(Relaxed));
        let overlooked = rest.overlooked.load(Relaxed);
        assert_eq!(2 * counts[0], counts[1], "{}", self.described());
        assert_eq!(counts[1], counts[2] + overlooked, "{}", self.described());
        if !everything.leaves.load(Relaxed) && !self.reads_flat_scratch {
            // No workgroup accesses another one's memory.
            self.compare(&expected, &self.run(2, &none), "by two threads");
            self.compare(&expected, &self.run(2, &all), "by two threads, observed");
        }
        for (_, engine) in Engine::NAMES {
            engine.set();
            let found = self.run(1, &none);
            Engine::Auto.set();
            self.compare(&expected, &found, engine.name());
        }
        for level in Level::ALL.into_iter().filter(|level| level.is_available()) {
            level.set().expect("it is available");
            let [found, observed] = [&none, &all].map(|observers| self.run(1, observers));
            host.set().expect("it is available");
            self.compare(&expected, &found, level.name());
            self.compare(&expected, &observed, &format!("{level}, observed"));
        }
        (counts[0], everything.of_scratch.load(Relaxed))
    }

    /// Runs the program on both engines, and compares the effects.
    ///
    /// # Panics
    /// Panics if the runs differ.
    pub fn compare_engines(&self) {
        let [expected, found] = self.by_engines();
        self.compare(&expected, &found, "compiled");
    }

    /// Runs the program on both engines with observers, and compares the events.
    ///
    /// # Panics
    /// Panics if the runs or their events differ.
    pub fn compare_events(&self) {
        let of_accesses = Events::WAVE
            | Events::BARRIER
            | Events::ACCESS
            | Events::ACCESSED
            | Events::CACHE
            | Events::RETIRE;
        let of_registers = Events::WATCHED | Events::WAVE | Events::WAIT;
        for wants in [
            of_accesses,
            of_registers,
            Events::STORED | Events::STORES | Events::WAVE,
        ] {
            let [expected, found] = [Engine::Interpreter, Engine::Compiled].map(|engine| {
                engine.set();
                let log = Arc::new(EventLog::new(wants));
                let outcome = self.run(1, &Observers::none().with(log.clone()));
                Engine::Auto.set();
                (outcome, log.sum())
            });
            self.compare(&expected.0, &found.0, "observed and compiled");
            assert_eq!(expected.1, found.1, "{wants:?}: {}", self.described());
        }
    }

    /// True if memory differs between runs by the interpreter and by host code.
    pub fn engines_differ(&self) -> bool {
        let [expected, found] = self.by_engines();
        expected.memory != found.memory
    }

    /// Runs the program on the interpreter and as host code.
    fn by_engines(&self) -> [Outcome; 2] {
        let outcomes = [Engine::Interpreter, Engine::Compiled].map(|engine| {
            engine.set();
            self.run(1, &Observers::none())
        });
        Engine::Auto.set();
        outcomes
    }

    /// Runs the program with and without observers on one thread, and compares the effects. Returns the number of
    /// instructions.
    ///
    /// # Panics
    /// Panics if the runs differ.
    pub fn observe(&self, observers: &Observers) -> u64 {
        let expected = self.run(1, &Observers::none());
        self.compare(&expected, &self.run(1, observers), "observed");
        expected.finished.stats.instructions
    }

    /// Runs the program in turns of `quantum` instructions, with and without a debugger, and compares the effects. The
    /// debugger is created from the device's memory.
    ///
    /// # Panics
    /// Panics if the runs differ.
    pub fn debug(&self, quantum: u64, debugger: impl FnOnce(&Memory) -> Arc<dyn Debugger>) {
        let mut config = Config::new(self.target.isa);
        config.quantum = quantum;
        let expected = self.run_on(config.clone(), |_| Observers::none());
        let found = self.run_on(config, |memory| {
            Observers::none().controlled_by(debugger(memory))
        });
        self.compare(&expected, &found, "debugged");
    }

    /// Name of the target.
    pub fn target(&self) -> &'static str {
        self.target.name
    }

    /// Describes the program.
    pub fn described(&self) -> String {
        format!(
            "{}, mode {:#x}:\n{}{}",
            self.target.name, self.mode, self.wild, self.text
        )
    }

    #[track_caller]
    fn compare(&self, expected: &Outcome, found: &Outcome, how: &str) {
        let [a, b] = [expected, found].map(|it| &it.finished);
        let kind = |it: &Finished| it.fault.as_ref().map(|fault| fault.kind.clone());
        assert_eq!(kind(a), kind(b), "{how}: {}", self.described());
        // After a fault, another thread may have executed some more instructions.
        if a.fault.is_none() {
            assert_eq!(a.stats, b.stats, "{how}: {}", self.described());
            let mut places = expected.memory.iter().zip(&found.memory);
            if let Some(place) = places.position(|(a, b)| a != b) {
                let (group, inside) = (place as u64 / REGION, place as u64 % REGION);
                let dword = |memory: &[u8]| {
                    let at = place & !3;
                    u32::from_le_bytes([memory[at], memory[at + 1], memory[at + 2], memory[at + 3]])
                };
                let what = if inside < DUMP {
                    format!("memory at {inside:#x}")
                } else {
                    expected.dump.describe(inside)
                };
                panic!(
                    "{how}: {what} of workgroup {group} is {:#x} in place of {:#x}: {}",
                    dword(&found.memory),
                    dword(&expected.memory),
                    self.described()
                );
            }
        }
    }
}

/// Result of a run.
struct Outcome {
    finished: Finished,
    memory: Vec<u8>,
    dump: Dump,
}
