import type { ApiFilter } from '../../endpoints/filters/filter.ts'
import type { RequestInfo } from '../../meta/context.ts'
import { failure } from '../../meta/status.ts'
import type { Filter } from './filter.ts'

/** Verbs that change nothing; those of paths that are no resources are their methods. */
const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch', 'head', 'options'])
/** Reviews are asked by creating them, and nobody keeps them. */
const REVIEWS: ReadonlySet<string> = new Set(['authentication.k8s.io', 'authorization.k8s.io'])
/** Sessions of the console, what it tries of expressions and policies, and branches, which are written to in place of the server. */
const STORING_NOTHING = ['/console/', '/binnacle/v1/console/', '/binnacle/v1/branches']
/** They reach nodes, pods and services: those of the cluster that is looked at, which is another's. */
const LEAVING: ReadonlySet<string> = new Set(['exec', 'attach', 'portforward', 'proxy', 'log'])

const isReview = (info: RequestInfo): boolean => info.isResource && info.verb === 'create' && info.subresource === '' && REVIEWS.has(info.group)

const storesNothing = ({ isResource, path }: RequestInfo): boolean => !isResource && STORING_NOTHING.some(prefix => path.startsWith(prefix))

/** Refuses what would change what is stored, and what leaves the server. Throws 405, which begins with what is read-only. `mayPass`: other requests that change nothing. */
export const withoutWritesTo =
  (what: string, mayPass: (info: RequestInfo) => boolean = isReview): Filter =>
  ({ state: { exchange } }, next) => {
    const { info } = exchange
    if (info.isResource && LEAVING.has(info.subresource)) throw refused(`${what}, and reaches no nodes, pods or services`)
    if (!READS.has(info.verb) && !mayPass(info)) throw refused(`${what}, and changes nothing`)
    return next()
  }

/** The same of all of a server, after authorization. */
export const withoutWrites: Filter = withoutWritesTo('this server is read-only (--read-only)', info => isReview(info) || storesNothing(info))

/** Refuses a custom kind among the reviews: it is stored. Stands where it is known which kind a request is about. */
export const withoutStoredReviews: ApiFilter = ({ state: { exchange, scope } }, next) => {
  if (scope?.served.definition.storage !== undefined && !READS.has(exchange.info.verb))
    throw refused('this server is read-only (--read-only), and changes nothing')
  return next()
}

const refused = (why: string) => failure(405, 'MethodNotAllowed', why, {})
