// The list of cases, which are reports of fraud; and a case: its deadlines, parties, credits, holds,
// evidence, notes and history, and the actions on it.

import type { ComponentChildren } from 'preact'
import { casesStrings as strings } from '../../../copy.ts'
import { Problem, type Schemas, send, upload } from '../../api.ts'
import { Action, AtOnceButton } from '../../parts/action.tsx'
import { OpenCase, PlaceHold } from '../../parts/cases-and-holds.tsx'
import { Link } from '../../parts/controls.tsx'
import { factList } from '../../parts/drawer.tsx'
import { type Filter, humanized } from '../../parts/filters.tsx'
import { InputField, ReasonField, SelectField, TextAreaField } from '../../parts/forms.tsx'
import { ListView } from '../../parts/list-view.tsx'
import { type Column, orderColumn } from '../../parts/table.tsx'
import { Badge, Copyable, Money, TextHeadline, Time } from '../../parts/values.tsx'
import { hrefOf } from '../../routing.ts'
import type { ViewProps } from '../../session.ts'

const CASES = '/api/v1/operator/cases'
const ONE = `${CASES}/{reference}` as const

const OUTCOMES = ['confirmed', 'unfounded', 'referred', 'undetermined'] as const
const ROLES = ['reporter', 'payer', 'payee', 'bank', 'other'] as const

type Case = Schemas['Case']
type Props = { item: Case; changed: () => void }

function WholeCase({ item, changed }: Props) {
  const isOpen = item.state !== 'closed'
  return (
    <>
      <CaseFacts item={item} />
      <CaseActions item={item} changed={changed} />
      <Deadlines item={item} changed={changed} />
      <CaseSection
        title={strings.parties}
        add={isOpen && <AddParty item={item} changed={changed} />}
      >
        {item.parties.map((party, index) => (
          <li key={`${party.addedAt} ${index}`}>
            <b>{strings.roles[party.role]}</b>
            <span>
              {[party.name, party.accountNumber, party.bankCode, party.contact]
                .filter(Boolean)
                .join(', ')}
            </span>
          </li>
        ))}
      </CaseSection>
      <CaseSection
        title={strings.credits}
        add={isOpen && <LinkCredit item={item} changed={changed} />}
      >
        {item.credits.map(({ sessionId, amount, currency }) => (
          <li key={sessionId}>
            <Money amount={amount} currency={currency} />
            <Copyable text={sessionId} />
          </li>
        ))}
      </CaseSection>
      <CaseSection
        title={strings.holds}
        add={
          isOpen &&
          item.clientId && <PlaceHold known={holdDefaults(item, item.clientId)} onDone={changed} />
        }
      >
        {item.holds.map(({ reference, heldAmount, currency, state }) => (
          <li key={reference}>
            <Money amount={heldAmount} currency={currency} />
            <span>
              <Link href={hrefOf('holds', reference)}>{reference}</Link> <Badge state={state} />
            </span>
          </li>
        ))}
      </CaseSection>
      <CaseSection
        title={strings.evidence}
        add={isOpen && <AddEvidence item={item} changed={changed} />}
      >
        {item.evidence.map(({ id, name, mediaType, sha256 }) => (
          <li key={id}>
            <a href={`${CASES}/${item.reference}/evidence/${id}`}>{name || mediaType}</a>
            <Copyable text={sha256} label={`${sha256.slice(0, 12)}…`} name={strings.sha256} />
          </li>
        ))}
      </CaseSection>
      <NotesAndHistory item={item} changed={changed} />
    </>
  )
}

// The notes in order, and the changes of the case, the latest first. A closed case takes no notes.
function NotesAndHistory({ item, changed }: Props) {
  const isOpen = item.state !== 'closed'
  return (
    <>
      <CaseSection title={strings.notes} add={isOpen && <AddNote item={item} changed={changed} />}>
        {item.notes.map(({ note, writtenBy, writtenAt }) => (
          <li key={writtenAt}>
            <span>
              {note}{' '}
              <span class="muted small">
                {strings.person(writtenBy)}, <Time at={writtenAt} />
              </span>
            </span>
          </li>
        ))}
      </CaseSection>
      <CaseSection title={strings.history}>
        {item.history.toReversed().map(({ change, changedBy, changedAt }, index) => (
          <li key={`${changedAt} ${index}`}>
            <span>{strings.changes[change] ?? change}</span>
            <span class="muted small">
              {strings.person(changedBy)}, <Time at={changedAt} />
            </span>
          </li>
        ))}
      </CaseSection>
    </>
  )
}

