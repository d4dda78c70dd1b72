// Schemas and presenters of fee rules.

import { type Static, Type } from '@fastify/type-provider-typebox'
import {
  computeFee,
  type FeeBasis,
  type FeeBearer,
  type FeeTerms,
  grossUp,
  RATE_BPS_MAX,
  VAT_BPS_DEFAULT,
} from '#domain/fees/compute-fee.ts'
import type { FeeRule } from '#domain/fees/fee-rules.ts'
import { type FieldError, Refusal } from '#errors.ts'
import { Amount, chosen, named, text } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { type Kobo, kobo, koboOf } from '#money.ts'
import { publicId } from '#public-ids.ts'
import type { Sealer } from '#seal.ts'
import { parseBankTime } from '#wat-time.ts'

const BASES: readonly FeeBasis[] = ['credit', 'payout']
const BEARERS: readonly FeeBearer[] = ['merchant', 'customer', 'subaccount']

const FeeAmount = (description: string) =>
  Type.Optional(
    Type.Unsafe<number | string | null>({
      anyOf: [{ type: ['number', 'string'], 'x-money': 'or-zero' }, { type: 'null' }],
      description,
      'x-says': 'Must be null or from 0 to 1000000000.00, with at most two decimals.',
    }),
  )

const Rate = (description: string) =>
  Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: RATE_BPS_MAX,
      description,
      'x-says': `Must be a whole number from 0 to ${RATE_BPS_MAX}.`,
    }),
  )

const TermsFields = {
  bps: Rate('Rate in basis points: 100 is 1%. Default 0.'),
  flat: FeeAmount('Flat fee, on top of the rate.'),
  min: FeeAmount('Least fee.'),
  cap: Type.Optional(
    Type.Union([Amount, Type.Null()], { description: 'Greatest fee. Null: none.' }),
  ),
  waiveFlatBelow: FeeAmount('No flat fee on amounts below this.'),
  vatBps: Rate(`VAT on the fee in basis points. Default ${VAT_BPS_DEFAULT}.`),
  vatIncluded: Type.Optional(
    Type.Boolean({
      description: 'Whether the fee includes the VAT. Default false.',
      'x-says': 'Must be true or false.',
    }),
  ),
}

export const FeeRuleRequest = named(
  'FeeRuleRequest',
  {
    clientId: text(64, 'Client ID of whom it is charged to.'),
    merchantCode: Type.Optional(
      Type.Union([
        text(64, 'Only for collection accounts with this merchantCode; comes first for them.'),
        Type.Null(),
      ]),
    ),
    code: Type.String({
      pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$',
      description: 'Your name for it.',
      'x-says': 'Must be 1 to 40 letters, digits, dashes and underscores.',
    }),
    basis: chosen(BASES, 'What it is charged on.'),
    ...TermsFields,
    bearer: chosen(
      BEARERS,
      'Who bears it. customer: a payer is asked for so much more that the merchant gets the amount.',
    ),
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

export const FeeRuleView = view('FeeRule', (f: Fields<FeeRule, { sealer: Sealer }>) => ({
  id: f.integer(({ id }, { sealer }) => publicId(sealer, 'fee-rule', id)),
  clientId: f.text('clientName'),
  merchantCode: f.textOrNull('merchantCode', 'Null: all without a rule of their own.'),
  code: f.text('code'),
  basis: f.text('basis'),
  bps: f.integer('bps'),
  flat: f.naira('flatKobo'),
  min: f.naira('minKobo'),
  cap: f.nairaOrNull('capKobo'),
  waiveFlatBelow: f.naira('waiveFlatBelowKobo'),
  vatBps: f.integer('vatBps'),
  vatIncluded: f.flag('vatIncluded'),
  bearer: f.text('bearer'),
  effectiveFrom: f.time('effectiveFrom'),
  effectiveTo: f.timeOrNull('effectiveTo', 'Null: until another rule begins.'),
  createdAt: f.time('createdAt'),
}))

export const FeeQuoteRequest = named(
  'FeeQuoteRequest',
  { amount: Amount, ...TermsFields },
  { additionalProperties: false },
)

type FeeQuote = ReturnType<typeof computeFee> & { amountKobo: Kobo; customerPaysKobo: Kobo }

export const FeeQuoteView = view('FeeQuote', (f: Fields<FeeQuote>) => ({
  amount: f.naira('amountKobo'),
  fee: f.naira('feeKobo'),
  vat: f.naira('vatKobo', 'VAT on the fee.'),
  net: f.naira('netKobo', 'amount − fee − vat.'),
  customerPays: f.naira(
    'customerPaysKobo',
    'What a customer who bears the fee is asked for, so that amount is left.',
  ),
}))

export function parseFeeRule(body: Static<typeof FeeRuleRequest>) {
  const { code, basis, bearer, effectiveFrom: given } = body
  const terms = { ...parseTerms(body), code, basis, bearer }
  const effectiveFrom = given === undefined ? undefined : parseBankTime(given)
  if (given !== undefined && !effectiveFrom) {
    throw refused('effectiveFrom', 'Must be an ISO 8601 date or time.')
  }
  return { merchantCode: body.merchantCode ?? null, terms, effectiveFrom }
}

export function quoteTerms({ amount, ...body }: Static<typeof FeeQuoteRequest>): FeeQuote {
  const terms = parseTerms(body)
  const amountKobo = koboOf(amount) as Kobo // Checked by the schema.
  const customerPaysKobo = grossUp(terms, amountKobo)
  return { ...computeFee(terms, amountKobo), amountKobo, customerPaysKobo }
}

function parseTerms(body: Omit<Static<typeof FeeQuoteRequest>, 'amount'>): FeeTerms {
  const terms: FeeTerms = {
    code: '',
    basis: 'credit',
    bearer: 'merchant',
    bps: body.bps ?? 0,
    flatKobo: amountOf(body.flat),
    minKobo: amountOf(body.min),
    capKobo: body.cap === undefined || body.cap === null ? null : amountOf(body.cap),
    waiveFlatBelowKobo: amountOf(body.waiveFlatBelow),
    vatBps: body.vatBps ?? VAT_BPS_DEFAULT,
    vatIncluded: body.vatIncluded ?? false,
  }
  if (terms.capKobo !== null && terms.capKobo < terms.minKobo) {
    throw refused('cap', 'Must not be less than min.')
  }
  return terms
}

// Checked by the schema.
function amountOf(value: number | string | null | undefined): Kobo {
  return value === undefined || value === null ? kobo(0n) : (koboOf(value) as Kobo)
}

function refused(field: string, message: string): Refusal {
  return new Refusal('invalid_request', [{ field, message }] satisfies FieldError[])
}
