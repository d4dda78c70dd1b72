// /api/v1/operator/tax-rates: dated rates of VAT, stamp duty and withholding tax.
// /api/v1/operator/clients/{clientId}/tax-settings: the client's details on VAT invoices, and its withholding
// tax.

import { type Static, Type } from '@fastify/type-provider-typebox'
import { CLIENTS, requireClientId } from '#access/client-routes.ts'
import { findClient } from '#access/permissions.ts'
import { watDay } from '#clock.ts'
import type { Queryable } from '#db/pool.ts'
import { invalidField, Refusal } from '#errors.ts'
import { choice } from '#http/lists.ts'
import { resource } from '#http/resource.ts'
import { amountOrZero, chosen, namedBody, text } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { type Kobo, koboOf } from '#money.ts'
import { PERCENT_BPS, parsePercent } from '#payouts/setting-routes.ts'
import { OPERATOR, parseDay, SCOPES } from './report-views.ts'
import {
  addTaxRate,
  BEARERS,
  listTaxRates,
  rateInForce,
  readTaxDetails,
  TAXES,
  type TaxDetails,
  type TaxRate,
  writeTaxDetails,
} from './tax-rates.ts'

const PERCENT_MAX = 50
const SOURCE_MAX = 300

const RateRequest = namedBody('TaxRateRequest', {
  tax: chosen(TAXES, 'vat, stamp_duty, or withholding: of one client’s fees.'),
  clientId: Type.Optional(text(64, 'Of withholding tax: the client that withholds it.')),
  percent: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: PERCENT_MAX,
      description: 'Rate of VAT or withholding tax.',
      'x-says': `Must be from 0 to ${PERCENT_MAX}, with at most two decimals.`,
    }),
  ),
  amount: Type.Optional(amountOrZero('Stamp duty on a transfer.')),
  threshold: Type.Optional(amountOrZero('Least transfer that bears stamp duty.')),
  bearer: Type.Optional(chosen(BEARERS, 'Who bears stamp duty.')),
  effectiveFrom: Type.String({
    maxLength: 10,
    examples: ['2027-01-01'],
    description: 'First day (WAT), tomorrow or later, as yyyy-MM-dd.',
    'x-says': 'Must be a day as yyyy-MM-dd, e.g. 2027-01-01.',
  }),
  source: text(SOURCE_MAX, 'The law or notice that it follows.'),
})

const RateView = view('TaxRate', (f: Fields<TaxRate>) => ({
  tax: f.oneOf('tax', TAXES, 'Which tax.'),
  clientId: f.textOrNull('clientCode', 'Of withholding tax: the client.'),
  percent: f.decimalOrNull(({ bps }) => bps && bps / PERCENT_BPS, 'Null: an amount instead.'),
  amount: f.nairaOrNull('amountKobo', 'Stamp duty on a transfer.'),
  threshold: f.nairaOrNull('thresholdKobo', 'Least transfer that bears it.'),
  bearer: f.textOrNull('bearer', 'sender or recipient.'),
  effectiveFrom: f.text('effectiveFrom', 'First day (WAT), until the next rate begins.'),
  source: f.text('source'),
  createdBy: f.textOrNull('createdBy', 'Null: supplied.'),
  createdAt: f.time('createdAt'),
}))

export const taxRates = resource(`${OPERATOR}/tax-rates`, {
  tag: 'Accounting',
  noun: 'rate',
  view: RateView,
  scopes: SCOPES,
})
  .list('listTaxRates', {
    summary: 'List rates of tax, newest first',
    description:
      'VAT, stamp duty and withholding tax, each from a day on. Have a tax adviser confirm them.',
    filters: {
      tax: choice(TAXES, 'Filter by tax.'),
      clientId: Type.Optional(text(64, 'Filter by client.')),
    },
    rows: async (db, { query, after: beforeId, limit }) => {
      const clientId =
        query.clientId === undefined ? undefined : await findClientId(db, query.clientId)
      return listTaxRates(db, { tax: query.tax, clientId, beforeId, limit })
    },
    errors: ['client_not_found'],
  })
  .create('addTaxRate', {
    summary: 'Add a rate of tax',
    description:
      'From tomorrow on or later: past days keep their rate. A rate of VAT also replaces, from that day ' +
      'on, the fee rules that have the rate before it.',
    body: RateRequest,
    errors: ['client_not_found', 'fee_rule_overlaps'],
    parse: ({ body }) => parseRate(body),
    run: async (tx, call) => {
      const clientId =
        call.body.clientId === undefined ? null : await findClientId(tx, call.body.clientId)
      return addTaxRate(tx, call, { ...call.input, clientId })
    },
  })

