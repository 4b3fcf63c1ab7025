//! Execution of image instructions, lane by lane.

use gcn_isa::Does;
use gcn_isa::effect::{DetailSource, ImageOp, Sampling, TexelForm};

use super::super::element::{ElementDwords, HALF_BITS, MAX_DWORDS};
use super::super::running::{LaneFault, Running};
use super::bound::BoundImage;
use super::sample::{BoundSampler, Footprint, MAX_TEXELS};
use super::texel::Values;
use crate::fault::{FaultKind, ImageProblem};
use crate::lanes::{LANES, active};
use crate::step::COMPONENTS;

fn refused(problem: ImageProblem) -> LaneFault {
    (FaultKind::Image(problem), None)
}

/// Performs an image instruction whose access has been computed.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the memory module's `perform` lists what else memory instructions do"
)]
pub(in super::super) fn perform(run: &mut Running<'_>) -> Result<(), LaneFault> {
    let plan = run.plan;
    let bound = BoundImage::new(run.wave, plan).map_err(refused)?;
    match plan.does {
        Does::Image(ImageOp::Load(form, _)) => load(run, &bound, form),
        Does::Image(ImageOp::Store(form, _)) => store(run, &bound, form),
        Does::Image(ImageOp::Size) => {
            for lane in active(run.wave.exec()) {
                let level = bound.part(run.wave, bound.address.level, lane);
                let sizes = bound.sizes(level);
                write(run, &bound, lane, sizes);
            }
            finish(run);
            Ok(())
        }
        Does::Image(ImageOp::Sample(sampling)) => sample(run, &bound, sampling),
        Does::Image(ImageOp::Gather(sampling)) => gather(run, &bound, sampling),
        Does::Image(ImageOp::LevelOfDetail) => level_of_detail(run, &bound),
        Does::Atomic(op, ty) => {
            let outside = run.wave.exec() & !run.places.access.lanes();
            if plan.returns {
                for lane in active(outside) {
                    run.scatter(plan.vdst, ty.dwords(), lane, &[0; MAX_DWORDS]);
                }
            }
            run.atomic(op, ty)
        }
        _ => Err((FaultKind::NotExecuted, None)),
    }
}

/// Writes the components selected by DMASK.
fn write(
    run: &mut Running<'_>,
    bound: &BoundImage<'_>,
    lane: usize,
    components: [u32; COMPONENTS],
) {
    let mask = bound.image_plan.mask.max(1);
    let mut values = [0; COMPONENTS];
    let chosen = (0..COMPONENTS).filter(|n| mask >> n & 1 != 0);
    for (value, n) in values.iter_mut().zip(chosen) {
        *value = components[n];
    }
    write_all(run, bound, lane, values);
}

/// Writes values to all data registers of the instruction. Packed 16-bit values share a register.
fn write_all(
    run: &mut Running<'_>,
    bound: &BoundImage<'_>,
    lane: usize,
    mut values: ElementDwords,
) {
    if bound.image_plan.is_packed {
        values = [
            values[0] | values[1] << HALF_BITS,
            values[2] | values[3] << HALF_BITS,
            0,
            0,
        ];
    }
    run.scatter(run.plan.vdst, run.plan.data_dwords, lane, &values);
}

/// Writes the status after the data, if the instruction requests it.
fn finish(run: &mut Running<'_>) {
    if run.plan.tfe {
        let status = run.plan.vdst.wrapping_add(run.plan.data_dwords);
        run.write(status, &[0; LANES], run.wave.exec());
    }
}

/// Loads a lane's texel; zeros if it is out of range.
fn texel(
    run: &mut Running<'_>,
    lane: usize,
    address: Option<u64>,
) -> Result<ElementDwords, LaneFault> {
    let Some(address) = address else {
        return Ok([0; MAX_DWORDS]);
    };
    let bytes = usize::from(run.places.access.bytes);
    let (element, result) = run.places.load_global(address, bytes);
    run.check(lane, result)?;
    Ok(element)
}

/// Returns the raw bits of a texel. Texels smaller than a dword are sign- or zero-extended.
fn raw(element: ElementDwords, bytes: u8, form: TexelForm) -> ElementDwords {
    let [first, rest @ ..] = element;
    let first = match (form, bytes) {
        (TexelForm::RawSigned, 1) => i32::from(first as i8) as u32,
        (TexelForm::RawSigned, 2) => i32::from(first as i16) as u32,
        _ => first,
    };
    let [second, third, fourth] = rest;
    [first, second, third, fourth]
}

fn load(run: &mut Running<'_>, bound: &BoundImage<'_>, form: TexelForm) -> Result<(), LaneFault> {
    let access = run.places.access;
    for lane in active(run.wave.exec()) {
        let is_inside = access.lanes() >> lane & 1 != 0;
        let address = is_inside.then(|| access.address[lane]);
        let element = texel(run, lane, address)?;
        let components = match form {
            TexelForm::Converted => bound.components(&element, bound.image_plan.ty()),
            TexelForm::Raw | TexelForm::RawSigned => raw(element, bound.bytes(), form),
        };
        write(run, bound, lane, components);
    }
    finish(run);
    Ok(())
}

