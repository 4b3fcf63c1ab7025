//! `gcn exec --debug`: debugs a program at the terminal. The engine and the console run in the program's process, which
//! connects to this one's socket and requests commands.

use std::fs::File;
use std::io::{self, BufReader, IsTerminal, Read};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use gcn_console::console::{CommandLine, CommandSource};
use gcn_console::protocol::{FromProgram, SessionKind, ToProgram, receive, send};
use gcn_report::settings::STANDARD;
use gcn_runtime::error_names::HOST_LIMIT;
use signal_hook::consts::{SIGINT, SIGKILL};
use signal_hook::low_level::pipe;

use super::debuggee;
use crate::debug::dap::{DapOption, Transport};
use crate::debug::lines::{Lines, Names};
use crate::problem::Problem;
use crate::render::{has_colours, tell};
use crate::{Status, UsageError};

/// Options of the debugger.
#[derive(clap::Args)]
#[command(next_help_heading = "Debugger")]
pub struct DebugOptions {
    /// Debug the kernels that the program launches, with the commands of `gcn debug` at the terminal. Standard input
    /// and output are left to the program.
    #[arg(long)]
    debug: bool,
    /// Read the debugger's commands from a file, in place of the terminal.
    #[arg(long, value_name = "FILE", requires = "debug")]
    commands: Option<PathBuf>,
    /// Debugger command to run before the commands from the file or the terminal; may be given several times.
    #[arg(short = 'e', long, value_name = "COMMAND", requires = "debug")]
    execute: Vec<String>,
    #[command(flatten)]
    dap: DapOption,
}

/// Controlling terminal, available even if standard input is redirected.
const TERMINAL: &str = "/dev/tty";
/// Time allowed for waves to stop after Ctrl-C, before a note explains how to end the program.
const STOPPING: Duration = Duration::from_secs(1);
/// Interval and maximum number of polls while waiting for all connections to close.
const LOOK: (Duration, u32) = (Duration::from_millis(2), 500);

/// Debugging session that has not started yet.
pub struct Session {
    sources: Vec<Box<dyn CommandSource>>,
    shared: Shared,
}

/// Session state shared by the threads.
#[derive(Clone)]
struct Shared {
    names: Names,
    processes: Arc<Mutex<Processes>>,
    /// Set when the program exits; ends input at the terminal.
    ended: Arc<AtomicBool>,
    /// Set when the user ends the session.
    quits: Arc<AtomicBool>,
    /// Number of commands that processes have requested.
    prompts: Arc<AtomicU64>,
}

/// Processes of the program.
#[derive(Default)]
struct Processes {
    /// Process ID of the program; `None` before it starts and after it has exited.
    program: Option<i32>,
    /// Connected processes that have launched kernels.
    connected: Vec<(i32, UnixStream)>,
    /// Total number of processes that have connected.
    count: usize,
}

impl DebugOptions {
    /// Transport of a session with a client, if the options request one.
    pub fn transport(&self) -> Option<Transport> {
        self.dap.transport
    }

    /// Creates the session that the options request, if any.
    ///
    /// # Errors
    /// Fails if no source of commands is usable, or the file cannot be read.
    pub fn session(&self) -> Result<Option<Session>> {
        if !self.debug {
            return Ok(None);
        }
        let shared = Shared {
            names: Names::new(Vec::new()),
            processes: Arc::default(),
            ended: Arc::default(),
            quits: Arc::default(),
            prompts: Arc::default(),
        };
        let mut sources: Vec<Box<dyn CommandSource>> = Vec::new();
        match &self.commands {
            Some(file) if file == Path::new(STANDARD) => {
                let message = "standard input is the program's: --commands needs a file";
                return Err(UsageError(message.to_owned()).into());
            }
            Some(file) => sources.push(Box::new(Lines::Given(Lines::of_file(file)?.into_iter()))),
            None => match shared.terminal() {
                Some(terminal) => sources.push(Box::new(terminal)),
                None if self.execute.is_empty() => {
                    let message = "--debug needs a terminal, or commands from --commands FILE or --execute COMMAND";
                    return Err(UsageError(message.to_owned()).into());
                }
                None => {}
            },
        }
        let first = self.execute.clone().into_iter();
        sources.push(Box::new(Lines::Given(first)));
        Ok(Some(Session { sources, shared }))
    }
}

