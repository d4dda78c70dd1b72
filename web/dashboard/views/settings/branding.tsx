// Branding: the name, logo, colour and contacts that payers see, with a preview of the payment page.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import {
  drawPreview,
  PREVIEW_STATES,
  type PreviewState,
  previewDocument,
  type SampleBranding,
  updatePreviewColour,
} from '../../../checkout/preview.tsx'
import { appStrings, settingsStrings } from '../../../copy.ts'
import { type Schemas, send } from '../../api.ts'
import { useData } from '../../loading.ts'
import { Button } from '../../parts/controls.tsx'
import { CheckBox, InputField, SelectField, useSending } from '../../parts/forms.tsx'
import { Failed, Pending } from '../../parts/states.tsx'
import { toast } from '../../parts/toasts.tsx'
import type { ViewProps } from '../../session.ts'

type Branding = Schemas['Branding']

const { branding: strings } = settingsStrings
const PATH = '/api/v1/branding'
const OTHER_FIELDS = ['accountName', 'supportEmail', 'supportPhone', 'supportUrl'] as const
const DEFAULT_COLOUR = '#0f5e4d' // As in src/payments/checkout-views.ts.

export function BrandingPart({ session }: ViewProps) {
  const { data, problem, reload } = useData(PATH, {})
  if (problem || !data) return <Pending {...{ data, problem, reload }} kind="page" lines={6} />
  const mayWrite = session.scopes.includes('accounts:write')
  return <BrandingForm branding={data} ownName={session.client.name} mayWrite={mayWrite} />
}

// Fields that follow the default are empty in the form.
function toDraft(branding: Branding): Draft {
  return {
    name: branding.isOwnName ? branding.name : '',
    accountName:
      branding.pendingAccountName ?? (branding.isOwnAccountName ? branding.accountName : ''),
    supportEmail: branding.supportEmail ?? '',
    supportPhone: branding.supportPhone ?? '',
    supportUrl: branding.supportUrl ?? '',
  }
}

