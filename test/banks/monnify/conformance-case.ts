// Monnify's case in the conformance suite, with the secret of its published example.

import { monnifyFormat } from '#banks/monnify/notifications.ts'
import { kobo } from '#money.ts'
import { type ConnectorCase, charged, hmac, reference } from '../connector-case.ts'
import { nestedRendering, REFERENCE } from '../renderings.ts'

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
  rendering: nestedRendering(
    monnifyFormat,
    (credit) => ({
      eventType: 'SUCCESSFUL_TRANSACTION',
      eventData: {
        product: { type: 'RESERVED_ACCOUNT', reference: 'r-1' },
        transactionReference: REFERENCE,
        paidOn: '2026-11-15 01:42:26.123',
        paymentDescription: credit.narration,
        paymentSourceInformation: [
          {
            sessionId: credit.sessionId,
            accountName: credit.sourceAccountName,
            accountNumber: credit.sourceAccountNumber,
            bankCode: credit.sourceBank.code,
          },
        ],
        destinationAccountInformation: { accountNumber: credit.accountNumber },
        amountPaid: credit.amount,
        currency: credit.currency,
        paymentStatus: 'PAID',
      },
    }),
    { amountField: 'amountPaid' },
  ),
  api: {
    settings: {
      apiKey: 'MK_TEST_1',
      contractCode: '8389328412',
      emailDomain: 'customers.example.com',
      preferredBank: '035',
      walletAccountNumber: '4864192954',
    },
    asksBy: 'bank_reference',
    login: {
      line: 'POST /api/v1/auth/login',
      answer: (accessToken) => ({
        requestSuccessful: true,
        responseMessage: 'success',
        responseCode: '0',
        responseBody: { accessToken, expiresIn: 3_600 },
      }),
    },
    payoutPaid: (reference) => ({
      requestSuccessful: true,
      responseBody: { reference, status: 'SUCCESS', transactionReference: 'MFDS|1' },
    }),
    payoutNotFound: {
      requestSuccessful: false,
      responseMessage: 'No such transfer',
      responseCode: '99',
    },
    nameRefusal: (responseMessage) => ({
      requestSuccessful: false,
      responseMessage,
      responseCode: '99',
    }),
    otherScope: { walletAccountNumber: '4864192955' },
  },
}
