// A field for a web address of the client's own.

import { Field } from './forms.tsx'

type Props = {
  name: 'callBackUrl' | 'notificationUrl'
  label: string
  hint: string
  value?: string
  isNeeded?: boolean
}

export function WebAddressField({ name, label, hint, value = '', isNeeded = false }: Props) {
  return (
    <Field label={label} hint={hint} of={name}>
      {(id, wrong) => (
        <input
          id={id}
          name={name}
          type="url"
          required={isNeeded}
          autocomplete="off"
          placeholder="https://"
          defaultValue={value}
          {...wrong}
        />
      )}
    </Field>
  )
}
