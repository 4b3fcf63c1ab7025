//! Tests of allocations, of address lookups, and of copies.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use gcn_emu::internals::{first_address, small_memory, window, window_from};
use gcn_emu::memory::{ALIAS, ALIGNMENT, FreeError, Memory};

#[test]
fn allocations_are_found_only_by_their_own_addresses() {
    let lengths = [ALIGNMENT, 0, 1, ALIGNMENT + 1, 3 * ALIGNMENT];
    let memory = Memory::new();
    let bases = lengths.map(|len| memory.allocate("test", len).expect("memory"));
    let found = |address: u64, len: u64| {
        let (region, offset) = memory.find(address, len)?;
        Some((region.base(), offset))
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

/// Memory with room for `units` units.
fn small(units: u64) -> Memory {
    small_memory((units + 1) * ALIGNMENT)
}

#[test]
fn addresses_follow_from_the_order_of_allocations() {
    let memories = [Memory::new(), Memory::new()];
    let [first, second] = memories.each_ref().map(|memory| {
        let a = memory.allocate("a", 100).expect("memory");
        let b = memory.allocate("b", 3 * ALIGNMENT).expect("memory");
        memory.free(a).expect("it is there");
        let c = memory.allocate("c", 1).expect("memory");
        [a, b, c].map(|address| address - first_address(memory))
    });
    assert_eq!(first, [0, 2 * ALIGNMENT, 6 * ALIGNMENT]);
    assert_eq!(first, second);
}

#[test]
fn freed_memory_is_not_found_and_keeps_its_name() {
    let memory = Memory::new();
    let other = memory.allocate("other", 64).expect("memory");
    let base = memory.allocate("xs", 1 << 20).expect("memory");
    assert_eq!(memory.usage().0, (1 << 20) + 4096);
    memory.store_u32(base + 8, 7).expect("it is mapped");
    memory.free(base).expect("it is there");
    assert_eq!(memory.usage().0, 4096);
    assert_eq!(memory.load_u32(base + 8), None);
    assert_eq!(memory.free(base), Err(FreeError::new(base)));
    assert_eq!(memory.free(other + 4), Err(FreeError::new(other + 4)));
    let nearest = memory.nearest(base + 8).expect("something");
    assert_eq!((&*nearest.name, nearest.is_freed), ("xs", true));
    let nearest = memory.nearest(other + 70).expect("something");
    assert_eq!((&*nearest.name, nearest.is_freed), ("other", false));
}

#[test]
fn addresses_are_used_again_only_when_there_are_no_others() {
    let memory = small(8);
    let allocate = |len| memory.allocate("test", len);
    let units = |address: u64| (address - first_address(&memory)) / ALIGNMENT;
    let first = allocate(4).expect("memory");
    memory.store_u32(first, 1).expect("it is mapped");
    let bases: Vec<u64> = (0..3).map(|_| allocate(4).expect("memory")).collect();
    memory.free(first).expect("it is there");
    assert_eq!(
        bases.iter().map(|b| units(*b)).collect::<Vec<_>>(),
        [2, 4, 6]
    );
    let again = allocate(4).expect("the first one's addresses");
    assert_eq!(again, first);
    assert_eq!(memory.load_u32(again), Some(0), "zero again");
    assert!(allocate(4).is_err());
    // Adjacent free ranges are merged.
    memory.free(bases[1]).expect("it is there");
    memory.free(bases[0]).expect("it is there");
    assert_eq!(allocate(3 * ALIGNMENT), Ok(bases[0]));
}

#[test]
fn the_limit_counts_allocations_and_charges() {
    let memory = Memory::new();
    memory.set_limit(3 * 4096);
    let a = memory.allocate("a", 4097).expect("two pages");
    let charge = memory.charge("registers", 1).expect("one page");
    let error = memory.allocate("b", 1).expect_err("no page is left");
    assert_eq!(
        error.to_string(),
        "cannot allocate 1 bytes for b: 12288 of the device's 12288 bytes are in use"
    );
    drop(charge);
    assert!(memory.allocate("b", 1).is_ok());
    assert!(memory.charge("registers", 1).is_err());
    memory.free(a).expect("it is there");
    assert!(memory.charge("registers", 1).is_ok());
}

#[test]
fn allocations_are_aligned_and_the_room_before_them_is_used() {
    const ALIGN: u64 = 1 << 21;
    let memory = small(128);
    let first = memory.allocate("first", 1).expect("memory");
    let aligned = memory
        .allocate_aligned("aligned", 1, ALIGN)
        .expect("memory");
    assert!(aligned.is_multiple_of(ALIGN) && aligned > first);
    let mut others = Vec::new();
    while let Ok(other) = memory.allocate("other", 1) {
        others.push(other);
    }
    // The host chooses the start of the range, and thereby the room. An allocation and its guard need two units.
    let room = (aligned - first) / ALIGNMENT - 2;
    let is_used = others.iter().any(|other| *other < aligned);
    assert_eq!(is_used, room >= 2, "{room} units");
    others.extend([first, aligned]);
    for base in others {
        assert!(memory.free(base).is_ok());
    }
    assert!(memory.allocate_aligned("again", 1, ALIGN).is_ok());
}

#[test]
fn registered_memory_may_have_another_address() {
    let memory = small(4);
    let cells = [const { AtomicU64::new(7) }; 4];
    let start = cells.as_ptr().cast::<u8>().cast_mut();
    // SAFETY: the cells live until they are released, and are accessed atomically only.
    let address = unsafe { memory.register_alias("cells", start, 32) }.expect("it is free");
    assert_eq!(address, start.addr() as u64 | ALIAS);
    assert_eq!(memory.load_u64(address + 8), Some(7));
    assert_eq!(memory.store_u64(address + 16, 9), Some(()));
    assert_eq!(cells[2].load(Relaxed), 9);
    assert_eq!(memory.load_u64(start.addr() as u64), None);
    assert_eq!(memory.load_u64(address + 32), None);
    memory.release(address).expect("it is registered");
    assert_eq!(memory.load_u64(address), None);
}

#[test]
fn threads_allocate_and_free_while_others_access() {
    const ROUNDS: u64 = if cfg!(miri) { 10 } else { 2000 };
    let memory = &small(64);
    let addresses: Vec<AtomicU64> = (0..4).map(|_| AtomicU64::new(0)).collect();
    std::thread::scope(|scope| {
        for place in &addresses {
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    let len = 8 + round % 3 * ALIGNMENT;
                    let base = memory.allocate("test", len).expect("memory");
                    assert_eq!(memory.load_u64(base), Some(0));
                    place.store(base, Relaxed);
                    memory.store_u64(base + len - 8, 5).expect("it is mapped");
                    memory.free(base).expect("it is there");
                }
            });
        }
        scope.spawn(|| {
            for round in 0..ROUNDS * 8 {
                let base = addresses[round as usize % 4].load(Relaxed);
                // The memory may be allocated or not; the host must not fault.
                let _ = memory.load_u64(base);
                let _ = memory.load_dwords(base, &mut [0; 64]);
            }
        });
    });
    assert_eq!(memory.usage().0, 0);
    assert_eq!(memory.allocations(), []);
}

