// /api/v1/payout-settings: which payouts need approval, and the limits that apply. A client can have
// more of them approved; limits, the least reserve of settlements, and fewer approvals are the operator's
// to set.

import { type FastifyPluginAsyncTypebox, type Static, Type } from '@fastify/type-provider-typebox'
import { withTransaction } from '#db/transaction.ts'
import { refuseRestricted } from '#domain/access/clients.ts'
import { getClient } from '#domain/access/manage-clients.ts'
import {
  changePayoutSettings,
  type PayoutSettings,
  readPayoutSettings,
  tightenApproval,
} from '#domain/payouts/payout-settings.ts'
import { type FieldError, Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { NoQuery } from '#http/lists.ts'
import { CLIENTS, ClientParams, requireClientId } from '#http/routes/access/client-presenters.ts'
import { Amount, ApiEnvelope, BEARER, named, nullable } from '#http/schemas.ts'
import { type Kobo, kobo, koboOf, toNaira } from '#money.ts'
import {
  parseFloor,
  presentFloor,
  ReserveDays,
  ReserveFloorFields,
  ReservePercent,
} from './reserve-floor.ts'

const SETTINGS = '/api/v1/payout-settings'
const APPROVALS = ['none', 'above', 'all'] as const

const ApprovalFields = {
  payoutApproval: Type.Unsafe<(typeof APPROVALS)[number]>({
    type: 'string',
    enum: [...APPROVALS],
    description: 'Which payouts a second user must approve: none, those above an amount, or all.',
    'x-says': `Must be one of ${APPROVALS.join(', ')}.`,
  }),
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

const ApprovalRequest = named(
  'PayoutApprovalRequest',
  { ...ApprovalFields, twoApproversAbove: TwoApproversAbove },
  { additionalProperties: false },
)

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
  },
  {
    additionalProperties: false,
    minProperties: 1,
    'x-says': 'Must be an object with at least one field to change.',
  },
)

const SettingsBody = named('PayoutSettings', {
  payoutApproval: Type.String({ description: `One of ${APPROVALS.join(', ')}.` }),
  approvalAbove: nullable('number'),
  twoApproversAbove: nullable('number', {
    description: 'Requests of client credentials above it take two approvers. Null: none do.',
  }),
  perPayoutLimit: nullable('number', { description: 'Null: no limit.' }),
  dailyLimit: nullable('number', { description: 'Null: no limit.' }),
  ...ReserveFloorFields,
})

const response = { 200: ApiEnvelope(SettingsBody) }
const about = { security: BEARER, querystring: NoQuery, response }

export const payoutSettingRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await app.register(own, deps)
  await app.register(operators, deps)
}

const own: FastifyPluginAsyncTypebox<Deps> = async (app, { db, authentication, clock }) => {
  app.get(
    SETTINGS,
    {
      onRequest: authentication.requires('payouts:read'),
      schema: {
        ...about,
        tags: ['Payouts'],
        operationId: 'getPayoutSettings',
        summary: 'Retrieve payout settings',
        description: 'Limits, and from which amount on payouts need a second person’s approval.',
      },
    },
    async ({ client }) => {
      refuseRestricted(client)
      const settings = await readPayoutSettings(db, client.id)
      return accepted('Settings retrieved successfully', present(settings))
    },
  )

  app.put(
    SETTINGS,
    {
      onRequest: authentication.requires('payouts:write'),
      schema: {
        ...about,
        tags: ['Payouts'],
        operationId: 'setPayoutSettings',
        summary: 'Require approval of payouts',
        description:
          'Approval can be extended to more payouts. Only the operator can relax it ' +
          '(payout_approval_kept).',
        body: ApprovalRequest,
      },
    },
    async ({ client, actor, body }) => {
      refuseRestricted(client)
      const approvalAboveKobo = parseApproval(body)
      const twoApproversAboveKobo =
        body.twoApproversAbove === undefined ? undefined : parseLimit(body.twoApproversAbove)
      const settings = await withTransaction(db, async (tx) => {
        const limits = { approvalAboveKobo, twoApproversAboveKobo }
        await tightenApproval(tx, { client, actor, now: clock() }, limits)
        return readPayoutSettings(tx, client.id)
      })
      return accepted('Settings updated successfully', present(settings))
    },
  )
}

