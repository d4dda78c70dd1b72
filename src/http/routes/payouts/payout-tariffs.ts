// /api/v1/operator/payout-tariffs: what banks charge the operator for payouts; created, withdrawn, listed.

import { type FastifyPluginAsyncTypebox, type Static, Type } from '@fastify/type-provider-typebox'
import type { List } from '#db/paging.ts'
import { withTransaction } from '#db/transaction.ts'
import {
  createTariff,
  type DatedTariff,
  listTariffs,
  withdrawTariff,
} from '#domain/payouts/payout-tariffs.ts'
import { type FieldError, Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotency } from '#http/idempotency.ts'
import { ListEnvelope, listResponse, NoQuery, PageQuery, pageById, query } from '#http/lists.ts'
import {
  Amount,
  ApiEnvelope,
  BEARER,
  bankCode,
  IdempotencyHeaders,
  named,
  nullable,
  Withdrawn,
} from '#http/schemas.ts'
import { type Kobo, kobo, koboOf, toNaira } from '#money.ts'
import { findId, publicId } from '#public-ids.ts'
import type { Sealer } from '#seal.ts'
import { parseBankTime, timestamp } from '#wat-time.ts'

const TARIFFS = '/api/v1/operator/payout-tariffs'
const BANDS_MAX = 20
const VAT_BPS_DEFAULT = 750

const Charge = (description: string) =>
  Type.Unsafe<number | string>({
    type: ['number', 'string'],
    'x-money': 'or-zero',
    description,
    'x-says': 'Must be from 0 to 1000000000.00, with at most two decimals.',
  })

const TariffRequest = named(
  'PayoutTariffRequest',
  {
    bankCode: Type.Optional(
      Type.Union([bankCode('Only of this bank.'), Type.Null()], {
        description: 'Null: of all banks without a tariff of their own.',
        'x-says': 'Must be null or a bank code.',
      }),
    ),
    bands: Type.Array(
      Type.Object(
        {
          upTo: Type.Union([Amount, Type.Null()], {
            description: 'Greatest amount of the band. Null: of the last, any amount.',
            'x-says': 'Must be an amount; null in the last band.',
          }),
          fee: Charge('Flat fee in this band.'),
        },
        { additionalProperties: false, 'x-says': 'Must be a band: {upTo, fee}.' },
      ),
      { minItems: 1, maxItems: BANDS_MAX, 'x-says': `Must be a list of 1 to ${BANDS_MAX} bands.` },
    ),
    vatBps: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 5_000,
        description: `VAT on the fee in basis points. Default ${VAT_BPS_DEFAULT}.`,
        'x-says': 'Must be a whole number from 0 to 5000.',
      }),
    ),
    stampDuty: Type.Optional(Charge('Stamp duty. Default 0.')),
    stampDutyFrom: Type.Optional(Charge('Least amount that bears stamp duty. Default 0.')),
    effectiveFrom: Type.Optional(
      Type.String({
        maxLength: 64,
        description: 'From when on (ISO 8601), not in the past. Default: now.',
        'x-says': 'Must be an ISO 8601 date or time.',
      }),
    ),
  },
  { additionalProperties: false },
)

const TariffBody = named('PayoutTariff', {
  id: Type.Integer(),
  bankCode: nullable('string'),
  bands: Type.Array(named('PayoutTariffBand', { upTo: nullable('number'), fee: Type.Number() })),
  vatBps: Type.Integer(),
  stampDuty: Type.Number(),
  stampDutyFrom: Type.Number(),
  effectiveFrom: Type.String(),
  createdAt: Type.String(),
})

const about = { tags: ['Operator'], security: BEARER }

export const payoutTariffRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await app.register(listAndCreate, deps)
  await app.register(withdrawing, deps)
}

