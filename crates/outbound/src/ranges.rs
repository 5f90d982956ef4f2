//! The addresses outside the public internet, as data: from the special-purpose registries of IANA
//! (RFC 6890 and its successors) and the fixed addresses of cloud providers.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::{Ipv4Net, Ipv6Net};

/// The purpose of a range, as shown to the caller.
type Reason = &'static str;

const PRIVATE: Reason = "a private address";
const LOOPBACK: Reason = "a loopback address";
const LINK_LOCAL: Reason = "a link-local address";
const SHARED: Reason = "an address of a provider's shared range";
const DOCUMENTATION: Reason = "an address reserved for documentation";
const MULTICAST: Reason = "a multicast address";
const RESERVED: Reason = "a reserved address";
const UNSPECIFIED: Reason = "the unspecified address";
const METADATA: Reason = "an address of a cloud provider's own services";

const fn v4(a: u8, b: u8, c: u8, d: u8, prefix: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), prefix)
}

const fn v6(address: [u16; 4], prefix: u8) -> Ipv6Net {
    let [a, b, c, d] = address;
    Ipv6Net::new_assert(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0), prefix)
}

const V4: &[(Ipv4Net, Reason)] = &[
    (v4(0, 0, 0, 0, 32), UNSPECIFIED),
    (v4(0, 0, 0, 0, 8), RESERVED),
    (v4(10, 0, 0, 0, 8), PRIVATE),
    (v4(100, 64, 0, 0, 10), SHARED),
    (v4(127, 0, 0, 0, 8), LOOPBACK),
    (v4(168, 63, 129, 16, 32), METADATA),
    (v4(169, 254, 0, 0, 16), LINK_LOCAL),
    (v4(172, 16, 0, 0, 12), PRIVATE),
    (v4(192, 0, 0, 0, 24), RESERVED),
    (v4(192, 0, 2, 0, 24), DOCUMENTATION),
    (v4(192, 88, 99, 0, 24), RESERVED),
    (v4(192, 168, 0, 0, 16), PRIVATE),
    (v4(198, 18, 0, 0, 15), RESERVED),
    (v4(198, 51, 100, 0, 24), DOCUMENTATION),
    (v4(203, 0, 113, 0, 24), DOCUMENTATION),
    (v4(224, 0, 0, 0, 4), MULTICAST),
    (v4(240, 0, 0, 0, 4), RESERVED),
];

const V6: &[(Ipv6Net, Reason)] = &[
    (v6([0x2001, 0xdb8, 0, 0], 32), DOCUMENTATION),
    (v6([0x2001, 0, 0, 0], 23), RESERVED),
    (v6([0x3fff, 0, 0, 0], 20), DOCUMENTATION),
    (v6([0xfc00, 0, 0, 0], 7), PRIVATE),
    (v6([0xfe80, 0, 0, 0], 10), LINK_LOCAL),
    (v6([0xfec0, 0, 0, 0], 10), PRIVATE),
    (v6([0xff00, 0, 0, 0], 8), MULTICAST),
];

/// The only part of IPv6 that has been allocated for the public internet.
const V6_GLOBAL: Ipv6Net = v6([0x2000, 0, 0, 0], 3);

/// Returns the reason why `address` is not public; `None` if it is public.
pub(crate) fn not_public(address: IpAddr) -> Option<Reason> {
    match address {
        IpAddr::V4(address) => {
            V4.iter().find(|(net, _)| net.contains(&address)).map(|&(_, reason)| reason)
        }
        IpAddr::V6(address) => not_public_v6(address),
    }
}

fn not_public_v6(address: Ipv6Addr) -> Option<Reason> {
    if address.is_unspecified() {
        return Some(UNSPECIFIED);
    }
    if address.is_loopback() {
        return Some(LOOPBACK);
    }
    if let Some(inner) = embedded_v4(address) {
        return not_public(IpAddr::V4(inner));
    }
    match V6.iter().find(|(net, _)| net.contains(&address)) {
        Some(&(_, reason)) => Some(reason),
        None => (!V6_GLOBAL.contains(&address)).then_some(RESERVED),
    }
}

/// Returns the IPv4 address that traffic to `address` finally reaches: mapped (RFC 4291), NAT64's
/// well-known prefix (RFC 6052), 6to4 (RFC 3056).
pub(crate) fn embedded_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let join = |high: u16, low: u16| Ipv4Addr::from(u32::from(high) << 16 | u32::from(low));
    match address.segments() {
        [0, 0, 0, 0, 0, 0xffff, high, low] => Some(join(high, low)),
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some(join(high, low)),
        [0x2002, high, low, ..] => Some(join(high, low)),
        _ => None,
    }
}
