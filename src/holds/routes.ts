// /api/v1/operator/holds: stop money of a client, and release or forfeit it with a second person.

import { type Static, Type } from '@fastify/type-provider-typebox'
import { type Client, findClient } from '#access/permissions.ts'
import {
  approvalFields,
  checkerOf,
  DecidedFields,
  ofPeople,
  operationsOf,
  RequestedFields,
  RequestReason,
} from '#approvals/views.ts'
import { REQUEST_STATES } from '#approvals/workflow.ts'
import { parseBankTime } from '#clock.ts'
import { getCredit } from '#credits/queries.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { choice } from '#http/lists.ts'
import { referenceKey } from '#http/path-keys.ts'
import { resource } from '#http/resource.ts'
import { Amount, chosen, digits, namedBody, strictObject, text } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import type { AccountId } from '#ids.ts'
import { type Kobo, koboOf } from '#money.ts'
import type { Sealer } from '#seal.ts'
import { findHoldRequestId, type HoldRequest, requestEnd, holdRequests as workflow } from './end.ts'
import {
  getHold,
  HELD_CLIENT,
  type Hold,
  listHolds,
  placeHold,
  TARGETS,
  type Target,
} from './hold.ts'
import { placePersonHold } from './person.ts'
import { HOLD_STATES } from './states.ts'

const BVN_SAYS = 'Must be 11 digits.'
const TIME_SAYS = 'Must be an ISO 8601 time in the future.'

const HoldBody = namedBody('HoldRequest', {
  target: chosen(
    TARGETS,
    'What is held: a credit, an account, a merchantCode, all of a client, or a person’s accounts at ' +
      'all clients.',
  ),
  clientId: Type.Optional(text(64, 'Whose money is held. Required, except for a person.')),
  bvn: Type.Optional(digits('^[0-9]{11}$', 'BVN of the person. Only for a person.', BVN_SAYS)),
  sessionId: Type.Optional(text(64, 'The credit, by any of its identifiers. Only for a credit.')),
  accountNumber: Type.Optional(text(10, 'Any number of the account. Only for an account.')),
  merchantCode: Type.Optional(text(64, 'Only for a merchant.')),
  amount: Type.Optional(Amount),
  reason: RequestReason,
  case: Type.Optional(
    text(64, 'The case behind it, which must be open; or any reference of your own.'),
  ),
  deadline: Type.Optional(
    Type.String({
      maxLength: 64,
      description:
        'Decide by then (ISO 8601). Operators get alerts; nothing is released by itself.',
      'x-says': TIME_SAYS,
    }),
  ),
})

const HoldView = view('Hold', (f: Fields<Hold>) => ({
  reference: f.text('reference', 'HLD and digits.'),
  clientId: f.textOrNull('clientName', 'Null for a person, who is held at all clients.'),
  target: f.oneOf('target', TARGETS, 'What is held.'),
  sessionId: f.textOrNull('sessionId', 'Of the credit.'),
  accountNumber: f.textOrNull('accountNumber', 'Of the account.'),
  merchantCode: f.textOrNull('merchantCode'),
  bvnMasked: f.textOrNull(
    'bvnMasked',
    'Of the person, also on the holds of the person’s accounts.',
  ),
  person: f.textOrNull('personReference', 'The hold on the person that this one belongs to.'),
  accounts: f.integerOrNull('accounts', 'How many accounts of the person are held.'),
  amount: f.nairaOrNull('amountKobo', 'What is to be held. Null: all, also what arrives later.'),
  heldAmount: f.naira('heldKobo', 'What is held now; of a person, on all accounts.'),
  forfeitedAmount: f.naira('forfeitedKobo'),
  currency: f.text('currency'),
  reason: f.text('reason'),
  case: f.textOrNull('caseReference'),
  deadline: f.timeOrNull('deadlineAt'),
  state: f.oneOf('state', HOLD_STATES, 'active, released or forfeited.'),
  placedBy: f.text('placedBy'),
  placedAt: f.time('placedAt'),
  endedAt: f.timeOrNull('endedAt'),
}))

const HoldRequestView = view('HoldEnding', (f: Fields<HoldRequest>) => ({
  id: f.integer('id'),
  hold: f.text('reference', 'The reference of the hold.'),
  clientId: f.textOrNull('clientName', 'Null for a person.'),
  kind: f.text('kind', 'release or forfeiture.'),
  amount: f.nairaOrNull('amountKobo', 'What is forfeited. Null: all that is held.'),
  reason: f.text('reason'),
  state: f.text('state', `One of ${REQUEST_STATES.join(', ')}.`),
  ...RequestedFields,
  ...approvalFields('open'),
  ...DecidedFields,
}))

const NamedRequest = Type.Optional(
  Type.Integer({ minimum: 1, description: 'The id of the request. Default: the newest.' }),
)

const OF_OPERATOR = {
  tag: 'Operator',
  scopes: { read: 'operator', write: 'operator' },
  params: { reference: referenceKey('HLD', 'hold_not_found') },
} as const

