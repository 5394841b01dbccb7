import { expect } from 'chai'
import type { AnyObject } from '../../support/any-object.ts'
import type { FakeRequest } from '../../support/exchange.ts'
import { callApi } from '../../support/fake-api.ts'
import { refusal, refusalText, TestRegistry } from '../../support/test-registry.ts'

const JSON_PATCH = 'application/json-patch+json'
const MERGE = 'application/merge-patch+json'
const STRATEGIC = 'application/strategic-merge-patch+json'
const ONE = 'namespaces/ns/widgets/a'

describe('patches', () => {
  let t: TestRegistry
  beforeEach(async () => {
    t = new TestRegistry()
    await t.create({ name: 'a', labels: { x: 'y' } }, { spec: { color: 'red', parts: ['p'] } })
  })
  const patch = (type: string, body: string, request: FakeRequest = {}, path = ONE) =>
    callApi(t, path, { method: 'PATCH', body, ...request, headers: { 'content-type': type } })

  const table: [type: string, body: string, spec: object][] = [
    [
      JSON_PATCH,
      '[{"op":"replace","path":"/spec/color","value":"blue"},{"op":"add","path":"/spec/parts/-","value":"q"}]',
      { size: 1, color: 'blue', parts: ['p', 'q'] },
    ],
    [JSON_PATCH, '[]', { size: 1, color: 'red', parts: ['p'] }],
    [MERGE, '{"spec":{"color":null,"size":4}}', { size: 4, parts: ['p'] }],
    [MERGE, '{"spec":{"size":null}}', { size: 1, color: 'red', parts: ['p'] }],
    [`${MERGE}; charset=utf-8`, '{"spec":{"size":2}}', { size: 2, color: 'red', parts: ['p'] }],
    [STRATEGIC, '{"spec":{"parts":["q"]}}', { size: 1, color: 'red', parts: ['q'] }],
    [STRATEGIC, '{"spec":{"$patch":"replace","size":3}}', { size: 3 }],
    [STRATEGIC, 'null', { size: 1, color: 'red', parts: ['p'] }],
  ]
  for (const [type, body, spec] of table)
    it(`change the object: ${type} ${body}`, async () => {
      const answer = (await patch(type, body)).json as AnyObject
      expect(answer.spec).to.deep.equal(spec)
      expect((await t.get('a')).spec).to.deep.equal(spec)
    })

  it('without changes do not write', async () => {
    const { metadata } = (await patch(MERGE, '{"spec":{"color":"red"}}')).json as AnyObject
    expect(metadata.resourceVersion).to.equal('2')
    expect(t.backend.calls.write).to.equal(1)
  })

  it('are retried after a conflict, unless they have a resourceVersion', async () => {
    let times = 0
    t.backend.before = async call => {
      if (call === 'write' && ++times === 1) await t.update('a', { size: 8 })
    }
    expect(((await patch(MERGE, '{"spec":{"color":"blue"}}')).json as AnyObject).spec).to.include({ size: 8, color: 'blue' })
    expect(await refusalText(patch(MERGE, '{"metadata":{"resourceVersion":"2"}}'))).to.match(
      /^409 Conflict: .*please apply your changes to the latest version/,
    )
  })

  it('to status only change the status', async () => {
    const { spec, status } = (await patch(MERGE, '{"spec":{"color":"blue"},"status":{"phase":"x"}}', {}, `${ONE}/status`)).json as AnyObject
    expect([spec.color, status.phase]).to.deep.equal(['red', 'x'])
  })

  it('store nothing in a dry run', async () => {
    expect(((await patch(MERGE, '{"spec":{"color":"blue"}}', { search: 'dryRun=All' })).json as AnyObject).spec.color).to.equal('blue')
    expect((await t.get('a')).spec.color).to.equal('red')
  })

  const OBJECT = 'Go value of type map[string]interface {}'
  const refused: [what: string, type: string, body: string, text: string | RegExp][] = [
    ['another type', 'application/json', '{}', '415 UnsupportedMediaType: 415: Unsupported Media Type'],
    ['no JSON', MERGE, '{', /^400 BadRequest: error decoding patch: /],
    ['no JSON, strategic', STRATEGIC, '{', /^400 BadRequest: (?!error decoding patch)/],
    ['a list', STRATEGIC, '[]', `400 BadRequest: json: cannot unmarshal array into ${OBJECT}`],
    [
      'a test that fails',
      JSON_PATCH,
      '[{"op":"test","path":"/spec/color","value":"blue"}]',
      '422 Invalid: the server rejected our request due to an error in our request',
    ],
    [
      'a path that is not there',
      JSON_PATCH,
      '[{"op":"remove","path":"/spec/none"}]',
      '422 Invalid: the server rejected our request due to an error in our request',
    ],
    [
      'another name',
      MERGE,
      '{"metadata":{"name":"b"}}',
      '400 BadRequest: the name of the object (b) does not match the name on the URL (a)',
    ],
    [
      'another namespace',
      MERGE,
      '{"metadata":{"namespace":"b"}}',
      '400 BadRequest: the namespace of the provided object does not match the namespace sent on the request',
    ],
    ['another uid', MERGE, '{"metadata":{"uid":"b"}}', /^422 Invalid: .*metadata\.uid: Invalid value: "b": field is immutable/],
  ]
  for (const [what, type, body, text] of refused)
    it(`are refused: ${what}`, async () => {
      const told = await refusalText(patch(type, body))
      if (typeof text === 'string') expect(told).to.equal(text)
      else expect(told).to.match(text)
    })

  it('that change the type of a value are refused, quoting the result or the patch', async () => {
    const told = async (type: string, body: string) => (await refusal(patch(type, body))).status
    expect(await told(STRATEGIC, '{"spec":{"size":"x"}}')).to.include({
      code: 422,
      reason: 'Invalid',
      message: ' "" is invalid: patch: Invalid value: "map[spec:map[size:x]]": unrecognized type: int32',
    })
    expect((await told(MERGE, '{"spec":{"size":"x"}}')).message).to.match(
      /^ "" is invalid: patch: Invalid value: .*"size.*: json: cannot unmarshal string into Go struct field WidgetSpec\.spec\.size of type int32$/,
    )
  })

  it('with a too large integer wrap around in a strategic merge and an apply, which upstream converts without JSON text', async () => {
    const size = async (type: string, body: string, search = '') =>
      ((await patch(type, body, { search: `dryRun=All${search}` })).json as AnyObject).spec.size
    expect(await size(STRATEGIC, '{"spec":{"size":5000000000}}')).to.equal(705_032_704)
    expect(await size(STRATEGIC, '{"spec":{"size":1e30}}')).to.equal(0)
    const config = '{"apiVersion":"example.io/v1","kind":"Widget","metadata":{"name":"a"},"spec":{"size":4294967301}}'
    expect(await size('application/apply-patch+yaml', config, '&fieldManager=m&force=true')).to.equal(5)
    expect((await refusal(patch(MERGE, '{"spec":{"size":5000000000}}'))).message).to.contain(
      'json: cannot unmarshal number 5000000000 into',
    )
  })

  const floats: [type: string, body: string, literal: string][] = [
    [MERGE, '{"spec":{"size":1.0}}', '1.0'],
    [MERGE, '{"spec":{"size":1e3}}', '1e3'],
    [JSON_PATCH, '[{"op":"add","path":"/spec/size","value":2.00}]', '2.00'],
    [JSON_PATCH, '[{"op":"replace","path":"/spec","value":{"size":1E1}}]', '1E1'],
    [JSON_PATCH, '[{"op":"add","path":"/spec/size","value":1.0},{"op":"test","path":"/spec/color","value":"red"}]', '1.0'],
  ]
  for (const [type, body, literal] of floats)
    it(`with a float for an integer are refused, quoted as written: ${body}`, async () => {
      const { message } = await refusal(patch(type, body))
      expect(message).to.match(/^ "" is invalid: patch: Invalid value: /)
      expect(message).to.contain(`\\"size\\":${literal}}`)
      expect(message).to.contain(`: json: cannot unmarshal number ${literal} into Go struct field WidgetSpec.spec.size of type int32`)
    })
  it('with a float for an integer are accepted in a strategic merge, and if another operation has replaced it', async () => {
    const size = async (type: string, body: string) => ((await patch(type, body)).json as AnyObject).spec.size
    expect(await size(STRATEGIC, '{"spec":{"size":2.0}}')).to.equal(2)
    expect(
      await size(JSON_PATCH, '[{"op":"add","path":"/spec/size","value":1.0},{"op":"replace","path":"/spec/size","value":3}]'),
    ).to.equal(3)
  })

  // Recorded from the Kubernetes machinery 1.33.9.
  const broughtTests: [wanted: string, brought: string, passes: boolean][] = [
    ['0', '0', true],
    ['-0', '0', false],
    ['1.0', '1.0', true],
    ['1', '1.0', false],
    ['1e0', '1.0', false],
    ['1', '1e0', false],
    ['1000', '1e3', false],
    ['1', '1', true],
    ['1.0', '1', false],
    ['[1.0]', '[1.0]', true],
    ['[1]', '[1.0]', false],
    ['{"a":1e0}', '{"a":1.0}', false],
  ]
  for (const [wanted, brought, passes] of broughtTests)
    it(`compare ${brought}, which the patch has added, with ${wanted} as text`, async () => {
      const body = `[{"op":"add","path":"/spec/odd","value":${brought}},{"op":"test","path":"/spec/odd","value":${wanted}}]`
      const patching = patch(JSON_PATCH, body, { search: 'dryRun=All' })
      if (passes) expect((await patching).status).to.equal(200)
      else expect(await refusalText(patching)).to.equal('422 Invalid: the server rejected our request due to an error in our request')
    })

  const unknown: [type: string, body: string, fault: string][] = [
    [MERGE, '{"spec":{"odd":1}}', 'unknown field "spec.odd"'],
    [STRATEGIC, '{"spec":{"odd":1}}', 'unknown field "spec.odd"'],
    [JSON_PATCH, '[{"op":"add","path":"/spec/odd","value":1}]', 'unknown field "spec.odd"'],
    [MERGE, '{"spec":{"size":1,"size":2}}', 'duplicate field "spec.size"'],
  ]
  for (const [type, body, fault] of unknown)
    it(`with an error follow fieldValidation: ${type} ${fault}`, async () => {
      expect((await patch(type, body)).warnings).to.deep.equal([fault])
      expect((await patch(type, body, { search: 'fieldValidation=Ignore' })).warnings).to.deep.equal([])
      const told = await refusalText(patch(type, body, { search: 'fieldValidation=Strict' }))
      expect(told)
        .to.match(/^422 Invalid: {2}"" is invalid: patch: Invalid value: /)
        .and.include(`strict decoding error: ${fault}`)
    })

  // Recorded from the Kubernetes machinery 1.33.9.
  const repeated: [body: string, faults: string[], labels: object | undefined][] = [
    [
      '[{"op":"add","path":"/metadata/labels","value":{"a":"1","a":"2"}}]',
      ['json patch duplicate field "[0].value.a"', 'duplicate field "metadata.labels.a"'],
      { a: '2' },
    ],
    [
      '[{"op":"add","path":"/metadata","value":{"name":"a","labels":{"x":"1"},"labels":{"y":"2"},"zz":1}}]',
      ['json patch duplicate field "[0].value.labels"', 'duplicate field "metadata.labels"', 'unknown field "metadata.zz"'],
      { x: '1', y: '2' },
    ],
    // Another operation within the object reads it, and the repetition is lost.
    [
      '[{"op":"add","path":"/metadata/labels","value":{"a":"1","a":"2"}},{"op":"add","path":"/metadata/labels/b","value":"3"}]',
      ['json patch duplicate field "[0].value.a"'],
      { a: '2', b: '3' },
    ],
    [
      '[{"op":"add","path":"/metadata/labels","value":{"a":"1"},"path":"/metadata/labels"}]',
      ['json patch duplicate field "[0].path"'],
      { a: '1' },
    ],
  ]
  for (const [body, faults, labels] of repeated)
    it(`report and merge repeated members that a JSON patch brings: ${body}`, async () => {
      const { warnings, json } = await patch(JSON_PATCH, body, { search: 'dryRun=All' })
      expect(warnings).to.deep.equal(faults)
      expect((json as AnyObject).metadata.labels).to.deep.equal(labels)
      expect(await refusalText(patch(JSON_PATCH, body, { search: 'fieldValidation=Strict' }))).to.include(
        `strict decoding error: ${faults.join(', ')}`,
      )
    })

  it('report the unknown fields of strategic merges sorted', async () => {
    const body =
      '{"zzz":1,"spec":{"extra":1,"$setElementOrder/parts":["p"],"b":1},"$retainKeys":["zzz","spec","apiVersion","kind","metadata"],"aaa":null}'
    const { warnings } = await patch(STRATEGIC, body)
    expect(warnings).to.deep.equal(['unknown field "spec.b"', 'unknown field "spec.extra"', 'unknown field "zzz"'])
  })

  const silent: [type: string, body: string][] = [
    [STRATEGIC, '{"kind":"Secret"}'],
    [STRATEGIC, '{"apiVersion":"v2"}'],
    [STRATEGIC, '{"apiVersion":"a/b/c","kind":null}'],
    [MERGE, '{"kind":null}'],
    [MERGE, '{"kind":"","apiVersion":null}'],
    [JSON_PATCH, '[{"op":"remove","path":"/kind"},{"op":"remove","path":"/apiVersion"}]'],
  ]
  for (const [type, body] of silent)
    it(`keep the type of the object: ${type} ${body}`, async () => {
      const { kind, apiVersion, metadata } = (await patch(type, body)).json as AnyObject
      expect([kind, apiVersion, metadata.resourceVersion]).to.deep.equal(['Widget', 'example.io/v1', '2'])
      const { items } = (await callApi(t, 'namespaces/ns/widgets')).json as { items: AnyObject[] }
      expect(items[0]?.metadata.name).to.equal('a')
    })

  const LEGACY = 'in scheme "pkg/api/legacyscheme/scheme.go:30"'
  const typed: [type: string, body: string, fault: string][] = [
    [MERGE, '{"kind":"Secret"}', `no kind "Secret" is registered for version "example.io/v1" ${LEGACY}`],
    [MERGE, '{"kind":"WidgetList"}', 'converting (v1.WidgetList) to (example.Widget): unknown conversion'],
    [MERGE, '{"kind":"Status","apiVersion":"v1"}', 'converting (v1.Status) to (example.Widget): unknown conversion'],
    [MERGE, '{"apiVersion":"v2"}', `no kind "Widget" is registered for version "v2" ${LEGACY}`],
    [MERGE, '{"apiVersion":"a/b/c"}', 'unexpected GroupVersion string: a/b/c'],
    [
      MERGE,
      '{"kind":3}',
      "couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string",
    ],
    [
      JSON_PATCH,
      '[{"op":"replace","path":"/kind","value":"Secret"}]',
      `no kind "Secret" is registered for version "example.io/v1" ${LEGACY}`,
    ],
    [
      JSON_PATCH,
      '[{"op":"replace","path":"","value":[1]}]',
      `couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    ],
  ]
  for (const [type, body, fault] of typed)
    it(`that change the type of the object are refused: ${type} ${body}`, async () => {
      const told = await refusalText(patch(type, body))
      expect(told).to.match(/^422 Invalid: {2}"" is invalid: patch: Invalid value: /)
      expect(told.endsWith(`: ${fault}`), told).to.equal(true)
    })

  it('are quoted like upstream: only objects that were decoded have sorted members', async () => {
    const told = await refusalText(patch(MERGE, '{"spec":{"size":"x"}}'))
    expect(told).to.match(/\{\\"apiVersion\\":.*\\"kind\\":.*\\"metadata\\":\{\\"name\\":\\"a\\",\\"namespace\\":/)
  })

  for (const [type, body] of [
    [MERGE, '{'],
    [JSON_PATCH, '{'],
    [STRATEGIC, '[]'],
    [JSON_PATCH, '[{"op":1}]'],
  ] as const)
    it(`to a missing object get 404 before their body is parsed: ${type} ${body}`, async () =>
      expect(await refusalText(patch(type, body, {}, 'namespaces/ns/widgets/none'))).to.equal(
        '404 NotFound: widgets.example.io "none" not found',
      ))

  const tested: [operations: string, holds: boolean][] = [
    ['[{"op":"test","path":"/spec/size","value":30}]', true],
    ['[{"op":"test","path":"/spec/size","value":30.0}]', false],
    ['[{"op":"test","path":"/spec/size","value":3e1}]', false],
    ['[{"op":"test","path":"/spec","value":{"parts":["<"],"size":30}}]', false],
    ['[{"op":"test","path":"/spec","value":{"parts":["\\u003c"],"size":30}}]', true],
    ['[{"op":"test","path":"/spec/parts/0","value":"\\u003c"}]', true],
    ['[{"op":"test","path":"/spec/parts/0","value":"<"}]', false],
    ['[{"op":"test","path":"/metadata/name","value":"\\u0061"}]', false],
    [
      '[{"op":"add","path":"/metadata/annotations","value":{"x":"\\u0061"}},{"op":"test","path":"/metadata/annotations/x","value":"\\u0061"}]',
      true,
    ],
  ]
  for (const [operations, holds] of tested)
    it(`compare tested values as written: ${operations}`, async () => {
      await t.update('a', now => void Object.assign(now, { spec: { size: 30, parts: ['<'] } }))
      const exchange = patch(JSON_PATCH, operations)
      if (holds) expect((await exchange).status).to.equal(200)
      else expect(await refusalText(exchange)).to.match(/^422 Invalid: the server rejected our request/)
    })
})
