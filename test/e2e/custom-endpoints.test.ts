import { expect } from 'chai'
import type { JsonClient } from '../support/json-client.ts'
import { withServer } from '../support/suite-server.ts'
import { eventually } from '../support/waiting.ts'

const GROUP = '/apis/endpoints.example.com/v1'
const THINGS = `${GROUP}/namespaces/default/things`
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io'
const count = { type: 'object', properties: { replicas: { type: 'integer' } } }
const spec = { type: 'object', properties: { replicas: { type: 'integer' }, mode: { type: 'string', default: 'fast' } } }
const definition = {
  metadata: { name: 'things.endpoints.example.com' },
  spec: {
    group: 'endpoints.example.com',
    scope: 'Namespaced',
    names: { plural: 'things', kind: 'Thing' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec, status: count } } },
        subresources: { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
      },
    ],
  },
}

describe('endpoints of custom kinds', () => {
  let client: JsonClient
  withServer(async made => {
    client = made.client
    await client.must('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition)
    await eventually('the kind is served', async () => (await client.ask('GET', THINGS)).status === 200)
    await client.must('POST', THINGS, {
      apiVersion: 'endpoints.example.com/v1',
      kind: 'Thing',
      metadata: { name: 'x' },
      spec: { replicas: 0 },
    })
  })

  it("are listed in upstream's order", async () => {
    const { resources } = (await client.must('GET', GROUP)) as unknown as { resources: { name: string; verbs: string[] }[] }
    expect(resources.map(({ name, verbs }) => [name, ...verbs])).to.deep.equal([
      ['things', 'delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
      ['things/status', 'get', 'patch', 'update'],
      ['things/scale', 'get', 'patch', 'update'],
    ])
  })

  it('print a scale as a Table, with null for absent fields', async () => {
    const { columnDefinitions, rows } = (await client.ask('GET', `${THINGS}/x/scale`, { accept: TABLE })).body as unknown as {
      columnDefinitions: { name: string; type: string; format: string }[]
      rows: { cells: unknown[] }[]
    }
    expect(columnDefinitions.map(({ name, type, format }) => [name, type, format])).to.deep.equal([
      ['Name', 'string', 'name'],
      ['Desired', 'integer', ''],
      ['Available', 'integer', ''],
      ['Age', 'date', ''],
    ])
    expect(rows[0]?.cells.slice(0, 3)).to.deep.equal(['x', null, 0])
  })

  describe('scales', () => {
    const APPLY = 'application/apply-patch+yaml'
    const MERGE = 'application/merge-patch+json'
    const thing = (name: string, spec: object) => ({ apiVersion: 'endpoints.example.com/v1', kind: 'Thing', metadata: { name }, spec })
    const scale = (name: string, replicas: number, meta: object = {}) => ({
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: { name, ...meta },
      spec: { replicas },
    })
    const apply = (name: string, body: object, query = '') =>
      client.ask('PATCH', `${THINGS}/${name}/scale?fieldManager=m1${query}`, { body, contentType: APPLY })
    const scaleFault = (name: string) =>
      `failed to convert new object (/${name}; autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an invalid group/version: autoscaling/v1`

    it('accept an apply with the current number of replicas, and reject another', async () => {
      await client.must('POST', THINGS, thing('scaled', { replicas: 2 }))
      const same = await apply('scaled', scale('scaled', 2))
      expect([same.status, same.body.kind, same.body.spec]).to.deep.equal([200, 'Scale', { replicas: 2 }])
      const { managedFields } = (await client.must('GET', `${THINGS}/scaled`)).metadata
      expect(managedFields).to.deep.include({
        apiVersion: 'endpoints.example.com/v1',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': { 'f:replicas': {} } },
        manager: 'm1',
        operation: 'Apply',
        subresource: 'scale',
      })
      expect((await apply('scaled', scale('scaled', 2), '&dryRun=All')).status).to.equal(200)
      for (const body of [scale('scaled', 3), scale('scaled', 2, { uid: 'other' })]) {
        const refused = await apply('scaled', body)
        expect([refused.status, refused.body.message]).to.deep.equal([500, scaleFault('scaled')])
      }
    })

    it('leave the defaults of a struct that they create', async () => {
      await client.must('POST', THINGS, { apiVersion: 'endpoints.example.com/v1', kind: 'Thing', metadata: { name: 'bare' } })
      expect((await client.must('GET', `${THINGS}/bare`)).spec).to.equal(undefined)
      await client.ask('PATCH', `${THINGS}/bare/scale`, { body: { spec: { replicas: 1 } }, contentType: 'application/merge-patch+json' })
      const { spec, metadata } = await client.must('GET', `${THINGS}/bare`)
      expect([spec, metadata.generation]).to.deep.equal([{ replicas: 1, mode: 'fast' }, 2])
      const patched = await client.ask('PATCH', `${THINGS}/bare`, {
        body: { metadata: { labels: { a: 'b' } } },
        contentType: 'application/merge-patch+json',
      })
      expect(patched.body.metadata.generation).to.equal(2)
    })

    it('leave storing those defaults to the next write, even of a patch that changes nothing', async () => {
      await client.must('POST', THINGS, { apiVersion: 'endpoints.example.com/v1', kind: 'Thing', metadata: { name: 'late' } })
      const patch = async (tail: string, body: object): Promise<string> =>
        (await client.ask('PATCH', `${THINGS}/late${tail}`, { body, contentType: 'application/merge-patch+json' })).body.metadata
          .resourceVersion ?? ''
      const scaled = await patch('/scale', { spec: { replicas: 1 } })
      const defaulted = await patch('', {})
      expect(defaulted).to.not.equal(scaled)
      expect(await patch('', {})).to.equal(defaulted)
    })

    it('are not offered as protobuf, like their objects', async () => {
      const types = 'application/vnd.kubernetes.protobuf'
      expect((await client.ask('GET', `${THINGS}/x/scale`, { accept: types })).status).to.equal(406)
      expect((await client.ask('GET', `${THINGS}/x/scale`, { accept: `${types},application/json` })).headers['content-type']).to.equal(
        'application/json',
      )
    })

    it('check the uid in an update', async () => {
      const { status, body } = await client.ask('PUT', `${THINGS}/x/scale`, { body: scale('x', 1, { uid: 'other' }) })
      expect([status, body.reason]).to.deep.equal([409, 'Conflict'])
      expect(body.message).to.match(/Precondition failed: UID in precondition: other, UID in object meta: /)
    })

    it('can be patched without a current number, with webhooks and policies configured', async () => {
      const webhooks = [
        { name: 'a.example.com', clientConfig: { url: 'https://127.0.0.1:9/' }, sideEffects: 'None', admissionReviewVersions: ['v1'] },
      ]
      const kinds = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration']
      const REGISTRATION = '/apis/admissionregistration.k8s.io/v1'
      for (const kind of kinds)
        await client.must('POST', `${REGISTRATION}/${kind.toLowerCase()}s`, {
          apiVersion: 'admissionregistration.k8s.io/v1',
          kind,
          metadata: { name: 'scales' },
          webhooks: webhooks.map(webhook => ({
            ...webhook,
            rules: [{ apiGroups: ['none'], apiVersions: ['*'], operations: ['*'], resources: ['*'] }],
          })),
        })
      await client.must('POST', THINGS, thing('unscaled', {}))
      await eventually(
        'the webhooks are known',
        async () => (await client.ask('GET', `${REGISTRATION}/validatingwebhookconfigurations/scales`)).status === 200,
      )
      const patched = await client.ask('PATCH', `${THINGS}/unscaled/scale`, { body: { spec: { replicas: 2 } }, contentType: MERGE })
      for (const kind of kinds) await client.must('DELETE', `${REGISTRATION}/${kind.toLowerCase()}s/scales`)
      expect([patched.status, patched.body.spec]).to.deep.equal([200, { replicas: 2 }])
    })
  })

  it("reject an unreadable scale with upstream's message", async () => {
    const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'x' }, spec: { replicas: 1 } }
    for (const body of [
      { ...scale, spec: { replicas: '1' } },
      { ...scale, apiVersion: 'autoscaling/v2' },
      { ...scale, kind: 'Thing' },
    ]) {
      const { status, body: told } = await client.ask('PUT', `${THINGS}/x/scale`, { body })
      expect([status, told.message]).to.deep.equal([
        400,
        'no kind is registered for the type v1.Scale in scheme "pkg/runtime/scheme.go:110"',
      ])
    }
  })

  describe('paths', () => {
    /** Requests with the status and the beginning of the message of kube-apiserver 1.33. */
    const rows: readonly (readonly [string, string, number, string?])[] = [
      ['GET', `${THINGS}/x/status/y/z`, 200],
      ['GET', `${THINGS}/x//status`, 200],
      ['GET', `${THINGS}/x/scale/y`, 200],
      ['HEAD', `${THINGS}/x`, 200],
      ['HEAD', THINGS, 200],
      ['GET', `${THINGS}/x/none/y`, 404, 'things.endpoints.example.com "x" not found'],
      ['GET', `${GROUP}/things/x/status/y`, 404],
      ['GET', `${THINGS}//status`, 405, 'list is not supported on resources of kind "things.endpoints.example.com"'],
      [
        'GET',
        `${GROUP}/watch/namespaces/default/things/x/status`,
        405,
        'watch is not supported on resources of kind "things.endpoints.example.com"',
      ],
      ['POST', `${THINGS}/x`, 409, 'things.endpoints.example.com "x" already exists'],
      ['POST', `${THINGS}/x/status/y`, 405, 'create is not supported on resources of kind "things.endpoints.example.com"'],
      ['PUT', THINGS, 400, 'name must be provided'],
      ['PATCH', THINGS, 400, 'name must be provided'],
      ['DELETE', `${THINGS}/x/status/y`, 405, 'delete is not supported on resources of kind "things.endpoints.example.com"'],
    ]
    const bodies: Readonly<Record<string, object>> = {
      POST: { apiVersion: 'endpoints.example.com/v1', kind: 'Thing', metadata: { name: 'x' } },
      PUT: { apiVersion: 'endpoints.example.com/v1', kind: 'Thing', metadata: { name: 'x' } },
      PATCH: {},
    }
    for (const [method, path, status, message] of rows)
      it(`${method} ${path} is ${status}`, async () => {
        const body = bodies[method]
        const answer = await client.ask(method, path, {
          ...(body && { body }),
          ...(method === 'PATCH' && { contentType: 'application/merge-patch+json' }),
        })
        expect(answer.status).to.equal(status)
        if (message !== undefined) expect(answer.body.message).to.equal(message)
      })
  })

  describe('objects of another type', () => {
    const JSON_PATCH = 'application/json-patch+json'
    const replaced = (value: object) => [{ op: 'replace', path: '', value }]
    const thing = (metadata: object, type: object = {}) => ({
      apiVersion: 'endpoints.example.com/v1',
      kind: 'Thing',
      metadata,
      spec: { replicas: 0 },
      ...type,
    })
    const other = { kind: 'Other' }
    const noVersion = "Internal error occurred: Object 'apiVersion' is missing in 'object has no apiVersion field'"

    it('are refused after their names and resource versions are checked', async () => {
      const current = (await client.must('GET', `${THINGS}/x`)).metadata.resourceVersion
      const put = async (body: object) => (await client.ask('PUT', `${THINGS}/x`, { body })).body.message
      expect(await put(thing({ name: 'y' }, other))).to.equal('the name of the object (y) does not match the name on the URL (x)')
      expect(await put(thing({ name: 'x' }, other))).to.match(
        /metadata\.resourceVersion: Invalid value: 0x0: must be specified for an update$/,
      )
      expect(await put(thing({ name: 'x', resourceVersion: current }, other))).to.equal(
        'Other.endpoints.example.com "x" is invalid: kind: Invalid value: "Other": must be Thing',
      )
      const patch = async (body: object) =>
        (await client.ask('PATCH', `${THINGS}/x`, { body: replaced(body), contentType: JSON_PATCH })).body.message
      expect(await patch(thing({ name: 'y' }, { apiVersion: '' }))).to.equal(
        'the name of the object (y) does not match the name on the URL (x)',
      )
      expect(await patch(thing({ name: 'x' }, { apiVersion: '' }))).to.match(/must be specified for an update$/)
      expect(await patch(thing({ name: 'x', resourceVersion: current }, { apiVersion: '' }))).to.equal(noVersion)
      const status = { body: [{ op: 'remove', path: '/apiVersion' }], contentType: JSON_PATCH }
      expect((await client.ask('PATCH', `${THINGS}/x/status`, status)).body.message).to.equal(noVersion)
      expect(await patch(thing({ name: 'x', resourceVersion: current }, { apiVersion: 'foo' }))).to.equal(
        'Thing "x" is invalid: apiVersion: Invalid value: "foo": must be endpoints.example.com/v1',
      )
    })

    it('without a kind are described by the field validation', async () => {
      const post = async (query: string, text: string, contentType = 'application/json') =>
        (await client.ask('POST', `${THINGS}?fieldValidation=${query}`, { text, contentType })).body.message
      expect(await post('Ignore', '{}')).to.equal(`Thing in version "v1" cannot be handled as a Thing: Object 'Kind' is missing in '{}'`)
      expect(await post('Ignore', 'a: b', 'application/yaml')).to.equal(
        `Thing in version "v1" cannot be handled as a Thing: Object 'Kind' is missing in '{"a":"b"}'`,
      )
      expect(await post('Warn', '{}')).to.equal(
        "the object provided is unrecognized (must be of type Thing): Object 'Kind' is missing in '{}' ({})",
      )
      expect(await post('Warn', '{"Kind":"Thing"}')).to.match(/^the object provided is unrecognized .* Object 'Kind' is missing in /)
      expect(await post('Warn', '{"apiVersion":"a/b/c"}')).to.match(/unexpected GroupVersion string: a\/b\/c /)
    })
  })

  it('lose their managers by a patch of the status that claims another type', async () => {
    const patch = async (body: object) =>
      (await client.ask('PATCH', `${THINGS}/claimed/status`, { body, contentType: 'application/merge-patch+json' })).body
    for (const type of [{ kind: 'Other' }, { apiVersion: 'endpoints.example.com/v9' }, { apiVersion: 'apps/v1', kind: 'Deployment' }]) {
      await client.must('POST', THINGS, {
        apiVersion: 'endpoints.example.com/v1',
        kind: 'Thing',
        metadata: { name: 'claimed' },
        spec: { replicas: 0 },
      })
      const { kind, apiVersion, metadata } = await patch({ ...type, status: { replicas: 1 } })
      expect([kind, apiVersion, metadata.managedFields], JSON.stringify(type)).to.deep.equal([
        'Thing',
        'endpoints.example.com/v1',
        undefined,
      ])
      await client.must('DELETE', `${THINGS}/claimed`)
    }
    await client.must('POST', THINGS, {
      apiVersion: 'endpoints.example.com/v1',
      kind: 'Thing',
      metadata: { name: 'claimed' },
      spec: { replicas: 0 },
    })
    expect((await patch({ status: { replicas: 2 } })).metadata.managedFields).to.have.length(2)
    const { message } = await patch({ apiVersion: 'apps/v1', kind: 'Deployment', status: { replicas: 'two' } })
    expect(message).to.match(/^Deployment\.apps "claimed" is invalid: .*status\.replicas: /)
  })

  it('keep their managers if an empty list is written, and drop them for a single empty entry', async () => {
    const path = `${THINGS}/owned`
    const write = async (method: string, contentType: string, body: object) =>
      (await client.ask(method, path, { body, contentType })).body.metadata
    const thing = { apiVersion: 'endpoints.example.com/v1', kind: 'Thing', metadata: { name: 'owned', labels: { a: 'b' } } }
    await client.ask('PATCH', `${path}?fieldManager=m1`, { body: thing, contentType: 'application/apply-patch+yaml' })
    const managers = (metadata: { managedFields?: readonly { manager?: string }[] }) =>
      metadata.managedFields?.map(({ manager }) => manager)
    const replaced = (value: unknown) => [{ op: 'replace', path: '/metadata/managedFields', value }]
    expect(managers(await write('PATCH', 'application/json-patch+json', replaced([])))).to.deep.equal(['m1'])
    expect(managers(await write('PATCH', 'application/merge-patch+json', { metadata: { managedFields: [] } }))).to.deep.equal(['m1'])
    const { resourceVersion } = (await client.must('GET', path)).metadata
    const put = { ...thing, metadata: { ...thing.metadata, resourceVersion, managedFields: [] } }
    expect(managers(await write('PUT', 'application/json', put))).to.deep.equal(['m1'])
    expect(managers(await write('PATCH', 'application/json-patch+json', replaced([{}])))).to.equal(undefined)
  })

  it('are no lists of metadata', async () => {
    const accept = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io'
    const { status, body } = await client.ask('GET', `${THINGS}/x`, { accept })
    expect([status, body.message, body.reason]).to.deep.equal([500, 'content is not a list', undefined])
    const scale = await client.ask('GET', `${THINGS}/x/scale`, { accept })
    expect(scale.body.message).to.equal('you requested PartialObjectMetadataList, but the requested object is not a list (*v1.Scale)')
    expect((await client.ask('GET', '/api/v1/namespaces/default', { accept })).status).to.equal(406)
  })

  it('have discovery outside the router, whose 406 names no representations', async () => {
    const accept = 'text/html'
    const types = 'application/json, application/yaml, application/vnd.kubernetes.protobuf'
    for (const path of ['/apis/endpoints.example.com', GROUP]) {
      const { status, body } = await client.ask('GET', path, { accept })
      expect([status, body.message]).to.deep.equal([406, `only the following media types are accepted: ${types}`])
    }
    expect((await client.ask('GET', '/apis/apps/v1', { accept })).body.message).to.equal(
      `406: Not Acceptable\n\nAvailable representations: ${types}`,
    )
  })

  it('report the removed clusterName as an unknown field of metadata', async () => {
    const thing = { apiVersion: 'endpoints.example.com/v1', kind: 'Thing', metadata: { name: 'old', clusterName: 'c' } }
    const { status, body } = await client.ask('POST', `${THINGS}?fieldValidation=Strict`, { body: thing })
    expect([status, String(body.message).includes('unknown field "metadata.clusterName"')]).to.deep.equal([400, true])
  })

  it('check the media type of a patch before the media type of the response', async () => {
    const { status } = await client.ask('PATCH', `${THINGS}/x`, { text: '{}', contentType: 'text/plain', accept: 'text/plain' })
    expect(status).to.equal(415)
  })

  it('check the media type of a new object before the options', async () => {
    expect((await client.ask('POST', `${THINGS}?fieldValidation=none`, { text: '{}', contentType: 'text/plain' })).status).to.equal(415)
    expect((await client.ask('PUT', `${THINGS}/x?fieldValidation=none`, { text: '{}', contentType: 'text/plain' })).status).to.equal(422)
  })
})
