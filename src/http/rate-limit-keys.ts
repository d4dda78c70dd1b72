// The rate-limiting key of an IP address. IPv6 is grouped by /64 (one host has them all);
// IPv4-mapped IPv6 counts as IPv4.

import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

const UNKNOWN = 'unknown' // Gone before it was asked, or what a proxy passed on is no address.
const REMEMBERED_MAX = 1_000

export function rateLimitKey(address: string | undefined): string {
  if (address === undefined) return UNKNOWN
  if (address.includes(':')) return remembered.get(address) ?? cache(address)
  return isIP(address) === 4 ? address : UNKNOWN
}

// Parsing one takes microseconds, and every request needs it.
const remembered = new Map<string, string>()

function cache(address: string): string {
  const caller = networkPrefix(address)
  if (remembered.size >= REMEMBERED_MAX) remembered.clear()
  remembered.set(address, caller)
  return caller
}

function networkPrefix(address: string): string {
  const plain = address.split('%', 1)[0] as string
  if (isIP(plain) !== 6) return UNKNOWN
  const parsed = ipaddr.process(plain)
  if (parsed instanceof ipaddr.IPv4) return parsed.toString()
  const network = parsed.parts.slice(0, 4).map((group) => group.toString(16))
  return `${network.join(':')}::/64`
}
