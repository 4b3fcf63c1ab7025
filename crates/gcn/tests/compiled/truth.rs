//! Test of `why` against reruns of compiled kernels with modified inputs. An input that an answer does not name must
//! not change the result, unless the path of the run changes: executed instructions, active lanes, operands that
//! indices select, or addresses of stores. Inputs that an answer names although they have no effect are counted.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use gcn_debug::{
    Launches, MemoryImage, NamedBuffer, Origin, Program, Question, QuestionPlace, ScalarType, why,
};
use gcn_isa::uses::Intent;
use gcn_runtime::observe::{
    Context, Events, Instruction, LastingState, MemoryEvent, Observer, Observers, Verdict,
    WaveObserver,
};
use gcn_runtime::{Argument, Buffer, Device, Error, Module, PreparedLaunch, Queue};

use crate::case::{Arg, Case};
use crate::compile::{self, Build};
use crate::say;

/// Kernels that are tested by default. They use LDS, several launches, atomics, exchanges between lanes, scratch,
/// calls, addresses from memory, and branches.
const SAMPLE: [&str; 8] = [
    "bfs",
    "calls",
    "histogram",
    "kmeans",
    "private_array",
    "scan",
    "spmv_csr",
    "sub_group",
];
/// Kernel that is never tested, because the heap of the device's `malloc` keeps its contents from run to run.
const EXCEPT: &str = "device_malloc";
/// Number of inputs that are modified by default.
const INPUTS: usize = 6;
/// Environment variable that sets the number of inputs to modify, in every kernel.
const VARIABLE: &str = "GCN_TRUTH";
/// Minimum number of result elements to query, if there are that many.
const ELEMENTS: usize = 4;
/// Maximum number of instructions per wave. It ends loops whose trip count is a modified input.
const LIMIT: u64 = 1 << 22;
/// Maximum number of executions that an answer follows: the default of `gcn why`.
const EXECUTIONS: usize = 4_000_000;

/// Number of inputs to modify, if [`VARIABLE`] is set.
fn wanted() -> Option<usize> {
    let text = std::env::var(VARIABLE).ok()?;
    Some(text.parse().expect("a number of inputs"))
}

/// True if the kernel is tested.
pub fn is_chosen(case: &Case) -> bool {
    let is_sample = SAMPLE.contains(&&*case.name);
    let has_inputs = !case.buffers.is_empty() && case.name != EXCEPT;
    has_inputs && (is_sample || wanted().is_some())
}

/// Indices of a buffer and of an element in it.
type Place = (usize, usize);

/// Modification of an input.
#[derive(Clone, Copy)]
enum Modification {
    /// Copies another element of the buffer, so that an index remains valid.
    Copy,
    /// Flips the lowest bit.
    Lowest,
    /// Flips the lowest bit of the upper half.
    Middle,
    /// Flips the highest bit, the sign.
    Highest,
    Zero,
}

/// Modifications of a single input.
const MODIFICATIONS: [Modification; 6] = [
    Modification::Copy,
    Modification::Copy,
    Modification::Lowest,
    Modification::Middle,
    Modification::Highest,
    Modification::Zero,
];
/// Modifications of all inputs that an answer does not name.
const MODIFICATIONS_OF_ALL: [Modification; 3] = [
    Modification::Lowest,
    Modification::Middle,
    Modification::Copy,
];

/// Effect of modified inputs on a result element.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Effect {
    None,
    /// Only the path changes, or the run fails.
    Path,
    /// Both the element and the path change.
    Both,
    /// Only the element changes.
    Value,
}

/// Pseudorandom number generator.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        let next = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = next.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    /// Removes up to `most` random elements from a list, and returns them.
    fn take(&mut self, most: usize, from: &mut Vec<Place>) -> Vec<Place> {
        let mut taken = Vec::new();
        while taken.len() < most && !from.is_empty() {
            let index = self.below(from.len());
            taken.push(from.swap_remove(index));
        }
        taken
    }
}

/// Observer that hashes the path of a run on one thread.
#[derive(Default)]
struct Path(Arc<Mutex<DefaultHasher>>);

impl Path {
    fn hash(&self) -> u64 {
        let hasher = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        hasher.finish()
    }
}

impl Observer for Path {
    fn wants(&self) -> Events {
        Events::ISSUE | Events::ACCESS
    }

    fn waves(&self) -> Option<Box<dyn WaveObserver>> {
        Some(Box::new(WavePath(self.0.clone())))
    }
}

struct WavePath(Arc<Mutex<DefaultHasher>>);

