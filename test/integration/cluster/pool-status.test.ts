import { expect } from 'chai'
import { startControlPlane } from '../../../src/testing/start-control-plane.ts'
import type { ControlPlane } from '../../../src/testing/types.ts'
import type { AnyObject } from '../../support/any-object.ts'

const REQUESTS = '/apis/resource.k8s.io/v1alpha3/resourcepoolstatusrequests'
const DRIVER = 'd.example.com'

describe('requests for the status of pools in a cluster', () => {
  const startIn = (release: string): Promise<ControlPlane> =>
    startControlPlane({
      clock: 'stopped',
      release,
      flags: {
        profile: 'cluster',
        controllers: ['resourcepoolstatusrequest-controller'],
        'feature-gates': 'DRAResourcePoolStatus=true',
        'runtime-config': 'resource.k8s.io/v1alpha3=true',
      },
    })
  const slice = (name: string, resourceSliceCount: number) => ({
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceSlice',
    metadata: { name },
    spec: { driver: DRIVER, nodeName: 'n', pool: { name: 'p', generation: 1, resourceSliceCount }, devices: [{ name }] },
  })
  const request = (name: string) => ({
    apiVersion: 'resource.k8s.io/v1alpha3',
    kind: 'ResourcePoolStatusRequest',
    metadata: { name },
    spec: { driver: DRIVER },
  })

  for (const release of ['1.36', '1.37'])
    it(`are completed when all slices are there, and deleted an hour later, in ${release}`, async () => {
      const plane = await startIn(release)
      const statusOf = async (name: string): Promise<AnyObject | undefined> =>
        (await plane.request<AnyObject>('GET', `${REQUESTS}/${name}`)).body.status
      try {
        await plane.apply(slice('a', 2), request('r'))
        await plane.settled()
        expect(await statusOf('r')).to.equal(undefined)
        await plane.advance('2h')
        await plane.apply(slice('b', 2))
        await plane.until(async () => (await statusOf('r'))?.conditions?.[0].type === 'Complete')
        expect(await statusOf('r')).to.deep.include({
          poolCount: 1,
          pools: [
            {
              driver: DRIVER,
              poolName: 'p',
              generation: 1,
              resourceSliceCount: 2,
              totalDevices: 2,
              allocatedDevices: 0,
              availableDevices: 2,
              unavailableDevices: 0,
              nodeName: 'n',
            },
          ],
        })
        await plane.advance('59m')
        await plane.settled()
        expect((await plane.request('GET', `${REQUESTS}/r`)).status).to.equal(200)
        await plane.advance('2m')
        await plane.until(async () => (await plane.request('GET', `${REQUESTS}/r`)).status === 404)
      } finally {
        await plane.stop()
      }
    })
})
