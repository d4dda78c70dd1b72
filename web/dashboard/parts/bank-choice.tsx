// A choice of all banks there are, by name.

import { useData } from '../loading.ts'
import { Field } from './forms.tsx'
import { Failed, Skeleton } from './states.tsx'

type Props = { label: string; placeholder: string }

export function BankChoice({ label, placeholder }: Props) {
  const { data, problem, reload } = useData('/dashboard/api/banks', {})
  if (problem) return <Failed problem={problem} retry={reload} />
  if (!data) return <Skeleton kind="text" lines={2} />
  const banks = data.toSorted((one, other) => one.name.localeCompare(other.name))
  return (
    <Field label={label}>
      {(id) => (
        <select id={id} name="bankCode" required defaultValue="">
          <option value="">{placeholder}</option>
          {banks.map(({ code, name }) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}