impl WaveObserver for WavePath {
    fn issues(&mut self, context: &Context<'_>, instruction: &Instruction<'_>) {
        let mut hasher = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = (context.id(), context.pc, instruction.exec);
        (place, instruction.operands).hash(&mut *hasher);
    }

    fn accesses(&mut self, _: &Context<'_>, event: &MemoryEvent<'_>) -> Verdict {
        if event.intent() == Some(Intent::Load) {
            return Verdict::Allow;
        }
        let mut hasher = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let access = event.access();
        let lanes = access.lanes();
        lanes.hash(&mut *hasher);
        let has_second = access.elements == 2 || access.buffer != 0;
        for lane in (0..64).filter(|lane| lanes >> lane & 1 == 1) {
            access.address[lane].hash(&mut *hasher);
            if has_second {
                access.second[lane].hash(&mut *hasher);
            }
        }
        Verdict::Allow
    }
}

/// Outcome of a run that succeeds.
struct Outcome {
    /// Contents of the buffers.
    buffers: Vec<Vec<u8>>,
    /// Hash of the path.
    path: u64,
}

/// Element with the inputs that its answer names.
struct Query {
    place: Place,
    named: BTreeSet<Place>,
}

/// Kernel whose launches run again with modified inputs.
struct Rerun<'a> {
    case: &'a Case,
    module: Module,
    queue: Queue,
    buffers: Vec<Buffer>,
    /// Launches in order, each as many times as it is repeated.
    launches: Vec<PreparedLaunch>,
    /// Memory before the first launch.
    memory: MemoryImage,
    /// Other state before the first launch.
    state: LastingState,
}

