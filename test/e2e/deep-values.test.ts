import { expect } from 'chai'
import { createJsonClient, type JsonClient, type JsonRequest } from '../support/json-client.ts'
import { createServerProcess, type ServerProcess } from '../support/server-process.ts'

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const GROUP = 'deep.example.com'
const DEEPS = `/apis/${GROUP}/v1/namespaces/default/deeps`
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps'
const MERGE = 'application/merge-patch+json'
const JSON_PATCH = 'application/json-patch+json'
const APPLY = 'application/apply-patch+yaml'

/** The levels of whole bodies. kube-apiserver reads 10,000, and lets managed fields have no more. */
const DEEPEST = 10_000
const DEEP = 9_990

const objects = (levels: number): string => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`
const lists = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
const deep = (name: string, members: string): string => `{"apiVersion":"${GROUP}/v1","kind":"Deep","metadata":{"name":"${name}"}${members}}`
const configMap = (name: string, members: string): string =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}"}${members}}`

describe('deeply nested values', () => {
  let server: ServerProcess
  let client: JsonClient
  const send = async (method: string, path: string, text: string, options: JsonRequest = {}) => {
    const { status, body, headers } = await client.ask(method, path, { text, ...options })
    return { status, body, message: String(body.message ?? ''), warning: headers.warning }
  }
  before(async () => {
    server = await createServerProcess()
    await server.start()
    client = createJsonClient(server.url)
    await client.must('POST', DEFINITIONS, {
      metadata: { name: `deeps.${GROUP}` },
      spec: {
        group: GROUP,
        scope: 'Namespaced',
        names: { plural: 'deeps', singular: 'deep', kind: 'Deep', listKind: 'DeepList' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        ],
      },
    })
    for (let status = 404; status !== 200; ) ({ status } = await client.ask('GET', DEEPS))
  })
  after(async () => {
    client?.close()
    await server?.stop()
  })

  for (const [what, value] of [
    ['objects', objects(DEEP - 1)],
    ['lists', lists(DEEPEST - 1)],
  ] as const)
    describe(what, () => {
      const members = `,"x":${value}`
      const named = (name: string): string => `${what}-${name}`

      it('are created in JSON and YAML, read, replaced and deleted', async () => {
        expect((await send('POST', DEEPS, deep(named('json'), members))).status).to.equal(201)
        expect((await send('POST', DEEPS, deep(named('yaml'), members), { contentType: 'application/yaml' })).status).to.equal(201)
        const { metadata } = await client.must('GET', `${DEEPS}/${named('json')}`)
        const next = `{"apiVersion":"${GROUP}/v1","kind":"Deep","metadata":{"name":"${metadata.name}","resourceVersion":"${metadata.resourceVersion}"},"y":1${members}}`
        expect(await send('PUT', `${DEEPS}/${named('json')}`, next)).to.include({ status: 200, message: '' })
        expect(await send('PUT', `${DEEPS}/${named('json')}`, deep(named('json'), members))).to.include({ status: 422 })
        await client.must('GET', DEEPS)
        await client.must('DELETE', `${DEEPS}/${named('json')}`)
      })

      it('are patched and applied', async () => {
        const path = `${DEEPS}/${named('patched')}`
        await send('POST', DEEPS, deep(named('patched'), ''))
        expect((await send('PATCH', path, `{"x":${value}}`, { contentType: MERGE })).status).to.equal(200)
        expect((await send('PATCH', path, `{"y":1,"x":${value}}`, { contentType: MERGE })).status).to.equal(200)
        expect(
          (await send('PATCH', path, '[{"op":"copy","from":"/x","path":"/z"},{"op":"remove","path":"/y"}]', { contentType: JSON_PATCH }))
            .status,
        ).to.equal(200)
        expect((await send('PATCH', path, `{"z":null}`, { contentType: MERGE })).status).to.equal(200)
        const applied = `${DEEPS}/${named('applied')}?fieldManager=m`
        for (const status of [201, 200])
          expect((await send('PATCH', applied, deep(named('applied'), members), { contentType: APPLY })).status).to.equal(status)
        expect((await send('PATCH', applied, deep(named('applied'), ',"x":1'), { contentType: APPLY })).status).to.equal(200)
      })

      it('are dropped if they belong to no field', async () => {
        const warning = '299 - "unknown field \\"x\\""'
        expect(await send('POST', CONFIG_MAPS, configMap(named('a'), members))).to.include({ status: 201, warning })
        for (const contentType of [MERGE, 'application/strategic-merge-patch+json'])
          expect(await send('PATCH', `${CONFIG_MAPS}/${named('a')}`, `{"x":${value}}`, { contentType })).to.include({
            status: 200,
            warning,
          })
      })
    })

  it('are rejected below the 10,000th level', async () => {
    const read = (text: string, contentType?: string) => send('POST', DEEPS, text, { ...(contentType && { contentType }) })
    const unrecognized = (fault: string): object => ({
      status: 400,
      message: `the object provided is unrecognized (must be of type Deep): ${fault} ({"apiVersion":"deep.example.co ...)`,
    })
    const tooDeep = deep('too-deep', `,"x":${objects(DEEPEST)}`)
    expect(await read(tooDeep)).to.include(
      unrecognized(`couldn't get version/kind; json parse error: invalid character '{' exceeded max depth`),
    )
    expect(await read(tooDeep, 'application/yaml')).to.include(unrecognized('yaml: exceeded max depth of 10000'))
    expect(await send('PATCH', `${DEEPS}/too-deep?fieldManager=m`, tooDeep, { contentType: APPLY })).to.include({
      status: 400,
      message: 'error decoding YAML: error converting YAML to JSON: yaml: exceeded max depth of 10000',
    })
  })
})
