// A field for one of the client's URLs, such as its webhook or return page.

import { InputField } from './forms.tsx'

type Props = {
  name: 'callBackUrl' | 'notificationUrl'
  label: string
  hint: string
  value?: string
  isNeeded?: boolean
}

export function WebAddressField({ name, label, hint, value = '', isNeeded = false }: Props) {
  return (
    <InputField
      label={label}
      hint={hint}
      errorField={name}
      name={name}
      type="url"
      required={isNeeded}
      placeholder="https://"
      defaultValue={value}
    />
  )
}
