//! Tests of allocations and of finding them.

use super::*;

#[test]
fn allocations_are_found_by_what_they_have_and_by_nothing_else() {
    let lengths = [ALIGNMENT, 0, 1, ALIGNMENT + 1, 3 * ALIGNMENT];
    let mut memory = Memory::new();
    let bases = lengths.map(|len| memory.allocate("test", len).expect("memory"));
    let found = |address: u64, len: u64| {
        let (region, offset) = memory.find(address, len)?;
        Some((region.base, offset))
    };
    for (base, len) in bases.into_iter().zip(lengths) {
        assert_eq!(found(base, len), Some((base, 0)));
        assert_eq!(found(base + len, 0), Some((base, len)));
        for (address, bytes) in [(base, len + 1), (base + len, 1), (base - 1, 1)] {
            assert_eq!(found(address, bytes), None, "{address:#x}");
        }
        for page in 0..len / ALIGNMENT {
            let offset = page * ALIGNMENT + ALIGNMENT - 1;
            assert_eq!(found(base + offset, 1), Some((base, offset)));
        }
    }
    assert_eq!(found(0, 0), None);
    assert_eq!(found(u64::MAX, 1), None);
}

#[test]
fn copies_of_every_length_and_alignment_are_whole() {
    const BYTES: usize = 40;
    let mut memory = Memory::new();
    let base = memory.allocate("test", BYTES as u64).expect("memory");
    for begin in 0..BYTES {
        for end in begin..=BYTES {
            assert!(memory.write(base, &[0xee; BYTES]));
            let from: Vec<u8> = (begin as u8..end as u8).collect();
            assert!(memory.write(base + begin as u64, &from));
            let mut part = vec![0; from.len()];
            assert!(memory.read(base + begin as u64, &mut part));
            assert_eq!(part, from, "{begin}..{end}");
            let mut all = [0; BYTES];
            assert!(memory.read(base, &mut all));
            let inside = |i: &usize| (begin..end).contains(i);
            for (i, byte) in all.iter().enumerate() {
                let expected = if inside(&i) { i as u8 } else { 0xee };
                assert_eq!(*byte, expected, "byte {i} of {begin}..{end}");
            }
        }
    }
    assert!(!memory.write(base + 1, &[0; BYTES]));
    assert!(memory.allocate("nothing", 0).is_ok());
    assert!(memory.allocate("too much", u64::MAX).is_err());
}
