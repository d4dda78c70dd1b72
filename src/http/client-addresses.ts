// Rate-limiting key of an IP address. IPv6 is grouped by /64 (one host has them all); IPv4-mapped
// IPv6 counts as IPv4.

import { isIP } from 'node:net'

const UNKNOWN = 'unknown' // Gone before it was asked, or what a proxy passed on is no address.
const REMEMBERED_MAX = 1_000

export function addressKey(address: string | undefined): string {
  if (address === undefined) return UNKNOWN
  if (address.includes(':')) return remembered.get(address) ?? cache(address)
  return isIP(address) === 4 ? address : UNKNOWN
}

// Taking one apart takes 2 µs.
const remembered = new Map<string, string>()

function cache(address: string): string {
  const caller = networkOf(address)
  if (remembered.size >= REMEMBERED_MAX) remembered.clear()
  remembered.set(address, caller)
  return caller
}

function networkOf(address: string): string {
  const plain = address.split('%', 1)[0] as string
  if (isIP(plain) !== 6) return UNKNOWN
  const groups = groupsOf(plain)
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (isMapped) return groups.slice(6).map(dotted).join('.')
  const network = groups.slice(0, 4).map((group) => group.toString(16))
  return `${network.join(':')}::/64`
}

// The eight groups of an address that is known to be one.
function groupsOf(address: string): number[] {
  const [head = '', tail] = address.split('::')
  const front = numbersOf(head)
  if (tail === undefined) return front
  const back = numbersOf(tail)
  return [...front, ...new Array<number>(8 - front.length - back.length).fill(0), ...back]
}

function numbersOf(text: string): number[] {
  if (text === '') return []
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)]
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number)
    return [a * 256 + b, c * 256 + d]
  })
}

function dotted(group: number): string {
  return `${group >> 8}.${group & 255}`
}
