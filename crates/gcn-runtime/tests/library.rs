//! Tests devices, buffers, queues and signals used by several threads while kernels run.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::time::{Duration, Instant};

use gcn_asm::{Options, Source, assemble};
use gcn_runtime::{Device, Error, HostMemory, Kernel, Module, Queue, Signal};

/// Test timeout.
const PATIENCE: Duration = Duration::from_secs(60);

/// Kernels: `add_one` adds 1 to a dword for each work-item; `spin` waits until the dword is nonzero; `forever` keeps
/// adding 1 to the dword; `store` stores 7 there; `left` and `right` exchange values.
const KERNELS: &[(&str, &str)] = &[
    (
        "add_one",
        "v_lshlrev_b32 v0, 2, v0\nglobal_atomic_add v0, v1, s[0:1]",
    ),
    (
        "spin",
        "again_spin:\nglobal_load_dword v1, v2, s[0:1] glc\ns_waitcnt vmcnt(0)\nv_cmp_eq_u32 vcc, 0, v1\n\
         s_cbranch_vccnz again_spin",
    ),
    (
        "forever",
        "again_forever:\nglobal_atomic_add v2, v1, s[0:1]\ns_branch again_forever",
    ),
    (
        "store",
        "v_mov_b32 v1, 7\nglobal_store_dword v2, v1, s[0:1]",
    ),
    ("nothing", "s_nop 0"),
    (
        "left",
        concat!(
            ".set own, 0x1000\n.set other, 0x9000\n.set result, 0x11000\n",
            include_str!("exchange.s")
        ),
    ),
    (
        "right",
        concat!(
            ".set own, 0x9000\n.set other, 0x1000\n.set result, 0x19000\n",
            include_str!("exchange.s")
        ),
    ),
];

/// Number of rounds of `left` and `right`.
const ROUNDS: usize = 8000;

/// Assembles one of [`KERNELS`] with `vgprs` VGPRs.
fn code_with(device: &Device, name: &str, vgprs: u32) -> Vec<u8> {
    let (_, body) = KERNELS
        .iter()
        .find(|(known, _)| *known == name)
        .expect("a kernel");
    let text = format!(
        ".text\n.globl {name}\n.p2align 8\n.type {name},@function\n{name}:\ns_load_dwordx2 s[0:1], s[0:1], 0x0\n\
         v_mov_b32 v1, 1\nv_mov_b32 v2, 0\ns_waitcnt lgkmcnt(0)\n{body}\ns_endpgm\n.rodata\n.p2align 6\n\
         .amdhsa_kernel {name}\n.amdhsa_user_sgpr_kernarg_segment_ptr 1\n.amdhsa_next_free_vgpr {vgprs}\n\
         .amdhsa_next_free_sgpr 5\n.end_amdhsa_kernel\n"
    );
    let source = Source {
        name: "test.s",
        text: &text,
    };
    let assembly = assemble(&source, &Options::new(device.target()));
    assert!(!assembly.has_errors(), "{:?}", assembly.diagnostics);
    assembly.program.to_object(None).expect("an object")
}

fn kernel_with(device: &Device, name: &str, vgprs: u32) -> Kernel {
    let object = code_with(device, name, vgprs);
    let module = device.load(&object).expect("it loads");
    module.kernel(name).expect("it is there")
}

fn kernel(device: &Device, name: &str) -> Kernel {
    kernel_with(device, name, 8)
}

/// Creates an offload bundle in which the entry of each target is `code`.
fn bundle(targets: &[&str], code: &[u8]) -> Vec<u8> {
    /// Offset of the code.
    const BEGIN: usize = 4096;
    let mut bytes = b"__CLANG_OFFLOAD_BUNDLE__".to_vec();
    bytes.extend((targets.len() as u64).to_le_bytes());
    for target in targets {
        let id = format!("hipv4-amdgcn-amd-amdhsa--{target}");
        for number in [BEGIN, code.len(), id.len()] {
            bytes.extend((number as u64).to_le_bytes());
        }
        bytes.extend(id.bytes());
    }
    bytes.resize(BEGIN, 0);
    bytes.extend(code);
    bytes
}

fn device() -> Device {
    Device::builder("gfx900")
        .expect("a target")
        .threads(1)
        .build()
}

/// Submits a launch of one work-item with a pointer argument.
fn submit(kernel: &Kernel, pointer: u64, queue: &Queue) -> Signal {
    let launch = kernel.launch([1, 1, 1]).arg(pointer);
    launch.submit(queue).expect("it can be launched")
}

fn ended(signal: &Signal) -> gcn_runtime::CommandResult {
    signal.wait_timeout(PATIENCE).expect("it ends in time")
}

