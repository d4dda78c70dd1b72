// /api/v1/operator/screening: rules, tests of rules on history, decisions, and requests that need two people.

import { type Static, Type } from '@fastify/type-provider-typebox'
import { findClient } from '#access/permissions.ts'
import {
  approvalFields,
  checkerOf,
  DecidedFields,
  ofPeople,
  operationsOf,
  RequestedFields,
  RequestReason,
  viewerOf,
} from '#approvals/views.ts'
import { REQUEST_STATES } from '#approvals/workflow.ts'
import { DAY_MS, parseBankTime } from '#clock.ts'
import { type FieldError, invalidField, Refusal } from '#errors.ts'
import { choice } from '#http/lists.ts'
import { referenceKey, rowKey } from '#http/path-keys.ts'
import { resource } from '#http/resource.ts'
import {
  Amount,
  AnyObject,
  chosen,
  namedBody,
  strictObject,
  text,
  wholeNumber,
} from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import type { ClientId } from '#ids.ts'
import { type Kobo, kobo, koboOf } from '#money.ts'
import { type Decision, getDecision, HANDLINGS, listDecisions } from './decisions.ts'
import type { Hit } from './judge.ts'
import { testRule } from './replay.ts'
import {
  REQUEST_KINDS,
  requestForDecision,
  requestForRule,
  type ScreeningRequest,
  screeningRequests as workflow,
} from './requests.ts'
import {
  draftRule,
  getRule,
  KINDS,
  listRules,
  OUTCOMES,
  PARAMS,
  type Param,
  type Params,
  RULE_STATES,
  type Rule,
  type RuleTest,
  STATE_IS,
  SUBJECTS,
  saveTest,
  stateOf,
} from './rule.ts'

export const SCREENING = '/api/v1/operator/screening'
const DAYS_MAX = 92
const TIME_SAYS = 'Must be an ISO 8601 time.'

const requireRule = referenceKey('SCR', 'screening_rule_not_found')

export const ListName = (description: string) =>
  Type.String({
    pattern: '^[a-z0-9][a-z0-9-]{0,39}$',
    examples: ['un-consolidated'],
    description,
    'x-says': 'Must be 1 to 40 lower-case letters, digits or dashes.',
  })

const optionalNumber = (minimum: number, maximum: number, description: string) =>
  Type.Optional(wholeNumber(minimum, maximum, description))

const RuleBody = namedBody('ScreeningRuleRequest', {
  name: text(
    80,
    'The versions of a rule share its name: a name that exists makes its next version.',
  ),
  subject: chosen(SUBJECTS, 'What is screened: credits, or beneficiaries of payouts.'),
  kind: chosen(KINDS, 'What the rule looks at. Payouts: only list.'),
  outcome: chosen(OUTCOMES, 'hold, or refuse: only payouts.'),
  clientId: Type.Optional(text(64, 'Only this client. Default: all clients.')),
  count: optionalNumber(2, 1_000, 'Credits, or payers, that are too many.'),
  amount: Type.Optional(Amount),
  minutes: optionalNumber(1, 43_200, 'Window that ends with the credit.'),
  percent: optionalNumber(1, 50, 'How far below amount structuring looks.'),
  days: optionalNumber(1, 365, 'How long a payer stays known.'),
  list: Type.Optional(ListName('The list to look in.')),
  score: optionalNumber(70, 100, 'The least likeness of names.'),
})

const TestView = view('ScreeningTest', (f: Fields<RuleTest>) => ({
  from: f.text('from'),
  to: f.text('to'),
  screened: f.integer('screened', 'Credits or payouts in that time.'),
  hits: f.integer('hits', 'Of those, how many it would have held or refused.'),
  examples: f.as<readonly string[]>(
    Type.Array(Type.String(), {
      description: 'The newest: session ids, or references of payouts.',
    }),
    'examples',
  ),
}))

const amountOf = ({ params: { amountKobo } }: Rule): Kobo | null =>
  amountKobo === undefined ? null : kobo(BigInt(amountKobo))

