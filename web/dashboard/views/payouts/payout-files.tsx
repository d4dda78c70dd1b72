// Payout files, for banks without an API: create and download one, mark it as not delivered once the bank
// confirms that, and upload the bank's report.

import { useState } from 'preact/hooks'
import { payoutsStrings, payoutFilesStrings as strings, suspenseStrings } from '../../../copy.ts'
import { type Schemas, send, upload } from '../../api.ts'
import { count } from '../../format.ts'
import { useData } from '../../loading.ts'
import { Action } from '../../parts/action.tsx'
import { Link } from '../../parts/controls.tsx'
import { NoticeDialog } from '../../parts/dialog.tsx'
import { type Fact, factList } from '../../parts/drawer.tsx'
import type { Filter } from '../../parts/filters.tsx'
import { InputField, SelectField, TextAreaField } from '../../parts/forms.tsx'
import { Icon } from '../../parts/icons.tsx'
import { ListView } from '../../parts/list-view.tsx'
import { Pending } from '../../parts/states.tsx'
import { amountColumn, type Column } from '../../parts/table.tsx'
import { Badge, BankName, Copyable, Money, Time } from '../../parts/values.tsx'
import { goTo, hrefOf } from '../../routing.ts'
import { mayAccount, type Session, type ViewProps } from '../../session.ts'
import { DecideFailure } from './resolve-payout.tsx'

const PATH = '/api/v1/operator/payout-files'

const FILTERS: readonly Filter[] = [
  { name: 'bankCode', label: strings.bank, placeholder: strings.bankDigits },
]

const COLUMNS: readonly Column<PayoutFile>[] = [
  { name: strings.id, place: 'lead', show: ({ id }) => <code>{id}</code> },
  { name: strings.bank, place: 'second', show: ({ bankCode }) => <BankName code={bankCode} /> },
  { name: strings.format, show: ({ format }) => strings.formats[format] ?? format },
  { name: strings.payouts, isAmount: true, show: ({ payouts }) => count(payouts) },
  amountColumn(strings.amount),
  { name: strings.status, place: 'state', show: (file) => <FileState file={file} /> },
  { name: strings.created, place: 'time', show: ({ createdAt }) => <Time at={createdAt} /> },
]

export function PayoutFiles(props: ViewProps) {
  const mayChange = mayAccount(props.session)
  return (
    <ListView
      {...props}
      view="payouts"
      icon="download"
      path={PATH}
      caption={payoutsStrings.tabs.files}
      columns={COLUMNS}
      filters={FILTERS}
      keyOf={({ id }) => id}
      emptyState={{ title: strings.none, text: strings.noneText }}
      add={
        mayChange &&
        ((changed) => (
          <div class="buttons">
            <UploadResults onDone={changed} />
            <CreateFile onDone={changed} />
          </div>
        ))
      }
      drawer={{
        title: strings.one,
        path: `${PATH}/{id}`,
        show: (file, { changed }) => (
          <PayoutFileDetail file={file} session={props.session} onDone={changed} />
        ),
      }}
    />
  )
}

const FORMATS = ['pain.001', 'csv'] as const

function CreateFile({ onDone }: { onDone: () => void }) {
  return (
    <Action
      title={strings.createTitle}
      action={strings.create}
      style="primary"
      text={strings.createText}
      run={(form, headers) => {
        const format = form.choice('format', FORMATS)
        const body = { bankCode: form.text('bankCode'), format }
        return send('POST', '/api/v1/operator/payout-files', { body, headers })
      }}
      message={({ id }) => strings.made(id)}
      onDone={({ id }) => {
        onDone()
        goTo(hrefOf('payouts', id, { tab: 'files' }))
      }}
    >
      <SendingBankField />
      <SelectField
        label={strings.format}
        name="format"
        options={FORMATS}
        names={strings.formatChoices}
      />
    </Action>
  )
}

function SendingBankField() {
  const { data, problem, reload } = useData('/api/v1/operator/banks', {})
  if (problem || !data) return <Pending {...{ data, problem, reload }} kind="text" lines={2} />
  return (
    <SelectField
      label={strings.bank}
      name="bankCode"
      required
      emptyOption={strings.chooseBank}
      options={data.map(({ code, name }) => [code, name])}
    />
  )
}

const { person } = suspenseStrings

type Detail = { file: Schemas['PayoutFileDetail']; session: Session; onDone: () => void }

