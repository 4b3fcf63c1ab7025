//! Tests of the examples: launch files produce the recorded output, assembly sources assemble to the same code as with
//! clang, and OpenCL kernels, both as checked in and freshly compiled, compute the same results as the host.
//!
//! `GCN_BLESS=1` records the output of the launch files.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use gcn_object::CodeObject;

/// Environment variable that records output instead of comparing it.
const BLESS: &str = "GCN_BLESS";
/// Assembler and linker used for comparison.
const CLANG: &str = "clang-19";
/// Debian packages of [`CLANG`] and its linker.
const CLANG_PACKAGES: &str = "clang-19 lld-19";
/// Targets for which the OpenCL kernels are compiled.
const CHIPS: [&str; 2] = ["gfx803", "gfx900"];

/// Root of the repository.
fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the repository exists")
}

/// Creates an empty directory for a test.
fn scratch(test: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&path); // May not exist.
    fs::create_dir_all(&path).expect("a directory for the test");
    path
}

/// All files below a directory, sorted by path.
fn files_below(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut pending = vec![directory.to_owned()];
    while let Some(place) = pending.pop() {
        for entry in fs::read_dir(&place).expect("a directory to read") {
            let path = entry.expect("an entry of the directory").path();
            if path.is_dir() {
                pending.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Example files whose names `wanted` accepts. Panics if there are none.
fn examples(what: &str, wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let is_wanted = |path: &PathBuf| {
        path.file_name()
            .and_then(|name| name.to_str())
            .is_some_and(&wanted)
    };
    let found: Vec<PathBuf> = files_below(&root().join("examples"))
        .into_iter()
        .filter(is_wanted)
        .collect();
    assert!(!found.is_empty(), "no {what} under examples/");
    found
}

fn gcn<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gcn"))
        .current_dir(root())
        .args(arguments)
        .output()
        .expect("gcn starts")
}

/// Describes the exit status and messages of a command that should have succeeded.
fn failure(output: &Output) -> String {
    format!(
        "{}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    )
}

fn panic_with(failures: &[String]) {
    assert!(
        failures.is_empty(),
        "{} failed:\n\n{}",
        failures.len(),
        failures.join("\n\n")
    );
}

/// File with the expected output of a launch file: for `launch-a-b.toml` the first existing one of
/// `expected-a-b.txt`, `expected-a.txt` and `expected.txt`, so that launches with the same output can share one; or
/// the first if none exists.
fn expectation(launch: &Path) -> PathBuf {
    let stem = launch
        .file_stem()
        .and_then(|stem| stem.to_str())
        .unwrap_or_default();
    let suffix = stem.trim_start_matches("launch");
    let ends = suffix
        .match_indices('-')
        .map(|(at, _)| at)
        .chain([suffix.len()])
        .rev();
    let mut candidates =
        ends.map(|end| launch.with_file_name(format!("expected{}.txt", &suffix[..end])));
    let first = candidates
        .next()
        .expect("there is at least the whole suffix");
    if first.exists() {
        first
    } else {
        candidates.find(|file| file.exists()).unwrap_or(first)
    }
}

#[test]
fn launch_files_give_the_output_recorded() {
    let root = root();
    let launches = examples("launch file", |name| {
        name.starts_with("launch") && name.ends_with(".toml")
    });
    let mut failures = Vec::new();
    for launch in launches {
        let name = launch.strip_prefix(&root).expect("a path under the root");
        let output = gcn([Path::new("run"), name]);
        if !output.status.success() {
            failures.push(format!("{}: {}", name.display(), failure(&output)));
            continue;
        }
        let found = String::from_utf8_lossy(&output.stdout).into_owned();
        let file = expectation(&launch);
        if env::var_os(BLESS).is_some() {
            fs::write(&file, &found).expect("a file to write the output to");
            continue;
        }
        match fs::read_to_string(&file) {
            Ok(wanted) if wanted == found => {}
            Ok(wanted) => failures.push(format!(
                "{}: not as {} has it; `{BLESS}=1` records it\n--- expected\n{wanted}--- found\n{found}",
                name.display(),
                file.display(),
            )),
            Err(error) => {
                failures.push(format!("{}: {}: {error}; `{BLESS}=1` records it", name.display(), file.display()));
            }
        }
    }
    panic_with(&failures);
}

/// Target processor of a source.
fn processor(source: &str) -> Option<&str> {
    let line = source
        .lines()
        .find_map(|line| line.trim().strip_prefix(".amdgcn_target"))?;
    line.trim().trim_matches('"').rsplit("--").next()
}

/// Assembles and links a source with clang. LLVM 19 writes code object version 5, like `gcn asm`.
fn clang(source: &Path, processor: &str, object: &Path) -> Result<(), String> {
    let output = Command::new(CLANG)
        .args(["-target", "amdgcn-amd-amdhsa"])
        .arg(format!("-mcpu={processor}"))
        .arg("-mcode-object-version=5")
        .arg(source)
        .arg("-o")
        .arg(object)
        .output()
        .unwrap_or_else(|error| {
            panic!("{CLANG}: {error}; install the Debian packages {CLANG_PACKAGES}")
        });
    if output.status.success() {
        Ok(())
    } else {
        Err(format!("{CLANG}: {}", failure(&output)))
    }
}

fn code_object(path: &Path) -> Result<CodeObject<'static>, String> {
    let bytes = fs::read(path).map_err(|error| error.to_string())?;
    gcn_object::read(bytes).map_err(|error| error.to_string())
}

/// Machine code of a code object.
fn code<'o>(object: &'o CodeObject) -> Option<&'o [u8]> {
    let text = object.sections.iter().find(|section| section.is_code())?;
    Some(object.section_bytes(text))
}

/// Differences between our code object and clang's that matter for a launch.
fn differences(ours: &CodeObject, theirs: &CodeObject) -> Vec<String> {
    let mut found = Vec::new();
    match (code(ours), code(theirs)) {
        (Some(ours), Some(theirs)) if ours == theirs => {}
        (Some(ours), Some(theirs)) => {
            let same = ours.iter().zip(theirs).take_while(|(a, b)| a == b).count();
            found.push(format!(
                ".text: {} bytes here, {} of clang, different from byte {same} on",
                ours.len(),
                theirs.len()
            ));
        }
        _ => found.push(".text: missing".to_owned()),
    }
    let names = |object: &CodeObject| {
        object
            .kernels
            .iter()
            .map(|kernel| kernel.name.clone())
            .collect::<Vec<_>>()
    };
    if names(ours) != names(theirs) {
        found.push(format!(
            "kernels: {:?} here, {:?} of clang",
            names(ours),
            names(theirs)
        ));
    }
    for (kernel, other) in ours.kernels.iter().zip(&theirs.kernels) {
        let mut descriptor = kernel.descriptor.clone();
        // The linkers may choose different addresses for the code.
        descriptor.kernel_code_entry_byte_offset = other.descriptor.kernel_code_entry_byte_offset;
        if descriptor != other.descriptor {
            found.push(format!(
                "descriptor: {descriptor:#x?} here, {:#x?} of clang",
                other.descriptor
            ));
        }
        if kernel.metadata != other.metadata {
            found.push(format!(
                "metadata: {:#?} here, {:#?} of clang",
                kernel.metadata, other.metadata
            ));
        }
    }
    found
}

#[test]
fn sources_assemble_to_what_clang_makes() {
    let root = root();
    let place = scratch("examples-asm");
    let mut failures = Vec::new();
    for (number, source) in examples("source", |name| name.ends_with(".s"))
        .into_iter()
        .enumerate()
    {
        let name = source.strip_prefix(&root).expect("a path under the root");
        let text = fs::read_to_string(&source).expect("a source to read");
        let Some(processor) = processor(&text) else {
            failures.push(format!("{}: no .amdgcn_target", name.display()));
            continue;
        };
        let ours = place.join(format!("{number}-ours.co"));
        let theirs = place.join(format!("{number}-clang.co"));
        let output = gcn([Path::new("asm"), name, Path::new("-o"), &ours]);
        let result = if output.status.success() {
            Ok(())
        } else {
            Err(failure(&output))
        };
        let compared = result
            .and_then(|()| clang(&source, processor, &theirs))
            .and_then(|()| Ok(differences(&code_object(&ours)?, &code_object(&theirs)?)));
        match compared {
            Ok(differences) if differences.is_empty() => {}
            Ok(differences) => {
                failures.push(format!("{}:\n{}", name.display(), differences.join("\n")))
            }
            Err(error) => failures.push(format!("{}: {error}", name.display())),
        }
    }
    panic_with(&failures);
}

/// Directories of the OpenCL kernels: those checked in, and those compiled by `build.sh`, which names the package to
/// install if a tool is missing.
fn compiled(test: &str) -> [PathBuf; 2] {
    let fresh = scratch(test);
    let script = root().join("examples/opencl/build.sh");
    let output = Command::new("sh")
        .arg(&script)
        .arg(&fresh)
        .output()
        .expect("sh starts");
    assert!(
        output.status.success(),
        "{}: {}",
        script.display(),
        failure(&output)
    );
    [root().join("examples/opencl"), fresh]
}

/// Reads four-byte little-endian elements from a file.
fn elements<T>(file: &Path, from: impl Fn([u8; 4]) -> T) -> Vec<T> {
    let bytes = fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let (chunks, rest) = bytes.as_chunks::<4>();
    assert!(rest.is_empty(), "{}: {} bytes", file.display(), bytes.len());
    chunks.iter().map(|&chunk| from(chunk)).collect()
}

/// Launch of a compiled kernel with random data.
#[derive(Clone, Copy, Debug)]
struct Case {
    /// Grid size in work-items.
    grid: usize,
    /// Workgroup size in work-items.
    group: usize,
    /// Number of elements; may be less than the number of work-items.
    count: usize,
}

/// Grids that end in a full workgroup, a partial one, a partial wave, and a single work-item.
const CASES: [Case; 7] = [
    Case {
        grid: 512,
        group: 128,
        count: 512,
    },
    Case {
        grid: 1000,
        group: 256,
        count: 1000,
    },
    Case {
        grid: 1000,
        group: 64,
        count: 937,
    },
    Case {
        grid: 321,
        group: 64,
        count: 321,
    },
    Case {
        grid: 290,
        group: 96,
        count: 250,
    },
    Case {
        grid: 100,
        group: 7,
        count: 99,
    },
    Case {
        grid: 5,
        group: 1,
        count: 4,
    },
];

/// Runs `launch`, which returns an error message, for every case and chip with the kernels of both directories.
fn run_all(kernel: &str, launch: impl Fn(&Path, Case, usize, &Path) -> Result<(), String>) {
    let test = format!("examples-{kernel}");
    let places = compiled(&test);
    let results = scratch(&format!("{test}-results"));
    let mut failures = Vec::new();
    for object in places
        .iter()
        .flat_map(|place| CHIPS.map(|chip| place.join(format!("{kernel}-{chip}.co"))))
    {
        for (seed, case) in CASES.into_iter().enumerate() {
            if let Err(error) = launch(&object, case, seed, &results) {
                failures.push(format!("{}, {case:?}: {error}", object.display()));
            }
        }
    }
    panic_with(&failures);
}

/// Launches a kernel with arguments `NAME=VALUE`, and saves the buffers in `save` as NAME in `place`.
fn launch(
    object: &Path,
    case: Case,
    args: &[String],
    save: &[&str],
    place: &Path,
) -> Result<(), String> {
    let mut command = vec!["run".to_owned(), object.display().to_string()];
    command.extend([
        "--grid".to_owned(),
        case.grid.to_string(),
        "--group".to_owned(),
        case.group.to_string(),
    ]);
    for arg in args {
        command.extend(["--arg".to_owned(), arg.clone()]);
    }
    for name in save {
        command.extend([
            "--save".to_owned(),
            format!("{name}={}", place.join(name).display()),
        ]);
    }
    let output = gcn(&command);
    if output.status.success() {
        Ok(())
    } else {
        Err(failure(&output))
    }
}

/// Returns an error with the first elements that differ.
fn compare<T: PartialEq + std::fmt::Debug>(found: &[T], wanted: &[T]) -> Result<(), String> {
    const SHOWN: usize = 5;
    let mut message = String::new();
    if found.len() != wanted.len() {
        let _ = writeln!(
            message,
            "{} elements instead of {}",
            found.len(),
            wanted.len()
        ); // Writing to a String cannot fail.
    }
    let different = found
        .iter()
        .zip(wanted)
        .enumerate()
        .filter(|(_, (found, wanted))| found != wanted);
    for (index, (found, wanted)) in different.take(SHOWN) {
        let _ = writeln!(
            message,
            "element {index} is {found:?} instead of {wanted:?}"
        ); // Writing to a String cannot fail.
    }
    if message.is_empty() {
        Ok(())
    } else {
        Err(message)
    }
}

#[test]
fn vadd_of_clang_matches_the_host() {
    run_all("vadd", |object, case, seed, place| {
        let Case { grid, count, .. } = case;
        let args = [
            format!("a=f32*{grid}:random({seed},-1000,1000)"),
            format!("b=f32*{grid}:random({},-1,1)", seed + CASES.len()),
            format!("c=f32*{grid}:random({},7,8)", seed + 2 * CASES.len()),
            format!("n={count}"),
        ];
        // A run with no elements leaves c unchanged, which reveals its initial contents.
        let idle: Vec<String> = args
            .iter()
            .take(3)
            .cloned()
            .chain(["n=0".to_owned()])
            .collect();
        launch(object, case, &idle, &["c"], place)?;
        let mut wanted = elements(&place.join("c"), f32::from_le_bytes);
        launch(object, case, &args, &["a", "b", "c"], place)?;
        let [a, b, c] = ["a", "b", "c"].map(|name| elements(&place.join(name), f32::from_le_bytes));
        for (wanted, (a, b)) in wanted.iter_mut().zip(a.iter().zip(&b)).take(count) {
            *wanted = a + b;
        }
        let bits = |values: &[f32]| {
            values
                .iter()
                .map(|value| value.to_bits())
                .collect::<Vec<_>>()
        };
        compare(&bits(&c), &bits(&wanted))
    });
}

#[test]
fn reduce_of_clang_matches_the_host() {
    run_all("reduce", |object, case, seed, place| {
        let Case { grid, group, count } = case;
        let groups = grid.div_ceil(group);
        let args = [
            format!("in=i32*{grid}:random({seed})"),
            format!("sums=i32*{groups}"),
            format!("partial=local:{}", group * size_of::<i32>()),
            format!("n={count}"),
        ];
        launch(object, case, &args, &["in", "sums"], place)?;
        let [data, sums] =
            ["in", "sums"].map(|name| elements(&place.join(name), i32::from_le_bytes));
        let all_the_same = data.iter().all(|value| value == &data[0]);
        if data.len() != grid || all_the_same {
            return Err(format!("the data are not random: {data:?}"));
        }
        let sum = |group: &[i32]| {
            group
                .iter()
                .fold(0i32, |sum, value| sum.wrapping_add(*value))
        };
        let used: Vec<i32> = data
            .iter()
            .enumerate()
            .map(|(index, value)| if index < count { *value } else { 0 })
            .collect();
        compare(&sums, &used.chunks(group).map(sum).collect::<Vec<_>>())
    });
}

#[test]
fn the_transposed_matrix_is_the_profiles_example() {
    let expected: Vec<String> = (0..4096)
        .map(|i| (i % 64 * 64 + i / 64).to_string())
        .collect();
    let expected = format!("out={}", expected.join(","));
    let command = "run transpose.cl --grid 64,64 --group 16,16 --arg out=f32*4096 --arg in=f32*4096:iota --arg width=64";
    let document = fs::read_to_string(root().join("docs/profile.md")).expect("a document");
    assert!(document.contains(command));
    let ran = Command::new(env!("CARGO_BIN_EXE_gcn"))
        .current_dir(root().join("examples/opencl"))
        .args(
            command
                .split(' ')
                .chain(["--profile", "-", "--expect", &expected]),
        )
        .output()
        .expect("gcn runs");
    let (out, error) = (ran.stdout, ran.stderr);
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&error));
    assert!(String::from_utf8_lossy(&out).contains("transpose.cl:8"));
}
