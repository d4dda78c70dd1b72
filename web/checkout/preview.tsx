// Renders the payment page with unsaved branding into the preview frame of the dashboard, with the same
// components and styles as the real page. The dashboard imports no other file of this folder.

import { render } from 'preact'
import { checkoutStrings as strings } from '../copy.ts'
import checkoutStyles from './checkout.css?url'
import { type Checkout, firstModel, type Logo, type Model } from './checkout.ts'
import merchantStyles from './merchant.css?url'
import { Page } from './page.tsx'
import { drawEmpty } from './server.tsx'
import viewStyles from './views.css?url'

export type { SampleBranding }

export const PREVIEW_STATES = ['waiting', 'paid'] as const
export type PreviewState = (typeof PREVIEW_STATES)[number]

const colourSheet = (colour: string) => `/pay/colours/${colour.slice(1)}.css`

export function previewDocument(colour: string): string {
  return drawEmpty([checkoutStyles, viewStyles, merchantStyles, colourSheet(colour)])
}

// Renders the payment page with sample data into the preview frame of the branding form.
export function drawPreview(page: Document, branding: SampleBranding, state: PreviewState): void {
  const root = page.getElementById('page')
  if (root) render(<Page model={sampleModel(branding, state)} actions={undefined} />, root)
}

// Replaces only the stylesheet of the colour, so that the frame does not load again.
export function updatePreviewColour(page: Document, colour: string): void {
  const sheets = page.querySelectorAll('link[rel=stylesheet]')
  const href = colourSheet(colour)
  const colours = sheets.item(sheets.length - 1)
  if (colours?.getAttribute('href') !== href) colours?.setAttribute('href', href)
}

type SampleBranding = {
  merchantName: string
  accountNameStyle: string // Contains {merchant} and {customer}.
  accountNameMerchant: string
  supportEmail: string | null
  supportPhone: string | null
  supportUrl: string | null
  logo: Logo | null
}

const NOW = '2026-11-15T08:00:48.000Z'
const EXPIRES_AT = '2026-11-15T08:30:00.000Z'
const CLOSES_AT = '2026-11-15T08:35:00.000Z'
const REFERENCE = '00000000-0000-0000-0000-000000000000'
const AMOUNT = 6_000
const NUMBER = { bankCode: '058', bankName: strings.sample.bank, accountNumber: '0123456789' }

const PAID: Partial<Checkout> = {
  status: 'Successful',
  amountPaid: AMOUNT,
  amountRemaining: 0,
  paidAt: NOW,
  banks: [],
  payerNames: [strings.sample.payer],
  payerBanks: [strings.sample.payerBank],
  sessionIds: ['000015261115090048123456789012'],
  paidInto: [NUMBER],
}

// A payment request with invented facts and the branding.
function sampleModel(branding: SampleBranding, state: 'waiting' | 'paid'): Model {
  const { accountNameStyle, accountNameMerchant, ...brand } = branding
  const names: Record<string, string> = {
    merchant: accountNameMerchant,
    customer: strings.sample.customer,
  }
  const checkout: Checkout = {
    ...brand,
    now: NOW,
    isTest: false,
    adviceReference: REFERENCE,
    paymentReference: REFERENCE,
    shortCode: 'PAY-0000-0000',
    merchantRef: strings.sample.merchantRef,
    narration: strings.sample.narration,
    status: 'Processing',
    amountPolicy: 'allow_under',
    amount: AMOUNT,
    fees: null,
    amountPaid: 0,
    amountRemaining: AMOUNT,
    amountRefunded: 0,
    amountHeld: 0,
    accountName: accountNameStyle.replace(/\{(merchant|customer)\}/g, (_, who) => names[who] ?? ''),
    numbers: [NUMBER],
    banks: [{ code: '035', name: strings.sample.otherBank, otherNames: [] }],
    expiresAt: EXPIRES_AT,
    closesAt: CLOSES_AT,
    paidAt: null,
    canRequery: true,
    payerNames: [],
    payerBanks: [],
    sessionIds: [],
    paidInto: [],
    returnUrl: '#',
    ...(state === 'paid' ? PAID : {}),
  }
  return firstModel({ checkout, isSent: false })
}
