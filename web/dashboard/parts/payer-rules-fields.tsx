// Who may pay, and how much at a time: the fields that forms of accounts and of requests share.

import { accountsStrings } from '../../copy.ts'
import { Problem, type Schemas } from '../api.ts'
import { Field, textOf } from './forms.tsx'

type Rules = Schemas['PayerRulesRequest']

const { rules: strings } = accountsStrings

export function PayerRulesFields({
  rules = null,
}: {
  rules?: Schemas['OwnAccount']['payerRules']
}) {
  return (
    <>
      <AmountField name="minAmount" label={strings.min} value={rules?.minAmount} />
      <AmountField name="maxAmount" label={strings.max} value={rules?.maxAmount} />
      <Field label={strings.names} hint={strings.namesHint} of="payerRules.names">
        {(id, wrong) => (
          <textarea
            id={id}
            name="names"
            rows={3}
            defaultValue={rules?.names?.join('\n') ?? ''}
            {...wrong}
          />
        )}
      </Field>
      {rules?.accounts && <p class="notice">{strings.kept(shownAccounts(rules.accounts))}</p>}
      <Field label={strings.accounts} hint={strings.accountsHint} of="payerRules.accounts">
        {(id, wrong) => <textarea id={id} name="accounts" class="code" rows={3} {...wrong} />}
      </Field>
    </>
  )
}

type AmountProps = { name: 'minAmount' | 'maxAmount'; label: string; value: number | undefined }

function AmountField({ name, label, value }: AmountProps) {
  return (
    <Field label={label} of={`payerRules.${name}`}>
      {(id, wrong) => (
        <input
          id={id}
          name={name}
          inputMode="decimal"
          autocomplete="off"
          pattern="[0-9,]+(\.[0-9]{1,2})?"
          defaultValue={value?.toString() ?? ''}
          {...wrong}
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

function wrongLine(line: string): Problem {
  const message = strings.wrongLine(line)
  return new Problem('invalid_request', message, {
    fields: [{ field: 'payerRules.accounts', message }],
  })
}

// Nothing filled in: no rules.
export function rulesIn(given: FormData): Rules | null {
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
    if (!accountNumber || !bankCode) throw wrongLine(line)
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
