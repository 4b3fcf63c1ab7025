//! Random programs, and what every way to run one must agree on. The fuzz target `run` includes this file, too.
//!
//! A program has a prologue, which fills vector registers and points some registers at memory, any instructions of the
//! tables, and an epilogue, which stores every register and LDS. So the memory after a run has all that it did.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use arbitrary::Unstructured;
use gcn_asm::{Options, Source, assemble};
use gcn_emu::Code;
use gcn_emu::device::{Config, Device, OnViolation};
use gcn_emu::observe::{
    Access, Context, Events, MemoryEvent, Observer, Observers, Shape, ShareAccess, Verdict,
    WaveObserver,
};
use gcn_emu::run::{Dispatch, Finished, Initial, InitialSgpr, Level, run};
use gcn_emu::step::{Executor, Family};
use gcn_isa::effect::Control;
use gcn_isa::image::{ImageDescriptor, ImageKind, SamplerDescriptor, number_format, texel_format};
use gcn_isa::{Does, Field, Inst, Operand, Target, decode, rows};

/// Targets, one of each instruction set.
pub const TARGETS: &[&str] = &[
    "gfx600", "gfx700", "gfx803", "gfx810", "gfx900", "gfx904", "gfx906",
];

/// Address of the code.
const BASE: u64 = 0x1000;
/// Vector registers that programs name, those that the wave has, and the one with each lane's offset.
const NAMED_VGPRS: u8 = 24;
const VGPRS: usize = 32;
const OFFSETS: usize = VGPRS - 1;
/// Scalar registers; those from `KEPT` on no program writes.
const SGPRS: u8 = 96;
const KEPT: u8 = 84;
/// Bytes of a register of all lanes.
const ROW: u64 = 256;
/// Memory of a workgroup: initial vector registers, what the program works on, what the epilogue stores.
const WORK: u64 = 0x2000;
const WORK_BYTES: u64 = 0x1000;
const DUMP: u64 = WORK + WORK_BYTES;
const REGION: u64 = 0x1_0000;
const GROUPS: u32 = 4;
/// Instructions of a program and those that a wave may execute.
const LENGTH: usize = 48;
const LIMIT: u64 = 4000;
/// Bytes of LDS.
const LDS_BYTES: u32 = 512;
/// Bits of floating-point numbers that are treated specially: infinities, NaN of both kinds, denormals, zeros, ones.
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

/// Descriptors of an image and of a sampler.
const IMAGE: u8 = 68;
const SAMPLER: u8 = 76;
const IMAGE_FORMAT: (u8, u8) = (
    texel_format::IMG_DATA_FORMAT_32,
    number_format::IMG_NUM_FORMAT_UINT,
);
const IMAGE_SIZE: [u32; 3] = [64, 16, 1];

/// A program with its memory.
pub struct Program {
    target: &'static Target,
    code: Vec<u8>,
    /// The instructions' texts.
    pub text: String,
    memory: Vec<u8>,
    scalars: Vec<u32>,
    mode: u32,
    dword_alignment: bool,
}

/// Bytes of assembly text.
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

/// Lanes' offsets in [`OFFSETS`], with all lanes active.
fn offsets() -> String {
    format!(
        "s_mov_b64 exec, -1\n v_mbcnt_lo_u32_b32 v{OFFSETS}, -1, 0\n v_mbcnt_hi_u32_b32 v{OFFSETS}, -1, v{OFFSETS}\n \
         v_lshlrev_b32 v{OFFSETS}, 2, v{OFFSETS}\n"
    )
}

/// Moves a row between a vector register and an offset in the workgroup's memory.
fn transfer(verb: &str, register: usize, offset: u64) -> String {
    format!(
        "s_mov_b32 s86, {offset:#x}\n buffer_{verb}_dword v{register}, v{OFFSETS}, s[92:95], s86 offen\n"
    )
}

