//! Breakpoints and watchpoints, and reasons why a run stopped.

use gcn_emu::fault::Fault;
use gcn_emu::memory::Memory;
use gcn_emu::step::Step;
use gcn_emu::wave::WaveId;
use gcn_isa::uses::{RegisterSet, Spaces};

use crate::catch::Finding;
use crate::error::EvalError;
use crate::eval::{Evaluated, evaluate, is_variable, resolve, variable_id};
use crate::expr::{Dependencies, Expr, MAPPED, Place, Space};
use crate::scalar::{Scalar, ScalarType};
use crate::view::{Target, View};

/// Breakpoint or watchpoint.
#[derive(Clone, Debug)]
pub struct StopPoint {
    /// Number by which commands refer to the stop point, from 1.
    pub number: u32,
    /// Location or expression as the user wrote it.
    pub text: String,
    /// Event that triggers the stop.
    pub kind: StopKind,
    /// Condition with its source text.
    pub condition: Option<(Expr, String)>,
    /// True if the stop point is deleted after its first stop.
    pub is_temporary: bool,
    /// False if the user disabled the stop point.
    pub is_enabled: bool,
    /// Number of further hits to ignore.
    pub ignored: u64,
    /// Number of hits, excluding those with a false condition.
    pub hits: u64,
}

/// Event that triggers a breakpoint or watchpoint.
#[derive(Clone, Debug)]
pub enum StopKind {
    /// A wave is about to execute an instruction at one of these addresses.
    Addresses(Vec<u64>),
    /// A wave is about to execute an instruction whose mnemonic matches this pattern; `*` matches any text.
    Mnemonic(String),
    /// A value changes.
    Watch {
        /// Watched value.
        watched: Watched,
        /// State that the value depends on.
        dependencies: Box<Dependencies>,
        /// Names and IDs of the source variables in the watched expression.
        variables: Vec<(String, usize)>,
        /// Wave whose registers, LDS or scratch are watched, if any.
        wave: Option<WaveId>,
        /// Focused lane at the time the watchpoint was set.
        lane: u8,
        /// Value at the last comparison.
        last: Observation,
    },
}

/// Reason why the run stopped.
#[derive(Clone, Debug)]
pub enum Stop {
    /// A launch is about to start.
    Begin,
    /// The wave's next instruction hits these breakpoints, listed by number.
    Breakpoints(Vec<u32>),
    /// Watched values changed.
    Watchpoints {
        /// Watchpoint number, expression text and change of each.
        changes: Vec<(u32, String, Change)>,
        /// Wave and address of the instruction that changed them.
        by: (WaveId, u64),
    },
    /// The requested step is complete.
    Step,
    /// The function returned.
    Returned,
    /// The wave in focus ended.
    WaveEnded(WaveId),
    /// The wave in focus is waiting for other waves, which the scheduler holds.
    Held(WaveId),
    /// The user or the timeout interrupted the run.
    Interrupted,
    /// A wave faulted. The launch ends when the run resumes.
    Fault(Box<Fault>),
    /// Checkers reported findings.
    Findings(Vec<Finding>),
    /// The condition of a breakpoint or watchpoint cannot be evaluated.
    Condition {
        /// Number of the breakpoint or watchpoint.
        number: u32,
        /// Evaluation error.
        error: EvalError,
    },
    /// The launch went back to an earlier point. After [`Resume::BackToStop`](crate::Resume::BackToStop), contains the
    /// stops there: breakpoints at the next instruction, and watched values that this instruction is about to change.
    Back(Vec<Stop>),
    /// The launch went back to its start. Going back further enters
    /// [`Session::earlier_launches`](crate::Session::earlier_launches).
    BackAtBegin,
    /// The launch went back to the first instruction of this wave, which begins after other waves have executed some.
    BackAtWaveBegin(WaveId),
    /// The launch is back at the point of a question, after [`Resume::Why`](crate::Resume::Why).
    Answered,
    /// The launch ended before its replay reached the target. Reported through
    /// [`FrontEnd::passed`](crate::FrontEnd::passed).
    Diverged,
}

