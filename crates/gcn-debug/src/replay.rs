//! Reverse execution: returns to a checkpoint, and replays the launch up to a known point or in search of one.
//!
//! A search for the previous stop covers the interval from the last checkpoint to the current position, then the
//! interval before that, and so on. A search for a wave's lines or calls covers its last instructions, then a growing
//! number of them.

use gcn_emu::observe::Paused;
use gcn_isa::Does;

use crate::goal::{Found, Goal, SearchEnd, Sought, SoughtStop};
use crate::past::Moment;
use crate::reasons::{
    Current, breakpoints, compare_anew, ends_wave, focus_on, interrupted, is_call, is_interrupted,
    watchpoints,
};
use crate::session::{Leave, Resume, State};
use crate::stops::Stop;

/// Number of instructions in the first window searched for lines and calls.
const FIRST_WINDOW: u64 = 1000;
/// Growth factor of the search window.
const WIDER: u64 = 16;

/// Starts reverse execution if `resume` requests it. Returns false for other decisions, or if no checkpoint exists.
pub(crate) fn goes_back(
    state: &mut State,
    paused: &Paused<'_>,
    at: Moment,
    resume: &Resume,
) -> bool {
    let turn = state.record.turn;
    let Moment { wave, executed } = at;
    if paused.instructions() == 0 && state.record.earlier() > 0 {
        return goes_earlier(state, resume);
    }
    match *resume {
        Resume::Back(count) => {
            let moment = Moment {
                wave,
                executed: executed.saturating_sub(count),
            };
            replay(state, moment, turn, Vec::new())
        }
        Resume::BackLines(count) => {
            let sought = Sought::Lines {
                count,
                begun: Vec::new(),
            };
            search_wave(state, at, FIRST_WINDOW, sought)
        }
        Resume::BackToCall => {
            let sought = Sought::Call { jumps: Vec::new() };
            search_wave(state, at, FIRST_WINDOW, sought)
        }
        Resume::BackToStop => {
            let before = paused.instructions();
            let begin = state.record.checkpoints.below(turn, before);
            let begin = begin.map(|it| it.turn);
            search(
                state,
                SoughtStop::Any,
                begin,
                SearchEnd::Instructions(before),
            )
        }
        _ => false,
    }
}

/// Returns the search goal for going back into the previous launch, or `None` for decisions that do not go back.
pub(crate) fn earlier_goal(resume: &Resume) -> Option<Goal> {
    let sought = match resume {
        Resume::BackToStop => SoughtStop::Any,
        Resume::Back(_) | Resume::BackLines(_) | Resume::BackToCall => SoughtStop::WaveEnd,
        _ => return None,
    };
    Some(Goal::Search {
        sought,
        begin: 1,
        end: SearchEnd::Launch,
        found: None,
    })
}

/// Leaves the launch to go back into the previous one. Returns false for decisions that do not go back.
fn goes_earlier(state: &mut State, resume: &Resume) -> bool {
    let Some(goal) = earlier_goal(resume) else {
        return false;
    };
    state.goal = goal;
    state.leave = Some(Leave::Earlier);
    state.renew();
    true
}

/// Starts a replay up to `moment` from a checkpoint no later than `turn`. `stops` are those that a search found there.
fn replay(state: &mut State, moment: Moment, turn: u64, stops: Vec<Stop>) -> bool {
    let Some(checkpoint) = state.record.checkpoints.before(turn, moment) else {
        return false;
    };
    let turn = checkpoint.turn;
    let goal = Goal::Replay {
        until: Some(moment),
        stop: Stop::Back(stops),
    };
    go(state, goal, turn)
}

/// Starts a replay from the checkpoint of a turn.
fn go(state: &mut State, goal: Goal, turn: u64) -> bool {
    state.goal = goal;
    state.record.return_to(turn);
    state.renew();
    true
}

/// Starts a search for the last stop between a checkpoint and `end`.
fn search(state: &mut State, sought: SoughtStop, begin: Option<u64>, end: SearchEnd) -> bool {
    let Some(begin) = begin else {
        return false;
    };
    let goal = Goal::Search {
        sought,
        begin,
        end,
        found: None,
    };
    go(state, goal, begin)
}

