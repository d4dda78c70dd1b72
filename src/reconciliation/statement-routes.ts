// /api/v1/operator/statements, their lines, imports and profiles, and the upload of a file.

import type { IncomingMessage } from 'node:http'
import { basename } from 'node:path'
import { Busboy } from '@fastify/busboy'
import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import type { LoadedProfile } from '#banks/statements/csv-profile.ts'
import { LINE_KINDS, STATEMENT_FORMATS, StatementProblem } from '#banks/statements/statement.ts'
import { Refusal } from '#errors.ts'
import { lockCaller } from '#http/caller.ts'
import { allowLongRequest } from '#http/connections.ts'
import { type Deps, scoped } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { flag, parseFlag } from '#http/lists.ts'
import { rowKey } from '#http/path-keys.ts'
import { resource } from '#http/resource.ts'
import { ApiEnvelope, BEARER, bankCode, nullable, strictObject, text } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { kobo } from '#money.ts'
import { maskAccountNumber, type Sealer } from '#seal.ts'
import { chooseReader, type ImportResult, importStatement } from './import.ts'
import {
  getImport,
  getStatement,
  IMPORT_STATES,
  type ListedLine,
  listImports,
  listLines,
  listStatements,
  type Statement,
  type StatementImport,
} from './statements.ts'

const FILE_BYTES_MAX = 2 * 1024 ** 3
const FORM = 'multipart/form-data'
const FILE_NAME_MAX = 200

type UploadedFile = { fileName: string | null; bytes: AsyncIterable<Uint8Array> }

// Reads an upload as it arrives: the request body, or the one file of a form. If the reader stops early, the
// rest stays unread and the connection stays open, so that the sender still gets an answer. The import
// recognises gzip by its first bytes, whatever the headers say.
async function openUpload(request: IncomingMessage): Promise<UploadedFile> {
  const encoding = request.headers['content-encoding'] ?? 'identity'
  if (!['identity', 'gzip', 'x-gzip'].includes(encoding.toLowerCase())) {
    throw new Refusal('media_type_unsupported')
  }
  const type = request.headers['content-type'] ?? ''
  if (type.toLowerCase().startsWith(FORM)) return openForm(request)
  return { fileName: null, bytes: limitSize(readWithoutDestroying(request)) }
}

// Passes the chunks on until the upload is larger than FILE_BYTES_MAX, and then refuses it.
async function* limitSize(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let count = 0
  for await (const chunk of bytes) {
    count += chunk.length
    if (count > FILE_BYTES_MAX) throw new Refusal('body_too_large')
    yield chunk
  }
}

type Readable = { iterator(options: { destroyOnReturn: boolean }): AsyncIterator<Buffer> }

// Reads a stream without destroying it when the reader stops early, so that the connection stays open for
// the response.
function readWithoutDestroying(stream: Readable): AsyncIterable<Buffer> {
  return { [Symbol.asyncIterator]: () => stream.iterator({ destroyOnReturn: false }) }
}

// Finds the file in a form. Resolves as soon as the file begins, so that the import reads it while it
// arrives. Ignores other fields. A second file, or a form that is cut off, fails the import at the end of
// the first file.
function openForm(request: IncomingMessage): Promise<UploadedFile> {
  return new Promise((resolve, reject) => {
    const rejectForm = () => reject(new Refusal('invalid_request', [NOT_A_FORM]))
    let form: InstanceType<typeof Busboy>
    try {
      const { 'content-type': type = '' } = request.headers
      const limits = { files: 1, fields: 20, fieldSize: 4_096, parts: 30, headerPairs: 50 }
      form = new Busboy({ headers: { 'content-type': type }, limits })
    } catch {
      rejectForm()
      return
    }
    let hasSecondFile = false
    // Resolves when the form has ended. Rejects if the form is cut off or the connection is lost.
    const formEnded = new Promise<void>((done, fail) => {
      form.on('filesLimit', () => {
        hasSecondFile = true
      })
      form.on('finish', () => done())
      form.on('error', () => fail(cutOff()))
      request.once('error', fail)
    })
    formEnded.then(rejectForm, rejectForm) // Has no effect after a file has begun.
    form.on('file', (_field, stream, fileName) => {
      // Neither a lost connection nor a truncated form ends the file stream, so these handlers destroy it.
      request.once('error', (error) => stream.destroy(error))
      stream.once('error', () => {
        stream.on('error', () => {})
        stream.destroy(cutOff())
      })
      resolve({
        fileName: cleanFileName(fileName),
        bytes: readToEndOfForm(limitSize(readWithoutDestroying(stream))),
      })
    })
    request.pipe(form)

    // Passes the file on. Then waits for the end of the form, so that a form with a second file or a missing
    // end is refused.
    async function* readToEndOfForm(file: AsyncIterable<Uint8Array>) {
      try {
        yield* file
        await formEnded
        if (hasSecondFile) throw new StatementProblem(null, 'Send one file at a time.')
      } finally {
        request.unpipe(form)
      }
    }
  })
}

