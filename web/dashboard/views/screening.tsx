// Screening: the stopped money with the reasons, the rules with their tests on past money movements,
// requests, and lists of names.

import { screeningStrings as strings, suspenseStrings } from '../../copy.ts'
import { type Schemas, send } from '../api.ts'
import { count, today } from '../format.ts'
import { Action, DecideRequest } from '../parts/action.tsx'
import { Link, tabbedView } from '../parts/controls.tsx'
import { factList } from '../parts/drawer.tsx'
import type { Filter } from '../parts/filters.tsx'
import { type Headers, InputField, ReasonField } from '../parts/forms.tsx'
import { ListView } from '../parts/list-view.tsx'
import { amountColumn, type Column, fieldColumn } from '../parts/table.tsx'
import { Badge, Copyable, Headline, Money, TextHeadline, Time } from '../parts/values.tsx'
import { goTo, hrefOf } from '../routing.ts'
import type { Session, ViewProps } from '../session.ts'

const SCREENING = '/api/v1/operator/screening'
const RULES = `${SCREENING}/rules` as const
const DECISIONS = `${SCREENING}/decisions` as const
const REQUESTS = `${SCREENING}/requests` as const
const LISTS = `${SCREENING}/lists` as const
const { person } = suspenseStrings

const openRequests = () => goTo(hrefOf('screening', undefined, { tab: 'requests' }))

const listProps = { view: 'screening', icon: 'filter', isPolled: true } as const

type Decision = Schemas['ScreeningDecision']

const SUBJECT: Filter = {
  name: 'subject',
  label: strings.subject,
  choices: strings.subjects,
}

const DECISION_COLUMNS: readonly Column<Decision>[] = [
  {
    name: strings.subject,
    place: 'lead',
    show: ({ subject, sessionId, payout }) => (
      <>
        {strings.subjects[subject]} <code>{sessionId ?? payout}</code>
      </>
    ),
  },
  amountColumn(strings.amount),
  fieldColumn(strings.handling, 'handling', 'state', (value) => <HandlingBadge handling={value} />),
  { name: strings.kind, place: 'second', show: ({ hits }) => kindNames(hits) },
  { name: strings.client, show: ({ clientId }) => clientId },
  { name: strings.decidedOn, place: 'time', show: ({ decidedAt }) => <Time at={decidedAt} /> },
]

// A decision that still waits for somebody is highlighted.
function HandlingBadge({ handling }: Pick<Decision, 'handling'>) {
  const isOpen = handling === 'awaits_review' || handling === 'waiting'
  return <Badge state={handling} tone={isOpen ? 'warn' : 'calm'} />
}

const kindNames = (hits: Decision['hits']) =>
  [...new Set(hits.map(({ kind }) => strings.kinds[kind]))].join(', ')

function Decisions(props: ViewProps) {
  return (
    <ListView
      {...props}
      {...listProps}
      path={DECISIONS}
      caption={strings.tabs.decisions}
      columns={DECISION_COLUMNS}
      filters={[SUBJECT]}
      keyOf={({ reference }) => reference}
      emptyState={{ title: strings.noDecisions, text: strings.noDecisionsText }}
      drawer={{
        title: strings.decision,
        path: `${DECISIONS}/{reference}`,
        show: (decision) => (
          <>
            <DecisionFacts decision={decision} />
            <ReviewActions decision={decision} />
          </>
        ),
      }}
    />
  )
}

// The decision, and for each rule that matched, the values that made it match.
function DecisionFacts({ decision }: { decision: Decision }) {
  const { reference, subject, handling, hits, sessionId, payout, hold } = decision
  return (
    <>
      <Headline
        sum={decision}
        badge={<HandlingBadge handling={handling} />}
        about={strings.subjects[subject]}
      />
      {factList([
        [strings.client, decision.clientId],
        [strings.hold, hold && <Copyable text={hold} />],
        [strings.reference, <Copyable key="reference" text={reference} />],
        [strings.ruleSet, <code key="set">{decision.ruleSet}</code>],
        [strings.decidedOn, <Time key="decided" at={decision.decidedAt} />],
      ])}
      {hits.map(({ rule, kind, inputs }) => (
        <section key={rule}>
          <h3>{strings.kinds[kind]}</h3>
          {factList([
            [
              strings.rule,
              <Link key="rule" href={hrefOf('screening', rule, { tab: 'rules' })}>
                {rule}
              </Link>,
            ],
            ...Object.entries(inputs).map(
              ([name, value]) => [strings.inputs[name] ?? name, formatInput(name, value)] as const,
            ),
          ])}
        </section>
      ))}
      <p class="after-facts">
        {sessionId && <Link href={hrefOf('credits', sessionId)}>{strings.credit}</Link>}
        {payout && <Link href={hrefOf('payouts', payout)}>{strings.payout}</Link>}
      </p>
    </>
  )
}

