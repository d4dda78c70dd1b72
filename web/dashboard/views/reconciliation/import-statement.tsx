// Imports a statement file that the user drops or chooses. The import continues after its dialog closes, and
// reports its end in a toast.

import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { bankStatementsStrings as strings } from '../../../copy.ts'
import { type Data, Problem } from '../../api.ts'
import { bytes, count, money } from '../../format.ts'
import { useData, usePage } from '../../loading.ts'
import { Button } from '../../parts/controls.tsx'
import { Dialog, DialogForm, NoticeDialog } from '../../parts/dialog.tsx'
import { type Fact, factList } from '../../parts/drawer.tsx'
import { SelectField, useSending } from '../../parts/forms.tsx'
import { Icon } from '../../parts/icons.tsx'
import { Failed, Skeleton } from '../../parts/states.tsx'
import { goTo, hrefOf } from '../../routing.ts'
import {
  type Choice,
  chooseFile,
  type Format,
  hideImport,
  type ImportRecord,
  likeliestBank,
  type Outcome,
  type Progress,
  recogniseFormat,
  startImport,
  type Taken,
  useImportJob,
} from './import-job.ts'

type Props = { label: string; bankCode?: string; isCompact?: boolean; onDone: () => void }

// The area for statement files, and the dialog of the import: first the form, then the progress, then the
// result.
export function ImportStatement({ label, bankCode, isCompact = false, onDone }: Props) {
  const { job, isShown } = useImportJob(onDone)
  const isGoing = job?.at === 'going'
  return (
    <>
      <DropArea label={label} isCompact={isCompact} isBusy={isGoing} onFile={chooseFile}>
        {isGoing && !isShown && <ImportProgress file={job.file} progress={job.progress} />}
      </DropArea>
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

type Profile = Data<'/api/v1/operator/statement-profiles'>[number]
type Bank = Data<'/api/v1/operator/banks'>[number]
type Start = (file: File, choice: Choice) => Promise<void>
type ImportFormProps = { file: File; bankCode: string | undefined; start: Start; close: () => void }

const FORMATS = Object.keys(strings.formats) as Format[]

// Asks for the bank, the format and the profile, each preselected by the file and by earlier imports.
function ImportForm({ file, bankCode: givenBank, start, close }: ImportFormProps) {
  const banks = useData('/api/v1/operator/banks', {})
  const profiles = useData('/api/v1/operator/statement-profiles', {})
  const earlierImports = usePage('/api/v1/operator/statement-imports', { limit: '50' })
  const [format, setFormat] = useState<Format | undefined>()
  const [bank, setBank] = useState<string | undefined>(givenBank)
  const [profile, setProfile] = useState<string | undefined>()
  const chooseFormat = (name: string) => setFormat(name as Format)
  useEffect(() => {
    recogniseFormat(file).then(setFormat, () => setFormat('csv'))
  }, [file])
  const imports = earlierImports.data?.data ?? []
  const onlyBank = banks.data?.length === 1 ? banks.data[0]?.code : undefined
  const bankCode = bank ?? likeliestBank(file.name, imports) ?? onlyBank ?? ''
  const profileBank = { code: bankCode, name: bankNameOf(banks.data, bankCode) }
  const chosenProfile = profile ?? likeliestProfile(profiles.data ?? [], imports, profileBank)
  // Only CSV files have a profile, which says how their columns are read. The form cannot be sent before
  // `format` is known (isReady), so `?? 'csv'` only satisfies the type.
  const sending = useSending(async () => {
    const isCsv = format === 'csv'
    await start(file, {
      bankCode,
      format: format ?? 'csv',
      profile: (isCsv && chosenProfile) || undefined,
    })
  })
  const problem = banks.problem ?? profiles.problem
  const retry = () => [banks, profiles].forEach(({ reload }) => void reload())
  const isReady = !!(banks.data && profiles.data && format && !earlierImports.isLoading)
  const fields = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isReady) fields.current?.querySelector('select')?.focus()
  }, [isReady])
  return (
    <DialogForm
      title={strings.import}
      action={strings.start}
      isReady={isReady}
      sending={sending}
      close={close}
    >
      <p class="file-name">
        <code>{file.name}</code> <span class="muted">{bytes(file.size)}</span>
      </p>
      {problem && <Failed problem={problem} retry={retry} />}
      {!problem && !isReady && <Skeleton kind="text" lines={6} />}
      {isReady && (
        <div ref={fields} class="form">
          <SelectField
            label={strings.bank}
            required
            value={bankCode}
            onChange={(event) => setBank(event.currentTarget.value)}
            emptyOption={strings.chooseBank}
            options={(banks.data ?? []).map(({ code, name }) => [code, name])}
          />
          <SelectField
            label={strings.format}
            required
            value={format}
            onChange={(event) => chooseFormat(event.currentTarget.value)}
            options={FORMATS.map((name) => [name, strings.formats[name] ?? name])}
          />
          {format === 'csv' && (
            <ProfileField profiles={profiles.data} chosen={chosenProfile} choose={setProfile} />
          )}
        </div>
      )}
    </DialogForm>
  )
}

type ProfileFieldProps = {
  profiles: readonly Profile[] | undefined
  chosen: string
  choose: (name: string) => void
}

function ProfileField({ profiles = [], chosen, choose }: ProfileFieldProps) {
  return (
    <SelectField
      label={strings.profile}
      hint={strings.profileHint}
      value={chosen}
      onChange={(event) => choose(event.currentTarget.value)}
      emptyOption={strings.chooseProfile}
      options={profiles.map(({ name, title }) => [name, title])}
    />
  )
}

const bankNameOf = (banks: readonly Bank[] | undefined, bankCode: string) =>
  banks?.find(({ code }) => code === bankCode)?.name ?? ''

