// POST /api/v1/operator/statements: takes a bank's statement while it arrives.

import type { IncomingMessage } from 'node:http'
import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { STATEMENT_FORMATS, StatementProblem } from '#banks/statements/statement.ts'
import { chooseReader } from '#domain/reconciliation/choose-reader.ts'
import { importStatement } from '#domain/reconciliation/import-statement.ts'
import { Refusal } from '#errors.ts'
import { allowLongRequest } from '#http/connections.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { query } from '#http/lists.ts'
import { ApiEnvelope, BEARER, bankCode, text } from '#http/schemas.ts'
import { scoped } from '#http/scopes.ts'
import { ImportedView } from './statements.ts'
import { cleanFileName, FILE_BYTES_MAX, FORM, openUpload } from './uploaded-file.ts'

const STATEMENTS = '/api/v1/operator/statements'
const IMPORTS_MAX = 2 // At a time and process: each keeps one core busy.
const WAIT_MAX_MS = 900_000
const MEDIA_TYPES = [
  'application/octet-stream',
  'text/csv',
  'text/plain',
  'text/xml',
  'application/xml',
  'application/gzip',
  'application/x-gzip',
  FORM,
]

const UploadQuery = query({
  bankCode: bankCode('Bank that the statement is of.'),
  format: Type.Optional(
    Type.Unsafe<(typeof STATEMENT_FORMATS)[number]>({
      type: 'string',
      enum: [...STATEMENT_FORMATS],
      description: 'Default: as the bank is configured, else by the ending of fileName.',
      'x-says': `Must be one of ${STATEMENT_FORMATS.join(', ')}.`,
    }),
  ),
  profile: Type.Optional(text(40, 'Profile of a CSV. Default: as the bank is configured.')),
  fileName: Type.Optional(text(200, 'Shown with the statement. A form’s file has its own.')),
})

const DESCRIPTION =
  'The file is the body, or the one file of a form; plain or gzip, up to 2 GiB. It is read while it ' +
  'arrives, stored in one transaction and matched with the books. A file that cannot be read or does ' +
  'not add up is refused as a whole, with the line and the reason. Idempotent by content, without an ' +
  'Idempotency-Key: the same file changes nothing, and of an overlapping one only new lines are taken. ' +
  `At most ${IMPORTS_MAX} uploads at a time. Progress: GET /api/v1/operator/statement-imports.`

export const statementUploadRoutes: FastifyPluginAsyncTypebox<Deps> = scoped(async (app, deps) => {
  const { authentication, banks, statementProfiles } = deps
  let imports = 0
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(MEDIA_TYPES, (_request, payload, done) => done(null, payload))

  app.post(
    STATEMENTS,
    {
      bodyLimit: FILE_BYTES_MAX,
      config: {
        isLong: true,
        errors: ['bank_not_supported', 'statement_refused', 'too_many_imports'],
      },
      onRequest: authentication.requires('accounting:write'),
      schema: {
        tags: ['Operator'],
        security: BEARER,
        operationId: 'importStatement',
        summary: 'Import a bank’s statement',
        description: DESCRIPTION,
        consumes: MEDIA_TYPES,
        querystring: UploadQuery,
        body: Type.Unsafe<IncomingMessage>({ description: 'The statement, as the bank wrote it.' }),
        response: { 200: ApiEnvelope(ImportedView.schema) },
      },
    },
    async (request) => {
      const { body, client, actor, query: asked } = request
      const bank = banks.find(({ code }) => code === asked.bankCode)
      if (!bank) throw new Refusal('bank_not_supported')
      if (!body) throw new Refusal('body_missing')
      if (imports >= IMPORTS_MAX) throw new Refusal('too_many_imports')
      imports += 1
      const endLongRequest = allowLongRequest(request, WAIT_MAX_MS)
      try {
        const upload = await openUpload(request.raw)
        const fileName = cleanFileName(asked.fileName) ?? upload.fileName
        const reader = chooseReader({
          preference: asked,
          bank,
          fileName,
          profiles: statementProfiles,
        })
        const result = await importStatement(deps, {
          bankCode: bank.code,
          accountNumber: bank.statements?.accountNumber,
          ...reader,
          fileName,
          bytes: upload.bytes,
          by: { clientId: client.id, actor },
        })
        return accepted('Statement imported successfully', ImportedView.present(result, deps))
      } catch (error) {
        if (!(error instanceof StatementProblem)) throw error
        throw new Refusal('statement_refused', [{ field: 'file', message: error.message }])
      } finally {
        imports -= 1
        endLongRequest()
      }
    },
  )
})
