//! The checker of races: dispatches that run at the same time, and the host beside them.
//!
//! The first kernel of each test is held at the end of its first turn, so that what others do meanwhile does not depend on time.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use gcn_observe::check::checkers;
use gcn_observe::finding::{Check, FindingAddress, Findings};
use gcn_runtime::memory::Memory;
use gcn_runtime::{Buffer, Device, HostCalls, Kernel, Launch, Queue, Signal};

use crate::common::{Size, assembled, buffer, device, told};

/// Two waves of one workgroup.
const WAVES: Size = Size {
    grid: 128,
    group: 128,
};
/// One wave.
const ONE: Size = Size {
    grid: 64,
    group: 64,
};

const STORE: &str = "buffer_store_dword v0, v1, s[4:7], 0 offen";
const LOAD: &str = "buffer_load_dword v2, v1, s[4:7], 0 offen";
const ADD: &str = "buffer_atomic_add v0, v1, s[4:7], 0 offen";
/// The second kernel.
const OTHER_STORE: &str = "buffer_store_dword v3, v1, s[4:7], 0 offen";
const OTHER_LOAD: &str = "buffer_load_dword v4, v1, s[4:7], 0 offen";
const OTHER_ADD: &str = "buffer_atomic_add v3, v1, s[4:7], 0 offen";
const WAIT: &str = "s_waitcnt vmcnt(0)";

/// Holds a kernel at the end of a wave's first turn.
#[derive(Debug)]
struct Hold(Mutex<Option<(Sender<()>, Receiver<()>)>>);

impl HostCalls for Hold {
    fn serve(&self, _: &Memory) -> Result<(), String> {
        let mut ends = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((held, release)) = ends.take() {
            // The test that has gone away has failed.
            let _ = held.send(());
            let _ = release.recv();
        }
        Ok(())
    }
}

/// A device under the checker, with a buffer.
struct Scene {
    device: Device,
    data: Buffer,
    findings: Arc<Findings>,
    observers: gcn_runtime::observe::Observers,
}

/// A kernel that is held.
struct Held {
    signal: Signal,
    queue: Queue,
    release: Sender<()>,
}

impl Held {
    fn finish(self) {
        self.release.send(()).expect("it waits");
        self.signal.wait().expect("no fault");
    }
}

impl Scene {
    fn new(target: &str) -> Scene {
        let device = device(target);
        let findings = Arc::new(Findings::default());
        let observers = checkers(&[Check::Races], &findings);
        device.observe(&observers);
        Scene {
            data: buffer(&device),
            device,
            findings,
            observers,
        }
    }

    fn launch(&self, kernel: &Kernel, size: Size) -> Launch {
        let launch = kernel.launch([size.grid, 1, 1]).group([size.group, 1, 1]);
        launch.arg(&self.data).observers(&self.observers)
    }

    /// A kernel that is held between two parts of its body.
    fn hold(&self, size: Size, [before, after]: [&str; 2]) -> Held {
        let body = format!(
            "{before}\ns_mov_b32 s20, 0x20000\nturn:\ns_sub_u32 s20, s20, 1\ns_cmp_lg_u32 s20, 0\n\
             s_cbranch_scc1 turn\n{after}"
        );
        let (held, is_held) = channel();
        let (release, is_released) = channel();
        let hold = Hold(Mutex::new(Some((held, is_released))));
        let queue = self.device.queue();
        let launch = self.launch(&assembled(&self.device, &body), size);
        let launch = launch.host_calls(Arc::new(hold));
        let signal = launch.submit(&queue).expect("it can be launched");
        is_held.recv().expect("it is held");
        Held {
            signal,
            queue,
            release,
        }
    }

    fn run(&self, body: &str) {
        self.run_sized(ONE, true, body);
    }

    fn run_sized(&self, size: Size, acquires: bool, body: &str) {
        let launch = self.launch(&assembled(&self.device, body), size);
        let launch = launch.acquires(acquires);
        launch.run(&self.device.queue()).expect("no fault");
    }

    fn told(&self) -> Vec<String> {
        self.findings.all().0.iter().map(told).collect()
    }
}

