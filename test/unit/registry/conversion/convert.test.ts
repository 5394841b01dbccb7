import { expect } from 'chai'
import type { KubeObject } from '../../../../src/api/meta/object.ts'
import type { Steps } from '../../../../src/lib/steps.ts'
import { convertInSteps, versionsOf } from '../../../../src/registry/conversion/convert.ts'
import { servedBuiltins } from '../../../support/served-builtins.ts'

const COUNT = 20_000

function stepsOf(steps: Steps<unknown>): number {
  let count = 0
  while (!steps.next().done) count++
  return count
}

describe('converting a wide object', () => {
  it('runs in steps if its lists differ between the versions', () => {
    const definition = servedBuiltins().find(({ hub }) => hub.kind === 'HorizontalPodAutoscaler')!
    const [v1, v2] = ['autoscaling/v1', 'autoscaling/v2'].map(name => versionsOf(definition).get(name)!)
    const metrics = Array.from({ length: COUNT }, () => ({ type: 'Pods' }))
    const object = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata: { name: 'h' }, spec: { metrics }, status: {} }
    expect(stepsOf(convertInSteps(definition, object as unknown as KubeObject, v2!, v1!))).to.be.at.least(Math.floor(COUNT / 512))
  })
})
