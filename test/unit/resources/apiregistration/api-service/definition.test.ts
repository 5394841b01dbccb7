import { expect } from 'chai'
import { apiServiceResource } from '../../../../../src/resources/apiregistration/api-service/definition.ts'
import type { AnyObject } from '../../../../support/any-object.ts'
import { causesOf, serverOf } from '../../../../support/workloads.ts'

const service = { namespace: 'ns', name: 'api' }
const good = { group: 'example.com', version: 'v1', groupPriorityMinimum: 20, versionPriority: 10 }
const of = (spec: object = {}, metadata: object = {}): AnyObject => ({
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: 'v1.example.com', ...metadata },
  spec: { ...good, ...spec },
})

describe('APIService', () => {
  const cases: Record<string, [object: AnyObject, causes: string[]]> = {
    'a local one': [of(), []],
    'of the core group': [of({ group: '' }, { name: 'v1.' }), []],
    'of another server': [of({ service, caBundle: 'AAAA' }), []],
    'another name': [of({}, { name: 'x' }), ['metadata.name: Invalid value: "x": must be `spec.version+"."+spec.group`: "v1.example.com"']],
    'a name that is not a path segment': [of({}, { name: 'a/b' }), [`metadata.name: Invalid value: "a/b": may not contain '/'`]],
    'no group': [
      of({ group: '', version: 'v2' }, { name: 'v2.' }),
      ['spec.group: Required value: only v1 may have an empty group and it better be legacy kube'],
    ],
    'priorities above their ranges': [
      of({ groupPriorityMinimum: 20_001, versionPriority: 1001 }),
      [
        'spec.groupPriorityMinimum: Invalid value: 20001: must be positive and less than 20000',
        'spec.versionPriority: Invalid value: 1001: must be positive and less than 1000',
      ],
    ],
    'priorities of zero': [
      of({ groupPriorityMinimum: 0, versionPriority: 0 }),
      [
        'spec.groupPriorityMinimum: Invalid value: 0: must be positive and less than 20000',
        'spec.versionPriority: Invalid value: 0: must be positive and less than 1000',
      ],
    ],
    'a local one with TLS': [
      of({ caBundle: 'AAAA', insecureSkipTLSVerify: true }),
      [
        'spec.caBundle: Invalid value: "3 bytes": local APIServices may not have a caBundle',
        'spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify',
      ],
    ],
    'a bundle, and no need of it': [
      of({ service, caBundle: 'AAAA', insecureSkipTLSVerify: true }),
      ['spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present'],
    ],
    'a service without anything': [
      of({ service: { port: 65536 } }),
      [
        'spec.service.namespace: Required value',
        'spec.service.name: Required value',
        'spec.service.port: Invalid value: 65536: port is not valid: must be between 1 and 65535, inclusive',
      ],
    ],
  }
  for (const [what, [object, causes]] of Object.entries(cases))
    it(`creating: ${what}`, async () => {
      const { server, gr } = serverOf(apiServiceResource)
      expect(await causesOf(server.create(gr, '', object))).to.deep.equal(causes)
    })

  it('reports an invalid group and an invalid version at their fields', async () => {
    const { server, gr } = serverOf(apiServiceResource)
    const causes = await causesOf(server.create(gr, '', of({ group: 'a_b', version: '1' }, { name: '1.a_b' })))
    expect(causes.map(cause => cause.slice(0, 30))).to.deep.equal(['spec.group: Invalid value: "a_', 'spec.version: Invalid value: "'])
  })

  it('is available if it is local', async () => {
    const { server, gr } = serverOf(apiServiceResource)
    const { metadata, status } = await server.create(gr, '', { ...of(), status: { conditions: [{ type: 'Available', status: 'False' }] } })
    expect(status.conditions).to.deep.equal([
      {
        type: 'Available',
        status: 'True',
        lastTransitionTime: metadata.creationTimestamp,
        reason: 'Local',
        message: 'Local APIServices are always available',
      },
    ])
    expect(server.cells(gr, '', 'v1.example.com')).to.deep.equal(['v1.example.com', 'Local', 'True', '0s'])
  })

  it('defaults the port of its service to 443, and prints its status', async () => {
    const { server, gr } = serverOf(apiServiceResource)
    const { spec, status } = await server.create(gr, '', of({ service }))
    expect([spec.service.port, status]).to.deep.equal([443, {}])
    expect(server.cells(gr, '', 'v1.example.com')).to.deep.equal(['v1.example.com', 'ns/api', 'Unknown', '0s'])
    const tell = (condition: object) =>
      server.update(gr, '', 'v1.example.com', o => ({ ...o, spec: { ...o.spec, version: 'v9' }, status: { conditions: [condition] } }), {
        subresource: 'status',
      })
    expect(await causesOf(tell({ type: 'Available', status: 'Yes' }))).to.deep.equal([
      'status.conditions[0].status: Unsupported value: "Yes": supported values: "True", "False", "Unknown"',
    ])
    expect((await tell({ type: 'Available', status: 'False', reason: 'ServiceNotFound' })).spec.version).to.equal('v1')
    expect(server.cells(gr, '', 'v1.example.com')?.[2]).to.equal('False (ServiceNotFound)')
    await tell({ type: 'Available', status: 'False' })
    expect(server.cells(gr, '', 'v1.example.com')?.[2]).to.equal('False')
  })
})
