// What can be done with a collection account. Only whoever may change accounts sees it.

import { useState } from 'preact/hooks'
import { problemFrom } from '../../api.ts'
import { Confirm } from '../../parts/dialog.tsx'
import { toast } from '../../parts/toasts.tsx'
import { accountsStrings as strings } from '../../strings/accounts.ts'
import { type Account, offerUndo, switchAccount } from './change-account.ts'
import { EditAccount, EditLimits } from './edit-account.tsx'
import { EditPayerRules } from './edit-payer-rules.tsx'

const FORMS = { edit: EditAccount, limits: EditLimits, rules: EditPayerRules } as const
type Form = keyof typeof FORMS

export function AccountActions({ account, changed }: { account: Account; changed: () => void }) {
  const [form, setForm] = useState<Form | undefined>()
  const Shown = form && FORMS[form]
  return (
    <section class="buttons after-facts" aria-label={strings.actions}>
      {(Object.keys(FORMS) as Form[]).map((name) => (
        <button key={name} type="button" class="button" onClick={() => setForm(name)}>
          {strings[name].open}
        </button>
      ))}
      {account.isActive && !account.isDefault && <DefaultButton {...{ account, changed }} />}
      <ActiveButton {...{ account, changed }} />
      {Shown && <Shown {...{ account, changed }} close={() => setForm(undefined)} />}
    </section>
  )
}

type Props = { account: Account; changed: () => void }

// Which account was the default before is not known here, so it cannot be undone.
function DefaultButton({ account, changed }: Props) {
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
          run={() => switchAccount(account, 'default')}
          done={() => {
            close()
            toast(strings.makeDefault.done)
            changed()
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
function ActiveButton({ account, changed }: Props) {
  const [isBusy, setBusy] = useState(false)
  const { isActive, isDefault } = account
  const turn = async () => {
    if (isBusy) return
    setBusy(true)
    try {
      const now = await switchAccount(account, isActive ? 'deactivate' : 'activate')
      offerUndo({
        text: isActive ? strings.deactivated : strings.activated,
        changed,
        back: async () => {
          const back = await switchAccount(now, isActive ? 'activate' : 'deactivate')
          if (isDefault) await switchAccount(back, 'default')
        },
      })
    } catch (error) {
      toast(problemFrom(error).message, 'bad')
    }
    setBusy(false)
    changed()
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