/// Asserts what is found if a kernel runs to its end while another one is held.
#[track_caller]
fn expect(size: Size, first: [&str; 2], second: &str, expected: &[&str]) {
    for target in ["gfx701", "gfx803", "gfx906"] {
        let scene = Scene::new(target);
        let held = scene.hold(size, first);
        scene.run(second);
        held.finish();
        assert_eq!(scene.told(), expected, "on {target}: {first:?} {second}");
    }
}

/// Asserts what is found if the host does something while a kernel is held.
#[track_caller]
fn expect_host(size: Size, kernel: [&str; 2], host: impl Fn(&Scene), expected: &[&str]) {
    for target in ["gfx701", "gfx803", "gfx906"] {
        let scene = Scene::new(target);
        let held = scene.hold(size, kernel);
        host(&scene);
        held.finish();
        // Behind the kernel it is in order.
        host(&scene);
        assert_eq!(scene.told(), expected, "on {target}: {kernel:?}");
    }
}

#[test]
fn dispatches_at_the_same_time_are_in_no_order() {
    let race = |second, first| format!("global-race: {second} | {first}");
    let writes = race(OTHER_STORE, STORE);
    expect(WAVES, [STORE, ""], OTHER_STORE, &[&writes]);
    expect(WAVES, ["", STORE], OTHER_STORE, &[&writes]);
    expect(WAVES, [STORE, ""], OTHER_LOAD, &[&race(OTHER_LOAD, STORE)]);
    expect(WAVES, [LOAD, ""], OTHER_STORE, &[&race(OTHER_STORE, LOAD)]);
    expect(WAVES, [ADD, ""], OTHER_LOAD, &[&race(OTHER_LOAD, ADD)]);
    expect(WAVES, [LOAD, ""], OTHER_LOAD, &[]);
    expect(WAVES, [ADD, ""], OTHER_ADD, &[]);
}

#[test]
fn other_bytes_are_no_race_of_dispatches() {
    let beyond = format!("{OTHER_STORE} offset:2048");
    expect(WAVES, [STORE, LOAD], &beyond, &[]);
    let byte = |n: u32, of: &str| {
        format!("v_mov_b32 v5, 0x1000\nbuffer_store_byte {of}, v5, s[4:7], 0 offen offset:{n}")
    };
    let lane = "s_mov_b64 exec, 1\n";
    let first = format!("{lane}{}", byte(0, "v0"));
    expect(ONE, ["", &first], &format!("{lane}{}", byte(1, "v3")), &[]);
    let same = "global-race: buffer_store_byte v3, v5, s[4:7], 0 offen | buffer_store_byte v0, v5, s[4:7], 0 offen";
    let second = format!("{lane}{}", byte(0, "v3"));
    expect(ONE, ["", &first], &second, &[same]);
}

#[test]
fn a_finding_of_dispatches_names_both() {
    let scene = Scene::new("gfx906");
    let held = scene.hold(WAVES, [STORE, ""]);
    scene.run(OTHER_STORE);
    held.finish();
    let (found, _) = scene.findings.all();
    let [finding] = &found[..] else {
        panic!("{found:#?}");
    };
    assert!(finding.message.starts_with("waves of two dispatches"));
    assert_eq!(
        (finding.kernel.as_deref(), finding.dispatch),
        (Some("test"), 1)
    );
    let address = FindingAddress::global(scene.data.address());
    assert_eq!(finding.address, Some(address));
    assert_eq!(finding.sides[0].label, "the store of the other dispatch");
    let other = finding.sides[0].place.as_ref().expect("an instruction");
    assert_eq!((finding.place.lane, other.lane), (Some(0), Some(0)));
    assert!(
        finding
            .help
            .as_ref()
            .is_some_and(|it| it.hip.contains("event"))
    );
}