const cutOff = () => new StatementProblem(null, 'The form is cut off or malformed.')
const NOT_A_FORM = { field: 'body', message: 'Must be a form with one file.' }

// Returns the name of an uploaded file for display: without the sender's path and control characters, and
// not too long. Returns null if nothing is left.
function cleanFileName(path: string | undefined): string | null {
  const name = basename((path ?? '').replaceAll('\\', '/'))
    .replace(/\p{C}/gu, '')
    .slice(0, FILE_NAME_MAX)
    .toWellFormed()
  return name === '' ? null : name
}

type Naming = Pick<Deps, 'nameBank'>

const StatementView = view('Statement', (f: Fields<Statement, Naming>) => ({
  statementId: f.text(({ id }) => id.toString()),
  importId: f.text(({ importId }) => importId.toString()),
  bankCode: f.text('bankCode'),
  bankName: f.text((statement, { nameBank }) => nameBank(statement.bankCode)),
  currency: f.text('currency'),
  accountNumber: f.textOrNull('accountNumber', 'As the bank writes it.'),
  reference: f.textOrNull('reference', 'The bank’s own: Stmt/Id, or :20:.'),
  sequence: f.integerOrNull(
    ({ sequence }) => (sequence === null ? null : Number(sequence)),
    'ElctrncSeqNb, or :28C:.',
  ),
  fromDay: f.text('fromDay'),
  toDay: f.text('toDay'),
  opening: f.naira('openingKobo'),
  closing: f.naira('closingKobo'),
  hasBalances: f.flag(
    'hasBalances',
    'false: the file has none; opening is the closing balance of the one before.',
  ),
  lines: f.integer('lines', 'In the file.'),
  newLines: f.integer('newLines', 'Of those, in no file before.'),
  importedAt: f.time('importedAt'),
  importedBy: f.text('importedBy'),
  fileName: f.textOrNull('fileName'),
}))

const NO_MONEY = kobo(0n)
const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)

// The response to an upload.
const ImportedView = view('ImportedStatements', (f: Fields<ImportResult, Naming>) => ({
  importId: f.text(({ importId }) => importId.toString()),
  isUnchanged: f.flag('isUnchanged', 'The same file was imported before.'),
  statementId: f.text(
    ({ statements: [first] }) => first?.id.toString() ?? '',
    'Of the first statement in the file.',
  ),
  lines: f.integer(({ statements }) => sum(statements.map(({ lines }) => lines)), 'In the file.'),
  newLines: f.integer(
    ({ isUnchanged, statements }) =>
      isUnchanged ? 0 : sum(statements.map(({ newLines }) => newLines)),
    'Stored by this import.',
  ),
  opening: f.naira(
    ({ statements }) => statements[0]?.openingKobo ?? NO_MONEY,
    'Of the first statement.',
  ),
  closing: f.naira(
    ({ statements }) => statements.at(-1)?.closingKobo ?? NO_MONEY,
    'Of the last statement.',
  ),
  matched: f.integer('matched', 'Lines matched to the books by this import.'),
  differences: f.integer('differences', 'Differences found by this import.'),
  statements: f.list(StatementView, 'statements'),
}))

type Opening = { sealer: Sealer }

export const StatementLineView = view('StatementLine', (f: Fields<ListedLine, Opening>) => ({
  lineId: f.text(({ id }) => id.toString()),
  lineNo: f.integer('lineNo', 'In the file, from 1.'),
  bookedOn: f.text('bookedOn'),
  valueOn: f.textOrNull('valueOn'),
  amount: f.naira('amountKobo', 'Above zero: received.'),
  kind: f.text('kind', `One of ${LINE_KINDS.join(', ')}.`),
  sessionId: f.textOrNull('sessionId'),
  bankReference: f.textOrNull('bankReference'),
  endToEndId: f.textOrNull('endToEndId'),
  accountNumber: f.textOrNull('accountNumber', 'Virtual account that it was sent to.'),
  counterpartyName: f.textOrNull('counterpartyName'),
  counterpartyAccountMasked: f.textOrNull(
    ({ counterpartySealed: sealed }, { sealer }) =>
      sealed && maskAccountNumber(sealer.open(sealed)),
  ),
  narration: f.textOrNull('narration'),
  isReversal: f.flag('isReversal'),
  rule: f.textOrNull('rule', 'Rule that matched it. Null: not matched.'),
}))

const ImportView = view('StatementImport', (f: Fields<StatementImport>) => ({
  importId: f.text(({ id }) => id.toString()),
  bankCode: f.text('bankCode'),
  format: f.text('format', `One of ${STATEMENT_FORMATS.join(', ')}.`),
  profile: f.textOrNull('profile'),
  fileName: f.textOrNull('fileName'),
  state: f.text(
    'state',
    `One of ${IMPORT_STATES.join(', ')}. unchanged: the same file was imported before. cut_off: ` +
      'its process is gone, and nothing of it is stored.',
  ),
  lines: f.integer('lines', 'Read so far.'),
  error: f.as(
    Type.Unsafe({
      type: ['object', 'null'],
      properties: { line: nullable('integer'), message: Type.String() },
      required: ['line', 'message'],
      description: 'Why it failed, and in which line.',
    }),
    ({ error, errorLine }) => (error === null ? null : { line: errorLine, message: error }),
  ),
  startedBy: f.text('startedBy'),
  startedAt: f.time('startedAt'),
  updatedAt: f.time('updatedAt'),
}))

