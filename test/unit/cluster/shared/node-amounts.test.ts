import { expect } from 'chai'
import { allocatableOf, keepAllocatable } from '../../../../src/cluster/shared/node-amounts.ts'
import { MANY_MEMBERS, noteMembers } from '../../../../src/lib/wide-objects.ts'
import { countedSteps } from '../../../support/counted-steps.ts'
import { nodeOf } from '../../../support/scheduling.ts'

const COUNT = 3 * MANY_MEMBERS

describe('the amounts of a node', () => {
  it('are those of the capacity if the node reports no others', () => {
    const { status, ...node } = nodeOf('a')
    const { allocatable: _, ...rest } = status
    expect([...allocatableOf({ ...node, status: { ...rest, capacity: { cpu: '1500m', memory: '1Ki' } } })]).to.deep.equal([
      ['cpu', 1500],
      ['memory', 1024],
    ])
  })

  it('are converted in steps if they are many, and kept', () => {
    const node = nodeOf('a', { allocatable: Object.fromEntries(Array.from({ length: COUNT }, (_, i) => [`e.io/${i}`, `${i}`])) })
    noteMembers(node.status.allocatable ?? {}, COUNT)
    expect(countedSteps(keepAllocatable(node)).yields).to.be.at.least(COUNT / 512)
    const amounts = allocatableOf(node)
    expect([amounts.size >= COUNT, amounts.get('e.io/7')]).to.deep.equal([true, 7])
    expect(allocatableOf(node)).to.equal(amounts)
    expect(countedSteps(keepAllocatable(node)).yields).to.equal(0)
  })

  it('are not converted ahead if they are few', () => {
    const node = nodeOf('a')
    expect(countedSteps(keepAllocatable(node)).yields).to.equal(0)
    expect(allocatableOf(node)).not.to.equal(allocatableOf(node))
  })
})
