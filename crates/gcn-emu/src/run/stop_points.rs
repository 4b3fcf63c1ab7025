//! Debugger stops, and host code that omits the blocks with stops.

use std::sync::Arc;

use hashbrown::HashMap;

use super::instruction::can_run_host_code;
use crate::block::{Block, BlockEntry};
use crate::native::{NativeBlock, Policy, Variant};
use crate::observe::{Debugger, Dispatched};
use crate::step::Step;
use crate::wave::Wave;

/// Number of lookups to cache.
const RECENT: usize = 64;

/// Number of entries into a block, after a change of the stops, before the block is compiled again.
const MIN_ENTRIES: u16 = 256;

/// Stops that a debugger has set, cached by block.
pub(super) struct StopPoints {
    debugger: Arc<dyn Debugger>,
    generation: u64,
    /// Variant of the host code.
    variant: Option<Variant>,
    blocks: Vec<BlockStops>,
    /// Index in `blocks` of the block that begins at a dword.
    indexes: HashMap<usize, usize>,
    /// Recent lookups in `indexes`, by the low bits of the key.
    recent: [Option<(usize, usize)>; RECENT],
    /// True if the wave has not executed an instruction in this turn yet.
    begins_turn: bool,
}

/// Stops in a block.
#[derive(Default)]
struct BlockStops {
    /// Indexes of the steps at which waves stop.
    steps: Box<[usize]>,
    /// Number of times that waves have entered the block at its first step, at most [`MIN_ENTRIES`].
    entries: u16,
    /// Host code that contains no block with a stop. The outer option is `None` before compilation has been attempted,
    /// the inner one if compilation failed.
    native: Option<Option<NativeBlock>>,
}

impl StopPoints {
    pub(super) fn new(debugger: &Arc<dyn Debugger>) -> StopPoints {
        StopPoints {
            debugger: Arc::clone(debugger),
            generation: 0,
            variant: None,
            blocks: Vec::new(),
            indexes: HashMap::new(),
            recent: [None; RECENT],
            begins_turn: true,
        }
    }

    /// Begins a turn with a generation of stops and a variant of host code. The wave does not stop before the turn's
    /// first instruction.
    pub(super) fn begin_turn(&mut self, generation: u64, variant: Option<Variant>) {
        if (self.generation, self.variant) != (generation, variant) {
            (self.generation, self.variant) = (generation, variant);
            self.blocks.clear();
            self.indexes.clear();
            self.recent = [None; RECENT];
        }
        self.begins_turn = true;
    }

    /// True if a wave may have to stop at this address.
    pub(super) fn is_at_stop(&mut self, dispatched: &Dispatched<'_>, pc: u64) -> bool {
        let code = dispatched.code;
        let Some(BlockEntry { block, from }) = code.index(pc).and_then(|it| code.entry(it)) else {
            return true;
        };
        let stops = self.of(dispatched, block);
        stops.is_none_or(|stops| stops.steps.contains(&from))
    }

    /// Stops in a block; `None` if it has no steps.
    #[inline]
    fn of(&mut self, dispatched: &Dispatched<'_>, block: &Block) -> Option<&mut BlockStops> {
        let first = block.steps().first()?.index;
        let index = match self.recent[first % RECENT] {
            Some((known, index)) if known == first => index,
            _ => self.find(dispatched, block, first),
        };
        Some(&mut self.blocks[index])
    }

    #[inline(never)]
    fn find(&mut self, dispatched: &Dispatched<'_>, block: &Block, first: usize) -> usize {
        let index = *self.indexes.entry(first).or_insert_with(|| {
            self.blocks.push(BlockStops {
                steps: steps_with_stops(&*self.debugger, dispatched, block),
                ..BlockStops::default()
            });
            self.blocks.len() - 1
        });
        self.recent[first % RECENT] = Some((first, index));
        index
    }

    /// Number of steps that the wave executes from an entry up to a stop; [`u64::MAX`] if there is no stop.
    pub(super) fn distance(&mut self, dispatched: &Dispatched<'_>, entry: BlockEntry<'_>) -> u64 {
        let least = usize::from(std::mem::replace(&mut self.begins_turn, false));
        let BlockEntry { block, from } = entry;
        let stops = self.of(dispatched, block);
        let mut stops = stops.iter().flat_map(|stops| stops.steps.iter());
        let next = stops.find(|step| **step >= from + least);
        next.map_or(u64::MAX, |step| (step - from) as u64)
    }

    /// Host code for a wave that may execute `left` more instructions, if there is any. Compiles the block if it is
    /// due.
    pub(super) fn host_code(
        &mut self,
        dispatched: &Dispatched<'_>,
        policy: Policy,
        entry: BlockEntry<'_>,
        wave: &Wave,
        left: u64,
    ) -> Option<NativeBlock> {
        if !can_run_host_code(entry, wave, left) {
            return None;
        }
        let block = entry.block;
        let stops = self.of(dispatched, block)?;
        if !stops.steps.is_empty() {
            return None;
        }
        if stops.native.is_none() {
            stops.entries = (stops.entries + 1).min(MIN_ENTRIES);
            if stops.entries < MIN_ENTRIES.min(policy.entries) || block.entered() < policy.entries {
                return None;
            }
            self.compile(dispatched, policy, block, wave.mode);
        }
        let stops = self.of(dispatched, block)?;
        let native = stops.native.as_ref()?.as_ref()?;
        let is_usable = native.is_for(wave) && !native.is_abandoned();
        is_usable.then(|| native.clone())
    }

    /// Compiles a block together with the hot blocks without stops that it can reach.
    #[cold]
    fn compile(&mut self, dispatched: &Dispatched<'_>, policy: Policy, block: &Block, mode: u32) {
        let compiled = dispatched.code.host_code(block, mode, policy, |block| {
            let mut candidate = block.candidate(policy.variant)?;
            let known = self.indexes.get(&candidate.start);
            let known = known.map(|index| &self.blocks[*index]);
            candidate.is_compiled = known.is_some_and(|it| it.native.is_some());
            let has_stops = match known {
                Some(known) => !known.steps.is_empty(),
                None => !steps_with_stops(&*self.debugger, dispatched, block).is_empty(),
            };
            (!has_stops).then_some(candidate)
        });
        for (start, native) in compiled {
            let block = dispatched.code.entry(start).map(|entry| entry.block);
            if let Some(stops) = block.and_then(|block| self.of(dispatched, block)) {
                stops.native.get_or_insert(Some(native));
            }
        }
        if let Some(stops) = self.of(dispatched, block) {
            stops.native.get_or_insert(None);
        }
    }
}

/// Indexes of a block's steps at which waves stop.
fn steps_with_stops(
    debugger: &dyn Debugger,
    dispatched: &Dispatched<'_>,
    block: &Block,
) -> Box<[usize]> {
    let is_stop = |step: &Step| debugger.stops(dispatched.code.address(step.index), step);
    let steps = block.steps().iter().enumerate();
    steps
        .filter(|(_, step)| is_stop(step))
        .map(|(index, _)| index)
        .collect()
}
