import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { expect } from 'chai'
import { AggregatedServer, apiServiceOf } from '../support/aggregated-server.ts'
import { type InProcessServer, openInProcess, type Reply } from '../support/in-process-server.ts'
import { eventually } from '../support/waiting.ts'

const SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices'
const GROUP = 'wardle.example.com'
const VERSION = `/apis/${GROUP}/v1alpha1`

describe('servers behind APIServices', () => {
  let backend: AggregatedServer
  let server: InProcessServer
  before(async () => {
    backend = await AggregatedServer.start('api')
    backend.serves(GROUP, 'v1alpha1', 'Flunder')
    const files = {
      'proxy.crt': backend.proxyClient.cert,
      'proxy.key': backend.proxyClient.key,
      'front-proxy.crt': backend.ca,
      tokens: 'jane,jane,7,"devs,ops"\n',
    }
    const flags = [
      `--service-addresses=default/api=127.0.0.1:${backend.port},default/dead=127.0.0.1:1`,
      '--proxy-client-cert-file=DIR/proxy.crt',
      '--proxy-client-key-file=DIR/proxy.key',
      '--authorization-mode=AlwaysAllow',
      '--requestheader-client-ca-file=DIR/front-proxy.crt',
      '--requestheader-username-headers=X-Our-User,X-Remote-User',
      '--requestheader-group-headers=X-Remote-Group,X-Our-Group',
      '--requestheader-extra-headers-prefix=X-Remote-Extra-,X-Our-Extra-',
    ]
    server = await openInProcess(flags, files)
    await eventually('the server is ready', async () => (await server.send('/readyz')).status === 200)
  })
  after(async () => {
    await server?.stop()
    server?.remove()
    await backend?.close()
  })
  beforeEach(() => {
    backend.heard.length = 0
    backend.act = undefined
  })

  const register = async (name: string, body: object): Promise<void> => {
    const { status, text } = await server.send(SERVICES, { method: 'POST', body })
    expect(status, text).to.equal(201)
    await told(name, 'Passed')
  }
  const told = (name: string, reason: string): Promise<void> =>
    eventually(`${name} is ${reason}`, async () => (await conditionOf(name)).reason === reason)
  const conditionOf = async (name: string) => JSON.parse((await server.send(`${SERVICES}/${name}`)).text).status?.conditions?.[0] ?? {}
  const answer = ({ status, text }: Reply): string => `${status} ${text}`

  it('are checked through their discovery, and become available', async () => {
    await register(`v1alpha1.${GROUP}`, apiServiceOf(backend, 'api', GROUP, 'v1alpha1'))
    const check = backend.heard.find(({ url, headers }) => url === VERSION && headers['x-remote-group'] !== undefined)
    expect(check).to.deep.include({ method: 'GET', url: VERSION, client: 'aggregator' })
    expect(check?.headers).to.include({ 'x-remote-user': 'system:kube-aggregator', 'x-remote-group': 'system:masters' })
  })

  const V2 = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
  const discovered = async (group: string) =>
    JSON.parse((await server.send('/apis', { accept: V2 })).text).items.find(
      (each: { metadata: { name: string } }) => each.metadata.name === group,
    )?.versions

  it('appear in discovery', async () => {
    const preferredVersion = { groupVersion: `${GROUP}/v1alpha1`, version: 'v1alpha1' }
    expect(JSON.parse((await server.send(`/apis/${GROUP}`)).text)).to.deep.equal({
      kind: 'APIGroup',
      apiVersion: 'v1',
      name: GROUP,
      versions: [preferredVersion],
      preferredVersion,
    })
    const names = JSON.parse((await server.send('/apis')).text).groups.map(({ name }: { name: string }) => name)
    expect([names[0], names.at(-1)]).to.deep.equal(['apiregistration.k8s.io', GROUP])
    expect(JSON.parse((await server.send('/')).text).paths).to.include.members([`/apis/${GROUP}`, VERSION])
    expect(JSON.parse((await server.send(VERSION)).text).resources[0].name).to.equal('flunders')
    await eventually('its resources are told', async () => (await discovered(GROUP))?.[0].freshness === 'Current')
    const responseKind = { group: '', version: '', kind: 'Flunder' }
    expect(await discovered(GROUP)).to.deep.equal([
      {
        version: 'v1alpha1',
        resources: [
          {
            resource: 'flunders',
            responseKind,
            scope: 'Namespaced',
            singularResource: 'flunder',
            verbs: ['create', 'get', 'list', 'watch'],
            subresources: [{ subresource: 'status', responseKind, verbs: ['get'] }],
          },
        ],
        freshness: 'Current',
      },
    ])
  })

  it('do not list a built-in group whose APIService was deleted, and still serve it', async () => {
    const path = `${SERVICES}/v1.coordination.k8s.io`
    const found = await server.send(path)
    const groups = async () => JSON.parse((await server.send('/apis')).text).groups.map(({ name }: { name: string }) => name)
    expect((await server.send(path, { method: 'DELETE' })).status).to.equal(200)
    await eventually('it is not listed', async () => !(await groups()).includes('coordination.k8s.io'))
    for (const each of ['/apis/coordination.k8s.io', '/apis/coordination.k8s.io/v1', '/apis/coordination.k8s.io/v1/leases'])
      expect((await server.send(each)).status, each).to.equal(200)
    expect(await discovered('coordination.k8s.io')).to.have.length(1)
    const { metadata, spec } = JSON.parse(found.text)
    const again = { kind: 'APIService', apiVersion: 'apiregistration.k8s.io/v1', metadata: { name: metadata.name }, spec }
    expect((await server.send(SERVICES, { method: 'POST', body: again })).status).to.equal(201)
    await eventually('it is listed', async () => (await groups()).includes('coordination.k8s.io'))
  })

  it('are requested to delete their objects in a namespace that is deleted', async () => {
    const [group, path] = ['doomed.example.com', '/apis/doomed.example.com/v1/namespaces/going/things']
    backend.serves(group, 'v1', 'Thing', ['delete', 'deletecollection', 'list'])
    backend.documents.set(path, { kind: 'ThingList', metadata: {}, items: [] })
    await register(`v1.${group}`, apiServiceOf(backend, 'api', group, 'v1'))
    await server.send('/api/v1/namespaces', { method: 'POST', body: { kind: 'Namespace', metadata: { name: 'going' } } })
    await server.send('/api/v1/namespaces/going', { method: 'DELETE' })
    await eventually('it has gone', async () => (await server.send('/api/v1/namespaces/going')).status === 404)
    const { method, headers } = backend.heard.find(({ url }) => url === path) ?? expect.fail('it was not asked')
    expect(method).to.equal('DELETE')
    expect(headers['x-remote-user']).to.equal('system:serviceaccount:kube-system:namespace-controller')
    await server.send(`${SERVICES}/v1.${group}`, { method: 'DELETE' })
  })

  it('appear in OpenAPI v3', async () => {
    const path = `apis/${GROUP}/v1alpha1`
    const url = `/openapi/v3/${path}?hash=ABC`
    backend.documents.set('/openapi/v3', {
      paths: { [path]: { serverRelativeURL: url }, 'apis/apps/v1': { serverRelativeURL: '/openapi/v3/apis/apps/v1?hash=mine' } },
    })
    backend.documents.set(`/openapi/v3/${path}`, { openapi: '3.0.0', paths: {} })
    const look = {
      method: 'PATCH',
      body: { metadata: { labels: { open: 'api' } } },
      headers: { 'content-type': 'application/merge-patch+json' },
    }
    await server.send(`${SERVICES}/v1alpha1.${GROUP}`, look)
    const index = async () => JSON.parse((await server.send('/openapi/v3')).text).paths
    await eventually('it is in the index', async () => (await index())[path]?.serverRelativeURL === url)
    expect((await index())['apis/apps/v1'].serverRelativeURL).to.match(/hash=[0-9A-F]{128}$/)
    expect(answer(await server.send(url, { token: 'jane' }))).to.equal('200 {"openapi":"3.0.0","paths":{}}')
    expect(backend.heard.at(-1)).to.deep.include({ url })
    expect(backend.heard.at(-1)?.headers['x-remote-user']).to.equal('jane')
    const { status, text } = await server.send('/openapi/v3/apis/nobody.example.com/v1')
    expect([status, text]).to.deep.equal([200, ''])
  })

  it('appear in OpenAPI v2', async () => {
    const at = `${VERSION}/namespaces/{namespace}/flunders`
    const schema = { $ref: '#/definitions/io.k8s.Flunder' }
    backend.documents.set('/openapi/v2', {
      swagger: '2.0',
      info: { title: 'wardle', version: 'v0' },
      paths: { [at]: { get: { operationId: 'listFlunder', responses: { 200: { description: 'OK', schema } } } }, '/apis/apps/v1/': {} },
      definitions: {
        'io.k8s.Flunder': { type: 'object', properties: { metadata: { $ref: '#/definitions/io.k8s.api.core.v1.Pod' } } },
        'io.k8s.api.core.v1.Pod': { type: 'string' },
      },
    })
    const look = {
      method: 'PATCH',
      body: { metadata: { labels: { open: 'apiv2' } } },
      headers: { 'content-type': 'application/merge-patch+json' },
    }
    await server.send(`${SERVICES}/v1alpha1.${GROUP}`, look)
    await eventually('it is in the document', async () => (await server.send('/openapi/v2')).text.includes('listFlunder'))
    const { paths, definitions, info } = JSON.parse((await server.send('/openapi/v2')).text)
    expect(info.title).to.equal('Kubernetes')
    expect(paths[at].get.responses['200'].schema).to.deep.equal(schema)
    expect(paths['/apis/apps/v1/'].get.operationId).to.equal('getAppsV1APIResources')
    expect(definitions['io.k8s.Flunder'].properties.metadata).to.deep.equal({ $ref: '#/definitions/io.k8s.api.core.v1.Pod_v2' })
    expect(definitions['io.k8s.api.core.v1.Pod_v2']).to.deep.equal({ type: 'string' })
    expect(definitions['io.k8s.api.core.v1.Pod'].type).to.equal('object')
    const { status, text } = await server.send('/openapi/v2', { accept: 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf' })
    expect([status, text.includes('listFlunder')]).to.deep.equal([200, true])
  })

  it('appear in OpenAPI v3 if they serve only v2', async () => {
    backend.documents.delete('/openapi/v3')
    const look = {
      method: 'PATCH',
      body: { metadata: { labels: { open: 'v2alone' } } },
      headers: { 'content-type': 'application/merge-patch+json' },
    }
    await server.send(`${SERVICES}/v1alpha1.${GROUP}`, look)
    const path = `apis/${GROUP}/v1alpha1`
    const index = async () => JSON.parse((await server.send('/openapi/v3')).text).paths
    await eventually('it is in the index', async () => /hash=[0-9A-F]{128}$/.test((await index())[path]?.serverRelativeURL))
    const { openapi, paths, components } = JSON.parse((await server.send((await index())[path].serverRelativeURL)).text)
    expect(openapi).to.equal('3.0.0')
    expect(paths[`${VERSION}/namespaces/{namespace}/flunders`].get).to.deep.equal({
      operationId: 'listFlunder',
      responses: { 200: { description: 'OK', content: {} } },
    })
    expect(components.schemas['io.k8s.Flunder'].properties.metadata).to.deep.equal({ $ref: '#/components/schemas/io.k8s.api.core.v1.Pod' })
    const proto = await server.send(`/openapi/v3/${path}`, { accept: 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf' })
    expect([proto.status, proto.text.includes('listFlunder')]).to.deep.equal([200, true])
  })

  it('receive requests with the identity of the user, and no identity headers of the client', async () => {
    backend.act = (req, res) =>
      void req.on('end', () => res.writeHead(201, { 'content-type': 'application/json', 'x-mine': 'yes' }).end('{"made":true}')).resume()
    const reply = await server.send(`${VERSION}/namespaces/default/flunders?dryRun=All`, {
      method: 'POST',
      body: { a: 1 },
      token: 'jane',
      headers: { 'x-remote-user': 'root', 'x-remote-group': 'system:masters', 'x-remote-extra-scopes': 'all', 'audit-id': 'mine' },
    })
    expect(answer(reply)).to.equal('201 {"made":true}')
    const heard = backend.heard.find(({ method }) => method === 'POST')
    expect(heard).to.deep.include({ method: 'POST', url: `${VERSION}/namespaces/default/flunders?dryRun=All`, client: 'aggregator' })
    expect(heard?.headers).to.include({
      'x-remote-user': 'jane',
      'x-remote-uid': '7',
      'x-remote-group': 'devs, ops, system:authenticated',
      'audit-id': 'mine',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'https',
      'x-forwarded-uri': `${VERSION}/namespaces/default/flunders`,
      host: `127.0.0.1:${backend.port}`,
    })
    expect(heard?.headers).to.not.have.any.keys('authorization', 'x-remote-extra-scopes')
  })

  it('receive no client headers that a request header authenticator trusts', async () => {
    const said = { 'X-OUR-user': 'root', 'x-our-group': 'system:masters', 'x-our-extra-scopes': 'all', 'x-our-own': 'stays' }
    await server.send(`${VERSION}/flunders`, { token: 'jane', headers: said })
    const { headers } = backend.heard.at(-1) ?? expect.fail('it was not asked')
    expect(headers).to.include({ 'x-remote-user': 'jane', 'x-our-own': 'stays' })
    expect(headers).to.not.have.any.keys('x-our-user', 'x-our-group', 'x-our-extra-scopes')
  })

  it('stream watches unbuffered', async () => {
    let end = (): void => {}
    backend.act = (_req, res) => {
      res.writeHead(200, { 'content-type': 'application/json' }).write('{"type":"ADDED"}\n')
      end = () => res.end('{"type":"DELETED"}\n')
    }
    const watch = server.watch(`${VERSION}/flunders?watch=1`)
    await eventually('the first event', () => watch.text() === '{"type":"ADDED"}\n')
    end()
    await watch.ended
    expect(watch.text()).to.equal('{"type":"ADDED"}\n{"type":"DELETED"}\n')
  })

  it('upgrade connections to another protocol', async () => {
    backend.upgradeAct = (_req, socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n')
      socket.on('error', () => {}).pipe(socket)
    }
    const [, port = ''] = /server: https:\/\/[^:]+:(\d+)/.exec(readFileSync(join(server.directory, 'kubeconfig'), 'utf8')) ?? []
    const socket = connectTls({ host: '127.0.0.1', port: Number(port), rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] })
    await once(socket, 'secureConnect')
    let heard = ''
    socket.setEncoding('latin1').on('data', data => {
      heard += data
    })
    socket.write(
      `POST ${VERSION}/namespaces/default/flunders/a/exec?command=ls HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer jane\r\nConnection: Upgrade, X-Remote-User, X-Mine\r\nX-Mine: 1\r\nProxy-Authorization: Basic YQ==\r\nUpgrade: SPDY/3.1\r\n\r\n`,
    )
    await eventually('it has left HTTP', () => heard.includes('101 Switching Protocols'))
    socket.write('hello')
    await eventually('the echo', () => heard.endsWith('hello'))
    expect(backend.heard[0]?.headers).to.include({ connection: 'Upgrade', upgrade: 'SPDY/3.1', 'x-remote-user': 'jane' })
    expect(backend.heard[0]?.headers).to.not.have.any.keys('x-mine', 'proxy-authorization')
    expect(backend.heard[0]?.url).to.equal(`${VERSION}/namespaces/default/flunders/a/exec?command=ls`)
    socket.destroy()
  })

  it('cannot redirect clients', async () => {
    backend.act = (_req, res) => void res.writeHead(302, { location: 'https://169.254.169.254/' }).end()
    expect(answer(await server.send(`${VERSION}/flunders`))).to.equal(
      '502 the backend attempted to redirect this request, which is not permitted',
    )
  })

  it('receive no request that they forwarded themselves', async () => {
    backend.act = (req, res) => void res.end(String(req.headers.via))
    const via = (await server.send(`${VERSION}/flunders`)).text
    expect(via).to.match(/^1\.1 binnacle-/)
    backend.heard.length = 0
    expect((await server.send(`${VERSION}/flunders`, { headers: { via: `1.1 other, ${via}` } })).status).to.equal(508)
    expect(backend.heard).to.deep.equal([])
  })

  it('use no seat of the flow control of this server', async () => {
    backend.act = () => {}
    const waiting = Array.from({ length: 30 }, () => server.send(`${VERSION}/flunders`).catch(() => undefined))
    await eventually('all are with the backend', () => backend.heard.length === 30)
    const { text } = await server.send('/metrics')
    const [, count = ''] = /apiserver_current_inflight_requests{request_kind="readOnly"} (\d+)/.exec(text) ?? []
    expect(Number(count)).to.be.lessThan(30)
    backend.act = undefined
    await backend.close()
    await Promise.all(waiting)
    await server.send(`${SERVICES}/v1alpha1.${GROUP}`, {
      method: 'PATCH',
      body: { metadata: { labels: { looked: 'at' } } },
      headers: { 'content-type': 'application/merge-patch+json' },
    })
    await told(`v1alpha1.${GROUP}`, 'FailedDiscoveryCheck')
  })

  it('become unavailable in the condition and in responses when they stop, and recover', async () => {
    const { status, message } = await conditionOf(`v1alpha1.${GROUP}`)
    const url = `https://127.0.0.1:${backend.port}${VERSION}`
    expect({ status, message }).to.deep.equal({
      status: 'False',
      message: `failing or missing response from ${url}: Get "${url}": dial tcp 127.0.0.1:${backend.port}: connect: connection refused`,
    })
    expect(answer(await server.send(`${VERSION}/flunders`))).to.equal('503 service unavailable\n')
    await eventually('its discovery is stale', async () => (await discovered(GROUP))?.[0].freshness === 'Stale')
    expect((await discovered(GROUP))[0].resources).to.have.length(1)
    await backend.listen(backend.port)
    await eventually('it is back', async () => (await conditionOf(`v1alpha1.${GROUP}`)).reason === 'Passed')
  })

  it('are not trusted if their certificate is for another name', async () => {
    const name = `v1.other.example.com`
    backend.serves('other.example.com', 'v1', 'Other')
    const other = await AggregatedServer.start('other')
    await register(name, apiServiceOf(other, 'api', 'other.example.com', 'v1'))
    expect(answer(await server.send('/apis/other.example.com/v1/others'))).to.equal(
      '503 error trying to reach service: tls: failed to verify certificate: x509: certificate signed by unknown authority\n',
    )
    await server.send(`${SERVICES}/${name}`, { method: 'DELETE' })
    await eventually('it has gone', async () => (await server.send('/apis/other.example.com/v1/others')).status === 404)
    await other.close()
  })
})
