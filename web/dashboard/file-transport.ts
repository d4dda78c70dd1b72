// Sends a file and tells how much of it has gone, which fetch cannot.

type Sent = {
  file: Blob
  headers: Readonly<Record<string, string>>
  onSent?: ((bytes: number) => void) | undefined
}

export type Answer = { status: number; header: (name: string) => string | null; body: unknown }

// Rejects when there is no answer.
export function sendFile(url: string, { file, headers, onSent }: Sent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', url)
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    request.upload.addEventListener('progress', ({ loaded }) => onSent?.(loaded))
    request.addEventListener('load', () => {
      const header = (name: string) => request.getResponseHeader(name)
      resolve({ status: request.status, header, body: parsed(request.responseText) })
    })
    for (const end of ['error', 'abort', 'timeout']) request.addEventListener(end, reject)
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
