// The IP addresses that a webhook may be sent to. Everything not named here is refused, in both modes:
// link-local and cloud metadata, CGNAT, multicast, unspecified, reserved and documentation ranges,
// and every IPv6 form that carries an IPv4 address (mapped, compatible, NAT64, 6to4, Teredo).
//
//   live      public addresses
//   sandbox   public, loopback, and the private ranges of a developer's network (a container's
//             172.x, an office's 192.168.x, fc00::/7)

import ipaddr from 'ipaddr.js'

export type Mode = 'sandbox' | 'live'

const ALLOWED_RANGES: Record<Mode, readonly string[]> = {
  live: ['unicast'],
  sandbox: ['unicast', 'loopback', 'private', 'uniqueLocal'],
}

// Addresses of cloud machinery inside the allowed ranges: the IPv6 metadata addresses of AWS and GCP
// (unique local), and Azure's host agent (an ordinary public address).
const CLOUD_INTERNALS = new Set(['fd00:ec2::254', 'fd20:ce::254', '168.63.129.16'])

const IPV6_PUBLIC = ipaddr.parseCIDR('2000::/3')

export function isAllowedAddress(text: string, mode: Mode): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.parse(text)
  if (CLOUD_INTERNALS.has(address.toString())) return false
  const range = address.range()
  if (!ALLOWED_RANGES[mode].includes(range)) return false
  // ipaddr.js calls every range it does not know `unicast`, including the IPv4-compatible ::7f00:1.
  return range !== 'unicast' || address.kind() === 'ipv4' || address.match(IPV6_PUBLIC)
}
