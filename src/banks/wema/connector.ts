// Wema Bank (ALAT). Wema does not publish its interface. This code follows unofficial clients: compare it
// with the document that comes with a prefix.
//
// How Wema authenticates is registered with the prefix: basic, bearer or a header of its own. All are static
// tokens.

import type { Connector, RailCall } from '#banks/connector.ts'
import type { ConnectorSettings } from '#banks/connector-settings.ts'
import { isSecretEqual, onlyFormat, singleHeader } from '#banks/notifications.ts'
import { wemaCalls } from './calls.ts'
import { nameEnquiry } from './name-enquiry.ts'
import { wemaFormat } from './notifications.ts'

const SCHEMES = ['basic', 'bearer', 'header'] as const
const HEADER = /^[a-z][a-z0-9-]{0,60}$/

export const wemaConnector: Connector = {
  name: 'wema',
  needsKnownSource: true,
  connect(settings, { mode }) {
    const isAuthentic = readAuthentication(settings)
    const calls = wemaCalls(settings, mode)
    return {
      authenticate: (call) => (isAuthentic(call) ? 'ok' : 'invalid_signature'),
      findFormat: onlyFormat(wemaFormat),
      nameEnquiry,
      calls,
    }
  },
}

function readAuthentication(settings: ConnectorSettings): (call: RailCall) => boolean {
  const scheme = settings.requireChoice('authentication', SCHEMES)
  if (scheme === 'basic') {
    const pair = `${settings.requireText('username')}:${settings.requireSecret('password')}`
    return hasHeader('authorization', `Basic ${Buffer.from(pair).toString('base64')}`)
  }
  if (scheme === 'bearer') {
    return hasHeader('authorization', `Bearer ${settings.requireSecret('token')}`)
  }
  if (scheme === 'header') {
    const name = settings.requireText('headerName')
    if (name && !HEADER.test(name)) {
      settings.report('settings.headerName must be the name of a header in lower case')
    }
    return hasHeader(name, settings.requireSecret('token'))
  }
  return () => false
}

function hasHeader(name: string, value: string) {
  return ({ headers }: RailCall) => isSecretEqual(singleHeader(headers[name]) ?? '', value)
}
