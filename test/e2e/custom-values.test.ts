import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { JsonAnswer, JsonClient } from '../support/json-client.ts'
import type { ServerProcess } from '../support/server-process.ts'
import { withServer } from '../support/suite-server.ts'

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const THINGS = '/apis/values.example.com/v1/namespaces/default/things'
const PATIENCE_MS = 120_000
const MERGE = 'application/merge-patch+json'
const APPLY = 'application/apply-patch+yaml'

const properties = {
  size: { type: 'integer' },
  whole: { type: 'integer', maximum: 10 },
  share: { type: 'number', multipleOf: 0.1 },
  chosen: { type: 'number', enum: [1, 2.5] },
  port: { 'x-kubernetes-int-or-string': true },
  set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'number' } },
  name: { type: 'string' },
  named: { type: 'string', default: 'x' },
  list: {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['k'],
    items: { type: 'object', required: ['k'], properties: { k: { type: 'string' } } },
  },
  free: {
    type: 'object',
    'x-kubernetes-preserve-unknown-fields': true,
    properties: { known: { type: 'object', properties: { a: { type: 'string', nullable: true } } } },
  },
}
const rules = [{ rule: '!has(self.whole) || self.whole < 5' }]
const schemaOf = (rules: readonly object[]) => ({
  openAPIV3Schema: {
    type: 'object',
    properties: {
      spec: { type: 'object', properties, ...(rules.length > 0 && { 'x-kubernetes-validations': rules }) },
      status: { type: 'object' },
    },
  },
})
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.values.example.com' },
  spec: {
    group: 'values.example.com',
    scope: 'Namespaced',
    names: { plural: 'things', kind: 'Thing' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: schemaOf(rules),
        subresources: { scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' } },
      },
    ],
  },
}

