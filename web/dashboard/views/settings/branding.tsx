// Branding: the merchant as payers see it, with a preview of the payment page.

import { useState } from 'preact/hooks'
import { appStrings, settingsStrings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { useData } from '../../loading.ts'
import { useSending } from '../../parts/forms.tsx'
import { Failed, Pending } from '../../parts/states.tsx'
import { toast } from '../../parts/toasts.tsx'
import type { ViewProps } from '../../view-props.ts'
import {
  ColourField,
  type Draft,
  type DraftLogo,
  LogoField,
  TextFields,
} from './branding-fields.tsx'
import { BrandingPreview } from './branding-preview.tsx'

type Branding = Schemas['Branding']

const { branding: strings } = settingsStrings
const PATH = '/api/v1/branding'
const OTHERS = ['accountName', 'supportEmail', 'supportPhone', 'supportUrl'] as const
const OURS = '#0f5e4d' // As in src/http/routes/payments/brand-colours.ts.

export function BrandingPart({ session }: ViewProps) {
  const { data, problem, reload } = useData(PATH, {})
  if (problem || !data) return <Pending {...{ data, problem, reload }} kind="page" lines={6} />
  const mayWrite = session.scopes.includes('accounts:write')
  return <BrandingForm branding={data} ownName={session.client.name} mayWrite={mayWrite} />
}

function draftOf(branding: Branding): Draft {
  return {
    name: branding.isOwnName ? branding.name : '',
    accountName:
      branding.pendingAccountName ?? (branding.isOwnAccountName ? branding.accountName : ''),
    supportEmail: branding.supportEmail ?? '',
    supportPhone: branding.supportPhone ?? '',
    supportUrl: branding.supportUrl ?? '',
  }
}

type Props = { branding: Branding; ownName: string; mayWrite: boolean }

function BrandingForm({ branding, ownName, mayWrite }: Props) {
  const [saved, setSaved] = useState(branding)
  const [draft, setDraft] = useState(() => draftOf(branding))
  const [colour, setColour] = useState(branding.colour)
  const [isOwnColour, setOwnColour] = useState(branding.isOwnColour)
  const [logo, setLogo] = useState<DraftLogo>()
  const chosenColour = isOwnColour ? colour : null
  const chosen = (name: keyof Draft) => draft[name].trim() || null
  const fields = {
    name: chosen('name'),
    accountName: chosen('accountName'),
    supportEmail: chosen('supportEmail'),
    supportPhone: chosen('supportPhone'),
    supportUrl: chosen('supportUrl'),
  }
  const { problem, isBusy, submit } = useSending(async () => {
    const change = logo === undefined ? {} : { logo: logo?.base64 ?? null }
    const body = { ...fields, colour: chosenColour, ...change }
    const answer = await send('PUT', PATH, { body })
    setSaved(answer)
    setColour(answer.colour)
    setLogo(undefined)
    toast(answer.pendingAccountName ? strings.savedForReview : appStrings.saved)
  })
  const shownLogo = logo === undefined ? saved.logo : logo
  const set = (name: keyof Draft, value: string) => setDraft({ ...draft, [name]: value })
  return (
    <section class="card panel branding" aria-labelledby="branding">
      <h2 id="branding">{strings.title}</h2>
      <form class="form" onSubmit={submit} aria-busy={isBusy}>
        <p class="muted">{strings.text}</p>
        <fieldset class="fields" disabled={!mayWrite}>
          <TextFields draft={draft} set={set} names={['name']} ownName={ownName} />
          <LogoField hasLogo={shownLogo !== null} setLogo={setLogo} />
          <ColourField colour={colour} isOwn={isOwnColour} choose={setColour} own={setOwnColour} />
          <TextFields draft={draft} set={set} names={OTHERS} ownName={ownName} />
          {saved.pendingAccountName && (
            <p class="notice">
              {strings.waitingForReview(saved.pendingAccountName, saved.accountName)}
            </p>
          )}
        </fieldset>
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
      <BrandingPreview
        colour={chosenColour ?? OURS}
        branding={{
          ...fields,
          merchantName: fields.name ?? ownName,
          accountNameStyle: saved.accountNameStyle,
          accountNameMerchant: fields.accountName ?? ownName,
          logo: shownLogo,
        }}
      />
    </section>
  )
}
