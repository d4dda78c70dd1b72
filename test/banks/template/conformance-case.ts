// The connector template's case in the conformance suite. `npm run new-connector` copies it for a new bank.

import { templateFormat } from '#banks/template/notifications.ts'
import { kobo } from '#money.ts'
import { type ConnectorCase, charged, hmac, reference } from '../connector-case.ts'
import { nestedRendering, REFERENCE, WRITTEN_TIME } from '../renderings.ts'

export const TEMPLATE: ConnectorCase = {
  connector: 'template',
  label: 'template',
  settings: {},
  secrets: { signingKey: 'template-signing-key' },
  contentType: 'application/json',
  signs: ({ body, secret }) => ({
    'x-template-signature': hmac('sha256', secret, body).digest('hex'),
  }),
  secret: 'template-signing-key',
  signatureHeader: 'x-template-signature',
  signedPart: ['"1000.00"', '"9000.00"'],
  samples: [
    {
      file: 'transfer.json',
      expected: {
        sessionId: '000013261115084200000000000077',
        otherIdentifiers: [reference('EX-2026-000042')],
        accountNumber: '9931234567',
        amountKobo: kobo(100_000n),
        ...charged(1_000n, 75n),
      },
      taken: { reference: '000013261115084200000000000077', received: true },
      again: { received: true },
    },
  ],
  rendering: nestedRendering(
    templateFormat,
    (credit) => ({
      reference: REFERENCE,
      sessionId: credit.sessionId,
      direction: 'credit',
      account: credit.accountNumber,
      amount: credit.amount,
      currency: credit.currency,
      payer: {
        account: credit.sourceAccountNumber,
        name: credit.sourceAccountName,
        bank: credit.sourceBank.code,
      },
      narration: credit.narration,
      time: WRITTEN_TIME,
    }),
    { amountField: 'amount', acknowledged: (reference) => ({ reference, received: true }) },
  ),
  api: {
    settings: {},
    secrets: { apiKey: 'the-key' },
    payoutPaid: (reference) => ({ reference, state: 'paid', bankReference: 'FT1' }),
    payoutNotFound: { state: 'refused', message: 'No such payout' },
    nameRefusal: (message) => ({ state: 'refused', message }),
  },
}
