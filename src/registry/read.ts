import type { GroupResource } from '../api/meta/v1.types.ts'
import type { ServedResource } from '../catalog/catalog.ts'
import { errorMessage } from '../lib/error-message.ts'
import { FieldMatcher, type FieldTerm } from '../meta/field-selector.ts'
import type { LabelRequirement } from '../meta/label-requirement.ts'
import { matchesLabels } from '../meta/label-selector.ts'
import { type ShardSelector, shardMatcher } from '../meta/shard-selector.ts'
import { badRequestError, expiredError, failure, tooLargeResourceVersionError } from '../meta/status.ts'
import { type Key, key, type Revision, revision } from '../storage/revision.ts'
import {
  type Page,
  type Predicate,
  type ReadAt,
  type RequiredLabel,
  type Storage,
  StorageError,
  type StoredObject,
  type Watcher,
} from '../storage/storage.ts'
import { ContinueTokenError, decodeContinue, encodeContinue } from './continue-token.ts'
import { toStatus } from './errors.ts'
import { type KeySpace, segmentFault } from './keys.ts'
import { revisionFault } from './object-meta.ts'

/** metav1.ListOptions, decoded and validated. */
export interface ListOptions {
  /** Requirements that must all hold. Empty for every object. */
  readonly labels: readonly LabelRequirement[]
  /** Terms that must all hold. Empty for every object. */
  readonly fields: readonly FieldTerm[]
  /** Optional. Selects a shard of the objects. */
  readonly shard?: ShardSelector
  /** As sent, empty if unset. Its meaning depends on the verb. */
  readonly resourceVersion: string
  /** Empty if unset. Only lists have it. */
  readonly resourceVersionMatch: '' | 'Exact' | 'NotOlderThan'
  /** Largest number of items of a page. 0 or less means all. */
  readonly limit: number
  /** Token of the next page. Empty for the first page. */
  readonly continue: string
  /** Whether a watch may send bookmarks. */
  readonly allowWatchBookmarks: boolean
  /** Undefined if unset: the resource version then decides. */
  readonly sendInitialEvents?: boolean
  /**
   * A watch without a resourceVersion starts with the objects in the cache, without waiting for the latest revision,
   * and sends no bookmark after them, as before WatchList.
   */
  readonly startAtHand?: true
  /** End of a watch, in milliseconds of the steady clock. A bookmark is sent shortly before. */
  readonly deadline?: number
}

/** A page of a list. `items` are shared with the cache and must not be changed. */
export interface ListResult {
  readonly items: readonly StoredObject[]
  /** Revision of the list. A watch from it continues without a gap. */
  readonly resourceVersion: string
  /** Token of the next page. Empty on the last page. */
  readonly continue: string
  /** Undefined on the last page, and if counting would need a scan. */
  readonly remainingItemCount: number | undefined
  /** Optional. Selector of the shard that the list is limited to. */
  readonly shard?: string
}

const everything: Predicate = { matches: () => true, everything: true }

const NAME = 'metadata.name'
const NAMESPACE = 'metadata.namespace'

/**
 * Returns the predicate of a label and a field selector, with hints for indexes and key ranges: `name` and `namespace`
 * if the selector requires one, and labels that must have one of few values. Hints may be incomplete; `matches`
 * decides.
 */
export function predicateOf(labels: readonly LabelRequirement[], fields: readonly FieldTerm[], shard?: ShardSelector): Predicate {
  if (shard) return limitedTo(predicateOf(labels, fields), shard)
  if (labels.length === 0 && fields.length === 0) return everything
  const all = new FieldMatcher(fields)
  const name = all.required(NAME)
  const namespace = all.required(NAMESPACE)
  // Names are matched first: they are in the key, and labels and other fields are read lazily from the object.
  const isName = ({ field }: FieldTerm): boolean => field === NAME || field === NAMESPACE
  const names = new FieldMatcher(fields.filter(isName))
  const others = new FieldMatcher(fields.filter(term => !isName(term)))
  return {
    matches: attributes =>
      (names.isEmpty || names.matches(field => (field === NAME ? attributes.name : attributes.namespace))) &&
      (labels.length === 0 || matchesLabels(labels, attributes.labels)) &&
      (others.isEmpty || othersMatch(others, attributes.fields)),
    everything: false,
    requires: field => all.required(field),
    labels: requiredLabels(labels),
    ...(name && { name }),
    ...(namespace && { namespace }),
  }
}

