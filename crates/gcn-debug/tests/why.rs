//! Tests `why` against reruns of the kernels in `tests/why` with modified inputs. Some change to an input that an
//! answer names must change the element. Changes to other inputs must not, if the number of executed instructions stays
//! the same.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use gcn_debug::{
    Answer, Launches, NamedBuffer, Origin, Program, Question, QuestionPlace, ScalarType, why,
};
use gcn_isa::Target;
use gcn_runtime::observe::Observers;
use gcn_runtime::{Buffer, Device, Error, Module, PreparedLaunch, Queue};

/// Number of elements in each buffer.
const ELEMENTS: usize = 256;
/// Indices of the result elements to query.
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

/// Buffer, element and new value of an input.
type Change = (usize, usize, u32);

/// Kernel with its launch.
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

/// Returns the values of a launch key in a source file.
fn values<'a>(text: &'a str, key: &str) -> Vec<&'a str> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("//! "));
    let keys = lines.filter_map(|line| line.split_once(" = "));
    keys.filter(|(it, _)| *it == key)
        .map(|(_, value)| value.trim_matches('"'))
        .collect()
}

impl Case {
    fn new(path: &Path) -> Case {
        let text = fs::read_to_string(path).expect("a source");
        let target = Target::named("gfx900").expect("a target");
        let source = gcn_asm::Source {
            name: "case.s",
            text: &text,
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
            let value = values(&text, key).first().copied();
            value.map_or(default, |it| it.parse().expect("a number"))
        };
        let (grid, group) = (size("grid", 64), size("group", 64));
        let mut names = values(&text, "kernel");
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

    /// Writes the inputs, applying the given changes.
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

    /// Runs the kernel with changed inputs, and returns the result and the number of executed instructions.
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
                address: out.address() + 4 * place as u64,
                bytes: 4,
            },
            until: None,
            executions: 1 << 20,
            log: None,
        };
        why(self, question).expect("an answer")
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
            Err(Error::Fault(_)) => Ok(false),
            Err(error) => Err(error),
        }
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

/// Returns the paths of the kernel sources.
fn sources() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/why");
    let entries = fs::read_dir(directory).expect("a directory");
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
        // Change all inputs that no answer names at once.
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