// One of the values by which the rule decided, such as an amount or the time from which it counts.
function formatInput(name: string, value: unknown) {
  if (name === 'amountKobo') return <Money amount={Number(value) / 100} />
  return name === 'since' ? <Time at={String(value)} /> : value === null ? null : String(value)
}

// The actions on stopped money. Unidentified money that waits is released, or assigned and then held.
function ReviewActions({ decision: { reference, handling, clientId } }: { decision: Decision }) {
  const isUnidentified = handling === 'waiting' && clientId === null
  if (handling !== 'awaits_review' && !isUnidentified) return null
  const releaseText = isUnidentified ? strings.releaseCreditText : strings.releaseText
  const release = ['release', strings.release, releaseText] as const
  const refuse = ['refuse', strings.refuse, strings.refuseText] as const
  const verbs = isUnidentified ? [release] : [release, refuse]
  return (
    <div class="buttons">
      {verbs.map(([verb, action, text]) => (
        <RequestAction
          key={verb}
          {...{ action, text }}
          isDangerous={verb === 'refuse'}
          request={(sent) =>
            send('POST', `${DECISIONS}/{reference}/${verb}`, { params: { reference }, ...sent })
          }
        />
      ))}
    </div>
  )
}

type RequestProps = {
  action: string
  text: string
  style?: 'primary'
  isDangerous?: boolean
  isOffered?: boolean
  request: (sent: { body: { reason: string }; headers: Headers }) => Promise<unknown>
}

// Requests a change with its reason. Another user must approve it.
function RequestAction({ request, ...action }: RequestProps) {
  return (
    <Action
      {...action}
      run={(form, headers) => request({ body: { reason: form.text('reason') }, headers })}
      message={strings.requestedToast}
      onDone={openRequests}
    >
      <ReasonField label={strings.reason} hint={strings.reasonHint} />
    </Action>
  )
}

type Rule = Schemas['ScreeningRule']

const RULE_COLUMNS: readonly Column<Rule>[] = [
  {
    name: strings.name,
    place: 'lead',
    show: ({ name, version }) => `${name} · ${strings.version} ${version}`,
  },
  fieldColumn(strings.state, 'state', 'state', (state) => <Badge state={state} />),
  { name: strings.kind, place: 'second', show: ({ kind }) => strings.kinds[kind] },
  { name: strings.subject, show: ({ subject }) => strings.subjects[subject] },
  { name: strings.outcome, show: ({ outcome }) => strings.outcomes[outcome] },
  fieldColumn(strings.inForce, 'effectiveFrom', 'time', (value) => value && <Time at={value} />),
]

function Rules(props: ViewProps) {
  return (
    <ListView
      {...props}
      {...listProps}
      path={RULES}
      caption={strings.tabs.rules}
      columns={RULE_COLUMNS}
      filters={[{ name: 'state', label: strings.state, choices: strings.states }, SUBJECT]}
      keyOf={({ reference }) => reference}
      emptyState={{ title: strings.noRules, text: strings.noRulesText, isMadeByApi: true }}
      drawer={{
        title: strings.rule,
        path: `${RULES}/{reference}`,
        show: (rule, { changed }) => (
          <>
            <RuleFacts rule={rule} />
            <RuleActions rule={rule} changed={changed} />
          </>
        ),
      }}
    />
  )
}

