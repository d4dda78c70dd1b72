// The running import: recognises the format of a statement file, uploads it and polls its progress. There is
// one at a time, and it continues if the user opens another view.

import { useEffect, useState } from 'preact/hooks'
import { bankStatementsStrings as strings } from '../../../copy.ts'
import { type Data, getPage, type Problem, problemFrom, upload } from '../../api.ts'
import { count } from '../../format.ts'
import { newKey } from '../../parts/forms.tsx'
import { toast } from '../../parts/toasts.tsx'

export type Format = 'camt053' | 'mt940' | 'csv'

const BEGINNING_BYTES = 4_096
const GZIP_NAME = /\.gz$/i

// Recognises the format by the extension, or else by the first bytes. Any other file is taken as CSV, because
// a CSV file has no recognisable beginning.
export async function recogniseFormat(file: File): Promise<Format> {
  const name = file.name.replace(GZIP_NAME, '')
  if (/\.xml$/i.test(name)) return 'camt053'
  if (/\.(?:sta|940|mt940|swi)$/i.test(name)) return 'mt940'
  if (/\.(?:csv|tsv)$/i.test(name) || GZIP_NAME.test(file.name)) return 'csv'
  const beginning = (await file.slice(0, BEGINNING_BYTES).text()).replace(/^\uFEFF/, '').trimStart()
  if (beginning.startsWith('<')) return 'camt053'
  return /^(?:\{1:|:20:)/m.test(beginning) ? 'mt940' : 'csv'
}

const TYPES: Record<Format, string> = {
  camt053: 'application/xml',
  mt940: 'text/plain',
  csv: 'text/csv',
}

function contentTypeOf(file: File, format: Format): string {
  return GZIP_NAME.test(file.name) ? 'application/gzip' : TYPES[format]
}

type EarlierImport = { bankCode: string; fileName: string | null }

// Returns the bank whose earlier file names are most similar.
export function likeliestBank(
  fileName: string,
  earlier: readonly EarlierImport[],
): string | undefined {
  const scored = earlier.map(({ bankCode, fileName: other }) => ({
    bankCode,
    sharedLength: sharedBeginning(fileName.toLowerCase(), (other ?? '').toLowerCase()),
  }))
  const best = scored.toSorted((one, other) => other.sharedLength - one.sharedLength)[0]
  return best && best.sharedLength >= SHARED_MIN ? best.bankCode : undefined
}

const SHARED_MIN = 4 // Fewer equal first characters are probably a coincidence.

// Counts the characters that both texts begin with.
function sharedBeginning(one: string, other: string): number {
  let length = 0
  while (length < one.length && one[length] === other[length]) length += 1
  return length
}

type Job =
  | { at: 'choosing'; file: File }
  | { at: 'going'; file: File; progress: Progress }
  | { at: 'over'; outcome: Outcome }

type State = { job: Job | undefined; isShown: boolean }

let state: State = { job: undefined, isShown: false }
const watchers = new Set<(state: State) => void>()

// Changes the state of the import, and renders every view that shows it.
function change(changes: Partial<State>): void {
  state = { ...state, ...changes }
  for (const watcher of watchers) watcher(state)
}

// Returns the running import, whichever view started it. Calls `onDone` when it ends.
export function useImportJob(onDone: () => void): State {
  const [current, setCurrent] = useState(state)
  useEffect(() => {
    watchers.add(setCurrent)
    return () => {
      watchers.delete(setCurrent)
    }
  }, [])
  const isOver = current.job?.at === 'over'
  useEffect(() => {
    if (isOver) onDone()
  }, [isOver])
  return current
}

// Opens the dialog for this file, unless an import is running.
export function chooseFile(file: File): void {
  if (state.job?.at !== 'going') change({ job: { at: 'choosing', file }, isShown: true })
}

// Imports the file. If the user has closed the dialog by the time it ends, a toast shows the result.
export async function startImport(file: File, choice: Choice): Promise<void> {
  const showProgress = (progress: Progress) => change({ job: { at: 'going', file, progress } })
  showProgress({ sentBytes: 0, record: undefined })
  const outcome = await importFile(file, choice, showProgress)
  change({ job: { at: 'over', outcome } })
  if (state.isShown) return
  change({ job: undefined })
  if (outcome.isTaken) toast(strings.takenText(count(outcome.result.newLines)))
  else toast(outcome.problem.message, 'bad')
}

export function hideImport(): void {
  change({ isShown: false, job: state.job?.at === 'going' ? state.job : undefined })
}

const STATEMENTS = '/api/v1/operator/statements'
const IMPORTS = '/api/v1/operator/statement-imports'
const POLL_MS = 1_000

export type ImportRecord = Data<'/api/v1/operator/statement-imports/{id}'>
export type Choice = { bankCode: string; format: Format; profile: string | undefined }
export type Progress = { sentBytes: number; record: ImportRecord | undefined }
export type Taken = Awaited<ReturnType<typeof upload<typeof STATEMENTS>>>
export type Outcome =
  | { isTaken: true; result: Taken }
  | { isTaken: false; problem: Problem; record: ImportRecord | undefined }

type ShowProgress = (progress: Progress) => void

// Uploads the file and polls the record of its import for the progress. Remembers the newest import of this
// file name from before the upload, because that record belongs to an earlier import of the file.
async function importFile(
  file: File,
  choice: Choice,
  showProgress: ShowProgress,
): Promise<Outcome> {
  const previousImport = await newestImport(choice, file).catch(() => undefined)
  let progress: Progress = { sentBytes: 0, record: undefined }
  let hasEnded = false
  // Adds to the progress: the uploaded bytes, or the record of the import.
  const reportProgress = (more: Partial<Progress>) => {
    if (hasEnded) return // The import ended before this response came.
    progress = { ...progress, ...more }
    showProgress(progress)
  }
  // Returns the record of this import, once the service has created it.
  const findRecord = async () => {
    const record = await newestImport(choice, file).catch(() => undefined)
    return record && record.importId !== previousImport?.importId ? record : undefined
  }
  const timer = window.setInterval(
    async () => reportProgress({ record: await findRecord() }),
    POLL_MS,
  )
  try {
    const result = await upload(STATEMENTS, {
      file,
      type: contentTypeOf(file, choice.format),
      headers: { 'idempotency-key': newKey() },
      query: { ...choice, fileName: file.name },
      onSent: (sentBytes) => reportProgress({ sentBytes }),
    })
    return { isTaken: true, result }
  } catch (error) {
    return { isTaken: false, problem: problemFrom(error), record: await findRecord() }
  } finally {
    hasEnded = true
    window.clearInterval(timer)
  }
}

// Finds the record by the file's name: the page does not know the import's id before the upload has its
// response.
async function newestImport({ bankCode }: Choice, file: File): Promise<ImportRecord | undefined> {
  const query = { bankCode, limit: '5' }
  const { data } = await getPage(IMPORTS, {}, { query })
  return data.find(({ fileName }) => fileName === file.name)
}
