//! Failed launches, and their notifications in a findings document.

use std::sync::Arc;
use std::time::Duration;

use gcn_asm::{Options, Source, assemble};
use gcn_observe::finding::Check;
use gcn_report::program::{LaunchControl, ProgramChecks, Watch};
use gcn_report::settings::{CheckSettings, FindingFormat, Settings};
use gcn_runtime::observe::Observers;
use gcn_runtime::{CommandResult, Device, Kernel, Launch, Queue};

/// Source of two kernels: `store` stores to the address in its argument, and `spin` never ends.
const STORE: &str = "
.text
.globl store
.p2align 8
.type store,@function
store:
  s_load_dwordx2 s[0:1], s[0:1], 0x0
  v_mov_b32 v1, 7
  v_mov_b32 v2, 0
  s_waitcnt lgkmcnt(0)
  global_store_dword v2, v1, s[0:1]
  s_endpgm
.globl spin
.p2align 8
.type spin,@function
spin:
  v_mov_b32 v1, 7
again:
  v_add_u32 v1, 1, v1
  s_branch again
.rodata
.p2align 6
.amdhsa_kernel store
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 3
  .amdhsa_next_free_sgpr 2
.end_amdhsa_kernel
.p2align 6
.amdhsa_kernel spin
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 2
  .amdhsa_next_free_sgpr 2
.end_amdhsa_kernel
";

fn kernel(device: &Device, name: &str) -> Kernel {
    let source = Source {
        name: "store.s",
        text: STORE,
    };
    let assembly = assemble(&source, &Options::new(device.target()));
    assert_eq!(assembly.diagnostics, []);
    let object = assembly.program.to_object(None).expect("an object");
    let module = device.load(&object).expect("it loads");
    module.kernel(name).expect("it is there")
}

/// Debugger that cannot be reached.
#[derive(Debug)]
struct Unreachable;

impl LaunchControl for Unreachable {
    fn connect(&self, _: &Launch, _: Option<&Arc<ProgramChecks>>) -> bool {
        false
    }

    fn run(&self, _: Launch, _: Observers, _: &Queue) -> CommandResult {
        panic!("it is not connected");
    }
}

#[test]
fn a_debugger_that_cannot_be_reached_leaves_the_time_limit() {
    let device = Device::new("gfx900").expect("a target");
    let settings = Settings {
        timeout: Some(Duration::from_millis(50)),
        ..Settings::default()
    };
    let watch = Watch::new(&settings, &device).expect("nothing is opened");
    let watch = watch.controlled_by(Some(Arc::new(Unreachable)));
    let launch = kernel(&device, "spin").launch([1, 1, 1]);
    let launch = launch.raw_arguments(vec![0; 8]);
    let failure = watch.run(launch, &device.queue(), &Arc::default());
    let failure = failure.expect_err("it never ends").to_string();
    assert!(
        failure.contains("stopped after 0.05 s, the timeout"),
        "{failure}"
    );
}

#[test]
fn a_document_of_findings_has_the_kernels_that_failed() {
    let device = Device::builder("gfx900").expect("a target");
    let device = device.threads(1).build();
    let file = std::env::temp_dir().join(format!("gcn-failures-{}.sarif", std::process::id()));
    let check = CheckSettings {
        checks: vec![Check::Waits],
        format: FindingFormat::Sarif,
        output: Some(file.clone()),
        ..CheckSettings::default()
    };
    let settings = Settings {
        check: Some(check),
        ..Settings::default()
    };
    let watch = Watch::new(&settings, &device).expect("the file can be written");
    let document = || -> serde_json::Value {
        let text = std::fs::read_to_string(&file).expect("it is there at any time");
        serde_json::from_str(&text).expect("JSON")
    };
    assert!(document()["runs"][0]["invocations"].is_null());
    let store = kernel(&device, "store");
    for _ in 0..150 {
        let launch = store.launch([1, 1, 1]).raw_arguments(vec![0; 8]);
        let ran = watch.run(launch, &device.queue(), &Arc::default());
        assert!(ran.is_err(), "nothing is mapped there");
    }
    // Before `end`, the document is what a killed program leaves.
    let killed = document();
    assert_eq!(watch.end(), None);
    let ended = document();
    std::fs::remove_file(&file).expect("it is there");
    for (document, count) in [(killed, 100), (ended, 101)] {
        let invocation = &document["runs"][0]["invocations"][0];
        assert_eq!(invocation["executionSuccessful"], false);
        let notifications = invocation["toolExecutionNotifications"].as_array();
        let notifications = notifications.expect("the failures");
        assert_eq!(notifications.len(), count);
        let text = notifications[0]["message"]["text"].as_str().expect("text");
        assert!(text.starts_with("kernel store, workgroup 0,0,0"), "{text}");
        assert_eq!(notifications[0]["level"], "error");
        assert!(notifications[0]["descriptor"]["id"].is_string());
        if count > 100 {
            let last = &notifications[100]["message"]["text"];
            assert_eq!(last, "50 more launches have failed");
        }
    }
}