type TaxSettings = TaxDetails & { clientCode: string; bps: number | null; from: string | null }

const SettingsView = view('TaxSettings', (f: Fields<TaxSettings>) => ({
  clientId: f.text('clientCode'),
  legalName: f.text('legalName', 'On VAT invoices. Default: the client’s name.'),
  address: f.textOrNull('address', 'Null: not on record.'),
  tin: f.textOrNull('tin', 'Tax identification number. Null: not on record.'),
  withholdingPercent: f.decimal(
    ({ bps }) => (bps ?? 0) / PERCENT_BPS,
    'Withholding tax on its fees in force today. 0: none.',
  ),
  withholdingFrom: f.textOrNull('from', 'Since when. Null: never set.'),
}))

const SettingsRequest = namedBody('TaxSettingsRequest', {
  legalName: text(200, 'Registered name.'),
  address: text(300, 'Registered address.'),
  tin: Type.String({
    pattern: '^[0-9A-Za-z-]{8,20}$',
    examples: ['01234567-0001'],
    description: 'Tax identification number.',
    'x-says': 'Must be 8 to 20 digits, letters or dashes.',
  }),
})

export const taxSettings = resource(`${CLIENTS}/:clientId/tax-settings`, {
  tag: 'Accounting',
  noun: 'setting',
  view: SettingsView,
  scopes: { read: 'operator', write: 'operator' },
  params: { clientId: requireClientId },
})
  .get('getTaxSettings', {
    path: '',
    summary: 'Retrieve a client’s tax settings',
    description: 'Particulars on its VAT invoices, and the withholding tax on its fees.',
    errors: ['client_not_found'],
    run: (db, { params, now }) => readTaxSettings(db, params.clientId, now),
  })
  .replace('setTaxSettings', {
    path: '',
    summary: 'Update a client’s tax settings',
    description:
      'On VAT invoices that are issued from now on. For the operator’s own client, the particulars of the ' +
      'seller.',
    body: SettingsRequest,
    errors: ['client_not_found'],
    run: async (tx, call) => {
      const clientCode = call.params.clientId
      const clientId = await findClientId(tx, clientCode)
      await writeTaxDetails(tx, call, { clientId, clientCode, ...call.body })
      return readTaxSettings(tx, clientCode, call.now)
    },
  })

// Returns the internal id of a client. Refuses an unknown client.
async function findClientId(db: Queryable, clientId: string) {
  const client = await findClient(db, requireClientId(clientId))
  if (!client) throw new Refusal('client_not_found')
  return client.id
}

// The client's tax details and its withholding rate today, for the routes of its tax settings.
async function readTaxSettings(db: Queryable, code: string, now: Date): Promise<TaxSettings> {
  const clientId = await findClientId(db, code)
  const rate = await rateInForce(db, { tax: 'withholding', clientId, day: watDay(now) })
  const details = await readTaxDetails(db, clientId)
  return { ...details, clientCode: code, bps: rate?.bps ?? null, from: rate?.effectiveFrom ?? null }
}

// The fields that each tax takes.
const FIELDS = {
  vat: ['percent'],
  withholding: ['clientId', 'percent'],
  stamp_duty: ['amount', 'threshold', 'bearer'],
} as const

// Refuses a body without the fields that its tax needs, or with others. Percent becomes basis points.
function parseRate(body: Static<typeof RateRequest>) {
  const { tax, percent, amount, threshold, bearer, source } = body
  const neededFields: readonly string[] = FIELDS[tax]
  for (const field of ['clientId', 'percent', 'amount', 'threshold', 'bearer'] as const) {
    const isPresent = body[field] !== undefined
    const isNeeded = neededFields.includes(field)
    if (isPresent && !isNeeded) throw invalidField(field, `Not for ${tax}.`)
    if (!isPresent && isNeeded) throw invalidField(field, `Required for ${tax}.`)
  }
  return {
    tax,
    bps: percent === undefined ? null : parsePercent('percent', percent),
    amountKobo: amount === undefined ? null : (koboOf(amount) as Kobo), // The schema ensures a valid amount.
    thresholdKobo: threshold === undefined ? null : (koboOf(threshold) as Kobo),
    bearer: bearer ?? null,
    effectiveFrom: parseDay(body.effectiveFrom, 'effectiveFrom'),
    source,
  }
}
