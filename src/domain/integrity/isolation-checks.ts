// I11 where no foreign key enforces it: rows that are written for every credit or event have none,
// because it would cost a look-up and a lock on the money path. The writers copy the client from
// the row they reference; this check finds any that did not.

import type { Check } from '#ledger/ledger-checks.ts'

const NAMES: Record<string, string> = {
  all_credits: 'credit',
  events: 'event',
  deliveries: 'delivery',
}

// Rows of `from` whose `key` references a row of `to` that belongs to another client.
const across = (from: string, key: string, to: string) => `
  select format('${NAMES[from]} %s', f.${from === 'deliveries' ? 'event_id' : 'id'}) as subject,
         'client ' || coalesce(f.client_id::text, 'nobody') as expected,
         format('${to} of client %s', t.client_id) as found
    from ${from} f join ${to} t on t.id = f.${key}
   where f.client_id is distinct from t.client_id`

export const ISOLATION_CHECKS: readonly Check[] = [
  {
    name: 'nothing_points_at_another_client',
    sql: [
      across('all_credits', 'collection_account_id', 'collection_accounts'),
      across('all_credits', 'payment_id', 'payments'),
      across('events', 'collection_account_id', 'collection_accounts'),
      across('events', 'payment_id', 'payments'),
      across('deliveries', 'destination_id', 'destinations'),
      across('deliveries', 'event_id', 'events'),
    ].join(' union all '),
  },
]
