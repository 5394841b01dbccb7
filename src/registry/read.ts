import type { ServedResource } from '../catalog/catalog.ts'
import { errorMessage } from '../lib/error-message.ts'
import { FieldMatcher, type FieldTerm } from '../meta/field-selector.ts'
import type { GroupResource } from '../meta/gvk.ts'
import type { LabelRequirement } from '../meta/label-requirement.ts'
import { matchesLabels } from '../meta/label-selector.ts'
import { badRequestError, expiredError, failure, tooLargeResourceVersionError } from '../meta/status.ts'
import { type Key, key, type Revision, revision } from '../storage/revision.ts'
import { type Page, type Predicate, type ReadAt, type RequiredLabel, type Storage, StorageError, type StoredObject, type Watcher } from '../storage/storage.ts'
import { ContinueTokenError, decodeContinue, encodeContinue } from './continue-token.ts'
import { toStatus } from './errors.ts'
import { type KeySpace, segmentFault } from './keys.ts'
import { revisionFault } from './object-meta.ts'

/** metav1.ListOptions, decoded and validated. */
export interface ListOptions {
  readonly labels: readonly LabelRequirement[]
  readonly fields: readonly FieldTerm[]
  /** As it was given, empty for none: what it means depends on the verb. */
  readonly resourceVersion: string
  readonly resourceVersionMatch: '' | 'Exact' | 'NotOlderThan'
  /** 0 or less: all. */
  readonly limit: number
  readonly continue: string
  readonly allowWatchBookmarks: boolean
  readonly sendInitialEvents?: boolean
  /** A watch without a start begins with what is at hand, and no bookmark ends that: as before WatchList. */
  readonly startAtHand?: true
  /** When a watch is going to be ended, by the steady clock: a bookmark comes before. */
  readonly deadline?: number
}

/** A page, as the caller answers it. `items` are shared with the cache: never mutate them. */
export interface ListResult {
  readonly items: readonly StoredObject[]
  /** Of the state that was read: a watch goes on from it. */
  readonly resourceVersion: string
  /** The token of the next page; empty on the last. */
  readonly continue: string
  /** Undefined where counting would cost a scan, and on the last page. */
  readonly remainingItemCount: number | undefined
}

const everything: Predicate = { matches: () => true, everything: true }

const NAME = 'metadata.name'
const NAMESPACE = 'metadata.namespace'

/** A selection, with hints by which indexes and key ranges narrow what is looked at: `name` and `namespace` where it names one, `labels` that must have one of few values. */
export function predicateOf(labels: readonly LabelRequirement[], fields: readonly FieldTerm[]): Predicate {
  if (labels.length === 0 && fields.length === 0) return everything
  const all = new FieldMatcher(fields)
  const name = all.required(NAME)
  const namespace = all.required(NAMESPACE)
  // Other fields are read from the object when they are first asked for.
  const isName = ({ field }: FieldTerm): boolean => field === NAME || field === NAMESPACE
  const names = new FieldMatcher(fields.filter(isName))
  const others = new FieldMatcher(fields.filter(term => !isName(term)))
  return {
    matches: attributes =>
      matchesLabels(labels, attributes.labels) &&
      (names.isEmpty || names.matches(field => (field === NAME ? attributes.name : attributes.namespace))) &&
      (others.isEmpty || othersMatch(others, attributes.fields)),
    everything: false,
    requires: field => all.required(field),
    labels: requiredLabels(labels),
    ...(name && { name }),
    ...(namespace && { namespace }),
  }
}

const othersMatch = (others: FieldMatcher, fields: Readonly<Record<string, string>>): boolean =>
  others.matches(field => (Object.hasOwn(fields, field) ? (fields[field] ?? '') : ''))

/** Hints for indexes, which have no use for more labels or values than these. */
const MOST_HINTS = 16
const MOST_VALUES = 1000

/** Only what an index can use: equality and `in`. */
function requiredLabels(requirements: readonly LabelRequirement[]): RequiredLabel[] {
  const required: RequiredLabel[] = []
  for (const { key, operator, values } of requirements) {
    if ((operator !== '=' && operator !== '==' && operator !== 'in') || values.length > MOST_VALUES) continue
    if (required.push({ label: key, values: [...new Set(values)] }) === MOST_HINTS) break
  }
  return required
}

/** No store comes so far; what is beyond is no exact number. */
const FARTHEST = Number.MAX_SAFE_INTEGER - 1

