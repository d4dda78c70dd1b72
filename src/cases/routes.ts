// /api/v1/operator/cases: reports of fraud, from their opening to their outcome.

import { type Static, Type } from '@fastify/type-provider-typebox'
import { findClient } from '#access/permissions.ts'
import { RequestReason } from '#approvals/views.ts'
import { dayAlone, parseBankTime, watDay } from '#clock.ts'
import { getCredit } from '#credits/queries.ts'
import type { Queryable } from '#db/pool.ts'
import { invalidField, Refusal } from '#errors.ts'
import { choice, flag, parseFlag } from '#http/lists.ts'
import { referenceKey } from '#http/path-keys.ts'
import { resource } from '#http/resource.ts'
import { Amount, chosen, namedBody, strictObject, text, trueOrFalse } from '#http/schemas.ts'
import type { ClientId, CreditId } from '#ids.ts'
import { type Kobo, koboOf } from '#money.ts'
import type { Sealer } from '#seal.ts'
import {
  addNote,
  addParty,
  type CaseActor,
  closeCase,
  investigate,
  KINDS,
  LINKS_MAX,
  linkCredit,
  lockOpenCase,
  openCase,
  ROLES,
  recordDeadlineMet,
  reopenCase,
} from './case.ts'
import {
  DEADLINES,
  type DeadlineName,
  listDeadlineRules,
  setDeadlineRule,
  UNITS,
} from './deadlines.ts'
import { DUE_BEFORE, getWholeCase, HAS_CREDIT, listCases } from './queries.ts'
import { CASE_STATES, OUTCOMES } from './states.ts'
import { CaseView, DeadlineRuleView, WholeCaseView } from './views.ts'

export const requireReference = referenceKey('CAS', 'case_not_found')

export const CASES = '/api/v1/operator/cases'
const OF_OPERATOR = { tag: 'Cases', scopes: { read: 'operator', write: 'operator' } } as const
const TIME_SAYS = 'Must be an ISO 8601 time that has passed.'
const DAY_SAYS = 'Must be a date: YYYY-MM-DD.'
const NOTE_MAX = 5_000

const PartyBody = namedBody('CasePartyRequest', {
  role: chosen(ROLES, 'Its part in the case.'),
  name: Type.Optional(text(200, 'Of the person or institution.')),
  accountNumber: Type.Optional(text(34, 'At any bank.')),
  bankCode: Type.Optional(text(20, 'Of that bank.')),
  contact: Type.Optional(text(200, 'A telephone number or email address.')),
})

const CaseBody = namedBody('CaseRequest', {
  kind: chosen(KINDS, 'Where the report comes from: a bank, a payer, or a rule of your own.'),
  summary: text(500, 'What is said to have happened.'),
  clientId: Type.Optional(text(64, 'Whose money it is about, if that is known.')),
  amount: Type.Optional(Amount),
  reporterReference: Type.Optional(text(64, 'The reporter’s own number of the case.')),
  isJoint: Type.Optional(
    trueOrFalse('Whether another institution investigates it too. Default false.'),
  ),
  reportedAt: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'When it was reported (ISO 8601): deadlines begin then. Default: now.',
      'x-says': TIME_SAYS,
    }),
  ),
  sessionIds: Type.Optional(
    Type.Array(text(64, 'Any identifier of a credit.'), {
      maxItems: LINKS_MAX,
      description: 'The credits, by any of their identifiers. They take a clientId.',
    }),
  ),
  parties: Type.Optional(Type.Array(PartyBody, { maxItems: 20 })),
})

