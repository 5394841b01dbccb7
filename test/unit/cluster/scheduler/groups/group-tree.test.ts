import { expect } from 'chai'
import type { KubeObject } from '../../../../../src/api/meta/object.ts'
import { type GroupNode, leavesOf, nodesOf, treeOf } from '../../../../../src/cluster/scheduler/groups/group-tree.ts'
import { gangScheduling } from '../../../../../src/cluster/scheduler/plugins/gang-scheduling.ts'
import { runAtOnce } from '../../../../../src/lib/steps.ts'
import { compositeOf, groupOf } from '../../../../support/composite-groups.ts'
import { countedSteps } from '../../../../support/counted-steps.ts'
import { objectsOf, podOf } from '../../../../support/scheduling.ts'

const objectsWith = (...objects: unknown[]) => objectsOf(objects as KubeObject[])
const shapeOf = ({ object, children }: GroupNode): unknown =>
  children.length === 0 ? object.metadata.name : { [object.metadata.name ?? '']: children.map(shapeOf) }
const chain = (length: number) =>
  Array.from({ length }, (_, i) => compositeOf(`c${i + 1}`, { minimum: 1, ...(i > 0 && { parent: `c${i}` }) }))
const tooDeep = (name: string): string => `hierarchy starting at default/${name} is deeper than the maximum of 4, or contains a cycle`
const pod = (podGroupName: string, name = 'p') => podOf({ name, spec: { schedulingGroup: { podGroupName } } })

describe('a tree of groups of pods', () => {
  const treeFrom = (key: string, ...objects: unknown[]) => runAtOnce(treeOf(key, objectsWith(...objects).trees))

  it('is one group if that has no parent', () => {
    const tree = treeFrom('default/g', groupOf('g', { minimum: 3 }))
    expect(tree).to.include({ key: 'default/g', isComposite: false })
    expect(tree && 'rules' in tree && [tree.rules.minCount, tree.children]).to.deep.equal([3, []])
  })

  it('has all groups below the root, from whichever of them it is found', () => {
    const objects = [
      compositeOf('root', { minimum: 2 }),
      compositeOf('inner', { parent: 'root' }),
      compositeOf('empty', { parent: 'root' }),
      ...['a', 'b'].map(name => groupOf(name, { parent: 'inner' })),
      groupOf('c', { parent: 'root' }),
      groupOf('other', {}),
    ]
    for (const key of ['default/a', 'default/b', 'default/c']) {
      const tree = treeFrom(key, ...objects) as GroupNode
      expect(shapeOf(tree)).to.deep.equal({ root: ['empty', { inner: ['a', 'b'] }, 'c'] })
      expect([tree.rules.minCount, leavesOf(tree).map(leaf => leaf.key), nodesOf(tree).length]).to.deep.equal([
        2,
        ['default/a', 'default/b', 'default/c'],
        6,
      ])
    }
  })

  it('is unknown while a group above is missing', () => {
    expect(treeFrom('default/g', groupOf('g', { parent: 'c1' }))).to.equal(undefined)
    expect(treeFrom('default/g')).to.equal(undefined)
  })

  for (const [title, objects, message, names] of [
    ['a fifth level above it', [...chain(4), groupOf('g', { parent: 'c4' })], tooDeep('g'), ['g', 'c4', 'c3', 'c2']],
    [
      'a fifth level elsewhere',
      [...chain(4), groupOf('g', { parent: 'c1' }), groupOf('deep', { parent: 'c4' })],
      tooDeep('deep'),
      ['c1', 'c2', 'c3', 'c4', 'deep'],
    ],
    [
      'a cycle',
      [compositeOf('x', { parent: 'y' }), compositeOf('y', { parent: 'x' }), groupOf('g', { parent: 'x' })],
      tooDeep('g'),
      ['g', 'x', 'y'],
    ],
  ] as const)
    it(`is invalid: ${title}`, () => {
      const tree = treeFrom('default/g', ...objects)
      if (tree === undefined || !('message' in tree)) throw new Error('the tree is valid')
      expect([tree.message, tree.groups.map(({ object }) => object.metadata.name)]).to.deep.equal([message, names])
    })

  it('is built in steps, as there may be thousands of groups', () => {
    const objects = objectsWith(compositeOf('root', {}), ...Array.from({ length: 5000 }, (_, i) => groupOf(`g${i}`, { parent: 'root' })))
    const { result, yields } = countedSteps(treeOf('default/g0', objects.trees))
    expect([(result as GroupNode).children.length, yields > 10]).to.deep.equal([5000, true])
  })

  for (const [title, objects, text] of [
    ['the parent', [groupOf('g', { parent: 'c1' }), pod('g')], 'waiting for composite pod group "c1" tree to meet quorum'],
    [
      'the root',
      [compositeOf('c2', { parent: 'c1' }), groupOf('g', { parent: 'c2' }), pod('g')],
      'waiting for composite pod group "c1" tree to meet quorum',
    ],
    [
      'another group',
      [
        compositeOf('c1', { minimum: 2 }),
        groupOf('g', { parent: 'c1' }),
        groupOf('h', { parent: 'c1', minimum: 2 }),
        pod('g'),
        pod('h', 'q'),
      ],
      'waiting for composite pod group "c1" tree to meet quorum',
    ],
    ['nothing', [...chain(3), groupOf('g', { parent: 'c3' }), pod('g')], undefined],
    ['nothing, as the cycle reports that it is invalid', [...chain(4), groupOf('g', { parent: 'c4' }), pod('g')], undefined],
  ] as const)
    it(`keeps its pods out of the queue until all of it is ready: ${title}`, () => {
      expect(gangScheduling.preEnqueue?.(pod('g'), objectsWith(...objects))?.reasons[0]).to.equal(text)
    })
})
