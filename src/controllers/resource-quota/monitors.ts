import type { TypedObject } from '../../api/meta/object.ts'
import type { AccessEvent, ResourceId } from '../../catalog/resource-access.ts'
import { qualifiedResource } from '../../meta/gvk.ts'
import { type ControllerEnvironment, followMetadata } from '../controller.ts'
import type { QuotableResource } from './tracked.ts'

/** Called when objects of the resource have changed. @param namespace undefined for any namespace. */
type OnChange = (resource: QuotableResource, namespace: string | undefined) => void

/** Watches of the resources that quotas limit. Reports events after which usage may be lower. */
export class QuotaMonitors {
  readonly #env: ControllerEnvironment
  readonly #signal: AbortSignal
  readonly #onChange: OnChange
  readonly #running = new Map<string, { readonly end: AbortController; readonly done: Promise<void> }>()

  constructor(env: ControllerEnvironment, signal: AbortSignal, onChange: OnChange) {
    this.#env = env
    this.#signal = signal
    this.#onChange = onChange
  }

  /** Starts watches of newly limited resources and ends the others. */
  watch(resources: readonly QuotableResource[]): void {
    const wanted = new Map(resources.map(each => [qualifiedResource(each.evaluator.resource), each]))
    for (const [name, { end }] of this.#running) {
      if (wanted.has(name)) continue
      this.#running.delete(name)
      end.abort()
    }
    for (const [name, resource] of wanted) if (!this.#running.has(name)) this.#start(name, resource)
  }

  /** Starts the watch of one resource. */
  #start(name: string, resource: QuotableResource): void {
    const end = new AbortController()
    const { hub } = resource.definition
    const id: ResourceId = { group: hub.group, resource: hub.names.plural }
    const done = followMetadata(this.#env, id, AbortSignal.any([this.#signal, end.signal]), () => event => this.#take(resource, event))
    this.#running.set(name, { end, done })
  }

  #take(resource: QuotableResource, { type, object }: AccessEvent<TypedObject>): void {
    // Deletions while the watch was interrupted are found by recalculating.
    if (type === 'synced') this.#onChange(resource, undefined)
    else if (type === 'deleted' || (type === 'modified' && resource.evaluator.each === undefined))
      this.#onChange(resource, object?.metadata.namespace ?? '')
  }

  /** Resolves when all watches have ended, after the signal aborted. */
  async ended(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ done }) => done))
  }
}
