// Server-side rendering of the checkout page, with the same module (web/checkout/, built by Vite)
// that takes over in the browser.

import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Checkout } from '#domain/payments/checkout.ts'
import { type AppFiles, readManifest } from '#http/static-pages.ts'
import { DEFAULT_COLOUR } from './brand-colours.ts'

export const CHECKOUT = '/pay'

// web/checkout/server.tsx
type Drawing = {
  drawCheckout: (page: CheckoutPage, files: AppFiles) => string
  drawMissing: (files: AppFiles) => string
  drawUnavailable: (files: AppFiles, address: string) => string
  drawQrCode: (link: string) => string
}

export type CheckoutPage = {
  checkout: Checkout & { now: string }
  bankCode: string | undefined // Whose number is shown.
  problem: string | undefined // Why the last choice of a bank failed: a refusal's code.
  isSent: boolean // The payer said so: the bank is being asked.
}

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
