import { expect } from 'chai'
import { startControlPlane } from '../../../src/testing/start-control-plane.ts'
import type { AnyObject } from '../../support/any-object.ts'

const POD = '/api/v1/namespaces/default/pods/left'

describe('a pod whose node does not exist', () => {
  for (const [release, phase, conditions] of [
    ['1.25', 'Pending', []],
    ['1.33', 'Failed', ['DisruptionTarget: PodGC: node no longer exists']],
  ] as const)
    it(`is deleted in ${release} with the phase ${phase}`, async () => {
      const plane = await startControlPlane({
        clock: 'stopped',
        flags: { profile: 'cluster', controllers: ['pod-garbage-collector-controller'], 'emulated-version': release },
      })
      try {
        await plane.apply({
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'left', namespace: 'default', finalizers: ['example.com/look'] },
          spec: { nodeName: 'gone', containers: [{ name: 'c', image: 'app:1' }] },
        })
        await plane.settled()
        await plane.advance(40_000)
        await plane.settled()
        const { metadata, status } = (await plane.request<AnyObject>('GET', POD)).body
        expect(metadata.deletionGracePeriodSeconds).to.equal(0)
        expect(status.phase).to.equal(phase)
        expect((status.conditions ?? []).map(({ type, message }: AnyObject) => `${type}: ${message}`)).to.deep.equal(conditions)
      } finally {
        await plane.stop()
      }
    })
})
