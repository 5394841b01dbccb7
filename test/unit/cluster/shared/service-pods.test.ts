import { expect } from 'chai'
import type { Pod } from '../../../../src/api/core/v1.types.ts'
import { Informer } from '../../../../src/cluster/shared/informer.ts'
import { PODS, SERVICES } from '../../../../src/cluster/shared/kinds.ts'
import { endpointChange, followServicePods, podsByService } from '../../../../src/cluster/shared/service-pods.ts'
import { FakeApiClient } from '../../../support/fake-api-client.ts'
import { type PodParts, podOf } from '../../../support/scheduling.ts'
import { serviceOf } from '../../../support/slices.ts'

const ready = (status: 'True' | 'False'): Pod['status'] => ({
  conditions: [{ type: 'Ready', status }] as NonNullable<Pod['status']['conditions']>,
})

describe('pods of services', () => {
  const changes: [title: string, old: PodParts, next: PodParts, isOfEndpoint: boolean, isOfMembership: boolean][] = [
    ['labels', {}, { labels: { a: 'b' } }, false, true],
    ['host name', {}, { spec: { hostname: 'h' } }, false, true],
    ['readiness', { status: ready('True') }, { status: ready('False') }, true, false],
    ['addresses', {}, { status: { podIPs: [{ ip: '10.0.0.1' }] } }, true, false],
    ['deletion', {}, { metadata: { deletionTimestamp: '2030-01-01T00:00:00Z' } }, true, false],
    ['annotations', {}, { metadata: { annotations: { a: 'b' } } }, false, false],
  ]
  for (const [title, old, next, isOfEndpoint, isOfMembership] of changes)
    it(`${isOfEndpoint || isOfMembership ? 'change' : 'stay the same'} with the ${title}`, () =>
      expect(endpointChange(podOf(old), podOf(next))).to.deep.equal({ isOfEndpoint, isOfMembership }))

  it('are reported to the services that select them, before or after a change', async () => {
    const ended = new AbortController()
    const client = new FakeApiClient()
    for (const app of ['web', 'db']) await client.create(SERVICES, serviceOf({ selector: { app } }, { name: app }))
    await client.create(SERVICES, serviceOf({ selector: {} }, { name: 'none' }))
    await client.create(PODS, {
      ...podOf({ labels: { app: 'web' } }),
      metadata: { name: 'earlier', namespace: 'default', labels: { app: 'web' } },
    })
    const [pods, services] = [new Informer(client, PODS), new Informer(client, SERVICES)]
    for (const informer of [pods, services]) void informer.run(ended.signal)
    await Promise.all([pods.synced(), services.synced()])
    const keys: string[] = []
    followServicePods({ pods, services, enqueue: key => keys.push(key) })
    expect(keys).to.deep.equal([])
    const steps: [PodParts, string[]][] = [
      [{ labels: { app: 'web' } }, ['default/web']],
      [{ labels: { app: 'web', other: 'x' } }, []],
      [{ labels: { app: 'db' } }, ['default/web', 'default/db']],
      [{ labels: { app: 'db' }, status: ready('True') }, ['default/db']],
    ]
    let isNew = true
    for (const [parts, expected] of steps) {
      if (isNew) await client.create(PODS, podOf(parts))
      else await client.update(PODS, podOf(parts))
      isNew = false
      await new Promise(setImmediate)
      expect(keys.splice(0)).to.deep.equal(expected)
    }
    const podsOf = podsByService(pods)
    expect((await podsOf(serviceOf({ selector: { app: 'db' } }))).length).to.equal(1)
    expect(await podsOf(serviceOf({ selector: {} }))).to.deep.equal([])
    ended.abort()
  })
})