const isZero = (text: string): boolean => /^0+$/.test(text)

/** A resourceVersion of a request; undefined for none, and for 0. The text of the error is Go's. */
export function parseResourceVersion(text: string): Revision | undefined {
  if (text === '' || text === '0') return undefined
  const fault = revisionFault(text)
  if (fault !== undefined)
    throw badRequestError(
      `invalid resource version: resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: ${fault}`,
    )
  return isZero(text) ? undefined : revision(Math.min(Number(text), FARTHEST))
}

/** Watches, and gets through the cache, have no Status for a bad version upstream: the parser's text in a 500. */
function plainFailure<T>(plain: boolean, parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    if (!plain) throw error
    throw failure(500, '', errorMessage(error).replace('invalid resource version: ', ''))
  }
}

/** What the reads of a resource work on. */
export interface ReadSource {
  readonly storage: Storage
  readonly keys: KeySpace
}

/** The object, as new as `resourceVersion` asks for: empty is the newest, 0 any. Throws 404, and whatever `toStatus` makes of a failure. */
export async function getObject(
  { storage, keys }: ReadSource,
  gr: GroupResource,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  resourceVersion: string,
  signal: AbortSignal,
): Promise<StoredObject> {
  try {
    const found = await storage.get(keys.object(namespace, name), getAt(storage, resourceVersion), signal)
    if (found === undefined) throw new StorageError('not found', 'not found')
    return found
  } catch (error) {
    throw toStatus(error, { gr, name, verb: 'get', wanted: resourceVersion, cached: storage.cached })
  }
}

/** As new as asked; 0 is whatever the cache has. Throws 400, and 500 through the cache, for text that is no version. */
function getAt({ cached }: Storage, resourceVersion: string): ReadAt {
  if (resourceVersion === '') return 'latest'
  const wanted = isZero(resourceVersion) ? undefined : plainFailure(cached, () => parseResourceVersion(resourceVersion))
  return wanted === undefined ? 'any' : { notOlderThan: wanted }
}

/** https://kubernetes.io/docs/reference/using-api/api-concepts/#semantics-for-get-and-list */
export function readAt(options: ListOptions, one = false): ReadAt {
  const { resourceVersion, resourceVersionMatch, limit } = options
  if (resourceVersion === '') return 'latest'
  if (resourceVersion === '0') return 'any'
  const wanted = parseResourceVersion(resourceVersion)
  if (wanted === undefined) return resourceVersionMatch === 'Exact' || limit > 0 ? 'latest' : 'any'
  if (resourceVersionMatch === 'Exact') return { exactly: wanted }
  if (resourceVersionMatch === 'NotOlderThan') return { notOlderThan: wanted }
  if (limit <= 0) return { notOlderThan: wanted }
  // A limit asks for that very version, but where a selector picks one object upstream reads a key, not a range: the latest state, which has to be new enough.
  return one ? 'latest' : { exactly: wanted }
}

/** The objects of a namespace (empty: of all), or a page of them, with what continues it. Throws 400, 410 and what else `toStatus` makes of a failure. */
export async function listObjects(source: ReadSource, gr: GroupResource, namespace: string, options: ListOptions, signal: AbortSignal): Promise<ListResult> {
  const { storage, keys } = source
  const prefix = keys.prefix(namespace)
  const predicate = predicateOf(options.labels, options.fields)
  const limit = Math.max(0, options.limit)
  if (options.continue !== '') return continueList(source, gr, { namespace, options, predicate }, signal)
  try {
    const { below, one } = narrow(keys, namespace, predicate)
    const at = readAt(options, one)
    if (at !== 'any') keys.checkNamespace(namespace, one ? predicate.name : undefined)
    const page = await storage.list(storage.cached ? prefix : below, { at, predicate, limit, wholeFromCache: at === 'any' }, signal)
    if (one && at === 'latest') isNewEnough(page, options.resourceVersion)
    return resultOf(page, prefix)
  } catch (error) {
    throw toStatus(error, { gr, name: '', verb: 'list', wanted: options.resourceVersion, cached: storage.cached })
  }
}

/** What field selectors leave of a resource: a namespace, or the key of one object where its namespace is known, from the path or from the selector. The cache narrows by itself. */
function narrow(keys: KeySpace, namespace: string, { namespace: selected = '', name }: Predicate): { below: Key; one: boolean } {
  const prefix = keys.prefix(namespace || selected)
  if (name === undefined || segmentFault(name) !== undefined) return { below: prefix, one: false }
  const object = segmentFault(namespace || selected) === undefined ? keys.object(namespace || selected, name) : key(`${prefix}${name}`)
  return object === `${prefix}${name}` ? { below: object, one: true } : { below: prefix, one: false }
}