export const holds = resource('/api/v1/operator/holds', {
  ...OF_OPERATOR,
  noun: 'hold',
  view: HoldView,
})
  .list('listHolds', {
    exportAs: 'exportHolds',
    summary: 'List holds, newest first',
    description: 'Money that operators stopped, of all clients.',
    filters: {
      state: choice(HOLD_STATES, 'Filter by state.'),
      clientId: Type.Optional(text(64, 'Filter by client.')),
      case: Type.Optional(text(64, 'Filter by case.')),
      sessionId: Type.Optional(text(64, 'Filter by credit.')),
      accountNumber: Type.Optional(text(10, 'Filter by account.')),
      person: Type.Optional(text(18, 'Filter by the hold on a person: those of its accounts.')),
    },
    rows: (db, { query, after: beforeId, limit }) => {
      const where = [
        ['h.state = $', query.state],
        [`${HELD_CLIENT} = $`, query.clientId],
        ['h.case_reference = $', query.case],
        ['c.session_id = $', query.sessionId],
        ['a.account_number = $', query.accountNumber],
        ['p.reference = $', query.person],
      ] as const
      return listHolds(db, { where, beforeId, limit })
    },
  })
  .get('getHold', {
    summary: 'Retrieve a hold',
    description: 'What it is to hold, what it holds now, and why.',
    errors: ['hold_not_found'],
    run: (db, { params }) => getHold(db, params.reference),
  })
  .create('placeHold', {
    summary: 'Hold money of a client',
    description:
      'Takes effect at once: what is there moves to a ledger account that nothing draws from, and ' +
      'what arrives later follows until the amount is reached. Without amount all is held; of a ' +
      'credit, all that the bank has not taken back. Money that has left, and payouts and ' +
      'settlements that were made before, are not held: cancel those that are not sent yet. A person is ' +
      'matched by BVN: each account of the person, at every client, gets a hold of its own, and so does ' +
      'each that is opened later.',
    body: HoldBody,
    errors: [
      'account_not_found',
      'case_closed',
      'case_not_found',
      'client_not_found',
      'credit_not_found',
      'hold_too_large',
    ],
    message: 'Hold placed successfully',
    pool: 'batchPool',
    parse: ({ body, now }) => parseHold(body, now),
    run: async (tx, call) => {
      const { body, input, clientId, actor, now, sharedAccounts } = call
      if (input.bvn !== null) {
        return placePersonHold(tx, call, { ...input, bvn: input.bvn, reason: body.reason })
      }
      const client = await findClient(tx, input.clientName)
      if (!client) throw new Refusal('client_not_found')
      const target = await findTarget(tx, call, client)
      const { reason } = body
      const { amountKobo, deadlineAt, caseReference } = input
      const terms = { amountKobo, deadlineAt, caseReference, target, reason }
      const hold = { ...terms, clientId: client.id, clientName: client.clientId }
      return placeHold(tx, { clientId, actor, now, sharedAccounts }, hold)
    },
  })

const { listRequests, approving, rejecting, withdrawing } = operationsOf(workflow, findRequest)

export const holdRequests = resource('/api/v1/operator/holds', {
  ...OF_OPERATOR,
  noun: 'request',
  view: HoldRequestView,
})
  .list('listHoldRequests', {
    path: '/requests',
    name: 'hold-requests',
    summary: 'List requests to release or forfeit, newest first',
    description: 'With who asked and who decided.',
    filters: {
      state: choice(REQUEST_STATES, 'Filter by state.'),
      hold: Type.Optional(text(18, 'Filter by the reference of the hold.')),
    },
    rows: (db, call) => {
      const { query } = call
      const where = [
        ['r.state = $', query.state],
        ['h.reference = $', query.hold],
      ] as const
      return listRequests(db, call, where)
    },
  })
  .act('releaseHold', {
    ...ofPeople,
    path: '/:reference/release',
    summary: 'Request the release of a hold',
    description: 'No money moves until another user approves. Then it is back where it came from.',
    body: strictObject({ reason: RequestReason }),
    errors: ['hold_ended', 'hold_not_found', 'hold_of_person', 'hold_request_open'],
    message: 'Release requested successfully',
    run: async (tx, call) => {
      const hold = await getHold(tx, call.params.reference)
      const { reason } = call.body
      return requestEnd(tx, checkerOf(call), { hold, kind: 'release', amountKobo: null, reason })
    },
  })
  .act('forfeitHold', {
    ...ofPeople,
    path: '/:reference/forfeit',
    summary: 'Request the forfeiture of held money',
    description:
      'No money moves until another user approves. Then the client has lost it, and you pay it on as ' +
      'the order behind it says. Without amount all that is held, which ends the hold.',
    body: strictObject({ reason: RequestReason, amount: Type.Optional(Amount) }),
    errors: [
      'hold_empty',
      'hold_ended',
      'hold_not_found',
      'hold_of_accounts',
      'hold_request_open',
      'hold_too_small',
    ],
    message: 'Forfeiture requested successfully',
    run: async (tx, call) => {
      const { reason, amount } = call.body
      const hold = await getHold(tx, call.params.reference)
      const amountKobo = amount === undefined ? null : (koboOf(amount) as Kobo)
      return requestEnd(tx, checkerOf(call), { hold, kind: 'forfeiture', amountKobo, reason })
    },
  })
  .act('approveHoldRequest', {
    ...approving,
    path: '/:reference/approve',
    summary: 'Approve the release or forfeiture of a hold',
    description:
      'Only by a user who did not ask for it and is independent of who did. If another request has ' +
      'taken the place of the one that you have read, nothing happens.',
    pool: 'batchPool',
    errors: [
      'approver_gave_access',
      'approver_not_independent',
      'approver_too_new',
      'hold_empty',
      'hold_ended',
      'hold_not_found',
      'hold_request_not_found',
      'hold_too_small',
      'maker_counts_as_you',
      'other_person_needed',
      'request_changed',
      'request_decided',
    ],
    message: 'Request approved successfully',
  })
  .act('rejectHoldRequest', {
    ...rejecting,
    path: '/:reference/reject',
    summary: 'Reject the release or forfeiture of a hold',
    description: 'The money stays held.',
    body: strictObject({ ...rejecting.body.properties, request: NamedRequest }),
    errors: ['hold_not_found', 'hold_request_not_found', 'other_person_needed', 'request_decided'],
    message: 'Request rejected successfully',
  })
  .act('withdrawHoldRequest', {
    ...withdrawing,
    path: '/:reference/withdraw',
    summary: 'Withdraw your request about a hold',
    description: 'Before it is decided. The money stays held.',
    errors: ['hold_not_found', 'hold_request_not_found', 'own_request_only', 'request_decided'],
    message: 'Request withdrawn successfully',
  })

