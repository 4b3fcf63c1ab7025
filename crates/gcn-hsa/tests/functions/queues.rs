//! Tests of queues and their packets: kernels, barriers, order and errors.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use super::hsa::*;

/// Copies the values of an array that kernels have written.
fn values(array: *const u32, count: usize) -> Vec<u32> {
    // SAFETY: the array contains `count` values, and no kernel is running.
    unsafe { std::slice::from_raw_parts(array, count) }.to_vec()
}

fn barrier(signals: &[Handle], done: Handle) -> BarrierPacket {
    let mut dep_signal = [0; 5];
    dep_signal[..signals.len()].copy_from_slice(signals);
    BarrierPacket {
        header: 0,
        reserved0: 0,
        reserved1: 0,
        dep_signal,
        reserved2: 0,
        completion_signal: done,
    }
}

#[test]
fn a_kernel_runs_and_its_times_are_in_order() {
    let (queue, done, array) = (Queue::new(64), signal(1), allocate::<u32>(200));
    queue.dispatch(
        DISPATCH,
        kernel(c"add.kd"),
        200,
        arguments(Add { array, value: 3 }),
        done,
    );
    finish(done);
    assert_eq!(values(array, 200), [3; 200]);
    let mut times = Times { start: 0, end: 0 };
    // SAFETY: `times` is writable.
    check(unsafe { hsa_amd_profiling_get_dispatch_time(agents().device, done, &raw mut times) });
    assert!(0 < times.start && times.start <= times.end, "{times:?}");
    check(hsa_amd_memory_pool_free(array.cast()));
}

#[test]
fn a_small_ring_wraps_around_while_threads_fill_it() {
    const THREADS: u32 = 3;
    const PACKETS: u32 = 300;
    let (queue, array, done) = (
        Queue::new(64),
        allocate::<u32>(64),
        signal((THREADS * PACKETS).into()),
    );
    let (kernel, arguments) = (kernel(c"add.kd"), arguments(Add { array, value: 1 }));
    let (address, arguments) = (queue.0.expose_provenance(), arguments.expose_provenance());
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                let queue = std::mem::ManuallyDrop::new(Queue(
                    std::ptr::with_exposed_provenance_mut(address),
                ));
                let arguments = std::ptr::with_exposed_provenance::<Add>(arguments);
                for _ in 0..PACKETS {
                    queue.dispatch(DISPATCH, kernel, 64, arguments, done);
                }
            });
        }
    });
    finish(done);
    assert_eq!(values(array, 64), [THREADS * PACKETS; 64]);
}

/// Packet processors do not read metadata. HIP 6.4 relies on this: it launches its copy kernel with larger workgroups
/// than those for which the kernel was compiled.
#[test]
fn a_workgroup_may_be_larger_than_the_kernel_was_compiled_for() {
    let object = object(
        "
.text
.p2align 8
large:
  s_load_dwordx2 s[4:5], s[0:1], 0x0
  v_lshlrev_b32_e32 v1, 2, v0
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v0, s[4:5]
  s_endpgm
.rodata
.p2align 6
.amdhsa_kernel large
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 2
  .amdhsa_next_free_sgpr 6
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: large
    .symbol: large.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 6
    .vgpr_count: 2
    .max_flat_workgroup_size: 64
    .reqd_workgroup_size: [64, 1, 1]
.end_amdgpu_metadata
",
    );
    let kernel = symbol_info(symbol(executable(&object), c"large.kd"), 22);
    let (queue, done, array) = (Queue::new(64), signal(1), allocate::<u32>(512));
    let packet = DispatchPacket {
        header: 0,
        setup: 1,
        workgroup_size: [512, 1, 1],
        reserved0: 0,
        grid_size: [512, 1, 1],
        private_segment_size: 0,
        group_segment_size: 0,
        kernel_object: kernel,
        kernarg_address: arguments(array).expose_provenance() as u64,
        reserved2: 0,
        completion_signal: done,
    };
    queue.submit(DISPATCH, packet);
    finish(done);
    assert!(values(array, 512).into_iter().eq(0..512));
}

