// GET /api/v1/audit-log: manual actions.

import { Type } from '@fastify/type-provider-typebox'
import { type AuditLogEntry, listAuditLog } from '#domain/records/audit-log.ts'
import { parseWindow, WindowQuery } from '#http/lists.ts'
import { resource } from '#http/resource.ts'
import { AnyObject, text } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { findName, publicId, publicName } from '#public-ids.ts'
import type { Sealer } from '#seal.ts'

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
  name: 'actions',
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
