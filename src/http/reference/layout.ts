// Renders the pages of the API reference: an introduction with the first call, one page per tag, the webhook
// events, and the guides.

import { escapeHtml } from '#http/pages.ts'
import { type Guide, listGuides } from './guides.ts'
import { toHtml } from './markdown.ts'
import {
  codeHtml,
  fieldsHtml,
  methodHtml,
  operationHtml,
  type ReferenceContext,
} from './operation-html.ts'
import { type Description, type Entry, type Section, sectionsOf } from './outline.ts'

type Demo = { clientId: string; secret: string }
export type Site = ReferenceContext & {
  description: Description
  sections: readonly Section[]
  files: { script: string; styles: readonly string[] }
  demo: Demo | undefined // In a sandbox: the demo client, whose secret is published.
  guides: readonly Pick<Guide, 'name' | 'title'>[]
}

const EVENTS = { title: 'Webhook events', slug: 'webhook-events' }

// Collects what all pages of the reference need.
export function buildSite(
  description: Description,
  { files, demo }: Pick<Site, 'files' | 'demo'>,
): Site {
  return {
    description,
    sections: sectionsOf(description),
    files,
    demo,
    base: description.servers[0]?.url ?? '',
    components: description.components.schemas,
    isSandbox: demo !== undefined,
    guides: listGuides(),
  }
}

// Returns the path of each page below /docs. The introduction is ''.
export function pageSlugs(site: Site): string[] {
  return ['', ...site.sections.map(({ slug }) => slug), EVENTS.slug]
}

// Renders the page of this path below /docs.
export function drawPage(site: Site, slug: string): string {
  if (slug === '')
    return pageHtml(site, { title: 'API reference', slug, body: introductionHtml(site) })
  if (slug === EVENTS.slug) return pageHtml(site, { ...EVENTS, body: eventsHtml(site) })
  const section = site.sections.find((candidate) => candidate.slug === slug) as Section
  const body = `<h1>${section.title}</h1>
${contentsHtml(section.entries)}
${section.entries.map((entry) => operationHtml(entry, site)).join('\n')}`
  return pageHtml(site, { title: section.title, slug, body })
}

export function drawGuide(site: Site, { name, title, html }: Guide): string {
  return pageHtml(site, {
    title,
    slug: slugOf(name),
    body: `<article class="guide">${html}</article>`,
  })
}

const slugOf = (guide: string) => `guides/${guide}`

// The entries of the search: the title, other words that find it, and the address.
export function searchIndex(site: Site): [title: string, also: string, href: string][] {
  const operations = site.sections.flatMap(({ slug, entries }) =>
    entries.map(({ method, path, operation: { summary, operationId } }) => {
      return [summary, `${method} ${path}`, `/docs/${slug}#${operationId}`] as const
    }),
  )
  const events = Object.entries(site.description.webhooks).map(([type, { post }]) => {
    return [post.summary, type, `/docs/${EVENTS.slug}#${type}`] as const
  })
  const pages = [
    ['Errors', 'codes, causes and remedies', '/docs/errors'],
    ['Rate limits', 'RateLimit Retry-After 429', '/docs#rate-limits'],
  ] as const
  const guides = site.guides.map(
    ({ name, title }) => [title, name, `/docs/${slugOf(name)}`] as const,
  )
  return [...operations, ...events, ...guides, ...pages].map((each) => [...each])
}

// The links to the operations of a page.
function contentsHtml(entries: readonly Entry[]): string {
  const items = entries.map(
    ({ method, operation: { operationId, summary } }) =>
      `<li><a href="#${operationId}">${escapeHtml(summary)}</a> ${methodHtml(method)}</li>`,
  )
  return `<nav aria-label="On this page"><ul class="contents">${items.join('')}</ul></nav>`
}

const JSON_TYPE = "-H 'content-type: application/json'"
// A shell command that prints one text field of a JSON response.
const jsonFieldCommand = (field: string) => `| sed 's/.*"${field}":"\\([^"]*\\)".*/\\1/'`

// The titles and curl commands of a first payment: log in, request a payment, lease a number, see the result.
function firstCallSnippets(base: string, { clientId, secret }: Demo): [string, string][] {
  const advice = {
    amount: '6000.00',
    currency: 'NGN',
    customer: { customerFirstName: 'Ada', customerLastName: 'Obi' },
    callBackUrl: 'https://shop.example/thanks',
  }
  const lines = (...parts: string[]) => parts.join(' \\\n  ')
  const login = JSON.stringify({ clientId, clientSecret: secret })
  const bearer = '-H "authorization: Bearer $TOKEN"'
  const transfer = `${base}/Payment/process/banktransfer`
  return [
    [
      'Log in: the token is good for an hour',
      lines(
        `TOKEN=$(curl -s ${base}/api/Account/login ${JSON_TYPE}`,
        `-d '${login}'`,
        `${jsonFieldCommand('access_token')})`,
      ),
    ],
    [
      'Create a payment request',
      lines(
        `ADVICE=$(curl -s ${base}/Payment/advice`,
        `${bearer} ${JSON_TYPE}`,
        `-d '${JSON.stringify(advice)}'`,
        `${jsonFieldCommand('adviceReference')})`,
      ),
    ],
    [
      'Lease an account number at a bank',
      lines(
        `NUMBER=$(curl -s ${transfer}/$ADVICE ${JSON_TYPE}`,
        `-d '{"bankCode":"058"}' ${jsonFieldCommand('bankAccount')})`,
      ),
    ],
    [
      'See what was paid',
      lines(`curl -s ${base}/api/Transaction/byadvicereference/$ADVICE`, bearer),
    ],
  ]
}

