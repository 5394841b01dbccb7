import { expect } from 'chai'
import { podsByController, podsByNode, revisionsOf } from '../../../src/console/cluster-view.ts'
import type { Row } from '../../../src/console/table-rows.ts'

const COLUMNS = ['Name', 'Ready', 'Status', 'Node'].map(name => ({ name }))

function pod(name: string, ready: string, status: string, node: string | null, controller?: string): [string, Row] {
  const ownerReferences = controller ? [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'rs', uid: controller, controller: true }] : []
  return [`default/${name}`, { cells: [name, ready, status, node], object: { metadata: { name, namespace: 'default', ownerReferences } } }]
}

const set = (name: string, created: string, owner: string, desired: number, ready: number): [string, Row] => [
  `default/${name}`,
  {
    cells: [name, desired, desired, ready],
    object: {
      metadata: {
        name,
        uid: `uid of ${name}`,
        creationTimestamp: created,
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: owner, controller: true }],
      },
    },
  },
]

describe('the view of a cluster', () => {
  it('groups pods by node, with their states', () => {
    const groups = podsByNode(
      COLUMNS,
      new Map([
        pod('d', '0/1', 'Completed', 'a'),
        pod('b', '1/1', 'Running', 'a'),
        pod('c', '0/1', 'CrashLoopBackOff', 'a'),
        pod('a', '0/1', 'Running', 'a'),
        pod('e', '0/1', 'ContainerCreating', 'b'),
        pod('f', '0/1', 'Pending', '<none>'),
        pod('g', '0/1', 'Pending', null),
        pod('h', '0/1', 'OutOfcpu', 'b'),
      ]),
    )
    const states = [...groups].map(([node, marks]) => [node, ...marks.map(({ name, state }) => `${name} ${state}`)])
    expect(states).to.deep.equal([
      ['a', 'a starting', 'b ready', 'c failed', 'd done'],
      ['b', 'e starting', 'h failed'],
      ['', 'f starting', 'g starting'],
    ])
    expect(groups.get('a')?.[0]).to.include({ key: 'default/a', namespace: 'default', text: 'Running 0/1' })
  })

  it('groups pods by their controller, and leaves out others', () => {
    const groups = podsByController(COLUMNS, new Map([pod('a', '1/1', 'Running', 'n', 'x'), pod('b', '1/1', 'Running', 'n')]))
    expect([...groups].map(([uid, marks]) => [uid, marks.length])).to.deep.equal([['x', 1]])
  })

  it('lists the ReplicaSets of a Deployment, the newest first', () => {
    const columns = ['Name', 'Desired', 'Current', 'Ready'].map(name => ({ name }))
    const rows = new Map([
      set('web-1', '2030-01-01T00:00:00Z', 'd', 1, 1),
      set('other', '2030-01-03T00:00:00Z', 'e', 1, 1),
      set('web-2', '2030-01-02T00:00:00Z', 'd', 3, 2),
    ])
    expect(revisionsOf(columns, rows, 'd').map(({ uid, desired, ready }) => `${uid} ${ready}/${desired}`)).to.deep.equal([
      'uid of web-2 2/3',
      'uid of web-1 1/1',
    ])
  })
})
