import type { ComponentChildren } from 'preact'
import type { ApiError } from './session.ts'

/** Message in place of content. */
export const Note = ({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) => (
  <div class="note">
    <p class="note-title">{title}</p>
    {children}
  </div>
)

const TITLES: Readonly<Record<number, string>> = { 403: 'Not allowed (403)', 404: 'Not found (404)' }

/** Message for a failed request. */
export const Failure = ({ error }: { readonly error: ApiError }) => (
  <div class="note failure" role="alert">
    <p class="note-title">{error.status === 0 ? 'No response' : (TITLES[error.status] ?? `The server refused (${error.status})`)}</p>
    <p>{error.message}</p>
  </div>
)

export const Loading = () => (
  <p class="loading" role="status">
    Loading…
  </p>
)

/** Message for a feature that is disabled on the server. */
export const Off = ({ what, flag, children }: { readonly what: string; readonly flag: string; readonly children?: ComponentChildren }) => (
  <Note title={`${what} is off.`}>
    <p>
      To enable it, start the server with <code>{flag}</code>.
    </p>
    {children}
  </Note>
)

/** Heading of a page. */
export const PageHead = ({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) => (
  <div class="page-head">
    <h1>
      <bdi>{title}</bdi>
    </h1>
    {children}
  </div>
)