// Returns the profile of the bank's last CSV file, or else the profile with the bank's name.
function likeliestProfile(
  profiles: readonly Profile[],
  imports: readonly ImportRecord[],
  bank: { code: string; name: string },
): string {
  const lastImport = imports.find(
    ({ bankCode, profile }) => bankCode === bank.code && profile !== null,
  )
  const profileByName = profiles.find(({ name }) => possibleProfileNames(bank.name).includes(name))
  return lastImport?.profile ?? profileByName?.name ?? ''
}

// Returns the names that the bank's CSV profile may have. For Guaranty Trust Bank: gtbank, guaranty, trust,
// bank.
function possibleProfileNames(name: string): string[] {
  const words = name.toLowerCase().split(/\s+/)
  const initials = words.filter((word) => word !== 'bank').map(([first]) => first)
  return [`${initials.join('')}bank`, ...words]
}

type DropAreaProps = {
  label: string
  isCompact: boolean // Shows only the button, without the drop area.
  isBusy: boolean
  onFile: (file: File) => void
  children: ComponentChildren
}

// Takes one file, dropped on the area or chosen with the button, and passes it to `onFile`.
function DropArea({ label, isCompact, isBusy, onFile, children }: DropAreaProps) {
  const [isDraggedOver, setDraggedOver] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  // Preventing the default marks the area as a place to drop files.
  const showDropHint = (event: DragEvent) => {
    event.preventDefault()
    setDraggedOver(true)
  }
  // Takes the first of the dropped files.
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setDraggedOver(false)
    const file = event.dataTransfer?.files[0]
    if (file) onFile(file)
  }
  const choose = () => {
    const file = field.current?.files?.[0]
    if (file) onFile(file)
    if (field.current) field.current.value = '' // Allows the user to choose the same file again.
  }
  const button = (
    <>
      <button
        type="button"
        class={`button ${isCompact ? '' : 'primary'}`}
        disabled={isBusy}
        onClick={() => field.current?.click()}
      >
        <Icon name="upload" />
        {label}
      </button>
      <input
        ref={field}
        class="hidden"
        type="file"
        tabIndex={-1}
        aria-label={strings.file}
        accept=".xml,.sta,.940,.mt940,.txt,.csv,.gz"
        onChange={choose}
      />
    </>
  )
  if (isCompact) return button
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: The button does the same.
    <div
      class="drop"
      data-over={isDraggedOver}
      onDragEnter={showDropHint}
      onDragOver={showDropHint}
      onDragLeave={() => setDraggedOver(false)}
      onDrop={drop}
    >
      <p>
        {isDraggedOver ? strings.dropHere : strings.drop}
        <span class="muted small">{strings.formatsHint}</span>
      </p>
      {button}
      {children}
    </div>
  )
}

// The uploaded bytes, and once the service reads the file, the number of its lines.
function ImportProgress(props: { file: File; progress: Progress }) {
  const { file, progress } = props
  const { sentBytes, record } = progress
  const sent = Math.min(sentBytes, file.size)
  const lines = record ? count(record.lines) : undefined
  return (
    <div class="import-progress">
      <p>
        <code>{file.name}</code>
      </p>
      <progress aria-label={strings.progress} value={sent} max={Math.max(file.size, 1)} />
      <p class="muted small" aria-live="polite">
        {strings.sending(bytes(sent), bytes(file.size))}
        {lines && record?.state === 'reading' && ` · ${strings.reading(lines)}`}
        {lines && record?.state === 'matching' && ` · ${strings.matching(lines)}`}
      </p>
    </div>
  )
}

const COUNTS = ['lines', 'newLines', 'matched', 'differences'] as const

type Refused = Extract<Outcome, { isTaken: false }>

// The counts of the import, or the reason why the statement was refused.
function ImportResult({ outcome, close }: { outcome: Outcome; close: () => void }) {
  if (outcome.isTaken) return <ImportSummary result={outcome.result} close={close} />
  return (
    <NoticeDialog title={strings.refused} closeLabel={strings.done} close={close}>
      <Failed problem={refusalReason(outcome)} />
      <p class="muted">{strings.refusedText}</p>
    </NoticeDialog>
  )
}

// Returns the reason of a refusal. For a refused statement, only the error and its line.
function refusalReason({ problem, record }: Refused): Problem {
  if (problem.code !== 'statement_refused') return problem
  const { line, message } = record?.error ?? { line: null, message: problem.fields[0]?.message }
  if (!message) return problem
  return new Problem(problem.code, line === null ? message : strings.atLine(count(line), message))
}

// The counts and balances of an imported statement, with a link to its day.
function ImportSummary({ result, close }: { result: Taken; close: () => void }) {
  const [firstStatement] = result.statements
  const { opening, closing } = result
  const balance = (amount: number | null) =>
    amount === null ? null : money(amount, firstStatement?.currency ?? 'NGN')
  const facts: Fact[] = [
    ...COUNTS.map((name): Fact => [strings.results[name], count(result[name])]),
    [strings.results.opening, balance(opening)],
    [strings.results.closing, balance(closing)],
  ]
  // Opens the last day of the statement.
  const openDay = () => {
    close()
    if (!firstStatement) return
    const { bankCode, currency, toDay: day } = firstStatement
    goTo(hrefOf('reconciliation', undefined, { bankCode, day, currency }))
  }
  return (
    <Dialog title={result.isUnchanged ? strings.unchanged : strings.taken} close={close}>
      <div class="form">
        {result.isUnchanged && <p class="muted">{strings.unchangedText}</p>}
        <div class="sums">{factList(facts)}</div>
        <div class="form-end">
          <Button onClick={close}>{strings.done}</Button>
          {firstStatement && (
            <Button style="primary" onClick={openDay}>
              {strings.seeDay}
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  )
}