/// Starts a search among the last `window` instructions of a wave. Returns false if no checkpoint exists.
fn search_wave(state: &mut State, before: Moment, window: u64, sought: Sought) -> bool {
    let Moment { wave, executed } = before;
    let from = executed.saturating_sub(window);
    let begin = Moment {
        wave,
        executed: from,
    };
    let turn = state.record.turn;
    let Some(checkpoint) = state.record.checkpoints.before(turn, begin) else {
        return false;
    };
    let turn = checkpoint.turn;
    let goal = Goal::SearchWave {
        before,
        from,
        sought,
    };
    go(state, goal, turn)
}

/// Returns the stop of a replay that has reached its target or has been interrupted.
pub(crate) fn reason(state: &mut State, paused: &Paused<'_>, current: Current) -> Option<Stop> {
    let last = state.last.take();
    let changed = last.and_then(|last| {
        let stop = watchpoints(state, paused, last)?;
        Some(Found {
            at: last.at,
            turn: last.turn,
            stops: vec![stop],
        })
    });
    arrived(state, paused, current, changed).or_else(|| {
        let stops = !state.ends_turn() && is_interrupted(state);
        stops.then(|| interrupted(state, paused, current))
    })
}

/// Returns the stop of a replay that has reached its target. A search records its last match, and ends with its
/// interval.
fn arrived(
    state: &mut State,
    paused: &Paused<'_>,
    current: Current,
    changed: Option<Found>,
) -> Option<Stop> {
    let Current { at, pc } = current;
    match &mut state.goal {
        Goal::Replay { until, stop } => {
            if until.is_some_and(|it| at.wave != it.wave || at.executed < it.executed) {
                return None;
            }
            let stop = stop.clone();
            state.goal = Goal::Run;
            state.record.stay();
            state.renew();
            compare_anew(state, paused);
            focus_on(state, paused, at.wave);
            let found_none = matches!(&stop, Stop::Back(stops) if stops.is_empty());
            return Some(if found_none && paused.instructions() == 0 {
                Stop::BackAtBegin
            } else if found_none && at.executed == 0 {
                Stop::BackAtWaveBegin(at.wave)
            } else {
                stop
            });
        }
        Goal::Search { end, sought, .. } => {
            let turn = state.record.turn;
            let is_over = match end {
                SearchEnd::Instructions(end) => paused.instructions() >= *end,
                SearchEnd::Turn(end) => turn >= *end,
                SearchEnd::Launch => false,
            };
            let sought = *sought;
            let here = |stops| Found { at, turn, stops };
            let hit = match sought {
                SoughtStop::Any if is_over => None,
                SoughtStop::Any => {
                    let stop = breakpoints(state, paused, current, false);
                    stop.map(|stop| here(vec![stop]))
                }
                SoughtStop::WaveEnd => {
                    let step = paused.dispatched().code.step(pc).and_then(Result::ok);
                    step.is_some_and(ends_wave).then(|| here(Vec::new()))
                }
            };
            if let Goal::Search { found, .. } = &mut state.goal {
                if let Some(changed) = changed {
                    match found {
                        // A breakpoint precedes the instruction that changes the value.
                        Some(found) if found.at == changed.at => found.stops.extend(changed.stops),
                        _ => *found = Some(changed),
                    }
                }
                if hit.is_some() {
                    *found = hit;
                }
            }
            if is_over {
                end_search(state);
            }
        }
        Goal::SearchWave {
            before,
            from,
            sought,
        } if before.wave == at.wave => {
            if at.executed >= before.executed {
                end_search(state);
            } else if at.executed >= *from {
                match sought {
                    Sought::Lines { begun, .. } => {
                        if let Some(line) = state.program.line(pc)
                            && begun.last().is_none_or(|(_, last)| last != line)
                        {
                            begun.push((at.executed, line.clone()));
                        }
                    }
                    Sought::Call { jumps } => {
                        let step = paused.dispatched().code.step(pc).and_then(Result::ok);
                        let is_new = jumps.last().is_none_or(|(last, _)| *last < at.executed);
                        if let Some(step) = step.filter(|_| is_new) {
                            let calls = is_call(step);
                            if calls || matches!(step.inst.does(), Does::Jump) {
                                jumps.push((at.executed, calls));
                            }
                        }
                    }
                }
            }
        }
        _ => {}
    }
    None
}

