// Paystack's case in the conformance suite. The sample has the published fields, with values of ours.

import { paystackFormat, paystackReference } from '#banks/paystack/notifications.ts'
import { kobo } from '#money.ts'
import { type ConnectorCase, charged, hmac } from '../connector-case.ts'
import { nestedRendering, WRITTEN_TIME } from '../renderings.ts'

const SECRET_KEY = 'sk_test_sample-secret-key-1'

export const PAYSTACK: ConnectorCase = {
  connector: 'paystack',
  label: 'paystack',
  settings: {},
  secrets: { secretKey: SECRET_KEY },
  contentType: 'application/json',
  signs: ({ body, secret }) => ({
    'x-paystack-signature': hmac('sha512', secret, body).digest('hex'),
  }),
  secret: SECRET_KEY,
  signatureHeader: 'x-paystack-signature',
  signedPart: ['100000', '900000'],
  samples: [
    {
      file: 'dedicated-account.json',
      expected: {
        sessionId: 'zuz8ggd1ro',
        identifiedBy: 'bank_reference',
        accountNumber: '9930000737',
        amountKobo: kobo(100_000n),
        ...charged(1_500n),
      },
      taken: { status: true, code: '00', reference: 'zuz8ggd1ro' },
      again: { status: true, code: '01', reference: 'zuz8ggd1ro' },
    },
  ],
  rendering: nestedRendering(
    paystackFormat,
    (credit) => ({
      event: 'charge.success',
      data: {
        status: 'success',
        reference: credit.sessionId,
        amount: credit.amount,
        paid_at: WRITTEN_TIME,
        channel: 'dedicated_nuban',
        currency: credit.currency,
        authorization: {
          channel: 'dedicated_nuban',
          sender_bank: credit.sourceBank.name,
          sender_bank_account_number: credit.sourceAccountNumber,
          sender_name: credit.sourceAccountName,
          narration: credit.narration,
          receiver_bank_account_number: credit.accountNumber,
        },
      },
    }),
    {
      amountField: 'amount',
      unit: 'kobo',
      more: { identifiedBy: 'bank_reference' },
      acknowledged: (reference) => ({ status: true, code: '00', reference }),
    },
  ),
  api: {
    settings: {
      emailDomain: 'customers.example.com',
      preferredBank: 'titan-paystack',
      integration: '100032',
    },
    asksBy: 'bank_reference',
    beforeOrder: {
      line: 'POST /transferrecipient',
      status: 201,
      answer: { status: true, message: 'created', data: { recipient_code: 'RCP_1' } },
    },
    payoutPaid: (reference) => ({
      status: true,
      message: 'Transfer retrieved',
      data: { reference: paystackReference(reference), status: 'success', transfer_code: 'TRF_1' },
    }),
    payoutNotFound: { status: false, message: 'Transfer not found' },
    nameRefusal: (message) => ({ status: false, message }),
    otherScope: { integration: '100033' },
  },
}
