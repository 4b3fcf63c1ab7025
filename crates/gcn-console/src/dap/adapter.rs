//! Debug Adapter Protocol session: state and request handlers.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gcn_debug::{Catches, Resume, Scheduler, Session, WaveId};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::breakpoints::{Breakpoints, Kind, data_id, refused};
use super::code;
use super::connection::Connection;
use super::protocol::{
    ClientFeatures, DataInfoArguments, ExceptionArguments, ExpressionArguments, FAULT_FILTER,
    Granularity, LAUNCH_FILTER, Refusal, Request, ScopesArguments, SetBreakpoints,
    SetVariableArguments, Source, SourceArguments, StackArguments, ThreadArguments,
    VariablesArguments, WantedBreakpoint,
};
use super::references::{References, SourceNames, find_thread};
use super::values;
use crate::execute::{Executed, Focus, execute};

/// Phase of a session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Phase {
    /// Before the launches begin; the client sets breakpoints.
    Configuring,
    /// Launches are running or stopped.
    Running,
    /// All launches have ended, or the client has terminated them.
    Ended,
}

/// Outcome of a successful request.
pub(super) enum Outcome {
    /// Response body; the run stays stopped.
    Body(Value),
    /// Response body; the run resumes.
    Resume(Value, Resume),
    /// Response body; the run resumes, and an event notifies the client.
    Continued(Value, Resume),
    /// Response body; the launches end.
    Terminated(Value),
}

/// Fault or finding that caused the last stop.
pub(super) struct Exception {
    pub(super) name: String,
    pub(super) text: String,
}

/// Session options chosen by the client.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct Choices {
    /// Features that the client supports.
    pub client: ClientFeatures,
    /// True to stop before the first instruction.
    pub stop_on_entry: bool,
    /// True to run without stopping.
    pub no_debug: bool,
}

/// Debug session with a client.
pub struct Adapter {
    pub(super) connection: Arc<Mutex<Connection>>,
    pub(super) choices: Choices,
    pub(super) phase: Phase,
    pub(super) breakpoints: Breakpoints,
    pub(super) references: References,
    pub(super) sources: SourceNames,
    pub(super) console: Focus,
    pub(super) exception: Option<Exception>,
    /// Faulting wave, and the address of the faulting instruction.
    pub(super) fault: Option<(WaveId, u64)>,
    pub(super) exit_code: i64,
    /// Exit code after a fault.
    pub(super) fault_status: i64,
    /// True while a `singleThread` request holds all other waves.
    pub(super) is_single: bool,
}

impl Adapter {
    /// Creates a session for a client that has sent `launch`. The exit code is `fault_status` if a launch faults.
    pub fn new(connection: Arc<Mutex<Connection>>, choices: Choices, fault_status: i64) -> Adapter {
        Adapter {
            connection,
            choices,
            phase: Phase::Configuring,
            breakpoints: Breakpoints::default(),
            references: References::default(),
            sources: SourceNames::default(),
            console: Focus::default(),
            exception: None,
            fault: None,
            exit_code: 0,
            fault_status,
            is_single: false,
        }
    }

    /// Creates a session inside a program that loads code and launches kernels itself. Breakpoints in code that is not
    /// loaded yet are pending.
    pub fn in_program(connection: Arc<Mutex<Connection>>, choices: Choices) -> Adapter {
        Adapter {
            breakpoints: Breakpoints::in_program(),
            console: Focus::in_program(),
            ..Adapter::new(connection, choices, 0)
        }
    }

    pub(super) fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number that the client gives the first line: 0 or 1.
    pub(super) fn line_base(&self) -> u32 {
        self.choices.client.lines_start_at1.into()
    }

    /// Returns the number that the client gives the first column: 0 or 1.
    fn column_base(&self) -> u32 {
        self.choices.client.columns_start_at1.into()
    }

    pub(super) fn handle(
        &mut self,
        session: &mut Session<'_, '_>,
        request: &Request,
    ) -> Result<Outcome, Refusal> {
        if let Some(answer) = self.handle_anywhere(session, request) {
            return answer.map(Outcome::Body);
        }
        match request.command.as_str() {
            "configurationDone" if self.phase == Phase::Configuring => {
                self.phase = Phase::Running;
                session.set_stop_once(self.choices.stop_on_entry && !self.choices.no_debug);
                return Ok(Outcome::Resume(Value::Null, Resume::Restart));
            }
            "configurationDone" => return Err("the launches have already started".to_owned()),
            "disconnect" => return Ok(Outcome::Resume(Value::Null, Resume::Quit)),
            "terminate" if self.phase != Phase::Ended => {
                return Ok(Outcome::Terminated(Value::Null));
            }
            "terminate" => return Err("the launches have already ended".to_owned()),
            "restart" => {
                self.restart(session);
                session.set_stop_once(self.choices.stop_on_entry && !self.choices.no_debug);
                return Ok(Outcome::Resume(Value::Null, Resume::Restart));
            }
            "initialize" | "launch" | "attach" => {
                return Err("the session has already started".to_owned());
            }
            _ => {}
        }
        let stopped = self.handle_stopped(session, request);
        stopped.unwrap_or_else(|| Err(format!("there is no request `{}`", request.command)))
    }

