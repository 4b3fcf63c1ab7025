//! Backward dynamic slicing: finds the executed instructions on which a value depends.

mod lanes;
mod memory;

use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::Range;

use gcn_emu::wave::WaveId;
use gcn_isa::Does;

use super::facts::{Class, Edge, Read, Reads, Register};
use super::groups::Group;
use super::trace::{Instance, LDS, NO_LANE, Trace, Writer};
use crate::expr::Space;
use crate::view;

/// Result of an executed instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Outcome {
    Register(Register),
    /// Dword in memory.
    Memory {
        element: u8,
        dword: u8,
    },
    /// Direction taken by a branch.
    Branch,
}

/// Entries of `Slice::branches` for a branch that has not been looked up, and for no branch.
const UNKNOWN: u32 = u32::MAX;
const NONE: u32 = u32::MAX - 1;

/// Number of skipped definitions in other lanes that count as one execution.
const SKIPS: usize = 8;

/// Maximum number of controlling branches to follow in search of a common one.
const MAX_COVERING: usize = 32;

/// Node of a slice: a result of an executed instruction in a lane.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Node {
    pub(crate) at: Instance,
    pub(crate) outcome: Outcome,
    pub(crate) lane: u8,
    /// True if the instruction's controlling branch also controls the node that uses the result. That node has
    /// lane-specific edges to the branch, so this node has none.
    pub(crate) is_covered: bool,
}

/// Origin at which a dependence chain ends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Source {
    /// Register at the start of the wave.
    Register {
        wave: u32,
        register: Register,
        lane: u8,
    },
    /// Bytes in memory that no launch had written.
    Memory { run: u32, address: u64, bytes: u8 },
    /// Bytes in LDS that were never written.
    Lds { address: u64, bytes: u8 },
    /// Bytes in GDS that were never written.
    Gds { address: u64, bytes: u8 },
    /// Workgroup that was not traced.
    Group(Group),
}

/// Target of a dependence edge.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Target {
    Node(u32),
    Source(u32),
}

/// Use of a register by an instruction.
#[derive(Clone, Copy)]
struct Use {
    /// Node that depends on the register.
    from: u32,
    /// Instance that reads the register.
    before: Instance,
    register: Register,
    edge: Edge,
}

/// Dynamic slice, as a dependence graph.
#[derive(Default)]
pub(crate) struct Slice {
    /// Definitions that reach the queried location; for memory, one for each byte.
    pub(crate) roots: Vec<Target>,
    pub(crate) nodes: Vec<Node>,
    /// Relevant bits of each node.
    pub(crate) bits: Vec<u32>,
    /// Access whose address is queried instead of its data.
    access: Option<u32>,
    places: HashMap<Node, u32>,
    pub(crate) sources: Vec<Source>,
    source_places: HashMap<Source, u32>,
    /// Dependent node, kind and target of each edge.
    pub(crate) edges: Vec<(u32, Edge, Target)>,
    /// True for nodes that were expanded more than once, for different bits, so their edges may contain duplicates.
    is_again: Vec<bool>,
    /// Index of the branch that controls each instance ([`UNKNOWN`] or [`NONE`]), by wave and instance index.
    branches: Vec<Vec<u32>>,
    /// Edge to the initial contents of memory, and relevant bits, by node and index of the unit read.
    initial: HashMap<(u32, usize), (usize, u32)>,
    /// Untraced workgroups that wrote bytes read by the slice.
    pub(crate) missing: HashSet<Group>,
    /// Number of definitions skipped because they do not write the lane that is read.
    skipped: usize,
    /// True if the slice was cut at the maximum number of nodes.
    pub(crate) is_cut: bool,
    queue: VecDeque<(u32, u32)>,
}

impl Slice {
    /// Slices bytes of global memory at the end of the trace.
    pub(crate) fn of_memory(trace: &Trace, range: Range<u64>, most: usize) -> Slice {
        let mut slice = Slice::default();
        slice.add_memory(trace, range);
        slice.follow(trace, most);
        slice
    }

