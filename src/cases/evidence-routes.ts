// /api/v1/operator/cases/{reference}/evidence: an operator uploads a file of a case, and downloads it
// unchanged.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { Refusal } from '#errors.ts'
import { withCaller } from '#http/caller.ts'
import { type Deps, scoped } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { NoQuery } from '#http/lists.ts'
import { ApiEnvelope, BEARER, strictObject, text } from '#http/schemas.ts'
import { addEvidence, FILE_BYTES_MAX, FILES_MAX, MEDIA_TYPES, readBytes } from './evidence.ts'
import { getWholeCase } from './queries.ts'
import { actorOf, CASES, requireReference } from './routes.ts'
import { WholeCaseView } from './views.ts'

const ONE = `${CASES}/:reference/evidence`
const UPLOADED = ['application/octet-stream', ...MEDIA_TYPES]
const ENDINGS: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'text/plain': 'txt',
}

export const caseUploadRoutes: FastifyPluginAsyncTypebox<Deps> = scoped(async (app, deps) => {
  const { db, clock, sealer, authentication } = deps
  // The body is the file itself, so it is not parsed, not even as JSON or text.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    UPLOADED,
    { parseAs: 'buffer', bodyLimit: FILE_BYTES_MAX },
    (_request, body, done) => done(null, body),
  )
  app.post(
    ONE,
    {
      bodyLimit: FILE_BYTES_MAX,
      config: { errors: ['case_closed', 'case_full', 'case_not_found', 'evidence_refused'] },
      onRequest: authentication.requires('operator'),
      schema: {
        tags: ['Cases'],
        security: BEARER,
        operationId: 'addCaseEvidence',
        summary: 'Hand in evidence of a case',
        description:
          'The file is the body: PDF, PNG, JPEG, WebP or plain text (UTF-8), up to ' +
          `${FILE_BYTES_MAX / 1024 / 1024} MiB, at most ${FILES_MAX} of a case. Its type is what its ` +
          'bytes say. It is stored sealed and never changes. Idempotent by content, without an ' +
          'Idempotency-Key.',
        consumes: UPLOADED,
        params: Type.Object({ reference: Type.String() }),
        querystring: strictObject({ name: text(200, 'The file’s name.') }),
        body: Type.Unsafe<Buffer>({ description: 'The file.' }),
        response: { 200: ApiEnvelope(WholeCaseView.schema) },
      },
    },
    async (request) => {
      const reference = requireReference(request.params.reference)
      const { body: bytes, client, actor } = request
      if (!Buffer.isBuffer(bytes)) throw new Refusal('body_missing')
      const by = { actor, clientId: client.id, now: clock(), sealer }
      const { name } = request.query
      const wholeCase = await withCaller(deps, { request, pool: db }, async (tx) => {
        await addEvidence(tx, actorOf(by), { reference, name, bytes })
        return getWholeCase(tx, by, reference)
      })
      return accepted('Evidence added successfully', WholeCaseView.present(wholeCase, { sealer }))
    },
  )
})

export const caseEvidenceRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, clock, authentication } = deps
  app.get(
    `${ONE}/:id`,
    {
      exposeHeadRoute: false,
      config: { errors: ['case_not_found', 'evidence_not_found'] },
      onRequest: authentication.requires('operator'),
      schema: {
        tags: ['Cases'],
        security: BEARER,
        operationId: 'getCaseEvidence',
        summary: 'Download evidence of a case',
        description:
          'The bytes that were handed in, always as an attachment, whose name holds their hash.',
        params: Type.Object({ reference: Type.String(), id: Type.String() }),
        querystring: NoQuery,
        response: {
          200: {
            content: Object.fromEntries(
              MEDIA_TYPES.map((type) => [type, { schema: Type.String({ format: 'binary' }) }]),
            ),
          },
        },
      },
    },
    async ({ params }, reply) => {
      const { evidence } = await getWholeCase(
        db,
        { sealer, now: clock() },
        requireReference(params.reference),
      )
      const file = evidence.find(({ id }) => `${id}` === params.id)
      if (!file) throw new Refusal('evidence_not_found')
      const bytes = await readFile(deps, file)
      const name = `${params.reference}-${file.sha256.slice(0, 16)}.${ENDINGS[file.mediaType]}`
      const isText = file.mediaType === 'text/plain'
      return (
        reply
          .type(isText ? 'text/plain; charset=utf-8' : file.mediaType)
          // Somebody else made the file, so a browser must never run it as a page of the dashboard.
          .headers({
            'content-disposition': `attachment; filename="${name}"`,
            'content-security-policy': `default-src 'none'; sandbox`,
            'x-content-type-options': 'nosniff',
            'cache-control': 'no-store',
          })
          .send(bytes as never)
      )
    },
  )
}

type StoredFile = Parameters<typeof readBytes>[2]

// Reads a file of evidence, or refuses it if it was erased with its case.
async function readFile({ db, sealer }: Deps, file: StoredFile): Promise<Buffer> {
  const { rowCount } = await db.query({
    name: 'has-case-evidence',
    text: 'select from case_evidence_chunks where evidence_id = $1 limit 1',
    values: [file.id],
  })
  if (!rowCount) throw new Refusal('evidence_not_found') // The evidence was erased.
  return readBytes(db, sealer, file)
}
