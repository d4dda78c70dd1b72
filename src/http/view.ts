// A view describes an object of the API in one place, with one line per field. The object's schema, its JSON
// and its CSV columns are built from these lines.
//
//   const SplitView = view('Split', (f: Fields<Split>) => ({
//     splitCode: f.text('code'),
//     type: f.text('type', 'percentage or flat.'),
//     createdAt: f.time('createdAt'),
//   }))
//
// A field reads a key of the row, or calls a function with the row. The compiler refuses a key that the row
// does not have, or whose type does not fit. `Context` is the second argument of these functions, with inputs
// such as the sealer.

import { type TSchema, Type } from '@fastify/type-provider-typebox'
import { timestamp } from '#clock.ts'
import { type Kobo, toNaira } from '#money.ts'
import { type Columns, decimal } from './csv.ts'
import { named, nullable, oneOf } from './schemas.ts'

type Field<Row, Context, Out> = {
  schema: TSchema
  read: (row: Row, context: Context) => Out
  kind?: 'amount' | 'time' | 'token'
}

// biome-ignore lint/suspicious/noExplicitAny: fields of any row.
type FieldSet<Row = any, Context = any> = Record<string, Field<Row, Context, any>>

export type Json<F extends FieldSet> = { [K in keyof F]: ReturnType<F[K]['read']> }

// The second argument of View.present(). It may be left out if the fields of the view read only the row.
type Needs<Context> = unknown extends Context ? [context?: unknown] : [context: Context]

export type View<Row, Context, F extends FieldSet> = {
  schema: ReturnType<typeof named>
  fields: F
  present: (row: Row, ...needs: Needs<Context>) => Json<F>
  // Returns columns of a CSV for these fields, by default for every field that fits into a cell. The columns
  // read the JSON that `present` returns.
  columns: (...names: (keyof F & string)[]) => Columns<Json<F>>
}

type Keys<Row, T> = { [K in keyof Row]-?: Row[K] extends T ? K : never }[keyof Row]
// Where the value of a field comes from: a key of the row whose type fits, or a function.
type From<Row, Context, T> = Keys<Row, T> | ((row: Row, context: Context) => T)

const descriptionOf = (description?: string) => (description === undefined ? {} : { description })

// The fields of a view, by type. `description` is the text of the field in the API reference.
export class Fields<Row, Context = unknown> {
  text(from: From<Row, Context, string>, description?: string) {
    return this.as<string>(Type.String(descriptionOf(description)), from)
  }

  // Text that only another call understands. No CSV has it.
  token(from: From<Row, Context, string>, description: string) {
    return { ...this.text(from, description), kind: 'token' as const }
  }

  flag(from: From<Row, Context, boolean>, description?: string) {
    return this.as<boolean>(Type.Boolean(descriptionOf(description)), from)
  }

  // A number that need not be whole, such as a percentage.
  decimal(from: From<Row, Context, number>, description?: string) {
    return this.as<number>(Type.Number(descriptionOf(description)), from)
  }

  integer(from: From<Row, Context, number | bigint>, description?: string) {
    return this.#convertedField(Type.Integer(descriptionOf(description)), from, Number)
  }

  naira(from: From<Row, Context, Kobo>, description?: string) {
    return {
      ...this.#convertedField(Type.Number(descriptionOf(description)), from, toNaira),
      kind: 'amount' as const,
    }
  }

