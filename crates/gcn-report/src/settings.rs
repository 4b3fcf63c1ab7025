//! Settings from the environment, for front ends that programs load as libraries.
//!
//! These front ends have no command line. `gcn exec` passes its options in environment variables, which the library in
//! the program reads. An empty variable counts as unset.
//!
//! ```
//! use std::time::Duration;
//! use gcn_report::settings::Settings;
//!
//! let mut settings = Settings::from_env()?;
//! settings.targets = vec!["gfx900".to_owned(), "gfx906:xnack-".to_owned()];
//! settings.timeout = Some(Duration::from_millis(1500));
//! let variables = settings.variables();
//! assert!(variables.contains(&("GCN_TARGET", "gfx900,gfx906:xnack-".into())));
//! assert!(variables.contains(&("GCN_TIMEOUT", "1.5".into())));
//! let devices = settings.devices()?;
//! assert_eq!(devices[1].clone().build().target().name, "gfx906");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod gfx_version;
mod output;
mod variables;

mod check;
mod profile;

#[cfg(test)]
mod tests;

use std::env;
use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::time::Duration;

use gcn_emu::run::{ENGINE_VARIABLE as ENGINE, Engine};
use gcn_runtime::compile::DEFAULT_TARGET;
use gcn_runtime::{Device, DeviceBuilder, Error, Variations};

pub use check::{
    CheckSettings, DEFAULT_CHECKS, FindingFormat, checks, exit_status, kernels, names_kernel,
    stop_at,
};
pub use gfx_version::overriding_target;
pub use output::{PROCESS, STANDARD};
pub use profile::{ProfileFormat, ProfileSettings};
pub use variables::SettingsError;
use variables::{COMMA, Variables, items};

/// Environment variable for the targets of the devices, as a comma-separated list.
pub const TARGET: &str = "GCN_TARGET";
/// Environment variable for the memory of each device, in bytes.
const MEMORY: &str = "GCN_MEMORY";
/// Environment variable for the number of host threads per device.
const THREADS: &str = "GCN_THREADS";
/// Environment variable for the maximum number of instructions per wave.
const LIMIT: &str = "GCN_LIMIT";
/// Environment variable for the maximum time per kernel, in seconds.
const TIMEOUT: &str = "GCN_TIMEOUT";
/// Environment variable for the seed for delaying memory operations.
const LATE: &str = "GCN_LATE";
/// Environment variable for the seed of the wave order.
const SCHEDULE: &str = "GCN_SCHEDULE";
/// Environment variable for the seed of initial LDS contents.
const LDS_FILL: &str = "GCN_LDS_FILL";
/// Environment variable for the seed of initial register contents.
const REGISTER_FILL: &str = "GCN_REGISTER_FILL";
/// Environment variable for the trace file.
const TRACE: &str = "GCN_TRACE";
/// Environment variable for the trace selection: `KEY=VALUE` pairs separated by semicolons.
const TRACE_ONLY: &str = "GCN_TRACE_ONLY";

/// Environment variable for the path of the debugger's socket.
pub const DEBUG: &str = "GCN_DEBUG";
/// Environment variable for additional compiler options of OpenCL programs.
const BUILD_OPTIONS: &str = "GCN_BUILD_OPTIONS";

/// Maximum number of host threads per device.
pub const MAX_THREADS: usize = 1024;
/// Default memory of a device in bytes, if the host has enough. Equal to the memory of a Radeon VII.
const DEFAULT_MEMORY: u64 = 16 << 30;
/// Separator of trace selections, which may contain commas.
const SEMICOLON: char = ';';

