//! Creates root directories with Debian releases, using debootstrap, in the build directory.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Result;

use crate::hsa::target_directory;
use crate::run;

const MIRROR: &str = "http://deb.debian.org/debian";
/// Host file systems that programs in a root need: `mount` arguments, and the mount point in the root.
const MOUNTS: [(&str, &str, &str); 3] = [
    ("--types=proc", "proc", "proc"),
    ("--rbind", "/dev", "dev"),
    ("--rbind", "/sys", "sys"),
];

/// Debian release.
pub(crate) struct Release {
    pub(crate) name: &'static str,
    /// Release that debootstrap installs.
    pub(crate) base: &'static str,
    /// Release from which packages are preferably installed.
    pub(crate) preferred: &'static str,
}

impl Release {
    /// Creates a release that uses no packages from a newer one.
    pub(crate) const fn plain(name: &'static str) -> Release {
        Release {
            name,
            base: name,
            preferred: name,
        }
    }
}

/// Directory of all roots.
pub(crate) fn directory() -> PathBuf {
    target_directory().join("rocm")
}

/// Returns the root of a release, creating it if necessary.
///
/// # Errors
/// Fails if debootstrap cannot be installed, or fails.
pub(crate) fn make(release: &Release) -> Result<PathBuf> {
    let root = directory().join(release.name);
    let is_made = root.join("made");
    if is_made.exists() {
        return Ok(root);
    }
    eprintln!("making {}", root.display());
    run(Command::new("apt-get").args(["install", "-y", "debootstrap"]))?;
    let script = Path::new("/usr/share/debootstrap/scripts").join(release.base);
    if !script.exists() {
        std::os::unix::fs::symlink("sid", &script)?;
    }
    fs::create_dir_all(&root)?;
    // The host's keyring may be older than the release.
    run(Command::new("debootstrap")
        .args(["--variant=minbase", "--no-check-gpg", release.base])
        .arg(&root)
        .arg(MIRROR))?;
    let mut suites = BTreeSet::from([release.base, release.preferred]);
    // Packages drop out of testing for weeks at a time.
    suites.extend((release.base == "forky").then_some("sid"));
    let sources: Vec<String> = suites
        .iter()
        .map(|it| format!("deb {MIRROR} {it} main\n"))
        .collect();
    fs::write(root.join("etc/apt/sources.list"), sources.concat())?;
    fs::write(
        root.join("etc/apt/apt.conf.d/00gcn"),
        "Acquire::Check-Valid-Until \"false\";\nAPT::Install-Recommends \"false\";\n",
    )?;
    // Packages come from sid only if no other suite has them.
    fs::write(
        root.join("etc/apt/preferences.d/gcn"),
        "Package: *\nPin: release n=sid\nPin-Priority: 100\n",
    )?;
    let no_services = root.join("usr/sbin/policy-rc.d");
    fs::write(&no_services, "#!/bin/sh\nexit 101\n")?;
    run(Command::new("chmod").arg("+x").arg(&no_services))?;
    chroot(&root, "apt-get update")?;
    fs::write(is_made, "")?;
    Ok(root)
}

/// Mounts host file systems that programs in a root need. They stay mounted until the machine stops.
///
/// # Errors
/// Fails if a directory cannot be mounted.
pub(crate) fn mount(root: &Path) -> Result<()> {
    for (kind, from, to) in MOUNTS {
        let at = root.join(to);
        let is_mounted = Command::new("mountpoint").arg("-q").arg(&at).status()?;
        if !is_mounted.success() {
            run(Command::new("mount").args([kind, from]).arg(&at))?;
        }
    }
    Ok(())
}

/// Creates a shell command that runs in a root.
pub(crate) fn entered(root: &Path, command: &str) -> Command {
    let mut entered = Command::new("chroot");
    entered
        .arg(root)
        .args(["/bin/sh", "-c", command])
        .stdin(Stdio::null());
    entered
}

/// Runs a shell command in a root.
///
/// # Errors
/// Fails if the command fails.
pub(crate) fn chroot(root: &Path, command: &str) -> Result<()> {
    run(&mut entered(root, command))
}

/// Creates a shell command that runs in a temporary copy of a root, with `shared` at `/mnt`. Changes stay in memory,
/// and neither the root nor the host sees them or the mounts.
///
/// # Errors
/// Fails if the mount point of the copy cannot be created.
pub(crate) fn in_copy(root: &Path, shared: &Path, command: &str) -> Result<Command> {
    const ENTER: &str = r#"
mount -t tmpfs tmpfs "$1"
mkdir "$1/upper" "$1/work" "$1/merged"
mount -t overlay overlay -o "lowerdir=$2,upperdir=$1/upper,workdir=$1/work" "$1/merged"
mount --types=proc proc "$1/merged/proc"
mount --rbind /dev "$1/merged/dev"
mount --bind "$3" "$1/merged/mnt"
exec chroot "$1/merged" /bin/sh -ec "$4""#;
    let copy = directory().join("copy");
    fs::create_dir_all(&copy)?;
    let mut entered = Command::new("unshare");
    entered
        .args(["--mount", "/bin/sh", "-ec", ENTER, "in_copy"])
        .args([&copy, root, shared])
        .arg(command)
        .stdin(Stdio::null());
    Ok(entered)
}
