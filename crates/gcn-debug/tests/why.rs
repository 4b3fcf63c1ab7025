//! Tests `why` against reruns of the kernels in `tests/why` with modified inputs. For each input that an answer names,
//! some modification must change the queried element. Modifications of other inputs must not change it if the number of
//! executed instructions stays the same.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use gcn_debug::{
    Answer, Launches, NamedBuffer, Origin, Program, Question, QuestionPlace, ScalarType,
    ValueGraph, why,
};
use gcn_isa::Target;
use gcn_runtime::observe::Observers;
use gcn_runtime::{Buffer, Device, Error, Module, PreparedLaunch, Queue};

/// Number of elements in each buffer.
const ELEMENTS: usize = 512;
/// Indices of the elements of `out` to query.
const PLACES: [usize; 6] = [0, 1, 5, 20, 37, 63];
/// Functions that modify an input.
const CHANGES: [fn(u32) -> u32; 6] = [
    |it| it + 1,
    |it| it ^ 0x155,
    |it| it ^ 0x200,
    |_| 1,
    |_| 999,
    |_| 0,
];

/// Buffer index, element index and new value of an input.
type Change = (usize, usize, u32);

/// Module with the launches of its kernels.
struct Case {
    module: Module,
    queue: Queue,
    launches: Vec<PreparedLaunch>,
    /// Buffers `a`, `b` and `out`.
    buffers: [Buffer; 3],
    inputs: [Vec<u32>; 2],
}

/// Returns pseudorandom numbers from 1 to 1000.
fn numbers(mut seed: u32) -> Vec<u32> {
    let next = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        seed / (1 << 16) % 1000 + 1
    };
    std::iter::repeat_with(next).take(ELEMENTS).collect()
}

/// Returns the values of a launch parameter in the comments of a source file.
fn values<'a>(text: &'a str, key: &str) -> Vec<&'a str> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("//! "));
    let keys = lines.filter_map(|line| line.split_once(" = "));
    keys.filter(|(it, _)| *it == key)
        .map(|(_, value)| value.trim_matches('"'))
        .collect()
}

impl Case {
    fn new(path: &Path) -> Case {
        Case::of(&fs::read_to_string(path).expect("a source"))
    }

    fn of(text: &str) -> Case {
        let target = Target::named("gfx900").expect("a target");
        let source = gcn_asm::Source {
            name: "case.s",
            text,
        };
        let assembly = gcn_asm::assemble(&source, &gcn_asm::Options::new(target));
        assert!(!assembly.has_errors(), "{:?}", assembly.diagnostics);
        let object = assembly.program.to_object(None).expect("an object");
        let device = Device::builder("gfx900").expect("a target");
        let device = device.threads(1).exclusive().build();
        let module = device.load(&object).expect("it loads");
        let inputs = [numbers(1), numbers(2)];
        let out = vec![0; ELEMENTS];
        let buffer =
            |name: &str, elements: &[u32]| device.buffer(name, elements).expect("a buffer");
        let buffers = [
            buffer("a", &inputs[0]),
            buffer("b", &inputs[1]),
            buffer("out", &out),
        ];
        let size = |key: &str, default: u32| {
            let value = values(text, key).first().copied();
            value.map_or(default, |it| it.parse().expect("a number"))
        };
        let (grid, group) = (size("grid", 64), size("group", 64));
        let mut names = values(text, "kernel");
        if names.is_empty() {
            names.push("kernel");
        }
        let launches = names.iter().map(|name| {
            let kernel = module.kernel(name).expect("a kernel");
            let launch = kernel.launch([grid, 1, 1]).group([group, 1, 1]);
            let launch = buffers.iter().fold(launch, |launch, it| launch.arg(it));
            launch.prepare().expect("it can begin")
        });
        Case {
            launches: launches.collect(),
            queue: device.queue(),
            module: module.clone(),
            buffers,
            inputs,
        }
    }

    /// Writes the inputs with the given changes, and clears `out`.
    fn reset(&self, changed: &[Change]) {
        for (number, (buffer, elements)) in self.buffers.iter().zip(&self.inputs).enumerate() {
            let mut elements = elements.clone();
            for (_, place, value) in changed.iter().filter(|it| it.0 == number) {
                elements[*place] = *value;
            }
            buffer.write(0, &elements).expect("it fits");
        }
        let [.., out] = &self.buffers;
        out.write(0, &vec![0u32; ELEMENTS]).expect("it fits");
    }

