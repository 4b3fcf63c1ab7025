//! Finds where two runs diverge by walking both value graphs backwards from the queried location.
//!
//! The two runs may execute different machine code, so only values can be compared. A value of one run *agrees* with
//! the other run if that run has a value with the same bits from the same origins (inputs, arguments, work-item IDs).
//! From a pair of results that differ, the walk continues to the operands that do not agree, and ends at a pair of
//! instructions whose operands all agree. It skips copies (moves, spills, stores). If the operands cannot be paired
//! (those of a fused multiply-add and of an addition, for instance), the instructions back to values that agree form a
//! region. The walk ends with the regions of both runs, or with a pair of instructions in them that has equal operands.
//!
//! The walk follows data operands, or address operands if two loads read different locations. If these all agree but
//! are not equal, it follows control dependences (EXEC, branches).

mod region;

use std::collections::{HashMap, HashSet, VecDeque};

use gcn_isa::Does;

use super::facts::{Class, Edge};
use super::graph::{GraphInput, Key, Place, ValueGraph};
use super::parting::{Parting, PartingKind, PartingSide, ValueStep, agrees, mask_step, value_step};
use super::slice::{Outcome, Target};

/// Maximum number of pairs to compare.
const MAX_PAIRS: usize = 1 << 20;
/// Maximum number of instructions to return for a region.
const MAX_STEPS: usize = 16;

/// Maximum number of controlling comparisons to return for each run.
const MAX_CONDITIONS: usize = 3;

/// Finds the point at which two runs diverge. Returns `None` if the values are equal or a graph has no roots.
pub fn part(first: &ValueGraph, other: &ValueGraph) -> Option<Parting> {
    if first.end == other.end {
        return None;
    }
    // Index of the first byte that differs.
    let byte = (first.end ^ other.end).trailing_zeros() as usize / 8;
    let root = |graph: &ValueGraph| {
        let target = graph.roots.get(byte).or(graph.roots.last());
        target.map(|target| GraphInput {
            edge: Edge::Data,
            target: *target,
            value: Some(graph.end),
        })
    };
    Some(walk([first, other], [root(first)?, root(other)?], None))
}

/// Finds the point at which the addresses of two accesses diverge. Returns `None` if neither run has the access. At
/// least one graph must be that of an access.
pub fn part_addresses(first: &ValueGraph, other: &ValueGraph) -> Option<Parting> {
    let graphs = [first, other];
    let nodes = graphs.map(|graph| graph.roots.iter().rev().find_map(|it| it.node()));
    let input = |node: u32| GraphInput {
        edge: Edge::Data,
        target: Target::Node(node),
        value: None,
    };
    match nodes {
        [Some(a), Some(b)] => Some(walk(graphs, [input(a), input(b)], Some([a, b]))),
        [None, None] => None,
        _ => {
            let end = End {
                kind: PartingKind::Origin,
                nodes: nodes.map(|it| it.into_iter().collect()),
                sources: [None, None],
                from: None,
            };
            Some(Walk::new(graphs, None).of(&end))
        }
    }
}

/// Walks from a pair of values. `accesses` are the instructions whose addresses are compared, if any.
fn walk(graphs: [&ValueGraph; 2], inputs: [GraphInput; 2], accesses: Option<[u32; 2]>) -> Parting {
    let mut walk = Walk::new(graphs, accesses);
    walk.queue.push_back(Pair { inputs, from: None });
    while let Some(pair) = walk.queue.pop_front() {
        if walk.hops.len() >= MAX_PAIRS {
            break;
        }
        walk.step(pair);
    }
    walk.parting()
}

/// Pair of values to compare.
#[derive(Clone, Copy)]
struct Pair {
    inputs: [GraphInput; 2],
    /// Index of the hop whose instructions read the values; `None` for the roots.
    from: Option<usize>,
}