#[test]
fn barriers_wait_for_all_or_for_one() {
    let (first, second) = (signal(1), signal(1));
    let queue = Queue::new(64);
    let (any, all) = (signal(1), signal(1));
    queue.submit(BARRIER_OR, barrier(&[first, second], any));
    queue.submit(BARRIER_AND | BARRIER_BIT, barrier(&[first, 0, second], all));
    std::thread::sleep(Duration::from_millis(3));
    assert_eq!((load(any), load(all)), (1, 1));
    // SAFETY: the signals exist.
    unsafe { hsa_signal_store_screlease(second, 0) };
    finish(any);
    std::thread::sleep(Duration::from_millis(3));
    assert_eq!(load(all), 1);
    // SAFETY: as above.
    unsafe { hsa_signal_store_screlease(first, 0) };
    finish(all);
    let all = signal(1);
    for it in [first, second] {
        // SAFETY: as above.
        unsafe { hsa_signal_store_screlease(it, 1) };
    }
    queue.submit(BARRIER_AND | BARRIER_BIT, barrier(&[first, second], all));
    finish_in_turns([first, second], all);
}

/// A null signal is satisfied in a barrier-AND packet, but not in a barrier-OR packet.
#[test]
fn a_barrier_for_one_of_no_signals_never_completes() {
    let (queue, all, any) = (Queue::new(64), signal(1), signal(1));
    queue.submit(BARRIER_AND | BARRIER_BIT, barrier(&[], all));
    queue.submit(BARRIER_OR | BARRIER_BIT, barrier(&[], any));
    finish(all);
    std::thread::sleep(Duration::from_millis(10));
    assert_eq!(load(any), 1);
    drop(queue);
    assert_eq!(load(any), 1);
}

#[test]
fn a_barrier_compares_a_value_under_a_mask() {
    let (it, done, queue) = (signal(0xf0), signal(1), Queue::new(64));
    let packet = BarrierValuePacket {
        header: 0,
        amd_format: 2,
        reserved: 0,
        reserved0: 0,
        signal: it,
        value: 5,
        mask: 0xf,
        cond: EQUAL,
        reserved1: 0,
        reserved2: 0,
        reserved3: 0,
        completion_signal: done,
    };
    queue.submit(FENCES, packet);
    std::thread::sleep(Duration::from_millis(3));
    assert_eq!(load(done), 1);
    // SAFETY: the signal exists.
    unsafe { hsa_signal_store_screlease(it, 0xa5) };
    finish(done);
    // In a barrier-value packet, a null signal is a satisfied dependency.
    let done = signal(1);
    let packet = BarrierValuePacket {
        signal: 0,
        completion_signal: done,
        ..packet
    };
    queue.submit(FENCES, packet);
    finish(done);
    // A barrier fails if it depends on the signal of a failed command.
    let (failed, done) = (signal(1), signal(1));
    queue.dispatch(77, 0, 1, std::ptr::null::<u8>(), failed);
    let packet = BarrierValuePacket {
        signal: failed,
        completion_signal: done,
        ..packet
    };
    queue.submit(FENCES, packet);
    // SAFETY: the signal exists.
    let value = unsafe { hsa_signal_wait_scacquire(done, LESS, 1, PATIENCE, 0) };
    assert!(value < 0, "{value}");
}

#[test]
fn queues_wait_for_each_other() {
    let (one, other) = (Queue::new(64), Queue::new(64));
    let (first, last, array) = (signal(1), signal(1), allocate::<u32>(64));
    let arguments = arguments(Add { array, value: 2 });
    one.submit(BARRIER_AND | BARRIER_BIT, barrier(&[first], 0));
    one.dispatch(
        DISPATCH | BARRIER_BIT,
        kernel(c"add.kd"),
        64,
        arguments,
        last,
    );
    assert_eq!(load(last), 1);
    other.dispatch(DISPATCH, kernel(c"add.kd"), 64, arguments, first);
    finish(last);
    assert_eq!(values(array, 64), [4; 64]);
}

