// Creates many accounts from a CSV file. Nothing is created before the preview is confirmed.
//
//   choose ─▶ checking ─▶ preview ─▶ creating ─▶ done
//      ▲                     │
//      └─────────────────────┘ another file

import { useState } from 'preact/hooks'
import { accountsStrings } from '../../../copy.ts'
import { type FieldFault, Problem, problemFrom, type Schemas, send } from '../../api.ts'
import { count } from '../../format.ts'
import { keepPageOpenDuring } from '../../in-flight.ts'
import { Button } from '../../parts/controls.tsx'
import { Dialog, DialogForm, NoticeDialog } from '../../parts/dialog.tsx'
import { InputField, newKey, useSending } from '../../parts/forms.tsx'
import { Icon } from '../../parts/icons.tsx'
import { Failed } from '../../parts/states.tsx'
import {
  type AccountFile,
  csvLine,
  ROWS_MAX,
  type Row,
  readAccounts,
  TEMPLATE,
  WrongFile,
} from './account-csv.ts'

const { upload: strings } = accountsStrings
const BYTES_MAX = 4_000_000
const SHOWN_MAX = 100

type Props = { close: () => void; created: () => void }
type Checked = { header: AccountFile['header']; outcomes: readonly Outcome[] }

// First the choice of the file, then its checked rows, from which the accounts are created.
export function UploadAccounts({ close, created }: Props) {
  const [checked, setChecked] = useState<Checked | undefined>()
  if (!checked) return <ChooseFile close={close} onDone={setChecked} />
  const startOver = () => setChecked(undefined)
  return <UploadPreview key="preview" {...{ checked, startOver, close, created }} />
}

// Reads the file and has the service check all of its rows, without creating anything.
function ChooseFile({ close, onDone }: { close: () => void; onDone: (checked: Checked) => void }) {
  const [progress, setProgress] = useState({ done: 0, all: 0 })
  // Checks the rows and reports the number of those checked so far.
  const sending = useSending(async (form) => {
    const { header, rows } = await readFile(form.get('file') as File)
    setProgress({ done: 0, all: rows.length })
    const report = ({ length }: readonly Outcome[]) =>
      setProgress({ done: length, all: rows.length })
    onDone({ header, outcomes: await sendRows({ rows, validateOnly: true, known: [], report }) })
  })
  return (
    <DialogForm
      title={strings.title}
      action={strings.check}
      sending={sending}
      close={close}
      otherAction={
        <a class="button" href={dataUrl(TEMPLATE)} download={strings.templateFile}>
          <Icon name="download" />
          {strings.template}
        </a>
      }
    >
      <p class="muted">{strings.text(count(ROWS_MAX))}</p>
      <InputField label={strings.file} name="file" type="file" required accept=".csv,text/csv" />
      {sending.isBusy && <ProgressBar {...progress} say={strings.checking} />}
    </DialogForm>
  )
}

// Turns a fault of the file into a problem that the form can show.
async function readFile(file: File): Promise<AccountFile> {
  try {
    return readAccounts(await readText(file))
  } catch (error) {
    if (error instanceof WrongFile) throw new Problem('invalid_file', error.message)
    throw error
  }
}

// A file of another encoding would be read with wrong letters, so only UTF-8 is accepted.
async function readText(file: File): Promise<string> {
  if (file.size > BYTES_MAX) throw new WrongFile(strings.problems.tooLarge)
  const bytes = await file.arrayBuffer()
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new WrongFile(strings.problems.notUtf8)
  }
}

const dataUrl = (csv: string) => `data:text/csv;charset=utf-8,${encodeURIComponent(`\ufeff${csv}`)}`

type BarProps = { done: number; all: number; say: (done: string, all: string) => string }

// `say` makes the text of the two numbers.
function ProgressBar({ done, all, say }: BarProps) {
  const text = say(count(done), count(all))
  return (
    <div class="bar-of" role="status">
      <progress max={Math.max(all, 1)} value={done} aria-label={text} />
      <p class="muted small">{text}</p>
    </div>
  )
}

const isValid = ({ faults }: Outcome) => faults.length === 0

