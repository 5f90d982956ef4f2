//! Response bodies (bytes or a stream), and reading request bodies up to a limit.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Bytes, BytesMut};
use futures_core::Stream;
use http_body::{Frame, SizeHint};
use http_body_util::BodyExt;

use crate::RequestBody;
use crate::request_body::BodyError;

/// A stream of pieces. An error closes the connection.
pub(crate) type Frames = Pin<Box<dyn Stream<Item = std::io::Result<Bytes>> + Send>>;

/// The body of a response.
pub enum Body {
    /// A complete body; `None` if it is empty or already sent.
    Full(Option<Bytes>),
    /// Pieces that are produced while the body is sent, with their total length if it is known.
    Stream(Frames, Option<u64>),
}

impl Body {
    /// Returns an empty body.
    pub const fn empty() -> Self {
        Self::Full(None)
    }

    /// Returns a body whose pieces are produced one at a time, each after the previous one was
    /// sent. `next` takes a state and returns the next piece and state, or `None` at the end.
    pub fn unfold<S, F, T>(state: S, next: F, length: Option<u64>) -> Self
    where
        S: Unpin + Send + 'static,
        F: FnMut(S) -> T + Unpin + Send + 'static,
        T: Future<Output = Option<(std::io::Result<Bytes>, S)>> + Send + 'static,
    {
        Self::stream(Unfold { state: Some(state), next, making: None }, length)
    }

    /// Returns a body whose pieces come from a stream.
    pub fn stream(
        pieces: impl Stream<Item = std::io::Result<Bytes>> + Send + 'static,
        length: Option<u64>,
    ) -> Self {
        Self::Stream(Box::pin(pieces), length)
    }
}

/// A stream that produces its items one at a time.
struct Unfold<S, F, T> {
    state: Option<S>,
    next: F,
    making: Option<Pin<Box<T>>>,
}

impl<S, F, T> Stream for Unfold<S, F, T>
where
    S: Unpin,
    F: FnMut(S) -> T + Unpin,
    T: Future<Output = Option<(std::io::Result<Bytes>, S)>>,
{
    type Item = std::io::Result<Bytes>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        if this.making.is_none() {
            let Some(state) = this.state.take() else { return Poll::Ready(None) };
            this.making = Some(Box::pin((this.next)(state)));
        }
        let Some(making) = &mut this.making else { return Poll::Ready(None) };
        let produced = std::task::ready!(making.as_mut().poll(cx));
        this.making = None;
        Poll::Ready(produced.map(|(piece, state)| {
            this.state = Some(state);
            piece
        }))
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full(bytes) => write!(f, "Full({:?} bytes)", bytes.as_ref().map(Bytes::len)),
            Self::Stream(_, length) => write!(f, "Stream({length:?} bytes)"),
        }
    }
}

impl<T: Into<Bytes>> From<T> for Body {
    fn from(bytes: T) -> Self {
        let bytes = bytes.into();
        Self::Full((!bytes.is_empty()).then_some(bytes))
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, std::io::Error>>> {
        match self.get_mut() {
            Self::Full(bytes) => Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            Self::Stream(pieces, _) => {
                pieces.as_mut().poll_next(cx).map(|next| next.map(|piece| piece.map(Frame::data)))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Full(None))
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Full(bytes) => {
                SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64))
            }
            Self::Stream(_, Some(length)) => SizeHint::with_exact(*length),
            Self::Stream(_, None) => SizeHint::default(),
        }
    }
}

/// The reason why a request's body could not be read.
#[derive(Debug)]
pub enum ReadBodyError {
    /// The body has more bytes than the limit.
    TooLarge,
    /// The connection was closed or broken.
    Broken,
    /// The body arrived more slowly than the minimum transfer rate.
    TooSlow,
}

/// The pieces of a request's body as they arrive.
#[derive(Debug)]
pub struct BodyPieces(RequestBody);

impl BodyPieces {
    /// Returns the pieces of `body`.
    pub const fn new(body: RequestBody) -> Self {
        Self(body)
    }

    /// Returns the next piece; `None` at the end.
    ///
    /// # Errors
    /// Fails if the connection breaks or the client sends too slowly.
    pub async fn next(&mut self) -> Result<Option<Bytes>, ReadBodyError> {
        while let Some(frame) = self.0.frame().await {
            let frame = frame.map_err(|error| match error {
                BodyError::Broken => ReadBodyError::Broken,
                BodyError::TooSlow => ReadBodyError::TooSlow,
            })?;
            if let Ok(data) = frame.into_data() {
                return Ok(Some(data));
            }
        }
        Ok(None)
    }
}

/// Reads a whole body of at most `limit` bytes.
///
/// # Errors
/// Fails if the body is larger, which is detected from `Content-Length` before reading if the
/// header is present, and if the connection breaks or the client sends too slowly.
pub async fn read_body(body: RequestBody, limit: u64) -> Result<Bytes, ReadBodyError> {
    if body.min_remaining_bytes() > limit {
        return Err(ReadBodyError::TooLarge);
    }
    let mut pieces = BodyPieces::new(body);
    let mut first: Option<Bytes> = None;
    let mut rest = BytesMut::new();
    let mut total: u64 = 0;
    while let Some(data) = pieces.next().await? {
        total += data.len() as u64;
        if total > limit {
            return Err(ReadBodyError::TooLarge);
        }
        match first.take() {
            None if rest.is_empty() => first = Some(data),
            None => rest.extend_from_slice(&data),
            Some(earlier) => {
                rest.extend_from_slice(&earlier);
                rest.extend_from_slice(&data);
            }
        }
    }
    Ok(first.unwrap_or_else(|| rest.freeze()))
}