impl<'a> Rerun<'a> {
    fn new(case: &'a Case, build: Build) -> Result<Rerun<'a>, String> {
        let path = compile::build(case, build)?.object;
        let file = std::fs::read(&path).map_err(|error| error.to_string())?;
        let text = |error: Error| error.to_string();
        let device = Device::builder(build.target).map_err(text)?;
        let device = device.threads(1).exclusive().build();
        let module = device.load(&*file).map_err(text)?;
        let buffers = case.buffers.iter();
        let buffers = buffers.map(|it| device.buffer(&it.name, &it.bytes));
        let buffers = buffers.collect::<Result<Vec<_>, _>>().map_err(text)?;
        let mut launches = Vec::new();
        for launch in &case.launches {
            let kernel = module.kernel(&launch.kernel).map_err(text)?;
            let mut ready = kernel.launch(launch.grid).group(launch.group);
            for arg in &launch.args {
                ready = ready.arg(match arg {
                    Arg::Buffer(n) => Argument::from(&buffers[*n]),
                    Arg::Value(bytes) => Argument::Bytes(bytes.clone()),
                    Arg::Local(bytes) => Argument::Local(*bytes),
                    Arg::Null => Argument::from(0u64),
                });
            }
            let ready = ready.instruction_limit(LIMIT).prepare().map_err(text)?;
            launches.extend(vec![ready; launch.repeat as usize]);
        }
        let memory = MemoryImage::take(device.memory());
        Ok(Rerun {
            case,
            queue: device.queue(),
            buffers,
            launches,
            memory: memory.ok_or("memory is too large")?,
            state: device.lasting_state(),
            module,
        })
    }

    /// Restores the state before the first launch, and writes modified inputs.
    fn reset(&self, modified: &[(Place, Vec<u8>)]) -> Result<(), String> {
        let device = self.module.device();
        self.memory.restore(device.memory());
        device.restore(&self.state);
        for ((buffer, element), bytes) in modified {
            let offset = (element * bytes.len()) as u64;
            let written = self.buffers[*buffer].write_bytes(offset, bytes);
            written.map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    /// Runs the launches with modified inputs. Returns `None` if one of them fails.
    fn outcome(&self, modified: &[(Place, Vec<u8>)]) -> Result<Option<Outcome>, String> {
        let text = |error: Error| error.to_string();
        self.reset(modified)?;
        let path = Arc::new(Path::default());
        let observers = Observers::none().with(path.clone());
        for run in 0..self.runs() {
            if !self.run(run, &observers).map_err(text)? {
                return Ok(None);
            }
        }
        let buffers = self.buffers.iter().map(|it| it.read::<u8>());
        Ok(Some(Outcome {
            buffers: buffers.collect::<Result<Vec<_>, _>>().map_err(text)?,
            path: path.hash(),
        }))
    }

    /// Inputs that the answer for an element names after a run with modified inputs; `None` if the answer is incomplete.
    fn named(
        &self,
        (buffer, element): Place,
        modified: &[(Place, Vec<u8>)],
    ) -> Result<Option<BTreeSet<Place>>, String> {
        self.reset(modified)?;
        let device = self.module.device();
        let bias = self.module.loaded().moved(0);
        let program = Program::new(self.module.object(), bias, device.target().isa);
        let buffers = self.buffers.iter().zip(&self.case.buffers);
        let buffers = buffers.map(|(it, described)| NamedBuffer {
            name: it.name().to_owned(),
            address: it.address(),
            bytes: it.len(),
            ty: ScalarType::named(described.ty.name()).unwrap_or(ScalarType::U8),
        });
        let buffers: Vec<NamedBuffer> = buffers.collect();
        let size = self.case.buffers[buffer].ty.size();
        let question = Question {
            program: &program,
            memory: device.memory(),
            buffers: &buffers,
            undefined: &[],
            place: QuestionPlace::Memory {
                address: buffers[buffer].address + (element * size) as u64,
                bytes: size as u64,
            },
            until: None,
            executions: EXECUTIONS,
            log: None,
        };
        let answer = why(self, question).map_err(|error| error.to_string())?;
        if answer.cut.is_some() {
            return Ok(None);
        }
        let mut named = BTreeSet::new();
        for origin in &answer.origins {
            if let Origin::Buffer { name, elements, .. } = origin {
                let buffer = buffers.iter().position(|it| it.name == *name);
                let buffer = buffer.ok_or_else(|| format!("no buffer {name}"))?;
                let elements = elements.iter().cloned().flatten();
                named.extend(elements.map(|it| (buffer, it as usize)));
            }
        }
        Ok(Some(named))
    }

    /// Chooses elements that the launches change, in all buffers, and queries them.
    fn queries(&self, before: &Outcome, random: &mut Random) -> Result<Vec<Query>, String> {
        let is_changed = |place: &Place| {
            let input = &self.case.buffers[place.0].bytes;
            self.bytes(input, *place) != self.bytes(&before.buffers[place.0], *place)
        };
        let buffers = (0..self.buffers.len()).map(|buffer| {
            let places = (0..self.count(buffer)).map(|element| (buffer, element));
            places.filter(is_changed).collect::<Vec<Place>>()
        });
        let mut buffers: Vec<Vec<Place>> = buffers.filter(|it| !it.is_empty()).collect();
        let most = ELEMENTS.div_ceil(buffers.len().max(1));
        let mut queries = Vec::new();
        for places in &mut buffers {
            for place in random.take(most, places) {
                let named = self.named(place, &[])?;
                queries.extend(named.map(|named| Query { place, named }));
            }
        }
        Ok(queries)
    }

    /// Number of elements of a buffer.
    fn count(&self, buffer: usize) -> usize {
        let buffer = &self.case.buffers[buffer];
        buffer.bytes.len() / buffer.ty.size()
    }

    /// Bytes of an element, in the contents of its buffer.
    fn bytes<'b>(&self, contents: &'b [u8], (buffer, element): Place) -> &'b [u8] {
        let size = self.case.buffers[buffer].ty.size();
        &contents[element * size..][..size]
    }

    /// Modified contents of an input.
    fn modified(
        &self,
        place: Place,
        modification: Modification,
        random: &mut Random,
    ) -> (Place, Vec<u8>) {
        let contents = &self.case.buffers[place.0].bytes;
        let mut bytes = self.bytes(contents, place).to_vec();
        let bits = 8 * bytes.len();
        let bit = match modification {
            Modification::Copy => {
                let other = (place.0, random.below(self.count(place.0)));
                return (place, self.bytes(contents, other).to_vec());
            }
            Modification::Lowest => 0,
            Modification::Middle => bits / 2,
            Modification::Highest => bits - 1,
            Modification::Zero => return (place, vec![0; bytes.len()]),
        };
        bytes[bit / 8] ^= 1 << (bit % 8);
        (place, bytes)
    }

    /// Effect of a modification on an element, given the outcomes before and after it.
    fn effect(&self, place: Place, before: &Outcome, after: Option<&Outcome>) -> Effect {
        let Some(after) = after else {
            return Effect::Path;
        };
        let value = |it: &Outcome| self.bytes(&it.buffers[place.0], place).to_vec();
        match (before.path == after.path, value(before) == value(after)) {
            (true, true) => Effect::None,
            (false, true) => Effect::Path,
            (false, false) => Effect::Both,
            (true, false) => Effect::Value,
        }
    }

    /// Name of an element.
    fn name(&self, (buffer, element): Place) -> String {
        format!("{}[{element}]", self.case.buffers[buffer].name)
    }
}

impl Launches for Rerun<'_> {
    type Error = Error;

    fn runs(&self) -> u32 {
        self.launches.len() as u32
    }

