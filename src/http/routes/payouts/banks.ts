// GET /api/v1/banks: the institutions that money can be paid to or come from, by name and by any code.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { BANKS, type Bank, KINDS } from '#banks/directory.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { query } from '#http/lists.ts'
import { ApiEnvelope, named, nullable, text } from '#http/schemas.ts'

const InstitutionBody = named('Institution', {
  code: Type.String({ description: 'As in bankCode: the CBN code, else the NIP code.' }),
  name: Type.String(),
  kind: Type.Unsafe<Bank['kind']>({ type: 'string', enum: [...KINDS] }),
  cbnCode: nullable('string', { description: 'Three digits, or five.' }),
  nipCode: nullable('string', { description: 'Six digits: its code on the NIP rail.' }),
  aliases: Type.Array(Type.String(), {
    description: 'Codes of single providers, accepted as bankCode too.',
  }),
  otherNames: Type.Array(Type.String(), { description: 'Names that it is also found by.' }),
  canBePaid: Type.Boolean({ description: 'Whether a bank account there is accepted.' }),
  checksNuban: Type.Unsafe<boolean | null>({
    type: ['boolean', 'null'],
    description:
      'True: account numbers have the NUBAN check digit. False: they are telephone numbers. Null: ' +
      'not known, and no number is refused for it.',
  }),
})

const SEARCH_MAX = 100

export const bankRoutes: FastifyPluginAsyncTypebox<Deps> = async (app) => {
  app.get(
    '/api/v1/banks',
    {
      schema: {
        operationId: 'listInstitutions',
        tags: ['Payouts'],
        summary: 'List banks and other institutions',
        description:
          'Commercial, microfinance and mortgage banks, mobile money operators and payment service ' +
          'banks, in the order of their names.',
        querystring: query({
          search: Type.Optional(
            text(SEARCH_MAX, 'Part of a name, case-insensitive, or a whole code.'),
          ),
        }),
        response: { 200: ApiEnvelope(Type.Array(InstitutionBody)) },
      },
    },
    async ({ query: { search = '' } }) =>
      accepted('Banks retrieved successfully', findInstitutions(search).map(present)),
  )
}

const SORTED = BANKS.toSorted((one, other) => one.name.localeCompare(other.name, 'en'))

function findInstitutions(search: string): readonly Bank[] {
  const wanted = search.trim().toLowerCase()
  if (wanted === '') return SORTED
  return SORTED.filter(
    ({ code, name, cbnCode, nipCode, aliases = [], otherNames = [] }) =>
      [code, cbnCode, nipCode, ...aliases].includes(wanted) ||
      [name, ...otherNames].some((each) => each.toLowerCase().includes(wanted)),
  )
}

function present(bank: Bank) {
  const { code, name, kind, cbnCode, nipCode, aliases, otherNames, canBePaid, checksNuban } = bank
  return {
    code,
    name,
    kind,
    cbnCode: cbnCode ?? null,
    nipCode: nipCode ?? null,
    aliases: [...(aliases ?? [])],
    otherNames: [...(otherNames ?? [])],
    canBePaid: canBePaid ?? true,
    checksNuban: checksNuban ?? null,
  }
}