/// Runs each case in a new process, since checkers can only be enabled when a process starts.
#[test]
fn acquire_fences_of_packets_count_for_the_checker_of_races() {
    const CASE: &str = "TEST_FENCES";
    const NAME: &str = "queues::acquire_fences_of_packets_count_for_the_checker_of_races";
    /// Header of a dispatch packet with only a release fence.
    const RELEASING: u16 = 2 | 2 << 11;
    const BARRIER_ALONE: u16 = 3;
    let cases = [
        ("own", DISPATCH, None, false),
        ("none", RELEASING, None, true),
        ("barrier", RELEASING, Some(BARRIER_AND), false),
        ("barrier without", RELEASING, Some(BARRIER_ALONE), true),
    ];
    let Some(case) = std::env::var_os(CASE) else {
        for (case, .., is_found) in cases {
            let ended = run_again(NAME, [(CASE, case), ("GCN_CHECK", "races")]);
            let text = String::from_utf8_lossy(&ended.stderr);
            assert!(ended.status.success(), "{case}: {text}");
            let found = text.matches("without an acquire fence").count();
            assert_eq!(found, usize::from(is_found), "{case}: {text}");
        }
        return;
    };
    let case = cases.into_iter().find(|(name, ..)| *name == case);
    let (_, header, between, _) = case.expect("a case");
    let (queue, done, array) = (Queue::new(64), signal(2), allocate::<u32>(200));
    let arguments = arguments(Add { array, value: 3 });
    let kernel = kernel(c"add_plain.kd");
    queue.dispatch(DISPATCH, kernel, 200, arguments, done);
    if let Some(header) = between {
        queue.submit(header | BARRIER_BIT, barrier(&[], 0));
    }
    queue.dispatch(header | BARRIER_BIT, kernel, 200, arguments, done);
    finish(done);
    assert_eq!(values(array, 200), [6; 200]);
}

/// Functions that free memory unmap it before they return, so later accesses of kernels fault, as on a real device.
#[test]
fn a_kernel_in_a_queue_faults_where_its_memory_was_freed() {
    unsafe extern "C" fn failed(status: Status, _: *mut HsaQueue, data: *mut c_void) {
        // SAFETY: `data` points to `told` below.
        unsafe { (*data.cast::<AtomicU32>()).store(status.0, SeqCst) };
    }
    let told = AtomicU32::new(0);
    let data = (&raw const told).cast_mut().cast();
    let queue = Queue::with(64, Some(failed), data);
    let (begin, first, last) = (signal(1), signal(1), signal(1));
    let (kept, freed) = (allocate::<u32>(64), allocate::<u32>(64));
    queue.submit(BARRIER_AND | BARRIER_BIT, barrier(&[begin], 0));
    for (array, done) in [(kept, first), (freed, last)] {
        let arguments = arguments(Add { array, value: 7 });
        let header = DISPATCH | BARRIER_BIT;
        queue.dispatch(header, kernel(c"add.kd"), 64, arguments, done);
    }
    check(hsa_amd_memory_pool_free(freed.cast()));
    assert_eq!(
        hsa_amd_memory_pool_free(freed.cast()),
        Status::INVALID_ALLOCATION
    );
    // SAFETY: the signal exists.
    unsafe { hsa_signal_store_screlease(begin, 0) };
    finish(first);
    assert_eq!(values(kept, 64), [7; 64]);
    // SAFETY: as above.
    let value = unsafe { hsa_signal_wait_scacquire(last, LESS, 1, PATIENCE, 0) };
    assert!(value < 0, "{value}");
    drop(queue);
    assert_eq!(Status(told.load(SeqCst)), Status(43));
    // Other queues keep working.
    let (queue, done) = (Queue::new(64), signal(1));
    let arguments = arguments(Add {
        array: kept,
        value: 1,
    });
    queue.dispatch(DISPATCH, kernel(c"add.kd"), 64, arguments, done);
    finish(done);
    assert_eq!(values(kept, 64), [8; 64]);
}

