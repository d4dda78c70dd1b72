// A field to choose one code by its name, or no code. Also offers the current code if it is no longer listed.

import { Field } from './forms.tsx'

type Props = {
  name: string
  label: string
  hint?: string
  emptyOption: string
  current: string | null
  choices: readonly { code: string; name: string }[]
}

// Also offers the current code if it is no longer among the choices, so that saving the form keeps it.
export function CodeChoice({ name: field, label, hint, emptyOption, current, choices }: Props) {
  const isListed = current === null || choices.some(({ code }) => code === current)
  const unlisted = isListed ? [] : [{ code: current, name: current }]
  return (
    <Field label={label} hint={hint} errorField={field}>
      {(id, invalid) => (
        <select id={id} name={field} {...invalid}>
          <option value="">{emptyOption}</option>
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
