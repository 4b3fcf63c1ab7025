//! Debug Adapter Protocol over the standard streams or a loopback port: requests up to `launch`, and output events.

use std::io::{self, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result};
use clap::Parser;
use gcn_console::dap::{
    Adapter, Choices, ClientFeatures, Connection, LaunchArguments, Received, Refusal, Request,
    capabilities,
};
use gcn_debug::FrontEnd;
use gcn_observe::finding::Check;
use serde_json::Value;

use crate::problem::{INVALID_PROTOCOL, Problem};
use crate::{Status, UsageError, failure, run, stdout};

/// Transport for protocol messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Transport {
    /// Standard input and output.
    Standard,
    /// Loopback port that accepts one client; 0 lets the host select the port.
    Port(u16),
}

impl std::str::FromStr for Transport {
    type Err = String;

    fn from_str(text: &str) -> Result<Transport, String> {
        if text == STANDARD {
            return Ok(Transport::Standard);
        }
        let port = text.parse().map(Transport::Port);
        port.map_err(|_| format!("a port is a number up to {}", u16::MAX))
    }
}

/// Name of the standard streams, and the value of `--dap` without a port.
const STANDARD: &str = "stdio";

/// Option that replaces the console with a protocol client.
#[derive(clap::Args)]
pub struct DapOption {
    /// Speak the Debug Adapter Protocol, in place of a console: over standard input and output, or with a client that
    /// connects to a loopback port. If the command line names no program, the client does.
    #[arg(
        id = "dap",
        long = "dap",
        value_name = "PORT",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = STANDARD,
        conflicts_with_all = ["commands", "execute"]
    )]
    pub transport: Option<Transport>,
}

/// Run options from a `launch` request, parsed like a command line.
#[derive(Parser)]
#[command(no_binary_name = true, name = "launch")]
struct LaunchLine {
    #[command(flatten)]
    run: run::Args,
}

/// Launch requested by a client.
pub struct Wanted {
    /// Arguments of the run; `None` to use the command line.
    pub run: Option<Box<run::Args>>,
    /// True to run the checkers.
    pub check: bool,
    /// Options of the session.
    pub choices: Choices,
    request: Request,
}

/// Program or launches that a session debugs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subject {
    /// Launches named by the client (`gcn debug`).
    Launches,
    /// Launches named on the command line.
    NamedLaunches,
    /// Program named on the command line (`gcn exec`).
    Program,
}

impl Subject {
    /// Name of the command, for messages.
    fn command(self) -> &'static str {
        match self {
            Subject::Launches | Subject::NamedLaunches => "gcn debug",
            Subject::Program => "gcn exec",
        }
    }
}

/// Connected client.
pub struct Client {
    connection: Arc<Mutex<Connection>>,
    features: Option<ClientFeatures>,
    subject: Subject,
}