static STATUS: AtomicU32 = AtomicU32::new(0);
static CALLS: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" fn failed(status: Status, _: *mut HsaQueue, data: *mut c_void) {
    STATUS.store(status.0, SeqCst);
    CALLS.fetch_add(data.addr(), SeqCst);
}

#[test]
fn a_fault_stops_its_queue_alone_and_is_told() {
    let queue = Queue::with(64, Some(failed), std::ptr::without_provenance_mut(1));
    let (done, behind, array) = (signal(1), signal(1), allocate::<u32>(64));
    let arguments = arguments(Add { array, value: 1 });
    queue.dispatch(DISPATCH, kernel(c"fault.kd"), 1, arguments, done);
    queue.dispatch(DISPATCH, kernel(c"add.kd"), 64, arguments, behind);
    // SAFETY: the signals exist.
    let value = unsafe { hsa_signal_wait_scacquire(behind, LESS, 1, PATIENCE, 0) };
    assert!(
        value < 0 && load(done) < 0,
        "a failed command makes its signal negative"
    );
    assert_eq!(
        (CALLS.load(SeqCst), Status(STATUS.load(SeqCst))),
        (1, Status::MEMORY_FAULT)
    );
    assert_eq!(values(array, 64), [0; 64]);
    let (other, done) = (Queue::new(64), signal(1));
    other.dispatch(DISPATCH, kernel(c"add.kd"), 64, arguments, done);
    finish(done);
    assert_eq!(values(array, 64), [1; 64]);
}

#[test]
fn packets_that_are_none_fail() {
    for (header, object) in [(4 | FENCES, 0), (77, 0), (DISPATCH, 0x1234_5678)] {
        let (queue, done) = (Queue::new(64), signal(1));
        queue.dispatch(header, object, 1, std::ptr::null::<u8>(), done);
        // SAFETY: the signal exists.
        let value = unsafe { hsa_signal_wait_scacquire(done, LESS, 1, PATIENCE, 0) };
        assert!(value < 0, "header {header:#x}: {value}");
    }
}

#[test]
fn a_queue_is_destroyed_while_its_kernel_runs() {
    let (queue, done) = (Queue::new(64), signal(1));
    queue.dispatch(
        DISPATCH,
        kernel(c"spin.kd"),
        64,
        std::ptr::null::<u8>(),
        done,
    );
    std::thread::sleep(Duration::from_millis(10));
    drop(queue);
    assert_eq!(load(done), 1);
}

#[test]
fn null_is_no_queue() {
    agents();
    let none = std::ptr::null_mut();
    // SAFETY: the function returns an error for a null pointer.
    let destroyed = unsafe { hsa_queue_destroy(none) };
    assert_eq!(destroyed, Status::INVALID_ARGUMENT);
    assert_eq!(hsa_queue_inactivate(none), Status::INVALID_ARGUMENT);
}

#[test]
fn sizes_of_queues_are_powers_of_two() {
    for (size, expected) in [
        (0, Status::INVALID_ARGUMENT),
        (100, Status::INVALID_ARGUMENT),
        (1 << 30, Status::INVALID_QUEUE_CREATION),
    ] {
        let mut queue = std::ptr::null_mut();
        let device = agents().device;
        // SAFETY: `queue` is writable.
        let status = unsafe {
            hsa_queue_create(
                device,
                size,
                0,
                None,
                std::ptr::null_mut(),
                0,
                0,
                &raw mut queue,
            )
        };
        assert_eq!(status, expected);
    }
    let mut queue = std::ptr::null_mut();
    let host = agents().host;
    // SAFETY: as above.
    let status = unsafe {
        hsa_queue_create(
            host,
            64,
            0,
            None,
            std::ptr::null_mut(),
            0,
            0,
            &raw mut queue,
        )
    };
    assert_eq!(status, Status::INVALID_AGENT);
}
