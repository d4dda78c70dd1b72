// Where a request comes from, and whether that is on a list. IPv4 within IPv6 counts as IPv4.

import ipaddr from 'ipaddr.js'

type Range = ReturnType<typeof ipaddr.parseCIDR>

export function addressMatcher(cidrs: readonly string[]): (address: string) => boolean {
  const ranges = cidrs.map((cidr) => ipaddr.parseCIDR(cidr))
  return (address) => {
    if (!ipaddr.isValid(address)) return false
    const asked = ipaddr.process(address)
    return ranges.some((range) => isWithin(asked, range))
  }
}

function isWithin(address: ipaddr.IPv4 | ipaddr.IPv6, [base, bits]: Range): boolean {
  return address.kind() === base.kind() && address.match(base as never, bits)
}
