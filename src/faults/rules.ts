import type { TimerClock } from '../lib/clock.ts'
import { CounterFamily } from '../lib/metrics.ts'
import type { RequestAttributes } from '../meta/context.ts'
import { type EventSearch, eventSearch } from './event-fault.ts'
import type { Fault, FaultMatch, FaultSpec } from './fault-spec.ts'
import type { FaultableRequest } from './faultable-request.ts'
import { Holds } from './holds.ts'
import type { FaultObserver } from './observer.ts'
import { matchesPatterns } from './patterns.ts'
import { millisecondsOf, RateState } from './rate.ts'
import { MOST_BEHIND_MS } from './revision-times.ts'

/**
 * API group of the objects that describe faults. Requests for it never have faults, so that a fault can always be
 * removed.
 */
export const FAULTS_GROUP = 'binnacle.dev'

/** A fault rule that is matched against each request. */
interface FaultRule {
  /** Key of the rule. An object's fault has the name of the object. */
  readonly name: string
  /** Validated specification. Requests are given the same object. */
  readonly spec: FaultSpec
  /** Counts and periods, by which it is decided if a matching request has the fault. */
  readonly state: RateState
  /** Undefined if the fault is not about one event. */
  readonly search: EventSearch | undefined
}

/** Status codes that clients must expect from any request. */
const CODES: readonly number[] = [429, 500, 503, 504]
/** Verbs of requests that can conflict. */
const UPDATES: readonly string[] = ['update', 'patch']

