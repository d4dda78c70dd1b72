// Monnify, an aggregator. It signs the raw body with the client secret, and issues the numbers
// itself (reserved accounts).

import { createHmac } from 'node:crypto'
import type { Connector } from '#banks/connector.ts'
import { nameEnquiry } from '#banks/manilla/name-enquiry.ts'
import { isSecretEqual, onlyFormat, singleHeader } from '#banks/notifications.ts'
import { monnifyCalls } from './calls.ts'
import { monnifyFormat } from './notifications.ts'

export const monnifyConnector: Connector = {
  name: 'monnify',
  needsKnownSource: false,
  payoutScope: 'walletAccountNumber',
  connect(settings, { mode }) {
    const clientSecret = settings.requireSecret('clientSecret')
    const calls = monnifyCalls(settings, { mode, clientSecret })
    return {
      authenticate: ({ headers, rawBody }) => {
        const signature = singleHeader(headers['monnify-signature']) ?? ''
        const expected = createHmac('sha512', clientSecret).update(rawBody).digest('hex')
        return isSecretEqual(signature.toLowerCase(), expected) ? 'ok' : 'invalid_signature'
      },
      findFormat: onlyFormat(monnifyFormat),
      nameEnquiry,
      calls,
      findsBy: ['bank_reference'],
      reserves: { kinds: ['static'], needsCustomer: true },
    }
  },
}
