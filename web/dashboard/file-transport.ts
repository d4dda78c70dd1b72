// Uploads a file with XMLHttpRequest, because fetch reports no progress. Fails if the upload stalls or the
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

// Rejects if the upload stalls or no response comes in time. A response that is not JSON has no body.
export function sendFile(url: string, { file, headers, onSent }: Sent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    let timer = 0
    // Restarts the deadline: each progress event gives the upload more time.
    const abortAfter = (ms: number) => {
      window.clearTimeout(timer)
      timer = window.setTimeout(() => request.abort(), ms)
    }
    request.open('POST', url)
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    request.upload.addEventListener('progress', ({ loaded }) => {
      abortAfter(PAUSE_MAX_MS)
      onSent?.(loaded)
    })
    request.upload.addEventListener('load', () => abortAfter(ANSWER_MAX_MS))
    request.addEventListener('loadend', () => window.clearTimeout(timer))
    request.addEventListener('load', () => {
      const header = (name: string) => request.getResponseHeader(name)
      resolve({ status: request.status, header, body: parseOrUndefined(request.responseText) })
    })
    for (const end of ['error', 'abort', 'timeout']) request.addEventListener(end, reject)
    abortAfter(PAUSE_MAX_MS)
    request.send(file)
  })
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
