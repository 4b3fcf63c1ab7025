//! Variations of an execution: what hardware may do, and by itself the emulator does not.
//!
//! A right program has the same results with each of them. One that lacks a wait, relies on an order of waves or reads what
//! nothing has set has others, or may have.

use gcn_emu::device::{Config, LdsFill};

/// Variations, each with the seed of its noise; without any, what takes place is what is most regular.
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
    /// Memory operations take effect as late as the wait counters allow, and the registers that they will write hold noise until
    /// then.
    pub late: Option<u64>,
    /// The waves of a workgroup have short turns of any length, in any order.
    pub schedule: Option<u64>,
    /// LDS holds noise when a workgroup starts.
    pub lds_fill: Option<u64>,
    /// The registers that nothing sets hold noise when a wave starts.
    pub register_fill: Option<u64>,
}

impl Variations {
    /// Puts them into a device's choices.
    pub(crate) fn apply(&self, config: &mut Config) {
        config.late = self.late;
        config.schedule = self.schedule;
        config.lds_fill = self.lds_fill.map_or(LdsFill::Zero, LdsFill::Random);
        config.register_fill = self.register_fill;
    }

    /// A seed as options give it: `random(SEED)`.
    ///
    /// # Errors
    /// The accepted form.
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
