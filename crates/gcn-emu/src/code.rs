//! Executable code: each block is decoded once, on first execution, and shared by all threads.

use std::collections::BTreeMap;
use std::sync::Arc;

use gcn_isa::{DecodeError, Isa, decode};

use crate::block::{Block, BlockEntry, Exit};
use crate::code_segment::{BlockPlace, CodeSegment, DWORD, FoundSegments, Slot};
use crate::memory::Memory;
use crate::native::{Candidate, NativeBlock, Policy};
use crate::step::{Decoded, RegisterCounts, Step};
use crate::wave::LEAST_VGPRS;

/// Guest code in memory, decoded for a kernel's register counts.
pub struct Code {
    isa: Isa,
    base: u64,
    own: CodeSegment,
    /// Guest memory, which contains code outside `own` that waves may jump to.
    memory: Option<Memory>,
    found: FoundSegments,
    vgprs: usize,
    sgprs: u8,
}

/// Host function compiled from blocks that branch to each other.
#[derive(Clone, Debug)]
pub struct HostFunction<'a> {
    /// Host address of the function.
    pub address: u64,
    /// Machine code.
    pub code: &'a [u8],
    /// Compiled blocks, in code order.
    pub blocks: Vec<HostBlock<'a>>,
}

/// Block compiled into a host function.
#[derive(Clone, Debug)]
pub struct HostBlock<'a> {
    /// Offset of the block's code within the function.
    pub offset: usize,
    /// Number of compiled instructions; the interpreter executes the rest.
    pub compiled: usize,
    /// Guest block.
    pub block: &'a Block,
}

/// Maximum number of instructions in a block.
const MAX_STEPS: usize = 256;

impl Code {
    /// Creates code at address `base` for a kernel with `vgprs` vector registers (at least two) and `sgprs` scalar
    /// registers. Bytes after the last whole dword are ignored.
    pub fn new(isa: Isa, base: u64, bytes: &[u8], vgprs: usize, sgprs: u8) -> Code {
        Code {
            isa,
            base,
            own: CodeSegment::new(isa, 0, bytes),
            memory: None,
            found: FoundSegments::default(),
            vgprs: vgprs.max(LEAST_VGPRS),
            sgprs,
        }
    }

    /// Allows jumps to executable memory outside the code ([`Memory::make_executable`]), which is decoded on the
    /// first jump there.
    pub fn in_memory(self, memory: &Memory) -> Code {
        Code {
            memory: Some(memory.clone()),
            ..self
        }
    }

    /// Instruction set.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// Words starting at `address(0)`, excluding executable memory outside the code.
    pub fn words(&self) -> &[u32] {
        &self.own.words
    }

    /// Number of the kernel's vector registers.
    pub fn vgprs(&self) -> usize {
        self.vgprs
    }

    /// Number of the kernel's SGPRs.
    pub fn sgprs(&self) -> u8 {
        self.sgprs
    }

    /// True if any dword decodes to an instruction that reads the wait counters.
    pub fn reads_counters(&self) -> bool {
        self.segments().any(|segment| segment.reads_counters)
    }

    fn segments(&self) -> impl Iterator<Item = &CodeSegment> {
        std::iter::once(&self.own).chain(self.found.segments())
    }

    /// Returns the instruction at `pc`; `None` if `pc` is misaligned or outside the code.
    #[inline]
    pub fn step(&self, pc: u64) -> Option<Result<&Step, DecodeError>> {
        let BlockEntry { block, from } = self.entry(self.index(pc)?)?;
        Some(match block.exit() {
            Exit::Undecodable(error) => Err(error),
            _ => Ok(&block.steps()[from]),
        })
    }

    /// Converts `pc` to a dword index, which may lie before or after the code; `None` if `pc` is misaligned.
    #[inline]
    pub fn index(&self, pc: u64) -> Option<usize> {
        let offset = pc.wrapping_sub(self.base);
        if offset.is_multiple_of(DWORD) {
            usize::try_from(offset / DWORD).ok()
        } else {
            None
        }
    }

    /// Address of the dword at `index`, which may lie outside the code.
    #[inline]
    pub fn address(&self, index: usize) -> u64 {
        self.base.wrapping_add((index as u64).wrapping_mul(DWORD))
    }