function RuleFacts({ rule }: { rule: Rule }) {
  const { test } = rule
  return (
    <>
      <TextHeadline text={rule.name} badge={<Badge state={rule.state} />} />
      {factList([
        [strings.version, rule.version],
        [strings.kind, strings.kinds[rule.kind]],
        [strings.subject, strings.subjects[rule.subject]],
        [strings.outcome, strings.outcomes[rule.outcome]],
        [strings.client, rule.clientId ?? strings.allClients],
        [strings.count, rule.count],
        [strings.amount, rule.amount !== null && <Money amount={rule.amount} />],
        [strings.minutes, rule.minutes],
        [strings.percent, rule.percent],
        [strings.days, rule.days],
        [strings.list, rule.list],
        [strings.score, rule.score],
        [strings.reference, <Copyable key="reference" text={rule.reference} />],
        [strings.inForce, rule.effectiveFrom && <Time at={rule.effectiveFrom} />],
        [strings.until, rule.effectiveTo && <Time at={rule.effectiveTo} />],
        [strings.tested, rule.testedAt && <Time at={rule.testedAt} />],
      ])}
      {test && (
        <section>
          <p class="notice after-facts">
            {strings.wouldHave(count(test.hits), count(test.screened))}
          </p>
          {test.examples.length > 0 && (
            <>
              <h3>{strings.examples}</h3>
              <ul>
                {test.examples.map((example) => (
                  <li key={example}>
                    <Link href={hrefOf(rule.subject === 'credit' ? 'credits' : 'payouts', example)}>
                      {example}
                    </Link>
                  </li>
                ))}
              </ul>
            </>
          )}
        </section>
      )}
    </>
  )
}

const startOfDay = (day: string) => `${day}T00:00:00+01:00`

// A draft must be tested before its activation can be requested; an active rule can be ended.
function RuleActions({ rule, changed }: { rule: Rule; changed: () => void }) {
  const { reference, state, testedAt } = rule
  const params = { reference }
  return (
    <div class="buttons after-facts">
      <Action
        action={strings.test}
        text={strings.testText}
        isOffered={state === 'draft'}
        run={(form, headers) => {
          const body = {
            rule: reference,
            from: startOfDay(form.text('from')),
            to: startOfDay(form.text('to')),
          }
          return send('POST', `${RULES}/test`, { body, headers })
        }}
        message={({ test }) =>
          strings.wouldHave(count(test?.hits ?? 0), count(test?.screened ?? 0))
        }
        onDone={changed}
      >
        <InputField label={strings.from} name="from" type="date" required max={today()} />
        <InputField label={strings.to} name="to" type="date" required />
      </Action>
      <RequestAction
        action={strings.activate}
        text={strings.activateText}
        style="primary"
        isOffered={state === 'draft' && testedAt !== null}
        request={(sent) => send('POST', `${RULES}/{reference}/activate`, { params, ...sent })}
      />
      <RequestAction
        action={strings.end}
        text={strings.endText}
        isOffered={state === 'active'}
        request={(sent) => send('POST', `${RULES}/{reference}/end`, { params, ...sent })}
      />
    </div>
  )
}

type Request = Schemas['ScreeningRequest']

// Rules and lists share the kind `activate`, and payouts and unidentified credits the kind `release`. The
// other fields tell them apart.
function requestKind({ kind, sessionId, list }: Request): string {
  if (list !== null) return strings.activateList
  return sessionId === null ? strings.requestKinds[kind] : strings.releaseCredit
}
const requestSubject = ({ ruleName, list, listVersion, payout, sessionId }: Request) =>
  ruleName ?? (list && listName({ name: list, version: listVersion })) ?? payout ?? sessionId

const REQUEST_COLUMNS: readonly Column<Request>[] = [
  { name: strings.request, place: 'lead', show: requestKind },
  { name: strings.state, place: 'state', show: ({ state }) => <Badge state={state} /> },
  { name: strings.subject, place: 'second', show: requestSubject },
  { name: strings.requestedBy, show: ({ requestedBy }) => person(requestedBy) },
  { name: strings.requested, place: 'time', show: ({ requestedAt }) => <Time at={requestedAt} /> },
]

