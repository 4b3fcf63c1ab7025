//! Samplers and their modes.

use std::sync::Arc;

use gcn_runtime::Buffer;
use gcn_runtime::image::{self, Addressing, DESCRIPTOR_BYTES, Filter};

use crate::abi::*;
use crate::context::Context;
use crate::handle::{Id, Object, object, references};
use crate::info::Info;
use crate::status::{Outcome, Status};

/// Sampler modes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Modes {
    /// True if the sampler uses normalized coordinates.
    pub(crate) is_normalized: bool,
    /// Addressing mode (`CL_ADDRESS_…`).
    pub(crate) addressing: u32,
    /// Filter mode (`CL_FILTER_…`).
    pub(crate) filter: u32,
}

/// Modes that apply if the application sets none.
impl Default for Modes {
    fn default() -> Modes {
        Modes {
            is_normalized: true,
            addressing: CL_ADDRESS_CLAMP,
            filter: CL_FILTER_NEAREST,
        }
    }
}

impl Modes {
    /// Reads the modes from a property list.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE`: a property is unknown.
    pub(crate) fn new(properties: &[(u64, u64)]) -> Outcome<Modes> {
        let mut modes = Modes::default();
        for (name, value) in properties {
            let value = u32::try_from(*value).map_err(|_| Status::INVALID_VALUE)?;
            match u32::try_from(*name) {
                Ok(CL_SAMPLER_NORMALIZED_COORDS) => modes.is_normalized = value != 0,
                Ok(CL_SAMPLER_ADDRESSING_MODE) => modes.addressing = value,
                Ok(CL_SAMPLER_FILTER_MODE) => modes.filter = value,
                _ => return Err(Status::INVALID_VALUE),
            }
        }
        Ok(modes)
    }

    /// Converts the modes to a device sampler.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE`: a mode is unknown, or an addressing mode requires normalized coordinates.
    fn sampler(self) -> Outcome<image::Sampler> {
        let addressing = match self.addressing {
            CL_ADDRESS_NONE | CL_ADDRESS_CLAMP => Addressing::Border,
            CL_ADDRESS_CLAMP_TO_EDGE => Addressing::Edge,
            CL_ADDRESS_REPEAT if self.is_normalized => Addressing::Repeat,
            CL_ADDRESS_MIRRORED_REPEAT if self.is_normalized => Addressing::MirroredRepeat,
            _ => return Err(Status::INVALID_VALUE),
        };
        let filter = match self.filter {
            CL_FILTER_NEAREST => Filter::Nearest,
            CL_FILTER_LINEAR => Filter::Linear,
            _ => return Err(Status::INVALID_VALUE),
        };
        Ok(image::Sampler {
            is_normalized: self.is_normalized,
            addressing: [addressing; 3],
            filter,
        })
    }
}

/// Sampler with memory but no handle yet.
pub(crate) struct NewSampler {
    context: Arc<Context>,
    modes: Modes,
    properties: Vec<u64>,
    descriptor: Buffer,
}

impl NewSampler {
    /// Allocates a sampler. `properties` is the application's property list, including the terminator.
    ///
    /// # Errors
    /// Returns the specification's error for invalid modes, or an error if memory runs out.
    pub(crate) fn new(
        context: &Arc<Context>,
        modes: Modes,
        properties: Vec<u64>,
    ) -> Outcome<NewSampler> {
        let device = context.devices.first().ok_or(Status::INVALID_CONTEXT)?;
        let words = modes.sampler()?.words();
        let descriptor = device
            .emulated
            .allocate("a sampler (clCreateSampler)", DESCRIPTOR_BYTES as u64)
            .map_err(|_| Status::OUT_OF_RESOURCES)?;
        descriptor
            .write(0, &words)
            .map_err(|_| Status::OUT_OF_RESOURCES)?;
        Ok(NewSampler {
            context: context.clone(),
            modes,
            properties,
            descriptor,
        })
    }
}

pub(crate) struct Sampler {
    id: Id<Sampler>,
    of: NewSampler,
}

object!(Sampler, INVALID_SAMPLER);

impl Sampler {
    pub(crate) fn published(id: Id<Sampler>, of: NewSampler) -> Sampler {
        Sampler { id, of }
    }

    pub(crate) fn context(&self) -> &Arc<Context> {
        &self.of.context
    }

    /// Returns the descriptor's address, the same for all devices.
    pub(crate) fn address(&self) -> u64 {
        self.of.descriptor.address()
    }

    /// Returns the value of the attribute `name`.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE`: the attribute is unknown.
    pub(crate) fn info(&self, name: u32) -> Outcome<Info> {
        Ok(match name {
            CL_SAMPLER_REFERENCE_COUNT => Info::from(references(self)),
            CL_SAMPLER_CONTEXT => Info::from(self.of.context.handle()),
            CL_SAMPLER_NORMALIZED_COORDS => Info::bool(self.of.modes.is_normalized),
            CL_SAMPLER_ADDRESSING_MODE => Info::from(self.of.modes.addressing),
            CL_SAMPLER_FILTER_MODE => Info::from(self.of.modes.filter),
            CL_SAMPLER_PROPERTIES => Info::array(self.of.properties.iter().copied()),
            _ => return Err(Status::INVALID_VALUE),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_that_are_not_normalized_do_not_repeat() {
        let sampler = |is_normalized, addressing| {
            let modes = Modes {
                is_normalized,
                addressing,
                filter: CL_FILTER_NEAREST,
            };
            modes.sampler().map(|it| it.addressing[0])
        };
        assert_eq!(sampler(true, CL_ADDRESS_REPEAT), Ok(Addressing::Repeat));
        assert_eq!(sampler(false, CL_ADDRESS_CLAMP), Ok(Addressing::Border));
        let refused = sampler(false, CL_ADDRESS_REPEAT);
        assert_eq!(refused, Err(Status::INVALID_VALUE));
    }
}
