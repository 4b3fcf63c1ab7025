//! Throughput of whole kernels, including launch, address computation and barriers, in wave instructions per second on
//! one core.
//!
//! The kernels in `benches/kernels` resemble the output of a compiler. Each runs once before the measurement, so that
//! its instructions are decoded.

mod common;

use std::hint::black_box;

use common::{KERNELS, Prepared};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gcn_emu::observe::Observers;

fn kernels(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("kernels");
    let none = Observers::none();
    for kernel in KERNELS {
        let mut prepared = Prepared::new(kernel);
        group.throughput(Throughput::Elements(prepared.run(&none).instructions));
        group.bench_function(kernel.name, |b| b.iter(|| black_box(prepared.run(&none))));
    }
    group.finish();
}

criterion_group!(benches, kernels);
criterion_main!(benches);
