// /api/v1/operator/rail-items: an operator lists and opens signed bank messages that could not be booked.
// Also stores such messages as rail items when a bank reports them.

import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { Type } from '@fastify/type-provider-typebox'
import type { Acknowledgement, ParsedItem } from '#banks/notifications.ts'
import { withTransaction } from '#db/transaction.ts'
import { withCaller } from '#http/caller.ts'
import type { Deps } from '#http/deps.ts'
import { rowKey } from '#http/path-keys.ts'
import { resource } from '#http/resource.ts'
import { bankCode } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import {
  listRailItems,
  type NewRailItem,
  RAIL_OUTCOMES,
  type RailItem,
  type RailOutcome,
  railItemOf,
  readRailItem,
  storeRailItems,
} from './rail-items.ts'

const RailItemView = view('RailItem', (f: Fields<RailItem>) => ({
  id: f.text(({ id }) => id.toString()),
  bankCode: f.text('bankCode', 'Bank that signed the message.'),
  call: f.text('call', 'Endpoint called: credits or reversals.'),
  outcome: f.oneOf(
    'outcome',
    RAIL_OUTCOMES,
    'awaited: a reversal whose credit is not known; the bank was told to send it again. taken: it ' +
      'was sent again and taken, or booked from a statement. rejected: a credit or reversal with an ' +
      'amount. unreadable: a body that could not be parsed.',
  ),
  reason: f.text('reason', 'Rejection code, e.g. invalid_account_number.'),
  responseCode: f.text(
    'responseCode',
    'Last response to the bank that left it here: 00 kept, 02 rejected, 03 retry.',
  ),
  sessionId: f.textOrNull('sessionId', 'As received, at most 64 characters.'),
  amount: f.textOrNull('amount', 'As received; not necessarily a number.'),
  receivedAt: f.time('receivedAt', 'When it came first.'),
  takenAt: f.timeOrNull('takenAt', 'When the reversal was taken.'),
}))

const RailItemDetailView = view('RailItemDetail', (f: Fields<RailItem & { body: string }>) => ({
  ...RailItemView.fields,
  body: f.text('body', 'The parsed item, or the raw body.'),
}))

export const railItems = resource('/api/v1/operator/rail-items', {
  tag: 'Operator',
  noun: 'rail item',
  view: RailItemView,
  scopes: { read: 'operator', write: 'operator' },
  params: { id: rowKey('rail_item_not_found') },
})
  .list('listRailItems', {
    exportAs: 'exportRailItems',
    summary: 'List rail items, newest first',
    description:
      'Signed bank messages that could not be booked. Resolve each with its bank; a corrected ' +
      'credit that the bank resends is booked normally.',
    filters: {
      outcome: Type.Optional(
        Type.Unsafe<RailOutcome>({
          type: 'string',
          enum: [...RAIL_OUTCOMES],
          'x-says': `Must be one of ${RAIL_OUTCOMES.join(', ')}.`,
        }),
      ),
      bankCode: Type.Optional(bankCode('Filter by bank.')),
    },
    rows: (db, { query: { outcome = null, bankCode = null }, after, limit }) =>
      listRailItems(db, { outcome, bankCode, beforeId: after, limit }),
  })
  .get('openRailItem', {
    summary: 'Retrieve a rail item',
    description: 'May contain payer data: every retrieval is recorded in the audit log.',
    errors: ['rail_item_not_found'],
    view: RailItemDetailView,
    run: (db, call) =>
      withCaller(call, { request: call.request, pool: db }, (tx) =>
        readRailItem(tx, call, call.params.id),
      ),
  })

// Signed items that could not be booked are stored as rail items before they are acknowledged. If storing
// fails, the acknowledgement asks the bank to retry.

// The acknowledgement of an item that we failed to commit. The bank then sends it again.
export const SYSTEM_FAILURE = {
  responseCode: '03',
  responseMessage: 'System failure: safe to retry',
  outcome: 'retry',
} as const

type Report = { bankCode: string; rawBody: Buffer }

