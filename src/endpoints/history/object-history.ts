import { forbidden } from '../../auth/authz/forbidden.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { ResourceDefinition } from '../../catalog/definition.ts'
import type { Clock } from '../../lib/clock.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { nextTurn, turnIsSpent } from '../../lib/turn.ts'
import type { Authorizer } from '../../meta/authorizer.ts'
import { badRequestError, pathNotFoundError } from '../../meta/status.ts'
import { conversionOf } from '../../registry/conversion/conversion-of.ts'
import { keySpace } from '../../registry/keys.ts'
import { type Key, revision } from '../../storage/revision.ts'
import type { ResourceCodec } from '../../storage/storage.ts'
import type { KeyChange, KeyChanges, StoreHistory } from '../../storage/store-history.ts'
import { Stored } from '../../storage/stored-object.ts'
import type { Exchange } from '../exchange.ts'
import { momentError, momentJson, momentOf } from './moments.ts'
import { getOf, type NamedObject, parseObjectPath, servedObject } from './object-path.ts'

/** Changes of a page: by default, and at most. A page also ends once its stored bytes exceed PAGE_BYTES. */
const DEFAULT_LIMIT = 100
/** Larger limits are reduced to this. */
const MOST_LIMIT = 500
/** Bytes of stored values after which a page ends. */
const PAGE_BYTES = 4 << 20

/** Services that the history of an object needs. */
export interface HistoryEnvironment {
  readonly history: StoreHistory
  /** Kinds, to resolve the path. */
  readonly catalog: Catalog
  /** Prefix of the keys in the store. */
  readonly etcdPrefix: string
  /** Decides if the user may get the object. */
  readonly authorizer: Authorizer
  /** Clock by which `10m` is resolved. */
  readonly clock: Clock
  /** Returns the codec of a resource. */
  codecFor(definition: ResourceDefinition): ResourceCodec
}

/**
 * `GET /binnacle/v1/history/PATH?at=&limit=&continue=`: the retained changes of the object with this path, latest
 * first, in the version of the path. `at` limits them to changes up to a moment: the first of them shows the object as
 * it was then. Requires permission to get the object now. Throws 403, 404, 400, and 410 if the next page is no longer
 * retained.
 */
export async function serveHistory(exchange: Exchange, prefix: string, env: HistoryEnvironment): Promise<void> {
  const path = exchange.path.slice(prefix.length)
  const object = parseObjectPath(path)
  if (object === undefined) throw pathNotFoundError()
  await authorize(exchange, object, path, env.authorizer)
  const served = servedObject(env.catalog.snapshot(), object)
  const key = keySpace(env.etcdPrefix, served.definition).object(object.namespace, object.name)
  const page = await pageOf(exchange, env, key)
  const codec = env.codecFor(served.definition)
  const view = conversionOf(served.definition).view(served.version)
  const parts: Buffer[] = [Buffer.from('{"kind":"History","items":[')]
  for (const [i, change] of page.changes.entries()) {
    if (i > 0) parts.push(COMMA)
    parts.push(
      ...(await itemOf(change, async value => {
        const shown = await view.object(Stored.read(key, change.revision, codec, value))
        await shown.ready?.()
        return shown.json().bytes
      })),
    )
    if (turnIsSpent()) await nextTurn()
  }
  parts.push(Buffer.from(`],"metadata":${JSON.stringify(page.next === 0 ? {} : { continue: String(page.next) })}}`))
  return exchange.sendBytes(200, 'application/json', parts)
}

const COMMA = Buffer.from(',')

/** Throws 403 unless the user may get the object. */
async function authorize({ ctx }: Exchange, object: NamedObject, path: string, authorizer: Authorizer): Promise<void> {
  const asked = getOf(object, path)
  const { decision, reason } = await authorizer.authorize(ctx.user, asked, ctx.signal)
  if (decision !== 'allow') throw forbidden(ctx.user, asked, reason)
}

/** Returns a page of changes. Throws 400 and 410. */
async function pageOf({ query, ctx }: Exchange, { history, clock }: HistoryEnvironment, key: Key): Promise<KeyChanges> {
  const limit = numberIn(query, 'limit') ?? DEFAULT_LIMIT
  const from = numberIn(query, 'continue')
  const moment = query.get('at') ?? ''
  const at = moment === '' ? undefined : momentOf(history, moment, clock.now()).revision
  try {
    const asked = { at, limit: Math.min(limit, MOST_LIMIT), bytes: PAGE_BYTES, ...(from !== undefined && { from: revision(from) }) }
    return await history.changes(key, asked, ctx.signal)
  } catch (error) {
    throw momentError(history, error)
  }
}

/** Parses a positive number of the query. Undefined if it is absent. Throws 400. */
function numberIn(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name)
  if (text === null || text === '') return undefined
  const number = Number(text)
  if (!/^\d{1,16}$/.test(text) || number === 0 || !Number.isSafeInteger(number)) throw badRequestError(`${name} is a positive number`)
  return number
}

/**
 * Returns the JSON of a change. A change that cannot be decoded has an error in place of its object, so that the others
 * are still shown.
 */
async function itemOf(change: KeyChange, show: (value: Buffer) => Promise<Buffer>): Promise<Buffer[]> {
  const head = JSON.stringify({ ...momentJson(change), type: change.type })
  if (change.value === undefined) return [Buffer.from(head)]
  try {
    return [Buffer.from(`${head.slice(0, -1)},"object":`), await show(change.value), Buffer.from('}')]
  } catch (error) {
    return [Buffer.from(`${head.slice(0, -1)},"error":${JSON.stringify(errorMessage(error))}}`)]
  }
}
