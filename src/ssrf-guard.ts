// Keeps webhooks out of our own network (SSRF). Checks a target when it is set, and its actual address again
// at every connect, because the address of a name may have changed in the meantime.
//
// Every connect checks three things: a literal address (which is never looked up), every address of a name
// (one forbidden address refuses the name), and the socket's remote address.

import { promises as dns } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { Agent, buildConnector } from 'undici'

export type Mode = 'sandbox' | 'live'

// The IP addresses that a webhook may be sent to. All others are refused in both modes: link-local and cloud
// metadata, CGNAT, multicast, unspecified, reserved and documentation ranges, and every IPv6 form that
// contains an IPv4 address (mapped, compatible, NAT64, 6to4, Teredo).
//
//   live      public addresses
//   sandbox   public, loopback, and the private ranges of a developer's network (a container's
//             172.x, an office's 192.168.x, fc00::/7)
const ALLOWED_RANGES: Record<Mode, readonly string[]> = {
  live: ['unicast'],
  sandbox: ['unicast', 'loopback', 'private', 'uniqueLocal'],
}

// Internal addresses of clouds within the allowed ranges: the IPv6 metadata addresses of AWS and GCP (unique
// local), and Azure's host agent (an ordinary public address).
const CLOUD_INTERNALS = new Set(['fd00:ec2::254', 'fd20:ce::254', '168.63.129.16'])

const IPV6_PUBLIC = ipaddr.parseCIDR('2000::/3')

// Whether the mode allows a connection to this IP address.
export function isAllowedAddress(text: string, mode: Mode): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.parse(text)
  if (CLOUD_INTERNALS.has(address.toString())) return false
  const range = address.range()
  if (!ALLOWED_RANGES[mode].includes(range)) return false
  // ipaddr.js calls every range it does not know `unicast`, including the IPv4-compatible ::7f00:1.
  return range !== 'unicast' || address.kind() === 'ipv4' || address.match(IPV6_PUBLIC)
}

const QUERY_TIMEOUT_MS = 2_000
const QUERY_TRIES = 2

export type Address = { address: string; family: number }
export type Lookup = (hostname: string) => Promise<Address[]>

// Resolves names by name servers in live mode, and by the system's resolver in the sandbox.
export function lookupFor(mode: Mode): Lookup {
  return mode === 'live'
    ? queryNameServers()
    : (hostname) => dns.lookup(hostname, { all: true, order: 'ipv4first' })
}

// Resolves host names in live mode, by querying name servers directly (c-ares). The system resolver shares
// four threads with password hashing and files, so four names with a dead name server would block every other
// delivery. (The sandbox uses the system resolver, because a developer's names are in the hosts file.)
// `servers` defaults to the servers of resolv.conf.
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
    const isAbsent = [v4, v6].every(
      (answer) => answer.status === 'fulfilled' || isNoSuchName(answer),
    )
    throw Object.assign(new Error('no address'), { code: isAbsent ? 'ENOTFOUND' : 'EAI_AGAIN' })
  }
}

function toAddresses(answer: PromiseSettledResult<string[]>, family: number): Address[] {
  return answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family })) : []
}

// ENODATA: the name exists, but has no address of this family.
function isNoSuchName({ reason }: PromiseRejectedResult): boolean {
  return reason?.code === 'ENOTFOUND' || reason?.code === 'ENODATA'
}

export const URL_LENGTH_MAX = 2_048

const CONNECT_TIMEOUT_MS = 10_000
// After this time without a connection, Node tries the next address. Node's default is 250 ms, less than a
// round trip to Lagos on a bad day.
const NEXT_ADDRESS_AFTER_MS = 2_000
const ANSWER_HEADERS_BYTES_MAX = 16_384
// Lower ports belong to other protocols (SSH, SMTP…), not to webhook receivers.
const LIVE_PORT_MIN = 1_024

const LOCAL_NAMES = ['localhost', 'localdomain', 'local', 'internal', 'lan', 'home.arpa']
const METADATA_NAME = 'metadata.google.internal'
const NOT_ALLOWED = 'the target address is not allowed'

export class ForbiddenTarget extends Error {
  readonly code = 'TARGET_FORBIDDEN'
}