    /// Adds the bytes of a range to the roots.
    fn add_memory(&mut self, trace: &Trace, range: Range<u64>) {
        let Range { start, end } = range;
        let is_unwritten = |byte: u64| trace.last_writer(byte) == Writer::Nobody;
        for byte in start..end {
            let source = match trace.last_writer(byte) {
                Writer::Instance(at) => {
                    if let Some((node, bits)) = Slice::written(trace, at, byte) {
                        let root = self.node(node, bits);
                        self.roots.push(Target::Node(root));
                    }
                    continue;
                }
                Writer::Group(group) => {
                    self.missing.insert(group);
                    Source::Group(group)
                }
                // One source covers the adjacent unwritten bytes of a dword.
                Writer::Nobody => {
                    let dword = start + (byte - start) / 4 * 4;
                    let before = (dword..byte).rev().take_while(|it| is_unwritten(*it));
                    let first = byte - before.count() as u64;
                    let after = (byte..end.min(dword + 4)).take_while(|it| is_unwritten(*it));
                    Source::Memory {
                        run: 0,
                        address: first,
                        bytes: (byte - first) as u8 + after.count() as u8,
                    }
                }
            };
            let root = self.source(source);
            self.roots.push(Target::Source(root));
        }
    }

    /// Slices the address of the access `at`, if it has been traced. `group` is the workgroup of the access.
    pub(crate) fn of_access(
        trace: &Trace,
        at: Option<Instance>,
        (group, lane): (Group, Option<u8>),
        most: usize,
    ) -> Slice {
        let mut slice = Slice::default();
        if !trace.wanted.contains(&group) {
            slice.missing.insert(group);
        }
        let Some(at) = at else {
            return slice;
        };
        let facts = trace.facts(at);
        let outcome = match facts.writes.first() {
            Some(write) => Outcome::Register(write.register),
            None => Outcome::Memory {
                element: 0,
                dword: 0,
            },
        };
        let lane = match (facts.has_exec(), lane) {
            (true, Some(lane)) => lane,
            _ => NO_LANE,
        };
        let root = slice.node(
            Node {
                at,
                outcome,
                lane,
                is_covered: false,
            },
            u32::MAX,
        );
        slice.access = Some(root);
        slice.roots.push(Target::Node(root));
        slice.follow(trace, most);
        slice
    }

    /// Slices registers of a wave, or a value in its LDS or scratch, at the end of the trace.
    pub(crate) fn of_wave(
        trace: &Trace,
        wave: (u32, WaveId),
        lane: u8,
        target: view::Target,
        most: usize,
    ) -> Slice {
        let mut slice = Slice::default();
        let Some(end) = trace.end_of(wave) else {
            return slice;
        };
        let registers = |first: Register, count: u8| {
            std::iter::successors(Some(first), |it| Some(it.next())).take(count.into())
        };
        let mut roots = Vec::new();
        match target {
            view::Target::Vector {
                first,
                count,
                lane: named,
            } => {
                for register in registers(Register::vector(first), count) {
                    let lane = named.unwrap_or(lane);
                    roots.extend(slice.reaching(trace, None, (end, register), lane, u32::MAX));
                }
            }
            view::Target::Scalar { first, count } => {
                for register in registers(Register::scalar(first), count) {
                    roots.extend(slice.reaching(trace, None, (end, register), NO_LANE, u32::MAX));
                }
            }
            view::Target::Scc => {
                let scc = (end, Register::SCC);
                roots.extend(slice.reaching(trace, None, scc, NO_LANE, u32::MAX));
            }
            view::Target::Memory {
                space: Space::Lds,
                ty,
                address,
            } => {
                let (run, WaveId { group, .. }) = wave;
                for byte in address..address.saturating_add(ty.bytes()) {
                    let byte = LDS | byte;
                    let root = match trace.last_writer_in_lds(Group { run, group }, byte) {
                        Writer::Instance(at) => match Slice::written(trace, at, byte) {
                            Some((node, bits)) => Target::Node(slice.node(node, bits)),
                            None => continue,
                        },
                        Writer::Group(_) | Writer::Nobody => {
                            let address = byte & !LDS;
                            Target::Source(slice.source(Source::Lds { address, bytes: 1 }))
                        }
                    };
                    roots.push(root);
                }
            }
            view::Target::Memory {
                space: Space::Scratch,
                ty,
                address,
            } => {
                let ranges = trace
                    .scratch_of(wave)
                    .map(|base| view::scratch_ranges(base, lane, address, ty.bytes()));
                for range in ranges.into_iter().flatten() {
                    slice.add_memory(trace, range);
                }
            }
            view::Target::Mode
            | view::Target::Pc
            | view::Target::Buffer(_)
            | view::Target::Memory {
                space: Space::Global,
                ..
            } => {}
        }
        slice.roots.extend(roots);
        slice.follow(trace, most);
        slice
    }

