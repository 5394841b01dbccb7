import { expect } from 'chai'
import { workloadResource } from '../../../../../src/resources/scheduling/workload/definition.ts'
import { featuresIn } from '../../../../support/hook-context.ts'
import { type Call, inRelease } from '../../../../support/in-release.ts'
import { validates } from '../../../../support/kind-cases.ts'
import { MemoryBackend } from '../../../../support/memory-backend.ts'

const gang = { gang: { minCount: 2 } }
const template = (parts: object = {}): object => ({ name: 'a', schedulingPolicy: gang, ...parts })
const of = (...podGroupTemplates: object[]): object => ({ spec: { podGroupTemplates } })
const many = Array.from({ length: 9 }, (_, i) => template({ name: `t${i}` }))
const ALL = {
  GenericWorkload: true,
  DRAWorkloadResourceClaims: true,
  GangScheduling: true,
  TopologyAwareWorkloadScheduling: true,
  WorkloadAwarePreemption: true,
}

describe('Workload', () => {
  describe('in 1.36', () => {
    validates(
      workloadResource,
      {
        'a workload': [of(template(), template({ name: 'b', schedulingPolicy: { basic: {} } })), []],
        nothing: [{ spec: {} }, ['Required spec.podGroupTemplates']],
        'too many templates': [of(...many), ['TooMany spec.podGroupTemplates']],
        'a name twice': [of(template(), template()), ['Duplicate spec.podGroupTemplates[1]']],
        'bad templates': [
          of(
            { name: '', schedulingPolicy: {} },
            { name: 'a.b', schedulingPolicy: { basic: {}, ...gang } },
            { name: 'c', schedulingPolicy: { gang: { minCount: -1 } } },
          ),
          [
            'Required spec.podGroupTemplates[0].name',
            'Invalid spec.podGroupTemplates[0].schedulingPolicy',
            'Invalid spec.podGroupTemplates[1].name',
            'Invalid spec.podGroupTemplates[1].schedulingPolicy',
            'Invalid spec.podGroupTemplates[2].schedulingPolicy.gang.minCount',
          ],
        ],
        'a bad owner': [
          { spec: { controllerRef: { apiGroup: 'A', kind: '', name: 'a/b' }, podGroupTemplates: [template()] } },
          ['Invalid spec.controllerRef.apiGroup', 'Required spec.controllerRef.kind', 'Invalid spec.controllerRef.name'],
        ],
        'fields of gates that are off, which are cleared': [of(template({ priority: 2_000_000_000, disruptionMode: 'None' })), []],
      },
      {
        'the templates': [of(template()), of(template({ name: 'b' })), ['Invalid spec.podGroupTemplates']],
        'the owner': [
          of(template()),
          { spec: { controllerRef: { kind: 'K', name: 'n' }, podGroupTemplates: [template()] } },
          ['Invalid spec.controllerRef'],
        ],
      },
      featuresIn('1.36', { GenericWorkload: true }),
    )

    describe('with all gates', () =>
      validates(
        workloadResource,
        {
          'all fields': [
            of(
              template({
                schedulingConstraints: { topology: [{ key: 'topology.kubernetes.io/zone' }] },
                resourceClaims: [{ name: 'c', resourceClaimName: 'claim' }],
                disruptionMode: 'PodGroup',
                priorityClassName: 'high',
                priority: 5,
              }),
            ),
            [],
          ],
          'bad values': [
            of(
              template({
                schedulingConstraints: { topology: [{ key: '' }] },
                resourceClaims: [{ name: 'c' }, { name: 'd', resourceClaimName: 'a', resourceClaimTemplateName: 'B' }],
                disruptionMode: 'None',
                priorityClassName: 'A',
                priority: 1_000_000_001,
              }),
            ),
            [
              'Required spec.podGroupTemplates[0].schedulingConstraints.topology[0].key',
              'Invalid spec.podGroupTemplates[0].resourceClaims[0]',
              'Invalid spec.podGroupTemplates[0].resourceClaims[1]',
              'Invalid spec.podGroupTemplates[0].resourceClaims[1].resourceClaimTemplateName',
              'NotSupported spec.podGroupTemplates[0].disruptionMode',
              'Invalid spec.podGroupTemplates[0].priorityClassName',
              'Invalid spec.podGroupTemplates[0].priority',
            ],
          ],
        },
        {},
        featuresIn('1.36', ALL),
      ))
  })

  describe('in 1.35', () =>
    validates(
      workloadResource,
      {
        'a workload': [of(template()), []],
        nothing: [{ spec: {} }, ['Required spec.podGroups']],
        'bad groups': [
          of(
            template({ name: 'A' }),
            template({ name: 'A', schedulingPolicy: {} }),
            template({ name: 'b', schedulingPolicy: { gang: { minCount: 0 } } }),
          ),
          [
            'Invalid spec.podGroups[0].name',
            'Invalid spec.podGroups[1].name',
            'Duplicate spec.podGroups[1].name',
            'Required spec.podGroups[1].policy',
            'Invalid spec.podGroups[2].policy.gang.minCount',
          ],
        ],
      },
      {
        'the groups': [of(template()), of(template({ name: 'b' })), ['Invalid podGroups']],
        'an owner that is added later': [
          of(template()),
          { spec: { controllerRef: { kind: 'K', name: 'n' }, podGroupTemplates: [template()] } },
          [],
        ],
      },
      featuresIn('1.35', { GenericWorkload: true }),
    ))

  it('is served in the version of each release', async () => {
    const backend = new MemoryBackend()
    const path = (version: string): string => `/apis/scheduling.k8s.io/${version}/namespaces/ns/workloads`
    const spec = { podGroups: [{ name: 'a', policy: gang }] }
    const post = async (call: Call, url: string, body: object): Promise<unknown> =>
      (await call(url, { method: 'POST', body: JSON.stringify(body) })).json
    const create = async (call: Call): Promise<unknown> => {
      await post(call, '/api/v1/namespaces', { metadata: { name: 'ns' } })
      return post(call, path('v1alpha1'), { metadata: { name: 'x' }, spec })
    }
    const on = { GenericWorkload: true }
    expect(await inRelease(backend, '1.35', create, on, ['api/all'])).to.deep.include({ apiVersion: 'scheduling.k8s.io/v1alpha1', spec })
    const later = await inRelease(backend, '1.36', async call => (await call(`${path('v1alpha2')}/x`)).json, on, ['api/all'])
    expect(later).to.have.deep.nested.property('spec.podGroupTemplates[0].schedulingPolicy', gang)
  })
})
