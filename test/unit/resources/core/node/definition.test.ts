import { expect } from 'chai'
import type { Node } from '../../../../../src/api/core/v1.types.ts'
import { noteMembers } from '../../../../../src/lib/wide-objects.ts'
import { nodeResource } from '../../../../../src/resources/core/node/definition.ts'
import { validateNode, validateNodeUpdate } from '../../../../../src/resources/core/node/validation.ts'
import { countedSteps } from '../../../../support/counted-steps.ts'
import { featuresIn } from '../../../../support/hook-context.ts'
import { causesOf, KindCases, validates } from '../../../../support/kind-cases.ts'

const AVOID = 'scheduler.alpha.kubernetes.io/preferAvoidPods'
const avoid = (value: unknown): object => ({ annotations: { [AVOID]: typeof value === 'string' ? value : JSON.stringify(value) } })
const taints = (...list: object[]): object => ({ spec: { taints: list } })
const cidrs = (...podCIDRs: string[]): object => ({ spec: { podCIDRs } })
const signature = (controller: boolean): object => ({
  preferAvoidPods: [
    { podSignature: { podController: { apiVersion: 'v1', kind: 'ReplicationController', name: 'a', uid: 'u', controller } } },
  ],
})

describe('nodes', () => {
  validates(
    nodeResource,
    {
      good: [taints({ key: 'a', value: 'b', effect: 'NoSchedule' }, { key: 'a', effect: 'NoExecute' }), []],
      'a taint twice': [
        taints({ key: 'a', effect: 'NoSchedule' }, { key: 'a', value: 'c', effect: 'NoSchedule' }),
        ['Duplicate metadata.taints[1]'],
      ],
      'a taint without effect': [taints({ key: 'a' }), ['Required metadata.taints[0].effect']],
      'a bad taint': [
        taints({ key: 'a b', value: '-', effect: 'Never' }),
        ['Invalid metadata.taints[0].key', 'Invalid metadata.taints[0].value', 'NotSupported metadata.taints[0].effect'],
      ],
      'ranges of both families': [cidrs('10.0.0.0/16', 'fd00::/64'), []],
      'a range twice': [cidrs('10.0.0.0/16', '10.0.0.0/16'), ['Invalid spec.podCIDRs']],
      'no range': [cidrs('10.0.0.0'), ['Invalid spec.podCIDRs[0]']],
      'fractions of countable resources': [
        { status: { capacity: { 'a.b/c': '5', cpu: '1.5' }, allocatable: { 'a.b/c': '4.5' } } },
        ['Invalid status.allocatable.a.b/c'],
      ],
      'pods to avoid': [{}, [], avoid(signature(true))],
      'pods to avoid, of no controller': [
        {},
        [`Invalid metadata.annotations.${AVOID}[0].PodSignature.PodController.Controller`],
        avoid(signature(false)),
      ],
      'pods to avoid, unsigned': [{}, [`Required metadata.annotations.${AVOID}[0].PodSignature`], avoid({ preferAvoidPods: [{}] })],
      'pods to avoid: none': [{}, [`Required metadata.annotations.${AVOID}`], avoid({ preferAvoidPods: [] })],
      'pods to avoid: no JSON': [{}, ['Invalid metadata.annotations.AvoidPods'], avoid('{')],
    },
    {
      cordoned: [{}, { spec: { unschedulable: true } }, []],
      'its provider, for the first time': [{}, { spec: { providerID: 'p://1' } }, []],
      'its provider again': [{ spec: { providerID: 'p://1' } }, { spec: { providerID: 'p://2' } }, ['Forbidden spec.providerID']],
      'its range, for the first time': [{}, cidrs('10.0.0.0/24'), []],
      'its range again': [cidrs('10.0.0.0/24'), cidrs('10.0.1.0/24'), ['Forbidden spec.podCIDRs']],
      'its external id': [{}, { spec: { externalID: 'e' } }, ['Forbidden spec.externalID']],
    },
  )

  it('keep podCIDR and podCIDRs consistent', async () => {
    expect((await new KindCases(nodeResource).create({ spec: { podCIDR: '10.0.0.0/24' } })).spec).to.deep.equal({
      podCIDR: '10.0.0.0/24',
      podCIDRs: ['10.0.0.0/24'],
    })
    expect((await new KindCases(nodeResource).create(cidrs('10.0.0.0/16', 'fd00::/64'))).spec.podCIDR).to.equal('10.0.0.0/16')
    const both = await new KindCases(nodeResource).create({ spec: { podCIDR: '10.9.0.0/24', podCIDRs: ['10.0.0.0/24'] } })
    expect(both.spec.podCIDRs).to.deep.equal(['10.9.0.0/24'])
  })

  it('refuse a duplicate pod CIDR before 1.33', async () => {
    expect(await causesOf(new KindCases(nodeResource, featuresIn('1.32')).create(cidrs('10.0.0.0/16', '10.0.0.0/16')))).to.deep.equal([
      'Invalid spec.podCIDRs',
      'Duplicate spec.podCIDRs[1]',
    ])
  })

  it('default allocatable to their capacity', async () => {
    const made = await new KindCases(nodeResource).create({ status: { capacity: { cpu: '1' } } })
    expect(made.status.allocatable).to.deep.equal({ cpu: '1' })
  })

  it('keep their status on updates and their spec on status updates', async () => {
    const cases = new KindCases(nodeResource)
    await cases.create({ status: { capacity: { cpu: '1' } } })
    expect((await cases.update({ status: { capacity: { cpu: '2' } } })).status.capacity).to.deep.equal({ cpu: '1' })
    const next = await cases.update({ spec: { unschedulable: true }, status: { capacity: { cpu: '2' } } }, {}, 'status')
    expect([next.spec, next.status.capacity]).to.deep.equal([{}, { cpu: '2' }])
    const twice = { type: 'InternalIP', address: '1.1.1.1' }
    expect(await causesOf(cases.update({ status: { addresses: [twice, twice] } }, {}, 'status'))).to.deep.equal([
      'Duplicate status.addresses[1]',
    ])
  })

  it('drop configSource, which no kubelet reads, and warn of deprecated fields', async () => {
    const cases = new KindCases(nodeResource)
    const made = await cases.create({
      spec: { configSource: { configMap: { name: 'a', namespace: 'b', kubeletConfigKey: 'c' } }, externalID: 'e' },
    })
    expect(made.spec).to.deep.equal({ externalID: 'e' })
    expect(cases.server.warnings).to.deep.equal(['spec.externalID: this field is deprecated, and is unused by Kubernetes'])
  })

  const rows: Record<string, [body: object, metadata: object, cells: unknown[]]> = {
    'nothing known': [{}, {}, ['x', 'Unknown', '<none>', '0s', '', '<none>', '<none>', '<unknown>', '<unknown>', '<unknown>']],
    everything: [
      {
        spec: { unschedulable: true },
        status: {
          conditions: [{ type: 'Ready', status: 'True' }],
          addresses: [
            { type: 'ExternalIP', address: '2.2.2.2' },
            { type: 'InternalIP', address: '3.3.3.3' },
          ],
          nodeInfo: { kubeletVersion: 'v1.33.0', osImage: 'Linux', kernelVersion: '6', containerRuntimeVersion: 'c://1' },
        },
      },
      { labels: { 'node-role.kubernetes.io/b': '', 'node-role.kubernetes.io/a': '', 'kubernetes.io/role': 'c' } },
      ['x', 'Ready,SchedulingDisabled', 'a,b,c', '0s', 'v1.33.0', '3.3.3.3', '2.2.2.2', 'Linux', '6', 'c://1'],
    ],
    'not ready': [
      { status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } },
      {},
      ['x', 'NotReady', '<none>', '0s', '', '<none>', '<none>', '<unknown>', '<unknown>', '<unknown>'],
    ],
  }
  for (const [what, [body, metadata, cells]] of Object.entries(rows)) {
    it(`print: ${what}`, async () => {
      const cases = new KindCases(nodeResource)
      await cases.create(body, metadata)
      expect(cases.cells()).to.deep.equal(cells)
    })
  }

  it('can be selected by spec.unschedulable', async () => {
    const unschedulable = nodeResource.hub.selectableFields?.['spec.unschedulable']
    expect(unschedulable?.(await new KindCases(nodeResource).create({}))).to.equal('false')
    expect(unschedulable?.(await new KindCases(nodeResource).create({ spec: { unschedulable: true } }))).to.equal('true')
  })

  it('are validated in steps if they have many amounts, taints or addresses', () => {
    const many = Array.from({ length: 5120 }, (_, i) => i)
    const amounts = Object.fromEntries(many.map(i => [`e.io/${i}`, '1']))
    const node = (spec: object, status: object): Node => ({ metadata: { name: 'n' }, spec, status }) as Node
    const features = featuresIn('1.33')
    const wide = [
      validateNode(node({}, { capacity: noteMembers(amounts, many.length) }), features),
      validateNode(node({ taints: many.map(i => ({ key: `k${i}`, effect: 'NoSchedule' })) }, {}), features),
      validateNodeUpdate(node({}, { addresses: many.map(i => ({ type: 'InternalIP', address: `a${i}` })) }), node({}, {})),
    ]
    for (const steps of wide) {
      const { result, yields } = countedSteps(steps)
      expect(result).to.deep.equal([])
      expect(yields).to.be.at.least(9)
    }
  })
})
