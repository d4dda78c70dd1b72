// The parts that all HTML pages share: the built web apps (scripts/build-web.ts), security headers, the
// layout of printable pages, and the public address. The headers forbid external and inline scripts, framing
// and referrers. A process finds its build once, at start, so it never mixes files of two builds.

import { createHash } from 'node:crypto'
import { readFileSync, realpathSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { Refusal } from '#errors.ts'

const BUILD = join(import.meta.dirname, '../../build/web')

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
].join('; ')

export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': POLICY,
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
} as const

export type AppFiles = { script: string; styles: readonly string[] }

// Returns undefined if the web apps are not built. Only their pages need the build.
export function findBuild(): string | undefined {
  try {
    return realpathSync(BUILD)
  } catch {
    return undefined
  }
}

// Returns the folder of the build, or refuses a page because the web apps are not built.
export function getBuild(build: string | undefined): string {
  if (!build) throw new Refusal('pages_not_built')
  return build
}

// Serves the assets of a web app. Their names contain a hash of their contents, so browsers may cache them
// without a time limit.
export async function serveAssets(app: FastifyInstance, folder: string, prefix: string) {
  await app.register(fastifyStatic, {
    root: join(folder, 'assets'),
    prefix: `${prefix}/assets/`,
    wildcard: false,
    globIgnore: ['**/*.br', '**/*.gz'],
    index: false,
    decorateReply: false,
    preCompressed: true,
    immutable: true,
    maxAge: '1y',
    setHeaders: (reply) => void reply.header('x-content-type-options', 'nosniff'),
  })
}

// Reads which script and styles the page of a web app needs, from the manifest that the build wrote.
export function readManifest(folder: string, prefix: string, entry: string): AppFiles {
  const text = readFileSync(join(folder, 'manifest.json'), 'utf8')
  const manifest: Record<string, { file: string; css?: string[] }> = JSON.parse(text)
  const { file, css = [] } = manifest[entry] as { file: string; css?: string[] }
  return { script: `${prefix}/${file}`, styles: css.map((path) => `${prefix}/${path}`) }
}

// The style of pages that people read and print, without scripts or further requests.
const STYLE = `
:root { color-scheme: light dark; --ink: #1b1f23; --soft: #59636e; --line: #d1d9e0; --ground: #fff }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --soft: #9198a1; --line: #3d444d; --ground: #0d1117 }
}
@media print { :root { --ink: #000; --soft: #333; --line: #999; --ground: #fff } }
* { box-sizing: border-box }
body { margin: 0 auto; padding: 1.5rem 1rem; max-width: 80rem; color: var(--ink);
  background: var(--ground); font: 0.9375rem/1.5 system-ui, sans-serif }
h1 { margin: 0; font-size: 1.375rem; overflow-wrap: anywhere }
p, dt, small { color: var(--soft) }
p { margin: 0.25rem 0 1rem }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: 0.75rem;
  margin: 0 0 1.25rem }
dd { margin: 0; font-size: 1.125rem; font-variant-numeric: tabular-nums }
table { width: 100%; border-collapse: collapse }
th, td { padding: 0.375rem 0.5rem; border-bottom: 1px solid var(--line); text-align: left;
  vertical-align: top; overflow-wrap: anywhere }
th { color: var(--soft); font-weight: 600 }
small { display: block }
.amount { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums }
h2 { margin: 1.5rem 0 0.25rem; font-size: 1.125rem }
.total td { font-weight: 600 }
thead { display: table-header-group }
tr { break-inside: avoid }
@media screen and (max-width: 40rem) {
  thead { display: none }
  table, tbody, tr, td { display: block }
  tr { padding: 0.5rem 0; border-bottom: 1px solid var(--line) }
  td { padding: 0.125rem 0; border: 0 }
  .amount { display: flex; justify-content: space-between }
  .amount:empty { display: none }
  .amount::before { content: attr(data-name); color: var(--soft) }
}
@page { margin: 15mm }
`

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64')

export const PRINTABLE_HEADERS = {
  ...PAGE_HEADERS,
  'content-security-policy':
    `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; frame-ancestors 'none'; ` +
    `base-uri 'none'; form-action 'none'`,
}

// Returns a page for people to read and print. `title` is text, `body` is HTML.
export function printablePage({ title, body }: { title: string; body: string }): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
${body}
</body>
</html>
`
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string)
}

const ANY_PORT = /:0$/

// Returns the public URL of the service. If the configured port is 0, the operating system chooses a free
// port, which is known once the server listens.
export function publicAddress(publicUrl: string, server: Server): string {
  const bound = ANY_PORT.test(publicUrl) ? (server.address() as AddressInfo | null) : null
  return bound ? publicUrl.replace(ANY_PORT, `:${bound.port}`) : publicUrl
}
