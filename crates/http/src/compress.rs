//! Compresses the bodies of responses that are not prepared.

use std::io::{self, Write as _};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use flate2::write::GzEncoder;
use futures_core::Stream;
use tokio::sync::Semaphore;

use crate::body::{Body, Frames};
use crate::encoding::{CompressionEffort, Encoding};

/// Maximum size in bytes of a body that is compressed on the thread that serves the connection,
/// which takes less than a millisecond.
const MAX_INLINE_BYTES: usize = 64 << 10;

/// Size of the buffer between the encoder for Brotli and its output, in bytes.
const BUFFER_BYTES: usize = 16 << 10;

/// Compresses bodies once, with little effort. Large bodies wait for one of as many places as there
/// are processors, so that they cannot occupy the threads of other requests.
#[derive(Debug)]
pub struct Compressor(Semaphore);

impl Default for Compressor {
    fn default() -> Self {
        Self(Semaphore::new(std::thread::available_parallelism().map_or(1, usize::from)))
    }
}

impl Compressor {
    /// Returns the body in an encoding. A streamed body is compressed piece by piece while it is
    /// sent: after each piece, the client can decode all bytes of it.
    ///
    /// # Errors
    /// Fails if the encoder fails, which is a defect.
    pub async fn compress(&self, body: Body, encoding: Encoding) -> io::Result<Body> {
        let compress = move |bytes: &[u8]| encoding.compress(bytes, CompressionEffort::Once);
        let compressed = match body {
            body if encoding == Encoding::Identity => return Ok(body),
            Body::Full(None) => return Ok(Body::empty()),
            Body::Full(Some(bytes)) if bytes.len() <= MAX_INLINE_BYTES => compress(&bytes),
            Body::Full(Some(bytes)) => {
                // The semaphore is never closed; without a place the work is only less bounded.
                let _place = self.0.acquire().await.ok();
                tokio::task::spawn_blocking(move || compress(&bytes)).await?
            }
            Body::Stream(pieces, _) => {
                return Ok(Body::stream(CompressedPieces::new(pieces, encoding), None));
            }
        };
        let compressed =
            compressed.ok_or_else(|| io::Error::other("a body is not compressible"))?;
        Ok(Body::from(compressed))
    }
}

/// An encoder that keeps its state between the pieces of a body.
enum Encoder {
    Identity(Vec<u8>),
    Gzip(Box<GzEncoder<Vec<u8>>>),
    Brotli(Box<brotli::CompressorWriter<Vec<u8>>>),
}

impl Encoder {
    fn new(encoding: Encoding) -> Self {
        let effort = CompressionEffort::Once;
        match encoding {
            Encoding::Identity => Self::Identity(Vec::new()),
            Encoding::Gzip => Self::Gzip(Box::new(GzEncoder::new(Vec::new(), effort.gzip()))),
            Encoding::Brotli => Self::Brotli(Box::new(brotli::CompressorWriter::with_params(
                Vec::new(),
                BUFFER_BYTES,
                &effort.brotli(),
            ))),
        }
    }

    /// Returns the encoded bytes of a piece, so that a decoder returns the whole piece.
    fn encode(&mut self, piece: &[u8]) -> io::Result<Bytes> {
        let out = match self {
            Self::Identity(out) => {
                out.extend_from_slice(piece);
                out
            }
            Self::Gzip(encoder) => {
                encoder.write_all(piece)?;
                encoder.flush()?;
                encoder.get_mut()
            }
            Self::Brotli(encoder) => {
                encoder.write_all(piece)?;
                encoder.flush()?;
                encoder.get_mut()
            }
        };
        Ok(std::mem::take(out).into())
    }

    /// Returns the bytes that end the body.
    fn finish(self) -> io::Result<Bytes> {
        Ok(match self {
            Self::Identity(out) => out.into(),
            Self::Gzip(encoder) => encoder.finish()?.into(),
            Self::Brotli(encoder) => encoder.into_inner().into(),
        })
    }
}

/// The pieces of a body, each compressed when the client is ready for it.
struct CompressedPieces {
    pieces: Frames,
    /// `None` after the end of the body.
    encoder: Option<Encoder>,
}

