import { decodedObject, type JsonObject, type KubeObject, objectIn, type TypedObject } from '../api/meta/object.ts'
import { managerFromUserAgent } from '../apply/manager-name.ts'
import { type Catalog, type ServedResource, subresourceOf } from '../catalog/catalog.ts'
import { asKind, kindId } from '../catalog/define.ts'
import type { VirtualResource, VirtualResult } from '../catalog/definition.ts'
import {
  type ApiClient,
  type ApplyOptions,
  appliedConfiguration,
  type DeletePreconditions,
  type ListQuery,
  type ObjectList,
  type ObjectName,
  PATCH_MEDIA_TYPES,
  type PatchBody,
  type PatchType,
  type ResourceKind,
  type Selection,
  type WatchedChange,
} from '../clients/api-client.ts'
import { type Faults, type StruckRequest, serveWithFaults } from '../faults/strike.ts'
import type { Clock } from '../lib/clock.ts'
import { mapInSlices } from '../lib/slices.ts'
import { runInTurns } from '../lib/steps.ts'
import { nextLongTurn, turnIsSpent } from '../lib/turn.ts'
import type { RequestContext, User } from '../meta/context.ts'
import { apiVersionOf } from '../meta/gvk.ts'
import { objectsIn } from '../meta/json-members.ts'
import { resourceAttributes } from '../meta/request-attributes.ts'
import { conflictError, methodNotAllowedError, notFoundError, OPTIMISTIC_LOCK, pathNotFoundError } from '../meta/status.ts'
import { decodeInSteps, decodeObject } from '../registry/decode-object.ts'
import { propagationPolicyOf } from '../registry/deletion-step.ts'
import { builtInsOf } from '../registry/other-type.ts'
import { objectInTurns } from '../registry/ready-object.ts'
import type { Registry } from '../registry/registry.ts'
import { listOptions } from '../registry/registry-reader.ts'
import { admissionRequest, answerObject, type WriteTarget } from '../registry/types.ts'
import type { StorageEvent, Watcher } from '../storage/storage.ts'

/** Identity of the requests of a client, as admission and managed fields see it. */
export interface ClientIdentity {
  readonly user: User
  /** Also the field manager, up to the first `/`. */
  readonly userAgent: string
}

/** Ends of the requests of a client. */
export interface ClientEnds {
  /** Ends all requests. */
  readonly signal: AbortSignal
  /** Optional. Ends writes, and is read before each, as the fence of a Lease. Default: `signal`. */
  readonly fence?: AbortSignal
}

export interface InProcessClientParts extends ClientEnds {
  readonly registry: Registry
  readonly catalog: Catalog
  readonly clock: Clock
  readonly identity: ClientIdentity
  /** Undefined if the server injects no faults. */
  readonly faults?: Faults | undefined
  /** Optional. Reads group versions of aggregated servers. */
  readonly foreign?: ForeignReader
}

/**
 * Reads a path of an aggregated server for a user. Undefined if no server serves it. Throws the StatusError of the
 * server.
 */
export type ForeignReader = (path: string, user: User, signal: AbortSignal) => Promise<JsonObject | undefined>

/**
 * Client of the registry of this process. Requests are not authenticated, authorized, limited, audited or recorded, and
 * need no socket. Injected faults, and everything below, are as for a client over HTTP: admission, defaults,
 * validation, managed fields, conflicts and errors. Objects are those of the watch cache, without a copy.
 */
export class InProcessClient implements ApiClient {
  readonly #parts: InProcessClientParts

  constructor(parts: InProcessClientParts) {
    this.#parts = parts
  }

