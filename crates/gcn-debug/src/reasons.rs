//! Reasons for a wave to stop: watchpoints, findings, interrupts, breakpoints, and the goal of the last command.

use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

use gcn_emu::fault::Intent;
use gcn_emu::observe::{Access, Context, Paused};
use gcn_emu::step::Step;
use gcn_emu::wave::{Waiting, WaveId, active};
use gcn_isa::Does;
use gcn_isa::effect::Control;

use crate::error::EvalError;
use crate::eval;
use crate::goal::Goal;
use crate::past::Moment;
use crate::session::{LastRun, Scheduler, State};
use crate::stops::{Change, Observation, Stop, StopKind, StopPoint};
use crate::view::View;

/// True for a jump that saves its return address.
pub(crate) fn is_call(step: &Step) -> bool {
    let uses = step.inst.uses();
    uses.calls()
        && uses
            .registers()
            .any(|it| it.written != 0 && it.operand().is_some())
}

/// True if an instruction ends the wave.
pub(crate) fn ends_wave(step: &Step) -> bool {
    matches!(step.inst.does(), Does::Control(Control::End))
}

/// Position of the wave whose turn it is.
#[derive(Clone, Copy)]
pub(crate) struct Current {
    pub(crate) at: Moment,
    pub(crate) pc: u64,
}

pub(crate) fn current(paused: &Paused<'_>) -> Option<Current> {
    let wave = paused.current()?;
    Some(Current {
        at: Moment {
            wave: wave.id,
            executed: wave.executed,
        },
        pc: wave.pc,
    })
}

/// Sets the old values of watchpoints to the current values.
pub(crate) fn compare_anew(state: &mut State, paused: &Paused<'_>) {
    let values: Vec<_> = state
        .stops
        .iter()
        .map(|it| match &it.kind {
            StopKind::Watch {
                watched,
                wave,
                lane,
                ..
            } => {
                let view = state.view(Some(paused), *wave);
                Some(watched.observe(&View {
                    lane: *lane,
                    ..view
                }))
            }
            _ => None,
        })
        .collect();
    for (stop, new) in state.stops.iter_mut().zip(values) {
        if let (StopKind::Watch { last, .. }, Some(new)) = (&mut stop.kind, new) {
            *last = new;
        }
    }
}

/// Updates the old values of watchpoints after user changes, so that these changes do not trigger them.
pub(crate) fn accept_changes(state: &mut State, paused: &Paused<'_>) {
    for place in 0..state.stops.len() {
        let changed = changed(state, paused, &state.stops[place]);
        let new = changed.map(|(new, _)| new);
        if let (StopKind::Watch { last, .. }, Some(new)) = (&mut state.stops[place].kind, new) {
            *last = new;
        }
    }
}

/// Evaluates a watchpoint that may have changed. Returns the new observation and the change. Ignores waves that are not
/// running and variables that are out of scope. The first known value does not count as a change.
fn changed(
    state: &State,
    paused: &Paused<'_>,
    stop: &StopPoint,
) -> Option<(Observation, Option<Change>)> {
    let StopKind::Watch {
        watched,
        wave,
        lane,
        last,
        variables,
        ..
    } = &stop.kind
    else {
        return None;
    };
    let is_there = wave.is_none_or(|id| paused.wave(id).is_some());
    if !is_there || last.is_unchanged(&state.memory) {
        return None;
    }
    let view = View {
        lane: *lane,
        ..state.view(Some(paused), wave.or(state.focus))
    };
    // In a called function, the same names may denote other variables.
    let is_in_scope = |(name, id): &(String, usize)| eval::variable_id(name, &view) == Some(*id);
    if !variables.iter().all(is_in_scope) {
        return None;
    }
    let new = watched.observe(&view);
    let change = last.value.change(&new.value, watched, &stop.text);
    let is_first = last.value.is_unknown() && !new.value.is_unknown();
    (is_first || change.is_some()).then_some((new, change))
}

/// True if the condition of a watchpoint holds in the wave whose last instruction changed the value to `new`. The
/// condition is evaluated in the lane that stored the value, or if that is unknown, in the watchpoint's lane or the
/// first active lane.
fn holds(
    state: &State,
    paused: &Paused<'_>,
    stop: &StopPoint,
    new: &Observation,
    writer: LastRun,
) -> Result<bool, EvalError> {
    let (Some((condition, _)), StopKind::Watch { lane, last, .. }) = (&stop.condition, &stop.kind)
    else {
        return Ok(true);
    };
    let view = state.view(Some(paused), Some(writer.at.wave));
    let ended = state.ended.as_ref().map(|it| (&it.0, &it.1));
    let wave = view.wave.or(ended);
    let stored = last.first_change(new);
    let stored = stored.and_then(|address| storing_lane(paused, writer, address));
    let exec = wave.map_or(0, |(wave, _)| wave.exec());
    let lane = stored.unwrap_or_else(|| active_lane(exec, *lane));
    let value = eval::scalar(condition, &View { wave, lane, ..view })?;
    Ok(value.is_true())
}

