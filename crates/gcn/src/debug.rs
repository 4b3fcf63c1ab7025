//! `gcn debug`: runs kernels under the control of a console or a Debug Adapter Protocol client.

// Modules in import order: each imports only modules listed before it.
pub mod lines;
pub mod dap;

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Release};
use std::sync::{Arc, PoisonError};

use anyhow::{Context, Result};
use clap::Arg;
use clap::builder::{ArgPredicate, OsStringValueParser, TypedValueParser as _};
use gcn_console::console::{CommandSource, Console, OutputError};
use gcn_console::execute::Focus;
use gcn_console::findings::finding;
use gcn_debug::{
    Engine, Finding, Findings, FrontEnd, Leave, NamedBuffer, Program, Recording, Resume, Setup,
};
use gcn_report::Checking;
use gcn_report::settings::CheckSettings;
use gcn_runtime::error_names::HOST_LIMIT;
use gcn_runtime::observe::Observers;
use gcn_runtime::{Completion, Module};
use signal_hook::consts::SIGINT;
use signal_hook::flag;

use crate::findings::shown;
use crate::problem::Problem;
use crate::render::{has_colours, printable};
use crate::run;
use crate::run::debugged::{DebuggedRun, debugged};
use crate::why::{self, InitialState};
use crate::{Status, UsageError, stdout};
use dap::{Client, DapOption, Subject, Transport};
use lines::Lines;

/// Examples for `--help`.
pub const EXAMPLES: &str = "\
Examples:
  gcn debug launch.toml
  gcn debug saxpy.s --grid 256 --arg ys=f32*256 --arg xs=f32*256:iota --arg a=2 \\
      --execute 'break saxpy' --execute run
  gcn debug --dap                  an editor starts it; docs/debug.md shows how
  gcn debug launch.toml --commands session.gdb
  echo 'watch ys[3..5]\nrun\nbacktrace' | gcn debug launch.toml --check";

/// The arguments of `gcn debug`.
#[derive(clap::Args)]
#[command(args_override_self = true)]
#[command(mut_arg("input", optional_with_dap))]
#[group(skip)]
pub struct Args {
    /// Options of the run.
    #[command(flatten)]
    run: run::Args,
    /// Read commands from a file, in place of standard input.
    #[arg(long, value_name = "FILE")]
    commands: Option<PathBuf>,
    /// Command to run before the commands from standard input; may be given several times.
    #[arg(short = 'e', long, value_name = "COMMAND")]
    execute: Vec<String>,
    /// Run the checkers of `gcn check`, and stop at their findings.
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    dap: DapOption,
}

/// Makes the program file optional with `--dap`, since the client can name it. If omitted, the path is empty.
fn optional_with_dap(input: Arg) -> Arg {
    input
        .required(false)
        .required_unless_present("dap")
        .default_value_if("dap", ArgPredicate::IsPresent, "")
        .value_parser(OsStringValueParser::new().map(PathBuf::from))
}

/// Runs the command.
///
/// # Errors
/// Fails if an option does not apply, a launch fails, or output cannot be written.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status> {
    if let Some(transport) = args.dap.transport {
        out.flush()?;
        return serve(args, transport);
    }
    // The console writes to standard output directly.
    out.flush()?;
    let launches = Launches::prepare(&args.run, args.check)?;
    let error = OutputError::default();
    let front = Console::new(
        sources(args, launches.names())?,
        Focus::default(),
        Box::new(stdout::shared()),
        &error,
        io::stdout().is_terminal() && has_colours(),
    );
    launches.control(Box::new(front), Arc::default(), &mut stdout::shared())?;
    let failed = error.lock().unwrap_or_else(PoisonError::into_inner).take();
    match failed {
        Some(error) => Err(error.into()),
        None => Ok(Status::Success),
    }
}

