import { isJsonObject, type JsonObject, objectIn } from '../../api/meta/object.ts'
import { forbidden } from '../../auth/authz/forbidden.ts'
import type { ServedResource } from '../../catalog/catalog.ts'
import { parseJson } from '../../codec/json.ts'
import { serveResource } from '../../endpoints/dispatch.ts'
import { withDeprecationWarnings } from '../../endpoints/filters/deprecation-warnings.ts'
import type { ApiFilter, ApiState } from '../../endpoints/filters/filter.ts'
import { withNegotiation } from '../../endpoints/filters/response-form.ts'
import { errorMessage } from '../../lib/error-message.ts'
import { wordingOf } from '../../lifecycle/release.ts'
import { isMaster, MASTERS } from '../../meta/authorizer.ts'
import type { RequestContext, User } from '../../meta/context.ts'
import { nameIsPathSegment } from '../../meta/names.ts'
import { PlainTextError } from '../../meta/plain-text-error.ts'
import { failure, type Status, StatusError } from '../../meta/status.ts'
import type { WhyStep } from '../../meta/why.ts'
import { ForkExchange, type ForkRequest } from './fork-exchange.ts'
import type { Fork } from './open-fork.ts'
import { StepList } from './step-list.ts'

/** Response of a fork. */
export interface ForkResponse {
  /** HTTP status code. */
  readonly code: number
  /** The object in the response. Omitted if the request was refused. */
  readonly object?: JsonObject | undefined
  /** Omitted if the request succeeded. */
  readonly error?: Status
  readonly warnings: readonly string[]
  readonly steps: readonly WhyStep[]
}

/** User of requests if no other is named: the administrator. */
export const ADMIN: User = { name: 'kubernetes-admin', groups: [MASTERS, 'system:authenticated'] }

export interface ForkClientOptions {
  readonly fork: Fork
  readonly user: User
  readonly userAgent: string
  /** Optional. Whether the user needs permissions. Default: true. */
  readonly authorizes?: boolean
  /** Optional. Whether steps have the changes of plugins and defaults. Default: false. */
  readonly comparesAll?: boolean
  readonly reviewInstead: NonNullable<RequestContext['reviewInstead']>
}

/** Sends requests through the filters of a server: authorization, field validation, admission, validation, storage. */
export class ForkClient {
  readonly #options: ForkClientOptions
  readonly #chain: readonly ApiFilter[]

  constructor(options: ForkClientOptions) {
    this.#options = options
    this.#chain = [options.fork.plane.api.withScope, withDeprecationWarnings, withNegotiation, serveResource]
  }

  /** Resolves with the response, also to a refused request. */
  async send(request: Omit<ForkRequest, 'user' | 'userAgent' | 'now' | 'notes' | 'reviewInstead'>): Promise<ForkResponse> {
    const { fork, user, userAgent, reviewInstead, comparesAll = false } = this.#options
    const notes = new StepList(comparesAll)
    const exchange = new ForkExchange({ ...request, user, userAgent, now: Date.now(), notes, reviewInstead })
    const response = { warnings: exchange.warnings, steps: notes.steps }
    try {
      await this.#authorize(exchange)
      await this.#serve({ exchange })
    } catch (error) {
      const status = errorStatusOf(error, fork)
      return { ...response, code: status.code, error: status, warnings: [...exchange.warnings] }
    }
    return new ObjectResponse(exchange, notes.steps)
  }

  /** Reads an object as the administrator. Undefined if there is none, or its kind cannot be read. */
  async get(served: ServedResource, namespace: string, name: string): Promise<JsonObject | undefined> {
    // No object has such a name, and its path would be that of something else.
    if (!isSegment(namespace) || !isSegment(name)) return undefined
    const exchange = new ForkExchange({
      ...this.#options,
      method: 'GET',
      path: resourcePath(served, namespace, name),
      user: ADMIN,
      now: Date.now(),
    })
    try {
      await this.#serve({ exchange })
    } catch (error) {
      if (error instanceof StatusError && [404, 405].includes(error.code)) return undefined
      throw error
    }
    const { value } = parseJson(exchange.body)
    return isJsonObject(value) ? value : undefined
  }

  #serve(state: ApiState, at = 0): Promise<void> {
    const filter = this.#chain[at]
    return filter === undefined ? Promise.resolve() : filter({ state }, () => this.#serve(state, at + 1))
  }

  async #authorize(exchange: ForkExchange): Promise<void> {
    const { user, info, signal } = exchange
    if (isMaster(user) || this.#options.authorizes === false) return
    const { decision, reason, error } = await this.#options.fork.authorizer.authorize(user, info, signal)
    exchange.why?.note({ step: 'authorized', decision: error === undefined ? decision : 'error', reason: error ?? reason })
    if (decision !== 'allow') throw error === undefined ? forbidden(user, info, reason) : new PlainTextError(500, error)
  }
}

/** Response with an object, which is parsed when it is first used. */
class ObjectResponse implements ForkResponse {
  readonly code: number
  readonly warnings: readonly string[]
  readonly steps: readonly WhyStep[]
  readonly #body: Buffer
  #object: JsonObject | undefined

  constructor({ status, body, warnings }: ForkExchange, steps: readonly WhyStep[]) {
    this.code = status
    this.warnings = [...warnings]
    this.steps = steps
    this.#body = body
  }

  get object(): JsonObject | undefined {
    this.#object ??= objectIn(parseJson(this.#body).value)
    return this.#object
  }
}

const isSegment = (text: string): boolean => nameIsPathSegment(text, false).length === 0

/** Path of a resource, or of one of its objects. The namespace is ignored for cluster-scoped kinds. */
export function resourcePath({ definition, version }: ServedResource, namespace: string, name = ''): string {
  const root = version.group === '' ? `/api/${version.name}` : `/apis/${version.group}/${version.name}`
  const inNamespace =
    definition.scope === 'Namespaced' ? `/namespaces/${isSegment(namespace) ? namespace : encodeURIComponent(namespace)}` : ''
  return `${root}${inNamespace}/${version.names.plural}${name === '' ? '' : `/${name}`}`
}

function errorStatusOf(error: unknown, { gates }: Fork): Status {
  if (error instanceof StatusError) return error.worded(wordingOf(gates.release)).status
  if (error instanceof PlainTextError) return failure(error.code, '', error.message).status
  if (error instanceof RangeError)
    return failure(400, 'BadRequest', 'the body of the request is nested too deeply, or has too many errors to report').status
  return failure(500, 'InternalError', `Internal error occurred: ${errorMessage(error)}`).status
}
