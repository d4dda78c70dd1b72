// IP allowlists: parses address ranges and matches callers against them. An IPv4-mapped IPv6 address is
// treated as IPv4, both on the list and for callers.

import ipaddr from 'ipaddr.js'

// Returns CIDR notation, or undefined if the text is neither an address nor a range. A range must start at
// its first address: 10.1.2.3/8 is more likely a mistake than the whole of 10.0.0.0/8.
export function parseAddressRange(text: string): string | undefined {
  const [start = '', bits, ...rest] = text.split('/')
  if (rest.length > 0 || !isPlainAddress(start)) return undefined
  const address = ipaddr.process(start)
  const sizeBits = address.kind() === 'ipv4' ? 32 : 128
  if (bits === undefined) return `${address}/${sizeBits}`
  // The size of a mapped range is ambiguous, so it must be written as IPv4.
  const isMapped = address.kind() === 'ipv4' && start.includes(':')
  if (isMapped || !/^[1-9][0-9]{0,2}$/.test(bits) || Number(bits) > sizeBits) return undefined
  return isFirstOfRange(address, Number(bits)) ? `${address}/${bits}` : undefined
}

// Returns a function that tells whether an address is in one of the ranges. No address is in an empty list.
export function addressMatcher(ranges: readonly string[]): (address: string) => boolean {
  const parsed = ranges.map((range) => ipaddr.parseCIDR(range))
  return (text) => {
    if (parsed.length === 0 || !ipaddr.isValid(text)) return false
    const address = ipaddr.process(text)
    return parsed.some(
      ([start, bits]) => start.kind() === address.kind() && address.match(start as never, bits),
    )
  }
}

// Refuses forms that ipaddr.js also accepts: 10.1, 0x0a000001 and fe80::1%eth0.
function isPlainAddress(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || (/^[0-9a-f:.]+$/i.test(text) && isIpv6(text))
}

function isIpv6(text: string): boolean {
  return text.includes(':') && ipaddr.IPv6.isValid(text)
}

// Whether all bits after the first `bits` are 0.
function isFirstOfRange(address: ipaddr.IPv4 | ipaddr.IPv6, bits: number): boolean {
  return address.toByteArray().every((byte, index) => {
    const fixedBits = Math.min(Math.max(bits - index * 8, 0), 8) // The fixed bits of this byte.
    return (byte & (0xff >> fixedBits)) === 0
  })
}