    /// Expands queued nodes in breadth-first order, up to `most` nodes.
    fn follow(&mut self, trace: &Trace, most: usize) {
        while let Some((node, bits)) = self.queue.pop_front() {
            if self.nodes.len() + self.skipped / SKIPS > most {
                self.is_cut = true;
                break;
            }
            self.expand(trace, node, bits);
        }
        self.resolve(trace);
    }

    /// Returns the index of a node. Adds and queues the node and its relevant bits if they are new.
    fn node(&mut self, node: Node, bits: u32) -> u32 {
        let next = self.nodes.len() as u32;
        let place = *self.places.entry(node).or_insert(next);
        if place == next {
            self.nodes.push(node);
            self.bits.push(0);
            self.is_again.push(false);
        }
        let new = bits & !self.bits[place as usize];
        if new != 0 {
            self.is_again[place as usize] |= self.bits[place as usize] != 0;
            self.bits[place as usize] |= new;
            self.queue.push_back((place, new));
        }
        place
    }

    fn source(&mut self, source: Source) -> u32 {
        let next = self.sources.len() as u32;
        let place = *self.source_places.entry(source).or_insert(next);
        if place == next {
            self.sources.push(source);
        }
        place
    }

    /// Adds a node's edges for some bits of its result.
    fn expand(&mut self, trace: &Trace, from: u32, bits: u32) {
        let node = self.nodes[from as usize];
        let facts = trace.facts(node.at);
        let record = trace.record(node.at);
        let is_lane = usize::from(node.lane) < 64;
        let is_inactive = is_lane && facts.has_exec() && record.exec >> node.lane & 1 == 0;
        let written = match node.outcome {
            Outcome::Register(register) => facts.write(register),
            Outcome::Memory { .. } | Outcome::Branch => None,
        };
        let units = trace.units(record);
        let is_atomic = units.iter().any(|it| it.is_read && it.is_written);
        let saves = facts.saves_exec
            && matches!(node.outcome, Outcome::Register(it) if it != Register::SCC && !it.is_exec());
        let selected = facts.selector.and_then(|_| trace.selected(record));
        let is_access = self.access == Some(from);
        for read in &facts.reads {
            if is_access && read.edge == Edge::Data {
                continue;
            }
            // The bit of an inactive lane in a mask is zero, so it depends only on EXEC.
            if is_inactive && read.edge != Edge::Exec && written.is_some_and(|it| it.is_mask) {
                continue;
            }
            if saves && !read.register.is_exec() {
                continue;
            }
            if let (Some(wanted), Some(selected)) = (read.chosen_if, selected)
                && wanted != (selected >> (node.lane % 64) & 1 != 0)
            {
                continue;
            }
            let is_used = match (node.outcome, read.element) {
                (_, None) => true,
                (Outcome::Register(_) | Outcome::Branch, Some(_)) => facts.class == Class::Alu,
                (Outcome::Memory { element, dword }, Some(of)) => {
                    is_atomic || of == element && (facts.is_converted || read.dword == dword)
                }
            };
            let wanted = match (node.outcome, facts.does) {
                (Outcome::Memory { .. }, Does::Store(_)) if read.element.is_some() => bits,
                (Outcome::Register(_), _)
                    if read.edge == Edge::Data && read.reads == Reads::Own =>
                {
                    facts.source_bits.for_result(bits) & read.packed(bits)
                }
                _ => u32::MAX,
            };
            if is_used && read.bits & wanted != 0 {
                let read = Read {
                    bits: read.bits & wanted,
                    ..*read
                };
                self.read(trace, from, &read, bits);
            }
        }
        if facts.class == Class::Memory && !is_access {
            let per_element = units.iter().map(|it| it.dword + 1).max().unwrap_or(1);
            let wanted = match (node.outcome, facts.does) {
                (Outcome::Register(_), Does::Load(ty)) if ty.bytes() >= 4 => bits,
                _ => u32::MAX,
            };
            for (place, unit) in units.iter().enumerate().filter(|(_, it)| it.is_read) {
                let is_of_dword = match (node.outcome, written) {
                    (Outcome::Register(_), Some(write)) => {
                        facts.is_converted || unit.element * per_element + unit.dword == write.dword
                    }
                    (Outcome::Memory { element, .. }, _) => {
                        unit.element == element || matches!(facts.does, Does::AtomicFromLds(..))
                    }
                    _ => true,
                };
                if unit.is_of(node.lane) && is_of_dword {
                    self.bytes(trace, from, place, wanted);
                }
            }
        }
        if !node.is_covered
            && let Some(at) = self.branch(trace, node.at)
        {
            let branch = self.node(
                Node {
                    at,
                    outcome: Outcome::Branch,
                    lane: node.lane,
                    is_covered: false,
                },
                u32::MAX,
            );
            self.edge(from, Edge::Branch, Target::Node(branch));
        }
    }

