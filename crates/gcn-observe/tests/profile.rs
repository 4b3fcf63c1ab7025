//! The profile: counts that are worked out on paper for small kernels, and those of the trace for compiled ones.

#[allow(dead_code, reason = "the tests of checkers use the rest")]
mod common;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use common::{Size, TARGETS, assembled, buffer, compiled, device};
use gcn_observe::Trace;
use gcn_observe::profile::{Class, Counted, Counts, KernelCounts, Profile};
use gcn_runtime::observe::{Observer, Observers};
use gcn_runtime::{Device, Kernel as Code};

/// One wave.
const WAVE: Size = Size {
    grid: 64,
    group: 64,
};

/// Runs a kernel whose argument is a buffer.
fn run(device: &Device, kernel: &Code, size: Size, observer: Arc<dyn Observer>) {
    let data = buffer(device);
    let launch = kernel.launch([size.grid, 1, 1]).group([size.group, 1, 1]);
    let launch = launch
        .arg(&data)
        .observers(&Observers::none().with(observer));
    let signal = launch.submit(&device.queue()).expect("it can be launched");
    signal.wait().expect("it runs");
}

fn profiled(device: &Device, kernel: &Code, size: Size) -> KernelCounts {
    let profile = Arc::new(Profile::new());
    run(device, kernel, size, profile.clone());
    let mut kernels = profile.kernels();
    let kernel = kernels.remove(&Some("test".to_owned()));
    assert!(kernels.is_empty());
    kernel.expect("it was executed")
}

/// The last instruction of a name in a profile.
fn named(kernel: &KernelCounts, name: &str) -> Counted {
    let mut all = kernel.code.values().rev();
    let found = all.find(|it| it.inst.name() == name);
    *found.unwrap_or_else(|| panic!("{name} was not executed"))
}

/// Asserts the counts of an instruction in one wave that executes some statements, on every target.
#[track_caller]
fn counts(body: &str, name: &str, expected: Counts) {
    for target in TARGETS {
        let device = device(target);
        let kernel = assembled(&device, body);
        let found = named(&profiled(&device, &kernel, WAVE), name);
        assert_eq!(found.counts, expected, "on {target}:\n{body}");
    }
}

/// An access that 64 lanes make once.
const ACCESS: Counts = Counts {
    executions: 1,
    vector_executions: 1,
    active_lanes: 64,
    accesses: 1,
    bytes: 256,
    memory_accesses: 0,
    lines: 0,
    bank_conflicts: 0,
};

#[test]
fn bank_conflicts_are_those_of_the_stride() {
    for (address, bank_conflicts) in [
        // One dword behind the other.
        ("v_mov_b32 v2, v1", 0),
        // Two lanes of each half in one bank.
        ("v_lshlrev_b32 v2, 3, v0", 2),
        // All 32 lanes of each half in one bank.
        ("v_lshlrev_b32 v2, 7, v0", 62),
        // One dword for all.
        ("v_mov_b32 v2, 0", 0),
        // Padded rows: 33 dwords apart.
        ("v_mul_u32_u24 v2, 0x84, v0", 0),
    ] {
        let expected = Counts {
            bank_conflicts,
            ..ACCESS
        };
        counts(
            &format!("{address}\nds_read_b32 v3, v2"),
            "ds_read_b32",
            expected,
        );
        counts(
            &format!("{address}\nds_write_b32 v2, v3"),
            "ds_write_b32",
            expected,
        );
    }
}

#[test]
fn both_elements_of_a_pair_and_all_lanes_of_an_atomic_count() {
    // Two rows of dwords, each without conflicts.
    let pair = Counts {
        bytes: 512,
        ..ACCESS
    };
    counts("ds_read2_b32 v[2:3], v1 offset1:64", "ds_read2_b32", pair);
    // 16 lanes at a time fill the banks.
    let wide = "v_lshlrev_b32 v2, 3, v0\nds_read_b64 v[4:5], v2";
    counts(wide, "ds_read_b64", pair);
    // 32 lanes add to one dword.
    let atomic = Counts {
        bank_conflicts: 62,
        ..ACCESS
    };
    counts("v_mov_b32 v2, 0\nds_add_u32 v2, v0", "ds_add_u32", atomic);
}

