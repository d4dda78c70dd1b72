// Uploads a statement and polls its progress.

import { type Data, getPage, type Problem, problemFrom, upload } from '../../api.ts'
import { newKey } from '../../parts/forms.tsx'
import { contentTypeOf, type Format } from './recognise-file.ts'

const STATEMENTS = '/api/v1/operator/statements'
const IMPORTS = '/api/v1/operator/statement-imports'
const ASK_MS = 1_000

export type ImportRecord = Data<'/api/v1/operator/statement-imports/{id}'>
export type Choice = { bankCode: string; format: Format; profile: string | undefined }
export type Progress = { sentBytes: number; record: ImportRecord | undefined }
export type Taken = Awaited<ReturnType<typeof upload<typeof STATEMENTS>>>
export type Outcome =
  | { isTaken: true; taken: Taken }
  | { isTaken: false; problem: Problem; record: ImportRecord | undefined }

type Watch = (progress: Progress) => void

export async function importFile(file: File, choice: Choice, watch: Watch): Promise<Outcome> {
  const before = await newestImport(choice, file).catch(() => undefined)
  let progress: Progress = { sentBytes: 0, record: undefined }
  let isOver = false
  const tell = (more: Partial<Progress>) => {
    if (isOver) return // This answer came after the end.
    progress = { ...progress, ...more }
    watch(progress)
  }
  const ask = async () => {
    const record = await newestImport(choice, file).catch(() => undefined)
    return record && record.importId !== before?.importId ? record : undefined
  }
  const timer = window.setInterval(async () => tell({ record: await ask() }), ASK_MS)
  try {
    const taken = await upload(STATEMENTS, {
      file,
      type: contentTypeOf(file, choice.format),
      headers: { 'idempotency-key': newKey() },
      query: { ...choice, fileName: file.name },
      onSent: (sentBytes) => tell({ sentBytes }),
    })
    return { isTaken: true, taken }
  } catch (error) {
    return { isTaken: false, problem: problemFrom(error), record: await ask() }
  } finally {
    isOver = true
    window.clearInterval(timer)
  }
}

// The import has no id before the answer, so it is found by its file name.
async function newestImport({ bankCode }: Choice, file: File): Promise<ImportRecord | undefined> {
  const query = { bankCode, limit: '5' }
  const { data } = await getPage(IMPORTS, {}, { query })
  return data.find(({ fileName }) => fileName === file.name)
}
