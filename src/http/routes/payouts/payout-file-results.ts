// POST /api/v1/operator/payout-files/results: what a bank reports of payouts in files, as pain.002
// or CSV.

import { createHash } from 'node:crypto'
import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { MEDIA_TYPES } from '#banks/iso20022/camt054.ts'
import { readPain002 } from '#banks/iso20022/pain002.ts'
import { mediaType } from '#banks/notifications.ts'
import { readPaymentCsv } from '#banks/payment-csv.ts'
import type { Report } from '#banks/payment-files.ts'
import { takeFileResults } from '#domain/payouts/take-file-results.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotency } from '#http/idempotency.ts'
import { NoQuery } from '#http/lists.ts'
import { ApiEnvelope, BEARER, IdempotencyHeaders } from '#http/schemas.ts'
import { scoped } from '#http/scopes.ts'
import { PayoutResultsBody, presentResults } from './payout-file-presenters.ts'

const BODY_BYTES_MAX = 16_777_216 // 10,000 transactions of the fullest kind.
const CSV = 'text/csv'

// An upload, that is compared by its content (idempotency.ts).
class UploadedReport {
  readonly #bytes: Buffer
  readonly #isCsv: boolean
  readonly sha256: string

  constructor(contentType: string, bytes: Buffer) {
    this.#bytes = bytes
    this.#isCsv = mediaType(contentType) === CSV
    this.sha256 = createHash('sha256').update(bytes).digest('hex')
  }

  read(): Report {
    return this.#isCsv ? readPaymentCsv(this.#bytes) : readPain002(this.#bytes)
  }
}

export const payoutFileResultRoutes: FastifyPluginAsyncTypebox<Deps> = scoped(async (app, deps) => {
  const { authentication, clock, settleReported } = deps
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    [...MEDIA_TYPES, CSV],
    { parseAs: 'buffer', bodyLimit: BODY_BYTES_MAX },
    (request, body, done) => {
      done(null, new UploadedReport(request.headers['content-type'] ?? '', body as Buffer))
    },
  )

  app.post(
    '/api/v1/operator/payout-files/results',
    {
      bodyLimit: BODY_BYTES_MAX,
      onRequest: authentication.requires('accounting:write'),
      schema: {
        tags: ['Operator'],
        security: BEARER,
        operationId: 'reportPayoutResults',
        summary: 'Upload a bank’s report of payout files',
        description:
          'pain.002 of version 03 or later, or CSV with the columns reference, status, ' +
          'bankReference and reason. ACSC and ACCC confirm a payout, RJCT fails it; others leave ' +
          'it in progress. A status of the group or of the payment information is one of all its ' +
          'payouts. Uploading a report again changes nothing. What contradicts an earlier report ' +
          'changes nothing and raises an alert. Payouts are settled within seconds.',
        consumes: ['application/xml', CSV],
        headers: IdempotencyHeaders,
        querystring: NoQuery,
        body: Type.Unsafe<UploadedReport>({ description: 'The report, as the bank wrote it.' }),
        response: { 200: ApiEnvelope(PayoutResultsBody) },
      },
    },
    async (request, reply) => {
      const { body, client, actor } = request
      if (!(body instanceof UploadedReport)) throw new Refusal('body_missing')
      const report = body.read()
      if ('malformed' in report) {
        throw new Refusal('invalid_request', [{ field: 'body', message: report.malformed }])
      }
      const by = { clientId: client.id, actor }
      const given = { lines: report.lines, sha256: body.sha256 }
      const answer = await withIdempotency(deps, { request, reply }, async (tx) => {
        const judgement = await takeFileResults(tx, { now: clock(), by }, given)
        return accepted('Payout results taken successfully', presentResults(judgement))
      })
      await settleReported()
      return answer
    },
  )
})