const RuleView = view('ScreeningRule', (f: Fields<Rule>) => ({
  reference: f.text('reference', 'SCR and digits.'),
  name: f.text('name'),
  version: f.integer('version'),
  state: f.oneOf((rule) => stateOf(rule), RULE_STATES, 'draft, active or ended.'),
  subject: f.oneOf('subject', SUBJECTS, 'What is screened.'),
  kind: f.oneOf('kind', KINDS, 'What it looks at.'),
  outcome: f.oneOf('outcome', OUTCOMES, 'hold or refuse.'),
  clientId: f.textOrNull('clientName', 'Null: all clients.'),
  count: f.integerOrNull(({ params }) => params.count ?? null),
  amount: f.nairaOrNull(amountOf),
  minutes: f.integerOrNull(({ params }) => params.minutes ?? null),
  percent: f.decimalOrNull(({ params }) => params.percent ?? null),
  days: f.integerOrNull(({ params }) => params.days ?? null),
  list: f.textOrNull(({ params }) => params.list ?? null),
  score: f.decimalOrNull(({ params }) => params.score ?? null),
  createdBy: f.text('createdBy'),
  createdAt: f.time('createdAt'),
  testedAt: f.timeOrNull('testedAt', 'The last test on history. Null: none.'),
  test: f.as(Type.Union([TestView.schema, Type.Null()]), ({ test }) => test),
  effectiveFrom: f.timeOrNull('effectiveFrom', 'Null: a draft.'),
  effectiveTo: f.timeOrNull('effectiveTo', 'Null: no end.'),
}))

const HitView = view('ScreeningHit', (f: Fields<Hit>) => ({
  rule: f.text('rule', 'The reference of the rule.'),
  kind: f.oneOf('kind', KINDS, 'What the rule looks at.'),
  inputs: f.as<object>(AnyObject, 'inputs'),
}))

const DecisionView = view('ScreeningDecision', (f: Fields<Decision>) => ({
  reference: f.text('reference', 'SCD and digits.'),
  subject: f.oneOf('subject', SUBJECTS, 'What was screened.'),
  clientId: f.textOrNull('clientName', 'Null: unidentified money.'),
  sessionId: f.textOrNull('sessionId', 'Of the credit.'),
  payout: f.textOrNull('payoutReference', 'The reference of the payout.'),
  payoutStatus: f.textOrNull('payoutStatus'),
  amount: f.naira('amountKobo'),
  currency: f.text('currency'),
  outcome: f.oneOf('outcome', OUTCOMES, 'hold or refuse.'),
  ruleSet: f.text('ruleSet', 'Versions of rules and of lists in force, as 12,15/3.'),
  hits: f.list(HitView, 'hits', 'The rules that it broke, and what they looked at.'),
  handling: f.oneOf(
    'handling',
    HANDLINGS,
    'held: see hold. waiting: its hold is placed next, or once the money is assigned to a client. ' +
      'unheld: see unheldReason. awaits_review: the payout waits for two people. reviewed: no longer.',
  ),
  hold: f.textOrNull('holdReference', 'The reference of the hold of the credit.'),
  unheldReason: f.textOrNull(
    'unheldReason',
    'nothing_left: the bank took it back. currency: not naira. released: unidentified money that two ' +
      'people released.',
  ),
  decidedAt: f.time('decidedAt'),
}))

export const RequestView = view('ScreeningRequest', (f: Fields<ScreeningRequest>) => ({
  id: f.integer('id'),
  kind: f.oneOf(
    'kind',
    REQUEST_KINDS,
    'Of a rule: activate, end. Of a list: activate. Of a payout: release, refuse. Of unidentified money: ' +
      'release.',
  ),
  rule: f.textOrNull('ruleReference', 'The reference of the rule.'),
  ruleName: f.textOrNull('ruleName'),
  list: f.textOrNull('listName', 'The name of the list.'),
  listVersion: f.integerOrNull(
    ({ listId }) => (listId === null ? null : Number(listId)),
    'The version of the list.',
  ),
  decision: f.textOrNull('decisionReference', 'The reference of the decision.'),
  payout: f.textOrNull('payoutReference', 'The reference of the payout.'),
  sessionId: f.textOrNull('sessionId', 'The session id of the unidentified credit.'),
  effectiveFrom: f.timeOrNull('effectiveFrom', 'Null: a minute after the approval.'),
  reason: f.text('reason'),
  state: f.text('state', `One of ${REQUEST_STATES.join(', ')}.`),
  ...RequestedFields,
  ...approvalFields('open'),
  ...DecidedFields,
}))