    /// Returns the position of the instruction at dword `index` in its block; `None` outside the code.
    #[inline]
    pub(crate) fn entry(&self, index: usize) -> Option<BlockEntry<'_>> {
        // `own` starts at dword 0.
        match self.own.decoded(index) {
            Some(entry) => Some(entry.get()),
            None => self.entry_elsewhere(index),
        }
    }

    /// Slow path of [`Code::entry`]: code that is executed for the first time or belongs to another object.
    #[inline(never)]
    fn entry_elsewhere(&self, index: usize) -> Option<BlockEntry<'_>> {
        match self.slot(index)?.get() {
            Some(entry) => Some(entry.get()),
            None => self.decode_from(index),
        }
    }

    #[inline]
    fn slot(&self, index: usize) -> Option<&Slot> {
        match self.own.slot(index) {
            Some(slot) => Some(slot),
            None => self.elsewhere(index)?.slot(index),
        }
    }

    /// Returns the segment outside `own` that contains dword `index`.
    #[cold]
    #[inline(never)]
    fn elsewhere(&self, index: usize) -> Option<&CodeSegment> {
        let has = |segment: &&CodeSegment| !segment.words_from(index).is_empty();
        if let Some(known) = self.found.segments().find(has) {
            return Some(known);
        }
        let memory = self.memory.as_ref()?;
        let range = memory.executable(self.address(index))?;
        let first = self.index(range.base)?;
        let mut bytes = vec![0; usize::try_from(range.len).ok()?];
        if first == 0 || !memory.read(range.base, &mut bytes) {
            return None;
        }
        self.found
            .add(range, CodeSegment::new(self.isa, first, &bytes));
        self.found.segments().find(has)
    }

    /// Decodes the block at dword `index`. If two threads race, the first result is kept.
    #[cold]
    #[inline(never)]
    fn decode_from(&self, index: usize) -> Option<BlockEntry<'_>> {
        let segment = match self.own.slot(index) {
            Some(_) => &self.own,
            None => self.elsewhere(index)?,
        };
        segment.follow(self.isa, index);
        let counts = RegisterCounts {
            vgprs: self.vgprs,
            sgprs: self.sgprs,
        };
        let (mut steps, mut slots) = (Vec::new(), Vec::new());
        let mut next = index;
        let exit = loop {
            let begins_another = segment.is_target(next) || steps.len() == MAX_STEPS;
            let Some(slot) = segment.slot(next) else {
                break Exit::FallThrough;
            };
            if !steps.is_empty() && (begins_another || slot.get().is_some()) {
                break Exit::FallThrough;
            }
            let words = segment.words_from(next);
            match decode(self.isa, &words[..words.len().min(2)]) {
                Ok(inst) => {
                    let step = Step::new(Decoded::new(inst, next, counts));
                    next = step.following();
                    let exit = Exit::behind(&step);
                    slots.push(slot);
                    steps.push(step);
                    if let Some(exit) = exit {
                        break exit;
                    }
                }
                Err(_) if !steps.is_empty() => break Exit::FallThrough,
                // The error is reported when a wave executes the dword.
                Err(error) => {
                    slots.push(slot);
                    break Exit::Undecodable(error);
                }
            }
        };
        let block = Arc::new(Block::new(steps, exit));
        for (from, slot) in slots.into_iter().enumerate() {
            let _ = slot.set(BlockPlace::new(&block, from));
        }
        segment.slot(index)?.get().map(BlockPlace::get)
    }

    /// Compiles a block together with the hot blocks that it can reach, for waves with MODE `mode`.
    #[cold]
    #[inline(never)]
    pub(crate) fn compile(&self, block: &Block, mode: u32, policy: Policy) {
        let variant = block.due_variant(policy.variant);
        let policy = Policy { variant, ..policy };
        for (start, native) in self.host_code(block, mode, policy, |it| it.candidate(variant)) {
            if let Some(block) = self.decoded(start) {
                block.set_native(Some(native), variant);
            }
        }
        block.set_native(None, variant);
    }

    /// Block that begins at a dword, if it has been decoded.
    fn decoded(&self, index: usize) -> Option<&Block> {
        let BlockEntry { block, from } = self.slot(index)?.get()?.get();
        (from == 0).then_some(block)
    }

    /// Host code of a block and of the hot blocks that it can reach, for waves with MODE `mode`, keyed by each block's
    /// first dword. `candidate` returns `None` for blocks to leave out.
    pub(crate) fn host_code(
        &self,
        block: &Block,
        mode: u32,
        policy: Policy,
        candidate: impl for<'a> Fn(&'a Block) -> Option<Candidate<'a>>,
    ) -> Vec<(usize, NativeBlock)> {
        let successor = |index| {
            let block = self.decoded(index)?;
            let is_hot = block.entered() >= policy.entries / policy.least_share;
            if is_hot { candidate(block) } else { None }
        };
        match candidate(block) {
            Some(first) => NativeBlock::compile(first, successor, (self.isa, mode), policy),
            None => Vec::new(),
        }
    }

    /// Host functions compiled so far, by ascending address.
    pub fn host_functions(&self) -> Vec<HostFunction<'_>> {
        let mut functions: BTreeMap<u64, HostFunction<'_>> = BTreeMap::new();
        for block in self.blocks() {
            for native in block.all_native() {
                let (code, address) = native.function();
                let function = functions.entry(address).or_insert(HostFunction {
                    address,
                    code,
                    blocks: Vec::new(),
                });
                function.blocks.push(HostBlock {
                    offset: native.entry(),
                    compiled: native.instructions(),
                    block,
                });
            }
        }
        let mut functions: Vec<_> = functions.into_values().collect();
        for function in &mut functions {
            function.blocks.sort_by_key(|block| block.offset);
        }
        functions
    }

    /// Blocks decoded so far. A block is decoded when it is first entered.
    pub fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.segments().flat_map(CodeSegment::blocks)
    }

    /// Address of the first decoded instruction that differs from memory; `None` if there is none or memory does not
    /// contain the code.
    pub fn changed(&self, memory: &Memory) -> Option<u64> {
        let own = self.own.changed(memory, self.base);
        own.map(|index| self.address(index))
            .or_else(|| self.found.changed(memory))
    }

    /// True if memory still contains all segments found outside the kernel's own code. Otherwise, the `Code` must be
    /// recreated before the next run.
    pub fn is_current(&self, memory: &Memory) -> bool {
        self.found.are_current(memory)
    }

    /// Instructions of the blocks decoded so far, each listed once.
    pub fn executed(&self) -> impl Iterator<Item = &Step> {
        self.segments().flat_map(CodeSegment::executed)
    }

    /// Decoded instructions that read registers beyond the kernel's allocation (checklist 1.6, 1.7).
    pub fn reading_outside(&self) -> impl Iterator<Item = &Step> {
        self.executed().filter(|step| step.reads_outside)
    }
}
