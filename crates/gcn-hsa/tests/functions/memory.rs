//! Tests of memory pools, locked host memory, copies and pointer queries.

use std::ffi::c_void;

use super::hsa::*;

#[test]
fn pools_give_memory_until_it_is_used_up() {
    let pool = pool(agents().device, 4);
    let mut size = 0u64;
    let mut memory = std::ptr::null_mut();
    // SAFETY: `size` and `memory` are writable, and 100 bytes are allocated before they are read.
    unsafe {
        check(hsa_amd_memory_pool_get_info(
            pool,
            2,
            (&raw mut size).cast(),
        ));
        let too_much = hsa_amd_memory_pool_allocate(pool, size as usize + 1, 0, &raw mut memory);
        assert_eq!(too_much, Status::INVALID_ALLOCATION);
        let none = hsa_amd_memory_pool_allocate(pool, 0, 0, &raw mut memory);
        assert_eq!(none, Status::INVALID_ARGUMENT);
        check(hsa_amd_memory_pool_allocate(pool, 100, 0, &raw mut memory));
        let used_up = hsa_amd_memory_pool_allocate(pool, size as usize, 0, &raw mut memory);
        assert_eq!(used_up, Status::OUT_OF_RESOURCES);
        check(hsa_amd_memory_fill(memory, 0x0102_0304, 25));
        assert_eq!(memory.cast::<u8>().add(99).read(), 1);
        // The last size, 2^47 - 4 bytes, almost reaches the alias addresses of host memory.
        for beyond in [26, usize::MAX / 4, (1 << 45) - 1] {
            let beyond = hsa_amd_memory_fill(memory, 0, beyond);
            assert_eq!(beyond, Status::INVALID_ALLOCATION);
        }
        let mut own = [0u32; 4];
        let foreign = hsa_amd_memory_fill(own.as_mut_ptr().cast(), 0, 4);
        assert_eq!(foreign, Status::INVALID_ALLOCATION);
        let null = hsa_amd_memory_fill(std::ptr::null_mut(), 0, 4);
        assert_eq!(null, Status::INVALID_ARGUMENT);
    }
    check(hsa_amd_memory_pool_free(memory));
    assert_eq!(hsa_amd_memory_pool_free(memory), Status::INVALID_ALLOCATION);
    check(hsa_amd_memory_pool_free(std::ptr::null_mut()));
}

#[test]
fn callbacks_are_called_before_their_memory_is_freed() {
    unsafe extern "C" fn freed(memory: *mut c_void, calls: *mut c_void) {
        let kind = pointer_info(memory).kind;
        // SAFETY: the memory is not freed yet, and `calls` points to the test's list.
        unsafe {
            let value = memory.cast::<u32>().read();
            let calls = calls.cast::<Vec<(*mut c_void, u32, u32)>>();
            (*calls).push((memory, value, kind));
        }
    }
    // The runtime returns freed allocations of this size to the operating system.
    let memory = allocate::<u32>(1 << 20);
    let inside: *mut c_void = memory.wrapping_add(5000).cast();
    // SAFETY: the address lies in the allocation, which only this test uses.
    unsafe { inside.cast::<u32>().write(7) };
    let mut seen = std::ptr::null_mut();
    // SAFETY: `seen` is writable.
    check(unsafe { hsa_amd_memory_lock(inside, 4, std::ptr::null_mut(), 0, &raw mut seen) });
    assert_eq!(seen, inside, "the memory belongs to a pool");
    let mut calls: Vec<(*mut c_void, u32, u32)> = Vec::new();
    let data = (&raw mut calls).cast();
    for address in [memory.cast(), inside] {
        let status = hsa_amd_register_deallocation_callback(address, Some(freed), data);
        check(status);
    }
    for expected in [Status::SUCCESS, Status::INVALID_ARGUMENT] {
        let status = hsa_amd_deregister_deallocation_callback(memory.cast(), Some(freed));
        assert_eq!(status, expected);
    }
    check(hsa_amd_memory_pool_free(memory.cast()));
    assert_eq!(calls, [(inside, 7, 0)]);
    assert_eq!(pointer_info(inside).kind, 0, "its lock is gone");
}

