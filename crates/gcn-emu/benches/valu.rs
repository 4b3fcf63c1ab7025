//! Wave instructions per second of loops of 32-bit vector ALU instructions, on one core.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gcn_emu::code::Code;
use gcn_emu::device::{Config, Device};
use gcn_emu::run::{Dispatch, Initial, run};
use gcn_isa::sop::{Sop2, Sopc, Sopp};
use gcn_isa::vop::Vop2;
use gcn_isa::vop3::Vop3;
use gcn_isa::{Encoding, Inst, Isa, Op, Operand, regs};

const ISA: Isa = Isa::Gfx9;
const VGPRS: usize = 16;
const SGPRS: u8 = 16;
/// Address of the code.
const BASE: u64 = 0x1000;
/// Times that the loop is run.
const ROUNDS: u32 = 2000;
/// MODE with denormals kept.
const DENORMALS: u32 = 0xf0;

/// An instruction with these operands, in the order of its row.
fn inst(op: Op, encoding: Encoding, operands: &[Operand]) -> Inst {
    let mut inst = Inst::new(ISA, op, encoding).expect("the instruction set has it");
    for (slot, operand) in op.row().slots().zip(operands) {
        inst.set_operand(slot, *operand).expect("the operand fits");
    }
    inst
}

fn v(first: u8) -> Operand {
    Operand::Vgprs { first, count: 1 }
}

fn s(code: u8) -> Operand {
    Operand::Scalar { code, count: 1 }
}

/// A loop around `body` that counts s0 down from [`ROUNDS`].
fn looped(body: &[Inst]) -> Vec<u8> {
    let one = s(regs::ZERO + 1);
    let mut code = vec![inst(
        Op::Sop2(Sop2::S_ADD_U32),
        Encoding::Sop2,
        &[s(0), s(regs::ZERO), Operand::Literal(ROUNDS)],
    )];
    let body_dwords: usize = body.iter().map(Inst::dwords).sum();
    code.extend_from_slice(body);
    code.push(inst(
        Op::Sop2(Sop2::S_SUB_U32),
        Encoding::Sop2,
        &[s(0), s(0), one],
    ));
    code.push(inst(
        Op::Sopc(Sopc::S_CMP_LG_U32),
        Encoding::Sopc,
        &[s(0), s(regs::ZERO)],
    ));
    let back = -(body_dwords as i64 + 3);
    code.push(inst(
        Op::Sopp(Sopp::S_CBRANCH_SCC1),
        Encoding::Sopp,
        &[Operand::Imm(back)],
    ));
    code.push(inst(Op::Sopp(Sopp::S_ENDPGM), Encoding::Sopp, &[]));
    code.iter()
        .flat_map(|i| i.words().into_iter().take(i.dwords()))
        .flat_map(u32::to_le_bytes)
        .collect()
}

fn bench(c: &mut Criterion, name: &str, lanes: u32, mode: u32, body: &[Inst]) {
    let code = Code::new(ISA, BASE, &looped(body), VGPRS, SGPRS);
    let dispatch = Dispatch {
        entry: BASE,
        grid: [lanes, 1, 1],
        group: [lanes, 1, 1],
        lds_bytes: 0,
        scratch_bytes_per_lane: 0,
        initial: Initial {
            sgprs: Vec::new(),
            work_item_ids: 1,
            mode,
        },
    };
    let mut device = Device::new(Config::new(ISA));
    let instructions = 2 + u64::from(ROUNDS) * (body.len() as u64 + 3);
    let mut group = c.benchmark_group("valu");
    group.throughput(Throughput::Elements(instructions));
    group.bench_function(name, |b| {
        b.iter(|| {
            let finished = run(&mut device, &code, &dispatch, || ()).expect("it starts");
            assert!(finished.fault.is_none(), "{:?}", finished.fault);
            assert_eq!(finished.stats.instructions, instructions);
            black_box(finished.stats)
        });
    });
    group.finish();
}

fn all(c: &mut Criterion) {
    let vop2 = |op, d, a, b| inst(Op::Vop2(op), Encoding::Vop2, &[v(d), a, v(b)]);
    let integers: Vec<Inst> = (0..8)
        .flat_map(|i| {
            [
                vop2(Vop2::V_ADD_U32, 1 + i % 4, v(i), 2),
                vop2(Vop2::V_XOR_B32, 5 + i % 4, v(i + 1), 3),
                vop2(Vop2::V_LSHLREV_B32, 9 + i % 4, s(regs::ZERO + 3), i),
                vop2(Vop2::V_MAX_U32, 2, v(1), 9),
            ]
        })
        .collect();
    let floats: Vec<Inst> = (0..8)
        .flat_map(|i| {
            [
                vop2(Vop2::V_ADD_F32, 1 + i % 4, v(i), 2),
                vop2(Vop2::V_MUL_F32, 5 + i % 4, v(i + 1), 3),
                inst(
                    Op::Vop3(Vop3::V_FMA_F32),
                    Encoding::Vop3,
                    &[v(9 + i % 4), v(i), v(3), v(4)],
                ),
            ]
        })
        .collect();
    bench(c, "integers", 64, DENORMALS, &integers);
    bench(c, "integers, 40 lanes", 40, DENORMALS, &integers);
    bench(c, "floats", 64, DENORMALS, &floats);
    bench(c, "floats, denormals flushed", 64, 0, &floats);
}

criterion_group!(benches, all);
criterion_main!(benches);
