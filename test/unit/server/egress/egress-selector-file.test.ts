import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { EgressConfigError, parseEgressFile } from '../../../../src/server/egress/egress-selector-file.ts'
import { issueCa } from '../../../../src/server/tls/issue.ts'

/** Cases of k8s.io/apiserver's TestReadEgressSelectorConfiguration and TestValidateEgressSelectorConfiguration. */
describe('parseEgressFile', () => {
  const check = (selections: readonly object[], apiVersion = 'apiserver.k8s.io/v1beta1') =>
    parseEgressFile(Buffer.from(JSON.stringify({ apiVersion, kind: 'EgressSelectorConfiguration', egressSelections: selections })))
  const one = (connection: object, name = 'cluster') => [{ name, connection }]
  const direct = { proxyProtocol: 'Direct' }

  it('accepts direct connections for each purpose', async () => {
    expect([...((await check(['controlplane', 'Cluster'].map(name => ({ name, connection: direct })))).named ?? [])]).to.deep.equal([
      'cluster',
      'controlplane',
    ])
    expect(Object.keys(await check(one(direct), 'apiserver.k8s.io/v1alpha1'))).to.deep.equal(['named', 'metrics'])
    expect([...((await check([])).named ?? [])]).to.deep.equal([])
  })

  const connect = (transport: object) => ({ proxyProtocol: 'HTTPConnect', transport })

  it('accepts proxies', async () => {
    const tcp = { url: 'http://[::1]:8131' }
    const found = await check([...one(connect({ uds })), ...one(connect({ tcp }), 'ControlPlane'), ...one(connect({ tcp }), 'etcd')])
    expect(Object.keys(found)).to.deep.equal(['named', 'metrics', 'cluster', 'controlplane', 'etcd'])
    expect(found.etcd).to.deep.equal({ at: { host: '::1', port: 8131 } })
  })

  it('reads the TLS files', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'egress-'))
    const ca = await issueCa('proxies')
    const file = (name: string, text: string): string => {
      writeFileSync(join(directory, name), text)
      return join(directory, name)
    }
    const tlsConfig = { caBundle: file('ca', ca.cert), clientCert: file('cert', ca.cert), clientKey: file('key', ca.key) }
    const secure = (given: object, name = 'cluster') =>
      check(one(connect({ tcp: { url: 'https://proxy.test', tlsConfig: { ...tlsConfig, ...given } } }), name))
    expect(await secure({})).to.include.keys('cluster')
    for (const [given, error, name] of [
      [{ clientKey: '/absent' }, `failed to read key pair ${tlsConfig.clientCert} & /absent, got open /absent: no such file or directory`],
      [{ caBundle: '/absent' }, 'failed to read cert file /absent, got open /absent: no such file or directory'],
      [{ caBundle: tlsConfig.clientKey }, 'failed to append CA cert to the cert pool'],
      [{ clientKey: tlsConfig.clientCert }, `failed to read key pair ${tlsConfig.clientCert} & ${tlsConfig.clientCert}, got tls: `],
      [{}, 'egress selection of etcd: a proxy with TLS is not implemented', 'etcd'],
    ] as const)
      expect(await secure(given, name).catch((caught: Error) => caught.message)).to.include(error)
    rmSync(directory, { recursive: true })
  })

  const uds = { udsName: '/etc/srv/konnectivity.sock' }
  for (const [title, selections, error] of [
    ['no protocol', one({}), 'service.connection.protocol: Unsupported value: "": supported values: "Direct", "HTTPConnect", "GRPC"'],
    [
      'a transport of a direct connection',
      one({ ...direct, transport: {} }),
      'service.connection.transport: Invalid value: "direct": Transport config should be absent for direct connect',
    ],
    [
      'a proxy without a transport',
      one({ proxyProtocol: 'HTTPConnect' }),
      'service.connection.transport: Required value: transport must be set for HTTPConnect',
    ],
    [
      'an empty transport',
      one({ proxyProtocol: 'HTTPConnect', transport: {} }),
      'service.connection.tcp: Required value: One of TCP or UDS must be set',
    ],
    [
      'two transports',
      one({ proxyProtocol: 'HTTPConnect', transport: { uds, tcp: { url: 'http://a' } } }),
      'TCP and UDS cannot both be set',
    ],
    [
      'an empty socket',
      one({ proxyProtocol: 'HTTPConnect', transport: { uds: {} } }),
      'service.connection.udsName: Invalid value: "nil": UDSName should be present for UDS connections',
    ],
    [
      'https without TLS',
      one({ proxyProtocol: 'HTTPConnect', transport: { tcp: { url: 'https://a' } } }),
      'TLSConfig must be present when using HTTPS',
    ],
    [
      'http with TLS',
      one({ proxyProtocol: 'HTTPConnect', transport: { tcp: { url: 'http://a', tlsConfig: {} } } }),
      'TLSConfig config should not be present when using HTTP',
    ],
    [
      'another scheme',
      one({ proxyProtocol: 'HTTPConnect', transport: { tcp: { url: 'a' } } }),
      'supported connection protocols are http:// and https://',
    ],
    [
      'gRPC over TCP',
      one({ proxyProtocol: 'GRPC', transport: { tcp: { url: 'http://a' } } }),
      'service.connection.uds: Required value: UDS must be set with GRPC',
    ],
    [
      'gRPC, which is not built',
      one({ proxyProtocol: 'GRPC', transport: { uds } }),
      'service.connection.protocol: Forbidden: GRPC is not implemented; it may be Direct or HTTPConnect',
    ],
    [
      'another purpose',
      one(direct, 'master'),
      'service.connection: Unsupported value: "master": supported values: "cluster", "controlplane", "etcd"',
    ],
    ['one purpose twice', [...one(direct), ...one(direct, 'CLUSTER')], 'service.connection[1]: Duplicate value: "cluster"'],
  ] as const)
    it(`refuses ${title}`, async () => {
      const caught = await check(selections).catch((thrown: unknown) => thrown)
      expect(caught).to.be.instanceOf(EgressConfigError).with.property('message').that.includes(error)
    })

  it('refuses a file of another kind', async () => {
    const fault = (given: Promise<unknown>) => given.catch((caught: Error) => caught.message)
    expect(await fault(check([], 'apiserver.config.k8s.io/v1beta1'))).to.include(
      'failed to read egress selector config: no kind "EgressSelectorConfiguration"',
    )
    expect(await fault(check([{ name: 'cluster', conection: direct }]))).to.include('unknown field "egressSelections[0].conection"')
  })
})
