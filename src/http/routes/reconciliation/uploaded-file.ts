// The bytes of an upload as they arrive: the body itself, or the one file of a form. Whoever stops
// reading leaves the rest where it is, so that the sender still gets an answer.

import type { IncomingMessage } from 'node:http'
import { basename } from 'node:path'
import { Busboy } from '@fastify/busboy'
import { StatementProblem } from '#banks/statements/statement.ts'
import { Refusal } from '#errors.ts'

export const FILE_BYTES_MAX = 2 * 1024 ** 3
export const FORM = 'multipart/form-data'
const FILE_NAME_MAX = 200

export type UploadedFile = { fileName: string | null; bytes: AsyncIterable<Uint8Array> }

// gzip is recognised by its first bytes, whatever the headers say.
export async function openUpload(request: IncomingMessage): Promise<UploadedFile> {
  const encoding = request.headers['content-encoding'] ?? 'identity'
  if (!['identity', 'gzip', 'x-gzip'].includes(encoding.toLowerCase())) {
    throw new Refusal('media_type_unsupported')
  }
  const type = request.headers['content-type'] ?? ''
  if (type.toLowerCase().startsWith(FORM)) return openForm(request)
  return { fileName: null, bytes: limited(chunksOf(request)) }
}

async function* limited(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let count = 0
  for await (const chunk of bytes) {
    count += chunk.length
    if (count > FILE_BYTES_MAX) throw new Refusal('body_too_large')
    yield chunk
  }
}

type Readable = { iterator(options: { destroyOnReturn: boolean }): AsyncIterator<Buffer> }

function chunksOf(stream: Readable): AsyncIterable<Buffer> {
  return { [Symbol.asyncIterator]: () => stream.iterator({ destroyOnReturn: false }) }
}

// Resolves when the file begins. Other fields are passed over.
function openForm(request: IncomingMessage): Promise<UploadedFile> {
  return new Promise((resolve, reject) => {
    const broken = () => reject(new Refusal('invalid_request', [NOT_A_FORM]))
    let form: InstanceType<typeof Busboy>
    try {
      const { 'content-type': type = '' } = request.headers
      const limits = { files: 1, fields: 20, fieldSize: 4_096, parts: 30, headerPairs: 50 }
      form = new Busboy({ headers: { 'content-type': type }, limits })
    } catch {
      broken()
      return
    }
    let hasMore = false
    const ended = new Promise<void>((done, fail) => {
      form.on('filesLimit', () => {
        hasMore = true
      })
      form.on('finish', () => done())
      form.on('error', () => fail(cutOff()))
      request.once('error', fail)
    })
    ended.then(broken, broken) // Without effect once a file began.
    form.on('file', (_field, stream, fileName) => {
      // Neither ends the stream by itself: hung up on, or a form without its end.
      request.once('error', (error) => stream.destroy(error))
      stream.once('error', () => {
        stream.on('error', () => {})
        stream.destroy(cutOff())
      })
      resolve({ fileName: cleanFileName(fileName), bytes: wholeForm(limited(chunksOf(stream))) })
    })
    request.pipe(form)

    async function* wholeForm(file: AsyncIterable<Uint8Array>) {
      try {
        yield* file
        await ended
        if (hasMore) throw new StatementProblem(null, 'Send one file at a time.')
      } finally {
        request.unpipe(form)
      }
    }
  })
}

const cutOff = () => new StatementProblem(null, 'The form is cut off or malformed.')
const NOT_A_FORM = { field: 'body', message: 'Must be a form with one file.' }

// For show only: no path of the sender's.
export function cleanFileName(given: string | undefined): string | null {
  const name = basename((given ?? '').replaceAll('\\', '/'))
    .replace(/\p{C}/gu, '')
    .slice(0, FILE_NAME_MAX)
    .toWellFormed()
  return name === '' ? null : name
}
