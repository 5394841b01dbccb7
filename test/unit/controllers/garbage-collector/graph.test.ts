import { expect } from 'chai'
import type { ObjectMeta, OwnerReference } from '../../../../src/api/meta/object.ts'
import type { Coordinates } from '../../../../src/controllers/garbage-collector/coordinates.ts'
import { coordinatesKey } from '../../../../src/controllers/garbage-collector/coordinates.ts'
import { FOREGROUND, OwnerGraph } from '../../../../src/controllers/garbage-collector/graph.ts'
import { runAtOnce } from '../../../../src/lib/steps.ts'
import { countedSteps } from '../../../support/counted-steps.ts'

const MANY = 6000

/** Parses `ns/name#uid`, or `name#uid` for cluster-scoped objects. The default kind is Thing. */
interface Reference {
  readonly name: string
  readonly uid: string
  readonly kind?: string
  readonly blocks?: boolean
}

type Step =
  | {
      readonly put: string
      readonly owners?: readonly Reference[]
      readonly deleting?: readonly string[]
      readonly asks: readonly string[]
    }
  | { readonly remove: string; readonly asks: readonly string[] }
  /** Whether the owner must be looked for at other coordinates. */
  | { readonly notFound: string; readonly again?: boolean; readonly asks: readonly string[] }

interface Case {
  readonly name: string
  readonly steps: readonly Step[]
  /** UIDs in the graph at the end. `?` marks virtual nodes. */
  readonly nodes: readonly string[]
  readonly absent?: readonly string[]
}

function coordinates(text: string): Coordinates {
  const [, kind = 'Thing', namespace = '', name = '', uid = ''] = /^(?:(\w+):)?(?:(\w+)\/)?(\w+)#(\w+)$/.exec(text) ?? []
  return { apiVersion: 'v1', kind, namespace, name, uid }
}

function metadata(step: Extract<Step, { put: string }>): ObjectMeta {
  const { namespace, name, uid } = coordinates(step.put)
  const owners = (step.owners ?? []).map(
    ({ name, uid, kind = 'Thing', blocks }): OwnerReference => ({
      apiVersion: 'v1',
      kind,
      name,
      uid,
      ...(blocks !== undefined && { blockOwnerDeletion: blocks }),
    }),
  )
  return {
    name,
    uid,
    ...(namespace !== '' && { namespace }),
    ...(owners.length > 0 && { ownerReferences: owners }),
    ...(step.deleting && { deletionTimestamp: '2026-01-02T03:04:05Z', finalizers: [...step.deleting] }),
  }
}

const o: Reference = { name: 'o', uid: 'o' }
const blocking: Reference = { ...o, blocks: true }

