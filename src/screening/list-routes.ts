// /api/v1/operator/screening/lists: uploads lists of names, and shows their versions.

import { gunzipSync } from 'node:zlib'
import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { withTransaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { type Deps, scoped } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { choice, query } from '#http/lists.ts'
import { resource } from '#http/resource.ts'
import { ApiEnvelope, BEARER, chosen } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { LIST_FORMATS, readListFile, UnreadableList } from './list-files.ts'
import { type ListVersion, listVersions, saveList } from './lists.ts'
import { ListName, SCREENING } from './routes.ts'

const FILE_BYTES_MAX = 64 * 1024 ** 2
const MEDIA_TYPES = [
  'application/octet-stream',
  'text/csv',
  'text/plain',
  'text/xml',
  'application/xml',
  'application/gzip',
]

const ListView = view('ScreeningList', (f: Fields<ListVersion>) => ({
  version: f.integer('id'),
  name: f.text('name'),
  format: f.oneOf('format', LIST_FORMATS, 'How the file was written.'),
  sha256: f.text('sha256', 'Of the file as it was uploaded.'),
  entries: f.integer('entries', 'People and organisations.'),
  names: f.integer('names', 'Their names, with alternate ones.'),
  added: f.integer('added', 'Entries that the version before lacks.'),
  removed: f.integer('removed', 'Entries of the version before that this one lacks.'),
  effectiveFrom: f.time('effectiveFrom', 'In force from then on, until the next version.'),
  uploadedBy: f.text('uploadedBy'),
}))

export const screeningLists = resource(`${SCREENING}/lists`, {
  tag: 'Operator',
  noun: 'list',
  view: ListView,
  scopes: { read: 'operator', write: 'operator' },
}).list('listScreeningLists', {
  summary: 'List versions of lists of names, newest first',
  description: 'Each upload is a version. The newest in force counts.',
  filters: {
    name: Type.Optional(ListName('Filter by name.')),
    format: choice(LIST_FORMATS, 'Filter by format.'),
  },
  position: ({ id }) => id,
  rows: (db, { query: { name, format }, after: beforeId, limit }) => {
    const where = [
      ['name = $', name],
      ['format = $', format],
    ] as const
    return listVersions(db, { where, beforeId, limit })
  },
})

// Recognises gzip by its first bytes.
function unzip(bytes: Buffer): Buffer {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes
  try {
    return gunzipSync(bytes, { maxOutputLength: FILE_BYTES_MAX })
  } catch {
    throw new Refusal('invalid_request', [
      { field: 'body', message: 'The gzip file is damaged or too large.' },
    ])
  }
}

export const screeningListUploads: FastifyPluginAsyncTypebox<Deps> = scoped(async (app, deps) => {
  const { authentication, clock, db } = deps
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    MEDIA_TYPES,
    { parseAs: 'buffer', bodyLimit: FILE_BYTES_MAX },
    (_request, body, done) => done(null, body),
  )
  app.post(
    `${SCREENING}/lists`,
    {
      bodyLimit: FILE_BYTES_MAX,
      config: { isLong: true, errors: [] },
      onRequest: authentication.requires('operator'),
      schema: {
        tags: ['Operator'],
        security: BEARER,
        operationId: 'uploadScreeningList',
        summary: 'Upload a list of names',
        description:
          'The file is the body; plain or gzip, up to 64 MiB. It is the whole list, and replaces the ' +
          'version before a minute later. Idempotent by content, without an Idempotency-Key: the same file ' +
          'changes nothing. A file that cannot be read is refused as a whole.',
        consumes: MEDIA_TYPES,
        querystring: query({
          name: ListName('The name that rules know it by.'),
          format: chosen(LIST_FORMATS, 'How the file is written.'),
        }),
        body: Type.Unsafe<Buffer>({ description: 'The file, as its publisher wrote it.' }),
        response: { 200: ApiEnvelope(ListView.schema) },
      },
    },
    async (request) => {
      const { body, client, actor } = request
      if (!Buffer.isBuffer(body) || body.length === 0) throw new Refusal('body_missing')
      const { name, format } = request.query
      const bytes = unzip(body)
      const entries = await readListFile(format, bytes).catch((error) => {
        if (!(error instanceof UnreadableList)) throw error
        throw new Refusal('invalid_request', [{ field: 'body', message: error.message }])
      })
      const by = { clientId: client.id, actor, now: clock() }
      const saved = await withTransaction(db, (tx) =>
        saveList(tx, by, { name, format, bytes, entries }),
      )
      return accepted('List uploaded successfully', ListView.present(saved))
    },
  )
})
