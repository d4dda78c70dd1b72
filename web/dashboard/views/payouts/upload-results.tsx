// Uploads a bank report on payout files, and shows the outcome.

import { useState } from 'preact/hooks'
import { payoutFilesStrings as strings } from '../../../copy.ts'
import { type Schemas, upload } from '../../api.ts'
import { count } from '../../format.ts'
import { Action } from '../../parts/action.tsx'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { type Fact, Facts } from '../../parts/drawer.tsx'
import { InputField } from '../../parts/forms.tsx'

type Results = Schemas['PayoutResults']

const PATH = '/api/v1/operator/payout-files/results'
const COUNTS = ['confirmed', 'failed', 'pending', 'unchanged'] as const

export function UploadResults({ done }: { done: () => void }) {
  const [results, setResults] = useState<Results | undefined>()
  return (
    <>
      <Action
        label={strings.upload}
        title={strings.upload}
        action={strings.submit}
        text={strings.uploadText}
        run={(form, headers) => {
          const file = form.get('file') as File
          const type = isCsv(file) ? 'text/csv' : 'application/xml'
          return upload(PATH, { file, type, headers })
        }}
        done={(answer) => {
          setResults(answer)
          done()
        }}
      >
        <InputField
          label={strings.file}
          name="file"
          type="file"
          required
          accept=".xml,.csv,application/xml,text/xml,text/csv"
        />
      </Action>
      {results && <Outcome results={results} close={() => setResults(undefined)} />}
    </>
  )
}

const isCsv = ({ name, type }: File) => type === 'text/csv' || /\.csv$/i.test(name)

function Outcome({ results, close }: { results: Results; close: () => void }) {
  const { problems } = results
  return (
    <Dialog title={strings.taken} close={close}>
      <div class="form">
        <div class="sums">
          <Facts
            facts={COUNTS.map((name): Fact => [strings.results[name], count(results[name])])}
          />
        </div>
        {problems.length > 0 && (
          <div role="alert">
            <h3>{strings.problems}</h3>
            <ul class="decided">
              {problems.map(({ line, reference, status, message }) => (
                <li key={`${line} ${reference}`}>
                  <p>{strings.problem(line, reference)}</p>
                  <p class="muted small">
                    {message} <code>{status}</code>
                  </p>
                </li>
              ))}
            </ul>
          </div>
        )}
        <div class="form-end">
          <Button style="primary" onClick={close}>
            {strings.done}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
