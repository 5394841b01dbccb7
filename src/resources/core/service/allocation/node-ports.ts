import { defineResource, getKind, updateKind } from '../../../../catalog/define.ts'
import type { ResourceAccess, Version } from '../../../../catalog/definition.ts'
import { invariant } from '../../../../lib/invariant.ts'
import type { TypedObject } from '../../../../meta/object.ts'
import { isStatusError } from '../../../../meta/status.ts'
import { RANGE_ALLOCATIONS } from '../../../kinds.ts'
import { types } from '../../../types.ts'
import type { RangeAllocation } from '../../v1.types.ts'
import type { PortRange, PortSource } from './port-set.ts'
import { DryRunPorts, PortSet, printPortRange } from './port-set.ts'
import { portsInUse } from './ports-in-use.ts'

/** The object whose bitmap says which ports are taken. kube-apiserver has it under the same name. */
export const NODE_PORTS = 'servicenodeports'

const v1: Version<RangeAllocation> = {
  group: '',
  name: 'v1',
  kind: 'RangeAllocation',
  names: { plural: 'rangeallocations', singular: 'rangeallocation' },
  verbs: [],
  schema: types.type('core.RangeAllocation'),
  // kube-apiserver writes it without a name.
  setDefaults: object => {
    object.metadata.name ??= NODE_PORTS
  },
}

/** `/registry/ranges/servicenodeports`, where kube-apiserver keeps the node ports that are taken, in its form. */
export const rangeAllocationResource = defineResource<RangeAllocation>({
  scope: 'Cluster',
  versions: [v1],
  hub: v1,
  storage: { prefix: 'ranges', version: v1 },
  internal: true,
})

/** Reserves and frees node ports. All are in one object, which is written with a guard, so that no two servers give out the same port. */
export class NodePorts {
  readonly range: PortRange
  private readonly random: () => number
  /** Ends when the change before has. */
  private last: Promise<void> = Promise.resolve()

  constructor(range: PortRange, random: () => number) {
    this.range = range
    this.random = random
  }

  /** The ports of a stored object. One of another range is read port by port. */
  read(object: Pick<RangeAllocation, 'range' | 'data'>): PortSet {
    const data = Buffer.from(object.data ?? '', 'base64')
    if (object.range === printPortRange(this.range)) return new PortSet(this.range, this.random, data)
    const [from = 0, to = 0] = object.range.split('-').map(Number)
    const ports = new PortSet(this.range, this.random)
    if (to >= from) for (const port of new PortSet({ base: from, size: to - from + 1 }, this.random, data).ports()) ports.add(port)
    return ports
  }

  private write(object: TypedObject, ports: PortSet): RangeAllocation {
    return { ...object, range: printPortRange(this.range), data: ports.data().toString('base64') }
  }

  /**
   * Changes the set of taken ports. `change` may run more than once, each time on the newest set; what it throws is thrown after nothing has been written.
   * False: nothing to write. Changes of one process queue up rather than lose races to each other: those are left to other servers.
   */
  change(api: ResourceAccess, change: (ports: PortSet, object: RangeAllocation) => boolean): Promise<void> {
    const done = this.last.then(() => this.changeNow(api, change))
    this.last = done.catch(() => {})
    return done
  }

  private async changeNow(api: ResourceAccess, change: (ports: PortSet, object: RangeAllocation) => boolean): Promise<void> {
    for (;;) {
      let failure: unknown
      try {
        await updateKind(api, RANGE_ALLOCATIONS, { namespace: '', name: NODE_PORTS }, object => {
          failure = undefined
          const ports = this.read(object)
          try {
            return change(ports, object) ? this.write(object, ports) : undefined
          } catch (error) {
            failure = error ?? new Error('failed')
            return undefined
          }
        })
        if (failure !== undefined) throw failure
        return
      } catch (error) {
        if (failure !== undefined || !isStatusError(error, 'NotFound')) throw error
        await this.initialise(api)
      }
    }
  }

  /** Creates the object, with what the services of a store that has lost it have. */
  private async initialise(api: ResourceAccess): Promise<void> {
    const ports = new PortSet(this.range, this.random)
    for (const port of await portsInUse(api)) ports.add(port)
    const object = { kind: 'RangeAllocation', apiVersion: 'v1', metadata: { name: NODE_PORTS } }
    try {
      await api.create(RANGE_ALLOCATIONS, '', this.write(object, ports))
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
      return { ports: new PortSet(this.range, this.random), resourceVersion: undefined }
    }
  }

  /** Reserves what a plan takes, all or nothing. The plan may run more than once. Its result is that of the run that was written. */
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
