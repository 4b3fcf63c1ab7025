//! Regions: the instructions from a result back to values that agree with the other run.

use std::collections::hash_map::Entry;
use std::collections::{BinaryHeap, HashMap};

use gcn_isa::Does;

use super::{End, MAX_PAIRS, Walk};
use crate::why::facts::Edge;
use crate::why::graph::{GraphInput, Key};
use crate::why::trace::NO_LANE;

impl Walk<'_> {
    /// Returns the operands of a node that do not agree with the other run.
    fn differing(&self, side: usize, node: u32) -> Vec<GraphInput> {
        let graph = self.graphs[side];
        let place = graph.nodes[node as usize].place.as_ref();
        let is_elsewhere = place.is_some_and(|it| !self.graphs[1 - side].places.contains(&it.id))
            || self.accesses.is_some_and(|it| it[side] == node);
        let edge = if is_elsewhere {
            Edge::Address
        } else {
            Edge::Data
        };
        let inputs = graph.inputs(node).iter();
        let differing = inputs.filter(|it| it.edge == edge && !self.agrees(side, it));
        differing.copied().collect()
    }

    /// Returns the region of a result, last instruction first.
    pub(super) fn region(&self, side: usize, node: u32) -> Vec<u32> {
        let mut found = vec![node];
        let mut readers: HashMap<u32, usize> = HashMap::from([(node, 0)]);
        let mut reads: Vec<Vec<u32>> = Vec::new();
        while let Some(node) = found.get(reads.len()).filter(|_| found.len() < MAX_PAIRS) {
            let differing = self.differing(side, *node);
            let mut nodes: Vec<u32> = differing.iter().filter_map(|it| it.target.node()).collect();
            nodes.sort_unstable();
            nodes.dedup();
            for node in &nodes {
                if let Entry::Vacant(entry) = readers.entry(*node) {
                    entry.insert(0);
                    found.push(*node);
                }
                *readers.entry(*node).or_default() += 1;
            }
            reads.push(nodes);
        }
        let reads: HashMap<u32, Vec<u32>> = found.iter().copied().zip(reads).collect();
        // Topological order, since positions in different waves cannot be compared: an instruction comes after all
        // readers of its result. Among the ready instructions, the latest comes first.
        let order = |node: u32| {
            let it = &self.graphs[side].nodes[node as usize];
            (it.run, it.at, node)
        };
        let mut region = Vec::new();
        let mut ready = BinaryHeap::from([order(node)]);
        while let Some((.., node)) = ready.pop() {
            region.push(node);
            for read in reads.get(&node).into_iter().flatten() {
                let left = readers.entry(*read).or_default();
                *left = left.saturating_sub(1);
                if *left == 0 {
                    ready.push(order(*read));
                }
            }
        }
        region
    }

    /// Returns the region of a result, or only the instruction itself for a root.
    pub(super) fn stored_or_region(&self, side: usize, node: u32, from: Option<usize>) -> Vec<u32> {
        match from {
            None => vec![node],
            Some(_) => self.region(side, node),
        }
    }

    /// Returns a pair of instructions in two regions with the same operation, equal operands and different results.
    pub(super) fn equal_in(&self, regions: &[Vec<u32>; 2]) -> Option<[u32; 2]> {
        let value = |side: usize, node: u32| self.graphs[side].nodes[node as usize].value;
        let agreeing = |side: usize| {
            let region = regions[side].iter().copied();
            region.filter(move |it| self.differing(side, *it).is_empty())
        };
        let operation = |side: usize, node: u32| {
            let does = self.graphs[side].instruction(node).does;
            (does, self.keys(side, &self.data(side, node)))
        };
        // Instructions of the other run with different results, by operation and operands.
        let mut others: HashMap<(Does, Vec<Option<Key>>), Vec<u32>> = HashMap::new();
        for node in agreeing(1) {
            let others = others.entry(operation(1, node)).or_default();
            if others.iter().all(|it| value(1, *it) != value(1, node)) {
                others.push(node);
            }
        }
        agreeing(0).find_map(|a| {
            let operation = operation(0, a);
            let mut others = others.get(&operation)?.iter().copied();
            let b = others.find(|b| value(0, a) != value(1, *b))?;
            (!operation.1.is_empty()).then_some([a, b])
        })
    }

    /// Returns the lane of an end's result, or else the lane that wrote the queried location.
    pub(super) fn lane(&self, side: usize, end: &End) -> Option<u8> {
        let graph = self.graphs[side];
        let roots = graph.roots.iter().filter_map(|it| it.node());
        let nodes = end.nodes[side].first().copied().into_iter().chain(roots);
        let mut lanes = nodes.map(|it| graph.nodes[it as usize].lane);
        lanes.find(|it| *it != NO_LANE)
    }

    /// Groups the instructions of an end by execution: the lane bits of a mask form a group, in which the lane of the
    /// result comes first.
    pub(super) fn executions(&self, side: usize, end: &End) -> Vec<Vec<u32>> {
        let graph = self.graphs[side];
        let lane = self.lane(side, end);
        let mut groups: Vec<Vec<u32>> = Vec::new();
        let mut masks: HashMap<_, usize> = HashMap::new();
        for node in &end.nodes[side] {
            let next = groups.len();
            let mask = graph.mask(*node);
            let place = mask.map_or(next, |it| *masks.entry(it).or_insert(next));
            if place == next {
                groups.push(Vec::new());
            }
            let group = &mut groups[place];
            match Some(graph.nodes[*node as usize].lane) == lane {
                true => group.insert(0, *node),
                false => group.push(*node),
            }
        }
        groups
    }
}
