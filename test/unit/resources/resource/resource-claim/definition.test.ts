import { expect } from 'chai'
import { clone } from '../../../../../src/meta/equal.ts'
import { convert } from '../../../../../src/registry/conversion/convert.ts'
import { createResourceClaimResource } from '../../../../../src/resources/resource/resource-claim/definition.ts'
import { resourceClaimTemplateResource } from '../../../../../src/resources/resource/resource-claim-template/definition.ts'
import { type AnyObject, loose } from '../../../../support/any-object.ts'
import { testAuth } from '../../../../support/auth.ts'
import { KindCases, validates } from '../../../../support/kind-cases.ts'
import { causesOf as messagesOf } from '../../../../support/workloads.ts'

const exactly = { deviceClassName: 'gpu' }
const request = { name: 'r', exactly }
const devices = (parts: object = {}): object => ({ spec: { devices: { requests: [request], ...parts } } })
const asking = (parts: object): object => devices({ requests: [{ name: 'r', exactly: { ...exactly, ...parts } }] })
const configured = (opaque?: object, requests?: string[]): object =>
  devices({ config: [{ ...(requests && { requests }), ...(opaque && { opaque }) }] })
const opaque = { driver: 'gpu.example.com', parameters: { a: 1 } }
const EXACTLY = 'spec.devices.requests[0].exactly'

const resourceClaimResource = createResourceClaimResource(testAuth.authorizer)

