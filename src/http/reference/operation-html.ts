// Renders one operation of the reference: its description, parameters, fields and examples, and a form that
// calls it in the sandbox.

import { escapeHtml } from '#http/pages.ts'
import { inlineHtml, toHtml } from './markdown.ts'
import type { Components, Entry, Operation, Parameter, Schema } from './outline.ts'
import { curlOf, type Example, exampleOfEntry, sdkOf, TOKEN } from './snippets.ts'

export type ReferenceContext = { base: string; components: Components; isSandbox: boolean }

// Renders the section of one operation.
export function operationHtml(entry: Entry, context: ReferenceContext): string {
  const { method, path, operation } = entry
  const { operationId, summary, description = '' } = operation
  const example = exampleOfEntry(entry, context.components)
  const id = escapeHtml(operationId)
  return `<section class="operation" id="${id}" aria-labelledby="${id}-title">
<div class="says-it">
<h2 id="${id}-title"><a href="#${id}">${escapeHtml(summary)}</a></h2>
<p class="address">${methodHtml(method)} <code>${withBreaks(path)}</code></p>
${toHtml(description)}
${inputHtml(operation, context.components)}
${responseFieldsHtml(operation, context.components)}
</div>
<div class="shows-it">
${snippetsHtml(entry, example, context)}
${responseHtml(operation)}
${context.isSandbox ? tryHtml(entry, example) : ''}
</div>
</section>`
}

export const methodHtml = (method: string) =>
  `<span class="method" data-method="${method}">${method}</span>`

const withBreaks = (path: string) => escapeHtml(path).replaceAll('/', '/<wbr>')

const PARAMETER_GROUPS: readonly (readonly [Parameter['in'], string])[] = [
  ['path', 'Parameters of the path'],
  ['query', 'Query'],
  ['header', 'Headers'],
]

function inputHtml({ parameters = [], requestBody }: Operation, components: Components): string {
  const groups = PARAMETER_GROUPS.map(([place, title]) => {
    const members = parameters.filter((parameter) => parameter.in === place)
    if (members.length === 0) return ''
    const html = parametersHtml(members)
    // Headers are folded, because every operation has the same few.
    return place === 'header' ? folded(title, html) : `<h3>${title}</h3>${html}`
  })
  if (!requestBody) return groups.join('')
  const types = Object.keys(requestBody.content)
  const schema = Object.values(requestBody.content)[0]?.schema
  const fields = schema ? fieldsHtml(schema, components) : ''
  const description = requestBody.description ? toHtml(requestBody.description) : ''
  const mediaTypes = types.map((type) => `<code>${type}</code>`).join(', ')
  return `${groups.join('')}<h3>Body</h3>${description}${fields || `<p>${mediaTypes}</p>`}`
}

function responseFieldsHtml({ responses }: Operation, components: Components): string {
  const schema = successOf(responses)?.content?.['application/json']?.schema
  const fields = schema ? fieldsHtml(schema, components) : ''
  return fields && folded('Fields of the response', fields)
}

const folded = (title: string, html: string) =>
  `<details class="fold"><summary>${title}</summary>${html}</details>`

function successOf(responses: Operation['responses']) {
  return Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1]
}

// Renders the example as a curl command and, if the SDK supports the operation, as a call of the SDK.
function snippetsHtml(entry: Entry, example: Example, { base }: ReferenceContext): string {
  const { operationId, summary } = entry.operation
  const curl = codeHtml(`curl: ${summary}`, curlOf(entry, base, example), 'curl')
  const sdk = sdkOf(entry, example)
  if (!sdk) return `<h3>curl</h3>${curl}`
  const name = escapeHtml(operationId)
  // The script of the page turns the two into tabs. Without JavaScript, the page shows both.
  return `<div class="snippets" data-tabs="${name}">
<h3>curl</h3>${curl}
<h3>SDK</h3>${codeHtml(`SDK: ${summary}`, sdk, 'sdk')}
</div>`
}

// Renders code. It can be focused, because people who use the keyboard must be able to scroll it.
export function codeHtml(label: string, text: string, kind = 'json'): string {
  const html = escapeHtml(text).replaceAll(TOKEN, `<span data-token>${TOKEN}</span>`)
  return (
    `<figure class="code"><pre tabindex="0" role="region" data-kind="${kind}" ` +
    `aria-label="${escapeHtml(label)}"><code>${html}</code></pre></figure>`
  )
}

// Renders the example of the response.
function responseHtml({ responses, summary }: Operation): string {
  const status = Object.keys(responses).find((code) => code.startsWith('2')) ?? '200'
  const { description = '', content = {} } = responses[status] ?? {}
  const { example, examples } = content['application/json'] ?? {}
  const value = examples ? Object.values(examples)[0]?.value : example
  if (value === undefined) {
    const types = Object.keys(content).map((type) => `<code>${escapeHtml(type)}</code>`)
    return `<h3>Response ${status}</h3><p>${types.join(', ') || escapeHtml(description)}</p>`
  }
  const text = JSON.stringify(value, null, 2)
  return `<h3>Response ${status}</h3>${codeHtml(`Response: ${summary}`, text)}`
}

const ROWS_MAX = 16

