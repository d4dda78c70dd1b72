// Columns are snake_case in SQL and camelCase in code: `select raised_at, count(*) as open_alerts` returns
// rows of `raisedAt` and `openAlerts`. Every pool of this folder names its rows so.
//
// The names come with the description of a result, so renaming them costs nothing per row.

import pg from 'pg'

type Description = { fields: { name: string }[] }
type Driver = pg.Client & { _handleRowDescription(description: Description): void }

const DriverClient = pg.Client as unknown as new (config?: pg.ClientConfig) => Driver
const known = new Map<string, string>()

export class NamingClient extends DriverClient {
  override _handleRowDescription(description: Description): void {
    for (const field of description.fields) field.name = toCamel(field.name)
    super._handleRowDescription(description)
  }
}

function toCamel(column: string): string {
  let name = known.get(column)
  if (name === undefined) {
    name = column.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
    known.set(column, name)
  }
  return name
}
