//! The content of PDFs.

use std::io::Read as _;

use bindery_testkit::{Answer, Client};
use flate2::read::ZlibDecoder;

/// A PDF with its streams decompressed.
pub(crate) struct Pdf {
    bytes: Vec<u8>,
}

impl Pdf {
    /// Returns the PDF in a response.
    pub(crate) fn of(answer: &Answer) -> Self {
        assert_eq!(answer.header("content-type"), "application/pdf", "{}", answer.status);
        assert!(answer.body.starts_with(b"%PDF-"));
        let mut bytes = answer.body.to_vec();
        let mut rest = &answer.body[..];
        while let Some(at) = find(rest, b"stream\n") {
            rest = &rest[at + 7..];
            let mut stream = Vec::new();
            if ZlibDecoder::new(rest).read_to_end(&mut stream).is_ok() {
                bytes.extend(stream);
            }
        }
        Self { bytes }
    }

    /// Returns `true` if the PDF has a bookmark, or another text that is no text of a page.
    pub(crate) fn names(&self, text: &str) -> bool {
        find(&self.bytes, format!("({text})").as_bytes()).is_some()
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

/// Asks for a PDF of a space and returns its address.
pub(crate) async fn address(client: &Client, space: &str, query: &[(&str, &str)]) -> String {
    let call = client.call("getSpacePDF").path("spaceId", space);
    let call = query.iter().fold(call, |call, (name, value)| call.query(name, value));
    call.send().await.expect(200).text_at("/url").to_owned()
}

/// Requests the PDF at an address of the API.
pub(crate) async fn fetch(client: &Client, address: &str) -> Answer {
    let mut parts = address.rsplit('/');
    let (id, _, space) = (parts.next().unwrap(), parts.next(), parts.next().unwrap());
    loop {
        let call = client.call("getPDFFile").path("spaceId", space).path("pdfId", id);
        let answer = call.send().await;
        // The answer to a job that takes longer than the request waits.
        if answer.status != 202 {
            return answer;
        }
        assert!(!answer.header("retry-after").is_empty());
    }
}
