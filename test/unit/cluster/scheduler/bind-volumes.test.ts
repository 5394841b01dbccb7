import { expect } from 'chai'
import type { PersistentVolume, PersistentVolumeClaim } from '../../../../src/api/core/v1.types.ts'
import { AssumedObjects } from '../../../../src/cluster/scheduler/assumed-objects.ts'
import { reserveVolumes } from '../../../../src/cluster/scheduler/bind-volumes.ts'
import type { BindingContext } from '../../../../src/cluster/scheduler/framework.ts'
import { NodeInfo } from '../../../../src/cluster/scheduler/node-info.ts'
import type { PodVolumes } from '../../../../src/cluster/scheduler/pod-volumes.ts'
import { nodeOf, objectsOf } from '../../../support/scheduling.ts'
import { claimOf, volumeOf } from '../../../support/storage-objects.ts'

const SELECTED = 'volume.kubernetes.io/selected-node'
const node = NodeInfo.of(nodeOf('n'))
const at = (resourceVersion: string) => ({ metadata: { resourceVersion } })
const completed = (claim: PersistentVolumeClaim, volumeName: string): PersistentVolumeClaim => ({
  ...claim,
  metadata: {
    ...claim.metadata,
    resourceVersion: '20',
    annotations: { ...claim.metadata.annotations, 'pv.kubernetes.io/bind-completed': 'yes' },
  },
  spec: { ...claim.spec, volumeName },
})

/** A reservation over stored objects, whose writes get growing resource versions. */
function start({ bindings = [], provisions = [] }: Partial<PodVolumes>) {
  const objects: (PersistentVolume | PersistentVolumeClaim)[] = []
  const put = (object: PersistentVolume | PersistentVolumeClaim): void => {
    const i = objects.findIndex(({ kind, metadata }) => kind === object.kind && metadata.name === object.metadata.name)
    objects.splice(i < 0 ? objects.length : i, 1, object)
    for (const wake of waiting) wake()
  }
  const waiting = new Set<() => void>()
  const writes: string[] = []
  const stop = new AbortController()
  let expire = (): void => {}
  const context = {
    signal: stop.signal,
    clock: {
      after(_ms: number, end: () => void) {
        expire = end
        return { close() {} }
      },
    },
    onChange(_kind: unknown, wake: () => void) {
      waiting.add(wake)
      return () => void waiting.delete(wake)
    },
    client: {
      async update(_kind: unknown, object: PersistentVolume) {
        writes.push(`${object.kind} ${object.metadata.name}`)
        const written = { ...object, metadata: { ...object.metadata, resourceVersion: String(10 + writes.length) } }
        put(written)
        return written
      },
    },
  } as unknown as BindingContext
  for (const { claim, volume } of bindings) for (const object of [claim, volume]) put(object)
  for (const { claim } of provisions) put(claim)
  const assumed = { claims: new AssumedObjects<PersistentVolumeClaim>(), volumes: new AssumedObjects<PersistentVolume>() }
  const reservation = reserveVolumes({ reasons: [], bindings, provisions }, node, objectsOf(objects), assumed, 1000)
  return { assumed, context, expire: () => expire(), put, reservation, stop, waiting, writes }
}

describe('volumes of a pod that has a node', () => {
  const claim = claimOf('c', at('1'))
  const volume = volumeOf('v', at('2'))
  const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

  it('are bound: the volume is written, and the claim is waited for', async () => {
    const { assumed, context, put, reservation, writes } = start({ bindings: [{ claim, volume }] })
    expect(assumed.volumes.latest(volume).spec.claimRef).to.include({ name: 'c', uid: 'uid-c' })
    const order: string[] = []
    const done = reservation.preBind?.(context).then(() => order.push('prepared'))
    await turn()
    expect(writes).to.deep.equal(['PersistentVolume v'])
    order.push('bound')
    put(completed(claim, 'v'))
    await done
    expect(order).to.deep.equal(['bound', 'prepared'])
    expect(assumed.volumes.latest(volume)).to.equal(volume)
  })

  it('are provisioned: the claim gets the node', async () => {
    const { assumed, context, put, reservation, writes } = start({ provisions: [{ claim, capacity: undefined }] })
    const asked = assumed.claims.latest(claim)
    expect(asked.metadata.annotations).to.deep.equal({ [SELECTED]: 'n' })
    const done = reservation.preBind?.(context)
    await turn()
    expect(writes).to.deep.equal(['PersistentVolumeClaim c'])
    put(completed(asked, 'v'))
    await done
  })

  it('are given up when the provisioner fails, the binder unbinds, the pod is gone or the time is over', async () => {
    const failing = async (change: (run: ReturnType<typeof start>) => void, volumes: Partial<PodVolumes>): Promise<string> => {
      const run = start(volumes)
      const done = run.reservation.preBind?.(run.context).then(String, String)
      await turn()
      change(run)
      return done ?? ''
    }
    const provision = { provisions: [{ claim, capacity: undefined }] }
    const removed = { ...claim, metadata: { ...claim.metadata, resourceVersion: '30', annotations: { other: 'x' } } }
    expect(await failing(({ put }) => put(removed), provision)).to.equal('Error: binding volumes: provisioning failed for PVC "default/c"')
    const { annotations: _, ...plain } = removed.metadata
    expect(await failing(({ put }) => put({ ...removed, metadata: plain }), provision)).to.equal(
      'Error: binding volumes: selectedNode annotation reset for PVC "default/c"',
    )
    const reset = volumeOf('v', at('30'))
    expect(await failing(({ put }) => put(reset), { bindings: [{ claim, volume }] })).to.equal(
      'Error: binding volumes: ClaimRef got reset for pv "v"',
    )
    expect(await failing(({ expire }) => expire(), provision)).to.equal('Error: binding volumes: context deadline exceeded')
    expect(await failing(({ stop }) => stop.abort(), provision)).to.equal('Error: binding volumes: pod does not exist any more')
  })

  it('are free again if the pod is not bound, and if another write was faster', async () => {
    const { assumed, context, reservation } = start({ bindings: [{ claim, volume }] })
    const newer = volumeOf('v', at('3'))
    expect(assumed.volumes.latest(newer)).to.equal(newer)
    await reservation.unreserve?.(context)
    expect(assumed.volumes.latest(volume)).to.equal(volume)
  })
})
