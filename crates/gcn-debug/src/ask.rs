//! User requests to explain a value at a stop.

use crate::error::EvalError;
use crate::eval::{Evaluated, resolve};
use crate::expr::{Expr, Space};
use crate::reasons::current;
use crate::scalar::Format;
use crate::session::Session;
use crate::view::Target;
use crate::why_request::{QuestionPlace, WhyRefused, WhyRequest};

impl Session<'_, '_> {
    /// Resolves an expression to the register, memory or buffer it denotes.
    ///
    /// # Errors
    /// Fails if the expression does not denote a location, or if the location does not exist.
    pub fn resolve(&self, expr: &Expr) -> Result<Target, EvalError> {
        resolve(expr, &self.view())
    }

    /// Asks why `target` has its value; the answer shows `text` and `value`. After [`Resume::Why`](crate::Resume::Why),
    /// [`Engine::question`](crate::Engine::question) returns the question.
    ///
    /// # Errors
    /// Fails if the value cannot be explained: see [`WhyRefused`].
    pub fn ask(
        &mut self,
        text: &str,
        value: &Evaluated,
        target: Target,
        depth: Option<u32>,
    ) -> Result<(), WhyRefused> {
        let mut moment = match self.paused.as_deref() {
            Some(paused) => Some(current(paused).ok_or(WhyRefused::NotRunning)?.at),
            None => None,
        };
        if let Some(lost) = self.past_is_lost() {
            return Err(WhyRefused::NoPast(lost));
        }
        if let Some(refused) = self.state.record.unrepeatable() {
            return Err(refused);
        }
        let lane = self.lane();
        let place = match target {
            Target::Vector { .. }
            | Target::Scalar { .. }
            | Target::Scc
            | Target::Memory {
                space: Space::Lds | Space::Scratch,
                ..
            } => {
                let wave = self.wave().ok_or(WhyRefused::NotRunning)?;
                if wave.executed == 0 {
                    return Err(WhyRefused::NotBegun);
                }
                QuestionPlace::Wave {
                    wave: wave.id,
                    lane,
                    target,
                }
            }
            Target::Memory {
                space: Space::Global,
                ty,
                address,
            } => QuestionPlace::Memory {
                address,
                bytes: ty.bytes(),
            },
            Target::Mode | Target::Pc | Target::Buffer(_) => return Err(WhyRefused::NotFollowed),
        };
        // The faulting instruction may have stored the values of earlier lanes.
        if let Some(moment) = &mut moment
            && self.state.is_at_fault
            && matches!(target, Target::Memory { .. })
        {
            moment.executed += 1;
        }
        let natural = Format::Natural;
        let (text, value) = match value {
            Evaluated::Scalar(value) => (text.to_owned(), value.text(natural)),
            Evaluated::Lanes(lanes) => {
                let value = lanes.get(usize::from(lane));
                let value = value.map_or_else(String::new, |it| it.text(natural));
                (format!("{text}[{lane}]"), value)
            }
            Evaluated::Object(object) => {
                let view = self.view();
                if object.scalar(&view).is_err() {
                    return Err(WhyRefused::Aggregate(object.ty().name.clone()));
                }
                (text.to_owned(), object.text(&view, natural))
            }
            Evaluated::Buffer(_) => return Err(WhyRefused::NotFollowed),
        };
        self.state.question = Some(WhyRequest {
            text,
            value,
            place,
            depth,
            moment,
        });
        Ok(())
    }
}
