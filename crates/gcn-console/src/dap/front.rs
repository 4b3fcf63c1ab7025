//! Engine front end for a client. Sends stops as events, and answers requests while the run is stopped. Some requests
//! are also answered while waves run.

use gcn_debug::{Attention, Catches, FrontEnd, Resume, Scheduler, Session, Stop};
use serde_json::{Value, json};

use super::adapter::{Adapter, Exception, Outcome, Phase};
use super::connection::Received;
use super::protocol::Request;
use super::references::{References, thread_id};
use crate::show;

impl Adapter {
    /// Answers requests until one resumes the run.
    fn serve(&mut self, session: &mut Session<'_, '_>) -> Resume {
        loop {
            let received = self.connection().receive();
            let Received::Request(request) = received else {
                return Resume::Quit;
            };
            if let Some(resume) = self.answer(session, &request) {
                self.references = References::default();
                return resume;
            }
        }
    }

    /// Answers a request. Returns the decision if the request resumes the run.
    fn answer(&mut self, session: &mut Session<'_, '_>, request: &Request) -> Option<Resume> {
        let outcome = self.handle(session, request);
        let mut connection = self.connection();
        match outcome {
            Ok(Outcome::Body(body)) => connection.respond(request, Ok(body)),
            Ok(Outcome::Resume(body, resume)) => {
                connection.respond(request, Ok(body));
                if resume == Resume::Quit {
                    connection.close();
                }
                return Some(resume);
            }
            Ok(Outcome::Continued(body, resume)) => {
                connection.respond(request, Ok(body));
                let wave = session.focus().map_or(0, |id| thread_id(session, id));
                let body = json!({"threadId": wave, "allThreadsContinued": true});
                connection.event("continued", body);
                return Some(resume);
            }
            Ok(Outcome::Terminated(body)) => {
                connection.respond(request, Ok(body));
                connection.event("terminated", Value::Null);
                connection.launches_ended();
                drop(connection);
                self.phase = Phase::Ended;
            }
            Err(reason) => connection.respond(request, Err(reason)),
        }
        None
    }

    /// Returns the `reason` of the `stopped` event for a stop.
    fn reason(&self, stop: &Stop) -> &'static str {
        match stop {
            Stop::Begin | Stop::BackAtBegin | Stop::BackAtWaveBegin(_) => "entry",
            Stop::Breakpoints(_) | Stop::Condition { .. } => {
                let first = stop.numbers().first().copied();
                self.breakpoints.reason(first.unwrap_or(0))
            }
            Stop::Watchpoints { .. } => "data breakpoint",
            Stop::Back(stops) => stops.first().map_or("step", |it| self.reason(it)),
            Stop::Step | Stop::Returned | Stop::WaveEnded(_) | Stop::Answered | Stop::Diverged => {
                "step"
            }
            Stop::Held(_) | Stop::Interrupted => "pause",
            Stop::Fault(_) | Stop::Findings(_) => "exception",
        }
    }

    /// Notifies the client of a stop.
    fn tell(&mut self, session: &Session<'_, '_>, stop: &Stop) {
        let text = show::reason(session, stop);
        let hits = stop.numbers();
        self.exception = match stop {
            Stop::Fault(fault) => Some(("fault".to_owned(), fault.kind.to_string())),
            Stop::Findings(found) => {
                let first = found.first();
                first.map(|it| (it.name.to_owned(), show::finding(it)))
            }
            _ => None,
        }
        .map(|(name, text)| Exception { name, text });
        let mut body = json!({
            "reason": self.reason(stop),
            "allThreadsStopped": true,
        });
        if let Some(id) = session.focus() {
            body["threadId"] = json!(thread_id(session, id));
        }
        if !hits.is_empty() {
            body["hitBreakpointIds"] = json!(hits);
        }
        if let Some(text) = text {
            // The console shows the whole text, which may have several lines.
            self.connection().output("console", &format!("{text}\n"));
            body["description"] = json!(text.lines().next());
            body["text"] = json!(text);
        }
        self.connection().event("stopped", body);
    }

    /// Records the fault of a stop, if any.
    fn note(&mut self, stop: &Stop) {
        self.fault = None;
        if let Stop::Fault(fault) = stop {
            self.fault = Some((fault.wave, fault.pc));
            self.exit_code = self.fault_status;
        }
    }
}

impl FrontEnd for Adapter {
    fn stopped(&mut self, session: &mut Session<'_, '_>, stop: &Stop) -> Resume {
        if self.is_single {
            session.set_scheduler(Scheduler::All);
            self.is_single = false;
        }
        self.note(stop);
        self.console.stopped(session, stop);
        let is_asked = matches!(stop, Stop::Interrupted) && self.connection().has_waiting();
        if !is_asked {
            self.tell(session, stop);
        }
        self.serve(session)
    }

    fn passed(&mut self, session: &Session<'_, '_>, stop: &Stop) {
        self.note(stop);
        if let Some(text) = show::reason(session, stop) {
            self.connection().output("stderr", &format!("{text}\n"));
        }
    }

    fn idle(&mut self, session: &mut Session<'_, '_>) -> Resume {
        self.references = References::default();
        match self.phase {
            Phase::Configuring => {
                if self.choices.no_debug {
                    session.set_catches(Catches::default());
                }
                self.connection().event("initialized", Value::Null);
            }
            Phase::Running if session.has_next_launch() => {
                let body = json!({
                    "reason": "pause",
                    "description": "The launch has ended",
                    "allThreadsStopped": true,
                });
                self.connection().event("stopped", body);
            }
            Phase::Running => {
                self.phase = Phase::Ended;
                let code = self.exit_code;
                let mut connection = self.connection();
                connection.event("exited", json!({"exitCode": code}));
                connection.event("terminated", Value::Null);
                connection.launches_ended();
            }
            Phase::Ended => {}
        }
        self.serve(session)
    }

    fn begins(&mut self, session: &mut Session<'_, '_>) {
        self.console.begins(session);
        if std::mem::take(&mut self.is_single) {
            session.set_scheduler(Scheduler::All);
        }
        let base = self.line_base();
        for changed in self.breakpoints.resolve(session) {
            let body = json!({"reason": "changed", "breakpoint": changed.numbered_from(base)});
            self.connection().event("breakpoint", body);
        }
    }

    fn attend(&mut self, session: &mut Session<'_, '_>) -> Attention {
        loop {
            let received = self.connection().poll();
            let request = match received {
                None => return Attention::Ignore,
                Some(Received::Closed) => return Attention::Stop,
                Some(Received::Request(request)) => request,
            };
            if let Some(answer) = self.handle_anywhere(session, &request) {
                let is_pause = request.command == "pause" && answer.is_ok();
                self.connection().respond(&request, answer);
                if is_pause && session.is_running() {
                    return Attention::Stop;
                }
                if is_pause {
                    session.set_stop_once(true);
                }
                continue;
            }
            if matches!(
                request.command.as_str(),
                "disconnect" | "terminate" | "restart"
            ) {
                self.connection().put_back(request);
                return Attention::Stop;
            }
            let state = if session.is_running() {
                "waves are running; `pause` stops them"
            } else {
                "no launch is running; `pause` stops the next one"
            };
            let reason = format!("{}: {state}", request.command);
            self.connection().respond(&request, Err(reason));
        }
    }
}