const PLACEHOLDER_CLIENT: Demo = { clientId: 'YOUR_CLIENT_ID', secret: 'YOUR_CLIENT_SECRET' }

// Returns the body of the introduction: the first paragraph of the API's description, the commands of a first
// payment, the list of all operations, and the other paragraphs.
function introductionHtml({ description, sections, base, demo }: Site): string {
  const [lead = '', ...paragraphs] = description.info.description.split('\n\n')
  const steps = firstCallSnippets(base, demo ?? PLACEHOLDER_CLIENT).map(
    ([title, code]) => `<li><h3>${title}</h3>${codeHtml(title, code, 'shell')}</li>`,
  )
  const groups = [...Map.groupBy(sections, ({ group }) => group)].map(
    ([group, members]) =>
      `<div><h3>${group}</h3><ul>${members
        .map(({ slug, title, entries }) => {
          const first = escapeHtml(entries[0]?.operation.summary ?? '')
          const remainder = entries.length > 1 ? `, and ${entries.length - 1} more` : ''
          const link = `<a href="/docs/${slug}">${title}</a>`
          return `<li>${link}<br><span class="says">${first}${remainder}</span></li>`
        })
        .join('')}</ul></div>`,
  )
  return `<h1>API reference</h1>
${toHtml(lead)}
<h2 id="first-call">Make your first call</h2>
<ol class="steps">${steps.join('')}</ol>
<h2 id="operations">Operations</h2>
<div class="groups">${groups.join('')}</div>
${toHtml(paragraphs.join('\n\n'))}
<h2 id="description">The description as a file</h2>
<p><a href="/openapi.json">openapi.json</a> describes every operation in OpenAPI 3.1.
The SDK for TypeScript is <code>@manilla/sdk</code>.</p>`
}

// The page of all webhook events, with their fields.
function eventsHtml({ description, components }: Site): string {
  const events = Object.entries(description.webhooks).map(([type, { post }]) => {
    const schema = post.requestBody?.content['application/json']?.schema
    const fields = schema ? fieldsHtml(schema, components) : ''
    return `<section class="event" id="${type}" aria-labelledby="${type}-title">
<h2 id="${type}-title"><a href="#${type}">${escapeHtml(post.summary)}</a></h2>
<p class="address"><code>${type}</code></p>
<details class="fold"><summary>Fields</summary>${fields}</details></section>`
  })
  return `<h1>Webhook events</h1>
<p>The service posts each event to your endpoints, signed as in Standard Webhooks 1.0. Answer with 2xx;
any other status is retried. Events may come twice and out of order: store their <code>id</code>.
<a href="/docs/webhooks">Manage endpoints</a></p>
${events.join('\n')}`
}

// Puts the content of a page into the frame that all pages share: head, search and menu. The page of webhook
// events has no tag, so its link is added to the menu's group 'Be notified'.
function pageHtml(
  { sections, files, demo, guides }: Site,
  { title, slug, body }: { title: string; slug: string; body: string },
): string {
  const link = (to: string, text: string) =>
    `<li><a href="/docs${to && `/${to}`}"${to === slug ? ' aria-current="page"' : ''}>${text}</a></li>`
  const groups = [...Map.groupBy(sections, ({ group }) => group)].map(([group, members]) => {
    const links = members.map((member) => link(member.slug, member.title))
    if (group === 'Be notified') links.push(link(EVENTS.slug, EVENTS.title))
    return `<h2>${group}</h2><ul>${links.join('')}</ul>`
  })
  const guideLinks = guides.map(({ name, title }) => link(slugOf(name), title))
  if (guideLinks.length > 0) groups.unshift(`<h2>Guides</h2><ul>${guideLinks.join('')}</ul>`)
  const styles = files.styles.map((href) => `<link rel="stylesheet" href="${href}">`)
  const attributes = demo ? ` data-client-id="${demo.clientId}" data-secret="${demo.secret}"` : ''
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Manilla API</title>
<link rel="icon" href="data:,">
${styles.join('\n')}
<script type="module" src="${files.script}"></script>
</head>
<body${attributes}>
<a class="skip" href="#main">Skip to the content</a>
<header class="top">
<a class="brand" href="/docs">Manilla <span>API</span></a>
<div class="search" role="search">
<label class="hidden" for="search">Search the reference</label>
<input id="search" type="search" placeholder="Search (press /)" autocomplete="off" role="combobox"
 aria-expanded="false" aria-controls="found" aria-autocomplete="list">
<ul id="found" role="listbox" aria-label="Found" hidden></ul>
</div>
<button type="button" class="menu" aria-expanded="false" aria-controls="side">Menu</button>
</header>
<div class="page">
<nav class="side" id="side" aria-label="Reference">
<ul>${link('', 'Introduction')}<li><a href="/docs/errors">Errors</a></li></ul>
${groups.join('\n')}
</nav>
<main id="main" tabindex="-1">
${body}
</main>
</div>
</body>
</html>
`
}
