// /api/v1/splits: create, list, retrieve and deactivate splits. /api/v1/subaccounts: create, list, retrieve
// and change subaccounts. Before a new bank account is used, the service asks a bank for the holder's name,
// with no transaction open.

import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { resource } from '#http/resource.ts'
import { NoBody } from '#http/schemas.ts'
import { saveSubaccountBank } from '#payouts/bank-accounts.ts'
import { enquireName } from '#payouts/name-enquiries.ts'
import { parseBankAccount } from '#payouts/views.ts'
import { createSplit, deactivateSplit, getSplit, listSplits } from './split.ts'
import {
  createSubaccount,
  generateCode,
  getSubaccount,
  listSubaccounts,
  updateSubaccount,
} from './subaccounts.ts'
import {
  isCode,
  parsePaidTo,
  parseSplit,
  SplitRequest,
  SplitView,
  SubaccountChange,
  SubaccountRequest,
  SubaccountView,
} from './views.ts'

export const splits = resource('/api/v1/splits', {
  tag: 'Splits',
  noun: 'split',
  view: SplitView,
  scopes: { read: 'payouts:read', write: 'payouts:write' },
  params: { splitCode: requireSplitCode },
  isForWholeClient: true,
})
  .list('listSplits', {
    summary: 'List splits, newest first',
    description: 'How credits are shared among your subaccounts. Splits never change.',
    rows: (db, { clientId, after, limit }) => listSplits(db, clientId, { beforeId: after, limit }),
  })
  .get('getSplit', {
    summary: 'Retrieve a split',
    description: 'Its parts, in the order in which flat shares are paid.',
    errors: ['split_not_found'],
    run: (db, { clientId, params }) => getSplit(db, clientId, params.splitCode),
  })
  .create('createSplit', {
    summary: 'Create a split',
    description:
      'Advices and collection accounts name it by splitCode. What is booked for them is ' +
      'shared after the fee; the main account keeps the rest. Splits cannot be changed: ' +
      'create another one for other terms.',
    body: SplitRequest,
    errors: ['split_exists'],
    parse: ({ body }) => parseSplit(body),
    run: (tx, call) => createSplit(tx, call, call.input),
  })
  .act('deactivateSplit', {
    path: '/:splitCode/deactivate',
    summary: 'Deactivate a split',
    description:
      'It can no longer be given to advices and accounts; those that have it keep it. Idempotent.',
    body: NoBody,
    errors: ['split_not_found'],
    message: 'Split deactivated successfully',
    run: (tx, call) => deactivateSplit(tx, call, call.params.splitCode),
  })

function requireSplitCode(text: string): string {
  if (!isCode(text)) throw new Refusal('split_not_found')
  return text
}

export const subaccounts = resource('/api/v1/subaccounts', {
  tag: 'Splits',
  noun: 'subaccount',
  view: SubaccountView,
  scopes: { read: 'payouts:read', write: 'payouts:write' },
  params: { subaccountCode: requireSubaccountCode },
  isForWholeClient: true,
})
  .list('listSubaccounts', {
    exportAs: 'exportSubaccounts',
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
    prepare: (call) => enquireAccountName(call, call.input),
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
      // Refuses an unknown code before a bank is called.
      await getSubaccount(db, clientId, params.subaccountCode)
      return { clientId, ...paidTo, answer: await enquireAccountName(call, paidTo) }
    },
    run: async (tx, call) => {
      const { body, params, prepared: paidTo } = call
      const bankAccountId = paidTo && (await saveSubaccountBank(tx, call, paidTo))
      const changes = { name: body.name, isActive: body.isActive, bankAccountId }
      return updateSubaccount(tx, call, { code: params.subaccountCode, changes })
    },
  })

type PaidTo = { bankCode: string; accountNumber: string; accountName: string }

// Asks a bank for the name of the account's holder.
function enquireAccountName(
  { db, bankConnections }: Deps,
  { bankCode, accountNumber, accountName }: PaidTo,
) {
  return enquireName(db, bankConnections, { bankCode, accountNumber, expectedName: accountName })
}

function requireSubaccountCode(text: string): string {
  if (!isCode(text)) throw new Refusal('subaccount_not_found')
  return text
}