impl Client {
    /// Waits for a client to connect. A thread calls `notify` after each message from the client.
    ///
    /// # Errors
    /// Fails if standard output is closed, the port cannot be opened, or the host cannot create a thread.
    pub fn connect(
        transport: Transport,
        subject: Subject,
        notify: impl Fn() + Send + 'static,
    ) -> Result<Client> {
        let connection = match transport {
            Transport::Standard => {
                stdout::check()?;
                let input = BufReader::new(io::stdin());
                Connection::new(input, Box::new(stdout::shared()), notify)
            }
            Transport::Port(port) => {
                let refused = || UsageError(format!("--dap={port}: the port cannot be opened"));
                let listener =
                    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).with_context(refused)?;
                let address = listener.local_addr().with_context(refused)?;
                let command = subject.command();
                crate::render::tell(format_args!("{command} listens on {address}\n"));
                let (stream, _) = listener.accept().with_context(refused)?;
                let input = BufReader::new(stream.try_clone().with_context(refused)?);
                Connection::new(input, Box::new(stream), notify)
            }
        };
        Ok(Client {
            connection: Arc::new(Mutex::new(connection?)),
            features: None,
            subject,
        })
    }

    /// Locks the connection to the client.
    pub fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers requests until `launch`. Returns `None` if the client disconnects first.
    pub fn wanted(&mut self) -> Option<Wanted> {
        loop {
            let received = self.connection().receive();
            let Received::Request(request) = received else {
                return None;
            };
            let answer = match request.command.as_str() {
                "initialize" if self.features.is_none() => self.initialize(&request),
                "initialize" => Err("`initialize` has already been answered".to_owned()),
                "disconnect" => {
                    let mut connection = self.connection();
                    connection.respond(&request, Ok(Value::Null));
                    connection.close();
                    return None;
                }
                _ if self.features.is_none() => {
                    Err(format!("{} comes before `initialize`", request.command))
                }
                "launch" => match self.launch(&request) {
                    Ok((run, check, choices)) => {
                        return Some(Wanted {
                            run,
                            check,
                            choices,
                            request,
                        });
                    }
                    Err(reason) => Err(reason),
                },
                "attach" => Err(
                    "attach: gcn runs kernels itself, and there is no process to attach to; use `launch`"
                        .to_owned(),
                ),
                command => Err(format!("{command} comes before `launch`")),
            };
            self.connection().respond(&request, answer);
        }
    }

    fn initialize(&mut self, request: &Request) -> Result<Value, Refusal> {
        self.features = Some(request.arguments()?);
        let checks = Check::ALL.iter().filter(|check| check.is_default());
        let checks: Vec<&str> = checks.map(|check| check.name()).collect();
        Ok(capabilities(&checks, self.subject == Subject::Program))
    }

    /// Parses a `launch` request. Returns the run's arguments, a flag that enables the checkers, and the session's
    /// options.
    fn launch(
        &self,
        request: &Request,
    ) -> Result<(Option<Box<run::Args>>, bool, Choices), Refusal> {
        let arguments: LaunchArguments = request.arguments()?;
        let program = match (arguments.program, self.subject) {
            (Some(_), Subject::NamedLaunches | Subject::Program) => {
                return Err(
                    "launch: the command line of gcn names the program already; leave `program` out"
                        .to_owned(),
                );
            }
            (None, Subject::Launches) => {
                return Err(
                    "launch: `program` is missing: a launch file, a source or a code object"
                        .to_owned(),
                );
            }
            (program, _) => program,
        };
        if let Some(directory) = &arguments.cwd {
            std::env::set_current_dir(Path::new(directory))
                .map_err(|error| format!("launch: cwd {directory}: {error}"))?;
        }
        let run = match program {
            Some(program) => {
                let words = [program].into_iter().chain(arguments.args);
                let line = LaunchLine::try_parse_from(words);
                let line = line.map_err(|error| format!("launch: {}", error.render()))?;
                Some(Box::new(line.run))
            }
            None if arguments.args.is_empty() => None,
            None => {
                return Err("launch: `args` belong to `program`, which is missing".to_owned());
            }
        };
        let choices = Choices {
            client: self.features.unwrap_or_default(),
            stop_on_entry: arguments.stop_on_entry,
            no_debug: arguments.no_debug,
        };
        Ok((run, arguments.check, choices))
    }

    /// Notifies the client that a launch cannot start.
    pub fn refuse(&self, wanted: &Wanted, error: anyhow::Error) {
        let text = error.to_string();
        let reported = failure::report_all(error, true, &mut io::sink());
        let reason = match reported {
            Ok((_, problems)) => {
                let messages: Vec<String> = problems.into_iter().map(|it| it.message).collect();
                messages.join("\n")
            }
            Err(_) => text,
        };
        self.connection().respond(&wanted.request, Err(reason));
    }

    /// Notifies the client that the launch starts.
    pub fn accept(&self, wanted: &Wanted) {
        self.connection().respond(&wanted.request, Ok(Value::Null));
    }

    /// Creates the front end of a launch.
    pub fn front(&self, wanted: &Wanted) -> Box<dyn FrontEnd> {
        let connection = self.connection.clone();
        Box::new(Adapter::new(
            connection,
            wanted.choices,
            Status::Fault as i64,
        ))
    }

    /// Returns a writer that sends the output of kernels and launches as events.
    pub fn output(&self) -> impl Write {
        Output {
            connection: self.connection.clone(),
            line: Vec::new(),
        }
    }

    /// Ends the session.
    ///
    /// # Errors
    /// Fails if the input was invalid, the output could not be written, or the client left without `disconnect`.
    pub fn end(self) -> Result<Status> {
        let mut connection = self.connection();
        match connection.error() {
            Some(error) if error.kind() == io::ErrorKind::InvalidData => {
                let message = format!("the input does not follow the protocol: {error}");
                Err(Problem::new(INVALID_PROTOCOL, message).into())
            }
            Some(error) => Err(error.into()),
            None if connection.has_ended() => Ok(Status::Success),
            None => {
                let message = "the client has closed the connection without `disconnect`";
                Err(Problem::new(INVALID_PROTOCOL, message).into())
            }
        }
    }
}

/// Maximum length in bytes of a buffered line; a longer line is sent before its newline arrives.
const MAX_LINE: usize = 1 << 16;

/// Returns the length of `bytes` without a character at their end that more bytes may complete.
pub fn whole_characters(bytes: &[u8]) -> usize {
    match str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        _ => bytes.len(),
    }
}

/// Writer that sends complete lines as output events.
struct Output {
    connection: Arc<Mutex<Connection>>,
    line: Vec<u8>,
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.line.extend_from_slice(bytes);
        let end = self.line.iter().rposition(|byte| *byte == b'\n');
        let end = end.map(|end| end + 1);
        let long = || (self.line.len() > MAX_LINE).then(|| whole_characters(&self.line));
        if let Some(end) = end.or_else(long) {
            let rest = self.line.split_off(end);
            self.flush()?;
            self.line = rest;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let text = String::from_utf8_lossy(&self.line).into_owned();
        self.line.clear();
        let mut connection = self
            .connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        connection.output("stdout", &text);
        Ok(())
    }
}