describe('values of custom resources', () => {
  let server: ServerProcess
  let client: JsonClient
  withServer(async made => {
    ;({ server, client } = made)
    await client.must('POST', DEFINITIONS, definition)
    await until(
      () => client.ask('GET', THINGS),
      ({ status }) => status === 200,
    )
  })

  async function until(ask: () => Promise<JsonAnswer>, wanted: (answer: JsonAnswer) => boolean): Promise<JsonAnswer> {
    for (const deadline = Date.now() + PATIENCE_MS; ; await sleep(20)) {
      const answer = await ask()
      if (wanted(answer) || Date.now() > deadline) return answer
    }
  }

  const textOf = (name: string, spec: string): string =>
    `{"apiVersion":"values.example.com/v1","kind":"Thing","metadata":{"name":"${name}"},"spec":${spec}}`
  /**
   * Returns the errors of a response, one text each, without the note that rules were not evaluated. Undefined if there
   * are none.
   */
  const faultsOf = ({ status, body }: JsonAnswer): readonly string[] | undefined =>
    status < 300
      ? undefined
      : (body.details?.causes
          ?.map((cause: { field: string; message: string }) => `${cause.field}: ${cause.message}`)
          .filter((text: string) => !text.includes('were not checked')) ?? [`${status} ${body.message}`])
  const create = async (name: string, spec: string) => faultsOf(await client.ask('POST', THINGS, { text: textOf(name, spec) }))
  const patch = async (name: string, contentType: string, text: string) =>
    faultsOf(
      await client.ask('PATCH', `${THINGS}/${name}${contentType === APPLY ? '?fieldManager=m&force=true' : ''}`, { text, contentType }),
    )

  describe('numbers', () => {
    const FLOAT = '.spec.size: Invalid value: 0: .spec.size accessor error: 2 is of the type float64, expected int64'

    it('with a zero fraction are not integers for a scale, however they are written', async () => {
      expect(await create('scaled', '{"size":2.0}')).to.deep.equal([FLOAT])
      expect(await create('scaled', '{"size":2e0}')).to.deep.equal([FLOAT])
      expect(await create('scaled', '{"size":2}')).to.equal(undefined)
      expect(await patch('scaled', MERGE, '{"spec":{"size":2.0}}')).to.deep.equal([FLOAT])
      expect(await patch('scaled', 'application/json-patch+json', '[{"op":"replace","path":"/spec/size","value":2.0}]')).to.deep.equal([
        FLOAT,
      ])
      expect(await patch('scaled', 'application/json-patch+json', '[{"op":"add","path":"/spec/free","value":{"a":[2.0,1]}}]')).to.equal(
        undefined,
      )
      expect(await patch('scaled', APPLY, textOf('scaled', '{"size":2.0}'))).to.equal(undefined)
    })

    it('with a zero fraction are integers for a schema, but not for its rules', async () => {
      const EVALUATING = 'evaluating rule: !has(self.whole) || self.whole < 5'
      expect(await create('ruled', '{"whole":1.0}')).to.deep.equal([
        `spec: Invalid value: "object": invalid data, expected int, got float64 ${EVALUATING}`,
      ])
      expect(await create('ruled', '{"port":1.0}')).to.equal(undefined)
      expect(await create('both', '{"set":[1,1.0]}')).to.equal(undefined)
      expect(await create('twice', '{"set":[1.0,1.0]}')).to.deep.equal(['spec.set[1]: Duplicate value: 1'])
    })

    it('beyond 64 bits are not integers in YAML and in an apply, as in JSON', async () => {
      const NO_INTEGER = 'spec.whole: Invalid value: "number": spec.whole in body must be of type integer: "number"'
      const large = textOf('large', '{"whole":9223372036854775808}')
      expect(faultsOf(await client.ask('POST', THINGS, { text: large, contentType: 'application/yaml' }))).to.include(NO_INTEGER)
      expect(await patch('large', APPLY, large)).to.include(NO_INTEGER)
      for (const [name, contentType] of [
        ['yaml', 'application/yaml'],
        ['json', 'application/json'],
      ] as const) {
        const free = textOf(`free-${name}`, '{"free":{"a":9223372036854775808,"b":[18446744073709551615,-0],"c":9223372036854775807}}')
        expect(faultsOf(await client.ask('POST', THINGS, { text: free, contentType }))).to.equal(undefined)
        const texts = await Promise.all(
          ['application/json', 'application/yaml'].map(async accept =>
            (await (await fetch(`${server.url}${THINGS}/free-${name}`, { headers: { accept } })).text()).replaceAll(/\s/g, ''),
          ),
        )
        expect(texts[0]).to.include('"free":{"a":9223372036854776000,"b":[18446744073709552000,0],"c":9223372036854775807}')
        expect(texts[1]).to.include('free:a:9223372036854776000b:-1.8446744073709552e+19-0c:9223372036854775807')
      }
    })

    it('beyond 64 bits are not integers, and print as floats', async () => {
      const faults = await create('large', '{"whole":9223372036854775808}')
      expect(faults).to.include('spec.whole: Invalid value: 9.223372036854776e+18: spec.whole in body should be less than or equal to 10')
      expect(faults).to.include('spec.whole: Invalid value: "number": spec.whole in body must be of type integer: "number"')
    })

    it('beyond the range of float64 are rejected in every patch', async () => {
      const text = 'json: cannot unmarshal number 1e400 into Go value of type float64'
      expect(await patch('scaled', MERGE, '{"spec":{"free":{"a":1e400}}}')).to.deep.equal([`400 error decoding patch: ${text}`])
      const ignored = await client.ask('PATCH', `${THINGS}/scaled?fieldValidation=Ignore`, {
        text: '{"spec":{"free":{"a":1e400}}}',
        contentType: MERGE,
      })
      expect([ignored.status, ignored.body.message]).to.deep.include(422)
      expect(ignored.body.message).to.include(text)
    })

    it('are multiples in the arithmetic of floats, or of integers', async () => {
      expect(await create('share', '{"share":0.3}')).to.equal(undefined)
      expect(await create('shares', '{"share":9007199254740993}')).to.deep.equal([
        'spec.share: Invalid value: 0: factor MultipleOf declared for spec.share must be positive: 0',
      ])
    })

    it('match an enum without their fraction', async () => {
      expect(await create('chosen', '{"chosen":1.5}')).to.equal(undefined)
      expect(await create('other', '{"chosen":3.5}')).to.deep.equal(['spec.chosen: Unsupported value: 3.5: supported values: "1", "2.5"'])
    })
  })

  describe('null', () => {
    const NO_TEXT = 'spec.name: Invalid value: "null": spec.name in body must be of type string: "null"'

    it('is rejected in an apply for a field that is not nullable and has no default', async () => {
      expect(await patch('nulls', APPLY, textOf('nulls', '{"name":null}'))).to.deep.equal([NO_TEXT])
      expect(await patch('nulls', APPLY, textOf('nulls', '{"named":null}'))).to.equal(undefined)
      expect(await patch('nulls', APPLY, textOf('nulls', '{"name":null}'))).to.deep.equal([NO_TEXT])
    })

    it('is accepted as the key of a list element, until the schema rejects it', async () => {
      expect(await patch('keys', APPLY, textOf('keys', '{"list":[{"k":null}]}'))).to.deep.equal([
        'spec.list[0].k: Invalid value: "null": spec.list[0].k in body must be of type string: "null"',
      ])
    })

    it('is accepted below x-kubernetes-preserve-unknown-fields in an apply', async () => {
      expect(await patch('free', APPLY, textOf('free', '{"free":{"known":{"a":null,"b":[null]}}}'))).to.equal(undefined)
    })

    it("is rejected as kind or apiVersion with upstream's message", async () => {
      await create('typed', '{}')
      const kindless = await client.ask('PATCH', `${THINGS}/typed`, { text: '{"kind":null}', contentType: MERGE })
      expect(kindless.status).to.equal(422)
      expect(kindless.body.message).to.match(/^ "" is invalid: patch: Invalid value: .*: Object 'Kind' is missing in '\{"apiVersion":/)
      expect(await patch('typed', MERGE, '{"apiVersion":null}')).to.deep.equal([
        "undefined: Object 'apiVersion' is missing in 'object has no apiVersion field'",
      ])
    })
  })

  describe('an apply', () => {
    const apply = async (path: string, text: string) => {
      const { status, body } = await client.ask('PATCH', `${path}?fieldManager=m`, { text, contentType: APPLY })
      return status < 300 ? status : [status, body.message]
    }
    const meta = (apiVersion: string, kind: string, metadata: string): string =>
      `{"apiVersion":"${apiVersion}","kind":"${kind}","metadata":${metadata}}`

    it("rejects an invalid time with the converter's message", async () => {
      const refused = await apply(
        '/api/v1/namespaces/default/configmaps/timed',
        meta('v1', 'ConfigMap', '{"name":"timed","creationTimestamp":"x"}'),
      )
      const kind = '/v1, Kind=ConfigMap'
      const prefix = `failed to convert new object (/timed; ${kind}) to proper version: unable to convert unstructured object to ${kind}: parsing time "x"`
      expect(refused).to.be.an('array')
      expect((refused as string[])[1]).to.contain(prefix)
    })

    it('accepts an invalid time in a custom resource', async () =>
      expect(await apply(`${THINGS}/timed`, meta('values.example.com/v1', 'Thing', '{"name":"timed","creationTimestamp":"x"}'))).to.equal(
        201,
      ))

    it('rejects a scale of another version before it reads its managers', async () =>
      expect(await apply(`${THINGS}/timed/scale`, meta('autoscaling/v2', 'Scale', '{"name":"timed"}'))).to.deep.equal([
        400,
        'invalid object type: autoscaling/v2, Kind=Scale',
      ]))
  })

  describe('a rule that was added later', () => {
    it('only warns if a change concerns other fields', async () => {
      await create('old', '{"name":"y"}')
      const changed = {
        ...definition,
        spec: {
          ...definition.spec,
          versions: [{ ...definition.spec.versions[0], schema: schemaOf([...rules, { rule: 'self.name == "z"' }]) }],
        },
      }
      const { metadata } = await client.must('GET', `${DEFINITIONS}/${definition.metadata.name}`)
      await client.must('PUT', `${DEFINITIONS}/${definition.metadata.name}`, {
        ...changed,
        metadata: { name: metadata.name, resourceVersion: metadata.resourceVersion },
      })
      let value = 0
      const relabel = () =>
        client.ask('PATCH', `${THINGS}/old`, { text: JSON.stringify({ metadata: { labels: { a: String(value++) } } }), contentType: MERGE })
      const { status, headers } = await until(relabel, ({ headers }) => headers.warning !== undefined)
      expect([status, headers.warning]).to.deep.equal([
        200,
        String.raw`299 - "spec: Invalid value: \"object\": failed rule: self.name == \"z\""`,
      ])
      expect(await patch('old', MERGE, '{"spec":{"name":"x"}}')).to.deep.equal([
        'spec: Invalid value: "object": failed rule: self.name == "z"',
      ])
    })
  })
})
