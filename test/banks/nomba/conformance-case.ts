// Nomba in the conformance suite, with the signature key of its published example.

import { kobo } from '#money.ts'
import { type ConnectorCase, charged, hmac, reference } from '../connector-case.ts'

export const NOMBA: ConnectorCase = {
  connector: 'nomba',
  label: 'nomba',
  settings: {},
  secrets: { signatureKey: 'HkatexKDZg7CLWy96q5sfrVHSvtoz92B' },
  contentType: 'application/json',
  signs: ({ body, now, secret }) => {
    const timestamp = now.toISOString().replace(/\.\d+Z$/, 'Z')
    const { event_type, requestId, data } = JSON.parse(String(body))
    const { transactionId, type, time, responseCode } = data.transaction
    const { userId, walletId } = data.merchant
    const ids = [event_type, requestId, userId, walletId, transactionId, type]
    const text = [...ids, time, responseCode, timestamp].join(':')
    return {
      'nomba-signature': hmac('sha256', secret, text).digest('base64'),
      'nomba-timestamp': timestamp,
    }
  },
  secret: 'HkatexKDZg7CLWy96q5sfrVHSvtoz92B',
  signatureHeader: 'nomba-signature',
  signsFields: [
    'event_type',
    'requestId',
    'data.merchant.userId',
    'data.merchant.walletId',
    'data.transaction.transactionId',
    'data.transaction.type',
    'data.transaction.time',
    'data.transaction.responseCode',
  ],
  signedPart: ['API-VACT_TRA-B7B10-0435', 'API-VACT_TRA-B7B10-0436'],
  samples: [
    {
      file: 'virtual-account.json',
      expected: {
        sessionId: 'IFAP-TRANSFER-46501-e0339485-1a2f-4b43-9bd5-fec9649e5928',
        otherIdentifiers: [reference('API-VACT_TRA-B7B10-0435b274-807a-4bc7-8abe-9dbb4548fd7a')],
        accountNumber: '5343270516',
        amountKobo: kobo(1_000n),
        ...charged(500n),
      },
      taken: { code: '00' },
      again: { code: '01' },
    },
  ],
}
