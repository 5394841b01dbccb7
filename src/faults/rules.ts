import type { TimerClock } from '../lib/clock.ts'
import { CounterFamily } from '../lib/metrics.ts'
import type { RequestAttributes, User } from '../meta/context.ts'
import type { Fault, FaultMatch, FaultSpec } from './fault-spec.ts'
import { matchesPatterns } from './patterns.ts'
import { millisecondsOf, RateState } from './rate.ts'
import { MOST_BEHIND_MS } from './revision-times.ts'

/** API group of the objects that describe faults. Requests for it never have faults, so that a fault can always be removed. */
export const FAULTS_GROUP = 'binnacle.dev'

/** A request that is matched against the rules. */
export interface FaultableRequest {
  readonly user: User
  readonly userAgent: string
  readonly info: RequestAttributes
  readonly query: URLSearchParams
}

/** A fault rule that is matched against each request. */
interface FaultRule {
  readonly name: string
  readonly spec: FaultSpec
  readonly state: RateState
}

const CODES: readonly number[] = [429, 500, 503, 504]
const UPDATES: readonly string[] = ['update', 'patch']

/** The fault rules of a server, in the order in which they were added. */
export class FaultRules {
  readonly clock: TimerClock
  readonly #rules = new Map<string, FaultRule>()
  readonly #hits = new CounterFamily({
    name: 'binnacle_faults_total',
    help: 'Number of requests with an injected fault, by its effect.',
    stability: 'ALPHA',
    labels: ['effect'],
  })
  readonly families = [this.#hits]
  #added = 0
  /** Called when a rule has been added. */
  onAdded: () => void = () => {}

  constructor(clock: TimerClock) {
    this.clock = clock
  }

  get isEmpty(): boolean {
    return this.#rules.size === 0
  }

  /** Whether any rule makes reads return an earlier state. */
  get looksBack(): boolean {
    for (const { spec } of this.#rules.values()) if (spec.behind !== undefined) return true
    return false
  }

  /** Adds a rule, which replaces one of the same name. Throws an Error if it is invalid. */
  add(spec: FaultSpec, name = `fault-${++this.#added}`): Fault {
    checkFault(spec)
    const state = new RateState(spec.rate ?? {}, this.clock.now())
    const rule: FaultRule = { name, spec, state }
    this.#rules.delete(name)
    this.#rules.set(name, rule)
    this.onAdded()
    return {
      name,
      get matched() {
        return state.matched
      },
      get hits() {
        return state.hits
      },
      remove: () => {
        if (this.#rules.get(name) === rule) this.#rules.delete(name)
      },
    }
  }

  /** Returns the effects on a request: those of the rules that match it and are due. */
  strike(asked: FaultableRequest): readonly FaultSpec[] {
    const { info, query } = asked
    if (!info.isResource || info.group === FAULTS_GROUP) return []
    const now = this.clock.now()
    const struck: FaultSpec[] = []
    for (const { spec, state } of this.#rules.values()) {
      if (!matchesFault(spec.match, asked, info) || !applies(spec, info, query) || !state.strikes(now)) continue
      struck.push(spec)
      for (const effect of EFFECTS) if (spec[effect] !== undefined) this.#hits.child(effect).value++
    }
    return struck
  }
}

const EFFECTS = ['delay', 'lease', 'status', 'cut', 'gone', 'behind', 'watch', 'webhooksDown'] as const

/** Reports whether all lists of a match apply to the request. */
function matchesFault(match: FaultMatch | undefined, { user, userAgent }: FaultableRequest, info: RequestAttributes): boolean {
  if (match === undefined) return true
  const { group, resource, subresource, namespace, name, verb } = info
  const qualified = `${group === '' ? resource : `${resource}.${group}`}${subresource === '' ? '' : `/${subresource}`}`
  return (
    matchesPatterns(match.users, user.name) &&
    matchesPatterns(match.agents, userAgent.split(' ', 1)[0] ?? '') &&
    matchesPatterns(match.verbs, verb) &&
    matchesPatterns(match.resources, qualified) &&
    matchesPatterns(match.namespaces, namespace) &&
    matchesPatterns(match.names, name)
  )
}

/** Reports whether one of the effects is possible for such a request. Other requests are not counted. */
function applies(spec: FaultSpec, info: RequestAttributes, search: URLSearchParams): boolean {
  const { verb, resource, group } = info
  return (
    spec.delay !== undefined ||
    spec.cut !== undefined ||
    (spec.status !== undefined && (spec.status.code !== 409 || spec.beyondContract === true || UPDATES.includes(verb))) ||
    (spec.lease !== undefined && resource === 'leases' && group === 'coordination.k8s.io' && UPDATES.includes(verb)) ||
    (spec.gone === true && isGone(spec, verb, search)) ||
    (spec.behind !== undefined && (verb === 'watch' || isBehind(spec, verb, search))) ||
    (spec.watch !== undefined && verb === 'watch') ||
    (spec.webhooksDown !== undefined && ['create', 'update', 'patch', 'delete', 'deletecollection'].includes(verb))
  )
}

/** Reports whether a read may get 410 because the history that it needs is compacted. */
export function isGone({ beyondContract = false }: FaultSpec, verb: string, search: URLSearchParams): boolean {
  const version = search.get('resourceVersion') ?? ''
  const asksVersion = version !== '' && !/^0+$/.test(version)
  if (verb === 'watch') return asksVersion && (beyondContract || search.get('sendInitialEvents') !== 'true')
  if (verb !== 'list') return beyondContract && verb === 'get' && asksVersion
  return search.has('continue') || (asksVersion && (beyondContract || search.get('resourceVersionMatch') === 'Exact'))
}

/** Reports whether a list may return an earlier state. */
export function isBehind({ beyondContract = false }: FaultSpec, verb: string, search: URLSearchParams): boolean {
  if (verb !== 'list' || search.has('continue')) return false
  const version = search.get('resourceVersion') ?? ''
  return version === '0' || (version === '' && beyondContract)
}

/** Validates a specification. Throws an Error with the path of the invalid field. */
function checkFault(spec: FaultSpec): void {
  if (!EFFECTS.some(effect => spec[effect] !== undefined)) throw new Error(`a fault must have one of ${EFFECTS.join(', ')}`)
  if (spec.delay !== undefined) millisecondsOf(spec.delay)
  if (spec.behind !== undefined && millisecondsOf(spec.behind) > MOST_BEHIND_MS) throw new Error('behind: must not exceed 2m')
  const { status, watch, beyondContract = false } = spec
  if (status !== undefined && !(Number.isInteger(status.code) && status.code >= 400 && status.code <= 599))
    throw new Error(`status.code: must be between 400 and 599, got ${status.code}`)
  if (status !== undefined && !beyondContract && status.code !== 409 && !CODES.includes(status.code))
    throw new Error(`status.code: ${status.code} is beyond the API's contract: set beyondContract to allow it`)
  if (watch?.endAfter !== undefined && !(Number.isSafeInteger(watch.endAfter) && watch.endAfter >= 0))
    throw new Error(`watch.endAfter: must be a non-negative integer, got ${watch.endAfter}`)
}
