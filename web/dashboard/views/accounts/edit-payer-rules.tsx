// Who may pay into a collection account. Of payers' accounts only fingerprints are kept, so those that
// are to stay are entered again; rules without them can be undone.

import { useState } from 'preact/hooks'
import { accountsStrings, appStrings } from '../../../copy.ts'
import { Problem, type Schemas } from '../../api.ts'
import { Confirm, DialogForm } from '../../parts/dialog.tsx'
import { Field, textOf, useSending } from '../../parts/forms.tsx'
import { toast } from '../../parts/toasts.tsx'
import { changeAccount, offerUndo } from './change-account.ts'
import type { EditProps } from './edit-account.tsx'

type Rules = Schemas['PayerRulesRequest']

const { rules: strings } = accountsStrings

export function EditPayerRules(props: EditProps) {
  const { close, took } = props
  const [account] = useState(props.account) // As it was opened: edit-account.tsx.
  const [isRemoving, setRemoving] = useState(false)
  const rules = account.payerRules
  const isKnown = !rules?.accounts?.length
  const said = (text: string, now: typeof account) => {
    close()
    took(now)
    if (!isKnown) return toast(text)
    offerUndo({ text, took, back: () => changeAccount(now, { payerRules: rules }) })
  }
  const sending = useSending(async (given) => {
    const payerRules = rulesIn(given)
    said(appStrings.saved, await changeAccount(account, { payerRules }))
  })
  return (
    <>
      <DialogForm
        title={strings.title}
        action={appStrings.save}
        sending={sending}
        close={close}
        otherAction={
          rules && (
            <button type="button" class="button danger-text" onClick={() => setRemoving(true)}>
              {strings.remove}
            </button>
          )
        }
      >
        <p class="muted">{strings.text}</p>
        <AmountField name="minAmount" label={strings.min} value={rules?.minAmount} />
        <AmountField name="maxAmount" label={strings.max} value={rules?.maxAmount} />
        <Field label={strings.names} hint={strings.namesHint}>
          {(id) => (
            <textarea id={id} name="names" rows={3} defaultValue={rules?.names?.join('\n') ?? ''} />
          )}
        </Field>
        {rules?.accounts && <p class="notice">{strings.kept(shownAccounts(rules.accounts))}</p>}
        <Field label={strings.accounts} hint={strings.accountsHint}>
          {(id) => <textarea id={id} name="accounts" class="code" rows={3} />}
        </Field>
      </DialogForm>
      {isRemoving && (
        <Confirm
          title={strings.removeTitle}
          action={strings.remove}
          isDangerous
          run={async () =>
            said(strings.removed, await changeAccount(account, { payerRules: null }))
          }
          done={() => {}}
          close={() => setRemoving(false)}
        >
          {strings.removeText}
        </Confirm>
      )}
    </>
  )
}

type AmountProps = { name: string; label: string; value: number | undefined }

function AmountField({ name, label, value }: AmountProps) {
  return (
    <Field label={label}>
      {(id) => (
        <input
          id={id}
          name={name}
          inputMode="decimal"
          autocomplete="off"
          pattern="[0-9,]+(\.[0-9]{1,2})?"
          defaultValue={value?.toString() ?? ''}
        />
      )}
    </Field>
  )
}

type Payers = readonly { accountNumber: string; bankCode: string }[]

export function shownAccounts(accounts: Payers): string {
  return accounts
    .map(({ accountNumber, bankCode }) => strings.account(accountNumber, bankCode))
    .join(', ')
}

// Nothing filled in: no rules.
function rulesIn(given: FormData): Rules | null {
  const lines = (name: string) =>
    textOf(given, name)
      .split(/\r?\n/)
      .map((line) => line.trim())
      .filter(Boolean)
  const minAmount = textOf(given, 'minAmount').replaceAll(',', '')
  const maxAmount = textOf(given, 'maxAmount').replaceAll(',', '')
  const names = lines('names')
  const accounts = lines('accounts').map((line) => {
    const [, accountNumber, bankCode] = /^([0-9]{10})[\s,;]+([0-9]{3}|[0-9]{5})$/.exec(line) ?? []
    if (!accountNumber || !bankCode) throw new Problem('wrong_line', strings.wrongLine(line))
    return { accountNumber, bankCode }
  })
  const rules = {
    ...(minAmount ? { minAmount } : {}),
    ...(maxAmount ? { maxAmount } : {}),
    ...(names.length > 0 ? { names } : {}),
    ...(accounts.length > 0 ? { accounts } : {}),
  }
  return Object.keys(rules).length > 0 ? rules : null
}
