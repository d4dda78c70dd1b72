// The parts that the checkout renders: the brand's style sheet, the page, its images, and the schema of its
// data.
//
// The style sheet derives readable colours from a brand's colour: text on or in it has at least the contrast
// of WCAG 2.2 (4.5 to 1), in light and dark mode.

import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type FastifyPluginAsyncTypebox, type Static, Type } from '@fastify/type-provider-typebox'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { type AppFiles, publicAddress, readManifest } from '#http/pages.ts'
import { BankNumber, named, nullable } from '#http/schemas.ts'
import { type AdviceId, parseReference } from '#ids.ts'
import { findLogo, type ShownLogo } from './branding.ts'
import type { Checkout } from './checkout.ts'

export const DEFAULT_COLOUR = '#0f5e4d'

const CONTRAST_MIN = 4.5
const STEPS = 20

type Rgb = readonly [red: number, green: number, blue: number]

const BLACK: Rgb = [0, 0, 0]
const WHITE: Rgb = [255, 255, 255]
// The backgrounds of web/checkout/checkout.css with the least contrast to a brand colour.
const LIGHT_GROUND: Rgb = [0xf3, 0xf4, 0xf2]
const DARK_GROUND: Rgb = [0x22, 0x26, 0x25]

// Returns the style sheet for one colour. It depends only on the colour, so a browser may cache it for ever.
export function brandStylesheet(hex: string): string {
  const colour = parseHex(hex)
  const light = rules(colour, readable(colour, LIGHT_GROUND, BLACK))
  const dark = rules(colour, readable(colour, DARK_GROUND, WHITE))
  return `:root{${light}}@media (prefers-color-scheme:dark){:root{${dark}}}`
}

export function contrast(one: string, other: string): number {
  return ratio(parseHex(one), parseHex(other))
}

function rules(accent: Rgb, accentText: Rgb): string {
  const onAccent = ratio(accent, WHITE) >= ratio(accent, BLACK) ? WHITE : BLACK
  const entries = { accent, 'on-accent': onAccent, 'accent-text': accentText }
  return Object.entries(entries)
    .map(([name, rgb]) => `--${name}:${formatHex(rgb)}`)
    .join(';')
}

// Returns the nearest colour, on the way to black or white, that is readable on the background.
function readable(colour: Rgb, ground: Rgb, towards: Rgb): Rgb {
  for (let step = 0; step < STEPS; step++) {
    const mixed = mix(colour, towards, step / STEPS)
    if (ratio(mixed, ground) >= CONTRAST_MIN) return mixed
  }
  return towards
}

function mix(from: Rgb, to: Rgb, share: number): Rgb {
  const part = (at: 0 | 1 | 2) => Math.round(from[at] + (to[at] - from[at]) * share)
  return [part(0), part(1), part(2)]
}

function ratio(one: Rgb, other: Rgb): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (high + 0.05) / (low + 0.05)
}

// The relative luminance of WCAG 2.2.
function luminance(rgb: Rgb): number {
  const [red = 0, green = 0, blue = 0] = rgb.map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function parseHex(hex: string): Rgb {
  const match = /^#?([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(hex)
  if (!match) throw new Refusal('route_not_found')
  return [1, 2, 3].map((at) => Number.parseInt(match[at] as string, 16)) as unknown as Rgb
}

function formatHex(rgb: Rgb): string {
  return `#${rgb.map((part) => part.toString(16).padStart(2, '0')).join('')}`
}

export const CHECKOUT = '/pay'

// The exports of web/checkout/server.tsx.
type Drawing = {
  drawCheckout: (page: CheckoutPage, files: AppFiles) => string
  drawMissing: (files: AppFiles) => string
  drawUnavailable: (files: AppFiles, address: string) => string
  drawQrCode: (link: string) => string
}

type CheckoutPage = {
  checkout: Checkout & { now: string }
  bankCode: string | undefined // The bank whose number the page shows.
  problem: string | undefined // The code of the refusal of the payer's last choice of a bank.
  isSent: boolean // Whether the payer said recently that the money is sent.
}

// Renders the checkout page on the server, with the same module (web/checkout/, built by Vite) that takes
// over in the browser.
export async function loadCheckoutPages(build: string) {
  const path = pathToFileURL(join(build, 'checkout-server/server.js')).href
  const drawing: Drawing = await import(path)
  const { script, styles } = readManifest(join(build, 'checkout'), CHECKOUT, 'browser.tsx')
  const filesOf = (colour: string): AppFiles => {
    return { script, styles: [...styles, `${CHECKOUT}/colours/${colour.slice(1)}.css`] }
  }
  return {
    checkout: (page: CheckoutPage, colour: string) => drawing.drawCheckout(page, filesOf(colour)),
    qrCode: drawing.drawQrCode,
    missing: () => drawing.drawMissing(filesOf(DEFAULT_COLOUR)),
    unavailable: (address: string) => drawing.drawUnavailable(filesOf(DEFAULT_COLOUR), address),
  }
}

export type CheckoutPages = Awaited<ReturnType<typeof loadCheckoutPages>>

const YEAR_SECONDS = 31_536_000
const QR_SECONDS = 3_600 // Short, because PUBLIC_URL may change.

const HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
} as const

const Logo = named('Logo', {
  path: Type.String(),
  width: Type.Integer(),
  height: Type.Integer(),
})
export const LogoBody = Type.Unsafe<Static<typeof Logo> | null>({
  anyOf: [Logo, Type.Null()],
  description: 'Where the logo is, on this host, and its size in pixels. Null: none.',
})

