// Resolves a receiver's host name.
//
// Live mode queries name servers directly (c-ares). The system resolver shares four threads with password
// hashing and files, so four names with a dead name server would block every other delivery. The sandbox
// uses the system resolver, because a developer's names are in the hosts file.

import { promises as dns } from 'node:dns'
import type { Mode } from './allowed-addresses.ts'

const QUERY_TIMEOUT_MS = 2_000
const QUERY_TRIES = 2

export type Address = { address: string; family: number }
export type Lookup = (hostname: string) => Promise<Address[]>

export function lookupFor(mode: Mode): Lookup {
  return mode === 'live'
    ? queryNameServers()
    : (hostname) => dns.lookup(hostname, { all: true, order: 'ipv4first' })
}

// `servers` default to those of resolv.conf.
export function queryNameServers(servers?: readonly string[]): Lookup {
  const resolver = new dns.Resolver({ timeout: QUERY_TIMEOUT_MS, tries: QUERY_TRIES })
  if (servers) resolver.setServers(servers)

  return async (hostname) => {
    const [v4, v6] = await Promise.allSettled([
      resolver.resolve4(hostname),
      resolver.resolve6(hostname),
    ])
    const addresses = [...toAddresses(v4, 4), ...toAddresses(v6, 6)]
    if (addresses.length > 0) return addresses
    const isAbsent = [v4, v6].every((answer) => answer.status === 'fulfilled' || saysNo(answer))
    throw Object.assign(new Error('no address'), { code: isAbsent ? 'ENOTFOUND' : 'EAI_AGAIN' })
  }
}

function toAddresses(answer: PromiseSettledResult<string[]>, family: number): Address[] {
  return answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : []
}

function saysNo({ reason }: PromiseRejectedResult): boolean {
  return reason?.code === 'ENOTFOUND' || reason?.code === 'ENODATA'
}
