import { ApiError, callApi, callJson } from './session.ts'
import type { Column, Row } from './table-rows.ts'

interface Table {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string }
  readonly columnDefinitions?: readonly Column[]
  readonly rows?: readonly Row[]
}

interface TableEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR'
  readonly object: Table & { readonly code?: number; readonly message?: string }
}

const ACCEPT = 'application/json;as=Table;v=v1;g=meta.k8s.io'
const CHUNK = 500
/** Limit for the number of rows. */
const MOST_ROWS = 50_000
/** Pause after a failed watch, doubled after each further failure. */
const RETRY_MS = 500
const MOST_RETRY_MS = 15_000

/** `waiting` is the pause before a retry. `failed` is final: the server rejected the request. */
export type TableState = 'loading' | 'live' | 'waiting' | 'failed'

/** A collection as a server-side Table, kept up to date by a watch. */
export class LiveTable {
  columns: readonly Column[] = []
  readonly rows = new Map<string, Row>()
  state: TableState = 'loading'
  /** Error message of the states `failed` and `waiting`. */
  problem = ''
  /** Whether the collection has more rows than MOST_ROWS. */
  isCut = false
  /** Time of the last change by row key, since the first list (performance.now). */
  readonly changedAt = new Map<string, number>()
  readonly #path: string
  readonly #query: Readonly<Record<string, string>>
  readonly #onChange: () => void
  readonly #ended = new AbortController()
  #isPending = false

  /** @param onChange called at most once per frame. */
  constructor(path: string, query: Readonly<Record<string, string>>, onChange: () => void) {
    this.#path = path
    this.#query = query
    this.#onChange = onChange
    void this.#run()
  }

  /** Stops the watch. `onChange` is not called afterwards. */
  close(): void {
    this.#ended.abort()
  }

  /**
   * Lists and watches until it is closed. A 410 (Gone) lists again at once; other errors except 4xx are retried with a
   * growing pause.
   */
  async #run(): Promise<void> {
    const { signal } = this.#ended
    let wait = RETRY_MS
    while (!signal.aborted) {
      try {
        let version = await this.#list()
        this.#become('live')
        // A watch that ended normally is resumed at its last version.
        for (;;) {
          version = await this.#watch(version)
          wait = RETRY_MS
        }
      } catch (error) {
        if (signal.aborted) return
        const isGone = error instanceof ApiError && error.status === 410
        if (error instanceof ApiError && error.status >= 400 && error.status < 500 && ![408, 410, 429].includes(error.status)) {
          this.#become('failed', error.message)
          return
        }
        if (isGone) continue
        this.#become('waiting', error instanceof ApiError ? error.message : 'The connection has ended.')
        await new Promise(resolve => setTimeout(resolve, wait))
        wait = Math.min(wait * 2, MOST_RETRY_MS)
      }
    }
  }

  #become(state: TableState, problem = ''): void {
    this.state = state
    this.problem = problem
    this.#changed()
  }

  /** Schedules `onChange` for the next frame. */
  #changed(): void {
    if (this.#isPending) return
    this.#isPending = true
    requestAnimationFrame(() => {
      this.#isPending = false
      if (!this.#ended.signal.aborted) this.#onChange()
    })
  }

  /** Lists the rows. Returns the resource version to watch from. */
  async #list(): Promise<string> {
    const found = new Map<string, Row>()
    let token = ''
    let version = ''
    do {
      const query = new URLSearchParams({ ...this.#query, limit: String(CHUNK), ...(token !== '' && { continue: token }) })
      const table: Table = await callJson<Table>(`${this.#path}?${query}`, { headers: { Accept: ACCEPT }, signal: this.#ended.signal })
      this.columns = table.columnDefinitions ?? []
      for (const row of table.rows ?? []) found.set(rowKey(row), row)
      version = table.metadata?.resourceVersion ?? ''
      token = table.metadata?.continue ?? ''
      if (this.rows.size === 0 && token !== '') this.#show(found)
    } while (token !== '' && found.size < MOST_ROWS)
    this.isCut = token !== ''
    this.#show(found)
    return version
  }

  #show(found: ReadonlyMap<string, Row>): void {
    this.rows.clear()
    for (const [key, row] of found) this.rows.set(key, row)
    this.#changed()
  }

  /** Watches until the server ends the watch. Returns the newest resource version that it sent. */
  async #watch(from: string): Promise<string> {
    let version = from
    const query = new URLSearchParams({ ...this.#query, watch: '1', resourceVersion: from, allowWatchBookmarks: 'true' })
    const answer = await callApi(`${this.#path}?${query}`, { headers: { Accept: ACCEPT }, signal: this.#ended.signal })
    for await (const line of responseLines(answer)) {
      const { type, object } = JSON.parse(line) as TableEvent
      if (type === 'ERROR') throw new ApiError(object.code ?? 500, object.message ?? 'The watch has failed.')
      version = this.#apply(type, object) ?? version
    }
    if (version === from) await new Promise(resolve => setTimeout(resolve, RETRY_MS))
    return version
  }

  #apply(type: TableEvent['type'], table: Table): string | undefined {
    if (table.columnDefinitions && table.columnDefinitions.length > 0) this.columns = table.columnDefinitions
    let version = type === 'BOOKMARK' ? table.metadata?.resourceVersion : undefined
    for (const row of table.rows ?? []) {
      const key = rowKey(row)
      version = row.object.metadata.resourceVersion ?? version
      if (type === 'BOOKMARK') continue
      if (type === 'DELETED') {
        this.rows.delete(key)
        this.changedAt.delete(key)
      } else if (this.rows.has(key) || this.rows.size < MOST_ROWS) {
        this.rows.set(key, row)
        this.changedAt.set(key, performance.now())
      } else this.isCut = true
    }
    if (type !== 'BOOKMARK') this.#changed()
    return version
  }
}

const rowKey = ({ object: { metadata } }: Row): string => `${metadata.namespace ?? ''}/${metadata.name}`

async function* responseLines({ body }: Response): AsyncGenerator<string> {
  if (body === null) return
  let rest = ''
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const lines = (rest + value).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) if (line !== '') yield line
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}
