//! Tests that the host's vectors load and store the same values as the lowest level, which moves one element at a time.

use gcn_emu::internals::Elements;
use gcn_emu::run::Level;
use gcn_emu::wave::Lanes;

use super::host_level::HostLevel;

/// Bytes of memory, and number of registers.
const BYTES: usize = 512;
const REGISTERS: usize = 12;
const ROUNDS: usize = 20_000;
/// Dwords of an element and elements of a lane in moves that vectors support.
const SHAPES: [(u8, u8); 6] = [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (4, 1)];

/// Lanes' addresses in rows, all equal, close together, or anywhere, some of them out of range.
fn addresses(random: &mut impl FnMut() -> u32, size: u32) -> Lanes {
    let (kind, start) = (random() % 8, random() % BYTES as u32);
    let row = [4, 8, 16, 32, 64][random() as usize % 5];
    let mut lanes = Lanes::ZERO;
    for (lane, place) in (0..).zip(&mut lanes.0) {
        let start = if kind < 6 { start & !3 } else { start };
        *place = match kind {
            0 => start,
            1 => start % 64 + lane % row * size,
            2 => start % 64 + lane * size,
            3 => start % 64 + lane / row * 4,
            4 => start % 128 + random() % 32 * 4,
            5 => (random() % (BYTES as u32 - 16)) & !3,
            6 => start.wrapping_sub(64).wrapping_add(random() % 64),
            _ => random() % (BYTES as u32 + 8),
        };
    }
    lanes
}

#[test]
fn vectors_load_and_store_what_single_moves_do() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u32
    };
    let host = HostLevel::taken();
    let levels = HostLevel::available().filter(|level| *level != Level::Baseline);
    let all: Vec<(Level, (u8, u8))> = levels
        .flat_map(|level| SHAPES.map(|shape| (level, shape)))
        .collect();
    let (mut loaded, mut stored) = (0, 0);
    for round in 0..ROUNDS {
        let Some(&(level, (dwords, count))) = all.get(round % all.len().max(1)) else {
            return;
        };
        let mut registers = vec![Lanes::ZERO; REGISTERS];
        for register in &mut registers {
            register.0.fill_with(&mut random);
        }
        registers[0] = addresses(&mut random, u32::from(dwords) * 4);
        let mut bytes: Vec<u8> = (0..BYTES).map(|_| random() as u8).collect();
        bytes.truncate([BYTES, BYTES - 3, 60][random() as usize % 3]);
        let first = random() as u8 % 5;
        let elements = Elements {
            addresses: 0,
            offsets: [random() % 3 * 4, random() % 64 * 4],
            count,
            mask: [0xffff, 0xfffc, 0xf8, !0][random() as usize % 4],
            dwords,
            data: [first, random() as u8 % 9],
        };
        let exec = match random() % 4 {
            0 => u64::from(random()) << 32 | u64::from(random()),
            1 => u64::from(random() & random()) << (random() % 33),
            _ => u64::MAX,
        };
        let moves = |level: Level| {
            host.set(level);
            let (mut loaded, mut stored) = (registers.clone(), bytes.clone());
            let loads = elements.gather()(&elements, exec, &bytes, &mut loaded);
            let stores = elements.scatter(exec, &mut stored, &registers, None);
            (loads, loaded, stores, stored)
        };
        let (by_vectors, by_each) = (moves(level), moves(Level::Baseline));
        assert!(by_vectors == by_each, "{level}: {elements:?} {exec:#x}");
        loaded += u32::from(by_each.0.is_some());
        stored += u32::from(by_each.2.is_some());
    }
    assert!(loaded > 5_000 && stored > 5_000, "{loaded} {stored}");
}
