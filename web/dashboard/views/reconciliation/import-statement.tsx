// Imports a statement file that the user drops or chooses. The import continues after its dialog closes, and
// reports its end in a toast.

import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { bankStatementsStrings as strings } from '../../../copy.ts'
import { type Data, Problem } from '../../api.ts'
import { bytes, count, money } from '../../format.ts'
import { useData, usePage } from '../../loading.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog, DialogForm, NoticeDialog } from '../../parts/dialog.tsx'
import { type Fact, Facts } from '../../parts/drawer.tsx'
import { Field, useSending } from '../../parts/forms.tsx'
import { Icon } from '../../parts/icons.tsx'
import { Failed, Skeleton } from '../../parts/states.tsx'
import { goTo, hrefOf } from '../../routing.ts'
import type { Choice, ImportRecord, Outcome, Progress, Taken } from './import-job.ts'
import { hideImport, startImport, takeFile, useImportJob } from './import-job.ts'
import { type Format, likeliestBank, recogniseFormat } from './recognise-file.ts'

type Props = { label: string; bankCode?: string; isCompact?: boolean; onDone: () => void }

export function ImportStatement({ label, bankCode, isCompact = false, onDone }: Props) {
  const { job, isShown } = useImportJob(onDone)
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

type Profile = Data<'/api/v1/operator/statement-profiles'>[number]
type Bank = Data<'/api/v1/operator/banks'>[number]
type Start = (file: File, choice: Choice) => Promise<void>
type ImportFormProps = { file: File; bankCode: string | undefined; start: Start; close: () => void }

const FORMATS = Object.keys(strings.formats) as Format[]

function ImportForm({ file, bankCode: givenBank, start, close }: ImportFormProps) {
  const banks = useData('/api/v1/operator/banks', {})
  const profiles = useData('/api/v1/operator/statement-profiles', {})
  const earlier = usePage('/api/v1/operator/statement-imports', { limit: '50' })
  const [format, setFormat] = useState<Format | undefined>()
  const [bank, setBank] = useState<string | undefined>(givenBank)
  const [profile, setProfile] = useState<string | undefined>()
  useEffect(() => {
    recogniseFormat(file).then(setFormat, () => setFormat('csv'))
  }, [file])
  const imports = earlier.data?.data ?? []
  const onlyBank = banks.data?.length === 1 ? banks.data[0]?.code : undefined
  const bankCode = bank ?? likeliestBank(file.name, imports) ?? onlyBank ?? ''
  const named = { code: bankCode, name: nameOf(banks.data, bankCode) }
  const chosen = profile ?? likeliestProfile(profiles.data ?? [], imports, named)
  const sending = useSending(async () => {
    const isCsv = format === 'csv'
    await start(file, {
      bankCode,
      format: format ?? 'csv',
      profile: (isCsv && chosen) || undefined,
    })
  })
  const problem = banks.problem ?? profiles.problem
  const retry = () => [banks, profiles].forEach(({ reload }) => void reload())
  const isReady = !!(banks.data && profiles.data && format && !earlier.isLoading)
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
          <Choices label={strings.bank} value={bankCode} choose={setBank}>
            <option value="">{strings.chooseBank}</option>
            <Options choices={banks.data?.map(({ code, name }) => [code, name])} />
          </Choices>
          <Choices label={strings.format} value={format} choose={(it) => setFormat(it as Format)}>
            <Options choices={FORMATS.map((each) => [each, strings.formats[each] ?? each])} />
          </Choices>
          {format === 'csv' && (
            <Choices
              label={strings.profile}
              hint={strings.profileHint}
              isOptional
              value={chosen}
              choose={setProfile}
            >
              <option value="">{strings.chooseProfile}</option>
              <Options choices={profiles.data?.map(({ name, title }) => [name, title])} />
            </Choices>
          )}
        </div>
      )}
    </DialogForm>
  )
}

const nameOf = (banks: readonly Bank[] | undefined, bankCode: string) =>
  banks?.find(({ code }) => code === bankCode)?.name ?? ''

type ChoicesProps = {
  label: string
  hint?: string
  isOptional?: boolean
  value: string
  choose: (value: string) => void
  children: ComponentChildren
}

