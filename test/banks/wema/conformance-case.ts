// Wema in the conformance suite, in each way that it can authenticate.

import { kobo } from '#money.ts'
import type { ConnectorCase } from '../connector-case.ts'

const wema = (
  authentication: 'basic' | 'bearer' | 'header',
  rest: Pick<ConnectorCase, 'settings' | 'secrets' | 'signs' | 'signatureHeader'>,
): ConnectorCase => ({
  connector: 'wema',
  label: `wema, by ${authentication}`,
  contentType: 'application/json',
  secret: 'wema-token-of-the-prefix',
  signedPart: null,
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
  ...rest,
  settings: { authentication, ...rest.settings },
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
  wema('bearer', {
    settings: {},
    secrets: { token: 'wema-token-of-the-prefix' },
    signs: ({ secret }) => ({ authorization: `Bearer ${secret}` }),
    signatureHeader: 'authorization',
  }),
  wema('header', {
    settings: { headerName: 'x-wema-key' },
    secrets: { token: 'wema-token-of-the-prefix' },
    signs: ({ secret }) => ({ 'x-wema-key': secret }),
    signatureHeader: 'x-wema-key',
  }),
]
