// Squad in the conformance suite, in the versions of its webhooks.

import { kobo } from '#money.ts'
import {
  type ConnectorCase,
  charged,
  type Expected,
  hmac,
  reference,
  type Sample,
} from '../connector-case.ts'

const SIGNED_FIELDS = [
  'transaction_reference',
  'virtual_account_number',
  'currency',
  'principal_amount',
  'settled_amount',
  'customer_identifier',
]
const SECRET_KEY = 'user_sk_sample-secret-key-1'

const squad = (signed: 'body' | 'fields', samples: readonly Sample[]): ConnectorCase => ({
  connector: 'squad',
  label: `squad, signing the ${signed}`,
  settings: { signed },
  secrets: { secretKey: SECRET_KEY },
  contentType: 'application/json',
  signs({ body, secret }) {
    if (signed === 'body') {
      const hash = hmac('sha512', secret, body).digest('hex').toUpperCase()
      return { 'x-squad-encrypted-body': hash }
    }
    const transfer = JSON.parse(String(body))
    const text = SIGNED_FIELDS.map((field) => transfer[field]).join('|')
    return { 'x-squad-signature': hmac('sha512', secret, text).digest('hex') }
  },
  secret: SECRET_KEY,
  signatureHeader: signed === 'body' ? 'x-squad-encrypted-body' : 'x-squad-signature',
  ...(signed === 'fields' ? { signsFields: SIGNED_FIELDS } : {}),
  signedPart: signed === 'body' ? ['"0.20"', '"9.20"'] : ['"100.00"', '"900.00"'],
  samples,
})

function squadSample(file: string, sessionId: string, rest: Omit<Expected, 'sessionId'>): Sample {
  const taken = {
    response_code: 200,
    transaction_reference: sessionId,
    response_description: 'Success',
  }
  return {
    file,
    expected: { sessionId, identifiedBy: 'bank_reference', otherIdentifiers: [], ...rest },
    taken,
    again: taken,
  }
}

export const SQUAD_BODY = squad('body', [
  squadSample('version-1.json', 'REF2023022815174720339_1', {
    accountNumber: '0733848693',
    amountKobo: kobo(20n),
  }),
])

export const SQUAD_FIELDS = squad('fields', [
  squadSample('version-2.json', 'REF20250711S87136566_M01072312_0740379575', {
    otherIdentifiers: [reference('0197F8BE8075AF46')],
    accountNumber: '0740379575',
    amountKobo: kobo(10_000n),
    ...charged(20n),
  }),
  squadSample('version-3.json', '0196F220EA4148F3', {
    accountNumber: '0712714141',
    amountKobo: kobo(4_500_000n),
    ...charged(4_500n),
  }),
])
