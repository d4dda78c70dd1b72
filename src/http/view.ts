// A view describes an object of the API once, one line per field. The schema, the JSON and the CSV columns
// of the object come from these lines.
//
//   const SplitView = view('Split', (f: Fields<Split>) => ({
//     splitCode: f.text('code'),
//     type: f.text('type', 'percentage or flat.'),
//     createdAt: f.time('createdAt'),
//   }))
//
// A field reads a key of the row, or calls a function of the row. The compiler refuses a key that the row
// lacks or that has another type. `Context` has the other inputs of these functions, such as the sealer.

import { type TSchema, Type } from '@fastify/type-provider-typebox'
import { timestamp } from '#clock.ts'
import { type Kobo, toNaira } from '#money.ts'
import { type Columns, decimal } from './csv.ts'
import { named, nullable, oneOf } from './schemas.ts'

type Field<Row, Context, Out> = {
  schema: TSchema
  read: (row: Row, context: Context) => Out
  kind?: 'amount' | 'time'
}

// biome-ignore lint/suspicious/noExplicitAny: fields of any row.
type FieldSet<Row = any, Context = any> = Record<string, Field<Row, Context, any>>

export type Json<F extends FieldSet> = { [K in keyof F]: ReturnType<F[K]['read']> }

// A view whose fields read only the row is presented without a context.
type Needs<Context> = unknown extends Context ? [context?: unknown] : [context: Context]

export type View<Row, Context, F extends FieldSet> = {
  schema: ReturnType<typeof named>
  fields: F
  present: (row: Row, ...needs: Needs<Context>) => Json<F>
  // Returns the columns of a CSV, which read the result of `present`. By default, every field that fits into
  // a cell.
  columns: (...names: (keyof F & string)[]) => Columns<Json<F>>
}

type Keys<Row, T> = { [K in keyof Row]-?: Row[K] extends T ? K : never }[keyof Row]
type From<Row, Context, T> = Keys<Row, T> | ((row: Row, context: Context) => T)

const described = (description?: string) => (description === undefined ? {} : { description })

export class Fields<Row, Context = unknown> {
  text(from: From<Row, Context, string>, description?: string) {
    return this.as<string>(Type.String(described(description)), from)
  }

  flag(from: From<Row, Context, boolean>, description?: string) {
    return this.as<boolean>(Type.Boolean(described(description)), from)
  }

  number(from: From<Row, Context, number>, description?: string) {
    return this.as<number>(Type.Number(described(description)), from)
  }

  integer(from: From<Row, Context, number | bigint>, description?: string) {
    return this.#converted(Type.Integer(described(description)), from, Number)
  }

  naira(from: From<Row, Context, Kobo>, description?: string) {
    return {
      ...this.#converted(Type.Number(described(description)), from, toNaira),
      kind: 'amount' as const,
    }
  }

  time(from: From<Row, Context, Date>, description?: string) {
    const schema = Type.String(described(description))
    return { ...this.#converted(schema, from, timestamp), kind: 'time' as const }
  }

  oneOf<T extends string>(from: From<Row, Context, T>, values: readonly T[], description: string) {
    return this.as<T>(oneOf(values, description), from)
  }

  textOrNull(from: From<Row, Context, string | null>, description?: string) {
    return this.as<string | null>(nullable('string', described(description)), from)
  }

  numberOrNull(from: From<Row, Context, number | null>, description?: string) {
    return this.as<number | null>(nullable('number', described(description)), from)
  }

  timeOrNull(from: From<Row, Context, Date | null>, description?: string) {
    const schema = nullable('string', described(description))
    const convert = (time: Date | null) => time && timestamp(time)
    return { ...this.#converted(schema, from, convert), kind: 'time' as const }
  }

  nairaOrNull(from: From<Row, Context, Kobo | null>, description?: string) {
    const schema = nullable('number', described(description))
    const convert = (amount: Kobo | null) => (amount === null ? null : toNaira(amount))
    return { ...this.#converted(schema, from, convert), kind: 'amount' as const }
  }

  one<Item, F extends FieldSet>(item: View<Item, Context, F>, from: From<Row, Context, Item>) {
    const { read } = this.as<Item>(item.schema, from)
    const present = item.present as (item: Item, context: Context) => Json<F>
    return this.as<Json<F>>(item.schema, (row, context) => present(read(row, context), context))
  }

  list<Item, F extends FieldSet>(
    items: View<Item, Context, F>,
    from: From<Row, Context, readonly Item[]>,
    description?: string,
  ): Field<Row, Context, Json<F>[]> {
    const { read } = this.as<readonly Item[]>(items.schema, from)
    const present = items.present as (item: Item, context: Context) => Json<F>
    return {
      schema: Type.Array(items.schema, described(description)),
      read: (row, context) => read(row, context).map((item) => present(item, context)),
    }
  }

  // Describes a field with any other schema.
  as<T>(schema: TSchema, from: From<Row, Context, T>): Field<Row, Context, T> {
    const read = typeof from === 'function' ? from : (row: Row) => row[from as keyof Row] as T
    return { schema, read: read as (row: Row, context: Context) => T }
  }

  #converted<T, Out>(schema: TSchema, from: From<Row, Context, T>, convert: (value: T) => Out) {
    const { read } = this.as<T>(schema, from)
    const converted = (row: Row, context: Context) => convert(read(row, context))
    return { schema, read: converted } satisfies Field<Row, Context, Out>
  }
}

// Builds a view. A view that extends another one spreads its `fields`. A view without a name has no separate
// schema component.
export function view<Row, Context, F extends FieldSet<Row, Context>>(
  name: string | undefined,
  build: (f: Fields<Row, Context>) => F,
): View<Row, Context, F> {
  const made = build(new Fields())
  const entries = Object.entries(made)
  const properties = Object.fromEntries(entries.map(([key, { schema }]) => [key, schema]))
  return {
    schema: name === undefined ? Type.Object(properties) : named(name, properties),
    fields: made,
    present: (row, ...[context]) => {
      const json: Record<string, unknown> = {}
      for (const [key, { read }] of entries) json[key] = read(row, context as Context)
      return json as Json<F>
    },
    columns: (...names) => {
      const keys = names.length > 0 ? names : Object.keys(made).filter((key) => isCell(made[key]))
      return keys.map((key) => [key, cellReader(key, made[key]), made[key]?.kind] as const)
    },
  }
}

// Lists and objects do not fit into a cell, nor does a field that may be a list or an object, or else null.
function isCell(field: Field<never, never, unknown> | undefined): boolean {
  const { type, anyOf = [] } = (field?.schema ?? {}) as TypedSchema
  const types = [type, ...anyOf.map((each) => each.type)].flat()
  return !types.includes('array') && !types.includes('object')
}

type TypedSchema = { type?: string | string[]; anyOf?: TypedSchema[] }

// Writes amounts with two decimals.
function cellReader(key: string, field: Field<never, never, unknown> | undefined) {
  const read = (row: Record<string, unknown>) => row[key] as never
  if (field?.kind !== 'amount') return read
  return (row: Record<string, unknown>) => (row[key] === null ? null : decimal(read(row)))
}