describe('ResourceClaim', () => {
  validates(
    resourceClaimResource,
    {
      'no request': [{ spec: {} }, []],
      'a request': [devices(), []],
      'a request without anything': [
        devices({ requests: [{ name: '' }] }),
        ['Invalid spec.devices.requests[0].name', 'Required spec.devices.requests[0]'],
      ],
      'a name twice': [devices({ requests: [request, request] }), ['Duplicate spec.devices.requests[1].name']],
      'too many requests': [
        devices({ requests: Array.from({ length: 33 }, (_, i) => ({ ...request, name: `r${i}` })) }),
        ['TooMany spec.devices.requests'],
      ],
      'no class': [asking({ deviceClassName: '' }), [`Required ${EXACTLY}.deviceClassName`]],
      'a bad class': [asking({ deviceClassName: 'a_b' }), [`Invalid ${EXACTLY}.deviceClassName`]],
      'an unknown mode': [asking({ allocationMode: 'Some' }), [`NotSupported ${EXACTLY}.allocationMode`]],
      'all, and a number': [asking({ allocationMode: 'All', count: 2 }), [`Invalid ${EXACTLY}.count`]],
      'less than one': [asking({ count: -1 }), [`Invalid ${EXACTLY}.count`]],
      'a selector without expression': [asking({ selectors: [{}] }), [`Required ${EXACTLY}.selectors[0].cel`]],
      'a long expression': [
        asking({ selectors: [{ cel: { expression: 'x'.repeat(10_241) } }] }),
        [`TooLong ${EXACTLY}.selectors[0].cel.expression`],
      ],
      'bad tolerations': [
        asking({ tolerations: [{ operator: 'Exists', value: 'v' }, { operator: 'Like' }, { key: '?', effect: 'Never', value: '?' }] }),
        [
          `Invalid ${EXACTLY}.tolerations[0].value`,
          `NotSupported ${EXACTLY}.tolerations[1].operator`,
          `Invalid ${EXACTLY}.tolerations[2].key`,
          `Invalid ${EXACTLY}.tolerations[2].value`,
          `NotSupported ${EXACTLY}.tolerations[2].effect`,
        ],
      ],
      constraints: [devices({ constraints: [{ requests: ['r'], matchAttribute: 'example.com/model' }] }), []],
      'bad constraints': [
        devices({ constraints: [{ requests: ['s', 'r/s/t'] }, { matchAttribute: 'model' }, { matchAttribute: '/-' }] }),
        [
          'Invalid spec.devices.constraints[0].requests[0]',
          'Invalid spec.devices.constraints[0].requests[1]',
          'Required spec.devices.constraints[0].matchAttribute',
          'Invalid spec.devices.constraints[1].matchAttribute',
          'Required spec.devices.constraints[2].matchAttribute',
          'TypeInvalid spec.devices.constraints[2].matchAttribute',
        ],
      ],
      'a setup': [configured(opaque, ['r']), []],
      'no setup': [configured(), ['Required spec.devices.config[0].opaque']],
      'a setup without anything': [
        configured({}),
        [
          'Required spec.devices.config[0].opaque.driver',
          'Invalid spec.devices.config[0].opaque.driver',
          'Required spec.devices.config[0].opaque.parameters',
        ],
      ],
      'a configuration that is not an object': [
        configured({ ...opaque, parameters: [1] }),
        ['Invalid spec.devices.config[0].opaque.parameters'],
      ],
      'a long setup': [
        configured({ ...opaque, parameters: { a: 'x'.repeat(10_240) } }),
        ['TooLong spec.devices.config[0].opaque.parameters'],
      ],
    },
    {
      'the spec': [devices(), asking({ count: 2 }), ['Invalid spec']],
      'the spec, with an error that is reported twice': [
        devices(),
        asking({ count: -1 }),
        [`Invalid ${EXACTLY}.count`, 'Invalid spec', `Invalid ${EXACTLY}.count`],
      ],
    },
  )

  it('defaults to one device and drops fields without their gates', async () => {
    const { spec, status } = await new KindCases(resourceClaimResource).create({
      ...devices({
        requests: [{ name: 'r', exactly: { ...exactly, adminAccess: true }, firstAvailable: [{ name: 'a', deviceClassName: 'b' }] }],
      }),
      status: { reservedFor: [] },
    })
    expect(spec.devices.requests).to.deep.equal([{ name: 'r', exactly: { ...exactly, allocationMode: 'ExactCount', count: 1 } }])
    expect(status).to.deep.equal({})
  })

  const result = { request: 'r', driver: 'gpu.example.com', pool: 'node-1/a', device: 'gpu-0' }
  const allocation = { devices: { results: [result] } }
  const user = { resource: 'pods', name: 'p', uid: 'u' }
  const { request: _, ...device } = result
  const statuses: Record<string, [status: object, causes: string[]]> = {
    'allocated and in use': [
      {
        allocation,
        reservedFor: [user],
        devices: [{ ...device, data: { a: 1 }, networkData: { ips: ['192.0.2.5/24', '2001:db8::1/64'] } }],
      },
      [],
    ],
    'in use without being allocated': [
      { reservedFor: [user] },
      ['status.reservedFor: Forbidden: may not be specified when `allocated` is not set'],
    ],
    'bad users': [
      { allocation, reservedFor: [{ uid: 'u' }, user] },
      [
        'status.reservedFor[0].resource: Required value',
        'status.reservedFor[0].name: Required value',
        'status.reservedFor[1].uid: Duplicate value: "u"',
      ],
    ],
    'a bad allocation': [
      {
        allocation: {
          devices: { results: [{ ...result, request: 's', pool: '' }], config: [{ source: 'FromHeaven', opaque }] },
          nodeSelector: {},
        },
      },
      [
        `status.allocation.devices.results[0].request: Invalid value: "s": must be the name of a request in the claim or the name of a request and a subrequest separated by '/'`,
        'status.allocation.devices.results[0].pool: Required value',
        'status.allocation.devices.config[0].source: Unsupported value: "FromHeaven": supported values: "FromClaim", "FromClass"',
        'status.allocation.nodeSelector.nodeSelectorTerms: Required value: must have at least one node selector term',
      ],
    ],
    'devices that are not allocated, twice': [
      { devices: [device, device] },
      [
        'status.devices[0]: Invalid value: gpu.example.com/node-1/a/gpu-0: must be an allocated device in the claim',
        'status.devices[1]: Invalid value: gpu.example.com/node-1/a/gpu-0: must be an allocated device in the claim',
        'status.devices[1].deviceID: Duplicate value: gpu.example.com/node-1/a/gpu-0',
      ],
    ],
    'bad data of a device': [
      { allocation, devices: [{ ...device, data: [1], networkData: { ips: ['192.0.2.5', '192.0.02.5/24'] } }] },
      [
        'status.devices[0].data: Invalid value: "<value omitted>": parameters must be a valid JSON object',
        'status.devices[0].networkData.ips[0]: Invalid value: "192.0.2.5": must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)',
        'status.devices[0].networkData.ips[1]: Invalid value: "192.0.02.5/24": must be in canonical form ("192.0.2.5/24")',
      ],
    ],
  }
  for (const [what, [status, causes]] of Object.entries(statuses))
    it(`status: ${what}`, async () => {
      const cases = new KindCases(resourceClaimResource)
      await cases.create(devices())
      expect(await messagesOf(cases.update({ ...devices(), status }, {}, 'status'))).to.deep.equal(causes)
    })

  it('drops admin access for a device that was allocated without it', async () => {
    const cases = new KindCases(resourceClaimResource)
    await cases.create(devices())
    const allocated = { devices: { results: [{ ...result, adminAccess: true }] } }
    const { status } = await cases.update({ ...devices(), status: { allocation: allocated } }, {}, 'status')
    expect(status.allocation.devices.results).to.deep.equal([{ ...result, adminAccess: null }])
    // The request loses it as without an allocation, so that the spec is unchanged.
    expect((await cases.update(asking({ adminAccess: true }))).spec).to.not.have.nested.property('devices.requests[0].exactly.adminAccess')
  })

  it('does not allow changing its allocation and drops status of deallocated devices', async () => {
    const cases = new KindCases(resourceClaimResource)
    await cases.create(devices())
    const tell = (status: object) => cases.update({ ...devices(), status }, {}, 'status')
    expect(cases.cells()).to.deep.equal(['x', 'pending', '0s'])
    await tell({ allocation, devices: [device] })
    expect(cases.cells()?.[1]).to.equal('allocated')
    const [message] = await messagesOf(tell({ allocation: { devices: { results: [{ ...result, device: 'gpu-1' }] } } }))
    expect(message).to.match(/^status.allocation: Invalid value: .*: field is immutable$/)
    await tell({ allocation, devices: [device], reservedFor: [user] })
    expect(cases.cells()?.[1]).to.equal('allocated,reserved')
    expect((await tell({ devices: [device] })).status).to.deep.equal({})
  })

  it('is converted to and stored in v1beta1', () => {
    const { hub, versions } = resourceClaimResource
    const older = versions.find(({ name }) => name === 'v1beta1')!
    const claim = {
      kind: 'ResourceClaim',
      apiVersion: 'resource.k8s.io/v1beta1',
      metadata: { name: 'x' },
      spec: {
        devices: {
          requests: [
            { name: 'r', deviceClassName: 'gpu' },
            { name: 's', deviceClassName: '', firstAvailable: [{ name: 'a', deviceClassName: 'b' }] },
          ],
        },
      },
    } as AnyObject
    older.setDefaults?.(claim)
    const converted = convert(resourceClaimResource, clone(claim), older, hub)
    expect(loose(converted).spec.devices.requests).to.deep.equal([
      { name: 'r', exactly: { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1 } },
      { name: 's', firstAvailable: [{ name: 'a', deviceClassName: 'b', allocationMode: 'ExactCount', count: 1 }] },
    ])
    expect(resourceClaimResource.storage?.version).to.equal(older)
  })

  it('keeps the empty class of a v1beta1 request', () => {
    const { hub, versions } = resourceClaimResource
    const older = versions.find(({ name }) => name === 'v1beta1')!
    const claim: AnyObject = {
      kind: 'ResourceClaim',
      apiVersion: 'resource.k8s.io/v1beta1',
      metadata: { name: 'x' },
      spec: { devices: { requests: [{ name: 'r', deviceClassName: '', allocationMode: 'All' }] } },
    }
    const converted = convert(resourceClaimResource, clone(claim), older, hub)
    expect(loose(converted).spec.devices.requests).to.deep.equal([{ name: 'r', exactly: { deviceClassName: '', allocationMode: 'All' } }])
    expect(convert(resourceClaimResource, converted, hub, older)).to.deep.equal(claim)
  })
})

describe('ResourceClaimTemplate', () => {
  const of = (parts: object, metadata?: object): object => ({
    spec: { ...(metadata && { metadata }), spec: (devices(parts) as { spec: object }).spec },
  })
  validates(
    resourceClaimTemplateResource,
    {
      'a template': [of({}, { labels: { a: 'b' }, annotations: { c: 'd' } }), []],
      'a name for all of them': [of({}, { name: 'x' }), ['Forbidden spec.metadata.name']],
      'a bad label': [of({}, { labels: { a: '?' } }), ['Invalid spec.metadata.labels']],
      'a request without anything': [of({ requests: [{ name: 'r' }] }), ['Required spec.spec.devices.requests[0]']],
    },
    { 'the spec': [of({}), of({ requests: [] }), ['Invalid spec']] },
  )

  it('defaults to one device', async () => {
    const cases = new KindCases(resourceClaimTemplateResource)
    const { spec } = await cases.create(of({}))
    expect(spec.spec.devices.requests[0].exactly.count).to.equal(1)
    expect(cases.cells()).to.deep.equal(['x', '0s'])
  })
})
