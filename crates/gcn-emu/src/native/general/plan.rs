//! Plan of scalar instructions in general registers: nodes in evaluation order, each with a register.

use std::ops::Range;

use gcn_isa::effect::Shift;
use hashbrown::HashMap;

use super::super::graph::{Binary, Graph, Id, Op, Unary};
use super::super::lower::Lowered;

/// Number of registers for nodes.
pub(super) const REGISTERS: usize = 8;

/// Value of a general register: a dword, or the low and high dwords of a 64-bit number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Value {
    Dword(Id),
    Pair(Id, Id),
}

/// Operation of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Operation {
    Copy,
    Binary(Binary),
    ShiftBy(Shift, u8),
    Rotate(u8),
    /// Second source if the first is negative, otherwise the third.
    Select,
    /// High dword of the product.
    MulHigh,
    MulHighSigned,
    /// Mask: a 64-bit number is zero.
    IsZero,
    /// SCC on entry, as a mask.
    Scc,
}

/// Computed value.
pub(super) struct Node {
    pub(super) value: Value,
    pub(super) operation: Operation,
    pub(super) sources: Vec<Value>,
    /// Index of the register that holds the value.
    pub(super) register: usize,
}

/// Store of a result to a scalar register. The optional second value goes to the next register.
pub(super) struct Store {
    pub(super) register: u8,
    pub(super) value: Value,
    pub(super) high: Option<Value>,
}

/// Plan of a part.
pub(super) struct Plan {
    pub(super) nodes: Vec<Node>,
    /// Stores after each node.
    pub(super) stores: Vec<Vec<Store>>,
    /// Mask that becomes SCC.
    pub(super) scc: Option<Value>,
}

/// Builder of a plan.
struct Planner<'g> {
    graph: &'g Graph,
    is_pair: HashMap<(Id, Id), bool>,
    /// Position of each value's node.
    known: HashMap<Value, usize>,
    nodes: Vec<Node>,
}

