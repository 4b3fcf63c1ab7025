//! Debugger for the launches of a program, running in the program's own process.
//!
//! The first launch connects to `gcn exec` and starts the session. Launches are serialized across queues and devices,
//! since the engine and the user can follow only one at a time. Between launches, a thread answers requests from an
//! editor.

use std::io::{self, BufReader};
use std::ops::Range;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed, Ordering::Release};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use gcn_debug::{
    Attention, Engine, Finding, Findings, FrontEnd, Launches, Leave, NamedBuffer, Program,
    Question, Recording, Resume, Session, Setup, Stop, StoreLog, Until, WhyRequest, why,
};
use gcn_report::printable;
use gcn_report::program::say::say_once;
use gcn_report::program::{LaunchControl, ProgramChecks};
use gcn_report::settings::Settings;
use gcn_runtime::observe::{LastingState, Observers};
use gcn_runtime::{CommandResult, Completion, Kernel, Launch, Queue};

use crate::buffers::{buffers, parameter_names};
use crate::connection::{Connection, RemoteCommands, RemoteOutput, open};
use crate::console::{Console, OutputError};
use crate::dap::{self, Adapter};
use crate::execute::Focus;
use crate::findings::finding;
use crate::protocol::{FromProgram, SessionKind};
use crate::why::{EXECUTIONS, RunNames, write_at_stop};

/// Creates the debugger requested by the settings, if any.
///
/// # Examples
/// ```
/// use gcn_console::program::attached;
/// use gcn_report::settings::Settings;
/// assert!(attached(&Settings::default()).is_none());
/// let settings = Settings { debug: Some("/run/gcn/socket".into()), ..Settings::default() };
/// assert!(attached(&settings).is_some(), "the debugger connects at the first launch");
/// ```
pub fn attached(settings: &Settings) -> Option<Arc<dyn LaunchControl>> {
    let socket = settings.debug.clone()?;
    Some(Arc::new(ProgramDebugger {
        socket,
        timeout: settings.timeout,
        session: Arc::new(Mutex::new(SessionState::New)),
    }))
}

/// Debugger for one program.
#[derive(Debug)]
struct ProgramDebugger {
    socket: PathBuf,
    timeout: Option<Duration>,
    /// Session state, locked while a launch is running.
    session: Arc<Mutex<SessionState>>,
}

#[derive(Debug)]
enum SessionState {
    /// No launch has been started yet.
    New,
    Attached(ProgramSession),
    /// `gcn exec` cannot be reached; launches run without a debugger, subject to the time limit.
    Unreachable,
    /// The user ended the session; launches fail.
    Ended,
}

/// Active debugger session.
struct ProgramSession {
    engine: Arc<Engine>,
    /// Undo log, if launches are recorded for reverse execution.
    log: Option<StoreLog>,
    user: User,
    interrupt: Arc<AtomicBool>,
    current: Arc<Mutex<CurrentLaunch>>,
}

/// Connection to the user's terminal or editor.
#[derive(Clone)]
enum User {
    Console(Arc<Connection>),
    Client(Arc<Mutex<dap::Connection>>),
}

impl User {
    /// Shows text to the user.
    fn tell(&self, text: String) {
        match self {
            User::Console(connection) => connection.tell(&FromProgram::Output(text)),
            User::Client(connection) => locked(connection).output("console", &text),
        }
    }
}

impl std::fmt::Debug for ProgramSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProgramSession").finish_non_exhaustive()
    }
}

/// Current launch, shared with the front end.
struct CurrentLaunch {
    kernel: Kernel,
    /// Parameter names of the kernel.
    names: Vec<String>,
    /// Address range of the kernarg segment.
    segment: Option<Range<u64>>,
    /// Code to pass to the engine when the launch starts.
    program: Option<Program>,
    /// True to stop the launch before its first instruction.
    stops: bool,
    /// True if the launch has stopped.
    has_stopped: bool,
}

impl CurrentLaunch {
    fn new(kernel: &Kernel) -> CurrentLaunch {
        CurrentLaunch {
            kernel: kernel.clone(),
            names: parameter_names(kernel),
            segment: None,
            program: None,
            stops: false,
            has_stopped: false,
        }
    }

    /// Replaces the current launch with the next one.
    fn begin(&mut self, kernel: &Kernel, stops: bool) {
        let is_other = !self.kernel.module().downgrade().is(kernel.module());
        if is_other || self.kernel.name() != kernel.name() {
            *self = CurrentLaunch::new(kernel);
        }
        if is_other {
            self.program = Some(code(kernel));
        }
        self.stops = stops;
        self.has_stopped = false;
    }
}

