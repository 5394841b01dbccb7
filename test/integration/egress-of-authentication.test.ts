import { expect } from 'chai'
import { AggregatedServer } from '../support/aggregated-server.ts'
import { ConnectProxyServer } from '../support/connect-proxy-server.ts'
import { type InProcessServer, openInProcess } from '../support/in-process-server.ts'
import { OidcServer } from '../support/oidc-server.ts'
import { eventually } from '../support/waiting.ts'
import { WebhookServer } from '../support/webhooks/webhook-server.ts'

const CLUSTER = 'cluster'
const CONTROL_PLANE = 'controlplane'

/** An address that is reachable only through a proxy. */
const NODE = '192.0.2.7'

describe('egress selection of authentication, authorization and nodes', () => {
  let cluster: ConnectProxyServer
  let outside: ConnectProxyServer
  const opened: InProcessServer[] = []
  before(async () => {
    cluster = await ConnectProxyServer.start()
    outside = await ConnectProxyServer.start()
  })
  after(() => {
    cluster.close()
    outside.close()
  })
  beforeEach(() => {
    for (const proxy of [cluster, outside]) {
      proxy.asked.length = 0
      proxy.portTo = undefined
    }
  })

  const egressFile = (): string =>
    JSON.stringify({
      apiVersion: 'apiserver.k8s.io/v1beta1',
      kind: 'EgressSelectorConfiguration',
      egressSelections: [
        [CLUSTER, cluster],
        [CONTROL_PLANE, outside],
      ].map(([name, proxy]) => ({
        name,
        connection: { proxyProtocol: 'HTTPConnect', transport: { tcp: { url: `http://127.0.0.1:${(proxy as ConnectProxyServer).port}` } } },
      })),
    })
  const open = async (flags: readonly string[], files: Readonly<Record<string, string>> = {}): Promise<InProcessServer> => {
    const server = await openInProcess(['--egress-selector-config-file=DIR/egress', ...flags], { ...files, egress: egressFile() })
    opened.push(server)
    await eventually('it serves', async () => (await server.send('/api/v1/namespaces/default')).status === 200)
    return server
  }
  afterEach(async () => {
    for (const server of opened.splice(0)) {
      await server.stop()
      server.remove()
    }
  })

  it('calls token and authorization webhooks through the proxy of the control plane', async () => {
    const hook = await WebhookServer.start()
    hook.acts.set('/tokens', () => ({ status: { authenticated: true, user: { username: 'jane' } } }))
    hook.acts.set('/authorize', () => ({ status: { allowed: true } }))
    const kubeconfig = (path: string): string => {
      const named = `{server: "https://127.0.0.1:${hook.port}${path}", certificate-authority-data: ${hook.caBundle}}`
      return `current-context: a\ncontexts: [{name: a, context: {cluster: c}}]\nclusters: [{name: c, cluster: ${named}}]\n`
    }
    const server = await open(
      [
        ...['--authentication-token-webhook-config-file=DIR/tokens-hook', '--authentication-token-webhook-version=v1'],
        ...['--authorization-mode=Webhook', '--authorization-webhook-config-file=DIR/authorize-hook', '--authorization-webhook-version=v1'],
      ],
      { 'tokens-hook': kubeconfig('/tokens'), 'authorize-hook': kubeconfig('/authorize') },
    )
    hook.requests.length = 0
    expect((await server.send('/api/v1/namespaces/default/pods', { token: 'of-jane' })).status).to.equal(200)
    expect(new Set(hook.requests.map(({ review }) => review.kind))).to.deep.equal(new Set(['TokenReview', 'SubjectAccessReview']))
    expect(new Set(outside.asked)).to.deep.equal(new Set([`127.0.0.1:${hook.port}`]))
    // One for each of the two webhooks: connections are kept.
    expect(outside.asked).to.have.length.at.least(2)
    expect(cluster.asked).to.deep.equal([])
    hook.close()
  })

  it('calls token issuers through the configured proxy, in 1.34', async () => {
    const issuer = await OidcServer.start()
    const configuration = JSON.stringify({
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'AuthenticationConfiguration',
      jwt: [
        {
          issuer: { url: issuer.url, audiences: ['us'], certificateAuthority: issuer.authority, egressSelectorType: CLUSTER },
          claimMappings: { username: { claim: 'sub', prefix: 'oidc:' } },
        },
      ],
    })
    const flags = ['--emulated-version=1.34', '--authentication-config=DIR/authentication', '--authorization-mode=AlwaysAllow']
    const server = await open(flags, { authentication: configuration })
    await eventually(
      'the issuer is known',
      async () => (await server.send('/api/v1/namespaces/default', { token: issuer.token() })).status === 200,
    )
    expect(new Set(cluster.asked)).to.deep.equal(new Set([new URL(issuer.url).host]))
    expect(outside.asked).to.deep.equal([])
    const { text } = await server.send('/metrics')
    expect(text).to.match(/^apiserver_egress_dialer_dial_start_total\{protocol="http_connect",transport="tcp"\} \d+$/m)
    expect(text).to.match(/^apiserver_egress_dialer_dial_duration_seconds_count\{protocol="http_connect",transport="tcp"\} \d+$/m)
    issuer.close()
  })

  it('fails for an issuer with an egress type that is not configured', async () => {
    const jwt = [
      {
        issuer: { url: 'https://issuer.test', audiences: ['us'], egressSelectorType: CLUSTER },
        claimMappings: { username: { claim: 'sub', prefix: '' } },
      },
    ]
    const authentication = JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AuthenticationConfiguration', jwt })
    const failed = await openInProcess(['--emulated-version=1.34', '--authentication-config=DIR/authentication'], { authentication }).catch(
      (error: Error) => error.message,
    )
    expect(failed).to.equal('oidc: egress lookup required with egress selector type "cluster"')
  })

  it('connects to kubelets, pods and services through the proxy of the cluster', async () => {
    const kubelet = await AggregatedServer.start('kubelet')
    kubelet.act = (req, res) => res.end(`answered ${req.url}`)
    kubelet.upgradeAct = (_req, socket) => void socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno')
    cluster.portTo = kubelet.port
    const server = await open([])
    const post = (path: string, body: object, method = 'POST') => server.send(path, { method, body })
    await post('/api/v1/nodes', { metadata: { name: 'far' } })
    const status = { addresses: [{ type: 'InternalIP', address: NODE }], daemonEndpoints: { kubeletEndpoint: { Port: 10_250 } } }
    await post('/api/v1/nodes/far/status', { metadata: { name: 'far' }, status }, 'PUT')
    await eventually(
      'there is an account',
      async () => (await server.send('/api/v1/namespaces/default/serviceaccounts/default')).status === 200,
    )
    const pods = '/api/v1/namespaces/default/pods'
    await post(pods, { metadata: { name: 'p' }, spec: { nodeName: 'far', containers: [{ name: 'c', image: 'i' }] } })
    await post(`${pods}/p/status`, { metadata: { name: 'p' }, status: { podIP: '192.0.2.8', podIPs: [{ ip: '192.0.2.8' }] } }, 'PUT')
    await post('/api/v1/namespaces/default/services', { metadata: { name: 'svc' }, spec: { ports: [{ port: 8443 }] } })
    const addresses = [{ ip: '192.0.2.8', targetRef: { kind: 'Pod', namespace: 'default', name: 'p' } }]
    await post('/api/v1/namespaces/default/endpoints', { metadata: { name: 'svc' }, subsets: [{ addresses, ports: [{ port: 9443 }] }] })
    const upgrade = { connection: 'Upgrade', upgrade: 'SPDY/3.1', 'x-stream-protocol-version': 'v4.channel.k8s.io' }
    for (const [path, at, headers] of [
      [`${pods}/p/log`, `${NODE}:10250`],
      [`${pods}/p/exec?command=ls&stdout=true`, `${NODE}:10250`, upgrade],
      ['/api/v1/nodes/far/proxy/healthz', `${NODE}:10250`],
      [`${pods}/https:p:8080/proxy/x`, '192.0.2.8:8080'],
      ['/api/v1/namespaces/default/services/https:svc:8443/proxy/x', '192.0.2.8:9443'],
    ] as const) {
      cluster.asked.length = 0
      const { status: code, text } = await server.send(path, { ...(headers && { headers }) })
      expect([code, ...new Set(cluster.asked)], text).to.deep.equal([headers ? 403 : 200, at])
    }
    expect(outside.asked).to.deep.equal([])
    await kubelet.close()
  })
})
