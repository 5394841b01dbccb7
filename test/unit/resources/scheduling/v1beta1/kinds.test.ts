import { expect } from 'chai'
import { POD_GROUP_KINDS } from '../../../../../src/resources/scheduling/v1beta1/kinds.ts'
import { featuresIn } from '../../../../support/hook-context.ts'
import { causesOf, KindCases, validates } from '../../../../support/kind-cases.ts'

const features = featuresIn('1.37', {
  GenericWorkload: true,
  CompositePodGroup: true,
  TopologyAwareWorkloadScheduling: true,
  DRAWorkloadResourceClaims: true,
  PodGroupPreemptionPolicy: true,
})
const kindOf = (name: string) => POD_GROUP_KINDS.find(({ hub }) => hub.kind === name) ?? expect.fail(name)
const podGroup = kindOf('PodGroup')
const workload = kindOf('Workload')
const composite = kindOf('CompositePodGroup')

const gang = (minCount = 1): object => ({ schedulingPolicy: { gang: { minCount } } })
const group = (parts: object = {}): object => ({ spec: { ...gang(), ...parts } })
const ref = { workloadName: 'w', templateName: 't' }
const condition = (type: string, status: string): object => ({
  type,
  status,
  reason: 'R',
  message: '',
  lastTransitionTime: '2026-01-02T03:04:05Z',
})

describe('PodGroup in 1.37', () => {
  validates(
    podGroup,
    {
      'a group': [group({ workloadRef: ref, parentCompositePodGroupName: 'p' }), []],
      'no policy': [{ spec: {} }, ['Invalid spec.schedulingPolicy']],
      'both policies': [group({ schedulingPolicy: { basic: {}, gang: { minCount: 1 } } }), ['Invalid spec.schedulingPolicy']],
      'a gang of none': [group({ schedulingPolicy: { gang: {} } }), ['Required spec.schedulingPolicy.gang.minCount']],
      'an incomplete reference': [
        group({ workloadRef: {} }),
        ['Required spec.workloadRef.workloadName', 'Required spec.workloadRef.templateName'],
      ],
      'two modes': [group({ disruptionMode: { single: {}, all: {} } }), ['Invalid spec.disruptionMode']],
      'a bad parent': [group({ parentCompositePodGroupName: 'A' }), ['Invalid spec.parentCompositePodGroupName']],
      'a high priority': [group({ priority: 2_000_000_000 }), ['Invalid spec.priority']],
      'an unknown preemption': [group({ preemptionPolicy: 'Often' }), ['NotSupported spec.preemptionPolicy']],
    },
    {
      'the minimum': [group(), group(gang(3)), []],
      'the form of the policy': [
        group(),
        group({ schedulingPolicy: { basic: {} } }),
        ['Invalid spec.schedulingPolicy.basic', 'Invalid spec.schedulingPolicy.gang'],
      ],
      'the mode': [group(), group({ disruptionMode: { all: {} } }), ['Invalid spec.disruptionMode']],
      'the reference': [group({ workloadRef: ref }), group({ workloadRef: { ...ref, templateName: 'u' } }), ['Invalid spec.workloadRef']],
    },
    features,
  )

  it('preempts single pods by default', async () => {
    expect((await new KindCases(podGroup, features).create(group())).spec).to.have.deep.property('disruptionMode', { single: {} })
  })

  it('prints the state from its conditions', async () => {
    const cases = new KindCases(podGroup, features)
    await cases.create(group({ workloadRef: ref }))
    expect(cases.cells()).to.deep.equal(['x', 'Gang', 'w', 'Pending', '0s'])
    await cases.update(
      { ...group({ workloadRef: ref }), status: { conditions: [condition('PodGroupInitiallyScheduled', 'True')] } },
      {},
      'status',
    )
    expect(cases.cells()?.[3]).to.equal('Scheduled')
  })

  it('converts v1alpha2 without loss', () => {
    const alpha = podGroup.versions.find(({ name }) => name === 'v1alpha2') ?? expect.fail('no v1alpha2')
    const old = {
      apiVersion: 'scheduling.k8s.io/v1alpha2',
      kind: 'PodGroup',
      metadata: { name: 'x' },
      spec: {
        ...gang(),
        podGroupTemplateRef: { workload: { workloadName: 'w', podGroupTemplateName: 't' } },
        schedulingConstraints: undefined,
        disruptionMode: 'PodGroup',
      },
      status: { conditions: [condition('PodGroupScheduled', 'True')] },
    }
    const beta = alpha.toHub?.(structuredClone(old) as never) as unknown as { spec: object; status: { conditions: { type: string }[] } }
    expect(beta.spec).to.deep.include({ workloadRef: ref, disruptionMode: { all: {} } })
    expect(beta.status.conditions[0]?.type).to.equal('PodGroupInitiallyScheduled')
    expect(alpha.fromHub?.(beta as never)).to.deep.equal(old)
  })
})

