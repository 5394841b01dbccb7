import type { APIService } from '../../api/apiregistration/v1.types.ts'
import type { ObjectIndex } from '../../controllers/controller.ts'
import { clusterKeys } from '../../controllers/controller.ts'
import { apiVersionOf } from '../../meta/gvk.ts'
import { BUILTIN_PRIORITIES } from '../../resources/apiregistration/priorities.ts'
import { type Registration, registrationOf } from './registration.ts'

/** An APIService that was added, changed or deleted. */
export interface RegistrationChange {
  /** Name of the APIService. */
  readonly name: string
  /** Undefined if it was deleted. */
  readonly registration: Registration | undefined
}

/** Paths of the core group and of all others. */
const API_ROOT = '/api'
const GROUPS_ROOT = '/apis/'
/** The core group has one version. Its server receives everything below `/api`. */
const CORE = 'v1'

/** Registered APIServices, kept in sync with the watch cache. Registrations are immutable. */
export class Registrations implements ObjectIndex<APIService> {
  /**
   * Incremented with each change while there is an aggregated server or a built-in APIService is missing. Otherwise the
   * local catalog determines all lists.
   */
  generation = 0
  readonly #byName = new Map<string, Registration>()
  /** Registrations with an aggregated server by `GROUP/VERSION`, or `v1` for the core group. */
  readonly #remote = new Map<string, Registration>()
  /** Names of built-in APIServices that were deleted. */
  readonly #removed = new Set<string>()
  readonly #listeners: ((change: RegistrationChange) => void)[] = []
  #isSynced = false

  /** Whether the initial list is complete. */
  get isSynced(): boolean {
    return this.#isSynced
  }

  /** Calls the listener synchronously with each change. */
  subscribe(listener: (change: RegistrationChange) => void): void {
    this.#listeners.push(listener)
  }

  /** Names of the present APIServices, for the comparison after a lost watch. */
  keys(): Iterable<string> {
    return clusterKeys(this.#byName.keys())
  }

  /** Adds or replaces an APIService. */
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

  /** Returns the registration of an APIService by its name. */
  get(name: string): Registration | undefined {
    return this.#byName.get(name)
  }

  all(): Iterable<Registration> {
    return this.#byName.values()
  }

  /** Registrations with an aggregated server. */
  remote(): Iterable<Registration> {
    return this.#remote.values()
  }

  /** Whether this server serves all group versions. */
  get areLocal(): boolean {
    return this.#remote.size === 0
  }

  /** Whether the local catalog alone determines all lists. */
  get areAsCatalog(): boolean {
    return this.areLocal && this.#removed.size === 0
  }

  /** Whether a built-in APIService was deleted. Its group version is served but not listed. */
  isRemoved(name: string): boolean {
    return this.#removed.has(name)
  }

  /** Returns the registration whose aggregated server serves a path. Undefined for `/apis/GROUP` alone. */
  remoteOf(path: string): Registration | undefined {
    if (this.#remote.size === 0) return undefined
    if (path === API_ROOT || path.startsWith(`${API_ROOT}/`)) return this.#remote.get(CORE)
    if (!path.startsWith(GROUPS_ROOT)) return undefined
    const afterGroup = path.indexOf('/', GROUPS_ROOT.length)
    if (afterGroup < 0) return undefined
    const afterVersion = path.indexOf('/', afterGroup + 1)
    return this.#remote.get(path.slice(GROUPS_ROOT.length, afterVersion < 0 ? path.length : afterVersion))
  }

  /** Applies a change and notifies listeners. */
  #change(name: string, registration: Registration | undefined): void {
    const before = this.#byName.get(name)
    const wasAsCatalog = this.areAsCatalog
    if (before) this.#remote.delete(registrationKey(before))
    if (registration) this.#byName.set(name, registration)
    else this.#byName.delete(name)
    if (registration?.backend) this.#remote.set(registrationKey(registration), registration)
    if (registration) this.#removed.delete(name)
    else if (before && Object.hasOwn(BUILTIN_PRIORITIES, apiVersionOf(before))) this.#removed.add(name)
    if (!wasAsCatalog || !this.areAsCatalog) this.generation++
    for (const listener of this.#listeners) listener({ name, registration })
  }
}

const registrationKey = ({ group, version }: Registration): string => (group === '' ? version : `${group}/${version}`)
