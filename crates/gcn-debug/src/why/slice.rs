//! Dynamic slices: finds the executed instructions on which a value depends, going backwards.

use std::collections::{HashMap, HashSet, VecDeque};

use gcn_emu::wave::WaveId;

use super::facts::{Class, Edge, Read, Reads, Register};
use super::trace::{GDS, Group, Instance, LDS, Trace, Unit, Writer};
use crate::expr::Space;
use crate::view;

/// Lane number for results that belong to no lane.
pub(crate) const NO_LANE: u8 = u8::MAX;

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

/// Node of a slice.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Node {
    pub(crate) at: Instance,
    pub(crate) outcome: Outcome,
    pub(crate) lane: u8,
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
    /// Bytes in memory that no earlier launch or instruction wrote.
    Memory { run: u32, address: u64, bytes: u8 },
    /// Bytes in LDS that were never written.
    Lds { address: u64, bytes: u8 },
    /// Bytes in GDS that were never written.
    Gds { address: u64, bytes: u8 },
    /// Workgroup that was not traced.
    Group(Group),
}

/// Target of an edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Target {
    Node(u32),
    Source(u32),
}

/// Use of a register by an instruction.
#[derive(Clone, Copy)]
struct Use {
    /// Node that depends on the register.
    from: u32,
    before: Instance,
    register: Register,
    edge: Edge,
}

/// Dynamic slice.
#[derive(Default)]
pub(crate) struct Slice {
    /// Writers of the queried bytes.
    pub(crate) roots: Vec<Target>,
    pub(crate) nodes: Vec<Node>,
    /// Relevant bits of each node.
    pub(crate) bits: Vec<u32>,
    places: HashMap<Node, u32>,
    pub(crate) sources: Vec<Source>,
    source_places: HashMap<Source, u32>,
    /// Source node, kind and target of each edge.
    pub(crate) edges: Vec<(u32, Edge, Target)>,
    /// Untraced workgroups that wrote bytes read by the slice.
    pub(crate) missing: HashSet<Group>,
    /// True if the slice was cut at the maximum number of nodes.
    pub(crate) is_cut: bool,
    queue: VecDeque<(u32, u32)>,
}

impl Slice {
    /// Slices bytes in global memory, as they are after the last run.
    pub(crate) fn of_memory(trace: &Trace, address: u64, bytes: u64, most: usize) -> Slice {
        let mut slice = Slice::default();
        for byte in address..address.saturating_add(bytes) {
            let source = match trace.last_writer(byte) {
                Writer::Instance(at) => {
                    if let Some(node) = written(trace, at, byte) {
                        let root = slice.node(node, u32::MAX);
                        slice.roots.push(Target::Node(root));
                    }
                    continue;
                }
                Writer::Group(group) => {
                    slice.missing.insert(group);
                    Source::Group(group)
                }
                Writer::Nobody => Source::Memory {
                    run: 0,
                    address: byte,
                    bytes: 1,
                },
            };
            let root = slice.source(source);
            slice.roots.push(Target::Source(root));
        }
        slice.follow(trace, most);
        slice
    }