const cases: readonly Case[] = [
  {
    name: 'objects without owners are not examined',
    steps: [
      { put: 'ns/a#a', asks: [] },
      { put: 'ns/a#a', asks: [] },
      { remove: 'ns/a#a', asks: [] },
    ],
    nodes: [],
  },
  {
    name: 'a dependent is examined once its observed owner is removed',
    steps: [
      { put: 'ns/o#o', asks: [] },
      { put: 'ns/a#a', owners: [o], asks: [] },
      { remove: 'ns/o#o', asks: ['examine a'] },
    ],
    nodes: ['a'],
    absent: ['ns/o#o'],
  },
  {
    name: 'an unobserved owner is examined once',
    steps: [
      { put: 'ns/a#a', owners: [o], asks: ['examine o'] },
      { put: 'ns/b#b', owners: [o], asks: [] },
      { notFound: 'ns/o#o', asks: ['examine a', 'examine b'] },
    ],
    nodes: ['a', 'b'],
    absent: ['ns/o#o'],
  },
  {
    name: 'an unobserved owner is dropped with its last dependent',
    steps: [
      { put: 'ns/a#a', owners: [o], asks: ['examine o'] },
      { put: 'ns/b#b', owners: [o], asks: [] },
      { remove: 'ns/a#a', asks: [] },
      { put: 'ns/b#b', asks: [] },
    ],
    nodes: ['b'],
  },
  {
    name: 'an owner that is observed at the referenced place is not examined',
    steps: [
      { put: 'ns/a#a', owners: [o], asks: ['examine o'] },
      { put: 'ns/o#o', asks: [] },
    ],
    nodes: ['a', 'o'],
  },
  {
    name: 'an owner at another place than a dependent refers to',
    steps: [
      { put: 'other/a#a', owners: [o], asks: ['examine o'] },
      { put: 'ns/b#b', owners: [o], asks: ['examine b'] },
      { put: 'ns/o#o', asks: ['tell a of other/o', 'examine a'] },
    ],
    nodes: ['a', 'b', 'o'],
  },
  {
    name: 'a dependent in another namespace than its owner',
    steps: [
      { put: 'ns/o#o', asks: [] },
      { put: 'other/a#a', owners: [o], asks: ['tell a of other/o', 'examine a'] },
    ],
    nodes: ['a', 'o'],
  },
  {
    name: 'a dependent that calls its owner by another name or kind',
    steps: [
      { put: 'ns/o#o', asks: [] },
      { put: 'ns/a#a', owners: [{ ...o, name: 'x' }], asks: ['examine a'] },
      { put: 'ns/b#b', owners: [{ ...o, kind: 'Other' }], asks: ['examine b'] },
    ],
    nodes: ['a', 'b', 'o'],
  },
  {
    name: 'an owner of the whole cluster is owner everywhere',
    steps: [
      { put: 'o#o', asks: [] },
      { put: 'ns/a#a', owners: [o], asks: [] },
      { put: 'b#b', owners: [o], asks: [] },
      { remove: 'o#o', asks: ['examine a', 'examine b'] },
    ],
    nodes: ['a', 'b'],
    absent: ['o#o'],
  },
  {
    name: 'dependents with different places of an owner: each place is examined in turn',
    steps: [
      { put: 'ns/a#a', owners: [{ ...o, name: 'x' }], asks: ['examine o'] },
      { put: 'ns/b#b', owners: [{ ...o, name: 'y' }], asks: ['examine b'] },
      { notFound: 'ns/x#o', again: true, asks: ['examine a'] },
      { remove: 'ns/a#a', asks: [] },
      { notFound: 'ns/y#o', asks: ['examine b'] },
    ],
    nodes: ['b'],
    absent: ['ns/x#o', 'ns/y#o'],
  },
  {
    name: 'a wrong reference to a missing owner does not affect the observed owner',
    steps: [
      { put: 'ns/o#o', asks: [] },
      { put: 'other/a#a', owners: [o], asks: ['tell a of other/o', 'examine a'] },
      { notFound: 'other/o#o', asks: ['examine a'] },
    ],
    nodes: ['a', 'o'],
    absent: ['other/o#o'],
  },
  {
    name: 'deletion that orphans',
    steps: [
      { put: 'ns/o#o', asks: [] },
      { put: 'ns/a#a', owners: [o], asks: [] },
      { put: 'ns/o#o', deleting: ['orphan'], asks: ['orphan o'] },
      { put: 'ns/o#o', deleting: ['orphan'], asks: [] },
    ],
    nodes: ['a', 'o'],
  },
  {
    name: 'deletion in the foreground',
    steps: [
      { put: 'ns/o#o', asks: [] },
      { put: 'ns/a#a', owners: [blocking], asks: [] },
      { put: 'ns/o#o', deleting: ['foregroundDeletion'], asks: ['examine a', 'examine o'] },
      { put: 'ns/o#o', deleting: ['foregroundDeletion'], asks: [] },
      { remove: 'ns/a#a', asks: ['examine o'] },
    ],
    nodes: ['o'],
  },
  {
    name: 'deletions found at the start',
    steps: [
      { put: 'ns/o#o', deleting: ['foregroundDeletion'], asks: ['examine o'] },
      { put: 'ns/p#p', deleting: ['orphan'], asks: ['orphan p'] },
    ],
    nodes: ['o', 'p'],
  },
  {
    name: 'a dependent that no longer holds its owner up',
    steps: [
      { put: 'ns/o#o', asks: [] },
      { put: 'ns/a#a', owners: [blocking], asks: [] },
      { put: 'ns/a#a', owners: [{ ...o, blocks: false }], asks: ['examine o'] },
      { put: 'ns/a#a', owners: [blocking], asks: [] },
      { put: 'ns/a#a', asks: ['examine o'] },
      { remove: 'ns/o#o', asks: [] },
    ],
    nodes: ['a'],
  },
  {
    name: 'an owner that is observed later',
    steps: [
      { put: 'ns/a#a', asks: [] },
      { put: 'ns/a#a', owners: [o], asks: ['examine o'] },
    ],
    nodes: ['a', 'o?'],
  },
  {
    name: 'an object that owns itself',
    steps: [
      { put: 'ns/o#o', owners: [o], asks: [] },
      { remove: 'ns/o#o', asks: [] },
    ],
    nodes: [],
  },
]