  get<T extends TypedObject>(kind: ResourceKind<T>, namespace: string, name: string, subresource = ''): Promise<T> {
    const served = this.#served(kind)
    const view = subresource === '' ? undefined : subresourceOf(served.version, subresource)?.view
    if (subresource !== '' && view === undefined) throw pathNotFoundError()
    return this.#request(kind, 'get', { namespace, name, subresource }, async () => {
      const stored = await this.#parts.registry.store(served).get(served, namespace, name, '', this.#parts.signal)
      const object = await objectInTurns(stored)
      return objectOfKind(kind, view ? untyped(kind, view.get(object)) : object)
    })
  }

  list<T extends TypedObject>(
    kind: ResourceKind<T>,
    { namespace = '', resourceVersion = '', ...selection }: ListQuery = {},
  ): Promise<ObjectList<T>> {
    const served = this.#find(kind)
    if (served === undefined) return this.#listForeign(kind, namespace, { resourceVersion, ...selection })
    const query = new URLSearchParams({ resourceVersion })
    return this.#request(kind, 'list', { namespace, name: '', query }, async () => {
      // A fault may let the list read another version.
      const version = {
        resourceVersion: query.get('resourceVersion') ?? '',
        resourceVersionMatch: query.has('resourceVersionMatch') ? 'Exact' : '',
      } as const
      const list = await this.#parts.registry
        .store(served)
        .list(served, namespace, { ...listOptions(selection), ...version }, this.#parts.signal)
      return { items: await mapInSlices(list.items, item => objectOfKind(kind, item.object())), resourceVersion: list.resourceVersion }
    })
  }

  watch<T extends TypedObject>(
    kind: ResourceKind<T>,
    { namespace = '', ...selection }: Selection & { readonly resourceVersion: string },
    signal: AbortSignal,
    handle: (change: WatchedChange<T>) => undefined | Promise<void>,
  ): Promise<void> {
    const served = this.#served(kind)
    const until = AbortSignal.any([signal, this.#parts.signal])
    const query = new URLSearchParams({ resourceVersion: selection.resourceVersion })
    return this.#request(kind, 'watch', { namespace, name: '', query }, async ({ disturbed = unchanged }) => {
      const opened = await this.#parts.registry
        .store(served)
        .watch(served, namespace, { ...listOptions(selection), allowWatchBookmarks: true }, until)
      await disturbed(opened).deliver(async batch => {
        for (const event of batch) {
          if (until.aborted) return false
          const change = await changeOf(kind, event)
          const handling = handle(change)
          if (handling) await handling
          if (turnIsSpent()) await nextLongTurn()
        }
        return true
      })
    })
  }

  create<T extends TypedObject>(kind: ResourceKind<T>, object: T): Promise<T> {
    const { namespace = '', name = '' } = object.metadata
    return this.#write(kind, 'create', { namespace, name }, async to => {
      const decoded = await runInTurns(decodeInSteps(to.served.version, untyped(kind, object)))
      const { virtual } = to.served.definition
      if (!virtual) return objectOfKind(kind, await answerObject(await this.#parts.registry.store(to.served).create(to, decoded)))
      const result = await this.#call(to, virtual, decoded)
      if (!('object' in result)) throw methodNotAllowedError()
      return objectOfKind(kind, decodedObject(result.object))
    })
  }

  update<T extends TypedObject>(kind: ResourceKind<T>, object: T, subresource = ''): Promise<T> {
    const { namespace = '', name = '', resourceVersion = '', uid } = object.metadata
    return this.#write(kind, 'update', { namespace, name, subresource }, async to => {
      const compute = async (now: KubeObject | undefined): Promise<KubeObject> => {
        if (!now || (uid !== undefined && uid !== now.metadata.uid)) throw notFoundError(kind, name)
        if (resourceVersion !== '' && resourceVersion !== now.metadata.resourceVersion) throw conflictError(kind, name, OPTIMISTIC_LOCK)
        return runInTurns(decodeInSteps(to.served.version, untyped(kind, object)))
      }
      const { answer } = await this.#parts.registry.store(to.served).update(to, { change: { kind: 'compute', compute } })
      return objectOfKind(kind, await answerObject(answer))
    })
  }

  patch<T extends TypedObject>(kind: ResourceKind<T>, name: ObjectName, patch: PatchBody, type: PatchType = 'merge'): Promise<T> {
    return this.#write(kind, 'patch', name, async to => {
      const { answer } = await this.#parts.registry.store(to.served).update(to, {
        change: {
          kind: 'patch',
          type: PATCH_MEDIA_TYPES[type],
          body: Buffer.from(JSON.stringify(patch)),
          fieldValidation: 'Ignore',
          builtIns: builtInsOf(this.#parts.catalog.snapshot()),
        },
      })
      return objectOfKind(kind, await answerObject(answer))
    })
  }

  apply<T extends TypedObject>(
    kind: ResourceKind<T>,
    name: ObjectName,
    configuration: JsonObject,
    { fieldManager, force = false }: ApplyOptions,
  ): Promise<T> {
    return this.#write(kind, 'patch', name, async to => {
      const config = appliedConfiguration(kind, name, configuration)
      const { answer } = await this.#parts.registry.store(to.served).update(to, {
        change: { kind: 'apply', config, repeated: [], manager: fieldManager, force, fieldValidation: 'Ignore' },
        forceCreate: subresourceOf(to.served.version, to.subresource)?.view === undefined,
      })
      return objectOfKind(kind, await answerObject(answer))
    })
  }

  delete(kind: ResourceKind<TypedObject>, namespace: string, name: string, options: DeletePreconditions = {}): Promise<void> {
    const { uid, resourceVersion, propagationPolicy, gracePeriodSeconds } = options
    const policy = propagationPolicy === undefined ? undefined : propagationPolicyOf(propagationPolicy)
    return this.#write(kind, 'delete', { namespace, name }, async to => {
      await this.#parts.registry.store(to.served).delete(to, {
        ...((uid !== undefined || resourceVersion !== undefined) && {
          preconditions: { ...(uid !== undefined && { uid }), ...(resourceVersion !== undefined && { resourceVersion }) },
        }),
        ...(policy !== undefined && { propagationPolicy: policy }),
        ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
      })
    })
  }

  post(kind: ResourceKind<TypedObject>, name: Required<ObjectName>, body: TypedObject): Promise<void> {
    return this.#write(kind, 'create', name, async to => {
      const subresource = subresourceOf(to.served.version, name.subresource)
      if (subresource?.virtual === undefined || subresource.kind === undefined) throw methodNotAllowedError()
      await this.#call(to, subresource.virtual, decodeObject(subresource.kind, untyped(kind, body)))
    })
  }

  async kindsOf(group: string): Promise<readonly ResourceKind<TypedObject>[]> {
    const snapshot = this.#parts.catalog.snapshot()
    return snapshot.servedGroupVersions().flatMap(groupVersion =>
      snapshot.resourcesOf(groupVersion).flatMap(({ definition, version }) => {
        if (version.group !== group || !CHANGEABLE.every(verb => version.verbs.includes(verb))) return []
        return [
          {
            group,
            version: version.name,
            resource: version.names.plural,
            kind: version.kind,
            namespaced: definition.scope === 'Namespaced',
          },
        ]
      }),
    )
  }

  /** Sends the body of a resource that is not stored. */
  async #call(to: WriteTarget, virtual: VirtualResource, object: KubeObject): Promise<VirtualResult> {
    const { ctx, namespace, name } = to
    if (namespace !== '') object.metadata.namespace = namespace
    const body = await this.#parts.registry.admit(admissionRequest(to, 'CREATE', { object }))
    const api = this.#parts.registry.access(ctx.signal, { nested: true })
    return virtual.call({ ctx, verb: 'create', namespace, name, body, dryRun: false, api })
  }

  #write<T>(kind: ResourceKind<TypedObject>, verb: string, name: ObjectName, write: (to: WriteTarget) => Promise<T>): Promise<T> {
    return this.#request(kind, verb, name, request => write(this.#target(kind, verb, name, request)))
  }

  /** Serves a request with its faults. Rejects with an Error if a fault cuts its connection. */
  async #request<T>(
    { group, version, resource }: ResourceKind<TypedObject>,
    verb: string,
    { query = NO_QUERY, ...name }: ObjectName & { readonly query?: URLSearchParams },
    serve: (request: Disturbance) => Promise<T>,
  ): Promise<T> {
    const { faults, identity, signal } = this.#parts
    if (faults === undefined) return serve(UNDISTURBED)
    let isCut = false
    const cut = (): void => {
      isCut = true
    }
    const info = resourceAttributes({ verb, group, version, resource, ...name })
    const request: StruckRequest = { info, query, signal, status: 200, destroy: cut, withholdResponse: cut, ...identity, ...UNDISTURBED }
    let result: { readonly value: T } | undefined
    await serveWithFaults(faults, request, async () => {
      result = { value: await serve(request) }
    })
    if (result === undefined || isCut) throw new Error('the connection was closed by an injected fault')
    return result.value
  }

  /** Throws 404 if the version of the kind is not served. */
  #served(kind: ResourceKind<TypedObject>): ServedResource {
    const served = this.#find(kind)
    if (served === undefined) throw notFoundError(kind, '')
    return served
  }

  #find({ group, version, resource }: ResourceKind<TypedObject>): ServedResource | undefined {
    return this.#parts.catalog.snapshot().find(group, version, resource)
  }

  /** Lists the objects of a kind that an aggregated server serves. Throws 404 if none does. */
  async #listForeign<T extends TypedObject>(kind: ResourceKind<T>, namespace: string, query: ListQuery): Promise<ObjectList<T>> {
    const { foreign, identity, signal } = this.#parts
    const scope = namespace === '' ? '' : `/namespaces/${encodeURIComponent(namespace)}`
    const search = new URLSearchParams({ ...query })
    const list = await foreign?.(`/apis/${kind.group}/${kind.version}${scope}/${kind.resource}?${search}`, identity.user, signal)
    if (list === undefined) throw notFoundError(kind, '')
    const { resourceVersion } = objectIn(list.metadata)
    const items = await mapInSlices(objectsIn(list.items), item => objectOfKind(kind, decodedObject({ metadata: {}, ...item })))
    return { items, resourceVersion: typeof resourceVersion === 'string' ? resourceVersion : '' }
  }

  #target(
    kind: ResourceKind<TypedObject>,
    verb: string,
    { namespace, name, subresource = '' }: ObjectName,
    { webhookFault }: Disturbance,
  ): WriteTarget {
    const { identity, signal, fence = signal, clock } = this.#parts
    const { group, version, resource } = kind
    const ctx: RequestContext = {
      user: identity.user,
      signal: fence,
      userAgent: identity.userAgent,
      receivedAt: clock.now(),
      isTrusted: true,
      webhookFault,
      warn() {},
      info: resourceAttributes({ verb, group, version, namespace, resource, subresource, name }),
    }
    return {
      ctx,
      served: this.#served(kind),
      subresource,
      namespace,
      name,
      dryRun: false,
      manager: managerFromUserAgent(identity.userAgent),
    }
  }
}

