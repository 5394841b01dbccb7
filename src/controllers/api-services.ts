import type { APIService } from '../api/apiregistration/v1.types.ts'
import type { TypedObject } from '../api/meta/object.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { updateKind } from '../catalog/define.ts'
import { errorMessage } from '../lib/error-message.ts'
import { deepEqual } from '../meta/equal.ts'
import { parseApiVersion } from '../meta/gvk.ts'
import { undefinedIfNotFound } from '../meta/status.ts'
import { BUILTIN_PRIORITIES, CUSTOM_PRIORITY } from '../resources/apiregistration/priorities.ts'
import { API_SERVICES } from '../resources/kinds.ts'
import type { Controller, ControllerEnvironment } from './controller.ts'
import { follow, WorkQueue } from './controller.ts'

const OWN_GROUP = 'apiregistration.k8s.io'
/** Label of APIServices that the server manages. */
const MANAGED_LABEL = 'kube-aggregator.kubernetes.io/automanaged'
/**
 * Value for built-in group versions: reconciled once, at start. An administrator may change or delete them afterwards.
 */
const ON_START = 'onstart'
/** Value for group versions of custom resources: reconciled continuously. */
const ALWAYS = 'true'

/** APIService without status, which the availability controller writes. */
type NewService = Omit<APIService, 'status'>

/** Returns the APIService of a locally served group version. Undefined for apiregistration.k8s.io itself. */
function localService(apiVersion: string): NewService | undefined {
  const parsed = parseApiVersion(apiVersion)
  if (parsed === undefined || parsed.group === OWN_GROUP) return undefined
  const { group, version } = parsed
  const builtin = BUILTIN_PRIORITIES[apiVersion]
  const priority = builtin ?? CUSTOM_PRIORITY
  return {
    kind: 'APIService',
    apiVersion: `${OWN_GROUP}/v1`,
    metadata: { name: `${version}.${group}`, labels: { [MANAGED_LABEL]: builtin ? ON_START : ALWAYS } },
    spec: { ...(group !== '' && { group }), version, groupPriorityMinimum: priority.group, versionPriority: priority.version },
  }
}

const managedAs = (service: TypedObject | undefined): string | undefined => service?.metadata.labels?.[MANAGED_LABEL]

/**
 * Keeps an APIService for each served group version, as kube-aggregator's autoregistration does. @param onComplete
 * called once, when all APIServices wanted at start have been processed.
 */
export const apiServiceController =
  (catalog: Catalog, onComplete: () => void = () => {}): Controller =>
  async (env, signal) => {
    const registration = new Registration(env, catalog)
    const queue = new WorkQueue(
      4,
      signal,
      async name => {
        await registration.sync(name)
        if (registration.completes()) onComplete()
      },
      (name, error) => env.logger.debug(1, 'cannot reconcile an APIService, retrying', { name, error: errorMessage(error) }),
      env.queues?.meter('autoregister'),
    )
    const unsubscribe = catalog.subscribe(() => {
      for (const name of registration.refresh()) if (registration.started) queue.add(name)
    })
    await follow(env, API_SERVICES, signal, ({ type, object }) => {
      const name = object?.metadata.name
      if (name !== undefined) {
        if (!registration.started) registration.atStart.add(name)
        else queue.add(name)
      } else if (type === 'synced') {
        registration.started = true
        for (const each of [...registration.refresh(), ...registration.atStart]) queue.add(each)
      }
    })
    unsubscribe()
  }

/** Reconciles the APIServices of served group versions. */
class Registration {
  /** Whether the existing APIServices have been listed. */
  started = false
  /** Names of APIServices that existed when the server started. */
  readonly atStart = new Set<string>()
  readonly #env: ControllerEnvironment
  readonly #catalog: Catalog
  #wanted = new Map<string, NewService>()
  readonly #done = new Set<string>()
  #completed = false

  constructor(env: ControllerEnvironment, catalog: Catalog) {
    this.#env = env
    this.#catalog = catalog
  }

  /**
   * Reads the served group versions. Returns the names of all APIServices to reconcile: those wanted before and those
   * wanted now.
   */
  refresh(): Set<string> {
    const before = this.#wanted
    const services = this.#catalog.snapshot().servedGroupVersions().map(localService)
    this.#wanted = new Map(services.flatMap(service => (service ? [[service.metadata.name ?? '', service] as const] : [])))
    return new Set([...before.keys(), ...this.#wanted.keys()])
  }

  /** Returns true the first time that every wanted APIService has been processed. */
  completes(): boolean {
    if (this.#completed || ![...this.#wanted.keys()].every(name => this.#done.has(name))) return false
    this.#completed = true
    return true
  }

  async sync(name: string): Promise<void> {
    const wanted = this.#wanted.get(name)
    if (managedAs(wanted) === ON_START && this.#done.has(name)) return
    await this.#bringInLine(name, wanted)
    this.#done.add(name)
  }

  /**
   * Creates, updates or deletes an APIService. APIServices that users have taken over, by removing the label, are not
   * changed.
   */
  async #bringInLine(name: string, wanted: NewService | undefined): Promise<void> {
    const { access } = this.#env
    const current = await access.get(API_SERVICES, '', name).catch(undefinedIfNotFound)
    if (!current) {
      if (wanted) await access.create(API_SERVICES, '', wanted)
      return
    }
    const managed = managedAs(current)
    if (managed !== ON_START && managed !== ALWAYS) return
    if (managed === ON_START && (!this.atStart.has(name) || this.#done.has(name))) return
    if (!wanted) await access.delete(API_SERVICES, '', name).catch(undefinedIfNotFound)
    else
      await updateKind(access, API_SERVICES, { namespace: '', name }, now =>
        deepEqual(now.spec, wanted.spec) ? undefined : { ...now, spec: wanted.spec },
      ).catch(undefinedIfNotFound)
  }
}
