//! Stress test and benchmark of queues and signals: eight threads submit a million packets to four queues.

// The benchmark prints its result, and uses only some helpers of the tests.
#![allow(unsafe_code, unused_imports, dead_code, clippy::print_stdout)]

#[path = "../tests/functions/hsa.rs"]
mod hsa;

use std::mem::ManuallyDrop;
use std::time::Instant;

use hsa::*;

const THREADS: u32 = 8;
const QUEUES: usize = 4;
const PACKETS: u32 = 1_000_000;

fn main() {
    let queues: Vec<Queue> = (0..QUEUES).map(|_| Queue::new(256)).collect();
    let done = signal(PACKETS.into());
    // Every packet depends on this signal, which is 0 from the start.
    let ready = signal(0);
    let addresses: Vec<usize> = queues
        .iter()
        .map(|queue| queue.0.expose_provenance())
        .collect();
    let begin = Instant::now();
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let addresses = &addresses;
            scope.spawn(move || {
                for number in 0..PACKETS / THREADS {
                    let queue = addresses[(thread + number) as usize % QUEUES];
                    let queue =
                        ManuallyDrop::new(Queue(std::ptr::with_exposed_provenance_mut(queue)));
                    let packet = BarrierPacket {
                        header: 0,
                        reserved0: 0,
                        reserved1: 0,
                        dep_signal: [ready, 0, 0, 0, 0],
                        reserved2: 0,
                        completion_signal: done,
                    };
                    queue.submit(BARRIER_AND, packet);
                }
            });
        }
    });
    // SAFETY: the signal exists.
    let left = unsafe { hsa_signal_wait_scacquire(done, EQUAL, 0, 60_000_000_000, 0) };
    assert_eq!(left, 0, "packets are lost");
    let seconds = begin.elapsed().as_secs_f64();
    println!(
        "{PACKETS} packets of {THREADS} threads in {QUEUES} queues: {seconds:.2} s, {:.2} us each",
        seconds * 1e6 / f64::from(PACKETS)
    );
}