impl Planner<'_> {
    /// True if two dwords can be computed as a 64-bit number.
    fn is_pair(&mut self, low: Id, high: Id) -> bool {
        if let Some(known) = self.is_pair.get(&(low, high)) {
            return *known;
        }
        let is_pair = match (self.graph.op(low), self.graph.op(high)) {
            (Op::Scalar(first), Op::Scalar(second)) => first % 2 == 0 && second == first + 1,
            (Op::Const(_), Op::Const(_)) => true,
            (Op::Unary(Unary::Copy, low), Op::Unary(Unary::Copy, high)) => self.is_pair(low, high),
            (Op::Binary(one, a, b), Op::Binary(other, c, d)) => {
                use Binary::{And, AndNot, Or, Xor};
                let is_bitwise = matches!(one, And | AndNot | Or | Xor);
                is_bitwise && one == other && self.is_pair(a, c) && self.is_pair(b, d)
            }
            (Op::Select(mask, a, b), Op::Select(other, c, d)) => {
                mask == other && self.is_pair(a, c) && self.is_pair(b, d)
            }
            _ => false,
        };
        self.is_pair.insert((low, high), is_pair);
        is_pair
    }

    /// Strips operations that have no effect on lane 0.
    fn resolved(&self, value: Value) -> Value {
        let Value::Dword(id) = value else {
            return value;
        };
        match self.graph.op(id) {
            Op::Binary(Binary::Interleave, even, _) => self.resolved(Value::Dword(even)),
            _ => value,
        }
    }

    /// True if a value is a constant or in memory.
    fn is_leaf(&self, value: Value) -> bool {
        let (Value::Dword(id) | Value::Pair(id, _)) = value;
        matches!(self.graph.op(id), Op::Scalar(_) | Op::Const(_))
    }

    /// Adds the node of a value and the nodes that it depends on. Returns `None` if an operation is not supported.
    fn add(&mut self, value: Value) -> Option<Value> {
        let value = self.resolved(value);
        if self.is_leaf(value) || self.known.contains_key(&value) {
            return Some(value);
        }
        let (operation, sources) = match value {
            Value::Dword(id) => self.dword(id)?,
            Value::Pair(low, high) => self.pair(low, high)?,
        };
        let sources = sources.into_iter().map(|source| self.add(source));
        let sources = sources.collect::<Option<Vec<Value>>>()?;
        self.known.insert(value, self.nodes.len());
        self.nodes.push(Node {
            value,
            operation,
            sources,
            register: 0,
        });
        Some(value)
    }

    fn dword(&mut self, id: Id) -> Option<(Operation, Vec<Value>)> {
        let dword = Value::Dword;
        Some(match self.graph.op(id) {
            Op::Unary(Unary::Copy, a) => (Operation::Copy, vec![dword(a)]),
            Op::Unary(Unary::OddToEven, a) => match self.graph.op(a) {
                Op::Binary(Binary::MulEven, a, b) => (Operation::MulHigh, vec![dword(a), dword(b)]),
                Op::Binary(Binary::MulEvenSigned, a, b) => {
                    (Operation::MulHighSigned, vec![dword(a), dword(b)])
                }
                _ => return None,
            },
            Op::Scc => (Operation::Scc, Vec::new()),
            Op::Binary(binary, a, b) => {
                use Binary::*;
                if let (And, Some(pair)) = (binary, self.zero_test(a, b)) {
                    return Some((Operation::IsZero, vec![pair]));
                }
                if matches!(binary, Shl | Shr | Sar) && !self.is_count(b) {
                    return None;
                }
                let is_supported = matches!(
                    binary,
                    Add | Sub | Mul | And | AndNot | Or | Xor | Shl | Shr | Sar | Equal | Greater
                ) || matches!(
                    binary,
                    AtLeast | MinSigned | MinUnsigned | MaxSigned | MaxUnsigned
                );
                is_supported.then_some((Operation::Binary(binary), vec![dword(a), dword(b)]))?
            }
            Op::ShiftBy(how, a, by) => (Operation::ShiftBy(how, by), vec![dword(a)]),
            Op::Rotate(a, by) => (Operation::Rotate(by), vec![dword(a)]),
            Op::Select(mask, a, b) => (Operation::Select, vec![dword(mask), dword(a), dword(b)]),
            _ => return None,
        })
    }

    /// True if a value is in the range -32 to 63, like the counts of recorded shifts.
    fn is_count(&self, id: Id) -> bool {
        let is_masked = |id| match self.graph.op(id) {
            Op::Binary(Binary::And, _, mask) => {
                matches!(self.graph.op(mask), Op::Const(0..64))
            }
            _ => false,
        };
        let is_half = |id| self.graph.op(id) == Op::Const(32);
        match self.graph.op(id) {
            Op::Binary(Binary::Sub, a, b) => {
                is_masked(a) && is_half(b) || is_half(a) && is_masked(b)
            }
            _ => is_masked(id),
        }
    }

    /// Recognizes the comparison of both dwords of a 64-bit number with zero.
    fn zero_test(&mut self, a: Id, b: Id) -> Option<Value> {
        let compared = |id| match self.graph.op(id) {
            Op::Binary(Binary::Equal, a, zero) if self.graph.op(zero) == Op::Const(0) => Some(a),
            _ => None,
        };
        let (low, high) = (compared(a)?, compared(b)?);
        self.is_pair(low, high).then_some(Value::Pair(low, high))
    }

    fn pair(&mut self, low: Id, high: Id) -> Option<(Operation, Vec<Value>)> {
        let pair = Value::Pair;
        Some(match (self.graph.op(low), self.graph.op(high)) {
            (Op::Unary(_, low), Op::Unary(_, high)) => (Operation::Copy, vec![pair(low, high)]),
            (Op::Binary(binary, a, b), Op::Binary(_, c, d)) => {
                (Operation::Binary(binary), vec![pair(a, c), pair(b, d)])
            }
            (Op::Select(mask, a, b), Op::Select(_, c, d)) => {
                let sources = vec![Value::Dword(mask), pair(a, c), pair(b, d)];
                (Operation::Select, sources)
            }
            _ => return None,
        })
    }

    /// Adds the results of a part. Returns them with the value of SCC.
    fn results(&mut self, lowered: &Lowered) -> Option<(Vec<Store>, Option<Value>)> {
        let mut stores = Vec::new();
        let mut scalars = lowered.scalars.iter().peekable();
        while let Some((&register, &low)) = scalars.next() {
            let high = scalars.next_if(|(it, _)| register % 2 == 0 && **it == register + 1);
            let (value, high) = match high {
                Some((_, &high)) if self.is_pair(low, high) => (Value::Pair(low, high), None),
                Some((_, &high)) => (Value::Dword(low), Some(Value::Dword(high))),
                None => (Value::Dword(low), None),
            };
            let value = self.add(value)?;
            let high = match high {
                Some(high) => Some(self.add(high)?),
                None => None,
            };
            stores.push(Store {
                register,
                value,
                high,
            });
        }
        let scc = match lowered.scc {
            Some(scc) => Some(self.add(Value::Dword(scc.mask))?),
            None => None,
        };
        Some((stores, scc))
    }
}

