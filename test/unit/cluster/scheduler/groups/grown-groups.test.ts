import { expect } from 'chai'
import type { KubeObject } from '../../../../../src/api/meta/object.ts'
import { GrownGroups } from '../../../../../src/cluster/scheduler/groups/grown-groups.ts'
import { compositeOf, groupOf } from '../../../../support/composite-groups.ts'
import { objectsOf, podOf } from '../../../../support/scheduling.ts'

const inGroup = (name: string, podGroupName: string) => podOf({ name, spec: { schedulingGroup: { podGroupName } } })

describe('groups that have new pods', () => {
  it('are listed once for all new pods of a tree', () => {
    const pods = [inGroup('a', 'left'), inGroup('b', 'left'), inGroup('c', 'right'), inGroup('d', 'alone')]
    const groups = [compositeOf('root', {}), ...['left', 'right'].map(name => groupOf(name, { parent: 'root' })), groupOf('alone', {})]
    const grown = new GrownGroups(objectsOf([...groups, ...pods] as readonly unknown[] as KubeObject[]))
    expect([...pods, podOf({ name: 'single' })].map(pod => grown.add(pod))).to.deep.equal([true, true, true, true, false])
    const names = () =>
      grown
        .take()
        ?.map(({ metadata }) => metadata.name)
        .toSorted()
    expect([names(), names(), names()]).to.deep.equal([['a', 'b', 'c'], ['d'], undefined])
    grown.add(inGroup('e', 'right'))
    expect(names()).to.deep.equal(['a', 'b', 'c'])
  })
})
