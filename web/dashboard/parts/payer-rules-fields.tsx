// The fields of payer rules: which payers may pay, and how much per transfer.

import { accountsStrings } from '../../copy.ts'
import { Problem, type Schemas } from '../api.ts'
import { AMOUNT, type Form, InputField, TextAreaField } from './forms.tsx'

const { rules: strings } = accountsStrings

export function PayerRulesFields(props: { rules?: Schemas['OwnAccount']['payerRules'] }) {
  const { rules = null } = props
  return (
    <>
      <AmountField name="minAmount" label={strings.min} value={rules?.minAmount} />
      <AmountField name="maxAmount" label={strings.max} value={rules?.maxAmount} />
      <TextAreaField
        label={strings.names}
        hint={strings.namesHint}
        errorField="payerRules.names"
        name="names"
        rows={3}
        defaultValue={rules?.names?.join('\n') ?? ''}
      />
      {rules?.accounts && <p class="notice">{strings.kept(payerAccountsText(rules.accounts))}</p>}
      <TextAreaField
        label={strings.accounts}
        hint={strings.accountsHint}
        errorField="payerRules.accounts"
        name="accounts"
        class="code"
        rows={3}
      />
    </>
  )
}

type AmountProps = { name: 'minAmount' | 'maxAmount'; label: string; value: number | undefined }

function AmountField({ name, label, value }: AmountProps) {
  return (
    <InputField
      label={label}
      errorField={`payerRules.${name}`}
      name={name}
      {...AMOUNT}
      defaultValue={value?.toString() ?? ''}
    />
  )
}

type Payers = readonly { accountNumber: string; bankCode: string }[]

// The accounts from which payers may pay, in one line.
export function payerAccountsText(accounts: Payers): string {
  return accounts
    .map(({ accountNumber, bankCode }) => strings.account(accountNumber, bankCode))
    .join(', ')
}

// The error at the field for accounts that quotes the line that cannot be read.
function wrongLineProblem(line: string): Problem {
  const message = strings.wrongLine(line)
  return new Problem('invalid_request', message, {
    fields: [{ field: 'payerRules.accounts', message }],
  })
}

// Reads the payer rules from the form; null if every field is blank. Throws a problem that names the line
// if an account cannot be read.
export function payerRulesFrom(form: Form): Schemas['PayerRulesRequest'] | null {
  const linesOf = (name: string) =>
    form
      .text(name)
      .split(/\r?\n/)
      .map((line) => line.trim())
      .filter(Boolean)
  const minAmount = form.amount('minAmount')
  const maxAmount = form.amount('maxAmount')
  const names = linesOf('names')
  // Each line is a number of ten digits and a bank code of three or five.
  const accounts = linesOf('accounts').map((line) => {
    const [, accountNumber, bankCode] = /^([0-9]{10})[\s,;]+([0-9]{3}|[0-9]{5})$/.exec(line) ?? []
    if (!accountNumber || !bankCode) throw wrongLineProblem(line)
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
