//! Stores of equal values, on any number of threads.

use std::collections::BTreeSet;
use std::sync::Arc;

use gcn_observe::check::checkers;
use gcn_observe::finding::Findings;
use gcn_runtime::Device;

use super::common::{Size, assembled, buffer, told};
use super::{GROUPS, RACES, assembly};

const STORE: &str = "buffer_store_dword v2, v1, s[4:7], 0 offen";

#[test]
fn rows_are_compared_as_a_whole() {
    let twice = |kind: &str| format!("{kind}: {STORE} | {STORE}");
    // Each workgroup stores its number times the work-item's: the first lane's value is 0 in all of them.
    let body = "v_mul_lo_u32 v2, v0, s2\nv_and_b32 v2, 0xff, v2";
    assembly(
        GROUPS,
        &format!("{body}\n{STORE}"),
        &[&twice("global-race")],
    );
    assembly(
        GROUPS,
        &format!("v_mov_b32 v2, v0\n{STORE}"),
        &[&twice("same-value-race")],
    );
}

#[test]
fn findings_are_the_same_on_any_number_of_threads() {
    // Waves store to places that many share: equal values; values of two kinds by two instructions; and what others have loaded.
    let scattered = "v_mul_lo_u32 v3, v0, 37\nv_lshlrev_b32 v4, 4, v0\nv_xor_b32 v3, v3, v4\nv_mov_b32 v5, s2\n\
                     v_lshlrev_b32 v5, 6, v5\nv_xor_b32 v3, v3, v5\nv_and_b32 v1, 0xffc, v3";
    let same = format!("{scattered}\nv_mov_b32 v2, 7\n{STORE}\n{STORE} offset:4092");
    let bodies = [
        same.clone(),
        format!("{same}\nv_mov_b32 v6, s2\nbuffer_store_byte v6, v1, s[4:7], 0 offen offset:2048"),
        format!(
            "{same}\nbuffer_load_dword v7, v1, s[4:7], 0 offen offset:4092\ns_waitcnt vmcnt(0)"
        ),
    ];
    for target in ["gfx803", "gfx906"] {
        for body in &bodies {
            let found: BTreeSet<Vec<String>> = [1, 2, 8]
                .into_iter()
                .flat_map(|threads| (0..20).map(move |_| threads))
                .map(|threads| found(target, threads, body))
                .collect();
            assert_eq!(found.len(), 1, "on {target}:\n{body}\n{found:#?}");
        }
        let first = found(target, 8, &bodies[0]);
        assert!(
            first
                .iter()
                .all(|line| line.starts_with("same-value-race: ")),
            "{first:?}"
        );
        assert!(!first.is_empty());
    }
}

/// The findings of a kernel on a device with some threads, in order.
fn found(target: &str, threads: usize, body: &str) -> Vec<String> {
    const SIZE: Size = Size {
        grid: 1 << 12,
        group: 64,
    };
    let device = Device::builder(target).expect("a target");
    let device = device.threads(threads).build();
    let kernel = assembled(&device, body);
    let findings = Arc::new(Findings::default());
    let data = buffer(&device);
    let launch = kernel.launch([SIZE.grid, 1, 1]).group([SIZE.group, 1, 1]);
    let launch = launch.arg(&data).observers(&checkers(RACES, &findings));
    launch.run(&device.queue()).expect("no fault");
    let mut told: Vec<String> = findings.all().0.iter().map(told).collect();
    told.sort_unstable();
    told
}
