import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { AggregatedServer } from '../support/aggregated-server.ts'
import { ConnectProxyServer } from '../support/connect-proxy-server.ts'
import { type EtcdServer, findEtcd, startEtcd } from '../support/etcd.ts'
import { openInProcess } from '../support/in-process-server.ts'
import { eventually } from '../support/waiting.ts'
import { WebhookServer } from '../support/webhooks/webhook-server.ts'

const AUDIT_POLICY = 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- {level: Metadata, resources: [{resources: [secrets]}]}\n'
const selection = (name: string, transport: object) => ({ name, connection: { proxyProtocol: 'HTTPConnect', transport } })
const fileOf = (...egressSelections: object[]): string =>
  JSON.stringify({ apiVersion: 'apiserver.k8s.io/v1beta1', kind: 'EgressSelectorConfiguration', egressSelections })
const allow = (review: Record<string, unknown>) => ({
  ...review,
  response: { uid: (review.request as { uid: string }).uid, allowed: true },
})

describe('egress selection', () => {
  const directory = mkdtempSync(join(tmpdir(), 'egress-'))
  const socket = join(directory, 'cluster')
  let hook: WebhookServer
  let inside: WebhookServer
  let backend: AggregatedServer
  let cluster: ConnectProxyServer
  let outside: ConnectProxyServer
  before(async () => {
    hook = await WebhookServer.start()
    inside = await WebhookServer.start({ dns: ['hook.default.svc'], ips: [] })
    backend = await AggregatedServer.start('api')
    cluster = await ConnectProxyServer.start({ path: socket })
    outside = await ConnectProxyServer.start()
    for (const server of [hook, inside]) server.acts.set('/review', allow)
    hook.acts.set('/audit', () => ({}))
  })
  after(async () => {
    for (const each of [hook, inside, cluster, outside]) each.close()
    await backend.close()
    rmSync(directory, { recursive: true })
  })

  it('uses the configured proxies for destinations inside and outside the cluster', async () => {
    const kubeconfig = `current-context: a\ncontexts: [{name: a, context: {cluster: c}}]\nclusters: [{name: c, cluster: {server: "https://127.0.0.1:${hook.port}/audit", certificate-authority-data: ${hook.caBundle}}}]\n`
    const flags = [
      '--egress-selector-config-file=DIR/egress',
      '--audit-policy-file=DIR/policy',
      '--audit-webhook-config-file=DIR/audit',
      '--audit-webhook-mode=blocking',
      `--service-addresses=default/hook=127.0.0.1:${inside.port},default/api=127.0.0.1:${backend.port}`,
    ]
    const egress = fileOf(
      selection('cluster', { uds: { udsName: socket } }),
      selection('controlplane', { tcp: { url: `http://127.0.0.1:${outside.port}` } }),
    )
    const server = await openInProcess(flags, { egress, policy: AUDIT_POLICY, audit: kubeconfig })
    try {
      await server.send('/api/v1/namespaces/default/secrets')
      // Calls side by side have a connection each.
      expect([...new Set(outside.asked)], 'audit').to.deep.equal([`127.0.0.1:${hook.port}`])
      outside.asked.length = 0
      const webhook = (name: string, clientConfig: object) => ({
        ...{ name, clientConfig, sideEffects: 'None', admissionReviewVersions: ['v1'] },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
      })
      const body = {
        metadata: { name: 'hooks' },
        webhooks: [
          webhook('a.example.com', hook.clientConfig('/review')),
          webhook('b.example.com', { service: { namespace: 'default', name: 'hook', path: '/review' }, caBundle: inside.caBundle }),
        ],
      }
      await server.send('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', { method: 'POST', body })
      await eventually('the webhooks are asked', async () => {
        const { status } = await server.send('/api/v1/namespaces/default/configmaps', {
          method: 'POST',
          body: { metadata: { generateName: 'a' } },
        })
        expect(status).to.equal(201)
        return inside.requests.length > 0
      })
      expect([...new Set(outside.asked)]).to.deep.equal([`127.0.0.1:${hook.port}`])
      expect([...new Set(cluster.asked)]).to.deep.equal([`127.0.0.1:${inside.port}`])
      const service = { namespace: 'default', name: 'api' }
      const spec = { group: 'a.example', version: 'v1', service, insecureSkipTLSVerify: true, groupPriorityMinimum: 1, versionPriority: 1 }
      await server.send('/apis/apiregistration.k8s.io/v1/apiservices', {
        method: 'POST',
        body: { metadata: { name: 'v1.a.example' }, spec },
      })
      await eventually('the backend is asked', () => cluster.asked.includes(`127.0.0.1:${backend.port}`))
    } finally {
      await server.stop()
      server.remove()
    }
  })

  describe('to etcd', () => {
    let etcd: EtcdServer
    before(async function () {
      if (findEtcd() === undefined) return void this.skip()
      etcd = await startEtcd()
      await etcd.start()
    })
    after(() => etcd?.stop())

    for (const where of ['tcp', 'uds'])
      it(`sends all calls through the proxy: ${where}`, async () => {
        const path = join(directory, 'etcd')
        const proxy = await ConnectProxyServer.start(where === 'uds' ? { path } : {})
        const transport = where === 'uds' ? { uds: { udsName: path } } : { tcp: { url: `http://127.0.0.1:${proxy.port}` } }
        const flags = ['--egress-selector-config-file=DIR/egress', `--etcd-servers=${etcd.url}`, `--etcd-prefix=/${where}`]
        const server = await openInProcess(flags, { egress: fileOf(selection('etcd', transport)) })
        try {
          await eventually('it serves', async () => (await server.send('/api/v1/namespaces/default')).status === 200)
          expect(
            (await server.send('/api/v1/namespaces/default/configmaps', { method: 'POST', body: { metadata: { name: 'a' } } })).status,
          ).to.equal(201)
          expect(new Set(proxy.asked)).to.deep.equal(new Set([new URL(etcd.url).host]))
          // A connection for calls, and those of gRPC.
          expect(proxy.asked.length).to.be.greaterThan(1)
        } finally {
          await server.stop()
          server.remove()
          proxy.close()
        }
      })
  })
})
