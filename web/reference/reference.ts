// The script of the API reference: search, copy buttons, a choice between curl and SDK, and calls of the
// sandbox with its token filled in. All pages are readable without it.

import './reference.css'
import './guides.css'

const find = <E extends Element>(selector: string, within: ParentNode = document) =>
  within.querySelector<E>(selector)
const findAll = <E extends Element>(selector: string, within: ParentNode = document) => [
  ...within.querySelectorAll<E>(selector),
]

// Creates an element with a text and attributes.
function createElement<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  { text = '', ...attributes }: Record<string, string> = {},
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag)
  element.textContent = text
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  return element
}

const TOKEN_KEY = 'manilla-sandbox-token'
const TOKEN_MS = 50 * 60_000 // The service's tokens are valid for an hour.

// The token of the sandbox's demo client, whose secret is published.
let token: Promise<string> | undefined

// All callers share one token. After a failed login the next caller tries again.
function sandboxToken(): Promise<string> {
  token ??= readToken().catch((error) => {
    token = undefined
    throw error
  })
  return token
}

// Returns the stored token while it is valid, or else logs in as the demo client.
async function readToken(): Promise<string> {
  const stored = JSON.parse(sessionStorage.getItem(TOKEN_KEY) ?? 'null')
  if (stored && Date.now() - stored.at < TOKEN_MS) return stored.value
  const { clientId = '', secret = '' } = document.body.dataset
  const answer = await fetch('/api/Account/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ clientId, clientSecret: secret }),
  })
  if (!answer.ok) throw new Error(`The sandbox refused its client: ${answer.status}`)
  const { access_token: value } = await answer.json()
  sessionStorage.setItem(TOKEN_KEY, JSON.stringify({ value, at: Date.now() }))
  return value
}

// Fills the token into the examples. Without a sandbox, or with another secret, the examples keep the name of
// the variable.
async function fillInToken(): Promise<void> {
  if (!document.body.dataset.clientId) return
  const value = await sandboxToken().catch(() => undefined)
  if (!value) return
  for (const span of findAll<HTMLElement>('span[data-token]')) {
    span.textContent = value
    span.title = 'The token of the sandbox'
  }
}

// Adds a button to each example that copies it.
function addCopyButtons(): void {
  for (const figure of findAll<HTMLElement>('.code')) {
    const code = find('code', figure)
    if (!code) continue
    const label = find('pre', figure)?.getAttribute('aria-label') ?? ''
    const button = createElement('button', { type: 'button', class: 'copy', text: 'Copy' })
    button.setAttribute('aria-label', `Copy ${label}`)
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(code.textContent ?? '').then(
        () => showOnButton(button, 'Copied'),
        () => showOnButton(button, 'Press Ctrl+C'),
      )
    })
    figure.append(button)
  }
}

// Shows the result of a press for two seconds.
function showOnButton(button: HTMLButtonElement, text: string): void {
  button.textContent = text
  setTimeout(() => {
    button.textContent = 'Copy'
  }, 2_000)
}

// The choice of curl or SDK, which applies to all examples. The browser stores it.
const LANGUAGE = 'manilla-reference-language'

// Replaces the headings of each pair of examples with buttons for curl and SDK.
function addTabs(): void {
  const groups = findAll<HTMLElement>('.snippets')
  // Shows all examples in this language, also on later visits.
  const choose = (language: string) => {
    localStorage.setItem(LANGUAGE, language)
    for (const group of groups) showLanguage(group, language)
  }
  for (const group of groups) {
    const bar = createElement('div', { class: 'tabs', role: 'group', 'aria-label': 'Language' })
    for (const [language, text] of [
      ['curl', 'curl'],
      ['sdk', 'SDK'],
    ] as const) {
      const button = createElement('button', { type: 'button', 'data-language': language, text })
      button.addEventListener('click', () => choose(language))
      bar.append(button)
    }
    for (const title of findAll('h3', group)) title.remove()
    group.prepend(bar)
    showLanguage(group, localStorage.getItem(LANGUAGE) ?? 'curl')
  }
}

// Shows the examples of a group in this language, and marks its button as pressed.
function showLanguage(group: HTMLElement, language: string): void {
  for (const button of findAll<HTMLElement>('.tabs button', group)) {
    button.setAttribute('aria-pressed', String(button.dataset.language === language))
  }
  for (const pre of findAll<HTMLElement>('pre', group)) {
    const figure = pre.closest<HTMLElement>('figure')
    if (figure) figure.hidden = pre.dataset.kind !== language
  }
}

// Sends the forms that try an operation.
function listenToForms(): void {
  document.addEventListener('submit', (event) => {
    const form = event.target as HTMLFormElement
    if (!form.dataset.path) return
    event.preventDefault()
    void tryOperation(form)
  })
}

// Sends the request that the form describes, and shows the status, the time and the body of the response.
async function tryOperation(form: HTMLFormElement): Promise<void> {
  const output = find<HTMLOutputElement>('output', form) as HTMLOutputElement
  output.textContent = 'Sending …'
  try {
    const { url, ...request } = await buildRequest(form)
    const startedAt = performance.now()
    const answer = await fetch(url, request)
    const text = await answer.text()
    const tookMs = Math.round(performance.now() - startedAt)
    const pre = createElement('pre', { tabindex: '0', role: 'region', 'aria-label': 'Response' })
    pre.textContent = formatResponse(text)
    const status = createElement('p', {
      text: `${answer.status} ${answer.statusText} in ${tookMs} ms`,
    })
    status.dataset.good = String(answer.ok)
    output.replaceChildren(status, pre)
  } catch (error) {
    output.textContent = `Not sent: ${(error as Error).message}`
  }
}

