import { expect } from 'chai'
import type { PodDisruptionBudget } from '../../../../../src/api/policy/v1.types.ts'
import type { Steps } from '../../../../../src/lib/steps.ts'
import type { FieldError } from '../../../../../src/meta/field-error.ts'
import { podDisruptionBudgetResource } from '../../../../../src/resources/policy/pod-disruption-budget/definition.ts'
import { validatePodDisruptionBudget } from '../../../../../src/resources/policy/pod-disruption-budget/validation.ts'
import { countedSteps } from '../../../../support/counted-steps.ts'
import { hookContext } from '../../../../support/hook-context.ts'
import { causesOf, KindCases, validates } from '../../../../support/kind-cases.ts'
import { causesOf as messagesOf } from '../../../../support/workloads.ts'

const of = (spec: object): object => ({ spec: { selector: { matchLabels: { a: 'b' } }, ...spec } })
const counts = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 }

describe('PodDisruptionBudget', () => {
  validates(
    podDisruptionBudgetResource,
    {
      'a number': [of({ minAvailable: 3 }), []],
      'a percentage': [of({ maxUnavailable: '100%' }), []],
      'no bound': [of({}), []],
      'no selector': [{ spec: { minAvailable: 1 } }, []],
      'both bounds': [of({ minAvailable: 1, maxUnavailable: 1 }), ['Invalid spec']],
      'text that is not a percentage': [of({ minAvailable: 'widget' }), ['Invalid spec.minAvailable']],
      'more than all': [of({ maxUnavailable: '101%' }), ['Invalid spec.maxUnavailable']],
      'less than none': [of({ maxUnavailable: -1 }), ['Invalid spec.maxUnavailable']],
      'a bad selector': [{ spec: { selector: { matchLabels: { 'a b': '' } } } }, ['Invalid spec.selector.matchLabels']],
      'an unknown eviction policy': [of({ unhealthyPodEvictionPolicy: 'Never' }), ['NotSupported spec.unhealthyPodEvictionPolicy']],
      'a known one': [of({ unhealthyPodEvictionPolicy: 'AlwaysAllow' }), []],
      'a name that is not a domain': [of({}), [], { name: 'A_b' }],
      'a name with a slash': [of({}), ['Invalid metadata.name'], { name: 'a/b' }],
    },
    { 'everything that is wanted': [of({ minAvailable: 1 }), { spec: { selector: {}, maxUnavailable: 2 } }, []] },
  )

  it('prints the given spec in the error for both bounds', async () => {
    expect(await messagesOf(new KindCases(podDisruptionBudgetResource).create(of({ minAvailable: 1, maxUnavailable: 1 })))).to.deep.equal([
      'spec: Invalid value: policy.PodDisruptionBudgetSpec{MinAvailable:(*intstr.IntOrString)(0xc000000000), Selector:(*v1.LabelSelector)(0xc000000000), MaxUnavailable:(*intstr.IntOrString)(0xc000000000), UnhealthyPodEvictionPolicy:(*policy.UnhealthyPodEvictionPolicyType)(nil)}: minAvailable and maxUnavailable cannot be both set',
    ])
  })

  it('writes its status only through the subresource', async () => {
    const cases = new KindCases(podDisruptionBudgetResource)
    const made = await cases.create({ ...of({ minAvailable: 2 }), status: { ...counts, expectedPods: 4, observedGeneration: 7 } })
    expect([made.metadata.generation, made.status]).to.deep.equal([1, counts])
    const reported = await cases.update({ spec: {}, status: { ...counts, disruptionsAllowed: 1 } }, {}, 'status')
    expect([reported.spec.minAvailable, reported.status.disruptionsAllowed]).to.deep.equal([2, 1])
    const changed = await cases.update(of({ minAvailable: 3 }))
    expect([changed.metadata.generation, changed.status.disruptionsAllowed]).to.deep.equal([2, 1])
  })

  it('validates counts and conditions of its status', async () => {
    const cases = new KindCases(podDisruptionBudgetResource)
    await cases.create(of({}))
    const conditions = [{ type: 'Ok', status: 'Perhaps', reason: '', message: '', lastTransitionTime: '2024-01-01T00:00:00Z' }]
    const status = { disruptionsAllowed: -1, currentHealthy: -1, desiredHealthy: -1, expectedPods: -1, conditions }
    expect(await causesOf(cases.update({ spec: {}, status }, {}, 'status'))).to.deep.equal([
      'NotSupported status.conditions[0].status',
      'Required status.conditions[0].reason',
      'Invalid status.disruptionsAllowed',
      'Invalid status.currentHealthy',
      'Invalid status.desiredHealthy',
      'Invalid status.expectedPods',
    ])
  })

  const rows: [object, string, string][] = [
    [{ minAvailable: 22 }, '22', 'N/A'],
    [{ maxUnavailable: '11%' }, 'N/A', '11%'],
  ]
  for (const [spec, min, max] of rows) {
    it(`prints ${min} and ${max}`, async () => {
      const cases = new KindCases(podDisruptionBudgetResource)
      await cases.create(of(spec))
      expect(cases.cells()).to.deep.equal(['x', min, max, 0, '0s'])
    })
  }

  it('validates a selector of very many labels in steps, and reports its errors', () => {
    const count = 20_000
    const budget = (value: string): PodDisruptionBudget => {
      const matchLabels = Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i === count - 1 ? value : 'v']))
      return { metadata: {}, spec: { minAvailable: 1, selector: { matchLabels } } } as unknown as PodDisruptionBudget
    }
    const validated = (next: PodDisruptionBudget, old?: PodDisruptionBudget) =>
      countedSteps(validatePodDisruptionBudget(next, old, hookContext()) as Steps<FieldError[]>)
    const updated = validated(budget('w'), budget('v'))
    expect(updated.result).to.deep.equal([])
    expect(updated.yields).to.be.at.least(2 * Math.floor(count / 512))
    const fields = ({ result }: ReturnType<typeof validated>): string[] => result.map(({ field }) => field)
    expect(fields(validated(budget('-')))).to.deep.equal(['spec.selector.matchLabels'])
    expect(fields(validated(budget('-'), budget('v')))).to.deep.equal(['spec.selector.matchLabels'])
  })
})