export const cases = resource(CASES, {
  ...OF_OPERATOR,
  noun: 'case',
  view: WholeCaseView,
  params: { reference: requireReference, deadline: requireDeadline },
})
  .list('listCases', {
    view: CaseView,
    summary: 'List cases, newest first',
    description: 'Reports of fraud, with the first deadline that is not met yet.',
    filters: {
      state: choice(CASE_STATES, 'Filter by state.'),
      kind: choice(KINDS, 'Filter by kind.'),
      clientId: Type.Optional(text(64, 'Filter by client.')),
      sessionId: Type.Optional(text(64, 'Filter by credit.')),
      overdue: flag('true: only those with a deadline that has passed.'),
    },
    rows: (db, { query, after: beforeId, limit, now }) => {
      const where = [
        ['c.state = $', query.state],
        ['c.kind = $', query.kind],
        ['k.client_id = $', query.clientId],
        [HAS_CREDIT, query.sessionId],
        [DUE_BEFORE, parseFlag(query.overdue) ? now : undefined],
      ] as const
      return listCases(db, { where, beforeId, limit })
    },
  })
  .get('getCase', {
    summary: 'Retrieve a case',
    description: 'With its parties, notes, evidence, credits, holds, deadlines and history.',
    errors: ['case_not_found'],
    run: (db, call) => getWholeCase(db, call, call.params.reference),
  })
  .create('openCase', {
    summary: 'Open a case',
    description:
      'Its deadlines are those of the rules in force, counted from reportedAt. Everything that may ' +
      'name somebody is stored sealed.',
    body: CaseBody,
    errors: ['client_not_found', 'credit_not_found'],
    message: 'Case opened successfully',
    parse: ({ body, now }) => parseCase(body, now),
    run: async (tx, call) => {
      const { body, input } = call
      const { clientId, creditIds } = await findSubjects(tx, call)
      const { kind, summary, reporterReference = null, parties = [], isJoint = false } = body
      const subjects = { clientId, creditIds }
      const opening = { ...input, ...subjects, kind, summary, isJoint, reporterReference, parties }
      const { reference } = await openCase(tx, actorOf(call), opening)
      return getWholeCase(tx, call, reference)
    },
  })
  .act('addCaseNote', {
    path: '/:reference/notes',
    summary: 'Add a note to a case',
    description: 'A note never changes.',
    body: strictObject({ note: text(NOTE_MAX, 'Only operators see it.') }),
    errors: ['case_closed', 'case_full', 'case_not_found'],
    message: 'Note added successfully',
    run: async (tx, call) => {
      const { reference } = call.params
      await addNote(tx, actorOf(call), { reference, note: call.body.note })
      return getWholeCase(tx, call, reference)
    },
  })
  .act('addCaseParty', {
    path: '/:reference/parties',
    summary: 'Add a party to a case',
    description: 'Who reported, paid, was paid, or is concerned otherwise.',
    body: PartyBody,
    errors: ['case_closed', 'case_full', 'case_not_found'],
    message: 'Party added successfully',
    run: async (tx, call) => {
      const lockedCase = await lockOpenCase(tx, call.params.reference)
      await addParty(tx, actorOf(call), { lockedCase, party: call.body })
      return getWholeCase(tx, call, call.params.reference)
    },
  })
  .act('linkCaseCredit', {
    path: '/:reference/credits',
    summary: 'Link a credit to a case',
    description: 'Linking it again changes nothing.',
    body: strictObject({
      sessionId: text(64, 'Any identifier of the credit.'),
      clientId: text(64, 'Whose it is.'),
    }),
    errors: ['case_closed', 'case_full', 'case_not_found', 'client_not_found', 'credit_not_found'],
    message: 'Credit linked successfully',
    run: async (tx, call) => {
      const { sealer, body, params } = call
      const { sessionId } = body
      const { id: creditId } = await findCredit(tx, sealer, body)
      await linkCredit(tx, actorOf(call), { reference: params.reference, creditId, sessionId })
      return getWholeCase(tx, call, params.reference)
    },
  })
  .act('meetCaseDeadline', {
    path: '/:reference/deadlines/:deadline/meet',
    summary: 'Mark a deadline of a case as met',
    description:
      'Now, also when it has passed. Marking it again changes nothing. The investigation ends when ' +
      'resolve is met: then the clock of reimburse starts.',
    errors: ['case_closed', 'case_not_found'],
    message: 'Deadline met successfully',
    run: async (tx, call) => {
      const { reference, deadline: name } = call.params
      await recordDeadlineMet(tx, actorOf(call), { reference, name })
      return getWholeCase(tx, call, reference)
    },
  })
  .act('investigateCase', {
    path: '/:reference/investigate',
    summary: 'Begin to investigate a case',
    description: 'Doing it again changes nothing.',
    errors: ['case_closed', 'case_not_found'],
    message: 'Case under investigation',
    run: async (tx, call) => {
      await investigate(tx, actorOf(call), call.params.reference)
      return getWholeCase(tx, call, call.params.reference)
    },
  })
  .act('closeCase', {
    path: '/:reference/close',
    summary: 'Close a case',
    description: 'With its outcome. Refused while money is held for it.',
    body: strictObject({
      outcome: chosen(OUTCOMES, 'What the case has shown.'),
      reason: RequestReason,
    }),
    errors: ['case_closed', 'case_has_holds', 'case_not_found'],
    message: 'Case closed successfully',
    run: async (tx, call) => {
      const { reference } = call.params
      await closeCase(tx, actorOf(call), { reference, ...call.body })
      return getWholeCase(tx, call, reference)
    },
  })
  .act('reopenCase', {
    path: '/:reference/reopen',
    summary: 'Reopen a case',
    description: 'It is under investigation again. An erased case stays closed.',
    body: strictObject({ reason: RequestReason }),
    errors: ['case_not_closed', 'case_not_found'],
    message: 'Case reopened successfully',
    run: async (tx, call) => {
      const { reference } = call.params
      await reopenCase(tx, actorOf(call), { reference, reason: call.body.reason })
      return getWholeCase(tx, call, reference)
    },
  })

