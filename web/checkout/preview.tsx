// The page with unsaved branding, for the dashboard: the same components and styles in another document. The
// only file that other apps import.

import { render } from 'preact'
import checkoutStyles from './checkout.css?url'
import merchantStyles from './merchant.css?url'
import { Page } from './page.tsx'
import { type SampleBranding, sampleModel } from './sample.ts'
import { drawEmpty } from './server.tsx'
import viewStyles from './views.css?url'

export type { SampleBranding }

export const PREVIEW_STATES = ['waiting', 'paid'] as const
export type PreviewState = (typeof PREVIEW_STATES)[number]

const coloursOf = (colour: string) => `/pay/colours/${colour.slice(1)}.css`

export function previewDocument(colour: string): string {
  return drawEmpty([checkoutStyles, viewStyles, merchantStyles, coloursOf(colour)])
}

export function drawPreview(page: Document, branding: SampleBranding, state: PreviewState): void {
  const root = page.getElementById('page')
  if (root) render(<Page model={sampleModel(branding, state)} actions={undefined} />, root)
}

export function colourPreview(page: Document, colour: string): void {
  const sheets = page.querySelectorAll('link[rel=stylesheet]')
  const href = coloursOf(colour)
  const colours = sheets.item(sheets.length - 1)
  if (colours?.getAttribute('href') !== href) colours?.setAttribute('href', href)
}