    /// Resets the session for a rerun of the launches.
    fn restart(&mut self, session: &mut Session<'_, '_>) {
        self.phase = Phase::Running;
        self.exit_code = 0;
        self.breakpoints.restart(session);
    }

    /// Handles a request that is also allowed while waves run. Returns `None` for other requests.
    pub(super) fn handle_anywhere(
        &mut self,
        session: &mut Session<'_, '_>,
        request: &Request,
    ) -> Option<Result<Value, Refusal>> {
        Some(match request.command.as_str() {
            "setBreakpoints" => self.set_source_breakpoints(session, request),
            "setFunctionBreakpoints" => self.set_breakpoints(session, request, Kind::Functions),
            "setInstructionBreakpoints" => {
                self.set_breakpoints(session, request, Kind::Instructions)
            }
            "setDataBreakpoints" => self.set_breakpoints(session, request, Kind::Data),
            "setExceptionBreakpoints" => self.set_exceptions(session, request),
            "breakpointLocations" => request
                .arguments()
                .and_then(|it| code::locations(session, &self.sources, &it, self.line_base())),
            "threads" => Ok(code::threads(session)),
            "loadedSources" => Ok(code::sources(session, &self.sources)),
            "source" => request.arguments().and_then(|it: SourceArguments| {
                let mut source = it.source;
                if it.source_reference > 0 {
                    source.source_reference = Some(it.source_reference);
                }
                code::text(session, &self.sources, &source)
            }),
            "disassemble" => request
                .arguments()
                .and_then(|it| code::disassembly(session, &self.sources, &it, self.line_base())),
            "pause" if self.phase == Phase::Running => Ok(Value::Null),
            "pause" => Err("no launch is running".to_owned()),
            _ => return None,
        })
    }

    /// Handles a request that requires waves to be stopped. Returns `None` for other requests.
    fn handle_stopped(
        &mut self,
        session: &mut Session<'_, '_>,
        request: &Request,
    ) -> Option<Result<Outcome, Refusal>> {
        let body = match request.command.as_str() {
            "stackTrace" => self.stack(session, request),
            "scopes" => self.scopes(session, request),
            "variables" => self.variables(session, request),
            "setVariable" => self.set_variable(session, request),
            "setExpression" => self.set_expression(session, request),
            "dataBreakpointInfo" => self.data_info(session, request),
            "exceptionInfo" => self.exception_info(request),
            "readMemory" => request.arguments().and_then(|it| code::read(session, &it)),
            "writeMemory" => request.arguments().and_then(|it| code::write(session, &it)),
            "evaluate" => return Some(self.evaluate(session, request)),
            "continue" | "next" | "stepIn" | "stepOut" | "stepBack" | "reverseContinue" => {
                return Some(self.resume(session, request));
            }
            _ => return None,
        };
        Some(body.map(Outcome::Body))
    }

    fn set_source_breakpoints(
        &mut self,
        session: &mut Session<'_, '_>,
        request: &Request,
    ) -> Result<Value, Refusal> {
        let arguments: SetBreakpoints = request.arguments()?;
        let source = arguments.source;
        let name = source.path.clone().or_else(|| source.name.clone());
        let reference = source.source_reference.filter(|number| *number > 0);
        let kind = match (reference, name) {
            (Some(number), _) => Kind::Source(format!("#{number}")),
            (None, Some(name)) => Kind::Source(name),
            (None, None) => return Err("setBreakpoints needs a source with a path".to_owned()),
        };
        self.replace_breakpoints(session, &kind, &source, arguments.breakpoints)
    }

    fn set_breakpoints(
        &mut self,
        session: &mut Session<'_, '_>,
        request: &Request,
        kind: Kind,
    ) -> Result<Value, Refusal> {
        let arguments: SetBreakpoints = request.arguments()?;
        self.replace_breakpoints(session, &kind, &Source::default(), arguments.breakpoints)
    }

