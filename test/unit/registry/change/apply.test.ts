import { expect } from 'chai'
import { patch } from '../../../../src/endpoints/patch.ts'
import { answerObject } from '../../../../src/registry/types.ts'
import { loose } from '../../../support/any-object.ts'
import { FakeExchange, scopeOf } from '../../../support/exchange.ts'
import { refusal, refusalText, TestRegistry } from '../../../support/test-registry.ts'

const config = (spec: string, more = '') => `apiVersion: example.io/v1\nkind: Widget\nmetadata: {name: a${more}}\nspec: ${spec}\n`

describe('apply', () => {
  let t: TestRegistry
  beforeEach(() => {
    t = new TestRegistry()
  })
  async function run(body: string, query = '', { name = 'a', manager = 'me' } = {}) {
    const headers = { 'content-type': 'application/apply-patch+yaml' }
    const exchange = new FakeExchange('/x', { method: 'PATCH', search: `fieldManager=${manager}${query}`, headers, body })
    const { answer, created } = await patch(scopeOf(t, exchange, 'patch', { name }))
    return { created, object: loose(await answerObject(answer)), exchange }
  }

  it('creates a missing object', async () => {
    const { created, object } = await run(config('{color: red}'))
    expect(created).to.equal(true)
    expect(object.spec).to.deep.equal({ size: 1, color: 'red' })
    expect(object.metadata.namespace).to.equal('ns')
    expect(object.metadata.managedFields?.map(({ manager, operation, fieldsV1 }) => [manager, operation, fieldsV1])).to.deep.equal([
      ['me', 'Apply', { 'f:spec': { 'f:color': {} } }],
    ])
  })

  it('changes fields that the configuration has, and removes those that it no longer has', async () => {
    await run(config('{color: red, size: 5}'))
    const { created, object } = await run(config('{color: blue}'))
    expect([created, object.spec]).to.deep.equal([false, { size: 1, color: 'blue' }])
  })

  it('does not write if nothing changes', async () => {
    const first = await run(config('{color: red}'))
    t.now += 60_000
    expect((await run(config('{color: red}'))).object).to.deep.equal(first.object)
    expect(t.backend.calls.write).to.equal(1)
  })

  it('reports a conflict with each field and its manager, unless it is forced', async () => {
    await t.create({ name: 'a' }, { spec: { color: 'red', size: 3 } })
    const { status } = await refusal(run(config('{color: blue, size: 4}')))
    expect(status).to.include({
      code: 409,
      reason: 'Conflict',
      message: 'Apply failed with 2 conflicts: conflicts with "tester" using example.io/v1:\n- .spec.color\n- .spec.size',
    })
    expect(status.details).to.deep.equal({
      causes: ['.spec.color', '.spec.size'].map(field => ({
        reason: 'FieldManagerConflict',
        message: 'conflict with "tester" using example.io/v1',
        field,
      })),
    })
    expect((await run(config('{color: blue, size: 4}'), '&force=true')).object.spec).to.deep.equal({ size: 4, color: 'blue' })
  })

  it('stores nothing in a dry run', async () => {
    expect((await run(config('{color: red}'), '&dryRun=All')).object.spec.color).to.equal('red')
    expect(await t.names()).to.deep.equal([])
  })

  const repeated = 'apiVersion: example.io/v1\nkind: Widget\nmetadata: {name: a}\nspec:\n  color: red\n  color: blue\n'
  it('treats repeated keys by fieldValidation', async () => {
    const { exchange, object } = await run(repeated)
    expect(exchange.warnings).to.deep.equal(['line 6: key "color" already set in map'])
    expect(object.spec.color).to.equal('blue')
    expect((await run(repeated, '&fieldValidation=Ignore')).exchange.warnings).to.deep.equal([])
    expect(await refusalText(run(repeated, '&fieldValidation=Strict'))).to.equal(
      '400 BadRequest: error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  line 6: key "color" already set in map',
    )
  })

  const refused: [string, body: string, text: string | RegExp, name?: string][] = [
    ['invalid YAML', 'a: [', /^400 BadRequest: error decoding YAML: error converting YAML to JSON: yaml: /],
    [
      'a list',
      '[1]',
      '400 BadRequest: error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of type map[string]interface {}',
    ],
    ['another name', config('{}'), '400 BadRequest: the name of the object (a) does not match the name on the URL (b)', 'b'],
    [
      'another namespace',
      config('{}', ', namespace: x'),
      '400 BadRequest: the namespace of the provided object does not match the namespace sent on the request',
    ],
    ['managed fields', config('{}', ', managedFields: [{manager: x}]'), '400 BadRequest: metadata.managedFields must be nil'],
    ['a field that there is not', config('{odd: 1}'), /^500 : .*\.spec\.odd: field not declared in schema$/],
    ['a value of another type', config('{size: x}'), /^500 : /],
    [
      'a uid for a missing object',
      config('{}', ', uid: x'),
      /^409 Conflict: .*uid mismatch: the provided object specified uid x, and no existing object was found$/,
    ],
  ]
  for (const [what, body, text, name] of refused)
    it(`refuses ${what}`, async () => {
      const told = await refusalText(run(body, '', name === undefined ? {} : { name }))
      if (typeof text === 'string') expect(told).to.equal(text)
      else expect(told).to.match(text)
      expect(await t.names()).to.deep.equal([])
    })
})