    /// Runs the launches with changed inputs. Returns the result and the number of executed instructions.
    fn result(&self, changed: &[Change]) -> (Vec<u32>, u64) {
        self.reset(changed);
        let ends = self.launches.iter().map(|launch| {
            let end = launch.run(&self.queue).expect("it ends");
            end.stats.instructions
        });
        let instructions = ends.sum();
        let [.., out] = &self.buffers;
        (out.read().expect("it is there"), instructions)
    }

    fn ask(&self, place: usize) -> Answer {
        self.asked(4 * place as u64, 4, |question| {
            why(self, question).expect("an answer")
        })
    }

    /// Calls a function with a question about bytes of `out`.
    fn asked<R>(&self, offset: u64, bytes: u64, f: impl FnOnce(Question<'_>) -> R) -> R {
        self.reset(&[]);
        let device = self.module.device();
        let bias = self.module.loaded().moved(0);
        let program = Program::new(self.module.object(), bias, device.target().isa);
        let buffers = self.buffers.iter().map(|it| NamedBuffer {
            name: it.name().to_owned(),
            address: it.address(),
            bytes: it.len(),
            ty: ScalarType::U32,
        });
        let buffers: Vec<NamedBuffer> = buffers.collect();
        let [.., out] = &self.buffers;
        let question = Question {
            program: &program,
            memory: device.memory(),
            buffers: &buffers,
            undefined: &[],
            place: QuestionPlace::Memory {
                address: out.address() + offset,
                bytes,
            },
            until: None,
            executions: 1 << 20,
            log: None,
        };
        f(question)
    }
}

impl Launches for Case {
    type Error = Error;

    fn runs(&self) -> u32 {
        self.launches.len() as u32
    }

    fn restart(&self) {}

    fn run(&self, run: u32, observers: &Observers) -> Result<bool, Error> {
        let launch = self.launches[run as usize].clone().observers(observers);
        match launch.run(&self.queue) {
            Ok(_) => Ok(true),
            Err(Error::Fault(_)) => {
                self.queue.clear();
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }
}

/// Launches that fail after a number of runs.
struct Failing<'a> {
    case: &'a Case,
    left: Cell<u32>,
}

impl Launches for Failing<'_> {
    type Error = &'static str;

    fn runs(&self) -> u32 {
        self.case.runs()
    }

    fn restart(&self) {}

    fn run(&self, run: u32, observers: &Observers) -> Result<bool, &'static str> {
        let goes_on = self.case.run(run, observers).expect("it ends");
        self.left
            .set(self.left.get().checked_sub(1).ok_or("it fails")?);
        Ok(goes_on)
    }
}

/// Returns the elements of `a` and `b` named in an answer.
fn named(answer: &Answer) -> BTreeSet<(usize, usize)> {
    let mut named = BTreeSet::new();
    for origin in &answer.origins {
        if let Origin::Buffer { name, elements, .. } = origin {
            let buffer = match &**name {
                "a" => 0,
                "b" => 1,
                _ => continue,
            };
            for it in elements.iter().cloned().flatten() {
                named.insert((buffer, it as usize));
            }
        }
    }
    named
}

/// Returns the directory of the kernel sources.
fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/why")
}

/// Returns the paths of the kernel sources.
fn sources() -> Vec<PathBuf> {
    let entries = fs::read_dir(directory()).expect("a directory");
    let paths = entries.map(|it| it.expect("an entry").path());
    let mut paths: Vec<PathBuf> = paths
        .filter(|it| it.extension().is_some_and(|it| it == "s"))
        .collect();
    paths.sort();
    paths
}