/// Serves a client of the Debug Adapter Protocol.
///
/// # Errors
/// Fails if the port cannot be opened, a launch fails to start, output cannot be written, or the client violates the
/// protocol.
fn serve(args: &Args, transport: Transport) -> Result<Status> {
    let subject = if args.run.input.as_os_str().is_empty() {
        Subject::Launches
    } else {
        Subject::NamedLaunches
    };
    let attention = Arc::<AtomicBool>::default();
    let asked = attention.clone();
    let mut client = Client::connect(transport, subject, move || asked.store(true, Release))?;
    while let Some(wanted) = client.wanted() {
        let run = wanted.run.as_deref().unwrap_or(&args.run);
        match Launches::prepare(run, args.check || wanted.check) {
            Ok(launches) => {
                client.accept(&wanted);
                let front = client.front(&wanted);
                launches.control(front, attention, &mut client.output())?;
                break;
            }
            Err(error) => client.refuse(&wanted, error),
        }
    }
    client.end()
}

/// Launches that are ready to run.
struct Launches {
    debugged: DebuggedRun,
    checking: Option<Arc<Checking>>,
    program: Program,
    buffers: Vec<NamedBuffer>,
}

impl Launches {
    /// Prepares the launches that the arguments describe.
    ///
    /// # Errors
    /// Fails if an option does not apply, or the program or a launch is invalid.
    fn prepare(args: &run::Args, check: bool) -> Result<Launches> {
        if args.json {
            return Err(UsageError("--json does not apply to gcn debug".to_owned()).into());
        }
        args.refuse_results("gcn debug")?;
        let checking = if check {
            let checking = Checking::new(CheckSettings::default());
            Some(Arc::new(checking.map_err(|error| shown(error, false))?))
        } else {
            None
        };
        let debugged = debugged(args, checking.as_deref())?;
        let (program, buffers) = (debugged.code(), debugged.named_buffers());
        Ok(Launches {
            debugged,
            checking,
            program,
            buffers,
        })
    }

    /// Names of symbols and buffers, for completion.
    fn names(&self) -> Vec<String> {
        let symbols = self.program.symbols().iter().map(|it| it.name.clone());
        let buffers = self.buffers.iter().map(|it| it.name.clone());
        symbols.chain(buffers).collect()
    }

    /// Runs the launches under the control of a front end. If `attention` is set while waves run, the front end is called.
    ///
    /// # Errors
    /// Fails if a launch cannot start, or output cannot be written.
    fn control(
        self,
        front: Box<dyn FrontEnd>,
        attention: Arc<AtomicBool>,
        out: &mut dyn Write,
    ) -> Result<()> {
        let interrupt = Arc::<AtomicBool>::default();
        let refused = || Problem::new(HOST_LIMIT, "cannot handle signals");
        // A second Ctrl-C exits the process if the first one has not stopped the run yet.
        flag::register_conditional_shutdown(SIGINT, Status::Interrupted as i32, interrupt.clone())
            .and_then(|_| flag::register(SIGINT, interrupt.clone()))
            .with_context(refused)?;
        let Launches {
            debugged,
            checking,
            program,
            buffers,
        } = self;
        let module = debugged.module();
        let findings = checking.clone().map(|checking| {
            let module = module.clone();
            Box::new(NewFindings { checking, module }) as Box<dyn Findings>
        });
        let setup = Setup {
            program,
            memory: module.device().memory().clone(),
            buffers,
            findings,
            interrupt: interrupt.clone(),
            attention,
            timeout: debugged.timeout(),
            log: None,
            recording: Recording::default(),
        };
        let engine = Arc::new(Engine::new(setup, front));
        session(&engine, &debugged, checking.as_deref(), &interrupt, out)
    }
}

/// Command sources; the last one is read first.
///
/// # Errors
/// Fails if the file cannot be read.
fn sources(args: &Args, names: Vec<String>) -> Result<Vec<Box<dyn CommandSource>>> {
    let given = |lines: Vec<String>| Lines::Given(lines.into_iter());
    let rest = match &args.commands {
        Some(file) => given(Lines::of_file(file)?),
        None => Lines::standard(names),
    };
    let first = given(args.execute.clone());
    Ok(vec![Box::new(rest), Box::new(first)])
}

/// Reports the checkers' new findings to the engine.
struct NewFindings {
    checking: Arc<Checking>,
    module: Module,
}

impl Findings for NewFindings {
    fn fresh(&mut self) -> Vec<Finding> {
        if !self.checking.has_new() {
            return Vec::new();
        }
        let found = self.checking.collect(&self.module);
        found.into_iter().map(finding).collect()
    }

