import { expect } from 'chai'
import {
  resourceClaimParametersResource,
  resourceClassParametersResource,
} from '../../../../../src/resources/resource/v1alpha2/parameters.ts'
import { alphaPodSchedulingContextResource, podSchedulingResource } from '../../../../../src/resources/resource/v1alpha2/pod-scheduling.ts'
import { classBasedClaimResource } from '../../../../../src/resources/resource/v1alpha2/resource-claim.ts'
import { classBasedClaimTemplateResource } from '../../../../../src/resources/resource/v1alpha2/resource-claim-template.ts'
import { resourceClassResource } from '../../../../../src/resources/resource/v1alpha2/resource-class.ts'
import { namedResourceSliceResource } from '../../../../../src/resources/resource/v1alpha2/resource-slice.ts'
import { featuresIn } from '../../../../support/hook-context.ts'
import { causesOf, KindCases, validates } from '../../../../support/kind-cases.ts'

const features = featuresIn('1.30')
const many = (count: number): string[] => Array.from({ length: count }, (_, i) => `n${i}`)

describe('ResourceClass of v1alpha2', () => {
  const classOf = (more: object = {}): object => ({ driverName: 'd.example.com', ...more })
  const selector = { nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'In' }] }] }
  validates(
    resourceClassResource,
    {
      minimal: [classOf(), []],
      'no driver': [{}, ['Required driverName', 'Invalid driverName']],
      'bad driver': [{ driverName: 'D_' }, ['Invalid driverName']],
      'parameters of a namespace': [classOf({ parametersRef: { kind: 'P', name: 'p', namespace: 'ns' } }), []],
      'bad parameters': [
        classOf({ parametersRef: { namespace: 'N' } }),
        ['Required parametersRef.kind', 'Required parametersRef.name', 'Invalid parametersRef.namespace'],
      ],
      'bad nodes': [classOf({ suitableNodes: selector }), ['Required suitableNodes.nodeSelectorTerms[0].matchExpressions[0].values']],
    },
    {
      'another driver': [classOf(), classOf({ driverName: 'e.example.com' }), []],
      'faults twice': [classOf(), { driverName: 'D_' }, ['Invalid driverName', 'Invalid driverName']],
    },
    features,
  )
})

