// A field to choose a bank by its name or by any of its codes.

import { useState } from 'preact/hooks'
import { matchesBank } from '../../bank-search.ts'
import { appStrings } from '../../copy.ts'
import type { Schemas } from '../api.ts'
import { useData } from '../loading.ts'
import { Field, InputField } from './forms.tsx'
import { Pending } from './states.tsx'

type Words = { label: string; placeholder: string }

// A field for the bank that a payout goes to. Banks that cannot be paid are left out.
export function BankChoice(words: Words) {
  const { data, problem, reload } = useData('/api/v1/banks', {})
  if (problem || !data) return <Pending {...{ data, problem, reload }} kind="text" lines={2} />
  return <SearchableBankSelect banks={data.filter(({ canBePaid }) => canBePaid)} {...words} />
}

// The search field has no name, so the form does not send it.
function SearchableBankSelect({
  banks,
  ...words
}: Words & { banks: readonly Schemas['Institution'][] }) {
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

type Props = Words & { banks: readonly { code: string; name: string }[] }

// A dropdown of the given banks, sorted by name. The form sends the chosen code as `bankCode`.
export function BankSelect({ banks, label, placeholder }: Props) {
  const sorted = banks.toSorted((one, other) => one.name.localeCompare(other.name))
  return (
    <Field label={label}>
      {(id) => (
        <select id={id} name="bankCode" required>
          <option value="">{placeholder}</option>
          {sorted.map(({ code, name }) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}
