import { expect } from 'chai'
import type { Deployment, ReplicaSet } from '../../../../../src/api/apps/v1.types.ts'
import { TEMPLATE_HASH } from '../../../../../src/cluster/controllers/deployment/replica-sets.ts'
import { REVISION, ROLLBACK_TO } from '../../../../../src/cluster/controllers/deployment/revisions.ts'
import { rollbackOf } from '../../../../../src/cluster/controllers/deployment/rollback.ts'
import { countedSteps } from '../../../../support/counted-steps.ts'

type Texts = Record<string, string>

const many = (count: number): Texts => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 'v']))
const template = (labels: Texts, image: string) => ({ metadata: { labels }, spec: { containers: [{ name: 'c', image }] } })
const deploymentOf = (labels: Texts, annotations: Texts): Deployment =>
  ({
    metadata: { name: 'd', annotations: { ...annotations, [REVISION]: '2', [ROLLBACK_TO]: '1' } },
    spec: { template: template(labels, 'new') },
  }) as unknown as Deployment
const setOf = (revision: string, labels: Texts, image: string, annotations: Texts = {}): ReplicaSet =>
  ({
    metadata: { name: `d-${revision}`, annotations: { ...annotations, [REVISION]: revision } },
    spec: { template: template({ ...labels, [TEMPLATE_HASH]: 'x' }, image) },
  }) as unknown as ReplicaSet

describe('rollback of a deployment', () => {
  for (const [title, count] of [
    ['few', 2],
    ['many', 20_000],
  ] as const)
    it(`restores template and annotations of the revision, with ${title} labels and annotations`, () => {
      const labels = many(count)
      const deployment = deploymentOf(labels, { own: 'a' })
      const set = setOf('1', labels, 'old', many(count))
      const { result, yields } = countedSteps(rollbackOf(deployment, [setOf('2', labels, 'new'), set], 1))
      expect(result.event).to.deep.equal({
        type: 'Normal',
        reason: 'DeploymentRollback',
        message: 'Rolled back deployment "d" to revision 1',
      })
      expect(result.deployment.metadata.annotations).to.deep.equal({ ...many(count), [REVISION]: '2' })
      expect(result.deployment.spec.template).to.deep.equal(template(labels, 'old'))
      expect(set.spec.template.metadata.labels).to.have.property(TEMPLATE_HASH)
      expect(yields >= 3 * Math.floor(count / 512)).to.equal(true)
    })

  it('returns to the latest revision if two sets have it', () => {
    const deployment = deploymentOf({}, {})
    const { result } = countedSteps(rollbackOf(deployment, [setOf('2', {}, 'old'), setOf('2', {}, 'new'), setOf('1', {}, 'older')], 0))
    expect(result.event.message).to.equal('Rolled back deployment "d" to revision 2')
    expect(result.deployment.spec.template.spec).to.deep.equal(template({}, 'old').spec)
  })

  it('only removes the request if the template is the same, or the revision is missing', () => {
    const deployment = deploymentOf({ a: 'b' }, { own: 'a' })
    for (const [target, reason] of [
      [2, 'DeploymentRollbackTemplateUnchanged'],
      [7, 'DeploymentRollbackRevisionNotFound'],
      [0, 'DeploymentRollbackRevisionNotFound'],
    ] as const) {
      const { result } = countedSteps(rollbackOf(deployment, [setOf('2', { a: 'b' }, 'new')], target))
      expect(result.event.reason).to.equal(reason)
      expect(result.deployment.spec).to.deep.equal(deployment.spec)
      expect(result.deployment.metadata.annotations).to.deep.equal({ own: 'a', [REVISION]: '2' })
    }
  })
})