/// Returns the components to store, as selected by DMASK; the others are zero (errata E202).
fn stored(run: &Running<'_>, bound: &BoundImage<'_>, lane: usize) -> ElementDwords {
    let plan = run.plan;
    let mut registers = run.gather(plan.vdata, plan.data_dwords, lane);
    if bound.image_plan.is_packed {
        let [low, high, ..] = registers;
        registers = [low, low >> HALF_BITS, high, high >> HALF_BITS];
    }
    let mask = bound.image_plan.mask.max(1);
    let mut components = [0; COMPONENTS];
    let mut from = registers.iter();
    for (n, component) in components.iter_mut().enumerate() {
        if mask >> n & 1 != 0 {
            *component = from.next().copied().unwrap_or(0);
        }
    }
    components
}

fn store(run: &mut Running<'_>, bound: &BoundImage<'_>, form: TexelForm) -> Result<(), LaneFault> {
    let access = run.places.access;
    for lane in run.lanes() {
        let components = stored(run, bound, lane);
        let element = match form {
            TexelForm::Converted => bound.format.store(&components, bound.image_plan.ty()),
            TexelForm::Raw | TexelForm::RawSigned => components,
        };
        let bytes = usize::from(bound.bytes());
        let result = run
            .places
            .store(lane, access.address[lane], bytes, &element);
        run.check(lane, result)?;
    }
    Ok(())
}

/// Loads a lane's texels. Returns their values, or the results of comparisons, with their weights, and the number of
/// texels.
fn texels(
    run: &mut Running<'_>,
    (bound, sampler): (&BoundImage<'_>, &BoundSampler<'_>),
    footprint: &Footprint,
    lane: usize,
) -> Result<([(Values, f64); MAX_TEXELS], usize), LaneFault> {
    let mut all = [([None; COMPONENTS], 0.0); MAX_TEXELS];
    let reference = sampler.reference(run.wave, lane);
    for (place, it) in all.iter_mut().zip(footprint.texels()) {
        let mut values = match it.address {
            Some(_) => bound.values(&texel(run, lane, it.address)?),
            None => sampler.border(),
        };
        if sampler.sampling.compares {
            values = sampler.compared(reference, values);
        }
        *place = (values, it.weight);
    }
    Ok((all, footprint.texels().len()))
}

fn sample(
    run: &mut Running<'_>,
    bound: &BoundImage<'_>,
    sampling: Sampling,
) -> Result<(), LaneFault> {
    let sampler = BoundSampler::new(run.wave, bound, sampling).map_err(refused)?;
    let ty = bound.image_plan.ty();
    for lane in active(run.wave.exec()) {
        let footprint = sampler.footprint(run.wave, lane);
        let components = match footprint.texels() {
            _ if !bound.has_format() => bound.components(&[0; MAX_DWORDS], ty),
            // Without filtering, the texel's bits are preserved.
            [only] if footprint.is_point && !sampling.compares && only.address.is_some() => {
                let element = texel(run, lane, only.address)?;
                bound.components(&element, ty)
            }
            _ => {
                let (all, count) = texels(run, (bound, &sampler), &footprint, lane)?;
                let values = sampler.filtered(&all[..count]);
                bound.format.selected(&values, ty)
            }
        };
        write(run, bound, lane, components);
    }
    finish(run);
    Ok(())
}

fn gather(
    run: &mut Running<'_>,
    bound: &BoundImage<'_>,
    sampling: Sampling,
) -> Result<(), LaneFault> {
    let sampler = BoundSampler::new(run.wave, bound, sampling).map_err(refused)?;
    let ty = bound.image_plan.ty();
    let chosen = bound.image_plan.mask.trailing_zeros() as usize % COMPONENTS;
    for lane in active(run.wave.exec()) {
        let footprint = sampler.footprint(run.wave, lane);
        let mut gathered = [0; COMPONENTS];
        let reference = sampler.reference(run.wave, lane);
        for (value, it) in gathered.iter_mut().zip(footprint.texels()) {
            let components = match it.address {
                Some(_) if !sampling.compares => {
                    let element = texel(run, lane, it.address)?;
                    bound.components(&element, ty)
                }
                Some(_) => {
                    let values = bound.values(&texel(run, lane, it.address)?);
                    bound
                        .format
                        .selected(&sampler.compared(reference, values), ty)
                }
                None => {
                    let mut values = sampler.border();
                    if sampling.compares {
                        values = sampler.compared(reference, values);
                    }
                    bound.format.selected(&values, ty)
                }
            };
            *value = components[chosen];
        }
        write_all(run, bound, lane, gathered);
    }
    finish(run);
    Ok(())
}

/// Writes the level of detail, clamped and unclamped.
fn level_of_detail(run: &mut Running<'_>, bound: &BoundImage<'_>) -> Result<(), LaneFault> {
    let sampling = Sampling::new(DetailSource::Lanes);
    let sampler = BoundSampler::new(run.wave, bound, sampling).map_err(refused)?;
    for lane in active(run.wave.exec()) {
        let detail = sampler.detail(run.wave, lane);
        let last = f64::from(bound.last_level());
        let bits = |value: f64| (value as f32).to_bits();
        let components = [
            bits(detail.bounded.clamp(0.0, last)),
            bits(detail.raw),
            0,
            0,
        ];
        write(run, bound, lane, components);
    }
    finish(run);
    Ok(())
}