#[test]
fn a_dispatch_without_an_acquire_fence_may_load_old_values() {
    let race = [format!("global-race: {OTHER_LOAD} | {STORE}")];
    let own_wait = format!("{OTHER_STORE}\n{WAIT}\n{OTHER_LOAD}");
    let invalidated = format!("buffer_wbinvl1\n{WAIT}\n{OTHER_LOAD}");
    let updated = format!("{OTHER_LOAD}\n{WAIT}\n{OTHER_STORE}");
    let beyond = format!("{OTHER_LOAD} offset:2048");
    for target in ["gfx701", "gfx803", "gfx906"] {
        for (acquires, between, second, expected) in [
            (true, None, OTHER_LOAD, &[][..]),
            (false, None, OTHER_LOAD, &race[..]),
            // Behind a dispatch without a fence, and behind one with a fence.
            (false, Some(false), OTHER_LOAD, &race),
            (false, Some(true), OTHER_LOAD, &[]),
            (false, None, &updated, &race),
            (false, None, &own_wait, &[]),
            (false, None, &invalidated, &[]),
            (false, None, &beyond, &[]),
            (false, None, OTHER_STORE, &[]),
            (false, None, OTHER_ADD, &[]),
        ] {
            let scene = Scene::new(target);
            scene.run_sized(WAVES, true, STORE);
            if let Some(acquires) = between {
                scene.run_sized(WAVES, acquires, "");
            }
            scene.run_sized(WAVES, acquires, second);
            assert_eq!(scene.told(), expected, "on {target}: {second}");
        }
    }
    let scene = Scene::new("gfx906");
    scene.run_sized(WAVES, true, STORE);
    scene.run_sized(WAVES, false, OTHER_LOAD);
    let (found, _) = scene.findings.all();
    let other = found[0].sides[0].place.as_ref().expect("an instruction");
    assert_eq!((found[0].place.lane, other.lane), (Some(0), Some(0)));
    assert_eq!((found[0].dispatch, found[0].count), (1, 2));
    assert!(found[0].message.contains("without an acquire fence"));
    assert!(
        found[0]
            .help
            .as_ref()
            .is_some_and(|it| it.machine.contains("header"))
    );
}

#[test]
fn a_queue_and_a_signal_order_dispatches() {
    for target in ["gfx701", "gfx906"] {
        for same_queue in [true, false] {
            let scene = Scene::new(target);
            let held = scene.hold(WAVES, [STORE, STORE]);
            let launch = scene.launch(&assembled(&scene.device, OTHER_STORE), WAVES);
            let second = match same_queue {
                true => launch.submit(&held.queue),
                false => launch
                    .after(std::slice::from_ref(&held.signal))
                    .submit(&scene.device.queue()),
            };
            held.finish();
            let second = second.expect("it can be launched");
            second.wait().expect("no fault");
            assert_eq!(scene.told(), [""; 0], "on {target}, {same_queue}");
        }
    }
}

#[test]
fn a_wave_alone_is_watched_from_the_time_on_when_another_dispatch_runs() {
    let race = format!("global-race: {OTHER_STORE} | {STORE}");
    expect(ONE, [STORE, ""], OTHER_STORE, &[]);
    expect(ONE, ["", STORE], OTHER_STORE, &[&race]);
}

#[test]
fn dispatches_that_may_synchronise_are_left_out() {
    let flag = "v_mov_b32 v5, 0x1000\nv_mov_b32 v7, 1\nbuffer_store_dword v7, v5, s[4:7], 0 offen";
    let acquire = |at: &str| {
        format!(
            "v_mov_b32 v5, {at}\nbuffer_load_dword v6, v5, s[4:7], 0 offen glc\n{WAIT}\nbuffer_wbinvl1\n{OTHER_LOAD}"
        )
    };
    let race = format!("global-race: {OTHER_LOAD} | {STORE}");
    // The first one publishes, and the second one may learn of it somehow.
    let released = format!("{STORE}\n{WAIT}\n{flag}");
    expect(ONE, ["", &released], &acquire("0x1000"), &[]);
    expect(ONE, ["", &released], &acquire("0x2000"), &[]);
    expect(ONE, ["", &released], OTHER_LOAD, &[&race]);
    // It does not wait, and then only what the second one reads counts.
    let early = format!("{STORE}\n{flag}");
    expect(ONE, ["", &early], &acquire("0x1000"), &[]);
    expect(ONE, ["", &early], &acquire("0x2000"), &[&race]);
    // A loop that stores publishes what it has stored in the turn before.
    let turns = format!(
        "s_mov_b32 s21, 1\nagain:\n{WAIT}\n{STORE}\ns_sub_u32 s21, s21, 1\ns_cmp_eq_u32 s21, 0\n\
         s_cbranch_scc1 again"
    );
    expect(ONE, ["", &turns], &acquire("0x2000"), &[]);
    expect(ONE, ["", &turns], OTHER_LOAD, &[&race]);
    // It may learn from the host that the second one has ended.
    let told = format!("{}\n{STORE}", acquire("0x2000"));
    expect(ONE, ["", &told], OTHER_LOAD, &[]);
}

