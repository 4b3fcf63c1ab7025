//! Target features set after the target name, as in `gfx906:sramecc+:xnack-`.

use std::fmt;

use gcn_isa::Target;
use gcn_object::Feature;

/// Feature settings for a target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Features {
    /// XNACK: replay of faulting memory accesses.
    pub xnack: Feature,
    /// SRAM ECC: error correction for on-chip memory.
    pub sramecc: Feature,
}

/// Error for an invalid feature setting.
///
/// # Examples
/// ```
/// use gcn_asm::Features;
/// let target = gcn_isa::Target::named("gfx803").expect("a target");
/// let missing = Features::parse(target, "gfx803:xnack+").unwrap_err();
/// assert_eq!(missing.to_string(), "gfx803 has no feature `xnack+`");
/// assert_eq!(missing.help(), None);
/// ```
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FeatureError {
    /// The feature is unknown, or its `+` or `-` is missing.
    #[error("unknown target feature `{}`", .0.escape_debug())]
    Unknown(String),
    /// The target lacks the feature.
    #[error("{} has no feature `{}`", .0, .1.escape_debug())]
    Missing(&'static str, String),
}

impl FeatureError {
    /// Help text with the valid settings, for an unknown feature.
    pub fn help(&self) -> Option<&'static str> {
        matches!(self, FeatureError::Unknown(_))
            .then_some("the features are xnack and sramecc, each with + or -")
    }
}

impl Features {
    /// Feature settings if the target name specifies none.
    ///
    /// # Examples
    /// ```
    /// use gcn_asm::Features;
    /// use gcn_object::Feature;
    /// let of = |name| Features::unspecified(gcn_isa::Target::named(name).expect("a target"));
    /// assert_eq!((of("gfx900").xnack, of("gfx900").sramecc), (Feature::Any, Feature::Unsupported));
    /// assert_eq!(of("gfx803").xnack, Feature::Unsupported);
    /// ```
    pub fn unspecified(target: &Target) -> Features {
        let feature = |has| {
            if has {
                Feature::Any
            } else {
                Feature::Unsupported
            }
        };
        Features {
            xnack: feature(target.xnack),
            sramecc: feature(target.sramecc),
        }
    }

    /// Parses feature settings after a target name: `gfx906:xnack-` turns one feature off and leaves the other
    /// unspecified.
    ///
    /// # Errors
    /// [`FeatureError`] if a setting is malformed, or the target does not support it.
    ///
    /// # Examples
    /// ```
    /// use gcn_asm::{FeatureError, Features};
    /// use gcn_object::Feature;
    /// let target = gcn_isa::Target::named("gfx906").expect("a target");
    /// let features = Features::parse(target, "gfx906:xnack-")?;
    /// assert_eq!((features.xnack, features.sramecc), (Feature::Off, Feature::Any));
    /// assert_eq!(features.to_string(), ":xnack-");
    /// let unknown = Features::parse(target, "gfx906:wave64+").unwrap_err();
    /// assert!(matches!(unknown, FeatureError::Unknown(_)) && unknown.help().is_some());
    /// # Ok::<(), FeatureError>(())
    /// ```
    pub fn parse(target: &Target, name: &str) -> Result<Features, FeatureError> {
        let mut features = Features::unspecified(target);
        for setting in name.split(':').skip(1) {
            let (feature, has) = match setting.strip_suffix(['+', '-']) {
                Some("xnack") => (&mut features.xnack, target.xnack),
                Some("sramecc") => (&mut features.sramecc, target.sramecc),
                _ => return Err(FeatureError::Unknown(setting.to_owned())),
            };
            if !has {
                return Err(FeatureError::Missing(target.name, setting.to_owned()));
            }
            *feature = if setting.ends_with('+') {
                Feature::On
            } else {
                Feature::Off
            };
        }
        Ok(features)
    }

    /// Combines two sets of settings; `None` if they contradict each other.
    pub(crate) fn joined(self, other: Features) -> Option<Features> {
        let join = |one, other| match (one, other) {
            (Feature::On, Feature::Off) | (Feature::Off, Feature::On) => None,
            (Feature::Any, other) => Some(other),
            (feature, _) => Some(feature),
        };
        Some(Features {
            xnack: join(self.xnack, other.xnack)?,
            sramecc: join(self.sramecc, other.sramecc)?,
        })
    }
}

/// Writes the settings in target-name syntax: `:sramecc+:xnack-`.
impl fmt::Display for Features {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, feature) in [("sramecc", self.sramecc), ("xnack", self.xnack)] {
            match feature {
                Feature::On => write!(f, ":{name}+")?,
                Feature::Off => write!(f, ":{name}-")?,
                Feature::Any | Feature::Unsupported => {}
            }
        }
        Ok(())
    }
}
