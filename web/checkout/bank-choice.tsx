// Choosing a bank: a plain form that works without JavaScript.

import { checkoutStrings as strings } from '../copy.ts'
import { formatNaira } from '../money.ts'
import { Fees, Sum } from './amounts.tsx'
import { type Actions, type Bank, formatNumber, type Model, shownNumber } from './checkout.ts'

type Props = { model: Model; actions: Actions | undefined }

export function BankChoice({ model, actions }: Props) {
  const { banks, amount, merchantName, narration } = model.checkout
  const [first, ...others] = banks
  const isOne = first !== undefined && others.length === 0
  return (
    <>
      <h1 class="unseen" tabIndex={-1}>
        {strings.payTo(merchantName)}
      </h1>
      <Sum label={strings.due} amount={formatNaira(amount)} purpose={narration} />
      <Fees checkout={model.checkout} />
      <h2>{isOne ? strings.oneBankTitle : strings.chooseTitle}</h2>
      <p class="hint">{isOne ? strings.oneBankHint(first.name) : strings.chooseHint}</p>
      <Problem problem={model.problem} />
      {isOne ? (
        <ChoiceForm model={model} actions={actions}>
          <button class="primary" type="submit" name="bankCode" value={first.code}>
            {model.asking === undefined ? strings.oneBankButton : strings.asking}
          </button>
        </ChoiceForm>
      ) : (
        <BankList model={model} actions={actions} banks={banks} />
      )}
    </>
  )
}

// Closed until it is asked for: a further number is never issued by accident. Those that were issued are
// still good, and come first.
export function OtherBank({ model, actions }: Props) {
  const { numbers } = model.checkout
  const shown = shownNumber(model)
  const taken = numbers.map((number) => number.bankCode)
  const banks: Choice[] = [
    ...numbers
      .filter((number) => number !== shown)
      .map(({ bankCode, bankName, accountNumber }) => {
        return { code: bankCode, name: bankName, accountNumber }
      }),
    ...model.checkout.banks.filter((bank) => !taken.includes(bank.code)),
  ]
  if (banks.length === 0) return null
  return (
    <details class="other">
      <summary>{strings.otherBank}</summary>
      <p class="hint">{strings.otherBankHint}</p>
      {model.failedAt === 'choice' && <Problem problem={model.problem} />}
      <BankList model={model} actions={actions} banks={banks} />
    </details>
  )
}

type Choice = Bank & { accountNumber?: string } // Where there is one already.

function BankList({ model, actions, banks }: Props & { banks: Choice[] }) {
  return (
    <ChoiceForm model={model} actions={actions}>
      <ul class="banks">
        {banks.map(({ code, name, accountNumber }) => (
          <li key={code}>
            <button
              class="bank"
              type="submit"
              name={accountNumber ? 'bank' : 'bankCode'}
              value={code}
              formmethod={accountNumber && 'get'} // To show it changes nothing.
              aria-busy={model.asking === code}
              aria-disabled={model.asking !== undefined}
            >
              <span>
                {name}
                {accountNumber && <span class="hint">{` ${formatNumber(accountNumber)}`}</span>}
              </span>
              <span class="busy-mark" aria-hidden="true" />
            </button>
          </li>
        ))}
      </ul>
    </ChoiceForm>
  )
}

type FormProps = Props & { children: preact.ComponentChildren }

function ChoiceForm({ model, actions, children }: FormProps) {
  const onSubmit = (event: SubmitEvent) => {
    const button = event.submitter as HTMLButtonElement | null
    if (!actions || !button) return
    event.preventDefault()
    actions.choose(button.value)
  }
  return (
    <form method="post" action="/pay" onSubmit={onSubmit}>
      <input type="hidden" name="adviceReference" value={model.checkout.adviceReference} />
      {children}
    </form>
  )
}

// A problem comes with the address, so anybody can write one.
const PROBLEMS = new Map<string, string>(Object.entries(strings.problems))

export function Problem({ problem }: { problem: string | undefined }) {
  if (problem === undefined) return null
  return (
    <p class="problem" role="alert">
      {PROBLEMS.get(problem) ?? strings.problems.other}
    </p>
  )
}