#[test]
fn types_go_from_thread_to_thread() {
    fn both<T: Send + Sync>() {}
    both::<Device>();
    both::<gcn_runtime::Buffer>();
    both::<Module>();
    both::<Kernel>();
    both::<gcn_runtime::Launch>();
    both::<gcn_runtime::PreparedLaunch>();
    both::<Queue>();
    both::<Signal>();
    both::<HostMemory>();
    both::<Error>();
}

#[test]
fn the_host_sees_atomics_while_the_kernel_runs_and_stops_it() {
    let device = device();
    let counter = device.buffer("counter", &[0u32]).expect("memory");
    let queue = device.queue();
    let running = submit(&kernel(&device, "forever"), counter.address(), &queue);
    let behind = queue.call(|| ());
    let begin = Instant::now();
    while counter.read::<u32>().expect("it is there")[0] < 1000 {
        assert!(begin.elapsed() < PATIENCE, "nothing is seen");
        std::thread::yield_now();
    }
    // No addition by host or kernel is lost.
    let before = counter.update(0, |n| n | 1 << 31).expect("it is there");
    assert!(before >= 1000);
    assert!(counter.read::<u32>().expect("it is there")[0] >= before | 1 << 31);
    assert!(running.cancel());
    assert!(matches!(ended(&running), Err(Error::Cancelled)));
    assert!(!running.cancel(), "it has ended");
    ended(&behind).expect("a cancelled command stops no queue");
    let times = running.times();
    assert!(times.begun.expect("it began") < times.ended.expect("it ended"));
}

#[test]
fn memory_comes_and_goes_while_kernels_run() {
    let device = device();
    let flag = device.buffer("flag", &[0u32]).expect("memory");
    let running = submit(&kernel(&device, "spin"), flag.address(), &device.queue());
    std::thread::scope(|scope| {
        for thread in 0..4u32 {
            let device = &device;
            scope.spawn(move || {
                for round in 0..200 {
                    let buffer = device.buffer("own", &[thread, round]).expect("memory");
                    assert_eq!(buffer.read::<u32>().expect("it is there"), [thread, round]);
                }
            });
        }
    });
    assert!(running.poll().is_none(), "it waits for the flag");
    flag.write(0, &[1u32]).expect("it is there");
    assert_eq!(
        ended(&running).expect("it has seen the flag").stats.waves,
        1
    );
}

#[test]
fn queues_wait_for_each_others_signals() {
    let device = device();
    let flag = device.buffer("flag", &[0u32]).expect("memory");
    let xs = device.buffer("xs", &[10u32, 20]).expect("memory");
    let (one, other) = (device.queue(), device.queue());
    let first = submit(&kernel(&device, "spin"), flag.address(), &one);
    let second = kernel(&device, "add_one").launch([2, 1, 1]).arg(&xs);
    let second = second
        .after(std::slice::from_ref(&first))
        .submit(&other)
        .expect("good sizes");
    let third = other.call(|| ());
    assert!(third.wait_timeout(Duration::from_millis(20)).is_none());
    assert_eq!(xs.read::<u32>().expect("it is there"), [10, 20]);
    flag.write(0, &[1u32]).expect("it is there");
    ended(&second).expect("no fault");
    ended(&third).expect("no fault");
    assert_eq!(xs.read::<u32>().expect("it is there"), [11, 21]);
    let ends = [first, second].map(|signal| signal.times().ended.expect("it ended"));
    assert!(ends[0] <= ends[1]);
}

#[test]
fn a_panic_of_a_callback_stops_neither_queues_nor_other_callbacks() {
    let queue = device().queue();
    let gate = Signal::new();
    let done = queue.call_after(std::slice::from_ref(&gate), || ());
    let (sender, receiver) = std::sync::mpsc::channel();
    done.subscribe(|_| panic!("no"));
    done.subscribe(move |end| sender.send(end.is_ok()).expect("it is received"));
    gate.complete();
    assert_eq!(receiver.recv_timeout(PATIENCE), Ok(true));
    ended(&queue.call(|| ())).expect("the queue continues");
}

#[test]
fn a_kernel_waits_for_one_of_another_queue() {
    let device = device();
    let flag = device.buffer("flag", &[0u32]).expect("memory");
    let waits = submit(&kernel(&device, "spin"), flag.address(), &device.queue());
    let stores = submit(&kernel(&device, "store"), flag.address(), &device.queue());
    ended(&stores).expect("no fault");
    ended(&waits).expect("no fault");
}