/// Scalar registers that a leaf occupies.
fn registers_of(graph: &Graph, value: Value) -> Range<u8> {
    match value {
        Value::Dword(id) => match graph.op(id) {
            Op::Scalar(register) => register..register + 1,
            _ => 0..0,
        },
        Value::Pair(low, _) => match graph.op(low) {
            Op::Scalar(register) => register..register + 2,
            _ => 0..0,
        },
    }
}

/// Plans a part; `None` if it needs vector registers.
pub(super) fn plan(lowered: &Lowered) -> Option<Plan> {
    let graph = &lowered.graph;
    let mut planner = Planner {
        graph,
        is_pair: HashMap::new(),
        known: HashMap::new(),
        nodes: Vec::new(),
    };
    let (results, scc) = planner.results(lowered)?;
    let Planner {
        known, mut nodes, ..
    } = planner;
    // Position of the last node that reads each scalar register, and of each node's last use.
    let mut last_reads: HashMap<u8, usize> = HashMap::new();
    let mut last_uses: Vec<usize> = (0..nodes.len()).collect();
    for (position, node) in nodes.iter().enumerate() {
        for source in &node.sources {
            if let Some(used) = known.get(source) {
                last_uses[*used] = position;
            }
            for register in registers_of(graph, *source) {
                last_reads.insert(register, position);
            }
        }
    }
    let mut last_stores: Vec<Option<usize>> = vec![None; nodes.len()];
    // A result is stored once it and all readers of its registers have been computed.
    let mut stores: Vec<Vec<Store>> = (0..nodes.len().max(1)).map(|_| Vec::new()).collect();
    for store in results {
        let count = if store.high.is_some() || matches!(store.value, Value::Pair(..)) {
            2
        } else {
            1
        };
        let written = store.register..store.register + count;
        let reads = written.filter_map(|register| last_reads.get(&register));
        let values = [Some(store.value), store.high];
        let used: Vec<usize> = values
            .into_iter()
            .flatten()
            .filter_map(|value| known.get(&value).copied())
            .collect();
        let position = reads.chain(&used).copied().max().unwrap_or(0);
        for used in used {
            last_uses[used] = last_uses[used].max(position);
            last_stores[used] = last_stores[used].max(Some(position));
        }
        stores[position].push(store);
    }
    if let Some(used) = scc.and_then(|scc| known.get(&scc)) {
        last_uses[*used] = nodes.len();
    }
    let mut held: [Option<usize>; REGISTERS] = [None; REGISTERS];
    for position in 0..nodes.len() {
        // The result of a node may replace a first source that is not used again.
        let replaced = match &*nodes[position].sources {
            [first, others @ ..] if !others.contains(first) => known.get(first).copied(),
            _ => None,
        };
        let replaced = replaced
            .filter(|first| last_uses[*first] == position && last_stores[*first] != Some(position));
        for register in &mut held {
            if register.is_some_and(|it| last_uses[it] < position || replaced == Some(it)) {
                *register = None;
            }
        }
        let register = match replaced {
            Some(first) => nodes[first].register,
            None => held.iter().position(Option::is_none)?,
        };
        nodes[position].register = register;
        held[register] = Some(position);
    }
    Some(Plan { nodes, stores, scc })
}