/** The fault rules of a server, in the order in which they were added. */
export class FaultRules {
  /** Clock of rates, delays and periods. */
  readonly clock: TimerClock
  readonly #rules = new Map<string, FaultRule>()
  readonly #hits = new CounterFamily({
    name: 'binnacle_faults_total',
    help: 'Number of requests with an injected fault, by its effect.',
    stability: 'ALPHA',
    labels: ['effect'],
  })
  /** Metrics of faults. */
  readonly families = [this.#hits]
  /** Requests and events that wait until nothing else happens. */
  readonly holds = new Holds()
  /** Optional. Follows requests, and restarts programs of clients. */
  observer: FaultObserver | undefined
  /** Revisions of the changes that watches have delivered, by resource, ascending. */
  readonly #changes = new Map<string, number[]>()
  readonly #staleStarts = new Set<string>()
  #added = 0
  /** Called when a rule has been added. */
  onAdded: () => void = () => {}

  constructor(clock: TimerClock) {
    this.clock = clock
  }

  /** Whether no rule exists. Requests then take a shorter path. */
  get isEmpty(): boolean {
    return this.#rules.size === 0
  }

  /** Whether any rule makes reads return an earlier state. */
  get looksBack(): boolean {
    for (const { spec } of this.#rules.values()) if (spec.behind !== undefined) return true
    return false
  }

  /** Forgets the changes that watches have delivered. */
  forgetChanges(): void {
    this.#changes.clear()
    this.#staleStarts.clear()
  }

  /** Whether any rule needs to know the changes that watches deliver. */
  get countsChanges(): boolean {
    for (const { spec } of this.#rules.values()) if (spec.behindChanges !== undefined) return true
    return false
  }

  /** Adds a rule, which replaces one of the same name. Throws an Error if it is invalid. */
  add(spec: FaultSpec, name = `fault-${++this.#added}`): Fault {
    checkFault(spec)
    if (spec.restart !== undefined && this.observer === undefined) throw new Error('restart: only binnacle explore can restart a program')
    const state = new RateState(spec.rate ?? {}, this.clock.now())
    const rule: FaultRule = { name, spec, state, search: eventSearch(spec) }
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
  strike(request: FaultableRequest): readonly FaultSpec[] {
    const { info, query } = request
    if (!info.isResource || info.group === FAULTS_GROUP) return []
    const now = this.clock.now()
    const struck: FaultSpec[] = []
    for (const { spec, state } of this.#rules.values()) {
      if (!matchesFault(spec.match, request, info) || !applies(spec, info, query) || !state.strikes(now)) continue
      struck.push(spec)
      for (const effect of EFFECTS) if (spec[effect] !== undefined) this.#hits.child(effect).value++
    }
    return struck
  }

  /** Returns the searches for single events of the faults that a watch has. */
  searches(struck: readonly FaultSpec[]): readonly EventSearch[] {
    const found: EventSearch[] = []
    for (const { spec, search } of this.#rules.values()) if (search !== undefined && struck.includes(spec)) found.push(search)
    return found
  }

  /**
   * Reports whether a list or watch follows a watch that a fault has ended, and waits. True once for each such watch.
   */
  isReopening(request: FaultableRequest): boolean {
    const { info } = request
    if (!info.isResource || (info.verb !== 'list' && info.verb !== 'watch')) return false
    for (const { spec, search } of this.#rules.values()) {
      if (search?.isReopening !== true || !matchesFault({ ...spec.match, verbs: [] }, request, info)) continue
      search.isReopening = false
      return true
    }
    return false
  }

  /** Records the revision of a change that a watch delivers. */
  changed(resource: string, revision: number): void {
    const revisions = this.#changes.get(resource) ?? []
    if (revisions.length === 0) this.#changes.set(resource, revisions)
    if (revision > (revisions.at(-1) ?? 0)) revisions.push(revision)
    if (revisions.length > MOST_CHANGES) revisions.shift()
  }

  /**
   * Returns the revision before the last changes of the resource that watches have delivered. A watch that continues
   * from it waits. Undefined if there are none.
   */
  staleRevision({ info }: FaultableRequest, changes: number): number | undefined {
    const revisions = info.isResource && changes > 0 ? this.#changes.get(resourceName(info)) : undefined
    const first = revisions?.at(-changes) ?? revisions?.[0]
    if (first === undefined) return undefined
    this.#staleStarts.add(`${resourceName(info)}/${first - 1}`)
    return first - 1
  }

  /** Reports whether a watch continues from a list that was behind. True once for each list. */
  isStaleStart({ info, query }: FaultableRequest): boolean {
    return info.isResource && this.#staleStarts.delete(`${resourceName(info)}/${query.get('resourceVersion')}`)
  }
}

/** Members of a specification of which at least one must be set. */
const EFFECTS = [
  'delay',
  'hold',
  'lease',
  'writer',
  'restart',
  'status',
  'cut',
  'gone',
  'behind',
  'behindChanges',
  'watch',
  'webhooksDown',
] as const
/** Verbs of requests that change objects, for which admission webhooks are called. */
const CHANGES: readonly string[] = ['create', 'update', 'patch', 'delete', 'deletecollection']

/** Limit for the revisions that are kept for each resource. */
const MOST_CHANGES = 10_000

/** Name of the resource of a request, as in a match: `deployments.apps`. */
export const resourceName = ({ group, resource }: Pick<RequestAttributes, 'group' | 'resource'>): string =>
  group === '' ? resource : `${resource}.${group}`

/** Reports whether all lists of a match apply to the request. */
function matchesFault(match: FaultMatch | undefined, { user, userAgent }: FaultableRequest, info: RequestAttributes): boolean {
  if (match === undefined) return true
  const { subresource, namespace, name, verb } = info
  const qualified = `${resourceName(info)}${subresource === '' ? '' : `/${subresource}`}`
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
    spec.hold !== undefined ||
    spec.cut !== undefined ||
    (spec.restart !== undefined && CHANGES.includes(verb)) ||
    (spec.writer === 'Changes' && UPDATES.includes(verb)) ||
    ((spec.writer === 'Deletes' || spec.writer === 'DeletesAtRest') && info.name !== '') ||
    (spec.behindChanges !== undefined && isBehind(spec, verb, search)) ||
    (spec.status !== undefined && (spec.status.code !== 409 || spec.beyondContract === true || UPDATES.includes(verb))) ||
    (spec.lease !== undefined && resource === 'leases' && group === 'coordination.k8s.io' && UPDATES.includes(verb)) ||
    (spec.gone === true && isGone(spec, verb, search)) ||
    (spec.behind !== undefined && (verb === 'watch' || isBehind(spec, verb, search))) ||
    (spec.watch !== undefined && verb === 'watch') ||
    (spec.webhooksDown !== undefined && CHANGES.includes(verb))
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
  for (const [name, value] of Object.entries({
    behindChanges: spec.behindChanges,
    'watch.endBefore.skip': watch?.endBefore?.skip,
    'watch.holdAt.skip': watch?.holdAt?.skip,
  }))
    if (value !== undefined && !(Number.isSafeInteger(value) && value >= 0))
      throw new Error(`${name}: must be a non-negative integer, got ${value}`)
  if (watch?.endBefore !== undefined && watch.holdAt !== undefined) throw new Error('watch.holdAt: must not be set together with endBefore')
  if (watch?.endAfter !== undefined && !(Number.isSafeInteger(watch.endAfter) && watch.endAfter >= 0))
    throw new Error(`watch.endAfter: must be a non-negative integer, got ${watch.endAfter}`)
}