/// Settings for the emulated devices of a program, and for the kernels that it runs on them.
///
/// # Examples
/// ```
/// use gcn_report::settings::Settings;
/// let settings = Settings { targets: vec!["gfx803".into()], limit: Some(1 << 20), ..Settings::default() };
/// let device = settings.devices()?.remove(0).build();
/// assert_eq!(device.target().name, "gfx803");
/// assert!(settings.check.is_none() && settings.profile.is_none() && !settings.is_traced());
/// # Ok::<(), gcn_runtime::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// Targets of the devices, at least one. They have the form accepted by [`Target::named`](gcn_isa::Target::named),
    /// optionally with features.
    pub targets: Vec<String>,
    /// Memory of each device in bytes; `None` for the default of [`Settings::device_memory`].
    pub memory: Option<u64>,
    /// Number of host threads per device, from 1 to [`MAX_THREADS`]; `None` for the number of host processors.
    pub threads: Option<usize>,
    /// Execution engine of the process; `None` for [`Engine::Auto`]. The emulator itself reads it from the environment.
    pub engine: Option<Engine>,
    /// Number of instructions after which a wave is stopped with a fault.
    pub limit: Option<u64>,
    /// Time after which a kernel is stopped with a fault.
    pub timeout: Option<Duration>,
    /// Variations of behaviour that hardware may show.
    pub variations: Variations,
    /// Trace file; `-` is standard error. A relative path is relative to the program's working directory, so front ends
    /// with a command line should make it absolute.
    pub trace: Option<PathBuf>,
    /// Trace selections of the form `KEY=VALUE`. With selections but no file, the trace is written to standard error.
    pub trace_only: Vec<String>,
    /// Options for OpenCL builds, separated by spaces as in `clBuildProgram`. They follow the program's options and
    /// take precedence.
    pub build_options: Option<String>,
    /// Settings for checks; `None` to run no checks.
    pub check: Option<CheckSettings>,
    /// Settings for the profile; `None` to write no profile.
    pub profile: Option<ProfileSettings>,
    /// Path of the socket of `gcn exec --debug`, which controls the launches; `None` without a debugger.
    pub debug: Option<PathBuf>,
}

/// Configures one device with [`DEFAULT_TARGET`], without a limit on instructions or time.
impl Default for Settings {
    fn default() -> Settings {
        Settings {
            targets: vec![DEFAULT_TARGET.to_owned()],
            memory: None,
            threads: None,
            engine: None,
            limit: None,
            timeout: None,
            variations: Variations::default(),
            trace: None,
            trace_only: Vec::new(),
            build_options: None,
            check: None,
            profile: None,
            debug: None,
        }
    }
}

impl Settings {
    /// Reads the settings from the environment of this process.
    ///
    /// # Errors
    /// Fails if a variable has an invalid value. The first error is returned.
    ///
    /// # Examples
    /// ```
    /// use gcn_report::settings::Settings;
    /// # if std::env::vars().any(|(name, _)| name.starts_with("GCN_")) { return Ok(()); }
    /// assert_eq!(Settings::from_env()?, Settings::default(), "no variable is set");
    /// # Ok::<(), gcn_report::settings::SettingsError>(())
    /// ```
    pub fn from_env() -> Result<Settings, SettingsError> {
        Settings::from_variables(|name| env::var_os(name))
    }

