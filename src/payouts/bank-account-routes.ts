// /api/v1/bank-accounts: the accounts that a client's payouts go to. Before an account is saved, the service
// asks a bank for the holder's name, with no transaction open. /api/v1/banks: the institutions that payouts
// can go to.

import { Type } from '@fastify/type-provider-typebox'
import { BANKS, type Bank, KINDS } from '#banks/directory.ts'
import { flag, parseFlag } from '#http/lists.ts'
import { resource } from '#http/resource.ts'
import { SOME_CHANGE, text } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import {
  changeBankAccount,
  getBankAccount,
  listBankAccounts,
  saveBankAccount,
} from './bank-accounts.ts'
import { enquireName } from './name-enquiries.ts'
import { BankAccountRequest, BankAccountView, parseBankAccount } from './views.ts'

export const bankAccounts = resource('/api/v1/bank-accounts', {
  tag: 'Payouts',
  noun: 'bank account',
  view: BankAccountView,
  scopes: { read: 'payouts:read', write: 'payouts:write' },
  params: { reference: String },
  isForWholeClient: true,
})
  .create('createBankAccount', {
    summary: 'Add a bank account',
    description:
      'The bank is asked whose account it is. An account that the bank does not know is ' +
      'refused; one under another name is kept as a mismatch, and nothing is paid to it. Send ' +
      'it again to correct the name. The first becomes the default.',
    body: BankAccountRequest,
    errors: ['bank_account_exists', 'bank_account_unknown', 'bank_not_supported'],
    parse: ({ body, banks }) => parseBankAccount(body, banks),
    prepare: ({ db, bankConnections, input: { bankCode, accountNumber, accountName } }) =>
      enquireName(db, bankConnections, { bankCode, accountNumber, expectedName: accountName }),
    run: async (tx, call) => {
      const { clientId, actor, now, input, prepared: answer } = call
      const reference = await saveBankAccount(tx, call, { clientId, ...input, answer })
      const account = await getBankAccount(tx, clientId, reference)
      const { bankCode, accountName, status } = account
      await writeAuditLog(tx, now, {
        clientId,
        actor,
        action: 'bank_account.create',
        subject: `bank-account/${reference}`,
        detail: { bankCode, accountName, status },
      })
      return account
    },
  })
  .list('listBankAccounts', {
    exportAs: 'exportBankAccounts',
    summary: 'List bank accounts, newest first',
    description: 'The accounts that payouts and settlements can be paid to.',
    filters: {
      isActive: flag('false: those that were deactivated.'),
    },
    rows: (db, { clientId, query, after, limit }) =>
      listBankAccounts(db, {
        clientId,
        isActive: parseFlag(query.isActive),
        beforeId: after,
        limit,
      }),
  })
  .get('getBankAccount', {
    summary: 'Retrieve a bank account',
    description: 'Its name at the bank, as the bank answered, and whether it can be paid to.',
    errors: ['bank_account_not_found'],
    run: (db, { clientId, params }) => getBankAccount(db, clientId, params.reference),
  })
  .update('updateBankAccount', {
    summary: 'Update a bank account',
    description: 'An inactive account is paid nothing, and is not the default.',
    body: Type.Object(
      {
        isDefault: Type.Optional(
          Type.Unsafe<true>({
            type: 'boolean',
            const: true,
            description: 'Make it the default. To change it back, make another the default.',
            'x-says': 'Must be true.',
          }),
        ),
        isActive: Type.Optional(Type.Boolean({ 'x-says': 'Must be true or false.' })),
      },
      SOME_CHANGE,
    ),
    errors: ['bank_account_inactive', 'bank_account_mismatch', 'bank_account_not_found'],
    run: (tx, call) =>
      changeBankAccount(tx, call, { reference: call.params.reference, changes: call.body }),
  })

const InstitutionView = view('Institution', (f: Fields<Bank>) => ({
  code: f.text('code', 'As in bankCode: the CBN code, else the NIP code.'),
  name: f.text('name'),
  kind: f.as<Bank['kind']>(Type.Unsafe({ type: 'string', enum: [...KINDS] }), 'kind'),
  cbnCode: f.textOrNull(({ cbnCode }) => cbnCode ?? null, 'Three digits, or five.'),
  nipCode: f.textOrNull(({ nipCode }) => nipCode ?? null, 'Six digits: its code on the NIP rail.'),
  aliases: f.as(
    Type.Array(Type.String(), {
      description: 'Codes of single providers, accepted as bankCode too.',
    }),
    ({ aliases = [] }) => [...aliases],
  ),
  otherNames: f.as(
    Type.Array(Type.String(), { description: 'Names that it is also found by.' }),
    ({ otherNames = [] }) => [...otherNames],
  ),
  canBePaid: f.flag(
    ({ canBePaid = true }) => canBePaid,
    'Whether a bank account there is accepted.',
  ),
  checksNuban: f.as<boolean | null>(
    Type.Unsafe({
      type: ['boolean', 'null'],
      description:
        'True: account numbers have the NUBAN check digit. False: they are telephone numbers. Null: ' +
        'not known, and no number is refused for it.',
    }),
    ({ checksNuban = null }) => checksNuban,
  ),
}))

const SEARCH_MAX = 100

// GET /api/v1/banks: the institutions that payouts can go to and credits can come from. Needs no token.
export const institutions = resource('/api/v1/banks', {
  tag: 'Payouts',
  noun: 'bank',
  view: Type.Array(InstitutionView.schema),
  scopes: 'anyone',
}).get('listInstitutions', {
  path: '',
  summary: 'List banks and other institutions',
  description:
    'Commercial, microfinance and mortgage banks, mobile money operators and payment service ' +
    'banks, in the order of their names.',
  query: {
    search: Type.Optional(text(SEARCH_MAX, 'Part of a name, case-insensitive, or a whole code.')),
  },
  message: 'Banks retrieved successfully',
  run: async (_db, { query: { search = '' } }) =>
    findInstitutions(search).map((bank) => InstitutionView.present(bank)),
})

const SORTED = BANKS.toSorted((one, other) => one.name.localeCompare(other.name, 'en'))

// Finds institutions by a part of their name, or by a whole code. Without a search term, returns all.
function findInstitutions(search: string): readonly Bank[] {
  const term = search.trim().toLowerCase()
  if (term === '') return SORTED
  return SORTED.filter(
    ({ code, name, cbnCode, nipCode, aliases = [], otherNames = [] }) =>
      [code, cbnCode, nipCode, ...aliases].includes(term) ||
      [name, ...otherNames].some((anyName) => anyName.toLowerCase().includes(term)),
  )
}
