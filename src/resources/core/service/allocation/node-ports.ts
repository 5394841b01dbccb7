import type { RangeAllocation } from '../../../../api/core/v1.types.ts'
import type { TypedObject } from '../../../../api/meta/object.ts'
import { defineResource, getKind, updateKind } from '../../../../catalog/define.ts'
import type { Version } from '../../../../catalog/definition.ts'
import type { ResourceAccess } from '../../../../catalog/resource-access.ts'
import { types } from '../../../../catalog/types.ts'
import { invariant } from '../../../../lib/invariant.ts'
import { isStatusError } from '../../../../meta/status.ts'
import { RANGE_ALLOCATIONS } from '../../../kinds.ts'
import type { PortRange, PortSource } from './port-set.ts'
import { DryRunPorts, PortSet, printPortRange } from './port-set.ts'
import { portsInUse } from './ports-in-use.ts'

/** Name of the object whose bitmap holds the allocated ports, the same as in kube-apiserver. */
export const NODE_PORTS = 'servicenodeports'

const v1: Version<RangeAllocation> = {
  group: '',
  name: 'v1',
  kind: 'RangeAllocation',
  names: { plural: 'rangeallocations', singular: 'rangeallocation' },
  verbs: [],
  schema: types.type('core.RangeAllocation'),
  // kube-apiserver stores the object without a name.
  setDefaults: object => {
    object.metadata.name ??= NODE_PORTS
  },
}

/** Allocated node ports, stored in kube-apiserver's format below `/registry/ranges/servicenodeports`. */
export const rangeAllocationResource = defineResource<RangeAllocation>({
  scope: 'Cluster',
  versions: [v1],
  hub: v1,
  storage: { prefix: 'ranges', version: v1 },
  internal: true,
})

/**
 * Allocates and releases node ports. All are in one object, which is updated with optimistic concurrency, so that no
 * two servers allocate the same port.
 */
export class NodePorts {
  readonly range: PortRange
  readonly #random: () => number
  /** Resolves when the previous change has ended. */
  #last: Promise<void> = Promise.resolve()

  constructor(range: PortRange, random: () => number) {
    this.range = range
    this.#random = random
  }

  /** Decodes the ports of a stored object. If the object has another range, its ports are converted one by one. */
  read(object: Pick<RangeAllocation, 'range' | 'data'>): PortSet {
    const data = Buffer.from(object.data ?? '', 'base64')
    if (object.range === printPortRange(this.range)) return new PortSet(this.range, this.#random, data)
    const [from = 0, to = 0] = object.range.split('-').map(Number)
    const ports = new PortSet(this.range, this.#random)
    if (to >= from) for (const port of new PortSet({ base: from, size: to - from + 1 }, this.#random, data).ports()) ports.add(port)
    return ports
  }

  #write(object: TypedObject, ports: PortSet): RangeAllocation {
    return { ...object, range: printPortRange(this.range), data: ports.data().toString('base64') }
  }

  /**
   * Updates the set of allocated ports. `change` may run more than once, each time on the latest set, and returns false
   * if there is nothing to write. An error that it throws is rethrown, and nothing is written. Changes of one process
   * are queued, so that conflicts arise only with other servers.
   */
  change(api: ResourceAccess, change: (ports: PortSet, object: RangeAllocation) => boolean): Promise<void> {
    const done = this.#last.then(() => this.#changeNow(api, change))
    this.#last = done.catch(() => {})
    return done
  }

  /**
   * Creates the object if it is absent and starts again. An error of `change` ends the loop, though it is thrown within
   * a write that is retried.
   */
  async #changeNow(api: ResourceAccess, change: (ports: PortSet, object: RangeAllocation) => boolean): Promise<void> {
    for (;;) {
      let failure: unknown
      try {
        await updateKind(api, RANGE_ALLOCATIONS, { namespace: '', name: NODE_PORTS }, object => {
          failure = undefined
          const ports = this.read(object)
          try {
            return change(ports, object) ? this.#write(object, ports) : undefined
          } catch (error) {
            failure = error ?? new Error('failed')
            return undefined
          }
        })
        if (failure !== undefined) throw failure
        return
      } catch (error) {
        if (failure !== undefined || !isStatusError(error, 'NotFound')) throw error
        await this.#initialise(api)
      }
    }
  }

  /** Creates the object with the node ports of the existing services, in case the store has lost it. */
  async #initialise(api: ResourceAccess): Promise<void> {
    const ports = new PortSet(this.range, this.#random)
    for (const port of await portsInUse(api)) ports.add(port)
    const object = { kind: 'RangeAllocation', apiVersion: 'v1', metadata: { name: NODE_PORTS } }
    try {
      await api.create(RANGE_ALLOCATIONS, '', this.#write(object, ports))
    } catch (error) {
      if (!isStatusError(error, 'AlreadyExists')) throw error
    }
  }

  async current(api: ResourceAccess): Promise<{ ports: PortSet; resourceVersion: string | undefined }> {
    try {
      const object = await getKind(api, RANGE_ALLOCATIONS, '', NODE_PORTS)
      return { ports: this.read(object), resourceVersion: object.metadata.resourceVersion }
    } catch (error) {
      if (!isStatusError(error, 'NotFound')) throw error
      return { ports: new PortSet(this.range, this.#random), resourceVersion: undefined }
    }
  }

  /**
   * Allocates all ports of a plan or none. The plan may run more than once. Returns the result of the run that was
   * written.
   */
  async reserve<T>(api: ResourceAccess, dryRun: boolean, plan: (ports: PortSource) => T): Promise<T> {
    if (dryRun) return plan(new DryRunPorts((await this.current(api)).ports))
    const runs: { readonly result: T }[] = []
    await this.change(api, ports => {
      runs.push({ result: plan(ports) })
      return true
    })
    const written = runs.at(-1)
    invariant(written, 'a plan that has not run')
    return written.result
  }

  async free(api: ResourceAccess, ports: readonly number[]): Promise<void> {
    if (ports.length === 0) return
    await this.change(api, taken => {
      const had = ports.filter(port => taken.has(port))
      for (const port of had) taken.remove(port)
      return had.length > 0
    })
  }
}