    /// Reads the settings from variables that `value` looks up.
    ///
    /// # Errors
    /// Fails if a variable has an invalid value. The first error is returned.
    ///
    /// # Examples
    /// ```
    /// use gcn_report::settings::Settings;
    /// let settings = Settings::from_variables(|name| (name == "GCN_MEMORY").then(|| "512M".into()))?;
    /// assert_eq!(settings.memory, Some(512 << 20));
    /// assert_eq!(settings.targets, ["gfx906"]);
    ///
    /// let wrong = Settings::from_variables(|name| (name == "GCN_LIMIT").then(|| "few".into())).unwrap_err();
    /// assert_eq!(wrong.to_string(), "GCN_LIMIT: `few` is not a number of instructions above 0");
    /// # Ok::<(), gcn_report::settings::SettingsError>(())
    /// ```
    pub fn from_variables(
        value: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Settings, SettingsError> {
        let variables = Variables { value };
        let default = Settings::default();
        let trace_only = variables.text(TRACE_ONLY)?;
        Ok(Settings {
            targets: variables.read(TARGET, targets)?.unwrap_or(default.targets),
            memory: variables.read(MEMORY, amount)?,
            threads: variables.read(THREADS, threads)?,
            engine: variables.read(ENGINE, engine)?,
            limit: variables.read(LIMIT, limit)?,
            timeout: variables.read(TIMEOUT, seconds)?,
            variations: Variations {
                late: variables.read(LATE, seed)?,
                schedule: variables.read(SCHEDULE, Variations::seed)?,
                lds_fill: variables.read(LDS_FILL, Variations::seed)?,
                register_fill: variables.read(REGISTER_FILL, Variations::seed)?,
            },
            trace: variables.value(TRACE).map(PathBuf::from),
            trace_only: trace_only.map_or_else(Vec::new, |text| items(&text, SEMICOLON)),
            build_options: variables.text(BUILD_OPTIONS)?,
            check: CheckSettings::from_variables(&variables)?,
            profile: ProfileSettings::from_variables(&variables)?,
            debug: variables.value(DEBUG).map(PathBuf::from),
        })
    }

    /// Returns the variables from which [`Settings::from_env`] reads these settings. Omits most defaults.
    ///
    /// # Examples
    /// ```
    /// use gcn_report::settings::Settings;
    /// let settings = Settings { threads: Some(4), ..Settings::default() };
    /// let variables = settings.variables();
    /// assert_eq!(variables, [("GCN_TARGET", "gfx906".into()), ("GCN_THREADS", "4".into())]);
    /// let value = |name: &str| Some(variables.iter().find(|(known, _)| *known == name)?.1.clone());
    /// assert_eq!(Settings::from_variables(value)?, settings);
    /// # Ok::<(), gcn_report::settings::SettingsError>(())
    /// ```
    pub fn variables(&self) -> Vec<(&'static str, OsString)> {
        let joined = |list: &[String], separator: char| {
            (!list.is_empty()).then(|| OsString::from(list.join(&separator.to_string())))
        };
        let number = |number: Option<u64>| Some(OsString::from(number?.to_string()));
        let random = |seed: Option<u64>| Some(OsString::from(format!("random({})", seed?)));
        let all = [
            (TARGET, joined(&self.targets, COMMA)),
            (MEMORY, number(self.memory)),
            (THREADS, self.threads.map(|n| n.to_string().into())),
            (ENGINE, self.engine.map(|it| it.name().into())),
            (LIMIT, number(self.limit)),
            (
                TIMEOUT,
                self.timeout
                    .map(|time| time.as_secs_f64().to_string().into()),
            ),
            (LATE, number(self.variations.late)),
            (SCHEDULE, random(self.variations.schedule)),
            (LDS_FILL, random(self.variations.lds_fill)),
            (REGISTER_FILL, random(self.variations.register_fill)),
            (TRACE, self.trace.clone().map(OsString::from)),
            (TRACE_ONLY, joined(&self.trace_only, SEMICOLON)),
            (
                BUILD_OPTIONS,
                self.build_options.clone().map(OsString::from),
            ),
            (DEBUG, self.debug.clone().map(OsString::from)),
        ];
        let check = self.check.iter().flat_map(CheckSettings::variables);
        let profile = self.profile.iter().flat_map(ProfileSettings::variables);
        all.into_iter()
            .chain(check)
            .chain(profile)
            .filter_map(|(name, value)| Some((name, value?)))
            .collect()
    }

    /// Returns the memory of each device in bytes. The default is 16 GiB, or three quarters of the host's memory if less.
    ///
    /// # Examples
    /// ```
    /// use gcn_report::settings::Settings;
    /// assert!((1..=16 << 30).contains(&Settings::default().device_memory()));
    /// let settings = Settings { memory: Some(1 << 20), ..Settings::default() };
    /// assert_eq!(settings.device_memory(), 1 << 20);
    /// ```
    pub fn device_memory(&self) -> u64 {
        let of_host = || host_memory("MemTotal").map_or(DEFAULT_MEMORY, |total| total / 4 * 3);
        self.memory.unwrap_or_else(|| DEFAULT_MEMORY.min(of_host()))
    }

    /// True if executed instructions are traced.
    ///
    /// # Examples
    /// ```
    /// use gcn_report::settings::Settings;
    /// assert!(!Settings::default().is_traced());
    /// let stores = Settings { trace_only: vec!["op=global_store*".into()], ..Settings::default() };
    /// assert!(stores.is_traced(), "the trace goes to standard error");
    /// ```
    pub fn is_traced(&self) -> bool {
        self.trace.is_some() || !self.trace_only.is_empty()
    }

    /// Returns a builder for each target, in order, configured with the memory size, variations, thread count and
    /// instruction limit. A traced device has a single thread, so that the order of lines is deterministic.
    ///
    /// # Errors
    /// Fails if a device cannot be configured; see [`Device::builder`].
    ///
    /// # Examples
    /// ```
    /// use gcn_runtime::Error;
    /// use gcn_report::settings::Settings;
    /// let settings = Settings {
    ///     targets: vec!["gfx900".into(), "gfx906".into()],
    ///     threads: Some(4),
    ///     trace: Some("trace.txt".into()),
    ///     ..Settings::default()
    /// };
    /// let devices: Vec<_> = settings.devices()?.into_iter().map(|options| options.build()).collect();
    /// assert_eq!(devices[1].target().name, "gfx906");
    /// assert_eq!(devices[1].threads(), 1, "the device is traced");
    /// let unknown = Settings { targets: vec!["gfx12".into()], ..Settings::default() };
    /// assert!(matches!(unknown.devices(), Err(Error::Target(_))));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn devices(&self) -> Result<Vec<DeviceBuilder>, Error> {
        let memory = self.device_memory();
        let device = |target: &String| {
            let mut device = Device::builder(target)?
                .memory(memory)
                .vary(&self.variations);
            if let Some(threads) = self.threads {
                device = device.threads(threads);
            }
            if self.is_traced() {
                device = device.threads(1);
            }
            if let Some(limit) = self.limit {
                device = device.instruction_limit(limit);
            }
            Ok(device)
        };
        self.targets.iter().map(device).collect()
    }
}

