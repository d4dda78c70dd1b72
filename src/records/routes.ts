// /api/v1/operator/alerts: list, retrieve, acknowledge and reopen alerts. /api/v1/audit-log: list manual
// actions.

import { Type } from '@fastify/type-provider-typebox'
import { Refusal } from '#errors.ts'
import { choice, flag, parseFlag, parseWindow, WindowQuery } from '#http/lists.ts'
import { resource } from '#http/resource.ts'
import { AnyObject, text } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { findName, publicId, publicName } from '#ids.ts'
import type { Sealer } from '#seal.ts'
import {
  ALERT_KIND_NAMES,
  ALERT_KINDS,
  type Alert,
  acknowledgeAlert,
  getAlert,
  listAlerts,
  reopenAlert,
  SEVERITIES,
  severityOf,
} from './alerts.ts'
import { type AuditLogEntry, listAuditLog } from './audit-log.ts'

export const AlertView = view('Alert', (f: Fields<Alert>) => ({
  id: f.integer('id'),
  kind: f.text('kind', `One of ${ALERT_KIND_NAMES.join(', ')}.`),
  severity: f.text(({ kind }) => severityOf(kind), `One of ${SEVERITIES.join(', ')}.`),
  title: f.text(({ kind }) => ALERT_KINDS[kind].title),
  remedy: f.text(({ kind }) => ALERT_KINDS[kind].remedy, 'Recommended action.'),
  subject: f.text('subject', 'Object the alert refers to.'),
  detail: f.as(AnyObject, 'detail'),
  isOpen: f.flag(
    ({ acknowledgedAt, clearedAt }) => acknowledgedAt === null && clearedAt === null,
    'Neither acknowledged nor cleared.',
  ),
  raisedAt: f.time('raisedAt'),
  acknowledgedAt: f.timeOrNull('acknowledgedAt'),
  acknowledgedBy: f.textOrNull('acknowledgedBy'),
  clearedAt: f.timeOrNull('clearedAt', 'When the condition ended.'),
}))

export const alerts = resource('/api/v1/operator/alerts', {
  tag: 'Operator',
  noun: 'alert',
  view: AlertView,
  scopes: { read: 'operator', write: 'operator' },
  params: { id: requireAlertId },
})
  .list('listAlerts', {
    summary: 'List alerts, newest first',
    description: 'What needs an operator, with its remedy. Some clear by themselves.',
    filters: {
      kind: choice(ALERT_KIND_NAMES, 'Filter by kind.'),
      severity: choice(SEVERITIES, 'Filter by severity.'),
      open: flag('true: only what nobody has acknowledged and stands.'),
      ...WindowQuery,
    },
    rows: (db, { query, after, limit }) =>
      listAlerts(db, {
        kind: query.kind,
        severity: query.severity,
        isOpen: parseFlag(query.open),
        ...parseWindow(query),
        beforeId: after,
        limit,
      }),
  })
  .get('getAlert', {
    summary: 'Retrieve an alert',
    description: 'What happened, since when, and what to do about it.',
    errors: ['alert_not_found'],
    run: (db, { params }) => getAlert(db, params.id),
  })
  .act('acknowledgeAlert', {
    path: '/:id/acknowledge',
    summary: 'Acknowledge an alert',
    description: 'Idempotent: the first acknowledgement stays.',
    errors: ['alert_not_found'],
    message: 'Alert acknowledged successfully',
    run: (tx, call) => acknowledgeAlert(tx, call, call.params.id),
  })
  .act('reopenAlert', {
    path: '/:id/reopen',
    summary: 'Reopen an alert',
    description:
      'Undoes an acknowledgement. Changes nothing if the same was raised again meanwhile, or the ' +
      'condition has ended.',
    errors: ['alert_not_found'],
    message: 'Alert reopened successfully',
    run: (tx, call) => reopenAlert(tx, call, call.params.id),
  })

// Reads the id of an alert from a path. A malformed id is refused like an unknown one.
function requireAlertId(text: string): bigint {
  if (!/^[0-9]{1,18}$/.test(text)) throw new Refusal('alert_not_found')
  return BigInt(text)
}

const EntryView = view('AuditLogEntry', (f: Fields<AuditLogEntry, { sealer: Sealer }>) => ({
  id: f.integer(({ id }, { sealer }) => publicId(sealer, 'action', id)),
  actor: f.text('actor', 'client:<client id>, user:<email>, address:<address>, …'),
  action: f.text('action', 'e.g. suspense.assign, user.sign_in.'),
  subject: f.text(
    ({ subject }, { sealer }) => publicName(sealer, subject),
    'Object acted on, as type/id.',
  ),
  detail: f.as(AnyObject, 'detail'),
  takenAt: f.time('takenAt'),
}))

export const auditLog = resource('/api/v1/audit-log', {
  tag: 'Audit log',
  noun: 'audit log entry',
  view: EntryView,
  scopes: { read: 'actions:read', write: 'actions:read' },
  isForWholeClient: true,
}).list('listAuditLog', {
  exportAs: 'exportAuditLog',
  summary: 'List audit log entries, newest first',
  description:
    'Manual actions: sign-ins, user changes, suspense, cancellations and so on. Append-only. ' +
    'It tells of all merchants: a client restricted to some is refused (merchants_restricted).',
  message: 'Audit log retrieved successfully',
  filters: {
    actor: Type.Optional(text(300, 'Filter by actor, e.g. user:ada@example.com.')),
    action: Type.Optional(text(64, 'Filter by action, e.g. user.sign_in.')),
    subject: Type.Optional(text(300, 'Filter by subject, e.g. user/ada@example.com.')),
    ...WindowQuery,
  },
  rows: (db, { client, sealer, scopes, withoutAlerts, query, after, limit }) => {
    const filters = {
      actor: query.actor,
      action: query.action,
      subject: query.subject && findName(sealer, query.subject),
      ...parseWindow(query),
      withoutOperators: withoutAlerts,
      withAdjustments: scopes.has('accounting:read'),
    }
    return listAuditLog(db, client, { filters, beforeId: after, limit })
  },
})
