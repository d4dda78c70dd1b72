// /api/v1/operator/screening/lists: uploads lists of names, shows their versions, and requests the activation
// of a version.

import { gunzipSync } from 'node:zlib'
import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { checkerOf, ofPeople, RequestReason } from '#approvals/views.ts'
import { invalidField, Refusal } from '#errors.ts'
import { withCaller } from '#http/caller.ts'
import { type Deps, scoped } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { choice } from '#http/lists.ts'
import { rowKey } from '#http/path-keys.ts'
import { resource } from '#http/resource.ts'
import { ApiEnvelope, BEARER, chosen, strictObject } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { LIST_FORMATS, readListFile, UnreadableList } from './list-files.ts'
import { getVersion, type ListVersion, listVersions, saveList } from './lists.ts'
import { requestForList } from './requests.ts'
import { ListName, RequestView, SCREENING } from './routes.ts'

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
  added: f.integer('added', 'Entries that the version which it replaces lacks.'),
  removed: f.integer('removed', 'Entries of the version which it replaces that this one lacks.'),
  replaces: f.integerOrNull(
    ({ replaces }) => (replaces === null ? null : Number(replaces)),
    'The version that it is compared with, and may replace.',
  ),
  effectiveFrom: f.timeOrNull(
    'effectiveFrom',
    'In force from then on, until the next version. Null: a draft.',
  ),
  uploadedBy: f.text('uploadedBy'),
}))

export const screeningLists = resource(`${SCREENING}/lists`, {
  tag: 'Operator',
  noun: 'list',
  view: ListView,
  scopes: { read: 'operator', write: 'operator' },
  params: { version: rowKey('screening_list_not_found') },
})
  .list('listScreeningLists', {
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
  .get('getScreeningList', {
    summary: 'Retrieve a version of a list of names',
    description: 'How many entries it has, and how many it adds and removes.',
    errors: ['screening_list_not_found'],
    run: (db, { params }) => getVersion(db, params.version),
  })
  .act('activateScreeningList', {
    ...ofPeople,
    path: '/:version/activate',
    summary: 'Request the activation of a version of a list',
    description:
      'It is in force a minute after another user approves. Refused if another version was activated ' +
      'since it was uploaded: upload the file again, so that it is compared with that one.',
    body: strictObject({ reason: RequestReason }),
    view: RequestView,
    errors: [
      'screening_list_not_draft',
      'screening_list_not_found',
      'screening_list_outdated',
      'screening_request_open',
    ],
    message: 'Activation requested successfully',
    run: (tx, call) => {
      const list = { id: call.params.version, reason: call.body.reason }
      return requestForList(tx, checkerOf(call), list)
    },
  })

// Returns the plain file. Recognises gzip by its first bytes, whatever the headers say.
function unzip(bytes: Buffer): Buffer {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes
  try {
    return gunzipSync(bytes, { maxOutputLength: FILE_BYTES_MAX })
  } catch {
    throw invalidField('body', 'The gzip file is damaged or too large.')
  }
}

// POST /api/v1/operator/screening/lists: uploads a file of names as a draft.
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
          'The file is the body; plain or gzip, up to 64 MiB. It is the whole list, and a draft: two ' +
          'people activate it. Idempotent by content, without an Idempotency-Key: the same file changes ' +
          'nothing. A file that cannot be read is refused as a whole.',
        consumes: MEDIA_TYPES,
        querystring: strictObject({
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
      // Refuses a file that cannot be read, with the reason; any other error is ours.
      const entries = await readListFile(format, bytes).catch((error) => {
        if (!(error instanceof UnreadableList)) throw error
        throw invalidField('body', error.message)
      })
      const by = { clientId: client.id, actor, now: clock() }
      const saved = await withCaller(deps, { request, pool: db }, (tx) =>
        saveList(tx, by, { name, format, bytes, entries }),
      )
      return accepted('List uploaded successfully', ListView.present(saved))
    },
  )
})
