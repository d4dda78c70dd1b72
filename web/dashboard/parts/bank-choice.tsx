// A choice of banks, by name: of all there are, found by a part of the name or a code, or of some.

import { useState } from 'preact/hooks'
import { appStrings } from '../../copy.ts'
import type { Schemas } from '../api.ts'
import { useData } from '../loading.ts'
import { Field } from './forms.tsx'
import { Failed, Skeleton } from './states.tsx'

type Words = { label: string; placeholder: string }

export function BankChoice(words: Words) {
  const { data, problem, reload } = useData('/dashboard/api/banks', {})
  if (problem) return <Failed problem={problem} retry={reload} />
  if (!data) return <Skeleton kind="text" lines={2} />
  return <FoundBank banks={data} {...words} />
}

// Not sent with the form: only the choice is.
function FoundBank({ banks, ...words }: Props) {
  const [search, setSearch] = useState('')
  const part = search.trim().toLowerCase()
  const found = banks.filter(({ code, name }) => name.toLowerCase().includes(part) || code === part)
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

type Props = Words & { banks: readonly Schemas['Bank'][] }

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
