//! Which addresses are on the public internet.
//!
//! IPv4: all but those that are set aside (IANA's registry of special-purpose addresses). IPv6: only global unicast,
//! without the ranges inside it that are set aside or carry an IPv4 address that could lead back here. Of the forms
//! that wrap an IPv4 address only NAT64 is taken, where a network may know no other way, and judged by what it wraps.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// First address and number of leading bits.
const CLOSED_V4: [(Ipv4Addr, u32); 17] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),          // this network, unspecified
    (Ipv4Addr::new(10, 0, 0, 0), 8),         // private
    (Ipv4Addr::new(100, 64, 0, 0), 10),      // carrier's NAT; metadata of Alibaba Cloud
    (Ipv4Addr::new(127, 0, 0, 0), 8),        // loopback
    (Ipv4Addr::new(168, 63, 129, 16), 32),   // Azure's own service for its machines, though it looks public
    (Ipv4Addr::new(169, 254, 0, 0), 16),     // link-local; metadata of most clouds
    (Ipv4Addr::new(172, 16, 0, 0), 12),      // private
    (Ipv4Addr::new(192, 0, 0, 0), 24),       // protocols; metadata of Oracle Cloud
    (Ipv4Addr::new(192, 0, 2, 0), 24),       // documentation
    (Ipv4Addr::new(192, 88, 99, 0), 24),     // relays of 6to4
    (Ipv4Addr::new(192, 168, 0, 0), 16),     // private
    (Ipv4Addr::new(198, 18, 0, 0), 15),      // benchmarks
    (Ipv4Addr::new(198, 51, 100, 0), 24),    // documentation
    (Ipv4Addr::new(203, 0, 113, 0), 24),     // documentation
    (Ipv4Addr::new(224, 0, 0, 0), 4),        // multicast
    (Ipv4Addr::new(240, 0, 0, 0), 4),        // reserved
    (Ipv4Addr::new(255, 255, 255, 255), 32), // broadcast
];

/// Where global unicast begins, and its leading bits. All else is loopback, local, mapped, multicast or reserved.
const GLOBAL_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// Inside of global unicast: first address and number of leading bits.
const CLOSED_V6: [(Ipv6Addr, u32); 4] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23), // protocols: Teredo, benchmarks, ORCHID
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32), // documentation
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16), // 6to4
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20), // documentation
];

/// An IPv4 address in the last 32 bits of these, behind NAT64.
const NAT64: (Ipv6Addr, u32) = (Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0), 96);

/// Whether an address is on the public internet.
pub(super) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let bits = address.to_bits();
    !CLOSED_V4.iter().any(|&(first, len)| (bits ^ first.to_bits()) >> (u32::BITS - len) == 0)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let bits = address.to_bits();
    let is_in = |(first, len): (Ipv6Addr, u32)| (bits ^ first.to_bits()) >> (u128::BITS - len) == 0;
    if is_in(NAT64) {
        let [.., a, b, c, d] = address.octets();
        return is_public_v4(Ipv4Addr::new(a, b, c, d));
    }
    is_in(GLOBAL_V6) && !CLOSED_V6.into_iter().any(is_in)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(expect: bool, addresses: &str) {
        for address in addresses.split_whitespace() {
            assert_eq!(is_public(address.parse().unwrap()), expect, "{address}");
        }
    }

    #[test]
    fn ipv4_is_closed_at_the_edges_of_every_range() {
        check(false, "0.0.0.0 0.255.255.255");
        check(true, "1.0.0.0 9.255.255.255");
        check(false, "10.0.0.0 10.255.255.255");
        check(true, "11.0.0.0 100.63.255.255");
        check(false, "100.64.0.0 100.100.100.200 100.127.255.255");
        check(true, "100.128.0.0 126.255.255.255");
        check(false, "127.0.0.0 127.0.0.1 127.255.255.255");
        check(true, "128.0.0.0 168.63.129.15");
        check(false, "168.63.129.16");
        check(true, "168.63.129.17 169.253.255.255");
        check(false, "169.254.0.0 169.254.169.254 169.254.255.255");
        check(true, "169.255.0.0 172.15.255.255");
        check(false, "172.16.0.0 172.31.255.255");
        check(true, "172.32.0.0 191.255.255.255");
        check(false, "192.0.0.0 192.0.0.192 192.0.0.255");
        check(true, "192.0.1.0 192.0.1.255");
        check(false, "192.0.2.0 192.0.2.255");
        check(true, "192.0.3.0 192.88.98.255");
        check(false, "192.88.99.0 192.88.99.255");
        check(true, "192.88.100.0 192.167.255.255");
        check(false, "192.168.0.0 192.168.255.255");
        check(true, "192.169.0.0 198.17.255.255");
        check(false, "198.18.0.0 198.19.255.255");
        check(true, "198.20.0.0 198.51.99.255");
        check(false, "198.51.100.0 198.51.100.255");
        check(true, "198.51.101.0 203.0.112.255");
        check(false, "203.0.113.0 203.0.113.255");
        check(true, "203.0.114.0 223.255.255.255");
        check(false, "224.0.0.0 239.255.255.255 240.0.0.0 255.255.255.254 255.255.255.255");
    }

    #[test]
    fn ipv6_is_open_only_inside_of_global_unicast() {
        check(false, ":: ::1 ::2 100:: 1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff");
        check(true, "2000:: 2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff");
        check(
            false,
            "2001:: 2001:0:7f00:1:: 2001:2:: 2001:10:: 2001:20:: 2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff",
        );
        check(true, "2001:200:: 2001:db7:ffff:ffff:ffff:ffff:ffff:ffff");
        check(false, "2001:db8:: 2001:db8:ffff:ffff:ffff:ffff:ffff:ffff");
        check(true, "2001:db9:: 2001:4860:4860::8888 2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff");
        check(false, "2002:: 2002:7f00:1:: 2002:808:808:: 2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff");
        check(true, "2003:: 2606:4700::1111 3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff");
        check(false, "3fff:: 3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff");
        check(true, "3fff:1000:: 3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff");
        check(false, "4000:: 5f00:: fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff");
        check(
            false,
            "fc00:: fd00:ec2::254 fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff fe80:: fe80::1 fec0:: ff02::1",
        );
    }

    #[test]
    fn an_ipv4_address_inside_of_ipv6_opens_nothing() {
        check(
            false,
            "::127.0.0.1 ::8.8.8.8 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:8.8.8.8 ::ffff:0:127.0.0.1",
        );
        check(false, "64:ff9b::127.0.0.1 64:ff9b::10.1.2.3 64:ff9b::169.254.169.254 64:ff9b::");
        check(true, "64:ff9b::8.8.8.8");
        check(false, "64:ff9b:1::8.8.8.8 64:ff9b::1:8.8.8.8 64:ff9a::8.8.8.8");
    }
}
