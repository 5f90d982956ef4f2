//! Selects the content encoding of a response by the request's `Accept-Encoding` (RFC 9110, section
//! 12.5.3).

use std::io::Write as _;

use bytes::Bytes;

/// A content encoding.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Encoding {
    /// No compression.
    Identity,
    /// RFC 1952.
    Gzip,
    /// RFC 7932.
    Brotli,
}

impl Encoding {
    /// Returns the value of `Content-Encoding`, or `None` for the identity.
    pub const fn name(self) -> Option<&'static str> {
        match self {
            Self::Identity => None,
            Self::Gzip => Some("gzip"),
            Self::Brotli => Some("br"),
        }
    }

    /// Returns the strong entity tag of a representation in this encoding, with its quotes. `hash`
    /// is a hash of the uncompressed body: equal bodies have different bytes in each encoding, so
    /// they need different tags (RFC 9110, section 8.8.3.3).
    pub fn etag(self, hash: &str) -> String {
        let suffix = match self {
            Self::Identity => "",
            Self::Gzip => "-g",
            Self::Brotli => "-b",
        };
        format!("\"{hash}{suffix}\"")
    }

    /// Compresses a body. Returns `None` for the identity, or if compression fails.
    pub fn compress(self, body: &[u8], effort: CompressionEffort) -> Option<Bytes> {
        let mut out = Vec::with_capacity(body.len() / 3);
        match self {
            Self::Identity => return None,
            Self::Gzip => {
                let mut encoder = flate2::write::GzEncoder::new(&mut out, effort.gzip());
                encoder.write_all(body).ok()?;
                encoder.finish().ok()?;
            }
            Self::Brotli => {
                let mut params = effort.brotli();
                params.size_hint = body.len();
                brotli::BrotliCompress(&mut &*body, &mut out, &params).ok()?;
            }
        }
        Some(Bytes::from(out))
    }
}

/// The weights of an `Accept-Encoding` header in thousandths. `None` if the header does not mention
/// the encoding.
#[derive(Default)]
struct Weights {
    identity: Option<u32>,
    gzip: Option<u32>,
    brotli: Option<u32>,
    any: Option<u32>,
}

/// Returns the best encoding that a client accepts: the one with the highest weight and, among
/// equal weights, the one with the smallest body. Returns the identity to a client that refuses
/// every encoding, as a readable response is more useful to it than an error.
pub fn select_encoding(accept_encoding: Option<&str>) -> Encoding {
    let Some(header) = accept_encoding else {
        return Encoding::Identity;
    };
    let weights = parse_weights(header);
    let or_any = |weight: Option<u32>| weight.or(weights.any).unwrap_or(0);
    // If the header does not mention the identity, it is acceptable as the last resort.
    let identity = weights.identity.or(weights.any.filter(|w| *w == 0)).unwrap_or(1);
    let mut best = (identity, Encoding::Identity);
    for candidate in
        [(or_any(weights.gzip), Encoding::Gzip), (or_any(weights.brotli), Encoding::Brotli)]
    {
        if candidate.0 > 0 && candidate.0 >= best.0 {
            best = candidate;
        }
    }
    best.1
}

/// Returns `true` if a client accepts gzip, even if it prefers another encoding.
pub fn accepts_gzip(accept_encoding: Option<&str>) -> bool {
    let weights = parse_weights(accept_encoding.unwrap_or_default());
    weights.gzip.or(weights.any).is_some_and(|weight| weight > 0)
}

fn parse_weights(header: &str) -> Weights {
    let mut weights = Weights::default();
    for item in header.split(',') {
        let (coding, parameters) = item.split_once(';').unwrap_or((item, ""));
        let weight = parse_weight(parameters);
        let coding = coding.trim();
        let slot = if coding.eq_ignore_ascii_case("gzip") || coding.eq_ignore_ascii_case("x-gzip") {
            &mut weights.gzip
        } else if coding.eq_ignore_ascii_case("br") {
            &mut weights.brotli
        } else if coding.eq_ignore_ascii_case("identity") {
            &mut weights.identity
        } else if coding == "*" {
            &mut weights.any
        } else {
            continue;
        };
        *slot = Some(weight);
    }
    weights
}

/// Parses a weight in thousandths. A malformed weight counts as 0, which means "not accepted".
pub fn parse_weight(parameters: &str) -> u32 {
    let parameters = parameters.trim();
    if parameters.is_empty() {
        return 1000;
    }
    let value = parameters
        .split_once('=')
        .filter(|(name, _)| name.trim().eq_ignore_ascii_case("q"))
        .and_then(|(_, value)| value.trim().parse::<f64>().ok())
        .filter(|value| (0.0..=1.0).contains(value));
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and 1 by the filter above"
    )]
    value.map_or(0, |value| (value * 1000.0).round() as u32)
}

/// Minimum size of a compressed body in bytes. Compressing a smaller one saves no network packet.
pub const MIN_COMPRESSED_BYTES: usize = 256;

/// Returns `true` if bodies of this content type become smaller by compression.
pub fn is_compressible(content_type: &str) -> bool {
    content_type.starts_with("text/")
        || content_type.starts_with("application/json")
        || content_type.starts_with("application/xml")
        || content_type.starts_with("application/atom+xml")
        || content_type.starts_with("image/svg+xml")
}

/// The time that compression may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CompressionEffort {
    /// A fraction of a millisecond, for bodies that are not cached.
    Once,
    /// A fraction of a millisecond with gzip, and more with Brotli, whose tables take time to
    /// prepare. For bodies that are compressed while a reader waits.
    Fast,
    /// One or two milliseconds, for bodies that are compressed once and sent to many readers.
    Page,
    /// Some tens of milliseconds, for bodies that are compressed once per start and sent to every
    /// reader.
    Asset,
}

impl CompressionEffort {
    pub(crate) const fn gzip(self) -> flate2::Compression {
        flate2::Compression::new(match self {
            Self::Once => 1,
            Self::Fast => 4,
            Self::Page => 6,
            Self::Asset => 9,
        })
    }

    pub(crate) fn brotli(self) -> brotli::enc::BrotliEncoderParams {
        // A larger window takes longer to prepare.
        let (quality, lgwin) = match self {
            Self::Once => (1, 16),
            Self::Fast => (3, 16),
            Self::Page => (5, 18),
            Self::Asset => (9, 18),
        };
        brotli::enc::BrotliEncoderParams {
            quality,
            lgwin,
            ..brotli::enc::BrotliEncoderParams::default()
        }
    }
}