const ProfileView = view('StatementProfile', (f: Fields<LoadedProfile>) => ({
  name: f.text(({ profile }) => profile.name),
  title: f.text(({ profile }) => profile.title),
  isShipped: f.flag('isShipped', 'false: from MANILLA_STATEMENT_PROFILES.'),
  currency: f.text(({ profile }) => profile.currency, 'Where the file does not say.'),
  balances: f.text(({ profile }) => profile.balances, 'running, labelled or none.'),
}))

const OPERATOR = '/api/v1/operator'
const scopes = { read: 'accounting:read', write: 'accounting:write' } as const
const BankFilter = { bankCode: Type.Optional(bankCode('Filter by bank.')) }

export const statements = resource(`${OPERATOR}/statements`, {
  tag: 'Operator',
  noun: 'statement',
  view: StatementView,
  scopes,
  params: { id: rowKey('statement_not_found') },
})
  .list('listStatements', {
    summary: 'List bank statements, latest import first',
    description: 'Each with its period, balances and how many of its lines were new.',
    filters: BankFilter,
    rows: (db, { query, after, limit }) =>
      listStatements(db, { bankCode: query.bankCode, beforeId: after, limit }),
  })
  .get('getStatement', {
    summary: 'Retrieve a bank statement',
    description: 'Its period, balances, account and lines, and the import it came with.',
    errors: ['statement_not_found'],
    run: (db, { params }) => getStatement(db, params.id),
  })
  .list('listStatementLines', {
    exportAs: 'exportStatementLines',
    path: '/:id/lines',
    name: 'statement-lines',
    summary: 'List the lines of a bank statement',
    description: 'Those that were in no statement before, in the order of the file.',
    view: StatementLineView,
    filters: {
      isMatched: flag('Only lines that are matched to the books, or that are not.'),
    },
    message: 'Statement lines retrieved successfully',
    errors: ['statement_not_found'],
    rows: async (db, { params, query, after, limit }) => {
      const { id } = await getStatement(db, params.id)
      return listLines(db, id, { isMatched: parseFlag(query.isMatched), afterId: after, limit })
    },
  })

export const statementImports = resource(`${OPERATOR}/statement-imports`, {
  tag: 'Operator',
  noun: 'statement import',
  view: ImportView,
  scopes,
  params: { id: rowKey('statement_import_not_found') },
})
  .list('listStatementImports', {
    summary: 'List imports of bank statements, newest first',
    description: 'Also those in progress and those that failed.',
    filters: BankFilter,
    rows: (db, { now, query, after, limit }) =>
      listImports(db, now, { bankCode: query.bankCode, beforeId: after, limit }),
  })
  .get('getStatementImport', {
    summary: 'Retrieve an import of a bank statement',
    description:
      'Its state and the lines read so far; of one that failed, the line and the reason.',
    errors: ['statement_import_not_found'],
    run: (db, { now, params }) => getImport(db, now, params.id),
  })

export const statementProfiles = resource(`${OPERATOR}/statement-profiles`, {
  tag: 'Operator',
  noun: 'statement profile',
  view: ProfileView,
  scopes,
}).list('listStatementProfiles', {
  summary: 'List profiles of CSV statements',
  description: 'How banks write their statements as CSV: those shipped, and your own.',
  isWhole: true,
  rows: async (_db, call) => [...call.statementProfiles.values()],
})

const STATEMENTS = '/api/v1/operator/statements'
const IMPORTS_MAX = 2 // Concurrent imports per process: each keeps one core busy.
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

const UploadQuery = strictObject({
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

// POST /api/v1/operator/statements: imports a bank's statement while it arrives.
export const statementUploadRoutes: FastifyPluginAsyncTypebox<Deps> = scoped(async (app, deps) => {
  const { authentication, banks, realClock, statementProfiles } = deps
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
      const { body, client, actor, query } = request
      const bank = banks.find(({ code }) => code === query.bankCode)
      if (!bank) throw new Refusal('bank_not_supported')
      if (!body) throw new Refusal('body_missing')
      if (imports >= IMPORTS_MAX) throw new Refusal('too_many_imports')
      imports += 1
      const endLongRequest = allowLongRequest(request, WAIT_MAX_MS)
      try {
        const upload = await openUpload(request.raw)
        const fileName = cleanFileName(query.fileName) ?? upload.fileName
        const reader = chooseReader({
          preference: query,
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
          lockCaller: (tx) => lockCaller(tx, realClock(), request),
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
