import { expect } from 'chai'
import { GroupForest } from '../../../../../src/cluster/scheduler/groups/group-forest.ts'
import { compositeKey, parentKey, podsHelpedBy, type TreeObject, treeKey } from '../../../../../src/cluster/scheduler/groups/group-trees.ts'
import { seededRandom } from '../../../../../src/lib/seeded-random.ts'
import { runAtOnce } from '../../../../../src/lib/steps.ts'
import { compositeOf, groupOf } from '../../../../support/composite-groups.ts'
import { podOf } from '../../../../support/scheduling.ts'

type Parts = Parameters<typeof groupOf>[1]
const group = (name: string, parts: Parts = {}): TreeObject => groupOf(name, parts) as unknown as TreeObject
const composite = (name: string, parts: Parts = {}): TreeObject => compositeOf(name, parts) as unknown as TreeObject
const created = (object: TreeObject, creationTimestamp: string): TreeObject => ({
  ...object,
  metadata: { ...object.metadata, creationTimestamp },
})
const isComposite = (object: TreeObject): boolean => 'kind' in object && object.kind === 'CompositePodGroup'
const keyOf = (object: TreeObject): string => treeKey(object, isComposite(object))

/** A forest with objects, and the numbers of pods by the name of their group. */
function forestOf(objects: readonly TreeObject[], pods: Record<string, number> = {}, hasComposites = true): GroupForest {
  const forest = new GroupForest(key => pods[key.replace('default/', '')] ?? 0, hasComposites)
  for (const object of objects) forest.set(object, isComposite(object))
  return forest
}