// Fills the form's fields into the path, the query and the body, and adds the token if the operation needs
// one.
async function buildRequest(form: HTMLFormElement): Promise<RequestInit & { url: string }> {
  const { method = 'GET', path = '', token: needsToken } = form.dataset
  const inputs = findAll<HTMLInputElement>('input[data-in]', form)
  const fieldOf = (name: string) => inputs.find((input) => input.name === name)?.value ?? ''
  const filledPath = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(fieldOf(name)))
  const query = new URLSearchParams(
    inputs
      .filter((input) => input.dataset.in === 'query' && input.value !== '')
      .map(({ name, value }) => [name, value]),
  )
  const body = find<HTMLTextAreaElement>('textarea', form)?.value
  return {
    url: query.size > 0 ? `${filledPath}?${query}` : filledPath,
    method,
    headers: {
      ...(needsToken === undefined ? {} : { authorization: `Bearer ${await sandboxToken()}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body }),
  }
}

// Indents a JSON response. Any other response is cut to a length that browsers can show.
function formatResponse(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text.slice(0, 20_000)
  }
}

type IndexEntry = readonly [title: string, context: string, href: string]

const FOUND_MAX = 12

let searchIndex: Promise<IndexEntry[]> | undefined

// Returns the entries that contain every word. A match in the title counts more than one in the context.
function findEntries(entries: readonly IndexEntry[], words: readonly string[]): IndexEntry[] {
  // A match in the title counts twice, and a title that begins with the first word once more.
  const scored = entries.flatMap((entry) => {
    const [title, context] = entry.map((text) => text.toLowerCase()) as [string, string]
    if (!words.every((word) => title.includes(word) || context.includes(word))) return []
    const inTitle = words.filter((word) => title.includes(word)).length
    return [{ entry, score: inTitle * 2 + (title.startsWith(words[0] ?? '') ? 1 : 0) }]
  })
  return scored
    .sort((one, other) => other.score - one.score)
    .slice(0, FOUND_MAX)
    .map(({ entry }) => entry)
}

// A search result in the list: the title with its context below.
function createOption([title, context, href]: IndexEntry, index: number): HTMLElement {
  const id = `found-${index}`
  const option = createElement('li', { role: 'option', id, 'data-href': href })
  option.append(createElement('span', { text: title }), createElement('small', { text: context }))
  return option
}

// The search field: a combobox over the entries of /docs/search.json, which load when the field first gets
// the focus.
function addSearch(): void {
  const input = find<HTMLInputElement>('#search')
  const list = find<HTMLElement>('#found')
  if (!input || !list) return
  // Loads the index once.
  const load = () => {
    searchIndex ??= fetch('/docs/search.json').then((answer) => answer.json())
    return searchIndex
  }
  let chosen = -1
  const options = () => findAll<HTMLElement>('[role=option]', list)
  // Marks an option as chosen for the keyboard and for screen readers. −1 chooses none.
  const select = (index: number) => {
    chosen = index
    for (const [position, option] of options().entries()) {
      option.setAttribute('aria-selected', String(position === index))
      if (position === index) option.scrollIntoView({ block: 'nearest' })
    }
    if (index >= 0) input.setAttribute('aria-activedescendant', `found-${index}`)
    else input.removeAttribute('aria-activedescendant')
  }
  // Hides the results.
  const close = () => {
    list.hidden = true
    input.setAttribute('aria-expanded', 'false')
    select(-1)
  }
  // Searches again with each typed letter, and chooses the first result.
  const showResults = async () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean)
    if (words.length === 0) return close()
    const entries = findEntries(await load(), words)
    list.replaceChildren(
      ...entries.map(createOption),
      ...(entries.length === 0
        ? [createElement('li', { text: 'Nothing is called that.', role: 'option' })]
        : []),
    )
    list.hidden = false
    input.setAttribute('aria-expanded', 'true')
    select(entries.length > 0 ? 0 : -1)
  }
  // Opens the page of a search result. The line that says that nothing was found has no page.
  const openOption = (option: HTMLElement | undefined) => {
    if (!option?.dataset.href) return
    close()
    input.value = ''
    location.assign(option.dataset.href)
  }
  input.addEventListener('focus', load)
  input.addEventListener('input', () => void showResults())
  input.addEventListener('blur', () => setTimeout(close, 150))
  input.addEventListener('keydown', (event) => {
    const count = options().length
    if (event.key === 'ArrowDown') select((chosen + 1) % Math.max(1, count))
    else if (event.key === 'ArrowUp') select((chosen - 1 + count) % Math.max(1, count))
    else if (event.key === 'Enter') openOption(options()[chosen])
    else if (event.key === 'Escape') close()
    else return
    event.preventDefault()
  })
  list.addEventListener('mousedown', (event) => {
    openOption((event.target as HTMLElement).closest<HTMLElement>('[role=option]') ?? undefined)
  })
  document.addEventListener('keydown', (event) => {
    const isTyping = (event.target as HTMLElement).matches('input, textarea, select')
    if (event.key !== '/' || isTyping) return
    event.preventDefault()
    input.focus()
  })
}

// The button that opens the table of contents on narrow pages.
function addMenu(): void {
  const button = find<HTMLButtonElement>('.menu')
  const side = find<HTMLElement>('#side')
  if (!button || !side) return
  button.addEventListener('click', () => {
    const isOpen = side.toggleAttribute('data-open')
    button.setAttribute('aria-expanded', String(isOpen))
    if (isOpen) find<HTMLElement>('a', side)?.focus()
  })
}

addSearch()
addMenu()
addTabs()
addCopyButtons()
listenToForms()
find('[aria-current]', find('#side') ?? document)?.scrollIntoView({ block: 'center' })
document.documentElement.dataset.ready = 'yes'
void fillInToken()