    /// Slices registers of a wave, or a value in its LDS, as they are after the last traced instruction.
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
                        Writer::Instance(at) => match written(trace, at, byte) {
                            Some(node) => Target::Node(slice.node(node, u32::MAX)),
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
            view::Target::Mode
            | view::Target::Pc
            | view::Target::Buffer(_)
            | view::Target::Memory { .. } => {}
        }
        slice.roots = roots;
        slice.follow(trace, most);
        slice
    }

    /// Expands nodes, nearest first.
    fn follow(&mut self, trace: &Trace, most: usize) {
        while let Some((node, bits)) = self.queue.pop_front() {
            if self.nodes.len() > most {
                self.is_cut = true;
                break;
            }
            self.expand(trace, node, bits);
        }
    }

    /// Returns the index of a node, after adding the node and the relevant bits if they are new.
    fn node(&mut self, node: Node, bits: u32) -> u32 {
        let next = self.nodes.len() as u32;
        let place = *self.places.entry(node).or_insert(next);
        if place == next {
            self.nodes.push(node);
            self.bits.push(0);
        }
        let new = bits & !self.bits[place as usize];
        if new != 0 {
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

    /// Adds the edges for some bits of a node.
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
        for read in &facts.reads {
            // Inactive lanes have a fixed bit in a mask.
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
                    of == element && (is_atomic || facts.is_converted || read.dword == dword)
                        || is_atomic
                }
            };
            if is_used {
                self.read(trace, from, read, bits);
            }
        }
        if facts.class == Class::Memory {
            let per_element = units.iter().map(|it| it.dword + 1).max().unwrap_or(1);
            for (place, unit) in units.iter().enumerate().filter(|(_, it)| it.is_read) {
                let is_of_lane = !is_lane || unit.lane == node.lane;
                let is_of_dword = match (node.outcome, written) {
                    (Outcome::Register(_), Some(write)) => {
                        facts.is_converted || unit.element * per_element + unit.dword == write.dword
                    }
                    (Outcome::Memory { element, .. }, _) => unit.element == element,
                    _ => true,
                };
                if is_of_lane && is_of_dword {
                    self.bytes(trace, from, place);
                }
            }
        }
        if let Some(at) = trace.branch(node.at) {
            let branch = self.node(
                Node {
                    at,
                    outcome: Outcome::Branch,
                    lane: node.lane,
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
                    self.register(trace, from, read, lane, read.bits);
                }
            }
            Reads::Permuted => {
                let lane = match facts.permutation {
                    Some(permutation) => permutation.source(own),
                    None => Some(own),
                };
                if let Some(lane) = lane {
                    self.register(trace, from, read, lane, read.bits);
                }
            }
            Reads::Pulled => {
                let lane = trace.pulled(record).map_or(own, |it| it[usize::from(own)]);
                self.register(trace, from, read, lane, read.bits);
            }
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

    /// Adds edges to the reaching definitions for some bits of a register.
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

    /// Returns the reaching definitions for some bits of a register. Node `from` is the user of the register.
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
                if let Some(from) = from {
                    self.inactive(trace, from, at, lane);
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
                    let node = self.node(Node { at, outcome, lane }, 1 << bit);
                    targets.push(Target::Node(node));
                }
            } else {
                let lane = if is_vector { lane } else { NO_LANE };
                let node = self.node(Node { at, outcome, lane }, found);
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

    /// Follows the EXEC bit that kept an instruction from overwriting a lane's earlier value.
    fn inactive(&mut self, trace: &Trace, from: u32, at: Instance, lane: u8) {
        if !trace.facts(at).has_exec() {
            return;
        }
        let register = match lane / 32 {
            0 => Register::EXEC,
            _ => Register::EXEC.next(),
        };
        let use_of = Use {
            from,
            before: at,
            register,
            edge: Edge::Exec,
        };
        self.definitions(trace, use_of, NO_LANE, 1 << (lane % 32));
    }

    /// Follows bytes that an instruction read.
    fn bytes(&mut self, trace: &Trace, from: u32, place: usize) {
        let reader = self.nodes[from as usize].at;
        let run = trace.waves[reader.wave as usize].run;
        let units = trace.units(trace.record(reader));
        let unit = &units[place];
        let target = match trace.writer_of(unit) {
            // An earlier lane of the same atomic operation.
            Writer::Instance(at) if at == reader => {
                match written_in(&units[..place], at, unit.address) {
                    Some(node) => Target::Node(self.node(node, u32::MAX)),
                    None => return,
                }
            }
            Writer::Instance(at) => match written(trace, at, unit.address) {
                Some(node) => Target::Node(self.node(node, u32::MAX)),
                None => return,
            },
            Writer::Group(group) => {
                self.missing.insert(group);
                Target::Source(self.source(Source::Group(group)))
            }
            Writer::Nobody => {
                let address = unit.address;
                Target::Source(self.source(if address & LDS != 0 {
                    Source::Lds {
                        address: address & !LDS,
                        bytes: unit.bytes.1,
                    }
                } else if address & GDS != 0 {
                    Source::Gds {
                        address: address & !GDS,
                        bytes: unit.bytes.1,
                    }
                } else {
                    Source::Memory {
                        run,
                        address,
                        bytes: unit.bytes.1,
                    }
                }))
            }
        };
        self.edge(from, Edge::Data, target);
    }
}

/// Returns the lane and dword through which an instruction wrote a byte; the last lane if several did.
fn written(trace: &Trace, at: Instance, address: u64) -> Option<Node> {
    written_in(trace.units(trace.record(at)), at, address)
}

/// Returns the last of `units` that wrote a byte.
fn written_in(units: &[Unit], at: Instance, address: u64) -> Option<Node> {
    let has =
        |it: &&Unit| it.is_written && address.wrapping_sub(it.address) < u64::from(it.bytes.1);
    let unit = units.iter().rev().find(has)?;
    Some(Node {
        at,
        outcome: Outcome::Memory {
            element: unit.element,
            dword: unit.dword,
        },
        lane: unit.lane,
    })
}
