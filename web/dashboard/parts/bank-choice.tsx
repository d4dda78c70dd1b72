// A choice of banks, by name: of all that can be paid, found by a part of a name or any code, or of some.

import { useState } from 'preact/hooks'
import { matchesBank } from '../../bank-search.ts'
import { appStrings } from '../../copy.ts'
import type { Schemas } from '../api.ts'
import { useData } from '../loading.ts'
import { Field } from './forms.tsx'
import { Failed, Skeleton } from './states.tsx'

type Words = { label: string; placeholder: string }

export function BankChoice(words: Words) {
  const { data, problem, reload } = useData('/api/v1/banks', {})
  if (problem) return <Failed problem={problem} retry={reload} />
  if (!data) return <Skeleton kind="text" lines={2} />
  return <FoundBank banks={data.filter(({ canBePaid }) => canBePaid)} {...words} />
}

// Not sent with the form: only the choice is.
function FoundBank({ banks, ...words }: Words & { banks: readonly Schemas['Institution'][] }) {
  const [search, setSearch] = useState('')
  const found = banks.filter(({ code, cbnCode, nipCode, aliases, name, otherNames }) => {
    const codes = [code, cbnCode, nipCode, ...aliases].filter((each) => each !== null)
    return matchesBank({ names: [name, ...otherNames], codes }, search)
  })
  return (
    <>
      <Field label={appStrings.findBank}>
        {(id) => (
          <input
            id={id}
            type="search"
            autocomplete="off"
            value={search}
            onInput={(event) => setSearch(event.currentTarget.value)}
          />
        )}
      </Field>
      <BankSelect banks={found} {...words} />
    </>
  )
}

type Props = Words & { banks: readonly { code: string; name: string }[] }

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
