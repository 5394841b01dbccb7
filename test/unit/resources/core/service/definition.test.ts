import { expect } from 'chai'
import { parseGates } from '../../../../../src/lifecycle/gates.ts'
import { causesOf } from '../../../../support/workloads.ts'
import { SERVICES, serverWith, service } from './services.ts'

describe('Service', () => {
  it('has the defaults of its type', async () => {
    const server = serverWith()
    const { spec, status } = await server.create(SERVICES, 'default', service('web'))
    expect(spec).to.deep.equal({
      selector: { app: 'web' },
      ports: [{ protocol: 'TCP', port: 80, targetPort: 80 }],
      clusterIP: '10.0.0.17',
      clusterIPs: ['10.0.0.17'],
      type: 'ClusterIP',
      sessionAffinity: 'None',
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      internalTrafficPolicy: 'Cluster',
    })
    expect(status).to.deep.equal({ loadBalancer: {} })
  })

  const defaults: [string, object, object][] = [
    [
      'affinity by client lasts three hours',
      { sessionAffinity: 'ClientIP' },
      { sessionAffinityConfig: { clientIP: { timeoutSeconds: 10800 } } },
    ],
    [
      'a node port service',
      { type: 'NodePort' },
      { externalTrafficPolicy: 'Cluster', ports: [{ protocol: 'TCP', port: 80, targetPort: 80, nodePort: 30086 }] },
    ],
    ['a load balancer', { type: 'LoadBalancer' }, { externalTrafficPolicy: 'Cluster', allocateLoadBalancerNodePorts: true }],
    [
      'a load balancer without node ports',
      { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false },
      { ports: [{ protocol: 'TCP', port: 80, targetPort: 80 }] },
    ],
    ['a local load balancer', { type: 'LoadBalancer', externalTrafficPolicy: 'Local' }, { healthCheckNodePort: 30087 }],
    ['a headless one', { clusterIP: 'None' }, { clusterIPs: ['None'], ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' }],
    [
      'a headless one without selector',
      { clusterIP: 'None', selector: {} },
      { ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' },
    ],
    [
      'two families preferred, one to be had',
      { ipFamilyPolicy: 'PreferDualStack' },
      { ipFamilies: ['IPv4'], ipFamilyPolicy: 'PreferDualStack' },
    ],
    [
      'two protocols of one port share a node port',
      {
        type: 'NodePort',
        ports: [
          { name: 'u', port: 53, protocol: 'UDP' },
          { name: 't', port: 53 },
        ],
      },
      {
        ports: [
          { name: 'u', protocol: 'UDP', port: 53, targetPort: 53, nodePort: 30086 },
          { name: 't', protocol: 'TCP', port: 53, targetPort: 53, nodePort: 30086 },
        ],
      },
    ],
  ]
  for (const [what, spec, wanted] of defaults) {
    it(`defaults: ${what}`, async () => {
      expect((await serverWith().create(SERVICES, 'default', service('web', spec))).spec).to.deep.include(wanted)
    })
  }

  it('has no addresses as ExternalName', async () => {
    const { spec } = await serverWith().create(
      SERVICES,
      'default',
      service('web', { type: 'ExternalName', externalName: 'a.example.com', internalTrafficPolicy: 'Cluster' }),
    )
    expect(spec).to.have.all.keys('selector', 'ports', 'type', 'sessionAffinity', 'externalName')
  })

  const IP = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'
  const refused: [string, object, string[]][] = [
    ['no ports', { ports: [] }, ['spec.ports: Required value']],
    [
      'a port twice',
      {
        ports: [
          { name: 'a', port: 80 },
          { name: 'b', port: 80 },
        ],
      },
      [
        'spec.ports[1]: Duplicate value: core.ServicePort{Name:"", Protocol:"TCP", AppProtocol:(*string)(nil), Port:80, TargetPort:intstr.IntOrString{Type:0, IntVal:0, StrVal:""}, NodePort:0}',
      ],
    ],
    [
      'a name twice',
      {
        ports: [
          { name: 'a', port: 80 },
          { name: 'a', port: 81 },
        ],
      },
      ['spec.ports[1].name: Duplicate value: "a"'],
    ],
    [
      'a node port without its type',
      { ports: [{ port: 80, nodePort: 30000 }] },
      ["spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"],
    ],
    ['an invalid address, reported alone', { clusterIP: 'x', ports: [] }, [`spec.clusterIPs[0]: Invalid value: "x": ${IP}`]],
    [
      'addresses that differ',
      { clusterIP: '10.0.0.1', clusterIPs: ['10.0.0.2'] },
      ['spec.clusterIPs: Invalid value: []string{"10.0.0.2"}: first value must match `clusterIP`'],
    ],
    [
      'two families',
      { ipFamilyPolicy: 'RequireDualStack' },
      ['spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services'],
    ],
    ['a family without a range', { ipFamilies: ['IPv6'] }, ['spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster']],
    [
      'an address of a family without a range',
      { clusterIP: '2001:db8::1' },
      ['spec.clusterIPs[0]: Invalid value: []string{"2001:db8::1"}: IPv6 is not configured on this cluster'],
    ],
    [
      'a headless load balancer',
      { type: 'LoadBalancer', clusterIP: 'None' },
      ['spec.clusterIPs[0]: Invalid value: "None": may not be set to \'None\' for LoadBalancer services'],
    ],
    ['an ExternalName without name', { type: 'ExternalName' }, ['spec.externalName: Required value']],
    [
      'an affinity that lasts too long',
      { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 86401 } } },
      ['spec.sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 86401: must be greater than 0 and less than 86400'],
    ],
    [
      'an external address on this machine',
      { externalIPs: ['127.0.0.1'] },
      ['spec.externalIPs[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)'],
    ],
    [
      'source ranges without a balancer',
      { loadBalancerSourceRanges: ['10.0.0.0/8'] },
      ["spec.LoadBalancerSourceRanges: Forbidden: may only be used when `type` is 'LoadBalancer'"],
    ],
    [
      'an unknown type',
      { type: 'Magic' },
      ['spec.type: Unsupported value: "Magic": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"'],
    ],
    [
      'an unknown distribution',
      { trafficDistribution: 'Far' },
      ['spec.trafficDistribution: Unsupported value: "Far": supported values: "PreferClose"'],
    ],
  ]
  for (const [what, spec, causes] of refused) {
    it(`refuses ${what}`, async () => {
      expect(await causesOf(serverWith().create(SERVICES, 'default', service('web', spec)))).to.deep.equal(causes)
    })
  }

  it('keeps its allocations when the manifest is applied again', async () => {
    const server = serverWith()
    const manifest = service('web', { type: 'LoadBalancer', externalTrafficPolicy: 'Local' })
    const first = await server.create(SERVICES, 'default', manifest)
    expect((await server.update(SERVICES, 'default', 'web', () => manifest)).spec).to.deep.equal(first.spec)
  })

  it('cannot change its address', async () => {
    const server = serverWith()
    await server.create(SERVICES, 'default', service('web'))
    const to = (clusterIP: string) => causesOf(server.update(SERVICES, 'default', 'web', o => ({ ...o, spec: { ...o.spec, clusterIP } })))
    expect(await to('None')).to.deep.equal(['spec.clusterIPs[0]: Invalid value: []string{"None"}: may not change once set'])
    expect(await to('10.0.0.9')).to.deep.equal(['spec.clusterIPs[0]: Invalid value: []string{"10.0.0.9"}: may not change once set'])
  })

  it('drops fields that its new type does not use', async () => {
    const server = serverWith()
    await server.create(
      SERVICES,
      'default',
      service('web', { type: 'LoadBalancer', externalTrafficPolicy: 'Local', loadBalancerClass: 'example.com/x' }),
    )
    const change = (spec: object) => server.update(SERVICES, 'default', 'web', o => ({ ...o, spec: { ...o.spec, ...spec } }))
    const plain = (await change({ type: 'ClusterIP' })).spec
    expect(plain).not.to.have.any.keys('healthCheckNodePort', 'externalTrafficPolicy', 'allocateLoadBalancerNodePorts', 'loadBalancerClass')
    expect(plain.ports).to.deep.equal([{ protocol: 'TCP', port: 80, targetPort: 80 }])
    const named = (await change({ type: 'ExternalName', externalName: 'a.example.com' })).spec
    expect(named).not.to.have.any.keys('clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy', 'internalTrafficPolicy')
  })

  it('may have ingress without a mode in any type before 1.29', async () => {
    const server = serverWith()
    server.features = parseGates('1.28')
    for (const type of ['ClusterIP', 'LoadBalancer']) {
      const name = type.toLowerCase()
      await server.create(SERVICES, 'default', service(name, { type }))
      const status = { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } }
      const next = await server.update(SERVICES, 'default', name, o => ({ ...o, status }), { subresource: 'status' })
      expect(next.status).to.deep.equal(status)
    }
  })

  it('may have ingress, with a mode, only as a load balancer', async () => {
    const server = serverWith()
    await server.create(SERVICES, 'default', service('plain'))
    await server.create(SERVICES, 'default', service('balanced', { type: 'LoadBalancer' }))
    const put = (name: string, ingress: object) =>
      server.update(SERVICES, 'default', name, o => ({ ...o, status: { loadBalancer: { ingress: [ingress] } } }), { subresource: 'status' })
    expect(await causesOf(put('plain', { ip: '192.0.2.1' }))).to.deep.equal([
      "status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is 'LoadBalancer'",
    ])
    expect((await put('balanced', { ip: '192.0.2.1' })).status.loadBalancer.ingress).to.deep.equal([{ ip: '192.0.2.1', ipMode: 'VIP' }])
    expect(await causesOf(put('balanced', { hostname: '192.0.2.1' }))).to.deep.equal([
      'status.loadBalancer.ingress[0].hostname: Invalid value: "192.0.2.1": must be a DNS name, not an IP address',
    ])
    const back = await server.update(SERVICES, 'default', 'balanced', o => ({ ...o, spec: { ...o.spec, type: 'ClusterIP' } }))
    expect(back.status).to.deep.equal({ loadBalancer: {} })
  })

  const rows: [string, object, unknown[]][] = [
    ['a plain one', {}, ['web', 'ClusterIP', '10.0.0.17', '<none>', '80/TCP', '0s', 'app=web']],
    ['node ports', { type: 'NodePort' }, ['web', 'NodePort', '10.0.0.17', '<none>', '80:30086/TCP', '0s', 'app=web']],
    ['a balancer that waits', { type: 'LoadBalancer' }, ['web', 'LoadBalancer', '10.0.0.17', '<pending>', '80:30086/TCP', '0s', 'app=web']],
    [
      'external addresses',
      { externalIPs: ['192.0.2.1', '192.0.2.2'] },
      ['web', 'ClusterIP', '10.0.0.17', '192.0.2.1,192.0.2.2', '80/TCP', '0s', 'app=web'],
    ],
    [
      'a name elsewhere',
      { type: 'ExternalName', externalName: 'a.example.com', ports: [], selector: {} },
      ['web', 'ExternalName', '<none>', 'a.example.com', '<none>', '0s', '<none>'],
    ],
  ]
  for (const [what, spec, row] of rows) {
    it(`prints ${what}`, async () => {
      const server = serverWith()
      await server.create(SERVICES, 'default', service('web', spec))
      expect(server.cells(SERVICES, 'default', 'web')).to.deep.equal(row)
    })
  }
})
