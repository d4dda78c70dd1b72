// Squad's cases in the conformance suite, one for each version of its webhooks.

import { squadFormat } from '#banks/squad/notifications.ts'
import { kobo } from '#money.ts'
import {
  type ConnectorCase,
  charged,
  type Expected,
  hmac,
  reference,
  type Sample,
} from '../connector-case.ts'
import { nestedRendering, WRITTEN_TIME } from '../renderings.ts'

const SIGNED_FIELDS = [
  'transaction_reference',
  'virtual_account_number',
  'currency',
  'principal_amount',
  'settled_amount',
  'customer_identifier',
]
const SECRET_KEY = 'sandbox_sk_sample-secret-key-1'

const RENDERING = nestedRendering(
  squadFormat,
  (credit) => ({
    transaction_reference: credit.sessionId,
    virtual_account_number: credit.accountNumber,
    principal_amount: credit.amount,
    transaction_indicator: 'C',
    transaction_date: WRITTEN_TIME,
    remarks: credit.narration,
    currency: credit.currency,
    sender_name: credit.sourceAccountName,
    meta: { freeze_transaction_ref: null },
  }),
  {
    amountField: 'principal_amount',
    lacks: ['sourceAccountNumber', 'sourceBank'],
    more: { identifiedBy: 'bank_reference', otherIdentifiers: [] },
    acknowledged: (transaction_reference) => ({ response_code: 200, transaction_reference }),
  },
)

// Returns the case of one version of the webhooks: it signs the whole body, or only some fields.
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
  rendering: RENDERING,
})

// Returns a sample with the acknowledgement that Squad expects, the same for a new credit and a known one.
function squadSample(file: string, sessionId: string, rest: Omit<Expected, 'sessionId'>): Sample {
  const accepted = {
    response_code: 200,
    transaction_reference: sessionId,
    response_description: 'Success',
  }
  return {
    file,
    expected: { sessionId, identifiedBy: 'bank_reference', otherIdentifiers: [], ...rest },
    taken: accepted,
    again: accepted,
  }
}

export const SQUAD_BODY: ConnectorCase = {
  ...squad('body', [
    squadSample('version-1.json', 'REF2023022815174720339_1', {
      accountNumber: '0733848693',
      amountKobo: kobo(20n),
    }),
  ]),
  api: {
    settings: {
      merchantId: 'SBABCKDY',
      mobileNumber: '08012345678',
      beneficiaryAccount: '4829023412',
    },
    payoutPaid: (reference) => ({
      status: 200,
      success: true,
      data: {
        transaction_reference: `SBABCKDY_${reference}`,
        response_description: 'Transaction Success',
        nip_transaction_reference: '110059260101120000000000000001',
      },
    }),
    payoutNotFound: { status: 404, success: false, message: 'Not found', data: {} },
    nameRefusal: (message) => ({ success: false, message, data: {} }),
    otherScope: { merchantId: 'SBOTHER' },
  },
}

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
