// The routes of the API reference (/docs), its list of errors (/docs/errors) and the guides
// (/docs/guides/<name>). The server renders the pages from the API's description. Each page is rendered and
// compressed once.

import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { SANDBOX_CLIENT } from '#access/secrets.ts'
import { REFUSALS, Refusal } from '#errors.ts'
import {
  escapeHtml,
  findBuild,
  getBuild,
  PAGE_HEADERS,
  PRINTABLE_HEADERS,
  printablePage,
  readManifest,
  serveAssets,
} from '#http/pages.ts'
import { ERROR_CODES, remedyOf } from './errors.ts'
import { readGuide } from './guides.ts'
import { buildSite, drawGuide, drawPage, pageSlugs, type Site, searchIndex } from './layout.ts'
import type { Description } from './outline.ts'

const PUBLISHED_NOTE =
  'These answer with 400 where the table says 404 or 409: create and retrieve a collection account; ' +
  'create, retrieve and cancel an advice; initiate a bank transfer; simulate a payment; verify a ' +
  'payment; push its webhook.'

function errorPage(): string {
  const rows = ERROR_CODES.map((code) => {
    const { status, message } = REFUSALS[code]
    return (
      `<tr id="${code}"><td><code>${code}</code></td><td>${status}</td>` +
      `<td>${escapeHtml(message)}</td><td>${escapeHtml(remedyOf(code))}</td></tr>`
    )
  })
  const body =
    '<h1>Errors</h1><p>Every error has a <code>code</code>, which never changes, and a ' +
    '<code>message</code> for people, which may. <a href="/docs">API reference</a></p>' +
    `<p>${PUBLISHED_NOTE}</p>` +
    '<table><thead><tr><th>Code</th><th>Status</th><th>Cause</th><th>Remedy</th></tr></thead>' +
    `<tbody>${rows.join('\n')}</tbody></table>`
  return printablePage({ title: 'Errors', body })
}

const BROTLI_QUALITY = 6 // Higher levels take five times as long and gain a tenth.

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

// Sends responses compressed as the caller accepts. Compresses each of them once per encoding, on first
// request. `name` identifies the content.
class CompressedReplies {
  readonly #compressed = new Map<string, Promise<Buffer>>()

  async send(
    { headers }: FastifyRequest,
    reply: FastifyReply,
    { name, bytes }: { name: string; bytes: Buffer },
  ): Promise<FastifyReply> {
    reply.header('vary', 'accept-encoding')
    const encoding = acceptedEncoding(String(headers['accept-encoding'] ?? ''))
    if (!encoding) return reply.send(bytes)
    const key = `${name} ${encoding} ${bytes.length}`
    // The length distinguishes two versions of the description: its server URL can change when it listens.
    const compressed = this.#compressed.get(key) ?? COMPRESSORS[encoding](bytes)
    this.#compressed.set(key, compressed)
    return reply.header('content-encoding', encoding).send(await compressed)
  }
}

// Returns the best encoding that an Accept-Encoding header allows. An encoding with q=0 is refused.
function acceptedEncoding(accepted: string): keyof typeof COMPRESSORS | undefined {
  const names = accepted
    .split(',')
    .filter((entry) => !/;\s*q=0(?:\.0*)?\s*$/.test(entry))
    .map((entry) => entry.split(';', 1)[0]?.trim())
  return (['br', 'gzip'] as const).find((name) => names.includes(name))
}

type Options = { describe: () => Description; mode: 'sandbox' | 'live' }

// Serves the pages of the API reference. `describe` returns the OpenAPI description that they show.
export const referencePages: FastifyPluginAsync<Options> = async (app, { describe, mode }) => {
  const replies = new CompressedReplies()
  const hidden = { schema: { hide: true } }
  const build = findBuild()
  if (build) await serveAssets(app, join(build, 'reference'), '/docs')

  app.get('/openapi.json', hidden, async (request, reply) =>
    replies.send(request, reply.type('application/json; charset=utf-8'), {
      name: 'openapi',
      bytes: Buffer.from(JSON.stringify(describe())),
    }),
  )

  // Built on the first request, because the pages contain the service's address, which is known only once the
  // server listens.
  let site: Site | undefined
  const renderedPages = new Map<string, string>()
  // Returns the content that all pages share. Refuses the request if the web apps are not built.
  const readSite = () => {
    const files = readManifest(join(getBuild(build), 'reference'), '/docs', 'reference.ts')
    site ??= buildSite(describe(), {
      files,
      demo: mode === 'sandbox' ? SANDBOX_CLIENT : undefined,
    })
    return site
  }

  app.get('/docs/search.json', hidden, async (request, reply) =>
    replies.send(request, reply.type('application/json; charset=utf-8'), {
      name: 'search',
      bytes: Buffer.from(JSON.stringify(searchIndex(readSite()))),
    }),
  )

  // Sends a page of the reference. The name of its section is in the path; the introduction has none.
  const sendPage = async (
    request: FastifyRequest<{ Params: { page?: string } }>,
    reply: FastifyReply,
  ) => {
    const { page = '' } = request.params
    const slug = page.toLowerCase()
    const current = readSite()
    if (!pageSlugs(current).includes(slug)) throw new Refusal('route_not_found')
    const html = renderedPages.get(slug) ?? drawPage(current, slug)
    renderedPages.set(slug, html)
    reply.headers(PAGE_HEADERS)
    return replies.send(request, reply, { name: `page ${slug}`, bytes: Buffer.from(html) })
  }
  app.get('/docs', hidden, sendPage)
  app.get('/docs/:page', hidden, sendPage)

  app.get<{ Params: { name: string } }>('/docs/guides/:name', hidden, async (request, reply) => {
    const { name } = request.params
    const guide = readGuide(name)
    if (!guide) throw new Refusal('route_not_found')
    const html = renderedPages.get(`guides/${name}`) ?? drawGuide(readSite(), guide)
    renderedPages.set(`guides/${name}`, html)
    reply.headers(PAGE_HEADERS)
    return replies.send(request, reply, { name: `guide ${name}`, bytes: Buffer.from(html) })
  })

  app.get('/docs/errors', hidden, async (_, reply) =>
    reply.headers(PRINTABLE_HEADERS).type('text/html; charset=utf-8').send(errorPage()),
  )
}
