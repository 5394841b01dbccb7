import { expect } from 'chai'
import type { Status } from '../../../src/meta/status.ts'
import type { AnyObject } from '../../support/any-object.ts'
import type { FakeRequest } from '../../support/exchange.ts'
import { callApi } from '../../support/fake-api.ts'
import { refusalText, TestRegistry, widgetResource } from '../../support/test-registry.ts'

const body = (metadata: object, more: object = {}) => JSON.stringify({ kind: 'Widget', apiVersion: 'example.io/v1', metadata, ...more })
const ONE = 'namespaces/ns/widgets/a'
const ALL = 'namespaces/ns/widgets'
const merge = { 'content-type': 'application/merge-patch+json' }

describe('requests for resources', () => {
  let t: TestRegistry
  const call = (path: string, request?: FakeRequest) => callApi(t, path, request)
  beforeEach(async () => {
    t = new TestRegistry()
    await t.create({ name: 'a' }, { spec: { color: 'red' } })
  })

  const answers: [method: string, path: string, FakeRequest, status: number, kind: string][] = [
    ['GET', ONE, {}, 200, 'Widget'],
    ['GET', ALL, {}, 200, 'WidgetList'],
    ['GET', 'widgets', {}, 200, 'WidgetList'],
    ['POST', ALL, { body: body({ name: 'b' }) }, 201, 'Widget'],
    ['PUT', ONE, { body: body({ name: 'a' }) }, 200, 'Widget'],
    ['PATCH', ONE, { body: '{}', headers: merge }, 200, 'Widget'],
    [
      'PATCH',
      'namespaces/ns/widgets/new',
      { body: body({ name: 'new' }), headers: { 'content-type': 'application/apply-patch+yaml' }, search: 'fieldManager=me' },
      201,
      'Widget',
    ],
    ['DELETE', ONE, {}, 200, 'Status'],
    ['DELETE', ONE, { search: 'propagationPolicy=Orphan' }, 200, 'Widget'],
    ['DELETE', ALL, {}, 200, 'WidgetList'],
    ['GET', `${ONE}/status`, {}, 200, 'Widget'],
    ['PUT', `${ONE}/status`, { body: body({ name: 'a' }, { status: { phase: 'x' } }) }, 200, 'Widget'],
    ['PATCH', `${ONE}/status`, { body: '{"status":{"phase":"x"}}', headers: merge }, 200, 'Widget'],
  ]
  for (const [method, path, request, status, kind] of answers)
    it(`${method} ${path} ${request.search ?? ''}`, async () => {
      const exchange = await call(path, { method, ...request })
      expect([exchange.status, (exchange.json as AnyObject).kind]).to.deep.equal([status, kind])
    })

  const METHOD = '405 MethodNotAllowed: the server does not allow this method on the requested resource'
  const PATH = '404 NotFound: the server could not find the requested resource'
  const refused: [method: string, path: string, FakeRequest, text: string][] = [
    ['POST', 'widgets', { body: body({ name: 'b' }) }, METHOD],
    ['DELETE', 'widgets', {}, METHOD],
    ['POST', ONE, {}, METHOD],
    ['PUT', ALL, {}, METHOD],
    ['PATCH', ALL, {}, METHOD],
    ['DELETE', `${ONE}/status`, {}, METHOD],
    ['GET', 'widgets/a', {}, PATH],
    ['GET', `${ONE}/other`, {}, PATH],
    ['GET', 'namespaces/ns/gadgets', {}, PATH],
    [
      'PATCH',
      ONE,
      { body: '{}', headers: { 'content-type': 'application/json' } },
      '415 UnsupportedMediaType: 415: Unsupported Media Type',
    ],
    ['PUT', ONE, { body: body({ name: 'b' }) }, '400 BadRequest: the name of the object (b) does not match the name on the URL (a)'],
    ['PUT', 'namespaces/ns/widgets/x', { body: body({ name: 'x' }) }, '404 NotFound: widgets.example.io "x" not found'],
    ['PATCH', 'namespaces/ns/widgets/x', { body: '{}', headers: merge }, '404 NotFound: widgets.example.io "x" not found'],
  ]
  for (const [method, path, request, text] of refused)
    it(`refuses ${method} ${path} ${text.slice(0, 3)}`, async () =>
      expect(await refusalText(call(path, { method, ...request }))).to.equal(text))

  const MEDIA =
    'application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json, application/apply-patch+yaml'
  const typed: [what: string, headers: Record<string, string>, body: string, text: string][] = [
    [
      'a list with one that it takes',
      { 'content-type': 'application/merge-patch+json, application/json' },
      '{}',
      `415 UnsupportedMediaType: the body of the request was in an unknown format - accepted media types include: ${MEDIA}`,
    ],
    [
      'a list of other types',
      { 'content-type': 'application/json, text/plain' },
      '{}',
      '415 UnsupportedMediaType: 415: Unsupported Media Type',
    ],
    ['none', {}, '{}', '415 UnsupportedMediaType: 415: Unsupported Media Type'],
    ['none, before accepted ones', { accept: 'text/html' }, '{}', '415 UnsupportedMediaType: 415: Unsupported Media Type'],
    ['none, and a body of no length', {}, '', '415 UnsupportedMediaType: 415: Unsupported Media Type\n\nAvailable representations: '],
    ['none, and an empty body', { 'content-length': '0' }, '', '406 NotAcceptable: 406: Not Acceptable\n\nAvailable representations: '],
  ]
  for (const [what, headers, patch, text] of typed)
    it(`refuses a patch by its Content-Type: ${what}`, async () =>
      expect(await refusalText(call(ONE, { method: 'PATCH', headers, body: patch }))).to.equal(text))

  const TABLE = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' }
  for (const search of [
    'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true',
    'resourceVersion=0&allowWatchBookmarks=true',
  ])
    it(`refuses initial events with a bookmark in a Table: ${search}`, async () =>
      expect(await refusalText(call(ALL, { search: `watch=true&${search}`, headers: TABLE }))).to.match(
        /^406 NotAcceptable: only the following media types are accepted: application\/json, application\/yaml, application\/vnd\.kubernetes\.protobuf$/,
      ))

  it('refuses a watch of Tables with an invalid includeObject', async () =>
    expect(await refusalText(call(ALL, { search: 'watch=true&includeObject=Foo', headers: TABLE }))).to.match(
      /^400 BadRequest: Unable to convert to Table as requested: includeObject: Invalid value: "Foo"/,
    ))

  for (const search of ['timeoutSeconds=-1', 'timeoutSeconds=-1&resourceVersion=0&allowWatchBookmarks=true'])
    it(`ends a watch with a negative timeout immediately: ${search}`, async () => {
      const exchange = await call(ALL, { search: `watch=true&${search}` })
      expect([exchange.status, exchange.text]).to.deep.equal([200, ''])
    })

  it('refuses a verb that the kind does not have', async () => {
    t = new TestRegistry([widgetResource({ version: { verbs: ['get', 'list'] } })])
    for (const [method, path] of [
      ['POST', ALL],
      ['DELETE', ALL],
      ['PUT', ONE],
      ['PATCH', ONE],
      ['DELETE', ONE],
    ] as const)
      expect(await refusalText(call(path, { method })), `${method} ${path}`).to.equal(METHOD)
    expect(await refusalText(call(ALL, { search: 'watch=1' }))).to.equal(METHOD)
  })

  it('finds cluster-scoped resources without a namespace only', async () => {
    t = new TestRegistry([widgetResource({ cluster: true })])
    expect(await refusalText(call(ALL))).to.equal(PATH)
    expect((await call('widgets', { method: 'POST', body: body({ name: 'a' }) })).status).to.equal(201)
  })

  it('returns a Status or the deleted object', async () => {
    expect((await call(ONE, { method: 'DELETE' })).json).to.deep.equal({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name: 'a', group: 'example.io', kind: 'widgets', uid: 'u1' },
    } satisfies Omit<Status, 'code'>)
    t = new TestRegistry([widgetResource({ strategy: { returnsDeleted: true } })])
    await t.create({ name: 'a' })
    expect((await call(ONE, { method: 'DELETE' })).json).to.have.nested.property('metadata.name', 'a')
  })

  const watches: [string, path: string, FakeRequest, names: string[]][] = [
    ['of the collection', ALL, { search: 'watch=true&timeoutSeconds=1' }, ['a', 'b']],
    ['of the collection, by the old path', `watch/${ALL}`, { search: 'timeoutSeconds=1' }, ['a', 'b']],
    ['of one name', ALL, { search: 'watch=true&timeoutSeconds=1&fieldSelector=metadata.name%3Db' }, ['b']],
    ['of one object, by the old path', `watch/${ONE}`, { search: 'timeoutSeconds=1' }, ['a']],
  ]
  for (const [what, path, request, names] of watches)
    it(`streams a watch ${what}`, async () => {
      await t.create({ name: 'b' })
      const exchange = await call(path, request)
      expect([exchange.status, exchange.contentType]).to.deep.equal([200, 'application/json'])
      const events = exchange.streamed.text
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line))
      expect(events.map(({ type, object }) => `${type} ${object.metadata.name}`)).to.deep.equal(names.map(name => `ADDED ${name}`))
    })

  it('reads one object even if `watch` is requested', async () => {
    expect((await call(ONE, { search: 'watch=true' })).json).to.have.nested.property('metadata.name', 'a')
  })

  it('treats repeated and unknown fields by fieldValidation', async () => {
    const odd = body({ name: 'b' }, { odd: 1 })
    expect((await call(ALL, { method: 'POST', body: odd })).warnings).to.deep.equal(['unknown field "odd"'])
    expect(await refusalText(call(ALL, { method: 'POST', body: odd, search: 'fieldValidation=Strict' }))).to.match(
      /^400 BadRequest: .*unknown field "odd"$/,
    )
  })

  it('refuses another namespace, and drops duplicate owners', async () => {
    expect(await refusalText(call(ONE, { method: 'PUT', body: body({ name: 'a', namespace: 'x' }) }))).to.equal(
      '400 BadRequest: the namespace of the provided object does not match the namespace sent on the request',
    )
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' }
    const { json, warnings } = await call(ONE, { method: 'PUT', body: body({ name: 'a', ownerReferences: [owner, owner] }) })
    expect(json).to.have.nested.property('metadata.ownerReferences').with.lengthOf(1)
    expect(warnings).to.have.length(1)
  })
})

