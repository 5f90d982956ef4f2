//! JSON Web Tokens (RFC 7519) with HMAC-SHA256 signatures, which is the only accepted algorithm.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bindery_model::Timestamp;
use hmac::digest::InvalidLength;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Map, Value};
use sha2::Sha256;

/// Maximum length of a token in bytes.
pub const MAX_TOKEN_BYTES: usize = 8 << 10;
/// Maximum number of nested arrays and objects in the claims.
const MAX_DEPTH: usize = 16;
/// Accepted difference between the clocks of the signer and of this server, in seconds.
const CLOCK_SKEW: f64 = 60.0;

/// The claims of a token.
pub type Claims = Map<String, Value>;

/// The reason why a token is not accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TokenError {
    /// The token is longer than [`MAX_TOKEN_BYTES`].
    #[error("the token is longer than 8 KiB")]
    TooLong,
    /// The token is not a signed token in compact form, or its claims are nested too deeply.
    #[error("the token is malformed")]
    Malformed,
    /// The header names another algorithm, or an extension that has to be understood.
    #[error("the token is not signed with HS256")]
    Algorithm,
    /// The signature was not made with the key.
    #[error("the signature of the token is wrong")]
    Signature,
    /// The token has no `exp`, or one that has passed.
    #[error("the token has expired or has no expiry time")]
    Expired,
    /// The token is not valid yet, or was issued in the future.
    #[error("the token is not valid yet")]
    NotYetValid,
    /// The token names another audience.
    #[error("the token is for another audience")]
    Audience,
}

impl TokenError {
    /// Returns the name of the error in addresses.
    pub const fn name(self) -> &'static str {
        match self {
            Self::TooLong | Self::Malformed | Self::Algorithm => "malformed_token",
            Self::Signature => "invalid_signature",
            Self::Expired => "token_expired",
            Self::NotYetValid => "token_not_yet_valid",
            Self::Audience => "invalid_audience",
        }
    }
}

/// Returns the claims of a token that was signed with `key` and is valid at `now`. A token that
/// names an audience must name one for which `is_audience` returns `true`.
///
/// # Errors
/// Returns the reason why the token is not accepted.
pub fn verify(
    token: &str,
    key: &[u8],
    now: Timestamp,
    is_audience: impl Fn(&str) -> bool,
) -> Result<Claims, TokenError> {
    if token.len() > MAX_TOKEN_BYTES {
        return Err(TokenError::TooLong);
    }
    let (signed, signature) = token.rsplit_once('.').ok_or(TokenError::Malformed)?;
    let (header, payload) = signed.split_once('.').ok_or(TokenError::Malformed)?;
    check_header(&object(header)?)?;
    let signature = decode(signature)?;
    let authenticator = authenticator(key, signed).map_err(|_| TokenError::Signature)?;
    authenticator.verify_slice(&signature).map_err(|_| TokenError::Signature)?;
    let claims = object(payload)?;
    check_times(&claims, now)?;
    check_audience(&claims, is_audience)?;
    Ok(claims)
}

/// Returns a token with these claims, signed with `key`.
///
/// # Errors
/// Returns an error if the key cannot be used.
pub fn sign(claims: &Claims, key: &[u8]) -> bindery_model::Result<String> {
    let header = URL_SAFE_NO_PAD.encode(r#"{"alg":"HS256","typ":"JWT"}"#);
    let payload = URL_SAFE_NO_PAD.encode(Value::Object(claims.clone()).to_string());
    let signed = format!("{header}.{payload}");
    let authenticator = authenticator(key, &signed)
        .map_err(|_| bindery_model::Error::internal("a token could not be signed"))?;
    let signature = authenticator.finalize().into_bytes();
    Ok(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature)))
}

/// Returns the time at which a verified token expires.
pub fn expires_at(claims: &Claims) -> Option<Timestamp> {
    let seconds = number(claims, "exp")??;
    // A float is cast to the nearest integer of the type.
    Some(Timestamp::from_millis((seconds * 1_000.0).min(MAX_MILLIS) as i64))
}

/// The last time that a token can name: the end of the year 9999, in milliseconds.
const MAX_MILLIS: f64 = 253_402_300_799_000.0;

fn authenticator(key: &[u8], signed: &str) -> Result<Hmac<Sha256>, InvalidLength> {
    let mut mac = Hmac::new_from_slice(key)?;
    mac.update(signed.as_bytes());
    Ok(mac)
}

