//! Commands that show and move the focus.

use gcn_debug::{Scheduler, Session, WaveId};
use gcn_report::printable;

use crate::places::{Message, count, number};
use crate::show;

fn focused(session: &Session<'_, '_>) -> String {
    show::position(session, true, None)
}

/// Executes `wave`.
///
/// # Errors
/// Returns a message for the user.
pub fn wave(session: &mut Session<'_, '_>, rest: &str) -> Result<String, Message> {
    if !rest.is_empty() {
        let number = count(session, rest)?;
        let group = session.focus().ok_or("no wave is running")?.group;
        choose(session, group, number)?;
    }
    Ok(focused(session))
}

fn choose(session: &mut Session<'_, '_>, group: [u32; 3], wave: u64) -> Result<(), Message> {
    let id = u32::try_from(wave).ok().map(|wave| WaveId { group, wave });
    if id.is_some_and(|id| session.set_focus(id)) {
        return Ok(());
    }
    let [x, y, z] = group;
    Err(format!(
        "workgroup {x},{y},{z} has no running wave {wave}; info waves lists them"
    ))
}

/// Executes `workgroup`.
///
/// # Errors
/// Returns a message for the user.
pub fn workgroup(session: &mut Session<'_, '_>, rest: &str) -> Result<String, Message> {
    if !rest.is_empty() {
        let mut group = [0; 3];
        let numbers: Vec<&str> = rest.split(',').collect();
        if numbers.len() > 3 {
            return Err("a workgroup has up to three numbers, as 1,0,0".to_owned());
        }
        for (place, text) in group.iter_mut().zip(numbers) {
            let number = count(session, text)?;
            *place = u32::try_from(number).map_err(|_| format!("{number} is too large"))?;
        }
        let waves = session.waves().filter(|wave| wave.id.group == group);
        let first = waves.map(|wave| wave.id.wave).min();
        let first =
            first.ok_or_else(|| format!("workgroup {} has no running wave", printable(rest)))?;
        choose(session, group, first.into())?;
    }
    Ok(focused(session))
}

/// Executes `lane`.
///
/// # Errors
/// Returns a message for the user.
pub fn lane(session: &mut Session<'_, '_>, rest: &str) -> Result<String, Message> {
    if !rest.is_empty() {
        let lane = number(session, rest)?;
        let is_valid = u64::try_from(lane).is_ok_and(|lane| session.set_lane(lane));
        if !is_valid {
            return Err(format!("lane {lane} does not exist: lanes are 0 to 63"));
        }
    }
    let exec = session.wave().map(|wave| wave.exec() >> session.lane() & 1);
    let state = match exec {
        Some(0) => ", which is inactive",
        _ => "",
    };
    Ok(format!("lane {}{state}\n", session.lane()))
}

/// Executes `scheduler`.
///
/// # Errors
/// Returns a message for the user.
pub fn scheduler(session: &mut Session<'_, '_>, rest: &str) -> Result<String, Message> {
    match rest {
        "" => {}
        "all" => session.set_scheduler(Scheduler::All),
        "one" => session.set_scheduler(Scheduler::One),
        other => return Err(format!("scheduler is all or one, not {}", printable(other))),
    }
    Ok(match session.scheduler() {
        Scheduler::All => "All waves run.\n".to_owned(),
        Scheduler::One => "Only the wave in focus runs.\n".to_owned(),
    })
}