export function viewLogo(logo: ShownLogo | null) {
  if (logo === null) return null
  const { sha256, width, height } = logo
  return { path: `${CHECKOUT}/logos/${sha256}`, width, height }
}

type Images = Deps & { pages: CheckoutPages | undefined }

// The images of the checkout page: merchants' logos, by their hash, and the QR code of a payment's link. The
// response type is always an image, whatever the bytes contain.
export const checkoutImageRoutes: FastifyPluginAsyncTypebox<Images> = async (app, deps) => {
  const { reads, publicUrl, pages } = deps

  app.get(
    `${CHECKOUT}/logos/:sha256(^[0-9a-f]{64}$)`,
    { schema: { hide: true, params: Type.Object({ sha256: Type.String() }) } },
    async ({ params }, reply) => {
      const logo = await findLogo(reads, params.sha256)
      if (!logo) throw new Refusal('route_not_found')
      return reply
        .headers(HEADERS)
        .header('content-type', logo.mediaType)
        .header('cache-control', `public, max-age=${YEAR_SECONDS}, immutable`)
        .send(logo.bytes)
    },
  )

  // Looks up no advice: the QR code contains only the link, which the caller already knows.
  app.get(
    `${CHECKOUT}/:reference/qr.svg`,
    { schema: { hide: true, params: Type.Object({ reference: Type.String() }) } },
    async ({ params }, reply) => {
      const adviceReference = parseReference<AdviceId>(params.reference)
      if (!adviceReference) throw new Refusal('advice_not_found')
      if (!pages) throw new Refusal('pages_not_built')
      // Without dashes the link is shorter, so the QR code is easier to scan.
      const query = `adviceReference=${adviceReference.replaceAll('-', '')}`
      return reply
        .headers(HEADERS)
        .header('content-type', 'image/svg+xml')
        .header('cache-control', `private, max-age=${QR_SECONDS}`)
        .send(pages.qrCode(`${publicAddress(publicUrl, app.server)}${CHECKOUT}?${query}`))
    },
  )
}

const STATUSES =
  'Pending (no number issued yet), Processing, PartPayment, Successful, Expired, Cancelled or ' +
  'Reversed.'

const FeesBody = Type.Unsafe<{
  amount: number
  fee: number
  vat: number
  rounding: number
} | null>({
  anyOf: [
    Type.Object({
      amount: Type.Number({ description: 'What the merchant asks for.' }),
      fee: Type.Number(),
      vat: Type.Number({ description: 'VAT on the fee.' }),
      rounding: Type.Number(),
    }),
    Type.Null(),
  ],
  description: 'Where the payer bears the fee: what amount is made of. The parts sum to it.',
})

// The only fields of an advice that a payer may see.
export const CheckoutBody = named('Checkout', {
  now: Type.String({ description: 'Server time, for countdowns.' }),
  isTest: Type.Boolean({ description: 'Sandbox: no real money moves.' }),
  adviceReference: Type.String(),
  paymentReference: nullable('string'),
  shortCode: Type.String({
    description:
      'Names the payment, or the advice before its first number, on the phone and in search.',
  }),
  merchantRef: nullable('string'),
  merchantName: Type.String(),
  narration: nullable('string'),
  status: Type.String({ description: STATUSES }),
  amountPolicy: Type.String(),
  amount: Type.Number({ description: 'Amount due, including fees that the payer bears.' }),
  fees: FeesBody,
  amountPaid: Type.Number(),
  amountRemaining: Type.Number(),
  amountRefunded: Type.Number({ description: 'Refunded to the payer, confirmed by the banks.' }),
  amountHeld: Type.Number({ description: 'Paid towards this payment and in suspense.' }),
  accountName: Type.String(),
  numbers: Type.Array(BankNumber, {
    description: 'In order of issue; money to any of them counts.',
  }),
  banks: Type.Array(
    Type.Object({
      code: Type.String(),
      name: Type.String(),
      otherNames: Type.Array(Type.String(), { description: 'By which payers may search for it.' }),
    }),
    {
      description:
        'Banks that can issue a number: healthy ones first, then those most used; none once it is closed.',
    },
  ),
  expiresAt: nullable('string'),
  closesAt: nullable('string', { description: 'End of the grace period.' }),
  paidAt: nullable('string'),
  canRequery: Type.Boolean({
    description: 'A bank can be asked for the transfer: POST /pay/{adviceReference}/sent.',
  }),
  payerBanks: Type.Array(Type.String(), {
    description: 'Once it is paid: the banks that it was paid from.',
  }),
  payerNames: Type.Array(Type.String(), {
    description: 'Once it is paid: the payers by the first letters of their names.',
  }),
  sessionIds: Type.Array(Type.String(), {
    description: 'Once it is paid: the session IDs of the transfers, for the banks.',
  }),
  paidInto: Type.Array(BankNumber, { description: 'Once it is paid: where the money arrived.' }),
  supportEmail: nullable('string', { description: 'Of the merchant, for payers.' }),
  supportPhone: nullable('string', { description: 'Of the merchant, for payers.' }),
  supportUrl: nullable('string', { description: 'Of the merchant, for payers.' }),
  logo: LogoBody,
  returnUrl: Type.String({ description: 'callBackUrl with both references appended.' }),
})
