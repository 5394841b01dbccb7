import { expect } from 'chai'
import type { Deployment, ReplicaSet } from '../../../../../src/api/apps/v1.types.ts'
import type { PodTemplateSpec } from '../../../../../src/api/core/v1.types.ts'
import { replicaSetFor } from '../../../../../src/cluster/controllers/deployment/new-set.ts'
import { isSameTemplate, newSetOf, TEMPLATE_HASH } from '../../../../../src/cluster/controllers/deployment/replica-sets.ts'
import { runAtOnce } from '../../../../../src/lib/steps.ts'
import { countedSteps } from '../../../../support/counted-steps.ts'

const MANY = 20_000

const template = (labels: Record<string, string>, image = 'i'): PodTemplateSpec => ({
  metadata: { labels },
  spec: { containers: [{ name: 'c', image }] } as unknown as PodTemplateSpec['spec'],
})
const many = (value = 'v'): Record<string, string> => Object.fromEntries(Array.from({ length: MANY }, (_, i) => [`k${i}`, value]))

describe('the template of a deployment', () => {
  const last = `k${MANY - 1}`
  const cases: [title: string, a: PodTemplateSpec, b: PodTemplateSpec, isSame: boolean][] = [
    ['the hash', template({ a: 'b' }), template({ a: 'b', [TEMPLATE_HASH]: 'x' }), true],
    ['no labels', { metadata: {}, spec: template({}).spec }, template({ [TEMPLATE_HASH]: 'x' }), true],
    ['an image', template({ a: 'b' }), template({ a: 'b' }, 'j'), false],
    ['the hash of many labels', template(many()), template({ [TEMPLATE_HASH]: 'x', ...many() }), true],
    ['one of many labels', template(many()), template({ ...many(), [last]: 'w' }), false],
    ['a further label of many', template(many()), template({ ...many(), other: 'v' }), false],
    ['the image beside many labels', template(many()), template(many(), 'j'), false],
    ['an annotation beside many labels', template(many()), { ...template(many()), metadata: { labels: many(), annotations: {} } }, false],
  ]
  for (const [title, a, b, isSame] of cases)
    it(`${isSame ? 'equals' : 'differs from'} one that differs in ${title}`, () =>
      expect([runAtOnce(isSameTemplate(a, b)), runAtOnce(isSameTemplate(b, a))]).to.deep.equal([isSame, isSame]))

  it('is compared in steps if it is large, and once with each set', () => {
    const deployment = { spec: { template: template(many()) } } as Deployment
    const setOf = (name: string, of: PodTemplateSpec): ReplicaSet => ({ metadata: { name }, spec: { template: of } }) as ReplicaSet
    const sets = [setOf('a', template(many(), 'j')), setOf('b', template({ ...many(), [TEMPLATE_HASH]: 'x' }))]
    const { result, yields } = countedSteps(newSetOf(deployment, sets))
    expect(result).to.equal(sets[1])
    expect(yields).to.be.at.least(2 * Math.floor(MANY / 512))
    expect(countedSteps(newSetOf(deployment, sets)).yields).to.equal(0)
  })

  it('is copied to a new set in steps', () => {
    const deployment = {
      metadata: { name: 'd', namespace: 'n', uid: 'u' },
      spec: { replicas: 1, selector: { matchLabels: { k0: 'v' } }, template: template(many()), strategy: { type: 'Recreate' } },
      status: {},
    } as unknown as Deployment
    const { result, yields } = countedSteps(replicaSetFor(deployment, [], 1, '1.34'))
    const hash = result.metadata.labels?.[TEMPLATE_HASH]
    expect(result.metadata.name).to.equal(`d-${hash}`)
    expect(result.spec.template.metadata.labels).to.deep.equal({ ...many(), [TEMPLATE_HASH]: hash })
    expect(result.metadata.labels).to.deep.equal(result.spec.template.metadata.labels)
    expect(deployment.spec.template).to.deep.equal(template(many()))
    expect(yields).to.be.at.least(3 * Math.floor(MANY / 512))
  })
})