const OF_OPERATOR = { tag: 'Operator', scopes: { read: 'operator', write: 'operator' } } as const

const time = (description: string) =>
  Type.String({ maxLength: 64, description, 'x-says': TIME_SAYS })

export const screeningRules = resource(`${SCREENING}/rules`, {
  ...OF_OPERATOR,
  noun: 'rule',
  view: RuleView,
  params: { reference: requireRule },
})
  .list('listScreeningRules', {
    summary: 'List screening rules, newest first',
    description: 'Each version is a rule of its own. A rule never changes once it is active.',
    filters: {
      state: choice(RULE_STATES, 'Filter by state.'),
      subject: choice(SUBJECTS, 'Filter by what is screened.'),
    },
    rows: (db, { query: { state, subject }, after: beforeId, limit }) => {
      const where = [state !== undefined && STATE_IS[state], ['r.subject = $', subject]] as const
      return listRules(db, { where, beforeId, limit })
    },
  })
  .get('getScreeningRule', {
    summary: 'Retrieve a screening rule',
    description: 'Its terms, its last test on history, and when it is in force.',
    errors: ['screening_rule_not_found'],
    run: (db, { params }) => getRule(db, params.reference),
  })
  .create('draftScreeningRule', {
    summary: 'Draft a screening rule',
    description:
      'Stops nothing yet: test it on history, then request its activation. velocity takes minutes and ' +
      'count or amount; structuring takes amount, percent, count and minutes; new_payer takes amount and ' +
      'days; many_payers takes count and minutes; list takes list and score.',
    body: RuleBody,
    errors: ['client_not_found', 'screening_rule_name_taken'],
    parse: ({ body }) => parseRule(body),
    run: async (tx, call) => {
      const { name, subject, kind, outcome } = call.body
      const clientId = await findLimitedClient(tx, call.body.clientId)
      return draftRule(tx, call, { name, subject, kind, outcome, clientId, params: call.input })
    },
  })
  .act('testScreeningRule', {
    path: '/test',
    summary: 'Test a draft on history',
    description:
      `Answers how many credits or payouts of a past time it would have held, with examples. At most ` +
      `${DAYS_MAX} days. List rules look in the newest version of their list. Nothing is held.`,
    body: strictObject({
      rule: text(18, 'The reference of the draft.'),
      from: time('Received from then on (ISO 8601).'),
      to: time('Received before then (ISO 8601).'),
    }),
    errors: ['screening_rule_not_draft', 'screening_rule_not_found'],
    message: 'Rule tested successfully',
    parse: ({ body }) => parsePeriod(body),
    prepare: async ({ db, sealer, body, input: period }) => {
      const rule = await getRule(db, requireRule(body.rule))
      return { rule, test: await testRule(db, { sealer, rule, period }) }
    },
    run: (tx, call) => saveTest(tx, call, call.prepared.rule, call.prepared.test),
  })
  .act('activateScreeningRule', {
    ...ofPeople,
    path: '/:reference/activate',
    summary: 'Request the activation of a draft',
    description:
      'It is in force a minute after another user approves, or from effectiveFrom on if that is later, and ' +
      'replaces the version before.',
    body: strictObject({
      reason: RequestReason,
      effectiveFrom: Type.Optional(time('Not before then (ISO 8601).')),
    }),
    view: RequestView,
    errors: [
      'screening_request_open',
      'screening_rule_list_missing',
      'screening_rule_not_draft',
      'screening_rule_not_found',
      'screening_rule_untested',
    ],
    message: 'Activation requested successfully',
    parse: ({ body }) => parseTime('effectiveFrom', body.effectiveFrom),
    run: async (tx, call) => {
      const rule = await getRule(tx, call.params.reference)
      const { reason } = call.body
      const request = { rule, kind: 'activate', effectiveFrom: call.input, reason } as const
      return requestForRule(tx, checkerOf(call), request)
    },
  })
  .act('endScreeningRule', {
    ...ofPeople,
    path: '/:reference/end',
    summary: 'Request the end of an active rule',
    description: 'It ends a minute after another user approves. What it held stays held.',
    body: strictObject({ reason: RequestReason }),
    view: RequestView,
    errors: ['screening_request_open', 'screening_rule_not_active', 'screening_rule_not_found'],
    message: 'End requested successfully',
    run: async (tx, call) => {
      const rule = await getRule(tx, call.params.reference)
      return requestForRule(tx, checkerOf(call), { rule, kind: 'end', reason: call.body.reason })
    },
  })

