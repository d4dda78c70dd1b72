// Paystack, an aggregator. It signs the raw body with the secret key, writes amounts in kobo, and issues
// the numbers itself (dedicated virtual accounts of Wema or Titan).

import { createHmac } from 'node:crypto'
import type { Connector } from '#banks/connector.ts'
import { nameEnquiry } from '#banks/manilla/name-enquiry.ts'
import { isSecretEqual, onlyFormat, singleHeader } from '#banks/notifications.ts'
import { paystackCalls } from './calls.ts'
import { paystackFormat } from './notifications.ts'

export const paystackConnector: Connector = {
  name: 'paystack',
  needsKnownSource: false,
  payoutScope: 'integration',
  connect(settings, { mode }) {
    const secretKey = settings.requireSecret('secretKey')
    const calls = paystackCalls(settings, { mode, secretKey })
    return {
      authenticate: ({ headers, rawBody }) => {
        const signature = singleHeader(headers['x-paystack-signature']) ?? ''
        const expected = createHmac('sha512', secretKey).update(rawBody).digest('hex')
        return isSecretEqual(signature.toLowerCase(), expected) ? 'ok' : 'invalid_signature'
      },
      findFormat: onlyFormat(paystackFormat),
      nameEnquiry,
      calls,
      findsBy: ['bank_reference'],
      reserves: { kinds: ['static'], needsCustomer: true },
    }
  },
}
