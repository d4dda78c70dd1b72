// Branding of the payment page: name and colour, with a live preview.

import { useState } from 'preact/hooks'
import { type Schemas, send } from '../../api.ts'
import { money } from '../../format.ts'
import { useData } from '../../loading.ts'
import { Field, useSending } from '../../parts/forms.tsx'
import { Failed, Skeleton } from '../../parts/states.tsx'
import { toast } from '../../parts/toasts.tsx'
import { appStrings } from '../../strings/app.ts'
import { settingsStrings } from '../../strings/settings.ts'
import type { ViewProps } from '../../view-props.ts'

type Branding = Schemas['Branding']

const { branding: strings } = settingsStrings
const PATH = '/api/v1/branding'
const NAME_MAX = 60

export function BrandingPart({ session }: ViewProps) {
  const { data, problem, reload } = useData(PATH, {})
  if (problem) return <Failed problem={problem} retry={reload} />
  if (!data) return <Skeleton kind="page" lines={6} />
  const mayWrite = session.scopes.includes('accounts:write')
  return <BrandingForm branding={data} ownName={session.client.name} mayWrite={mayWrite} />
}

type Props = { branding: Branding; ownName: string; mayWrite: boolean }

function BrandingForm({ branding, ownName, mayWrite }: Props) {
  const [name, setName] = useState(branding.isOwnName ? branding.name : '')
  const [colour, setColour] = useState(branding.colour)
  const [isOwnColour, setOwnColour] = useState(branding.isOwnColour)
  const { problem, isBusy, submit } = useSending(async () => {
    const chosen = { name: name.trim() || null, colour: isOwnColour ? colour : null }
    const saved = await send('PUT', PATH, { body: chosen })
    setColour(saved.colour)
    toast(appStrings.saved)
  })
  return (
    <section class="card panel" aria-labelledby="branding">
      <h2 id="branding">{strings.title}</h2>
      <form class="form" onSubmit={submit} aria-busy={isBusy}>
        <p class="muted">{strings.text}</p>
        <Field label={strings.name} hint={strings.nameHint(ownName)}>
          {(id) => (
            <input
              id={id}
              value={name}
              maxLength={NAME_MAX}
              disabled={!mayWrite}
              onInput={(event) => setName(event.currentTarget.value)}
            />
          )}
        </Field>
        <Field label={strings.colour}>
          {(id) => (
            <input
              id={id}
              type="color"
              class="swatch"
              value={colour}
              disabled={!mayWrite}
              onInput={(event) => {
                setColour(event.currentTarget.value)
                setOwnColour(true)
              }}
            />
          )}
        </Field>
        {mayWrite && (
          <label class="option">
            <input
              type="checkbox"
              checked={!isOwnColour}
              onChange={(event) => setOwnColour(!event.currentTarget.checked)}
            />
            {strings.ours}
          </label>
        )}
        {problem && <Failed problem={problem} />}
        {mayWrite ? (
          <div class="form-end start">
            <button type="submit" class="button primary" disabled={isBusy}>
              {appStrings.save}
            </button>
          </div>
        ) : (
          <p class="muted">{strings.readOnly}</p>
        )}
      </form>
      <Preview name={name.trim() || ownName} colour={isOwnColour ? colour : OURS} />
    </section>
  )
}

const OURS = '#0f5e4d' // As in src/http/routes/payments/brand-colours.ts.

function Preview({ name, colour }: { name: string; colour: string }) {
  return (
    <>
      <h3>{strings.preview}</h3>
      <div class="preview" style={{ '--brand': colour, '--on-brand': readableOn(colour) }}>
        <p class="preview-name">{name}</p>
        <p class="preview-amount">{money(6_000)}</p>
        <p class="preview-button">{strings.pay}</p>
      </div>
    </>
  )
}

// Black or white, whichever has more contrast, as the payer's page has it.
function readableOn(hex: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  const light = 0.2126 * red + 0.7152 * green + 0.0722 * blue
  return 1.05 / (light + 0.05) >= (light + 0.05) / 0.05 ? '#ffffff' : '#000000'
}
