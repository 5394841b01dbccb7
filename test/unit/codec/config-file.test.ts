import { expect } from 'chai'
import { decodeConfigFile, decodeConfigInSteps, parseConfigInSteps } from '../../../src/codec/config-file.ts'
import { configMapResource } from '../../../src/resources/core/config-map/definition.ts'
import { DecodeError } from '../../../src/schema/decode.ts'
import { countedSteps } from '../../support/counted-steps.ts'

const MANY = 20_000
const typeOf = (apiVersion: string, kind: string) =>
  apiVersion === 'v1' && kind === 'ConfigMap' ? configMapResource.hub.schema : undefined
const HEAD = 'apiVersion: v1\nkind: ConfigMap\n'

describe('a configuration file', () => {
  it('is parsed and decoded in many steps if it is long', () => {
    const lines = Array.from({ length: MANY }, (_, i) => `  k${i}: v${i}`)
    const text = Buffer.from(`${HEAD}data:\n${lines.join('\n')}\n`)
    const parsed = countedSteps(parseConfigInSteps(text))
    expect(parsed.yields).to.be.at.least(30)
    const decoded = countedSteps(decodeConfigInSteps(parsed.result, typeOf, undefined))
    expect(decoded.yields).to.be.at.least(10)
    expect(decoded.result).to.deep.equal(decodeConfigFile(text, typeOf))
    expect(Object.keys(decoded.result.data ?? {})).to.have.length(MANY)
  })

  const faults: [text: string, message: string][] = [
    ['a: [', 'yaml: line 1: did not find expected node content'],
    ['a: b', "Object 'Kind' is missing in 'a: b'"],
    ['kind: ConfigMap', "Object 'apiVersion' is missing in 'kind: ConfigMap'"],
    ['apiVersion: v1\nkind: Pod', 'no kind "Pod" is registered for version "v1" in scheme "pkg/runtime/scheme.go:110"'],
    [`${HEAD}odd: 1`, 'strict decoding error: unknown field "odd"'],
  ]
  for (const [text, message] of faults)
    it(`is refused: ${message}`, () => expect(() => decodeConfigFile(Buffer.from(text), typeOf)).to.throw(DecodeError, message))

  it('is not quoted if it is secret', () =>
    expect(() => decodeConfigFile(Buffer.from('a: secret'), typeOf, { isSecret: true })).to.throw(
      DecodeError,
      /^Object 'Kind' is missing$/,
    ))
})
