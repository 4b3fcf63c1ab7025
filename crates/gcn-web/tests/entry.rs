//! Exported functions, called as the page calls them.

use gcn_web::entry::{gcn_buffer, gcn_reserve, gcn_respond};

#[test]
fn a_request_and_its_answer_share_the_buffer() {
    let request = br#"{"explain":"missing-wait"}"#;
    let place = gcn_reserve(request.len());
    // SAFETY: the buffer has the size of the request, and nothing else uses it.
    unsafe { place.copy_from_nonoverlapping(request.as_ptr(), request.len()) };
    let size = gcn_respond();
    // SAFETY: the buffer holds an answer of this size until the next request.
    let answer = unsafe { std::slice::from_raw_parts(gcn_buffer(), size) };
    assert!(answer.starts_with(br#"{"text":"missing-wait: "#));
}