#[test]
fn answers_name_the_inputs_that_matter() {
    let paths = sources();
    assert!(paths.len() >= 10, "kernels are missing");
    let mut wrong = Vec::new();
    let mut total = 0;
    for path in paths {
        let name = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let case = Case::new(&path);
        let (before, path) = case.result(&[]);
        let named: Vec<_> = PLACES
            .iter()
            .map(|place| named(&case.ask(*place)))
            .collect();
        let all: BTreeSet<_> = named.iter().flatten().copied().collect();
        let elements = (0..2).flat_map(|buffer| (0..ELEMENTS).map(move |it| (buffer, it)));
        let (mut groups, others): (Vec<_>, Vec<_>) = elements.partition(|it| all.contains(it));
        let mut groups: Vec<Vec<_>> = groups.drain(..).map(|it| vec![it]).collect();
        // Modify all inputs that no answer names at once.
        groups.push(others);
        let mut changes = vec![BTreeSet::new(); PLACES.len()];
        let mut required = vec![BTreeSet::new(); PLACES.len()];
        for group in groups {
            for change in CHANGES {
                let changed = group.iter().map(|&(buffer, element)| {
                    let is = case.inputs[buffer][element];
                    (buffer, element, change(is))
                });
                let changed: Vec<Change> = changed.collect();
                let (after, new_path) = case.result(&changed);
                for (number, place) in PLACES.iter().enumerate() {
                    if before[*place] != after[*place] {
                        changes[number].extend(group.iter().copied());
                        if path == new_path {
                            required[number].extend(group.iter().copied());
                        }
                    }
                }
            }
        }
        for (number, place) in PLACES.iter().enumerate() {
            let named = &named[number];
            total += named.len();
            let silent: Vec<_> = required[number].difference(named).collect();
            let idle: Vec<_> = named.difference(&changes[number]).collect();
            if !silent.is_empty() || !idle.is_empty() {
                wrong.push(format!(
                    "{name}: out[{place}]: not named {silent:?}, named without effect {idle:?}"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(total > 100, "answers name {total} inputs");
}

/// Kernel whose workgroups each write a byte of `out`.
const BYTES: &str = "\
//! grid = 1040
//! group = 1
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x10
    s_mov_b32 s6, -1
    s_mov_b32 s7, 0x27fac
    v_mov_b32 v1, s2
    s_waitcnt lgkmcnt(0)
    buffer_store_byte v1, v1, s[4:7], 0 offen
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 48
.end_amdhsa_kernel
";

#[test]
fn too_many_writers_cut_an_answer() {
    let case = Case::of(BYTES);
    let ask = |bytes| {
        let answer = case.asked(0, bytes, |question| why(&case, question));
        let answer = answer.expect("an answer");
        (answer.workgroups, answer.cut)
    };
    assert_eq!(ask(1024), (1024, None));
    let cut = "more workgroups have taken part than are traced";
    assert_eq!(ask(1025), (0, Some(cut)));
}

/// Kernel with a loop that writes `v2` in all lanes except lane 0, and a loop that reads `v2`.
const INACTIVE: &str = "\
.globl kernel
.p2align 8
.type kernel,@function
kernel:
    s_load_dwordx2 s[4:5], s[0:1], 0x10
    s_mov_b32 s6, -1
    s_mov_b32 s7, 0x27fac
    v_lshlrev_b32 v1, 2, v0
    v_mov_b32 v2, 1
    v_mov_b32 v3, 0
    s_mov_b32 s8, 100
    s_mov_b64 exec, -2
write:
    v_mov_b32 v2, 2
    s_sub_u32 s8, s8, 1
    s_cmp_lg_u32 s8, 0
    s_cbranch_scc1 write
    s_mov_b64 exec, -1
    s_mov_b32 s8, 100
read:
    v_add_u32 v3, v2, v3
    s_sub_u32 s8, s8, 1
    s_cmp_lg_u32 s8, 0
    s_cbranch_scc1 read
    s_waitcnt lgkmcnt(0)
    buffer_store_dword v3, v1, s[4:7], 0 offen
    s_endpgm
.rodata
.p2align 6
.amdhsa_kernel kernel
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_next_free_vgpr 16
    .amdhsa_next_free_sgpr 48
.end_amdhsa_kernel
";

#[test]
fn writes_in_other_lanes_cut_an_answer() {
    let case = Case::of(INACTIVE);
    let ask = |place: u64| {
        let answer = case.asked(4 * place, 4, |mut question| {
            question.executions = 1000;
            why(&case, question)
        });
        answer.expect("an answer").cut
    };
    // Each of 100 reads in lane 0 skips 100 writes. In lane 1, the last write is the reaching definition.
    assert_eq!(ask(0), Some("it has more executions than the limit allows"));
    assert_eq!(ask(1), None);
}

#[test]
fn a_launch_that_fails_leaves_the_memory_from_before() {
    let case = Case::new(&directory().join("two.s"));
    let [a, b] = case.inputs.clone();
    let before = vec![a, b, vec![0; ELEMENTS]];
    let questions: [fn(&Failing<'_>, Question<'_>) -> bool; 2] = [
        |launches, question| why(launches, question).is_ok(),
        |launches, question| ValueGraph::of(launches, question).is_ok(),
    ];
    for is_answered in questions {
        let mut runs = 0;
        loop {
            let launches = Failing {
                case: &case,
                left: Cell::new(runs),
            };
            if case.asked(0, 4, |question| is_answered(&launches, question)) {
                break;
            }
            let contents = case.buffers.iter();
            let contents = contents.map(|it| it.read::<u32>().expect("it is there"));
            assert_eq!(contents.collect::<Vec<_>>(), before, "run {runs}");
            runs += 1;
        }
        // Every pass has two runs.
        assert!(runs > 4, "{runs}");
    }
}
