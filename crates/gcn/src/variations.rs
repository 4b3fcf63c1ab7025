//! Options that vary an execution in ways that hardware allows.

use gcn_runtime::Variations;

/// Options that vary the execution.
#[derive(clap::Args, Clone, Copy, Debug, Default)]
#[command(next_help_heading = "Variations")]
#[group(skip)]
pub struct Options {
    /// Delay memory operations for as long as the wait counters allow, and fill their registers with noise until then,
    /// so that a missing wait changes the results.
    #[arg(long, value_name = "SEED", num_args = 0..=1, require_equals = true, default_missing_value = "1")]
    late: Option<u64>,
    /// Schedule the waves of a workgroup at random: `random(SEED)`.
    #[arg(long, value_name = "random(SEED)", value_parser = Variations::seed)]
    schedule: Option<u64>,
    /// Fill LDS with noise before each workgroup starts: `random(SEED)`.
    #[arg(long, value_name = "random(SEED)", value_parser = Variations::seed)]
    lds_fill: Option<u64>,
    /// Fill uninitialised registers with noise before each wave starts: `random(SEED)`.
    #[arg(long, value_name = "random(SEED)", value_parser = Variations::seed)]
    register_fill: Option<u64>,
}

impl Options {
    /// Converts the options to variations. `others` provides the values of absent options.
    pub fn or(&self, others: Variations) -> Variations {
        Variations {
            late: self.late.or(others.late),
            schedule: self.schedule.or(others.schedule),
            lds_fill: self.lds_fill.or(others.lds_fill),
            register_fill: self.register_fill.or(others.register_fill),
        }
    }
}
