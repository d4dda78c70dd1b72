// Nomba's case in the conformance suite, with the signature key of its published example.

import { nombaFormat } from '#banks/nomba/notifications.ts'
import { kobo } from '#money.ts'
import { type ConnectorCase, charged, hmac, reference } from '../connector-case.ts'
import { nestedRendering, REFERENCE, WRITTEN_TIME } from '../renderings.ts'

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
  signsNoAmount: true,
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
  rendering: nestedRendering(
    nombaFormat,
    (credit) => ({
      event_type: 'payment_success',
      requestId: 'request-1',
      data: {
        transaction: {
          type: 'vact_transfer',
          transactionId: REFERENCE,
          sessionId: credit.sessionId,
          aliasAccountNumber: credit.accountNumber,
          transactionAmount: credit.amount,
          fee: 0,
          time: WRITTEN_TIME,
          narration: credit.narration,
        },
        customer: {
          bankCode: credit.sourceBank.code,
          senderName: credit.sourceAccountName,
          accountNumber: credit.sourceAccountNumber,
        },
      },
    }),
    {
      amountField: 'transactionAmount',
      lacks: ['currency'],
      acknowledged: (sessionId) => ({ code: '00', data: { sessionId } }),
    },
  ),
  api: {
    settings: {
      accountId: 'f666ef9b-888e-4799-85ce-acb505b28023',
      clientId: '0a1b2c3d-1111-4222-8333-444455556666',
      senderName: 'Manilla',
    },
    secrets: { clientSecret: 'the-client-secret' },
    login: {
      line: 'POST /v1/auth/token/issue',
      answer: (token) => ({ code: '00', description: 'Success', data: { access_token: token } }),
    },
    payoutPaid: (merchantTxRef) => ({
      code: '00',
      description: 'Success',
      data: { id: 'API-TRANSFER-1', status: 'SUCCESS', merchantTxRef, meta: { merchantTxRef } },
    }),
    payoutNotFound: { code: '404', description: 'Transaction not found' },
    nameRefusal: (description) => ({ code: '400', description }),
    otherScope: { accountId: 'f666ef9b-888e-4799-85ce-acb505b28024' },
  },
}