describe('OwnerGraph', () => {
  for (const { name, steps, nodes, absent = [] } of cases)
    it(name, () => {
      let asked: string[] = []
      const graph = new OwnerGraph({
        examine: uid => asked.push(`examine ${uid}`),
        orphan: uid => asked.push(`orphan ${uid}`),
        invalidNamespace: (dependent, owner) => asked.push(`tell ${dependent.uid} of ${owner.namespace}/${owner.name}`),
      })
      for (const [i, step] of steps.entries()) {
        asked = []
        if ('put' in step) runAtOnce(graph.put('v1', coordinates(step.put).kind, metadata(step)))
        else if ('remove' in step) runAtOnce(graph.remove(coordinates(step.remove)))
        else expect(runAtOnce(graph.notFound(coordinates(step.notFound))), `step ${i}`).to.equal(step.again ?? false)
        expect(asked, `step ${i}: ${JSON.stringify(step)}`).to.deep.equal(step.asks)
      }
      const uids = ['a', 'b', 'o', 'p'].flatMap(uid => {
        const node = graph.get(uid)
        return node ? [node.virtual ? `${uid}?` : uid] : []
      })
      expect(uids).to.deep.equal([...nodes])
      expect(graph.size).to.equal(nodes.length)
      for (const owner of absent) expect(graph.absent.has(coordinates(owner)), owner).to.equal(true)
    })

  it('returns the observed objects of a kind', () => {
    const graph = new OwnerGraph({ examine: () => {}, orphan: () => {}, invalidNamespace: () => {} })
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Thing', name: 'o', uid: 'o' }]
    runAtOnce(graph.put('v1', 'Thing', { name: 'a', uid: 'a', namespace: 'ns', ownerReferences }))
    runAtOnce(graph.put('v1', 'Other', { name: 'b', uid: 'b', namespace: 'ns' }))
    expect(graph.seen('v1', 'Thing').map(coordinatesKey)).to.deep.equal(['v1 Thing ns/a a'])
    expect(graph.seen('v2', 'Thing')).to.deep.equal([])
  })

  it('adds, changes and removes an object of very many owners, and an owner of very many dependents, in steps', () => {
    const asked = new Set<string>()
    const graph = new OwnerGraph({ examine: uid => asked.add(uid), orphan: () => {}, invalidNamespace: () => {} })
    const put = (uid: string, owners: readonly string[], more: object = {}): number => {
      const ownerReferences = owners.map(owner => ({ apiVersion: 'v1', kind: 'Thing', name: owner, uid: owner }))
      return countedSteps(graph.put('v1', 'Thing', { name: uid, uid, namespace: 'ns', ownerReferences, ...more })).yields
    }
    const remove = (uid: string): number =>
      countedSteps(graph.remove({ apiVersion: 'v1', kind: 'Thing', namespace: 'ns', name: uid, uid })).yields
    const names = (from: number): string[] => Array.from({ length: MANY }, (_, i) => `o${from + i}`)
    const steps = Math.floor(MANY / 512)
    expect(put('a', names(0))).to.be.at.least(steps)
    expect(asked.size).to.equal(MANY)
    expect(put('a', names(MANY / 2))).to.be.at.least(2 * steps)
    expect([graph.get('o0'), graph.get(`o${MANY / 2}`)?.dependents.size, graph.get(`o${MANY + 1}`)?.dependents.size]).to.deep.equal([
      undefined,
      1,
      1,
    ])
    expect(remove('a')).to.be.at.least(2 * steps)
    expect(graph.size).to.equal(0)

    for (const name of names(0)) put(name, ['owner'])
    asked.clear()
    expect(put('owner', [], { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [FOREGROUND] })).to.be.at.least(steps)
    expect(asked.size).to.equal(MANY + 1)
    asked.clear()
    expect(remove('owner')).to.be.at.least(steps)
    expect(asked.size).to.equal(MANY)
  })
})
