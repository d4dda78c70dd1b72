// Monnify in the conformance suite, with the secret of its published example.

import { kobo } from '#money.ts'
import { type ConnectorCase, charged, hmac, reference } from '../connector-case.ts'

export const MONNIFY: ConnectorCase = {
  connector: 'monnify',
  label: 'monnify',
  settings: {},
  secrets: { clientSecret: '91MUDL9N6U3BQRXBQ2PJ9M0PW4J22M1Y' },
  contentType: 'application/json',
  signs: ({ body, secret }) => ({
    'monnify-signature': hmac('sha512', secret, body).digest('hex'),
  }),
  secret: '91MUDL9N6U3BQRXBQ2PJ9M0PW4J22M1Y',
  signatureHeader: 'monnify-signature',
  signedPart: ['3000', '9000'],
  samples: [
    {
      file: 'reserved-account.json',
      expected: {
        sessionId: 'e6cV1smlpkwG38Cg6d5F9B2PRnIq5FqA',
        otherIdentifiers: [reference('MNFY|04|20211117112842|000170')],
        accountNumber: '6000140770',
        amountKobo: kobo(300_000n),
        ...charged(1_000n),
      },
      taken: { requestSuccessful: true, responseCode: '00' },
      again: { requestSuccessful: true, responseCode: '01' },
    },
  ],
}
