//! Memory dependences: writers of the bytes that an instruction read, and initial contents.

use std::collections::HashSet;

use super::{Node, Outcome, Slice, Source, Target};
use crate::why::facts::Edge;
use crate::why::trace::{GDS, Instance, LDS, Trace, Unit, Writer};

/// Placeholder for an edge's target until [`Slice::resolve`] sets it.
const UNRESOLVED: u32 = u32::MAX;

impl Slice {
    /// Follows the bytes of a unit that contain any of the dword's bits in the mask `wanted`.
    pub(super) fn bytes(&mut self, trace: &Trace, from: u32, place: usize, wanted: u32) {
        let reader = self.nodes[from as usize].at;
        let units = trace.units(trace.record(reader));
        let unit = &units[place];
        let mut wanted_bytes = (0..unit.bytes.1).filter(|byte| unit.has(*byte, wanted));
        match trace.writer_of(unit) {
            // Different lanes may have written the bytes.
            Writer::Instance(at) => {
                for byte in wanted_bytes {
                    let address = unit.address + u64::from(byte);
                    let written = match at == reader {
                        // An earlier lane of the same atomic wrote the byte.
                        true => written_in(&units[..place], at, address),
                        false => Slice::written(trace, at, address),
                    };
                    if let Some((node, bits)) = written {
                        let node = self.node(node, bits);
                        self.edge(from, Edge::Data, Target::Node(node));
                    }
                }
            }
            Writer::Group(group) if wanted_bytes.next().is_some() => {
                self.missing.insert(group);
                let source = self.source(Source::Group(group));
                self.edge(from, Edge::Data, Target::Source(source));
            }
            Writer::Nobody if wanted_bytes.next().is_some() => {
                let next = (self.edges.len(), 0);
                let (edge, bits) = self.initial.entry((from, place)).or_insert(next);
                *bits |= wanted;
                if *edge == self.edges.len() {
                    let target = Target::Source(UNRESOLVED);
                    self.edges.push((from, Edge::Data, target));
                }
            }
            Writer::Group(_) | Writer::Nobody => {}
        }
    }

    /// Returns the node that wrote a byte, and the byte's bits in its dword. If several lanes wrote the byte,
    /// the last lane counts.
    pub(super) fn written(trace: &Trace, at: Instance, address: u64) -> Option<(Node, u32)> {
        written_in(trace.units(trace.record(at)), at, address)
    }

    /// Resolves the edges that lead to initial memory contents, once all relevant bits are known. Adjacent bytes form
    /// one source.
    pub(super) fn resolve(&mut self, trace: &Trace) {
        let mut initial: Vec<_> = self.initial.drain().collect();
        initial.sort_unstable_by_key(|(_, (edge, _))| *edge);
        for ((from, place), (edge, wanted)) in initial {
            let reader = self.nodes[from as usize].at;
            let run = trace.waves[reader.wave as usize].run;
            let unit = &trace.units(trace.record(reader))[place];
            let mut edge = Some(edge);
            let mut byte = 0;
            while byte < unit.bytes.1 {
                let bytes = (byte..).take_while(|it| unit.has(*it, wanted)).count() as u8;
                if bytes == 0 {
                    byte += 1;
                    continue;
                }
                let address = unit.address + u64::from(byte);
                let source = self.source(if address & LDS != 0 {
                    let address = address & !LDS;
                    Source::Lds { address, bytes }
                } else if address & GDS != 0 {
                    let address = address & !GDS;
                    Source::Gds { address, bytes }
                } else {
                    Source::Memory {
                        run,
                        address,
                        bytes,
                    }
                });
                let new = (from, Edge::Data, Target::Source(source));
                match edge.take() {
                    Some(edge) => self.edges[edge] = new,
                    None => self.edges.push(new),
                }
                byte += bytes;
            }
        }
        let mut seen = HashSet::new();
        let is_again = &self.is_again;
        self.edges
            .retain(|edge| !is_again[edge.0 as usize] || seen.insert(*edge));
    }
}

/// Returns the node of the last of `units` that wrote a byte, and the byte's bits in its dword.
fn written_in(units: &[Unit], at: Instance, address: u64) -> Option<(Node, u32)> {
    let place = |it: &Unit| address.wrapping_sub(it.address);
    let has = |it: &&Unit| it.is_written && place(it) < u64::from(it.bytes.1);
    let unit = units.iter().rev().find(has)?;
    let node = Node {
        at,
        outcome: Outcome::Memory {
            element: unit.element,
            dword: unit.dword,
        },
        lane: unit.lane,
        is_covered: false,
    };
    Some((
        node,
        0xff << (8 * (u32::from(unit.bytes.0) + place(unit) as u32)),
    ))
}
