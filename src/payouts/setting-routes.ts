// /api/v1/payout-settings: which payouts need approval, and the limits on payouts. A client can require
// approval of more payouts. Only the operator sets limits and the reserve floor, and relaxes approval, under
// /api/v1/operator.

import { type Static, Type } from '@fastify/type-provider-typebox'
import { CLIENTS, requireClientId } from '#access/client-routes.ts'
import { getClient } from '#access/clients.ts'
import { invalidField } from '#errors.ts'
import { resource } from '#http/resource.ts'
import {
  Amount,
  chosen,
  named,
  namedBody,
  SOME_CHANGE,
  trueOrFalse,
  wholeNumber,
} from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { type Kobo, kobo, koboOf } from '#money.ts'
import {
  changePayoutSettings,
  type PayoutSettings,
  readPayoutSettings,
  tightenApproval,
} from './settings.ts'

export const PERCENT_BPS = 100
const PERCENT_SAYS = 'Must be from 0 to 100, with at most two decimals.'

export const ReservePercent = (description: string) =>
  Type.Optional(Type.Number({ minimum: 0, maximum: 100, description, 'x-says': PERCENT_SAYS }))

export const ReserveDays = (description: string) => Type.Optional(wholeNumber(0, 365, description))

type ReserveFloor = Pick<PayoutSettings, 'reserveFloorBps' | 'reserveFloorDays'>

export const ReserveFloorView = view(undefined, (f: Fields<ReserveFloor>) => ({
  reserveFloorPercent: f.decimal(
    ({ reserveFloorBps }) => reserveFloorBps / PERCENT_BPS,
    'Least reserve of settlements, set by the operator. 0: none.',
  ),
  reserveFloorDays: f.integer('reserveFloorDays', 'Least time that it is held back.'),
}))

// Parses a percentage with two decimals into basis points, as if it were naira into kobo: a float times a
// hundred is not always whole.
export function parsePercent(field: string, percent: number): number {
  const bps = koboOf(percent)
  if (bps !== undefined) return Number(bps)
  throw invalidField(field, PERCENT_SAYS)
}

// Requires both fields or neither: a reserve without a number of days is no reserve.
function parseReserveFloor(body: Static<typeof SettingsRequest>): ReserveFloor | undefined {
  const { reserveFloorPercent: percent, reserveFloorDays } = body
  if (percent === undefined && reserveFloorDays === undefined) return undefined
  const reserveFloorBps = parsePercent('reserveFloorPercent', percent ?? 0)
  const days = reserveFloorDays ?? 0
  if ((reserveFloorBps === 0) !== (days === 0)) {
    const field = reserveFloorBps === 0 ? 'reserveFloorPercent' : 'reserveFloorDays'
    throw invalidField(field, 'Set both reserveFloorPercent and reserveFloorDays, or both to 0.')
  }
  return { reserveFloorBps, reserveFloorDays: days }
}

const APPROVALS = ['none', 'above', 'all'] as const

const ApprovalFields = {
  payoutApproval: chosen(
    APPROVALS,
    'Which payouts a second user must approve: none, those above an amount, or all.',
  ),
  approvalAbove: Type.Optional(
    Type.Union([Amount, Type.Null()], {
      description: 'With payoutApproval above: larger payouts need approval.',
      'x-says': 'Must be an amount, with payoutApproval above.',
    }),
  ),
}

const TwoApproversAbove = Type.Optional(
  Type.Union([Amount, Type.Null()], {
    description:
      'Larger payouts, refunds and settlements that client credentials request take two approvers. ' +
      'Null: one is enough.',
    'x-says': 'Must be null or an amount.',
  }),
)

const STRICT =
  'Nobody approves what somebody requested whom they gave access, directly or through others ' +
  '(approver_gave_access). Holds for all that users of the client approve.'
const StrictApprovers = Type.Optional(trueOrFalse(STRICT))

const ApprovalRequest = namedBody('PayoutApprovalRequest', {
  ...ApprovalFields,
  twoApproversAbove: TwoApproversAbove,
  strictApprovers: StrictApprovers,
})

const Limit = (description: string) =>
  Type.Optional(
    Type.Union([Amount, Type.Null()], {
      description: `${description} Null: none.`,
      'x-says': 'Must be null or an amount.',
    }),
  )

const SettingsRequest = named(
  'PayoutSettingsRequest',
  {
    payoutApproval: Type.Optional(ApprovalFields.payoutApproval),
    approvalAbove: ApprovalFields.approvalAbove,
    twoApproversAbove: TwoApproversAbove,
    perPayoutLimit: Limit('Largest payout.'),
    dailyLimit: Limit('Most that may be paid out in a day (West Africa Time).'),
    reserveFloorPercent: ReservePercent('Least reserve of settlements. 0: none.'),
    reserveFloorDays: ReserveDays('Least time that it is held back.'),
    strictApprovers: StrictApprovers,
  },
  SOME_CHANGE,
)

// A threshold of 0 means that all payouts need approval.
const isPositive = (limitKobo: Kobo | null) => limitKobo !== null && limitKobo > 0n