  time(from: From<Row, Context, Date>, description?: string) {
    const schema = Type.String(descriptionOf(description))
    return { ...this.#convertedField(schema, from, timestamp), kind: 'time' as const }
  }

  oneOf<T extends string>(from: From<Row, Context, T>, values: readonly T[], description: string) {
    return this.as<T>(oneOf(values, description), from)
  }

  textOrNull(from: From<Row, Context, string | null>, description?: string) {
    return this.as<string | null>(nullable('string', descriptionOf(description)), from)
  }

  decimalOrNull(from: From<Row, Context, number | null>, description?: string) {
    return this.as<number | null>(nullable('number', descriptionOf(description)), from)
  }

  integerOrNull(from: From<Row, Context, number | bigint | null>, description?: string) {
    const schema = nullable('integer', descriptionOf(description))
    const convert = (value: number | bigint | null) => (value === null ? null : Number(value))
    return this.#convertedField(schema, from, convert)
  }

  timeOrNull(from: From<Row, Context, Date | null>, description?: string) {
    const schema = nullable('string', descriptionOf(description))
    const convert = (time: Date | null) => time && timestamp(time)
    return { ...this.#convertedField(schema, from, convert), kind: 'time' as const }
  }

  nairaOrNull(from: From<Row, Context, Kobo | null>, description?: string) {
    const schema = nullable('number', descriptionOf(description))
    const convert = (amount: Kobo | null) => (amount === null ? null : toNaira(amount))
    return { ...this.#convertedField(schema, from, convert), kind: 'amount' as const }
  }

  // A nested object with its own view.
  one<Item, F extends FieldSet>(item: View<Item, Context, F>, from: From<Row, Context, Item>) {
    const { read } = this.as<Item>(item.schema, from)
    const present = item.present as (item: Item, context: Context) => Json<F>
    return this.as<Json<F>>(item.schema, (row, context) => present(read(row, context), context))
  }

  // A list of nested objects with their own view.
  list<Item, F extends FieldSet>(
    items: View<Item, Context, F>,
    from: From<Row, Context, readonly Item[]>,
    description?: string,
  ): Field<Row, Context, Json<F>[]> {
    const { read } = this.as<readonly Item[]>(items.schema, from)
    const present = items.present as (item: Item, context: Context) => Json<F>
    return {
      schema: Type.Array(items.schema, descriptionOf(description)),
      read: (row, context) => read(row, context).map((item) => present(item, context)),
    }
  }

  // A field with any other schema, whose value is used as it is.
  as<T>(schema: TSchema, from: From<Row, Context, T>): Field<Row, Context, T> {
    const read = typeof from === 'function' ? from : (row: Row) => row[from as keyof Row] as T
    return { schema, read: read as (row: Row, context: Context) => T }
  }

  #convertedField<T, Out>(
    schema: TSchema,
    from: From<Row, Context, T>,
    convert: (value: T) => Out,
  ) {
    const { read } = this.as<T>(schema, from)
    const converted = (row: Row, context: Context) => convert(read(row, context))
    return { schema, read: converted } satisfies Field<Row, Context, Out>
  }
}

// Builds a view. To extend another view, spread its `fields`. A view without a name has no schema component
// of its own: its schema is written out wherever it is used. `present` makes the JSON of a row. `columns`
// returns, for the named or all fields, the name, the reader and the kind of a CSV column.
export function view<Row, Context, F extends FieldSet<Row, Context>>(
  name: string | undefined,
  build: (f: Fields<Row, Context>) => F,
): View<Row, Context, F> {
  const fields = build(new Fields())
  const entries = Object.entries(fields)
  const properties = Object.fromEntries(entries.map(([key, { schema }]) => [key, schema]))
  return {
    schema: name === undefined ? Type.Object(properties) : named(name, properties),
    fields,
    present: (row, ...[context]) => {
      const json: Record<string, unknown> = {}
      for (const [key, { read }] of entries) json[key] = read(row, context as Context)
      return json as Json<F>
    },
    columns: (...names) => {
      const keys =
        names.length > 0 ? names : Object.keys(fields).filter((key) => isCell(fields[key]))
      return keys.map((key) => [key, cellReader(key, fields[key]), cellKind(fields[key])] as const)
    },
  }
}

// Whether the values of a field fit into a cell. Lists and objects do not, even where the field may be null.
function isCell(field: Field<never, never, unknown> | undefined): boolean {
  if (field?.kind === 'token') return false
  const { type, anyOf = [] } = (field?.schema ?? {}) as TypedSchema
  const types = [type, ...anyOf.map((option) => option.type)].flat()
  return !types.includes('array') && !types.includes('object')
}

function cellKind(field: Field<never, never, unknown> | undefined) {
  return field?.kind === 'token' ? undefined : field?.kind
}

type TypedSchema = { type?: string | string[]; anyOf?: TypedSchema[] }

// Returns the function that reads a field's cell from the JSON. Amounts get two decimals.
function cellReader(key: string, field: Field<never, never, unknown> | undefined) {
  const read = (row: Record<string, unknown>) => row[key] as never
  if (field?.kind !== 'amount') return read
  return (row: Record<string, unknown>) => (row[key] === null ? null : decimal(read(row)))
}