describe('CompositePodGroup', () => {
  const of = (parts: object = {}): object => ({ spec: { workloadRef: ref, schedulingPolicy: { gang: { minGroupCount: 2 } }, ...parts } })
  validates(
    composite,
    {
      'a group of groups': [of(), []],
      'no workload': [of({ workloadRef: null }), ['Required spec.workloadRef']],
      'a gang of none': [of({ schedulingPolicy: { gang: {} } }), ['Required spec.schedulingPolicy.gang.minGroupCount']],
      'two topologies': [
        of({ schedulingConstraints: { topology: [{ key: 'a' }, { key: 'b' }] } }),
        ['TooMany spec.schedulingConstraints.topology'],
      ],
    },
    {
      'the minimum': [of(), of({ schedulingPolicy: { gang: { minGroupCount: 3 } } }), []],
      'the parent': [of(), of({ parentCompositePodGroupName: 'p' }), ['Invalid spec.parentCompositePodGroupName']],
    },
    features,
  )

  it('prints its policy and workload', async () => {
    const cases = new KindCases(composite, features)
    await cases.create(of())
    expect(cases.cells()).to.deep.equal(['x', 'Gang', 'w', '0s'])
    expect(await causesOf(cases.update({ ...of(), status: { conditions: [condition('', 'True')] } }, {}, 'status'))).to.not.be.empty
  })
})

describe('Workload in 1.37', () => {
  const template = (name: string, parts: object = {}): object => ({ name, ...gang(), ...parts })
  const nested = (name: string, ...compositePodGroupTemplates: object[]): object => ({
    name,
    schedulingPolicy: { basic: {} },
    compositePodGroupTemplates,
  })
  const of = (...podGroupTemplates: object[]): object => ({ spec: { podGroupTemplates } })
  const ofGroups = (...compositePodGroupTemplates: object[]): object => ({ spec: { compositePodGroupTemplates } })
  const deep = (levels: number): object => (levels === 1 ? nested('a') : nested('a', deep(levels - 1)))
  validates(
    workload,
    {
      templates: [of(template('a'), template('b')), []],
      'templates of groups': [ofGroups({ ...nested('a'), podGroupTemplates: [template('b')] }), []],
      none: [of(), ['Invalid spec']],
      'both kinds': [{ spec: { podGroupTemplates: [template('a')], compositePodGroupTemplates: [nested('b')] } }, ['Invalid spec']],
      'a name twice': [of(template('a'), template('a')), ['Duplicate spec.podGroupTemplates[1]']],
      'a name in two lists': [
        ofGroups(nested('a', nested('a'))),
        ['Duplicate spec.compositePodGroupTemplates[0].compositePodGroupTemplates[0].name'],
      ],
      'four levels': [ofGroups(nested('a', nested('b', nested('c', nested('d'))))), ['Invalid spec.compositePodGroupTemplates[0]']],
      'a thousand levels, whose other errors would be as long': [ofGroups(deep(1000)), ['Invalid spec.compositePodGroupTemplates[0]']],
      'two priorities': [of(template('a', { priority: 1 }), template('b')), ['Invalid spec']],
      'too many': [of(...Array.from({ length: 9 }, (_, i) => template(`t${i}`))), ['TooMany spec.podGroupTemplates']],
      'a bad owner': [
        { spec: { controllerRef: { kind: '', name: 'x' }, podGroupTemplates: [template('a')] } },
        ['Required spec.controllerRef.kind'],
      ],
    },
    {
      'the minimum': [of(template('a')), of(template('a', gang(2))), []],
      'a template more': [of(template('a')), of(template('a'), template('b')), ['Forbidden spec.podGroupTemplates[1]']],
      'a template less': [of(template('a'), template('b')), of(template('a')), ['Forbidden spec.podGroupTemplates']],
      'the mode of a template': [
        of(template('a')),
        of(template('a', { disruptionMode: { all: {} } })),
        ['Invalid spec.podGroupTemplates[0].disruptionMode'],
      ],
    },
    features,
  )
})
