import { useEffect, useRef, useState } from 'preact/hooks'
import { parseRoute, type Route } from './route.ts'
import { ApiError } from './session.ts'

/** Returns the current route. */
export function useRoute(): Route {
  const [route, setRoute] = useState(() => parseRoute(location.hash))
  useEffect(() => {
    const follow = (): void => setRoute(parseRoute(location.hash))
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  return route
}

/** Result of a request: a value, an error, or neither while it is in progress. */
export interface Fetched<T> {
  readonly value?: T
  readonly error?: ApiError
}

/** Repeats a request when `inputs` change. Results of earlier inputs are discarded. */
export function useFetched<T>(load: (signal: AbortSignal) => Promise<T>, inputs: readonly unknown[]): Fetched<T> {
  const [result, setResult] = useState<Fetched<T>>({})
  useEffect(() => {
    const ended = new AbortController()
    setResult({})
    load(ended.signal).then(
      value => ended.signal.aborted || setResult({ value }),
      (error: unknown) => ended.signal.aborted || setResult({ error: errorOf(error) }),
    )
    return () => ended.abort()
  }, inputs)
  return result
}

/** Repeats a request at an interval while the page is visible. The last value is kept until the next one arrives. */
export function usePolled<T>(load: (signal: AbortSignal) => Promise<T>, everyMs: number): Fetched<T> {
  const [result, setResult] = useState<Fetched<T>>({})
  useEffect(() => {
    const ended = new AbortController()
    const run = async (): Promise<void> => {
      while (!ended.signal.aborted) {
        if (document.visibilityState === 'visible') {
          const next = await load(ended.signal).then(
            value => ({ value }),
            (error: unknown) => ({ error: errorOf(error) }),
          )
          if (!ended.signal.aborted) setResult(next)
        }
        await new Promise(resolve => setTimeout(resolve, everyMs))
      }
    }
    void run()
    return () => ended.abort()
  }, [])
  return result
}

const errorOf = (error: unknown): ApiError =>
  error instanceof ApiError ? error : new ApiError(0, error instanceof Error ? error.message : String(error))

/** Actions of the keys on a page with a list. */
export interface ListKeys {
  move(by: number): void
  open(): void
}

let list: ListKeys | undefined
/** Returns the actions of the mounted list. Undefined on a page without a list. */
export const currentList = (): ListKeys | undefined => list

/** Assigns the keys j, k and Enter to this list while it is mounted. */
export function useListKeys(keys: ListKeys): void {
  const latest = useRef(keys)
  latest.current = keys
  useEffect(() => {
    const mine: ListKeys = { move: by => latest.current.move(by), open: () => latest.current.open() }
    list = mine
    return () => {
      if (list === mine) list = undefined
    }
  }, [])
}

/** Returns the current time, updated at an interval. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}

let isWanted = false

/** Moves the focus to the rows of the next list, or of the current one if `isShown`. */
export function wantRows(isShown: boolean): void {
  isWanted = !isShown
  if (isShown) document.querySelector<HTMLElement>('main .scroller')?.focus()
}

/** Focuses the rows if `wantRows` requested it. If there are none, focuses the main content. */
export function useWantedRows(hasRows: boolean): void {
  useEffect(() => {
    if (!isWanted) return
    isWanted = false
    document.querySelector<HTMLElement>(hasRows ? 'main .scroller' : '#main')?.focus()
  }, [hasRows])
}
