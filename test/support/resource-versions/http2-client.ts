import { type ClientHttp2Session, connect, type IncomingHttpHeaders, type SecureClientSessionOptions } from 'node:http2'

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** A response that is still open. */
export interface OpenStream {
  /** Resolves with the status once the response has begun. */
  readonly begun: Promise<number>
  /** Resolves when it is over. */
  readonly done: Promise<void>
  /** All that has come. */
  readonly bytes: () => Buffer
  readonly ended: () => boolean
  readonly headers: () => IncomingHttpHeaders
  close(): void
}

export interface Client {
  ask(method: string, path: string, accept: string, body?: object): Promise<Answer>
  open(path: string, accept: string): OpenStream
  close(): void
}

/** Fewer than a server lets one session have. */
const STREAMS_OF_SESSION = 80

/**
 * Many requests side by side over HTTP/2. `token`: a bearer token, where no client certificate is among the options.
 */
export function http2Client(url: string, options: SecureClientSessionOptions, token?: string): Client {
  const sessions = new Map<ClientHttp2Session, number>()
  const session = (): ClientHttp2Session => {
    for (const [made, streams] of sessions) if (streams < STREAMS_OF_SESSION && !made.closed) return made
    const made = connect(url, options)
    made.on('error', () => {}).on('close', () => sessions.delete(made))
    sessions.set(made, 0)
    return made
  }
  function send(method: string, path: string, accept: string, body?: object) {
    const over = session()
    const add = (n: number) => void (sessions.has(over) && sessions.set(over, (sessions.get(over) ?? 0) + n))
    add(1)
    const stream = over.request({
      ':method': method,
      ':path': path,
      accept,
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json' }),
    })
    const parts: Buffer[] = []
    let headers: IncomingHttpHeaders = {}
    let finished = false
    const begun = new Promise<number>((resolve, reject) => {
      stream.once('response', got => {
        headers = got
        resolve(Number(got[':status']))
      })
      stream.once('error', reject)
      stream.once('close', () => reject(new Error(`${path}: no answer`)))
    })
    begun.catch(() => {})
    const done = new Promise<void>(resolve => {
      stream.once('close', () => {
        add(-1)
        resolve()
      })
    })
    stream.on('data', (part: Buffer) => parts.push(part))
    stream.once('end', () => {
      finished = true
    })
    stream.end(body && JSON.stringify(body))
    return { stream, begun, done, bytes: () => Buffer.concat(parts), ended: () => finished, headers: () => headers }
  }
  return {
    async ask(method, path, accept, body) {
      const { begun, done, bytes, headers } = send(method, path, accept, body)
      const status = await begun
      await done
      return { status, headers: headers(), body: bytes() }
    },
    open(path, accept) {
      const { stream, begun, done, bytes, ended, headers } = send('GET', path, accept)
      return { begun, done, bytes, ended, headers, close: () => stream.close() }
    },
    close() {
      for (const one of sessions.keys()) one.destroy()
    },
  }
}