#[test]
fn a_fault_stops_its_queue_and_no_other() {
    let device = device();
    let xs = device.buffer("xs", &[0u32]).expect("memory");
    let (bad, good) = (device.queue(), device.queue());
    let store = kernel(&device, "store");
    let faulting = submit(&store, 0x40, &bad);
    let behind = submit(&store, xs.address(), &bad);
    let depends = good.wait_for(std::slice::from_ref(&faulting));
    let error = ended(&faulting).expect_err("nothing is mapped there");
    assert!(
        error
            .to_string()
            .contains("stores 4 bytes at unmapped address 0x40"),
        "{error}"
    );
    assert!(matches!(ended(&behind), Err(Error::Skipped(_))));
    assert!(matches!(bad.finish(), Err(Error::Fault(_))));
    assert_eq!(xs.read::<u32>().expect("it is there"), [0]);
    assert!(matches!(ended(&depends), Err(Error::Skipped(_))));
    ended(&submit(&store, xs.address(), &good)).expect("the other queue goes on");
    assert_eq!(xs.read::<u32>().expect("it is there"), [7]);
    bad.clear();
    ended(&submit(&store, xs.address(), &bad)).expect("it goes on");
}

#[test]
fn bundles_are_searched_for_the_devices_code_target() {
    let gfx900 = device();
    let code = code_with(&gfx900, "nothing", 8);
    let overridden = Device::builder("gfx906").expect("a target");
    let overridden = overridden.code_target(gfx900.target()).build();
    for device in [&gfx900, &overridden] {
        let module = device.load(bundle(&["gfx900", "gfx906"], &code));
        module.expect("it has code for gfx900");
        let error = device.load(bundle(&["gfx906"], &code)).expect_err("none");
        assert_eq!(
            error.to_string(),
            "no code for gfx900; there is code for: gfx906"
        );
        let twice = bundle(&["gfx900", "gfx900"], &code);
        let error = device.load(&twice).expect_err("two");
        assert_eq!(
            error.to_string(),
            "2 code objects for gfx900, where one is expected"
        );
        let modules = Module::load_all(device, &twice).expect("it has code for gfx900");
        assert_eq!(modules.len(), 2);
    }
}

#[test]
fn freed_memory_faults_by_name() {
    let device = device();
    let xs = device.allocate("the scores", 64).expect("memory");
    let address = xs.address();
    drop(xs);
    let done = submit(&kernel(&device, "store"), address + 8, &device.queue());
    let error = ended(&done).expect_err("it has been freed").to_string();
    assert!(
        error.ends_with("8 bytes from the start of the scores (64 bytes), which has been freed"),
        "{error}"
    );
}

#[test]
fn a_coherent_load_is_behind_the_stores_of_its_wave() {
    let device = device();
    let memory = device.allocate("both", 0x21000).expect("memory");
    let sides = ["left", "right"]
        .map(|name| submit(&kernel(&device, name), memory.address(), &device.queue()));
    for side in sides {
        ended(&side).expect("they meet in each round");
    }
    let loaded =
        |at: usize| memory.read::<u32>().expect("it is there")[at / 4..at / 4 + ROUNDS].to_vec();
    let rounds = loaded(0x11000).into_iter().zip(loaded(0x19000));
    // The wave that stores last must load the other wave's value.
    let lost = rounds.enumerate().find(|(_, both)| *both == (0, 0));
    assert_eq!(lost, None);
}

#[test]
fn a_launch_keeps_its_buffers() {
    let device = device();
    let flag = device.buffer("flag", &[0u32]).expect("memory");
    let xs = device.buffer("xs", &[1u32]).expect("memory");
    let queue = device.queue();
    submit(&kernel(&device, "spin"), flag.address(), &queue);
    let launch = kernel(&device, "add_one").launch([1, 1, 1]).arg(&xs);
    let done = launch.submit(&queue).expect("good sizes");
    drop(xs);
    flag.write(0, &[1u32]).expect("it is there");
    ended(&done).expect("the buffer is there");
}

#[test]
fn memory_of_the_host_is_accessed_until_it_is_released() {
    let device = device();
    let store = kernel(&device, "store");
    let queue = device.queue();
    let cells: Arc<[AtomicU64]> = (0..2).map(|_| AtomicU64::new(0)).collect();
    let shared = HostMemory::register(&device, "the cells", cells.clone()).expect("not yet");
    let again = HostMemory::register(&device, "again", cells.clone());
    assert!(matches!(again, Err(Error::Register(_))));
    let address = shared.address() + 8;
    ended(&submit(&store, address, &queue)).expect("no fault");
    assert_eq!(cells[1].load(SeqCst), 7);
    drop(shared);
    let error = ended(&submit(&store, address, &queue)).expect_err("released");
    assert!(
        error
            .to_string()
            .contains("the cells (16 bytes), which has been freed"),
        "{error}"
    );
    HostMemory::register(&device, "again", cells).expect("nothing is registered there");
}

