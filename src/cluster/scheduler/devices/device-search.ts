import type { AttributeConstraint } from './attribute-constraints.ts'
import type { RequestAlternative } from './claim-requests.ts'
import type { DeviceCounters } from './device-counters.ts'
import type { OfferedDevice } from './offered-devices.ts'

/** Most devices of a claim. Source: AllocationResultsMaxSize of resource.k8s.io. */
export const MOST_DEVICES = 32

/** Tries of devices on one node, for one pod, and on each further node after that. */
const MOST_STEPS = 10_000
const MOST_POD_STEPS = 100_000
const MOST_LATER_STEPS = 256

/** The search for devices on a node was given up. The combinations may be too many. Source of the text: Filter of pkg/scheduler/framework/plugins/dynamicresources. */
export class SearchTimeout extends Error {
  override readonly name = 'SearchTimeout'
  override readonly message = 'timed out trying to allocate devices'
}

/** Bounds the tries for one pod, so that the scheduler does not block the process. */
export class StepBudget {
  #spent = 0

  /** Returns a function that counts a try on a node. It throws SearchTimeout if there are too many. */
  forNode(): () => void {
    let left = this.#spent < MOST_POD_STEPS ? MOST_STEPS : MOST_LATER_STEPS
    return () => {
      this.#spent++
      if (left-- <= 0) throw new SearchTimeout()
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
  /** Reports whether a device suits, apart from other choices. Called once per device, when it is needed. */
  accepts(device: OfferedDevice): boolean
}

/** A claim on a node. */
export interface SearchedClaim {
  /** Text `NAMESPACE/NAME`. */
  readonly key: string
  /** Alternatives of each request. */
  readonly requests: readonly (readonly SearchedAlternative[])[]
  readonly constraints: readonly AttributeConstraint[]
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

  at(index: number): OfferedDevice | undefined {
    const { devices } = this.#searched
    while (this.#found.length <= index && this.#next < devices.length) {
      const device = devices[this.#next++]
      if (device && this.#isFree(device) && this.#searched.accepts(device)) this.#found.push(device)
    }
    return this.#found[index]
  }

  /** Returns the most candidates that there can be from an index on. */
  most(index: number): number {
    return this.#found.length + this.#searched.devices.length - this.#next - index
  }
}

/**
 * Searches devices for claims, depth first. Alternatives are tried in their order, and devices in that of their slices. The devices of one request are chosen in ascending order: other orders give the
 * same sets.
 */
export class DeviceSearch {
  readonly #claims: readonly SearchedClaim[]
  readonly #allocated: ReadonlySet<string>
  readonly #counters: DeviceCounters
  readonly #step: () => void
  /** Devices that the search has chosen, without those of administrators. */
  readonly #taken = new Set<string>()
  readonly #chosen: ChosenAlternative[][]
  readonly #counts: number[]
  readonly #candidates = new Map<SearchedAlternative, Candidates>()

  /** @param step counts a try, and throws if there were too many */
  constructor(claims: readonly SearchedClaim[], allocated: ReadonlySet<string>, counters: DeviceCounters, step: () => void) {
    this.#counters = counters
    this.#claims = claims
    this.#allocated = allocated
    this.#step = step
    this.#chosen = claims.map(() => [])
    this.#counts = claims.map(() => 0)
  }

  /** Returns what was chosen for each request of each claim. Undefined if there are not enough devices. */
  run(): readonly (readonly ChosenAlternative[])[] | undefined {
    return this.#satisfy(0, 0) === 'found' ? this.#chosen : undefined
  }

  /** Satisfies a request of a claim, and all later ones. */
  #satisfy(claim: number, request: number): Outcome {
    const searched = this.#claims[claim]
    if (searched === undefined) return 'found'
    const alternatives = searched.requests[request]
    if (alternatives === undefined) {
      const outcome = this.#satisfy(claim + 1, 0)
      return outcome === 'too many' ? 'failed' : outcome
    }
    let result: Outcome = 'too many'
    for (const alternative of alternatives) {
      const devices: OfferedDevice[] = []
      const outcome = this.#choose(claim, request, alternative, devices, 0)
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
  #choose(claim: number, request: number, searched: SearchedAlternative, devices: OfferedDevice[], from: number): Outcome {
    const missing = searched.count - devices.length
    if (searched.isAll && searched.count === 0) return 'failed'
    if (missing === 0) return this.#satisfy(claim, request + 1)
    if ((this.#counts[claim] ?? 0) + missing > MOST_DEVICES) return 'too many'
    const candidates = this.#candidatesOf(searched)
    for (let i = from; candidates.most(i) >= missing; i++) {
      const device = candidates.at(i)
      if (device === undefined) break
      this.#step()
      if (!this.#take(claim, searched, device)) {
        if (searched.isAll) break
        continue
      }
      devices.push(device)
      const outcome = this.#choose(claim, request, searched, devices, i + 1)
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
    const made = new Candidates(searched, isAdmin ? () => true : device => !this.#allocated.has(device.id))
    this.#candidates.set(searched, made)
    return made
  }

  #take(claim: number, { alternative, isAll }: SearchedAlternative, device: OfferedDevice): boolean {
    if (!alternative.adminAccess && this.#taken.has(device.id)) return false
    if (!this.#counters.take(device)) return false
    const { constraints = [], key = '' } = this.#claims[claim] ?? {}
    for (const [i, constraint] of constraints.entries()) {
      if (constraint.add(alternative, device)) continue
      if (isAll)
        throw new Error(`claim ${key}, request ${alternative.shortName}: cannot add device ${device.id} because a claim constraint would not be satisfied`)
      for (const before of constraints.slice(0, i)) before.remove(alternative)
      this.#counters.release(device)
      return false
    }
    if (!alternative.adminAccess) this.#taken.add(device.id)
    this.#counts[claim] = (this.#counts[claim] ?? 0) + 1
    return true
  }

  #release(claim: number, { alternative }: SearchedAlternative, device: OfferedDevice): void {
    for (const constraint of this.#claims[claim]?.constraints ?? []) constraint.remove(alternative)
    this.#counters.release(device)
    if (!alternative.adminAccess) this.#taken.delete(device.id)
    this.#counts[claim] = (this.#counts[claim] ?? 0) - 1
  }
}