impl Stop {
    /// Returns the numbers of the breakpoints and watchpoints that caused the stop.
    pub fn numbers(&self) -> Vec<u32> {
        match self {
            Stop::Breakpoints(numbers) => numbers.clone(),
            Stop::Watchpoints { changes, .. } => changes.iter().map(|it| it.0).collect(),
            Stop::Condition { number, .. } => vec![*number],
            Stop::Back(stops) => stops.iter().flat_map(Stop::numbers).collect(),
            _ => Vec::new(),
        }
    }
}

/// Value to watch.
#[derive(Clone, PartialEq, Debug)]
pub enum Watched {
    /// Value of an expression.
    Expr(Expr),
    /// Values of elements in device memory.
    Elements {
        /// Name of the buffer, and index of the first element.
        name: (String, u64),
        /// Address of the first element.
        address: u64,
        /// Number of elements.
        count: u64,
        /// Element type.
        ty: ScalarType,
    },
}

/// Value of a watchpoint at the last comparison.
#[derive(Clone, Debug)]
pub struct Observation {
    pub(crate) value: WatchedValue,
    /// Address and bytes of the value, if it is in global memory at a fixed address.
    contents: Option<(u64, Vec<u8>)>,
}

/// Current value of a watched expression or of watched elements.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum WatchedValue {
    /// Single value.
    Scalar(Scalar),
    /// Values of several lanes or elements.
    Several(Vec<Scalar>),
    /// Evaluation error.
    Missing(EvalError),
}

/// Change of a watched value.
#[derive(Clone, PartialEq, Debug)]
pub struct Change {
    /// Changed expression, lane or element, such as `v3[5]`.
    pub part: String,
    /// Old value, or `None` if there was none.
    pub old: Option<Scalar>,
    /// New value, or `None` if there is none.
    pub new: Option<Scalar>,
    /// Number of other lanes or elements that changed at the same time.
    pub others: usize,
}

impl Watched {
    /// True if the value depends on the wave in focus: its registers, LDS, scratch or source variables.
    pub fn is_of_wave(&self, view: &View<'_>) -> bool {
        self.dependencies(view).is_of_wave()
    }

    /// Returns the state that the value depends on: all state if it reads source variables, whose locations may change.
    pub(crate) fn dependencies(&self, view: &View<'_>) -> Dependencies {
        let Watched::Expr(expr) = self else {
            return Dependencies {
                memory: MAPPED,
                ..Dependencies::default()
            };
        };
        match self.variables(view).is_empty() {
            true => expr.dependencies(),
            false => Dependencies::ANY,
        }
    }

    /// Returns the names and IDs of the source variables in the expression.
    pub(crate) fn variables(&self, view: &View<'_>) -> Vec<(String, usize)> {
        let mut found = Vec::new();
        if let Watched::Expr(expr) = self {
            expr.each_place(&mut |place| {
                if let Place::Name(name) = place
                    && is_variable(name, view)
                {
                    found.extend(variable_id(name, view).map(|id| (name.clone(), id)));
                }
            });
        }
        found
    }

    /// Checks that the value can be evaluated now.
    ///
    /// # Errors
    /// Returns the evaluation error.
    pub fn current(&self, view: &View<'_>) -> Result<(), EvalError> {
        match self.value(view) {
            WatchedValue::Missing(error) => Err(error),
            WatchedValue::Scalar(_) | WatchedValue::Several(_) => Ok(()),
        }
    }

    /// Reads the current value.
    pub(crate) fn observe(&self, view: &View<'_>) -> Observation {
        let range = match self {
            Watched::Elements {
                address, count, ty, ..
            } => Some((*address, count.saturating_mul(ty.bytes()))),
            // The location of a variable may change.
            Watched::Expr(expr)
                if expr.is_at_fixed_address() && self.variables(view).is_empty() =>
            {
                match resolve(expr, view) {
                    Ok(Target::Memory {
                        space: Space::Global,
                        ty,
                        address,
                    }) => Some((address, ty.bytes())),
                    _ => None,
                }
            }
            Watched::Expr(_) => None,
        };
        let contents = range.and_then(|(address, bytes)| {
            // Reject lengths beyond the end of memory before allocating.
            view.memory.find(address, bytes)?;
            let mut contents = vec![0; bytes as usize];
            let is_read = view.memory.read(address, &mut contents);
            is_read.then_some((address, contents))
        });
        Observation {
            value: self.value(view),
            contents,
        }
    }

