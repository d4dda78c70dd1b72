// Changes a collection account at the version that was read, so that it never overwrites another change
// (412). Reversible changes happen at once, and their toast offers undo.

import { appStrings } from '../../../copy.ts'
import { problemFrom, type Schemas, send } from '../../api.ts'
import { newKey } from '../../parts/forms.tsx'
import { toast, toastWithUndo } from '../../parts/toasts.tsx'

export type Account = Schemas['OwnAccount']
type Changes = Schemas['AccountChange']

const PATH = '/api/v1/accounts/static/{accountNumber}'
const asRead = ({ version }: Account) => ({ 'if-match': `"${version}"` })

export function changeAccount(account: Account, body: Changes): Promise<Account> {
  const params = { accountNumber: account.accountNumber }
  return send('PATCH', PATH, { params, body, headers: asRead(account) })
}

const SWITCHES = {
  activate: `${PATH}/activate`,
  deactivate: `${PATH}/deactivate`,
  default: `${PATH}/default`,
} as const

export function switchAccount(account: Account, to: keyof typeof SWITCHES): Promise<Account> {
  return send('POST', SWITCHES[to], {
    params: { accountNumber: account.accountNumber },
    body: null,
    headers: { 'idempotency-key': newKey(), ...asRead(account) },
  })
}

export function addNumber(
  account: Account,
  bankCode: string,
  headers: Record<string, string>,
): Promise<Account> {
  return send('POST', `${PATH}/numbers`, {
    params: { accountNumber: account.accountNumber },
    body: { bankCode },
    headers: { ...headers, ...asRead(account) },
  })
}

type Undo = { text: string; took: (now: Account) => void; back: () => Promise<Account> }

export function offerUndo({ text, took, back }: Undo): void {
  toastWithUndo(text, async () => {
    try {
      took(await back())
      toast(appStrings.undone)
    } catch (error) {
      toast(problemFrom(error).message, 'bad')
    }
  })
}
