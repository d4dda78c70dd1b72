// The script of the API reference: search, copy buttons, a choice between curl and SDK, and calls of the
// sandbox with its token filled in. All pages are readable without it.

import './reference.css'
import './guides.css'

const find = <E extends Element>(selector: string, within: ParentNode = document) =>
  within.querySelector<E>(selector)
const findAll = <E extends Element>(selector: string, within: ParentNode = document) => [
  ...within.querySelectorAll<E>(selector),
]

function make<K extends keyof HTMLElementTagNameMap>(
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

function sandboxToken(): Promise<string> {
  token ??= readToken().catch((error) => {
    token = undefined
    throw error
  })
  return token
}

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
  for (const place of findAll<HTMLElement>('span[data-token]')) {
    place.textContent = value
    place.title = 'The token of the sandbox'
  }
}

function addCopyButtons(): void {
  for (const figure of findAll<HTMLElement>('.code')) {
    const code = find('code', figure)
    if (!code) continue
    const label = find('pre', figure)?.getAttribute('aria-label') ?? ''
    const button = make('button', { type: 'button', class: 'copy', text: 'Copy' })
    button.setAttribute('aria-label', `Copy ${label}`)
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(code.textContent ?? '').then(
        () => report(button, 'Copied'),
        () => report(button, 'Press Ctrl+C'),
      )
    })
    figure.append(button)
  }
}

function report(button: HTMLButtonElement, text: string): void {
  button.textContent = text
  setTimeout(() => {
    button.textContent = 'Copy'
  }, 2_000)
}

// The choice of curl or SDK, which applies to all examples. The browser stores it.
const LANGUAGE = 'manilla-reference-language'

function addTabs(): void {
  const groups = findAll<HTMLElement>('.snippets')
  const choose = (language: string) => {
    localStorage.setItem(LANGUAGE, language)
    for (const group of groups) show(group, language)
  }
  for (const group of groups) {
    const bar = make('div', { class: 'tabs', role: 'group', 'aria-label': 'Language' })
    for (const [language, text] of [
      ['curl', 'curl'],
      ['sdk', 'SDK'],
    ] as const) {
      const button = make('button', { type: 'button', 'data-language': language, text })
      button.addEventListener('click', () => choose(language))
      bar.append(button)
    }
    for (const title of findAll('h3', group)) title.remove()
    group.prepend(bar)
    show(group, localStorage.getItem(LANGUAGE) ?? 'curl')
  }
}

function show(group: HTMLElement, language: string): void {
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
    void send(form)
  })
}

async function send(form: HTMLFormElement): Promise<void> {
  const output = find<HTMLOutputElement>('output', form) as HTMLOutputElement
  output.textContent = 'Sending …'
  try {
    const { url, ...request } = await requestOf(form)
    const startedAt = performance.now()
    const answer = await fetch(url, request)
    const text = await answer.text()
    const tookMs = Math.round(performance.now() - startedAt)
    const pre = make('pre', { tabindex: '0', role: 'region', 'aria-label': 'Response' })
    pre.textContent = pretty(text)
    const status = make('p', { text: `${answer.status} ${answer.statusText} in ${tookMs} ms` })
    status.dataset.good = String(answer.ok)
    output.replaceChildren(status, pre)
  } catch (error) {
    output.textContent = `Not sent: ${(error as Error).message}`
  }
}

async function requestOf(form: HTMLFormElement): Promise<RequestInit & { url: string }> {
  const { method = 'GET', path = '', token: needed } = form.dataset
  const inputs = findAll<HTMLInputElement>('input[data-in]', form)
  const fieldOf = (name: string) => inputs.find((input) => input.name === name)?.value ?? ''
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(fieldOf(name)))
  const query = new URLSearchParams(
    inputs
      .filter((input) => input.dataset.in === 'query' && input.value !== '')
      .map(({ name, value }) => [name, value]),
  )
  const body = find<HTMLTextAreaElement>('textarea', form)?.value
  return {
    url: query.size > 0 ? `${filled}?${query}` : filled,
    method,
    headers: {
      ...(needed === undefined ? {} : { authorization: `Bearer ${await sandboxToken()}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body }),
  }
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text.slice(0, 20_000)
  }
}

type Found = readonly [title: string, also: string, href: string]

const MOST_FOUND = 12

let index: Promise<Found[]> | undefined

function matching(entries: readonly Found[], words: readonly string[]): Found[] {
  const scored = entries.flatMap((entry) => {
    const [title, also] = entry.map((each) => each.toLowerCase()) as [string, string]
    if (!words.every((word) => title.includes(word) || also.includes(word))) return []
    const inTitle = words.filter((word) => title.includes(word)).length
    return [{ entry, score: inTitle * 2 + (title.startsWith(words[0] ?? '') ? 1 : 0) }]
  })
  return scored
    .sort((one, other) => other.score - one.score)
    .slice(0, MOST_FOUND)
    .map(({ entry }) => entry)
}

function addSearch(): void {
  const input = find<HTMLInputElement>('#search')
  const list = find<HTMLElement>('#found')
  if (!input || !list) return
  const load = () => {
    index ??= fetch('/docs/search.json').then((answer) => answer.json())
    return index
  }
  let chosen = -1
  const options = () => findAll<HTMLElement>('[role=option]', list)
  const mark = (at: number) => {
    chosen = at
    for (const [place, option] of options().entries()) {
      option.setAttribute('aria-selected', String(place === at))
      if (place === at) option.scrollIntoView({ block: 'nearest' })
    }
    if (at >= 0) input.setAttribute('aria-activedescendant', `found-${at}`)
    else input.removeAttribute('aria-activedescendant')
  }
  const close = () => {
    list.hidden = true
    input.setAttribute('aria-expanded', 'false')
    mark(-1)
  }
  const draw = async () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean)
    if (words.length === 0) return close()
    const found = matching(await load(), words)
    list.replaceChildren(
      ...found.map(([title, also, href], at) => {
        const option = make('li', { role: 'option', id: `found-${at}`, 'data-href': href })
        option.append(make('span', { text: title }), make('small', { text: also }))
        return option
      }),
      ...(found.length === 0
        ? [make('li', { text: 'Nothing is called that.', role: 'option' })]
        : []),
    )
    list.hidden = false
    input.setAttribute('aria-expanded', 'true')
    mark(found.length > 0 ? 0 : -1)
  }
  const go = (option: HTMLElement | undefined) => {
    if (!option?.dataset.href) return
    close()
    input.value = ''
    location.assign(option.dataset.href)
  }
  input.addEventListener('focus', load)
  input.addEventListener('input', () => void draw())
  input.addEventListener('blur', () => setTimeout(close, 150))
  input.addEventListener('keydown', (event) => {
    const count = options().length
    if (event.key === 'ArrowDown') mark((chosen + 1) % Math.max(1, count))
    else if (event.key === 'ArrowUp') mark((chosen - 1 + count) % Math.max(1, count))
    else if (event.key === 'Enter') go(options()[chosen])
    else if (event.key === 'Escape') close()
    else return
    event.preventDefault()
  })
  list.addEventListener('mousedown', (event) => {
    go((event.target as HTMLElement).closest<HTMLElement>('[role=option]') ?? undefined)
  })
  document.addEventListener('keydown', (event) => {
    const isTyping = (event.target as HTMLElement).matches('input, textarea, select')
    if (event.key !== '/' || isTyping) return
    event.preventDefault()
    input.focus()
  })
}

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
