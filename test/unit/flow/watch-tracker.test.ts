import { expect } from 'chai'
import { WatchTracker } from '../../../src/flow/watch-tracker.ts'
import { infoOf } from '../../support/flow.ts'

describe('WatchTracker', () => {
  const WATCHES: [resource: string, group: string, namespace: string, name: string, query?: string][] = [
    ['pods', '', 'foo', '', ''],
    ['pods', '', '', '', ''],
    ['pods', '', '', '', 'fieldSelector=spec.nodeName%3Dnode1'],
    ['pods', '', 'foo', '', 'fieldSelector=spec.nodeName%3D'],
    ['pods', '', 'foo', '', 'fieldSelector=spec.nodeName%21%3Dnode1'],
    ['deployments', 'apps', 'foo', 'web', ''],
    ['deployments', 'apps', 'foo', '', ''],
    ['nodes', '', '', 'node1', 'fieldSelector=metadata.name%3Dnode1'],
  ]
  const tracker = new WatchTracker()
  const forget = WATCHES.map(([resource, group, namespace, name, query]) =>
    tracker.register({ resource, group, namespace, name }, new URLSearchParams(query)),
  )

  const CASES: [info: Parameters<typeof infoOf>[0], count: number][] = [
    [{ verb: 'create', resource: 'pods', namespace: 'foo' }, 4],
    [{ verb: 'create', resource: 'pods', namespace: 'bar' }, 1],
    [{ verb: 'update', resource: 'deployments', group: 'apps', namespace: 'foo', name: 'web' }, 2],
    [{ verb: 'update', resource: 'deployments', group: 'apps', namespace: 'foo', name: 'db' }, 1],
    [{ verb: 'update', resource: 'deployments', group: 'other', namespace: 'foo', name: 'web' }, 0],
    [{ verb: 'patch', resource: 'nodes', name: 'node1' }, 1],
    [{ verb: 'get', resource: 'pods', namespace: 'foo' }, 0],
    [{ verb: 'list', resource: 'pods', namespace: 'foo' }, 0],
  ]
  for (const [info, count] of CASES)
    it(`${JSON.stringify(info)}: ${count}`, () => expect(tracker.interestedIn(infoOf(info))).to.equal(count))

  it('forgets watches that have ended', () => {
    for (const each of forget) each()
    expect(tracker.interestedIn(infoOf({ verb: 'create', resource: 'pods', namespace: 'foo' }))).to.equal(0)
  })
})