    fn edge(&mut self, from: u32, edge: Edge, to: Target) {
        let new = (from, edge, to);
        if self.edges.last() != Some(&new) {
            self.edges.push(new);
        }
    }

    /// Follows a register read.
    fn read(&mut self, trace: &Trace, from: u32, read: &Read, bits: u32) {
        let node = self.nodes[from as usize];
        let record = trace.record(node.at);
        let facts = trace.facts(node.at);
        let is_lane = usize::from(node.lane) < 64;
        let own = node.lane % 64;
        match read.reads {
            Reads::Own => self.register(trace, from, read, own, read.bits),
            Reads::Noted => self.register(trace, from, read, record.lane, read.bits),
            Reads::AllLanes => {
                for lane in 0..64 {
                    self.lane_register(trace, from, read, lane);
                }
            }
            Reads::Permuted => {
                let lane = match facts.permutation {
                    Some(permutation) => permutation.source(own),
                    None => Some(own),
                };
                if let Some(lane) = lane {
                    self.source_lane(trace, from, read, lane);
                }
            }
            Reads::Exchanged => match trace.exchanged(record).map(|it| it[usize::from(own)]) {
                // If no lane sends a value to this lane, the result depends on the addresses in all lanes.
                Some(NO_LANE) if read.element.is_none() => {
                    for lane in 0..64 {
                        self.lane_register(trace, from, read, lane);
                    }
                }
                Some(NO_LANE) | None => {}
                Some(lane) => self.source_lane(trace, from, read, lane),
            },
            Reads::Bit if is_lane => {
                if read.dword == own / 32 {
                    self.register(trace, from, read, NO_LANE, 1 << (own % 32));
                }
            }
            // For a branch on nonzero EXEC, one active lane is sufficient.
            Reads::Scalar
                if read.register.is_exec()
                    && node.outcome == Outcome::Branch
                    && is_lane
                    && record.exec >> own & 1 != 0 =>
            {
                if read.dword == own / 32 {
                    self.register(trace, from, read, NO_LANE, 1 << (own % 32));
                }
            }
            Reads::Bit | Reads::Scalar => self.register(trace, from, read, NO_LANE, read.bits),
            Reads::SameBits => match node.outcome {
                Outcome::Register(register) if register != Register::SCC => {
                    let dword = facts.write(register).map_or(0, |it| it.dword);
                    if dword == read.dword {
                        self.register(trace, from, read, NO_LANE, bits);
                    }
                }
                _ => self.register(trace, from, read, NO_LANE, read.bits),
            },
        }
    }

