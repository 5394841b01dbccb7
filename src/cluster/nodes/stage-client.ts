import type { Node, Pod } from '../../api/core/v1.types.ts'
import { isJsonObject, type Json, objectIn, type TypedObject } from '../../api/meta/object.ts'
import type { ApiClient, PatchBody, PatchType, ResourceKind } from '../../clients/api-client.ts'
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

/** Makes the requests of stages of nodes and pods with a client of the API. */
export class KubeletStageClient implements StageClient {
  readonly #client: ApiClient
  readonly #recorder: EventRecorder

  constructor(client: ApiClient, recorder: EventRecorder) {
    this.#client = client
    this.#recorder = recorder
  }

  async patch(object: TypedObject, { type, data, subresource, impersonation }: RenderedWrite): Promise<StagedObject> {
    const patchType = PATCH_TYPES[type]
    if (patchType === undefined || impersonation !== undefined)
      throw new Error(`a stage of ${object.kind} has a patch that a simulated kubelet does not make: ${impersonation === undefined ? type : 'impersonation'}`)
    const { namespace = '', name = '' } = object.metadata
    const target = { namespace, name, ...(subresource !== '' && { subresource }) }
    return (await this.#client.patch(kindOf(object), target, patchOf(object, data), patchType)) as StagedObject
  }

  async delete(object: TypedObject): Promise<void> {
    const { namespace = '', name = '', uid } = object.metadata
    await this.#client.delete(kindOf(object), namespace, name, { gracePeriodSeconds: 0, ...(uid !== undefined && { uid }) })
  }

  async apply(source: TypedObject): Promise<void> {
    throw new Error(`a stage of ${source.kind} applies another object, which a simulated kubelet does not do`)
  }

  async createEvent(object: TypedObject, { type, reason, message }: Parameters<StageClient['createEvent']>[1]): Promise<void> {
    this.#recorder.record(kindOf(object), object, type === 'Warning' ? 'Warning' : 'Normal', reason, message)
  }
}

/** Adds the uid of the object to a patch. The server then rejects the patch if another object has taken the name. Throws an Error if the data is no patch. */
export function patchOf({ kind, metadata: { uid } }: TypedObject, data: Json): PatchBody {
  if (Array.isArray(data)) return uid === undefined ? data : [{ op: 'test', path: '/metadata/uid', value: uid }, ...data]
  if (!isJsonObject(data)) throw new Error(`a stage of ${kind} renders a patch that is neither an object nor a list`)
  return uid === undefined ? data : { ...data, metadata: { ...objectIn(data.metadata), uid } }
}

const kindOf = ({ kind }: TypedObject): ResourceKind<TypedObject> =>
  kind === 'Node' ? (NODES satisfies ResourceKind<Node>) : (PODS satisfies ResourceKind<Pod>)
