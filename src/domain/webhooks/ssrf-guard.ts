// Keeps webhooks out of our own network (SSRF). Checks a target when it is set and again at every
// connect, on the actual address, because a name may have changed its address since.
//
// A connect checks three things: a literal address (which is never looked up), every address of a name
// (one forbidden address refuses the name), and the socket's remote address.

import { isIP, type LookupFunction } from 'node:net'
import { Agent, buildConnector } from 'undici'
import { isAllowedAddress, type Mode } from './allowed-addresses.ts'
import { type Lookup, lookupFor } from './dns-lookup.ts'

export const URL_LENGTH_MAX = 2_048

const CONNECT_TIMEOUT_MS = 10_000
// Node's default is 250 ms, less than a round trip to Lagos on a bad day. Node then drops the address and
// tries the next.
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

// Returns the problem as a sentence, or null. URL has already normalised every spelling of an IPv4
// address (decimal, octal, hexadecimal, short).
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

// Does not limit connections per origin: endpoints of many clients may share an origin, and one that
// hangs would block the others. The sender limits each endpoint.
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

function guardLookup(lookup: Lookup, mode: Mode): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname).then(
      (addresses) => {
        const first = addresses[0]
        if (!first) callback(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), [])
        else if (!addresses.every(({ address }) => isAllowedAddress(address, mode))) {
          callback(new ForbiddenTarget(NOT_ALLOWED), [])
        } else if (options.all) callback(null, addresses)
        else callback(null, first.address, first.family)
      },
      (error) => callback(error, []),
    )
  }
}

function dialProblem({ hostname, protocol }: buildConnector.Options, mode: Mode): string | null {
  if (mode === 'live' && protocol !== 'https:') return 'plain http is not allowed'
  const host = withoutBrackets(hostname)
  return isIP(host) && !isAllowedAddress(host, mode) ? NOT_ALLOWED : null
}

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

function withoutBrackets(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
}
