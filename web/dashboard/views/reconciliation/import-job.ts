// The running import: uploads a statement and polls its progress. There is one at a time, and it continues if
// the user leaves the view that started it.

import { useEffect, useState } from 'preact/hooks'
import { bankStatementsStrings as strings } from '../../../copy.ts'
import { type Data, getPage, type Problem, problemFrom, upload } from '../../api.ts'
import { count } from '../../format.ts'
import { newKey } from '../../parts/forms.tsx'
import { toast } from '../../parts/toasts.tsx'
import { contentTypeOf, type Format } from './recognise-file.ts'

export type Job =
  | { at: 'choosing'; file: File }
  | { at: 'going'; file: File; progress: Progress }
  | { at: 'over'; outcome: Outcome }

type State = { job: Job | undefined; isShown: boolean }

let state: State = { job: undefined, isShown: false }
const watchers = new Set<(state: State) => void>()

function change(more: Partial<State>): void {
  state = { ...state, ...more }
  for (const watcher of watchers) watcher(state)
}

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

export function takeFile(file: File): void {
  if (state.job?.at !== 'going') change({ job: { at: 'choosing', file }, isShown: true })
}

export async function startImport(file: File, choice: Choice): Promise<void> {
  const watch = (progress: Progress) => change({ job: { at: 'going', file, progress } })
  watch({ sentBytes: 0, record: undefined })
  const outcome = await importFile(file, choice, watch)
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
const ASK_MS = 1_000

export type ImportRecord = Data<'/api/v1/operator/statement-imports/{id}'>
export type Choice = { bankCode: string; format: Format; profile: string | undefined }
export type Progress = { sentBytes: number; record: ImportRecord | undefined }
export type Taken = Awaited<ReturnType<typeof upload<typeof STATEMENTS>>>
export type Outcome =
  | { isTaken: true; result: Taken }
  | { isTaken: false; problem: Problem; record: ImportRecord | undefined }

type Watch = (progress: Progress) => void

async function importFile(file: File, choice: Choice, watch: Watch): Promise<Outcome> {
  const before = await newestImport(choice, file).catch(() => undefined)
  let progress: Progress = { sentBytes: 0, record: undefined }
  let isOver = false
  const tell = (more: Partial<Progress>) => {
    if (isOver) return // The import ended before this response came.
    progress = { ...progress, ...more }
    watch(progress)
  }
  const ask = async () => {
    const record = await newestImport(choice, file).catch(() => undefined)
    return record && record.importId !== before?.importId ? record : undefined
  }
  const timer = window.setInterval(async () => tell({ record: await ask() }), ASK_MS)
  try {
    const result = await upload(STATEMENTS, {
      file,
      type: contentTypeOf(file, choice.format),
      headers: { 'idempotency-key': newKey() },
      query: { ...choice, fileName: file.name },
      onSent: (sentBytes) => tell({ sentBytes }),
    })
    return { isTaken: true, result }
  } catch (error) {
    return { isTaken: false, problem: problemFrom(error), record: await ask() }
  } finally {
    isOver = true
    window.clearInterval(timer)
  }
}

// Finds the import by file name, because the page does not know its id before the upload's response.
async function newestImport({ bankCode }: Choice, file: File): Promise<ImportRecord | undefined> {
  const query = { bankCode, limit: '5' }
  const { data } = await getPage(IMPORTS, {}, { query })
  return data.find(({ fileName }) => fileName === file.name)
}
