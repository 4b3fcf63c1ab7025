//! Tests of settings in environment variables.

use gcn_observe::finding::Check;

use super::*;

/// Reads the settings from `variables`.
fn settings(variables: &[(&str, &str)]) -> Result<Settings, SettingsError> {
    Settings::from_variables(|name| {
        let variable = variables.iter().find(|(known, _)| *known == name);
        variable.map(|(_, value)| value.into())
    })
}

#[test]
fn nothing_and_empty_variables_are_the_defaults() {
    let names = [
        TARGET,
        MEMORY,
        THREADS,
        LIMIT,
        TIMEOUT,
        LATE,
        SCHEDULE,
        LDS_FILL,
        REGISTER_FILL,
        TRACE,
        TRACE_ONLY,
        check::CHECK,
        profile::PROFILE,
    ];
    let empty = names.iter().chain(&check::OTHERS);
    let empty: Vec<_> = empty.map(|name| (*name, "")).collect();
    assert_eq!(settings(&[]), Ok(Settings::default()));
    assert_eq!(settings(&empty), Ok(Settings::default()));
    // Without checks, their options are ignored.
    let others = check::OTHERS.map(|name| (name, "1"));
    assert_eq!(settings(&others), Ok(Settings::default()));
}

#[test]
fn variables_give_the_same_settings_again() {
    let all = Settings {
        targets: vec!["gfx803".to_owned(), "vega20:xnack-".to_owned()],
        memory: Some(3 << 30),
        threads: Some(7),
        engine: Some(Engine::Compiled),
        limit: Some(1_000_000),
        timeout: Some(Duration::from_micros(2_500_001)),
        variations: Variations {
            late: Some(0),
            schedule: Some(1),
            lds_fill: Some(u64::MAX),
            register_fill: Some(3),
        },
        trace: Some("a trace".into()),
        trace_only: vec!["workgroup=1,2,3".to_owned(), "instruction=v_*".to_owned()],
        build_options: Some("-O0 -DN=2".to_owned()),
        check: Some(CheckSettings {
            checks: vec![Check::Waits, Check::Bounds],
            kernels: [
                "reduce*",
                "f(int, float)",
                "add<float, S<int[2]>, 4>",
                "scan",
            ]
            .map(str::to_owned)
            .to_vec(),
            launch_skip: 3,
            launch_count: Some(0),
            stop_at: Some(5),
            format: FindingFormat::Sarif,
            output: Some("findings".into()),
            suppress: vec!["known".into(), "a file".into()],
            gen_suppressions: true,
            error_exitcode: Some(9),
        }),
        profile: Some(ProfileSettings {
            file: "a profile".into(),
            format: Some(ProfileFormat::Json),
        }),
        debug: Some("a socket".into()),
    };
    let variables = all.variables();
    assert_eq!(variables.len(), 13 + 2 + check::OTHERS.len() + 2);
    let value = |name: &str| {
        let variable = variables.iter().find(|(known, _)| *known == name);
        variable.map(|(_, value)| value.clone())
    };
    assert_eq!(Settings::from_variables(value), Ok(all));
}

#[test]
fn a_wrong_value_is_reported_with_its_variable() {
    for (variable, value, expected) in [
        (
            TARGET,
            "gfx906,gfx1030",
            "GCN_TARGET: `gfx1030` is RDNA: CDNA and RDNA are not supported",
        ),
        (TARGET, " , ", "GCN_TARGET: ` , ` names no target"),
        (MEMORY, "4T", "GCN_MEMORY: `4T` is not an amount of memory"),
        (MEMORY, "99999999999G", "GCN_MEMORY: `99999999999G` is not"),
        (
            THREADS,
            "0",
            "GCN_THREADS: `0` is not a number of threads from 1 to 1024",
        ),
        (LIMIT, "0", "GCN_LIMIT: `0` is not a number of instructions"),
        (
            TIMEOUT,
            "-1",
            "GCN_TIMEOUT: `-1` is not a number of seconds above 0",
        ),
        (TIMEOUT, "nan", "GCN_TIMEOUT: `nan` is not"),
        (LATE, "-1", "GCN_LATE: `-1` is not a seed"),
        (SCHEDULE, "7", "GCN_SCHEDULE: `7` is not random(SEED)"),
        (
            check::CHECK,
            "waits,wait",
            "GCN_CHECK: no check is called `wait`;",
        ),
        (check::CHECK, ",", "GCN_CHECK: `,` names no check"),
    ] {
        let error = settings(&[(variable, value)]).expect_err("it is wrong");
        assert!(error.to_string().starts_with(expected), "{error}");
    }
}

#[test]
fn a_wrong_option_of_checks_is_reported_with_its_variable() {
    for (value, expected) in [
        (
            "GCN_CHECK_STOP_AT=0",
            "`0` is not a number of findings above 0",
        ),
        ("GCN_CHECK_LAUNCH_SKIP=-1", "`-1` is not a number"),
        ("GCN_CHECK_KERNEL= , ", "` , ` names no kernel"),
        ("GCN_CHECK_FORMAT=xml", "`xml` is not text, json or sarif"),
        (
            "GCN_CHECK_ERROR_EXITCODE=256",
            "`256` is not an exit status",
        ),
    ] {
        let (variable, value) = value.split_once('=').expect("there is one");
        let error = settings(&[(check::CHECK, DEFAULT_CHECKS), (variable, value)]);
        let error = error.expect_err("it is wrong").to_string();
        assert!(
            error.starts_with(&format!("{variable}: {expected}")),
            "{error}"
        );
    }
}

#[test]
fn devices_follow_the_settings() {
    let settings = settings(&[(TARGET, "gfx803,gfx900"), (MEMORY, "1M"), (THREADS, "3")]);
    let mut settings = settings.expect("they are right");
    let devices = settings.devices().expect("the targets exist");
    let devices: Vec<_> = devices.into_iter().map(DeviceBuilder::build).collect();
    let names: Vec<_> = devices.iter().map(|device| device.target().name).collect();
    assert_eq!(names, ["gfx803", "gfx900"]);
    for device in devices {
        assert_eq!((device.usage().1, device.threads()), (1 << 20, 3));
    }
    settings.trace = Some("trace".into());
    let traced = settings.devices().expect("the targets exist");
    assert!(
        traced
            .into_iter()
            .all(|device| device.build().threads() == 1)
    );
    settings.targets.push("gfx1".to_owned());
    assert!(matches!(settings.devices(), Err(Error::Target(name)) if name == "gfx1"));
}

#[cfg(target_os = "linux")]
#[test]
fn the_host_has_memory() {
    let total = host_memory("MemTotal").expect("Linux says it");
    let available = host_memory("MemAvailable").expect("Linux says it");
    assert!(available <= total && total >= 1 << 24);
    assert_eq!(host_memory("MemImagined"), None);
}