// Checks the URL of a target. Returns the problem as a sentence, or null if there is none. URL.parse
// normalises every spelling of an IPv4 address (decimal, octal, hexadecimal, short).
export function checkTargetUrl(text: string, { mode }: { mode: Mode }): string | null {
  if (text.length > URL_LENGTH_MAX) return `Must be at most ${URL_LENGTH_MAX} characters.`
  if (/[\x00-\x20\x7f\\]/.test(text)) return 'Must not contain spaces or backslashes.'
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null
  if (!url) return 'Must be an absolute http or https address.'
  if (mode === 'live' && url.protocol !== 'https:') return 'Must start with https://.'
  if (url.username || url.password) return 'Must not contain a user name or password.'
  if (text.includes('#')) return 'Must not contain a fragment (#): it is never sent.'
  if (mode === 'live' && url.port !== '' && Number(url.port) < LIVE_PORT_MIN) {
    return `Must use port 443, or one from ${LIVE_PORT_MIN} up.`
  }
  return hostProblem(withoutBrackets(url.hostname), mode)
}

type GuardedAgentOptions = { mode: Mode; lookup?: Lookup }

// Creates the HTTP agent that checks every connect. It does not limit connections per origin, because
// endpoints of many clients may share an origin, and one that hangs would block the others. The delivery
// worker limits each endpoint.
export function createGuardedAgent({ mode, lookup = lookupFor(mode) }: GuardedAgentOptions): Agent {
  const connect = buildConnector({
    allowH2: false,
    timeout: CONNECT_TIMEOUT_MS,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
    lookup: guardLookup(lookup, mode),
  } as buildConnector.BuildOptions)
  return new Agent({
    connect: guardConnector(connect, mode),
    allowH2: false,
    maxHeaderSize: ANSWER_HEADERS_BYTES_MAX,
  })
}

// Refuses a forbidden literal address before the connect, and a forbidden remote address after it.
export function guardConnector(
  connect: buildConnector.connector,
  mode: Mode,
): buildConnector.connector {
  return (options, callback) => {
    const problem = dialProblem(options, mode)
    if (problem) {
      queueMicrotask(() => callback(new ForbiddenTarget(problem), null))
      return
    }
    connect(options, (error, socket) => {
      if (error) return callback(error, null)
      const address = socket.remoteAddress
      if (address !== undefined && isAllowedAddress(address, mode)) return callback(null, socket)
      socket.destroy()
      // A socket without an address was already closed by the receiver.
      const closed = Object.assign(new Error('closed'), { code: 'ECONNRESET' })
      callback(address === undefined ? closed : new ForbiddenTarget(NOT_ALLOWED), null)
    })
  }
}

// Refuses a name if any of its addresses is forbidden.
function guardLookup(lookup: Lookup, mode: Mode): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname).then(
      (addresses) => {
        const firstAddress = addresses[0]
        if (!firstAddress)
          callback(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), [])
        else if (!addresses.every(({ address }) => isAllowedAddress(address, mode))) {
          callback(new ForbiddenTarget(NOT_ALLOWED), [])
        } else if (options.all) callback(null, addresses)
        else callback(null, firstAddress.address, firstAddress.family)
      },
      (error) => callback(error, []),
    )
  }
}

// Checks the target of a connect. A literal address is never looked up, so guardLookup does not see it.
function dialProblem({ hostname, protocol }: buildConnector.Options, mode: Mode): string | null {
  if (mode === 'live' && protocol !== 'https:') return 'plain http is not allowed'
  const host = withoutBrackets(hostname)
  return isIP(host) && !isAllowedAddress(host, mode) ? NOT_ALLOWED : null
}

// Checks the host of a target when it is set. The addresses of a name are checked at every connect.
function hostProblem(host: string, mode: Mode): string | null {
  if (isIP(host)) {
    return isAllowedAddress(host, mode) ? null : 'Must not be a private or reserved address.'
  }
  const name = host.replace(/\.$/, '')
  const isLocal =
    !name.includes('.') || LOCAL_NAMES.some((local) => `.${name}`.endsWith(`.${local}`))
  if (name === METADATA_NAME || (mode === 'live' && isLocal)) {
    return 'Must be a name that is reachable from the internet.'
  }
  return null
}

const EXAMPLE_HOST = /(?:^|\.)(?:example(?:\.(?:com|net|org))?|invalid)\.?$/

// Whether RFC 2606 or RFC 6761 reserves the host for documentation, so that it never receives a webhook.
// Excludes `.test` and `.localhost`, which developers map to their own machine.
export function isExampleAddress(text: string): boolean {
  return EXAMPLE_HOST.test(URL.parse(text)?.hostname ?? '')
}

function withoutBrackets(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
}
