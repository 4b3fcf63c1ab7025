//! Scalar instructions in the host's general registers. Dwords of the graph that form a 64-bit number, for example a
//! mask, are computed together.
//!
//! A plan is made first: nodes in the order of their computation, each with a register. Parts that need more registers,
//! or operations that are not here, use vector registers instead (`emit`).

use std::mem::offset_of;

use gcn_isa::effect::Shift;
use hashbrown::HashMap;
use iced_x86::code_asm::{
    AsmMemoryOperand, AsmRegister8, AsmRegister32, AsmRegister64, CodeAssembler, dword_ptr, eax,
    qword_ptr, r14, rax, registers,
};

use super::frame::Frame;
use super::graph::{Binary, Graph, Id, Op, Unary};
use super::lower::Lowered;
use super::mutation;
use super::places::{Assembly, EmitError, scalar};

/// Number of registers for nodes. RAX is a scratch register.
const REGISTERS: usize = 8;
const BITS8: [AsmRegister8; REGISTERS] = {
    use registers::*;
    [cl, dl, sil, dil, r8b, r9b, r10b, r11b]
};
const BITS32: [AsmRegister32; REGISTERS] = {
    use registers::*;
    [ecx, edx, esi, edi, r8d, r9d, r10d, r11d]
};
const BITS64: [AsmRegister64; REGISTERS] = {
    use registers::*;
    [rcx, rdx, rsi, rdi, r8, r9, r10, r11]
};

/// Value of a general register: a dword, or the low and high dwords of a 64-bit number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Value {
    Dword(Id),
    Pair(Id, Id),
}

/// Operation of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Operation {
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
struct Node {
    value: Value,
    operation: Operation,
    sources: Vec<Value>,
    /// Index of its register.
    register: usize,
}

/// Result and its first scalar register; a second value is stored to the next register.
struct Store {
    register: u8,
    value: Value,
    high: Option<Value>,
}

/// Plan of a part.
struct Plan {
    nodes: Vec<Node>,
    /// Stores after each node.
    stores: Vec<Vec<Store>>,
    /// Mask that becomes SCC.
    scc: Option<Value>,
}

/// Builder of a plan.
struct Planner<'g> {
    graph: &'g Graph,
    is_pair: HashMap<(Id, Id), bool>,
    /// Positions of nodes.
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

    /// Value without operations that have no effect on lane 0 or need no register.
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

    /// Adds the node of a value and those that it depends on. Returns `None` if it has no node.
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

    /// True if a value is from -32 to 63, as the counts of recorded shifts are.
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

    /// Recognizes the comparison of both dwords of a number with zero.
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