// The values of a new hold that the case already has: its client, its reference and its first credit.
function holdDefaults({ reference, credits }: Case, clientId: string) {
  const [firstCredit] = credits
  return { clientId, case: reference, ...(firstCredit ? { sessionId: firstCredit.sessionId } : {}) }
}

function CaseFacts({ item }: { item: Case }) {
  const { reference, amount, outcome, closedAt, erasedAt } = item
  return (
    <>
      <TextHeadline text={item.summary || strings.erased} badge={<Badge state={item.state} />} />
      {factList([
        [strings.reference, <Copyable key="reference" text={reference} />],
        [strings.kind, strings.kinds[item.kind]],
        [strings.outcome, outcome && strings.outcomes[outcome]],
        [strings.client, item.clientId],
        [strings.amount, amount !== null && <Money key="amount" amount={amount} />],
        [strings.reporterReference, item.reporterReference],
        [strings.joint, item.isJoint && strings.isJoint],
        [strings.reported, <Time key="reported" at={item.reportedAt} />],
        [strings.openedBy, strings.person(item.openedBy)],
        [strings.closed, closedAt && <Time key="closed" at={closedAt} />],
        [strings.changes.erase ?? '', erasedAt && <Time key="erased" at={erasedAt} />],
      ])}
    </>
  )
}

function CaseActions({ item, changed }: Props) {
  const params = { reference: item.reference }
  return (
    <div class="buttons after-facts">
      {item.state === 'open' && (
        <AtOnceButton
          label={strings.investigate}
          style="primary"
          run={async (headers) => {
            await send('POST', `${ONE}/investigate`, { params, body: {}, headers })
            changed()
          }}
        />
      )}
      <Action
        title={strings.closeTitle}
        action={strings.close}
        text={strings.closeText}
        isOffered={item.state !== 'closed'}
        run={(form, headers) => {
          const body = { outcome: form.choice('outcome', OUTCOMES), reason: form.text('reason') }
          return send('POST', `${ONE}/close`, { params, body, headers })
        }}
        onDone={changed}
      >
        <SelectField
          label={strings.outcome}
          name="outcome"
          options={[...OUTCOMES]}
          names={strings.outcomes}
        />
        <ReasonField label={strings.reason} hint={strings.reasonHint} />
      </Action>
      <Action
        title={strings.reopenTitle}
        action={strings.reopen}
        isOffered={item.state === 'closed' && item.erasedAt === null}
        run={(form, headers) =>
          send('POST', `${ONE}/reopen`, { params, body: { reason: form.text('reason') }, headers })
        }
        onDone={changed}
      >
        <ReasonField label={strings.reason} hint={strings.reasonHint} />
      </Action>
      <a class="button" href={`${CASES}/${item.reference}/export.json`}>
        {strings.exportJson}
      </a>
      <a class="button" href={`${CASES}/${item.reference}/export.html`}>
        {strings.print}
      </a>
    </div>
  )
}

// The deadlines of the case, what each clock started with, and whether it runs. A running one has a button
// that marks it as met.
function Deadlines({ item, changed }: Props) {
  return (
    <CaseSection title={strings.deadlinesTitle}>
      {item.deadlines.map(({ name, clock, state, startedAt, dueAt, metAt, source }) => (
        <li key={name}>
          <span>
            {strings.deadlines[name]}
            <br />
            <span class="muted small" title={source}>
              {strings.clocks[clock]}
              {startedAt && (
                <>
                  {' '}
                  <Time at={startedAt} />
                </>
              )}
              {dueAt && (
                <>
                  , {strings.due} <Time at={dueAt} />
                </>
              )}
            </span>
          </span>
          <span>
            <Badge
              state={metAt && state === 'missed' ? strings.metLate : strings.clockStates[state]}
            />
          </span>
          {!metAt && dueAt && state !== 'ended' && (
            <AtOnceButton
              label={strings.meet}
              name={strings.meetOf(strings.deadlines[name] ?? name)}
              run={async (headers) => {
                const params = { reference: item.reference, deadline: name }
                await send('POST', `${ONE}/deadlines/{deadline}/meet`, {
                  params,
                  body: {},
                  headers,
                })
                changed()
              }}
            />
          )}
        </li>
      ))}
    </CaseSection>
  )
}

type CaseSectionProps = { title: string; add?: ComponentChildren; children: ComponentChildren[] }

// A part of the case: a list with a button that adds to it.
function CaseSection({ title, add, children }: CaseSectionProps) {
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      {children.length > 0 && <ul class="locations">{children}</ul>}
      {add && <div class="buttons after-facts">{add}</div>}
    </section>
  )
}