#[test]
fn registration_of_memory_is_a_hint() {
    agents();
    let mut values = Vec::from([0u8; 100]);
    let own: *mut c_void = values.as_mut_ptr().cast();
    let none = std::ptr::null_mut();
    check(hsa_memory_register(none, 0));
    check(hsa_memory_deregister(none, 0));
    check(hsa_memory_deregister(own, 100));
    for bytes in [0, usize::MAX - own.addr(), usize::MAX] {
        let refused = hsa_memory_register(own, bytes);
        assert_eq!(refused, Status::INVALID_ARGUMENT);
    }
    check(hsa_memory_register(own, 100));
    assert_eq!(pointer_info(own).kind, 2);
    check(hsa_memory_deregister(own, 100));
    assert_eq!(pointer_info(own).kind, 0);
}

#[test]
fn copies_wait_for_their_signals() {
    let (to, before, done) = (allocate::<u32>(1000), signal(1), signal(1));
    let from: Vec<u32> = (0..1000).collect();
    let copy = |after: &[Handle], done| {
        // SAFETY: both ranges are 4000 bytes long.
        unsafe {
            hsa_amd_memory_async_copy(
                to.cast(),
                agents().device,
                from.as_ptr().cast(),
                agents().host,
                4000,
                after.len() as u32,
                after.as_ptr(),
                done,
            )
        }
    };
    assert_eq!(copy(&[], 0), Status::INVALID_ARGUMENT);
    check(copy(&[before], done));
    std::thread::sleep(std::time::Duration::from_millis(3));
    assert_eq!(load(done), 1);
    // SAFETY: the signals exist, and the copy ends before the values are read.
    unsafe {
        hsa_signal_store_screlease(before, 0);
        finish(done);
        assert_eq!(std::slice::from_raw_parts(to, 1000), from);
    }
    let (signals, done) = ([signal(1), signal(1)], signal(1));
    check(copy(&signals, done));
    finish_in_turns(signals, done);
}

#[test]
fn boxes_are_copied_between_pitches() {
    let mut from = [0u8; 4 * 5 * 6];
    from.iter_mut()
        .zip(0..)
        .for_each(|(byte, index)| *byte = index);
    let mut to = [0u8; 7 * 8 * 3];
    let done = signal(1);
    let memory = |base: *mut u8, pitch, slice| PitchedPtr {
        base: base.expose_provenance() as u64,
        pitch,
        slice,
    };
    let (target, source) = (
        memory(to.as_mut_ptr(), 7, 56),
        memory(from.as_mut_ptr(), 4, 20),
    );
    let (to_offset, from_offset) = (Dim3 { x: 1, y: 2, z: 1 }, Dim3 { x: 1, y: 1, z: 3 });
    let range = Dim3 { x: 3, y: 4, z: 2 };
    // SAFETY: the boxes lie within the arrays.
    let status = unsafe {
        hsa_amd_memory_async_copy_rect(
            &raw const target,
            &raw const to_offset,
            &raw const source,
            &raw const from_offset,
            &raw const range,
            agents().device,
            0,
            0,
            std::ptr::null(),
            done,
        )
    };
    check(status);
    finish(done);
    for z in 0..3 {
        for y in 0..8 {
            for x in 0..7 {
                let inside = (1..4).contains(&x) && (2..6).contains(&y) && (1..3).contains(&z);
                let expected = if inside {
                    x + (y - 1) * 4 + (z + 2) * 20
                } else {
                    0
                };
                assert_eq!(usize::from(to[x + 7 * y + 56 * z]), expected, "{x} {y} {z}");
            }
        }
    }
}