fn decode(part: &str) -> Result<Vec<u8>, TokenError> {
    URL_SAFE_NO_PAD.decode(part).map_err(|_| TokenError::Malformed)
}

fn object(part: &str) -> Result<Claims, TokenError> {
    let bytes = decode(part)?;
    let value: Value = serde_json::from_slice(&bytes).map_err(|_| TokenError::Malformed)?;
    match value {
        Value::Object(_) if !is_shallow(&value) => Err(TokenError::Malformed),
        Value::Object(map) => Ok(map),
        _ => Err(TokenError::Malformed),
    }
}

/// Returns `true` if the claims are not nested too deeply.
pub(crate) fn is_shallow(claims: &Value) -> bool {
    depth(claims) <= MAX_DEPTH
}

/// Returns the number of nested arrays and objects. The parser bounds it to 128.
fn depth(value: &Value) -> usize {
    let below = match value {
        Value::Array(items) => items.iter().map(depth).max(),
        Value::Object(map) => map.values().map(depth).max(),
        _ => return 0,
    };
    1 + below.unwrap_or(0)
}

fn check_header(header: &Claims) -> Result<(), TokenError> {
    let is_hs256 = header.get("alg").and_then(Value::as_str) == Some("HS256");
    // A header with `crit` requires extensions, none of which is known here (RFC 7515, 4.1.11).
    if !is_hs256 || header.contains_key("crit") {
        return Err(TokenError::Algorithm);
    }
    match header.get("typ") {
        None => Ok(()),
        Some(Value::String(typ)) if typ.eq_ignore_ascii_case("JWT") => Ok(()),
        Some(_) => Err(TokenError::Malformed),
    }
}

/// Returns the number in a claim; `Some(None)` if the claim is no number.
fn number(claims: &Claims, name: &str) -> Option<Option<f64>> {
    claims.get(name).map(Value::as_f64)
}

fn check_times(claims: &Claims, now: Timestamp) -> Result<(), TokenError> {
    let now = now.millis() as f64 / 1_000.0;
    match number(claims, "exp") {
        Some(Some(exp)) if now < exp + CLOCK_SKEW => {}
        Some(None) => return Err(TokenError::Malformed),
        _ => return Err(TokenError::Expired),
    }
    for name in ["nbf", "iat"] {
        match number(claims, name) {
            None => {}
            Some(Some(from)) if from <= now + CLOCK_SKEW => {}
            Some(Some(_)) => return Err(TokenError::NotYetValid),
            Some(None) => return Err(TokenError::Malformed),
        }
    }
    Ok(())
}

