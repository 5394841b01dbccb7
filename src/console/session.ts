/** Key in the session storage, which belongs to a browser tab and is cleared when it is closed. */
const KEY = 'binnacle-session'

/** Response of `POST /console/sessions`. */
export interface Session {
  readonly token: string
  readonly expires: string
  readonly user: { readonly name: string; readonly groups: readonly string[] }
}

/** A failed request. The message is the server's. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** HTTP status, or 0 if the server did not respond. */
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

let session: Session | undefined
let onEnd: () => void = () => {}

/** @param ended called when the session has expired or been revoked. */
export function whenSessionEnds(ended: () => void): void {
  onEnd = ended
}

/**
 * Exchanges the token of the address for a session, or resumes the session of this tab. The token is removed from the
 * address first.
 */
export async function beginSession(): Promise<Session | undefined> {
  const token = location.hash.slice(1)
  if (token !== '' && !token.startsWith('/')) {
    history.replaceState(null, '', `${location.pathname}#/`)
    const answer = await fetch('/console/sessions', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ token }),
    })
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

/** Ends the session on the server and in this tab. A failed request is ignored: the token then expires by itself. */
export async function endSession(): Promise<void> {
  await callApi('/console/sessions', { method: 'DELETE' }).catch(() => {})
  forget()
}

/** Removes the token from this tab and notifies the listener of `whenSessionEnds`. */
function forget(): void {
  session = undefined
  sessionStorage.removeItem(KEY)
  onEnd()
}

/** Sends a request with the session's token. Throws ApiError if the status is not 2xx. */
export async function callApi(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers)
  if (session) headers.set('Authorization', `Bearer ${session.token}`)
  if (!headers.has('Accept')) headers.set('Accept', 'application/json')
  let answer: Response
  try {
    answer = await fetch(path, { ...init, headers, credentials: 'omit', cache: 'no-store', redirect: 'error' })
  } catch (error) {
    if (init.signal?.aborted) throw error
    throw new ApiError(0, 'The server does not respond.')
  }
  if (answer.ok) return answer
  if (answer.status === 401) forget()
  throw new ApiError(answer.status, statusMessage(await answer.text()))
}

/** Returns the message of a Status, or the body itself. */
function statusMessage(body: string): string {
  try {
    const value = JSON.parse(body) as { readonly message?: unknown }
    if (typeof value.message === 'string') return value.message
  } catch {
    // Not JSON.
  }
  return body.slice(0, 1000)
}

/**
 * Sends a request and returns the JSON of its response. The shape is not checked, because it comes from this server.
 */
export async function callJson<T>(path: string, init: RequestInit = {}): Promise<T> {
  return (await (await callApi(path, init)).json()) as T
}

/** Sends JSON and returns the JSON of the response. */
export const sendJson = <T>(method: string, path: string, body: unknown, signal?: AbortSignal): Promise<T> =>
  callJson<T>(path, { method, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body), ...(signal && { signal }) })
