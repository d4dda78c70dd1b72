// Exports a case for a bank or a regulator: as one JSON document with its files and their hashes, or as a
// page to print. Each export is recorded in the history of the case.

import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { timestamp, watTime } from '#clock.ts'
import type { Queryable } from '#db/pool.ts'
import { withCaller } from '#http/caller.ts'
import type { Deps } from '#http/deps.ts'
import { NoQuery } from '#http/lists.ts'
import { escapeHtml, PRINTABLE_HEADERS, printablePage } from '#http/pages.ts'
import { BEARER, named } from '#http/schemas.ts'
import { formatKobo } from '#money.ts'
import type { Sealer } from '#seal.ts'
import { lockCase, recordChange } from './case.ts'
import { readBase64 } from './evidence.ts'
import { getWholeCase, type WholeCase } from './queries.ts'
import { actorOf, CASES, requireReference } from './routes.ts'
import { WholeCaseView } from './views.ts'

const FORMAT = 'manilla-case-1'

const FileBody = named('CaseExportFile', {
  name: Type.String(),
  mediaType: Type.String(),
  sizeBytes: Type.Integer(),
  sha256: Type.String(),
  contentBase64: Type.String({ examples: ['JVBERi0xLjcK'] }),
})

const ExportBody = named('CaseExport', {
  format: Type.String({ examples: [FORMAT] }),
  exportedAt: Type.String(),
  exportedBy: Type.String({ examples: ['user:ada.obi@example.com'] }),
  caseSha256: Type.String({ description: 'Of the text of `case` as it stands here.' }),
  case: WholeCaseView.schema,
  files: Type.Array(FileBody),
})

const SCHEMA = {
  tags: ['Cases'],
  security: BEARER,
  params: Type.Object({ reference: Type.String() }),
  querystring: NoQuery,
}

export const caseExportRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, clock, authentication } = deps
  const onRequest = authentication.requires('operator')
  const config = { errors: ['case_not_found'] as const }

  // Records the export and reads the case in one transaction, so that the export shows itself in the history.
  const readForExport = async (request: FastifyRequest, format: 'json' | 'html') => {
    const { client, actor, params } = request
    const reference = requireReference((params as { reference: string }).reference)
    const by = actorOf({ actor, clientId: client.id, now: clock(), sealer })
    return withCaller(deps, { request, pool: db }, async (tx) => {
      const lockedCase = await lockCase(tx, reference)
      await recordChange(tx, by, { ...lockedCase, change: 'export', detail: { format } })
      return { whole: await getWholeCase(tx, by, reference), actor, at: by.now }
    })
  }

  app.get(
    `${CASES}/:reference/export.json`,
    {
      exposeHeadRoute: false,
      config,
      onRequest,
      schema: {
        ...SCHEMA,
        operationId: 'exportCase',
        summary: 'Export a case with its files',
        description:
          'One JSON document: the case, caseSha256 (of the text of `case` as it stands there), and the ' +
          'files in base64 with their SHA-256. Streamed; a document that does not end with its brace ' +
          'is cut off. The export is in the history of the case.',
        response: { 200: { content: { 'application/json': { schema: ExportBody } } } },
      },
    },
    async (request, reply) => {
      const { whole, actor, at } = await readForExport(request, 'json')
      const stream = Readable.from(documentOf({ db, sealer, whole, actor, at }))
      return reply
        .type('application/json; charset=utf-8')
        .headers({
          'content-disposition': `attachment; filename="${whole.reference}.json"`,
          'cache-control': 'no-store',
        })
        .send(stream as never)
    },
  )

  app.get(
    `${CASES}/:reference/export.html`,
    {
      exposeHeadRoute: false,
      config,
      onRequest,
      schema: {
        ...SCHEMA,
        operationId: 'printCase',
        summary: 'Print a case',
        description: 'A page with everything but the files, which it lists with their hashes.',
        response: { 200: { content: { 'text/html': { schema: Type.String() } } } },
      },
    },
    async (request, reply) => {
      const { whole, actor, at } = await readForExport(request, 'html')
      return reply.headers(PRINTABLE_HEADERS).send(pageOf(whole, sealer, { actor, at }) as never)
    },
  )
}

type Export = { actor: string; at: Date }
type Exporting = Export & { db: Queryable; sealer: Sealer; whole: WholeCase }

// Yields the JSON document piece by piece. Reads files chunk by chunk, so that an export needs the memory of
// one chunk, whatever the size of the case. `slice(0, -1)` removes a closing brace, so that fields can
// follow.
async function* documentOf({ db, sealer, whole, actor, at }: Exporting) {
  const text = JSON.stringify(WholeCaseView.present(whole, { sealer }))
  const caseSha256 = createHash('sha256').update(text).digest('hex')
  const head = { format: FORMAT, exportedAt: timestamp(at), exportedBy: actor, caseSha256 }
  yield `${JSON.stringify(head).slice(0, -1)},"case":${text},"files":[`
  let separator = ''
  for (const file of whole.erasedAt ? [] : whole.evidence) {
    const { mediaType, sizeBytes, sha256 } = file
    const fields = { name: sealer.open(file.nameSealed), mediaType, sizeBytes, sha256 }
    yield `${separator}${JSON.stringify(fields).slice(0, -1)},"contentBase64":"`
    for await (const chunk of readBase64(db, sealer, file)) yield chunk
    yield '"}'
    separator = ','
  }
  yield ']}'
}