describe('requests for resources that are not stored', () => {
  const calls: unknown[] = []
  const { storage: _, ...virtual } = widgetResource({
    definition: {
      virtual: {
        call: async ({ verb, namespace, name, body: of, dryRun }) => {
          calls.push([verb, namespace, name, of?.spec.size, dryRun])
          if (verb === 'list') return { items: [{ metadata: { name: 'x' } }] }
          if (verb === 'create') return { code: 201, status: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' } }
          return { code: 200, object: { kind: 'Widget', apiVersion: 'example.io/v1', metadata: { name: 'x' } } as AnyObject }
        },
      },
    },
  })
  const t = new TestRegistry([virtual])
  beforeEach(() => void calls.splice(0))

  const table: [method: string, path: string, FakeRequest, kind: string, status: number, told: unknown[]][] = [
    ['GET', ONE, {}, 'Widget', 200, ['get', 'ns', 'a', undefined, false]],
    ['GET', ALL, {}, 'WidgetList', 200, ['list', 'ns', '', undefined, false]],
    ['POST', ALL, { body: body({ name: 'b' }), search: 'dryRun=All' }, 'Status', 201, ['create', 'ns', '', 1, true]],
  ]
  for (const [method, path, request, kind, status, told] of table)
    it(`are served by the definition: ${method} ${path}`, async () => {
      const exchange = await callApi(t, path, { method, ...request })
      expect([exchange.status, (exchange.json as AnyObject).kind]).to.deep.equal([status, kind])
      expect(calls).to.deep.equal([told])
    })

  it('with a body pass admission, which may change it', async () => {
    const seen: unknown[] = []
    t.admission = {
      mutate: async ({ operation, name, namespace, dryRun, object }) => {
        seen.push([operation, name, namespace, dryRun])
        return { ...object, spec: { size: 7 } } as AnyObject
      },
      validate: async ({ object }) => void seen.push(object?.spec.size),
    }
    await callApi(t, ALL, { method: 'POST', body: body({ name: 'b' }) })
    await callApi(t, ONE, {})
    t.admission = {}
    expect(seen).to.deep.equal([['CREATE', 'b', 'ns', false], 7])
    expect(calls[0]).to.deep.equal(['create', 'ns', '', 7, false])
  })
})