export const caseDeadlines = resource('/api/v1/operator/case-deadlines', {
  ...OF_OPERATOR,
  noun: 'deadline',
  view: DeadlineRuleView,
  params: { deadline: requireDeadline },
})
  .list('listCaseDeadlines', {
    isWhole: true,
    position: ({ name, validFrom }) => `${name} ${validFrom}`,
    summary: 'List the deadlines of cases',
    description:
      'How long each step may take, from which day on, with the source and its date. Of several with one ' +
      'name, a case has the latest that was in force on the day of its report.',
    rows: (db) => listDeadlineRules(db),
  })
  .replace('setCaseDeadline', {
    path: '/:deadline',
    summary: 'Change a deadline of cases',
    description:
      'For cases opened from now on that were reported on validFrom or later. Open ones keep theirs.',
    body: namedBody('CaseDeadlineRequest', {
      unit: chosen(UNITS, 'Business days are those of the holidays in settlement.'),
      length: Type.Integer({
        minimum: 1,
        maximum: 525_600,
        description: 'At most 260 business days.',
      }),
      warnMinutes: Type.Integer({
        minimum: 0,
        maximum: 43_200,
        description: 'Operators are alerted so long before it.',
      }),
      source: text(200, 'The rule or agreement behind it.'),
      sourceDate: Type.Optional(
        Type.String({ description: 'The day of the source (YYYY-MM-DD).', 'x-says': DAY_SAYS }),
      ),
      validFrom: Type.Optional(
        Type.String({
          description: 'For cases that were reported on this day or later. Default: today.',
          'x-says': DAY_SAYS,
        }),
      ),
    }),
    errors: ['case_not_found'],
    parse: ({ body }) => {
      for (const field of ['sourceDate', 'validFrom'] as const) {
        const day = body[field]
        if (day !== undefined && dayAlone(day) !== day) throw invalidField(field, DAY_SAYS)
      }
      if (body.unit === 'minutes' || body.length <= 260) return
      throw invalidField('length', 'Must be at most 260 business days.')
    },
    run: (tx, call) => {
      const { body, params, now } = call
      const { sourceDate = null, validFrom = watDay(now) } = body
      return setDeadlineRule(tx, call, { ...body, name: params.deadline, sourceDate, validFrom })
    },
  })

type By = { actor: string; clientId: ClientId; now: Date; sealer: Sealer }

// Returns the actor of a change that an operator makes through the API.
export function actorOf({ actor, clientId: operatorId, now, sealer }: By): CaseActor {
  return { actor, operatorId, now, sealer }
}

// Checks and parses the fields of a new case that the schema cannot check.
function parseCase(body: Static<typeof CaseBody>, now: Date) {
  const { reportedAt: reported, sessionIds, clientId, amount } = body
  const errors: { field: string; message: string }[] = []
  const reportedAt = reported === undefined ? now : parseBankTime(reported)
  if (!reportedAt || reportedAt > now) errors.push({ field: 'reportedAt', message: TIME_SAYS })
  if (sessionIds?.length && clientId === undefined) {
    errors.push({ field: 'clientId', message: 'Is required with sessionIds.' })
  }
  if (errors.length > 0 || !reportedAt) throw new Refusal('invalid_request', errors)
  return { reportedAt, amountKobo: amount === undefined ? null : (koboOf(amount) as Kobo) }
}

type Subjects = { sealer: Sealer; body: Static<typeof CaseBody> }

// Finds the client and the credits that a new case is about. Without a client there are no credits, because a
// credit is looked up as its client sees it.
async function findSubjects(db: Queryable, { sealer, body }: Subjects) {
  if (body.clientId === undefined) return { clientId: null, creditIds: [] }
  const client = await findClient(db, body.clientId)
  if (!client) throw new Refusal('client_not_found')
  const creditIds: CreditId[] = []
  for (const sessionId of body.sessionIds ?? []) {
    creditIds.push((await findCredit(db, sealer, { clientId: body.clientId, sessionId })).id)
  }
  return { clientId: client.id, creditIds: [...new Set(creditIds)] }
}

// Finds a credit by any of its identifiers, as the client sees it.
async function findCredit(
  db: Queryable,
  sealer: Sealer,
  { clientId, sessionId }: { clientId: string; sessionId: string },
) {
  const viewer = await findClient(db, clientId)
  if (!viewer) throw new Refusal('client_not_found')
  return getCredit(db, { sealer, viewer, by: { identifier: sessionId } })
}

// Checks the name of a deadline in the path. An unknown name gets the same refusal as an unknown case.
function requireDeadline(text: string): DeadlineName {
  const name = DEADLINES.find((deadline) => deadline === text)
  if (!name) throw new Refusal('case_not_found')
  return name
}
