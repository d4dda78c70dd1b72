// /api/v1/operator/suspense-escalation: after how many days money in suspense raises an alert.

import { Type } from '@fastify/type-provider-typebox'
import { resource } from '#http/resource.ts'
import { named } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { type Escalation, readEscalation, setEscalation } from './escalation.ts'

const SAYS = 'Must be null or a whole number from 1 to 3650.'

const EscalationView = view('SuspenseEscalation', (f: Fields<Escalation>) => ({
  days: f.numberOrNull(
    'days',
    'Money that is in suspense for more than so many days raises an alert. Null: none does.',
  ),
}))

export const suspenseEscalation = resource('/api/v1/operator/suspense-escalation', {
  tag: 'Operator',
  noun: 'setting',
  view: EscalationView,
  scopes: { read: 'accounting:read', write: 'accounting:write' },
})
  .get('getSuspenseEscalation', {
    path: '',
    summary: 'Retrieve the escalation of suspense',
    description: 'After more than how many days of the calendar money in suspense raises an alert.',
    run: readEscalation,
  })
  .replace('setSuspenseEscalation', {
    path: '',
    summary: 'Update the escalation of suspense',
    description:
      'Each credit with money in suspense for more than `days` days raises the alert suspense_aged, ' +
      'within a few minutes.',
    body: named(
      'SuspenseEscalationRequest',
      {
        days: Type.Union([Type.Integer({ minimum: 1, maximum: 3_650 }), Type.Null()], {
          description:
            'Money that is in suspense for more than so many days raises an alert. Null: none does.',
          'x-says': SAYS,
        }),
      },
      { additionalProperties: false },
    ),
    run: (tx, call) => setEscalation(tx, call, call.body),
  })
