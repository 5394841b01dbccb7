import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { types } from '../../../src/catalog/types.ts'
import { decodeBody, decodeBodyInSteps, typeOfBody } from '../../../src/codec/body.ts'
import { encodeJson, parseJson } from '../../../src/codec/json.ts'
import { parseYaml } from '../../../src/codec/yaml.ts'

interface Row {
  type: string
  /** One byte per character. */
  body: string
  out?: string
  error?: string
  strict?: string[]
}

/** Bodies, and the results of sigs.k8s.io/json and encoding/json with the Go types of k8s.io/api 0.33. */
const rows = JSON.parse(readFileSync(new URL('../../fixtures/codec/typed.json', import.meta.url), 'utf8')) as Row[]

describe('decodeBody', () => {
  for (const row of rows) {
    it(`${row.type} ${row.body.slice(0, 120)}`, () => {
      const read = () => decodeBody(types.type(row.type), parseJson(Buffer.from(row.body, 'latin1')))
      if (row.error !== undefined) {
        expect(read).to.throw().with.property('message', row.error)
        return
      }
      const { object, strict } = read()
      expect(encodeJson(types.type(row.type), object).toString()).to.equal(row.out)
      expect(strict).to.deep.equal(row.strict ?? [])
    })
  }

  it('reports at most 100 members', () => {
    const body = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`x${i}`, 1]))
    expect(decodeBody(types.type('core.ConfigMap'), parseJson(Buffer.from(JSON.stringify(body)))).strict).to.have.length(100)
  })

  it('reports repeated keys of YAML first, in one error and as separate warnings', () => {
    const yaml = parseYaml(Buffer.from('foo: 1\ndata:\n  k: "1"\n  k: "2"\n  k: "3"\n'))
    const { strict, strictText } = decodeBody(types.type('core.ConfigMap'), yaml)
    expect(strict).to.deep.equal(['line 4: key "k" already set in map', 'line 5: key "k" already set in map', 'unknown field "foo"'])
    expect(strictText).to.equal(
      'yaml: unmarshal errors:\n  line 4: key "k" already set in map\n  line 5: key "k" already set in map, unknown field "foo"',
    )
  })
})

describe('decodeBodyInSteps', () => {
  const stepsOf = (type: string, body: string): number => [...decodeBodyInSteps(types.type(type), parseJson(Buffer.from(body)))].length

  it('takes a step for each walk through a value with repeated members', () => {
    expect(stepsOf('core.ConfigMap', '{"data":{"a":"1","a":"2"}}')).to.equal(2)
    expect(stepsOf('core.ConfigMap', '{"data":{"a":"1"}}')).to.equal(0)
  })
})

describe('typeOfBody', () => {
  const struct = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
  const table: [string, unknown][] = [
    ['{"kind":"A","apiVersion":"v1"}', { kind: 'A', apiVersion: 'v1' }],
    ['{"KIND":"A","apiversion":"v1"}', { kind: 'A', apiVersion: 'v1' }],
    ['{}', { kind: '', apiVersion: '' }],
    ['null', { kind: '', apiVersion: '' }],
    ['{"kind":5}', "couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string"],
    ['[]', `couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type ${struct}`],
    ['"x"', `couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type ${struct}`],
  ]
  for (const [text, want] of table) {
    it(text, () => {
      const read = () => typeOfBody(parseJson(Buffer.from(text)).value)
      if (typeof want === 'string') expect(read).to.throw().with.property('message', want)
      else expect(read()).to.deep.equal(want)
    })
  }
})