/// Returns the lane in which the last instruction stored a byte of memory. Returns `None` if the lane is unknown, for
/// example because a wait has completed a delayed store.
fn storing_lane(paused: &Paused<'_>, writer: LastRun, address: u64) -> Option<u8> {
    let (wave, lds) = paused.wave(writer.at.wave)?;
    let dispatched = paused.dispatched();
    let step = dispatched.code.step(writer.pc)?.ok()?;
    let context = Context {
        dispatched,
        wave,
        lds,
        pc: writer.pc,
    };
    let mut access = Access::default();
    context.addresses(step, &mut access);
    let stores = matches!(access.intent, Some(Intent::Store | Intent::Atomic));
    if access.scalar || !stores {
        return None;
    }
    let stores = |lane: &usize| {
        let mut bytes = 0..access.bytes;
        bytes.any(|byte| access.place(*lane, byte.into()) == Some(address))
    };
    let last = active(access.lanes()).filter(stores).last();
    last.map(|lane| lane as u8)
}

/// Returns the reason for a wave to stop, if any.
pub(crate) fn reason(state: &mut State, paused: &Paused<'_>, current: Current) -> Option<Stop> {
    let last = state.last.take();
    let changed = last.and_then(|last| watchpoints(state, paused, last));
    if let (Some(last), Some(stop)) = (last, changed) {
        focus_on_last(state, paused, last, current);
        return Some(stop);
    }
    if let Some(last) = last
        && let Some(findings) = &mut state.findings
    {
        let (stopping, passing) = state.catches.divide(findings.fresh());
        state.passing.extend(passing);
        if !stopping.is_empty() {
            focus_on_last(state, paused, last, current);
            return Some(Stop::Findings(stopping));
        }
    }
    if is_interrupted(state) {
        return Some(interrupted(state, paused, current));
    }
    let is_new = |state: &State| state.passed.get(&current.at.wave) != Some(&current.at.executed);
    let hit = if state.has_breakpoints() && is_new(state) {
        breakpoints(state, paused, current, true)
    } else {
        None
    };
    let reached = reached(state, paused, current);
    hit.or(reached)
}

/// True if a signal has interrupted the run or its timeout has expired. Clears the signal.
pub(crate) fn is_interrupted(state: &mut State) -> bool {
    let is_late = state
        .deadline
        .is_some_and(|deadline| Instant::now() >= deadline);
    state.interrupt.load(Relaxed) && state.interrupt.swap(false, Relaxed) || is_late
}

/// Stops an interrupted run. Interrupted reverse execution stays at the point that its replay has reached. The focus
/// moves to the current wave, unless the scheduler holds that wave.
pub(crate) fn interrupted(state: &mut State, paused: &Paused<'_>, current: Current) -> Stop {
    state.deadline = None;
    let is_alone = state.scheduler == Scheduler::One && !state.goal.is_replay();
    if state.goal.is_replay() {
        state.goal = Goal::Run;
        state.record.stay();
        state.renew();
        compare_anew(state, paused);
    }
    let alone = state
        .focus
        .filter(|id| is_alone && paused.wave(*id).is_some());
    focus_on(state, paused, alone.unwrap_or(current.at.wave));
    Stop::Interrupted
}

/// Moves the focus to a wave, and to its first active lane if the focused lane is inactive.
pub(crate) fn focus_on(state: &mut State, paused: &Paused<'_>, wave: WaveId) {
    let Some((found, _)) = paused.wave(wave) else {
        return;
    };
    state.focus = Some(wave);
    state.lane = active_lane(found.exec(), state.lane);
}

/// Moves the focus to the wave that executed the last instruction, or to the current wave if that one has ended.
fn focus_on_last(state: &mut State, paused: &Paused<'_>, last: LastRun, current: Current) {
    let is_there = paused.wave(last.at.wave).is_some();
    let wave = if is_there {
        last.at.wave
    } else {
        current.at.wave
    };
    focus_on(state, paused, wave);
}

/// Returns `lane`, or the first active lane if `lane` is inactive.
fn active_lane(exec: u64, lane: u8) -> u8 {
    if exec >> lane & 1 == 0 && exec != 0 {
        exec.trailing_zeros() as u8
    } else {
        lane
    }
}

/// Returns the stop for the watched values that the last instruction changed, if any.
pub(crate) fn watchpoints(state: &mut State, paused: &Paused<'_>, writer: LastRun) -> Option<Stop> {
    let mut changes = Vec::new();
    let mut failed = None;
    for place in 0..state.stops.len() {
        let stop = &state.stops[place];
        if !stop.is_enabled {
            continue;
        }
        let Some((new, change)) = changed(state, paused, stop) else {
            continue;
        };
        let holds = holds(state, paused, stop, &new, writer);
        let replays = state.goal.is_replay();
        let stop = &mut state.stops[place];
        if let StopKind::Watch { last, .. } = &mut stop.kind {
            *last = new;
        }
        let Some(change) = change.filter(|_| holds != Ok(false)) else {
            continue;
        };
        if !replays {
            stop.hits += 1;
            if stop.ignored > 0 {
                stop.ignored -= 1;
                continue;
            }
        }
        if let Err(error) = holds {
            failed.get_or_insert((stop.number, error));
        }
        changes.push((stop.number, stop.text.clone(), change));
    }
    if changes.is_empty() {
        return None;
    }
    Some(match failed {
        Some((number, error)) => Stop::Condition { number, error },
        None => Stop::Watchpoints {
            changes,
            by: (writer.at.wave, writer.pc),
        },
    })
}