/// Loads the vector registers, and points at memory: s[0:1] and descriptors s[4:7], s[8:11] of bytes and of records;
/// v[2:3] and v[6:7] are addresses, v4 and v5 are offsets; descriptors of an image and a sampler are in s[68:75] and s[76:79].
fn prologue(target: &Target, buffer: u64) -> String {
    let mut text = format!(
        "s_mul_i32 s92, s89, {REGION:#x}\n s_add_u32 s92, s92, {:#x}\n s_mov_b32 s93, {:#x}\n s_mov_b32 s94, {REGION:#x}\n \
         s_mov_b32 s95, 0xf000\n",
        buffer as u32,
        buffer >> 32
    );
    text += &offsets();
    for register in 0..usize::from(NAMED_VGPRS) {
        text += &transfer("load", register, register as u64 * ROW);
    }
    text += &format!(
        "s_waitcnt vmcnt(0)\n s_add_u32 s0, s92, {WORK:#x}\n s_mov_b32 s1, s93\n s_mov_b64 s[4:5], s[0:1]\n \
         s_mov_b32 s6, {WORK_BYTES:#x}\n s_mov_b32 s7, s95\n s_mov_b32 s8, s0\n s_or_b32 s9, s1, 0x80000\n s_mov_b32 s10, 512\n \
         s_mov_b32 s11, s95\n s_mov_b32 s12, 16\n"
    );
    let image = ImageDescriptor::linear(target.isa, ImageKind::D2, IMAGE_FORMAT, IMAGE_SIZE);
    let image = image.expect("a layout");
    assert_eq!(image.bytes(target.isa), Ok(WORK_BYTES));
    text += &format!("s_lshr_b64 s[{IMAGE}:{}], s[0:1], 8\n", IMAGE + 1);
    for (word, number) in image.words(target.isa).into_iter().zip(IMAGE..).skip(1) {
        // The address has bits of the second dword.
        text += &match number - IMAGE {
            1 => format!("s_or_b32 s{number}, s{number}, {word:#x}\n"),
            _ => format!("s_mov_b32 s{number}, {word:#x}\n"),
        };
    }
    for (word, number) in SamplerDescriptor::default()
        .words()
        .into_iter()
        .zip(SAMPLER..)
    {
        text += &format!("s_mov_b32 s{number}, {word:#x}\n");
    }
    for (register, mask) in [(2, 0xffc), (4, 0x1fc), (5, 0x1ff), (6, 0xff0)] {
        text += &format!("v_and_b32 v{register}, {mask:#x}, v{register}\n");
    }
    for register in [2, 6] {
        text += &format!(
            "v_or_b32 v{register}, s0, v{register}\n v_mov_b32 v{}, s1\n",
            register + 1
        );
    }
    text + "s_mov_b32 m0, -1\n"
}

/// Stores all registers that the program may have written, and LDS.
fn epilogue() -> String {
    let mut text = "s_cselect_b32 s84, 1, 0\n s_getreg_b32 s85, hwreg(1, 0, 32)\n s_setreg_imm32_b32 hwreg(1, 0, 32), 0xf0\n \
                    s_mov_b32 s87, m0\n s_mov_b32 s88, vcc_lo\n s_mov_b32 s89, vcc_hi\n s_mov_b64 s[90:91], exec\n"
        .to_owned();
    text += &offsets();
    let mut row = DUMP;
    for register in 0..OFFSETS {
        text += &transfer("store", register, row);
        row += ROW;
    }
    for register in (0..KEPT + 2).chain(KEPT + 3..KEPT + 8) {
        text += &format!("v_mov_b32 v0, s{register}\n");
        text += &transfer("store", 0, row);
        row += ROW;
    }
    text += "s_mov_b32 m0, -1\n";
    for offset in [0, ROW] {
        text += &format!("ds_read_b32 v0, v{OFFSETS} offset:{offset}\n s_waitcnt lgkmcnt(0)\n");
        text += &transfer("store", 0, row);
        row += ROW;
    }
    assert!(row <= REGION);
    text + "s_endpgm\n"
}

impl Program {
    /// A program made of the bytes.
    ///
    /// # Errors
    /// There are too few of them.
    pub fn new(u: &mut Unstructured<'_>) -> arbitrary::Result<Program> {
        let target = Target::named(u.choose(TARGETS)?).expect("it exists");
        let mut insts = Vec::new();
        let wanted = u.int_in_range(1..=LENGTH)?;
        for _ in 0..4 * LENGTH {
            if insts.len() == wanted || u.is_empty() {
                break;
            }
            if let Some(inst) = instruction(u, target)? {
                insts.push(inst);
            }
        }
        let mut memory = vec![0; REGION as usize * GROUPS as usize];
        let mut state = u.arbitrary::<u64>()? | 1;
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
        let text = insts
            .iter()
            .map(|inst| format!("{}\n", inst.text()))
            .collect();
        let mut code = Vec::new();
        for (index, inst) in insts.iter().enumerate() {
            let mut words = inst.words();
            if let Does::Branch(_) = inst.does() {
                // Over the next instruction, or over none.
                let over = insts.get(index + 1).map_or(0, |next| next.dwords() as u32);
                words[0] = words[0] & 0xffff_0000 | if words[0] & 1 == 0 { over } else { 0 };
            }
            for word in &words[..inst.dwords()] {
                code.extend(word.to_le_bytes());
            }
        }
        Ok(Program {
            target,
            code,
            text,
            memory,
            scalars,
            mode: u.arbitrary::<u32>()? & 0x3ff,
            dword_alignment: u.ratio(1, 8)?,
        })
    }

