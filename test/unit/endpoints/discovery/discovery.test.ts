import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import type { JsonObject } from '../../../../src/api/meta/object.ts'
import { CatalogSnapshot } from '../../../../src/catalog/catalog.ts'
import { unwrap } from '../../../../src/codec/protobuf.ts'
import { decodeMessage } from '../../../../src/codec/protobuf-decode.ts'
import { parseYaml } from '../../../../src/codec/yaml.ts'
import { groupDiscoveryListType } from '../../../../src/endpoints/discovery/aggregated.ts'
import { Discovery } from '../../../../src/endpoints/discovery/discovery.ts'
import { metaType } from '../../../../src/endpoints/forms/meta-v1.ts'
import { decode } from '../../../../src/schema/decode.ts'
import { customResource } from '../../../support/custom-resource.ts'
import { FakeExchange, type FakeRequest } from '../../../support/exchange.ts'
import { servedBuiltins } from '../../../support/served-builtins.ts'
import { refusalText, widgetResource } from '../../../support/test-registry.ts'

const builtin = servedBuiltins()
const snapshot = new CatalogSnapshot(1, [...builtin, widgetResource()])
const discovery = new Discovery(() => '192.0.2.1:6443')
const accept = (version: string) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`

async function ask(path: string, request: FakeRequest = {}, of = discovery, at = snapshot) {
  const exchange = new FakeExchange(path, request)
  return { exchange, served: await of.serve(exchange, at) }
}
const text = async (path: string) => (await ask(path)).exchange.text

/** Upstream's groups except the core one, with their served versions, in upstream's order, followed by ours. */
const GROUPS = new Map<string, string[]>()
const listed = Object.keys(
  JSON.parse(readFileSync(new URL('../../../fixtures/discovery/resources-1.33.json', import.meta.url), 'utf8')) as object,
)
for (const groupVersion of [...listed.filter(each => snapshot.resourcesOf(each).length > 0), 'example.io/v1']) {
  const [name = '', version] = groupVersion.split('/')
  if (version !== undefined) GROUPS.set(name, [...(GROUPS.get(name) ?? []), version])
}

describe('discovery', () => {
  const group = (name: string): string => {
    const versions = (GROUPS.get(name) ?? []).map(version => `{"groupVersion":"${name}/${version}","version":"${version}"}`)
    return `{"name":"${name}","versions":[${versions.join(',')}],"preferredVersion":${versions[0]}}`
  }
  const documents: [path: string, expected: string | RegExp][] = [
    [
      '/api',
      '{"kind":"APIVersions","versions":["v1"],"serverAddressByClientCIDRs":[{"clientCIDR":"0.0.0.0/0","serverAddress":"192.0.2.1:6443"}]}\n',
    ],
    ['/apis', `{"kind":"APIGroupList","apiVersion":"v1","groups":[${[...GROUPS.keys()].map(group).join(',')}]}\n`],
    ['/apis/example.io', `{"kind":"APIGroup","apiVersion":"v1",${group('example.io').slice(1)}\n`],
    ['/apis/example.io/', `{"kind":"APIGroup","apiVersion":"v1",${group('example.io').slice(1)}\n`],
    [
      '/apis/example.io/v1',
      /^\{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"example\.io\/v1","resources":\[\{"name":"widgets",.*\},\{"name":"widgets\/status",[^}]*\}\]\}\n$/,
    ],
    ['/api/v1', /^\{"kind":"APIResourceList","groupVersion":"v1","resources":\[\{"name":"bindings",/],
  ]
  for (const [path, expected] of documents)
    it(`serves ${path}`, async () => {
      const { exchange, served } = await ask(path)
      expect([served, exchange.status, exchange.contentType]).to.deep.equal([true, 200, 'application/json'])
      if (typeof expected === 'string') expect(exchange.text).to.equal(expected)
      else expect(exchange.text).to.match(expected)
      expect(exchange.answerHeaders.vary).to.equal(undefined)
    })

  it('lists the paths at the root', async () => {
    const { paths } = (await ask('/')).exchange.json as { paths: string[] }
    expect(paths)
      .to.include.members(['/api', '/api/v1', '/apis/example.io', '/apis/example.io/v1', '/version'])
      .and.deep.equal([...paths].sort())
  })

  const others: [string, FakeRequest][] = [
    ['/api/v1/pods', {}],
    ['/apis/example.io/v1/widgets', {}],
    ['/version', {}],
    ...['/api/v2', '/apis/other.io', '/apis/example.io/v2', '//api', '/api//v1', '/apis//', '/apis//v1'].map(
      (path): [string, FakeRequest] => [path, {}],
    ),
    ['/apis/other.io', { method: 'POST' }],
  ]
  for (const [path, request] of others)
    it(`does not serve ${request.method ?? 'GET'} ${path}`, async () => expect((await ask(path, request)).served).to.equal(false))

  for (const path of ['/api', '/api/v1/', '/apis', '/apis/', '/apis/example.io', '/apis/example.io/v1'])
    for (const method of ['HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'])
      it(`refuses ${method} for ${path}`, async () =>
        expect(await refusalText(ask(path, { method }))).to.equal(
          '405 MethodNotAllowed: the server does not allow this method on the requested resource',
        ))

  for (const path of ['/api//', '/api/v1//', '/apis/example.io///', '/apis/example.io/v1//'])
    it(`ignores trailing slashes: ${path}`, async () => expect(await text(path)).to.equal(await text(path.replace(/\/+$/, ''))))

  it('serves custom resources for any method', async () => {
    const custom = new CatalogSnapshot(2, [customResource()])
    for (const path of ['/apis/example.io', '/apis/example.io/v1'])
      for (const method of ['HEAD', 'POST', 'DELETE'])
        expect((await ask(path, { method }, new Discovery(() => 'x'), custom)).exchange.status).to.equal(200)
  })

  for (const path of ['/api', '/api/v1', '/apis', '/apis/example.io', '/apis/example.io/v1'])
    it(`serves ${path} with the same contents in each media type`, async () => {
      const in_ = async (type: string) => (await ask(path, { headers: { accept: type } })).exchange
      const json = (await in_('application/json')).json as JsonObject
      for (const type of ['application/vnd.kubernetes.protobuf', 'application/vnd.svc.protobuf']) {
        const { body, contentType } = await in_(type)
        expect(contentType).to.equal(type)
        const { kind, apiVersion = '' } = json as { kind: string; apiVersion?: string }
        expect(unwrap(body!)).to.include({ kind, apiVersion })
        const schema = metaType(`meta.${kind}`)
        expect(decode(schema, decodeMessage(schema, unwrap(body!).message))).to.deep.equal(
          decode(schema, { ...json, kind: '', apiVersion: '' }),
        )
      }
      const yaml = await in_('application/yaml;q=0.9,text/html')
      expect(yaml.contentType).to.equal('application/yaml')
      expect(parseYaml(yaml.body!).value).to.deep.equal(json)
      expect((await ask(path, { headers: {}, userAgent: 'curl/8' })).exchange.text).to.equal(`${JSON.stringify(json, null, 2)}\n`)
    })

  // Messages of apiserver 0.33.9.
  it('responds with 406 to other media types', async () => {
    const types = 'application/json, application/yaml, application/vnd.kubernetes.protobuf'
    const refused = (type: string, path = '/apis') => refusalText(ask(path, { headers: { accept: type } }))
    for (const type of ['text/html', 'application/cbor'])
      expect(await refused(type)).to.equal(`406 NotAcceptable: 406: Not Acceptable\n\nAvailable representations: ${types}`)
    for (const type of ['application/json;as=Table;g=meta.k8s.io;v=v1', accept('v2').replace('apidiscovery', 'meta')])
      expect(await refused(type)).to.equal(`406 NotAcceptable: only the following media types are accepted: ${types}`)
    expect(await refused(accept('v2'), '/apis/example.io')).to.equal(
      `406 NotAcceptable: only the following media types are accepted: ${types}`,
    )
  })

  it('makes its documents again for another generation only', async () => {
    const mine = new Discovery(() => 'x')
    const first = (await ask('/apis', {}, mine)).exchange.body
    expect((await ask('/apis', {}, mine)).exchange.body).to.equal(first)
    expect((await ask('/apis', {}, mine, new CatalogSnapshot(2, [widgetResource()]))).exchange.text).to.equal(
      `{"kind":"APIGroupList","apiVersion":"v1","groups":[${group('example.io')}]}\n`,
    )
  })
})

describe('aggregated discovery', () => {
  const headers: [accept: string | undefined, path: string, version: string | undefined][] = [
    [accept('v2'), '/apis', 'v2'],
    [accept('v2'), '/api', 'v2'],
    [`${accept('v2')},${accept('v2beta1')},application/json`, '/apis', 'v2'],
    [`${accept('v2beta1')},application/json`, '/apis', undefined],
    [`${accept('v3')},${accept('v2beta1')},application/json`, '/apis', undefined],
    // Negotiation uses the first clause that requests an aggregated list. A plain clause before it is ignored.
    [`application/json,${accept('v2')}`, '/apis', 'v2'],
    [`*/*;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList`, '/apis', 'v2'],
    [`text/html,${accept('v2')}`, '/apis', 'v2'],
    ['application/json', '/apis', undefined],
    [undefined, '/apis', undefined],
    ['*/*', '/apis', undefined],
  ]
  for (const [header, path, version] of headers)
    it(`serves ${path} for ${header}: ${version ?? 'the plain document'}`, async () => {
      const { exchange } = await ask(path, { headers: header === undefined ? {} : { accept: header } })
      const { kind, apiVersion } = exchange.json as Record<string, string>
      expect(exchange.contentType).to.equal(version === undefined ? 'application/json' : accept(version))
      expect(exchange.answerHeaders.vary).to.equal(version === undefined ? undefined : 'Accept')
      if (version !== undefined) expect([kind, apiVersion]).to.deep.equal(['APIGroupDiscoveryList', `apidiscovery.k8s.io/${version}`])
      else expect(kind).to.not.equal('APIGroupDiscoveryList')
    })

  it('is served in v2beta1 by releases that have it', async () => {
    const asked = await ask('/apis', { headers: { accept: accept('v2beta1') } }, new Discovery(() => 'x', ['v2', 'v2beta1']))
    expect(asked.exchange.contentType).to.equal(accept('v2beta1'))
  })

  it('has the same resources as the resource lists', async () => {
    const { exchange } = await ask('/apis', { headers: { accept: accept('v2') } })
    const { items } = exchange.json as { items: { metadata: object; versions: object[] }[] }
    expect(items.map(({ metadata }) => metadata)).to.deep.equal([...GROUPS.keys()].map(name => ({ name, creationTimestamp: null })))
    expect(JSON.stringify(items.at(-1)?.versions)).to.equal(
      JSON.stringify([
        {
          version: 'v1',
          resources: [
            {
              resource: 'widgets',
              responseKind: { group: 'example.io', version: 'v1', kind: 'Widget' },
              scope: 'Namespaced',
              singularResource: 'widget',
              verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
              shortNames: ['wd'],
              subresources: [
                {
                  subresource: 'status',
                  responseKind: { group: 'example.io', version: 'v1', kind: 'Widget' },
                  verbs: ['get', 'patch', 'update'],
                },
              ],
            },
          ],
          freshness: 'Current',
        },
      ]),
    )
    type Resource = { resource: string; subresources: { subresource: string; responseKind: object }[] }
    const apps = items[[...GROUPS.keys()].indexOf('apps')]?.versions[0] as { resources: Resource[] }
    const deployments = apps.resources.find(({ resource }) => resource === 'deployments')
    expect(deployments?.subresources.find(({ subresource }) => subresource === 'scale')?.responseKind).to.deep.equal({
      group: 'autoscaling',
      version: 'v1',
      kind: 'Scale',
    })
  })

  it('has no name for the core group', async () => {
    const { exchange } = await ask('/api', { headers: { accept: accept('v2') } })
    const { items } = exchange.json as { items: { metadata: object; versions: { version: string; resources: { resource: string }[] }[] }[] }
    expect(items.map(({ metadata, versions }) => [metadata, versions.map(({ version }) => version)])).to.deep.equal([
      [{ creationTimestamp: null }, ['v1']],
    ])
    const pods = items[0]?.versions[0]?.resources.find(({ resource }) => resource === 'pods') as {
      subresources?: { subresource: string; responseKind: object }[]
    }
    expect(pods.subresources?.find(({ subresource }) => subresource === 'binding')?.responseKind).to.deep.equal({
      group: '',
      version: 'v1',
      kind: 'Binding',
    })
  })

  it('has the same contents and ETag in each media type', async () => {
    const ofType = (type: string) => ask('/apis', { headers: { accept: accept('v2').replace('application/json', type) } })
    const [json, yaml, protobuf] = await Promise.all([
      ofType('application/json'),
      ofType('application/yaml'),
      ofType('application/vnd.kubernetes.protobuf'),
    ])
    const expected = json.exchange.json
    expect(parseYaml(Buffer.from(yaml.exchange.text)).value).to.deep.equal(expected)
    const { message, ...type } = unwrap(protobuf.exchange.body ?? Buffer.alloc(0))
    const decoded = decodeMessage(groupDiscoveryListType(), message)
    expect({ ...type, ...decode(groupDiscoveryListType(), decoded) }).to.deep.equal(expected)
    for (const { exchange } of [json, yaml, protobuf])
      expect(exchange.answerHeaders.etag)
        .to.match(/^"[0-9A-F]{128}"$/)
        .and.equal(json.exchange.answerHeaders.etag)
    expect(protobuf.exchange.contentType).to.equal(accept('v2').replace('json', 'vnd.kubernetes.protobuf'))
  })

  it('responds with 304 to a client with the current ETag', async () => {
    const first = await ask('/apis', { headers: { accept: accept('v2') } })
    const etag = first.exchange.answerHeaders.etag as string
    expect(etag).to.equal(`"${createHash('sha512').update(first.exchange.body!).digest('hex').toUpperCase()}"`)
    for (const [tag, status] of [
      [etag, 304],
      [`"x", ${etag}`, 304],
      ['"x"', 200],
    ] as const) {
      const { exchange } = await ask('/apis', { headers: { accept: accept('v2'), 'if-none-match': tag } })
      expect([exchange.status, exchange.body?.length === 0, exchange.answerHeaders.etag]).to.deep.equal([status, status === 304, etag])
    }
    expect(await text('/apis')).to.not.equal('')
  })
})
