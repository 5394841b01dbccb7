import type { ApiFilter } from '../../endpoints/filters/filter.ts'
import type { RequestInfo } from '../../meta/context.ts'
import { failure } from '../../meta/status.ts'
import type { Filter } from './filter.ts'

/** Verbs that change nothing. The verb of a non-resource request is its method. */
const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch', 'head', 'options'])
/** API groups whose reviews are evaluated at their creation and not stored. */
const REVIEWS: ReadonlySet<string> = new Set(['authentication.k8s.io', 'authorization.k8s.io'])
/**
 * Paths that store nothing here: console sessions, its trials of expressions and policies, and branches, which have
 * their own store.
 */
const STORING_NOTHING = ['/console/', '/binnacle/v1/console/', '/binnacle/v1/branches']
/** Subresources that connect to nodes, pods and services. These belong to the cluster that is being examined. */
const LEAVING: ReadonlySet<string> = new Set(['exec', 'attach', 'portforward', 'proxy', 'log'])

const isReview = (info: RequestInfo): boolean =>
  info.isResource && info.verb === 'create' && info.subresource === '' && REVIEWS.has(info.group)

const storesNothing = ({ isResource, path }: RequestInfo): boolean => !isResource && STORING_NOTHING.some(prefix => path.startsWith(prefix))

/**
 * Refuses requests that change stored objects or leave the server. Throws 405; `what` begins its message. `mayPass`:
 * other requests that change nothing.
 */
export const withoutWritesTo =
  (what: string, mayPass: (info: RequestInfo) => boolean = isReview): Filter =>
  ({ state: { exchange } }, next) => {
    const { info } = exchange
    if (info.isResource && LEAVING.has(info.subresource)) throw writeRefusal(`${what}: nodes, pods and services cannot be reached`)
    if (!READS.has(info.verb) && !mayPass(info)) throw writeRefusal(`${what}: objects cannot be changed`)
    return next()
  }

/** Makes the whole server read-only. Runs after authorization. */
export const withoutWrites: Filter = withoutWritesTo(
  'this server is read-only (--read-only)',
  info => isReview(info) || storesNothing(info),
)

/**
 * Refuses writes of stored kinds in the API groups of reviews, such as custom resources. Runs after the kind of a
 * request is resolved.
 */
export const withoutStoredReviews: ApiFilter = ({ state: { exchange, scope } }, next) => {
  if (scope?.served.definition.storage !== undefined && !READS.has(exchange.info.verb))
    throw writeRefusal('this server is read-only (--read-only): objects cannot be changed')
  return next()
}

const writeRefusal = (why: string) => failure(405, 'MethodNotAllowed', why, {})
