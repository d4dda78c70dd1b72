// The built web apps (scripts/build-web.ts) and their security headers: no external or inline
// resources, no framing, no referrer. The build is fixed at start, so a newer one does not mix with
// open pages.

import { readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { Refusal } from '#errors.ts'

// Fixed at start: a build made meanwhile does not mix with what open pages hold.
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

// Undefined: not built. Everything but the pages works without.
export function findBuild(): string | undefined {
  try {
    return realpathSync(BUILD)
  } catch {
    return undefined
  }
}

export function getBuild(build: string | undefined): string {
  if (!build) throw new Refusal('pages_not_built')
  return build
}

// Their names carry a hash of their contents: a browser may keep them for ever.
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

// Where an app's script and styles are, by the entry it was built from.
export function readManifest(folder: string, prefix: string, entry: string): AppFiles {
  const text = readFileSync(join(folder, 'manifest.json'), 'utf8')
  const manifest: Record<string, { file: string; css?: string[] }> = JSON.parse(text)
  const { file, css = [] } = manifest[entry] as { file: string; css?: string[] }
  return { script: `${prefix}/${file}`, styles: css.map((path) => `${prefix}/${path}`) }
}
