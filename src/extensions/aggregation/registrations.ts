import type { Kept } from '../../controllers/controller.ts'
import { keysOf } from '../../controllers/controller.ts'
import { apiVersionOf } from '../../meta/gvk.ts'
import { BUILTIN_PRIORITIES } from '../../resources/apiregistration/priorities.ts'
import type { APIService } from '../../resources/apiregistration/v1.types.ts'
import { type Registration, registrationOf } from './registration.ts'

/** An APIService that has come, changed or gone. */
export interface RegistrationChange {
  readonly name: string
  /** Absent: it has gone. */
  readonly registration: Registration | undefined
}

const API_ROOT = '/api'
const GROUPS_ROOT = '/apis/'
/** The core group has one version, and its backend everything below `/api`. */
const CORE = 'v1'

/** The APIServices that there are, as the watch cache has them. Registrations are never mutated. */
export class Registrations implements Kept<APIService> {
  /** Counts changes while there is any backend, or a built-in one is missing: otherwise this server's own catalog says all. */
  generation = 0
  readonly #byName = new Map<string, Registration>()
  /** Those with a backend, by `GROUP/VERSION`, `v1` for the core group. */
  readonly #remote = new Map<string, Registration>()
  /** Names of those that the server created at its start, and that were deleted. */
  readonly #removed = new Set<string>()
  readonly #listeners: ((change: RegistrationChange) => void)[] = []
  #isSynced = false

  /** Whether all that there were at the start are known. */
  get isSynced(): boolean {
    return this.#isSynced
  }

  /** Called with each change, at once. */
  subscribe(listener: (change: RegistrationChange) => void): void {
    this.#listeners.push(listener)
  }

  keys(): Iterable<string> {
    return keysOf(this.#byName.keys())
  }

  put(service: APIService): void {
    const registration = registrationOf(service)
    this.#change(registration.name, registration)
  }

  remove(_namespace: string, name: string): void {
    this.#change(name, undefined)
  }

  synced(): void {
    this.#isSynced = true
  }

  get(name: string): Registration | undefined {
    return this.#byName.get(name)
  }

  all(): Iterable<Registration> {
    return this.#byName.values()
  }

  /** Those with a backend. */
  remote(): Iterable<Registration> {
    return this.#remote.values()
  }

  /** Whether every group version is this server's own. */
  get areLocal(): boolean {
    return this.#remote.size === 0
  }

  /** Whether they say nothing but what the catalog does. */
  get areAsCatalog(): boolean {
    return this.areLocal && this.#removed.size === 0
  }

  /** Whether an APIService of the server's own was taken away: its group version is served, and not listed. */
  isRemoved(name: string): boolean {
    return this.#removed.has(name)
  }

  /** The registration with a backend that a path is for. What is below `/apis/GROUP` alone is for none. */
  remoteOf(path: string): Registration | undefined {
    if (this.#remote.size === 0) return undefined
    if (path === API_ROOT || path.startsWith(`${API_ROOT}/`)) return this.#remote.get(CORE)
    if (!path.startsWith(GROUPS_ROOT)) return undefined
    const afterGroup = path.indexOf('/', GROUPS_ROOT.length)
    if (afterGroup < 0) return undefined
    const afterVersion = path.indexOf('/', afterGroup + 1)
    return this.#remote.get(path.slice(GROUPS_ROOT.length, afterVersion < 0 ? path.length : afterVersion))
  }

  #change(name: string, registration: Registration | undefined): void {
    const before = this.#byName.get(name)
    const wasAsCatalog = this.areAsCatalog
    if (before) this.#remote.delete(keyOf(before))
    if (registration) this.#byName.set(name, registration)
    else this.#byName.delete(name)
    if (registration?.backend) this.#remote.set(keyOf(registration), registration)
    if (registration) this.#removed.delete(name)
    else if (before && Object.hasOwn(BUILTIN_PRIORITIES, apiVersionOf(before))) this.#removed.add(name)
    if (!wasAsCatalog || !this.areAsCatalog) this.generation++
    for (const listener of this.#listeners) listener({ name, registration })
  }
}

const keyOf = ({ group, version }: Registration): string => (group === '' ? version : `${group}/${version}`)