/// Returns the code of a kernel's module.
fn code(kernel: &Kernel) -> Program {
    let module = kernel.module();
    let isa = module.device().target().isa;
    Program::new(module.object(), module.loaded().moved(0), isa)
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl LaunchControl for ProgramDebugger {
    fn connect(&self, launch: &Launch, checks: Option<&Arc<ProgramChecks>>) -> bool {
        let mut state = locked(&self.session);
        if matches!(*state, SessionState::New) {
            let begun = ProgramSession::begin(self, launch, checks);
            *state = match begun {
                Ok(session) if session.engine.idle() == Resume::Quit => SessionState::Ended,
                Ok(session) => SessionState::Attached(session),
                Err(error) => {
                    say_once(&format!(
                        "kernels run without a debugger: {} cannot be reached: {error}",
                        self.socket.display()
                    ));
                    SessionState::Unreachable
                }
            };
        }
        !matches!(*state, SessionState::Unreachable)
    }

    fn run(&self, launch: Launch, observers: Observers, queue: &Queue) -> CommandResult {
        let mut state = locked(&self.session);
        let session = match &*state {
            SessionState::Attached(session) => session,
            SessionState::New | SessionState::Unreachable => {
                drop(state);
                return launch.observers(&observers).run(queue);
            }
            SessionState::Ended => {
                let stopped = Arc::new(AtomicBool::new(true));
                return launch.stop_flag(&stopped).run(queue);
            }
        };
        let (outcome, leave) = session.run(launch, observers, queue);
        if leave == Some(Leave::Quit) {
            *state = SessionState::Ended;
        }
        outcome
    }
}

impl ProgramSession {
    /// Connects to `gcn exec` and creates the session.
    ///
    /// # Errors
    /// Fails if no process is listening at the socket, or if a thread cannot be spawned.
    fn begin(
        debugger: &ProgramDebugger,
        launch: &Launch,
        checks: Option<&Arc<ProgramChecks>>,
    ) -> io::Result<ProgramSession> {
        let kernel = launch.kernel();
        let interrupt = Arc::<AtomicBool>::default();
        let attention = Arc::<AtomicBool>::default();
        let current = Arc::new(Mutex::new(CurrentLaunch::new(kernel)));
        let (input, out, kind) = open(&debugger.socket)?;
        let (user, front): (_, Box<dyn FrontEnd>) = match kind {
            SessionKind::Console { has_colours } => {
                let connection = Connection::new((input, out), has_colours, &interrupt)?;
                let connection = Arc::new(connection);
                let front = RemoteConsole::new(&connection);
                (User::Console(connection), Box::new(front))
            }
            SessionKind::Client(choices) => {
                let connection = debugger.serve((input, out), &attention)?;
                let front = Adapter::in_program(connection.clone(), choices);
                (User::Client(connection), Box::new(front))
            }
        };
        let front = ProgramFront {
            front,
            current: current.clone(),
        };
        let findings = checks.map(|checks| {
            Box::new(NewFindings {
                checks: checks.clone(),
                current: current.clone(),
            }) as Box<dyn Findings>
        });
        let log = StoreLog::default();
        let setup = Setup {
            program: code(kernel),
            memory: kernel.module().device().memory().clone(),
            buffers: Vec::new(),
            findings,
            interrupt: interrupt.clone(),
            attention,
            timeout: debugger.timeout,
            log: Some(log.clone()),
            recording: Recording::default(),
        };
        Ok(ProgramSession {
            log: checks.is_none().then_some(log),
            engine: Arc::new(Engine::new(setup, Box::new(front))),
            user,
            interrupt,
            current,
        })
    }

    /// Runs a launch to completion, or until the user abandons it.
    fn run(
        &self,
        launch: Launch,
        observers: Observers,
        queue: &Queue,
    ) -> (CommandResult, Option<Leave>) {
        let is_interrupted = self.interrupt.swap(false, Relaxed);
        locked(&self.current).begin(launch.kernel(), is_interrupted);
        self.engine.begin();
        let start = launch.kernel().module().device().lasting_state();
        let observers = match &self.log {
            Some(log) => observers.with(Arc::new(log.clone())),
            None => observers,
        };
        let observers = observers.controlled_by(self.engine.clone());
        let launch = launch.observers(&observers);
        loop {
            let outcome = launch.clone().run(queue);
            let leave = self.engine.left();
            if leave == Some(Leave::Why) {
                queue.clear();
                if let Some(question) = self.engine.question() {
                    self.explain((&launch, &start), queue, &question);
                }
                continue;
            }
            if let Ok(end) = &outcome
                && locked(&self.current).has_stopped
            {
                self.user.tell(ended(end));
            }
            return (outcome, leave);
        }
    }

    /// Answers a question asked at a stop, and restores the launch's initial memory. `start` is the device state before
    /// the launch.
    fn explain(
        &self,
        (launch, start): (&Launch, &LastingState),
        queue: &Queue,
        request: &WhyRequest,
    ) {
        self.engine.restore_begin();
        self.interrupt.store(false, Relaxed);
        let kernel = launch.kernel();
        let program = code(kernel);
        let (names, segment) = {
            let current = locked(&self.current);
            (current.names.clone(), current.segment.clone())
        };
        // Answers refer to by-value arguments by name, so omit buffers in the kernarg segment.
        let is_argument = |it: &NamedBuffer| {
            let mut segment = segment.iter();
            segment.any(|at| at.start < it.address + it.bytes && it.address < at.end)
        };
        let mut buffers = self.engine.buffers();
        buffers.retain(|it| !is_argument(it));
        let question = Question {
            program: &program,
            memory: kernel.module().device().memory(),
            buffers: &buffers,
            undefined: &[],
            place: request.place,
            until: request.moment.map(|moment| Until { run: 0, moment }),
            executions: EXECUTIONS,
            log: self.log.as_ref(),
        };
        let runs = RepeatedLaunch {
            launch: launch.clone().stop_flag(&self.interrupt),
            queue,
            start,
            interrupt: &self.interrupt,
        };
        let answer = why(&runs, question);
        self.engine.restore_begin();
        runs.restart();
        self.interrupt.store(false, Relaxed);
        let parameters = kernel.parameters().unwrap_or_default();
        let places = parameters.iter().map(|it| it.offset..it.offset + it.size);
        let arguments = names.into_iter().zip(places).collect();
        let mut names = RunNames::default();
        names.add(kernel.name(), 1, arguments);
        let mut text = Vec::new();
        // Writing to a vector never fails.
        let _ = write_at_stop(request, answer, names, &program, &mut text);
        self.user.tell(String::from_utf8_lossy(&text).into_owned());
    }
}

/// Launch that is rerun to explain a value.
struct RepeatedLaunch<'a> {
    launch: Launch,
    queue: &'a Queue,
    /// Device state before the launch.
    start: &'a LastingState,
    interrupt: &'a AtomicBool,
}