impl CompressedPieces {
    fn new(pieces: Frames, encoding: Encoding) -> Self {
        Self { pieces, encoder: Some(Encoder::new(encoding)) }
    }
}

impl Stream for CompressedPieces {
    type Item = io::Result<Bytes>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        let Some(encoder) = &mut this.encoder else { return Poll::Ready(None) };
        Poll::Ready(match ready!(this.pieces.as_mut().poll_next(cx)) {
            Some(Ok(piece)) => Some(encoder.encode(&piece)),
            // The connection closes, so that the client does not take the part for the whole.
            Some(Err(error)) => {
                this.encoder = None;
                Some(Err(error))
            }
            None => this.encoder.take().map(Encoder::finish),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::sync::{Arc, Mutex};

    use http_body_util::BodyExt as _;

    use super::*;

    fn decode(encoding: Encoding, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        match encoding {
            Encoding::Identity => out.extend_from_slice(bytes),
            // A decoder of a part of a body reports the missing end after the decoded bytes.
            Encoding::Gzip => drop(flate2::read::GzDecoder::new(bytes).read_to_end(&mut out)),
            Encoding::Brotli => drop(brotli::Decompressor::new(bytes, 4096).read_to_end(&mut out)),
        }
        out
    }

    const ENCODINGS: [Encoding; 3] = [Encoding::Identity, Encoding::Gzip, Encoding::Brotli];

    #[tokio::test]
    async fn complete_bodies_of_every_size_can_be_decoded() {
        let compressor = Compressor::default();
        for size in [1, 300, MAX_INLINE_BYTES, MAX_INLINE_BYTES + 1, 3 << 20] {
            let text: Vec<u8> =
                b"{\"title\": \"A page\"}, ".iter().copied().cycle().take(size).collect();
            for encoding in ENCODINGS {
                let body = compressor.compress(Body::from(text.clone()), encoding).await.unwrap();
                let sent = body.collect().await.unwrap().to_bytes();
                assert!(decode(encoding, &sent) == text, "{encoding:?} {size}");
                assert!(size < 300 || encoding == Encoding::Identity || sent.len() < size);
            }
        }
    }

    #[tokio::test]
    async fn each_piece_of_a_stream_can_be_decoded_when_it_arrives() {
        for encoding in ENCODINGS {
            let produced = Arc::new(Mutex::new(0));
            let counted = Arc::clone(&produced);
            let next = move |number: usize| {
                let counted = Arc::clone(&counted);
                async move {
                    *counted.lock().unwrap() += 1;
                    let piece = Bytes::from(format!("piece {number} ").repeat(500));
                    (number < 5).then(|| (Ok(piece), number + 1))
                }
            };
            let body = Body::unfold(0, next, None);
            let mut body = Compressor::default().compress(body, encoding).await.unwrap();
            let mut sent = Vec::new();
            for number in 0..5 {
                let frame = body.frame().await.unwrap().unwrap().into_data().unwrap();
                sent.extend_from_slice(&frame);
                let text = String::from_utf8(decode(encoding, &sent)).unwrap();
                assert!(text.ends_with(&format!("piece {number} ")), "{encoding:?} {number}");
                assert_eq!(*produced.lock().unwrap(), number + 1, "{encoding:?}");
            }
            while let Some(frame) = body.frame().await {
                sent.extend_from_slice(&frame.unwrap().into_data().unwrap());
            }
            assert_eq!(decode(encoding, &sent).len(), 5 * 500 * 8, "{encoding:?}");
        }
    }

    #[tokio::test]
    async fn a_failed_stream_has_no_end() {
        let next = |number: usize| async move {
            let piece = match number {
                0 => Ok(Bytes::from_static(b"some text")),
                _ => Err(io::Error::other("lost")),
            };
            Some((piece, number + 1))
        };
        for encoding in ENCODINGS {
            let body = Body::unfold(0, next, None);
            let mut body = Compressor::default().compress(body, encoding).await.unwrap();
            assert!(body.frame().await.unwrap().is_ok());
            assert!(body.frame().await.unwrap().is_err());
        }
    }
}