    fn replace_breakpoints(
        &mut self,
        session: &mut Session<'_, '_>,
        kind: &Kind,
        source: &Source,
        mut wanted: Vec<WantedBreakpoint>,
    ) -> Result<Value, Refusal> {
        if self.choices.no_debug {
            let answer = refused("the launch has `noDebug`".to_owned());
            return Ok(json!({"breakpoints": vec![answer; wanted.len()]}));
        }
        let base = self.line_base();
        for it in &mut wanted {
            it.line = it.line.saturating_add(1 - i64::from(base));
        }
        let names = &self.sources;
        let set = self
            .breakpoints
            .replace((session, names), kind, source, wanted);
        let set: Vec<_> = set.into_iter().map(|it| it.numbered_from(base)).collect();
        Ok(json!({"breakpoints": set}))
    }

    fn set_exceptions(
        &mut self,
        session: &mut Session<'_, '_>,
        request: &Request,
    ) -> Result<Value, Refusal> {
        let arguments: ExceptionArguments = request.arguments()?;
        let known = session.checks();
        let mut catches = Catches::default();
        let mut answers = Vec::new();
        for name in &arguments.filters {
            let check = known.iter().find(|check| *check == name);
            let verified = match check {
                Some(check) => {
                    catches.checks.push(check);
                    true
                }
                None => name == FAULT_FILTER || name == LAUNCH_FILTER,
            };
            catches.faults |= name == FAULT_FILTER;
            catches.launches |= name == LAUNCH_FILTER;
            answers.push(if verified {
                json!({"verified": true})
            } else {
                let message = "no checker of this name watches the launch; `check` adds them";
                json!({"verified": false, "message": message})
            });
        }
        if self.choices.no_debug {
            catches = Catches::default();
        }
        session.set_catches(catches);
        Ok(json!({"breakpoints": answers}))
    }

    fn stack(
        &mut self,
        session: &mut Session<'_, '_>,
        request: &Request,
    ) -> Result<Value, Refusal> {
        let arguments: StackArguments = request.arguments()?;
        let id = find_thread(session, arguments.thread_id)?;
        session.set_focus(id);
        let at = self.fault.filter(|fault| fault.0 == id).map(|it| it.1);
        let bases = (self.line_base(), self.column_base());
        let names = (&mut self.references, &self.sources);
        let frames = code::frames(session, names, id, at, bases)?;
        let total = frames.len();
        let most = match arguments.levels {
            0 => total,
            levels => levels,
        };
        let frames = frames.into_iter().skip(arguments.start_frame).take(most);
        Ok(json!({"stackFrames": frames.collect::<Vec<_>>(), "totalFrames": total}))
    }

    fn scopes(
        &mut self,
        session: &mut Session<'_, '_>,
        request: &Request,
    ) -> Result<Value, Refusal> {
        let arguments: ScopesArguments = request.arguments()?;
        let id = self.references.find_frame(arguments.frame_id)?;
        session.set_focus(id);
        let scopes = values::scopes(session, &mut self.references, id)?;
        Ok(json!({"scopes": scopes}))
    }

    fn variables(
        &mut self,
        session: &mut Session<'_, '_>,
        request: &Request,
    ) -> Result<Value, Refusal> {
        let arguments: VariablesArguments = request.arguments()?;
        let group = self.references.find_group(arguments.variables_reference)?;
        values::focus(session, &group)?;
        let found = values::variables(session, &mut self.references, &group, &arguments)?;
        Ok(json!({"variables": found}))
    }

    fn set_variable(
        &mut self,
        session: &mut Session<'_, '_>,
        request: &Request,
    ) -> Result<Value, Refusal> {
        let arguments: SetVariableArguments = request.arguments()?;
        let group = self.references.find_group(arguments.variables_reference)?;
        values::focus(session, &group)?;
        let text = values::expression(session, &group, &arguments.name)?;
        let references = &mut self.references;
        values::assign(
            session,
            references,
            &text,
            &arguments.value,
            arguments.format,
        )
    }

    fn set_expression(
        &mut self,
        session: &mut Session<'_, '_>,
        request: &Request,
    ) -> Result<Value, Refusal> {
        let arguments: ExpressionArguments = request.arguments()?;
        self.focus_on(session, arguments.frame_id)?;
        let references = &mut self.references;
        let text = arguments.expression.trim();
        values::assign(
            session,
            references,
            text,
            &arguments.value,
            arguments.format,
        )
    }

    /// Moves the focus to the wave of `frame`, if given.
    fn focus_on(&self, session: &mut Session<'_, '_>, frame: Option<i64>) -> Result<(), Refusal> {
        if let Some(frame) = frame {
            session.set_focus(self.references.find_frame(frame)?);
        }
        Ok(())
    }