function Options({ choices = [] }: { choices: [value: string, label: string][] | undefined }) {
  return (
    <>
      {choices.map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </>
  )
}

function Choices({ label, hint, isOptional = false, value, choose, children }: ChoicesProps) {
  return (
    <Field label={label} hint={hint}>
      {(id) => (
        <select
          id={id}
          required={!isOptional}
          value={value}
          onChange={(event) => choose(event.currentTarget.value)}
        >
          {children}
        </select>
      )}
    </Field>
  )
}

// Returns the profile of the bank's last CSV file, or else the profile with the bank's name.
function likeliestProfile(
  profiles: readonly Profile[],
  imports: readonly ImportRecord[],
  bank: { code: string; name: string },
): string {
  const last = imports.find(({ bankCode, profile }) => bankCode === bank.code && profile !== null)
  const named = profiles.find(({ name }) => profileNamesOf(bank.name).includes(name))
  return last?.profile ?? named?.name ?? ''
}

// Returns the names that a profile of the bank may have. For Guaranty Trust Bank: gtbank, guaranty, trust,
// bank.
function profileNamesOf(name: string): string[] {
  const words = name.toLowerCase().split(/\s+/)
  const initials = words.filter((word) => word !== 'bank').map(([first]) => first)
  return [`${initials.join('')}bank`, ...words]
}

type DropPlaceProps = {
  label: string
  isCompact: boolean // Shows only the button, without the drop area.
  isBusy: boolean
  take: (file: File) => void
  children: ComponentChildren
}

function DropPlace({ label, isCompact, isBusy, take, children }: DropPlaceProps) {
  const [isOver, setOver] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const hold = (event: DragEvent) => {
    event.preventDefault()
    setOver(true)
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    const file = event.dataTransfer?.files[0]
    if (file) take(file)
  }
  const choose = () => {
    const file = field.current?.files?.[0]
    if (file) take(file)
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
      data-over={isOver}
      onDragEnter={hold}
      onDragOver={hold}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <p>
        {isOver ? strings.dropHere : strings.drop}
        <span class="muted small">{strings.formatsHint}</span>
      </p>
      {button}
      {children}
    </div>
  )
}

type ImportProgressProps = { file: File; progress: Progress }

function ImportProgress({ file, progress: { sentBytes, record } }: ImportProgressProps) {
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

function ImportResult({ outcome, close }: { outcome: Outcome; close: () => void }) {
  if (outcome.isTaken) return <Imported result={outcome.result} close={close} />
  return (
    <NoticeDialog title={strings.refused} closeLabel={strings.done} close={close}>
      <Failed problem={reasonOf(outcome)} />
      <p class="muted">{strings.refusedText}</p>
    </NoticeDialog>
  )
}

// Returns the reason of a refusal. For a refused statement, only the error and its line.
function reasonOf({ problem, record }: Refused): Problem {
  if (problem.code !== 'statement_refused') return problem
  const { line, message } = record?.error ?? { line: null, message: problem.fields[0]?.message }
  if (!message) return problem
  return new Problem(problem.code, line === null ? message : strings.atLine(count(line), message))
}

function Imported({ result, close }: { result: Taken; close: () => void }) {
  const [first] = result.statements
  const { opening, closing } = result
  const balance = (amount: number | null) =>
    amount === null ? null : money(amount, first?.currency ?? 'NGN')
  const facts: Fact[] = [
    ...COUNTS.map((name): Fact => [strings.results[name], count(result[name])]),
    [strings.results.opening, balance(opening)],
    [strings.results.closing, balance(closing)],
  ]
  const see = () => {
    close()
    if (!first) return
    const { bankCode, currency, toDay: day } = first
    goTo(hrefOf('reconciliation', undefined, { bankCode, day, currency }))
  }
  return (
    <Dialog title={result.isUnchanged ? strings.unchanged : strings.taken} close={close}>
      <div class="form">
        {result.isUnchanged && <p class="muted">{strings.unchangedText}</p>}
        <div class="sums">
          <Facts facts={facts} />
        </div>
        <div class="form-end">
          <Button onClick={close}>{strings.done}</Button>
          {first && (
            <Button style="primary" onClick={see}>
              {strings.seeDay}
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  )
}