describe('the forest of groups of pods', () => {
  const chain = ['c1', 'c2', 'c3', 'c4'].map((name, i) => composite(name, i > 0 ? { parent: `c${i}` } : {}))
  const cases: [string, TreeObject[], string[], string | undefined, string][] = [
    ['a group without a parent', [group('g')], ['default/g'], undefined, 'default/g'],
    ['no group', [], [], 'a missing group', 'default/g'],
    ['a missing parent', [group('g', { parent: 'c1' })], ['default/g'], 'a missing group', compositeKey('default', 'c1')],
    [
      'a parent that is a group of pods',
      [group('g', { parent: 'h' }), group('h')],
      ['default/g'],
      'a missing group',
      compositeKey('default', 'h'),
    ],
    [
      'four levels',
      [...chain.slice(0, 3), group('g', { parent: 'c3' })],
      ['default/g', ...['c3', 'c2', 'c1'].map(name => compositeKey('default', name))],
      undefined,
      compositeKey('default', 'c1'),
    ],
    [
      'five levels',
      [...chain, group('g', { parent: 'c4' })],
      ['default/g', ...['c4', 'c3', 'c2'].map(name => compositeKey('default', name))],
      'too many levels',
      compositeKey('default', 'c1'),
    ],
    [
      'a cycle',
      [composite('x', { parent: 'y' }), composite('y', { parent: 'x' }), group('g', { parent: 'x' })],
      ['default/g', ...['x', 'y', 'x'].map(name => compositeKey('default', name))],
      'too many levels',
      compositeKey('default', 'y'),
    ],
  ]
  for (const [title, objects, groups, brokenBy, end] of cases)
    it(`finds the way to the root: ${title}`, () => {
      const path = forestOf(objects).pathOf('default/g')
      expect({ ...path, groups: path.groups.map(({ key }) => key) }).to.deep.equal({ groups, brokenBy, end })
    })

  it('ignores parents without the gate', () => {
    const { groups, brokenBy } = forestOf([group('g', { parent: 'c' })], {}, false).pathOf('default/g')
    expect([groups.length, brokenBy]).to.deep.equal([1, undefined])
  })

  it('orders the groups below a parent by their age, and then by kind and name', () => {
    const forest = forestOf([
      created(group('late', { parent: 'root' }), '2026-01-02T00:00:00Z'),
      created(group('b', { parent: 'root' }), '2026-01-01T00:00:00Z'),
      created(composite('z', { parent: 'root' }), '2026-01-01T00:00:00Z'),
      created(group('a', { parent: 'root' }), '2026-01-01T00:00:00Z'),
      group('other', { parent: 'other' }),
    ])
    const children = runAtOnce(forest.childrenOf(compositeKey('default', 'root'))).map(({ key }) => key)
    expect(children).to.deep.equal([compositeKey('default', 'z'), 'default/a', 'default/b', 'default/late'])
  })

  it('finds the groups of pods of a tree from any of its groups, and from one that is deleted', () => {
    const [root, inner, a, b] = [
      composite('root'),
      composite('inner', { parent: 'root' }),
      group('a', { parent: 'inner' }),
      group('b', { parent: 'root' }),
    ] as const
    const forest = forestOf([root, inner, a, b])
    for (const each of [root, inner, a, b])
      expect([...forest.leavesOf(keyOf(each))].sort(), keyOf(each)).to.deep.equal(['default/a', 'default/b'])
    forest.delete(keyOf(inner))
    expect([...forest.leavesOf(keyOf(inner), keyOf(root))].sort()).to.deep.equal(['default/a', 'default/b'])
    expect([...forest.leavesOf(keyOf(b))]).to.deep.equal(['default/b'])
  })

  it('names the pods that a change helps once their tree is ready', () => {
    const pods: Record<string, number> = { a: 1 }
    const forest = forestOf([composite('root', { minimum: 2 }), group('a', { parent: 'root' }), group('b', { parent: 'root' })], pods)
    const objects = { trees: forest, podsOfGroup: (key: string) => [podOf({ name: `pod of ${key}` })] }
    const helped = (object: TreeObject): string[] =>
      podsHelpedBy(object, isComposite(object), objects).map(({ metadata }) => metadata.name ?? '')
    expect(helped(group('a', { parent: 'root' }))).to.deep.equal([])
    pods.b = 1
    forest.update('default/b')
    for (const each of [group('a', { parent: 'root' }), composite('root')])
      expect(helped(each).sort()).to.deep.equal(['pod of default/a', 'pod of default/b'])
    forest.delete(compositeKey('default', 'root'))
    expect(helped(group('a', { parent: 'root' }))).to.deep.equal([])
  })

  it('is ready where enough members are, after any history of changes', () => {
    const random = seededRandom(7)
    const below = (count: number): number => Math.floor(random() * count)
    const pods: Record<string, number> = {}
    const forest = forestOf([], pods)
    const objects = new Map<string, TreeObject>()
    const isReady = (key: string): boolean => {
      const object = objects.get(key) as unknown as { spec: { schedulingPolicy: { gang?: Record<string, number> } } } | undefined
      if (object === undefined) return false
      const { gang } = object.spec.schedulingPolicy
      const children = [...objects.values()].filter(one => parentKey(one) === key)
      const isGroup = !key.startsWith('composite:')
      const count = isGroup ? (pods[key.replace('default/', '')] ?? 0) : children.filter(child => isReady(keyOf(child))).length
      return count >= (gang?.minGroupCount ?? gang?.minCount ?? 1)
    }
    for (let i = 0; i < 600; i++) {
      const at = below(8)
      // A parent has a lower number, so that there is no cycle.
      const parts = { ...(at > 0 && below(5) > 0 && { parent: `g${below(at)}` }), ...(below(3) > 0 && { minimum: 1 + below(3) }) }
      const object = below(2) === 0 ? group(`g${at}`, parts) : composite(`g${at}`, parts)
      if (below(3) === 0) {
        pods[`g${at}`] = below(4)
        forest.update(`default/g${at}`)
      } else if (below(4) === 0) {
        objects.delete(keyOf(object))
        forest.delete(keyOf(object))
      } else {
        objects.set(keyOf(object), object)
        forest.set(object, isComposite(object))
      }
      for (const key of Array.from({ length: 8 }, (_, k) => [`default/g${k}`, compositeKey('default', `g${k}`)]).flat())
        expect(forest.isReady(key), `${key} after ${i} changes`).to.equal(isReady(key))
    }
  })

  it('does not run in circles', () => {
    const pods = { g: 1 }
    const forest = forestOf([composite('x', { parent: 'y' }), composite('y', { parent: 'x' }), group('g', { parent: 'x' })], pods)
    expect(forest.isReady(compositeKey('default', 'y'))).to.equal(true)
    expect([...forest.leavesOf('default/g')]).to.deep.equal(['default/g'])
    forest.delete(compositeKey('default', 'y'))
    forest.delete('default/g')
    expect(forest.isReady(compositeKey('default', 'x'))).to.equal(false)
  })
})
