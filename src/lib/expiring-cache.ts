/** A cache of values with a lifetime, which keeps the most recently used ones. */
export interface ExpiringCache<T> {
  get(key: string): T | undefined
  set(key: string, value: T, ttlMs: number): void
}

/** @param now monotonic time in milliseconds */
export function expiringCache<T>(most: number, now: () => number): ExpiringCache<T> {
  const entries = new Map<string, { readonly value: T; readonly until: number }>()
  return {
    get(key) {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      entries.delete(key)
      if (entry.until <= now()) return undefined
      // The last entry is the most recently used.
      entries.set(key, entry)
      return entry.value
    },
    set(key, value, ttlMs) {
      if (ttlMs <= 0) return
      entries.delete(key)
      entries.set(key, { value, until: now() + ttlMs })
      const [oldest] = entries.size > most ? entries.keys() : []
      if (oldest !== undefined) entries.delete(oldest)
    },
  }
}
