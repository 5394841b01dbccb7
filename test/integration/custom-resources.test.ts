import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { createJsonClient, type JsonAnswer, type JsonClient } from '../support/json-client.ts'
import { createServerProcess, type ServerProcess } from '../support/server-process.ts'

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const PATIENCE_MS = 10_000

const spec = (properties: object) => ({ openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } } })
const version = (name: string, properties: object, more: object = {}) => ({ name, served: true, storage: name === 'v1', schema: spec(properties), ...more })
const definition = (plural: string, kind: string, versions: readonly object[], more: object = {}) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.example.com` },
  spec: { group: 'example.com', scope: 'Namespaced', names: { plural, kind }, versions, ...more },
})
const pathOf = (plural: string, name = '', at = 'v1'): string => `/apis/example.com/${at}/namespaces/default/${plural}${name && `/${name}`}`
const object = (kind: string, name: string, own: object = {}, at = 'v1') => ({ apiVersion: `example.com/${at}`, kind, metadata: { name }, spec: own })

describe('custom resources', function () {
  this.timeout(60_000)
  let server: ServerProcess
  let client: JsonClient
  before(async () => {
    server = await createServerProcess()
    await server.start()
    client = createJsonClient(server.url)
  })
  after(async () => {
    client?.close()
    await server?.stop()
  })

  async function until(path: string, wanted: (answer: JsonAnswer) => boolean): Promise<JsonAnswer> {
    for (const deadline = Date.now() + PATIENCE_MS; ; await sleep(20)) {
      const answer = await client.ask('GET', path)
      if (wanted(answer) || Date.now() > deadline) return answer
    }
  }

  /** Makes the definition, and waits until it is established. */
  async function define(body: ReturnType<typeof definition>): Promise<void> {
    await client.must('POST', DEFINITIONS, body)
    const isEstablished = ({ body }: JsonAnswer): boolean =>
      body.status?.conditions?.some((condition: { type: string; status: string }) => condition.type === 'Established' && condition.status === 'True')
    expect(isEstablished(await until(`${DEFINITIONS}/${body.metadata.name}`, isEstablished))).to.equal(true)
  }

  it('are served from the moment when their definition is established, and gone with it', async () => {
    await define(definition('widgets', 'Widget', [version('v1', { a: { type: 'string' }, n: { type: 'integer', default: 3 } })]))
    const made = await client.must('POST', pathOf('widgets'), object('Widget', 'w', { a: 'x' }))
    expect(made.spec).to.deep.equal({ a: 'x', n: 3 })
    const { resources } = (await client.must('GET', '/apis/example.com/v1')) as unknown as { resources: { name: string }[] }
    expect(resources.map(({ name }) => name)).to.deep.equal(['widgets'])

    const watch = await fetch(`${server.url}${pathOf('widgets')}?watch=1&resourceVersion=${made.metadata.resourceVersion}`)
    const watched = watch.text()
    await client.must('DELETE', `${DEFINITIONS}/widgets.example.com`)
    expect((await until(`${DEFINITIONS}/widgets.example.com`, ({ status }) => status === 404)).status).to.equal(404)
    expect((await until(pathOf('widgets'), ({ status }) => status === 404)).status).to.equal(404)
    const events = (await watched)
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line).type)
    expect(events).to.deep.equal(['DELETED'])
    expect((await client.ask('GET', '/apis/example.com/v1')).status).to.equal(404)
  })

  it('are there no more where a definition of the same name comes back', async () => {
    await define(definition('widgets', 'Widget', [version('v1', { b: { type: 'string' } })]))
    expect((await client.must('GET', pathOf('widgets'))).items).to.deep.equal([])
    const made = await client.must('POST', pathOf('widgets'), object('Widget', 'w', { a: 'x', b: 'y' }))
    expect(made.spec).to.deep.equal({ b: 'y' })
  })

  it('are read by a schema that has changed', async () => {
    const path = `${DEFINITIONS}/widgets.example.com`
    const now = await client.must('GET', path)
    now.spec.versions[0].schema = spec({ c: { type: 'string', default: 'new' } })
    await client.must('PUT', path, now)
    const { body } = await until(pathOf('widgets', 'w'), ({ body }) => body.spec?.c !== undefined)
    expect(body.spec).to.deep.equal({ c: 'new' })
  })

  it('have several versions, each with its own schema', async () => {
    const versions = [
      version('v1', { a: { type: 'string' }, b: { type: 'string' } }),
      version('v1beta1', { a: { type: 'string', default: 'old' } }, { deprecated: true }),
    ]
    await define(definition('gadgets', 'Gadget', versions))
    await client.must('POST', pathOf('gadgets'), object('Gadget', 'g', { a: '1', b: '2' }))
    const { headers, body } = await client.ask('GET', pathOf('gadgets', 'g', 'v1beta1'))
    expect(body).to.deep.include({ apiVersion: 'example.com/v1beta1', spec: { a: '1' } })
    expect(headers.warning).to.equal('299 - "example.com/v1beta1 Gadget is deprecated; use example.com/v1 Gadget"')
    await client.must('POST', pathOf('gadgets', '', 'v1beta1'), object('Gadget', 'h', {}, 'v1beta1'))
    expect((await client.must('GET', pathOf('gadgets'))).items).to.have.length(2)
    expect(await client.must('GET', pathOf('gadgets', 'h'))).to.deep.include({ apiVersion: 'example.com/v1', spec: { a: 'old' } })
    expect(await client.must('GET', '/apis/example.com')).to.deep.include({ preferredVersion: { groupVersion: 'example.com/v1', version: 'v1' } })
  })

  it('are not created while their definition waits for the last of them', async () => {
    await define(definition('keepers', 'Keeper', [version('v1', {})]))
    const held = object('Keeper', 'k')
    await client.must('POST', pathOf('keepers'), { ...held, metadata: { name: 'k', finalizers: ['example.com/hold'] } })
    await client.must('DELETE', `${DEFINITIONS}/keepers.example.com`)
    const refused = await client.ask('POST', pathOf('keepers'), { body: object('Keeper', 'l') })
    expect(refused.status).to.equal(405)
    expect(refused.body).to.deep.include({
      reason: 'MethodNotAllowed',
      message: 'create not allowed while custom resource definition is terminating',
      details: { group: 'example.com', kind: 'keepers' },
    })
    const { body } = await until(pathOf('keepers', 'k'), ({ body }) => body.metadata?.deletionTimestamp !== undefined)
    await client.must('PUT', pathOf('keepers', 'k'), { ...body, metadata: { ...body.metadata, finalizers: [] } })
    expect((await until(`${DEFINITIONS}/keepers.example.com`, ({ status }) => status === 404)).status).to.equal(404)
  })

  it('keep the rules of their schema, and those alone that a change concerns', async () => {
    const rules = [
      { rule: 'self.a > 1', message: 'a is too small' },
      { rule: 'self.b == oldSelf.b', message: 'b stays as it is' },
      { rule: '!has(self.c) || self.c.all(x, x.startsWith("x"))', messageExpression: '"c is " + self.c.join(",")' },
    ]
    const properties = { a: { type: 'integer' }, b: { type: 'string' }, c: { type: 'array', items: { type: 'string', maxLength: 10 }, maxItems: 10 } }
    const schema = { type: 'object', properties: { spec: { type: 'object', properties, 'x-kubernetes-validations': rules } } }
    await define(definition('ruled', 'Ruled', [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }]))
    const causes = async (method: string, path: string, spec: object): Promise<unknown> => {
      const { status, body } = await client.ask(method, path, {
        body: object('Ruled', 'r', spec),
        contentType: method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
      })
      return status < 300 ? status : [status, ...body.details.causes.map((cause: { field: string; message: string }) => `${cause.field}: ${cause.message}`)]
    }
    const refused = (text: string) => [422, `spec: Invalid value: "object": ${text}`]
    expect(await causes('POST', pathOf('ruled'), { a: 1, b: 'x' })).to.deep.equal(refused('a is too small'))
    expect(await causes('POST', pathOf('ruled'), { a: 2, b: 'x', c: ['xy', 'z'] })).to.deep.equal(refused('c is xy,z'))
    expect(await causes('POST', pathOf('ruled'), { a: 2, b: 'x' })).to.equal(201)
    expect(await causes('PATCH', pathOf('ruled', 'r'), { b: 'y' })).to.deep.equal(refused('b stays as it is'))
    expect((await client.must('GET', pathOf('ruled', 'r'))).spec).to.deep.equal({ a: 2, b: 'x' })
  })

  it('are there after a restart', async () => {
    await server.terminate()
    await server.start()
    client.close()
    client = createJsonClient(server.url)
    expect((await client.must('GET', pathOf('gadgets', 'g'))).spec).to.deep.equal({ a: '1', b: '2' })
    expect((await client.must('GET', pathOf('gadgets', 'h', 'v1beta1'))).spec).to.deep.equal({ a: 'old' })
  })
})
