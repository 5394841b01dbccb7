import { errorMessage } from '../../../lib/error-message.ts'
import { isLongStepDone, type Steps } from '../../../lib/steps.ts'
import type { AttributeConstraint } from './attribute-constraints.ts'
import type { RequestAlternative } from './claim-requests.ts'
import type { DeviceCounters } from './device-counters.ts'
import type { OfferedDevice } from './offered-devices.ts'
import { type AllocatedDevices, isShareable, SharedCapacities, type SharingRules } from './shared-capacities.ts'

/** Most devices of a claim. Source: AllocationResultsMaxSize of resource.k8s.io. */
export const MOST_DEVICES = 32

/** Tries of devices on one node, for one pod, and on each further node after that. */
const MOST_STEPS = 10_000
const MOST_POD_STEPS = 100_000
const MOST_LATER_STEPS = 256

/**
 * The search for devices on a node was given up. The combinations may be too many. Source of the text: Filter of
 * pkg/scheduler/framework/plugins/dynamicresources.
 */
export class SearchTimeout extends Error {
  override readonly name = 'SearchTimeout'
  override readonly message = 'timed out trying to allocate devices'
}

/** Bounds the tries for one pod, so that the scheduler does not block the process. */
export class StepBudget {
  readonly #timeoutMs: number
  #spent = 0

  /** @param timeoutMs time for each node, in milliseconds. Default: not limited */
  constructor(timeoutMs = Number.POSITIVE_INFINITY) {
    this.#timeoutMs = timeoutMs
  }

  /** Returns a function that counts a try on a node. It throws SearchTimeout if there are too many, or time is over. */
  forNode(): () => void {
    let left = this.#spent < MOST_POD_STEPS ? MOST_STEPS : MOST_LATER_STEPS
    const end = performance.now() + this.#timeoutMs
    return () => {
      this.#spent++
      if (left-- <= 0 || performance.now() > end) throw new SearchTimeout()
    }
  }
}

/** A way to satisfy a request on a node. */
export interface SearchedAlternative {
  readonly alternative: RequestAlternative
  /** Whether exactly the given devices are needed. */
  readonly isAll: boolean
  readonly count: number
  /** Devices in the order in which they are tried. */
  readonly devices: readonly OfferedDevice[]
  /** Reports whether a device suits, apart from other choices, in steps. Called once per device, when it is needed. */
  accepts(device: OfferedDevice): Steps<boolean>
}

/** A claim on a node. */
export interface SearchedClaim {
  /** Text `NAMESPACE/NAME`. */
  readonly key: string
  /** Alternatives of each request. */
  readonly requests: readonly (readonly SearchedAlternative[])[]
  readonly constraints: readonly AttributeConstraint[]
}

/** State at the start of a search. */
export interface SearchState {
  readonly allocated: AllocatedDevices
  readonly counters: DeviceCounters
  readonly rules: SearchRules
  /** Counts a try, and throws if there were too many. */
  step(): void
}

/** Rules of a release for a search. */
export interface SearchRules extends SharingRules {
  /** Whether a device that an administrator accesses is in use for the other requests of the pod, as from 1.34 on. */
  readonly marksAdminDevices: boolean
}

/** The alternative that was chosen for a request, with its devices. */
export interface ChosenAlternative {
  readonly alternative: RequestAlternative
  readonly devices: readonly OfferedDevice[]
}

/** `too many`: the claim would have more devices than allowed, whichever they are. */
type Outcome = 'found' | 'failed' | 'too many'

/** Devices that suit an alternative, found on demand. */
class Candidates {
  readonly #searched: SearchedAlternative
  readonly #isFree: (device: OfferedDevice) => boolean
  readonly #found: OfferedDevice[] = []
  #next = 0

  constructor(searched: SearchedAlternative, isFree: (device: OfferedDevice) => boolean) {
    this.#searched = searched
    this.#isFree = isFree
  }