#[test]
fn a_kernel_works_on_locked_memory() {
    agents();
    let mut values = vec![1u32; 10_000];
    let own: *mut c_void = values.as_mut_ptr().cast();
    let mut seen = std::ptr::null_mut();
    let bytes = 4 * values.len();
    // SAFETY: the values outlive the locks, and `seen` is writable.
    unsafe {
        check(hsa_amd_memory_lock(
            own,
            bytes,
            std::ptr::null_mut(),
            0,
            &raw mut seen,
        ));
        // This lock overlaps the first one.
        check(hsa_amd_memory_lock(
            own.byte_add(8192),
            bytes - 8192,
            std::ptr::null_mut(),
            0,
            &raw mut seen,
        ));
    }
    check(hsa_amd_memory_unlock(own));
    // SAFETY: as above.
    check(unsafe { hsa_amd_memory_lock(own, bytes, std::ptr::null_mut(), 0, &raw mut seen) });
    assert_ne!(seen, own, "as on a real device");
    for pointer in [own, seen] {
        let found = pointer_info(pointer.wrapping_byte_add(100));
        assert_eq!((found.kind, found.size_in_bytes), (2, bytes));
        assert_eq!(found.host_base_address, own.addr() as u64);
        assert_eq!(found.agent_base_address, seen.addr() as u64);
    }
    let (queue, done) = (Queue::new(64), signal(1));
    let array = seen.cast();
    queue.dispatch(
        DISPATCH,
        kernel(c"add.kd"),
        10_000,
        arguments(Add { array, value: 4 }),
        done,
    );
    finish(done);
    assert_eq!(values, [5; 10_000]);
    check(hsa_amd_memory_unlock(own));
    check(hsa_amd_memory_unlock(own.wrapping_byte_add(8192)));
    assert_eq!(hsa_amd_memory_unlock(own), Status::INVALID_ARGUMENT);
    assert_eq!(pointer_info(own).kind, 0);
}

#[test]
fn user_data_belongs_to_the_latest_lock() {
    agents();
    let mut values = Vec::from([0u8; 100]);
    let own: *mut c_void = values.as_mut_ptr().cast();
    for bytes in [100, 50] {
        let mut seen = std::ptr::null_mut();
        // SAFETY: the values outlive the locks, and `seen` is writable.
        check(unsafe { hsa_amd_memory_lock(own, bytes, std::ptr::null_mut(), 0, &raw mut seen) });
    }
    // The second lock does not include the last byte.
    let last = own.wrapping_byte_add(99);
    for (pointer, data) in [(own, 7), (last, 8)] {
        let data = std::ptr::without_provenance_mut(data);
        check(hsa_amd_pointer_info_set_userdata(pointer, data));
    }
    assert_eq!(pointer_info(own).user_data, 7);
    assert_eq!(pointer_info(last).user_data, 8);
    check(hsa_amd_memory_unlock(own));
    assert_eq!(pointer_info(own).user_data, 8);
    check(hsa_amd_memory_unlock(own));
}

#[test]
fn pointers_are_those_of_their_allocation() {
    unsafe extern "C" fn no_memory(_: usize) -> *mut c_void {
        std::ptr::null_mut()
    }
    let memory = allocate::<u8>(5000);
    let found = pointer_info(memory.wrapping_add(4999).cast());
    assert_eq!(
        (found.kind, found.size_in_bytes, found.agent_owner),
        (1, 5000, agents().device)
    );
    assert_eq!(found.agent_base_address, memory.addr() as u64);
    assert_eq!(pointer_info(memory.wrapping_add(1 << 20).cast()).kind, 0);
    // The function lists agents only if the program passes pointers for both their number and the list.
    let (mut info, mut count) = (found, 99);
    let list = std::ptr::null_mut();
    // SAFETY: `info` and `count` are writable, and `list` is null.
    let status = unsafe {
        hsa_amd_pointer_info(
            memory.cast(),
            &raw mut info,
            Some(no_memory),
            &raw mut count,
            list,
        )
    };
    check(status);
    assert_eq!((info.kind, count), (1, 99));
}