    /// Adds edges to the reaching definitions of some bits of a register.
    fn register(&mut self, trace: &Trace, from: u32, read: &Read, lane: u8, bits: u32) {
        let use_of = Use {
            from,
            before: self.nodes[from as usize].at,
            register: read.register,
            edge: read.edge,
        };
        self.definitions(trace, use_of, lane, bits);
    }

    fn definitions(&mut self, trace: &Trace, use_of: Use, lane: u8, bits: u32) {
        let Use {
            from,
            before,
            register,
            edge,
        } = use_of;
        for target in self.reaching(trace, Some(from), (before, register), lane, bits) {
            self.edge(from, edge, target);
        }
    }

    /// Returns the reaching definitions of some bits of a register. `from` is the node that reads them, if any.
    fn reaching(
        &mut self,
        trace: &Trace,
        from: Option<u32>,
        (before, register): (Instance, Register),
        lane: u8,
        bits: u32,
    ) -> Vec<Target> {
        let mut targets = Vec::new();
        let is_vector = register.as_vector().is_some();
        let mut left = bits;
        for at in trace.definitions(before, register) {
            if is_vector && trace.lanes(at) >> (lane % 64) & 1 == 0 {
                self.skipped += 1;
                if let Some(from) = from {
                    self.unwritten(trace, from, at, lane % 64);
                }
                continue;
            }
            let Some(write) = trace.facts(at).write(register) else {
                continue;
            };
            let found = write.bits & left;
            if found == 0 {
                continue;
            }
            left &= !found;
            let outcome = Outcome::Register(register);
            if write.is_mask {
                for bit in (0..32).filter(|bit| found >> bit & 1 != 0) {
                    let lane = write.dword * 32 + bit;
                    let node = Node {
                        at,
                        outcome,
                        lane,
                        is_covered: false,
                    };
                    let node = self.node(node, 1 << bit);
                    targets.push(Target::Node(node));
                }
            } else {
                let node = Node {
                    at,
                    outcome,
                    lane: if is_vector { lane } else { NO_LANE },
                    is_covered: !is_vector && self.is_covered(trace, from, at),
                };
                let node = self.node(node, found);
                targets.push(Target::Node(node));
            }
            if left == 0 {
                return targets;
            }
        }
        let source = self.source(Source::Register {
            wave: before.wave,
            register,
            lane: if is_vector { lane } else { NO_LANE },
        });
        targets.push(Target::Source(source));
        targets
    }

    /// Returns the cached result of [`Trace::branch`].
    fn branch(&mut self, trace: &Trace, of: Instance) -> Option<Instance> {
        let wave = of.wave as usize;
        if self.branches.is_empty() {
            self.branches.resize(trace.waves.len(), Vec::new());
        }
        let branches = &mut self.branches[wave];
        if branches.is_empty() {
            branches.resize(trace.waves[wave].records.len(), UNKNOWN);
        }
        let known = &mut branches[of.at as usize];
        if *known == UNKNOWN {
            *known = trace.branch(of).map_or(NONE, |it| it.at);
        }
        (*known != NONE).then_some(Instance {
            wave: of.wave,
            at: *known,
        })
    }

    /// True if the branch that controls an instruction also controls node `from`, directly or indirectly.
    fn is_covered(&mut self, trace: &Trace, from: Option<u32>, at: Instance) -> bool {
        let (Some(from), Some(branch)) = (from, self.branch(trace, at)) else {
            return false;
        };
        let mut it = self.branch(trace, self.nodes[from as usize].at);
        for _ in 0..MAX_COVERING {
            match it {
                Some(leading) if leading == branch => return true,
                Some(leading) if leading.at > branch.at => it = self.branch(trace, leading),
                _ => break,
            }
        }
        false
    }
}