    /// Runs it.
    fn run(&self, threads: usize, observers: &Observers) -> Outcome {
        let mut config = Config::new(self.target.isa);
        config.threads = threads;
        config.on_violation = OnViolation::Continue;
        config.limit = Some(LIMIT);
        config.dword_alignment = self.dword_alignment;
        let mut device = Device::new(config);
        let bytes = self.memory.len() as u64;
        let buffer = device
            .memory
            .allocate("buffer", bytes)
            .expect("there is memory");
        assert!(device.memory.write(buffer, &self.memory));
        let mut code = assembled(self.target, &prologue(self.target, buffer));
        code.extend(&self.code);
        code.extend(assembled(self.target, &epilogue()));
        let code = Code::new(self.target.isa, BASE, &code, VGPRS, SGPRS);
        let mut sgprs: Vec<_> = self
            .scalars
            .iter()
            .map(|&value| InitialSgpr::Value(value))
            .collect();
        sgprs.resize(89, InitialSgpr::Value(0));
        sgprs.push(InitialSgpr::GroupId(0));
        let dispatch = Dispatch {
            kernel: None,
            kernarg: None,
            read_only: Vec::new(),
            entry: BASE,
            grid: [64 * GROUPS, 1, 1],
            group: [64, 1, 1],
            lds_bytes: LDS_BYTES,
            scratch_bytes_per_lane: 0,
            initial: Initial {
                sgprs,
                work_item_ids: 1,
                mode: self.mode,
            },
        };
        let finished = run(&mut device, &code, &dispatch, observers).expect("it starts");
        let mut memory = vec![0; self.memory.len()];
        assert!(device.memory.read(buffer, &mut memory));
        Outcome { finished, memory }
    }

    /// Runs it at every level of the host's vectors, observed and not, by one thread and two, and compares all that it did.
    /// Returns the number of accesses that observers saw.
    ///
    /// # Panics
    /// Two of the runs differ.
    pub fn check(&self) -> u64 {
        let host = Level::current();
        let none = Observers::none();
        let expected = self.run(1, &none);
        let everything = Arc::new(Watcher::new(Events::ALL));
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
        if !everything.leaves.load(Relaxed) {
            // No workgroup sees what another does.
            self.compare(&expected, &self.run(2, &none), "by two threads");
        }
        for level in Level::ALL.into_iter().filter(|level| level.is_available()) {
            level.set().expect("it is available");
            let found = self.run(1, &none);
            host.set().expect("it is available");
            self.compare(&expected, &found, level.name());
        }
        counts[0]
    }

    fn described(&self) -> String {
        format!(
            "{}, mode {:#x}:\n{}",
            self.target.name, self.mode, self.text
        )
    }