const listAndCreate: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication, clock } = deps
  const onRequest = authentication.requires('operator')

  app.get(
    TARIFFS,
    {
      onRequest,
      schema: {
        ...about,
        operationId: 'listPayoutTariffs',
        summary: 'List what banks charge for payouts, newest first',
        description: 'Booked as our cost when a bank confirms a payout.',
        querystring: query(PageQuery),
        response: { 200: ListEnvelope(TariffBody) },
      },
    },
    async ({ client, query: asked }) => {
      const list: List = { name: 'payout-tariffs', clientId: client.id, filters: {} }
      const page = await pageById(sealer, { list, asked }, ({ after, limit }) =>
        listTariffs(db, { beforeId: after, limit }),
      )
      return listResponse('Tariffs retrieved successfully', page, (tariff) =>
        present(sealer, tariff),
      )
    },
  )

  app.post(
    TARIFFS,
    {
      onRequest,
      schema: {
        ...about,
        operationId: 'createPayoutTariff',
        summary: 'Create a tariff for payouts',
        description:
          'Ends the one before it where it begins. The tariff in force when a payout is confirmed ' +
          'is booked as bank cost.',
        headers: IdempotencyHeaders,
        querystring: NoQuery,
        body: TariffRequest,
        response: { 200: ApiEnvelope(TariffBody) },
      },
    },
    async (request, reply) => {
      const { client, actor, body } = request
      const given = parseTariff(body)
      return withIdempotency(deps, { request, reply }, async (tx) => {
        const by = { clientId: client.id, actor, now: clock() }
        const tariff = await createTariff(tx, by, given)
        return accepted('Tariff created successfully', present(sealer, tariff))
      })
    },
  )
}

const withdrawing: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication, clock } = deps
  app.delete(
    `${TARIFFS}/:id`,
    {
      onRequest: authentication.requires('operator'),
      schema: {
        ...about,
        operationId: 'withdrawPayoutTariff',
        summary: 'Withdraw a tariff for payouts',
        description:
          'Until a minute before it takes effect. The tariff before it goes on until the next.',
        params: Type.Object({ id: Type.String() }),
        querystring: NoQuery,
        response: { 200: ApiEnvelope(Withdrawn) },
      },
    },
    async ({ client, actor, params }) => {
      const id = findId(sealer, 'tariff', params.id)
      if (id === undefined) throw new Refusal('tariff_not_found')
      const by = { clientId: client.id, actor, clock }
      await withTransaction(db, (tx) => withdrawTariff(tx, by, id))
      return accepted('Tariff withdrawn successfully', { id: Number(params.id) })
    },
  )
}

function parseTariff(body: Static<typeof TariffRequest>) {
  const effectiveFrom =
    body.effectiveFrom === undefined ? undefined : parseBankTime(body.effectiveFrom)
  if (body.effectiveFrom !== undefined && !effectiveFrom) {
    throw refused('effectiveFrom', 'Must be an ISO 8601 date or time.')
  }
  const tariff = {
    bandLimitsKobo: parseLimits(body.bands.map(({ upTo }) => upTo)),
    bandFeesKobo: body.bands.map(({ fee }) => amountOf(fee)),
    vatBps: body.vatBps ?? VAT_BPS_DEFAULT,
    dutyKobo: amountOf(body.stampDuty),
    dutyFromKobo: amountOf(body.stampDutyFrom),
  }
  return { bankCode: body.bankCode ?? null, tariff, effectiveFrom }
}

function parseLimits(limits: readonly (number | string | null)[]): Kobo[] {
  const message = 'Must ascend, with null in the last band only.'
  const bounded = limits.slice(0, -1).map((limit) => {
    if (limit === null) throw refused('bands', message)
    return amountOf(limit)
  })
  const ascends = bounded.every((limit, at) => at === 0 || limit > (bounded[at - 1] as Kobo))
  if (!ascends || limits.at(-1) !== null) throw refused('bands', message)
  return bounded
}

// Checked by the schema.
function amountOf(value: number | string | undefined): Kobo {
  return value === undefined ? kobo(0n) : (koboOf(value) as Kobo)
}

function refused(field: string, message: string): Refusal {
  return new Refusal('invalid_request', [{ field, message }] satisfies FieldError[])
}

function present(sealer: Sealer, tariff: DatedTariff) {
  const { bandLimitsKobo, bandFeesKobo } = tariff
  return {
    id: publicId(sealer, 'tariff', tariff.id),
    bankCode: tariff.bankCode,
    bands: bandFeesKobo.map((feeKobo, at) => {
      const limit = bandLimitsKobo[at]
      return {
        upTo: limit === undefined ? null : toNaira(kobo(limit)),
        fee: toNaira(kobo(feeKobo)),
      }
    }),
    vatBps: tariff.vatBps,
    stampDuty: toNaira(tariff.dutyKobo),
    stampDutyFrom: toNaira(tariff.dutyFromKobo),
    effectiveFrom: timestamp(tariff.effectiveFrom),
    createdAt: timestamp(tariff.createdAt),
  }
}