const operators: FastifyPluginAsyncTypebox<Deps> = async (app, { db, authentication, clock }) => {
  const url = `${CLIENTS}/:clientId/payout-settings`
  const onRequest = authentication.requires('operator')
  const ofClient = { ...about, tags: ['Operator'], params: ClientParams }

  app.get(
    url,
    {
      onRequest,
      schema: {
        ...ofClient,
        operationId: 'getClientPayoutSettings',
        summary: 'Retrieve a client’s payout settings',
        description: 'Limits, and from which amount on the client’s payouts need approval.',
      },
    },
    async ({ params }) => {
      const { id } = await getClient(db, clock(), requireClientId(params.clientId))
      return accepted('Settings retrieved successfully', present(await readPayoutSettings(db, id)))
    },
  )

  app.patch(
    url,
    {
      onRequest,
      schema: {
        ...ofClient,
        operationId: 'updateClientPayoutSettings',
        summary: 'Update a client’s payout limits and approval',
        description:
          'Omitted fields keep their value. The daily limit counts settlements and refunds too.',
        body: SettingsRequest,
      },
    },
    async ({ client: by, actor, params, body }) => {
      const changes = parseChanges(body)
      const settings = await withTransaction(db, async (tx) => {
        const now = clock()
        const client = await getClient(tx, now, requireClientId(params.clientId))
        return changePayoutSettings(tx, { clientId: by.id, actor, now }, { client, changes })
      })
      return accepted('Settings updated successfully', present(settings))
    },
  )
}

function parseChanges(body: Static<typeof SettingsRequest>): Partial<PayoutSettings> {
  const { payoutApproval, approvalAbove, twoApproversAbove, perPayoutLimit, dailyLimit } = body
  if (payoutApproval === undefined && approvalAbove !== undefined) refuseAbove()
  return {
    ...(payoutApproval && { approvalAboveKobo: parseApproval({ payoutApproval, approvalAbove }) }),
    ...(twoApproversAbove !== undefined && {
      twoApproversAboveKobo: parseLimit(twoApproversAbove),
    }),
    ...(perPayoutLimit !== undefined && { perPayoutKobo: parseLimit(perPayoutLimit) }),
    ...(dailyLimit !== undefined && { perDayKobo: parseLimit(dailyLimit) }),
    ...parseFloor(body),
  }
}

type GivenApproval = {
  payoutApproval: (typeof APPROVALS)[number]
  approvalAbove?: number | string | null | undefined
}

function parseApproval({ payoutApproval, approvalAbove }: GivenApproval): Kobo | null {
  const isGiven = approvalAbove !== undefined && approvalAbove !== null
  if (isGiven !== (payoutApproval === 'above')) refuseAbove()
  if (isGiven) return koboOf(approvalAbove) as Kobo // Checked by the schema.
  return payoutApproval === 'all' ? kobo(0n) : null
}

function refuseAbove(): never {
  const message = 'Must be given with payoutApproval above, and only then.'
  throw new Refusal('invalid_request', [{ field: 'approvalAbove', message } satisfies FieldError])
}

function parseLimit(value: number | string | null): Kobo | null {
  return value === null ? null : (koboOf(value) as Kobo)
}

function present(settings: PayoutSettings) {
  const { approvalAboveKobo, twoApproversAboveKobo, perPayoutKobo, perDayKobo } = settings
  const shown = (amountKobo: Kobo | null) => (amountKobo === null ? null : toNaira(amountKobo))
  const isAbove = approvalAboveKobo !== null && approvalAboveKobo > 0n
  return {
    payoutApproval: approvalAboveKobo === null ? 'none' : isAbove ? 'above' : 'all',
    approvalAbove: isAbove ? shown(approvalAboveKobo) : null,
    twoApproversAbove: shown(twoApproversAboveKobo),
    perPayoutLimit: shown(perPayoutKobo),
    dailyLimit: shown(perDayKobo),
    ...presentFloor(settings),
  }
}
