// Flutterwave (v3), an aggregator. Its notifications carry the secret hash itself and sign nothing, so each
// is only a hint (I103). Amounts are naira. It issues the numbers itself, for customers with a BVN, and names
// the account of a transfer by our reference of the reservation (tx_ref).

import type { Connector } from '#banks/connector.ts'
import { nameEnquiry } from '#banks/manilla/name-enquiry.ts'
import { isSecretEqual, onlyFormat, singleHeader } from '#banks/notifications.ts'
import { flutterwaveCalls } from './calls.ts'
import { flutterwaveFormat } from './notifications.ts'

export const flutterwaveConnector: Connector = {
  name: 'flutterwave',
  needsKnownSource: false,
  payoutScope: 'merchantId',
  connect(settings, { mode }) {
    const secretHash = settings.requireSecret('secretHash')
    const secretKey = settings.requireSecret('secretKey')
    const calls = flutterwaveCalls(settings, { mode, secretKey })
    return {
      authenticate: ({ headers }) => {
        const hash = singleHeader(headers['verif-hash']) ?? ''
        return isSecretEqual(hash, secretHash) ? 'ok' : 'invalid_signature'
      },
      hintsOnly: true,
      findFormat: onlyFormat(flutterwaveFormat),
      nameEnquiry,
      calls,
      findsBy: ['bank_reference'],
      reserves: { kinds: ['static'], needsCustomer: true },
    }
  },
}