#[test]
fn lines_are_those_of_the_addresses() {
    for (address, load, bytes, lines) in [
        // A row of 256 bytes.
        (
            "v_mov_b32 v2, v1",
            "buffer_load_dword v3, v2, s[4:7], 0 offen",
            256,
            4,
        ),
        // The same, from the middle of a line on.
        (
            "v_mov_b32 v2, v1",
            "buffer_load_dword v3, v2, s[4:7], 0 offen offset:32",
            256,
            5,
        ),
        // A line for each lane.
        (
            "v_lshlrev_b32 v2, 6, v0",
            "buffer_load_dword v3, v2, s[4:7], 0 offen",
            256,
            64,
        ),
        // Every other dword.
        (
            "v_lshlrev_b32 v2, 3, v0",
            "buffer_load_dword v3, v2, s[4:7], 0 offen",
            256,
            8,
        ),
        // Scattered over four places, 4 KiB apart.
        (
            "v_and_b32 v2, 3, v0\nv_lshlrev_b32 v2, 12, v2",
            "buffer_load_dword v3, v2, s[4:7], 0 offen",
            256,
            4,
        ),
        // One dword for all.
        (
            "v_mov_b32 v2, 0",
            "buffer_load_dword v3, v2, s[4:7], 0 offen",
            256,
            1,
        ),
        // Two dwords on both sides of a line's end.
        (
            "v_mov_b32 v2, 0",
            "buffer_load_dwordx2 v[4:5], v2, s[4:7], 0 offen offset:60",
            512,
            2,
        ),
    ] {
        let expected = Counts {
            bytes,
            memory_accesses: 1,
            lines,
            ..ACCESS
        };
        let name = load.split(' ').next().expect("a name");
        counts(&format!("{address}\n{load}"), name, expected);
    }
}

#[test]
fn scalar_loads_have_lines_and_no_lanes() {
    let expected = Counts {
        executions: 1,
        accesses: 1,
        bytes: 64,
        memory_accesses: 1,
        lines: 1,
        ..Counts::default()
    };
    counts(
        "s_load_dwordx16 s[16:31], s[4:5], 0x0",
        "s_load_dwordx16",
        expected,
    );
}

#[test]
fn active_lanes_and_executions_are_those_of_the_wave() {
    let body = "s_mov_b32 s9, 5\nagain:\ns_mov_b64 exec, 0xff\nv_mov_b32 v2, v0\ns_mov_b64 exec, 0\n\
                ds_write_b32 v1, v2\ns_sub_u32 s9, s9, 1\ns_cmp_lg_u32 s9, 0\ns_cbranch_scc1 again";
    let moved = Counts {
        executions: 5,
        vector_executions: 5,
        active_lanes: 5 * 8,
        ..Counts::default()
    };
    counts(body, "v_mov_b32", moved);
    // No lane accesses anything.
    let stored = Counts {
        active_lanes: 0,
        ..moved
    };
    counts(body, "ds_write_b32", stored);
    let branch = Counts {
        executions: 5,
        ..Counts::default()
    };
    counts(body, "s_cbranch_scc1", branch);
}

