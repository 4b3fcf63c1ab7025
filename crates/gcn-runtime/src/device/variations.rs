//! Variations of execution that hardware also permits.
//!
//! A correct program produces the same results under all variations. A program that lacks a wait, relies on the order of
//! waves or reads uninitialized state may not.

use gcn_emu::device::{Config, LdsFill};

/// Variations to apply, each with its seed. By default, there are none.
///
/// # Examples
/// ```
/// use gcn_runtime::{Device, Variations};
/// let variations = Variations { late: Some(1), ..Variations::default() };
/// let device = Device::builder("gfx906")?.vary(&variations).build();
/// # let _ = device;
/// # Ok::<(), gcn_runtime::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Variations {
    /// Delays memory operations for as long as wait counters allow. Until then, their destination registers hold noise.
    pub late: Option<u64>,
    /// Runs the waves of a workgroup in random order, in short turns of random length.
    pub schedule: Option<u64>,
    /// Fills LDS with noise when a workgroup starts.
    pub lds_fill: Option<u64>,
    /// Fills uninitialized registers with noise when a wave starts.
    pub register_fill: Option<u64>,
}

impl Variations {
    /// Applies the variations to a device's configuration, and leaves other settings unchanged.
    pub(crate) fn apply(&self, config: &mut Config) {
        config.late = self.late.or(config.late);
        config.schedule = self.schedule.or(config.schedule);
        config.lds_fill = self.lds_fill.map_or(config.lds_fill, LdsFill::Random);
        config.register_fill = self.register_fill.or(config.register_fill);
    }

    /// Parses the option syntax for a seed: `random(SEED)`.
    ///
    /// # Errors
    /// Fails if the text is invalid. The message shows the accepted form.
    ///
    /// # Examples
    /// ```
    /// use gcn_runtime::Variations;
    /// assert_eq!(Variations::seed("random(7)"), Ok(7));
    /// assert!(Variations::seed("7").is_err());
    /// ```
    pub fn seed(text: &str) -> Result<u64, String> {
        let inner = text.strip_prefix("random(");
        let inner = inner.and_then(|it| it.strip_suffix(')'));
        let seed = inner.and_then(|seed| seed.trim().parse().ok());
        seed.ok_or_else(|| {
            format!(
                "`{text}` is not random(SEED), with a number from 0 to {}",
                u64::MAX
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use gcn_isa::Isa;

    use super::*;

    #[test]
    fn other_settings_stay() {
        let mut config = Config::new(Isa::Gfx9);
        config.lds_fill = LdsFill::Random(1);
        config.late = Some(2);
        let variations = Variations {
            late: Some(3),
            schedule: Some(4),
            ..Variations::default()
        };
        variations.apply(&mut config);
        assert_eq!((config.late, config.schedule), (Some(3), Some(4)));
        assert_eq!(config.lds_fill, LdsFill::Random(1));
    }
}
