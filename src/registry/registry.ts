import type { KubeObject, ObjectMeta } from '../api/meta/object.ts'
import type { Catalog, ServedResource } from '../catalog/catalog.ts'
import type { ResourceDefinition } from '../catalog/definition.ts'
import type { AccessEvent, ResourceAccess, ResourceId } from '../catalog/resource-access.ts'
import { type Awaitable, after } from '../lib/awaitable.ts'
import { runInTurns } from '../lib/steps.ts'
import { notFoundError } from '../meta/status.ts'
import { cloneInSteps } from '../meta/whole-floats.ts'
import { parseMetadata, parseMetadataInTurns } from '../storage/parse-own.ts'
import type { StoredObject } from '../storage/storage.ts'
import { decodeInSteps } from './decode-object.ts'
import { propagationPolicyOf } from './deletion-step.ts'
import { internalContext } from './internal-context.ts'
import { objectInTurns } from './ready-object.ts'
import { listOptions, readAccess, servedById } from './registry-reader.ts'
import { ResourceStore } from './resource-store.ts'
import { type AdmissionRequest, answerObject, type RegistryEnvironment, type WriteTarget } from './types.ts'

const MANAGER = 'binnacle'

/** The stores of all stored resources, and in-process access to them. */
export class Registry {
  readonly #env: RegistryEnvironment
  /** The kinds that are served. */
  readonly catalog: Catalog
  readonly #stores = new WeakMap<ResourceDefinition, ResourceStore>()
  /** Access without a signal, shared because every write uses it. */
  readonly #endless: ResourceAccess

  constructor(catalog: Catalog, env: Omit<RegistryEnvironment, 'access'>) {
    this.catalog = catalog
    this.#env = { ...env, access: () => this.#endless }
    this.#endless = this.#accessUntil(new AbortController().signal)
  }

  /** Returns the store of a resource, which is made on first use. */
  store(served: ServedResource): ResourceStore {
    let store = this.#stores.get(served.definition)
    if (!store) {
      store = new ResourceStore(this.#env, served)
      this.#stores.set(served.definition, store)
    }
    return store
  }

  /**
   * Runs mutating and validating admission of an object that is not stored: the body of a virtual resource (binding,
   * eviction, review), or the options of a CONNECT request (exec, proxy). Returns the mutated object. Throws a
   * StatusError if admission denies it.
   */
  async admit(request: AdmissionRequest & { readonly object: KubeObject }): Promise<KubeObject> {
    const object = (await this.#env.admission.mutate(request)) ?? request.object
    await this.#env.admission.validate({ ...request, object })
    return object
  }

  /**
   * Returns in-process access as the server itself: without authentication and authorization, otherwise as for a
   * client. `nested`: writes are part of a client's request that webhooks have reviewed, and are not sent to webhooks.
   */
  access(signal?: AbortSignal, { nested = false }: { readonly nested?: boolean } = {}): ResourceAccess {
    return signal === undefined && !nested ? this.#endless : this.#accessUntil(signal ?? new AbortController().signal, nested)
  }

  /**
   * Writes end when the signal aborts. Objects are decoded as a client's body is, and a change receives a copy, which
   * it may modify.
   */
  #accessUntil(signal: AbortSignal, nested = false): ResourceAccess {
    const target = (id: ResourceId, namespace: string, name: string, verb: string, subresource = ''): WriteTarget => {
      const resource = servedById(this.catalog, id)
      const info = { verb, group: id.group, version: resource.version.name, namespace, resource: id.resource, subresource, name }
      return {
        ctx: internalContext(info, signal, this.#env.clock.now()),
        served: resource,
        subresource,
        namespace,
        name,
        dryRun: false,
        manager: MANAGER,
        ...(nested && { nested }),
      }
    }
    return {
      ...readAccess(this.catalog, served => this.store(served), signal),
      create: async (id, namespace, object) => {
        const to = target(id, namespace, object.metadata.name ?? '', 'create')
        return answerObject(await this.store(to.served).create(to, await runInTurns(decodeInSteps(to.served.version, object))))
      },
      update: async (id, namespace, name, change, options) => {
        const { subresource, keepsManagers = false } = options ?? {}
        const to = { ...target(id, namespace, name, 'update', subresource), keepsManagers }
        const compute = async (now: KubeObject | undefined): Promise<KubeObject | undefined> => {
          if (!now) throw notFoundError(id, name)
          return change(await runInTurns(cloneInSteps(now)))
        }
        const { answer } = await this.store(to.served).update(to, { change: { kind: 'compute', compute } })
        return answerObject(answer)
      },
      delete: async (id, namespace, name, options) => {
        const to = { ...target(id, namespace, name, 'delete'), dryRun: options?.dryRun === true }
        const { uid, resourceVersion, propagationPolicy, gracePeriodSeconds } = options ?? {}
        await this.store(to.served).delete(to, {
          ...((uid !== undefined || resourceVersion !== undefined) && {
            preconditions: { ...(uid !== undefined && { uid }), ...(resourceVersion !== undefined && { resourceVersion }) },
          }),
          // As upstream, an unknown policy sets no finalizer, like Background.
          ...(propagationPolicy !== undefined && { propagationPolicy: propagationPolicyOf(propagationPolicy) ?? 'Background' }),
          ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
        })
      },
      watch: (id, namespace, until, handle, options) => this.#follow(servedById(this.catalog, id), namespace, until, handle, options),
    }
  }

  async #follow(
    served: ServedResource,
    namespace: string,
    signal: AbortSignal,
    handle: (event: AccessEvent) => undefined | Promise<void>,
    { name, metadataOnly = false }: { name?: string; metadataOnly?: boolean } = {},
  ): Promise<void> {
    const wanted = listOptions(name === undefined ? undefined : { fieldSelector: `metadata.name=${name}` })
    const store = this.store(served)
    const options = { ...wanted, sendInitialEvents: true, allowWatchBookmarks: true }
    const watcher = await (metadataOnly
      ? store.watchMetadata(served, namespace, options, signal)
      : store.watch(served, namespace, options, signal))
    const read = metadataOnly ? partialInTurns : objectInTurns
    await watcher.deliver(async batch => {
      for (const event of batch) {
        if (signal.aborted) return false
        if (event.type === 'bookmark') {
          const handling = event.initialEnd ? handle({ type: 'synced' }) : undefined
          if (handling) await handling
          continue
        }
        const handling = after(read(event.object), object => handle({ type: event.type, object }))
        if (handling) await handling
      }
      return true
    })
  }
}

/** Reads the metadata of a stored object, which is the same in all versions. Large objects are parsed in turns. */
function partialInTurns(stored: StoredObject): Awaitable<KubeObject> {
  const json = stored.json()
  return parseMetadataInTurns(json)?.then(partialOf) ?? partialOf(parseMetadata(json))
}

const partialOf = (metadata: ObjectMeta): KubeObject => ({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata })
