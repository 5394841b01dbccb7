import { expect } from 'chai'
import { podGroupResource } from '../../../../../src/resources/scheduling/pod-group/definition.ts'
import { featuresIn } from '../../../../support/hook-context.ts'
import { causesOf, KindCases, validates } from '../../../../support/kind-cases.ts'

const features = featuresIn('1.36', {
  GenericWorkload: true,
  GangScheduling: true,
  DRAWorkloadResourceClaims: true,
  WorkloadAwarePreemption: true,
})
const of = (parts: object = {}): object => ({ spec: { schedulingPolicy: { gang: { minCount: 1 } }, ...parts } })
const templateRef = (workload: object): object => ({ podGroupTemplateRef: { workload } })
const condition = (type: string, status: string, reason = 'R'): object => ({
  type,
  status,
  reason,
  message: '',
  lastTransitionTime: '2026-01-02T03:04:05Z',
})

describe('PodGroup', () => {
  validates(
    podGroupResource,
    {
      'a group': [of(templateRef({ workloadName: 'w', podGroupTemplateName: 't' })), []],
      'no policy': [{ spec: {} }, ['Invalid spec.schedulingPolicy']],
      'a gang of none': [{ spec: { schedulingPolicy: { gang: {} } } }, ['Required spec.schedulingPolicy.gang.minCount']],
      'a reference to nothing': [of({ podGroupTemplateRef: {} }), ['Invalid spec.podGroupTemplateRef']],
      'a bad reference': [
        of(templateRef({ workloadName: 'A', podGroupTemplateName: '' })),
        ['Invalid spec.podGroupTemplateRef.workload.workloadName', 'Required spec.podGroupTemplateRef.workload.podGroupTemplateName'],
      ],
    },
    {
      'the policy': [of(), of({ schedulingPolicy: { basic: {} } }), ['Invalid spec.schedulingPolicy']],
      'the mode': [of(), of({ disruptionMode: 'PodGroup' }), ['Invalid spec.disruptionMode']],
    },
    features,
  )

  it('defaults the disruption mode to Pod', async () =>
    expect((await new KindCases(podGroupResource, features).create(of())).spec).to.have.property('disruptionMode', 'Pod'))

  it('accepts only statuses of claims in its spec', async () => {
    const cases = new KindCases(podGroupResource, features)
    const body = of({ resourceClaims: [{ name: 'c', resourceClaimName: 'claim' }] })
    await cases.create(body)
    const tell = (...resourceClaimStatuses: object[]) =>
      causesOf(cases.update({ ...body, status: { resourceClaimStatuses } }, {}, 'status'))
    expect(await tell({ name: 'c', resourceClaimName: 'x' })).to.deep.equal([])
    expect(await tell({ name: 'd' })).to.deep.equal(['Invalid status.resourceClaimStatuses[0].name'])
    expect(await tell({ name: 'c', resourceClaimName: 'X' })).to.deep.equal(['Invalid status.resourceClaimStatuses[0].resourceClaimName'])
  })

  it('prints the state from its conditions', async () => {
    const cases = new KindCases(podGroupResource, features)
    await cases.create(of(templateRef({ workloadName: 'w', podGroupTemplateName: 't' })))
    expect(cases.cells()).to.deep.equal(['x', 'Gang', 'w', 'Pending', '0s'])
    const body = of(templateRef({ workloadName: 'w', podGroupTemplateName: 't' }))
    await cases.update({ ...body, status: { conditions: [condition('PodGroupScheduled', 'False')] } }, {}, 'status')
    expect(cases.cells()?.[3]).to.equal('Unschedulable')
    await cases.update(
      { ...body, status: { conditions: [condition('PodGroupScheduled', 'True'), condition('DisruptionTarget', 'True', 'Preempted')] } },
      {},
      'status',
    )
    expect(cases.cells()?.[3]).to.equal('Preempted')
  })
})
