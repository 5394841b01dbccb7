import type { Catalog } from '../catalog/catalog.ts'
import { updateKind } from '../catalog/define.ts'
import { errorMessage } from '../lib/error-message.ts'
import { deepEqual } from '../meta/equal.ts'
import { parseApiVersion } from '../meta/gvk.ts'
import type { TypedObject } from '../meta/object.ts'
import { undefinedIfNotFound } from '../meta/status.ts'
import { BUILTIN_PRIORITIES, CUSTOM_PRIORITY } from '../resources/apiregistration/priorities.ts'
import type { APIService } from '../resources/apiregistration/v1.types.ts'
import { API_SERVICES } from '../resources/kinds.ts'
import type { Controller, ControllerEnvironment } from './controller.ts'
import { follow, WorkQueue } from './controller.ts'

const OWN_GROUP = 'apiregistration.k8s.io'
/** On an APIService of the server's own. */
const MANAGED_LABEL = 'kube-aggregator.kubernetes.io/automanaged'
/** Brought in line once, when the server starts: group versions that are built in. Who runs the cluster may change or remove them afterwards. */
const ON_START = 'onstart'
/** Kept in line: group versions of custom resources. */
const ALWAYS = 'true'

/** As the server makes it: its status is another controller's. */
type NewService = Omit<APIService, 'status'>

/** The APIService of a group version that this server serves. */
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
 * Keeps an APIService for each group version that is served, as kube-aggregator's autoregistration does. `onComplete` is called once, when those that are wanted at the start have been
 * looked at.
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
      (name, error) => env.logger.debug(1, 'an APIService cannot be made yet', { name, error: errorMessage(error) }),
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

/** The APIService of one group version, as it should be. */
class Registration {
  /** Whether the services that were there before are known. */
  started = false
  /** Services that were there when the server started. */
  readonly atStart = new Set<string>()
  private readonly env: ControllerEnvironment
  private readonly catalog: Catalog
  private wanted = new Map<string, NewService>()
  private readonly done = new Set<string>()
  private completed = false

  constructor(env: ControllerEnvironment, catalog: Catalog) {
    this.env = env
    this.catalog = catalog
  }

  /** Takes over what is served now. Returns the names of all services that are concerned: those wanted before, and those wanted now. */
  refresh(): Set<string> {
    const before = this.wanted
    const services = this.catalog.snapshot().servedGroupVersions().map(localService)
    this.wanted = new Map(services.flatMap(service => (service ? [[service.metadata.name ?? '', service] as const] : [])))
    return new Set([...before.keys(), ...this.wanted.keys()])
  }

  /** True the first time that every service that is wanted has been looked at. */
  completes(): boolean {
    if (this.completed || ![...this.wanted.keys()].every(name => this.done.has(name))) return false
    this.completed = true
    return true
  }

  async sync(name: string): Promise<void> {
    const wanted = this.wanted.get(name)
    if (managedAs(wanted) === ON_START && this.done.has(name)) return
    await this.bringInLine(name, wanted)
    this.done.add(name)
  }

  private async bringInLine(name: string, wanted: NewService | undefined): Promise<void> {
    const { access } = this.env
    const current = await access.get(API_SERVICES, '', name).catch(undefinedIfNotFound)
    if (!current) {
      if (wanted) await access.create(API_SERVICES, '', wanted)
      return
    }
    const managed = managedAs(current)
    if (managed !== ON_START && managed !== ALWAYS) return
    if (managed === ON_START && (!this.atStart.has(name) || this.done.has(name))) return
    if (!wanted) await access.delete(API_SERVICES, '', name).catch(undefinedIfNotFound)
    else
      await updateKind(access, API_SERVICES, { namespace: '', name }, now =>
        deepEqual(now.spec, wanted.spec) ? undefined : { ...now, spec: wanted.spec },
      ).catch(undefinedIfNotFound)
  }
}