    fn restart(&self) {
        self.module.device().restore(&self.state);
    }

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

/// Counts of pairs of a result element and a modified input, by effect.
#[derive(Default)]
struct Counts {
    /// The answer names the input: the element changes, only the path changes, or neither.
    named: [usize; 3],
    /// The answer does not name the input: the element changes with the path and the new answer names the input; the
    /// element changes and the new answer does not name the input either; or the element does not change.
    others: [usize; 3],
}

/// Modifies inputs of a kernel, one at a time or all that an answer does not name, and compares the effects with the
/// answers.
///
/// # Errors
/// Fails if an element changes with an input that its answer does not name although the path does not change. With the
/// default inputs, also fails if no named input has an effect, or a new answer does not name an input that changes its
/// element along with the path.
pub fn check(case: &Case, build: Build) -> Result<(), String> {
    let rerun = Rerun::new(case, build)?;
    let mut random = Random(1);
    let before = rerun.outcome(&[])?.ok_or("it fails")?;
    let again = rerun.outcome(&[])?.ok_or("it fails the second time")?;
    if (&before.buffers, before.path) != (&again.buffers, again.path) {
        return Err("two equal runs differ".to_owned());
    }
    let queries = rerun.queries(&before, &mut random)?;
    let all = (0..case.buffers.len())
        .flat_map(|buffer| (0..rerun.count(buffer)).map(move |element| (buffer, element)));
    let all: Vec<Place> = all.collect();
    let is_named = |place: &Place| queries.iter().any(|it| it.named.contains(place));
    let (mut named, mut others): (Vec<Place>, Vec<Place>) = all.iter().copied().partition(is_named);
    let count = wanted().unwrap_or(INPUTS);
    let mut inputs = random.take(count / 2, &mut named);
    inputs.extend(random.take(count.saturating_sub(inputs.len()), &mut others));
    let mut counts = Counts::default();
    let mut wrong = Vec::new();
    for input in &inputs {
        let mut effects = vec![Effect::None; queries.len()];
        for modification in MODIFICATIONS {
            let modified = [rerun.modified(*input, modification, &mut random)];
            let after = rerun.outcome(&modified)?;
            for (query, effect) in queries.iter().zip(&mut effects) {
                let new = rerun.effect(query.place, &before, after.as_ref());
                let is_first = new == Effect::Both && *effect < Effect::Both;
                if is_first && !query.named.contains(input) {
                    let named = rerun.named(query.place, &modified)?;
                    let is_named = named.is_none_or(|it| it.contains(input));
                    counts.others[usize::from(!is_named)] += 1;
                }
                *effect = new.max(*effect);
            }
        }
        for (query, effect) in queries.iter().zip(effects) {
            match (query.named.contains(input), effect) {
                (true, Effect::Both | Effect::Value) => counts.named[0] += 1,
                (true, Effect::Path) => counts.named[1] += 1,
                (true, Effect::None) => counts.named[2] += 1,
                (false, Effect::Value) => wrong.push(format!(
                    "{} changes with {}, which its answer does not name",
                    rerun.name(query.place),
                    rerun.name(*input)
                )),
                (false, Effect::Both) => {}
                (false, Effect::Path | Effect::None) => counts.others[2] += 1,
            }
        }
    }
    for query in &queries {
        for modification in MODIFICATIONS_OF_ALL {
            let others = all.iter().filter(|it| !query.named.contains(*it));
            let modified = others.map(|it| rerun.modified(*it, modification, &mut random));
            let modified: Vec<_> = modified.collect();
            let after = rerun.outcome(&modified)?;
            if rerun.effect(query.place, &before, after.as_ref()) == Effect::Value {
                let name = rerun.name(query.place);
                wrong.push(format!(
                    "{name} changes with all inputs that its answer does not name"
                ));
            }
        }
    }
    let [explained, unexplained, unchanged] = counts.others;
    if wanted().is_none() {
        let [changes, paths, _] = counts.named;
        if changes + paths == 0 {
            wrong.push("no named input has an effect".to_owned());
        }
        // With more inputs, this is no error: `why` does not explain why an instruction was not executed.
        if unexplained > 0 {
            wrong.push(format!(
                "{unexplained} elements change with the path and an input that the new answer does not name either"
            ));
        }
    }
    if wanted().is_some() {
        let [changes, paths, idle] = counts.named;
        say(&format!(
            "{}: {} elements, {} inputs; named: {changes} change it, {paths} only the path, {idle} nothing; \
             others: {explained} change it with the path and are named then, {unexplained} are not named either, \
             {unchanged} do not change it",
            case.name,
            queries.len(),
            inputs.len()
        ));
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(wrong.join("\n"))
    }
}
