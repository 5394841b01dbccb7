import { join } from 'node:path'
import { expect } from 'chai'
import { systemClock } from '../../src/lib/clock.ts'
import { silentLogger } from '../../src/lib/log.ts'
import { openEmbedded } from '../../src/storage/embedded/open-embedded.ts'
import { key } from '../../src/storage/revision.ts'
import { encryptionFile, identityProvider, providerOf } from '../support/encryption-config.ts'
import { type InProcessServer, openInProcess } from '../support/in-process-server.ts'
import { eventually, patience } from '../support/waiting.ts'

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'
const SECRETS = '/api/v1/namespaces/default/secrets'
const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets'

const definition = (size: object) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties: { size } } } }],
  },
})
const widget = (name: string, size: unknown) => ({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name }, size })
const configMap = (name: string, value: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { of: value } })
const secret = (name: string) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData: { a: 'b' } })
const service = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name },
  spec: { type: 'NodePort', clusterIP: '10.0.0.77', ports: [{ port: 80, nodePort: 30777 }] },
})

/** The sum of the samples of a family whose labels include these. */
async function metric(server: InProcessServer, family: string, ...labels: string[]): Promise<number> {
  const { text } = await server.send('/metrics')
  const lines = text
    .split('\n')
    .filter(line => (line.startsWith(`${family}{`) || line.startsWith(`${family} `)) && labels.every(label => line.includes(label)))
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
}