impl Launches for RepeatedLaunch<'_> {
    type Error = String;

    fn runs(&self) -> u32 {
        1
    }

    fn restart(&self) {
        self.launch.kernel().module().device().restore(self.start);
    }

    fn run(&self, _: u32, observers: &Observers) -> Result<bool, String> {
        let outcome = self.launch.clone().observers(observers).run(self.queue);
        if outcome.is_err() {
            self.queue.clear();
        }
        match outcome {
            _ if self.interrupt.load(Relaxed) => Err("interrupted".to_owned()),
            Ok(_) => Ok(true),
            Err(gcn_runtime::Error::Fault(_)) => Ok(false),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// Formats the message that a launch has ended.
fn ended(end: &Completion) -> String {
    let stats = end.stats;
    format!(
        "{} has ended: waves {}, instructions {}\n",
        printable(&end.kernel),
        stats.waves,
        stats.instructions
    )
}

impl ProgramDebugger {
    /// Creates the connection to a client and the thread that answers the client between launches. Each message sets
    /// `attention`, which makes a running launch answer.
    ///
    /// # Errors
    /// Fails if a thread cannot be spawned.
    fn serve(
        &self,
        (input, out): (BufReader<UnixStream>, UnixStream),
        attention: &Arc<AtomicBool>,
    ) -> io::Result<Arc<Mutex<dap::Connection>>> {
        let (sender, messages) = sync_channel(1);
        let attention = attention.clone();
        let connection = dap::Connection::new(input, Box::new(out), move || {
            attention.store(true, Release);
            // If the channel is full, a wakeup of the thread is already pending.
            let _ = sender.try_send(());
        })?;
        let session = self.session.clone();
        thread::Builder::new()
            .name("gcn debugger".to_owned())
            .spawn(move || attend(&session, &messages))?;
        Ok(Arc::new(Mutex::new(connection)))
    }
}

/// Answers messages that arrive between launches, until the connection ends. A running launch holds the lock on the
/// session.
fn attend(session: &Mutex<SessionState>, messages: &Receiver<()>) {
    while messages.recv().is_ok() {
        if let SessionState::Attached(session) = &*locked(session) {
            session.engine.attend();
        }
    }
}

/// Front end that passes the current launch's code and buffers to the engine, then forwards to another front end.
struct ProgramFront {
    front: Box<dyn FrontEnd>,
    current: Arc<Mutex<CurrentLaunch>>,
}

impl FrontEnd for ProgramFront {
    fn begins(&mut self, session: &mut Session<'_, '_>) {
        let mut current = locked(&self.current);
        let segment = session.paused().map(|it| it.dispatched().dispatch);
        let segment = segment.and_then(|dispatch| dispatch.kernarg.clone());
        current.segment = segment;
        let CurrentLaunch {
            kernel,
            names,
            segment,
            ..
        } = &*current;
        let found = buffers(kernel, names, segment.clone(), session.memory());
        session.set_buffers(found);
        if let Some(program) = current.program.take() {
            session.set_program(program);
        }
        if std::mem::take(&mut current.stops) {
            session.set_stop_once(true);
        }
        drop(current);
        self.front.begins(session);
    }

    fn stopped(&mut self, session: &mut Session<'_, '_>, stop: &Stop) -> Resume {
        locked(&self.current).has_stopped = true;
        self.front.stopped(session, stop)
    }

    fn idle(&mut self, session: &mut Session<'_, '_>) -> Resume {
        self.front.idle(session)
    }

    fn passed(&mut self, session: &Session<'_, '_>, stop: &Stop) {
        self.front.passed(session, stop);
    }

    fn attend(&mut self, session: &mut Session<'_, '_>) -> Attention {
        self.front.attend(session)
    }
}

/// Console that communicates over a connection.
struct RemoteConsole {
    console: Console,
    connection: Arc<Connection>,
}

impl RemoteConsole {
    fn new(connection: &Arc<Connection>) -> RemoteConsole {
        let console = Console::new(
            vec![Box::new(RemoteCommands(connection.clone()))],
            Focus::in_program(),
            Box::new(RemoteOutput::new(connection)),
            &OutputError::default(),
            connection.has_colours,
        );
        RemoteConsole {
            console,
            connection: connection.clone(),
        }
    }

    /// Notifies `gcn exec` that the run resumes or that the session ends.
    fn resumes(&self, resume: Resume) -> Resume {
        match resume {
            Resume::Quit => self.connection.quit(),
            _ => self.connection.tell(&FromProgram::Resumes),
        }
        resume
    }

    /// Sends the names of symbols and buffers to `gcn exec`.
    fn tell_names(&self, session: &Session<'_, '_>) {
        let is_name = |it: &&NamedBuffer| !it.name.contains(' ');
        let buffers = session.buffers().iter().filter(is_name);
        let symbols = session.program().symbols().iter();
        let symbols = symbols.filter(|it| !it.is_data).map(|it| it.name.clone());
        let names = symbols.chain(buffers.map(|it| it.name.clone()));
        self.connection.tell(&FromProgram::Names(names.collect()));
    }
}

impl FrontEnd for RemoteConsole {
    fn begins(&mut self, session: &mut Session<'_, '_>) {
        self.console.begins(session);
    }

    fn stopped(&mut self, session: &mut Session<'_, '_>, stop: &Stop) -> Resume {
        self.tell_names(session);
        let resume = self.console.stopped(session, stop);
        self.resumes(resume)
    }

    fn idle(&mut self, session: &mut Session<'_, '_>) -> Resume {
        self.tell_names(session);
        let resume = self.console.idle(session);
        self.resumes(resume)
    }

    fn passed(&mut self, session: &Session<'_, '_>, stop: &Stop) {
        self.console.passed(session, stop);
    }
}

/// Source of new findings from the program's checkers.
struct NewFindings {
    checks: Arc<ProgramChecks>,
    current: Arc<Mutex<CurrentLaunch>>,
}

impl Findings for NewFindings {
    fn fresh(&mut self) -> Vec<Finding> {
        let kernel = locked(&self.current).kernel.clone();
        let found = self.checks.report(&kernel);
        found.into_iter().map(finding).collect()
    }

    fn checks(&self) -> Vec<&'static str> {
        self.checks.names()
    }
}
