// /api/v1/operator/alerts: list, retrieve and acknowledge alerts.

import { ALERT_KIND_NAMES, ALERT_KINDS } from '#domain/records/alert-kinds.ts'
import { type Alert, acknowledgeAlert, getAlert, listAlerts } from '#domain/records/alerts.ts'
import { Refusal } from '#errors.ts'
import { choice, parseFlag, parseWindow, WindowQuery } from '#http/lists.ts'
import { resource } from '#http/resource.ts'
import { AnyObject } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'

const AlertView = view('Alert', (f: Fields<Alert>) => ({
  id: f.integer('id'),
  kind: f.text('kind', `One of ${ALERT_KIND_NAMES.join(', ')}.`),
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
      open: choice(['true', 'false'], 'true: only what nobody has acknowledged and stands.'),
      ...WindowQuery,
    },
    rows: (db, { query, after, limit }) =>
      listAlerts(db, {
        kind: query.kind,
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

function requireAlertId(text: string): bigint {
  if (!/^[0-9]{1,18}$/.test(text)) throw new Refusal('alert_not_found')
  return BigInt(text)
}
