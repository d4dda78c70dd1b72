// Uploads a file with progress, which fetch cannot report. Gives up only if no more bytes are sent, or if the
// answer does not come.

type Sent = {
  file: Blob
  headers: Readonly<Record<string, string>>
  onSent?: ((bytes: number) => void) | undefined
}

export type Answer = { status: number; header: (name: string) => string | null; body: unknown }

// The service lets an upload pause this long, and takes this long to read a statement:
// src/http/connections.ts, src/reconciliation/statement-routes.ts.
const PAUSE_MAX_MS = 60_000
const ANSWER_MAX_MS = 900_000

export function sendFile(url: string, { file, headers, onSent }: Sent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    let timer = 0
    const wait = (ms: number) => {
      window.clearTimeout(timer)
      timer = window.setTimeout(() => request.abort(), ms)
    }
    request.open('POST', url)
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    request.upload.addEventListener('progress', ({ loaded }) => {
      wait(PAUSE_MAX_MS)
      onSent?.(loaded)
    })
    request.upload.addEventListener('load', () => wait(ANSWER_MAX_MS))
    request.addEventListener('loadend', () => window.clearTimeout(timer))
    request.addEventListener('load', () => {
      const header = (name: string) => request.getResponseHeader(name)
      resolve({ status: request.status, header, body: parsed(request.responseText) })
    })
    for (const end of ['error', 'abort', 'timeout']) request.addEventListener(end, reject)
    wait(PAUSE_MAX_MS)
    request.send(file)
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