// Adds a person or account to the case. Blank fields are left out.
function AddParty({ item, changed }: Props) {
  return (
    <Action
      action={strings.addParty}
      run={(form, headers) => {
        const fields = ['name', 'accountNumber', 'bankCode', 'contact'] as const
        const filledFields = fields.filter((field) => form.text(field) !== '')
        const body = {
          role: form.choice('role', ROLES),
          ...Object.fromEntries(filledFields.map((field) => [field, form.text(field)])),
        }
        const params = { reference: item.reference }
        return send('POST', `${ONE}/parties`, { params, body, headers })
      }}
      onDone={changed}
    >
      <SelectField label={strings.role} name="role" options={[...ROLES]} names={strings.roles} />
      <InputField label={strings.partyName} name="name" maxLength={200} />
      <InputField label={strings.number} name="accountNumber" maxLength={34} />
      <InputField label={strings.bankCode} name="bankCode" maxLength={20} />
      <InputField label={strings.contact} name="contact" maxLength={200} />
    </Action>
  )
}

function AddNote({ item, changed }: Props) {
  return (
    <Action
      action={strings.addNote}
      run={(form, headers) => {
        const [params, body] = [{ reference: item.reference }, { note: form.text('note') }]
        return send('POST', `${ONE}/notes`, { params, body, headers })
      }}
      onDone={changed}
    >
      <TextAreaField
        label={strings.note}
        hint={strings.noteHint}
        name="note"
        rows={5}
        maxLength={5_000}
        required
      />
    </Action>
  )
}

function LinkCredit({ item, changed }: Props) {
  return (
    <Action
      action={strings.linkCredit}
      run={(form, headers) => {
        const body = { sessionId: form.text('sessionId'), clientId: form.text('clientId') }
        return send('POST', `${ONE}/credits`, {
          params: { reference: item.reference },
          body,
          headers,
        })
      }}
      onDone={changed}
    >
      <InputField
        label={strings.client}
        name="clientId"
        required
        maxLength={64}
        defaultValue={item.clientId ?? ''}
      />
      <InputField label={strings.sessionId} name="sessionId" required maxLength={64} />
    </Action>
  )
}

function AddEvidence({ item, changed }: Props) {
  return (
    <Action
      action={strings.addEvidence}
      run={(form, headers) => {
        const file = form.get('file')
        if (!(file instanceof File) || file.size === 0)
          throw new Problem('body_missing', strings.chooseFile)
        const type = 'application/octet-stream'
        const [params, query] = [{ reference: item.reference }, { name: file.name }]
        return upload(`${ONE}/evidence`, { file, type, params, query, headers })
      }}
      onDone={changed}
    >
      <InputField
        label={strings.file}
        hint={strings.fileHint}
        name="file"
        type="file"
        required
        accept=".pdf,.png,.jpg,.jpeg,.webp,.txt,.eml,.csv"
      />
    </Action>
  )
}

type Outline = Schemas['CaseOutline']

const FILTERS: readonly Filter[] = [
  {
    name: 'state',
    label: strings.state,
    choices: humanized(['open', 'investigating', 'closed']),
  },
  { name: 'kind', label: strings.kind, choices: strings.kinds },
  { name: 'overdue', label: strings.overdue, choices: { true: strings.overdueOnly } },
  { name: 'clientId', label: strings.client },
  { name: 'sessionId', label: strings.sessionId },
]

const COLUMNS: readonly Column<Outline>[] = [
  { name: strings.summary, place: 'lead', show: ({ summary }) => summary || strings.erased },
  { name: strings.state, place: 'state', show: ({ state }) => <Badge state={state} /> },
  { name: strings.kind, place: 'second', show: ({ kind }) => strings.kinds[kind] },
  { name: strings.client, show: ({ clientId }) => clientId },
  {
    name: strings.due,
    place: 'line',
    show: ({ nextDueAt, nextDeadline }) =>
      nextDueAt ? (
        <>
          <Time at={nextDueAt} /> {strings.deadlines[nextDeadline ?? '']}
        </>
      ) : (
        strings.noDue
      ),
  },
  orderColumn(strings.reported, 'reportedAt'),
]

export default function Cases(props: ViewProps) {
  return (
    <ListView
      {...props}
      view="cases"
      icon="search"
      path={CASES}
      caption={strings.title}
      columns={COLUMNS}
      filters={FILTERS}
      keyOf={({ reference }) => reference}
      isPolled
      emptyState={{ title: strings.none, text: strings.noneText }}
      add={<OpenCase />}
      drawer={{
        title: strings.one,
        path: ONE,
        show: (item, { changed }) => <WholeCase item={item} changed={changed} />,
      }}
    />
  )
}