/** The way in which faults change how a request is served. */
type Disturbance = Pick<StruckRequest, 'webhookFault' | 'disturbed'>

const UNDISTURBED: Disturbance = { webhookFault: undefined, disturbed: undefined }

/** Verbs of kinds whose objects can be listed and patched. */
const CHANGEABLE = ['list', 'patch']

const NO_QUERY = new URLSearchParams()
const unchanged = (watcher: Watcher): Watcher => watcher

async function changeOf<T extends TypedObject>(kind: ResourceKind<T>, event: StorageEvent): Promise<WatchedChange<T>> {
  const resourceVersion = String(event.revision)
  if (event.type === 'bookmark') return { type: 'bookmark', resourceVersion }
  return { type: event.type, object: objectOfKind(kind, await objectInTurns(event.object)), resourceVersion }
}

const objectOfKind = <T extends TypedObject>({ group, resource }: ResourceKind<T>, object: KubeObject): T =>
  asKind(kindId<T>(group, resource), object)

/** Objects of a client have a kind and an apiVersion only if they were read. */
const untyped = ({ group, version, kind }: ResourceKind<TypedObject>, object: TypedObject): KubeObject =>
  decodedObject({ ...object, kind: object.kind || kind, apiVersion: object.apiVersion || apiVersionOf({ group, version }) })
