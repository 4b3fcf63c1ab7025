//! Encoder of a function's machine code. Branches are as short as their displacements allow.
//!
//! The block encoder of `iced-x86` does this for arbitrary code, but would take most of a function's compile time.
//! Here, only branches depend on their address.

use iced_x86::{Code, Encoder, Instruction, OpKind};

use super::places::EmitError;

/// Length in bytes of a branch with an 8-bit displacement.
const SHORT: u8 = 2;
/// Opcode of a jump with an 8-bit displacement.
const JUMP_SHORT: u8 = 0xeb;
/// Opcode of a jump with a 32-bit displacement.
const JUMP_NEAR: u8 = 0xe9;
/// First byte of a conditional branch with a 32-bit displacement.
const ESCAPE: u8 = 0x0f;
/// Difference between the second byte of that form and the opcode of the short form.
const CONDITIONAL_NEAR: u8 = 0x10;

/// Encoded instruction.
#[derive(Clone, Copy)]
struct Encoded {
    /// Offset and number of the instruction's bytes in the encoder's output.
    at: u32,
    bytes: u8,
    /// Length in the function.
    length: u8,
}

/// Branch or call to a label.
struct Branch {
    /// Indexes of the instruction and of its target.
    index: u32,
    target: u32,
    /// Length with a 32-bit displacement.
    near: u8,
}

/// Encodes instructions collected by the assembler of `iced-x86`. In the input, the address of a labeled instruction is
/// the label's number, and branches refer to these numbers. Returns the code and the offsets of the instructions with
/// the given indexes.
pub(super) fn encode(
    instructions: &[Instruction],
    indexes: &[usize],
) -> Result<(Vec<u8>, Vec<usize>), EmitError> {
    let mut labels = Vec::new();
    for (index, instruction) in instructions.iter().enumerate() {
        let label = instruction.ip() as usize;
        if label != 0 {
            labels.resize(labels.len().max(label + 1), u32::MAX);
            labels[label] = index as u32;
        }
    }
    let mut encoder = Encoder::new(64);
    let mut encoded = Vec::with_capacity(instructions.len());
    let mut branches = Vec::new();
    let mut at = 0;
    for (index, instruction) in instructions.iter().enumerate() {
        let is_branch =
            instruction.op_count() > 0 && instruction.op0_kind() == OpKind::NearBranch64;
        let bytes = if is_branch {
            let label = instruction.near_branch64() as usize;
            let target = labels.get(label).copied().filter(|it| *it != u32::MAX);
            branches.push(Branch {
                index: index as u32,
                target: target.ok_or(EmitError::Label)?,
                near: match instruction.code() {
                    Code::Jmp_rel8_64 => 5,
                    _ => 6,
                },
            });
            // The displacement is filled in later.
            let mut nearest = *instruction;
            nearest.set_near_branch64(0);
            encoder.encode(&nearest, 0)?
        } else {
            encoder.encode(instruction, 0)?
        } as u8;
        encoded.push(Encoded {
            at,
            bytes,
            length: bytes,
        });
        at += u32::from(bytes);
    }
    let bytes = encoder.take_buffer();
    let offsets = lengthen(&mut encoded, &branches);
    let mut code = Vec::with_capacity(offsets.last().copied().unwrap_or(0) as usize);
    let mut branches = branches.iter().peekable();
    for (index, it) in encoded.iter().enumerate() {
        let own = &bytes[it.at as usize..][..usize::from(it.bytes)];
        let Some(branch) = branches.next_if(|branch| branch.index as usize == index) else {
            code.extend_from_slice(own);
            continue;
        };
        let end = offsets[index] + u32::from(it.length);
        let distance = offsets[branch.target as usize].wrapping_sub(end);
        if it.length == SHORT {
            code.extend([own[0], distance as u8]);
            continue;
        }
        match own[0] {
            JUMP_SHORT => code.push(JUMP_NEAR),
            opcode if it.bytes == SHORT => code.extend([ESCAPE, opcode + CONDITIONAL_NEAR]),
            // A call has no short form.
            _ => code.extend_from_slice(&own[..own.len() - 4]),
        }
        code.extend(distance.to_le_bytes());
    }
    let offsets = indexes.iter().map(|index| offsets[*index] as usize);
    Ok((code, offsets.collect()))
}

/// Lengthens short branches whose targets are too far away. Returns the offset of each instruction and of the end.
fn lengthen(encoded: &mut [Encoded], branches: &[Branch]) -> Vec<u32> {
    loop {
        let mut end = 0;
        let mut offsets = Vec::with_capacity(encoded.len() + 1);
        offsets.push(0);
        for it in &*encoded {
            end += u32::from(it.length);
            offsets.push(end);
        }
        let mut is_done = true;
        for branch in branches {
            let it = &mut encoded[branch.index as usize];
            let end = offsets[branch.index as usize + 1];
            let distance = offsets[branch.target as usize].wrapping_sub(end) as i32;
            if it.length == SHORT && i8::try_from(distance).is_err() {
                it.length = branch.near;
                is_done = false;
            }
        }
        if is_done {
            return offsets;
        }
    }
}