// Returns the form that calls an operation from the page. Returns '' for an operation that the page cannot
// call: it needs a session or a bank's signature, its body is no JSON, or it answers with an event stream.
function tryHtml({ method, path, operation }: Entry, example: Example) {
  const { authentication, body } = example
  const canSendBody = !body || body.type === 'application/json'
  const isStream = 'text/event-stream' in (successOf(operation.responses)?.content ?? {})
  const isRail = path.startsWith('/rails/') // Banks sign these.
  if (authentication === 'session' || !canSendBody || isStream || isRail) return ''
  const { operationId, parameters = [] } = operation
  const fields = parameters
    .filter((parameter) => parameter.in !== 'header')
    .map((parameter) => {
      const { name, required = false } = parameter
      const id = escapeHtml(`${operationId}-${parameter.in}-${name}`)
      const isPath = parameter.in === 'path'
      const value = isPath ? example.params[name] : (example.query[name] ?? '')
      return (
        `<label for="${id}">${escapeHtml(name)}</label><input id="${id}" name="${escapeHtml(name)}" ` +
        `data-in="${parameter.in}" value="${escapeHtml(value ?? '')}" autocomplete="off"` +
        `${isPath || required ? ' required' : ''}>`
      )
    })
  const text = body && escapeHtml(JSON.stringify(body.value, null, 2))
  const rows = Math.min(ROWS_MAX, text?.split('\n').length ?? 1)
  const bodyId = `${operationId}-body`
  const bodyField = body
    ? `<label for="${bodyId}">Body</label>` +
      `<textarea id="${bodyId}" rows="${rows}" spellcheck="false">${text}</textarea>`
    : ''
  const tokenAttribute = authentication === 'token' ? ' data-token' : ''
  return `<details class="fold try"><summary>Try it</summary>
<form data-method="${method}" data-path="${escapeHtml(path)}"${tokenAttribute}>
${fields.join('\n')}
${bodyField}
<button type="submit">Send</button>
<output aria-live="polite"></output>
</form></details>`
}

type Described = Schema & {
  description?: string
  required?: readonly string[]
  'x-says'?: string
}

const REF = '#/components/schemas/'
const DEPTH_MAX = 5 // Deeper fields are in the example and in /openapi.json.

function parametersHtml(parameters: readonly Parameter[]): string {
  const rows = parameters.map(({ name, schema, description, required = false }) =>
    fieldHtml({
      name,
      schema: { ...(description && { description }), ...schema },
      isRequired: required,
    }),
  )
  return `<dl class="fields">${rows.join('')}</dl>`
}

// Returns the fields of a schema as HTML, or '' for a schema without fields. The fields of a nested object
// are folded.
export function fieldsHtml(schema: Schema, components: Components, depth = 0): string {
  const { properties, required = [] } = objectSchemaIn(schema, components)
  if (!properties || depth > DEPTH_MAX) return ''
  const rows = Object.entries(properties).map(([name, property]) =>
    fieldHtml({
      name,
      schema: resolveReference(property, components),
      isRequired: required.includes(name),
      inner: fieldsHtml(property, components, depth + 1),
    }),
  )
  return `<dl class="fields">${rows.join('')}</dl>`
}

type Row = { name: string; schema: Described; isRequired: boolean; inner?: string }

// Renders one field or parameter, with its description, the sentence on its permitted values (`x-says`) and
// its default. Leaves out a sentence that only repeats the type.
function fieldHtml({ name, schema, isRequired, inner = '' }: Row): string {
  const needed = isRequired ? ' <em>required</em>' : ''
  const hasValuesSentence =
    schema['x-says'] && !/^Must be (?:true or false|one of|an object\.)/.test(schema['x-says'])
  const texts = [
    schema.description && inlineHtml(schema.description),
    hasValuesSentence && `<span class="says">${inlineHtml(schema['x-says'] as string)}</span>`,
    schema.default !== undefined && `Default: <code>${escapeHtml(String(schema.default))}</code>.`,
  ].filter(Boolean)
  return (
    `<div><dt><code>${escapeHtml(name)}</code> <span class="type">${typeHtml(schema)}</span>${needed}</dt>` +
    `<dd>${texts.join(' ')}${inner && `<details><summary>Its fields</summary>${inner}</details>`}</dd></div>`
  )
}

// Returns the schema itself or, for a reference, the component with the properties next to the reference.
function resolveReference(schema: Schema, components: Components): Described {
  if (!schema.$ref) return schema
  return { ...components[schema.$ref.slice(REF.length)], ...schema } as Described
}

// Returns the schema whose fields the page lists: the schema itself, an item of its list, the first of its
// choices that is an object, or the union of its parts (allOf).
function objectSchemaIn(schema: Schema, components: Components): Described {
  const target = resolveReference(schema, components)
  if (target.properties) return target
  const [choice] = [...(target.anyOf ?? []), ...(target.oneOf ?? [])].filter(
    (option) => objectSchemaIn(option, components).properties,
  )
  if (choice) return objectSchemaIn(choice, components)
  if (target.allOf) {
    const parts = target.allOf.map((part) => objectSchemaIn(part, components))
    const properties = Object.assign({}, ...parts.map((part) => part.properties))
    return { properties, required: parts.flatMap((part) => part.required ?? []) }
  }
  return target.items ? objectSchemaIn(target.items, components) : target
}

// Names the type of a field: its constant, its permitted values, its alternatives, list, object, or JSON
// type.
function typeHtml(schema: Schema): string {
  const { type, enum: values, const: constant, items, properties, anyOf, oneOf } = schema
  if (constant !== undefined) return `<code>${escapeHtml(String(constant))}</code>`
  if (values) return values.map((value) => `<code>${escapeHtml(String(value))}</code>`).join(' or ')
  const choices = anyOf ?? oneOf
  if (choices) return [...new Set(choices.map(typeHtml))].join(' or ')
  if (items) return 'list'
  if (properties) return 'object'
  return escapeHtml([type ?? 'object'].flat().join(' or '))
}