#[test]
fn host_ranges_are_accessed_in_place() {
    let memory = Memory::new();
    let own = memory.allocate("own", 8).expect("memory");
    let mut host = vec![0u8; 41];
    let base = host.as_mut_ptr().expose_provenance() as u64;
    let register = |at: *mut u8, len| {
        // SAFETY: the bytes live until the end of the test, and only the memory accesses them while they are registered.
        unsafe { memory.register("host", at, len) }
    };
    register(host.as_mut_ptr(), 41).expect("nothing else is there");
    assert!(register(host.as_mut_ptr().wrapping_add(40), 1).is_err());
    assert!(register(std::ptr::null_mut(), 8).is_err());
    assert!(register(std::ptr::with_exposed_provenance_mut(own as usize), 8).is_err());
    let place = base.next_multiple_of(8) + 8;
    assert_eq!(memory.store_u32(place, 3), Some(()));
    assert_eq!(memory.update_u32(place, |old| old + 4), Some(3));
    assert_eq!(memory.store_u16(place + 5, 0x1234), Some(()), "unaligned");
    assert_eq!(memory.load_u64(place), Some(0x12_3400_0000_0007));
    assert!(memory.write(base, &[9; 3]));
    assert_eq!(memory.load_u64(base + 34), None, "beyond its end");
    assert_eq!(&*memory.nearest(base + 41).expect("something").name, "host");
    memory.release(base).expect("it is registered");
    assert_eq!(memory.load_u32(place), None);
    assert!(memory.nearest(place).expect("something").is_freed);
    assert_eq!(memory.release(base), Err(FreeError::new(base)));
    assert_eq!(host[..3], [9; 3]);
}

#[test]
fn copies_of_every_length_and_alignment_are_whole() {
    const BYTES: usize = 40;
    let memory = Memory::new();
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

#[test]
fn a_window_has_the_addresses_of_elements_in_the_allocation() {
    let memory = Memory::new();
    // `data` must not begin where the high dword of addresses may change.
    memory.allocate("first", 1).expect("there is room");
    let base = memory.allocate("data", 1024).expect("there is room");
    for offset in [0, 16, -16] {
        let first = base.wrapping_add_signed(-offset);
        for address in [first, first + 1020] {
            let found = window(&memory, address, offset, 4);
            assert_eq!(found, (first, 1021, base), "{address:#x}, {offset}");
        }
        for address in [first - 1, first + 1021] {
            let (_, count, _) = window(&memory, address, offset, 4);
            assert_eq!(count, 0, "{address:#x}, {offset}");
        }
    }
    assert_eq!(window_from(&memory, base + 1000, 8), (17, base + 1000));
    assert_eq!(window_from(&memory, base + 1020, 8).0, 0);
    memory.free(base).expect("it is allocated");
    assert_eq!(window(&memory, base, 0, 4).1, 0);
}

#[test]
fn a_window_ends_where_the_high_dword_of_addresses_changes() {
    let memory = Memory::new();
    let base = memory.allocate("data", 5 << 30).expect("there is room");
    let page = |address: u64| address >> 31 << 31;
    for address in [base, page(base) + (1 << 31), base + (4 << 30)] {
        let (first, count, pointer) = window(&memory, address, 0, 4);
        assert_eq!((first, pointer), (page(address).max(base), first));
        let end = (page(address) + (1 << 31)).min(base + (5 << 30) - 3);
        assert_eq!(u64::from(count), end - first);
    }
}