const SettingsView = view('PayoutSettings', (f: Fields<PayoutSettings>) => ({
  payoutApproval: f.text(
    ({ approvalAboveKobo: aboveKobo }) =>
      aboveKobo === null ? 'none' : isPositive(aboveKobo) ? 'above' : 'all',
    `One of ${APPROVALS.join(', ')}.`,
  ),
  approvalAbove: f.nairaOrNull(({ approvalAboveKobo }) =>
    isPositive(approvalAboveKobo) ? approvalAboveKobo : null,
  ),
  twoApproversAbove: f.nairaOrNull(
    'twoApproversAboveKobo',
    'Requests of client credentials above it take two approvers. Null: none do.',
  ),
  perPayoutLimit: f.nairaOrNull('perPayoutKobo', 'Null: no limit.'),
  dailyLimit: f.nairaOrNull('perDayKobo', 'Null: no limit.'),
  ...ReserveFloorView.fields,
  strictApprovers: f.flag('strictApprovers', STRICT),
}))

const READ = 'Settings retrieved successfully'
const UPDATED = 'Settings updated successfully'

export const payoutSettings = resource('/api/v1/payout-settings', {
  tag: 'Payouts',
  noun: 'setting',
  view: SettingsView,
  scopes: { read: 'payouts:read', write: 'payouts:write' },
  isForWholeClient: true,
})
  .get('getPayoutSettings', {
    path: '',
    summary: 'Retrieve payout settings',
    description: 'Limits, and from which amount on payouts need a second person’s approval.',
    message: READ,
    run: (db, { clientId }) => readPayoutSettings(db, clientId),
  })
  .replace('setPayoutSettings', {
    path: '',
    summary: 'Require approval of payouts',
    description:
      'Approval can be extended to more payouts. Only the operator can relax it ' +
      '(payout_approval_kept).',
    body: ApprovalRequest,
    errors: ['payout_approval_kept'],
    message: UPDATED,
    parse: ({ body }) => ({
      approvalAboveKobo: parseApproval(body),
      twoApproversAboveKobo:
        body.twoApproversAbove === undefined ? undefined : parseLimit(body.twoApproversAbove),
      strictApprovers: body.strictApprovers,
    }),
    run: async (tx, call) => {
      await tightenApproval(tx, call, call.input)
      return readPayoutSettings(tx, call.clientId)
    },
  })

export const clientPayoutSettings = resource(`${CLIENTS}/:clientId/payout-settings`, {
  tag: 'Operator',
  noun: 'setting',
  view: SettingsView,
  scopes: { read: 'operator', write: 'operator' },
  params: { clientId: requireClientId },
})
  .get('getClientPayoutSettings', {
    path: '',
    summary: 'Retrieve a client’s payout settings',
    description: 'Limits, and from which amount on the client’s payouts need approval.',
    errors: ['client_not_found'],
    message: READ,
    run: async (db, { params, now }) => {
      const { id } = await getClient(db, now, params.clientId)
      return readPayoutSettings(db, id)
    },
  })
  .update('updateClientPayoutSettings', {
    path: '',
    summary: 'Update a client’s payout limits and approval',
    description:
      'Omitted fields keep their value. The daily limit counts settlements and refunds too.',
    body: SettingsRequest,
    errors: ['client_not_found'],
    message: UPDATED,
    parse: ({ body }) => parseChanges(body),
    run: async (tx, call) => {
      const client = await getClient(tx, call.now, call.params.clientId)
      return changePayoutSettings(tx, call, { client, changes: call.input })
    },
  })

// Converts a request to the settings that it changes. An omitted field keeps its value.
function parseChanges(body: Static<typeof SettingsRequest>): Partial<PayoutSettings> {
  const { payoutApproval, approvalAbove, twoApproversAbove, perPayoutLimit, dailyLimit } = body
  const { strictApprovers } = body
  if (payoutApproval === undefined && approvalAbove !== undefined) refuseApprovalAbove()
  return {
    ...(payoutApproval && { approvalAboveKobo: parseApproval({ payoutApproval, approvalAbove }) }),
    ...(twoApproversAbove !== undefined && {
      twoApproversAboveKobo: parseLimit(twoApproversAbove),
    }),
    ...(perPayoutLimit !== undefined && { perPayoutKobo: parseLimit(perPayoutLimit) }),
    ...(dailyLimit !== undefined && { perDayKobo: parseLimit(dailyLimit) }),
    ...parseReserveFloor(body),
    ...(strictApprovers !== undefined && { strictApprovers }),
  }
}

type ApprovalBody = {
  payoutApproval: (typeof APPROVALS)[number]
  approvalAbove?: number | string | null | undefined
}

// Returns the threshold that the two fields of the body stand for: null for none, 0 for all.
function parseApproval({ payoutApproval, approvalAbove }: ApprovalBody): Kobo | null {
  const hasAmount = approvalAbove !== undefined && approvalAbove !== null
  if (hasAmount !== (payoutApproval === 'above')) refuseApprovalAbove()
  if (hasAmount) return koboOf(approvalAbove) as Kobo // The schema has checked it.
  return payoutApproval === 'all' ? kobo(0n) : null
}

function refuseApprovalAbove(): never {
  throw invalidField('approvalAbove', 'Must be given with payoutApproval above, and only then.')
}

function parseLimit(value: number | string | null): Kobo | null {
  return value === null ? null : (koboOf(value) as Kobo)
}
