import { expect } from 'chai'
import { changedObjects, describedDifference, differences, finalState, Variation } from '../../../src/explore/final-state.ts'

const UID_A = '00000000-0000-4000-8000-00000000000a'
const UID_B = '00000000-0000-4000-8000-00000000000b'

const store = (objects: Readonly<Record<string, object>>): Map<string, string> =>
  new Map(Object.entries(objects).map(([key, object]) => [`/registry/${key}`, JSON.stringify(object)]))
const stateOf = (objects: Readonly<Record<string, object>>, ignore: readonly string[] = []) =>
  finalState(changedObjects(store(objects), new Map()), ignore)

describe('the final state of a run', () => {
  it('has the objects that the run has created, changed or deleted', () => {
    const before = store({ 'pods/a/kept': { spec: 1 }, 'pods/a/changed': { spec: 1 }, 'pods/a/deleted': { spec: 1 } })
    const now = store({
      'pods/a/kept': { spec: 1 },
      'pods/a/changed': { spec: 2 },
      'apps/x.example.dev/made': {},
      'x.example.dev/things/a/made': {},
      'events/a/left-out': {},
    })
    expect(changedObjects(now, before).map(({ id }) => id)).to.deep.equal([
      'pods a/changed',
      'apps x.example.dev/made',
      'things.x.example.dev a/made',
      'pods a/deleted',
    ])
  })

  it('has services by their names, and not the addresses that they get', () => {
    const now = new Map(['services/specs/a/web', 'services/endpoints/a/web', 'ipaddresses/10.0.0.7'].map(key => [`/registry/${key}`, '{}']))
    expect(changedObjects(now, new Map()).map(({ id }) => id)).to.deep.equal(['services a/web', 'endpoints a/web'])
  })

  it('does not depend on generated names, uids, times, versions and generations', () => {
    const run = (name: string, uid: string, day: string, version: string) =>
      stateOf({
        [`pods/a/${name}`]: {
          metadata: {
            name,
            generateName: 'web-',
            uid,
            resourceVersion: version,
            generation: 3,
            creationTimestamp: `2030-01-${day}T00:00:00Z`,
          },
        },
        'configmaps/a/list': {
          metadata: { name: 'list', generation: 2 },
          data: { pod: `pod ${name}`, uid, at: `since 2030-01-${day}T01:02:03.5Z` },
          status: { observedGeneration: 2, resourceVersion: version },
        },
      })
    expect(differences(run('web-x1', UID_A, '01', '5'), run('web-y2', UID_B, '02', '6'))).to.deep.equal([])
  })

  it('differs if a field, an observed generation or the number of objects does', () => {
    const one = { metadata: { name: 'a', generation: 2 }, status: { observedGeneration: 2 }, spec: { size: 1 } }
    const other = { ...one, status: { observedGeneration: 1 }, spec: { size: 2 } }
    expect(differences(stateOf({ 'x/n/a': one }), stateOf({ 'x/n/a': other })).map(describedDifference)).to.deep.equal([
      'x n/a: spec.size should be 1, but is 2',
      'x n/a: status.observedGeneration should be "current", but is "behind"',
    ])
    const pod = (name: string) => ({ metadata: { name, generateName: 'p-' } })
    const found = differences(stateOf({ 'pods/n/p-1': pod('p-1') }), stateOf({ 'pods/n/p-2': pod('p-2'), 'pods/n/p-3': pod('p-3') }))
    expect(found.map(describedDifference)).to.deep.equal(['pods n/p-*: an object was expected, there is 2 objects'])
  })

  it('leaves out ignored paths and what the concurrent writer has written', () => {
    const touched = { metadata: { name: 'a', annotations: { 'binnacle.dev/concurrent-writes': '1' } }, status: { attempts: 4 } }
    expect(
      differences(stateOf({ 'x/n/a': { metadata: { name: 'a' }, status: {} } }), stateOf({ 'x/n/a': touched }, ['status.attempts'])),
    ).to.deep.equal([])
  })

  it('is not compared where undisturbed runs differ', () => {
    const address = (ip: string, size = 1) => stateOf({ 'services/n/a': { spec: { clusterIP: ip, size } } })
    const variation = new Variation([[address('10.0.0.1'), address('10.0.0.2')]])
    const varies = differences(address('10.0.0.1'), address('10.0.0.9', 2)).map(difference => variation.varies(difference))
    expect(varies).to.deep.equal([true, false])
  })
})