/// Scalar registers of a leaf in memory.
fn registers_of(graph: &Graph, value: Value) -> std::ops::Range<u8> {
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
fn plan(lowered: &Lowered) -> Option<Plan> {
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

/// Operand of an instruction.
#[derive(Clone, Copy)]
enum Operand {
    Register(usize),
    Memory(AsmMemoryOperand),
    Constant(u64),
}

/// Emitter of a plan.
struct Emitter<'a> {
    asm: &'a mut CodeAssembler,
    graph: &'a Graph,
    registers: HashMap<Value, usize>,
}

impl Assembly {
    /// Emits scalar instructions with general registers. Returns false, and emits nothing, if that is not possible.
    pub(super) fn scalar_in_general_registers(
        &mut self,
        lowered: &Lowered,
    ) -> Result<bool, EmitError> {
        let Some(Plan { nodes, stores, scc }) = plan(lowered) else {
            return Ok(false);
        };
        let mut emitter = Emitter {
            asm: &mut self.asm,
            graph: &lowered.graph,
            registers: nodes.iter().map(|it| (it.value, it.register)).collect(),
        };
        for (position, stores) in stores.iter().enumerate() {
            if let Some(node) = nodes.get(position) {
                emitter.node(node)?;
                emitter.mutate(node)?;
            }
            for store in stores {
                emitter.store(store)?;
            }
        }
        if let (Some(result), Some(value)) = (lowered.scc, scc) {
            emitter.load_scratch(value)?;
            emitter.asm.and(eax, 1)?;
            if result.is_inverted {
                emitter.asm.xor(eax, 1)?;
            }
            let to = dword_ptr(r14 + offset_of!(Frame, scc));
            emitter.asm.mov(to, eax)?;
        }
        Ok(true)
    }
}

/// Emits an instruction with a register and any operand, both of a dword or of 64 bits.
macro_rules! with_operand {
    ($self:ident, $name:ident, $is_wide:expr, $to:expr, $operand:expr) => {
        match ($is_wide, $operand) {
            (false, Operand::Register(b)) => $self.asm.$name(BITS32[$to], BITS32[b])?,
            (false, Operand::Memory(b)) => $self.asm.$name(BITS32[$to], dword_ptr(b))?,
            (false, Operand::Constant(b)) => $self.asm.$name(BITS32[$to], b as i32)?,
            (true, Operand::Register(b)) => $self.asm.$name(BITS64[$to], BITS64[b])?,
            (true, Operand::Memory(b)) => $self.asm.$name(BITS64[$to], qword_ptr(b))?,
            (true, Operand::Constant(b)) => {
                $self.asm.mov(rax, b)?;
                $self.asm.$name(BITS64[$to], rax)?;
            }
        }
    };
}

impl Emitter<'_> {
    fn operand(&self, value: Value) -> Result<Operand, EmitError> {
        if let Some(register) = self.registers.get(&value) {
            return Ok(Operand::Register(*register));
        }
        let (low, high) = match value {
            Value::Dword(id) => (id, None),
            Value::Pair(low, high) => (low, Some(self.graph.op(high))),
        };
        match (self.graph.op(low), high) {
            (Op::Const(low), Some(Op::Const(high))) => Ok(Operand::Constant(
                u64::from(low) | u64::from(high) << u32::BITS,
            )),
            (Op::Const(value), None) => Ok(Operand::Constant(value.into())),
            (Op::Scalar(register), _) => Ok(Operand::Memory(scalar(register))),
            _ => Err(EmitError::Slots),
        }
    }

    /// Copies a value to a register, unless it is there.
    fn load(&mut self, to: usize, value: Value) -> Result<(), EmitError> {
        let is_wide = matches!(value, Value::Pair(..));
        match self.operand(value)? {
            Operand::Register(from) if from == to => {}
            Operand::Constant(value) if is_wide => self.asm.mov(BITS64[to], value)?,
            Operand::Constant(value) => self.asm.mov(BITS32[to], value as u32)?,
            operand => with_operand!(self, mov, is_wide, to, operand),
        }
        Ok(())
    }

    /// Copies a value to RAX, zero-extended.
    fn load_scratch(&mut self, value: Value) -> Result<(), EmitError> {
        let is_wide = matches!(value, Value::Pair(..));
        match (self.operand(value)?, is_wide) {
            (Operand::Register(from), false) => self.asm.mov(eax, BITS32[from])?,
            (Operand::Register(from), true) => self.asm.mov(rax, BITS64[from])?,
            (Operand::Memory(from), false) => self.asm.mov(eax, dword_ptr(from))?,
            (Operand::Memory(from), true) => self.asm.mov(rax, qword_ptr(from))?,
            (Operand::Constant(value), _) => self.asm.mov(rax, value)?,
        }
        Ok(())
    }

    fn node(&mut self, node: &Node) -> Result<(), EmitError> {
        let to = node.register;
        let (to32, to64) = (BITS32[to], BITS64[to]);
        let is_wide = matches!(node.value, Value::Pair(..));
        match (node.operation, &*node.sources) {
            (Operation::Copy, [a]) => self.load(to, *a)?,
            (Operation::Scc, _) => {
                let scc = dword_ptr(r14 + offset_of!(Frame, scc));
                self.asm.xor(to32, to32)?;
                self.asm.sub(to32, scc)?;
            }
            (Operation::ShiftBy(how, by), [a]) => {
                self.load(to, *a)?;
                let by = u32::from(by);
                match how {
                    Shift::Left => self.asm.shl(to32, by)?,
                    Shift::Right => self.asm.shr(to32, by)?,
                    Shift::Arithmetic => self.asm.sar(to32, by)?,
                }
            }
            (Operation::Rotate(by), [a]) => {
                self.load(to, *a)?;
                self.asm.rol(to32, u32::from(by))?;
            }
            (Operation::IsZero, [a]) => {
                self.load_scratch(*a)?;
                self.asm.test(rax, rax)?;
                self.asm.sete(BITS8[to])?;
                self.mask(to)?;
            }
            (Operation::MulHigh, [a, b]) => {
                self.load(to, *a)?;
                self.load_scratch(*b)?;
                self.asm.imul_2(to64, rax)?;
                self.asm.shr(to64, u32::BITS)?;
            }
            (Operation::MulHighSigned, [a, b]) => {
                self.load(to, *a)?;
                self.load_scratch(*b)?;
                self.asm.movsxd(to64, to32)?;
                self.asm.movsxd(rax, eax)?;
                self.asm.imul_2(to64, rax)?;
                self.asm.shr(to64, u32::BITS)?;
            }
            (Operation::Select, [mask, one, other]) => {
                // The moves leave the flags unchanged.
                self.load_scratch(*mask)?;
                self.asm.test(eax, eax)?;
                self.load(to, *other)?;
                match (self.operand(*one)?, is_wide) {
                    (Operand::Register(one), true) => self.asm.cmovs(to64, BITS64[one])?,
                    (Operand::Register(one), false) => self.asm.cmovs(to32, BITS32[one])?,
                    _ => {
                        self.load_scratch(*one)?;
                        self.asm.cmovs(to64, rax)?;
                    }
                }
            }
            (Operation::Binary(binary), [a, b]) => self.binary(binary, to, *a, *b, is_wide)?,
            _ => return Err(EmitError::Slots),
        }
        Ok(())
    }

    fn binary(
        &mut self,
        binary: Binary,
        to: usize,
        a: Value,
        b: Value,
        is_wide: bool,
    ) -> Result<(), EmitError> {
        let (to32, to64) = (BITS32[to], BITS64[to]);
        self.load(to, a)?;
        let b_operand = self.operand(b)?;
        match binary {
            Binary::Add => with_operand!(self, add, is_wide, to, b_operand),
            Binary::Sub => with_operand!(self, sub, is_wide, to, b_operand),
            Binary::And => with_operand!(self, and, is_wide, to, b_operand),
            Binary::Or => with_operand!(self, or, is_wide, to, b_operand),
            Binary::Xor => with_operand!(self, xor, is_wide, to, b_operand),
            Binary::AndNot => {
                if is_wide {
                    self.asm.not(to64)?;
                } else {
                    self.asm.not(to32)?;
                }
                with_operand!(self, and, is_wide, to, b_operand);
            }
            Binary::Mul => {
                self.load_scratch(b)?;
                self.asm.imul_2(to32, eax)?;
            }
            Binary::Shl => {
                self.load_scratch(b)?;
                self.asm.shlx(to64, to64, rax)?;
                self.asm.mov(to32, to32)?;
            }
            Binary::Shr => {
                self.load_scratch(b)?;
                self.asm.shrx(to64, to64, rax)?;
            }
            Binary::Sar => {
                self.load_scratch(b)?;
                self.asm.movsxd(to64, to32)?;
                self.asm.sarx(to64, to64, rax)?;
                self.asm.mov(to32, to32)?;
            }
            Binary::MinSigned | Binary::MaxSigned | Binary::MinUnsigned | Binary::MaxUnsigned => {
                self.load_scratch(b)?;
                self.asm.cmp(to32, eax)?;
                match binary {
                    Binary::MinSigned => self.asm.cmovg(to32, eax)?,
                    Binary::MaxSigned => self.asm.cmovl(to32, eax)?,
                    Binary::MinUnsigned => self.asm.cmova(to32, eax)?,
                    _ => self.asm.cmovb(to32, eax)?,
                }
            }
            Binary::Equal | Binary::Greater | Binary::AtLeast => {
                with_operand!(self, cmp, is_wide, to, b_operand);
                match binary {
                    Binary::Equal => self.asm.sete(BITS8[to])?,
                    Binary::Greater => self.asm.setg(BITS8[to])?,
                    _ => self.asm.setae(BITS8[to])?,
                }
                self.mask(to)?;
            }
            _ => return Err(EmitError::Slots),
        }
        Ok(())
    }

    /// Makes a mask of a condition.
    fn mask(&mut self, to: usize) -> Result<(), EmitError> {
        self.asm.movzx(BITS32[to], BITS8[to])?;
        self.asm.neg(BITS32[to])?;
        Ok(())
    }

    fn store(&mut self, store: &Store) -> Result<(), EmitError> {
        let to = scalar(store.register);
        let Some(high) = store.high else {
            let is_wide = matches!(store.value, Value::Pair(..));
            match (self.operand(store.value)?, is_wide) {
                (Operand::Register(from), true) => self.asm.mov(qword_ptr(to), BITS64[from])?,
                (Operand::Register(from), false) => self.asm.mov(dword_ptr(to), BITS32[from])?,
                (Operand::Constant(value), false) => self.asm.mov(dword_ptr(to), value as i32)?,
                (_, true) => {
                    self.load_scratch(store.value)?;
                    self.asm.mov(qword_ptr(to), rax)?;
                }
                (Operand::Memory(_), false) => {
                    self.load_scratch(store.value)?;
                    self.asm.mov(dword_ptr(to), eax)?;
                }
            }
            return Ok(());
        };
        // A pair is stored at once, so that later loads of it are forwarded from one store.
        self.load_scratch(high)?;
        if let Operand::Register(low) = self.operand(store.value)? {
            self.asm.shl(rax, u32::BITS)?;
            self.asm.or(rax, BITS64[low])?;
            self.asm.mov(qword_ptr(to), rax)?;
        } else {
            self.asm.mov(dword_ptr(to + size_of::<u32>()), eax)?;
            self.load_scratch(store.value)?;
            self.asm.mov(dword_ptr(to), eax)?;
        }
        Ok(())
    }

    /// Corrupts a value as the emitter of vector instructions does.
    fn mutate(&mut self, node: &Node) -> Result<(), EmitError> {
        let (Value::Dword(id) | Value::Pair(id, _)) = node.value;
        if mutation::is_mutated(|| self.graph.op(id).name()) {
            self.asm.mov(eax, 1u32 << 31 | 1)?;
            self.asm.xor(BITS32[node.register], eax)?;
        }
        Ok(())
    }
}