// A payout file: the download while the bank may still get it, its counts, and the request to mark it as not
// delivered.
function PayoutFileDetail({ file, session, onDone }: Detail) {
  const { id, amount, payouts, notDeliveredAt, blockedBy, failureRequest } = file
  const isInUse = mayAccount(session) && notDeliveredAt === null
  return (
    <>
      <div class="headline">
        <Money amount={amount} />
        <FileState file={file} />
      </div>
      <p class="muted">
        <Link href={hrefOf('payouts', undefined, { tab: 'all', payoutFile: id })}>
          {strings.count(count(payouts))}
        </Link>
      </p>
      {notDeliveredAt === null && blockedBy && (
        <p class="notice held">{blockedText(file, blockedBy)}</p>
      )}
      {isInUse && !blockedBy && (
        <>
          <p class="actions">
            <a class="button primary" href={`${PATH}/${id}/download`} download>
              <Icon name="download" />
              {strings.download}
            </a>
          </p>
          <p class="muted small after-facts">{strings.downloadNote}</p>
        </>
      )}
      <FileFacts file={file} />
      {failureRequest && <DecideFailure session={session} item={failureRequest} onDone={onDone} />}
      {isInUse && file.open > 0 && !failureRequest && <NotDelivered file={file} onDone={onDone} />}
    </>
  )
}

function blockedText({ settledByHand }: PayoutFile, blockedBy: string): string {
  if (blockedBy === 'payout_file_settled') return strings.byHand(count(settledByHand))
  return strings.blocked[blockedBy] ?? blockedBy
}

function FileFacts({ file }: { file: PayoutFile }) {
  const { downloadedAt, downloadedBy, notDeliveredAt, notDeliveredBy } = file
  return factList([
    [strings.id, <Copyable key="id" text={file.id} />],
    [strings.bank, <BankName key="bank" code={file.bankCode} />],
    [strings.format, strings.formats[file.format] ?? file.format],
    [strings.execution, file.executionDate],
    [strings.waiting, count(file.open)],
    [strings.confirmed, count(file.confirmed)],
    [strings.failed, count(file.failed)],
    [strings.created, <Time key="created" at={file.createdAt} />],
    [strings.createdBy, person(file.createdBy)],
    [strings.downloaded, downloadedAt && <Time at={downloadedAt} />],
    [strings.downloadedBy, downloadedBy && person(downloadedBy)],
    [strings.notDeliveredAt, notDeliveredAt && <Time at={notDeliveredAt} />],
    [strings.notDeliveredBy, notDeliveredBy && person(notDeliveredBy)],
    [strings.bankConfirmation, file.bankConfirmation],
    [strings.sha256, <Copyable key="sha256" text={file.sha256} />],
  ])
}

// Requests to mark the payouts of the file as failed, because the bank confirmed that it never got the
// file.
function NotDelivered({ file: { id, open }, onDone }: { file: PayoutFile; onDone: () => void }) {
  return (
    <div class="actions">
      <Action
        title={strings.failTitle(count(open))}
        action={strings.fail}
        style="danger-text"
        isDangerous
        text={strings.failText}
        run={(form, headers) => {
          const body = { bankConfirmation: form.text('bankConfirmation') }
          return send('POST', `${PATH}/{id}/not-delivered`, { params: { id }, body, headers })
        }}
        message={strings.failedDone(id)}
        onDone={onDone}
      >
        <TextAreaField
          label={strings.confirmation}
          hint={strings.confirmationHint}
          name="bankConfirmation"
          rows={3}
          maxLength={400}
          required
        />
      </Action>
    </div>
  )
}

type Results = Schemas['PayoutResults']

const RESULTS = '/api/v1/operator/payout-files/results'
const COUNTS = ['confirmed', 'failed', 'pending', 'unchanged'] as const

function UploadResults({ onDone }: { onDone: () => void }) {
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
          return upload(RESULTS, { file, type, headers })
        }}
        onDone={(answer) => {
          setResults(answer)
          onDone()
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
      {results && <UploadOutcome results={results} close={() => setResults(undefined)} />}
    </>
  )
}

const isCsv = ({ name, type }: File) => type === 'text/csv' || /\.csv$/i.test(name)

// The counts of the uploaded report, and the lines that could not be applied.
function UploadOutcome({ results, close }: { results: Results; close: () => void }) {
  const { problems } = results
  return (
    <NoticeDialog title={strings.taken} closeLabel={strings.done} close={close}>
      <div class="sums">
        {factList(COUNTS.map((name): Fact => [strings.results[name], count(results[name])]))}
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
    </NoticeDialog>
  )
}

type PayoutFile = Schemas['PayoutFile']

// The state of a file: not delivered, some payouts without a result, or done.
function FileState({ file: { open, notDeliveredAt } }: { file: PayoutFile }) {
  if (notDeliveredAt) return <Badge state={strings.states.notDelivered} tone="bad" />
  if (open > 0) return <Badge state={strings.open(count(open))} tone="warn" />
  return <Badge state={strings.states.done} tone="good" />
}