// Lists the checked rows, and creates the accounts of the valid ones after a confirmation.
function UploadPreview(props: Props & { checked: Checked; startOver: () => void }) {
  const { checked, startOver, close, created } = props
  const validOutcomes = checked.outcomes.filter(isValid)
  const [createdOutcomes, setCreatedOutcomes] = useState<readonly Outcome[]>([])
  const [problem, setProblem] = useState<Problem | undefined>()
  const [isBusy, setBusy] = useState(false)
  // Creates the accounts of the valid rows. After an error, another press continues with the rows not sent
  // yet.
  const create = async () => {
    setBusy(true)
    setProblem(undefined)
    try {
      const rows = validOutcomes.map(({ row }) => row)
      const report = setCreatedOutcomes
      await keepPageOpenDuring(() =>
        sendRows({ rows, validateOnly: false, known: createdOutcomes, report }),
      )
    } catch (error) {
      setProblem(problemFrom(error))
    }
    setBusy(false)
    created()
  }
  if (createdOutcomes.length > 0 && createdOutcomes.length === validOutcomes.length) {
    const invalidOutcomes = checked.outcomes.filter((outcome) => !isValid(outcome))
    const outcomes = [...createdOutcomes, ...invalidOutcomes].toSorted(
      (a, b) => a.row.line - b.row.line,
    )
    return <UploadResult checked={{ ...checked, outcomes }} close={close} />
  }
  return (
    <Dialog title={strings.previewTitle} close={close} isWide>
      <div class="form">
        <p role="status">
          {strings.preview(
            count(validOutcomes.length),
            count(checked.outcomes.length - validOutcomes.length),
          )}
        </p>
        {validOutcomes.length < checked.outcomes.length && (
          <p class="notice">{validOutcomes.length > 0 ? strings.leftOut : strings.noneGood}</p>
        )}
        <Rows outcomes={checked.outcomes} />
        {isBusy && (
          <ProgressBar
            done={createdOutcomes.length}
            all={validOutcomes.length}
            say={strings.creating}
          />
        )}
        {problem && <Failed problem={problem} />}
        {problem && createdOutcomes.length > 0 && <p class="muted">{strings.stopped}</p>}
        <div class="form-end">
          <Button disabled={isBusy} onClick={startOver}>
            {strings.another}
          </Button>
          {validOutcomes.length > 0 && (
            <Button style="primary" disabled={isBusy} onClick={create}>
              {strings.create(validOutcomes.length - createdOutcomes.length)}
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  )
}

// Lists the rows, those with errors first.
function Rows({ outcomes }: { outcomes: readonly Outcome[] }) {
  const sorted = [...outcomes.filter((outcome) => !isValid(outcome)), ...outcomes.filter(isValid)]
  const hidden = sorted.length - SHOWN_MAX
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and must do so by keyboard.
    <section class="upload-rows" aria-label={strings.rows} tabIndex={0}>
      <ul>
        {sorted.slice(0, SHOWN_MAX).map(({ row, faults, accountNumber }) => (
          <li key={row.line}>
            <span>{strings.line(row.line, row.account.accountName)}</span>
            {faults.length === 0 && (
              <span class="muted small">{accountNumber ?? strings.ready}</span>
            )}
            {faults.map(({ field, message }) => (
              <span key={field} class="fault small">
                {field === '' ? message : `${field}: ${message}`}
              </span>
            ))}
          </li>
        ))}
      </ul>
      {hidden > 0 && <p class="muted small">{strings.notShown(count(hidden))}</p>}
    </section>
  )
}

// Lists what was created, and offers the results as a CSV file.
function UploadResult({ checked, close }: { checked: Checked; close: () => void }) {
  const { header, outcomes } = checked
  const createdOutcomes = outcomes.filter(({ accountNumber }) => accountNumber !== null)
  return (
    <NoticeDialog
      title={strings.doneTitle}
      closeLabel={strings.close}
      otherButtons={
        <a
          class="button"
          href={dataUrl(resultsCsv(header, outcomes))}
          download={strings.resultsFile}
        >
          <Icon name="download" />
          {strings.results}
        </a>
      }
      close={close}
      isWide
    >
      <p role="status">
        {strings.done(
          count(createdOutcomes.length),
          count(outcomes.length - createdOutcomes.length),
        )}
      </p>
      <Rows outcomes={outcomes} />
    </NoticeDialog>
  )
}

// Returns the CSV to download: each uploaded row with its account number or its errors.
function resultsCsv(header: readonly string[], outcomes: readonly Outcome[]): string {
  const lines = outcomes.map(({ row, accountNumber, faults }) =>
    csvLine([
      ...header.map((_, index) => row.cells[index] ?? ''),
      accountNumber ?? '',
      faults
        .map(({ field, message }) => (field === '' ? message : `${field}: ${message}`))
        .join(' '),
    ]),
  )
  return [csvLine([...header, 'accountNumber', 'error']), ...lines].join('')
}

const PATH = '/api/v1/accounts/static/bulk'
const BATCH = 100

type Outcome = { row: Row; accountNumber: string | null; faults: readonly FieldFault[] }

type SendRowsOptions = {
  rows: readonly Row[]
  validateOnly: boolean
  known: readonly Outcome[] // The outcomes of earlier batches.
  report: (outcomes: readonly Outcome[]) => void
}

// Sends the rows to the bulk endpoint in batches, to check them or to create accounts. After an error it
// continues with the batches that have no outcome yet. The key of a batch is a hash of its rows, so a retry
// or reload creates nothing twice.
async function sendRows({ rows, validateOnly, known, report }: SendRowsOptions) {
  let outcomes = known
  while (outcomes.length < rows.length) {
    const batch = rows.slice(outcomes.length, outcomes.length + BATCH)
    const accounts = batch.map(({ account }) => account)
    const { results } = await send('POST', PATH, {
      body: { accounts, ...(validateOnly ? { validateOnly } : {}) },
      headers: validateOnly ? {} : { 'idempotency-key': await batchKey(accounts) },
    })
    outcomes = [...outcomes, ...batch.map((row, index) => outcomeOf(row, results[index]))]
    report(outcomes)
  }
  return outcomes
}

// Joins the errors found in the file with the service’s. A refused row has at least one error.
function outcomeOf(row: Row, result: Schemas['BulkResult'] | undefined): Outcome {
  if (!result) throw new Error('a row without a result')
  const { isSuccessful, data, errors, message } = result
  const messages = errors.length > 0 ? errors : [{ field: '', message }]
  const faults = [...row.faults, ...(isSuccessful ? [] : messages)]
  return { row, accountNumber: data?.accountNumber ?? null, faults }
}

// The idempotency key of a batch: a hash of its rows. Browsers offer crypto.subtle only in secure contexts.
// Elsewhere the key is random, so uploading again after a reload is a new upload.
async function batchKey(accounts: readonly unknown[]): Promise<string> {
  if (!crypto.subtle) return randomKeyFor(accounts)
  const bytes = new TextEncoder().encode(JSON.stringify(accounts))
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

// One random key for each batch, so that a retry in this page has the same key.
const randomKeys = new Map<string, string>()

// Gives the same rows the same key for as long as the page is open.
function randomKeyFor(accounts: readonly unknown[]): string {
  const text = JSON.stringify(accounts)
  const key = randomKeys.get(text) ?? newKey()
  randomKeys.set(text, key)
  return key
}