/** Throws 504 where the latest state is older than the version that was asked for. */
function isNewEnough(page: Page, resourceVersion: string): void {
  const wanted = parseResourceVersion(resourceVersion)
  if (wanted !== undefined && page.revision < wanted) throw tooLargeResourceVersionError(resourceVersion, page.revision, 0)
}

interface Continued {
  readonly namespace: string
  readonly options: ListOptions
  readonly predicate: Predicate
}

/** The page after the one that gave the token, as of the same version, which the token names. */
async function continueList(
  { storage, keys }: ReadSource,
  gr: GroupResource,
  { namespace, options, predicate }: Continued,
  signal: AbortSignal,
): Promise<ListResult> {
  const prefix = keys.prefix(namespace)
  let token: ReturnType<typeof decodeContinue>
  try {
    token = decodeContinue(options.continue, prefix)
  } catch (error) {
    if (error instanceof ContinueTokenError) throw badRequestError(`invalid continue token: ${error.message}`)
    throw error
  }
  if (options.resourceVersion !== '' && options.resourceVersion !== '0') throw badRequestError('specifying resource version is not allowed when using continue')
  const limit = Math.max(0, options.limit)
  const wholeFromCache = options.resourceVersion === '0'
  const at: ReadAt = token.revision === -1 ? 'latest' : { exactly: token.revision }
  try {
    return resultOf(await storage.list(prefix, { at, predicate, limit, wholeFromCache, startKey: token.start }, signal), prefix)
  } catch (error) {
    if (error instanceof StorageError && error.code === 'expired') throw expiredContinue(encodeContinue(token.start, prefix, -1))
    throw toStatus(error, { gr, name: '', verb: 'list', wanted: String(token.revision), cached: storage.cached })
  }
}

/** With the token of the next page; how many remain is reported where it costs nothing. */
function resultOf(page: Page, prefix: ReturnType<KeySpace['prefix']>): ListResult {
  return {
    items: page.items,
    resourceVersion: String(page.revision),
    continue: page.nextKey === undefined ? '' : encodeContinue(page.nextKey, prefix, page.revision),
    remainingItemCount: page.nextKey === undefined ? undefined : page.remaining,
  }
}

const CONTINUE_EXPIRED =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to ' +
  'retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first ' +
  'chunk was returned and now may show up in the list.'

/** 410 with a token that goes on in the newest state, which is inconsistent with the pages before. */
function expiredContinue(token: string) {
  const error = expiredError(CONTINUE_EXPIRED)
  error.status.metadata.continue = token
  return error
}

/** Starts a watch. A start that is gone is not refused here but reported in the stream, as upstream does: the watcher then throws `expired`. */
export async function watchObjects(
  { storage, keys }: ReadSource,
  served: ServedResource,
  namespace: string,
  options: ListOptions,
  signal: AbortSignal,
): Promise<Watcher> {
  const gr = { group: served.version.group, resource: served.version.names.plural }
  const predicate = predicateOf(options.labels, options.fields)
  const { resourceVersion, sendInitialEvents } = options
  const wanted = plainFailure(true, () => parseResourceVersion(resourceVersion))
  // Since WatchList a watch without a version, or with 0, asks for the initial events and the bookmark that ends them.
  const initial = sendInitialEvents ?? wanted === undefined
  const atHand = isZero(resourceVersion) || options.startAtHand === true
  const at: ReadAt = wanted === undefined ? (atHand ? 'any' : 'latest') : { notOlderThan: wanted }
  try {
    return await storage.watch(
      storage.cached ? keys.prefix(namespace) : narrow(keys, namespace, predicate).below,
      {
        start: initial
          ? { initial: at, bookmarkAtEnd: options.allowWatchBookmarks && options.startAtHand !== true }
          : { after: wanted ?? (await storage.currentRevision(signal)) },
        predicate,
        bookmarks: options.allowWatchBookmarks,
        ...(options.deadline !== undefined && { deadline: options.deadline }),
      },
      signal,
    )
  } catch (error) {
    throw toStatus(error, { gr, name: '', verb: 'watch', wanted: resourceVersion, cached: storage.cached })
  }
}
