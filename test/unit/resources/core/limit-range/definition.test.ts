import { expect } from 'chai'
import { limitRangeResource } from '../../../../../src/resources/core/limit-range/definition.ts'
import { KindCases, validates } from '../../../../support/kind-cases.ts'

const limits = (...items: object[]): object => ({ spec: { limits: items } })
const container = (lists: object): object => limits({ type: 'Container', ...lists })

describe('limit ranges', () => {
  validates(limitRangeResource, {
    good: [
      container({
        min: { cpu: '100m' },
        max: { cpu: '2' },
        default: { cpu: '1' },
        defaultRequest: { cpu: '500m' },
        maxLimitRequestRatio: { cpu: '2' },
      }),
      [],
    ],
    'an unknown type': [limits({ type: 'foo' }), ['Invalid spec.limits[0].type']],
    'a custom type': [limits({ type: 'a.b/c', max: { storage: '1T' }, default: { storage: '1G' } }), []],
    'a type twice': [limits({ type: 'Pod' }, { type: 'Pod' }), ['Duplicate spec.limits[1].type']],
    'storage of pods': [limits({ type: 'Pod', max: { storage: '1Gi' } }), ['Invalid spec.limits[0].max[storage]']],
    'defaults of pods': [limits({ type: 'Pod', default: { cpu: '1' } }), ['Forbidden spec.limits[0].default']],
    'claims without storage': [limits({ type: 'PersistentVolumeClaim' }), ['Required spec.limits[0].limits']],
    'minimum above maximum': [limits({ type: 'Pod', min: { cpu: '2' }, max: { cpu: '1' } }), ['Invalid spec.limits[0].min[cpu]']],
    'request above limit': [
      container({ default: { cpu: '1' }, defaultRequest: { cpu: '2' } }),
      ['Invalid spec.limits[0].defaultRequest[cpu]'],
    ],
    'limit above maximum': [
      container({ max: { cpu: '1' }, default: { cpu: '2' }, defaultRequest: { cpu: '1' } }),
      ['Invalid spec.limits[0].default[cpu]'],
    ],
    'a ratio below one': [
      limits({ type: 'Pod', maxLimitRequestRatio: { cpu: '800m' } }),
      ['Invalid spec.limits[0].maxLimitRequestRatio[cpu]'],
    ],
    'a ratio that nothing reaches': [
      limits({ type: 'Pod', min: { cpu: '1' }, max: { cpu: '2' }, maxLimitRequestRatio: { cpu: '2001m' } }),
      ['Invalid spec.limits[0].maxLimitRequestRatio[cpu]'],
    ],
    'a resource that cannot be overcommitted': [
      container({ default: { 'a.b/gpu': '2' }, defaultRequest: { 'a.b/gpu': '1' } }),
      ['Invalid spec.limits[0].defaultRequest[a.b/gpu]'],
    ],
  })

  const defaults: Record<string, [given: object, want: object]> = {
    'the minimum': [{ min: { cpu: '100m' } }, { min: { cpu: '100m' }, defaultRequest: { cpu: '100m' } }],
    'the limit rather than the minimum': [
      { min: { cpu: '100m' }, default: { cpu: '1' } },
      { min: { cpu: '100m' }, default: { cpu: '1' }, defaultRequest: { cpu: '1' } },
    ],
    'the maximum as limit, resource by resource': [
      { max: { memory: '1Gi' }, min: { cpu: '100m' } },
      { max: { memory: '1Gi' }, min: { cpu: '100m' }, default: { memory: '1Gi' }, defaultRequest: { memory: '1Gi', cpu: '100m' } },
    ],
    'rounded amounts': [{ max: { cpu: '100500u' } }, { max: { cpu: '101m' }, default: { cpu: '101m' }, defaultRequest: { cpu: '101m' } }],
    nothing: [{}, {}],
  }
  for (const [what, [given, want]] of Object.entries(defaults)) {
    it(`default to ${what}`, async () => {
      const made = await new KindCases(limitRangeResource).create(container(given))
      expect(made.spec.limits).to.deep.equal([{ type: 'Container', ...want }])
    })
  }

  it('set no defaults for pods', async () => {
    const made = await new KindCases(limitRangeResource).create(limits({ type: 'Pod', min: { cpu: '1' }, max: { cpu: '2' } }))
    expect(made.spec.limits).to.deep.equal([{ type: 'Pod', max: { cpu: '2' }, min: { cpu: '1' } }])
  })
})
