//! Tests of atomics.

use super::*;

/// LDS atomics without their prefix; integer operations of memory atomics; floating-point ones.
const SHARE: &[&str] = &[
    "add_u32", "sub_u32", "rsub_u32", "inc_u32", "dec_u32", "min_i32", "max_i32", "min_u32",
    "max_u32", "and_b32", "or_b32", "xor_b32", "min_f32", "max_f32", "add_u64", "sub_u64",
    "rsub_u64", "inc_u64", "dec_u64", "min_i64", "max_i64", "min_u64", "max_u64", "and_b64",
    "or_b64", "xor_b64", "min_f64", "max_f64",
];
const MEMORY: &[&str] = &[
    "swap", "add", "sub", "smin", "smax", "umin", "umax", "and", "or", "xor", "inc", "dec",
];
const MEMORY_OF_FLOATS: &[&str] = &["fmin", "fmax"];

#[test]
fn atomics_of_lds_in_one_step() {
    let mut texts = Vec::new();
    for name in SHARE {
        let (operation, ty) = name.split_once('_').expect("two parts");
        let (data, old) = match ty.ends_with("64") {
            true => ("v[4:5]", "v[2:3]"),
            false => ("v4", "v2"),
        };
        texts.push(format!("ds_{name} v2, {data}"));
        texts.push(format!(
            "ds_{operation}_rtn_{ty} {old}, v2, {data} offset:8"
        ));
    }
    for text in [
        "ds_wrxchg_rtn_b32 v2, v2, v4 offset:5",
        "ds_wrxchg_rtn_b64 v[5:6], v2, v[5:6]",
        "ds_cmpst_b32 v2, v4, v5",
        "ds_cmpst_rtn_b64 v[2:3], v2, v[4:5], v[6:7]",
        "ds_cmpst_rtn_f32 v5, v2, v4, v5",
        "ds_cmpst_f64 v2, v[4:5], v[6:7]",
        "ds_mskor_rtn_b32 v2, v2, v4, v5",
        "ds_mskor_b64 v2, v[4:5], v[6:7]",
    ] {
        texts.push(text.to_owned());
    }
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let later = ["ds_add_f32 v2, v4", "ds_add_rtn_f32 v2, v2, v2"];
    for target in ALL {
        let mut fast = all_ways(target, &texts, Space::Lds);
        if *target != SI {
            fast += all_ways(target, &["ds_wrap_rtn_b32 v2, v2, v4, v5"], Space::Lds);
        }
        if FROM_VI.contains(target) {
            fast += all_ways(target, &later, Space::Lds);
        }
        assert!(fast > 5000, "{target}: {fast}");
    }
}

/// Memory atomics of both widths. `write` formats the operands from the data and the destination of old values.
fn atomics(family: &str, operations: &[&str], write: fn(&str, &str) -> String) -> Vec<String> {
    let mut texts = Vec::new();
    for operation in operations {
        for (width, data, old) in [("", "v4", "v2"), ("_x2", "v[4:5]", "v[2:3]")] {
            let operands = write(data, "");
            texts.push(format!("{family}_atomic_{operation}{width} {operands}"));
            let operands = write(data, old);
            texts.push(format!("{family}_atomic_{operation}{width} {operands} glc"));
        }
    }
    texts
}

/// Operands of FLAT: an address and the data, after the destination of old values, if any.
fn with_pair(data: &str, old: &str) -> String {
    match old {
        "" => format!("v[2:3], {data}"),
        old => format!("{old}, v[2:3], {data}"),
    }
}

/// Operands of GLOBAL.
fn with_off(data: &str, old: &str) -> String {
    format!("{}, off", with_pair(data, old))
}

/// Operands of MUBUF with an address, where old values go to the data registers.
fn with_addr64(data: &str, _: &str) -> String {
    format!("{data}, v[2:3], s[20:23], 0 addr64")
}

/// Operands of MUBUF with an offset in a record.
fn with_offen(data: &str, _: &str) -> String {
    format!("{data}, v1, s[16:19], s13 offen offset:4")
}

#[test]
fn atomics_of_memory_in_one_step() {
    let all: Vec<&str> = [MEMORY, MEMORY_OF_FLOATS].concat();
    for target in ALL {
        let since_vi = FROM_VI.contains(target);
        let operations = if since_vi { MEMORY } else { &all };
        let mut texts = atomics("buffer", operations, with_offen);
        texts.push("buffer_atomic_cmpswap v[4:5], v1, s[16:19], 0 offen glc".to_owned());
        texts.push("buffer_atomic_cmpswap_x2 v[4:7], v0, s[28:31], 0 idxen glc".to_owned());
        if !since_vi {
            texts.extend(atomics("buffer", operations, with_addr64));
            texts.push("buffer_atomic_fcmpswap v[4:5], v1, s[16:19], 0 offen glc".to_owned());
        }
        if *target != SI {
            texts.extend(atomics("flat", operations, with_pair));
            texts.push("flat_atomic_cmpswap v2, v[2:3], v[4:5] glc".to_owned());
            texts.push("flat_atomic_cmpswap_x2 v[2:3], v[4:7]".to_owned());
        }
        if NINE.contains(target) {
            texts.extend(atomics("global", operations, with_off));
            texts.push("global_atomic_add v2, v1, v4, s[4:5] offset:4 glc".to_owned());
        }
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let mut fast = all_ways(target, &texts, Space::Global);
        if *target != SI {
            let texts = atomics("flat", operations, with_pair);
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            fast += all_ways(target, &texts, Space::FlatLds);
        }
        assert!(fast > 1000, "{target}: {fast}");
    }
}

#[test]
fn atomics_of_threads_lose_nothing() {
    let target = Target::named(GFX9).expect("it exists");
    let text = "v_mov_b32 v2, s0\nv_mov_b32 v3, s1\nv_lshlrev_b32 v1, 2, v0\nv_add_co_u32 v4, vcc, s0, v1\nv_mov_b32 v5, s1\n\
                v_mov_b32 v6, 1\nv_mov_b32 v7, 0\ns_movk_i32 s4, 200\nloop:\nglobal_atomic_add v[2:3], v6, off offset:256\n\
                global_atomic_add_x2 v[2:3], v[6:7], off offset:264\nglobal_atomic_add v8, v[4:5], v6, off glc\n\
                s_sub_u32 s4, s4, 1\ns_cmp_lg_u32 s4, 0\ns_cbranch_scc1 loop\ns_endpgm";
    const GROUPS: u32 = 16;
    for threads in [1, 4] {
        let mut config = Config::new(target.isa);
        config.threads = threads;
        let mut device = Device::new(config);
        let buffer = device.memory.allocate("buffer", BYTES).expect("memory");
        let initial = Initial {
            sgprs: vec![
                InitialSgpr::Value(buffer as u32),
                InitialSgpr::Value((buffer >> u32::BITS) as u32),
            ],
            work_item_ids: 1,
            mode: 0,
        };
        let done = dispatch(&mut device, target, text, GROUPS, LANES as u32, initial);
        assert_eq!(done.fault, None);
        let all = 200 * GROUPS * LANES as u32;
        assert_eq!(device.memory.load_u32(buffer + 256), Some(all));
        assert_eq!(device.memory.load_u64(buffer + 264), Some(all.into()));
        for lane in 0..LANES as u64 {
            assert_eq!(
                device.memory.load_u32(buffer + 4 * lane),
                Some(200 * GROUPS)
            );
        }
    }
}
