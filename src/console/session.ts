/** Kept for this tab alone, and until it is closed. */
const KEY = 'binnacle-session'

/** As `POST /console/sessions` answers. */
export interface Session {
  readonly token: string
  readonly expires: string
  readonly user: { readonly name: string; readonly groups: readonly string[] }
}

/** An answer that is none of those that were asked for. The message is the server's own. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** Of HTTP; 0: there was no answer. */
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

let session: Session | undefined
let onEnd: () => void = () => {}

/** `ended` is called once the server no longer knows the session. */
export function whenSessionEnds(ended: () => void): void {
  onEnd = ended
}

/** Uses up the link of the address, if it has one, or takes up the session of this tab. The token leaves the address first. */
export async function beginSession(): Promise<Session | undefined> {
  const token = location.hash.slice(1)
  if (token !== '' && !token.startsWith('/')) {
    history.replaceState(null, '', `${location.pathname}#/`)
    const answer = await fetch('/console/sessions', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ token }) })
    if (answer.ok) {
      session = (await answer.json()) as Session
      sessionStorage.setItem(KEY, JSON.stringify(session))
      return session
    }
  }
  const kept = sessionStorage.getItem(KEY)
  if (kept !== null) session = JSON.parse(kept) as Session
  return session
}

export async function endSession(): Promise<void> {
  await call('/console/sessions', { method: 'DELETE' }).catch(() => {})
  forget()
}

function forget(): void {
  session = undefined
  sessionStorage.removeItem(KEY)
  onEnd()
}

/** Asks the server in the session's name. Throws ApiError where the status is not 2xx. */
export async function call(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers)
  if (session) headers.set('Authorization', `Bearer ${session.token}`)
  if (!headers.has('Accept')) headers.set('Accept', 'application/json')
  let answer: Response
  try {
    answer = await fetch(path, { ...init, headers, credentials: 'omit', cache: 'no-store', redirect: 'error' })
  } catch (error) {
    if (init.signal?.aborted) throw error
    throw new ApiError(0, 'The server does not answer.')
  }
  if (answer.ok) return answer
  if (answer.status === 401) forget()
  throw new ApiError(answer.status, messageOf(await answer.text()))
}

/** Of a Status, or the text itself. */
function messageOf(body: string): string {
  try {
    const value = JSON.parse(body) as { readonly message?: unknown }
    if (typeof value.message === 'string') return value.message
  } catch {
    // A text.
  }
  return body.slice(0, 1000)
}

/** The answer's JSON. What it looks like is the caller's to know: it is this server's. */
export async function callJson<T>(path: string, init: RequestInit = {}): Promise<T> {
  return (await (await call(path, init)).json()) as T
}

/** Sends JSON, and returns that of the answer. */
export const sendJson = <T>(method: string, path: string, body: unknown, signal?: AbortSignal): Promise<T> =>
  callJson<T>(path, { method, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body), ...(signal && { signal }) })
