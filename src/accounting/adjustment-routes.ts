// /api/v1/operator/adjustments: adjustments of what clients and banks owe us, and of withheld tax, under
// maker-checker.

import { type Static, Type } from '@fastify/type-provider-typebox'
import { findClient } from '#access/permissions.ts'
import {
  approvalFields,
  checkerOf,
  DecidedFields,
  ofPeople,
  operationsOf,
  RequestedFields,
  RequestReason,
  referenceOf,
  viewerOf,
} from '#approvals/views.ts'
import { REQUEST_STATES } from '#approvals/workflow.ts'
import type { Transaction } from '#db/transaction.ts'
import { invalidField, Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { choice } from '#http/lists.ts'
import { referenceKey } from '#http/path-keys.ts'
import { resource } from '#http/resource.ts'
import { Amount, chosen, digits, namedBody, text } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { CURRENCY, type Kobo, koboOf } from '#money.ts'
import {
  ADJUSTMENT_KINDS,
  type Adjustment,
  type Debt,
  OWED,
  requestAdjustment,
  adjustments as workflow,
} from './adjustments.ts'
import { isTaxKind } from './vat-documents.ts'

const AdjustmentRequest = namedBody('AdjustmentRequest', {
  kind: chosen(
    ADJUSTMENT_KINDS,
    'recovery: it was paid back. write_off: it will not be. reserve_use: reserves of the client pay ' +
      'it. provision: it is doubtful; provision_release: no longer. withholding: the client withheld ' +
      'tax from fees; withholding_reversal: that was booked wrongly, or the fees were given back; ' +
      'not_withheld: the client does not withhold it. wht_credit_note: its credit note was received; ' +
      'wht_credit_note_reversal: that was booked wrongly. wht_write_off: it will never come.',
  ),
  of: chosen(
    OWED,
    'receivable: owed by a client. shortfall: owed by a bank. withholding: tax withheld by a client.',
  ),
  clientId: Type.Optional(text(64, 'Who owes a receivable.')),
  bankCode: Type.Optional(
    digits('^[0-9]{3,6}$', 'Which bank owes a shortfall.', 'Must be a bank code.'),
  ),
  amount: Amount,
  reason: RequestReason,
  document: Type.Optional(
    text(
      64,
      'Of withheld tax: the VAT invoice, e.g. INV000012, or for wht_credit_note and its reversal the ' +
        'credit note that was received.',
    ),
  ),
})

const AdjustmentView = view('Adjustment', (f: Fields<Adjustment>) => ({
  reference: f.text('reference', 'ADJ and digits.'),
  kind: f.text('kind', `One of ${ADJUSTMENT_KINDS.join(', ')}.`),
  of: f.text('of', 'receivable, shortfall or withholding.'),
  clientId: f.textOrNull('clientName'),
  bankCode: f.textOrNull('bankCode'),
  amount: f.naira('amountKobo'),
  currency: f.text('currency'),
  reason: f.text('reason', 'Reason given by the requester.'),
  document: f.textOrNull('document', 'The VAT invoice, or the credit note that was received.'),
  state: f.text('state', `One of ${REQUEST_STATES.join(', ')}.`),
  ...RequestedFields,
  ...approvalFields('open'),
  ...DecidedFields,
}))

const { listRequests, approving, rejecting, withdrawing } = operationsOf(workflow, referenceOf)

export const adjustments = resource('/api/v1/operator/adjustments', {
  tag: 'Operator',
  noun: 'adjustment',
  view: AdjustmentView,
  scopes: { read: 'accounting:read', write: 'accounting:write' },
  params: { reference: referenceKey('ADJ', 'adjustment_not_found') },
})
  .list('listAdjustments', {
    exportAs: 'exportAdjustments',
    summary: 'List adjustments, newest first',
    description:
      'Recoveries and write-offs of what clients and banks owe, with who asked and who ' +
      'decided.',
    filters: { state: choice(REQUEST_STATES, 'Filter by state.') },
    rows: (db, call) => listRequests(db, call, [['r.state = $', call.query.state]]),
  })
  .get('getAdjustment', {
    summary: 'Retrieve an adjustment',
    description: 'What it recovers or writes off, who asked for it and who decided.',
    errors: ['adjustment_not_found'],
    run: (db, call) => workflow.get(db, viewerOf(call), call.params.reference),
  })
  .create('requestAdjustment', {
    ...ofPeople,
    summary: 'Request an adjustment of a debt',
    description:
      'No money moves until another user approves. A recovery of a receivable is taken from ' +
      'what is available to the client; of a shortfall, the bank has paid it.',
    pool: 'batchPool',
    body: AdjustmentRequest,
    errors: [
      'adjustment_too_large',
      'client_not_found',
      'document_recorded',
      'vat_invoice_not_found',
    ],
    message: 'Adjustment requested successfully',
    run: async (tx, call) => {
      const { kind, amount, reason } = call.body
      const document = requireDocument(call.body)
      const debt = await findDebt(tx, call, call.body)
      const amountKobo = koboOf(amount) as Kobo // The schema ensures a valid amount.
      const values = { kind, debt, amountKobo, currency: CURRENCY, reason, document }
      return requestAdjustment(tx, checkerOf(call), values)
    },
  })
  .act('approveAdjustment', {
    ...approving,
    path: '/:reference/approve',
    summary: 'Approve an adjustment',
    description: 'Posts it. Only by a user who did not ask for it and is independent of who did.',
    pool: 'batchPool',
    errors: [
      'adjustment_not_found',
      'adjustment_too_large',
      'approver_gave_access',
      'approver_not_independent',
      'approver_too_new',
      'maker_counts_as_you',
      'insufficient_balance',
      'other_person_needed',
      'request_changed',
      'request_decided',
    ],
    message: 'Adjustment approved successfully',
  })
  .act('rejectAdjustment', {
    ...rejecting,
    path: '/:reference/reject',
    summary: 'Reject an adjustment',
    description: 'Nothing is posted. The requester sees the reason.',
    errors: ['adjustment_not_found', 'other_person_needed', 'request_decided'],
    message: 'Adjustment rejected',
  })
  .act('withdrawAdjustment', {
    ...withdrawing,
    path: '/:reference/withdraw',
    summary: 'Withdraw your adjustment',
    description: 'Only by the user who asked for it, before it is decided.',
    errors: ['adjustment_not_found', 'own_request_only', 'request_decided'],
    message: 'Adjustment withdrawn',
  })

// Finds the debtor that the body names: a bank for a shortfall, otherwise a client. Refuses a body that names
// the other one, or both.
async function findDebt(
  tx: Transaction,
  { banks }: Deps,
  { of, clientId, bankCode }: Static<typeof AdjustmentRequest>,
): Promise<Debt> {
  const [required, excluded] =
    of === 'shortfall' ? (['bankCode', 'clientId'] as const) : (['clientId', 'bankCode'] as const)
  const debtor = { clientId, bankCode }
  if (debtor[required] === undefined) throw invalidField(required, `Required for a ${of}.`)
  if (debtor[excluded] !== undefined) throw invalidField(excluded, `Not for a ${of}.`)
  if (of === 'shortfall') {
    if (!banks.some(({ code }) => code === bankCode)) throw new Refusal('bank_not_supported')
    return { of, clientId: null, bankCode: bankCode as string }
  }
  const client = await findClient(tx, clientId as string)
  if (!client) throw new Refusal('client_not_found')
  return { of, clientId: client.id, bankCode: null }
}

const KINDS_FOR_ANY_DEBT: readonly string[] = ['recovery', 'write_off']

// Returns the number of the tax document (a VAT invoice, or the client's credit note), which is required for
// withheld tax and refused otherwise. Also refuses reserve_use and provisions for a bank's debt, because
// banks have neither.
function requireDocument({ kind, of, document }: Static<typeof AdjustmentRequest>): string | null {
  if ((of === 'withholding') !== isTaxKind(kind)) throw invalidField('of', `Not for a ${kind}.`)
  if (of === 'shortfall' && !KINDS_FOR_ANY_DEBT.includes(kind))
    throw invalidField('of', `Not for a ${kind}.`)
  if ((of === 'withholding') !== (document !== undefined)) {
    throw invalidField('document', 'Required for withheld tax, and only for it.')
  }
  return document ?? null
}
