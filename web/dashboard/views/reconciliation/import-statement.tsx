// Imports a statement by drop or file choice. The import continues after its dialog closes, and reports its
// end in a toast.

import { bankStatementsStrings as strings } from '../../../copy.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { DropPlace } from './drop-place.tsx'
import { ImportForm } from './import-form.tsx'
import { hideImport, startImport, takeFile, useImportJob } from './import-job.ts'
import { ImportProgress } from './import-progress.tsx'
import { ImportResult } from './import-result.tsx'

type Props = { label: string; bankCode?: string; isCompact?: boolean; done: () => void }

export function ImportStatement({ label, bankCode, isCompact = false, done }: Props) {
  const { job, isShown } = useImportJob(done)
  const isGoing = job?.at === 'going'
  return (
    <>
      <DropPlace label={label} isCompact={isCompact} isBusy={isGoing} take={takeFile}>
        {isGoing && !isShown && <ImportProgress file={job.file} progress={job.progress} />}
      </DropPlace>
      {isShown && job?.at === 'choosing' && (
        <ImportForm file={job.file} bankCode={bankCode} start={startImport} close={hideImport} />
      )}
      {isShown && isGoing && (
        <Dialog title={strings.import} close={hideImport}>
          <div class="form">
            <ImportProgress file={job.file} progress={job.progress} />
            <p class="muted">{strings.backgroundText}</p>
            <div class="form-end">
              <Button onClick={hideImport}>{strings.background}</Button>
            </div>
          </div>
        </Dialog>
      )}
      {isShown && job?.at === 'over' && <ImportResult outcome={job.outcome} close={hideImport} />}
    </>
  )
}