    /// Evaluates the current value.
    fn value(&self, view: &View<'_>) -> WatchedValue {
        let found = match self {
            Watched::Expr(expr) => match evaluate(expr, view) {
                Ok(Evaluated::Scalar(number)) => return WatchedValue::Scalar(number),
                Ok(Evaluated::Lanes(lanes)) => Ok(lanes),
                Ok(Evaluated::Buffer(number)) => {
                    let buffer = &view.buffers[number];
                    elements(view, buffer.address, buffer.elements(), buffer.ty)
                }
                Ok(Evaluated::Object(object)) => match object.scalar(view) {
                    Ok(number) => return WatchedValue::Scalar(number),
                    Err(error) => Err(error),
                },
                Err(error) => Err(error),
            },
            Watched::Elements {
                address, count, ty, ..
            } => elements(view, *address, *count, *ty),
        };
        found.map_or_else(WatchedValue::Missing, WatchedValue::Several)
    }

    /// Returns the name of a lane or element, by index.
    fn part(&self, text: &str, place: usize) -> String {
        match self {
            Watched::Expr(_) => format!("{text}[{place}]"),
            Watched::Elements {
                name: (name, first),
                ..
            } => format!("{name}[{}]", first + place as u64),
        }
    }
}

/// Reads elements from memory.
fn elements(
    view: &View<'_>,
    address: u64,
    count: u64,
    ty: ScalarType,
) -> Result<Vec<Scalar>, EvalError> {
    let size = ty.bytes() as usize;
    let bytes = count.saturating_mul(ty.bytes());
    let outside = || EvalError::Outside {
        space: Space::Global,
        address,
        bytes,
    };
    // Reject lengths beyond the end of memory before allocating.
    if view.memory.find(address, bytes).is_none() {
        return Err(outside());
    }
    let mut contents = vec![0; bytes as usize];
    view.read_bytes(Space::Global, address, &mut contents)?;
    let number = |chunk: &[u8]| {
        let mut all = [0; 8];
        all[..size].copy_from_slice(chunk);
        Scalar::new(ty, u64::from_le_bytes(all))
    };
    Ok(contents.chunks_exact(size).map(number).collect())
}

impl Observation {
    /// True if the contents of memory show that the value is unchanged. False if only evaluation can tell.
    pub(crate) fn is_unchanged(&self, memory: &Memory) -> bool {
        self.contents.as_ref().is_some_and(|(address, old)| {
            let mut few = [0; 16];
            let mut many = Vec::new();
            let new = few.get_mut(..old.len()).unwrap_or_else(|| {
                many.resize(old.len(), 0);
                &mut many
            });
            memory.read(*address, new) && new == old
        })
    }

    /// Returns the address of the first byte that a later observation changes, for values at a fixed address in memory.
    pub(crate) fn first_change(&self, later: &Observation) -> Option<u64> {
        let (address, old) = self.contents.as_ref()?;
        let (_, new) = later.contents.as_ref().filter(|it| it.0 == *address)?;
        let place = old.iter().zip(new).position(|(old, new)| old != new)?;
        Some(address + place as u64)
    }
}

impl WatchedValue {
    /// True if no wave is running, or if a variable is unavailable or out of scope at the current instruction.
    pub(crate) fn is_unknown(&self) -> bool {
        let WatchedValue::Missing(error) = self else {
            return false;
        };
        matches!(
            error,
            EvalError::NoWave | EvalError::Unavailable { .. } | EvalError::NoName { .. }
        )
    }

