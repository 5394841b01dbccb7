import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { runImport } from '../../src/commands/import.ts'
import { createJsonClient, type JsonClient } from '../support/json-client.ts'
import { createServerProcess, type ServerProcess } from '../support/server-process.ts'

/**
 * Objects of a backup that name a program at a port: an aggregated server, a webhook of admission, and one of
 * conversion.
 */
function objectsThatCall(port: number): unknown[] {
  const webhook = {
    clientConfig: { url: `https://127.0.0.1:${port}/` },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    failurePolicy: 'Ignore',
  }
  const versions = ['v1', 'v2'].map(name => ({
    name,
    served: true,
    storage: name === 'v1',
    schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
  }))
  return [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'back', namespace: 'default' },
      spec: { clusterIP: '127.0.0.1', clusterIPs: ['127.0.0.1'], type: 'ClusterIP', ports: [{ port }] },
    },
    {
      apiVersion: 'v1',
      kind: 'Endpoints',
      metadata: { name: 'back', namespace: 'default' },
      subsets: [{ addresses: [{ ip: '127.0.0.1' }], ports: [{ port }] }],
    },
    {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: 'v1.other.example.com' },
      spec: {
        group: 'other.example.com',
        version: 'v1',
        service: { name: 'back', namespace: 'default', port },
        insecureSkipTLSVerify: true,
        groupPriorityMinimum: 100,
        versionPriority: 100,
      },
    },
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'all' },
      webhooks: [
        { ...webhook, name: 'all.example.com', rules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'] }] },
      ],
    },
    {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'widgets.shop.example.com' },
      spec: {
        group: 'shop.example.com',
        scope: 'Namespaced',
        names: { plural: 'widgets', kind: 'Widget' },
        versions,
        conversion: { strategy: 'Webhook', webhook: { clientConfig: webhook.clientConfig, conversionReviewVersions: ['v1'] } },
      },
    },
    { apiVersion: 'shop.example.com/v1', kind: 'Widget', metadata: { name: 'one', namespace: 'default' } },
  ]
}

describe('a server on a backup', () => {
  let directory: string
  let called: Server
  let calls = 0
  let server: ServerProcess | undefined
  let client: JsonClient | undefined
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'binnacle-'))
    calls = 0
    called = createServer(socket => {
      calls++
      socket.destroy()
    })
    await new Promise<void>(resolve => called.listen(0, '127.0.0.1', resolve))
  })
  afterEach(async () => {
    client?.close()
    await server?.stop()
    called.close()
    rmSync(directory, { recursive: true })
  })

  /** Serves the objects, and sends requests that would call other servers. Returns the status codes. */
  async function served(...flags: string[]): Promise<number[]> {
    const { port } = called.address() as AddressInfo
    const file = join(directory, 'objects.json')
    writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objectsThatCall(port) }))
    server = await createServerProcess(['--profile=apiserver', ...flags])
    expect(await runImport(['-f', file, '--data-dir', dirname(server.storeDir)], { out: () => {}, err: () => {} })).to.equal(0)
    await server.start('serving')
    const asking = createJsonClient(server.url)
    client = asking
    while ((await asking.ask('GET', '/apis/shop.example.com/v1/widgets')).status !== 200) await sleep(100)
    const paths = ['/apis/shop.example.com/v1/widgets', '/apis/shop.example.com/v2/widgets', '/apis/other.example.com/v1/things']
    const statuses = await Promise.all(paths.map(async path => (await asking.ask('GET', path)).status))
    // Long enough for a look at aggregated servers.
    await sleep(2000)
    return statuses
  }

  it('calls no webhook or server of the backup in read-only mode', async () => {
    expect(await served('--read-only')).to.deep.equal([200, 429, 503])
    expect(calls).to.equal(0)
  })

  it('stores no object of a custom kind in the group of the reviews in read-only mode', async () => {
    const file = join(directory, 'kind.json')
    const annotations = { 'api-approved.kubernetes.io': 'unapproved, a test' }
    const versions = [{ name: 'v9', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }]
    const spec = { group: 'authorization.k8s.io', scope: 'Cluster', names: { plural: 'things', kind: 'Thing' }, versions }
    const metadata = { name: 'things.authorization.k8s.io', annotations }
    writeFileSync(file, JSON.stringify({ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata, spec }))
    server = await createServerProcess(['--profile=apiserver', '--read-only'])
    expect(await runImport(['-f', file, '--data-dir', dirname(server.storeDir)], { out: () => {}, err: () => {} })).to.equal(0)
    await server.start('serving')
    const asking = createJsonClient(server.url)
    client = asking
    const things = '/apis/authorization.k8s.io/v9/things'
    while ((await asking.ask('GET', things)).status !== 200) await sleep(100)
    const post = async (path: string, body: object): Promise<number> => (await asking.ask('POST', path, { body })).status
    expect(await post(things, { apiVersion: 'authorization.k8s.io/v9', kind: 'Thing', metadata: { name: 'one' } })).to.equal(405)
    const review = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { nonResourceAttributes: { verb: 'get', path: '/' } },
    }
    expect(await post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', review)).to.equal(201)
  })

  it('calls them without read-only mode', async () => {
    await served()
    expect(calls).to.be.greaterThan(2)
  })
})
