//! Dependences on other lanes: on their registers and on their EXEC bits.

use super::{Node, Slice, Use};
use crate::why::facts::{Edge, Read, Register};
use crate::why::trace::{Instance, NO_LANE, Trace};

impl Slice {
    /// Follows a register read in `lane`. For a lane other than the node's, also follows the EXEC bit that enables it.
    pub(super) fn lane_register(&mut self, trace: &Trace, from: u32, read: &Read, lane: u8) {
        let Node { at, lane: own, .. } = self.nodes[from as usize];
        if lane != own {
            self.inactive(trace, from, at, lane);
        }
        self.register(trace, from, read, lane, read.bits);
    }

    /// Follows a register read in the source lane of a permutation or exchange. An inactive source lane reads as zero.
    pub(super) fn source_lane(&mut self, trace: &Trace, from: u32, read: &Read, lane: u8) {
        let Node { at, lane: own, .. } = self.nodes[from as usize];
        if lane != own && trace.record(at).exec >> lane & 1 == 0 {
            self.inactive(trace, from, at, lane);
        } else {
            self.lane_register(trace, from, read, lane);
        }
    }

    /// Follows the EXEC bit that kept an instruction from writing a lane: the bit of the lane or of its DPP source.
    pub(super) fn unwritten(&mut self, trace: &Trace, from: u32, at: Instance, lane: u8) {
        let exec = trace.record(at).exec;
        let source = match trace.facts(at).permutation {
            Some(permutation) if exec >> lane & 1 != 0 => permutation.source(lane),
            _ => Some(lane),
        };
        if let Some(source) = source.filter(|source| exec >> source & 1 == 0) {
            self.inactive(trace, from, at, source);
        }
    }

    /// Follows the EXEC bit that enabled or disabled an instruction in a lane.
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
}