type Cell = string | number | Date | null | undefined

// Returns the text of a table cell. Times are in West Africa Time.
const show = (cell: Cell) =>
  cell instanceof Date ? watTime(cell).slice(0, 19).replace('T', ' ') : `${cell ?? ''}`

// Returns a section of the page: a heading and a table, or “None.”
function table(
  title: string,
  headings: readonly string[],
  rows: readonly (readonly Cell[])[],
): string {
  if (rows.length === 0) return `<h2>${title}</h2><p>None.</p>`
  const cells = (row: readonly Cell[]) =>
    row
      .map((cell, column) => `<td data-name="${headings[column]}">${escapeHtml(show(cell))}</td>`)
      .join('')
  return `<h2>${title}</h2>
<table><thead><tr>${headings.map((head) => `<th scope="col">${head}</th>`).join('')}</tr></thead>
<tbody>${rows.map((row) => `<tr>${cells(row)}</tr>`).join('')}</tbody></table>`
}

type Section = {
  title: string
  heads: readonly string[]
  rows: (whole: WholeCase, sealer: Sealer) => readonly (readonly Cell[])[]
}

const SECTIONS: readonly Section[] = [
  {
    title: 'Deadlines',
    heads: ['Deadline', 'Clock from', 'Due', 'Met', 'By', 'Source'],
    rows: ({ deadlines }) =>
      deadlines.map(({ name, startedAt, dueAt, metAt, metBy, source }) => {
        return [name, startedAt, dueAt, metAt, metBy, source]
      }),
  },
  {
    title: 'Parties',
    heads: ['Part', 'Name', 'Account', 'Bank', 'Contact'],
    rows: ({ parties }) =>
      parties.map(({ role, name, ...account }) => [
        role,
        name,
        account.accountNumber,
        account.bankCode,
        account.contact,
      ]),
  },
  {
    title: 'Credits',
    heads: ['Session ID', 'Received', 'Account', 'Amount', 'Outcome'],
    rows: ({ credits }) =>
      credits.map(({ sessionId, receivedAt, accountNumber, amountKobo, outcome }) => {
        return [sessionId, receivedAt, accountNumber, formatKobo(amountKobo), outcome]
      }),
  },
  {
    title: 'Holds',
    heads: ['Hold', 'Placed', 'State', 'Held', 'Forfeited'],
    rows: ({ holds }) =>
      holds.map(({ reference, placedAt, state, heldKobo, forfeitedKobo }) => {
        return [reference, placedAt, state, formatKobo(heldKobo), formatKobo(forfeitedKobo)]
      }),
  },
  {
    title: 'Evidence',
    heads: ['File', 'Type', 'Bytes', 'SHA-256'],
    rows: ({ evidence }, sealer) =>
      evidence.map(({ nameSealed, mediaType, sizeBytes, sha256 }) => {
        return [sealer.open(nameSealed), mediaType, sizeBytes, sha256]
      }),
  },
  {
    title: 'Notes',
    heads: ['Written', 'By', 'Note'],
    rows: ({ notes }) =>
      notes.map(({ writtenAt, writtenBy, note }) => [writtenAt, writtenBy, note]),
  },
  {
    title: 'History',
    heads: ['At', 'By', 'Change', 'Detail'],
    rows: ({ history }) =>
      history.map(({ changedAt, changedBy, change, detail }) => {
        return [changedAt, changedBy, change, detailOf(detail)]
      }),
  },
]

// Returns the page to print. It lists files with their hashes, without their contents.
function pageOf(whole: WholeCase, sealer: Sealer, { actor, at }: Export): string {
  const { reference, kind, state, outcome, amountKobo } = whole
  const facts: [string, Cell][] = [
    ['Kind', kind.replace('_', ' ')],
    ['State', outcome ? `${state}, ${outcome}` : state],
    ['Client', whole.clientName],
    ['Amount', amountKobo && formatKobo(amountKobo)],
    ['Reporter’s reference', whole.reporterReference],
    ['Reported', whole.reportedAt],
    ['Opened', `${show(whole.openedAt)} by ${whole.openedBy}`],
    ['Closed', whole.closedAt],
  ]
  const list = facts
    .filter(([, value]) => value)
    .map(([name, value]) => `<div><dt>${name}</dt><dd>${escapeHtml(show(value))}</dd></div>`)
  const tables = SECTIONS.map(({ title, heads, rows }) => table(title, heads, rows(whole, sealer)))
  const body = `<header><h1>Case ${reference}</h1>
<p>${escapeHtml(sealer.open(whole.summarySealed) || 'Erased.')}</p>
<p>Exported ${show(at)} (West Africa Time) by ${escapeHtml(actor)}</p>
<dl>${list.join('')}</dl></header>
<main>${tables.join('')}</main>`
  return printablePage({ title: `Case ${reference}`, body })
}

// Returns the detail of a change as one line, such as “outcome confirmed, amount 5000.00”.
const detailOf = (detail: WholeCase['history'][number]['detail']) =>
  Object.entries(detail)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')
