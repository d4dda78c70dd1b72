// Providus Bank. It signs with a constant, the SHA-512 of ClientId:ClientSecret: no body, no time.
// So live mode demands an address allow-list or mutual TLS beside it (needsKnownSource).

import { createHash } from 'node:crypto'
import type { Connector } from '#banks/connector.ts'
import { nameEnquiry } from '#banks/manilla/name-enquiry.ts'
import { isSecretEqual, onlyFormat, singleHeader } from '#banks/notifications.ts'
import { providusCalls } from './calls.ts'
import { providusFormat } from './notifications.ts'

export const providusConnector: Connector = {
  name: 'providus',
  needsKnownSource: true,
  connect(settings, { mode }) {
    const clientId = settings.requireText('clientId')
    const clientSecret = settings.requireSecret('clientSecret')
    const signature = createHash('sha512').update(`${clientId}:${clientSecret}`).digest('hex')
    const calls = providusCalls(settings, { mode, clientId, signature })
    return {
      authenticate: ({ headers }) => {
        const header = singleHeader(headers['x-auth-signature']) ?? ''
        return isSecretEqual(header.toLowerCase(), signature) ? 'ok' : 'invalid_signature'
      },
      findFormat: onlyFormat(providusFormat),
      nameEnquiry,
      calls,
      reserves: { kinds: ['static'] },
    }
  },
}
