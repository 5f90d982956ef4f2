//! Extracts the stream of a pack from the packets of a response, within limits.

use std::io::{self, Read};
use std::time::Instant;

use crate::error::GitError;
use crate::pkt::{Packet, line, read_packet};

use super::{Context, drain};

/// Maximum bytes that a server may send in addition to the pack. It is asked not to send messages.
const MAX_EXTRA_BYTES: usize = 16 << 20;
/// Bytes that each packet outside the pack counts in addition to its length.
const PACKET_OVERHEAD: usize = 16;

/// The bytes of a pack as they arrive. Readers get opaque errors; [`PackStream::failure`] returns
/// the reason.
pub(crate) struct PackStream<R> {
    context: Context,
    from: R,
    current: Vec<u8>,
    position: usize,
    has_started: bool,
    has_ended: bool,
    received: u64,
    /// Bytes received so far that were not part of the pack.
    extra_bytes: usize,
    failure: Option<GitError>,
}

impl<R: Read> PackStream<R> {
    pub(crate) fn new(context: Context, from: R) -> Self {
        Self {
            context,
            from,
            current: Vec::new(),
            position: 0,
            has_started: false,
            has_ended: false,
            received: 0,
            extra_bytes: 0,
            failure: None,
        }
    }

    /// Takes the reason why reading failed, if it did.
    pub(crate) fn failure(&mut self) -> Option<GitError> {
        self.failure.take()
    }

    /// Returns the bytes of the pack that were received so far.
    pub(crate) fn received(&self) -> u64 {
        self.received
    }

    fn next(&mut self) -> Result<(), GitError> {
        if Instant::now() >= self.context.deadline {
            return Err(self.context.out_of_time());
        }
        let packet = read_packet(&mut self.from).map_err(|e| self.context.packet(e))?;
        match packet {
            Some(Packet::Data(data)) => self.data(data),
            // Before the pack: the end of the list of shallow commits.
            Some(Packet::Flush | Packet::Delimiter) if !self.has_started => Ok(()),
            Some(_) => {
                self.has_ended = true;
                drain(&mut self.from).ok();
                Ok(())
            }
            None => Err(self.context.protocol("it ends prematurely")),
        }
    }

    fn data(&mut self, data: Vec<u8>) -> Result<(), GitError> {
        // Empty packets of the pack's channel count as well.
        if data.first() != Some(&1) || data.len() == 1 {
            self.extra_bytes += data.len() + PACKET_OVERHEAD;
            if self.extra_bytes > MAX_EXTRA_BYTES {
                return Err(self.context.protocol("it consists of messages instead of a pack"));
            }
        }
        match data.first() {
            Some(1) => {
                self.has_started = true;
                self.current = data;
                self.position = 1;
                Ok(())
            }
            Some(2) => Ok(()),
            Some(3) => Err(self.context.refused(data.get(1..).unwrap_or_default())),
            _ => self.preamble(line(&data)),
        }
    }

    /// Accepts the lines before the pack. They need no reply, as there is one want and no
    /// negotiation.
    fn preamble(&self, line: &[u8]) -> Result<(), GitError> {
        if let Some(message) = line.strip_prefix(b"ERR ") {
            return Err(self.context.refused(message));
        }
        let known: [&[u8]; 8] = [
            b"shallow-info",
            b"shallow ",
            b"unshallow ",
            b"packfile",
            b"NAK",
            b"ACK ",
            b"acknowledgments",
            b"ready",
        ];
        if !self.has_started && known.iter().any(|known| line.starts_with(known)) {
            return Ok(());
        }
        Err(self.context.protocol("it is not a pack"))
    }
}

impl<R: Read> Read for PackStream<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.position == self.current.len() && !self.has_ended {
            if let Err(error) = self.next() {
                self.failure.get_or_insert(error);
                return Err(io::Error::other("the pack could not be read"));
            }
        }
        let mut rest = self.current.get(self.position..).unwrap_or_default();
        let read = rest.read(into)?;
        self.position += read;
        self.received += read as u64;
        Ok(read)
    }
}
