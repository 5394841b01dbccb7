import { expect } from 'chai'
import { runAtOnce } from '../../../../../src/lib/steps.ts'
import { podResource } from '../../../../../src/resources/core/pod/definition.ts'
import { podAmounts } from '../../../../../src/resources/core/pod-spec/pod-amounts.ts'
import { featuresOf } from '../../../../support/hook-context.ts'
import { causesOf, KindCases } from '../../../../support/kind-cases.ts'
import { podWith } from '../../../../support/pod.ts'

const cases = (): KindCases => {
  const made = new KindCases(podResource)
  made.server.features = featuresOf('PodLevelResources=true')
  return made
}
const pod = (resources: object, ...ofContainers: object[]): object => ({
  spec: {
    serviceAccountName: 's',
    resources,
    containers: (ofContainers.length > 0 ? ofContainers : [{}]).map((each, i) => ({ name: `c${i}`, image: 'i', resources: each })),
  },
})

describe('pod-level resources', () => {
  const refused: Record<string, [given: object, causes: string[]]> = {
    'enough for the containers': [pod({ requests: { cpu: '2' } }, { requests: { cpu: '1' } }, { requests: { cpu: '1' } }), []],
    'less than the requests of the containers': [
      pod({ requests: { cpu: '1' } }, { requests: { cpu: '1' } }, { requests: { cpu: '500m' } }),
      ['Invalid spec.resources.requests[cpu]'],
    ],
    'less than one of them may use': [
      pod({ limits: { cpu: '1' } }, { limits: { cpu: '2' }, requests: { cpu: '1' } }),
      ['Invalid spec.resources.containers[0][cpu].limits'],
    ],
    'another resource': [pod({ requests: { 'ephemeral-storage': '1' } }), ['NotSupported spec.resources.requests[ephemeral-storage]']],
    'an unknown resource': [pod({ requests: { nothing: '1' } }), ['Invalid spec.resources.requests[nothing]']],
    'more than its limit': [pod({ limits: { cpu: '1' }, requests: { cpu: '2' } }), ['Invalid spec.resources.requests']],
    'huge pages alone': [pod({ limits: { 'hugepages-2Mi': '2Mi' } }), ['Forbidden spec.resources']],
  }
  for (const [what, [given, causes]] of Object.entries(refused)) {
    it(`are validated: ${what}`, async () => expect(await causesOf(cases().create(given))).to.deep.equal(causes))
  }

  it('cannot contain claims', async () => {
    const made = cases()
    made.server.features = featuresOf('PodLevelResources=true', 'DynamicResourceAllocation=true')
    expect(await causesOf(made.create(pod({ claims: [{ name: 'c' }] })))).to.include('Forbidden spec.resources.claims')
  })

  const filled: Record<string, [given: object, resources: object]> = {
    'a request from the limit': [pod({ limits: { cpu: '2' } }), { limits: { cpu: '2' }, requests: { cpu: '2' } }],
    'a request from the containers, if they have one': [
      pod({ limits: { cpu: '2', memory: '1Gi' } }, { requests: { cpu: '500m' } }, { requests: { cpu: '250m' } }),
      { limits: { cpu: '2', memory: '1Gi' }, requests: { cpu: '750m', memory: '1Gi' } },
    ],
    'the limit of huge pages from the containers': [
      pod({ requests: { memory: '1Gi' } }, { limits: { 'hugepages-2Mi': '4Mi', memory: '1Gi' } }),
      { limits: { 'hugepages-2Mi': '4Mi' }, requests: { memory: '1Gi', 'hugepages-2Mi': '4Mi' } },
    ],
    'nothing if the pod specifies nothing': [pod({}), {}],
    'nothing from requests alone': [pod({ requests: { cpu: '2' } }, { requests: { memory: '0' } }), { requests: { cpu: '2' } }],
  }
  for (const [what, [given, resources]] of Object.entries(filled)) {
    it(`are defaulted: ${what}`, async () => expect((await cases().create(given)).spec.resources).to.deep.equal(resources))
  }

  it('replace those of the containers in totals', () => {
    const { spec } = podWith({
      resources: { requests: { cpu: '5' } },
      containers: [{ name: 'c', resources: { requests: { cpu: '1', memory: '1' } } }],
      initContainers: [
        { name: 's', restartPolicy: 'Always', resources: { requests: { memory: '1' } } },
        { name: 'i', resources: { requests: { memory: '3' } } },
      ],
    })
    expect(runAtOnce(podAmounts(spec, 'requests'))).to.deep.equal({ cpu: '5', memory: '4' })
  })
})