// Stores the rejected items of a report that name money. Returns the final acknowledgements: 00 for a stored
// item, 01 for an item that was stored before. The others are unchanged.
export async function keepRejected(
  deps: Deps,
  report: Report,
  { items, answers }: { items: readonly ParsedItem[]; answers: readonly Acknowledgement[] },
): Promise<readonly Acknowledgement[]> {
  let digest: string | undefined
  // Identifies an item without a session id by its position and the digest of the report, so that the same
  // report again is recognised.
  const positionInReport = (index: number) => {
    digest ??= createHash('sha256').update(report.rawBody).digest('hex')
    return `${index} of ${digest}`
  }
  const rejectedItems = items.flatMap((item, index) => {
    const { code, outcome } = answers[index] as Acknowledgement
    if (outcome !== 'rejected') return []
    const railItem = railItemOf({
      bankCode: report.bankCode,
      item,
      code,
      identityWithoutSession: () => positionInReport(index),
    })
    return railItem ? [{ index, railItem }] : []
  })
  if (rejectedItems.length === 0) return answers
  const isNewItem = await storeItems(
    deps,
    rejectedItems.map(({ railItem }) => railItem),
  ).catch((error) => {
    deps.log.error({ err: error }, 'failed to store rejected rail items')
    return undefined
  })
  const acknowledgements = [...answers]
  for (const [place, { index, railItem }] of rejectedItems.entries()) {
    const answer = answers[index] as Acknowledgement
    if (!isNewItem) acknowledgements[index] = { sessionId: answer.sessionId, ...SYSTEM_FAILURE }
    else if (railItem.responseCode === '00')
      acknowledgements[index] = acknowledgeStored(answer, isNewItem[place] === true)
  }
  return acknowledgements
}

// Stores the items. Returns for each whether it is new.
function storeItems({ batchPool, sealer, clock }: Deps, items: readonly NewRailItem[]) {
  return withTransaction(batchPool, (tx) => storeRailItems(tx, { sealer, now: clock() }, items))
}

// Returns the acknowledgement of a stored item: accepted, so that the bank does not send it again.
function acknowledgeStored({ sessionId, responseMessage, code }: Acknowledgement, isNew: boolean) {
  const rejectionCode = code === undefined ? {} : { code }
  return isNew
    ? {
        sessionId,
        responseCode: '00' as const,
        responseMessage: `Accepted for manual review. ${responseMessage}`,
        outcome: 'kept',
        ...rejectionCode,
      }
    : {
        sessionId,
        responseCode: '01' as const,
        responseMessage: 'Duplicate: already accepted for manual review',
        outcome: 'duplicate',
        ...rejectionCode,
      }
}

// Builds the rail item that keeps a rejected reversal for an operator. The caller stores the item.
// `originals` are the ids that the reversed credit may have.
export function toReversalItem(
  bankCode: string,
  { body, originals }: KeptReversal,
  reason: string,
) {
  const { sessionId, amount } = body
  const text = JSON.stringify(body)
  const item: NewRailItem = {
    bankCode,
    call: 'reversals',
    outcome: 'rejected',
    reason,
    responseCode: '02',
    sessionId,
    amount: String(amount),
    body: text,
    identity: text,
    originals,
  }
  return item
}

type KeptReversal = {
  body: Pick<ReversalBody, 'sessionId' | 'amount'>
  originals: readonly string[]
}

export type ReversalBody = { sessionId: string; originalSessionId: string; amount: number | string }

// Stores a body that cannot be parsed, if it mentions an amount. Throws if it cannot be stored, so that the
// bank retries.
export async function keepUnreadable(
  deps: Deps,
  about: Pick<NewRailItem, 'bankCode' | 'call' | 'reason'>,
  rawBody: Buffer,
): Promise<void> {
  if (!mentionsAmount(rawBody)) return
  const body = decodeBody(rawBody)
  const common = {
    outcome: 'unreadable',
    responseCode: '02',
    sessionId: null,
    amount: null,
  } as const
  await storeItems(deps, [{ ...about, ...common, body, identity: body }])
}

// Returns whether the body mentions an amount, as JSON or XML in any encoding that keeps ASCII letters or in
// UTF-16.
function mentionsAmount(rawBody: Buffer): boolean {
  return /amount|[<:]Amt\b/i.test(rawBody.toString('latin1').replaceAll('\0', ''))
}

// Returns the body as text. A body that is not UTF-8 is stored as base64, because a text column cannot hold
// its bytes.
function decodeBody(rawBody: Buffer): string {
  return isUtf8(rawBody) ? rawBody.toString('utf8') : `base64,${rawBody.toString('base64')}`
}
