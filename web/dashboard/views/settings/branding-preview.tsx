// The payment page itself, in a frame, with branding that is not saved yet. Nothing in it can be used.

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
import { optionsOf, SelectField } from '../../parts/forms.tsx'

const { branding: strings } = settingsStrings
const COLOUR_MS = 250 // A colour being dragged about is not asked for at every step.

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
        options={optionsOf(PREVIEW_STATES, strings.states)}
      />
      <PageFrame branding={branding} colour={colour} state={state} />
    </div>
  )
}

function PageFrame({ branding, colour, state }: Props & { state: PreviewState }) {
  const frame = useRef<HTMLIFrameElement>(null)
  const [isLoaded, setLoaded] = useState(false)
  // Once: what changes is drawn into it, so that nothing flickers.
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

// The page is at least as high as its window: measured in one of no height.
function fit(frame: HTMLIFrameElement, page: Document): void {
  frame.style.height = '0'
  frame.style.height = `${page.documentElement.scrollHeight}px`
}
