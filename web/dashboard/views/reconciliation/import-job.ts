// The running import, one at a time. It outlives the list or tab that started it.

import { useEffect, useState } from 'preact/hooks'
import { bankStatementsStrings as strings } from '../../../copy.ts'
import { count } from '../../format.ts'
import { toast } from '../../parts/toasts.tsx'
import { type Choice, importFile, type Outcome, type Progress } from './importing.ts'

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

export function useImportJob(done: () => void): State {
  const [shown, setShown] = useState(state)
  useEffect(() => {
    watchers.add(setShown)
    return () => {
      watchers.delete(setShown)
    }
  }, [])
  const isOver = shown.job?.at === 'over'
  useEffect(() => {
    if (isOver) done()
  }, [isOver])
  return shown
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
  if (outcome.isTaken) toast(strings.takenText(count(outcome.taken.newLines)))
  else toast(outcome.problem.message, 'bad')
}

export function hideImport(): void {
  change({ isShown: false, job: state.job?.at === 'going' ? state.job : undefined })
}
