// /dashboard: one page, whatever the path; its script shows the view that the path names.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import { BANKS } from '#banks/directory.ts'
import { bankNames } from '#domain/payments/resource-presenters.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { findBuild, getBuild, PAGE_HEADERS, serveAssets } from '#http/static-pages.ts'

export const dashboardRoutes: FastifyPluginAsync<Deps> = async (app, { banks }) => {
  const build = findBuild()
  const page = build && (await readFile(join(build, 'dashboard/dashboard.html')))
  if (build) await serveAssets(app, join(build, 'dashboard'), '/dashboard')

  const show = async (_: unknown, reply: FastifyReply) => {
    getBuild(build)
    return reply.headers(PAGE_HEADERS).send(page)
  }
  const schema = { hide: true }
  app.get('/dashboard', { schema }, show)
  app.get('/dashboard/*', { schema }, show)
  // What the codes of banks mean, payers' banks too: answers of the API have the codes.
  const nameBank = bankNames(banks)
  const codes = new Set([...BANKS, ...banks].map(({ code }) => code))
  const named = [...codes].map((code) => ({ code, name: nameBank(code) }))
  app.get('/dashboard/api/banks', { schema }, async () =>
    accepted('Banks retrieved successfully', named),
  )
  // What an old page asks for and a new build no longer has: not a page.
  app.get('/dashboard/assets/*', { schema }, async () => {
    throw new Refusal('route_not_found')
  })
}