/// Ends a search: replays up to the match, or continues in an earlier interval. Returns false if no search is active.
pub(crate) fn end_search(state: &mut State) -> bool {
    match std::mem::replace(&mut state.goal, Goal::Run) {
        Goal::Search {
            found: Some(found), ..
        } => replay(state, found.at, found.turn, found.stops),
        Goal::Search { begin, .. } if state.record.checkpoints.is_first(begin) => {
            let goal = Goal::Replay {
                until: None,
                stop: Stop::Back(Vec::new()),
            };
            !state.record.checkpoints.is_empty() && go(state, goal, begin)
        }
        Goal::Search { begin, sought, .. } => {
            let earlier = state.record.checkpoints.ahead_of(begin);
            let earlier = earlier.map(|it| it.turn);
            search(state, sought, earlier, SearchEnd::Turn(begin))
        }
        Goal::SearchWave {
            before,
            from,
            sought,
        } => {
            let is_all = from == 0;
            let (found, sought) = match sought {
                Sought::Lines { count, begun } => {
                    // The wave may have reached the first line before the search window.
                    let least = usize::from(!is_all);
                    let place = begun.len().checked_sub(count as usize);
                    let found = place
                        .filter(|place| *place >= least)
                        .and_then(|place| begun.get(place))
                        .map(|(executed, _)| *executed);
                    let begun = Vec::new();
                    (found, Sought::Lines { count, begun })
                }
                Sought::Call { jumps } => {
                    let jumps_back = jumps.iter().rev();
                    (call_before(jumps_back), Sought::Call { jumps: Vec::new() })
                }
            };
            let Some(executed) = found.or(is_all.then_some(0)) else {
                let window = (before.executed - from).saturating_mul(WIDER);
                return search_wave(state, before, window, sought);
            };
            let moment = Moment {
                wave: before.wave,
                executed,
            };
            let turn = state.record.turn;
            replay(state, moment, turn, Vec::new())
        }
        goal => {
            state.goal = goal;
            false
        }
    }
}

/// Returns the instruction count at the last call that has not returned. `jumps` lists calls and returns, latest first.
fn call_before<'a>(jumps: impl Iterator<Item = &'a (u64, bool)>) -> Option<u64> {
    let mut returned = 0_u64;
    for (executed, calls) in jumps {
        match (*calls, returned) {
            (true, 0) => return Some(*executed),
            (true, _) => returned -= 1,
            (false, _) => returned += 1,
        }
    }
    None
}

/// Replays the launch up to its fault, to get exact registers. Returns false if no checkpoint exists.
pub(crate) fn come_to_fault(state: &mut State) -> bool {
    let turn = state.record.turn;
    let Some(checkpoint) = state.record.checkpoints.until(turn) else {
        return false;
    };
    let turn = checkpoint.turn;
    let goal = Goal::ToFault(Box::new(std::mem::replace(&mut state.goal, Goal::Run)));
    go(state, goal, turn)
}

/// Ends the active search or drops the goal at the end of a run. Returns false if a replay missed its target.
pub(crate) fn run_has_ended(state: &mut State) -> bool {
    if end_search(state) {
        return true;
    }
    let goal = std::mem::replace(&mut state.goal, Goal::Run);
    // A step whose wave has ended stops at the latest at the start of the next launch.
    state.stops_once |= goal.wave().is_some();
    !goal.is_replay()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_that_have_returned_are_passed_over() {
        let (call, back) = (true, false);
        for (jumps, expected) in [
            (&[][..], None),
            (&[(1, call)], Some(1)),
            (&[(1, call), (2, back)], None),
            (&[(1, call), (2, call), (3, back)], Some(1)),
            (&[(1, call), (2, call), (3, back), (4, call)], Some(4)),
            (
                &[(1, back), (2, call), (3, call), (4, back), (5, back)],
                None,
            ),
        ] {
            assert_eq!(call_before(jumps.iter().rev()), expected, "{jumps:?}");
        }
    }
}
