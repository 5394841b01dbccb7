import type { RuleIndex } from '../auth/authz/rbac/rule-index.ts'
import type { Exchange } from '../endpoints/exchange.ts'
import type { OwnRoute } from '../endpoints/own-route.ts'
import { runInTurns } from '../lib/steps.ts'
import { nonResourceAttributes, resourceAttributes } from '../meta/request-attributes.ts'
import { badRequestError, failure } from '../meta/status.ts'
import { denialOf } from '../why/denial.ts'
import type { RecentRequests } from '../why/recent-requests.ts'
import type { RecentRequestList, Why } from '../why/types.ts'
import type { Service } from './service.ts'

const PATH = '/binnacle/v1/why'
const LIMIT = 100
const MOST = 1000
const JSON_TYPE = 'application/json'

/**
 * Serves recent requests with the steps of each. Access to these paths needs permission, so a denied user cannot learn
 * why it was denied.
 */
export class WhyService implements Service {
  readonly routes: readonly OwnRoute[]
  readonly #recent: RecentRequests
  readonly #rules: RuleIndex | undefined

  /** @param rules undefined if RBAC is off. */
  constructor(recent: RecentRequests, rules: RuleIndex | undefined) {
    this.#recent = recent
    this.#rules = rules
    this.routes = [
      { path: PATH, methods: ['GET'], handle: exchange => this.#list(exchange) },
      { path: `${PATH}/`, methods: ['GET'], handle: exchange => this.#tell(exchange) },
    ]
  }

  /** Handles GET of recent requests, newest first. Parameters: `limit`, `user`, `failed`. */
  async #list(exchange: Exchange): Promise<void> {
    const { query } = exchange
    const limit = Number(query.get('limit') ?? LIMIT)
    if (!Number.isInteger(limit) || limit < 1 || limit > MOST) throw badRequestError(`limit: must be a number from 1 to ${MOST}`)
    const items = this.#recent.list({ limit, user: query.get('user') ?? undefined, failed: query.get('failed') === 'true' })
    const { count, most, process } = this.#recent
    const around: RecentRequestList = {
      kind: 'WhyList',
      apiVersion: 'binnacle.dev/v1',
      items: [],
      metadata: { kept: count, most, ...(process !== undefined && { process }) },
    }
    await exchange.sendBytes(200, JSON_TYPE, Buffer.from(JSON.stringify(around).replace('"items":[]', () => `"items":[${items.join()}]`)))
  }

  /** Handles GET of one request by audit ID. */
  async #tell(exchange: Exchange): Promise<void> {
    const auditId = exchange.path.slice(PATH.length + 1)
    const why = this.#recent.find(auditId)
    if (why === undefined) throw this.#unknown(auditId)
    const denial = await this.#denial(why, exchange.ctx.signal)
    await exchange.sendBytes(200, JSON_TYPE, Buffer.from(JSON.stringify({ ...why, ...(denial && { denial }) })))
  }

  /** Explains a denial on demand, so that a flood of denied requests costs nothing extra. */
  async #denial({ steps, verb, request }: Why, signal: AbortSignal): Promise<Why['denial']> {
    const isDenied = steps.some(
      step => step.step === 'authorized' && step.of === undefined && (step.decision === 'deny' || step.decision === 'no opinion'),
    )
    const last = steps.findLast(step => step.step === 'authenticated' || step.step === 'impersonated')
    if (!isDenied || last === undefined || !('user' in last)) return undefined
    const asked = request.isResource ? resourceAttributes({ ...request, verb }) : nonResourceAttributes(verb, request.path)
    return runInTurns(denialOf(this.#rules, this.#recent.modes, last.user, asked), signal)
  }

  #unknown(auditId: string): Error {
    const { most, process } = this.#recent
    const others = process === undefined ? '' : '; each process of this server keeps its own: retry on another connection'
    return failure(
      404,
      'NotFound',
      `no request with the audit id ${JSON.stringify(auditId)} was found: only the last ${most} are kept${others}`,
      {},
    )
  }
}