#[test]
fn what_has_ended_is_compared_at_once_where_too_much_is_kept() {
    let scene = Scene::new("gfx906");
    let held = scene.hold(WAVES, [STORE, ""]);
    let other = assembled(&scene.device, &format!("{OTHER_LOAD} offset:2048"));
    scene.run(OTHER_STORE);
    assert_eq!(scene.told(), [""; 0]);
    for _ in 0..64 {
        let launch = scene.launch(&other, ONE);
        launch.run(&scene.device.queue()).expect("no fault");
    }
    let race = format!("global-race: {OTHER_STORE} | {STORE}");
    assert_eq!(scene.told(), [&*race]);
    held.finish();
    assert_eq!(scene.told(), [&*race]);
}

#[test]
fn the_host_reads_what_a_wave_has_stored() {
    let reads = |scene: &Scene| {
        let memory = scene.device.memory();
        memory.reads(scene.data.address(), 64);
    };
    let race = format!("global-race: {STORE} | -");
    expect_host(WAVES, [STORE, ""], reads, &[&race]);
    expect_host(WAVES, ["", STORE], reads, &[&race]);
    expect_host(ONE, ["", STORE], reads, &[&race]);
    expect_host(WAVES, [LOAD, LOAD], reads, &[]);
    let beyond = format!("{STORE} offset:2048");
    expect_host(WAVES, [&beyond, &beyond], reads, &[]);
    // A kernel that stores behind waits may tell the host so, and one that reads from memory what others do may be told.
    let released = format!("{STORE}\n{WAIT}\n{STORE} offset:2048");
    expect_host(WAVES, [&released, ""], reads, &[]);
    let acquired = format!("{LOAD} glc\n{WAIT}\nbuffer_wbinvl1\n{STORE}");
    expect_host(WAVES, [&acquired, ""], reads, &[]);
}

#[test]
fn the_host_writes_behind_an_access_of_a_wave() {
    let writes = |scene: &Scene| scene.data.write(0, &[5u32; 16]).expect("it is there");
    let race = |access: &str| format!("global-race: {access} | -");
    expect_host(WAVES, [STORE, ""], writes, &[&race(STORE)]);
    expect_host(WAVES, [LOAD, ""], writes, &[&race(LOAD)]);
    expect_host(WAVES, ["", LOAD], writes, &[&race(LOAD)]);
    let beyond = format!("{STORE} offset:2048");
    expect_host(WAVES, [&beyond, ""], writes, &[]);
    let acquired = format!("{LOAD} glc\n{WAIT}\nbuffer_wbinvl1\n{LOAD}");
    expect_host(WAVES, [&acquired, ""], writes, &[]);
}

#[test]
fn a_finding_of_the_host_says_what_it_does() {
    let label = |host: &dyn Fn(&Scene)| {
        let scene = Scene::new("gfx900");
        let held = scene.hold(WAVES, [STORE, ""]);
        host(&scene);
        held.finish();
        let (found, _) = scene.findings.all();
        let labels: Vec<String> = found.iter().map(|it| it.sides[0].label.clone()).collect();
        labels.join("; ")
    };
    let read = label(&|scene| scene.device.memory().reads(scene.data.address(), 4));
    assert_eq!(read, "the host reads this memory while the kernel runs");
    let written = label(&|scene| scene.data.write(0, &[0u32]).expect("it is there"));
    assert_eq!(written, "the host writes this memory while the kernel runs");
}
