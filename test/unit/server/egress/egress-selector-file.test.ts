import { expect } from 'chai'
import { checkEgressFile, EgressConfigError } from '../../../../src/server/egress/egress-selector-file.ts'

/** After k8s.io/apiserver's TestReadEgressSelectorConfiguration and TestValidateEgressSelectorConfiguration. */
describe('checkEgressFile', () => {
  const check = (selections: readonly object[], apiVersion = 'apiserver.k8s.io/v1beta1') =>
    checkEgressFile(Buffer.from(JSON.stringify({ apiVersion, kind: 'EgressSelectorConfiguration', egressSelections: selections })))
  const one = (connection: object, name = 'cluster') => [{ name, connection }]
  const direct = { proxyProtocol: 'Direct' }

  it('takes direct connections for each purpose', () => {
    check(['controlplane', 'Cluster', 'etcd'].map(name => ({ name, connection: direct })))
    check(one(direct), 'apiserver.k8s.io/v1alpha1')
    check([])
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
    ['an empty transport', one({ proxyProtocol: 'HTTPConnect', transport: {} }), 'service.connection.tcp: Required value: One of TCP or UDS must be set'],
    ['two transports', one({ proxyProtocol: 'HTTPConnect', transport: { uds, tcp: { url: 'http://a' } } }), 'TCP and UDS cannot both be set'],
    [
      'an empty socket',
      one({ proxyProtocol: 'HTTPConnect', transport: { uds: {} } }),
      'service.connection.udsName: Invalid value: "nil": UDSName should be present for UDS connections',
    ],
    ['https without TLS', one({ proxyProtocol: 'HTTPConnect', transport: { tcp: { url: 'https://a' } } }), 'TLSConfig must be present when using HTTPS'],
    [
      'http with TLS',
      one({ proxyProtocol: 'HTTPConnect', transport: { tcp: { url: 'http://a', tlsConfig: {} } } }),
      'TLSConfig config should not be present when using HTTP',
    ],
    ['another scheme', one({ proxyProtocol: 'HTTPConnect', transport: { tcp: { url: 'a' } } }), 'supported connection protocols are http:// and https://'],
    [
      'gRPC over TCP',
      one({ proxyProtocol: 'GRPC', transport: { tcp: { url: 'http://a' } } }),
      'service.connection.uds: Required value: UDS must be set with GRPC',
    ],
    [
      'a proxy, which is not built',
      one({ proxyProtocol: 'HTTPConnect', transport: { uds } }),
      'service.connection.protocol: Forbidden: HTTPConnect is not implemented; it may be Direct',
    ],
    ['another one', one({ proxyProtocol: 'GRPC', transport: { uds } }), 'service.connection.protocol: Forbidden: GRPC is not implemented; it may be Direct'],
    ['another purpose', one(direct, 'master'), 'service.connection: Unsupported value: "master": supported values: "cluster", "controlplane", "etcd"'],
    ['one purpose twice', [...one(direct), ...one(direct, 'CLUSTER')], 'service.connection[1]: Duplicate value: "cluster"'],
  ] as const)
    it(`refuses ${title}`, () => expect(() => check(selections)).to.throw(EgressConfigError, error))

  it('refuses what is no such file', () => {
    expect(() => check([], 'apiserver.config.k8s.io/v1beta1')).to.throw(
      EgressConfigError,
      'failed to read egress selector config: no kind "EgressSelectorConfiguration"',
    )
    expect(() => check([{ name: 'cluster', conection: direct }])).to.throw(EgressConfigError, 'unknown field "egressSelections[0].conection"')
  })
})
