//! Tests of wait counters that differ between generations.

mod common;

use common::*;

/// E250: on GCN 1.0, data of buffer stores holds EXP_CNT until it has been read. Atomics are no exception.
#[test]
fn a_buffer_atomic_of_gcn_1_0_locks_its_data() {
    for (target, exp) in [(SI, 1), (CI, 0)] {
        on(&[target], |m| {
            let buffer = m.buffer(&[0; 64]);
            m.s64(8, buffer).s64(10, 256).set(1, |_| 1);
            let texts = [
                "buffer_atomic_add v1, off, s[8:11], 0",
                "buffer_atomic_add v1, off, s[8:11], 0 glc",
                "buffer_store_dword v1, off, s[8:11], 0",
            ];
            for text in texts {
                assert_eq!(m.counts(text), (1, 0, exp), "{target}: {text}");
            }
            let load = "buffer_load_dword v1, off, s[8:11], 0";
            assert_eq!(m.counts(load), (1, 0, 0), "{target}");
        });
    }
}