function Requests(props: ViewProps) {
  return (
    <ListView
      {...props}
      {...listProps}
      path={REQUESTS}
      caption={strings.tabs.requests}
      columns={REQUEST_COLUMNS}
      keyOf={({ id }) => `${id}`}
      emptyState={{ title: strings.noRequests, text: strings.noRequestsText }}
      drawer={{
        title: strings.request,
        path: `${REQUESTS}/{id}`,
        show: (item, { changed }) => (
          <>
            <TextHeadline text={requestKind(item)} badge={<Badge state={item.state} />} />
            {factList([
              [
                strings.rule,
                item.rule && (
                  <Link href={hrefOf('screening', item.rule, { tab: 'rules' })}>
                    {item.ruleName}
                  </Link>
                ),
              ],
              [
                strings.list,
                item.listVersion && (
                  <Link href={hrefOf('screening', `${item.listVersion}`, { tab: 'lists' })}>
                    {requestSubject(item)}
                  </Link>
                ),
              ],
              [
                strings.decision,
                item.decision && (
                  <Link href={hrefOf('screening', item.decision, { tab: 'decisions' })}>
                    {requestSubject(item)}
                  </Link>
                ),
              ],
              [strings.reason, item.reason],
              [strings.requested, <Time key="requested" at={item.requestedAt} />],
              [strings.requestedBy, person(item.requestedBy)],
              [strings.decided, item.decidedAt && <Time at={item.decidedAt} />],
              [strings.decidedBy, item.decidedBy && person(item.decidedBy)],
            ])}
            {item.state === 'open' && (
              <DecideScreening item={item} session={props.session} onDone={changed} />
            )}
          </>
        ),
      }}
    />
  )
}

export const screeningText = (item: Request) => `${requestKind(item)} ${requestSubject(item)}`

// The buttons that decide on a screening request, here and on Today.
export function DecideScreening(props: { item: Request; session: Session; onDone: () => void }) {
  const { item, session, onDone } = props
  const { id } = item
  return (
    <DecideRequest
      {...{ session, onDone }}
      request={item}
      amount={screeningText(item)}
      words={strings}
      decide={(verb, sent) =>
        send('POST', `${REQUESTS}/{id}/${verb}`, { params: { id: `${id}` }, ...sent })
      }
    />
  )
}

type List = Schemas['ScreeningList']

const listName = ({ name, version }: { name: string; version: number | null }) =>
  `${name} · ${strings.version} ${version}`

function ListState({ effectiveFrom }: Pick<List, 'effectiveFrom'>) {
  return <Badge state={effectiveFrom === null ? 'draft' : 'active'} />
}

const LIST_COLUMNS: readonly Column<List>[] = [
  { name: strings.name, place: 'lead', show: listName },
  { name: strings.state, place: 'state', show: (list) => <ListState {...list} /> },
  { name: strings.entries, show: ({ entries }) => count(entries) },
  { name: strings.names, show: ({ names }) => count(names) },
  { name: strings.added, show: ({ added }) => count(added) },
  { name: strings.removed, show: ({ removed }) => count(removed) },
  { name: strings.uploadedBy, place: 'second', show: ({ uploadedBy }) => person(uploadedBy) },
  fieldColumn(strings.inForce, 'effectiveFrom', 'time', (value) => value && <Time at={value} />),
]

function Lists(props: ViewProps) {
  return (
    <ListView
      {...props}
      {...listProps}
      path={LISTS}
      caption={strings.tabs.lists}
      columns={LIST_COLUMNS}
      keyOf={({ version }) => `${version}`}
      emptyState={{ title: strings.noLists, text: strings.noListsText, isMadeByApi: true }}
      drawer={{
        title: strings.list,
        path: `${LISTS}/{version}`,
        show: (list) => (
          <>
            <TextHeadline text={listName(list)} badge={<ListState {...list} />} />
            {factList([
              [strings.entries, count(list.entries)],
              [strings.names, count(list.names)],
              [strings.replaces, list.replaces],
              [strings.added, count(list.added)],
              [strings.removed, count(list.removed)],
              [strings.uploadedBy, person(list.uploadedBy)],
              [strings.sha256, <Copyable key="hash" text={list.sha256} />],
              [strings.inForce, list.effectiveFrom && <Time at={list.effectiveFrom} />],
            ])}
            <div class="buttons after-facts">
              <RequestAction
                action={strings.activate}
                text={strings.activateText}
                style="primary"
                isOffered={list.effectiveFrom === null}
                request={(sent) =>
                  send('POST', `${LISTS}/{version}/activate`, {
                    params: { version: `${list.version}` },
                    ...sent,
                  })
                }
              />
            </div>
          </>
        ),
      }}
    />
  )
}

export default tabbedView({
  view: 'screening',
  words: strings,
  tabs: { decisions: Decisions, rules: Rules, requests: Requests, lists: Lists },
})