#[test]
fn addresses_follow_from_the_order_of_allocations() {
    let addresses = || {
        let device = device();
        let first = device.allocate("first", 1).expect("memory").address();
        let kernel = kernel(&device, "nothing");
        ended(&submit(&kernel, 0, &device.queue())).expect("no fault");
        let last = device.allocate("last", 100_000).expect("memory").address();
        last - first
    };
    assert_eq!(addresses(), addresses());
}

#[test]
fn devices_of_a_process_have_memory_of_their_own() {
    let devices = ["gfx900", "gfx906", "gfx900"].map(|name| Device::new(name).expect("a target"));
    let buffers = devices
        .each_ref()
        .map(|d| d.buffer("xs", &[1u32; 4]).expect("memory"));
    let done = std::array::from_fn::<_, 3, _>(|n| {
        let launch = kernel(&devices[n], "add_one").launch([n as u32 + 1, 1, 1]);
        launch
            .arg(&buffers[n])
            .submit(&devices[n].queue())
            .expect("good sizes")
    });
    for signal in &done {
        ended(signal).expect("no fault");
    }
    let sums = buffers.map(|buffer| {
        buffer
            .read::<u32>()
            .expect("it is there")
            .iter()
            .sum::<u32>()
    });
    assert_eq!(sums, [5, 6, 7]);
    let foreign = kernel(&devices[0], "nothing").launch([1, 1, 1]).arg(0u64);
    let refused = foreign.submit(&devices[2].queue());
    assert!(matches!(refused, Err(Error::OtherDevice)));
}

#[test]
fn all_memory_counts_and_is_given_back() {
    let limited = Device::builder("gfx900").expect("a target").threads(1);
    let device = limited.memory(1 << 20).build();
    assert!(matches!(
        device.allocate("too much", 2 << 20),
        Err(Error::Memory(_))
    ));
    let nothing = kernel_with(&device, "nothing", 64);
    let queue = device.queue();
    let loaded = device.usage();
    for _ in 0..3 {
        ended(&submit(&nothing, 0, &queue)).expect("no fault");
        assert_eq!(device.usage(), loaded, "the launch's memory is freed");
    }
    // A wave with 64 VGPRs uses 16 KiB for them.
    let most = device
        .allocate("most", (1 << 20) - loaded.0 - (16 << 10))
        .expect("memory");
    let error = ended(&submit(&nothing, 0, &queue)).expect_err("no room for its registers");
    assert!(matches!(error, Error::Run(_) | Error::Launch(_)), "{error}");
    queue.clear();
    drop(most);
    ended(&submit(&nothing, 0, &queue)).expect("there is room again");
}

#[test]
fn a_small_grid_has_scratch_for_its_own_workgroups() {
    let device = device();
    let kernel = kernel(&device, "nothing");
    let bytes = |groups: u32| {
        let launch = kernel.launch([256 * groups, 1, 1]).group([256, 1, 1]);
        let launch = launch.stack(64 << 10).arg(0u64);
        launch.scratch_bytes_per_thread().expect("a valid launch")
    };
    let group = 256 * (64 << 10);
    assert_eq!([1, 2, 100].map(bytes), [group, 2 * group, 8 * group]);
}

#[test]
fn what_no_compute_unit_holds_is_refused() {
    let device = device();
    let large = kernel_with(&device, "nothing", 256);
    let launch = large.launch([1024, 1, 1]).group([1024, 1, 1]).arg(0u64);
    let error = launch
        .submit(&device.queue())
        .expect_err("16 waves of 256 VGPRs");
    assert_eq!(
        error.to_string(),
        "a workgroup of 16 waves with 256 VGPRs each does not fit a compute unit, which holds 4 such waves"
    );
    let launch = large.launch([1024, 1, 1]).group([256, 1, 1]).arg(0u64);
    ended(&launch.submit(&device.queue()).expect("four waves fit")).expect("no fault");
}

#[test]
fn a_queue_is_cancelled_as_a_whole() {
    let device = device();
    let counter = device.buffer("counter", &[0u32]).expect("memory");
    let queue = device.queue();
    let forever = kernel(&device, "forever");
    let signals: Vec<Signal> = (0..3)
        .map(|_| submit(&forever, counter.address(), &queue))
        .collect();
    queue.cancel();
    for signal in &signals {
        assert!(matches!(ended(signal), Err(Error::Cancelled)));
    }
    queue.finish().expect("it goes on");
}