    #[track_caller]
    fn compare(&self, expected: &Outcome, found: &Outcome, how: &str) {
        let [a, b] = [expected, found].map(|it| &it.finished);
        let kind = |it: &Finished| it.fault.as_ref().map(|fault| fault.kind.clone());
        assert_eq!(kind(a), kind(b), "{how}: {}", self.described());
        // Another thread may have gone on for some instructions after a fault.
        if a.fault.is_none() {
            assert_eq!(a.stats, b.stats, "{how}: {}", self.described());
            let mut places = expected.memory.iter().zip(&found.memory);
            if let Some(place) = places.position(|(a, b)| a != b) {
                let (group, inside) = (place as u64 / REGION, place as u64 % REGION);
                let dword = |memory: &[u8]| {
                    let at = place & !3;
                    u32::from_le_bytes([memory[at], memory[at + 1], memory[at + 2], memory[at + 3]])
                };
                let what = match inside.checked_sub(DUMP).map(|inside| inside / ROW) {
                    None => format!("memory at {inside:#x}"),
                    Some(row) if row < OFFSETS as u64 => {
                        format!("v{row}, lane {}", inside % ROW / 4)
                    }
                    Some(row) => format!("s{} or later", row - OFFSETS as u64),
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

/// A run's result.
struct Outcome {
    finished: Finished,
    memory: Vec<u8>,
}

/// An instruction with any bits, most of its registers those that the prologue has set; `None` if it is not one that all
/// runs agree on.
fn instruction(
    u: &mut Unstructured<'_>,
    target: &'static Target,
) -> arbitrary::Result<Option<Inst>> {
    let isa = target.isa;
    let all: usize = rows().count();
    let row = rows().nth(u.choose_index(all)?).expect("it is one of them");
    let forms = isa.tables().forms(row.op());
    if forms.is_empty() {
        return Ok(None);
    }
    let words: [u32; 2] = u.arbitrary()?;
    let mut inst = Inst::with_words(u.choose(forms)?, words);
    let is_memory = !matches!(
        inst.does(),
        Does::Alu(_) | Does::Compare(..) | Does::Branch(_) | Does::Control(_) | Does::Lanes(_)
    );
    for slot in row.slots() {
        match inst.operand(slot) {
            Operand::Vgprs { first, count } => {
                let first = match slot.field {
                    Field::Vaddr if is_memory => *u.choose(&[2, 2, 4, 4, 5, 6])?,
                    _ => first % (NAMED_VGPRS - count.min(NAMED_VGPRS - 1)),
                };
                let _ = inst.set_operand(slot, Operand::Vgprs { first, count });
            }
            Operand::Scalar { count, .. } if is_memory => {
                let code = match slot.field {
                    Field::Saddr | Field::Sbase => 0,
                    Field::Srsrc if matches!(inst.does(), Does::Image(_)) => IMAGE,
                    Field::Ssamp => SAMPLER,
                    Field::Srsrc => *u.choose(&[4, 8])?,
                    Field::Soffset => 12,
                    _ => 16,
                };
                let _ = inst.set_operand(slot, Operand::Scalar { code, count });
            }
            _ => {}
        }
    }
    if is_memory && u.ratio(3, 4)? {
        for field in [Field::Offset, Field::Offset12] {
            let small = (inst.get(field) & 0xff) as i64;
            let _ = inst.set(field, small);
        }
        for field in [Field::Lds, Field::Tfe] {
            let _ = inst.set(field, 0);
        }
    }
    Ok(is_suitable(target, &inst).then_some(inst))
}

fn is_suitable(target: &'static Target, inst: &Inst) -> bool {
    let isa = target.isa;
    let is_one = decode(isa, &inst.words()[..inst.dwords()]).is_ok_and(|it| it == *inst);
    let writes_kept = inst.row().slots().any(|slot| match inst.operand(slot) {
        Operand::Scalar { code, count } if inst.writes(slot) => code < SGPRS && code + count > KEPT,
        _ => false,
    });
    // Who waits for others, or for time, or ends by itself.
    let is_apart = match inst.does() {
        Does::Jump
        | Does::Fork
        | Does::ReturnFromTrap
        | Does::Time(_)
        | Does::Gws(_)
        | Does::OrderedCount => true,
        Does::Branch(_) => inst.row().slots().any(|slot| inst.writes(slot)),
        Does::Control(control) => matches!(
            control,
            Control::End
                | Control::Trap
                | Control::SetHalt
                | Control::SendMsg { .. }
                | Control::Sleep
        ),
        _ => inst.flag(Field::Gds),
    };
    if !is_one || writes_kept || is_apart {
        return false;
    }
    let bytes: Vec<u8> = inst
        .words()
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    let code = Code::new(isa, BASE, &bytes[..4 * inst.dwords()], VGPRS, SGPRS);
    match code.step(BASE) {
        Some(Ok(step)) => {
            let writes_anywhere = step.relative.is_some() && inst.encoding.is_scalar();
            !matches!(step.run, Executor::Missing) && !writes_anywhere
        }
        _ => false,
    }
}

/// Counts accesses, and finds those of memory that another workgroup may access.
struct Watcher {
    wants: Events,
    /// It needs no events of LDS.
    overlooks: bool,
    overlooked: Arc<AtomicU64>,
    accesses: Arc<AtomicU64>,
    leaves: Arc<AtomicBool>,
}

impl Watcher {
    fn new(wants: Events) -> Watcher {
        Watcher {
            wants,
            overlooks: false,
            overlooked: Arc::default(),
            accesses: Arc::default(),
            leaves: Arc::default(),
        }
    }
}

impl Observer for Watcher {
    fn wants(&self) -> Events {
        self.wants
    }

    fn may_overlook(&self) -> bool {
        true
    }

    fn waves(&self) -> Option<Box<dyn WaveObserver>> {
        Some(Box::new(Waves {
            overlooks: self.overlooks,
            overlooked: self.overlooked.clone(),
            accesses: self.accesses.clone(),
            leaves: self.leaves.clone(),
            before: Access::default(),
            pending: VecDeque::new(),
            count: 0,
        }))
    }
}

struct Waves {
    overlooks: bool,
    overlooked: Arc<AtomicU64>,
    accesses: Arc<AtomicU64>,
    leaves: Arc<AtomicBool>,
    /// An access that is about to happen, as its instruction's registers have it.
    before: Access,
    /// Those of an instruction that have not happened yet: a sample of an image has several.
    pending: VecDeque<Access>,
    /// Accesses that were about to happen.
    count: u64,
}

impl Waves {
    /// Every second event of an access is asked for its addresses: later ones must have the same.
    fn asks(&self) -> bool {
        self.count.is_multiple_of(2)
    }
}

impl WaveObserver for Waves {
    /// As registers have it an access has the addresses of its event.
    fn overlooks(&mut self, context: &Context<'_>, share: &ShareAccess<'_>) -> bool {
        let mut access = Access::default();
        context.addresses(share.step, &mut access);
        let text = share.step.inst.text();
        assert_eq!(
            (Some(share.intent), share.lanes, share.elements.bytes),
            (access.intent, access.lanes(), access.bytes),
            "{text}"
        );
        assert_eq!((share.lanes, access.to_lds), (access.lds, None), "{text}");
        let elements = 1 + u8::from(share.elements.distance.is_some());
        assert_eq!(elements, access.elements, "{text}");
        let (mut lowest, mut end) = (u64::MAX, 0);
        for lane in (0..64).filter(|lane| share.lanes >> lane & 1 != 0) {
            let addresses = [access.address[lane], access.second[lane]];
            let found = share.addresses(lane);
            for (found, address) in found.into_iter().zip(addresses) {
                assert_eq!(found, address, "{text}");
                lowest = lowest.min(address);
                end = end.max(address + u64::from(share.elements.bytes));
            }
        }
        assert_eq!(share.range, lowest..end, "{text}");
        self.overlooked
            .fetch_add(u64::from(self.overlooks), Relaxed);
        self.overlooks
    }
    fn accesses(&mut self, context: &Context<'_>, event: &MemoryEvent<'_>) -> Verdict {
        let regions = context.dispatched.device.memory.allocations();
        let own = regions[0].base + u64::from(context.id().group[0]) * REGION;
        self.count += 1;
        let plan = event.instruction.step.memory.as_deref();
        if plan.is_some_and(|plan| plan.family != Family::Image) {
            context.addresses(event.instruction.step, &mut self.before);
        } else {
            self.before.clone_from(event.access());
        }
        if let Some(shape) = event.shape() {
            let bytes = u64::from(self.before.bytes);
            let lanes = self.before.global;
            let (range, stride) = match &shape {
                Shape::Row(range) => (range, bytes),
                Shape::Uniform(range) => (range, 0),
            };
            assert_eq!(lanes, event.lanes());
            assert!(stride == 0 || lanes == u64::MAX, "a row is of all lanes");
            assert_eq!(range.end, range.start + 63 * stride + bytes);
            for lane in (0..64).filter(|lane| lanes >> lane & 1 != 0) {
                let at = range.start + lane as u64 * stride;
                assert_eq!(self.before.address[lane], at, "{shape:?}");
            }
        }
        let asked = self.asks().then(|| event.access());
        let access = asked.unwrap_or(&self.before);
        assert_eq!(
            (event.intent(), event.lanes()),
            (access.intent, access.lanes())
        );
        for lane in (0..64).filter(|lane| access.lanes() >> lane & 1 != 0) {
            for byte in [0, u64::from(access.bytes.max(1)) - 1] {
                let place = access.place(lane, byte);
                if place.is_some_and(|place| place.wrapping_sub(own) >= REGION) {
                    self.leaves.store(true, Relaxed);
                }
            }
        }
        self.pending.push_back(self.before.clone());
        self.accesses.fetch_add(1, Relaxed);
        Verdict::Allow
    }
    /// The addresses are those from before.
    fn accessed(&mut self, _: &Context<'_>, event: &MemoryEvent<'_>) {
        let before = self.pending.pop_front().expect("it was about to happen");
        let (before, after) = (&before, event.access());
        let text = event.instruction.step.inst.text();
        let facts = |it: &Access| {
            let spaces = (it.global, it.lds, it.gds, it.scratch, it.buffer);
            (it.intent, it.bytes, it.elements, it.scalar, spaces)
        };
        assert_eq!(facts(before), facts(after), "{text}");
        for lane in (0..64).filter(|lane| before.lanes() >> lane & 1 != 0) {
            assert_eq!(before.address[lane], after.address[lane], "{text}");
            if before.elements == 2 || before.buffer != 0 {
                assert_eq!(before.second[lane], after.second[lane], "{text}");
            }
        }
        // Of all that has happened something is known.
        let lane = event.lanes().trailing_zeros() as usize;
        assert!(event.value(lane, 0).is_some(), "{text}");
    }
}
