// Imports a statement: a place to drop the file, and a button that chooses one. The import goes on
// when its dialog is closed, and says so when it is done.

import { useRef, useState } from 'preact/hooks'
import { count } from '../../format.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { toast } from '../../parts/toasts.tsx'
import { bankStatementsStrings as strings } from '../../strings/bank-statements.ts'
import { DropPlace } from './drop-place.tsx'
import { ImportForm } from './import-form.tsx'
import { ImportProgress } from './import-progress.tsx'
import { ImportResult } from './import-result.tsx'
import { type Choice, importFile, type Outcome, type Progress } from './importing.ts'

type Job =
  | { at: 'choosing'; file: File }
  | { at: 'going'; file: File; progress: Progress }
  | { at: 'over'; outcome: Outcome }

type Props = { label: string; bankCode?: string; isCompact?: boolean; done: () => void }

export function ImportStatement({ label, bankCode, isCompact = false, done }: Props) {
  const [job, setJob] = useState<Job | undefined>()
  const [isShown, setShown] = useState(false)
  const shown = useRef(isShown)
  shown.current = isShown
  const isGoing = job?.at === 'going'
  const take = (file: File) => {
    if (isGoing) return
    setJob({ at: 'choosing', file })
    setShown(true)
  }
  const start = async (file: File, choice: Choice) => {
    const watch = (progress: Progress) => setJob({ at: 'going', file, progress })
    watch({ sentBytes: 0, record: undefined })
    const outcome = await importFile(file, choice, watch)
    if (!shown.current) tell(outcome)
    setJob(shown.current ? { at: 'over', outcome } : undefined)
    done()
  }
  const close = () => {
    setShown(false)
    if (!isGoing) setJob(undefined)
  }
  return (
    <>
      <DropPlace label={label} isCompact={isCompact} isBusy={isGoing} take={take}>
        {isGoing && !isShown && <ImportProgress file={job.file} progress={job.progress} />}
      </DropPlace>
      {isShown && job?.at === 'choosing' && (
        <ImportForm file={job.file} bankCode={bankCode} start={start} close={close} />
      )}
      {isShown && isGoing && (
        <Dialog title={strings.import} close={close}>
          <div class="form">
            <ImportProgress file={job.file} progress={job.progress} />
            <p class="muted">{strings.backgroundText}</p>
            <div class="form-end">
              <button type="button" class="button" onClick={close}>
                {strings.background}
              </button>
            </div>
          </div>
        </Dialog>
      )}
      {isShown && job?.at === 'over' && <ImportResult outcome={job.outcome} close={close} />}
    </>
  )
}

function tell(outcome: Outcome): void {
  if (outcome.isTaken) toast(strings.takenText(count(outcome.taken.newLines)))
  else toast(outcome.problem.message, 'bad')
}
