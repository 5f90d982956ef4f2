//! Request bodies. A handler need not read them: a small unread rest is read afterwards to keep the
//! connection, and otherwise the response announces that the connection closes.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt;
use hyper::body::Incoming;

use crate::progress::Progress;

/// Maximum size and time for reading the unread rest of a body to keep the connection.
const MAX_REST_BYTES: u64 = 64 << 10;
const MAX_REST_TIME: Duration = Duration::from_secs(2);

/// The reason why reading a request's body failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BodyError {
    /// The connection was closed or broken.
    Broken,
    /// The body arrived more slowly than the minimum rate.
    TooSlow,
}

/// The body of a request as it arrives.
#[derive(Debug)]
pub struct RequestBody {
    incoming: Option<Incoming>,
    /// A body that has arrived already.
    whole: Option<Bytes>,
    rest: Rest,
    progress: Arc<Progress>,
}

/// The rest of a body that its reader dropped.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rest(Option<Arc<Mutex<Option<Incoming>>>>);

impl RequestBody {
    pub(crate) fn new(incoming: Incoming, progress: Arc<Progress>) -> (Self, Rest) {
        let rest = Rest((!incoming.is_end_stream()).then(Arc::default));
        (Self { incoming: Some(incoming), whole: None, rest: rest.clone(), progress }, rest)
    }

    /// Returns a body that has arrived already.
    pub fn whole(bytes: Bytes) -> Self {
        let whole = (!bytes.is_empty()).then_some(bytes);
        Self { incoming: None, whole, rest: Rest::default(), progress: Arc::default() }
    }

    /// Returns the minimum number of bytes left, as given by `Content-Length`.
    pub fn min_remaining_bytes(&self) -> u64 {
        self.size_hint().lower()
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let this = &mut *self;
        if let Some(whole) = this.whole.take() {
            return Poll::Ready(Some(Ok(Frame::data(whole))));
        }
        let Some(incoming) = &mut this.incoming else { return Poll::Ready(None) };
        let polled = Pin::new(incoming).poll_frame(cx);
        let is_slow = this.progress.want_body(polled.is_pending().then_some(cx));
        match polled {
            Poll::Pending if is_slow => Poll::Ready(Some(Err(BodyError::TooSlow))),
            Poll::Pending => Poll::Pending,
            Poll::Ready(Some(frame)) => {
                Poll::Ready(Some(frame.map_err(|_broken| BodyError::Broken)))
            }
            Poll::Ready(None) => {
                // The end of a chunked body is known only from this result.
                this.incoming = None;
                Poll::Ready(None)
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.whole.is_none() && self.incoming.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        match (&self.whole, &self.incoming) {
            (Some(whole), _) => SizeHint::with_exact(whole.len() as u64),
            (None, Some(incoming)) => incoming.size_hint(),
            (None, None) => SizeHint::default(),
        }
    }
}

impl Drop for RequestBody {
    fn drop(&mut self) {
        self.progress.want_body(None);
        if let (Some(incoming), Some(rest)) = (self.incoming.take(), &self.rest.0)
            && !incoming.is_end_stream()
        {
            *rest.lock().unwrap_or_else(PoisonError::into_inner) = Some(incoming);
        }
    }
}

impl Rest {
    /// Returns `true` if the body is at its end: there was no rest, or a small rest that arrived in
    /// time. A client that waits for `100 Continue` is not asked to continue.
    pub(crate) async fn reached_end(self, waits: bool) -> bool {
        let Some(rest) = self.0 else { return true };
        let left = rest.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(mut left) = left else { return true };
        if waits || left.size_hint().lower() > MAX_REST_BYTES {
            return false;
        }
        let reading = async {
            let mut bytes = 0;
            while let Some(frame) = left.frame().await {
                let Ok(frame) = frame else { return false };
                bytes += frame.data_ref().map_or(0, |data| data.len() as u64);
                if bytes > MAX_REST_BYTES {
                    return false;
                }
            }
            true
        };
        tokio::time::timeout(MAX_REST_TIME, reading).await.unwrap_or(false)
    }
}