/// Pair of instructions on a path of the walk.
struct Hop {
    edge: Edge,
    nodes: [u32; 2],
    from: Option<usize>,
}

/// Divergence at which a path of the walk ends.
struct End {
    kind: PartingKind,
    nodes: [Vec<u32>; 2],
    sources: [Option<u32>; 2],
    from: Option<usize>,
}

/// Pairs of controlling comparisons that the walk may follow.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Conditions {
    Any,
    /// Pairs with the same operation.
    Alike,
}

struct Walk<'a> {
    graphs: [&'a ValueGraph; 2],
    /// Instructions whose addresses are compared.
    accesses: Option<[u32; 2]>,
    visited: HashSet<[u32; 2]>,
    queue: VecDeque<Pair>,
    hops: Vec<Hop>,
    ends: Vec<End>,
}

impl<'a> Walk<'a> {
    fn new(graphs: [&'a ValueGraph; 2], accesses: Option<[u32; 2]>) -> Walk<'a> {
        Walk {
            graphs,
            accesses,
            visited: HashSet::new(),
            queue: VecDeque::new(),
            hops: Vec::new(),
            ends: Vec::new(),
        }
    }

    fn agrees(&self, side: usize, input: &GraphInput) -> bool {
        agrees(self.graphs, side, input)
    }

    /// True for a value without origins.
    fn is_constant(&self, side: usize, input: &GraphInput) -> bool {
        let key = self.graphs[side].key(input);
        key.is_some_and(|(_, origins)| origins == 0)
    }

    /// Compares a pair of values.
    fn step(&mut self, pair: Pair) {
        let inputs = self.without_copies(pair.inputs);
        let [a, b] = inputs;
        let keys = [0, 1].map(|side| self.graphs[side].key(&inputs[side]));
        if pair.from.is_some() && keys[0].is_some() && keys[0] == keys[1] {
            return;
        }
        match (a.target, b.target) {
            (Target::Node(a), Target::Node(b)) => self.nodes([a, b], inputs[0].edge, pair.from),
            (Target::Source(a), Target::Source(b)) => self.ends.push(End {
                kind: PartingKind::Origin,
                nodes: [Vec::new(), Vec::new()],
                sources: [Some(a), Some(b)],
                from: pair.from,
            }),
            (Target::Node(a), Target::Source(b)) => self.ends.push(End {
                kind: PartingKind::Origin,
                nodes: [self.stored_or_region(0, a, pair.from), Vec::new()],
                sources: [None, Some(b)],
                from: pair.from,
            }),
            (Target::Source(a), Target::Node(b)) => self.ends.push(End {
                kind: PartingKind::Origin,
                nodes: [Vec::new(), self.stored_or_region(1, b, pair.from)],
                sources: [Some(a), None],
                from: pair.from,
            }),
        }
    }

    /// Skips register copies in either run, and copies through unnamed memory unless both runs access memory.
    fn without_copies(&self, mut inputs: [GraphInput; 2]) -> [GraphInput; 2] {
        loop {
            let is_memory = [0, 1].map(|side| {
                let graph = self.graphs[side];
                let node = inputs[side].target.node();
                node.is_some_and(|it| graph.instruction(it).class == Class::Memory)
            });
            let mut has_moved = false;
            for side in 0..2 {
                let Some(node) = inputs[side].target.node() else {
                    continue;
                };
                let graph = self.graphs[side];
                let is_named = graph.nodes[node as usize].place.is_some();
                if is_memory[side] && (is_memory[1 - side] || is_named) {
                    continue;
                }
                if let Some(mut copied) = graph.copies(node) {
                    copied.edge = inputs[side].edge;
                    copied.value = graph.value(&copied);
                    inputs[side] = copied;
                    has_moved = true;
                }
            }
            if !has_moved {
                return inputs;
            }
        }
    }

    /// Compares the results of a pair of instructions.
    fn nodes(&mut self, nodes: [u32; 2], edge: Edge, from: Option<usize>) {
        if !self.visited.insert(nodes) {
            return;
        }
        let operands = self.operands(nodes);
        let is_same = {
            let [a, b] = [0, 1].map(|side| self.graphs[side].instruction(nodes[side]));
            a.does == b.does
        };
        let places = self.places(nodes);
        let reads_elsewhere = matches!(places, [Some(a), Some(b)] if a.id != b.id);
        if reads_elsewhere && places.iter().flatten().all(|it| it.is_argument()) {
            // Comparing the addresses is useless, since the kernarg segment has a different address in each run.
            self.ends.push(End {
                kind: PartingKind::Origin,
                nodes: nodes.map(|it| vec![it]),
                sources: [None, None],
                from,
            });
            return;
        }
        // A constant may itself be wrong, so follow conditions only if both runs make the same comparison.
        let followed = match operands.iter().any(Vec::is_empty) {
            true => Conditions::Alike,
            false => Conditions::Any,
        };
        let here = self.hops.len();
        self.hops.push(Hop { edge, nodes, from });
        let mut left = if is_same {
            self.without_common(&operands)
        } else {
            operands.clone()
        };
        let differing = [0, 1].map(|side| {
            let differing = left[side].iter();
            let differing = differing
                .filter(|it| !self.agrees(side, it) || is_same && self.is_constant(side, it));
            differing.copied().collect::<Vec<_>>()
        });
        let [a, b] = &differing;
        let is_pair = a.is_empty() && b.is_empty();
        if is_pair {
            let is_equal = self.keys(0, &operands[0]) == self.keys(1, &operands[1]);
            let is_constant = operands.iter().all(Vec::is_empty);
            if (is_constant || !is_equal) && self.conditions(nodes, from, here, followed) {
                return;
            }
            self.ends.push(End {
                kind: match (is_constant, is_equal, is_same) {
                    (true, ..) => PartingKind::Constants,
                    (false, true, _) if reads_elsewhere => PartingKind::Origin,
                    (false, true, _) => PartingKind::Result,
                    (false, false, true) => PartingKind::Operands,
                    (false, false, false) => PartingKind::Region,
                },
                nodes: nodes.map(|it| vec![it]),
                sources: [None, None],
                from,
            });
            return;
        }
        if a.len() == b.len() && (is_same || a.len() == 1) {
            left = differing;
        }
        let [a, b] = left;
        let is_known = a.len() == b.len() && !a.is_empty() && (is_same || a.len() == 1);
        if !is_same && self.conditions(nodes, from, here, followed) {
            return;
        }
        if is_known {
            for (a, b) in self.matched(a, b) {
                self.queue.push_back(Pair {
                    inputs: [a, b],
                    from: Some(here),
                });
            }
            return;
        }
        if is_same && self.conditions(nodes, from, here, followed) {
            return;
        }
        let regions = [0, 1].map(|side| self.region(side, nodes[side]));
        let end = match self.equal_in(&regions) {
            Some(pair) => End {
                kind: PartingKind::Result,
                nodes: pair.map(|it| vec![it]),
                sources: [None, None],
                from: if pair == nodes { from } else { Some(here) },
            },
            None => End {
                kind: PartingKind::Region,
                nodes: regions,
                sources: [None, None],
                from,
            },
        };
        self.ends.push(end);
    }

    /// Returns the operands of a pair to compare: address operands if the two accesses have different locations, else
    /// data operands.
    fn operands(&self, nodes: [u32; 2]) -> [Vec<GraphInput>; 2] {
        let reads_elsewhere = match self.places(nodes) {
            [Some(a), Some(b)] => a.id != b.id,
            _ => self.writers_differ(nodes),
        } || self.accesses == Some(nodes);
        [0, 1].map(|side| {
            let inputs = self.graphs[side].inputs(nodes[side]).iter();
            let address = inputs.clone().filter(|it| it.edge == Edge::Address);
            let address: Vec<GraphInput> = address.copied().collect();
            if reads_elsewhere && !address.is_empty() {
                return address;
            }
            let data = inputs.filter(|it| it.edge == Edge::Data);
            data.copied().collect()
        })
    }

    /// Returns the named memory location that each instruction accessed.
    fn places(&self, nodes: [u32; 2]) -> [Option<&'a Place>; 2] {
        [0, 1].map(|side| {
            let node = &self.graphs[side].nodes[nodes[side] as usize];
            node.place.as_ref()
        })
    }

    /// True if two instructions load values that different waves or lanes stored.
    fn writers_differ(&self, nodes: [u32; 2]) -> bool {
        let writers = [0, 1].map(|side| {
            let graph = self.graphs[side];
            let inputs = graph.inputs(nodes[side]).iter();
            let mut stores = inputs.filter_map(|it| {
                let node = &graph.nodes[it.target.node()? as usize];
                let is_store =
                    it.edge == Edge::Data && matches!(node.outcome, Outcome::Memory { .. });
                is_store.then_some((node.run, node.wave, node.lane))
            });
            stores.next()
        });
        matches!(writers, [Some(a), Some(b)] if a != b)
    }

    /// Removes the operands that the two instructions have in common.
    fn without_common(&self, operands: &[Vec<GraphInput>; 2]) -> [Vec<GraphInput>; 2] {
        let mut counts: HashMap<Key, i32> = HashMap::new();
        let keys = [0, 1].map(|side| {
            let keys = operands[side].iter().map(|it| self.graphs[side].key(it));
            keys.collect::<Vec<_>>()
        });
        for key in keys[1].iter().flatten() {
            *counts.entry(*key).or_default() += 1;
        }
        let mut common: HashMap<Key, i32> = HashMap::new();
        for key in keys[0].iter().flatten() {
            if let Some(count) = counts.get_mut(key).filter(|it| **it > 0) {
                *count -= 1;
                *common.entry(*key).or_default() += 1;
            }
        }
        [0, 1].map(|side| {
            let mut common = common.clone();
            let all = operands[side].iter().zip(&keys[side]);
            let left = all.filter(|(_, key)| {
                let count = key.and_then(|key| common.get_mut(&key).filter(|it| **it > 0));
                count.map(|it| *it -= 1).is_none()
            });
            left.map(|(it, _)| *it).collect()
        })
    }

    fn keys(&self, side: usize, inputs: &[GraphInput]) -> Vec<Option<Key>> {
        let mut keys: Vec<_> = inputs.iter().map(|it| self.graphs[side].key(it)).collect();
        keys.sort_unstable();
        keys
    }

    /// Pairs up operands: first those with equal origins, then the rest in instruction order.
    fn matched(
        &self,
        first: Vec<GraphInput>,
        mut other: Vec<GraphInput>,
    ) -> Vec<(GraphInput, GraphInput)> {
        let origins = |side: usize, it: &GraphInput| self.graphs[side].key(it).map(|it| it.1);
        let mut pairs = Vec::new();
        let mut left = Vec::new();
        for a in first {
            let mine = origins(0, &a);
            let place = other
                .iter()
                .position(|it| mine.is_some() && origins(1, it) == mine);
            match place {
                Some(place) => pairs.push((a, other.remove(place))),
                None => left.push(a),
            }
        }
        pairs.extend(left.into_iter().zip(other));
        pairs
    }

    /// Queues a pair of controlling comparisons, one from each run, whose results differ. Returns false if no pair
    /// exists or the pair has already been visited.
    fn conditions(
        &mut self,
        nodes: [u32; 2],
        from: Option<usize>,
        here: usize,
        followed: Conditions,
    ) -> bool {
        let deciding = [0, 1].map(|side| self.deciding(side, nodes[side], from));
        let value = |side: usize, node: u32| self.graphs[side].nodes[node as usize].value;
        let operands = |side: usize, node: u32| self.keys(side, &self.data(side, node));
        let does = |side: usize, node: u32| self.graphs[side].instruction(node).does;
        let differ = |a: u32, b: u32| {
            let is_followed = followed == Conditions::Any || does(0, a) == does(1, b);
            is_followed && value(0, a).is_some() && value(0, a) != value(1, b)
        };
        let [first, other] = &deciding;
        let all = first
            .iter()
            .flat_map(|a| other.iter().map(move |b| (*a, *b)));
        let mut equal = all.filter(|(a, b)| differ(*a, *b) && operands(0, *a) == operands(1, *b));
        let mut paired = first.iter().copied().zip(other.iter().copied());
        let pair = equal.next().or_else(|| {
            let is_alike = first.len() == other.len();
            is_alike
                .then(|| paired.find(|(a, b)| differ(*a, *b)))
                .flatten()
        });
        let Some((a, b)) = pair.filter(|(a, b)| !self.visited.contains(&[*a, *b])) else {
            return false;
        };
        let input = |side: usize, node: u32| GraphInput {
            edge: Edge::Branch,
            target: Target::Node(node),
            value: value(side, node),
        };
        self.queue.push_back(Pair {
            inputs: [input(0, a), input(1, b)],
            from: Some(here),
        });
        true
    }

    /// Returns the comparisons that control a result, in execution order: comparisons that enabled the instruction in
    /// its lane, and comparisons that set EXEC for the instruction that reads the result.
    fn deciding(&self, side: usize, node: u32, from: Option<usize>) -> Vec<u32> {
        let graph = self.graphs[side];
        let own = graph.inputs(node).iter();
        let own = own.filter(|it| matches!(it.edge, Edge::Exec | Edge::Branch));
        let reader = from.map_or(&[][..], |it| graph.inputs(self.hops[it].nodes[side]));
        let reader = reader.iter().filter(|it| it.edge == Edge::Exec);
        let mut queue: VecDeque<u32> = own
            .chain(reader)
            .filter_map(|it| it.target.node())
            .collect();
        let mut seen: HashSet<u32> = queue.iter().copied().collect();
        let mut deciding = Vec::new();
        while let Some(node) = queue.pop_front() {
            let is_comparison = matches!(graph.instruction(node).does, Does::Compare(..));
            let outcome = graph.nodes[node as usize].outcome;
            if is_comparison && outcome != Outcome::Branch {
                deciding.push(node);
                continue;
            }
            let is_mask = match outcome {
                Outcome::Register(register) => register.as_vector().is_none(),
                Outcome::Branch => true,
                Outcome::Memory { .. } => false,
            };
            if is_mask {
                let data = graph.inputs(node).iter();
                let data = data.filter(|it| it.edge == Edge::Data);
                let nodes = data.filter_map(|it| it.target.node());
                queue.extend(nodes.filter(|it| seen.insert(*it)));
            }
        }
        deciding.sort_by_key(|it| graph.nodes[*it as usize].at);
        deciding
    }

    /// Returns the data inputs of a node.
    fn data(&self, side: usize, node: u32) -> Vec<GraphInput> {
        let inputs = self.graphs[side].inputs(node).iter();
        let data = inputs.filter(|it| it.edge == Edge::Data);
        data.copied().collect()
    }

    /// Returns the divergence that comes earliest in the first run.
    fn parting(&self) -> Parting {
        let order = |end: &&End| {
            let own = end.nodes[0].last().copied();
            let node = own.or_else(|| end.from.map(|it| self.hops[it].nodes[0]));
            let node = node.map(|it| &self.graphs[0].nodes[it as usize]);
            let values = [0, 1].map(|side| {
                let result = end.nodes[side].first();
                result.and_then(|it| self.graphs[side].nodes[*it as usize].value)
            });
            // Equal values with different origins, such as the high dwords of two addresses, come last.
            let is_equal = values[0].is_some() && values[0] == values[1];
            (is_equal, node.map(|it| (it.run, it.at)))
        };
        let Some(end) = self.ends.iter().min_by_key(order) else {
            // The walk stopped before it reached an end, for example at the maximum number of pairs.
            let roots = self.hops.first().map_or([0, 0], |it| it.nodes);
            return self.of(&End {
                kind: PartingKind::Region,
                nodes: [0, 1].map(|side| self.region(side, roots[side])),
                sources: [None, None],
                from: None,
            });
        };
        self.of(end)
    }

    fn of(&self, end: &End) -> Parting {
        let mut path = Vec::new();
        let mut from = end.from;
        while let Some(hop) = from.map(|it| &self.hops[it]) {
            path.push((
                hop.edge,
                [0, 1].map(|side| value_step(self.graphs, side, hop.nodes[side])),
            ));
            from = hop.from;
        }
        path.reverse();
        let sides = [0, 1].map(|side| {
            let graph = self.graphs[side];
            let groups = self.executions(side, end);
            let shown = groups.iter().take(MAX_STEPS).rev();
            PartingSide {
                end: graph.end,
                steps: shown.map(|it| mask_step(self.graphs, side, it)).collect(),
                hidden: groups.len().saturating_sub(MAX_STEPS),
                conditions: self.shown_conditions(side, end),
                origin: end.sources[side].map(|it| {
                    let source = &graph.sources[it as usize];
                    (source.origin.clone(), source.value)
                }),
                executions: graph.executions,
                workgroups: graph.workgroups,
                cut: graph.cut,
            }
        });
        Parting {
            kind: end.kind,
            sides,
            path,
            others: self.ends.len().saturating_sub(1),
            unwaited: self.unwaited(end),
        }
    }

    /// Returns the last comparisons that controlled an end's result, preferably in the result's lane.
    fn shown_conditions(&self, side: usize, end: &End) -> Vec<ValueStep> {
        let graph = self.graphs[side];
        let Some(&node) = end.nodes[side].first() else {
            return Vec::new();
        };
        if end.kind == PartingKind::Result {
            return Vec::new();
        }
        let lane = self.lane(side, end);
        let execution = |node: u32| {
            let node = &graph.nodes[node as usize];
            (node.run, node.wave, node.at)
        };
        let mut shown: Vec<u32> = Vec::new();
        for condition in self.deciding(side, node, end.from) {
            let same = shown
                .iter()
                .position(|it| execution(*it) == execution(condition));
            match same {
                Some(place) if Some(graph.nodes[condition as usize].lane) == lane => {
                    shown[place] = condition;
                }
                Some(_) => {}
                None if execution(condition) == execution(node) => {}
                None => shown.push(condition),
            }
        }
        let last = shown.len().saturating_sub(MAX_CONDITIONS);
        let shown = shown[last..].iter();
        shown.map(|it| value_step(self.graphs, side, *it)).collect()
    }

    /// Returns the run that read a loaded register before the load took effect, if only one run did.
    fn unwaited(&self, end: &End) -> Option<usize> {
        if end.kind != PartingKind::Result {
            return None;
        }
        let is_early = [0, 1].map(|side| {
            let graph = self.graphs[side];
            let node = *end.nodes[side].first()?;
            let inputs = graph.inputs(node).iter();
            let mut data = inputs.filter(|it| it.edge == Edge::Data);
            let (Some(only), None) = (data.next(), data.next()) else {
                return None;
            };
            let is_load = graph.instruction(node).class == Class::Memory && only.value.is_none();
            let loaded = graph.value(only).filter(|_| is_load)?;
            Some(graph.nodes[node as usize].value? != loaded)
        });
        match is_early {
            [Some(true), Some(false)] => Some(0),
            [Some(false), Some(true)] => Some(1),
            _ => None,
        }
    }
}