    /// Returns the first difference from a later value, or `None` if the values are equal or one is unknown.
    pub(crate) fn change(
        &self,
        later: &WatchedValue,
        what: &Watched,
        text: &str,
    ) -> Option<Change> {
        let change = |part: String, old, new, others| Change {
            part,
            old,
            new,
            others,
        };
        match (self, later) {
            (WatchedValue::Scalar(old), WatchedValue::Scalar(new)) => {
                (old != new).then(|| change(text.to_owned(), Some(*old), Some(*new), 0))
            }
            (WatchedValue::Several(old), WatchedValue::Several(new)) if old.len() == new.len() => {
                let pairs = || old.iter().zip(new).enumerate();
                let mut changed = pairs().filter(|(_, (old, new))| old != new);
                let (place, (old, new)) = changed.next()?;
                let part = what.part(text, place);
                Some(change(part, Some(*old), Some(*new), changed.count()))
            }
            (WatchedValue::Missing(_), WatchedValue::Missing(_)) => None,
            // A variable keeps its last value while it is out of scope or optimized out.
            (old, new) if old.is_unknown() || new.is_unknown() => None,
            (old, new) => {
                let first = |value: &WatchedValue| match value {
                    WatchedValue::Scalar(number) => Some(*number),
                    WatchedValue::Several(all) => all.first().copied(),
                    WatchedValue::Missing(_) => None,
                };
                Some(change(text.to_owned(), first(old), first(new), 0))
            }
        }
    }
}

impl StopPoint {
    /// True if waves must stop at an instruction: before it for a breakpoint, or after it to compare a watched value.
    pub(crate) fn concerns(&self, address: u64, step: &Step) -> bool {
        if !self.is_enabled {
            return false;
        }
        match &self.kind {
            StopKind::Addresses(addresses) => addresses.contains(&address),
            StopKind::Mnemonic(pattern) => has_name(step, pattern),
            StopKind::Watch { dependencies, .. } => may_change(dependencies, step),
        }
    }

    /// True if this is a watchpoint.
    pub fn is_watch(&self) -> bool {
        matches!(self.kind, StopKind::Watch { .. })
    }
}

/// True if the mnemonic of an instruction matches a pattern.
fn has_name(step: &Step, pattern: &str) -> bool {
    let text = step.inst.text();
    let written = text.split_whitespace().next().unwrap_or_default();
    matches_pattern(step.inst.name(), pattern) || matches_pattern(written, pattern)
}

/// True if a name matches a pattern in which `*` matches any text.
///
/// # Examples
/// ```
/// use gcn_debug::matches_pattern;
/// assert!(matches_pattern("v_mul_f32", "v_*_f32"));
/// assert!(!matches_pattern("v_mul_f32", "v_mul"));
/// ```
pub fn matches_pattern(name: &str, pattern: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else {
        return name == pattern;
    };
    let Some(name) = name.strip_prefix(first) else {
        return false;
    };
    // Matching each middle segment at its first occurrence leaves the most text for the last segment.
    let (middle, last) = rest.rsplit_once('*').unwrap_or(("", rest));
    let behind = middle
        .split('*')
        .try_fold(name, |name, part| Some(name.split_once(part)?.1));
    behind.is_some_and(|name| name.ends_with(last))
}

/// True if an instruction may change a watched value.
fn may_change(dependencies: &Dependencies, step: &Step) -> bool {
    let uses = step.inst.uses();
    let stored = uses.memory().map_or(Spaces::NONE, |it| it.written);
    if dependencies.memory.iter().any(|space| stored.has(space)) {
        return true;
    }
    if !dependencies.of_wave {
        return false;
    }
    if step.relative.is_some() {
        return true;
    }
    let mut written = RegisterSet::default();
    for it in uses.registers().filter(|it| it.written != 0) {
        if it.indexed {
            return true;
        }
        written.add(it.registers);
    }
    written.meets(&dependencies.registers) || dependencies.registers == RegisterSet::ALL
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_stand_for_any_text() {
        for (name, pattern, expected) in [
            ("s_barrier", "s_barrier", true),
            ("s_barrier", "s_bar", false),
            ("v_mul_f32", "v_*_f32", true),
            ("v_mul_f32", "*f64", false),
            ("ds_write_b32", "ds_*", true),
            ("ds_write_b32", "*", true),
            ("ds_write2st64_b32", "ds_*st*_b*", true),
            ("ds_write_b32", "ds_*b32*2", false),
            ("v_mul_f32", "v_*****************************z", false),
        ] {
            assert_eq!(
                matches_pattern(name, pattern),
                expected,
                "{name}, {pattern}"
            );
        }
    }
}
