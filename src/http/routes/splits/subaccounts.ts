// /api/v1/subaccounts: create, list, retrieve and change subaccounts. A bank is asked for the name on an
// account before a subaccount is paid to it; no transaction is open meanwhile.

import { enquireName } from '#domain/payouts/enquire-name.ts'
import { saveSubaccountBank } from '#domain/payouts/subaccount-bank.ts'
import {
  createSubaccount,
  generateCode,
  getSubaccount,
  listSubaccounts,
  updateSubaccount,
} from '#domain/splits/subaccounts.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { resource } from '#http/resource.ts'
import { parseBankAccount } from '#http/routes/payouts/bank-account-presenters.ts'
import {
  isCode,
  parsePaidTo,
  SubaccountChange,
  SubaccountRequest,
  SubaccountView,
} from './split-presenters.ts'

export const subaccounts = resource('/api/v1/subaccounts', {
  tag: 'Splits',
  noun: 'subaccount',
  view: SubaccountView,
  scopes: { read: 'payouts:read', write: 'payouts:write' },
  params: { subaccountCode: requireSubaccountCode },
  isForWholeClient: true,
})
  .list('listSubaccounts', {
    summary: 'List subaccounts, newest first',
    description: 'Those that receive shares of your credits, active or not.',
    rows: (db, { clientId, after, limit }) =>
      listSubaccounts(db, clientId, { beforeId: after, limit }),
  })
  .get('getSubaccount', {
    summary: 'Retrieve a subaccount',
    description: 'Its name, where it is paid out to, and whether it is active.',
    errors: ['subaccount_not_found'],
    run: (db, { clientId, params }) => getSubaccount(db, clientId, params.subaccountCode),
  })
  .create('createSubaccount', {
    summary: 'Create a subaccount',
    description:
      'Its bank is asked whose account it is: refused under another name. Unconfirmed ' +
      'until a bank has answered; banks that can be asked are asked again.',
    body: SubaccountRequest,
    errors: [
      'bank_account_inactive',
      'bank_account_mismatch',
      'bank_account_unknown',
      'bank_not_supported',
      'subaccount_exists',
    ],
    parse: ({ body, banks }) => parseBankAccount(body, banks),
    prepare: (call) => ask(call, call.input),
    run: async (tx, call) => {
      const { clientId, body, input, prepared: answer } = call
      const { bankCode, accountNumber, accountName } = input
      const paidTo = { clientId, bankCode, accountNumber, accountName, answer }
      const bankAccountId = await saveSubaccountBank(tx, call, paidTo)
      const code = body.subaccountCode ?? generateCode('SUB')
      return createSubaccount(tx, call, { code, name: body.name, bankAccountId })
    },
  })
  .update('updateSubaccount', {
    summary: 'Rename, deactivate or activate a subaccount, or pay it to another bank account',
    description:
      'An inactive subaccount can’t be used in new splits, and splits that include it can’t be ' +
      'used for new advices or accounts. Existing ones keep it. bankCode, accountNumber and ' +
      'accountName are changed together: the bank is asked whose account it is, and another ' +
      'name is refused. Settlements that are not approved yet are paid to the new account; payouts ' +
      'keep theirs. Send an unconfirmed account again to have the bank asked at once.',
    body: SubaccountChange,
    errors: [
      'bank_account_inactive',
      'bank_account_mismatch',
      'bank_account_unknown',
      'bank_not_supported',
      'subaccount_not_found',
    ],
    parse: ({ body, banks }) => parsePaidTo(body, banks),
    prepare: async (call) => {
      const { db, clientId, params, input: paidTo } = call
      if (!paidTo) return undefined
      await getSubaccount(db, clientId, params.subaccountCode) // Before a bank is asked.
      return { clientId, ...paidTo, answer: await ask(call, paidTo) }
    },
    run: async (tx, call) => {
      const { body, params, prepared: paidTo } = call
      const bankAccountId = paidTo && (await saveSubaccountBank(tx, call, paidTo))
      const changes = { name: body.name, isActive: body.isActive, bankAccountId }
      return updateSubaccount(tx, call, { code: params.subaccountCode, changes })
    },
  })

type PaidTo = { bankCode: string; accountNumber: string; accountName: string }

function ask({ db, bankConnections }: Deps, { bankCode, accountNumber, accountName }: PaidTo) {
  return enquireName(db, bankConnections, { bankCode, accountNumber, expectedName: accountName })
}

function requireSubaccountCode(text: string): string {
  if (!isCode(text)) throw new Refusal('subaccount_not_found')
  return text
}
