import type { TypedObject } from '../../api/meta/object.ts'
import { objectKey, type ResourceKind } from '../../clients/api-client.ts'
import { eachInSlices } from '../../lib/slices.ts'
import type { StagedObject } from '../kwok/engine/stage-engine.ts'
import type { StagePlayer } from '../kwok/engine/stage-player.ts'
import { type ClusterEnvironment, queueOf } from '../shared/environment.ts'
import { Informer } from '../shared/informer.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../shared/kinds.ts'
import type { KeyQueue } from '../shared/work-queue.ts'

/** The player, and what is called when the set of kinds changes. */
export interface StagedKindsOptions {
  readonly env: ClusterEnvironment
  readonly player: StagePlayer
  /** Called when a kind has begun or ceased to be served. */
  readonly changed: (kind: string) => void
}

/** A kind whose objects are followed. */
interface Followed {
  readonly resource: ResourceKind<TypedObject>
  readonly informer: Informer<TypedObject>
  /** Ends the informer when the kind is no longer followed. */
  readonly end: AbortController
}

/**
 * Gives the objects of kinds with Stages to a player, while the kinds are served. A key of the queue is a kind:
 * `apps/v1/Deployment`.
 */
export class StagedKinds {
  readonly #options: StagedKindsOptions
  readonly #signal: AbortSignal
  readonly #queue: KeyQueue
  readonly #followed = new Map<string, Followed>()
  readonly #missing = new Set<string>()
  #wanted: ReadonlySet<string> = new Set()
  #followsDefinitions = false

  constructor(options: StagedKindsOptions, signal: AbortSignal) {
    this.#options = options
    this.#signal = signal
    this.#queue = queueOf(options.env, 'kubelet_staged_kinds', signal, { workers: 1, work: kind => this.#sync(kind) })
  }

  /** Follows these kinds and no others. */
  follow(kinds: ReadonlySet<string>): void {
    const before = this.#wanted
    this.#wanted = kinds
    for (const kind of [...before, ...kinds]) if (before.has(kind) !== kinds.has(kind)) this.#queue.add(kind)
    if (kinds.size > 0) this.#followDefinitions()
  }

  /** Chooses stages anew for the objects of a kind, in turns of the event loop. */
  async restage(kind: string): Promise<void> {
    const followed = this.#followed.get(kind)
    if (followed === undefined) return
    const { player } = this.#options
    const { store } = followed.informer
    await eachInSlices([...store.list()], object => {
      const current = store.get(objectKey(object))
      if (current === undefined || this.#followed.get(kind) !== followed) return
      player.forget(staged(kind, current))
      player.observe(staged(kind, current))
    })
  }

  /** Returns the resource of a kind that is followed. */
  resourceOf(kind: string): ResourceKind<TypedObject> | undefined {
    return this.#followed.get(kind)?.resource
  }

  /** Returns the reason why the stages of a kind have no effect. Undefined if they have one. */
  fault(kind: string): string | undefined {
    return this.#missing.has(kind) ? `no served resource has the kind ${kind}, or its objects cannot be listed and patched` : undefined
  }

  /** A definition can make a kind be served, or no longer be. */
  #followDefinitions(): void {
    if (this.#followsDefinitions) return
    this.#followsDefinitions = true
    const look = ({ spec }: { readonly spec: { readonly group: string } }): void => {
      for (const kind of this.#wanted) if (kind.startsWith(`${spec.group}/`)) this.#queue.add(kind)
    }
    this.#options.env.informers.of(CUSTOM_RESOURCE_DEFINITIONS).on({ added: look, updated: look, deleted: look })
  }

  /** Begins to follow a kind, or ends that, by whether it is wanted and served. */
  async #sync(kind: string): Promise<void> {
    const resource = this.#wanted.has(kind) ? await this.#find(kind) : undefined
    const wasMissing = this.#missing.delete(kind)
    if (resource === undefined) {
      await this.#leave(kind)
      if (this.#wanted.has(kind)) this.#missing.add(kind)
    } else if (!this.#followed.has(kind)) this.#begin(kind, resource)
    if (wasMissing !== this.#missing.has(kind)) this.#options.changed(kind)
  }

  /** Finds the resource of a kind. Undefined if no version of it is served with the verbs that are needed. */
  async #find(kind: string): Promise<ResourceKind<TypedObject> | undefined> {
    const parts = kind.split('/')
    const [name, version, group = ''] = parts.toReversed()
    const kinds = await this.#options.env.client.kindsOf(group)
    return kinds.find(each => each.kind === name && each.version === version)
  }

  /** Starts an informer of a kind, which passes its objects to the player. */
  #begin(kind: string, resource: ResourceKind<TypedObject>): void {
    const { env, player } = this.#options
    const informer = new Informer(env.client, resource, { clock: env.meters.pauses, logger: env.logger })
    const observe = (object: TypedObject): void => player.observe(staged(kind, object))
    informer.on({ added: observe, updated: observe, deleted: object => player.forget(staged(kind, object)) })
    const end = new AbortController()
    this.#followed.set(kind, { resource, informer, end })
    void informer.run(AbortSignal.any([end.signal, this.#signal]))
  }

  /** Ends the informer of a kind. The player forgets its objects, in turns of the event loop. */
  async #leave(kind: string): Promise<void> {
    const followed = this.#followed.get(kind)
    if (followed === undefined) return
    this.#followed.delete(kind)
    followed.end.abort()
    await eachInSlices([...followed.informer.store.list()], object => this.#options.player.forget(staged(kind, object)))
  }
}

/** An object with its kind, which objects of a cache need not carry. */
function staged(kind: string, object: TypedObject): StagedObject {
  const end = kind.lastIndexOf('/')
  return { ...object, apiVersion: kind.slice(0, end), kind: kind.slice(end + 1) } as StagedObject
}
