import { expect } from 'chai'
import type { Deployment } from '../../../../../src/api/apps/v1.types.ts'
import { replicaSetFor } from '../../../../../src/cluster/controllers/deployment/new-set.ts'
import { newSetAnnotations, REVISION } from '../../../../../src/cluster/controllers/deployment/revisions.ts'
import { runAtOnce } from '../../../../../src/lib/steps.ts'
import { countedSteps } from '../../../../support/counted-steps.ts'

const MANY = 20_000
const HISTORY = 'deployment.kubernetes.io/revision-history'

const many = (): Record<string, string> => Object.fromEntries(Array.from({ length: MANY }, (_, i) => [`k${i}`, 'v']))
const deploymentOf = (annotations: Record<string, string>, matchLabels: Record<string, string> = { a: 'b' }): Deployment =>
  ({
    metadata: { name: 'd', namespace: 'n', uid: 'u', annotations },
    spec: { replicas: 1, selector: { matchLabels }, template: { metadata: {}, spec: {} }, strategy: { type: 'Recreate' } },
    status: {},
  }) as unknown as Deployment

describe('annotations of the new set of a deployment', () => {
  it('are those of the deployment, apart from its revision and those of tools, beside those that the set has', () => {
    const deployment = deploymentOf({ a: 'new', [REVISION]: '7', 'kubectl.kubernetes.io/last-applied-configuration': '{}' })
    const present = { a: 'old', own: 'x', [REVISION]: '2', [HISTORY]: '1' }
    expect(runAtOnce(newSetAnnotations(deployment, present, 3))).to.deep.equal({ a: 'new', own: 'x', [REVISION]: '3', [HISTORY]: '1,2' })
    expect(runAtOnce(newSetAnnotations(deployment, present, 2))).to.deep.equal({ ...present, a: 'new' })
    expect(present).to.deep.equal({ a: 'old', own: 'x', [REVISION]: '2', [HISTORY]: '1' })
  })

  it('are copied in steps if they are very many', () => {
    const deployment = deploymentOf({ ...many(), [REVISION]: '1' })
    const first = countedSteps(newSetAnnotations(deployment, {}, 1))
    expect(first.yields).to.be.at.least(Math.floor(MANY / 512))
    expect(first.result).to.deep.equal({ ...many(), [REVISION]: '1' })
    const again = countedSteps(newSetAnnotations(deployment, first.result, 2))
    expect(again.yields).to.be.at.least(2 * Math.floor(MANY / 512))
    expect(again.result).to.deep.equal({ ...many(), [REVISION]: '2', [HISTORY]: '1' })
    expect(first.result[REVISION]).to.equal('1')
  })

  it('are copied in steps with the selector of the deployment', () => {
    const deployment = deploymentOf(many(), many())
    const { result, yields } = countedSteps(replicaSetFor(deployment, [], 1, '1.34'))
    expect(yields).to.be.at.least(2 * Math.floor(MANY / 512))
    expect(result.metadata.annotations).to.deep.include({ ...many(), 'deployment.kubernetes.io/desired-replicas': '1' })
    expect(result.spec.selector?.matchLabels).to.deep.include(many())
    expect(deployment.spec.selector?.matchLabels).to.deep.equal(many())
  })
})
