// Where a bank's calls may come from, besides what its signature proves: listed addresses, or a
// client certificate. TLS ends at a proxy, which passes the certificate's SHA-256 fingerprint on in
// a header; it is believed only from a trusted proxy.

import { addressMatcher } from '#ip-allowlist.ts'
import type { RailCall } from './connector.ts'
import type { ConnectorSettings } from './connector-settings.ts'

const HEADER = /^[a-z][a-z0-9-]{0,60}$/
const FINGERPRINT = /^[0-9a-f]{64}$/

export type AllowedSources = (call: RailCall) => boolean

// `allow` and `mutualTls`: each that is given must be met. Undefined when neither is.
export function readAllowedSources(settings: ConnectorSettings): AllowedSources | undefined {
  const ranges = settings.findRanges('allow')
  const certificates = readCertificates(settings)
  if (!ranges && !certificates) return undefined
  const isListed = ranges ? addressMatcher(ranges) : () => true
  const isCertified = certificates ?? (() => true)
  return (call) => isListed(call.address) && isCertified(call)
}

function readCertificates(settings: ConnectorSettings): AllowedSources | undefined {
  const given = settings.findRecord('mutualTls')
  if (!given) return undefined
  const { header, fingerprints, ...others } = given
  const list = Array.isArray(fingerprints) ? fingerprints.map(plainFingerprint) : []
  const isSound =
    typeof header === 'string' &&
    HEADER.test(header) &&
    Object.keys(others).length === 0 &&
    list.length > 0 &&
    list.every((fingerprint) => FINGERPRINT.test(fingerprint))
  if (!isSound) {
    settings.report(
      'settings.mutualTls must be {"header": …, "fingerprints": […]}: the lower-case header in ' +
        'which the proxy passes the SHA-256 fingerprint, and the fingerprints that are accepted',
    )
    return undefined
  }
  return ({ headers, isProxied }) => {
    const value = headers[header]
    return isProxied() && typeof value === 'string' && list.includes(plainFingerprint(value))
  }
}

function plainFingerprint(text: unknown): string {
  return String(text).replaceAll(':', '').toLowerCase()
}
