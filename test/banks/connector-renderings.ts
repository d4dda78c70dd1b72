// How the banks of single JSON notifications would write a credit.

import { monnifyFormat } from '#banks/monnify/notifications.ts'
import { nombaFormat } from '#banks/nomba/notifications.ts'
import type { NotificationFormat } from '#banks/notifications.ts'
import { squadFormat } from '#banks/squad/notifications.ts'
import { templateFormat } from '#banks/template/notifications.ts'
import { wemaFormat } from '#banks/wema/notifications.ts'
import { GOOD, type Rendering, type Written } from './renderings.ts'

const TIME = '2026-11-15T01:42:26.123+01:00'
const REFERENCE = 'REF-1'
const also = { otherIdentifiers: [{ kind: 'bank_reference', value: REFERENCE }] } as const

export type NestedRendering = Rendering & { amountField: string }

function rendering(
  format: NotificationFormat,
  write: (credit: Written) => object,
  rest: Partial<Rendering> & { amountField: string },
): NestedRendering {
  return {
    format,
    batches: false,
    contentType: 'application/json',
    render: ([credit = GOOD]) => JSON.stringify(write(credit)),
    nestedDeeply: `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
    more: also,
    ...rest,
  }
}

export const CONNECTOR_RENDERINGS: readonly NestedRendering[] = [
  rendering(
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
  ),
  rendering(
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
  rendering(
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
          time: TIME,
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
  rendering(
    squadFormat,
    (credit) => ({
      transaction_reference: credit.sessionId,
      virtual_account_number: credit.accountNumber,
      principal_amount: credit.amount,
      transaction_indicator: 'C',
      transaction_date: TIME,
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
  ),
  rendering(
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
      time: TIME,
    }),
    { amountField: 'amount', acknowledged: (reference) => ({ reference, received: true }) },
  ),
]
