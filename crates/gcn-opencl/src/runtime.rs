//! The platform of the process: its settings and devices.

use std::sync::{Arc, OnceLock};

use gcn_console::program::attached;
use gcn_report::program::say::say;
use gcn_report::program::{Watch, exit, forks};
use gcn_report::settings::Settings;
use gcn_runtime::{Chip, Device as Emulated};

use crate::abi::*;
use crate::device::{Device, Extension, NUMERIC_VERSION, VERSION};
use crate::handle::{Id, object, publish};
use crate::info::Info;
use crate::status::{Outcome, Status};

/// Name of the platform.
const NAME: &str = "gcn";
/// Ending of the platform's extension functions, of which there are none.
const SUFFIX: &str = "GCN";
/// The platform.
pub(crate) struct Runtime {
    id: Id<Runtime>,
    pub(crate) devices: Vec<Arc<Device>>,
    /// Everything that watches kernels.
    pub(crate) watch: Watch,
    /// Options of builds behind those of the program.
    pub(crate) build_options: Option<String>,
}

object!(Runtime, INVALID_PLATFORM);

static RUNTIME: OnceLock<Option<Arc<Runtime>>> = OnceLock::new();

gcn_report::end_watch_at_exit!(made().map(|runtime| &runtime.watch));

/// The platform, if there is one by now.
pub(crate) fn made() -> Option<&'static Arc<Runtime>> {
    RUNTIME.get()?.as_ref()
}

/// The platform, which the first call makes.
///
/// # Errors
/// The settings are wrong, which has been said on standard error: there is no platform.
pub(crate) fn get() -> Outcome<&'static Arc<Runtime>> {
    let made = RUNTIME.get_or_init(|| {
        Runtime::new()
            .map_err(|problem| say(&format!("error: {problem}")))
            .ok()
    });
    made.as_ref().ok_or(Status::INVALID_PLATFORM)
}

impl Runtime {
    fn new() -> Result<Arc<Runtime>, String> {
        let text = |error: &dyn std::fmt::Display| error.to_string();
        let settings = Settings::from_env().map_err(|error| text(&error))?;
        let builders = settings.devices().map_err(|error| text(&error))?;
        let mut all: Vec<Emulated> = Vec::new();
        for builder in builders {
            // Code of OpenCL C calls no functions of the host: without memory for the calls, launches are quicker.
            let mut builder = builder.without_host_calls();
            // Checks learn of memory by what is allocated and freed.
            if settings.check.is_none() {
                builder = builder.keeping_launch_memory();
            }
            let builder = match all.first() {
                Some(first) => builder.memory_of(first),
                None => builder,
            };
            all.push(builder.build());
        }
        let first = all.first().ok_or("GCN_TARGET names no device")?;
        let watch = Watch::new(&settings, first)?.controlled_by(attached(&settings));
        exit::watch();
        forks::watch();
        let mut devices = Vec::new();
        for (number, emulated) in all.into_iter().enumerate() {
            let chip = Chip::of(emulated.target());
            let memory = settings.device_memory();
            devices.push(publish(|id| {
                Device::new(id, number, emulated, chip, memory)
            }));
        }
        Ok(publish(|id| Runtime {
            id,
            devices,
            watch,
            build_options: settings.build_options.clone(),
        }))
    }

    /// The extensions that all devices have.
    fn extensions(&self) -> Vec<Extension> {
        let mut all = self
            .devices
            .first()
            .map_or_else(Vec::new, |it| it.extensions());
        for device in &self.devices {
            let own = device.extensions();
            all.retain(|extension| own.contains(extension));
        }
        all
    }

    /// The value of an attribute of the platform.
    ///
    /// # Errors
    /// There is no such attribute.
    pub(crate) fn info(&self, name: u32) -> Outcome<Info> {
        Ok(match name {
            CL_PLATFORM_PROFILE => Info::text("FULL_PROFILE"),
            CL_PLATFORM_VERSION => Info::text(VERSION),
            CL_PLATFORM_NUMERIC_VERSION => Info::from(NUMERIC_VERSION),
            CL_PLATFORM_NAME | CL_PLATFORM_VENDOR => Info::text(NAME),
            CL_PLATFORM_EXTENSIONS => {
                let names: Vec<_> = self.extensions().into_iter().map(|it| it.1).collect();
                Info::text(&names.join(" "))
            }
            CL_PLATFORM_EXTENSIONS_WITH_VERSION => Info::versions(self.extensions()),
            CL_PLATFORM_HOST_TIMER_RESOLUTION => Info::from(1u64),
            CL_PLATFORM_ICD_SUFFIX_KHR => Info::text(SUFFIX),
            _ => return Err(Status::INVALID_VALUE),
        })
    }
}
