import { expect } from 'chai'
import { startControlPlane } from '../../../src/testing/start-control-plane.ts'
import type { ControlPlane } from '../../../src/testing/types.ts'
import type { AnyObject } from '../../support/any-object.ts'

const VOLUME = '/api/v1/persistentvolumes/v'
const CLAIM = '/api/v1/namespaces/default/persistentvolumeclaims/c'
const POD = '/api/v1/namespaces/default/pods/user'

describe('a volume with the policy Recycle', () => {
  let plane: ControlPlane
  before(async () => {
    plane = await startControlPlane({ clock: 'stopped', flags: { profile: 'cluster', controllers: ['*', '-kubelet', '-scheduler'] } })
  })
  after(() => plane.stop())

  const get = async (path: string): Promise<AnyObject> => (await plane.request<AnyObject>('GET', path)).body
  const until = (path: string, phase: string): Promise<unknown> => plane.until(async () => (await get(path)).status?.phase === phase)
  const messages = async (): Promise<string[]> =>
    (await get('/api/v1/events')).items.map(({ type, reason, message }: AnyObject) => `${type} ${reason}: ${message}`)

  it('is not recycled while a pod uses the claim that is gone', async () => {
    const spec = { accessModes: ['ReadWriteOnce'], storageClassName: '' }
    await plane.apply(
      {
        apiVersion: 'v1',
        kind: 'PersistentVolume',
        metadata: { name: 'v' },
        spec: { ...spec, capacity: { storage: '1Gi' }, persistentVolumeReclaimPolicy: 'Recycle', hostPath: { path: '/tmp/v' } },
      },
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'c', namespace: 'default' },
        spec: { ...spec, resources: { requests: { storage: '1Gi' } } },
      },
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'user', namespace: 'default' },
        spec: { containers: [{ name: 'c', image: 'app:1' }], volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] },
      },
    )
    await until(CLAIM, 'Bound')
    await plane.request('DELETE', CLAIM)
    await plane.request('PATCH', CLAIM, { body: { metadata: { finalizers: null } } })
    await plane.until(async () => (await messages()).includes('Normal VolumeFailedRecycle: Volume is used by pods: default/user'))
    expect((await get(VOLUME)).status.phase).to.equal('Released')
    await plane.request('DELETE', `${POD}?gracePeriodSeconds=0`)
    await plane.settled()
    await plane.advance(15_000)
    await until(VOLUME, 'Available')
    expect(await messages()).to.include('Normal VolumeRecycled: Volume recycled')
  })
})
