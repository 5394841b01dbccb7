import { expect } from 'chai'
import { evictionRequestResource } from '../../../../../src/resources/lifecycle/eviction-request/definition.ts'
import { featuresIn } from '../../../../support/hook-context.ts'
import { causesOf, KindCases, validates } from '../../../../support/kind-cases.ts'

const features = featuresIn('1.37', { EvictionRequestAPI: true })
const pod = { name: 'p', uid: '01234567-89ab-cdef-0123-456789abcdef' }
const of = (parts: object = {}): object => ({ spec: { target: { pod }, requester: 'acme.io/drainer', intent: 'Eviction', ...parts } })

describe('EvictionRequest', () => {
  validates(
    evictionRequestResource,
    {
      'a request': [of(), []],
      'no target': [of({ target: {} }), ['Invalid spec.target']],
      'a pod without a UID': [
        of({ target: { pod: { name: '', uid: 'x' } } }),
        ['Required spec.target.pod.name', 'Invalid spec.target.pod.uid'],
      ],
      'a requester without a domain': [of({ requester: 'drainer' }), ['Invalid spec.requester']],
      'a reserved requester': [of({ requester: 'a.k8s.io/drainer' }), ['Invalid spec.requester']],
      'no requester': [of({ requester: '' }), ['Required spec.requester']],
      'another intent': [of({ intent: 'Maybe' }), ['NotSupported spec.intent']],
    },
    {
      'the intent': [of(), of({ intent: 'Withdrawn' }), []],
      'the target': [of(), of({ target: { pod: { ...pod, name: 'q' } } }), ['Invalid spec.target']],
      'the requester': [of(), of({ requester: 'acme.io/other' }), ['Invalid spec.requester']],
    },
    features,
  )

  it('counts generations, and observes them in order', async () => {
    const cases = new KindCases(evictionRequestResource, features)
    expect((await cases.create(of())).metadata.generation).to.equal(1)
    expect((await cases.update(of({ intent: 'Withdrawn' }))).metadata.generation).to.equal(2)
    const observe = (observedGeneration: number) => causesOf(cases.update({ ...of(), status: { observedGeneration } }, {}, 'status'))
    expect(await observe(2)).to.deep.equal([])
    expect(await observe(1)).to.deep.equal(['Invalid status.observedGeneration'])
    expect(await observe(0)).to.deep.equal(['Invalid status.observedGeneration'])
  })
})
