import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { createJsonClient, type JsonAnswer, type JsonClient } from '../support/json-client.ts'
import type { ServerProcess } from '../support/server-process.ts'
import { withServer } from '../support/suite-server.ts'
import { eventually } from '../support/waiting.ts'

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const PATIENCE_MS = 120_000

const spec = (properties: object) => ({ openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } } })
const version = (name: string, properties: object, more: object = {}) => ({
  name,
  served: true,
  storage: name === 'v1',
  schema: spec(properties),
  ...more,
})
const definition = (plural: string, kind: string, versions: readonly object[], more: object = {}) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.example.com` },
  spec: { group: 'example.com', scope: 'Namespaced', names: { plural, kind }, versions, ...more },
})
const pathOf = (plural: string, name = '', at = 'v1'): string => `/apis/example.com/${at}/namespaces/default/${plural}${name && `/${name}`}`
const object = (kind: string, name: string, own: object = {}, at = 'v1') => ({
  apiVersion: `example.com/${at}`,
  kind,
  metadata: { name },
  spec: own,
})

describe('custom resources', () => {
  let server: ServerProcess
  let client: JsonClient
  withServer(made => {
    ;({ server, client } = made)
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
      body.status?.conditions?.some(
        (condition: { type: string; status: string }) => condition.type === 'Established' && condition.status === 'True',
      )
    expect(isEstablished(await until(`${DEFINITIONS}/${body.metadata.name}`, isEstablished))).to.equal(true)
  }

  it('are served once their definition is established, and removed with it', async () => {
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

  it('accept dry runs while their definition changes', async () => {
    await define(definition('changing', 'Changing', [version('v1', { a: { type: 'string' } })]))
    const body = (name: string) => object('Changing', name, { a: 'x' })
    const stored = await client.must('POST', pathOf('changing'), body('x'))
    const crd = `${DEFINITIONS}/changing.example.com`
    const dry = (name = '') => `${pathOf('changing', name)}?dryRun=All`
    const patch = (path: string, form: string, body: unknown) => client.ask('PATCH', path, { body, contentType: `application/${form}` })
    const writes = [
      () => client.ask('POST', dry(), { body: body('y') }),
      () => client.ask('PUT', dry('x'), { body: stored }),
      () => patch(dry('x'), 'merge-patch+json', { spec: { a: 'z' } }),
      () => patch(`${dry('x')}&fieldManager=test&force=true`, 'apply-patch+yaml', body('x')),
      () => client.ask('DELETE', dry('x')),
      () => client.ask('DELETE', dry()),
    ]
    const statuses: number[] = []
    let changes = 0
    const writing = writes.map(async write => {
      while (changes < 60) statuses.push((await write()).status)
    })
    while (changes < 60) {
      const properties = { a: { type: 'string' }, [`g${changes++}`]: { type: 'string' } }
      expect((await patch(crd, 'merge-patch+json', { spec: { versions: [version('v1', properties)] } })).status).to.equal(200)
    }
    await Promise.all(writing)
    expect(statuses.filter(status => status >= 400)).to.deep.equal([])
  })

  it('do not return when a definition of the same name is recreated', async () => {
    await define(definition('widgets', 'Widget', [version('v1', { b: { type: 'string' } })]))
    expect((await client.must('GET', pathOf('widgets'))).items).to.deep.equal([])
    const made = await client.must('POST', pathOf('widgets'), object('Widget', 'w', { a: 'x', b: 'y' }))
    expect(made.spec).to.deep.equal({ b: 'y' })
  })

  it('are pruned by a changed schema when they are read', async () => {
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
    expect(await client.must('GET', '/apis/example.com')).to.deep.include({
      preferredVersion: { groupVersion: 'example.com/v1', version: 'v1' },
    })
  })

  it('cannot be created while their definition waits for their deletion', async () => {
    await define(definition('keepers', 'Keeper', [version('v1', {})]))
    const held = object('Keeper', 'k')
    await client.must('POST', pathOf('keepers'), { ...held, metadata: { name: 'k', finalizers: ['example.com/hold'] } })
    await client.must('DELETE', `${DEFINITIONS}/keepers.example.com`)
    // Creates are accepted until the controller of definitions has set the condition Terminating.
    const create = (query = ''): Promise<JsonAnswer> => client.ask('POST', `${pathOf('keepers')}${query}`, { body: object('Keeper', 'l') })
    await eventually('creates are refused', async () => (await create('?dryRun=All')).status !== 201, 20)
    const refused = await create()
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

  it('enforce validation rules, on an update only those of changed fields', async () => {
    const rules = [
      { rule: 'self.a > 1', message: 'a is too small' },
      { rule: 'self.b == oldSelf.b', message: 'b stays as it is' },
      { rule: '!has(self.c) || self.c.all(x, x.startsWith("x"))', messageExpression: '"c is " + self.c.join(",")' },
    ]
    const properties = {
      a: { type: 'integer' },
      b: { type: 'string' },
      c: { type: 'array', items: { type: 'string', maxLength: 10 }, maxItems: 10 },
    }
    const schema = { type: 'object', properties: { spec: { type: 'object', properties, 'x-kubernetes-validations': rules } } }
    await define(definition('ruled', 'Ruled', [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }]))
    const causes = async (method: string, path: string, spec: object): Promise<unknown> => {
      const { status, body } = await client.ask(method, path, {
        body: object('Ruled', 'r', spec),
        contentType: method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
      })
      return status < 300
        ? status
        : [status, ...body.details.causes.map((cause: { field: string; message: string }) => `${cause.field}: ${cause.message}`)]
    }
    const refused = (text: string) => [422, `spec: Invalid value: "object": ${text}`]
    expect(await causes('POST', pathOf('ruled'), { a: 1, b: 'x' })).to.deep.equal(refused('a is too small'))
    expect(await causes('POST', pathOf('ruled'), { a: 2, b: 'x', c: ['xy', 'z'] })).to.deep.equal(refused('c is xy,z'))
    expect(await causes('POST', pathOf('ruled'), { a: 2, b: 'x' })).to.equal(201)
    expect(await causes('PATCH', pathOf('ruled', 'r'), { b: 'y' })).to.deep.equal(refused('b stays as it is'))
    expect((await client.must('GET', pathOf('ruled', 'r'))).spec).to.deep.equal({ a: 2, b: 'x' })
  })

  describe('in a version that their definition no longer has', () => {
    const a = { a: { type: 'string' } }
    const at = (name: string, served: boolean, storage: boolean) => ({ ...version(name, a), served, storage })
    const change = async (plural: string, versions: readonly object[], storedVersions?: readonly string[]) => {
      const path = `${DEFINITIONS}/${plural}.example.com`
      const contentType = 'application/merge-patch+json'
      expect((await client.ask('PATCH', path, { body: { spec: { versions } }, contentType })).status).to.equal(200)
      if (storedVersions)
        expect((await client.ask('PATCH', `${path}/status`, { body: { status: { storedVersions } }, contentType })).status).to.equal(200)
    }

    it('cannot be read if they are stored in it', async () => {
      await define(definition('relics', 'Relic', [at('v1', true, true), at('v2', true, false)]))
      await client.must('POST', pathOf('relics'), object('Relic', 'r', { a: 'x' }))
      await change('relics', [at('v1', true, false), at('v2', true, true)], ['v2'])
      await change('relics', [at('v2', true, true)])
      const { status, body } = await until(pathOf('relics', 'r', 'v2'), ({ status }) => status === 500)
      const message = 'request to convert CR from an invalid group/version: example.com/v1'
      expect([status, body.message]).to.deep.equal([500, message])
      const list = await client.ask('GET', pathOf('relics', '', 'v2'))
      expect([list.status, list.body.message]).to.deep.equal([500, message])
    })

    it('lose their managed fields on an update, and reject an apply, if a manager uses only it', async () => {
      await define(definition('traces', 'Trace', [at('v1', true, false), at('v2', true, true)]))
      for (const name of ['updated', 'applied']) await client.must('POST', pathOf('traces'), object('Trace', name, { a: 'x' }))
      await change('traces', [at('v2', true, true)])
      expect((await until(pathOf('traces', 'updated', 'v1'), ({ status }) => status === 404)).status).to.equal(404)
      const update = await client.ask('PATCH', pathOf('traces', 'updated', 'v2'), {
        body: { spec: { a: 'y' } },
        contentType: 'application/merge-patch+json',
      })
      expect([update.status, update.body.spec, update.body.metadata.managedFields]).to.deep.equal([200, { a: 'y' }, undefined])
      const apply = await client.ask('PATCH', `${pathOf('traces', 'applied', 'v2')}?fieldManager=m&force=true`, {
        body: object('Trace', 'applied', { a: 'y' }, 'v2'),
        contentType: 'application/apply-patch+yaml',
      })
      expect([apply.status, apply.body.message]).to.deep.equal([500, 'request to convert CR to an invalid group/version: example.com/v1'])
    })

    it('can be scaled although it has no replicas field', async () => {
      const scale = { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' }
      await define(definition('unscaled', 'Unscaled', [version('v1', a, { subresources: { scale } })]))
      await client.must('POST', pathOf('unscaled'), object('Unscaled', 'u'))
      const { status, body } = await client.ask('PATCH', `${pathOf('unscaled', 'u')}/scale`, {
        body: { spec: { replicas: 4 } },
        contentType: 'application/merge-patch+json',
      })
      expect([status, body.kind, body.spec]).to.deep.equal([200, 'Scale', {}])
    })
  })

  it('persist over a restart', async () => {
    await server.terminate()
    await server.start()
    client.close()
    client = createJsonClient(server.url)
    expect((await client.must('GET', pathOf('gadgets', 'g'))).spec).to.deep.equal({ a: '1', b: '2' })
    expect((await client.must('GET', pathOf('gadgets', 'h', 'v1beta1'))).spec).to.deep.equal({ a: 'old' })
  })
})