impl Session {
    /// Runs a program to completion and reports how it ended. Returns the program's exit status, or 0 if the user ended
    /// the session.
    ///
    /// # Errors
    /// Fails if the program cannot be executed.
    pub fn run(self, mut command: Command) -> io::Result<ExitCode> {
        let shared = self.shared.clone();
        let prepared = self.listen(&mut command);
        let _directory = match prepared {
            Ok(directory) => directory,
            Err(error) => {
                crate::render::complain(&error);
                return Ok(Status::NotStarted.into());
            }
        };
        let mut child = {
            // Holding the lock makes the other threads wait for the process ID.
            let mut processes = shared.processes();
            let child = command.spawn()?;
            processes.program = i32::try_from(child.id()).ok();
            child
        };
        let status = child.wait()?;
        shared.processes().program = None;
        Ok(shared.finish(status))
    }

    /// Starts listening for processes of the program and for Ctrl-C. Returns the directory of the socket.
    ///
    /// # Errors
    /// Fails if the host cannot create a socket or a thread, or install a signal handler.
    fn listen(self, command: &mut Command) -> Result<tempfile::TempDir> {
        let refused = || Problem::new(HOST_LIMIT, "cannot listen for the program");
        let (directory, listener) = debuggee::listen(command)?;
        let (pressed, signal) = UnixStream::pair().with_context(refused)?;
        pipe::register(SIGINT, signal).with_context(refused)?;
        let Session { sources, shared } = self;
        let interrupts = shared.clone();
        spawn(move || interrupts.interrupts(pressed)).with_context(refused)?;
        let sources = Arc::new(Mutex::new(sources));
        spawn(move || shared.accept(&listener, &sources)).with_context(refused)?;
        Ok(directory)
    }
}

fn spawn(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().spawn(work).map(drop)
}

/// Command sources; the last one is in use. A process that requests commands holds the lock until it resumes.
type Sources = Mutex<Vec<Box<dyn CommandSource>>>;

impl Shared {
    /// Lines from the controlling terminal, or `None` if there is none or standard error is redirected.
    fn terminal(&self) -> Option<Lines> {
        let terminal = File::open(TERMINAL).ok()?;
        if !io::stderr().is_terminal() {
            return None;
        }
        Some(if Lines::can_edit() {
            Lines::terminal(&self.names, Some(self.ended.clone()))
        } else {
            Lines::Plain(BufReader::new(terminal))
        })
    }

    fn processes(&self) -> MutexGuard<'_, Processes> {
        self.processes
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Serves each connecting process on its own thread.
    fn accept(&self, listener: &UnixListener, sources: &Arc<Sources>) {
        for connection in listener.incoming() {
            let (shared, sources) = (self.clone(), sources.clone());
            let served = connection.and_then(|it| spawn(move || shared.serve(it, &sources)));
            if let Err(error) = served {
                tell(format_args!(
                    "error: a process cannot be debugged: {error}\n"
                ));
            }
        }
    }

