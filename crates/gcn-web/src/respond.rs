//! Requests and their answers.

use gcn_asm::Explanation;
use serde::{Deserialize, Serialize};

use crate::assemble::assemble;
use crate::catalog::catalog;
use crate::complete::{CompleteRequest, complete};
use crate::inspect::{InspectRequest, inspect};
use crate::read::read;
use crate::settings::TextRequest;

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Request {
    Catalog,
    Assemble(TextRequest),
    Complete(CompleteRequest),
    Inspect(InspectRequest),
    Read(TextRequest),
    Explain(String),
}

/// Answer to a request that cannot be fulfilled.
#[derive(Serialize)]
struct Refusal {
    error: String,
}

#[derive(Serialize)]
struct Explained {
    text: String,
}

/// Answers a request; both are JSON. If the request cannot be fulfilled, the only key of the answer is `error`.
///
/// | request | answer |
/// |---|---|
/// | `"catalog"` | targets and examples |
/// | `{"assemble": {"target", "dialect", "text"}}` | tokens, instructions with their words, problems, findings |
/// | `{"complete": {"target", "dialect", "text", "position"}}` | candidates for the word at a position |
/// | `{"inspect": {"target", "dialect", "words"}}` | an instruction's bit fields and its entry in the reference |
/// | `{"read": {"target", "dialect", "text"}}` | instructions of hexadecimal words, and source for them |
/// | `{"explain": NAME}` | explanation of a problem or a finding |
pub fn respond(request: &str) -> String {
    let answer = match serde_json::from_str(request) {
        Ok(Request::Catalog) => json(Ok(catalog())),
        Ok(Request::Assemble(request)) => json(assemble(&request)),
        Ok(Request::Complete(request)) => json(complete(&request)),
        Ok(Request::Inspect(request)) => json(inspect(&request)),
        Ok(Request::Read(request)) => json(read(&request)),
        Ok(Request::Explain(name)) => json(explain(&name)),
        Err(error) => json::<Refusal>(Err(format!("not a request: {error}"))),
    };
    answer.unwrap_or_else(|error| format!("{{\"error\":{:?}}}", error.to_string()))
}

fn json<T: Serialize>(answer: Result<T, String>) -> serde_json::Result<String> {
    match answer {
        Ok(answer) => serde_json::to_string(&answer),
        Err(error) => serde_json::to_string(&Refusal { error }),
    }
}

fn explain(name: &str) -> Result<Explained, String> {
    let kinds = gcn_observe::finding::Kind::ALL.iter();
    let mut kinds = kinds.filter(|kind| kind.name() == name);
    let explanation = gcn_asm::explain(name).copied().or_else(|| {
        let about = kinds.next()?.about();
        Some(Explanation {
            name: about.name,
            meaning: about.meaning,
            example: about.example,
            remedy: about.remedy,
            source: about.source,
        })
    });
    match explanation {
        Some(explanation) => Ok(Explained {
            text: explanation.to_string(),
        }),
        None => Err(format!("`{name}` has no explanation")),
    }
}
