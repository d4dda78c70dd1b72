// The payment page with unsaved branding, in a frame without interaction.

import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import {
  colourPreview,
  drawPreview,
  PREVIEW_STATES,
  type PreviewState,
  previewDocument,
  type SampleBranding,
} from '../../../checkout/preview.tsx'
import { settingsStrings } from '../../../copy.ts'
import { SelectField } from '../../parts/forms.tsx'

const { branding: strings } = settingsStrings
const COLOUR_MS = 250 // A dragged colour is not sent at every step.

type Props = { branding: SampleBranding; colour: string }

export function BrandingPreview({ branding, colour }: Props) {
  const [state, setState] = useState<PreviewState>('waiting')
  const choose = (chosen: string) =>
    setState(PREVIEW_STATES.find((each) => each === chosen) ?? 'waiting')
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

function PageFrame({ branding, colour, state }: Props & { state: PreviewState }) {
  const frame = useRef<HTMLIFrameElement>(null)
  const [isLoaded, setLoaded] = useState(false)
  // Loads once and redraws, so that nothing flickers.
  const empty = useMemo(() => previewDocument(colour), [])

  useEffect(() => {
    const element = frame.current
    const page = element?.contentDocument
    if (!isLoaded || !element || !page) return
    drawPreview(page, branding, state)
    fit(element, page)
    for (const image of page.images) image.onload = () => fit(element, page)
  })

  useEffect(() => {
    const page = frame.current?.contentDocument
    if (!isLoaded || !page) return
    const timer = setTimeout(colourPreview, COLOUR_MS, page, colour)
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

// The page fills its window, so measure it in one without height.
function fit(frame: HTMLIFrameElement, page: Document): void {
  frame.style.height = '0'
  frame.style.height = `${page.documentElement.scrollHeight}px`
}