#[test]
fn an_exclusive_device_runs_one_kernel_at_a_time() {
    let exclusive = Device::builder("gfx900")
        .expect("a target")
        .threads(1)
        .exclusive()
        .build();
    let xs = exclusive.buffer("xs", &[0u32]).expect("memory");
    let add_one = kernel(&exclusive, "add_one");
    let queues: Vec<Queue> = (0..4).map(|_| exclusive.queue()).collect();
    let launches = (0..100).map(|n| submit(&add_one, xs.address(), &queues[n % 4]));
    for signal in launches.collect::<Vec<_>>() {
        ended(&signal).expect("no fault");
    }
    assert_eq!(
        xs.read::<u32>().expect("it is there"),
        [100],
        "no addition is lost"
    );
}

#[test]
fn a_prepared_launch_runs_again_and_again_in_its_memory() {
    let device = device();
    let xs = device.buffer("xs", &[0u32; 2]).expect("memory");
    let launch = kernel(&device, "add_one").launch([2, 1, 1]).arg(&xs);
    let prepared = launch.prepare().expect("good arguments");
    let used = device.usage().0;
    let (one, other) = (device.queue(), device.queue());
    let done: Vec<Signal> = (0..20)
        .map(|n| prepared.submit(if n % 2 == 0 { &one } else { &other }))
        .collect::<Result<_, _>>()
        .expect("queues of the device");
    for signal in &done {
        assert_eq!(ended(signal).expect("no fault").stats.waves, 1);
    }
    assert_eq!(xs.read::<u32>().expect("it is there"), [20, 20]);
    assert_eq!(device.usage().0, used, "each has the memory of the first");
    let elsewhere = self::device().queue();
    assert!(matches!(prepared.run(&elsewhere), Err(Error::OtherDevice)));
    let later = prepared.after(&[Signal::new()]);
    let waits = later.submit(&one).expect("a queue of the device");
    assert!(waits.wait_timeout(Duration::from_millis(20)).is_none());
}

#[test]
fn a_run_on_the_callers_thread_keeps_the_queues_order() {
    let device = device();
    let xs = device.buffer("xs", &[0u32]).expect("memory");
    let launch = kernel(&device, "add_one").launch([1, 1, 1]).arg(&xs);
    let prepared = launch.prepare().expect("good arguments");
    let queue = device.queue();
    assert_eq!(prepared.run(&queue).expect("no fault").stats.waves, 1);

    // While a command waits, another thread serves the queue.
    let gate = Signal::new();
    let (before, seen) = (xs.clone(), Arc::new(AtomicU64::new(0)));
    let saw = seen.clone();
    queue.call_after(std::slice::from_ref(&gate), move || {
        saw.store(
            u64::from(before.read::<u32>().expect("it is there")[0]),
            SeqCst,
        );
    });
    let opener = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(20));
        gate.complete();
    });
    prepared.run(&queue).expect("no fault");
    opener.join().expect("no panic");
    assert_eq!(
        (seen.load(SeqCst), xs.read::<u32>().expect("it is there")[0]),
        (1, 2)
    );

    // An earlier failure prevents it from running, like any command.
    assert!(queue.call(|| panic!("no")).wait().is_err());
    assert!(matches!(prepared.run(&queue), Err(Error::Skipped(_))));
    queue.clear();
    prepared.run(&queue).expect("no fault");
}

#[test]
fn a_stopped_launch_tells_where_its_waves_were() {
    let device = device();
    let xs = device.buffer("xs", &[0u32]).expect("memory");
    let flag = Arc::default();
    let queue = device.queue();
    let forever = kernel(&device, "forever").launch([128, 1, 1]).arg(&xs);
    let running = forever.clone().stop_flag(&flag).submit(&queue);
    let running = running.expect("good arguments");
    while xs.read::<u32>().expect("it is there")[0] == 0 {
        std::thread::yield_now();
    }
    flag.store(true, SeqCst);
    let Err(Error::Fault(completion)) = ended(&running) else {
        panic!("it was stopped");
    };
    assert!(completion.unfinished > 0 && completion.stats.instructions > 0);
    assert_eq!(completion.places.len() as u64, completion.unfinished);

    // The limit of one launch does not apply to the next one.
    queue.clear();
    let limited = forever.instruction_limit(100).submit(&queue);
    let error = ended(&limited.expect("good arguments")).expect_err("it never ends");
    assert!(error.to_string().contains("100"), "{error}");
    queue.clear();
    let ends = submit(&kernel(&device, "add_one"), xs.address(), &queue);
    ended(&ends).expect("no limit");
}
