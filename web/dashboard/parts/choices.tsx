// Fields to choose a bank, a client, a split or any other code, and the fields of a bank account.

import { useId, useRef, useState } from 'preact/hooks'
import { matchesBank } from '../../bank-search.ts'
import { appStrings, clientsStrings, splitsStrings, payoutsStrings as strings } from '../../copy.ts'
import type { Schemas } from '../api.ts'
import { useData, usePage } from '../loading.ts'
import { hrefOf } from '../routing.ts'
import { Link } from './controls.tsx'
import type { Fact } from './drawer.tsx'
import { Field, type Form, InputField, SelectField } from './forms.tsx'
import { Pending } from './states.tsx'
import { Money } from './values.tsx'

type Words = { label: string; placeholder: string }

// A field for the bank that a payout goes to. Banks that cannot be paid are left out.
function BankChoice(words: Words) {
  const { data, problem, reload } = useData('/api/v1/banks', {})
  if (problem || !data) return <Pending {...{ data, problem, reload }} kind="text" lines={2} />
  return <SearchableBankSelect banks={data.filter(({ canBePaid }) => canBePaid)} {...words} />
}

// The search field has no name, so the form does not send it.
function SearchableBankSelect(props: Words & { banks: readonly Schemas['Institution'][] }) {
  const { banks, ...words } = props
  const [search, setSearch] = useState('')
  // The search matches any name and any code of a bank.
  const matchingBanks = banks.filter(({ code, cbnCode, nipCode, aliases, name, otherNames }) => {
    const codes = [code, cbnCode, nipCode, ...aliases].filter((known) => known !== null)
    return matchesBank({ names: [name, ...otherNames], codes }, search)
  })
  return (
    <>
      <InputField
        label={appStrings.findBank}
        type="search"
        value={search}
        onInput={(event) => setSearch(event.currentTarget.value)}
      />
      <BankSelect banks={matchingBanks} {...words} />
    </>
  )
}

// A dropdown of the given banks, sorted by name. The form sends the chosen code as `bankCode`.
export function BankSelect(props: Words & { banks: readonly { code: string; name: string }[] }) {
  const { banks, label, placeholder } = props
  const sorted = banks.toSorted((one, other) => one.name.localeCompare(other.name))
  return (
    <SelectField
      label={label}
      name="bankCode"
      required
      emptyOption={placeholder}
      options={sorted.map(({ code, name }) => [code, name])}
    />
  )
}

const NAME_MAX = 100

type AccountWords = { bank: string; chooseBank: string; number: string; digits10: string }
type AccountProps = {
  words: AccountWords
  name: string
  nameHint: string
  presentName?: string
}

// `words` are the caller’s labels. `name` and `nameHint` are the label and hint of the account’s name, and
// `presentName` is its value at first.
export function BankAccountFields(props: AccountProps) {
  const { words, name, nameHint, presentName = '' } = props
  return (
    <>
      <BankChoice label={words.bank} placeholder={words.chooseBank} />
      <InputField
        label={words.number}
        hint={words.digits10}
        name="accountNumber"
        required
        inputMode="numeric"
        pattern="[0-9]{10}"
        maxLength={10}
      />
      <InputField
        label={name}
        hint={nameHint}
        name="accountName"
        required
        maxLength={NAME_MAX}
        defaultValue={presentName}
      />
    </>
  )
}

export const bankAccountOf = (form: Form) => ({
  bankCode: form.text('bankCode'),
  accountNumber: form.text('accountNumber'),
  accountName: form.text('accountName'),
})

export function BankAccountsLink() {
  return (
    <Link href={hrefOf('payouts', undefined, { tab: 'bankAccounts' })}>
      {strings.tabs.bankAccounts}
    </Link>
  )
}

const SHOWN = '20'

// A field for a client id that suggests clients while the operator types a name or id.
export function ClientChoice({ label, chosen: initial = '' }: { label: string; chosen?: string }) {
  const [text, setText] = useState(initial)
  const listId = useId()
  const search = text.trim()
  const { data } = usePage('/api/v1/operator/clients', { search, limit: SHOWN })
  const foundClients = useRef<readonly Schemas['RegisteredClient'][]>([])
  if (data) foundClients.current = data.data // Earlier results stay visible while loading.
  const chosen = foundClients.current.find(({ clientId }) => clientId === search)
  return (
    <Field label={label} hint={chosen?.name ?? clientsStrings.choiceHint}>
      {(id) => (
        <>
          <input
            id={id}
            name="clientId"
            list={listId}
            required
            maxLength={100}
            autocomplete="off"
            spellcheck={false}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
          <datalist id={listId}>
            {foundClients.current.map(({ clientId, name }) => (
              <option key={clientId} value={clientId}>
                {name}
              </option>
            ))}
          </datalist>
        </>
      )}
    </Field>
  )
}

type CodeChoiceProps = {
  name: string
  label: string
  hint?: string
  emptyOption: string
  current: string | null
  choices: readonly { code: string; name: string }[]
}

// Also offers the current code if it is no longer among the choices, so that saving the form keeps it.
export function CodeChoice(props: CodeChoiceProps) {
  const { current, choices, ...field } = props
  const isListed = current === null || choices.some(({ code }) => code === current)
  const unlisted = isListed ? [] : [{ code: current, name: current }]
  const options = [...unlisted, ...choices].map(({ code, name }) => [code, name] as const)
  return <SelectField {...field} options={options} chosen={current} />
}

const NOT_ALLOWED_CODES = ['role_not_allowed', 'merchants_restricted']

// Renders nothing if there is no split to choose, or if the user may not see splits.
export function SplitChoice({ current = null }: { current?: string | null }) {
  const { data, problem, reload } = usePage('/api/v1/splits', { limit: '100' })
  if (problem && NOT_ALLOWED_CODES.includes(problem.code)) return null
  if (problem || !data) return <Pending {...{ data, problem, reload }} kind="text" lines={2} />
  const active = data.data.filter(({ isActive }) => isActive)
  if (active.length === 0 && current === null) return null
  return (
    <CodeChoice
      name="splitCode"
      label={splitsStrings.splitCode}
      hint={splitsStrings.choiceHint}
      emptyOption={splitsStrings.choiceNone}
      current={current}
      choices={active.map(({ splitCode, name }) => ({ code: splitCode, name }))}
    />
  )
}

type Shared = { splits: readonly Schemas['SplitShare'][]; currency: string }

// The share of each subaccount, among the facts of a payment or credit.
export function shareFacts({ splits, currency }: Shared): Fact[] {
  return splits.map(({ subaccountCode, amount }) => [
    splitsStrings.share(subaccountCode),
    <Money key={subaccountCode} amount={amount} currency={currency} />,
  ])
}

export function SplitLink({ code }: { code: string }) {
  return <Link href={hrefOf('settings', code, { tab: 'splits' })}>{code}</Link>
}
