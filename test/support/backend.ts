import type {
  Backend,
  BackendBatch,
  BackendErrorCode,
  BackendEvent,
  BackendWatch,
  Expected,
  WriteResult,
} from '../../src/storage/backend.ts'
import { BackendError } from '../../src/storage/backend.ts'
import { prefixEnd } from '../../src/storage/key-range.ts'
import type { Key, Revision } from '../../src/storage/revision.ts'

/** A signal that never aborts. */
export const never = new AbortController().signal

/** Short spellings of a backend's calls, for keys below one prefix. */
export class Store {
  readonly backend: Backend
  readonly prefix: string

  constructor(backend: Backend, prefix: string) {
    this.backend = backend
    this.prefix = prefix
  }

  key(name: string): Key {
    return (this.prefix + name) as Key
  }

  get bounds(): { start: Key; end: Key } {
    return { start: this.prefix as Key, end: prefixEnd(this.prefix) }
  }

  write(name: string, expected: number, value?: string | Buffer, ttlSeconds?: number): Promise<WriteResult> {
    const bytes = typeof value === 'string' ? Buffer.from(value) : value
    return this.backend.write(
      { key: this.key(name), expected: expected as Expected, ...(bytes && { value: bytes }), ...(ttlSeconds && { ttlSeconds }) },
      never,
    )
  }

  /** A write that has to succeed; gives its revision. */
  async put(name: string, expected: number, value: string | Buffer, ttlSeconds?: number): Promise<Revision> {
    const result = await this.write(name, expected, value, ttlSeconds)
    if (!result.ok) throw new Error(`the write of ${name} lost to revision ${result.current?.modRevision ?? 0}`)
    return result.revision
  }

  async remove(name: string, expected: number): Promise<Revision> {
    const result = await this.write(name, expected)
    if (!result.ok) throw new Error(`the deletion of ${name} lost to revision ${result.current?.modRevision ?? 0}`)
    return result.revision
  }

  async text(name: string, at?: Revision): Promise<string | undefined> {
    return (await this.backend.get(this.key(name), never, at)).item?.value.toString()
  }

  /** A page whose items are `name=value`. It has `count` only if the query requests it. */
  async list(
    query: { at?: Revision; limit?: number; start?: string; end?: string; counted?: boolean } = {},
  ): Promise<{ items: string[]; more: boolean; count?: number; revision: Revision }> {
    const { at, limit, start, end, counted } = query
    const bounds = {
      start: start === undefined ? this.bounds.start : this.key(start),
      end: end === undefined ? this.bounds.end : this.key(end),
    }
    const page = await this.backend.range({ ...bounds, ...(at && { at }), ...(limit && { limit }), ...(counted && { counted }) }, never)
    const items = page.items.map(item => `${item.key.slice(this.prefix.length)}=${item.value}`)
    return { items, more: page.more, revision: page.revision, ...(counted && page.count !== undefined && { count: page.count }) }
  }

  watch(from: number, options: Partial<BackendWatch> = {}, signal = never): AsyncIterable<BackendBatch> {
    return this.backend.watch({ ...this.bounds, from: from as Revision, ...options }, signal)
  }

  /** The first events of a watch. */
  async events(count: number, from: number, options: Partial<BackendWatch> = {}): Promise<BackendEvent[]> {
    const events: BackendEvent[] = []
    for await (const batch of this.watch(from, options)) {
      events.push(...batch.events)
      if (events.length >= count) break
    }
    return events
  }

  /** The same as words: `put a=1`, `delete a`. */
  async changes(count: number, from: number, options: Partial<BackendWatch> = {}): Promise<string[]> {
    const events = await this.events(count, from, options)
    return events.map(({ type, key, value }) => `${type} ${key.slice(this.prefix.length)}${value ? `=${value}` : ''}`)
  }
}

/** The code of the BackendError that the promise fails with. */
export async function codeOf(promise: Promise<unknown>): Promise<BackendErrorCode | 'no error'> {
  try {
    await promise
    return 'no error'
  } catch (error) {
    if (error instanceof BackendError) return error.code
    throw error
  }
}

/** How long a slow machine may take for what happens at once. */
const PATIENCE_MS = 120_000

/**
 * A promise with a name. It fails after `ms`, or a time that no machine takes, whichever is longer: how soon it is
 * settled is not measured.
 */
export function within<T>(ms: number, what: string, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not happen within ${ms} ms`)), Math.max(ms, PATIENCE_MS))
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}