type OfHold = { params: { reference: string }; body: { request?: number } }

// Finds the request to approve, reject or withdraw: the one that the body names, or the hold's newest. An
// approval of another request than the newest names another revision, and is refused.
async function findRequest({ params, body }: OfHold, tx: Transaction): Promise<bigint> {
  return findHoldRequestId(tx, await getHold(tx, params.reference), body.request)
}

type Body = Static<typeof HoldBody>

const FIELDS = ['clientId', 'sessionId', 'accountNumber', 'merchantCode', 'bvn'] as const
const FIELDS_OF_TARGET: Record<Body['target'], readonly (typeof FIELDS)[number][]> = {
  credit: ['clientId', 'sessionId'],
  account: ['clientId', 'accountNumber'],
  merchant: ['clientId', 'merchantCode'],
  client: ['clientId'],
  person: ['bvn'],
}

// Refuses a body without the fields that its target needs, with a field of another target, or with a deadline
// in the past. The schema cannot express these rules.
function parseHold(body: Body, now: Date) {
  const needed = FIELDS_OF_TARGET[body.target]
  const unfit = (field: string) => ({ field, message: `Does not go with ${body.target}.` })
  const errors: { field: string; message: string }[] = FIELDS.flatMap((field) => {
    const isThere = body[field] !== undefined
    if (needed.includes(field)) return isThere ? [] : [{ field, message: 'Is required.' }]
    return isThere ? [unfit(field)] : []
  })
  if (body.target === 'person' && body.amount !== undefined) errors.push(unfit('amount'))
  const deadlineAt = body.deadline === undefined ? null : parseBankTime(body.deadline)
  if (deadlineAt === undefined || (deadlineAt && deadlineAt <= now)) {
    errors.push({ field: 'deadline', message: TIME_SAYS })
  }
  if (errors.length > 0) throw new Refusal('invalid_request', errors)
  const amountKobo = body.amount === undefined ? null : (koboOf(body.amount) as Kobo)
  const { clientId: clientName = '', bvn = null, case: caseReference = null } = body
  return { clientName, bvn, amountKobo, deadlineAt: deadlineAt ?? null, caseReference }
}

// Looks up what the body asks to hold. A credit or account must belong to the client.
async function findTarget(
  db: Queryable,
  { body, sealer }: { body: Body; sealer: Sealer },
  client: Client,
): Promise<Target> {
  const { target, sessionId, accountNumber, merchantCode } = body
  if (target === 'credit') {
    const { id } = await getCredit(db, { sealer, viewer: client, by: { identifier: sessionId } })
    return { kind: target, creditId: id }
  }
  if (target === 'account') {
    return { kind: target, accountId: await findAccount(db, client, accountNumber as string) }
  }
  return target === 'merchant'
    ? { kind: target, merchantCode: merchantCode as string }
    : { kind: 'client' }
}

// Finds a collection account of the client by any of its numbers.
async function findAccount(db: Queryable, client: Client, number: string): Promise<AccountId> {
  const { rows } = await db.query<{ id: AccountId }>({
    name: 'find-held-account',
    text: `select collection_account_id as id from numbers
            where account_number = $1 and client_id = $2 and collection_account_id is not null`,
    values: [number, client.id],
  })
  if (!rows[0]) throw new Refusal('account_not_found')
  return rows[0].id
}