    fn checks(&self) -> Vec<&'static str> {
        let checks = &self.checking.settings().checks;
        checks.iter().map(|check| check.name()).collect()
    }
}

/// Runs the launches whenever the engine's front end starts them, until it quits.
///
/// # Errors
/// Fails if a launch cannot start, or output cannot be written.
fn session(
    engine: &Arc<Engine>,
    debugged: &DebuggedRun,
    checking: Option<&Checking>,
    interrupt: &AtomicBool,
    out: &mut dyn Write,
) -> Result<()> {
    let device = debugged.module().device();
    let runs = debugged.runs();
    let mut initial: Option<InitialState> = None;
    // State of the device before each run.
    let mut starts = Vec::new();
    // Number of runs that have ended.
    let mut run = 0;
    let mut has_next = false;
    let mut restarts = false;
    'session: loop {
        let resume = match (restarts, has_next) {
            (true, _) => Resume::Restart,
            (false, true) => engine.between_launches(),
            (false, false) => engine.idle(),
        };
        restarts = false;
        match resume {
            Resume::Quit => return Ok(()),
            Resume::Continue if has_next => {}
            Resume::Why => {
                answer(engine, (debugged, initial.as_ref()), run, interrupt, out)?;
                continue 'session;
            }
            Resume::Back(_) | Resume::BackLines(_) | Resume::BackToCall | Resume::BackToStop => {
                run -= 1;
                device.restore(&starts[run]);
                engine.begin_earlier();
            }
            _ => {
                match &initial {
                    // Memory that the user writes before the first run is part of the input.
                    None => initial = Some(InitialState::save(device)),
                    Some(initial) => {
                        initial.restore(device);
                        if initial.image.is_none() {
                            writeln!(
                                out,
                                "Memory is too large to save: buffers are as the last run left them."
                            )?;
                        }
                    }
                }
                run = 0;
                engine.begin();
            }
        }
        while let Some(&number) = runs.get(run) {
            let observers = match checking {
                Some(checking) => checking.launch(debugged.kernel(number)),
                None => Observers::none(),
            };
            let observers = observers.controlled_by(engine.clone());
            starts.truncate(run);
            starts.push(device.lasting_state());
            let end = debugged.execute(number, &observers)?;
            match engine.left() {
                None => {
                    ended(&end, out)?;
                    run += 1;
                    engine.begin_next();
                    has_next = end.fault.is_none() && run < runs.len();
                    if end.fault.is_none() && !has_next {
                        writeln!(out, "All launches have ended.")?;
                    }
                    continue 'session;
                }
                Some(Leave::Why) => {
                    answer(engine, (debugged, initial.as_ref()), run, interrupt, out)?;
                    device.restore(&starts[run]);
                }
                Some(Leave::Earlier) => {
                    run -= 1;
                    device.restore(&starts[run]);
                    engine.begin_earlier();
                }
                Some(Leave::Quit) => return Ok(()),
                Some(Leave::Restart) => {
                    restarts = true;
                    continue 'session;
                }
            }
        }
    }
}

/// Answers a `why` command that the engine has received, if any: in a run, whose index is `run`, or after `run` runs.
///
/// # Errors
/// Fails if output cannot be written, or signals cannot be handled.
fn answer(
    engine: &Engine,
    (debugged, initial): (&DebuggedRun, Option<&InitialState>),
    run: usize,
    interrupt: &AtomicBool,
    out: &mut dyn Write,
) -> io::Result<()> {
    if let (Some(question), Some(initial)) = (engine.question(), initial) {
        why::at_stop(debugged, initial, run as u32, &question, out)?;
        // A signal during the search has interrupted only the search.
        interrupt.store(false, Release);
    }
    Ok(())
}

/// Reports the end of a launch.
fn ended(end: &Completion, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(&end.printed)?;
    let kernel = printable(&end.kernel);
    if end.fault.is_some() {
        return writeln!(
            out,
            "{kernel} ended with the fault; buffers are as it left them."
        );
    }
    let stats = end.stats;
    writeln!(
        out,
        "{kernel} has ended: waves {}, instructions {}",
        stats.waves, stats.instructions
    )
}
