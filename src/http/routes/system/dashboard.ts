// /dashboard: a single-page app, served for every path. In a sandbox its sign-in form is filled in with
// the demo user, whose password is published.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Type } from '@fastify/type-provider-typebox'
import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import { BANKS } from '#banks/directory.ts'
import { issuesNumbers } from '#config/number-settings.ts'
import { bankNames } from '#domain/payments/resource-presenters.ts'
import { SANDBOX_USER } from '#domain/sandbox/sandbox-user.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { ApiEnvelope, named } from '#http/schemas.ts'
import { findBuild, getBuild, PAGE_HEADERS, serveAssets } from '#http/static-pages.ts'

const BANKS_SCHEMA = {
  operationId: 'listBanks',
  tags: ['Dashboard'],
  summary: 'List banks by their codes',
  description:
    'Names of banks, for display, and which of them issue numbers to collection accounts.',
  response: {
    200: ApiEnvelope(
      Type.Array(
        named('Bank', {
          code: Type.String(),
          name: Type.String(),
          issuesAccountNumbers: Type.Boolean({
            description: 'Whether a collection account can get a number there.',
          }),
        }),
      ),
    ),
  },
}

const ROOT = '<div id="app">'
const DEMO_ROOT = `<div id="app" data-email="${SANDBOX_USER.email}" data-password="${SANDBOX_USER.password}">`

export const dashboardRoutes: FastifyPluginAsync<Deps> = async (app, { banks, mode }) => {
  const build = findBuild()
  const built = build && (await readFile(join(build, 'dashboard/dashboard.html'), 'utf8'))
  const page = mode === 'sandbox' ? built?.replace(ROOT, DEMO_ROOT) : built
  if (build) await serveAssets(app, join(build, 'dashboard'), '/dashboard')

  const show = async (_: unknown, reply: FastifyReply) => {
    getBuild(build)
    return reply.headers(PAGE_HEADERS).type('text/html; charset=utf-8').send(page)
  }
  const schema = { hide: true }
  app.get('/', { schema }, (_, reply) => reply.redirect('/dashboard'))
  app.get('/dashboard', { schema }, show)
  app.get('/dashboard/*', { schema }, show)
  // Bank names by code, including payers’ banks.
  const nameBank = bankNames(banks)
  const codes = new Set([...BANKS, ...banks].map(({ code }) => code))
  const issuing = banks.filter((bank) => issuesNumbers(bank, 'static')).map(({ code }) => code)
  const known = [...codes].map((code) => ({
    code,
    name: nameBank(code),
    issuesAccountNumbers: issuing.includes(code),
  }))
  app.get('/dashboard/api/banks', { schema: BANKS_SCHEMA }, async () =>
    accepted('Banks retrieved successfully', known),
  )
  // Assets of an older build: 404, not the page.
  app.get('/dashboard/assets/*', { schema }, async () => {
    throw new Refusal('route_not_found')
  })
}
