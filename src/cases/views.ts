// Defines how the API shows cases to operators.

import { Type } from '@fastify/type-provider-typebox'
import { AnyObject } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import type { Sealer } from '#seal.ts'
import { KINDS, ROLES } from './case.ts'
import {
  DEADLINE_STATES,
  DEADLINES,
  type Deadline,
  type DeadlineRule,
  STARTS,
  startOf,
  UNITS,
} from './deadlines.ts'
import type { Evidence } from './evidence.ts'
import type {
  Case,
  CaseChange,
  CaseCredit,
  CaseHold,
  CaseNote,
  CaseParty,
  WholeCase,
} from './queries.ts'
import { CASE_STATES, OUTCOMES } from './states.ts'

type Opening = { sealer: Sealer }

export const CaseView = view('CaseOutline', (f: Fields<Case, Opening>) => ({
  reference: f.text('reference', 'CAS and digits.'),
  kind: f.oneOf('kind', KINDS, 'Where the report comes from.'),
  summary: f.text(
    ({ summarySealed }, { sealer }) => sealer.open(summarySealed),
    'Empty once the case is erased.',
  ),
  clientId: f.textOrNull('clientName', 'Whose money it is about.'),
  amount: f.nairaOrNull('amountKobo', 'As reported.'),
  reporterReference: f.textOrNull('reporterReference'),
  state: f.oneOf('state', CASE_STATES, 'open, investigating or closed.'),
  outcome: f.textOrNull('outcome', `Once closed: ${OUTCOMES.join(', ')}.`),
  isJoint: f.flag('isJoint', 'Whether another institution investigates it too.'),
  nextDueAt: f.timeOrNull('nextDueAt', 'The first deadline that is not met. Null: none.'),
  nextDeadline: f.textOrNull('nextDeadline', 'Its name: which clock runs.'),
  reportedAt: f.time('reportedAt'),
  openedBy: f.text('openedBy', 'user:<email>, or rule:<name>.'),
  openedAt: f.time('openedAt'),
  closedAt: f.timeOrNull('closedAt'),
  erasedAt: f.timeOrNull('erasedAt', 'When everything that may name somebody was erased.'),
}))

const PartyView = view('CaseParty', (f: Fields<CaseParty>) => ({
  role: f.oneOf('role', ROLES, 'Its part in the case.'),
  name: f.textOrNull(({ name }) => name ?? null),
  accountNumber: f.textOrNull(({ accountNumber }) => accountNumber ?? null),
  bankCode: f.textOrNull(({ bankCode }) => bankCode ?? null),
  contact: f.textOrNull(({ contact }) => contact ?? null),
  addedBy: f.text('addedBy'),
  addedAt: f.time('addedAt'),
}))

const NoteView = view('CaseNote', (f: Fields<CaseNote>) => ({
  note: f.text('note'),
  writtenBy: f.text('writtenBy'),
  writtenAt: f.time('writtenAt'),
}))

const EvidenceView = view('CaseEvidence', (f: Fields<Evidence, Opening>) => ({
  id: f.integer('id'),
  name: f.text(({ nameSealed }, { sealer }) => sealer.open(nameSealed)),
  mediaType: f.text('mediaType', 'As its bytes say.'),
  sizeBytes: f.integer('sizeBytes'),
  sha256: f.text('sha256', 'Of the file, in hex.'),
  addedBy: f.text('addedBy'),
  addedAt: f.time('addedAt'),
}))

const CreditView = view('CaseCredit', (f: Fields<CaseCredit>) => ({
  sessionId: f.text('sessionId'),
  bankCode: f.text('bankCode'),
  accountNumber: f.text('accountNumber'),
  amount: f.naira('amountKobo'),
  currency: f.text('currency'),
  outcome: f.text('outcome'),
  receivedAt: f.time('receivedAt'),
}))

const HoldView = view('CaseHold', (f: Fields<CaseHold>) => ({
  reference: f.text('reference'),
  state: f.text('state'),
  heldAmount: f.naira('heldKobo'),
  forfeitedAmount: f.naira('forfeitedKobo'),
  currency: f.text('currency'),
  placedAt: f.time('placedAt'),
}))

const DeadlineView = view('CaseDeadline', (f: Fields<Deadline>) => ({
  name: f.oneOf('name', DEADLINES, 'What is to be done by then.'),
  clock: f.oneOf(({ name }) => startOf(name), STARTS, 'What its clock starts with.'),
  state: f.oneOf(
    'state',
    DEADLINE_STATES,
    'waiting: its clock has not started. ended: case closed.',
  ),
  startedAt: f.timeOrNull('startedAt', 'When its clock started.'),
  dueAt: f.timeOrNull('dueAt', 'Null: its clock has not started.'),
  metAt: f.timeOrNull('metAt', 'After dueAt: too late.'),
  metBy: f.textOrNull('metBy'),
  source: f.text('source', 'The rule or agreement behind it.'),
  sourceDate: f.textOrNull('sourceDate', 'The day of the source.'),
}))

const ChangeView = view('CaseChange', (f: Fields<CaseChange>) => ({
  change: f.text('change'),
  detail: f.as(AnyObject, 'detail'),
  changedBy: f.text('changedBy'),
  changedAt: f.time('changedAt'),
}))

export const WholeCaseView = view('Case', (f: Fields<WholeCase, Opening>) => ({
  ...CaseView.fields,
  parties: f.list(PartyView, 'parties'),
  notes: f.list(NoteView, 'notes'),
  evidence: f.list(EvidenceView, 'evidence'),
  credits: f.list(CreditView, 'credits'),
  holds: f.list(HoldView, 'holds', 'Holds whose case is this one.'),
  deadlines: f.list(DeadlineView, 'deadlines'),
  history: f.list(ChangeView, 'history', 'Oldest first.'),
}))

export const DeadlineRuleView = view('CaseDeadlineRule', (f: Fields<DeadlineRule>) => ({
  name: f.oneOf('name', DEADLINES, 'What is to be done by then.'),
  clock: f.oneOf(({ name }) => startOf(name), STARTS, 'What its clock starts with.'),
  validFrom: f.text('validFrom', 'For cases that were reported on this day or later.'),
  kinds: f.as(
    Type.Array(Type.String(), { description: 'The kinds of cases that have it.' }),
    'kinds',
  ),
  unit: f.oneOf('unit', UNITS, 'minutes or business_days.'),
  length: f.integer('length'),
  warnMinutes: f.integer('warnMinutes', 'Operators are alerted so long before it.'),
  source: f.text('source', 'The rule or agreement behind it.'),
  sourceDate: f.textOrNull('sourceDate', 'The day of the source. Null: none was given.'),
  updatedBy: f.textOrNull('updatedBy', 'Null: supplied with the service.'),
  updatedAt: f.time('updatedAt'),
}))
