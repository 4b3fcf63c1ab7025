//! AMDGPU code objects.
mod descriptor;
mod metadata;
mod target;
mod value;
pub use descriptor::*;
pub use metadata::*;
pub use target::*;
pub use value::Value;
/// x
pub enum RelocationKind { /// y
Rel64 }
