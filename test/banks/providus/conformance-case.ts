// Providus's case in the conformance suite. Its second sample is published as the answer to a query, which
// has the fields of a notification.

import { createHash } from 'node:crypto'
import { kobo } from '#money.ts'
import { type ConnectorCase, charged, type Expected, type Sample } from '../connector-case.ts'

const CLIENT_ID = 'dGVzdF9Qcm92aWR1cw=='
const SECRET = 'providus-client-secret'

export const PROVIDUS: ConnectorCase = {
  connector: 'providus',
  label: 'providus',
  settings: { clientId: CLIENT_ID },
  secrets: {
    clientSecret: SECRET,
  },
  contentType: 'application/json',
  signs: ({ secret }) => ({
    'client-id': CLIENT_ID,
    'x-auth-signature': createHash('sha512').update(`${CLIENT_ID}:${secret}`).digest('hex'),
  }),
  secret: SECRET,
  signatureHeader: 'x-auth-signature',
  signedPart: null,
  signsNoAmount: true,
  samples: [
    providusSample('settlement.json', '000004210301180534806663649508', {
      otherIdentifiers: [{ kind: 'settlement_id', value: '202210301006807600001432' }],
      accountNumber: '9977581536',
      amountKobo: kobo(100n),
    }),
    providusSample('verified.json', '09FG240119090404935XTTGA9', {
      otherIdentifiers: [{ kind: 'settlement_id', value: '210240119000176500002' }],
      accountNumber: '9977904966',
      amountKobo: kobo(100_000n),
      ...charged(4_500n),
    }),
  ],
  api: { settings: {} },
}

// Returns a sample with the acknowledgements that Providus expects for a new credit and for a known one.
function providusSample(
  file: string,
  sessionId: string,
  rest: Omit<Expected, 'sessionId'>,
): Sample {
  const words = { requestSuccessful: true, sessionId }
  return {
    file,
    expected: { sessionId, ...rest },
    taken: { ...words, responseMessage: 'success', responseCode: '00' },
    again: { ...words, responseMessage: 'duplicate transaction', responseCode: '01' },
  }
}
