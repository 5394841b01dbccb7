import { expect } from 'chai'
import type { Pod } from '../../../../../src/api/core/v1.types.ts'
import {
  ambiguousSelector,
  SelectorError,
  selectingAutoscalers,
  targetSelector,
} from '../../../../../src/cluster/controllers/horizontalpodautoscaler/target-pods.ts'
import { runAtOnce } from '../../../../../src/lib/steps.ts'
import { parseLabelSelector } from '../../../../../src/meta/label-selector.ts'
import { countedSteps } from '../../../../support/counted-steps.ts'

const pod = (labels: Record<string, string>): Pod => ({ metadata: { labels } }) as unknown as Pod

describe('pods of the target of an autoscaler', () => {
  it('need a selector', () => {
    const failures = ['', 'a=(']
      .map(text => {
        try {
          return targetSelector(text)
        } catch (error) {
          return error
        }
      })
      .filter(error => error instanceof SelectorError)
    expect(failures.map(({ reason, condition }) => [reason, condition.reason])).to.deep.equal([
      ['SelectorRequired', 'InvalidSelector'],
      ['InvalidSelector', 'InvalidSelector'],
    ])
    expect(failures[0]?.condition.message).to.equal("the HPA target's scale is missing a selector")
    expect(failures[0]?.message).to.equal('selector is required')
  })

  it('may be selected by several autoscalers', () => {
    const pods = [pod({ a: '1' }), pod({ a: '1', b: '2' })]
    const selectors = ['a=1', 'b=2', 'c=3'].map(text => [`ns/${text}`, parseLabelSelector(text)] as const)
    const selecting = runAtOnce(selectingAutoscalers(pods, selectors))
    expect(selecting).to.deep.equal(['ns/a=1', 'ns/b=2'])
    expect(ambiguousSelector('a=1', selecting).message).to.equal('pods by selector a=1 are controlled by multiple HPAs: [ns/a=1 ns/b=2]')
  })

  it('are compared in steps', () => {
    const pods = Array.from({ length: 2000 }, () => pod({}))
    expect(countedSteps(selectingAutoscalers(pods, [['ns/h', parseLabelSelector('a=1')]])).yields).to.be.greaterThan(2)
  })

  it('are not compared with selectors that require a label which none of them has', () => {
    const pods = Array.from({ length: 2000 }, () => pod({ a: '1' }))
    const selectors = Array.from({ length: 1000 }, (_, i) => [`ns/${i}`, parseLabelSelector(`a=${i}`)] as const)
    expect(countedSteps(selectingAutoscalers(pods, selectors)).yields).to.be.lessThan(20)
  })
})