#[test]
fn classes_are_those_of_the_units() {
    let body = "v_mov_b32 v2, v0\ns_mov_b32 s9, 0\nds_read_b32 v3, v1\nbuffer_load_dword v4, v1, s[4:7], 0 offen\n\
                s_waitcnt 0\ns_barrier\ns_nop 0\ns_branch next\nnext:\nds_write_b32 v1, v2 gds";
    for target in TARGETS {
        let device = device(target);
        let kernel = assembled(&device, body);
        let profile = profiled(&device, &kernel, WAVE);
        for (name, class) in [
            ("v_mov_b32", Class::Valu),
            ("v_readfirstlane_b32", Class::Valu),
            ("s_mov_b32", Class::Salu),
            ("s_load_dwordx2", Class::Smem),
            ("ds_read_b32", Class::Lds),
            ("ds_write_b32", Class::Gds),
            ("buffer_load_dword", Class::Vmem),
            ("s_waitcnt", Class::Wait),
            ("s_barrier", Class::Barrier),
            ("s_nop", Class::Control),
            ("s_endpgm", Class::Control),
            ("s_branch", Class::Branch),
        ] {
            assert_eq!(named(&profile, name).class, class, "{name} on {target}");
        }
    }
}

const DIVERGENT: &str = "
    __attribute__((noinline)) int steps(int n) {
        int steps = 0;
        for (; n > 1; ++steps) n = n & 1 ? 3 * n + 1 : n / 2;
        return steps;
    }
    kernel void test(global int *data) {
        local int shared[64];
        int id = get_local_id(0);
        shared[id * 5 & 63] = data[get_global_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (shared[id] % 3 == 0) data[get_global_id(0)] = steps(shared[id]);
    }";

const MANY: Size = Size {
    grid: 1024,
    group: 64,
};

#[test]
fn counts_are_those_of_the_trace() {
    for target in TARGETS {
        for level in ["-O0", "-O2"] {
            let device = device(target);
            let kernel = compiled(&device, DIVERGENT, &[level]);
            // Executions and active lanes by address.
            let traced = Arc::new(Mutex::new(BTreeMap::<u64, (u64, u64)>::new()));
            let counted = traced.clone();
            let trace = Trace::new(move |line: &str| {
                let mut fields = line.split("  ");
                let place = fields.nth(1).and_then(|it| it.strip_prefix("0x"));
                let address = place
                    .and_then(|it| it.split(' ').next())
                    .expect("an address");
                let address = u64::from_str_radix(address, 16).expect("a number");
                let exec = fields.next().and_then(|it| it.strip_prefix("exec="));
                let exec = u64::from_str_radix(exec.expect("lanes"), 16).expect("a number");
                let mut counted = counted.lock().expect("nobody has failed");
                let (executions, active) = counted.entry(address).or_default();
                *executions += 1;
                *active += u64::from(exec.count_ones());
            });
            run(&device, &kernel, MANY, Arc::new(trace));
            let profile = profiled(&device, &kernel, MANY);
            let traced = traced.lock().expect("nobody has failed");
            assert!(traced.len() > 20, "{level} for {target}");
            let addresses: Vec<u64> = profile.code.keys().copied().collect();
            assert_eq!(addresses, traced.keys().copied().collect::<Vec<_>>());
            for (pc, it) in &profile.code {
                let (executions, active) = traced[pc];
                let is_vector = it.counts.vector_executions != 0;
                let expected = (executions, if is_vector { active } else { 0 });
                let found = (it.counts.executions, it.counts.active_lanes);
                assert_eq!(found, expected, "{:#x} {level} for {target}", pc);
            }
            assert_eq!(
                (profile.dispatches, profile.workgroups, profile.waves),
                (1, 16, 16)
            );
        }
    }
}

#[test]
fn counts_do_not_depend_on_threads() {
    let profiles = [1, 2, 4].map(|threads| {
        let device = Device::builder("gfx900").expect("a target");
        let device = device.threads(threads).build();
        let kernel = compiled(&device, DIVERGENT, &["-O2"]);
        let profile = profiled(&device, &kernel, MANY);
        // Each device has addresses of its own.
        let first = *profile.code.keys().next().expect("an instruction");
        let code = profile.code.iter();
        let code = code.map(|(pc, it)| (pc - first, it.inst.text(), it.counts));
        code.collect::<Vec<_>>()
    });
    assert_eq!(profiles[0], profiles[1]);
    assert_eq!(profiles[0], profiles[2]);
}