  *at(index: number): Steps<OfferedDevice | undefined> {
    const { devices } = this.#searched
    while (this.#found.length <= index && this.#next < devices.length) {
      const device = devices[this.#next++]
      if (device && this.#isFree(device) && (yield* this.#searched.accepts(device))) this.#found.push(device)
    }
    return this.#found[index]
  }

  /** Returns the most candidates that there can be from an index on. */
  most(index: number): number {
    return this.#found.length + this.#searched.devices.length - this.#next - index
  }
}

/**
 * Searches devices for claims, depth first. Alternatives are tried in their order, and devices in that of their slices.
 * The devices of one request are chosen in ascending order: other orders give the same sets.
 */
export class DeviceSearch {
  readonly #claims: readonly SearchedClaim[]
  readonly #state: SearchState
  readonly #capacities: SharedCapacities
  /** Claims for which the search has chosen a device that cannot be shared, by device. */
  readonly #taken = new Map<string, number[]>()
  /** Devices whose counters were not taken again. */
  readonly #further: boolean[] = []
  readonly #chosen: ChosenAlternative[][]
  readonly #counts: number[]
  readonly #candidates = new Map<SearchedAlternative, Candidates>()

  constructor(claims: readonly SearchedClaim[], state: SearchState) {
    this.#claims = claims
    this.#state = state
    this.#capacities = new SharedCapacities(state.allocated, state.rules)
    this.#chosen = claims.map(() => [])
    this.#counts = claims.map(() => 0)
  }

  /** Returns what was chosen for each request of each claim, in steps. Undefined if there are not enough devices. */
  *run(): Steps<readonly (readonly ChosenAlternative[])[] | undefined> {
    return (yield* this.#satisfy(0, 0)) === 'found' ? this.#chosen : undefined
  }

  /** Satisfies a request of a claim, and all later ones. */
  *#satisfy(claim: number, request: number): Steps<Outcome> {
    const searched = this.#claims[claim]
    if (searched === undefined) return 'found'
    const alternatives = searched.requests[request]
    if (alternatives === undefined) {
      const outcome = yield* this.#satisfy(claim + 1, 0)
      return outcome === 'too many' ? 'failed' : outcome
    }
    let result: Outcome = 'too many'
    for (const alternative of alternatives) {
      const devices: OfferedDevice[] = []
      const outcome = yield* this.#choose(claim, request, alternative, devices, 0)
      if (outcome === 'found') {
        const { alternative: chosen } = alternative
        const all = this.#chosen[claim]
        if (all) all[request] = { alternative: chosen, devices }
        return outcome
      }
      if (outcome === 'failed') result = outcome
    }
    return result
  }

  /** Chooses the next device of a request. @param from index of the first candidate */
  *#choose(claim: number, request: number, searched: SearchedAlternative, devices: OfferedDevice[], from: number): Steps<Outcome> {
    const missing = searched.count - devices.length
    if (searched.isAll && searched.count === 0) return 'failed'
    if (missing === 0) return yield* this.#satisfy(claim, request + 1)
    if ((this.#counts[claim] ?? 0) + missing > MOST_DEVICES) return 'too many'
    const candidates = this.#candidatesOf(searched)
    for (let i = from; candidates.most(i) >= missing; i++) {
      const device = yield* candidates.at(i)
      if (device === undefined) break
      this.#state.step()
      if (isLongStepDone()) yield
      if (!this.#take(claim, searched, device)) {
        if (searched.isAll) break
        continue
      }
      devices.push(device)
      const outcome = yield* this.#choose(claim, request, searched, devices, i + 1)
      if (outcome === 'found') return outcome
      devices.pop()
      this.#release(claim, searched, device)
      if (outcome === 'too many') return outcome
      if (searched.isAll) break
    }
    return 'failed'
  }

  #candidatesOf(searched: SearchedAlternative): Candidates {
    const known = this.#candidates.get(searched)
    if (known) return known
    const isAdmin = searched.alternative.adminAccess ?? false
    const made = new Candidates(searched, isAdmin ? () => true : device => !this.#state.allocated.exclusive.has(device.id))
    this.#candidates.set(searched, made)
    return made
  }

  #take(claim: number, { alternative, isAll }: SearchedAlternative, device: OfferedDevice): boolean {
    if (this.#isTaken(claim, alternative, device)) return false
    const { constraints = [], key = '' } = this.#claims[claim] ?? {}
    if (!this.#capacitySuffices(key, alternative, device)) return false
    const { counters, rules } = this.#state
    const isFurther = isShareable(device, rules) && this.#capacities.isInUse(device)
    if (!isFurther && !counters.take(device)) return false
    for (const [i, constraint] of constraints.entries()) {
      if (constraint.add(alternative, device)) continue
      if (isAll)
        throw new Error(
          `claim ${key}, request ${alternative.shortName}: cannot add device ${device.id} because a claim constraint would not be satisfied`,
        )
      for (const before of constraints.slice(0, i)) before.remove(alternative)
      if (!isFurther) counters.release(device)
      return false
    }
    this.#further.push(isFurther)
    this.#mark(claim, alternative, device)
    this.#counts[claim] = (this.#counts[claim] ?? 0) + 1
    return true
  }

  /**
   * Reports whether the search has chosen a device that cannot be shared. Administrators can access it once for each
   * claim.
   */
  #isTaken(claim: number, { adminAccess }: RequestAlternative, { id }: OfferedDevice): boolean {
    const taken = this.#taken.get(id) ?? []
    return adminAccess ? taken.includes(claim) : taken.length > 0
  }

  #capacitySuffices(key: string, alternative: RequestAlternative, device: OfferedDevice): boolean {
    try {
      return this.#capacities.suffices(alternative, device)
    } catch (error) {
      throw new Error(`claim ${key}, request ${alternative.shortName}: checking capacity for device ${device.id}: ${errorMessage(error)}`, {
        cause: error,
      })
    }
  }

  #mark(claim: number, alternative: RequestAlternative, device: OfferedDevice): void {
    if (isShareable(device, this.#state.rules)) this.#capacities.take(alternative, device)
    else if (this.#isMarked(alternative)) this.#taken.set(device.id, [...(this.#taken.get(device.id) ?? []), claim])
  }

  #isMarked({ adminAccess }: RequestAlternative): boolean {
    return !adminAccess || this.#state.rules.marksAdminDevices
  }

  /** Takes back the device that was taken last. */
  #release(claim: number, { alternative }: SearchedAlternative, device: OfferedDevice): void {
    for (const constraint of this.#claims[claim]?.constraints ?? []) constraint.remove(alternative)
    if (!this.#further.pop()) this.#state.counters.release(device)
    if (isShareable(device, this.#state.rules)) this.#capacities.release(device)
    else if (this.#isMarked(alternative)) this.#taken.get(device.id)?.pop()
    this.#counts[claim] = (this.#counts[claim] ?? 0) - 1
  }
}
