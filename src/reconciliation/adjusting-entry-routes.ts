// /api/v1/operator/reconciliation/adjusting-entries. Every entry needs maker-checker, even if the client's
// maker-checker setting is off.

import { Type } from '@fastify/type-provider-typebox'
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
import { invalidField } from '#errors.ts'
import { choice } from '#http/lists.ts'
import { referenceKey } from '#http/path-keys.ts'
import { resource } from '#http/resource.ts'
import { chosen, namedBody } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import type { DifferenceId } from '#ids.ts'
import { kobo, koboOf } from '#money.ts'
import {
  type AdjustingEntry,
  requestEntry,
  adjustingEntries as workflow,
} from './adjusting-entries.ts'
import { ADJUSTING_ACCOUNTS } from './difference.ts'
import { RECONCILIATION } from './views.ts'

const ACCOUNTS =
  'shortfall: due from bank. due_to_bank: due to bank. bank_cost: bank charges. stamp_duty: stamp ' +
  'duty. input_vat: input VAT. write_off: written off.'

const AdjustingEntryRequest = namedBody('AdjustingEntryRequest', {
  differenceId: Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'Difference, open or noted.',
    'x-says': 'Must be the id of a difference.',
  }),
  account: chosen(ADJUSTING_ACCOUNTS, `The bank’s account on the other side. ${ACCOUNTS}`),
  amount: Type.Number({
    description:
      'The amount of the difference, with its sign. Above zero: the bank’s account is debited.',
    examples: [-150.5],
    'x-says': 'Must be an amount in naira, with at most two decimals.',
  }),
  reason: RequestReason,
})

const AdjustingEntryView = view('AdjustingEntry', (f: Fields<AdjustingEntry>) => ({
  reference: f.text('reference', 'AJE and digits.'),
  differenceId: f.integer('differenceId'),
  bankCode: f.text('bankCode'),
  currency: f.text('currency'),
  day: f.text('day', 'Of the difference.'),
  kind: f.text('kind', 'Of the difference.'),
  account: f.text('account', ACCOUNTS),
  amount: f.naira('amountKobo', 'Above zero: a debit of the bank’s account.'),
  reason: f.text('reason', 'Reason given by the requester.'),
  state: f.text('state', `One of ${REQUEST_STATES.join(', ')}.`),
  ...RequestedFields,
  ...approvalFields('open'),
  ...DecidedFields,
}))

const POSTING = [
  'difference_asked',
  'difference_resolved',
  'entry_not_possible',
  'entry_not_the_difference',
  'entry_overdraws_account',
] as const

const { listRequests, approving, rejecting, withdrawing } = operationsOf(workflow, referenceOf)

export const adjustingEntries = resource(`${RECONCILIATION}/adjusting-entries`, {
  tag: 'Operator',
  noun: 'adjusting entry',
  view: AdjustingEntryView,
  scopes: { read: 'accounting:read', write: 'accounting:write' },
  params: { reference: referenceKey('AJE', 'entry_not_found') },
})
  .list('listAdjustingEntries', {
    exportAs: 'exportAdjustingEntries',
    summary: 'List adjusting entries, newest first',
    description: 'Entries that bring the books to a bank’s statement, with maker and checker.',
    filters: { state: choice(REQUEST_STATES, 'Filter by state.') },
    message: 'Adjusting entries retrieved successfully',
    rows: (db, call) => listRequests(db, call, [['r.state = $', call.query.state]]),
  })
  .get('getAdjustingEntry', {
    summary: 'Retrieve an adjusting entry',
    description: 'Its difference, account and amount, who asked for it and who decided.',
    errors: ['entry_not_found'],
    run: (db, call) => workflow.get(db, viewerOf(call), call.params.reference),
  })
  .create('requestAdjustingEntry', {
    ...ofPeople,
    summary: 'Request an adjusting entry',
    description:
      'For a difference that no booking explains, also if it was noted. Nothing is posted until ' +
      'another user approves.',
    pool: 'batchPool',
    body: AdjustingEntryRequest,
    errors: ['difference_not_found', ...POSTING],
    message: 'Adjusting entry requested successfully',
    parse: ({ body }) => requireAmount(body.amount),
    run: (tx, call) => {
      const { account, reason } = call.body
      const differenceId = BigInt(call.body.differenceId) as DifferenceId
      const entry = { differenceId, account, amountKobo: call.input, reason }
      return requestEntry(tx, checkerOf(call), entry)
    },
  })
  .act('approveAdjustingEntry', {
    ...approving,
    path: '/:reference/approve',
    summary: 'Approve an adjusting entry',
    description:
      'Posts it, today, and clears its difference. Only by a user who did not ask for it and is ' +
      'independent of who did.',
    pool: 'batchPool',
    errors: [
      'entry_not_found',
      'approver_gave_access',
      'approver_not_independent',
      'approver_too_new',
      'maker_counts_as_you',
      'other_person_needed',
      'request_changed',
      'request_decided',
      ...POSTING,
    ],
    message: 'Adjusting entry approved successfully',
  })
  .act('rejectAdjustingEntry', {
    ...rejecting,
    path: '/:reference/reject',
    summary: 'Reject an adjusting entry',
    description: 'Nothing is posted. The requester sees the reason.',
    errors: ['entry_not_found', 'other_person_needed', 'request_decided'],
    message: 'Adjusting entry rejected',
  })
  .act('withdrawAdjustingEntry', {
    ...withdrawing,
    path: '/:reference/withdraw',
    summary: 'Withdraw your adjusting entry',
    description: 'Only by the user who asked for it, before it is decided.',
    errors: ['entry_not_found', 'own_request_only', 'request_decided'],
    message: 'Adjusting entry withdrawn',
  })

// Converts naira to kobo and keeps the sign. Refuses more than two decimals.
function requireAmount(naira: number) {
  const amountKobo = koboOf(Math.abs(naira))
  if (amountKobo !== undefined) return kobo(naira < 0 ? -amountKobo : amountKobo)
  throw invalidField('amount', 'Must be an amount in naira, with at most two decimals.')
}
