import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { createJsonClient, type JsonClient } from '../support/json-client.ts'
import { createProbeClient, type ProbeClient } from '../support/probe/client.ts'
import { createServerProcess, type ServerProcess } from '../support/server-process.ts'

const PATIENCE_MS = 120_000
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'BREW']
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

/** Lines of samples, without their values. */
const seriesOf = (text: string): Set<string> =>
  new Set(text.split('\n').flatMap(line => (line === '' || line.startsWith('#') ? [] : [line.slice(0, line.lastIndexOf(' '))])))

describe('the number of series in /metrics', () => {
  let server: ServerProcess
  let client: JsonClient
  let probe: ProbeClient

  const scrape = async (): Promise<string> => (await fetch(`${server.url}/metrics`)).text()
  /** Series with this text that were not there before. */
  const added = (before: ReadonlySet<string>, after: ReadonlySet<string>, text: string): string[] =>
    [...after].filter(each => each.includes(text) && !before.has(each))

  before(async () => {
    server = await createServerProcess(['--authorization-mode=RBAC'])
    await server.start()
    client = createJsonClient(server.url)
    probe = createProbeClient(server.kubeconfig)
  })
  after(async () => {
    client?.close()
    probe?.close()
    await server?.stop()
  })

  /** Paths of every built-in resource and subresource, of objects and of collections. */
  async function everyPath(): Promise<string[]> {
    const paths: string[] = []
    const { groups } = (await client.must('GET', '/apis')) as unknown as { groups: { versions: { groupVersion: string }[] }[] }
    for (const root of ['/api/v1', ...groups.flatMap(({ versions }) => versions.map(({ groupVersion }) => `/apis/${groupVersion}`))]) {
      const { resources } = (await client.must('GET', root)) as unknown as { resources: { name: string; namespaced: boolean }[] }
      for (const { name, namespaced } of resources) {
        const [resource = '', subresource] = name.split('/')
        const collection = `${root}/${namespaced ? 'namespaces/default/' : ''}${resource}`
        if (subresource === undefined) paths.push(collection)
        paths.push(`${collection}/a${subresource === undefined ? '' : `/${subresource}`}`)
      }
    }
    return paths
  }

  async function askAll(paths: readonly string[], send: (method: string, path: string) => Promise<unknown>): Promise<void> {
    for (const path of paths) await Promise.all(METHODS.map(method => send(method, path)))
  }

  it('does not grow with resources that are named in rejected requests', async () => {
    // Every user may review what they may do themselves.
    const paths = (await everyPath()).filter(path => !/selfsubject\w*reviews/.test(path))
    expect(paths.length).to.be.greaterThan(150)
    const anonymous = (method: string, path: string) =>
      probe.ask(method, path, { anonymous: true, headers: { authorization: 'Bearer unknown' } })
    const powerless = (method: string, path: string) => probe.ask(method, path, { headers: { 'impersonate-user': 'mallory' } })
    await Promise.all(METHODS.flatMap(method => [anonymous(method, paths[0] ?? ''), powerless(method, paths[0] ?? '')]))
    await scrape()
    const before = seriesOf(await scrape())
    await askAll(paths, anonymous)
    await askAll(paths, powerless)
    await askAll(paths.slice(0, 40), (method, path) => anonymous(method, `${path}?timeout=1ns&dryRun=All`))
    const after = seriesOf(await scrape())
    expect(added(before, after, 'apiserver_request_duration')).to.deep.equal([])
    expect(added(before, after, 'apiserver_response_sizes')).to.deep.equal([])
    expect(added(before, after, 'apiserver_request_total').filter(each => /resource="."/.test(each))).to.deep.equal([])
    expect(after.size - before.size).to.be.lessThan(60)
  })

  it('counts rejected requests by verb and code', async () => {
    const text = await scrape()
    expect(text).to.match(
      /apiserver_request_total\{verb="POST",dry_run="",group="",version="",resource="",subresource="",scope="",component="apiserver",code="401"\} [1-9]/,
    )
    expect(text).to.match(
      /apiserver_request_total\{verb="DELETE",dry_run="",group="",version="",resource="",subresource="",scope="",component="apiserver",code="403"\} [1-9]/,
    )
  })

  it('does not grow with unsupported verbs of a resource', async () => {
    const before = seriesOf(await scrape())
    await askAll(['/api/v1/namespaces/default/bindings', '/apis/authentication.k8s.io/v1/tokenreviews/a'], (method, path) =>
      client.ask(method, path),
    )
    const after = seriesOf(await scrape())
    expect(added(before, after, 'resource="tokenreviews"')).to.deep.equal([])
    expect(added(before, after, 'resource="bindings"').filter(each => !/verb="(?:POST|create)"/.test(each))).to.deep.equal([])
  })

  it('shrinks when a custom kind is deleted', async () => {
    const versions = ['v1', 'v2'].map(name => ({
      name,
      served: true,
      storage: name === 'v1',
      deprecated: name === 'v2',
      schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      subresources: { status: {} },
    }))
    const names = { plural: 'gadgets', kind: 'Gadget' }
    await client.must('POST', DEFINITIONS, {
      metadata: { name: 'gadgets.gone.example.com' },
      spec: { group: 'gone.example.com', scope: 'Namespaced', names, versions },
    })
    const path = '/apis/gone.example.com/v2/namespaces/default/gadgets'
    for (const deadline = Date.now() + PATIENCE_MS; (await client.ask('GET', path)).status !== 200 && Date.now() < deadline; )
      await sleep(20)
    await client.must('POST', path, { apiVersion: 'gone.example.com/v2', kind: 'Gadget', metadata: { name: 'a' } })
    await client.must('GET', `${path.replace('v2', 'v1')}/a`)
    await client.must('PATCH', `${path}/a/status?fieldManager=x`, undefined).catch(() => {})
    const watch = await fetch(
      `${server.url}${path}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
    )
    const watched = watch.text().catch(() => '')
    await client.must('DELETE', `${path}/a`)
    const used = [...seriesOf(await scrape())].filter(each => /gone\.example\.com|Gadget/.test(each)).map(each => each.replace(/\{.*/, ''))
    for (const family of [
      'apiserver_request_total',
      'apiserver_request_duration_seconds_bucket',
      'apiserver_request_body_size_bytes_bucket',
      'apiserver_response_sizes_bucket',
    ])
      expect(used).to.contain(family)
    for (const family of [
      'apiserver_watch_events_total',
      'apiserver_longrunning_requests',
      'etcd_request_duration_seconds_bucket',
      'apiserver_requested_deprecated_apis',
    ])
      expect(used).to.contain(family)

    await client.must('DELETE', `${DEFINITIONS}/gadgets.gone.example.com`)
    let left: string[] = []
    for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await sleep(20)) {
      left = [...seriesOf(await scrape())].filter(each => /gone\.example\.com|Gadget/.test(each))
      if (left.length === 0) break
    }
    await watched
    await sleep(200)
    left = [...seriesOf(await scrape())].filter(each => /gone\.example\.com|Gadget/.test(each))
    expect(left).to.deep.equal([])
  })

  it('shrinks when webhooks and policies are deleted', async () => {
    const group = '/apis/admissionregistration.k8s.io/v1'
    const conditions = (expression: string) => [{ name: 'c', expression }]
    const hook = (name: string, expression: string) => ({
      name,
      clientConfig: { url: 'https://127.0.0.1:1/' },
      rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
      matchConditions: conditions(expression),
      failurePolicy: 'Ignore',
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    })
    const webhooks = [hook('called.gone.example.com', 'true'), hook('excluded.gone.example.com', 'false')]
    const matchConstraints = { resourceRules: [hook('', '').rules[0]] }
    const policy = (name: string, expression: string) => ({
      metadata: { name: `${name}.gone.example.com` },
      spec: { matchConstraints, matchConditions: conditions(expression), validations: [{ expression: 'false' }] },
    })
    const binding = (name: string) => ({
      metadata: { name: `${name}-binding.gone.example.com` },
      spec: { policyName: `${name}.gone.example.com`, validationActions: ['Warn'] },
    })
    const made: [path: string, body: { metadata: { name: string } }][] = [
      [`${group}/mutatingwebhookconfigurations`, { metadata: { name: 'gone' }, webhooks } as never],
      [`${group}/validatingwebhookconfigurations`, { metadata: { name: 'gone' }, webhooks } as never],
      [`${group}/validatingadmissionpolicies`, policy('warns', 'true')],
      [`${group}/validatingadmissionpolicies`, policy('excluded', 'false')],
      [`${group}/validatingadmissionpolicybindings`, binding('warns')],
      [`${group}/validatingadmissionpolicybindings`, binding('excluded')],
    ]
    for (const [path, body] of made) await client.must('POST', path, body)
    const named = async (): Promise<string[]> => [...seriesOf(await scrape())].filter(each => each.includes('.gone.example.com'))
    const configMaps = '/api/v1/namespaces/default/configmaps'
    const families = [
      'apiserver_admission_webhook_fail_open_count{name="called.gone.example.com",type="admit"}',
      'apiserver_admission_webhook_fail_open_count{name="called.gone.example.com",type="validating"}',
      'apiserver_admission_match_condition_exclusions_total{name="excluded.gone.example.com",kind="webhook",type="admit"',
      'apiserver_admission_match_condition_exclusions_total{name="excluded.gone.example.com",kind="webhook",type="validat',
      'apiserver_admission_match_condition_evaluation_seconds_bucket{name="excluded.gone.example.com",kind="policy"',
      'apiserver_validating_admission_policy_check_total{policy="warns.gone.example.com",policy_binding="warns-binding.gone.example.com"',
    ]
    let missing: string[] = families
    for (const deadline = Date.now() + PATIENCE_MS; missing.length > 0 && Date.now() < deadline; await sleep(20)) {
      await client.ask('POST', configMaps, { body: { metadata: { generateName: 'a' } } })
      const series = await named()
      missing = families.filter(family => !series.some(each => each.startsWith(family)))
    }
    expect(missing).to.deep.equal([])

    for (const [path, { metadata }] of made) await client.must('DELETE', `${path}/${metadata.name}`)
    let left = await named()
    for (const deadline = Date.now() + PATIENCE_MS; left.length > 0 && Date.now() < deadline; await sleep(20)) left = await named()
    expect(left).to.deep.equal([])
  })
})