function BrandingForm(props: { branding: Branding; ownName: string; mayWrite: boolean }) {
  const { branding, ownName, mayWrite } = props
  const [saved, setSaved] = useState(branding)
  const [draft, setDraft] = useState(() => toDraft(branding))
  const [colour, setColour] = useState(branding.colour)
  const [isOwnColour, setOwnColour] = useState(branding.isOwnColour)
  const [logo, setLogo] = useState<DraftLogo>()
  const chosenColour = isOwnColour ? colour : null
  const draftValue = (name: keyof Draft) => draft[name].trim() || null
  const fields = {
    name: draftValue('name'),
    accountName: draftValue('accountName'),
    supportEmail: draftValue('supportEmail'),
    supportPhone: draftValue('supportPhone'),
    supportUrl: draftValue('supportUrl'),
  }
  const { problem, isBusy, submit } = useSending(async () => {
    const logoChange = logo === undefined ? {} : { logo: logo?.base64 ?? null }
    const body = { ...fields, colour: chosenColour, ...logoChange }
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
          <ColourField
            colour={colour}
            isOwn={isOwnColour}
            choose={setColour}
            setOwn={setOwnColour}
          />
          <TextFields draft={draft} set={set} names={OTHER_FIELDS} ownName={ownName} />
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
        colour={chosenColour ?? DEFAULT_COLOUR}
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

const NAME_MAX = 60

// The fields of the form. An empty field means the default.
type Draft = Record<'name' | 'accountName' | 'supportEmail' | 'supportPhone' | 'supportUrl', string>
type DraftLogo = ChosenLogo | null | undefined // Undefined if unchanged, null if removed.

// The kinds of on-screen keyboard for the contacts. The other fields are names, which need no special one.
const KEYBOARDS = { supportEmail: 'email', supportPhone: 'tel', supportUrl: 'url' } as const

type TextFieldsProps = {
  draft: Draft
  set: (name: keyof Draft, value: string) => void
  names: readonly (keyof Draft)[]
  ownName: string
}

// `ownName` is the client’s name, which the hints name as the default. Only names have the length limit: the
// service checks the contacts, which are the fields in KEYBOARDS, by their format.
function TextFields({ draft, set, names, ownName }: TextFieldsProps) {
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
  setOwn: (isOwn: boolean) => void
}

// The choice of a colour of one’s own, and the box that returns to the default colour.
function ColourField({ colour, isOwn, choose, setOwn }: ColourProps) {
  return (
    <>
      <InputField
        label={strings.colour}
        type="color"
        class="swatch"
        value={colour}
        onInput={(event) => {
          choose(event.currentTarget.value)
          setOwn(true)
        }}
      />
      <CheckBox
        label={strings.ours}
        checked={!isOwn}
        onChange={(event) => setOwn(!event.currentTarget.checked)}
      />
    </>
  )
}

// The field for the logo. The browser shrinks an image that is too large for the service.
function LogoField({ hasLogo, setLogo }: { hasLogo: boolean; setLogo: (to: DraftLogo) => void }) {
  const [isUnreadable, setUnreadable] = useState(false)
  // Reads the chosen image into the draft, or says that it cannot be read.
  const chooseLogo = async (input: HTMLInputElement) => {
    const file = input.files?.[0]
    if (!file) return
    const logo = await readLogo(file)
    setUnreadable(logo === undefined)
    if (logo) setLogo(logo)
    input.value = '' // Allows the user to choose the same file again.
  }
  return (
    <>
      <InputField
        label={strings.logo}
        hint={strings.logoHint}
        type="file"
        accept="image/png,image/jpeg,image/webp"
        onChange={(event) => void chooseLogo(event.currentTarget)}
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

type ChosenLogo = { base64: string; path: string; width: number; height: number }

const BYTES_MAX = 32_768
const SIDE_MAX = 1_024
const SIDES = [512, 384, 256, 192, 128, 96]
const ACCEPTED_TYPES = ['image/png', 'image/jpeg', 'image/webp']

// Returns undefined if the browser cannot read the image.
async function readLogo(file: File): Promise<ChosenLogo | undefined> {
  try {
    const image = await createImageBitmap(file)
    const { width, height } = image
    const isSmall = file.size <= BYTES_MAX && Math.max(width, height) <= SIDE_MAX
    if (isSmall && ACCEPTED_TYPES.includes(file.type))
      return await encodeLogo(file, { width, height })
    return await shrink(image)
  } catch {
    return undefined
  }
}

// Tries smaller and smaller sizes until the image fits the limit of the service.
async function shrink(image: ImageBitmap): Promise<ChosenLogo | undefined> {
  for (const side of SIDES) {
    const scale = Math.min(1, side / Math.max(image.width, image.height))
    const canvas = document.createElement('canvas')
    canvas.width = Math.max(1, Math.round(image.width * scale))
    canvas.height = Math.max(1, Math.round(image.height * scale))
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height)
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/webp'))
    if (blob && blob.size <= BYTES_MAX) return encodeLogo(blob, canvas)
  }
  return undefined
}

type Size = { width: number; height: number }

// Encodes the logo as base64 for the service, and as a data URL (`path`) for the preview.
async function encodeLogo(blob: Blob, { width, height }: Size): Promise<ChosenLogo> {
  const path = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(blob)
  })
  return { path, base64: path.slice(path.indexOf(',') + 1), width, height }
}

const COLOUR_MS = 250 // A pause, so that the preview does not request every colour while the user drags.

type BrandingPreviewProps = { branding: SampleBranding; colour: string }

// The payment page with unsaved branding, in a frame without interaction.
function BrandingPreview({ branding, colour }: BrandingPreviewProps) {
  const [state, setState] = useState<PreviewState>('waiting')
  const choose = (chosen: string) =>
    setState(PREVIEW_STATES.find((name) => name === chosen) ?? 'waiting')
  return (
    <div class="preview">
      <SelectField
        label={strings.preview}
        value={state}
        onChange={(event) => choose(event.currentTarget.value)}
        options={PREVIEW_STATES}
        names={strings.states}
      />
      <PageFrame branding={branding} colour={colour} state={state} />
    </div>
  )
}

// The payment page in a frame, drawn again after each change of the branding.
function PageFrame({ branding, colour, state }: BrandingPreviewProps & { state: PreviewState }) {
  const frame = useRef<HTMLIFrameElement>(null)
  const [isLoaded, setLoaded] = useState(false)
  // The document loads only once and is then redrawn, so that the preview does not flicker.
  const empty = useMemo(() => previewDocument(colour), [])

  useEffect(() => {
    const element = frame.current
    const page = element?.contentDocument
    if (!isLoaded || !element || !page) return
    drawPreview(page, branding, state)
    fitToContent(element, page)
    for (const image of page.images) image.onload = () => fitToContent(element, page)
  })

  useEffect(() => {
    const page = frame.current?.contentDocument
    if (!isLoaded || !page) return
    const timer = setTimeout(updatePreviewColour, COLOUR_MS, page, colour)
    return () => clearTimeout(timer)
  }, [colour, isLoaded])

  return (
    <iframe
      ref={frame}
      class="preview-page"
      title={strings.preview}
      srcdoc={empty}
      inert
      onLoad={() => setLoaded(true)}
    />
  )
}

// Sets the height to 0 to measure the page, because the page fills its window.
function fitToContent(frame: HTMLIFrameElement, page: Document): void {
  frame.style.height = '0'
  frame.style.height = `${page.documentElement.scrollHeight}px`
}
