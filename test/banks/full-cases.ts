// Every connector with all that it can be configured with: where the bank's API is, and what its
// calls need. The address is to be replaced by that of a scripted bank.

import type { CreditIdentifier } from '#banks/notifications.ts'
import type { ConnectorCase } from './connector-case.ts'
import { ISO20022, MANILLA } from './manilla/conformance-case.ts'
import { MONNIFY } from './monnify/conformance-case.ts'
import { NOMBA } from './nomba/conformance-case.ts'
import { PROVIDUS } from './providus/conformance-case.ts'
import { SQUAD_BODY } from './squad/conformance-case.ts'
import { TEMPLATE } from './template/conformance-case.ts'
import { WEMA } from './wema/conformance-case.ts'

export type FullCase = ConnectorCase & { asksBy: CreditIdentifier['kind'] }

const full = (
  each: ConnectorCase,
  settings: Record<string, unknown>,
  secrets: Record<string, string> = {},
): FullCase => ({
  ...each,
  label: `${each.connector}, with all calls`,
  settings: { ...each.settings, baseUrl: 'http://127.0.0.1:9', ...settings },
  secrets: { ...each.secrets, ...secrets },
  asksBy: each.connector === 'monnify' ? 'bank_reference' : 'session_id',
})

const apiKey = { apiKey: 'the-key' }

export const FULL = {
  manilla: full(MANILLA, {}, apiKey),
  iso20022: full(ISO20022, {}, apiKey),
  providus: full(PROVIDUS, {}),
  wema: full(WEMA[1] as ConnectorCase, { queryPath: '/api/TransQuery' }, apiKey),
  monnify: full(MONNIFY, {
    apiKey: 'MK_TEST_1',
    contractCode: '8389328412',
    emailDomain: 'customers.example.com',
    preferredBank: '035',
    walletAccountNumber: '4864192954',
  }),
  nomba: full(
    NOMBA,
    { accountId: 'f666ef9b', clientId: 'c1', senderName: 'Manilla' },
    { clientSecret: 'the-client-secret' },
  ),
  squad: full(SQUAD_BODY, {
    merchantId: 'SBABCKDY',
    mobileNumber: '08012345678',
    beneficiaryAccount: '4829023412',
  }),
  template: full(TEMPLATE, {}, apiKey),
} as const

export const FULL_CASES: readonly FullCase[] = Object.values(FULL)
