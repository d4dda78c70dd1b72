// Uploads a file and reports progress, which fetch cannot do. Fails only if the upload stalls, or if the
// service does not answer.

type Sent = {
  file: Blob
  headers: Readonly<Record<string, string>>
  onSent?: ((bytes: number) => void) | undefined
}

export type Answer = { status: number; header: (name: string) => string | null; body: unknown }

// The longest pause in an upload that the service accepts (src/http/connections.ts), and the longest time
// that it takes to read a statement (src/reconciliation/statement-routes.ts).
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
