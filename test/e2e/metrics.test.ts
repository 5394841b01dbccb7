import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { dashboardExpressions, metricsOf, rules } from '../support/manifests.ts'
import { createProbeClient } from '../support/probe/client.ts'
import { expositionFaults, findPromtool, promtoolFaults } from '../support/promtool.ts'
import { createServerProcess, type ServerProcess } from '../support/server-process.ts'

/** Upstream's own names, which are counters all the same. */
const UPSTREAM = [
  'authenticated_user_requests counter metrics should have "_total" suffix',
  'authentication_attempts counter metrics should have "_total" suffix',
  'apiserver_admission_webhook_fail_open_count counter metrics should have "_total" suffix',
  'apiserver_admission_webhook_fail_open_count non-histogram and non-summary metrics should not have "_count" suffix',
  'apiserver_admission_webhook_rejection_count counter metrics should have "_total" suffix',
  'apiserver_admission_webhook_rejection_count non-histogram and non-summary metrics should not have "_count" suffix',
  'authentication_token_cache_active_fetch_count non-histogram and non-summary metrics should not have "_count" suffix',
]

const clean = (faults: readonly string[]): string[] => faults.filter(fault => !UPSTREAM.includes(fault))

/** Returns the value of the line with this prefix, or undefined. */
const valueAt = (text: string, line: string): number | undefined => {
  const found = text.split('\n').find(each => each.startsWith(line))
  return found === undefined ? undefined : Number(found.slice(found.lastIndexOf(' ')))
}

describe('metrics', () => {
  let server: ServerProcess
  let text = ''

  const scrape = async (): Promise<string> => (await fetch(`${server.url}/metrics`)).text()

  /** Uses the server to fill the metrics: requests of each verb, an unknown client, a failed handshake. */
  async function use(): Promise<void> {
    const client = createProbeClient(server.kubeconfig)
    const path = '/api/v1/namespaces/default/configmaps'
    const object = (filler: number) => ({
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify({ metadata: { name: 'a' }, data: { filler: 'x'.repeat(filler) } })),
    })
    await client.ask('POST', path, object(60_000))
    await client.ask('POST', path, object(0))
    await client.ask('GET', `${path}/a`)
    await client.ask('PUT', `${path}/a`, object(10))
    await client.ask('DELETE', `${path}/a`)
    await client.ask('GET', '/version', { anonymous: true })
    await client.ask('GET', path, { anonymous: true })
    await client.ask('GET', path, { anonymous: true, headers: { authorization: 'Bearer bad' } })
    client.close()
    const socket = connect(Number(new URL(server.secureUrl).port), '127.0.0.1', () => socket.end('no TLS at all\r\n\r\n'))
    await new Promise(resolve => socket.once('close', resolve).once('error', () => {}))
  }

  before(async () => {
    server = await createServerProcess(['--authorization-mode=RBAC', '--feature-gates=APIResponseCompression=false'])
    await server.start()
    await use()
    for (const deadline = Date.now() + 120_000; ; await sleep(50)) {
      text = await scrape()
      if ((valueAt(text, 'workqueue_work_duration_seconds_count{name="namespace_content"}') ?? 0) > 0 || Date.now() > deadline) return
    }
  })

  after(() => server.stop())

  it('include those that the Prometheus rules and the dashboard query', () => {
    const asked = [...dashboardExpressions(), ...rules().map(({ expr }) => expr)].flatMap(metricsOf).filter(name => !name.includes(':'))
    const missing = new Set(asked.map(name => name.replace(/_bucket$/, '')).filter(name => !text.includes(`# TYPE ${name} `)))
    expect([...missing]).to.deep.equal([])
  })
  it('follow the rules of the text format and of names', () => {
    expect(clean(expositionFaults(text))).to.deep.equal([])
  })

  it('pass promtool', function () {
    const promtool = findPromtool()
    if (promtool === undefined) {
      console.log('      there is no promtool: Debian has it in its package prometheus')
      this.skip()
    }
    expect(clean(promtoolFaults(promtool, text))).to.deep.equal([])
  })

  const expected: readonly (readonly [line: string, holds: (value: number) => boolean])[] = [
    ['apiserver_client_certificate_expiration_seconds_count', n => n >= 5],
    ['apiserver_client_certificate_expiration_seconds_bucket{le="86400"}', n => n === 0],
    ['kubernetes_build_info{major="1",minor="33",git_version="v1.33.0+binnacle"', n => n === 1],
    ['kubernetes_feature_enabled{name="APIResponseCompression",stage="BETA"}', n => n === 0],
    ['kubernetes_feature_enabled{name="WatchList",stage="BETA"}', n => n === 1],
    ['kubernetes_feature_enabled{name="AllAlpha",stage="ALPHA"}', n => n === 0],
    ['workqueue_adds_total{name="namespace_content"}', n => n > 0],
    ['workqueue_depth{name="namespace"}', n => n === 0],
    ['workqueue_queue_duration_seconds_count{name="namespace_content"}', n => n > 0],
    ['workqueue_work_duration_seconds_count{name="namespace_content"}', n => n > 0],
    ['workqueue_retries_total{name="namespace"}', n => n === 0],
    ['workqueue_unfinished_work_seconds{name="namespace"}', n => n === 0],
    ['workqueue_longest_running_processor_seconds{name="namespace"}', n => n === 0],
    ['authenticated_user_requests{username="other"}', n => n >= 6],
    ['authentication_attempts{result="success"}', n => n >= 6],
    ['authentication_attempts{result="error"}', n => n >= 1],
    ['authentication_duration_seconds_count{result="success"}', n => n >= 6],
    ['authorization_attempts_total{result="allowed"}', n => n >= 5],
    ['authorization_attempts_total{result="no-opinion"}', n => n >= 1],
    ['authorization_duration_seconds_count{result="no-opinion"}', n => n >= 1],
    ['apiserver_authorization_decisions_total{type="RBAC",name="rbac",decision="allowed"}', n => n >= 1],
    [
      'apiserver_admission_controller_admission_duration_seconds_count{name="NamespaceLifecycle",type="admit",operation="CREATE",rejected="false"}',
      n => n > 0,
    ],
    ['apiserver_admission_step_admission_duration_seconds_count{type="admit",operation="CREATE",rejected="false"}', n => n > 0],
    ['apiserver_admission_step_admission_duration_seconds_count{type="validate",operation="UPDATE",rejected="false"}', n => n > 0],
    ['apiserver_request_body_size_bytes_count{resource="configmaps",verb="create"}', n => n === 2],
    ['apiserver_request_body_size_bytes_bucket{resource="configmaps",verb="create",le="50000"}', n => n === 1],
    ['apiserver_request_body_size_bytes_count{resource="configmaps",verb="update"}', n => n === 1],
    ['apiserver_tls_handshake_errors_total', n => n >= 1],
    ['etcd_request_duration_seconds_count{operation="create",type="configmaps"}', n => n >= 1],
    ['etcd_requests_total{operation="create",type="configmaps"}', n => n >= 1],
  ]
  for (const [line, holds] of expected)
    it(`has ${line}`, () => {
      const value = valueAt(text, line)
      expect(value).not.to.equal(undefined)
      expect(holds(value as number), String(value)).to.equal(true)
    })

  it('count requests from the first use of a resource', async () => {
    const before = await scrape()
    expect(before).not.to.match(/^apiserver_request_.*resource="secrets"/m)
    await fetch(`${server.url}/api/v1/secrets`)
    expect(await scrape()).to.match(/^apiserver_request_total\{verb="LIST",.*resource="secrets"/m)
  })
})
