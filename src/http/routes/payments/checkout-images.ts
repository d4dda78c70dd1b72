// The images of the checkout page: merchants' logos, by their hash, and the QR code of a payment's
// link. Never anything but an image, whatever its bytes say.

import { type FastifyPluginAsyncTypebox, type Static, Type } from '@fastify/type-provider-typebox'
import { findLogo, type ShownLogo } from '#domain/payments/logos.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { publicAddress } from '#http/public-url.ts'
import { named } from '#http/schemas.ts'
import { type AdviceId, parseReference } from '#ids.ts'
import { CHECKOUT, type CheckoutPages } from './checkout-pages.ts'

const YEAR_SECONDS = 31_536_000
const QR_SECONDS = 3_600 // PUBLIC_URL may change.

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

  // The link says nothing that who asks does not know: no advice is looked up.
  app.get(
    `${CHECKOUT}/:reference/qr.svg`,
    { schema: { hide: true, params: Type.Object({ reference: Type.String() }) } },
    async ({ params }, reply) => {
      const adviceReference = parseReference<AdviceId>(params.reference)
      if (!adviceReference) throw new Refusal('advice_not_found')
      if (!pages) throw new Refusal('pages_not_built')
      // Shorter without dashes, and so easier to scan.
      const query = `adviceReference=${adviceReference.replaceAll('-', '')}`
      return reply
        .headers(HEADERS)
        .header('content-type', 'image/svg+xml')
        .header('cache-control', `private, max-age=${QR_SECONDS}`)
        .send(pages.qrCode(`${publicAddress(publicUrl, app.server)}${CHECKOUT}?${query}`))
    },
  )
}