describe('ResourceClaim of v1alpha2', () => {
  const spec = { resourceClassName: 'c' }
  validates(
    classBasedClaimResource,
    {
      minimal: [{ spec }, []],
      'no class': [{ spec: {} }, ['Invalid spec.resourceClassName']],
      'bad parameters': [
        { spec: { ...spec, parametersRef: {} } },
        ['Required spec.parametersRef.kind', 'Required spec.parametersRef.name'],
      ],
      'bad mode': [{ spec: { ...spec, allocationMode: 'Now' } }, ['NotSupported spec.allocationMode']],
    },
    { 'the spec changes': [{ spec }, { spec: { resourceClassName: 'd' } }, ['Invalid spec']] },
    features,
  )

  /** Writes the statuses in order and returns the errors of the last. */
  const told = async (release: '1.27' | '1.30', ...statuses: object[]): Promise<string[]> => {
    const cases = new KindCases(classBasedClaimResource, featuresIn(release))
    await cases.create({ spec })
    for (const status of statuses.slice(0, -1)) await cases.update({ spec, status }, {}, 'status')
    return causesOf(cases.update({ spec, status: statuses.at(-1) }, {}, 'status'))
  }
  const handle = { driverName: 'd', data: 'x' }
  const allocation = { resourceHandles: [handle] }
  const allocated = { driverName: 'd', allocation }
  const user = (uid: string): object => ({ resource: 'pods', name: uid, uid })
  const STATUSES: Record<string, [statuses: object[], causes: string[]]> = {
    allocated: [[allocated], []],
    'no driver': [[{ allocation }], ['Required status.driverName']],
    'bad driver': [[{ driverName: 'D_' }], ['Invalid status.driverName']],
    'too many handles': [
      [{ driverName: 'd', allocation: { resourceHandles: Array.from({ length: 33 }, () => handle) } }],
      ['TooLong status.allocation.resourceHandles'],
    ],
    'much data': [
      [{ driverName: 'd', allocation: { resourceHandles: [{ driverName: 'd', data: 'x'.repeat(16385) }] } }],
      ['TooLong status.allocation.resourceHandles[0].data'],
    ],
    'structured data': [
      [
        {
          driverName: 'd',
          allocation: {
            resourceHandles: [{ driverName: 'd', structuredData: { nodeName: 'N', results: [{}, { namedResources: { name: 'i' } }] } }],
          },
        },
      ],
      [
        'Invalid status.allocation.resourceHandles[0].structuredData.nodeName',
        'Required status.allocation.resourceHandles[0].structuredData.results[0]',
      ],
    ],
    'the allocation changes': [
      [allocated, { ...allocated, allocation: { ...allocation, shareable: true } }],
      ['Invalid status.allocation'],
    ],
    reserved: [[{ ...allocated, reservedFor: [user('a')] }], []],
    'reserved before it is allocated': [[{ reservedFor: [user('a')] }], ['Forbidden status.reservedFor']],
    'reserved twice': [[{ ...allocated, reservedFor: [user('a'), user('b')] }], ['Forbidden status.reservedFor']],
    'reserved for one user twice': [
      [{ driverName: 'd', allocation: { shareable: true }, reservedFor: [user('a'), user('a')] }],
      ['Duplicate status.reservedFor[1].uid'],
    ],
    'reserved for many': [
      [{ driverName: 'd', allocation: { shareable: true }, reservedFor: many(33).map(user) }],
      ['TooLong status.reservedFor'],
    ],
    'a reservation for no consumer': [
      [{ ...allocated, reservedFor: [{}] }],
      ['Required status.reservedFor[0].resource', 'Required status.reservedFor[0].name', 'Required status.reservedFor[0].uid'],
    ],
    'deallocation while in use': [
      [
        { ...allocated, reservedFor: [user('a')] },
        { ...allocated, reservedFor: [user('a')], deallocationRequested: true },
      ],
      ['Forbidden status.deallocationRequested'],
    ],
    'deallocation of nothing': [[{ deallocationRequested: true }], ['Forbidden status']],
    'deallocation taken back': [[{ ...allocated, deallocationRequested: true }, allocated], ['Forbidden status.deallocationRequested']],
    'a user while it is deallocated': [
      [
        { ...allocated, deallocationRequested: true },
        { ...allocated, deallocationRequested: true, reservedFor: [user('a')] },
      ],
      ['Forbidden status.reservedFor'],
    ],
  }
  for (const [what, [statuses, causes]] of Object.entries(STATUSES))
    it(`status: ${what}`, async () => expect(await told('1.30', ...statuses)).to.deep.equal(causes))

  it('prints its state', async () => {
    const cases = new KindCases(classBasedClaimResource, features)
    await cases.create({ spec })
    expect(cases.cells()).to.deep.equal(['x', 'c', 'WaitForFirstConsumer', 'pending', '0s'])
    await cases.update({ spec, status: { ...allocated, deallocationRequested: true } }, {}, 'status')
    expect(cases.cells()?.[3]).to.equal('allocated,deallocating')
  })

  it('has a single resource handle in v1alpha1', async () => {
    const older = classBasedClaimResource.versions.find(({ name }) => name === 'v1alpha1')
    const claim = { apiVersion: '', kind: '', metadata: {}, spec, status: { allocation: { resourceHandle: 'x', shareable: true } } }
    const hub = older?.toHub?.(structuredClone(claim)) as typeof claim
    expect(hub.status.allocation).to.deep.equal({ resourceHandles: [{ data: 'x' }], shareable: true })
    expect(older?.fromHub?.(hub)).to.deep.equal(claim)
  })
})

describe('ResourceClaimTemplate of v1alpha2', () => {
  const template = (name: string, metadata: object = {}): object => ({ spec: { metadata, spec: { resourceClassName: name } } })
  validates(
    classBasedClaimTemplateResource,
    {
      minimal: [template('c'), []],
      faults: [template('', { name: 'x' }), ['Forbidden spec.metadata.name', 'Invalid spec.spec.resourceClassName']],
    },
    { 'the spec changes': [template('c'), template('d'), ['Invalid spec']] },
    features,
  )
})

for (const [definition, release] of [
  [podSchedulingResource, '1.26'],
  [alphaPodSchedulingContextResource, '1.30'],
] as const)
  describe(`${definition.hub.kind} of ${definition.hub.name}`, () => {
    const of = (...potentialNodes: string[]): object => ({ spec: { selectedNode: 'n', potentialNodes } })
    validates(
      definition,
      {
        nodes: [of('a', 'b'), []],
        'bad nodes': [of('A', 'a', 'a'), ['Invalid spec.potentialNodes[0]', 'Duplicate spec.potentialNodes[2]']],
        'too many nodes': [of(...many(129)), ['TooLong spec.potentialNodes']],
      },
      {},
      featuresIn(release),
    )

    it('has a status for each claim', async () => {
      const cases = new KindCases(definition, featuresIn(release))
      await cases.create(of('a'))
      const tell = (...resourceClaims: object[]) => causesOf(cases.update({ ...of('a'), status: { resourceClaims } }, {}, 'status'))
      expect(await tell({ name: 'c', unsuitableNodes: ['a'] })).to.deep.equal([])
      expect(await tell({ name: 'c', unsuitableNodes: ['A'] })).to.deep.equal(['Invalid status.claims[0].unsuitableNodes[0]'])
      expect(cases.cells()).to.deep.equal(['x', 'n', '0s'])
    })
  })

