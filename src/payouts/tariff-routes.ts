// /api/v1/operator/payout-tariffs: the prices that banks charge the operator for payouts.

import { type Static, Type } from '@fastify/type-provider-typebox'
import { parseBankTime } from '#clock.ts'
import { invalidField } from '#errors.ts'
import { VAT_BPS_DEFAULT } from '#fees/fee.ts'
import { publicIdKey } from '#http/path-keys.ts'
import { resource } from '#http/resource.ts'
import { Amount, amountOrZero, bankCode, namedBody, Withdrawn, wholeNumber } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { publicId } from '#ids.ts'
import { type Kobo, kobo, koboOf } from '#money.ts'
import type { Sealer } from '#seal.ts'
import { createTariff, type DatedTariff, listTariffs, withdrawTariff } from './tariffs.ts'

const BANDS_MAX = 20

const TariffRequest = namedBody('PayoutTariffRequest', {
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
        fee: amountOrZero('Flat fee in this band.'),
      },
      { additionalProperties: false, 'x-says': 'Must be a band: {upTo, fee}.' },
    ),
    { minItems: 1, maxItems: BANDS_MAX, 'x-says': `Must be a list of 1 to ${BANDS_MAX} bands.` },
  ),
  vatBps: Type.Optional(
    wholeNumber(0, 5_000, `VAT on the fee in basis points. Default ${VAT_BPS_DEFAULT}.`),
  ),
  stampDuty: Type.Optional(amountOrZero('Stamp duty. Default 0.')),
  stampDutyFrom: Type.Optional(amountOrZero('Least amount that bears stamp duty. Default 0.')),
  effectiveFrom: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'From when on (ISO 8601), not in the past. Default: now.',
      'x-says': 'Must be an ISO 8601 date or time.',
    }),
  ),
})

type Band = { limitKobo: Kobo | null; feeKobo: Kobo }

const BandView = view('PayoutTariffBand', (f: Fields<Band>) => ({
  upTo: f.nairaOrNull('limitKobo'),
  fee: f.naira('feeKobo'),
}))

const TariffView = view('PayoutTariff', (f: Fields<DatedTariff, { sealer: Sealer }>) => ({
  id: f.integer(({ id }, { sealer }) => publicId(sealer, 'tariff', id)),
  bankCode: f.textOrNull('bankCode'),
  bands: f.list(BandView, ({ bandLimitsKobo, bandFeesKobo }) =>
    bandFeesKobo.map((feeKobo, index) => {
      const limit = bandLimitsKobo[index]
      return { limitKobo: limit === undefined ? null : kobo(limit), feeKobo: kobo(feeKobo) }
    }),
  ),
  vatBps: f.integer('vatBps'),
  stampDuty: f.naira('dutyKobo'),
  stampDutyFrom: f.naira('dutyFromKobo'),
  effectiveFrom: f.time('effectiveFrom'),
  createdAt: f.time('createdAt'),
}))

export const payoutTariffs = resource('/api/v1/operator/payout-tariffs', {
  tag: 'Operator',
  noun: 'tariff',
  view: TariffView,
  scopes: { read: 'operator', write: 'operator' },
  params: { id: publicIdKey('tariff', 'tariff_not_found') },
})
  .list('listPayoutTariffs', {
    summary: 'List what banks charge for payouts, newest first',
    description: 'Booked as our cost when a bank confirms a payout.',
    rows: (db, { after, limit }) => listTariffs(db, { beforeId: after, limit }),
  })
  .create('createPayoutTariff', {
    summary: 'Create a tariff for payouts',
    description:
      'Ends the one before it where it begins. The tariff in force when a payout is confirmed ' +
      'is booked as bank cost.',
    body: TariffRequest,
    errors: ['tariff_overlaps'],
    parse: ({ body }) => parseTariff(body),
    run: (tx, call) => createTariff(tx, call, call.input),
  })
  .remove('withdrawPayoutTariff', {
    summary: 'Withdraw a tariff for payouts',
    description:
      'Until a minute before it takes effect. The tariff before it goes on until the next.',
    view: Withdrawn,
    errors: ['tariff_in_force', 'tariff_not_found'],
    message: 'Tariff withdrawn successfully',
    run: async (tx, call) => {
      await withdrawTariff(tx, call, call.params.id)
      return { id: publicId(call.sealer, 'tariff', call.params.id) }
    },
  })

// Turns the bands of a request into the two lists of a tariff: limits and fees.
function parseTariff(body: Static<typeof TariffRequest>) {
  const effectiveFrom =
    body.effectiveFrom === undefined ? undefined : parseBankTime(body.effectiveFrom)
  if (body.effectiveFrom !== undefined && !effectiveFrom) {
    throw invalidField('effectiveFrom', 'Must be an ISO 8601 date or time.')
  }
  const tariff = {
    bandLimitsKobo: parseLimits(body.bands.map(({ upTo }) => upTo)),
    bandFeesKobo: body.bands.map(({ fee }) => toKobo(fee)),
    vatBps: body.vatBps ?? VAT_BPS_DEFAULT,
    dutyKobo: toKobo(body.stampDuty),
    dutyFromKobo: toKobo(body.stampDutyFrom),
  }
  return { bankCode: body.bankCode ?? null, tariff, effectiveFrom }
}

// Parses the greatest amount of each band. The last band has none: it takes any amount.
function parseLimits(limits: readonly (number | string | null)[]): Kobo[] {
  const message = 'Must ascend, with null in the last band only.'
  // The last limit is null, and the only one that may be.
  const limitsKobo = limits.slice(0, -1).map((limit) => {
    if (limit === null) throw invalidField('bands', message)
    return toKobo(limit)
  })
  const ascends = limitsKobo.every(
    (limit, index) => index === 0 || limit > (limitsKobo[index - 1] as Kobo),
  )
  if (!ascends || limits.at(-1) !== null) throw invalidField('bands', message)
  return limitsKobo
}

// An omitted amount is 0. The schema has checked the value.
function toKobo(value: number | string | undefined): Kobo {
  return value === undefined ? kobo(0n) : (koboOf(value) as Kobo)
}