    fn data_info(
        &mut self,
        session: &mut Session<'_, '_>,
        request: &Request,
    ) -> Result<Value, Refusal> {
        let arguments: DataInfoArguments = request.arguments()?;
        let text = match arguments.variables_reference.filter(|number| *number != 0) {
            Some(number) => {
                let group = self.references.find_group(number)?;
                values::focus(session, &group)?;
                values::expression(session, &group, &arguments.name)
            }
            None => {
                self.focus_on(session, arguments.frame_id)?;
                Ok(arguments.name.trim().to_owned())
            }
        };
        let found = text.and_then(|text| {
            let wanted = WantedBreakpoint {
                data_id: data_id(session, &text)?,
                ..WantedBreakpoint::default()
            };
            let is_shared = wanted.data_id.starts_with("0/");
            Ok((wanted.data_id, text, is_shared))
        });
        Ok(match found {
            Ok((id, text, is_shared)) => json!({
                "dataId": id,
                "description": format!("{text} changes"),
                "accessTypes": ["write"],
                "canPersist": is_shared,
            }),
            Err(reason) => json!({"dataId": null, "description": reason}),
        })
    }

    fn exception_info(&self, request: &Request) -> Result<Value, Refusal> {
        let _: ThreadArguments = request.arguments()?;
        let exception = self.exception.as_ref();
        let exception = exception.ok_or("the run has not stopped at a fault or a finding")?;
        Ok(json!({
            "exceptionId": exception.name,
            "description": exception.text,
            "breakMode": "always",
        }))
    }

    fn evaluate(
        &mut self,
        session: &mut Session<'_, '_>,
        request: &Request,
    ) -> Result<Outcome, Refusal> {
        let arguments: ExpressionArguments = request.arguments()?;
        self.focus_on(session, arguments.frame_id)?;
        let value = values::evaluated(session, &mut self.references, &arguments);
        let line = arguments.expression.trim();
        let is_command = arguments.context == "repl" && crate::commands::is_command(line);
        if value.is_ok() || !is_command {
            return value.map(Outcome::Body);
        }
        let body = |text: String| json!({"result": text.trim_end(), "variablesReference": 0});
        Ok(match execute(&mut self.console, session, line)? {
            Executed::Text(text) => Outcome::Body(body(text)),
            Executed::Resume(Resume::Quit) => Outcome::Terminated(body(String::new())),
            // The answer is sent as output, and no wave runs.
            Executed::Resume(Resume::Why) if !session.is_running() => {
                Outcome::Resume(body(String::new()), Resume::Why)
            }
            Executed::Resume(resume) => {
                if resume == Resume::Restart {
                    self.restart(session);
                } else if !session.is_running() && resume != Resume::Why {
                    // The command goes back into the last launch or begins the next one.
                    self.phase = Phase::Running;
                }
                Outcome::Continued(body(String::new()), resume)
            }
        })
    }

    /// Handles requests that resume the run.
    fn resume(
        &mut self,
        session: &mut Session<'_, '_>,
        request: &Request,
    ) -> Result<Outcome, Refusal> {
        let arguments: ThreadArguments = request.arguments()?;
        if self.phase != Phase::Running {
            return Err("no launch is running".to_owned());
        }
        if session.has_next_launch() && request.command == "continue" {
            let body = json!({"allThreadsContinued": true});
            return Ok(Outcome::Resume(body, Resume::Continue));
        }
        let id = find_thread(session, arguments.thread_id)?;
        let goes_back = matches!(request.command.as_str(), "stepBack" | "reverseContinue");
        if goes_back && let Some(lost) = session.past_is_lost() {
            return Err(lost.to_owned());
        }
        session.set_focus(id);
        if arguments.single_thread && !goes_back && session.scheduler() == Scheduler::All {
            session.set_scheduler(Scheduler::One);
            self.is_single = true;
        }
        let pc = session.wave().map_or(0, |wave| wave.pc);
        let has_line = session.program().line(pc).is_some();
        let by_line = has_line && arguments.granularity != Granularity::Instruction;
        let count = 1;
        let resume = match (request.command.as_str(), by_line) {
            ("continue", _) => Resume::Continue,
            ("stepOut", _) => Resume::Finish,
            ("reverseContinue", _) => Resume::BackToStop,
            ("stepBack", true) => Resume::BackLines(count),
            ("stepBack", false) => Resume::Back(count),
            (command, true) => Resume::Lines {
                count,
                over: command == "next",
            },
            (command, false) => Resume::Instructions {
                count,
                over: command == "next",
            },
        };
        let body = match request.command.as_str() {
            "continue" => json!({"allThreadsContinued": !self.is_single}),
            _ => Value::Null,
        };
        Ok(Outcome::Resume(body, resume))
    }
}
