// /api/v1/operator/fee-rules: an operator creates, withdraws, lists and tries out fee rules.
// /api/v1/fee-rules: a client lists its own rules.

import { type Static, Type } from '@fastify/type-provider-typebox'
import { requireClientId } from '#access/client-routes.ts'
import { getClient } from '#access/clients.ts'
import { parseBankTime } from '#clock.ts'
import { invalidField } from '#errors.ts'
import { accepted } from '#http/envelopes.ts'
import { publicIdKey } from '#http/path-keys.ts'
import { resource } from '#http/resource.ts'
import {
  AMOUNT_MAX,
  Amount,
  amountOrZero,
  chosen,
  namedBody,
  text,
  trueOrFalse,
  Withdrawn,
  wholeNumber,
} from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { publicId } from '#ids.ts'
import { type Kobo, kobo, koboOf } from '#money.ts'
import type { Sealer } from '#seal.ts'
import {
  computeFee,
  type FeeBasis,
  type FeeBearer,
  type FeeTerms,
  grossUp,
  RATE_BPS_MAX,
  VAT_BPS_DEFAULT,
} from './fee.ts'
import { createRule, type FeeRule, listOwnRules, listRules, withdrawRule } from './rules.ts'

const BASES: readonly FeeBasis[] = ['credit', 'payout']
const BEARERS: readonly FeeBearer[] = ['merchant', 'customer', 'subaccount']

const FeeAmount = (description: string) =>
  Type.Optional(
    Type.Unsafe<number | string | null>({
      anyOf: [amountOrZero(), { type: 'null' }],
      description,
      'x-says': `Must be null or from 0 to ${AMOUNT_MAX}, with at most two decimals.`,
    }),
  )

const Rate = (description: string) => Type.Optional(wholeNumber(0, RATE_BPS_MAX, description))

const TermsFields = {
  bps: Rate('Rate in basis points: 100 is 1%. Default 0.'),
  flat: FeeAmount('Flat fee, on top of the rate.'),
  min: FeeAmount('Least fee.'),
  cap: Type.Optional(
    Type.Union([Amount, Type.Null()], { description: 'Greatest fee. Null: none.' }),
  ),
  waiveFlatBelow: FeeAmount('No flat fee on amounts below this.'),
  vatBps: Rate(`VAT on the fee in basis points. Default ${VAT_BPS_DEFAULT}.`),
  vatIncluded: Type.Optional(trueOrFalse('Whether the fee includes the VAT. Default false.')),
}

const FeeRuleRequest = namedBody('FeeRuleRequest', {
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
})

const FeeRuleView = view('FeeRule', (f: Fields<FeeRule, { sealer: Sealer }>) => ({
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

const FeeQuoteRequest = namedBody('FeeQuoteRequest', { amount: Amount, ...TermsFields })

type FeeQuote = ReturnType<typeof computeFee> & { amountKobo: Kobo; customerPaysKobo: Kobo }

const FeeQuoteView = view('FeeQuote', (f: Fields<FeeQuote>) => ({
  amount: f.naira('amountKobo'),
  fee: f.naira('feeKobo'),
  vat: f.naira('vatKobo', 'VAT on the fee.'),
  net: f.naira('netKobo', 'amount − fee − vat.'),
  customerPays: f.naira(
    'customerPaysKobo',
    'What a customer who bears the fee is asked for, so that amount is left.',
  ),
}))

function parseFeeRule(body: Static<typeof FeeRuleRequest>) {
  const { code, basis, bearer, effectiveFrom: startText } = body
  const terms = { ...parseTerms(body), code, basis, bearer }
  const effectiveFrom = startText === undefined ? undefined : parseBankTime(startText)
  if (startText !== undefined && !effectiveFrom) {
    throw invalidField('effectiveFrom', 'Must be an ISO 8601 date or time.')
  }
  return { merchantCode: body.merchantCode ?? null, terms, effectiveFrom }
}

// Computes the fee of unsaved terms on one amount, for an operator who tries them out.
function quoteTerms({ amount, ...body }: Static<typeof FeeQuoteRequest>): FeeQuote {
  const terms = parseTerms(body)
  const amountKobo = koboOf(amount) as Kobo // The schema has checked it.
  const customerPaysKobo = grossUp(terms, amountKobo)
  return { ...computeFee(terms, amountKobo), amountKobo, customerPaysKobo }
}

// Fills in the defaults of optional terms. `code`, `basis` and `bearer` are placeholders, which do not affect
// the fee on an amount.
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
    throw invalidField('cap', 'Must not be less than min.')
  }
  return terms
}

// Returns an optional amount, zero if it is left out. The schema has checked that it is an amount.
function amountOf(value: number | string | null | undefined): Kobo {
  return value === undefined || value === null ? kobo(0n) : (koboOf(value) as Kobo)
}

export const feeRules = resource('/api/v1/operator/fee-rules', {
  tag: 'Operator',
  noun: 'fee rule',
  view: FeeRuleView,
  scopes: { read: 'operator', write: 'operator' },
  params: { id: publicIdKey('fee-rule', 'fee_rule_not_found') },
})
  .create('createFeeRule', {
    summary: 'Create a fee rule',
    description:
      'Ends the rule before it where it begins. Rules are never changed: to charge nothing ' +
      'more, create one with neither rate nor amounts. The rule in force when money is ' +
      'booked counts.',
    body: FeeRuleRequest,
    errors: ['client_not_found', 'fee_rule_overlaps'],
    parse: ({ body }) => parseFeeRule(body),
    run: async (tx, call) => {
      const { id } = await getClient(tx, call.now, requireClientId(call.body.clientId))
      return createRule(tx, call, { clientId: id, ...call.input })
    },
  })
  .route('POST', 'quoteFee', {
    path: '/quote',
    summary: 'Compute a fee',
    description: 'What a rule with these terms would charge. Nothing is stored.',
    body: FeeQuoteRequest,
    view: FeeQuoteView,
    handle: ({ body }) =>
      accepted('Fee computed successfully', FeeQuoteView.present(quoteTerms(body))),
  })
  .remove('withdrawFeeRule', {
    summary: 'Withdraw a fee rule',
    description:
      'Until a minute before it takes effect. The rule before it goes on until the next. ' +
      'Withdrawn rules are not listed any more; the audit log keeps them.',
    view: Withdrawn,
    errors: ['fee_rule_in_force', 'fee_rule_not_found'],
    message: 'Fee rule withdrawn successfully',
    run: async (tx, call) => {
      await withdrawRule(tx, call, call.params.id)
      return { id: publicId(call.sealer, 'fee-rule', call.params.id) }
    },
  })
  .list('listFeeRules', {
    summary: 'List fee rules of all clients, newest first',
    description: 'What each client is charged, and from when. Filter by client to see its history.',
    filters: { clientId: Type.Optional(text(64, 'Only rules of this client.')) },
    errors: ['client_not_found'],
    rows: async (db, { query: { clientId: name }, now, after, limit }) => {
      const client =
        name === undefined ? undefined : await getClient(db, now, requireClientId(name))
      return listRules(db, { clientId: client?.id, beforeId: after, limit })
    },
  })

export const ownFeeRules = resource('/api/v1/fee-rules', {
  tag: 'Fees',
  noun: 'fee rule',
  view: FeeRuleView,
  scopes: { read: 'credits:read', write: 'credits:read' },
}).list('listOwnFeeRules', {
  name: 'own-fee-rules',
  summary: 'List your fee rules, newest first',
  description: 'What you are charged on credits and payouts, and from when.',
  rows: (db, { clientId, after, limit }) => listOwnRules(db, { clientId, beforeId: after, limit }),
})
