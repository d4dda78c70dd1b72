// The fields of the branding form.

import { useState } from 'preact/hooks'
import { settingsStrings } from '../../../copy.ts'
import { type ChosenLogo, readLogo } from '../../logo-file.ts'
import { Button } from '../../parts/button.tsx'
import { InputField } from '../../parts/forms.tsx'

const { branding: strings } = settingsStrings
const NAME_MAX = 60

// An empty field means the default.
export type Draft = Record<
  'name' | 'accountName' | 'supportEmail' | 'supportPhone' | 'supportUrl',
  string
>
export type DraftLogo = ChosenLogo | null | undefined // Undefined: unchanged.

const KEYBOARDS = { supportEmail: 'email', supportPhone: 'tel', supportUrl: 'url' } as const

type TextFieldsProps = {
  draft: Draft
  set: (name: keyof Draft, value: string) => void
  names: readonly (keyof Draft)[]
  ownName: string
}

export function TextFields({ draft, set, names, ownName }: TextFieldsProps) {
  const keyboards: Partial<Record<keyof Draft, 'email' | 'tel' | 'url'>> = KEYBOARDS
  return (
    <>
      {names.map((name) => (
        <InputField
          key={name}
          label={strings[name]}
          hint={strings.hints[name](ownName)}
          value={draft[name]}
          inputMode={keyboards[name] ?? 'text'}
          maxLength={name in KEYBOARDS ? undefined : NAME_MAX}
          onInput={(event) => set(name, event.currentTarget.value)}
        />
      ))}
    </>
  )
}

type ColourProps = {
  colour: string
  isOwn: boolean
  choose: (colour: string) => void
  own: (isOwn: boolean) => void
}

export function ColourField({ colour, isOwn, choose, own }: ColourProps) {
  return (
    <>
      <InputField
        label={strings.colour}
        type="color"
        class="swatch"
        value={colour}
        onInput={(event) => {
          choose(event.currentTarget.value)
          own(true)
        }}
      />
      <label class="option">
        <input
          type="checkbox"
          checked={!isOwn}
          onChange={(event) => own(!event.currentTarget.checked)}
        />
        {strings.ours}
      </label>
    </>
  )
}

export function LogoField({
  hasLogo,
  setLogo,
}: {
  hasLogo: boolean
  setLogo: (to: DraftLogo) => void
}) {
  const [isUnreadable, setUnreadable] = useState(false)
  const take = async (input: HTMLInputElement) => {
    const file = input.files?.[0]
    if (!file) return
    const logo = await readLogo(file)
    setUnreadable(logo === undefined)
    if (logo) setLogo(logo)
    input.value = ''
  }
  return (
    <>
      <InputField
        label={strings.logo}
        hint={strings.logoHint}
        type="file"
        accept="image/png,image/jpeg,image/webp"
        onChange={(event) => void take(event.currentTarget)}
      />
      {isUnreadable && (
        <p class="failed" role="alert">
          {strings.logoUnreadable}
        </p>
      )}
      {hasLogo && (
        <div class="form-end start">
          <Button onClick={() => setLogo(null)}>{strings.removeLogo}</Button>
        </div>
      )}
    </>
  )
}