describe('two servers in one process', () => {
  let one: InProcessServer
  let other: InProcessServer
  const status = async (server: InProcessServer, ...send: Parameters<InProcessServer['send']>): Promise<number> =>
    (await server.send(...send)).status
  const post = (server: InProcessServer, path: string, body: object): Promise<number> => status(server, path, { method: 'POST', body })

  before(async () => {
    const encryption = (name: string) => encryptionFile(['secrets'], providerOf('secretbox', name), identityProvider)
    ;[one, other] = await Promise.all([
      openInProcess(
        ['--encryption-provider-config=DIR/encryption', '--feature-gates=CBORServingAndStorage=true', '--runtime-config=api/all=true'],
        {
          tokens: 'token-of-alice,alice,2\n',
          encryption: encryption('one'),
        },
      ),
      openInProcess(['--encryption-provider-config=DIR/encryption', '--disable-admission-plugins=ServiceAccount', '--http2=builtin'], {
        tokens: 'token-of-bob,bob,2\n',
        encryption: encryption('other'),
      }),
    ])
    for (const server of [one, other]) await eventually('it is ready', async () => (await status(server, '/readyz')) === 200)
  })
  after(async () => {
    for (const server of [one, other]) {
      await server.stop()
      server.remove()
    }
  })

  it('have separate users and features', async () => {
    const asks = (server: InProcessServer, token: string): Promise<number> => status(server, '/apis', { token })
    expect([await asks(one, 'token-of-alice'), await asks(one, 'token-of-bob')]).to.deep.equal([200, 401])
    expect([await asks(other, 'token-of-alice'), await asks(other, 'token-of-bob')]).to.deep.equal([401, 200])
    const cbor = { accept: 'application/cbor' }
    expect([await status(one, CONFIG_MAPS, cbor), await status(other, CONFIG_MAPS, cbor)]).to.deep.equal([200, 406])
    const beta = '/apis/networking.k8s.io/v1beta1'
    expect([await status(one, beta), await status(other, beta)]).to.deep.equal([200, 404])
  })

  it('have separate objects, addresses and admission', async () => {
    for (const [server, name] of [
      [one, 'one'],
      [other, 'other'],
    ] as const) {
      expect(await post(server, CONFIG_MAPS, configMap('same', name))).to.equal(201)
      expect(await post(server, '/api/v1/namespaces/default/services', service('same'))).to.equal(201)
      expect(JSON.parse((await server.send(`${CONFIG_MAPS}/same`)).text).data).to.deep.equal({ of: name })
    }
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i:1' }] } }
    const accounts = await Promise.all(
      [one, other].map(
        async server => JSON.parse((await server.send('/api/v1/namespaces/default/pods', { method: 'POST', body: pod })).text).spec,
      ),
    )
    expect(accounts.map(spec => spec.serviceAccountName)).to.deep.equal(['default', undefined])
  })

  it('have separate schemas for custom kinds of the same name', async () => {
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
    expect(await post(one, definitions, definition({ type: 'integer' }))).to.equal(201)
    expect(await status(other, WIDGETS)).to.equal(404)
    expect(await post(other, definitions, definition({ type: 'string', enum: ['s', 'l'] }))).to.equal(201)
    for (const server of [one, other]) await eventually('it is served', async () => (await status(server, WIDGETS)) === 200)
    expect([await post(one, WIDGETS, widget('a', 3)), await post(one, WIDGETS, widget('b', 's'))]).to.deep.equal([201, 422])
    expect([await post(other, WIDGETS, widget('a', 3)), await post(other, WIDGETS, widget('b', 's'))]).to.deep.equal([422, 201])
  })

  it('have separate counters, watches and caches', async () => {
    const watches = [one, other].map(server => server.watch(`${CONFIG_MAPS}?watch=1&fieldSelector=metadata.name%3Dwatched`))
    const creates = (server: InProcessServer): Promise<number> =>
      metric(server, 'apiserver_request_total', 'resource="configmaps"', 'verb="POST"')
    const events = (server: InProcessServer): Promise<number> => metric(server, 'apiserver_watch_events_total', 'kind="ConfigMap"')
    const longRunning = (server: InProcessServer): Promise<number> =>
      metric(server, 'apiserver_longrunning_requests', 'resource="configmaps"')
    for (const server of [one, other]) await eventually('it watches', async () => (await longRunning(server)) === 1)
    const counted = await Promise.all([one, other].flatMap(server => [creates(server), events(server)]))
    expect(await post(one, CONFIG_MAPS, configMap('watched', 'x'.repeat(100_000)))).to.equal(201)
    await eventually('it is seen', () => watches[0]?.text().includes('"ADDED"') === true)
    const [kept, before] = [one.runtime.derived.bytes, other.runtime.derived.bytes]
    // Its binary encoding is kept for the next reader.
    await one.send(`${CONFIG_MAPS}/watched`, { accept: 'application/vnd.kubernetes.protobuf' })
    const now = await Promise.all([one, other].flatMap(server => [creates(server), events(server)]))
    expect(now.map((count, i) => count - (counted[i] ?? 0))).to.deep.equal([1, 1, 0, 0])
    expect(watches[1]?.text()).to.equal('')
    expect(one.runtime.derived.bytes - kept, 'kept by the one').to.be.above(50_000)
    expect(other.runtime.derived.bytes - before, 'kept by the other').to.be.below(50_000)
  })

  it('encrypt with separate keys, and stop separately', async () => {
    for (const server of [one, other]) expect(await post(server, SECRETS, secret('s'))).to.equal(201)
    const writes = (server: InProcessServer): Promise<number> =>
      metric(
        server,
        'apiserver_storage_transformation_operations_total',
        'resource="secrets"',
        'transformation_type="to_storage"',
        'status="OK"',
      )
    expect([(await writes(one)) > 0, (await writes(other)) > 0]).to.deep.equal([true, true])
    const watch = other.watch(`${CONFIG_MAPS}?watch=1`)
    await one.stop()
    expect(await storedSecret(one)).to.match(/^k8s:enc:secretbox:v1:one:/)
    expect(await post(other, CONFIG_MAPS, configMap('later', 'other'))).to.equal(201)
    await eventually('it is seen', () => watch.text().includes('"later"'))
    expect(await status(other, '/readyz')).to.equal(200)
  })
})

/** The beginning of what a server that has ended holds of the secret `s`. */
async function storedSecret({ directory }: InProcessServer): Promise<string> {
  const store = await openEmbedded({ dir: join(directory, 'data', 'store') }, systemClock, silentLogger)
  const { item } = await store.get(key('/registry/secrets/default/s'), patience())
  await store.close()
  return String(item?.value.subarray(0, 40))
}
