//! Options of `gcn why`.

use gcn_args::compare::Tolerance;
use gcn_console::why::{DEPTH, EXECUTIONS};

use crate::run;

/// Command name, for messages.
pub const COMMAND: &str = "gcn why";

/// The arguments of `gcn why`.
#[derive(clap::Args)]
#[command(args_override_self = true)]
#[group(skip)]
pub struct Args {
    /// Options of the run.
    #[command(flatten)]
    pub run: run::Args,
    /// Element of a buffer after the last launch.
    #[arg(value_name = "NAME[:TYPE][A]", required_unless_present = "against")]
    pub place: Option<String>,
    /// Compare with another run, and find the first instructions whose results differ: another program, code object or launch
    /// file, or an option that only the other run has, such as -O0, --target=gfx900 or --late; may be given several times.
    #[arg(long, value_name = "OTHER", allow_hyphen_values = true)]
    pub against: Vec<String>,
    /// Tolerance for comparing elements with --against, as in --expect: 1e-6, `4 ulp`.
    #[arg(long, value_name = "TOLERANCE", requires = "against", value_parser = tolerance)]
    pub tolerance: Option<Tolerance>,
    /// Maximum depth of the tree.
    #[arg(long, value_name = "N", default_value_t = DEPTH, value_parser = clap::value_parser!(u32).range(1..))]
    pub depth: u32,
    /// Maximum number of instruction executions to follow, counted per lane.
    #[arg(long, value_name = "N", default_value_t = EXECUTIONS, value_parser = executions)]
    pub executions: usize,
}

/// Parses a number of executions.
///
/// # Errors
/// Fails if the text is not a number greater than 0.
fn executions(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number @ 1..) => Ok(number),
        _ => Err("write a number of at least 1".to_owned()),
    }
}

/// Parses a tolerance.
///
/// # Errors
/// Fails if the text is not a tolerance.
fn tolerance(text: &str) -> Result<Tolerance, String> {
    Tolerance::parse(text).ok_or_else(|| "write a number, or `N ulp`".to_owned())
}