    /// Serves a process until it closes its connection.
    fn serve(&self, mut connection: UnixStream, sources: &Sources) {
        let Ok((process, mut input)) = debuggee::handshake(&connection) else {
            return;
        };
        let kind = SessionKind::Console {
            has_colours: has_colours(),
        };
        if send(&mut connection, &ToProgram::Begin(kind)).is_err() {
            return;
        }
        if let Ok(out) = connection.try_clone() {
            let mut processes = self.processes();
            processes.connected.push((process, out));
            processes.count += 1;
        }
        let mut turn = None;
        while let Ok(Some(message)) = receive(&mut input) {
            match message {
                FromProgram::Begins { .. } => {}
                FromProgram::Output(text) => tell(format_args!("{text}")),
                FromProgram::Names(names) => self.names.replace(names),
                FromProgram::Resumes => turn = None,
                FromProgram::Quits => {
                    self.quits.store(true, SeqCst);
                    self.kill();
                }
                FromProgram::Prompt => {
                    let sources = turn.get_or_insert_with(|| self.turn(process, sources));
                    self.prompts.fetch_add(1, SeqCst);
                    if send(&mut connection, &command(sources)).is_err() {
                        break;
                    }
                }
            }
        }
        drop(turn);
        self.processes().connected.retain(|(it, _)| *it != process);
    }

    /// Waits until no other process requests commands. If several processes have connected, shows the user which one is
    /// next.
    fn turn<'a>(&self, process: i32, sources: &'a Sources) -> SourcesTurn<'a> {
        let turn = sources.lock().unwrap_or_else(PoisonError::into_inner);
        if self.processes().count > 1 {
            tell(format_args!("Process {process}:\n"));
        }
        turn
    }

    /// Stops waves on Ctrl-C. Kills the program on a second Ctrl-C before any prompt, or if no process is connected.
    fn interrupts(&self, mut pressed: UnixStream) {
        let mut is_asked = None;
        while pressed.read_exact(&mut [0]).is_ok() {
            let prompts = self.prompts.load(SeqCst);
            if is_asked == Some(prompts) || self.processes().connected.is_empty() {
                self.kill();
                continue;
            }
            is_asked = Some(prompts);
            for (_, connection) in &mut self.processes().connected {
                let _ = send(connection, &ToProgram::Interrupt);
            }
            let shared = self.clone();
            let _ = spawn(move || {
                thread::sleep(STOPPING);
                if shared.prompts.load(SeqCst) == prompts && !shared.ended.load(SeqCst) {
                    tell(format_args!(
                        "No kernel runs: the next launch stops. Ctrl-C again ends the program.\n"
                    ));
                }
            });
        }
    }

    /// Kills the program and its connected processes.
    fn kill(&self) {
        let processes = self.processes();
        let connected = processes.connected.iter().map(|(process, _)| *process);
        for process in processes.program.into_iter().chain(connected) {
            debuggee::send_signal(process, SIGKILL);
        }
    }

    /// Waits briefly for connections to close, so that all output has been shown, and reports how the program ended.
    fn finish(&self, status: ExitStatus) -> ExitCode {
        self.ended.store(true, SeqCst);
        let (pause, looks) = LOOK;
        for _ in 0..looks {
            if self.processes().connected.is_empty() {
                break;
            }
            thread::sleep(pause);
        }
        if self.quits.load(SeqCst) {
            tell(format_args!("The program was terminated.\n"));
            return Status::Success.into();
        }
        let launches = match self.processes().count {
            0 => " and launched no kernel on an emulated device",
            _ => "",
        };
        let (ending, code) = debuggee::describe_exit(status);
        tell(format_args!("{ending}{launches}.\n"));
        ExitCode::from(code)
    }
}

/// Lock on the command sources, held until a process resumes.
type SourcesTurn<'a> = MutexGuard<'a, Vec<Box<dyn CommandSource>>>;

/// Reads the next command from the sources.
fn command(sources: &mut Vec<Box<dyn CommandSource>>) -> ToProgram {
    while let Some(source) = sources.last_mut() {
        match source.next() {
            Ok(Some(CommandLine { text, is_typed })) => {
                return ToProgram::Command { text, is_typed };
            }
            Ok(None) => {}
            Err(error) => tell(format_args!("error: cannot read commands: {error}\n")),
        }
        sources.pop();
    }
    ToProgram::End
}
