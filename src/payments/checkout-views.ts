// The parts of the checkout page: the brand's style sheet, the HTML, the images, and the schema of its
// data.
//
// The style sheet derives readable colours from a brand's colour: text on this colour, and text in this
// colour, have at least the contrast that WCAG 2.2 demands (4.5 to 1), in light and in dark mode.

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

// Returns the style sheet for one colour. It depends only on the colour, so browsers may cache it without a
// limit.
export function brandStylesheet(hex: string): string {
  const colour = parseHex(hex)
  const light = cssVariables(colour, readableColour(colour, LIGHT_GROUND, BLACK))
  const dark = cssVariables(colour, readableColour(colour, DARK_GROUND, WHITE))
  return `:root{${light}}@media (prefers-color-scheme:dark){:root{${dark}}}`
}

// The contrast ratio of two colours by WCAG 2.2, from 1 to 21.
export function contrast(one: string, other: string): number {
  return ratio(parseHex(one), parseHex(other))
}

// CSS variables: the brand's colour, black or white for text on it, and the colour for text in the brand's
// colour.
function cssVariables(accent: Rgb, accentText: Rgb): string {
  const onAccent = ratio(accent, WHITE) >= ratio(accent, BLACK) ? WHITE : BLACK
  const entries = { accent, 'on-accent': onAccent, 'accent-text': accentText }
  return Object.entries(entries)
    .map(([name, rgb]) => `--${name}:${formatHex(rgb)}`)
    .join(';')
}

// Mixes the colour with more and more black or white (`towards`), until it is readable on the background.
function readableColour(colour: Rgb, ground: Rgb, towards: Rgb): Rgb {
  for (let step = 0; step < STEPS; step++) {
    const mixed = mix(colour, towards, step / STEPS)
    if (ratio(mixed, ground) >= CONTRAST_MIN) return mixed
  }
  return towards
}

// Mixes two colours. `share` is the part of the second one, from 0 to 1.
function mix(from: Rgb, to: Rgb, share: number): Rgb {
  const channel = (index: 0 | 1 | 2) => Math.round(from[index] + (to[index] - from[index]) * share)
  return [channel(0), channel(1), channel(2)]
}

// The contrast ratio of WCAG 2.2.
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

// Parses the colour in the path of a style sheet. A path without a valid colour is refused as unknown.
function parseHex(hex: string): Rgb {
  const match = /^#?([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(hex)
  if (!match) throw new Refusal('route_not_found')
  const channels = [1, 2, 3].map((group) => Number.parseInt(match[group] as string, 16))
  return channels as unknown as Rgb
}

function formatHex(rgb: Rgb): string {
  return `#${rgb.map((part) => part.toString(16).padStart(2, '0')).join('')}`
}

export const CHECKOUT = '/pay'

// The exports of web/checkout/server.tsx.
type ServerModule = {
  drawCheckout: (page: CheckoutPage, files: AppFiles) => string
  drawMissing: (files: AppFiles) => string
  drawUnavailable: (files: AppFiles, address: string) => string
  drawQrCode: (link: string) => string
}

type CheckoutPage = {
  checkout: Checkout & { now: string }
  bankCode: string | undefined // The bank whose number the page shows.
  problem: string | undefined // Why the payer's last choice of a bank was refused: the code of the error.
  isSent: boolean // Whether the payer stated recently that the money is sent.
}

// Loads the module that renders the checkout page on the server (web/checkout/, built by Vite). The browser
// runs the same components. Returns functions that draw pages: `missing` draws the page for an unknown
// payment request, and `unavailable` the page while the service cannot answer. That page has a link to try
// again, to `address`, the URL of the failed request.
export async function loadCheckoutPages(build: string) {
  const path = pathToFileURL(join(build, 'checkout-server/server.js')).href
  const serverModule: ServerModule = await import(path)
  const { script, styles } = readManifest(join(build, 'checkout'), CHECKOUT, 'browser.tsx')
  // The files of a page, with the style sheet for the client's colour: `#1a2b3c` has the path …/1a2b3c.css.
  const filesOf = (colour: string): AppFiles => {
    return { script, styles: [...styles, `${CHECKOUT}/colours/${colour.slice(1)}.css`] }
  }
  return {
    checkout: (page: CheckoutPage, colour: string) =>
      serverModule.drawCheckout(page, filesOf(colour)),
    qrCode: serverModule.drawQrCode,
    missing: () => serverModule.drawMissing(filesOf(DEFAULT_COLOUR)),
    unavailable: (address: string) =>
      serverModule.drawUnavailable(filesOf(DEFAULT_COLOUR), address),
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

// Returns where a browser finds a logo.
export function viewLogo(logo: ShownLogo | null) {
  if (logo === null) return null
  const { sha256, width, height } = logo
  return { path: `${CHECKOUT}/logos/${sha256}`, width, height }
}

type ImageDeps = Deps & { pages: CheckoutPages | undefined }

// The images of the checkout page: merchants' logos, by their hash, and the QR code of a payment's link. A
// logo is always sent with the content type of an image, so that no browser runs its bytes as anything else.
export const checkoutImageRoutes: FastifyPluginAsyncTypebox<ImageDeps> = async (app, deps) => {
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
  returnUrl: Type.String({
    description: 'callBackUrl with both references appended. Empty: the merchant has none.',
  }),
})