/// Parses a nonempty, comma-separated list of targets.
///
/// # Errors
/// Fails if a target is unknown, or the list is empty.
///
/// # Examples
/// ```
/// use gcn_report::settings::targets;
/// assert_eq!(targets("gfx803, gfx906:xnack-"), Ok(vec!["gfx803".to_owned(), "gfx906:xnack-".to_owned()]));
/// assert!(targets("gfx9000").unwrap_err().contains("`gfx9000` is not a target"));
/// ```
pub fn targets(text: &str) -> Result<Vec<String>, String> {
    let targets = items(text, COMMA);
    match targets.iter().find_map(|name| Device::builder(name).err()) {
        Some(error) => Err(error.to_string()),
        None if targets.is_empty() => Err(format!("`{text}` names no target")),
        None => Ok(targets),
    }
}

/// Parses an amount of memory: bytes, optionally with the suffix K, M or G for powers of 1024.
///
/// # Errors
/// Fails if the text is invalid. The message states the accepted forms.
///
/// # Examples
/// ```
/// assert_eq!(gcn_report::settings::amount("4G"), Ok(4 << 30));
/// ```
pub fn amount(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let shift = match &text[digits.len()..] {
        "" => Some(0),
        "K" | "k" | "KiB" => Some(10),
        "M" | "m" | "MiB" => Some(20),
        "G" | "g" | "GiB" => Some(30),
        _ => None,
    };
    let bytes = shift.and_then(|shift| digits.parse::<u64>().ok()?.checked_mul(1 << shift));
    bytes.ok_or_else(|| format!("`{text}` is not an amount of memory such as 1048576, 512M or 4G"))
}

