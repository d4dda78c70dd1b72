// Uploads what a bank reports of payout files, and shows what became of it.

import { useState } from 'preact/hooks'
import { payoutFilesStrings as strings } from '../../../copy.ts'
import { type Schemas, upload } from '../../api.ts'
import { count } from '../../format.ts'
import { Dialog, DialogForm } from '../../parts/dialog.tsx'
import { type Fact, Facts } from '../../parts/drawer.tsx'
import { Field, useSending } from '../../parts/forms.tsx'

type Results = Schemas['PayoutResults']

const PATH = '/api/v1/operator/payout-files/results'
const COUNTS = ['confirmed', 'failed', 'pending', 'unchanged'] as const

export function UploadResults({ done }: { done: () => void }) {
  const [isOpen, setOpen] = useState(false)
  const [results, setResults] = useState<Results | undefined>()
  const close = () => {
    setOpen(false)
    setResults(undefined)
  }
  return (
    <>
      <button type="button" class="button" onClick={() => setOpen(true)}>
        {strings.upload}
      </button>
      {isOpen && !results && (
        <UploadForm
          close={close}
          done={(taken) => {
            setResults(taken)
            done()
          }}
        />
      )}
      {results && <Taken results={results} close={close} />}
    </>
  )
}

const isCsv = ({ name, type }: File) => type === 'text/csv' || /\.csv$/i.test(name)

function UploadForm({ close, done }: { close: () => void; done: (results: Results) => void }) {
  const sending = useSending(async (given, headers) => {
    const file = given.get('file') as File
    const type = isCsv(file) ? 'text/csv' : 'application/xml'
    done(await upload(PATH, { file, type, headers }))
  })
  return (
    <DialogForm title={strings.upload} action={strings.submit} sending={sending} close={close}>
      <p class="muted">{strings.uploadText}</p>
      <Field label={strings.file}>
        {(id) => (
          <input
            id={id}
            name="file"
            type="file"
            required
            accept=".xml,.csv,application/xml,text/xml,text/csv"
          />
        )}
      </Field>
    </DialogForm>
  )
}

function Taken({ results, close }: { results: Results; close: () => void }) {
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
          <button type="button" class="button primary" onClick={close}>
            {strings.done}
          </button>
        </div>
      </div>
    </Dialog>
  )
}