/// Returns the stop for the breakpoints that a wave hits at its current instruction. If `counts` is true, also counts
/// the hits, deletes temporary breakpoints and moves the focus.
pub(crate) fn breakpoints(
    state: &mut State,
    paused: &Paused<'_>,
    current: Current,
    counts: bool,
) -> Option<Stop> {
    if !state.has_breakpoints() {
        return None;
    }
    let step = paused.dispatched().code.step(current.pc)?.ok()?;
    let mut hits = Vec::new();
    let mut error = None;
    for place in 0..state.stops.len() {
        let stop = &state.stops[place];
        if stop.is_watch() || !stop.concerns(current.pc, step) {
            continue;
        }
        let wave = current.at.wave;
        let view = state.view(Some(paused), Some(wave));
        let exec = view.wave().map_or(0, |wave| wave.exec());
        let lane = active_lane(exec, view.lane);
        let view = View { lane, ..view };
        let holds = match &stop.condition {
            None => Ok(true),
            Some((condition, _)) => eval::scalar(condition, &view).map(|value| value.is_true()),
        };
        let stop = &mut state.stops[place];
        if holds == Ok(false) {
            continue;
        }
        if counts {
            stop.hits += 1;
            if stop.ignored > 0 {
                stop.ignored -= 1;
                continue;
            }
        }
        if let Err(found) = holds {
            error.get_or_insert((stop.number, found));
        }
        hits.push(stop.number);
    }
    if hits.is_empty() {
        return None;
    }
    if counts {
        state
            .stops
            .retain(|it| !(it.is_temporary && hits.contains(&it.number)));
        state.renew();
        focus_on(state, paused, current.at.wave);
    }
    Some(match error {
        Some((number, error)) => Stop::Condition { number, error },
        None => Stop::Breakpoints(hits),
    })
}

/// Returns the stop if the goal of the last command has been reached, or if its wave cannot continue.
fn reached(state: &mut State, paused: &Paused<'_>, current: Current) -> Option<Stop> {
    let Current { at, pc } = current;
    let aim = state.goal.wave();
    // Stop if the command's wave has ended, or waits for waves that the scheduler holds.
    if let Some(id) = aim.or(state.focus.filter(|_| state.scheduler == Scheduler::One)) {
        match paused.wave(id) {
            None => {
                state.goal = Goal::Run;
                focus_on(state, paused, at.wave);
                return Some(Stop::WaveEnded(id));
            }
            Some((wave, _))
                if state.scheduler == Scheduler::One
                    && id != at.wave
                    && matches!(wave.waiting, Waiting::Barrier | Waiting::Gws) =>
            {
                state.goal = Goal::Run;
                return Some(Stop::Held(id));
            }
            Some(_) => {}
        }
    }
    if aim != Some(at.wave) {
        return None;
    }
    let mut is_other_line = false;
    let is_done = match &mut state.goal {
        Goal::Instructions { left, from, .. } => {
            *left = left.saturating_sub(at.executed - *from);
            *from = at.executed;
            *left == 0
        }
        Goal::Lines {
            left, from, line, ..
        } => {
            let now = state.program.line(pc);
            let moved = at.executed != *from;
            *from = at.executed;
            if moved && now.is_some() && now != line.as_ref() {
                *left = left.saturating_sub(1);
                *line = now.cloned();
                is_other_line = true;
            }
            *left == 0
        }
        Goal::Until {
            addresses, from, ..
        } => addresses.contains(&pc) && at.executed != *from,
        Goal::Return { stack, then, .. } => {
            stack.arrive(pc);
            if !stack.is_empty() {
                return None;
            }
            let mut then = std::mem::replace(&mut **then, Goal::Run);
            if let Goal::Instructions { left, from, .. } = &mut then {
                // Count the call as one instruction.
                *left = left.saturating_sub(1);
                *from = at.executed;
            }
            state.goal = then;
            state.renew();
            return reached(state, paused, current);
        }
        Goal::Finish { stack, .. } => stack.arrive(pc),
        _ => false,
    };
    if is_other_line {
        // Waves now stop at instructions outside the new line.
        state.renew();
    }
    if !is_done {
        return None;
    }
    let stop = match state.goal {
        Goal::Finish { .. } => Stop::Returned,
        _ => Stop::Step,
    };
    state.goal = Goal::Run;
    focus_on(state, paused, at.wave);
    Some(stop)
}
