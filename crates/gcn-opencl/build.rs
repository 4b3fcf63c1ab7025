//! Links the shared library such that `dlclose` does not unload it: its threads and exit handler must stay mapped.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
}
