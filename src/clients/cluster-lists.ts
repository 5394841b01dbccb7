import { setTimeout as sleep } from 'node:timers/promises'
import { isJsonObject, type Json, type JsonObject, objectIn } from '../api/meta/object.ts'
import { objectsIn } from '../meta/json-members.ts'
import { type ClusterClient, ClusterError } from './cluster-client.ts'

/** Page size of lists. */
const PAGE = 250

/** Maximum number of requests for a page while the server is busy or fails. */
const MOST_TRIES = 6
/** First delay, which doubles each time, and maximum delay. A longer Retry-After is cut. */
const [FIRST_WAIT_MS, LONGEST_WAIT_MS] = [500, 60_000]
/** Maximum number of restarts of a list whose continue token expired. */
const MOST_BEGINNINGS = 5

/** A listable resource in the server's preferred version. */
export interface ListedResource {
  /** Empty for the core group. */
  readonly group: string
  /** Plural name. */
  readonly name: string
  /** Version in which the resource is listed. */
  readonly apiVersion: string
  /** Kind of the items, which themselves have none in lists of built-in kinds. */
  readonly kind: string
  /** Path of the list across all namespaces. */
  readonly path: string
}

/** Waits for milliseconds. Replaced in tests. */
export type Wait = (milliseconds: number) => Promise<unknown>

/**
 * Returns the listable resources of all groups, in the preferred version. @param onUnread called for group versions
 * without discovery. Throws ClusterError.
 */
export async function listedResources(
  client: ClusterClient,
  isSkipped: (name: string) => boolean,
  onUnread: (path: string, error: ClusterError) => void,
  wait: Wait = sleep,
): Promise<ListedResource[]> {
  const groups = await patiently(client, '/apis', wait)
  const preferred = objectsIn(isJsonObject(groups) ? groups.groups : []).flatMap(({ preferredVersion, versions }) =>
    versionsToList(preferredVersion, versions),
  )
  const listed = new Map<string, ListedResource>()
  for (const version of ['v1', ...preferred])
    try {
      const path = version === 'v1' ? '/api/v1' : `/apis/${version}`
      const answer = await patiently(client, path, wait)
      const group = version.includes('/') ? version.slice(0, version.indexOf('/')) : ''
      for (const { name, kind, verbs } of objectsIn(isJsonObject(answer) ? answer.resources : [])) {
        const id = `${group}/${String(name)}`
        if (typeof name !== 'string' || typeof kind !== 'string' || name.includes('/') || isSkipped(name) || listed.has(id)) continue
        if (Array.isArray(verbs) && verbs.includes('list'))
          listed.set(id, { group, name, apiVersion: version, kind, path: `${path}/${name}` })
      }
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error
      onUnread(`/apis/${version}`, error)
    }
  return [...listed.values()]
}

/** Group versions with the preferred one first. Others may have resources that it lacks. */
function versionsToList(preferred: Json | undefined, versions: Json | undefined): string[] {
  const nameOf = (version: Json | undefined): string[] =>
    isJsonObject(version) && typeof version.groupVersion === 'string' ? [version.groupVersion] : []
  return [...new Set([...nameOf(preferred), ...objectsIn(versions).flatMap(nameOf)])]
}

/** A page of a list. */
export interface ListPage {
  /** Objects as returned. */
  readonly items: readonly JsonObject[]
  /** Resource version of the list, the same on all of its pages. Empty if the server sends none. */
  readonly resourceVersion: string
  /** Whether the list was restarted because the continue token expired. Earlier pages are obsolete. */
  readonly isAnew: boolean
}

/**
 * Yields a list page by page. Retries a page if the server is busy (429, with Retry-After) or fails (5xx). Throws
 * ClusterError.
 */
export async function* listPages(client: ClusterClient, path: string, wait: Wait = sleep): AsyncGenerator<ListPage> {
  let beginnings = 1
  let isAnew = false
  for (let rest = ''; ; ) {
    let page: JsonObject
    try {
      page = objectIn(await patiently(client, `${path}?limit=${PAGE}${rest === '' ? '' : `&continue=${encodeURIComponent(rest)}`}`, wait))
    } catch (error) {
      const hasExpired = error instanceof ClusterError && error.status === 410 && rest !== ''
      if (!hasExpired || ++beginnings > MOST_BEGINNINGS) throw error
      rest = ''
      isAnew = true
      continue
    }
    const metadata = objectIn(page.metadata)
    yield {
      items: objectsIn(page.items),
      resourceVersion: typeof metadata.resourceVersion === 'string' ? metadata.resourceVersion : '',
      isAnew,
    }
    isAnew = false
    const next = typeof metadata.continue === 'string' ? metadata.continue : ''
    if (next === '') return
    if (next === rest) throw new ClusterError(`${path}: invalid list: the continue token of a page refers to the same page`)
    rest = next
  }
}

/**
 * Sends a GET, with retries while the server is busy or fails. The delay is the larger of Retry-After and the own
 * backoff.
 */
async function patiently(client: ClusterClient, path: string, wait: Wait): Promise<Json> {
  let own = FIRST_WAIT_MS
  for (let tries = 1; ; tries++)
    try {
      return await client.json(path)
    } catch (error) {
      if (!(error instanceof ClusterError) || !isPassing(error) || tries === MOST_TRIES) throw error
      const asked = (error.retryAfterSeconds ?? 0) * 1000
      await wait(Math.min(Math.max(asked, own), LONGEST_WAIT_MS))
      own *= 2
    }
}

/** Whether the failure is temporary. A missing response is not retried, because the address may be wrong. */
const isPassing = ({ status = 0 }: ClusterError): boolean => status === 429 || status >= 500
