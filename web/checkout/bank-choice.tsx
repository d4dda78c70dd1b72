// The choice of a bank: a plain form that works without JavaScript.

import { matchesBank } from '../bank-search.ts'
import { checkoutStrings as strings } from '../copy.ts'
import { formatNaira } from '../money.ts'
import { type Actions, type Bank, formatNumber, type Model, shownNumber } from './checkout.ts'
import { AmountToPay, Fees, Problem } from './page-parts.tsx'

const SEARCHED_FROM = 6 // A shorter list needs no search field.

type Props = { model: Model; actions: Actions | undefined }

// The view before any bank has issued a number: the amount and the banks to choose from, or a single button
// if there is only one bank.
export function BankChoice({ model, actions }: Props) {
  const { banks, amount, merchantName, narration } = model.checkout
  const [first, ...others] = banks
  const isOnlyBank = first !== undefined && others.length === 0
  return (
    <>
      <h1 class="unseen" tabIndex={-1}>
        {strings.payTo(merchantName)}
      </h1>
      <AmountToPay label={strings.due} amount={formatNaira(amount)} purpose={narration} />
      <Fees checkout={model.checkout} />
      <h2>{isOnlyBank ? strings.oneBankTitle : strings.chooseTitle}</h2>
      <p class="hint">{isOnlyBank ? strings.oneBankHint(first.name) : strings.chooseHint}</p>
      <Problem problem={model.problem} />
      {isOnlyBank ? (
        <ChoiceForm model={model} actions={actions}>
          <button class="primary" type="submit" name="bankCode" value={first.code}>
            {model.requestedBankCode === undefined ? strings.oneBankButton : strings.asking}
          </button>
        </ChoiceForm>
      ) : (
        <BankList model={model} actions={actions} banks={banks} />
      )}
    </>
  )
}

// Lets the payer choose another bank after a number was issued. It is folded, so that nobody requests
// another number by accident. Numbers that were issued before stay valid and are listed first.
export function OtherBank({ model, actions }: Props) {
  const banks = otherBanks(model)
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

type Choice = Bank & { accountNumber?: string } // Set if the bank has issued a number already.

// The banks besides the shown one: first those with an issued number, then those that can still issue one.
function otherBanks(model: Model): Choice[] {
  const { numbers, banks } = model.checkout
  const current = shownNumber(model)
  const issued = numbers.map((number) => number.bankCode)
  return [
    ...numbers
      .filter((number) => number !== current)
      .map(({ bankCode, bankName, accountNumber }) => {
        const otherNames = banks.find(({ code }) => code === bankCode)?.otherNames ?? []
        return { code: bankCode, name: bankName, otherNames, accountNumber }
      }),
    ...banks.filter((bank) => !issued.includes(bank.code)),
  ]
}

// Returns the banks that match the search, for the announcement of their count.
export function foundBanks(model: Model): Choice[] {
  const { checkout, search } = model
  const banks = checkout.numbers.length > 0 ? otherBanks(model) : checkout.banks
  return banks.filter((bank) => matchesSearch(bank, search))
}

function matchesSearch({ code, name, otherNames }: Choice, search: string): boolean {
  return matchesBank({ names: [name, ...otherNames], codes: [code] }, search)
}

// Lists the banks. Those that the search does not match are hidden, not removed, because the server's
// markup has no search and hydration needs the same elements.
function BankList({ model, actions, banks }: Props & { banks: Choice[] }) {
  const isLong = banks.length > SEARCHED_FROM
  const isHidden = (bank: Choice) => isLong && !matchesSearch(bank, model.search)
  return (
    <>
      {isLong && <Search model={model} actions={actions} />}
      {banks.every(isHidden) && <p class="hint">{strings.noBankFound}</p>}
      <ChoiceForm model={model} actions={actions}>
        <ul class="banks">
          {banks.map((bank) => (
            <li key={bank.code} hidden={isHidden(bank)}>
              <BankButton model={model} bank={bank} />
            </li>
          ))}
        </ul>
      </ChoiceForm>
    </>
  )
}

// The search field is outside the form, because Enter in the form would choose the first bank of the whole
// list. Here Enter moves the focus to the first match.
function Search({ model, actions }: Props) {
  return (
    <label class="find">
      <span>{strings.findBank}</span>
      <input
        type="search"
        value={model.search}
        autocomplete="off"
        spellcheck={false}
        enterkeyhint="search"
        onInput={(event) => actions?.search(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          event.preventDefault() // Otherwise the same key press also activates the focused bank.
          const list = event.currentTarget.closest('main')
          list?.querySelector<HTMLElement>('li:not([hidden]) > .bank')?.focus()
        }}
      />
    </label>
  )
}

// A bank that has issued a number shows it again; any other bank issues one.
function BankButton({ model, bank }: Pick<Props, 'model'> & { bank: Choice }) {
  const { code, name, accountNumber } = bank
  return (
    <button
      class="bank"
      type="submit"
      name={accountNumber ? 'bank' : 'bankCode'}
      value={code}
      formmethod={accountNumber && 'get'} // GET: showing an issued number changes nothing.
      aria-busy={model.requestedBankCode === code}
      aria-disabled={model.requestedBankCode !== undefined}
    >
      <span>
        {name}
        {accountNumber && <span class="hint">{` ${formatNumber(accountNumber)}`}</span>}
      </span>
      <span class="busy-mark" aria-hidden="true" />
    </button>
  )
}

// Without JavaScript the form posts to the service, and with it the action requests the number in place.
function ChoiceForm({ model, actions, children }: Props & { children: preact.ComponentChildren }) {
  // Before the script has loaded there are no actions, and the browser posts the form.
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