/** Limits a predicate to the objects of a shard. */
function limitedTo(predicate: Predicate, shard: ShardSelector): Predicate {
  const isIn = shardMatcher(shard)
  const inShard: Predicate['inShard'] = attributes => isIn(attributes[shard.field])
  return { ...predicate, inShard, matches: attributes => isIn(attributes[shard.field]) && predicate.matches(attributes), everything: false }
}

const othersMatch = (others: FieldMatcher, fields: Readonly<Record<string, string>>): boolean =>
  others.matches(field => (Object.hasOwn(fields, field) ? (fields[field] ?? '') : ''))

/** Bounds of the label hints. More labels or values do not help an index. */
const MOST_HINTS = 16
/** Requirements with more values give no hint. */
const MOST_VALUES = 1000

/** The requirements that an index supports: equality and `in`. */
function requiredLabels(requirements: readonly LabelRequirement[]): RequiredLabel[] {
  const required: RequiredLabel[] = []
  for (const { key, operator, values } of requirements) {
    if ((operator !== '=' && operator !== '==' && operator !== 'in') || values.length > MOST_VALUES) continue
    if (required.push({ label: key, values: [...new Set(values)] }) === MOST_HINTS) break
  }
  return required
}

/** Largest revision that reads distinguish: larger numbers are not exact, and no store reaches them. */
const FARTHEST = Number.MAX_SAFE_INTEGER - 1

const isZeroText = (text: string): boolean => /^0+$/.test(text)

/** Parses the resourceVersion of a request. Returns undefined if it is empty or 0. Throws 400 with Go's message. */
export function parseResourceVersion(text: string): Revision | undefined {
  if (text === '' || text === '0') return undefined
  const fault = revisionFault(text)
  if (fault !== undefined)
    throw badRequestError(
      `invalid resource version: resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: ${fault}`,
    )
  return isZeroText(text) ? undefined : revision(Math.min(Number(text), FARTHEST))
}

/**
 * Runs `parse`. If `plain`, its error becomes a 500 with the parser's message: upstream returns no Status for a
 * malformed version of a watch, or of a get from the cache.
 */
function plainFailure<T>(plain: boolean, parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    if (!plain) throw error
    throw failure(500, '', errorMessage(error).replace('invalid resource version: ', ''))
  }
}

/** The storage of a resource and the layout of its keys. */
export interface ReadSource {
  readonly storage: Storage
  /** Keys of the resource's objects. */
  readonly keys: KeySpace
}

/**
 * Returns an object that is at least as new as `resourceVersion`: the latest if it is empty, any if it is 0. Throws a
 * StatusError, 404 if the object does not exist.
 */
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

/** The consistency that a get requires. Throws 400 if the version is malformed, or 500 if the storage is cached. */
function getAt({ cached }: Storage, resourceVersion: string): ReadAt {
  if (resourceVersion === '') return 'latest'
  const wanted = isZeroText(resourceVersion) ? undefined : plainFailure(cached, () => parseResourceVersion(resourceVersion))
  return wanted === undefined ? 'any' : { notOlderThan: wanted }
}

/**
 * The consistency that a list requires. `one`: the selector picks a single key.
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#semantics-for-get-and-list
 */
export function readAt(options: ListOptions, one = false): ReadAt {
  const { resourceVersion, resourceVersionMatch, limit } = options
  if (resourceVersion === '') return 'latest'
  if (resourceVersion === '0') return 'any'
  const wanted = parseResourceVersion(resourceVersion)
  if (wanted === undefined) return resourceVersionMatch === 'Exact' || limit > 0 ? 'latest' : 'any'
  if (resourceVersionMatch === 'Exact') return { exactly: wanted }
  if (resourceVersionMatch === 'NotOlderThan') return { notOlderThan: wanted }
  if (limit <= 0) return { notOlderThan: wanted }
  // A limit implies Exact. If a selector picks one object, upstream gets its key instead of a range, at the latest
  // revision, which must not be older than the wanted one.
  return one ? 'latest' : { exactly: wanted }
}

/**
 * Lists the objects of a namespace, or of all namespaces if it is empty, by pages. Throws a StatusError: 400 for a
 * malformed version or token, 410 if the revision was compacted.
 */
