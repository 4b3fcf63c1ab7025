//! Tests of wait counters, and of the operations that hold them.

use gcn_emu::scoreboard::{Cause, OperationId, OutstandingOperation, Scoreboard};
use gcn_isa::Isa;
use gcn_isa::simm::Waitcnt;
use gcn_isa::uses::{Counter, Counters, Order};

/// Counter increments of an operation.
fn of(order: Order, vm: u8, lgkm: u8) -> Counters {
    Counters {
        vm,
        lgkm,
        exp: 0,
        order,
        sampled: false,
    }
}

/// Checklist 5.3 and 5.4: operations that are never waited for do not keep others outstanding.
#[test]
fn a_store_that_nobody_waits_for_keeps_nothing_else() {
    let mut board = Scoreboard::new(Isa::Gfx9);
    board.issue(0, of(Order::VectorMemory, 1, 0));
    board.issue(4, of(Order::Flat, 1, 1));
    for pc in 0..1000 {
        board.issue(8 * pc, of(Order::Lds, 0, 1));
        board.wait(Waitcnt {
            lgkm: 0,
            ..Waitcnt::max(Isa::Gfx9)
        });
    }
    let left: Vec<OutstandingOperation> = board.outstanding().collect();
    let expected = [(0, Order::VectorMemory, 0), (1, Order::Flat, 4)].map(|(n, order, pc)| {
        OutstandingOperation {
            operation: OperationId(n),
            pc,
            held: of(order, 1, 0),
        }
    });
    assert_eq!(left, expected);
    assert_eq!((board.counters().vm, board.counters().lgkm), (2, 0));
}

#[test]
fn what_retires_has_a_cause() {
    let mut board = Scoreboard::new(Isa::Gfx9);
    let mut retired = Vec::new();
    for pc in [0, 8, 16] {
        board.issue_reported(pc, of(Order::VectorMemory, 1, 0), &mut retired);
    }
    board.issue_reported(24, of(Order::Scalar, 0, 1), &mut retired);
    assert_eq!(retired, []);
    let until = Waitcnt {
        vm: 1,
        lgkm: 0,
        ..Waitcnt::max(Isa::Gfx9)
    };
    board.wait_reported(until, &mut retired);
    let found: Vec<_> = retired
        .drain(..)
        .map(|it| (it.operation.0, it.counter, it.cause))
        .collect();
    let expected = [
        (0, Counter::Vm, Cause::Order),
        (1, Counter::Vm, Cause::Wait),
        (3, Counter::Lgkm, Cause::Wait),
    ];
    assert_eq!(found, expected);
    for pc in 0..u64::from(Waitcnt::max(Isa::Gfx9).lgkm) + 1 {
        board.issue_reported(pc, of(Order::Lds, 0, 1), &mut retired);
    }
    let full = retired.iter().map(|it| (it.operation.0, it.cause));
    assert_eq!(full.collect::<Vec<_>>(), [(4, Cause::Full)]);
}
