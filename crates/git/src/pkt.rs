//! Packet lines, the framing of Git's protocol (gitprotocol-common(5)).

use std::io::{self, Read};

/// A packet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Packet {
    /// Payload bytes.
    Data(Vec<u8>),
    /// `0000`: the end of a message.
    Flush,
    /// `0001`: the end of a section.
    Delimiter,
    /// `0002`: the end of a response.
    End,
}

/// The reason why a packet could not be read.
#[derive(Debug)]
pub(crate) enum PacketError {
    /// The bytes are not a packet.
    Malformed,
    /// Reading failed, or the bytes end within a packet.
    Io(io::Error),
}

impl From<io::Error> for PacketError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Reads the next packet. Returns `None` if the bytes end between two packets.
pub(crate) fn read_packet(from: &mut impl Read) -> Result<Option<Packet>, PacketError> {
    let mut length = [0; 4];
    let mut have = 0;
    while let Some(rest) = length.get_mut(have..).filter(|rest| !rest.is_empty()) {
        match from.read(rest)? {
            0 if have == 0 => return Ok(None),
            0 => return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
            read => have += read,
        }
    }
    let text = std::str::from_utf8(&length).map_err(|_| PacketError::Malformed)?;
    let length = usize::from_str_radix(text, 16).map_err(|_| PacketError::Malformed)?;
    Ok(Some(match length {
        0 => Packet::Flush,
        1 => Packet::Delimiter,
        2 => Packet::End,
        3 => return Err(PacketError::Malformed),
        length => {
            let mut data = vec![0; length - 4];
            from.read_exact(&mut data)?;
            Packet::Data(data)
        }
    }))
}

/// A request message under construction.
#[derive(Default, Debug)]
pub(crate) struct Message(Vec<u8>);

impl Message {
    /// Appends a line with the newline that the protocol recommends.
    pub(crate) fn line(&mut self, text: &str) -> &mut Self {
        self.0.extend_from_slice(format!("{:04x}{text}\n", text.len() + 5).as_bytes());
        self
    }

    /// Appends data without a newline.
    pub(crate) fn data(&mut self, text: &str) -> &mut Self {
        self.0.extend_from_slice(format!("{:04x}{text}", text.len() + 4).as_bytes());
        self
    }

    pub(crate) fn delimiter(&mut self) -> &mut Self {
        self.0.extend_from_slice(b"0001");
        self
    }

    pub(crate) fn flush(&mut self) -> &mut Self {
        self.0.extend_from_slice(b"0000");
        self
    }

    pub(crate) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.0)
    }
}

/// Returns the bytes of a line without its newline.
pub(crate) fn line(data: &[u8]) -> &[u8] {
    data.strip_suffix(b"\n").unwrap_or(data)
}

/// Sanitises a server's message for display: one line of at most 300 characters, without control
/// characters.
pub(crate) fn sanitize(data: &[u8]) -> String {
    let text = String::from_utf8_lossy(data);
    let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    plain.take(300).collect::<String>().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn packets_read_back() {
        let bytes = Message::default().line("want a").delimiter().line("").flush().take();
        assert_eq!(bytes, b"000bwant a\n00010005\n0000");
        let mut from = bytes.as_slice();
        let mut next = || read_packet(&mut from).unwrap();
        assert_eq!(next(), Some(Packet::Data(b"want a\n".to_vec())));
        assert_eq!(next(), Some(Packet::Delimiter));
        assert_eq!(next(), Some(Packet::Data(b"\n".to_vec())));
        assert_eq!(next(), Some(Packet::Flush));
        assert_eq!(next(), None);
    }

    #[test]
    fn malformed_packets_are_errors() {
        for bytes in ["0003", "zzzz", "00", "0009ab", "<htm", "-001"] {
            assert!(read_packet(&mut bytes.as_bytes()).is_err(), "{bytes}");
        }
    }

    #[test]
    fn server_messages_are_sanitized() {
        assert_eq!(sanitize(b"no\x1b[31m\nway\x07"), "no [31m way");
        assert_eq!(sanitize(&[b'a'; 1000]).len(), 300);
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(bytes: Vec<u8>) {
            let mut from = bytes.as_slice();
            while let Ok(Some(_)) = read_packet(&mut from) {}
        }
    }
}
