// Actions on a collection account, for users who may change accounts.

import { useState } from 'preact/hooks'
import { accountsStrings as strings } from '../../../copy.ts'
import { send } from '../../api.ts'
import { Action, AtOnceButton } from '../../parts/action.tsx'
import { EraseButton } from '../../parts/erase-button.tsx'
import type { Headers } from '../../parts/forms.tsx'
import { AddNumber } from './add-number.tsx'
import { type Account, offerUndo, switchAccount } from './change-account.ts'
import { EditAccount, EditLimits } from './edit-account.tsx'
import { EditPayerRules } from './edit-payer-rules.tsx'

const FORMS = {
  edit: EditAccount,
  limits: EditLimits,
  rules: EditPayerRules,
  addNumber: AddNumber,
} as const
type FormName = keyof typeof FORMS

type ActionsProps = { account: Account; changed: () => void }

// A change made here is known before the account is read again: the next change is based on it.
export function AccountActions({ account: read, changed }: ActionsProps) {
  const [form, setForm] = useState<FormName | undefined>()
  const [own, setOwn] = useState<Account | undefined>()
  const account = own && own.version > read.version ? own : read
  const took = (now: Account) => {
    setOwn(now)
    changed()
  }
  const Form = form && FORMS[form]
  if (isErased(account)) {
    return (
      <section class="after-facts" aria-label={strings.actions}>
        <p class="muted small">{strings.erasedText}</p>
        <div class="buttons after-facts">
          <EraseAccount {...{ account, changed }} />
        </div>
      </section>
    )
  }
  return (
    <section class="buttons after-facts" aria-label={strings.actions}>
      {(Object.keys(FORMS) as FormName[]).map((name) => (
        <button key={name} type="button" class="button" onClick={() => setForm(name)}>
          {strings[name].open}
        </button>
      ))}
      {account.isActive && !account.isDefault && <DefaultButton {...{ account, took }} />}
      <ActiveButton {...{ account, took }} />
      {!account.isActive && <EraseAccount {...{ account, changed }} />}
      {Form && <Form {...{ account, took }} close={() => setForm(undefined)} />}
    </section>
  )
}

// Only an erased account has no email address.
const isErased = ({ email }: Account) => email === ''

// An erased account can be erased again, to remove data that has come since.
function EraseAccount({ account: { accountNumber }, changed }: ActionsProps) {
  const run = async (body: { reason: string }, headers: Headers) => {
    const path = '/api/v1/accounts/static/{accountNumber}/erase'
    const { accounts } = await send('POST', path, { params: { accountNumber }, body, headers })
    return accounts.every(({ isComplete }) => isComplete)
  }
  return <EraseButton of="account" word={accountNumber} run={run} changed={changed} />
}

type Props = { account: Account; took: (now: Account) => void }

// Cannot be undone: which account was the default before is not known here.
function DefaultButton({ account, took }: Props) {
  return (
    <Action
      title={strings.makeDefault.title}
      action={strings.makeDefault.open}
      text={strings.makeDefault.text(account.merchantId)}
      run={async () => took(await switchAccount(account, 'default'))}
      message={strings.makeDefault.done}
    />
  )
}

// A deactivated default account is no longer the default; undo makes it the default again.
function ActiveButton({ account, took }: Props) {
  const { isActive, isDefault } = account
  const turn = async () => {
    const now = await switchAccount(account, isActive ? 'deactivate' : 'activate')
    offerUndo({
      text: isActive ? strings.deactivated : strings.activated,
      took,
      back: async () => {
        const back = await switchAccount(now, isActive ? 'activate' : 'deactivate')
        return isDefault ? switchAccount(back, 'default') : back
      },
    })
    took(now)
  }
  return (
    <AtOnceButton
      label={isActive ? strings.deactivate : strings.activate}
      style={isActive ? 'danger-text' : ''}
      run={turn}
    />
  )
}