/// Parses a number of host threads from 1 to [`MAX_THREADS`].
///
/// # Errors
/// Fails if the text is invalid. The message states the accepted range.
///
/// # Examples
/// ```
/// assert_eq!(gcn_report::settings::threads("8"), Ok(8));
/// assert!(gcn_report::settings::threads("0").is_err());
/// ```
pub fn threads(text: &str) -> Result<usize, String> {
    let wrong = || format!("`{text}` is not a number of threads from 1 to {MAX_THREADS}");
    text.parse()
        .ok()
        .filter(|threads| (1..=MAX_THREADS).contains(threads))
        .ok_or_else(wrong)
}

/// Parses the name of an engine.
///
/// # Errors
/// Fails if the name is unknown. The message lists the valid ones.
fn engine(text: &str) -> Result<Engine, String> {
    Engine::named(text).map_err(|error| error.to_string())
}

/// Parses a positive number of instructions.
///
/// # Errors
/// Fails if the text is invalid. The message states the accepted range.
///
/// # Examples
/// ```
/// assert_eq!(gcn_report::settings::limit("1000000"), Ok(1_000_000));
/// ```
pub fn limit(text: &str) -> Result<u64, String> {
    let limit: Result<NonZeroU64, _> = text.parse();
    limit
        .map(NonZeroU64::get)
        .map_err(|_| format!("`{text}` is not a number of instructions above 0"))
}

/// Parses the seed for delaying memory operations.
fn seed(text: &str) -> Result<u64, String> {
    let seed = text.parse();
    seed.map_err(|_| format!("`{text}` is not a seed, a number from 0 to {}", u64::MAX))
}

/// Maximum timeout in seconds, which every clock can represent.
const MAX_SECONDS: f64 = 1e9;

/// Parses a positive time in seconds, which may be fractional.
///
/// # Errors
/// Fails if the text is invalid. The message states the accepted forms.
///
/// # Examples
/// ```
/// use std::time::Duration;
/// use gcn_report::settings::seconds;
/// assert_eq!(seconds("0.25"), Ok(Duration::from_millis(250)));
/// assert_eq!(seconds("-1"), Err("`-1` is not a number of seconds above 0".to_owned()));
/// assert_eq!(seconds("1e300"), Err("`1e300` is more than the longest timeout, 1000000000 seconds".to_owned()));
/// ```
pub fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: Option<f64> = text.trim().parse().ok();
    let seconds = seconds.filter(|seconds| *seconds > 0.0);
    let seconds = seconds.ok_or_else(|| format!("`{text}` is not a number of seconds above 0"))?;
    if seconds > MAX_SECONDS {
        return Err(format!(
            "`{text}` is more than the longest timeout, {MAX_SECONDS} seconds"
        ));
    }
    Ok(Duration::from_secs_f64(seconds).max(Duration::from_nanos(1)))
}

/// Returns the host memory in bytes that Linux reports for `key`, such as `MemTotal` or `MemAvailable`, if available.
///
/// # Examples
/// ```
/// use gcn_report::settings::host_memory;
/// if let Some(total) = host_memory("MemTotal") {
///     assert!(host_memory("MemAvailable").is_none_or(|available| available <= total));
/// }
/// assert_eq!(host_memory("NoSuchKey"), None);
/// ```
pub fn host_memory(key: &str) -> Option<u64> {
    let mut text = String::new();
    let mut file = File::open("/proc/meminfo").ok()?;
    file.read_to_string(&mut text).ok()?;
    let mut lines = text.lines().filter_map(|line| line.split_once(':'));
    let (_, amount) = lines.find(|(known, _)| *known == key)?;
    let kibibytes: u64 = amount.trim().trim_end_matches("kB").trim().parse().ok()?;
    kibibytes.checked_mul(1 << 10)
}
