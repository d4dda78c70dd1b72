// The reference page (/docs) and its list of errors (/docs/errors), self-hosted. The page has four
// megabytes of script: it is loaded on first use, in its own Fastify instance, compressed once and
// kept.

import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import Fastify, {
  type FastifyInstance,
  type FastifyPluginAsync,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import { PRINTABLE_HEADERS } from '#http/printable-page.ts'
import { PAGE_HEADERS } from '#http/static-pages.ts'
import { errorPage } from './error-page.ts'

const SCRIPT_KEPT = 'public, max-age=86400' // The same until the next upgrade.
// Of brotli's levels, from here on little is gained: 1.03 MB in 0.2 s, against 0.93 MB in 1 s.
const BROTLI_QUALITY = 6

const COMPRESSORS = {
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes),
} as const

type Encoding = keyof typeof COMPRESSORS

// Compresses each content once for each encoding that is asked for.
class CompressedReplies {
  readonly #kept = new Map<string, Promise<Buffer>>()

  async send(
    { headers }: FastifyRequest,
    reply: FastifyReply,
    { name, bytes }: { name: string; bytes: Buffer },
  ): Promise<FastifyReply> {
    reply.header('vary', 'accept-encoding')
    const encoding = acceptedEncoding(String(headers['accept-encoding'] ?? ''))
    if (!encoding) return reply.send(bytes)
    const key = `${name} ${encoding} ${bytes.length}`
    const compressed = this.#kept.get(key) ?? COMPRESSORS[encoding](bytes)
    this.#kept.set(key, compressed)
    return reply.header('content-encoding', encoding).send(await compressed)
  }
}

function acceptedEncoding(accepted: string): Encoding | undefined {
  const names = accepted
    .split(',')
    .filter((each) => !/;\s*q=0(?:\.0*)?\s*$/.test(each))
    .map((each) => each.split(';', 1)[0]?.trim())
  return (['br', 'gzip'] as const).find((name) => names.includes(name))
}

// `describe` answers the description as JSON.
export const referencePages: FastifyPluginAsync<{ describe: () => string }> = async (
  app,
  { describe },
) => {
  const replies = new CompressedReplies()
  const hidden = { schema: { hide: true } }

  app.get('/openapi.json', hidden, async (request, reply) =>
    replies.send(request, reply.type('application/json; charset=utf-8'), {
      name: 'openapi',
      bytes: Buffer.from(describe()),
    }),
  )

  let reference: Promise<FastifyInstance> | undefined
  const show = async (request: FastifyRequest, reply: FastifyReply) => {
    reference ??= openReference()
    const url = request.url.split('?', 1)[0]?.toLowerCase() as string // Ours match in any case.
    const { statusCode, headers, rawPayload } = await (await reference).inject({ url })
    const type = String(headers['content-type'] ?? 'text/plain')
    if (type.includes('javascript')) reply.header('cache-control', SCRIPT_KEPT)
    if (type.startsWith('text/html')) {
      const policy = referencePolicy(rawPayload.toString('utf8'))
      reply.headers({ ...PAGE_HEADERS, 'content-security-policy': policy })
    }
    if (headers.location !== undefined) reply.header('location', headers.location)
    reply.code(statusCode).type(type)
    return replies.send(request, reply, { name: url, bytes: rawPayload })
  }
  for (const url of ['/docs', '/docs/js/scalar.js']) app.get(url, hidden, show)

  app.get('/docs/errors', hidden, async (_, reply) =>
    reply.headers(PRINTABLE_HEADERS).type('text/html; charset=utf-8').send(errorPage()),
  )
}

async function openReference(): Promise<FastifyInstance> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const reference = Fastify()
  await reference.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      pageTitle: 'Manilla API reference',
      telemetry: false,
      withDefaultFonts: false,
      agent: { disabled: true },
      mcp: { disabled: true },
      hideClientButton: true,
      showDeveloperTools: 'never',
    },
  })
  return reference
}

// As strict as for our own pages, but that it writes its styles itself.
function referencePolicy(page: string): string {
  const scripts = [...page.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)]
  const hashes = scripts.map(
    ([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  )
  return PAGE_HEADERS['content-security-policy']
    .replace("script-src 'self'", ["script-src 'self'", ...hashes].join(' '))
    .replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")
}