fn check_audience(claims: &Claims, is_audience: impl Fn(&str) -> bool) -> Result<(), TokenError> {
    let named = match claims.get("aud") {
        None => return Ok(()),
        Some(Value::String(one)) => is_audience(one),
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).any(is_audience),
        Some(_) => return Err(TokenError::Malformed),
    };
    if named { Ok(()) } else { Err(TokenError::Audience) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const KEY: &[u8] = b"key";
    const NOW: Timestamp = Timestamp::from_millis(1_000_000_000);

    fn token(header: &Value, claims: &Value, key: &[u8]) -> String {
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", part(header), part(claims));
        let signature = authenticator(key, &signed).unwrap().finalize().into_bytes();
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature))
    }

    fn check(token: &str) -> Result<Claims, TokenError> {
        verify(token, KEY, NOW, |audience| audience == "here")
    }

    #[test]
    fn the_example_of_rfc_7515_is_verified() {
        let key = URL_SAFE_NO_PAD
            .decode(
                "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9\
                 CAow",
            )
            .unwrap();
        let token = "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4\
                     MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.dBjftJeZ4CVP-mB92K27\
                     uhbUJU1p1r_wW1gFWFOEjXk";
        let at =
            |seconds: i64| verify(token, &key, Timestamp::from_millis(seconds * 1_000), |_| false);
        assert_eq!(at(1_300_819_379).unwrap().get("iss"), Some(&json!("joe")));
        assert!(at(1_300_819_439).is_ok());
        assert_eq!(at(1_300_819_440), Err(TokenError::Expired));
    }

    #[test]
    fn headers_other_than_hs256_are_refused() {
        let claims = json!({"exp": 1_000_100});
        for (header, expect) in [
            (json!({"alg": "HS256"}), None),
            (json!({"alg": "HS256", "typ": "jwt", "kid": "1"}), None),
            (json!({"alg": "none"}), Some(TokenError::Algorithm)),
            (json!({"alg": "hs256"}), Some(TokenError::Algorithm)),
            (json!({"alg": "HS512"}), Some(TokenError::Algorithm)),
            (json!({"alg": "RS256"}), Some(TokenError::Algorithm)),
            (json!({"alg": ["HS256"]}), Some(TokenError::Algorithm)),
            (json!({}), Some(TokenError::Algorithm)),
            (json!({"alg": "HS256", "crit": ["b64"]}), Some(TokenError::Algorithm)),
            (json!({"alg": "HS256", "typ": "JWE"}), Some(TokenError::Malformed)),
        ] {
            assert_eq!(check(&token(&header, &claims, KEY)).err(), expect, "{header}");
        }
    }

    #[test]
    fn claims_are_checked() {
        let deep = (0..MAX_DEPTH).fold(json!(1), |inner, _| json!([inner]));
        for (claims, expect) in [
            (json!({"exp": 1_000_001}), None),
            (json!({"exp": 999_940.5}), None),
            (json!({"exp": 999_940}), Some(TokenError::Expired)),
            (json!({"a": 1}), Some(TokenError::Expired)),
            (json!({"exp": "1000001"}), Some(TokenError::Malformed)),
            (json!({"exp": 1_000_001, "nbf": 1_000_060}), None),
            (json!({"exp": 1_000_099, "nbf": 1_000_061}), Some(TokenError::NotYetValid)),
            (json!({"exp": 1_000_099, "iat": 1_000_061}), Some(TokenError::NotYetValid)),
            (json!({"exp": 1_000_001, "iat": null}), Some(TokenError::Malformed)),
            (json!({"exp": 1_000_001, "aud": "here"}), None),
            (json!({"exp": 1_000_001, "aud": ["there", "here"]}), None),
            (json!({"exp": 1_000_001, "aud": "there"}), Some(TokenError::Audience)),
            (json!({"exp": 1_000_001, "aud": []}), Some(TokenError::Audience)),
            (json!({"exp": 1_000_001, "aud": 1}), Some(TokenError::Malformed)),
            (json!({"exp": 1_000_001, "deep": deep}), Some(TokenError::Malformed)),
            (json!([1]), Some(TokenError::Malformed)),
        ] {
            let found = check(&token(&json!({"alg": "HS256"}), &claims, KEY));
            assert_eq!(found.err(), expect, "{claims}");
        }
    }

    #[test]
    fn changed_and_malformed_tokens_are_refused() {
        let claims = json!({"exp": 1_000_100, "role": "reader"});
        let good = sign(claims.as_object().unwrap(), KEY).unwrap();
        assert_eq!(check(&good).as_ref(), Ok(claims.as_object().unwrap()));
        let (signed, signature) = good.rsplit_once('.').unwrap();
        let (header, _) = signed.split_once('.').unwrap();
        let other = URL_SAFE_NO_PAD.encode(r#"{"exp":1000100,"role":"admin"}"#);
        for (text, expect) in [
            (format!("{header}.{other}.{signature}"), TokenError::Signature),
            (format!("{signed}."), TokenError::Signature),
            (format!("{signed}.{signature}="), TokenError::Malformed),
            (format!("{good}.x"), TokenError::Malformed),
            (signed.to_owned(), TokenError::Malformed),
            (String::new(), TokenError::Malformed),
            ("a.b.c".to_owned(), TokenError::Malformed),
            (good.replace(char::is_alphanumeric, "é"), TokenError::Malformed),
            ("x".repeat(MAX_TOKEN_BYTES + 1), TokenError::TooLong),
        ] {
            assert_eq!(check(&text), Err(expect), "{text}");
        }
        let other_key = sign(claims.as_object().unwrap(), b"other").unwrap();
        assert_eq!(check(&other_key), Err(TokenError::Signature));
    }

    #[test]
    fn keys_longer_than_a_block_are_hashed() {
        let claims = json!({"exp": 1_000_100});
        for length in [0, 63, 64, 65, 200] {
            let key = vec![b'k'; length];
            let token = sign(claims.as_object().unwrap(), &key).unwrap();
            assert!(verify(&token, &key, NOW, |_| false).is_ok(), "{length}");
        }
    }
}
