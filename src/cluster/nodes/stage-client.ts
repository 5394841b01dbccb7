import type { Node, Pod } from '../../api/core/v1.types.ts'
import { decodedObject, isJsonObject, type Json, type KubeObject, objectIn, type TypedObject } from '../../api/meta/object.ts'
import type { ApiClient, PatchBody, PatchType, ResourceKind } from '../../clients/api-client.ts'
import { isStatusError } from '../../meta/status.ts'
import type { StageClient } from '../kwok/engine/stage-client.ts'
import type { StagedObject } from '../kwok/engine/stage-engine.ts'
import type { RenderedWrite } from '../kwok/stage/actions.ts'
import type { EventRecorder } from '../shared/event-recorder.ts'
import { NODES, PODS } from '../shared/kinds.ts'

const PATCH_TYPES: Readonly<Partial<Record<RenderedWrite['type'], PatchType>>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
}

/** Makes the requests of stages with a client of the API. */
export class KubeletStageClient implements StageClient {
  readonly #client: ApiClient
  readonly #recorder: EventRecorder
  readonly #resourceOf: (kind: string) => ResourceKind<TypedObject> | undefined

  /** @param resourceOf returns the resource of a kind that has stages, other than nodes and pods */
  constructor(client: ApiClient, recorder: EventRecorder, resourceOf: (kind: string) => ResourceKind<TypedObject> | undefined) {
    this.#client = client
    this.#recorder = recorder
    this.#resourceOf = resourceOf
  }

  async patch(object: TypedObject, { type, data, subresource, impersonation }: RenderedWrite): Promise<StagedObject> {
    const patchType = PATCH_TYPES[type]
    if (patchType === undefined || impersonation !== undefined)
      throw new Error(
        `a stage of ${object.kind} has a patch that a simulated kubelet does not make: ${impersonation === undefined ? type : 'impersonation'}`,
      )
    const { namespace = '', name = '' } = object.metadata
    const target = { namespace, name, ...(subresource !== '' && { subresource }) }
    return (await this.#client.patch(this.#kindOf(object), target, patchOf(object, data), patchType)) as StagedObject
  }

  async delete(object: TypedObject): Promise<void> {
    const { namespace = '', name = '', uid } = object.metadata
    await this.#client.delete(this.#kindOf(object), namespace, name, { gracePeriodSeconds: 0, ...(uid !== undefined && { uid }) })
  }

  async apply(source: TypedObject, { type, data, subresource, impersonation }: Parameters<StageClient['apply']>[1]): Promise<void> {
    const object = appliedObject(source, data)
    const { apiVersion, kind, metadata } = object
    const [version, group = ''] = apiVersion.split('/').toReversed()
    const resource = (await this.#client.kindsOf(group)).find(each => each.kind === kind && each.version === version)
    if (resource === undefined || impersonation !== undefined)
      throw new Error(
        `a stage of ${source.kind} applies ${apiVersion} ${kind}: ${resource ? 'impersonation is not supported' : 'it is not served'}`,
      )
    const { name = '', namespace = source.metadata.namespace ?? 'default' } = metadata
    const target = { namespace: resource.namespaced ? namespace : '', name, ...(subresource !== '' && { subresource }) }
    const patchType = PATCH_TYPES[type]
    if (patchType === undefined) await this.#client.apply(resource, target, object, { fieldManager: 'kwok', force: true })
    else if (subresource !== '') await this.#client.patch(resource, target, object, patchType)
    else await this.#createOrPatch(resource, { ...object, metadata: { ...metadata, ...(resource.namespaced && { namespace }) } }, patchType)
  }

  async #createOrPatch(resource: ResourceKind<TypedObject>, object: KubeObject, type: PatchType): Promise<void> {
    const { namespace = '', name = '' } = object.metadata
    try {
      await this.#client.create(resource, object)
    } catch (error) {
      if (!isStatusError(error, 'AlreadyExists')) throw error
      await this.#client.patch(resource, { namespace, name }, object, type)
    }
  }

  async createEvent(object: TypedObject, { type, reason, message }: Parameters<StageClient['createEvent']>[1]): Promise<void> {
    this.#recorder.record(this.#kindOf(object), object, type === 'Warning' ? 'Warning' : 'Normal', reason, message)
  }

  #kindOf({ apiVersion, kind }: TypedObject): ResourceKind<TypedObject> {
    if (kind === 'Node' && apiVersion === 'v1') return NODES satisfies ResourceKind<Node>
    if (kind === 'Pod' && apiVersion === 'v1') return PODS satisfies ResourceKind<Pod>
    const resource = this.#resourceOf(`${apiVersion}/${kind}`)
    if (resource === undefined) throw new Error(`${apiVersion} ${kind} is not served any more`)
    return resource
  }
}

/** Returns an object that a stage applies. Throws an Error if it lacks what names it. */
function appliedObject({ kind }: TypedObject, data: Json): KubeObject {
  const object = decodedObject(objectIn(data))
  const { name, generateName } = objectIn(objectIn(data).metadata)
  const names = { apiVersion: object.apiVersion, kind: object.kind, 'metadata.name': name ?? generateName }
  for (const [path, name] of Object.entries(names))
    if (typeof name !== 'string' || name === '') throw new Error(`a stage of ${kind} applies an object without ${path}`)
  return object
}

/**
 * Adds the uid of the object to a patch. The server then rejects the patch if another object has taken the name. Throws
 * an Error if the data is no patch.
 */
export function patchOf({ kind, metadata: { uid } }: TypedObject, data: Json): PatchBody {
  if (Array.isArray(data)) return uid === undefined ? data : [{ op: 'test', path: '/metadata/uid', value: uid }, ...data]
  if (!isJsonObject(data)) throw new Error(`a stage of ${kind} renders a patch that is neither an object nor a list`)
  return uid === undefined ? data : { ...data, metadata: { ...objectIn(data.metadata), uid } }
}