const reviewing = {
  ...ofPeople,
  body: strictObject({ reason: RequestReason }),
  view: RequestView,
  errors: ['screening_decision_not_found', 'screening_request_open', 'screening_reviewed'],
} as const

export const screeningDecisions = resource(`${SCREENING}/decisions`, {
  ...OF_OPERATOR,
  noun: 'decision',
  view: DecisionView,
  params: { reference: referenceKey('SCD', 'screening_decision_not_found') },
})
  .list('listScreeningDecisions', {
    summary: 'List decisions of screening, newest first',
    description:
      'Credits that were held, and payouts that were held or refused. All others were allowed.',
    filters: {
      subject: choice(SUBJECTS, 'Filter by what was screened.'),
      clientId: Type.Optional(text(64, 'Filter by client.')),
      sessionId: Type.Optional(text(64, 'Filter by the session id of the credit.')),
      payout: Type.Optional(text(18, 'Filter by the reference of the payout.')),
    },
    rows: (db, { query, after: beforeId, limit }) => {
      const where = [
        query.subject !== undefined && `d.${query.subject}_id is not null`,
        ['k.client_id = $', query.clientId],
        ['c.session_id = $', query.sessionId],
        ['p.reference = $', query.payout],
      ] as const
      return listDecisions(db, { where, beforeId, limit })
    },
  })
  .get('getScreeningDecision', {
    summary: 'Retrieve a decision of screening',
    description: 'The rules that were broken, what they looked at, and the hold.',
    errors: ['screening_decision_not_found'],
    run: (db, { params }) => getDecision(db, params.reference),
  })
  .act('releaseScreenedPayout', {
    ...reviewing,
    path: '/:reference/release',
    summary: 'Request the release of a held payout, or of unidentified money',
    description:
      'Once another user approves, a payout is sent, and unidentified money that waits for an owner can ' +
      'be returned. A held credit is released by its hold.',
    message: 'Release requested successfully',
    run: async (tx, call) => {
      const decision = await getDecision(tx, call.params.reference)
      const { reason } = call.body
      return requestForDecision(tx, checkerOf(call), { decision, kind: 'release', reason })
    },
  })
  .act('refuseScreenedPayout', {
    ...reviewing,
    path: '/:reference/refuse',
    summary: 'Request the refusal of a held payout',
    description: 'It is cancelled once another user approves, and its money is available again.',
    message: 'Refusal requested successfully',
    run: async (tx, call) => {
      const decision = await getDecision(tx, call.params.reference)
      const { reason } = call.body
      return requestForDecision(tx, checkerOf(call), { decision, kind: 'refuse', reason })
    },
  })

const { listRequests, approving, rejecting, withdrawing } = operationsOf(
  workflow,
  ({ params }: { params: { id: bigint } }) => params.id,
)

