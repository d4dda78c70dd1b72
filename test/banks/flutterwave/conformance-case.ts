// Flutterwave's case in the conformance suite. The sample has the published fields, with values of ours. An
// event is only a hint, so the promises of a format apply to the answers from which money is booked.

import { keptRejection } from '#banks/credit-fields.ts'
import { flutterwaveFormat, readTransaction } from '#banks/flutterwave/notifications.ts'
import { objectIn } from '#banks/json-body.ts'
import { jsonNotification } from '#banks/notifications.ts'
import { kobo } from '#money.ts'
import { type ConnectorCase, charged } from '../connector-case.ts'
import { nestedRendering, WRITTEN_TIME } from '../renderings.ts'

const SECRET_HASH = 'sample-secret-hash-1'

const answerFormat = jsonNotification({
  name: 'flutterwave, answers',
  read(answer, isRepeated) {
    const data = objectIn(answer.data)
    if (isRepeated) return keptRejection('repeated_field', null, { amount: data.amount })
    return readTransaction(data, String(data.tx_ref))
  },
  answer: (acknowledgement) =>
    JSON.parse(flutterwaveFormat.acknowledge([acknowledgement], { batch: false }).body),
})

export const FLUTTERWAVE: ConnectorCase = {
  connector: 'flutterwave',
  label: 'flutterwave',
  settings: { baseUrl: 'https://127.0.0.1:9' },
  secrets: { secretHash: SECRET_HASH, secretKey: 'FLWSECK_TEST-sample-1' },
  contentType: 'application/json',
  signs: ({ secret }) => ({ 'verif-hash': secret }),
  secret: SECRET_HASH,
  signatureHeader: 'verif-hash',
  signedPart: null,
  hintsOnly: true,
  samples: [
    {
      file: 'bank-transfer.json',
      expected: {
        sessionId: '285959875',
        identifiedBy: 'bank_reference',
        accountNumber: '9930000737',
        amountKobo: kobo(100_000n),
        ...charged(1_400n),
      },
      taken: { status: 'success', code: '00', reference: '285959875' },
      again: { status: 'success', code: '00', reference: '285959875' },
    },
  ],
  rendering: nestedRendering(
    answerFormat,
    (credit) => ({
      status: 'success',
      message: 'Transaction fetched successfully',
      data: {
        id: credit.sessionId,
        tx_ref: credit.accountNumber,
        amount: credit.amount,
        currency: credit.currency,
        narration: credit.narration,
        status: 'successful',
        payment_type: 'bank_transfer',
        created_at: WRITTEN_TIME,
        meta: {
          originatoraccountnumber: credit.sourceAccountNumber,
          originatorname: credit.sourceAccountName,
          bankname: credit.sourceBank.name,
        },
      },
    }),
    {
      amountField: 'amount',
      more: { identifiedBy: 'bank_reference' },
      acknowledged: (reference) => ({ status: 'success', code: '00', reference }),
    },
  ),
  api: {
    settings: { emailDomain: 'customers.example.com', merchantId: '100032' },
    asksBy: 'bank_reference',
    payoutPaid: (reference) => ({
      status: 'success',
      message: 'Transfers fetched',
      data: [{ id: 1, status: 'SUCCESSFUL', reference }],
    }),
    payoutNotFound: { status: 'error', message: 'Transfer not found', data: null },
    nameRefusal: (message) => ({ status: 'error', message, data: null }),
    otherScope: { merchantId: '100033' },
  },
}