describe('ResourceSlice of v1alpha2', () => {
  const slice = (...attributes: object[]): object => ({
    driverName: 'd',
    nodeName: 'n',
    namedResources: { instances: [{ name: 'i', attributes }] },
  })
  const AT = 'namedResources.instances[0].attributes[0]'
  validates(
    namedResourceSliceResource,
    {
      instances: [slice({ name: 'a', bool: false }, { name: 'b', intSlice: { ints: [1] } }, { name: 'c', version: '1.2.3-rc.1+x' }), []],
      'no model': [{ driverName: 'd' }, ['Required <nil>']],
      'no driver': [{ namedResources: { instances: [] } }, ['Required driverName', 'Invalid driverName']],
      'bad node': [{ ...slice(), nodeName: 'N' }, ['Invalid nodeName']],
      'no value': [slice({ name: 'a' }), [`Required ${AT}`]],
      'two values': [slice({ name: 'a', bool: true, string: 'x' }), [`Invalid ${AT}`]],
      'bad version': [slice({ name: 'a', version: '1.2' }), [`Invalid ${AT}.version`]],
      'bad names': [
        { driverName: 'd', namedResources: { instances: [{ name: 'I' }, { name: 'i' }, { name: 'i' }] } },
        ['Invalid namedResources.instances[0].name', 'Duplicate namedResources.instances[2].name'],
      ],
    },
    {
      'other instances': [slice(), slice({ name: 'a', int: 1 }), []],
      'another node': [slice(), { ...slice(), nodeName: 'm' }, ['Invalid nodeName']],
      'another driver': [slice(), { ...slice(), driverName: 'e' }, ['Invalid driverName']],
    },
    features,
  )
})

const WRONG: Record<string, string> = {
  'not bool': 'attributes.int["a"]',
  unknown: 'device.driver == "a"',
  'wrong type': 'attributes.string["a"] > 1',
}
const RIGHT: Record<string, string> = {
  quantity: 'attributes.quantity["a"].isGreaterThan(quantity("1Gi"))',
  version: 'attributes.version["a"].isGreaterThan(semver("1.0.0"))',
  lists: '"x" in attributes.stringslice["a"] && 1 in attributes.intslice["b"]',
  plain: 'attributes.bool["a"] && attributes.string["b"] == "x" && attributes.int["c"] > 1',
}

describe('ResourceClaimParameters of v1alpha2', () => {
  const asking = (...selectors: string[]): object => ({
    driverRequests: [{ driverName: 'd', requests: selectors.map(selector => ({ namedResources: { selector } })) }],
  })
  validates(
    resourceClaimParametersResource,
    {
      ...Object.fromEntries(Object.entries(RIGHT).map(([what, selector]) => [what, [asking(selector), []] as [object, string[]]])),
      ...Object.fromEntries(
        Object.entries(WRONG).map(([what, selector]) => [
          what,
          [asking(selector), ['Invalid driverRequests[0].requests[0].namedResources.selector']] as [object, string[]],
        ]),
      ),
      'no selector': [asking(''), ['Required driverRequests[0].requests[0].namedResources.selector']],
      'no requests': [asking(), ['Required driverRequests[0].requests']],
      'no model': [{ driverRequests: [{ driverName: 'd', requests: [{}] }] }, ['Required driverRequests[0].requests[0]']],
      'bad reference': [{ generatedFrom: { name: 'p' } }, ['Required generatedFrom.kind']],
      'a driver twice': [
        { driverRequests: ['a', 'a'].map(driverName => ({ driverName, requests: [{ namedResources: { selector: 'true' } }] })) },
        ['Duplicate driverRequests[1].driverName'],
      ],
    },
    {},
    features,
  )
})

describe('ResourceClassParameters of v1alpha2', () => {
  const filtering = (selector: string): object => ({ filters: [{ driverName: 'd', namedResources: { selector } }] })
  validates(
    resourceClassParametersResource,
    {
      filter: [filtering('true'), []],
      'not bool': [filtering('1'), ['Invalid filters[0].namedResources.selector']],
      'no model': [{ filters: [{ driverName: 'd' }] }, ['Required filters[0]']],
      'vendors twice': [{ vendorParameters: [{ driverName: 'd' }, { driverName: 'd' }] }, ['Duplicate vendorParameters[1].driverName']],
      'bad reference': [
        { generatedFrom: { kind: 'K', namespace: 'N' } },
        ['Required generatedFrom.name', 'Invalid generatedFrom.namespace'],
      ],
    },
    {},
    features,
  )
})
