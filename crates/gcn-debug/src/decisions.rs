//! Translates the front end's decisions into goals, and goals into limits for each wave's turn.

use gcn_emu::observe::{Paused, Turn};
use gcn_isa::Does;

use crate::goal::{CallStack, Goal, SearchEnd, Sought, SoughtStop};
use crate::past::Moment;
use crate::reasons::{Current, accept_changes, current, ends_wave, is_call};
use crate::replay::goes_back;
use crate::session::{LastRun, Leave, Resume, Scheduler, State};
use crate::stops::Stop;

/// Applies a front end's decision.
pub(crate) fn resumed(state: &mut State, paused: &Paused<'_>, resume: Resume) {
    state.renew();
    state.start_clock();
    accept_changes(state, paused);
    let focus = state.focus.and_then(|id| paused.wave(id));
    let Some((wave, _)) = focus else {
        match resume {
            Resume::Quit => state.leave = Some(Leave::Quit),
            Resume::Restart => state.leave = Some(Leave::Restart),
            _ => state.goal = Goal::Run,
        }
        return;
    };
    let (id, from) = (wave.id, wave.executed);
    let asks = resume == Resume::Why;
    state.goal = match resume {
        Resume::Continue => Goal::Run,
        Resume::Instructions { count, over } => Goal::Instructions {
            wave: id,
            left: count.max(1),
            from,
            over,
        },
        Resume::Lines { count, over } => Goal::Lines {
            wave: id,
            left: count.max(1),
            from,
            line: state.program.line(wave.pc).cloned(),
            over,
        },
        Resume::Finish => Goal::Finish {
            wave: id,
            stack: CallStack::default(),
        },
        Resume::Until(addresses) => Goal::Until {
            wave: id,
            addresses,
            from,
        },
        Resume::Why if state.is_at_fault => Goal::ToFault(Box::new(Goal::Run)),
        Resume::Why => match current(paused) {
            Some(now) => Goal::Replay {
                until: Some(now.at),
                stop: Stop::Answered,
            },
            None => Goal::Run,
        },
        Resume::Quit => {
            state.leave = Some(Leave::Quit);
            return;
        }
        Resume::Restart => {
            state.leave = Some(Leave::Restart);
            return;
        }
        Resume::Back(_) | Resume::BackLines(_) | Resume::BackToCall | Resume::BackToStop => {
            let at = Moment {
                wave: id,
                executed: from,
            };
            if goes_back(state, paused, at, &resume) {
                return;
            }
            // Without a checkpoint, the wave stays at its position.
            Goal::Instructions {
                wave: id,
                left: 0,
                from,
                over: false,
            }
        }
    };
    if asks {
        state.leave = Some(Leave::Why);
    }
}

/// Returns the limits for the turn of a wave that does not stop, or [`Turn::Hold`] if the scheduler holds the wave.
pub(crate) fn decide(state: &mut State, paused: &Paused<'_>, current: Current) -> Turn {
    let Current { at, pc } = current;
    let focus = state.goal.wave().or(state.focus);
    let replays = state.goal.is_replay();
    let alone = state.scheduler == Scheduler::One && !replays;
    if alone && focus.is_some_and(|id| id != at.wave) {
        let held = "waves have been held since the launch began, which changes their order";
        state.record.lose(held);
        return Turn::Hold;
    }
    let step = paused.dispatched().code.step(pc).and_then(Result::ok);
    let calls = step.is_some_and(is_call);
    let is_own = state.goal.wave() == Some(at.wave);
    let mut instructions = u64::MAX;
    if is_own {
        let leaves = step
            .is_some_and(|step| matches!(step.inst.does(), Does::Jump) || step.inst.uses().calls());
        let next = || pc + 4 * step.map_or(1, |step| step.inst.dwords() as u64);
        match &mut state.goal {
            Goal::Instructions { over, .. } | Goal::Lines { over, .. } => {
                if *over && calls {
                    let then = Box::new(std::mem::replace(&mut state.goal, Goal::Run));
                    state.goal = Goal::Return {
                        wave: at.wave,
                        stack: CallStack::of_call(next()),
                        then,
                    };
                    state.renew();
                } else if matches!(state.goal, Goal::Instructions { .. }) {
                    instructions = 1;
                }
            }
            Goal::Return { stack, .. } | Goal::Finish { stack, .. } if leaves => {
                instructions = 1;
                stack.jump(calls.then(next));
            }
            _ => {}
        }
    }
    if let Goal::Replay {
        until: Some(moment),
        ..
    } = &state.goal
        && moment.wave == at.wave
    {
        instructions = moment.executed.saturating_sub(at.executed);
    }
    if replays
        && let Some(change) = state.record.next_change()
        && change.at.wave == at.wave
    {
        instructions = instructions.min(change.at.executed.saturating_sub(at.executed));
    }
    let watches = state.stops.iter().any(|it| it.is_watch() && it.is_enabled);
    let seeks_stops = matches!(
        state.goal,
        Goal::Search {
            sought: SoughtStop::Any,
            ..
        }
    );
    // Delayed operations also take effect at waits, at barriers and at the end of a turn.
    let is_late = paused.dispatched().device.config.late.is_some();
    let changes = |step| {
        let mut stops = state.stops.iter();
        stops.any(|it| it.is_watch() && it.concerns(pc, step))
    };
    let compares = watches && (!replays || seeks_stops) && (is_late || step.is_some_and(changes));
    if compares || state.findings.is_some() {
        instructions = 1;
        let turn = state.record.turn;
        state.last = Some(LastRun { at, turn, pc });
        let mut stops = state.stops.iter();
        let is_read =
            step.is_some_and(ends_wave) && stops.any(|it| it.is_watch() && it.condition.is_some());
        let ending = paused.wave(at.wave).filter(|_| is_read);
        state.ended = ending.map(|(wave, lds)| Box::new((wave.clone(), lds.clone())));
    }
    if let Goal::Search {
        end: SearchEnd::Instructions(end),
        ..
    } = &state.goal
    {
        let left = end.saturating_sub(paused.instructions());
        instructions = instructions.min(left.max(1));
    }
    let mut seeks_calls = false;
    if let Goal::SearchWave {
        before,
        from,
        sought,
    } = &state.goal
        && before.wave == at.wave
    {
        let until = if at.executed < *from {
            from - at.executed
        } else {
            match sought {
                Sought::Lines { .. } => 1,
                Sought::Call { .. } => {
                    seeks_calls = true;
                    let leaves = step.is_some_and(|step| step.inst.uses().leaves_sequence());
                    if leaves {
                        1
                    } else {
                        before.executed - at.executed
                    }
                }
            }
        };
        instructions = instructions.min(until);
    }
    let goal_stops = matches!(
        state.goal,
        Goal::Return { .. }
            | Goal::Until { .. }
            | Goal::Finish { .. }
            | Goal::Search {
                sought: SoughtStop::WaveEnd,
                ..
            }
    );
    let stops = goal_stops
        || is_own && matches!(state.goal, Goal::Lines { .. })
        || seeks_calls
        || (!replays || seeks_stops) && state.stops.iter().any(|it| it.is_enabled);
    let is_general = matches!(state.goal, Goal::Run)
        && state.scheduler == Scheduler::All
        && state.findings.is_none()
        && state.passing.is_empty()
        && !compares;
    Turn::Run {
        instructions: instructions.max(1),
        is_general,
        stops: stops.then_some(state.generation),
    }
}