export const screeningRequests = resource(`${SCREENING}/requests`, {
  ...OF_OPERATOR,
  noun: 'request',
  view: RequestView,
  params: { id: rowKey('screening_request_not_found') },
})
  .list('listScreeningRequests', {
    name: 'screening-requests',
    summary: 'List requests about screening, newest first',
    description:
      'To activate or end rules, to activate versions of lists, to release or refuse payouts, and to ' +
      'release unidentified money.',
    filters: { state: choice(REQUEST_STATES, 'Filter by state.') },
    rows: (db, call) => listRequests(db, call, [['r.state = $', call.query.state]]),
  })
  .get('getScreeningRequest', {
    summary: 'Retrieve a request about screening',
    description: 'What was asked, by whom, and who decided.',
    errors: ['screening_request_not_found'],
    run: (db, call) => workflow.get(db, viewerOf(call), call.params.id),
  })
  .act('approveScreeningRequest', {
    ...approving,
    path: '/:id/approve',
    summary: 'Approve a request about screening',
    description: 'Only by a user who did not ask for it and is independent of who did.',
    pool: 'batchPool',
    errors: [
      'approver_gave_access',
      'approver_not_independent',
      'approver_too_new',
      'maker_counts_as_you',
      'other_person_needed',
      'request_changed',
      'request_decided',
      'screening_list_not_draft',
      'screening_list_outdated',
      'screening_request_not_found',
      'screening_reviewed',
      'screening_rule_list_missing',
      'screening_rule_not_active',
      'screening_rule_not_draft',
      'screening_rule_untested',
    ],
    message: 'Request approved successfully',
  })
  .act('rejectScreeningRequest', {
    ...rejecting,
    path: '/:id/reject',
    summary: 'Reject a request about screening',
    description: 'The rule, the list or the held payout stays as it is.',
    errors: ['other_person_needed', 'request_decided', 'screening_request_not_found'],
    message: 'Request rejected successfully',
  })
  .act('withdrawScreeningRequest', {
    ...withdrawing,
    path: '/:id/withdraw',
    summary: 'Withdraw your request about screening',
    description: 'Before it is decided. The rule, the list or the held payout stays as it is.',
    errors: ['own_request_only', 'request_decided', 'screening_request_not_found'],
    message: 'Request withdrawn successfully',
  })

// The field of the request for each parameter.
const FIELDS: Readonly<Record<Param, string>> = {
  count: 'count',
  amountKobo: 'amount',
  minutes: 'minutes',
  percent: 'percent',
  days: 'days',
  list: 'list',
  score: 'score',
}

// Returns the parameters of the rule. Refuses missing ones, and ones that belong to other kinds of rules,
// which the schema cannot express.
function parseRule(body: Static<typeof RuleBody>): Params {
  const { kind, subject, outcome, amount, count, minutes, percent, days, list, score } = body
  const amountKobo = amount === undefined ? undefined : `${koboOf(amount) as Kobo}`
  const allParams = { count, amountKobo, minutes, percent, days, list, score }
  const sentParams = Object.entries(allParams).filter(([, value]) => value !== undefined)
  const { needed, oneOf: alternatives = [] } = PARAMS[kind]
  const errors: FieldError[] = []
  const sentNames = sentParams.map(([name]) => name as Param)
  for (const name of needed) {
    if (!sentNames.includes(name))
      errors.push({ field: FIELDS[name], message: `Required for ${kind}.` })
  }
  for (const name of sentNames) {
    if (needed.includes(name) || alternatives.includes(name)) continue
    errors.push({ field: FIELDS[name], message: `Not for ${kind}.` })
  }
  if (alternatives.length > 0 && !alternatives.some((name) => sentNames.includes(name))) {
    errors.push({ field: 'count', message: 'Send count or amount.' })
  }
  if (subject === 'payout' && kind !== 'list') {
    errors.push({ field: 'kind', message: 'Payouts are only screened by list.' })
  }
  if (subject === 'credit' && outcome === 'refuse') {
    errors.push({ field: 'outcome', message: 'A credit is booked already: it can only be held.' })
  }
  if (errors.length > 0) throw new Refusal('invalid_request', errors)
  return Object.fromEntries(sentParams)
}

// Parses an optional time; null if the request has none.
function parseTime(field: string, value: string | undefined): Date | null {
  const time = value === undefined ? null : parseBankTime(value)
  if (time === undefined) throw invalidField(field, TIME_SAYS)
  return time
}

// Parses the period of a test. Refuses one that is empty or longer than DAYS_MAX.
function parsePeriod(body: { from: string; to: string }) {
  const [from, to] = [parseTime('from', body.from) as Date, parseTime('to', body.to) as Date]
  const message = `Must be after from, by at most ${DAYS_MAX} days.`
  if (to <= from || to.getTime() - from.getTime() > DAYS_MAX * DAY_MS) {
    throw invalidField('to', message)
  }
  return { from, to }
}

// Returns the id of the client that a rule is limited to; null if the rule is for all clients.
async function findLimitedClient(
  tx: Parameters<typeof findClient>[0],
  clientId: string | undefined,
) {
  if (clientId === undefined) return null
  const client = await findClient(tx, clientId)
  if (!client) throw new Refusal('client_not_found')
  return client.id as ClientId
}