export async function listObjects(
  source: ReadSource,
  gr: GroupResource,
  namespace: string,
  options: ListOptions,
  signal: AbortSignal,
): Promise<ListResult> {
  const { storage, keys } = source
  const prefix = keys.prefix(namespace)
  const predicate = predicateOf(options.labels, options.fields, options.shard)
  const limit = Math.max(0, options.limit)
  if (options.continue !== '') return continueList(source, gr, { namespace, options, predicate }, signal)
  try {
    const { below, one } = narrow(keys, namespace, predicate)
    const at = readAt(options, one)
    if (at !== 'any') keys.checkNamespace(namespace, one ? predicate.name : undefined)
    const page = await storage.list(storage.cached ? prefix : below, { at, predicate, limit, wholeFromCache: at === 'any' }, signal)
    if (one && at === 'latest') isNewEnough(page, options.resourceVersion)
    return listResult(page, prefix, options.shard)
  } catch (error) {
    throw toStatus(error, { gr, name: '', verb: 'list', wanted: options.resourceVersion, cached: storage.cached })
  }
}

/**
 * Narrows a list by the field selector to the prefix of a namespace, or to the key of one object if its namespace is
 * known from the path or the selector. The cache does not need it.
 */
function narrow(keys: KeySpace, namespace: string, { namespace: selected = '', name }: Predicate): { below: Key; one: boolean } {
  const prefix = keys.prefix(namespace || selected)
  if (name === undefined || segmentFault(name) !== undefined) return { below: prefix, one: false }
  const object = segmentFault(namespace || selected) === undefined ? keys.object(namespace || selected, name) : key(`${prefix}${name}`)
  return object === `${prefix}${name}` ? { below: object, one: true } : { below: prefix, one: false }
}

/** Throws 504 if the page is older than the requested version. */
function isNewEnough(page: Page, resourceVersion: string): void {
  const wanted = parseResourceVersion(resourceVersion)
  if (wanted !== undefined && page.revision < wanted) throw tooLargeResourceVersionError(resourceVersion, page.revision, 0)
}

/** Parts of a list that its next page repeats. */
interface Continued {
  /** Namespace of the request. The key of a token is relative to its prefix. */
  readonly namespace: string
  readonly options: ListOptions
  readonly predicate: Predicate
}

/**
 * Lists the next page at the revision of the token. Throws 410 with a token for the latest revision if that one was
 * compacted.
 */
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
  if (options.resourceVersion !== '' && options.resourceVersion !== '0')
    throw badRequestError('specifying resource version is not allowed when using continue')
  const limit = Math.max(0, options.limit)
  const wholeFromCache = options.resourceVersion === '0'
  const at: ReadAt = token.revision === -1 ? 'latest' : { exactly: token.revision }
  try {
    return listResult(
      await storage.list(prefix, { at, predicate, limit, wholeFromCache, startKey: token.start }, signal),
      prefix,
      options.shard,
    )
  } catch (error) {
    if (error instanceof StorageError && error.code === 'expired') throw expiredContinue(encodeContinue(token.start, prefix, -1))
    throw toStatus(error, { gr, name: '', verb: 'list', wanted: String(token.revision), cached: storage.cached })
  }
}

/** Converts a page of the storage to the result of a list. */
function listResult(page: Page, prefix: ReturnType<KeySpace['prefix']>, shard: ShardSelector | undefined): ListResult {
  return {
    items: page.items,
    resourceVersion: String(page.revision),
    continue: page.nextKey === undefined ? '' : encodeContinue(page.nextKey, prefix, page.revision),
    remainingItemCount: page.nextKey === undefined ? undefined : page.remaining,
    ...(shard && { shard: shard.text }),
  }
}

/** Message of upstream for a token whose revision was compacted. */
const CONTINUE_EXPIRED =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to ' +
  'retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first ' +
  'chunk was returned and now may show up in the list.'

/** 410 with a token that continues at the latest revision. The pages are then inconsistent with the ones before. */
function expiredContinue(token: string) {
  const error = expiredError(CONTINUE_EXPIRED)
  error.status.metadata.continue = token
  return error
}

/**
 * Starts a watch. As upstream, a compacted start is not rejected here but reported in the stream: the watcher throws
 * `expired`. Throws a StatusError.
 */
export async function watchObjects(
  { storage, keys }: ReadSource,
  served: ServedResource,
  namespace: string,
  options: ListOptions,
  signal: AbortSignal,
): Promise<Watcher> {
  const gr = { group: served.version.group, resource: served.version.names.plural }
  const predicate = predicateOf(options.labels, options.fields, options.shard)
  const { resourceVersion, sendInitialEvents } = options
  const wanted = plainFailure(true, () => parseResourceVersion(resourceVersion))
  // A watch without a version, or with 0, starts with the initial events. Since WatchList a bookmark ends them.
  const initial = sendInitialEvents ?? wanted === undefined
  const atHand = isZeroText(resourceVersion) || options.startAtHand === true
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
