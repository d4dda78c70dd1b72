// A choice of one code, by name, or of none. Also offers the current code if it is no longer listed.

import { Field } from './forms.tsx'

type Props = {
  name: string
  label: string
  hint?: string
  none: string
  current: string | null
  choices: readonly { code: string; name: string }[]
}

export function CodeChoice({ name: field, label, hint, none, current, choices }: Props) {
  const isListed = current === null || choices.some(({ code }) => code === current)
  const unlisted = isListed ? [] : [{ code: current, name: current }]
  return (
    <Field label={label} hint={hint} of={field}>
      {(id, wrong) => (
        <select id={id} name={field} {...wrong}>
          <option value="">{none}</option>
          {[...unlisted, ...choices].map(({ code, name }) => (
            <option key={code} value={code} selected={code === current}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}
