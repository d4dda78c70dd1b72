// /api/v1/operator/clients/{clientId}/number-ceilings: how many account numbers of each bank a client may
// hold.

import { type Static, Type } from '@fastify/type-provider-typebox'
import { requireClientId } from '#access/client-routes.ts'
import { getClient } from '#access/clients.ts'
import { invalidField } from '#errors.ts'
import { resource } from '#http/resource.ts'
import { namedBody } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import {
  type NewCeiling,
  type NumberCeilings,
  readNumberCeilings,
  writeNumberCeilings,
} from './number-shares.ts'

const CEILING_MAX = 1_000_000_000
const BANKS_MAX = 100

const count = (description: string) =>
  Type.Unsafe<number | null>({
    ...{ type: ['integer', 'null'], minimum: 0, maximum: CEILING_MAX, description },
    'x-says': `Must be a whole number from 0 to ${CEILING_MAX}, or null.`,
  })

const BankView = view('NumberCeilingsOfBank', (f: Fields<NumberCeilings>) => ({
  bankCode: f.text('bankCode'),
  accounts: f.integerOrNull('accounts', 'Most numbers of collection accounts. Null: the default.'),
  leases: f.integerOrNull('leases', 'Most numbers leased to payments. Null: the default.'),
  accountsHeld: f.integer('accountsHeld', 'Numbers of its collection accounts.'),
  leasesHeld: f.integer(
    'leasesHeld',
    'Numbers leased to its payments and not reusable yet. An ended lease may count for ten minutes.',
  ),
  defaultAccounts: f.integerOrNull(
    'defaultAccounts',
    'Half of the range of at least 1,000 numbers.',
  ),
  defaultLeases: f.integerOrNull('defaultLeases', 'Half of the range of at least 1,000 numbers.'),
}))

type Banks = { banks: readonly NumberCeilings[] }
const CeilingsView = view('NumberCeilings', (f: Fields<Banks>) => ({
  banks: f.list(BankView, 'banks'),
}))

const CeilingsRequest = namedBody('NumberCeilingsRequest', {
  banks: Type.Array(
    Type.Object(
      {
        bankCode: Type.String({ maxLength: 6, 'x-says': 'Must be a bank code.' }),
        accounts: Type.Optional(count('Most numbers of collection accounts.')),
        leases: Type.Optional(count('Most numbers leased to payments.')),
      },
      {
        additionalProperties: false,
        'x-says': 'Must be an object with bankCode, and accounts or leases.',
      },
    ),
    {
      maxItems: BANKS_MAX,
      description: 'Banks that are missing have no ceiling. Null or missing: the default.',
      'x-says': 'Must be a list of banks with their ceilings.',
    },
  ),
})

export const clientNumberCeilings = resource('/api/v1/operator/clients/:clientId/number-ceilings', {
  tag: 'Operator',
  noun: 'ceiling',
  view: CeilingsView,
  scopes: { read: 'operator', write: 'operator' },
  params: { clientId: requireClientId },
})
  .get('getClientNumberCeilings', {
    path: '',
    summary: 'Retrieve how many account numbers a client may hold',
    description:
      'At each bank: its ceilings, what it holds, and the default share. A client above its default ' +
      'share gets numbers only while more than a fifth of the range is free.',
    errors: ['client_not_found'],
    message: 'Ceilings retrieved successfully',
    run: async (db, { params, now, banks }) => {
      const { id } = await getClient(db, now, params.clientId)
      return { banks: await readNumberCeilings(db, banks, id) }
    },
  })
  .replace('setClientNumberCeilings', {
    path: '',
    summary: 'Set how many account numbers a client may hold',
    description:
      'Replaces all ceilings, from the next number on. The client keeps the numbers that it holds. Above ' +
      'a ceiling, number_ceiling_reached.',
    body: CeilingsRequest,
    errors: ['bank_not_supported', 'client_not_found'],
    message: 'Ceilings updated successfully',
    parse: ({ body, banks }) => parseCeilings(body, new Set(banks.map(({ code }) => code))),
    run: async (tx, { params, now, banks, input, clientId, actor }) => {
      const { id, clientId: name } = await getClient(tx, now, params.clientId)
      const before = await readNumberCeilings(tx, banks, id)
      await writeNumberCeilings(tx, now, { clientId: id, ceilings: input })
      const after = await readNumberCeilings(tx, banks, id)
      await writeAuditLog(tx, now, {
        clientId,
        actor,
        action: 'client.number_ceilings',
        subject: `client/${name}`,
        detail: { before: before.flatMap(toAudited), after: after.flatMap(toAudited) },
      })
      return { banks: after }
    },
  })

// Checks that each bank is known and occurs once, which the schema cannot express.
function parseCeilings(
  { banks }: Static<typeof CeilingsRequest>,
  known: ReadonlySet<string>,
): NewCeiling[] {
  const codes = banks.map(({ bankCode }) => bankCode)
  if (codes.some((code) => !known.has(code))) {
    throw invalidField('banks', 'Must name banks of the service.')
  }
  if (new Set(codes).size < codes.length) throw invalidField('banks', 'Must name each bank once.')
  return banks.flatMap(({ bankCode, accounts = null, leases = null }): NewCeiling[] => [
    { bankCode, purpose: 'static', ceiling: accounts },
    { bankCode, purpose: 'dynamic', ceiling: leases },
  ])
}

const toAudited = ({ bankCode, accounts, leases }: NumberCeilings) =>
  accounts === null && leases === null ? [] : [{ bankCode, accounts, leases }]
