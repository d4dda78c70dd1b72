// Wema's cases in the conformance suite, one for each way in which it can authenticate.

import { wemaFormat } from '#banks/wema/notifications.ts'
import { kobo } from '#money.ts'
import type { ConnectorCase } from '../connector-case.ts'
import { nestedRendering, REFERENCE } from '../renderings.ts'

const RENDERING = nestedRendering(
  wemaFormat,
  (credit) => ({
    sessionid: credit.sessionId,
    craccount: credit.accountNumber,
    amount: credit.amount,
    originatoraccountnumber: credit.sourceAccountNumber,
    originatorname: credit.sourceAccountName,
    bankcode: credit.sourceBank.code,
    bankname: credit.sourceBank.name,
    narration: credit.narration,
    paymentreference: REFERENCE,
  }),
  {
    amountField: 'amount',
    lacks: ['currency'],
    more: {
      transactionTime: null,
      otherIdentifiers: [{ kind: 'bank_reference', value: REFERENCE, isWeak: true }],
    },
    acknowledged: (transactionreference) => ({ transactionreference, status: '00' }),
  },
)

// Returns a case of Wema with one way to authenticate. None of them signs the amount.
const wema = (
  authentication: 'basic' | 'bearer' | 'header',
  rest: Pick<ConnectorCase, 'settings' | 'secrets' | 'signs' | 'signatureHeader' | 'api'>,
): ConnectorCase => ({
  connector: 'wema',
  label: `wema, by ${authentication}`,
  contentType: 'application/json',
  secret: 'wema-token-of-the-prefix',
  signedPart: null,
  signsNoAmount: true,
  samples: [
    {
      file: 'transfer.json',
      expected: {
        sessionId: '000013261115084200000000000042',
        otherIdentifiers: [
          { kind: 'bank_reference', value: '000017261115084200000000000042', isWeak: true },
        ],
        accountNumber: '9931234567',
        amountKobo: kobo(150_000n),
      },
      taken: {
        transactionreference: '000013261115084200000000000042',
        status: '00',
        status_desc: 'success',
      },
      again: { status: '00', status_desc: 'duplicate transaction' },
    },
  ],
  rendering: RENDERING,
  ...rest,
  settings: { authentication, ...rest.settings },
})

export const BEARER = wema('bearer', {
  settings: {},
  secrets: { token: 'wema-token-of-the-prefix' },
  signs: ({ secret }) => ({ authorization: `Bearer ${secret}` }),
  signatureHeader: 'authorization',
  api: {
    settings: { queryPath: '/VirtualAccount/api/v1/Trans/TransQuery' },
    secrets: { apiKey: 'the-key' },
  },
})

export const WEMA = [
  wema('basic', {
    settings: { username: 'wema' },
    secrets: { password: 'wema-token-of-the-prefix' },
    signs: ({ secret }) => ({
      authorization: `Basic ${Buffer.from(`wema:${secret}`).toString('base64')}`,
    }),
    signatureHeader: 'authorization',
  }),
  BEARER,
  wema('header', {
    settings: { headerName: 'x-wema-key' },
    secrets: { token: 'wema-token-of-the-prefix' },
    signs: ({ secret }) => ({ 'x-wema-key': secret }),
    signatureHeader: 'x-wema-key',
  }),
]
