// A choice of banks, by name: of all there are, or of some.

import type { Schemas } from '../api.ts'
import { useData } from '../loading.ts'
import { Field } from './forms.tsx'
import { Failed, Skeleton } from './states.tsx'

type Words = { label: string; placeholder: string }

export function BankChoice(words: Words) {
  const { data, problem, reload } = useData('/dashboard/api/banks', {})
  if (problem) return <Failed problem={problem} retry={reload} />
  if (!data) return <Skeleton kind="text" lines={2} />
  return <BankSelect banks={data} {...words} />
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
