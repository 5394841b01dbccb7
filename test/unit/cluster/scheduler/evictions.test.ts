import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'chai'
import type { ApiClient } from '../../../../src/clients/api-client.ts'
import { type EvictionParts, evictVictims } from '../../../../src/cluster/scheduler/evictions.ts'
import { NodeInfo } from '../../../../src/cluster/scheduler/node-info.ts'
import { NominatedPodsByNode } from '../../../../src/cluster/scheduler/nominated-pods.ts'
import { isSince, type Release } from '../../../../src/lifecycle/release.ts'
import { notFoundError, serviceUnavailableError } from '../../../../src/meta/status.ts'
import { featuresOf } from '../../../support/hook-context.ts'
import { infoOf, nodeOf } from '../../../support/scheduling.ts'

const node = NodeInfo.of(nodeOf('n'))
const PREEMPTOR = infoOf({ name: 'urgent', spec: { priority: 10, schedulerName: 'mine', containers: [] } })

/** Runs evictions with an API that fails for some pods. Returns the requests and the names of pods with an event. */
async function evictionsOf(
  failures: Record<string, Error>,
  nominated = new NominatedPodsByNode(),
  takeBack: EvictionParts['takeBack'] = () => false,
  { release = '1.33', victims = [infoOf({ name: 'a' }), infoOf({ name: 'b' })] } = {},
) {
  const requests: string[] = []
  const events: string[] = []
  const answer = async (request: string, name: string): Promise<void> => {
    requests.push(`${request} ${name}`)
    const failure = failures[name]
    if (failure) throw failure
  }
  const client = {
    patch: (_kind: unknown, { name }: { name: string }, patch: object) => answer(`patch ${JSON.stringify(patch)}`, name),
    delete: (_kind: unknown, _namespace: string, name: string) => answer('delete', name),
  } as unknown as ApiClient
  const recorder = { record: ({ about }: { about: { metadata: { name: string } } }) => events.push(about.metadata.name) }
  const features = { release, enabled: () => isSince(release as Release, '1.34') }
  const parts = { env: { client, clock: { now: () => 0 }, features }, recorder, nominated, takeBack } as unknown as EvictionParts
  const error = await evictVictims(parts, PREEMPTOR.pod, {
    node,
    victims,
    violations: 0,
  }).catch(String)
  return { requests, events, error }
}

describe('evictions for a preemption', () => {
  it('only take back the node of a victim that is not bound yet', async () => {
    const { requests, events } = await evictionsOf({}, undefined, ({ metadata }) => metadata.name === 'a')
    expect(requests.map(request => request.split(' ').at(-1))).to.deep.equal(['b', 'b'])
    expect(events).to.have.members(['a', 'b'])
  })

  it('delete each victim after its condition is written', async () => {
    const condition = { type: 'DisruptionTarget', status: 'True', lastProbeTime: null, lastTransitionTime: '1970-01-01T00:00:00Z' }
    const why = { reason: 'PreemptionByScheduler', message: 'mine: preempting to accommodate a higher priority pod' }
    const patch = `patch ${JSON.stringify({ status: { conditions: [{ ...condition, ...why }] } })}`
    const { requests, events } = await evictionsOf({})
    expect(requests).to.deep.equal([`${patch} a`, `${patch} b`, 'delete a', 'delete b'])
    expect(events).to.deep.equal(['a', 'b'])
  })

  it('pass over a victim that is gone, and fail if the API rejects another one', async () => {
    const gone = await evictionsOf({ a: notFoundError({ group: '', resource: 'pods' }, 'a') })
    expect([gone.events, gone.error]).to.deep.equal([['b'], undefined])
    expect((await evictionsOf({ a: serviceUnavailableError('down') })).error).to.contain('down')
  })

  it('write the generation of a victim, and pass over one that is being deleted, in the releases that do', async () => {
    const terminating = infoOf({ name: 'a', metadata: { deletionTimestamp: '2030-01-01T00:00:00Z' } })
    const victims = [terminating, infoOf({ name: 'b', metadata: { generation: 3 } })]
    const ofRelease = async (release: string) => {
      const { requests, events } = await evictionsOf({}, undefined, undefined, { release, victims })
      return [events, requests.filter(request => request.includes('"observedGeneration":3')).length]
    }
    expect(await ofRelease('1.33')).to.deep.equal([['a', 'b'], 0])
    expect(await ofRelease('1.34')).to.deep.equal([['a', 'b'], 1])
    expect(await ofRelease('1.35')).to.deep.equal([['b'], 1])
    const nominated = new NominatedPodsByNode()
    nominated.set(infoOf({ name: 'low' }), 'n')
    expect((await evictionsOf({}, nominated, undefined, { release: '1.35', victims: [terminating] })).requests).to.deep.equal([])
  })

  it('delete few victims at the same time', async () => {
    const open = new Set<() => void>()
    let most = 0
    const write = (): Promise<void> =>
      new Promise(resolve => {
        open.add(resolve)
        most = Math.max(most, open.size)
      })
    const parts = {
      env: { client: { patch: write, delete: write }, clock: { now: () => 0 }, features: featuresOf() },
      recorder: { record: () => {} },
      nominated: new NominatedPodsByNode(),
      takeBack: () => false,
    } as unknown as EvictionParts
    const victims = Array.from({ length: 100 }, (_, i) => infoOf({ name: `v${i}` }))
    let isDone = false
    const done = evictVictims(parts, PREEMPTOR.pod, { node, victims, violations: 0 }).then(() => {
      isDone = true
    })
    while (!isDone) {
      for (const end of open) end()
      open.clear()
      await nextTurn()
    }
    await done
    expect(most).to.equal(16)
  })

  it('take back the nominations of pods with lower priority', async () => {
    const nominated = new NominatedPodsByNode()
    nominated.set(infoOf({ name: 'low' }), 'n')
    nominated.set(PREEMPTOR, 'n')
    const { requests } = await evictionsOf({}, nominated)
    expect(requests[0]).to.equal('patch {"status":{"nominatedNodeName":null}} low')
    expect(nominated.on('n')).to.deep.equal([PREEMPTOR])
  })
})
