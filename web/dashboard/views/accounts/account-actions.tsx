// What can be done with a collection account. Only whoever may change accounts sees it.

import { useState } from 'preact/hooks'
import { accountsStrings as strings } from '../../../copy.ts'
import { problemFrom, send } from '../../api.ts'
import { staying } from '../../in-flight.ts'
import { Confirm } from '../../parts/dialog.tsx'
import { EraseButton } from '../../parts/erase-button.tsx'
import { toast } from '../../parts/toasts.tsx'
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
type Form = keyof typeof FORMS

type ActionsProps = { account: Account; changed: () => void }

// What was changed here is known before it is read again: the next change must be of that version.
export function AccountActions({ account: read, changed }: ActionsProps) {
  const [form, setForm] = useState<Form | undefined>()
  const [own, setOwn] = useState<Account | undefined>()
  const account = own && own.version > read.version ? own : read
  const took = (now: Account) => {
    setOwn(now)
    changed()
  }
  const Shown = form && FORMS[form]
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
      {(Object.keys(FORMS) as Form[]).map((name) => (
        <button key={name} type="button" class="button" onClick={() => setForm(name)}>
          {strings[name].open}
        </button>
      ))}
      {account.isActive && !account.isDefault && <DefaultButton {...{ account, took }} />}
      <ActiveButton {...{ account, took }} />
      {!account.isActive && <EraseAccount {...{ account, changed }} />}
      {Shown && <Shown {...{ account, took }} close={() => setForm(undefined)} />}
    </section>
  )
}

// Every other account has an email address.
const isErased = ({ email }: Account) => email === ''

// Of one that was erased, again: what has come since.
function EraseAccount({ account: { accountNumber }, changed }: ActionsProps) {
  const run = async (body: { reason: string }, headers: Record<string, string>) => {
    const path = '/api/v1/accounts/static/{accountNumber}/erase'
    const { accounts } = await send('POST', path, { params: { accountNumber }, body, headers })
    return accounts.every(({ isComplete }) => isComplete)
  }
  return <EraseButton of="account" word={accountNumber} run={run} changed={changed} />
}

type Props = { account: Account; took: (now: Account) => void }

// Which account was the default before is not known here, so it cannot be undone.
function DefaultButton({ account, took }: Props) {
  const [isAsked, setAsked] = useState(false)
  const close = () => setAsked(false)
  return (
    <>
      <button type="button" class="button" onClick={() => setAsked(true)}>
        {strings.makeDefault.open}
      </button>
      {isAsked && (
        <Confirm
          title={strings.makeDefault.title}
          action={strings.makeDefault.open}
          run={async () => took(await switchAccount(account, 'default'))}
          done={() => {
            close()
            toast(strings.makeDefault.done)
          }}
          close={close}
        >
          {strings.makeDefault.text(account.merchantId)}
        </Confirm>
      )}
    </>
  )
}

// At once, with undo. A default account that is deactivated is no longer the default: undone, it is.
function ActiveButton({ account, took }: Props) {
  const [isBusy, setBusy] = useState(false)
  const { isActive, isDefault } = account
  const turn = async () => {
    if (isBusy) return
    setBusy(true)
    try {
      const verb = isActive ? 'deactivate' : 'activate'
      const now = await staying(() => switchAccount(account, verb))
      offerUndo({
        text: isActive ? strings.deactivated : strings.activated,
        took,
        back: async () => {
          const back = await switchAccount(now, isActive ? 'activate' : 'deactivate')
          return isDefault ? switchAccount(back, 'default') : back
        },
      })
      took(now)
    } catch (error) {
      toast(problemFrom(error).message, 'bad')
    }
    setBusy(false)
  }
  return (
    <button
      type="button"
      class={`button ${isActive ? 'danger-text' : ''}`}
      aria-disabled={isBusy}
      onClick={turn}
    >
      {isActive ? strings.deactivate : strings.activate}
    </button>
  )
}
